//! JSON as people and line tools can read it that is not twice as long as it need be: pretty-printed, but what lies deep,
//! such as one flow of one run, is on one line.
//!
//! Documents of many flows are long, and most of their octets are keys. So a serializer of its own writes them: it looks for
//! nothing to escape in the names of fields, and collects the text in one piece of memory.

use std::fmt;
use std::io::{self, Write};

use serde::ser::{self, Impossible, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple};
use serde::{Serialize, Serializer};
use serde_json::ser::{CompactFormatter, Formatter};

/// Writes a value; objects and arrays inside so many others are on one line. It comes in long pieces.
///
/// # Errors
/// If it cannot be written, a key is no string, or there is a value of a kind that no document has: a variant with content, octets,
/// or a single letter.
pub fn write(out: impl Write, value: &impl Serialize, depth: usize) -> io::Result<()> {
    let mut lines = Lines { out, text: Vec::with_capacity(2 * PIECE), open: 0, depth };
    value.serialize(&mut lines).map_err(|Error(error)| error)?;
    lines.out.write_all(&lines.text)
}

/// So many octets are written together.
const PIECE: usize = 1 << 16;

struct Lines<W> {
    out: W,
    /// What is not written yet.
    text: Vec<u8>,
    /// Objects and arrays that have begun and not ended.
    open: usize,
    depth: usize,
}

impl<W: Write> Lines<W> {
    fn begin(&mut self, bracket: u8) -> Members<'_, W> {
        self.open += 1;
        self.text.push(bracket);
        Members { lines: self, is_empty: true }
    }

    fn end(&mut self, bracket: u8, is_empty: bool) -> Result<(), Error> {
        self.open -= 1;
        if self.open < self.depth && !is_empty {
            self.begin_line();
        }
        self.text.push(bracket);
        if self.text.len() >= PIECE {
            self.out.write_all(&self.text)?;
            self.text.clear();
        }
        Ok(())
    }

    /// Before each member of an object or array.
    fn separate(&mut self, is_first: bool) {
        if self.open > self.depth {
            if !is_first {
                self.text.extend_from_slice(b", ");
            }
        } else {
            if !is_first {
                self.text.push(b',');
            }
            self.begin_line();
        }
    }

    #[inline(never)]
    fn begin_line(&mut self) {
        self.text.push(b'\n');
        (0..self.open).for_each(|_| self.text.extend_from_slice(b"  "));
    }

    fn string(&mut self, text: &str) -> Result<(), Error> {
        if has_escaped(text) {
            return Ok(serde_json::to_writer(&mut self.text, text).map_err(io::Error::from)?);
        }
        self.text.push(b'"');
        self.text.extend_from_slice(text.as_bytes());
        self.text.push(b'"');
        Ok(())
    }
}

/// Whether JSON has another way to write some octet of a string: a control, a quote, a backslash. Eight of them are looked at together.
fn has_escaped(text: &str) -> bool {
    let (words, rest) = text.as_bytes().as_chunks();
    words.iter().any(|word| has_escaped_octet(u64::from_le_bytes(*word)))
        || rest.iter().any(|&octet| octet < b' ' || octet == b'"' || octet == b'\\')
}

/// Source: S. E. Anderson, *Bit Twiddling Hacks*, "Determine if a word has a byte less than n".
fn has_escaped_octet(word: u64) -> bool {
    const EACH: u64 = u64::MAX / 255;
    let below = |word: u64, limit: u8| word.wrapping_sub(EACH * u64::from(limit)) & !word;
    let is = |octet: u8| below(word ^ (EACH * u64::from(octet)), 1);
    (below(word, b' ') | is(b'"') | is(b'\\')) & (EACH * 0x80) != 0
}

/// An object or array that has begun.
struct Members<'a, W> {
    lines: &'a mut Lines<W>,
    is_empty: bool,
}

impl<W: Write> Members<'_, W> {
    fn separate(&mut self) {
        self.lines.separate(std::mem::take(&mut self.is_empty));
    }

    fn element(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        self.separate();
        value.serialize(&mut *self.lines)
    }

    fn end(self, bracket: u8) -> Result<(), Error> {
        self.lines.end(bracket, self.is_empty)
    }
}

