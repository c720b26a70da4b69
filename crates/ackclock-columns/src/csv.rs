//! Text as a field of CSV.

/// A text as a field of CSV: in quotes where RFC 4180 §2 has them. A text that programs of tables would take for a formula, and run, has an
/// apostrophe in front, which tells them that it is none.
pub fn field(text: &str) -> String {
    let is_formula = match text.as_bytes().first() {
        Some(b'=' | b'@' | b'\t' | b'\r') => true,
        Some(b'+' | b'-') => text.parse::<f64>().is_err(),
        _ => false,
    };
    let text = if is_formula { format!("'{text}") } else { text.to_owned() };
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_they_have_to_be_and_are_no_formulas() {
        for (text, expected) in [
            ("epd", "epd"),
            ("a\"b", "\"a\"\"b\""),
            ("a,b", "\"a,b\""),
            ("a\nb", "\"a\nb\""),
            ("=cmd|'/C calc'!A0", "'=cmd|'/C calc'!A0"),
            ("@SUM(1,2)", "\"'@SUM(1,2)\""),
            ("-2+3", "'-2+3"),
            ("+1+1", "'+1+1"),
            ("\t=1", "'\t=1"),
            ("-2.5", "-2.5"),
            ("1=1", "1=1"),
            ("", ""),
        ] {
            assert_eq!(field(text), expected);
        }
    }
}
