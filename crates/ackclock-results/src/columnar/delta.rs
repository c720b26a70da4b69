//! Whole numbers as differences, each run of them in as few bits as its largest needs.
//! Source: the Parquet format, "Encodings", DELTA_BINARY_PACKED.

/// Appends the encoding of `values`.
pub(super) fn encode(values: &[i64], octets: &mut Vec<u8>) {
    varint((RUN * RUNS) as u64, octets);
    varint(RUNS as u64, octets);
    varint(values.len() as u64, octets);
    varint(zigzag(values.first().copied().unwrap_or(0)), octets);
    let mut deltas = [0; RUN * RUNS];
    let mut at = 1;
    while at < values.len() {
        let next = values.len().min(at + deltas.len());
        for (delta, pair) in deltas.iter_mut().zip(values[at - 1..next].windows(2)) {
            *delta = pair[1].wrapping_sub(pair[0]);
        }
        block(&mut deltas[..next - at], octets);
        at = next;
    }
}

/// Appends a number in groups of seven bits.
pub(super) fn varint(mut number: u64, octets: &mut Vec<u8>) {
    while number >= 0x80 {
        octets.push(number as u8 | 0x80);
        number >>= 7;
    }
    octets.push(number as u8);
}

/// A block: the least difference, how many bits the numbers of each run have, and these: by how much they are more.
fn block(deltas: &mut [i64], octets: &mut Vec<u8>) {
    let least = deltas.iter().copied().min().unwrap_or(0);
    varint(zigzag(least), octets);
    let widths = octets.len();
    octets.extend([0; RUNS]);
    for (number, run) in deltas.chunks_mut(RUN).enumerate() {
        let mut all = 0;
        let mut more = [0; RUN];
        for (more, delta) in more.iter_mut().zip(run) {
            *more = delta.wrapping_sub(least) as u64;
            all |= *more;
        }
        let width = u64::BITS - all.leading_zeros();
        octets[widths + number] = width as u8;
        if width > 0 {
            pack(&more, width, octets);
        }
    }
}

/// Numbers of `width` bits one after the other, the lowest bit first. A whole run fills whole words.
fn pack(numbers: &[u64; RUN], width: u32, octets: &mut Vec<u8>) {
    let (mut word, mut used) = (0, 0);
    for &number in numbers {
        word |= number << used;
        used += width;
        if used >= u64::BITS {
            octets.extend_from_slice(&word.to_le_bytes());
            used -= u64::BITS;
            word = if used == 0 { 0 } else { number >> (width - used) };
        }
    }
}

/// Small numbers of either sign as small numbers.
fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// How many numbers have one width: as many as make whole words, whatever the width.
const RUN: usize = u64::BITS as usize;
/// How many runs have one least difference.
const RUNS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(values: &[i64]) -> Vec<u8> {
        let mut octets = Vec::new();
        encode(values, &mut octets);
        octets
    }

    /// By hand: 256 = 0b10_0000000; 7 becomes 14, and the least difference, 3, becomes 6. Beyond it are 0, 2, 1 in two
    /// bits each: 0b01_10_00.
    #[test]
    fn differences_are_packed_from_the_lowest_bit_on() {
        let head = [0x80, 0x02, 4, 4, 14, 6, 2, 0, 0, 0, 0b01_10_00];
        assert_eq!(encoded(&[7, 10, 15, 19]), [&head[..], &[0; 15]].concat());
    }

    #[test]
    fn equal_differences_need_no_bits_and_one_value_no_difference() {
        let values: Vec<i64> = (0..257).map(|n| 1000 - n).collect();
        assert_eq!(encoded(&values), [0x80, 0x02, 4, 0x81, 0x02, 0xd0, 0x0f, 1, 0, 0, 0, 0]);
        assert_eq!(encoded(&[5]), [0x80, 0x02, 4, 1, 10]);
    }
}
