//! A number for each of many intervals, in little memory.
//!
//! Of a day there are millions of intervals for each port. In most of them nothing changes, and where something does, the same few
//! numbers come again: a packet takes the same part of an interval each time. So what is kept is one or two octets for a number that
//! came before. A new one is mostly a whole number of parts: of the picoseconds of an interval, for a share or an average. Then its
//! difference from the last such number is kept, of which the octets suffice that it needs, and else up to nine octets. With each
//! number is kept how many intervals it stays.

use std::fmt;
use std::sync::Arc;

/// A number for each interval, in order, to the bit. Numbers are added to its end and read from its beginning.
#[derive(Clone)]
pub struct PerInterval {
    /// Numbers are likely to be whole numbers divided by this.
    parts: f64,
    /// The numbers before the last one; `None` if there is none, as of an idle port.
    written: Option<Box<Written>>,
    /// The last number, which may stay, and for how many intervals it is there.
    value: u64,
    stays: u64,
    intervals: u64,
}

/// Numbers that do not stay any more.
#[derive(Clone, Default)]
struct Written {
    /// Octets that will not change any more, then the last ones.
    full: Vec<Arc<[u8]>>,
    last: Vec<u8>,
    /// What the next number is told by.
    context: Context,
}

/// What reader and writer know of the numbers so far; as bits.
#[derive(Clone, Default)]
struct Context {
    /// The last number and the one before it: an idle port is idle again after most packets.
    before: [u64; 2],
    /// The last number that was written as it is.
    written: u64,
    /// The last number that was written as whole parts: how many.
    whole: i64,
    /// New numbers that were written, each at the place that its bits give. It grows with them: few ports have many numbers.
    known: Vec<u64>,
    /// How many new numbers were written.
    count: u64,
}

impl PerInterval {
    /// Of no interval; for numbers that are whole, or anything.
    pub const fn new() -> PerInterval {
        PerInterval::of_parts(1.0)
    }

    /// Of no interval; for numbers each of which is likely to be a whole number divided by `parts`, as a share of an interval of so many
    /// picoseconds is. Other numbers take more room.
    pub const fn of_parts(parts: f64) -> PerInterval {
        PerInterval { parts, written: None, value: 0, stays: 0, intervals: 0 }
    }

    /// The number of one more interval.
    #[inline]
    pub fn push(&mut self, value: f64) {
        self.push_many(value, 1);
    }

    /// The number of so many more intervals.
    #[inline]
    pub fn push_many(&mut self, value: f64, intervals: u64) {
        let value = value.to_bits();
        if value != self.value && self.stays > 0 && intervals > 0 {
            self.write();
        }
        if intervals > 0 {
            self.value = value;
            self.stays += intervals;
            self.intervals += intervals;
        }
    }

    /// How many intervals there are.
    pub fn len(&self) -> usize {
        usize::try_from(self.intervals).unwrap_or(usize::MAX)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.intervals == 0
    }

    /// The numbers of all intervals, one after the other.
    pub fn iter(&self) -> impl Iterator<Item = f64> {
        self.stretches().flat_map(|(value, intervals)| (0..intervals).map(move |_| value))
    }

