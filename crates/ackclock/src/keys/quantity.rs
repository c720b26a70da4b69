//! Numbers with units, exactly: one table of units, whole results, no floating point.

use std::fmt::Write as _;

/// What a quantity measures. Amounts are whole numbers of the dimension's base unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Bits per second.
    Rate,
    /// Picoseconds.
    Time,
    /// Bytes.
    Size,
    /// Cells.
    Cells,
    /// Packets.
    Packets,
    /// Millionths of a bandwidth-delay product.
    Bdp,
    /// Segments.
    Segments,
    /// Ticks of the retransmission timer.
    Ticks,
    /// Metres.
    Distance,
    /// Millionths of a degree.
    Angle,
}

/// A checked amount of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Which units it may have: times, rates, sizes, counts of cells or packets.
    pub dimension: Dimension,
    /// In the base unit of the dimension.
    pub amount: u64,
}

/// Why a text is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the fields say what they are")]
pub enum QuantityError {
    /// It does not begin with a number.
    NotANumber,
    /// There is a minus sign.
    Negative,
    /// A number and nothing else.
    NoUnit { number: String },
    /// The unit is in no table.
    UnknownUnit { number: String, unit: String },
    /// The unit measures something else.
    WrongDimension { number: String, found: Dimension },
    /// Not a whole number of the base unit.
    NotWhole { dimension: Dimension },
    /// Beyond 64 bits of the base unit.
    TooLarge { dimension: Dimension },
}

names!(Dimension:
    Rate = "a rate", Time = "a time", Size = "a size in bytes", Cells = "a number of cells",
    Packets = "a number of packets", Bdp = "a multiple of the bandwidth-delay product",
    Segments = "a number of segments", Ticks = "a number of timer ticks", Distance = "a distance",
    Angle = "an angle"
);

impl Dimension {
    /// The unit of columns of tables, as the end of their names, and how many base units it is.
    pub fn column_unit(self) -> (&'static str, f64) {
        match self {
            Dimension::Rate => ("bps", 1.0),
            Dimension::Time => ("s", 1e12),
            Dimension::Size => ("bytes", 1.0),
            Dimension::Cells => ("cells", 1.0),
            Dimension::Packets => ("packets", 1.0),
            Dimension::Bdp => ("bdp", 1e6),
            Dimension::Segments => ("segments", 1.0),
            Dimension::Ticks => ("ticks", 1.0),
            Dimension::Distance => ("m", 1.0),
            Dimension::Angle => ("deg", 1e6),
        }
    }

    /// What it is called in a list.
    pub fn short_name(self) -> &'static str {
        match self {
            Dimension::Cells => "cells",
            Dimension::Packets => "packets",
            Dimension::Bdp => "a multiple of the bdp",
            Dimension::Segments => "segments",
            Dimension::Ticks => "ticks",
            other => other.name(),
        }
    }

    /// The base unit in a sentence.
    pub fn base_unit(self) -> &'static str {
        match self {
            Dimension::Rate => "bits per second",
            Dimension::Time => "picoseconds",
            Dimension::Size => "bytes",
            Dimension::Cells => "cells",
            Dimension::Packets => "packets",
            Dimension::Bdp => "millionths of a bdp",
            Dimension::Segments => "segments",
            Dimension::Ticks => "ticks",
            Dimension::Distance => "metres",
            Dimension::Angle => "millionths of a degree",
        }
    }

    /// The units as a list for people.
    pub fn unit_list(self) -> &'static str {
        match self {
            Dimension::Rate => "bps, kbps, Mbps, Gbps, Tbps (or Mb/s, Mbit/s, ...)",
            Dimension::Time => "ps, ns, us, ms, s, min, h",
            Dimension::Size => "B, kB, MB, GB, KiB, MiB, GiB",
            Dimension::Cells => "cells",
            Dimension::Packets => "packets",
            Dimension::Bdp => "bdp",
            Dimension::Segments => "segments",
            Dimension::Ticks => "ticks",
            Dimension::Distance => "m, km",
            Dimension::Angle => "deg",
        }
    }

    /// Every spelling of every unit, and whether it is the usual one.
    pub fn spellings(self) -> impl Iterator<Item = (&'static str, bool)> {
        UNITS.iter().filter(move |unit| unit.dimension == self).map(|unit| (unit.name, unit.canonical))
    }
}

