//! A JSON object whose last member is the BLAKE3 checksum of all that stands before it.
//!
//! The member is `blake3`, 64 hexadecimal digits, on a line of its own. A document in which any octet was changed, or
//! from which a part is missing, no longer fits its checksum.

use std::io::{self, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Passes the text of a pretty-printed JSON object on and adds the checksum before its closing brace.
#[derive(Debug)]
pub struct Sealing<W> {
    out: W,
    hasher: blake3::Hasher,
    /// The last octets, which may be the end of the object.
    held: Vec<u8>,
}

/// Whether a document is as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// It fits its checksum.
    Intact,
    /// It does not fit its checksum.
    Broken,
    /// It has no checksum.
    Missing,
}

impl<W: Write> Sealing<W> {
    /// Begins a document.
    pub fn new(out: W) -> Sealing<W> {
        Sealing { out, hasher: blake3::Hasher::new(), held: Vec::new() }
    }

    /// Ends the document with its checksum and a line feed.
    ///
    /// # Errors
    /// If it cannot be written.
    ///
    /// # Panics
    /// If what was written does not end like a pretty-printed object.
    pub fn finish(mut self) -> io::Result<W> {
        assert_eq!(self.held, END, "a pretty-printed object ends with a brace on a line of its own");
        let checksum = self.hasher.finalize();
        self.out.write_all(format!("{MEMBER}{checksum}{AFTER}").as_bytes())?;
        Ok(self.out)
    }
}

impl<W: Write> Write for Sealing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        let ready = self.held.len().saturating_sub(END.len());
        self.hasher.update(&self.held[..ready]);
        self.out.write_all(&self.held[..ready])?;
        self.held.drain(..ready);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Whether a document is as [`Sealing`] wrote it.
pub fn check(text: &[u8]) -> Seal {
    let at = text.len().saturating_sub(MEMBER.len() + CHECKSUM_DIGITS + AFTER.len());
    let (document, seal) = text.split_at(at);
    if !seal.starts_with(MEMBER.as_bytes()) {
        // Not where it should be; a large document is not searched for it.
        let end = &text[text.len().saturating_sub(NEAR_THE_END)..];
        let found = end.windows(NAME.len()).any(|window| window == NAME.as_bytes());
        return if found { Seal::Broken } else { Seal::Missing };
    }
    match *seal == *format!("{MEMBER}{}{AFTER}", blake3::hash(document)).as_bytes() {
        true => Seal::Intact,
        false => Seal::Broken,
    }
}

/// A value as a pretty-printed object with its checksum and a line feed.
///
/// # Panics
/// If the value is no object with at least one member, or has keys that are not strings.
pub fn to_text(value: &impl Serialize) -> String {
    let mut out = Sealing::new(Vec::new());
    serde_json::to_writer_pretty(&mut out, value)
        .expect("the object has string keys only, and memory can be written to");
    let text = out.finish().expect("memory can be written to");
    String::from_utf8(text).expect("JSON is UTF-8")
}

/// The value of a text that [`to_text`] wrote. Earlier versions wrote the same text without a checksum: it is accepted if the value,
/// written again, gives it.
///
/// # Errors
/// If it is not as it was written: how that shows.
pub fn read<T: Serialize + DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    let seal = check(text);
    let value: T = serde_json::from_slice(text).map_err(|error| match seal {
        Seal::Intact => {
            format!("it is as another build of ackclock wrote it, whose files have other members ({error})")
        }
        Seal::Broken | Seal::Missing => format!("it is damaged: {error}"),
    })?;
    let again = || serde_json::to_string_pretty(&value).unwrap_or_default() + "\n";
    if seal != Seal::Intact && again().as_bytes() != text {
        return Err(match seal {
            Seal::Broken => "it does not match its checksum".into(),
            _ => "it has no checksum, and is not as ackclock writes it".into(),
        });
    }
    Ok(value)
}

/// An HTML page with its checksum, a comment, at the end.
pub fn page(html: &str) -> String {
    let html = html.trim_end_matches('\n');
    format!("{html}\n{COMMENT}{}{COMMENT_END}", blake3::hash(html.as_bytes()))
}

