//! Rates in cells per second: the 16 bits that RM cells have for them, and the time between two cells.
//! Source: \[TM4\] §5.10.3.2.

use crate::units::{Rate, Span};

/// How exact the rates in RM cells are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RmRates {
    /// As the source and the switches compute them.
    #[default]
    Exact,
    /// As the 16 bits of TM 4.0 hold them, rounded down by less than a 512th.
    Tm4,
}

impl RmRates {
    /// What is read of a rate that was written into an RM cell.
    #[inline]
    pub fn written(self, rate: f64) -> f64 {
        match self {
            RmRates::Exact => rate,
            RmRates::Tm4 => decode(encode(rate)),
        }
    }
}

/// The 16 bits of a rate in cells per second: 0, nz, e (5 bits), m (9 bits), for nz · 2^e · (1 + m/512). What the bits cannot hold
/// is rounded down; what is below 1 becomes 0, and what is too large the largest rate.
///
/// The direction of rounding is that of public drivers; the one that TM 4.0 demands was not checked.
pub fn encode(rate: f64) -> u16 {
    if rate < 1.0 {
        return 0;
    }
    // Exponent and fraction of an `f64` are those of the format, with other widths.
    let bits = rate.to_bits();
    let exponent = (bits >> F64_FRACTION_BITS) - F64_BIAS;
    if exponent > LARGEST_EXPONENT {
        return LARGEST;
    }
    let fraction = bits >> (F64_FRACTION_BITS - FRACTION_BITS) & ((1 << FRACTION_BITS) - 1);
    NOT_ZERO | (exponent << FRACTION_BITS | fraction) as u16
}

/// The rate of 16 bits, in cells per second.
pub fn decode(code: u16) -> f64 {
    if code & NOT_ZERO == 0 {
        return 0.0;
    }
    let exponent = u64::from(code) >> FRACTION_BITS & LARGEST_EXPONENT;
    let fraction = u64::from(code) & ((1 << FRACTION_BITS) - 1);
    f64::from_bits((exponent + F64_BIAS) << F64_FRACTION_BITS | fraction << (F64_FRACTION_BITS - FRACTION_BITS))
}

/// The rate of whole cells on a link of this rate, without rounding to the picosecond.
pub fn cells_per_second(rate: Rate) -> f64 {
    rate.as_bps() as f64 / CELL_BITS
}

/// The time from the start of a cell to the earliest start of the next one at this rate, rounded half up to a picosecond, and
/// no less than `cell_time`, in which the host's link carries a cell. At rate 0 the longest span there is.
#[inline]
pub fn spacing(cells_per_second: f64, cell_time: Span) -> Span {
    // From a float to an integer the fraction is cut off, and what is too large becomes the largest.
    Span::from_ps((PS_PER_SECOND / cells_per_second + 0.5) as u64).max(cell_time)
}

const NOT_ZERO: u16 = 1 << 14;
const FRACTION_BITS: u32 = 9;
const LARGEST_EXPONENT: u64 = 31;
const LARGEST: u16 = 0x7FFF;
const F64_FRACTION_BITS: u32 = 52;
const F64_BIAS: u64 = 1023;
const CELL_BITS: f64 = 424.0;
const PS_PER_SECOND: f64 = 1e12;

#[cfg(test)]
mod tests {
    use super::*;

    fn of_bps(bps: u64) -> f64 {
        cells_per_second(Rate::from_bps(bps).unwrap())
    }

    #[test]
    fn rates_have_the_16_bits_of_tm4() {
        let vectors = [
            (0.0, 0, 0.0),
            (0.999, 0, 0.0),
            (1.0, 0x4000, 1.0),
            (3.5, 0x4380, 3.5),
            (10.0, 0x4680, 10.0),
            (1000.0, 0x53E8, 1000.0),
            (of_bps(25_000_000), 0x5F99, 58_944.0),
            (100_000.0, 0x610D, 99_968.0),
            (of_bps(149_760_000), 0x64B1, 352_768.0),
            (of_bps(150_000_000), 0x64B2, 353_280.0),
            (of_bps(155_520_000), 0x64CC, 366_592.0),
            (4_290_772_992.0, 0x7FFF, 4_290_772_992.0),
            (1e12, 0x7FFF, 4_290_772_992.0),
            (f64::INFINITY, 0x7FFF, 4_290_772_992.0),
        ];
        for (rate, code, back) in vectors {
            assert_eq!((encode(rate), decode(code)), (code, back), "{rate}");
        }
    }

    #[test]
    fn rounding_down_is_monotone_and_happens_once() {
        let mut before = 0.0;
        for code in 0x4000..=0x7FFF_u16 {
            let rate = decode(code);
            assert!(rate > before);
            assert_eq!(encode(rate), code, "a rate that the bits hold is not rounded");
            let just_below = f64::from_bits(rate.to_bits() - 1);
            assert!(decode(encode(just_below)) < rate);
            assert!(just_below < 1.0 || just_below - decode(encode(just_below)) < just_below / 512.0);
            before = rate;
        }
        assert_eq!(RmRates::Tm4.written(100_000.0), 99_968.0);
        assert_eq!(RmRates::Exact.written(100_000.0), 100_000.0);
    }

    #[test]
    fn spacing_is_rounded_half_up_and_never_shorter_than_a_cell() {
        let ps = |rate: f64| spacing(rate, Span::from_ps(2_826_667)).as_ps();
        assert_eq!(ps(of_bps(150_000_000)), 2_826_667);
        assert_eq!(ps(1e9), 2_826_667, "the link carries no more");
        assert_eq!(ps(100_000.0), 10_000_000);
        assert_eq!(ps(100.0), 10_000_000_000);
        // 10^12 / 312500.25 = 3199997.44; 10^12 / 4·10^11 = 2.5.
        assert_eq!(ps(312_500.25), 3_199_997);
        assert_eq!(spacing(4e11, Span::from_ps(1)).as_ps(), 3);
        assert_eq!(spacing(0.0, Span::from_ps(1)).as_ps(), u64::MAX);
    }
}
