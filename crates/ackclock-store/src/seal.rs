//! A JSON object whose last member is the BLAKE3 checksum of all that stands before it.
//!
//! The member is `blake3`, 64 hexadecimal digits, on a line of its own. A document in which any octet was changed, or
//! from which a part is missing, no longer fits its checksum.

use std::io::{self, Write};

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
}