    /// Numbers that differ from the one before, each with the number of its intervals.
    pub fn stretches(&self) -> Stretches<'_> {
        Stretches { of: self, chunk: 0, at: 0, context: Context::default(), is_last_read: self.stays == 0 }
    }

    /// The numbers of all intervals, each for itself.
    pub fn to_vec(&self) -> Vec<f64> {
        self.iter().collect()
    }

    /// The octets of memory that it takes.
    pub fn held_bytes(&self) -> usize {
        let written = self.written.as_ref().map_or(0, |written| {
            let full: usize = written.full.iter().map(|chunk| chunk.len() + size_of::<Arc<[u8]>>()).sum();
            let known = written.context.known.capacity() * size_of::<u64>();
            size_of::<Written>() + full + written.last.capacity() + known
        });
        size_of::<PerInterval>() + written
    }

    /// The same without what more numbers would be told by, which takes room.
    pub(crate) fn finished(mut self) -> PerInterval {
        if let Some(written) = &mut self.written {
            written.context = Context::default();
            written.last.push(FORGOTTEN as u8);
            written.last.shrink_to_fit();
        }
        self
    }

    /// Writes the last number, which does not stay.
    #[inline(never)]
    fn write(&mut self) {
        let (value, stays) = (self.value, self.stays);
        self.stays = 0;
        let Written { full, last: out, context } = &mut **self.written.get_or_insert_default();
        if value == context.before[1] {
            put(out, (stays - 1) << 2 | BEFORE_LAST);
            context.read(value);
        } else {
            let more = u64::from(stays > 1) << 2;
            match context.place_of(value).filter(|place| context.known[*place] == value) {
                Some(place) => {
                    put(out, (place as u64) << 3 | more | KNOWN);
                    context.read(value);
                }
                None => match whole(value, self.parts) {
                    Some(whole) => {
                        let differs = whole - context.whole;
                        // The sign is the lowest bit, so that small numbers of both signs are short.
                        put(out, ((differs << 1 ^ differs >> 63) as u64 + 1) << 3 | more | WHOLE);
                        context.read_whole(whole, value);
                    }
                    None => {
                        let differs = value ^ context.written;
                        let same = u64::from(differs.leading_zeros() / 8);
                        put(out, same << 3 | more | AS_IT_IS);
                        out.extend_from_slice(&differs.to_le_bytes()[..8 - same as usize]);
                        context.read_as_it_is(value);
                    }
                },
            }
            if stays > 1 {
                put(out, stays - 2);
            }
        }
        if out.len() >= CHUNK_BYTES {
            full.push(Arc::from(std::mem::take(out)));
        }
    }
}

impl Context {
    fn read(&mut self, value: u64) {
        self.before = [value, self.before[0]];
    }

    fn read_as_it_is(&mut self, value: u64) {
        self.written = value;
        self.read_new(value);
    }

    fn read_whole(&mut self, whole: i64, value: u64) {
        self.whole = whole;
        self.read_new(value);
    }

    fn read_new(&mut self, value: u64) {
        self.read(value);
        self.count += 1;
        // So that they take less room than what is written of them.
        if self.known.len() < MOST_KNOWN && self.count >= 2 * self.known.len() as u64 {
            let larger = vec![0; (2 * self.known.len()).max(LEAST_KNOWN)];
            for old in std::mem::replace(&mut self.known, larger) {
                self.know(old);
            }
        }
        self.know(value);
    }

    fn know(&mut self, value: u64) {
        if let Some(place) = self.place_of(value) {
            self.known[place] = value;
        }
    }

    /// Where a number is, if it is known.
    fn place_of(&self, value: u64) -> Option<usize> {
        let digits = self.known.len().checked_ilog2()?;
        Some((value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - digits)) as usize)
    }
}

/// The number with these bits in whole parts, if it is those to the bit.
fn whole(value: u64, parts: f64) -> Option<i64> {
    let found = (f64::from_bits(value) * parts + 0.5) as i64;
    ((0..MOST_WHOLE).contains(&found) && of_whole(found, parts) == value).then_some(found)
}

/// The bits of so many parts.
fn of_whole(whole: i64, parts: f64) -> u64 {
    (whole as f64 / parts).to_bits()
}

/// Seven bits in each octet, the low ones first.
fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads what was written.
pub struct Stretches<'a> {
    of: &'a PerInterval,
    chunk: usize,
    at: usize,
    context: Context,
    is_last_read: bool,
}

impl Stretches<'_> {
    fn octets(&self) -> &[u8] {
        let Some(written) = &self.of.written else { return &[] };
        written.full.get(self.chunk).map_or(&written.last[..], |chunk| chunk)
    }

    fn octet(&mut self) -> u8 {
        let octet = self.octets()[self.at];
        self.at += 1;
        octet
    }

    fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let octet = self.octet();
            number |= u64::from(octet & 0x7f) << shift;
            shift += 7;
            if octet < 0x80 {
                return number;
            }
        }
    }
}