impl Quantity {
    /// Reads a number and a unit of one of `allowed`.
    pub fn parse(text: &str, allowed: &[Dimension]) -> Result<Quantity, QuantityError> {
        let (number, unit) = split(text)?;
        if unit.is_empty() {
            return Err(QuantityError::NoUnit { number: number.to_owned() });
        }
        let Some(unit) = UNITS.iter().find(|known| known.name == unit) else {
            return Err(QuantityError::UnknownUnit { number: number.to_owned(), unit: unit.to_owned() });
        };
        if !allowed.contains(&unit.dimension) {
            return Err(QuantityError::WrongDimension { number: number.to_owned(), found: unit.dimension });
        }
        let amount = scaled(number, unit.factor, unit.dimension)?;
        Ok(Quantity { dimension: unit.dimension, amount })
    }

    /// The exact spelling in this unit; `None` of a unit of something else, or one of which a decimal number would not end.
    pub fn spelled_in(self, unit: &str) -> Option<String> {
        let unit = UNITS.iter().find(|known| known.name == unit && known.dimension == self.dimension)?;
        let is_decimal = 10_u64.pow(unit.factor.ilog10()) == unit.factor;
        let number = is_decimal.then(|| decimal(self.amount, unit.factor))?;
        let name = if number == "1" { unit.singular } else { unit.name };
        Some(format!("{number} {name}"))
    }

    /// The shortest exact spelling; the larger unit where two are equally short.
    pub fn canonical(self) -> String {
        let mut best: Option<String> = None;
        for unit in UNITS.iter().filter(|unit| unit.dimension == self.dimension && unit.canonical) {
            if best.is_some() && self.amount > 0 && self.amount < unit.factor {
                break;
            }
            let number = decimal(self.amount, unit.factor);
            let candidate = format!("{number} {}", if number == "1" { unit.singular } else { unit.name });
            if best.as_ref().is_none_or(|best| candidate.len() <= best.len()) {
                best = Some(candidate);
            }
        }
        best.expect("every dimension has a unit")
    }
}

/// The rate in bits per second that a number of bytes per second is, spelled, as in "20 MB/s"; `None` if the unit is another.
pub fn bytes_per_second(number: &str, unit: &str) -> Option<String> {
    let bytes = unit.strip_suffix("/s").or_else(|| unit.strip_suffix("ps"))?;
    let prefix = bytes.strip_suffix('B')?;
    let (_, factor) = PREFIXES.iter().find(|(known, _)| *known == prefix)?;
    let amount = scaled(number, 8 * factor, Dimension::Rate).ok()?;
    Some(Quantity { dimension: Dimension::Rate, amount }.canonical())
}

/// Prefixes of bytes, as people write them.
const PREFIXES: [(&str, u64); 10] = [
    ("", 1),
    ("k", 1_000),
    ("K", 1_000),
    ("M", 1_000_000),
    ("m", 1_000_000),
    ("G", 1_000_000_000),
    ("T", 1_000_000_000_000),
    ("Ki", 1 << 10),
    ("Mi", 1 << 20),
    ("Gi", 1 << 30),
];

