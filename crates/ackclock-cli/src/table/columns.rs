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

/// A mean of counts: whole where it is.
pub fn count(value: &Interval) -> String {
    number(value.mean, if value.mean.fract() == 0.0 { 0 } else { 1 })
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
    fn long_names_are_cut_and_cannot_control_a_terminal() {
        assert_eq!(short("abcdefgh", 8), "abcdefgh");
        assert_eq!(short("abcdefghi", 8), "abcde...");
        assert_eq!(short("a\x1b[2Jb\n", 8), "a?[2Jb?");
    }
}
