//! Tables of a terminal: rows of words and numbers in columns.

use ackclock_store::document::interval::Interval;

/// The cells of a line.
pub type Row = Vec<String>;

/// A line of headings.
pub fn header(names: &[&str]) -> Row {
    names.iter().map(|name| name.to_string()).collect()
}

/// A number with so many decimals.
pub fn number(value: f64, digits: usize) -> String {
    format!("{value:.digits$}")
}

/// A mean of counts with half the width of its interval in brackets; whole where it is. Nothing is in brackets if there was one run
/// only, or if all gave the same.
pub fn count(value: &Interval) -> String {
    let digits = usize::from(value.mean.fract() != 0.0 && value.mean < MANY);
    mean_in_brackets(value, 1.0, digits)
}

/// A mean with half the width of its interval in brackets, as [`count`]; where the interval would go below 0 its ends are there.
pub fn mean_in_brackets(value: &Interval, scale: f64, digits: usize) -> String {
    let mean = number(value.mean * scale, digits);
    match (value.ci95.filter(|half| *half > 0.0), value.cut(0.0, f64::INFINITY)) {
        (None, _) => mean,
        (Some(_), Some((low, high))) => {
            let end = |end: f64| number(end * scale, digits.max(usize::from(high * scale < 10.0)));
            format!("{mean} ({}-{})", if low == 0.0 { "0".into() } else { end(low) }, end(high))
        }
        (Some(_), None) => format!("{mean} ({})", half_width(value, scale, digits)),
    }
}

/// Half the width of an interval, or its ends where it would leave what the quantity can be.
pub fn spread(value: &Interval, scale: f64, digits: usize, (least, most): (f64, f64)) -> String {
    let ends = value.cut(least, most).map(|(low, high)| [low, high].map(|end| number(end * scale, digits)));
    match ends {
        Some([low, high]) if low != high => format!("{low} to {high}"),
        _ => half_width(value, scale, digits),
    }
}

/// Half the width of an interval. A zero that was rounded is not shown as one, and one that was not is no accuracy: all
/// seeds have given the same.
pub fn half_width(value: &Interval, scale: f64, digits: usize) -> String {
    let smallest = 0.1_f64.powi(digits as i32);
    match value.ci95.map(|half| half * scale) {
        None => "-".into(),
        Some(0.0) => "equal".into(),
        Some(half) if half < smallest / 2.0 => format!("<{smallest:.digits$}"),
        Some(half) => number(half, digits),
    }
}

/// The text, cut to `length` characters, without what could control a terminal.
pub fn short(text: &str, length: usize) -> String {
    let plain = text.chars().map(|c| if c.is_control() { '?' } else { c });
    if text.chars().count() <= length {
        return plain.collect();
    }
    plain.take(length - 3).chain("...".chars()).collect()
}

/// Lays rows out in columns: the first to the left, the others to the right.
pub fn align(rows: Vec<Row>) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell_width = |row: &Row, column| row.get(column).map_or(0, |cell: &String| cell.chars().count());
    let widths: Vec<usize> =
        (0..columns).map(|column| rows.iter().map(|row| cell_width(row, column)).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            match column {
                0 => line += &format!("{cell:<width$}"),
                _ => line += &format!("  {cell:>width$}"),
            }
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// What quantities can be that have no most.
pub const NOT_BELOW_0: (f64, f64) = (0.0, f64::INFINITY);
/// From here on tenths of a count are not shown.
const MANY: f64 = 1000.0;
/// Longer names are cut.
pub const NAME_LENGTH: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_of_nothing_is_no_accuracy() {
        let half = |ci95| half_width(&Interval { mean: 1e6, ci95, min: 1e6, max: 1e6 }, 1e-6, 3);
        assert_eq!([None, Some(0.0), Some(400.0), Some(600.0)].map(half), ["-", "equal", "<0.001", "0.001"]);
    }

    #[test]
    fn counts_have_their_intervals_in_brackets() {
        let of = |mean: f64, half: f64| count(&Interval { mean, ci95: Some(half), min: 0.0, max: 1e9 });
        assert_eq!(
            [of(129.75, 12.34), of(741_582.7, 123.4), of(64.0, 3.0)],
            ["129.8 (12.3)", "741583 (123)", "64 (3)"]
        );
        assert_eq!([of(0.3, 1.4), of(4.7, 20.0)], ["0.3 (0-1.7)", "4.7 (0-24.7)"]);
        assert_eq!([of(0.0, 0.0), count(&Interval { mean: 7.0, ci95: None, min: 7.0, max: 7.0 })], ["0", "7"]);
    }

    #[test]
    fn long_names_are_cut_and_cannot_control_a_terminal() {
        assert_eq!(short("abcdefgh", 8), "abcdefgh");
        assert_eq!(short("abcdefghi", 8), "abcde...");
        assert_eq!(short("a\x1b[2Jb\n", 8), "a?[2Jb?");
    }
}
