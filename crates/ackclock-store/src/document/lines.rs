//! JSON as people and line tools can read it that is not twice as long as it need be: pretty-printed, but what lies deep,
//! such as one flow of one run, is on one line.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

/// Writes a value; objects and arrays inside so many others are on one line. It comes in long pieces.
///
/// # Errors
/// If it cannot be written, or a key is no string.
pub fn write(out: impl Write, value: &impl Serialize, depth: usize) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(PIECE, out);
    value.serialize(&mut Serializer::with_formatter(&mut out, Lines { open: 0, depth, is_empty: true }))?;
    out.flush()
}

/// So many octets are written together.
const PIECE: usize = 1 << 16;

struct Lines {
    /// Objects and arrays that have begun and not ended.
    open: usize,
    depth: usize,
    /// Whether nothing is in the last of them yet.
    is_empty: bool,
}

impl Lines {
    #[inline]
    fn begin<W: ?Sized + Write>(&mut self, out: &mut W, bracket: u8) -> io::Result<()> {
        self.open += 1;
        self.is_empty = true;
        out.write_all(&[bracket])
    }

    #[inline]
    fn end<W: ?Sized + Write>(&mut self, out: &mut W, bracket: u8) -> io::Result<()> {
        self.open -= 1;
        if self.open < self.depth && !self.is_empty {
            self.begin_line(out, b"\n")?;
        }
        self.is_empty = false;
        out.write_all(&[bracket])
    }

    /// Before each member of an object or array.
    #[inline]
    fn separate<W: ?Sized + Write>(&mut self, out: &mut W, is_first: bool) -> io::Result<()> {
        self.is_empty = false;
        match (self.open > self.depth, is_first) {
            (true, true) => Ok(()),
            (true, false) => out.write_all(b", "),
            (false, _) => self.begin_line(out, if is_first { b"\n" } else { b",\n" }),
        }
    }

    fn begin_line<W: ?Sized + Write>(&self, out: &mut W, before: &[u8]) -> io::Result<()> {
        out.write_all(before)?;
        (0..self.open).try_for_each(|_| out.write_all(b"  "))
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b'[')
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b']')
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.separate(out, first)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b'{')
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b'}')
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.separate(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
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
