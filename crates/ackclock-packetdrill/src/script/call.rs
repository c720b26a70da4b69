//! Calls of sockets: `name(argument, …) = result ERROR (note)`.

use super::cursor::{Cursor, Trouble};

/// A call of a function of sockets, with the result that is expected of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name of the function.
    pub name: String,
    /// The arguments in their order.
    pub arguments: Vec<Argument>,
    /// What it returns; `None`: anything.
    pub result: Option<i64>,
    /// The name of the error that it returns.
    pub error: Option<String>,
    /// When it returns if it waits, microseconds, as the time of the event counts.
    pub end: Option<i64>,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// `...`: whatever it is.
    Any,
    /// A whole number, decimal or hexadecimal.
    Number(i64),
    /// Anything else, as it is written.
    Text(String),
}

impl Call {
    /// The argument at this place if it is a number, in brackets or not.
    pub fn number(&self, index: usize) -> Option<i64> {
        match self.arguments.get(index)? {
            Argument::Number(number) => Some(*number),
            Argument::Text(text) => int(text.trim_start_matches('[').trim_end_matches(']').trim()),
            Argument::Any => None,
        }
    }

    /// The argument at this place as it is written.
    pub fn text(&self, index: usize) -> &str {
        match self.arguments.get(index) {
            Some(Argument::Text(text)) => text,
            _ => "",
        }
    }
}

pub(super) fn call(cursor: &mut Cursor<'_>, end: Option<i64>) -> Result<Call, Trouble> {
    let name = cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '_').to_string();
    cursor.expect("(")?;
    let arguments = arguments(cursor)?;
    cursor.expect("=")?;
    cursor.skip_space();
    let word = cursor.take_while(|c| c.is_ascii_alphanumeric() || "-._|".contains(c));
    let result = match word {
        "..." => None,
        word => Some(int(word).ok_or_else(|| {
            Trouble::new(cursor.line(), format!("`{word}` is not a result"), "write a number, or ... for any")
        })?),
    };
    let rest = cursor.rest_of_line();
    let error = rest.trim_start().split([' ', '(', '/', ',']).next().unwrap_or_default();
    let error = error.starts_with('E').then(|| error.to_string());
    let note = rest.split("//").next().unwrap_or_default();
    cursor.advance(if error.is_some() || note.trim_start().starts_with('(') { note.len() } else { 0 });
    // What an epoll_wait or a recvmsg returns beside its result is not compared.
    Ok(Call { name, arguments, result, error, end })
}

/// Up to the closing parenthesis.
fn arguments(cursor: &mut Cursor<'_>) -> Result<Vec<Argument>, Trouble> {
    let (line, mut depth, mut quoted) = (cursor.line(), 0usize, false);
    let (mut all, mut text) = (Vec::new(), String::new());
    loop {
        let Some(c) = cursor.peek() else {
            return Err(Trouble::new(line, "the arguments of the call do not end", "close them with `)`"));
        };
        if !quoted && (cursor.rest().starts_with("//") || cursor.rest().starts_with("/*")) {
            cursor.skip_space();
            continue;
        }
        cursor.advance(c.len_utf8());
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => break,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                all.push(argument(&text));
                text.clear();
                continue;
            }
            _ => {}
        }
        text.push(c);
    }
    if !text.trim().is_empty() {
        all.push(argument(&text));
    }
    Ok(all)
}

fn argument(text: &str) -> Argument {
    match text.trim() {
        "..." => Argument::Any,
        text => int(text).map_or_else(|| Argument::Text(text.to_string()), Argument::Number),
    }
}

/// A number in decimal or hexadecimal digits.
fn int(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let number = match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    };
    number.map(|number: i64| sign * number)
}
