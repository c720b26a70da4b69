//! Assertions of a script: a small part of the language of packetdrill's own, which is Python.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

/// What came of a piece of code.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// Every assertion holds.
    Holds,
    /// One does not: what is said, and the values of the names in it.
    Fails(String),
    /// A name that is not known here.
    Unknown(String),
    /// Something is not understood.
    NotUnderstood(String),
}

/// The variables of a script.
pub(super) type Variables = BTreeMap<String, f64>;

/// Runs each statement; `of` gives the values of names that are no variables. An assertion about a name that is unknown is left out: those are
/// returned beside.
pub(super) fn run(code: &str, variables: &mut Variables, of: &dyn Fn(&str) -> Option<f64>) -> Vec<Outcome> {
    let joined = joined_lines(code);
    let statements = joined.iter().flat_map(|line| line.split(';')).map(str::trim);
    statements.filter(|text| !text.is_empty()).map(|text| statement(text, variables, of)).collect()
}

/// Lines without comments; one whose brackets are open goes on with the next.
fn joined_lines(code: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut open = false;
    for line in code.lines() {
        let line = line.split('#').next().unwrap_or_default().trim_end();
        let (continues, line) = line.strip_suffix('\\').map_or((false, line), |line| (true, line));
        match lines.last_mut().filter(|_| open) {
            Some(last) => *last += line,
            None => lines.push(line.to_string()),
        }
        let last = lines.last().map_or("", String::as_str);
        open = continues || last.matches('(').count() > last.matches(')').count();
    }
    lines
}

fn statement(text: &str, variables: &mut Variables, of: &dyn Fn(&str) -> Option<f64>) -> Outcome {
    if text.starts_with("print") {
        return Outcome::Holds;
    }
    let values = |variables: &Variables, text: &str| {
        let mut parser = Parser { rest: text.chars().peekable(), variables, of, seen: Vec::new() };
        parser.expression().map(|value| (value, parser.rest.collect::<String>(), parser.seen))
    };
    if let Some(condition) = text.strip_prefix("assert").filter(|rest| rest.starts_with([' ', '('])) {
        return match values(variables, condition) {
            Ok((_, rest, _)) if !rest.is_empty() && !rest.trim_start().starts_with(',') => {
                Outcome::NotUnderstood(format!("`{}` of `{text}`", rest.trim()))
            }
            Ok((0.0, _, seen)) => {
                let seen: Vec<String> = seen.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                Outcome::Fails(format!(
                    "assert{}: {}",
                    condition.split(',').next().unwrap_or(condition),
                    seen.join(", ")
                ))
            }
            Ok(_) => Outcome::Holds,
            Err(outcome) => outcome,
        };
    }
    let Some((name, value)) = text.split_once('=') else {
        return Outcome::NotUnderstood(format!("`{text}`"));
    };
    let name = name.trim_end();
    let (name, sign) = match name.strip_suffix(['+', '-']) {
        Some(plain) => (plain.trim_end(), name.ends_with('+').then_some(1.0).or(Some(-1.0))),
        None => (name, None),
    };
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Outcome::NotUnderstood(format!("`{text}`"));
    }
    match values(variables, value) {
        Ok((value, rest, _)) if rest.trim().is_empty() => {
            let before = variables.get(name).copied().unwrap_or(0.0);
            let value = sign.map_or(value, |sign| before + sign * value);
            variables.insert(name.to_string(), value);
            Outcome::Holds
        }
        Ok(_) => Outcome::NotUnderstood(format!("`{text}`")),
        Err(outcome) => outcome,
    }
}

/// Reads an expression and computes its value; what is true is 1.
struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
    variables: &'a Variables,
    of: &'a dyn Fn(&str) -> Option<f64>,
    seen: Vec<(String, f64)>,
}

/// Operators by how tightly they bind, least first.
const LEVELS: &[&[&str]] =
    &[&["or"], &["and"], &["==", "!=", "<=", ">=", "<", ">"], &["|"], &["&"], &["+", "-"], &["*", "//", "/"]];

const COMPARISONS: usize = 2;