impl Iterator for Stretches<'_> {
    type Item = (f64, u64);

    fn next(&mut self) -> Option<(f64, u64)> {
        if self.at == self.octets().len() {
            if self.of.written.as_ref().is_some_and(|written| self.chunk < written.full.len()) {
                (self.chunk, self.at) = (self.chunk + 1, 0);
                return self.next();
            }
            let is_last_read = std::mem::replace(&mut self.is_last_read, true);
            return (!is_last_read).then(|| (f64::from_bits(self.of.value), self.of.stays));
        }
        let token = self.number();
        if token == FORGOTTEN {
            self.context = Context::default();
            return self.next();
        }
        if token & 0b11 == BEFORE_LAST {
            let value = self.context.before[1];
            self.context.read(value);
            return Some((f64::from_bits(value), (token >> 2) + 1));
        }
        let value = match token & 0b11 {
            KNOWN => {
                let value = self.context.known[(token >> 3) as usize];
                self.context.read(value);
                value
            }
            WHOLE => {
                let differs = (token >> 3) - 1;
                let whole = self.context.whole + ((differs >> 1) as i64 ^ -((differs & 1) as i64));
                let value = of_whole(whole, self.of.parts);
                self.context.read_whole(whole, value);
                value
            }
            _ => {
                let mut differs = [0; 8];
                let octets = 8 - (token >> 3) as usize;
                differs[..octets].copy_from_slice(&self.octets()[self.at..self.at + octets]);
                self.at += octets;
                let value = u64::from_le_bytes(differs) ^ self.context.written;
                self.context.read_as_it_is(value);
                value
            }
        };
        let stays = if token & 0b100 > 0 { self.number() + 2 } else { 1 };
        Some((f64::from_bits(value), stays))
    }
}

impl Default for PerInterval {
    fn default() -> PerInterval {
        PerInterval::new()
    }
}

impl PartialEq for PerInterval {
    /// Whether both have the same bits, and for as many intervals: zeros of both signs differ.
    fn eq(&self, other: &PerInterval) -> bool {
        let bits = |(value, stays): (f64, u64)| (value.to_bits(), stays);
        self.intervals == other.intervals && self.stretches().map(bits).eq(other.stretches().map(bits))
    }
}

impl fmt::Debug for PerInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.stretches()).finish()
    }
}

impl FromIterator<f64> for PerInterval {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> PerInterval {
        let mut all = PerInterval::new();
        values.into_iter().for_each(|value| all.push(value));
        all
    }
}

impl From<Vec<f64>> for PerInterval {
    fn from(values: Vec<f64>) -> PerInterval {
        values.into_iter().collect()
    }
}

