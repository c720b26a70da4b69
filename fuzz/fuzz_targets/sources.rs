//! Inputs that are left out because they take long, and only that.

/// Whether `sources` is followed by four digits or more: such networks are right, but take a second to write out.
pub fn asks_for_many_sources(bytes: &[u8]) -> bool {
    let is_long = |run: &[u8]| run.iter().filter(|byte| byte.is_ascii_digit()).count() > 3;
    let after_key = |at: usize| &bytes[at..bytes.len().min(at + 40)];
    let runs = |text: &[u8]| text.split(|byte| !byte.is_ascii_digit() && *byte != b'_').any(is_long);
    bytes.windows(7).enumerate().any(|(at, word)| word == b"sources" && runs(after_key(at)))
}
