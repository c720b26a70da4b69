//! The compact protocol of Thrift, in which Parquet keeps its footer and the headers of its pages.
//! Source: Thrift, "Thrift Compact protocol encoding".
//!
//! Nothing is kept of what is read: a structure is walked through, and each length in it is held against the octets that
//! are there. A reader that trusts such a length asks for as much memory as it says.

/// The types of fields, as they are written.
pub(super) const TRUE: u8 = 1;
pub(super) const FALSE: u8 = 2;
pub(super) const BYTE: u8 = 3;
const I16: u8 = 4;
pub(super) const I32: u8 = 5;
pub(super) const I64: u8 = 6;
const DOUBLE: u8 = 7;
pub(super) const BINARY: u8 = 8;
pub(super) const LIST: u8 = 9;
const SET: u8 = 10;
pub(super) const STRUCT: u8 = 12;

/// A field of a structure: the numbers of the fields that it is in and its own, its type, and its value if that is a whole number.
pub(super) struct Field<'a> {
    pub path: &'a [i16],
    pub kind: u8,
    pub value: i64,
}

/// What is not as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken;

/// Walks through the structure at the beginning of `octets`, and shows each field of it; how many octets it takes.
///
/// # Errors
/// If it does not end within `octets`, if it is nested deeper than those of Parquet, or if it has a type that Parquet does not use there.
pub(super) fn walk(octets: &[u8], show: &mut dyn FnMut(Field<'_>)) -> Result<usize, Broken> {
    let mut walk = Walk { rest: octets, path: Vec::new(), show };
    walk.structure()?;
    Ok(octets.len() - walk.rest.len())
}

struct Walk<'a, 'f> {
    rest: &'a [u8],
    path: Vec<i16>,
    show: &'f mut dyn FnMut(Field<'_>),
}

impl Walk<'_, '_> {
    fn structure(&mut self) -> Result<(), Broken> {
        if self.path.len() >= MOST_DEEP {
            return Err(Broken);
        }
        let mut last: i16 = 0;
        loop {
            let head = self.octet()?;
            if head == 0 {
                return Ok(());
            }
            last = match head >> 4 {
                0 => i16::try_from(zigzag(self.varint()?)).map_err(|_| Broken)?,
                more => last.checked_add(i16::from(more)).ok_or(Broken)?,
            };
            self.path.push(last);
            self.value(head & 15)?;
            self.path.pop();
        }
    }

    fn value(&mut self, kind: u8) -> Result<(), Broken> {
        let mut value = 0;
        match kind {
            TRUE | FALSE => {}
            BYTE => value = i64::from(self.octet()? as i8),
            I16 | I32 | I64 => value = zigzag(self.varint()?),
            DOUBLE => self.skip(8)?,
            BINARY => {
                let length = self.varint()?;
                self.skip(length)?;
            }
            LIST | SET => self.list()?,
            STRUCT => self.structure()?,
            _ => return Err(Broken),
        }
        (self.show)(Field { path: &self.path, kind, value });
        Ok(())
    }

    fn list(&mut self) -> Result<(), Broken> {
        let head = self.octet()?;
        let length = match head >> 4 {
            15 => self.varint()?,
            length => u64::from(length),
        };
        // An element of any other type takes an octet or more, so the list is no longer than what is there.
        if length > 0 && matches!(head & 15, TRUE | FALSE) {
            return Err(Broken);
        }
        (0..length).try_for_each(|_| self.value(head & 15))
    }

    fn octet(&mut self) -> Result<u8, Broken> {
        let (&octet, rest) = self.rest.split_first().ok_or(Broken)?;
        self.rest = rest;
        Ok(octet)
    }

    fn skip(&mut self, octets: u64) -> Result<(), Broken> {
        let octets = usize::try_from(octets).map_err(|_| Broken)?;
        self.rest = self.rest.get(octets..).ok_or(Broken)?;
        Ok(())
    }

    fn varint(&mut self) -> Result<u64, Broken> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let octet = self.octet()?;
            number |= u64::from(octet & 0x7f) << shift;
            if octet < 0x80 {
                return Ok(number);
            }
        }
        Err(Broken)
    }
}

fn zigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// The deepest of Parquet's is a unit of time in a logical type in an element of the schema.
const MOST_DEEP: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    /// The path of a field, its type and its value.
    type Seen = (Vec<i16>, u8, i64);

    fn walked(octets: &[u8]) -> Result<(usize, Vec<Seen>), Broken> {
        let mut seen = Vec::new();
        let length = walk(octets, &mut |field| seen.push((field.path.to_vec(), field.kind, field.value)))?;
        Ok((length, seen))
    }

    #[test]
    fn fields_are_shown_with_their_place_and_value() {
        // 1: i32 150; 3: struct { 1: i32 -1; 2: true }; 4: binary of 2; 5: list of 2 i32; 100: byte 7.
        let octets = [
            0x15, 0xac, 0x02, 0x2c, 0x15, 0x01, 0x11, 0x00, 0x18, 0x02, 0xff, 0xff, 0x19, 0x25, 0x02, 0x04, 0x03, 0xc8,
            0x01, 0x07, 0x00, 0xff,
        ];
        let (length, seen) = walked(&octets).unwrap();
        assert_eq!(length, octets.len() - 1);
        let expected = [
            (vec![1], I32, 150),
            (vec![3, 1], I32, -1),
            (vec![3, 2], TRUE, 0),
            (vec![3], STRUCT, 0),
            (vec![4], BINARY, 0),
            (vec![5], I32, 1),
            (vec![5], I32, 2),
            (vec![5], LIST, 0),
            (vec![100], BYTE, 7),
        ];
        assert_eq!(seen, expected);
        for length in 0..octets.len() - 1 {
            assert_eq!(walked(&octets[..length]), Err(Broken), "{length}");
        }
    }

    #[test]
    fn what_says_that_it_is_longer_than_it_is_and_what_never_ends_is_broken() {
        for octets in [
            // Binary and list of 2^31 - 1; a list of truths, which take nothing; a map; structures in each other.
            &[0x18, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00][..],
            &[0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00, 0x00],
            &[0x19, 0x21, 0x00, 0x00, 0x00],
            &[0x1b, 0x00, 0x00],
            &[0x1c; 1 << 20],
            &[0x16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x00],
        ] {
            assert_eq!(walked(octets), Err(Broken), "{:?}", &octets[..octets.len().min(9)]);
        }
    }
}