/// How a number is told: by its place among those that are known, as the one before the last, as it is, or in whole parts.
const KNOWN: u64 = 0;
const BEFORE_LAST: u64 = 1;
const AS_IT_IS: u64 = 2;
const WHOLE: u64 = 3;
/// From here on nothing is known of the numbers so far: whole parts with no difference, which is written as one.
const FORGOTTEN: u64 = WHOLE;
/// 2⁵³: up to here every integer is a double.
const MOST_WHOLE: i64 = 1 << 53;
const LEAST_KNOWN: usize = 16;
/// Each port of a constellation has such lists: more would take longer numbers off what is kept, and more room than that.
const MOST_KNOWN: usize = 1 << 9;
const CHUNK_BYTES: usize = 1 << 12;

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(values: &[f64]) -> Vec<u64> {
        values.iter().map(|value| value.to_bits()).collect()
    }

    #[test]
    fn long_idle_times_take_no_memory() {
        let mut all = PerInterval::from(vec![0.0, 0.0, 1.5, 1.5, 0.0]);
        all.push_many(0.0, 1_000_000_000_000);
        all.push_many(7.0, 0);
        all.push(-0.0);
        assert_eq!(all.len(), 1_000_000_000_006);
        let stretches: Vec<(u64, u64)> = all.stretches().map(|(value, stays)| (value.to_bits(), stays)).collect();
        let [zero, more, minus] = [0.0_f64, 1.5, -0.0].map(f64::to_bits);
        assert_eq!(stretches, [(zero, 2), (more, 2), (zero, 1_000_000_000_001), (minus, 1)]);
        assert!(all.held_bytes() < 600, "{}", all.held_bytes());
        assert!(PerInterval::new().is_empty() && PerInterval::new().to_vec().is_empty());
    }

    /// Whatever comes: few numbers, many, all kinds of bits, in stretches of any length.
    #[test]
    fn every_bit_comes_back() {
        for kinds in [1, 2, 3, 17, 300, 100_000] {
            let mut random = 12345_u64;
            let mut next = || {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                random >> 20
            };
            let mut values: Vec<f64> = Vec::new();
            while values.len() < 60_000 {
                let kind = next() % kinds;
                let value = match kind % 5 {
                    0 => 0.0,
                    1 => kind as f64,
                    2 => kind as f64 / 7.0,
                    3 => f64::from_bits(next() << 20 ^ next()),
                    _ => f64::INFINITY,
                };
                let stays = if next() % 4 == 0 { next() % 300 } else { 1 };
                values.extend((0..stays).map(|_| value));
            }
            let all = PerInterval::from(values.clone());
            assert_eq!(bits(&all.to_vec()), bits(&values), "{kinds} kinds");
            assert_eq!(all, all.clone());
            // More may follow, and what is finished takes less room.
            let mut finished = PerInterval::from(values[..30_000].to_vec()).finished();
            assert!(finished.held_bytes() <= all.held_bytes());
            values[30_000..].iter().for_each(|value| finished.push(*value));
            assert_eq!(bits(&finished.to_vec()), bits(&values), "{kinds} kinds");
            assert_eq!(finished.len(), values.len());
            values[41_111] = 4.25;
            assert_ne!(all, PerInterval::from(values));
        }
    }

    /// A port that sends a packet in every third interval, whose share of it is one of four: two octets for three intervals.
    #[test]
    fn what_comes_again_takes_an_octet_or_two() {
        let shares = [0.125, 0.25, 0.3, 0.7];
        let all: PerInterval =
            (0..300_000_usize).map(|n| if n % 3 == 0 { shares[n / 3 * 7 % 11 % 4] } else { 0.0 }).collect();
        assert!(all.held_bytes() < 330_000, "{}", all.held_bytes());
    }

    /// Averages over 10 ms of a queue of ten packets that go and come at any picosecond: their sums over time are about 10^11, which
    /// has 37 bits, and differ by up to 10^10 with either sign, 35 bits. Three bits say how they are told: 38 bits, six octets at most.
    /// As they are, numbers of the same sign and exponent take seven or eight.
    #[test]
    fn whole_numbers_of_parts_take_the_octets_of_their_differences() {
        let mut random = 1_u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (100_000_000_000 + (random >> 20) % 10_000_000_000) as f64 / 1e10
        };
        let averages: Vec<f64> = (0..10_000).map(|_| next()).collect();
        let held = |mut all: PerInterval| {
            averages.iter().for_each(|average| all.push(*average));
            assert_eq!(bits(&all.to_vec()), bits(&averages));
            all.finished().held_bytes()
        };
        let (of_parts, of_anything) = (held(PerInterval::of_parts(1e10)), held(PerInterval::new()));
        assert!(of_parts < 61_000 && of_anything > 70_000, "{of_parts} {of_anything}");
        // Parts that numbers are not made of cost nothing but room.
        for parts in [0.0, -1.0, 3e-5, f64::NAN, f64::INFINITY, 1e300] {
            assert!(held(PerInterval::of_parts(parts)) <= of_anything + 1000, "{parts}");
        }
    }
}
