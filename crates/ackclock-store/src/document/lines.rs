//! JSON as people and line tools can read it that is not twice as long as it need be: pretty-printed, but what lies deep,
//! such as one flow of one run, is on one line.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{Formatter, PrettyFormatter};

/// Writes a value; objects and arrays inside so many others are on one line.
///
/// # Errors
/// If it cannot be written, or a key is no string.
pub fn write(out: impl Write, value: &impl Serialize, depth: usize) -> io::Result<()> {
    let lines = Lines { pretty: PrettyFormatter::new(), open: 0, depth };
    value.serialize(&mut Serializer::with_formatter(out, lines)).map_err(io::Error::from)
}

struct Lines {
    pretty: PrettyFormatter<'static>,
    /// Objects and arrays that have begun and not ended.
    open: usize,
    depth: usize,
}

impl Lines {
    fn on_one_line(&self) -> bool {
        self.open > self.depth
    }

    fn begin(&mut self) {
        self.open += 1;
    }

    /// Whether what ends was on one line.
    fn end(&mut self) -> bool {
        self.open -= 1;
        self.open >= self.depth
    }

    fn separate<W: ?Sized + Write>(out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin();
        if self.on_one_line() { out.write_all(b"[") } else { self.pretty.begin_array(out) }
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.end() { out.write_all(b"]") } else { self.pretty.end_array(out) }
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if self.on_one_line() { Lines::separate(out, first) } else { self.pretty.begin_array_value(out, first) }
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.on_one_line() { Ok(()) } else { self.pretty.end_array_value(out) }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin();
        if self.on_one_line() { out.write_all(b"{") } else { self.pretty.begin_object(out) }
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.end() { out.write_all(b"}") } else { self.pretty.end_object(out) }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if self.on_one_line() { Lines::separate(out, first) } else { self.pretty.begin_object_key(out, first) }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.on_one_line() { Ok(()) } else { self.pretty.end_object_value(out) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn text(value: &Value, depth: usize) -> String {
        let mut out = Vec::new();
        write(&mut out, value, depth).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_lies_deep_is_on_one_line() {
        let value = json!({"a": [{"b": [1, {"c": null}], "d": {}}, []], "e": "f"});
        let expected = "{\n  \"a\": [\n    {\"b\": [1, {\"c\": null}], \"d\": {}},\n    []\n  ],\n  \"e\": \"f\"\n}";
        assert_eq!(text(&value, 2), expected);
        for depth in 0..6 {
            assert_eq!(serde_json::from_str::<Value>(&text(&value, depth)).unwrap(), value, "{depth}");
        }
        assert_eq!(text(&value, 5), serde_json::to_string_pretty(&value).unwrap());
    }
}
