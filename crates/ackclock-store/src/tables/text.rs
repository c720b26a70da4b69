//! Rows of tables as text: CSV or JSON lines.

use ackclock::record::Series;

use super::columns::{Cell, Column};

/// A row as a line of CSV, the seed in front.
pub fn csv(seed: u64, columns: &[Column], series: &Series, row: usize) -> String {
    let mut line = seed.to_string();
    for column in columns {
        line.push(',');
        match column.cell(series, row) {
            Cell::Text(text) => line += &quoted(text),
            Cell::Time(ps) => line += &ps.to_string(),
            Cell::Count(count) => line += &count.to_string(),
            Cell::Number(number) => line += &number.to_string(),
        }
    }
    line + "\n"
}

/// A name as a field of CSV (RFC 4180 §2).
pub fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into(),
    }
}

/// A row as an object on a line. JSON has no infinity: what is infinite is null.
pub fn json(seed: u64, columns: &[Column], series: &Series, row: usize) -> String {
    let mut line = format!("{{\"metric\":\"{}\",\"seed\":{seed}", series.metric.name());
    for column in columns {
        let value = match column.cell(series, row) {
            Cell::Text(text) => serde_json::Value::from(text),
            Cell::Time(ps) => ps.into(),
            Cell::Count(count) => count.into(),
            Cell::Number(number) => number.into(),
        };
        line += &format!(",\"{}\":{value}", column.name);
    }
    line + "}\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::columns;
    use ackclock::record::{Columns, Metric};
    use ackclock::units::Time;

    fn series() -> Series {
        let columns = Columns::Points { time: vec![Time::ZERO, Time::from_ps(5)], value: vec![f64::INFINITY, 4096.5] };
        Series { metric: Metric::Ssthresh, of: "f,1".into(), vc: None, columns }
    }

    #[test]
    fn a_row_of_csv_has_every_bit_of_its_numbers() {
        let columns = columns(Metric::Ssthresh, "cells");
        assert_eq!(csv(3, &columns, &series(), 0), "3,\"f,1\",0,inf\n");
        assert_eq!(csv(3, &columns, &series(), 1), "3,\"f,1\",5,4096.5\n");
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
    }

    #[test]
    fn a_line_of_json_is_an_object_and_infinity_is_null() {
        let columns = columns(Metric::Ssthresh, "cells");
        let line = json(3, &columns, &series(), 0);
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        let expected = serde_json::json!(
            {"metric": "ssthresh", "seed": 3, "flow": "f,1", "time_ps": 0, "ssthresh_bytes": null});
        assert_eq!(value, expected);
        assert!(json(3, &columns, &series(), 1).ends_with("\"time_ps\":5,\"ssthresh_bytes\":4096.5}\n"));
    }
}