impl<'a, W: Write> Serializer for &'a mut Lines<W> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Members<'a, W>;
    type SerializeTuple = Members<'a, W>;
    type SerializeTupleStruct = Impossible<(), Error>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = Members<'a, W>;
    type SerializeStruct = Members<'a, W>;
    type SerializeStructVariant = Impossible<(), Error>;

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.text.extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<(), Error> {
        Ok(CompactFormatter.write_i64(&mut self.text, value)?)
    }

    fn serialize_u8(self, value: u8) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<(), Error> {
        Ok(CompactFormatter.write_u64(&mut self.text, value)?)
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        if !value.is_finite() {
            return self.serialize_none();
        }
        Ok(CompactFormatter.write_f64(&mut self.text, value)?)
    }

    fn serialize_char(self, _: char) -> Result<(), Error> {
        refused("a single letter")
    }

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        self.string(text)
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), Error> {
        refused("octets")
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.text.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.serialize_none()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_none()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.string(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: &T,
    ) -> Result<(), Error> {
        refused(variant)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Members<'a, W>, Error> {
        Ok(self.begin(b'['))
    }

    fn serialize_tuple(self, _: usize) -> Result<Members<'a, W>, Error> {
        Ok(self.begin(b'['))
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Error> {
        refused(name)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        refused(variant)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members<'a, W>, Error> {
        Ok(self.begin(b'{'))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Members<'a, W>, Error> {
        Ok(self.begin(b'{'))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        refused(variant)
    }
}

impl<W: Write> SerializeSeq for Members<'_, W> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.element(value)
    }

    fn end(self) -> Result<(), Error> {
        Members::end(self, b']')
    }
}

impl<W: Write> SerializeTuple for Members<'_, W> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.element(value)
    }

    fn end(self) -> Result<(), Error> {
        Members::end(self, b']')
    }
}

impl<W: Write> SerializeMap for Members<'_, W> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.separate();
        let begins = self.lines.text.len();
        key.serialize(&mut *self.lines)?;
        match self.lines.text.get(begins) {
            Some(b'"') => Ok(()),
            _ => refused("a key that is no string"),
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.lines.text.extend_from_slice(b": ");
        value.serialize(&mut *self.lines)
    }

    fn end(self) -> Result<(), Error> {
        Members::end(self, b'}')
    }
}

impl<W: Write> SerializeStruct for Members<'_, W> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        debug_assert!(!has_escaped(key), "the name of a field is a word");
        self.separate();
        let text = &mut self.lines.text;
        text.push(b'"');
        text.extend_from_slice(key.as_bytes());
        text.extend_from_slice(b"\": ");
        value.serialize(&mut *self.lines)
    }

    fn end(self) -> Result<(), Error> {
        Members::end(self, b'}')
    }
}

/// Why a value is not written.
#[derive(Debug)]
struct Error(io::Error);

fn refused<T>(what: &str) -> Result<T, Error> {
    Err(ser::Error::custom(format!("documents have no place for {what}")))
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error(error)
    }
}

impl ser::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Error {
        Error(io::Error::other(message.to_string()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}

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

    #[test]
    fn every_number_and_every_string_is_written_as_serde_json_writes_it() {
        let numbers = json!([0, -1, i64::MIN, u64::MAX, 0.0, -0.0, 0.1, 1e300, 5e-324, true, false, null]);
        let strings =
            json!(["", "plain, \u{e9} \u{1F6F0}", "line\nand \"quote\" \\ \u{0} \u{1f} \u{7f}", {"a\tkey": 1}]);
        for value in [numbers, strings] {
            assert_eq!(text(&value, 9), serde_json::to_string_pretty(&value).unwrap());
        }
        let mut out = Vec::new();
        write(&mut out, &[f64::NAN, f64::INFINITY], 0).unwrap();
        assert_eq!(out, b"[null, null]");
    }

    #[test]
    fn every_octet_that_needs_it_is_escaped_wherever_it_is() {
        for letter in (0..=255).map(char::from) {
            for length in 1..20 {
                for place in 0..length {
                    let string: String = (0..length).map(|at| if at == place { letter } else { '!' }).collect();
                    let value = json!(string);
                    assert_eq!(text(&value, 0), serde_json::to_string(&value).unwrap());
                }
            }
        }
    }

    #[test]
    fn long_texts_come_in_pieces_without_a_gap() {
        struct Pieces(Vec<usize>, Vec<u8>);
        impl Write for Pieces {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.push(bytes.len());
                self.1.extend_from_slice(bytes);
                Ok(bytes.len())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let value: Vec<Value> = (0..30_000).map(|number| json!({"number": number})).collect();
        let mut pieces = Pieces(Vec::new(), Vec::new());
        write(&mut pieces, &value, 2).unwrap();
        assert!(pieces.0.len() > 5 && pieces.0.iter().all(|&length| length < 2 * PIECE), "{:?}", pieces.0);
        assert_eq!(pieces.1, serde_json::to_vec_pretty(&value).unwrap());
    }

    #[test]
    fn what_no_document_has_is_refused() {
        #[derive(Serialize)]
        enum Choice {
            Word,
            Content(u64),
        }
        let refused = |value: &dyn Fn(&mut Vec<u8>) -> io::Result<()>| value(&mut Vec::new()).is_err();
        let numbers = std::collections::BTreeMap::from([(1, 2)]);
        assert!(refused(&|out| write(out, &numbers, 1)), "a key that is a number");
        assert!(refused(&|out| write(out, &Choice::Content(1), 1)));
        assert!(!refused(&|out| write(out, &Choice::Word, 1)));
    }
}