impl Parser<'_> {
    fn expression(&mut self) -> Result<f64, Outcome> {
        self.level(0)
    }

    fn level(&mut self, level: usize) -> Result<f64, Outcome> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        if level == COMPARISONS && self.operator(&["not"]).is_some() {
            return self.level(level).map(|value| f64::from(u8::from(value == 0.0)));
        }
        let mut left = self.level(level + 1)?;
        let mut holds = None;
        while let Some(operator) = self.operator(operators) {
            let right = self.level(level + 1)?;
            if level == COMPARISONS {
                // As in 1 <= x <= 2: each holds.
                let this = compare(operator, left, right);
                holds = Some(holds.unwrap_or(true) && this);
                left = right;
            } else {
                left = compute(operator, left, right);
            }
        }
        Ok(holds.map_or(left, |holds| f64::from(u8::from(holds))))
    }

    fn operator(&mut self, operators: &[&'static str]) -> Option<&'static str> {
        self.skip();
        let text: String = self.rest.clone().take(4).collect();
        let fits = |word: &&&str| {
            let is_word = word.starts_with(char::is_alphabetic);
            text.strip_prefix(**word).is_some_and(|rest| !(is_word && rest.starts_with(char::is_alphanumeric)))
        };
        let found = operators.iter().find(fits)?;
        found.chars().for_each(|_| {
            self.rest.next();
        });
        Some(found)
    }

    fn unary(&mut self) -> Result<f64, Outcome> {
        self.skip();
        match self.rest.peek() {
            Some('-') => {
                self.rest.next();
                self.unary().map(|value| -value)
            }
            Some('(') => {
                self.rest.next();
                let value = self.expression()?;
                self.skip();
                if self.rest.next() == Some(')') { Ok(value) } else { Err(self.wrong()) }
            }
            Some(c) if c.is_ascii_digit() || *c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || *c == '_' => self.name(),
            _ => Err(self.wrong()),
        }
    }

    fn number(&mut self) -> Result<f64, Outcome> {
        let text = self.word(|c| c.is_ascii_alphanumeric() || c == '.');
        let value = match text.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok().map(|value| value as f64),
            None => text.parse().ok(),
        };
        value.ok_or_else(|| Outcome::NotUnderstood(format!("the number `{text}`")))
    }

    fn name(&mut self) -> Result<f64, Outcome> {
        let name = self.word(|c| c.is_ascii_alphanumeric() || c == '_');
        match name.as_str() {
            "True" => return Ok(1.0),
            "False" => return Ok(0.0),
            "abs" => return self.unary().map(f64::abs),
            _ => {}
        }
        let value = self.variables.get(&name).copied().or_else(|| (self.of)(&name));
        let value = value.ok_or_else(|| Outcome::Unknown(name.clone()))?;
        self.seen.push((name, value));
        Ok(value)
    }

    fn word(&mut self, fits: impl Fn(char) -> bool) -> String {
        let mut word = String::new();
        while let Some(c) = self.rest.next_if(|c| fits(*c)) {
            word.push(c);
        }
        word
    }

    fn skip(&mut self) {
        while self.rest.next_if(|c| c.is_whitespace()).is_some() {}
    }

    fn wrong(&self) -> Outcome {
        Outcome::NotUnderstood(format!("`{}`", self.rest.clone().collect::<String>()))
    }
}

fn compare(operator: &str, left: f64, right: f64) -> bool {
    match operator {
        "==" => left == right,
        "!=" => left != right,
        "<=" => left <= right,
        ">=" => left >= right,
        "<" => left < right,
        _ => left > right,
    }
}

fn compute(operator: &str, left: f64, right: f64) -> f64 {
    match operator {
        "or" => {
            if left != 0.0 {
                left
            } else {
                right
            }
        }
        "and" => {
            if left == 0.0 {
                left
            } else {
                right
            }
        }
        "|" => ((left as i64) | (right as i64)) as f64,
        "&" => ((left as i64) & (right as i64)) as f64,
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "//" => (left / right).floor(),
        _ => left / right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(code: &str) -> Vec<Outcome> {
        let of = |name: &str| match name {
            "tcpi_snd_cwnd" => Some(10.0),
            "tcpi_lost" => Some(3.0),
            _ => None,
        };
        run(code, &mut Variables::new(), &of)
    }

    #[test]
    fn assertions_hold_or_name_what_they_saw() {
        assert_eq!(outcomes("assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd"), [Outcome::Holds]);
        assert_eq!(outcomes("assert tcpi_snd_cwnd == 10 and not tcpi_lost > 3 # both"), [Outcome::Holds]);
        assert_eq!(outcomes("assert 9 <= tcpi_snd_cwnd <= 10"), [Outcome::Holds]);
        assert_eq!(outcomes("assert 11 <= tcpi_snd_cwnd <= 12").len(), 1);
        let failed = Outcome::Fails("assert tcpi_snd_cwnd == 7: tcpi_snd_cwnd = 10".into());
        assert_eq!(
            outcomes("\nassert tcpi_lost == 3\nassert tcpi_snd_cwnd == 7, 'cwnd=%d' % tcpi_snd_cwnd"),
            [Outcome::Holds, failed]
        );
    }

    #[test]
    fn variables_are_kept_and_grow() {
        let code =
            "w = 8; w += 2; assert tcpi_snd_cwnd == w; w -= 1; print(w); assert tcpi_snd_cwnd - 1 == w * (2 - 1)";
        assert!(outcomes(code).iter().all(|outcome| *outcome == Outcome::Holds), "{:?}", outcomes(code));
        assert_eq!(outcomes("LEAST = 0x0a\nassert tcpi_snd_cwnd == LEAST"), [Outcome::Holds, Outcome::Holds]);
    }

    #[test]
    fn what_is_not_known_and_what_is_not_understood_is_said() {
        assert_eq!(outcomes("assert tcpi_pmtu == 1500"), [Outcome::Unknown("tcpi_pmtu".into())]);
        assert!(matches!(outcomes("assert [1, 2] == x")[..], [Outcome::NotUnderstood(_)]));
        assert!(matches!(outcomes("import sys")[..], [Outcome::NotUnderstood(_)]));
    }
}