/// Splits into number and unit; the blanks between are dropped.
pub fn split(text: &str) -> Result<(&str, &str), QuantityError> {
    let text = text.trim();
    if text.starts_with('-') {
        return Err(QuantityError::Negative);
    }
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let length = bytes[from..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'_').count();
        let run = &text[from..from + length];
        let fine = run.starts_with(|c: char| c.is_ascii_digit()) && run.ends_with(|c: char| c.is_ascii_digit());
        (fine && !run.contains("__")).then_some(from + length)
    };
    let mut end = digits(0).ok_or(QuantityError::NotANumber)?;
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1).ok_or(QuantityError::NotANumber)?;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = end + 1 + sign;
        if bytes.get(exponent).is_some_and(u8::is_ascii_digit) {
            end = digits(exponent).ok_or(QuantityError::NotANumber)?;
        }
    }
    Ok((&text[..end], text[end..].trim_start()))
}

/// `number` times `factor`, exactly.
fn scaled(number: &str, factor: u64, dimension: Dimension) -> Result<u64, QuantityError> {
    let number: String = number.chars().filter(|c| *c != '_').collect();
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().unwrap_or(i64::MAX)),
        None => (number.as_str(), 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let trimmed = digits.trim_start_matches('0').trim_end_matches('0');
    if trimmed.is_empty() {
        return Ok(0);
    }
    let dropped = digits.len() - digits.trim_end_matches('0').len();
    // value = trimmed · 10^power · factor
    let power = i128::from(exponent) - fraction.len() as i128 + dropped as i128;
    let too_long = if exponent < 0 || !fraction.is_empty() {
        QuantityError::NotWhole { dimension }
    } else {
        QuantityError::TooLarge { dimension }
    };
    if trimmed.len() > 22 {
        return Err(too_long);
    }
    let too_large = || QuantityError::TooLarge { dimension };
    let product = trimmed.parse::<u128>().map_err(|_| too_large())? * u128::from(factor);
    let tens = |power: i128| u32::try_from(power).ok().and_then(|power| 10_u128.checked_pow(power));
    let value = if power >= 0 {
        tens(power).and_then(|tens| product.checked_mul(tens)).ok_or_else(too_large)?
    } else {
        match tens(-power) {
            Some(tens) if product % tens == 0 => product / tens,
            _ => return Err(QuantityError::NotWhole { dimension }),
        }
    };
    u64::try_from(value).map_err(|_| too_large())
}

/// `amount / factor` as a decimal; `factor` is a power of ten, so the decimal ends.
fn decimal(amount: u64, factor: u64) -> String {
    let (whole, mut rest) = (amount / factor, amount % factor);
    let mut text = whole.to_string();
    if rest > 0 {
        text.push('.');
    }
    while rest > 0 {
        let scaled = u128::from(rest) * 10;
        let _ = write!(text, "{}", scaled / u128::from(factor));
        rest = (scaled % u128::from(factor)) as u64;
    }
    text
}

struct Unit {
    name: &'static str,
    singular: &'static str,
    dimension: Dimension,
    factor: u64,
    /// Whether the writer uses it.
    canonical: bool,
}

const fn unit(name: &'static str, dimension: Dimension, factor: u64, canonical: bool) -> Unit {
    Unit { name, singular: name, dimension, factor, canonical }
}

const fn counted(name: &'static str, singular: &'static str, dimension: Dimension) -> Unit {
    Unit { name, singular, dimension, factor: 1, canonical: true }
}

