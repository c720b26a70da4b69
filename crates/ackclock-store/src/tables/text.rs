//! Rows of tables as text: CSV or JSON lines.

use ackclock_columns::csv::field;

use super::columns::{Cell, Column, Row};

/// A row as a line of CSV, the seed in front.
pub fn csv(seed: u64, columns: &[Column], row: &Row<'_>) -> String {
    let mut line = seed.to_string();
    for column in columns {
        line.push(',');
        match column.cell(row) {
            Cell::Text(text) => line += &field(text),
            Cell::Time(ps) => line += &ps.to_string(),
            Cell::Count(count) => line += &count.to_string(),
            Cell::Number(number) => line += &number.to_string(),
        }
    }
    line + "\n"
}

/// A row of a metric's table as an object on a line. JSON has no infinity: what is infinite is null.
pub fn json(metric: &str, seed: u64, columns: &[Column], row: &Row<'_>) -> String {
    let mut line = format!("{{\"metric\":\"{metric}\",\"seed\":{seed}");
    for column in columns {
        let value = match column.cell(row) {
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
    use crate::tables::rows;
    use ackclock::record::{Columns, Metric, Series};
    use ackclock::units::Time;

    fn series() -> Series {
        let columns = Columns::Points { time: vec![Time::ZERO, Time::from_ps(5)], value: vec![f64::INFINITY, 4096.5] };
        Series { metric: Metric::Ssthresh, of: "f,1".into(), vc: None, columns }
    }

    #[test]
    fn a_row_of_csv_has_every_bit_of_its_numbers() {
        let columns = columns(Metric::Ssthresh, "cells");
        assert_eq!(csv(3, &columns, &rows(&series()).next().unwrap()), "3,\"f,1\",0,inf\n");
        assert_eq!(csv(3, &columns, &rows(&series()).nth(1).unwrap()), "3,\"f,1\",5,4096.5\n");
    }

    #[test]
    fn a_line_of_json_is_an_object_and_infinity_is_null() {
        let columns = columns(Metric::Ssthresh, "cells");
        let line = json("ssthresh", 3, &columns, &rows(&series()).next().unwrap());
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        let expected = serde_json::json!(
            {"metric": "ssthresh", "seed": 3, "flow": "f,1", "time_ps": 0, "ssthresh_bytes": null});
        assert_eq!(value, expected);
        assert!(
            json("ssthresh", 3, &columns, &rows(&series()).nth(1).unwrap())
                .ends_with("\"time_ps\":5,\"ssthresh_bytes\":4096.5}\n")
        );
    }
}