/// How a page shows that it is not as [`page`] made it; `None` if it is, or if it is of another version or another program.
pub fn page_damage(text: &[u8]) -> Option<&'static str> {
    let at = text.len().saturating_sub(1 + COMMENT.len() + CHECKSUM_DIGITS + COMMENT_END.len());
    let (html, end) = text.split_at(at);
    if *end == *format!("\n{COMMENT}{}{COMMENT_END}", blake3::hash(html)).as_bytes() {
        return None;
    }
    let has = |text: &[u8], word: &str| text.windows(word.len()).any(|window| window == word.as_bytes());
    let near = &text[text.len().saturating_sub(NEAR_THE_END)..];
    // Two marks: a changed bit takes one of them at most.
    let is_ours = has(&text[..text.len().min(NEAR_THE_END)], concat!("\"Ackclock ", env!("CARGO_PKG_VERSION"), "\""));
    // What is shorter than the head of a page was cut off, and what does not begin like a page is none of another program either.
    let is_page = text.len() >= NEAR_THE_END && text.trim_ascii_start().starts_with(b"<");
    (is_ours || has(near, COMMENT) || !is_page).then_some("it does not match its checksum")
}

const COMMENT: &str = "<!-- blake3 ";
const COMMENT_END: &str = " -->\n";
const MEMBER: &str = ",\n  \"blake3\": \"";
const NAME: &str = "\"blake3\"";
const CHECKSUM_DIGITS: usize = 64;
const AFTER: &str = "\"\n}\n";
const END: &[u8] = b"\n}";
const NEAR_THE_END: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed() -> Vec<u8> {
        let mut out = Sealing::new(Vec::new());
        // In pieces of every length, as a writer of JSON gives them.
        for piece in ["{", "\n  \"a\"", ": 1.5,\n", "  \"b\": {\n    \"c\": 2\n  }\n", "}"] {
            out.write_all(piece.as_bytes()).unwrap();
        }
        out.finish().unwrap()
    }

    #[test]
    fn a_sealed_document_is_json_with_one_member_more() {
        let text = sealed();
        assert_eq!(check(&text), Seal::Intact);
        let value: serde_json::Value = serde_json::from_slice(&text).unwrap();
        assert_eq!((&value["a"], &value["b"]["c"]), (&1.5.into(), &2.into()));
        assert_eq!(value["blake3"].as_str().unwrap().len(), 64);
    }

    #[test]
    fn every_changed_octet_and_every_cut_shows() {
        let text = sealed();
        for at in 0..text.len() {
            let mut changed = text.clone();
            changed[at] ^= 1;
            assert_ne!(check(&changed), Seal::Intact, "octet {at}");
            assert_ne!(check(&text[..at]), Seal::Intact, "cut at {at}");
        }
        assert_eq!(check(b"{\n  \"a\": 1\n}\n"), Seal::Missing);
        assert_eq!(check(b""), Seal::Missing);
    }

    #[test]
    fn a_value_is_read_as_it_was_written_with_or_without_a_checksum() {
        let value: std::collections::BTreeMap<String, f64> = [("a".into(), 1.5), ("b".into(), 2.0)].into();
        let text = to_text(&value);
        let found = |text: &[u8]| read::<std::collections::BTreeMap<String, f64>>(text);
        // What is a map takes the checksum for another member.
        assert!(found(text.as_bytes()).unwrap_err().contains("invalid type"));
        #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
        struct Two {
            a: f64,
            b: f64,
        }
        let two = Two { a: 1.5, b: 2.0 };
        assert_eq!(text, to_text(&two));
        assert_eq!(read::<Two>(text.as_bytes()), Ok(Two { a: 1.5, b: 2.0 }));
        let earlier = serde_json::to_string_pretty(&two).unwrap() + "\n";
        assert_eq!(read::<Two>(earlier.as_bytes()), Ok(two));
        for text in [text, earlier] {
            for at in 0..text.len() * 8 {
                let mut changed = text.clone().into_bytes();
                changed[at / 8] ^= 1 << (at % 8);
                // A digit of a text without a checksum may be another digit.
                let is_digit = text.as_bytes()[at / 8].is_ascii_digit() && changed[at / 8].is_ascii_digit();
                let is_same =
                    read::<Two>(&changed).is_ok_and(|_| !(is_digit && check(text.as_bytes()) == Seal::Missing));
                assert!(!is_same, "bit {at}");
            }
        }
    }
}