/// Small units first: of two spellings of equal length the writer takes the later one.
const UNITS: &[Unit] = &[
    unit("bps", Dimension::Rate, 1, true),
    unit("kbps", Dimension::Rate, 1_000, true),
    unit("Mbps", Dimension::Rate, 1_000_000, true),
    unit("Gbps", Dimension::Rate, 1_000_000_000, true),
    unit("Tbps", Dimension::Rate, 1_000_000_000_000, true),
    unit("b/s", Dimension::Rate, 1, false),
    unit("kb/s", Dimension::Rate, 1_000, false),
    unit("Mb/s", Dimension::Rate, 1_000_000, false),
    unit("Gb/s", Dimension::Rate, 1_000_000_000, false),
    unit("Tb/s", Dimension::Rate, 1_000_000_000_000, false),
    unit("bit/s", Dimension::Rate, 1, false),
    unit("kbit/s", Dimension::Rate, 1_000, false),
    unit("Mbit/s", Dimension::Rate, 1_000_000, false),
    unit("Gbit/s", Dimension::Rate, 1_000_000_000, false),
    unit("Tbit/s", Dimension::Rate, 1_000_000_000_000, false),
    unit("ps", Dimension::Time, 1, true),
    unit("ns", Dimension::Time, 1_000, true),
    unit("us", Dimension::Time, 1_000_000, true),
    unit("\u{b5}s", Dimension::Time, 1_000_000, false),
    unit("\u{3bc}s", Dimension::Time, 1_000_000, false),
    unit("ms", Dimension::Time, 1_000_000_000, true),
    unit("s", Dimension::Time, 1_000_000_000_000, true),
    unit("min", Dimension::Time, 60_000_000_000_000, false),
    unit("h", Dimension::Time, 3_600_000_000_000_000, false),
    unit("B", Dimension::Size, 1, true),
    unit("kB", Dimension::Size, 1_000, true),
    unit("MB", Dimension::Size, 1_000_000, true),
    unit("GB", Dimension::Size, 1_000_000_000, true),
    unit("KiB", Dimension::Size, 1 << 10, false),
    unit("MiB", Dimension::Size, 1 << 20, false),
    unit("GiB", Dimension::Size, 1 << 30, false),
    unit("byte", Dimension::Size, 1, false),
    unit("bytes", Dimension::Size, 1, false),
    unit("cell", Dimension::Cells, 1, false),
    counted("cells", "cell", Dimension::Cells),
    unit("packet", Dimension::Packets, 1, false),
    counted("packets", "packet", Dimension::Packets),
    unit("bdp", Dimension::Bdp, 1_000_000, true),
    unit("segment", Dimension::Segments, 1, false),
    counted("segments", "segment", Dimension::Segments),
    unit("tick", Dimension::Ticks, 1, false),
    counted("ticks", "tick", Dimension::Ticks),
    unit("m", Dimension::Distance, 1, true),
    unit("km", Dimension::Distance, 1_000, true),
    unit("deg", Dimension::Angle, 1_000_000, true),
    unit("\u{b0}", Dimension::Angle, 1_000_000, false),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, dimension: Dimension) -> Result<u64, QuantityError> {
        Quantity::parse(text, &[dimension]).map(|quantity| quantity.amount)
    }

    #[test]
    fn every_unit_has_its_factor() {
        let table = [
            ("1 bps", Dimension::Rate, 1),
            ("1 kbps", Dimension::Rate, 1_000),
            ("155.52 Mbps", Dimension::Rate, 155_520_000),
            ("155.52Mbit/s", Dimension::Rate, 155_520_000),
            ("155.52 Mb/s", Dimension::Rate, 155_520_000),
            ("3 b/s", Dimension::Rate, 3),
            ("3 kb/s", Dimension::Rate, 3_000),
            ("3 Gb/s", Dimension::Rate, 3_000_000_000),
            ("1 Tb/s", Dimension::Rate, 1_000_000_000_000),
            ("2 bit/s", Dimension::Rate, 2),
            ("2 kbit/s", Dimension::Rate, 2_000),
            ("1 Gbps", Dimension::Rate, 1_000_000_000),
            ("1 Gbit/s", Dimension::Rate, 1_000_000_000),
            ("10 Tbps", Dimension::Rate, 10_000_000_000_000),
            ("1 Tbit/s", Dimension::Rate, 1_000_000_000_000),
            ("1 ps", Dimension::Time, 1),
            ("1 ns", Dimension::Time, 1_000),
            ("5 us", Dimension::Time, 5_000_000),
            ("5 \u{b5}s", Dimension::Time, 5_000_000),
            ("5 \u{3bc}s", Dimension::Time, 5_000_000),
            ("2.5 ms", Dimension::Time, 2_500_000_000),
            ("1 s", Dimension::Time, 1_000_000_000_000),
            ("2 min", Dimension::Time, 120_000_000_000_000),
            ("1 h", Dimension::Time, 3_600_000_000_000_000),
            ("1 B", Dimension::Size, 1),
            ("64 kB", Dimension::Size, 64_000),
            ("64 KiB", Dimension::Size, 65_536),
            ("1 MB", Dimension::Size, 1_000_000),
            ("1 MiB", Dimension::Size, 1_048_576),
            ("1 GB", Dimension::Size, 1_000_000_000),
            ("1 GiB", Dimension::Size, 1_073_741_824),
            ("1 byte", Dimension::Size, 1),
            ("7 bytes", Dimension::Size, 7),
            ("1 cell", Dimension::Cells, 1),
            ("3000 cells", Dimension::Cells, 3_000),
            ("1 packet", Dimension::Packets, 1),
            ("64 packets", Dimension::Packets, 64),
            ("0.25 bdp", Dimension::Bdp, 250_000),
            ("1 segment", Dimension::Segments, 1),
            ("10 segments", Dimension::Segments, 10),
            ("1 tick", Dimension::Ticks, 1),
            ("2 ticks", Dimension::Ticks, 2),
            ("150 m", Dimension::Distance, 150),
            ("35786 km", Dimension::Distance, 35_786_000),
            ("8.2 deg", Dimension::Angle, 8_200_000),
            ("8.2\u{b0}", Dimension::Angle, 8_200_000),
        ];
        for (text, dimension, amount) in table {
            assert_eq!(parse(text, dimension), Ok(amount), "{text}");
        }
    }

    #[test]
    fn numbers_may_have_exponents_and_underscores() {
        for text in
            ["3000 B", "3_000B", "3e3 B", "3E+3 B", "0.3e4 B", "30000e-1 B", "  3 kB ", "003000.000 B", "0.003 MB"]
        {
            assert_eq!(parse(text, Dimension::Size), Ok(3_000), "{text}");
        }
        for text in
            ["", " ", ".5 B", "5. B", "_5 B", "5_ B", "5__0 B", "B", "1.e3 B", "one B", "+5 B", "nan B", "inf s"]
        {
            assert_eq!(parse(text, Dimension::Size), Err(QuantityError::NotANumber), "{text}");
        }
        assert_eq!(parse("-1 B", Dimension::Size), Err(QuantityError::Negative));
        assert_eq!(parse("5", Dimension::Size), Err(QuantityError::NoUnit { number: "5".into() }));
        assert_eq!(
            parse("1e B", Dimension::Size),
            Err(QuantityError::UnknownUnit { number: "1".into(), unit: "e B".into() })
        );
    }

    #[test]
    fn a_value_is_a_whole_number_of_the_base_unit() {
        assert_eq!(parse("0.001 kB", Dimension::Size), Ok(1));
        assert_eq!(parse("0.0001 kB", Dimension::Size), Err(QuantityError::NotWhole { dimension: Dimension::Size }));
        assert_eq!(parse("0.3 B", Dimension::Size), Err(QuantityError::NotWhole { dimension: Dimension::Size }));
        assert_eq!(parse("0.001 ns", Dimension::Time), Ok(1));
        assert_eq!(parse("0.1 ps", Dimension::Time), Err(QuantityError::NotWhole { dimension: Dimension::Time }));
        assert_eq!(parse("1e-400 s", Dimension::Time), Err(QuantityError::NotWhole { dimension: Dimension::Time }));
        // 0.5 KiB = 512 B, though 1/1024 of a KiB has ten decimals.
        assert_eq!(parse("0.0009765625 KiB", Dimension::Size), Ok(1));
    }

    #[test]
    fn what_exceeds_64_bits_is_refused_and_not_wrapped() {
        // 2^64 = 18 446 744 073 709 551 616
        assert_eq!(parse("18446744073709551615 B", Dimension::Size), Ok(u64::MAX));
        assert_eq!(
            parse("18446744073709551616 B", Dimension::Size),
            Err(QuantityError::TooLarge { dimension: Dimension::Size })
        );
        assert_eq!(parse("18446744.073709551 Tbps", Dimension::Rate), Ok(18_446_744_073_709_551_000));
        assert_eq!(
            parse("18446744.073709552 Tbps", Dimension::Rate),
            Err(QuantityError::TooLarge { dimension: Dimension::Rate })
        );
        assert_eq!(parse("1e19 B", Dimension::Size), Ok(10_000_000_000_000_000_000));
        assert_eq!(parse("1e20 B", Dimension::Size), Err(QuantityError::TooLarge { dimension: Dimension::Size }));
        assert_eq!(
            parse("1e99999999999999999999 B", Dimension::Size),
            Err(QuantityError::TooLarge { dimension: Dimension::Size })
        );
        assert_eq!(parse("0e99999999999999999999 B", Dimension::Size), Ok(0));
    }

    #[test]
    fn a_unit_of_another_dimension_is_told_from_an_unknown_one() {
        let wrong = Err(QuantityError::WrongDimension { number: "5".into(), found: Dimension::Time });
        assert_eq!(parse("5 ms", Dimension::Size), wrong);
        assert_eq!(
            parse("20 mbps", Dimension::Rate),
            Err(QuantityError::UnknownUnit { number: "20".into(), unit: "mbps".into() })
        );
    }

    #[test]
    fn bytes_per_second_are_no_bits_per_second() {
        assert_eq!(bytes_per_second("20", "MB/s"), Some("160 Mbps".to_owned()));
        assert_eq!(bytes_per_second("1.5", "kBps"), Some("12 kbps".to_owned()));
        assert_eq!(bytes_per_second("1", "MiB/s"), Some("8388608 bps".to_owned()));
        assert_eq!(bytes_per_second("20", "Mb/s"), None);
        assert_eq!(bytes_per_second("20", "MB"), None);
        assert_eq!(bytes_per_second("20", "bps"), None);
    }

    #[test]
    fn the_canonical_spelling_is_the_shortest_exact_one() {
        let table = [
            (Dimension::Rate, 155_520_000, "155.52 Mbps"),
            (Dimension::Rate, 10_000_000_000_000, "10 Tbps"),
            (Dimension::Rate, 1, "1 bps"),
            (Dimension::Time, 0, "0 s"),
            (Dimension::Time, 5_000_000, "5 us"),
            (Dimension::Time, 275_000_000_000, "275 ms"),
            (Dimension::Time, 1_500_000_000_000, "1.5 s"),
            (Dimension::Time, 86_400_000_000_000_000, "86400 s"),
            (Dimension::Time, 1, "1 ps"),
            (Dimension::Size, 65_535, "65535 B"),
            (Dimension::Size, 600_000, "600 kB"),
            (Dimension::Size, 8_704_000, "8704 kB"),
            (Dimension::Size, 0, "0 B"),
            (Dimension::Cells, 1, "1 cell"),
            (Dimension::Cells, 12_000, "12000 cells"),
            (Dimension::Bdp, 1_500_000, "1.5 bdp"),
            (Dimension::Bdp, 1, "0.000001 bdp"),
            (Dimension::Segments, 1, "1 segment"),
            (Dimension::Ticks, 2, "2 ticks"),
            (Dimension::Distance, 780_500, "780.5 km"),
            (Dimension::Angle, 8_200_000, "8.2 deg"),
        ];
        for (dimension, amount, text) in table {
            assert_eq!(Quantity { dimension, amount }.canonical(), text);
            assert_eq!(parse(text, dimension), Ok(amount), "{text}");
        }
    }
}
