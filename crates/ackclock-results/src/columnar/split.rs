//! Numbers as eight planes of octets, compressed: signs and exponents hardly change from row to row, and of whole numbers
//! the last octets are zero.
//! Source: the Parquet format, "Encodings", BYTE_STREAM_SPLIT; the format description of Snappy.
//!
//! Snappy is a sequence of elements, each of which may repeat what came before. So planes can be compressed one by one,
//! and one that is the same octet throughout is written down without a look at it.

use parquet::errors::ParquetError;

use super::delta::varint;
use super::snappy::{Experience, Snappy};

/// Writes numbers, one page after the other.
pub(super) struct Planes {
    snappy: Snappy,
    /// Of each plane.
    experience: [Experience; 8],
    plane: Vec<u8>,
}

impl Planes {
    /// No page is written yet.
    pub(super) fn new() -> Planes {
        Planes { snappy: Snappy::new(), experience: [Experience::default(); 8], plane: Vec::new() }
    }

    /// Appends the planes of `values`, which are the next page, as one Snappy stream.
    pub(super) fn compress(&mut self, values: &[f64], octets: &mut Vec<u8>) -> Result<(), ParquetError> {
        varint(8 * values.len() as u64, octets);
        let first = values.first().map_or(0, |value| value.to_bits());
        let varying = values.iter().fold(0, |all, value| all | (value.to_bits() ^ first));
        for (shift, experience) in (0..u64::BITS).step_by(8).zip(&mut self.experience) {
            if (varying >> shift) as u8 == 0 {
                repeat((first >> shift) as u8, values.len(), octets);
            } else {
                self.plane.clear();
                self.plane.extend(values.iter().map(|value| (value.to_bits() >> shift) as u8));
                self.snappy.elements(&self.plane, experience, octets)?;
            }
        }
        Ok(())
    }
}

/// One octet `count` times: once as it is, then as copies of what is one octet back, at most 64 at once.
fn repeat(octet: u8, count: usize, octets: &mut Vec<u8>) {
    if count == 0 {
        return;
    }
    octets.extend([0, octet]);
    let mut left = count - 1;
    while left > 0 {
        let length = left.min(64);
        octets.extend([((length - 1) << 2) as u8 | 2, 1, 0]);
        left -= length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the definition: first all lowest octets, then all next ones.
    #[test]
    fn planes_are_what_the_format_says() {
        let cases: [Vec<f64>; 5] = [
            vec![1.5],
            vec![0.0; 200],
            (0..1000).map(f64::from).collect(),
            (0..300).map(|n| f64::from(n) / 7.0).collect(),
            vec![f64::NAN, f64::INFINITY, -0.0, f64::MIN_POSITIVE, 1e300],
        ];
        for values in cases {
            let mut stream = Vec::new();
            Planes::new().compress(&values, &mut stream).unwrap();
            let octets: Vec<[u8; 8]> = values.iter().map(|value| value.to_le_bytes()).collect();
            let planes: Vec<u8> = (0..8).flat_map(|plane| octets.iter().map(move |octets| octets[plane])).collect();
            assert_eq!(snap::raw::Decoder::new().decompress_vec(&stream).unwrap(), planes);
        }
    }

    #[test]
    fn a_number_that_does_not_change_is_short() {
        let mut stream = Vec::new();
        Planes::new().compress(&[2.5; 65], &mut stream).unwrap();
        // Two octets for the length; for each plane two for the first row and three for the 64 others.
        assert_eq!(stream.len(), 2 + 8 * 5);
    }
}
