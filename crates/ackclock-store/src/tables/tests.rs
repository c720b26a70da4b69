//! What is written is what is read; what is not what was written is not read.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use ackclock::record::{Columns, DropReason, Metric, PerInterval, Series, Shape, Subject};
use ackclock::units::{Span, Time};
use parquet::basic::Type;
use parquet::file::reader::{FileReader, SerializedFileReader};
use proptest::collection::vec;
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::seal;

fn origin() -> Origin {
    Origin { scenario_hash: "abc".into(), unit: "cells".into(), seed: 7, fingerprint: "00000000000000ff".into() }
}

fn points(metric: Metric, of: &str, rows: &[(u64, f64)]) -> Series {
    let (time, value) = rows.iter().map(|&(ps, value)| (Time::from_ps(ps), value)).unzip();
    Series { metric, of: of.into(), vc: None, columns: Columns::Points { time, value } }
}

fn written(place: &TempDir, series: &[Series]) -> Tables {
    write(place.path(), series, &origin()).unwrap();
    Tables::open(place.path()).unwrap()
}

/// Bits, not numbers: NaN is equal to itself, 0 is not -0.
fn bits(series: &[Series]) -> String {
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let one = |series: &Series| match &series.columns {
        Columns::Points { time, value } => {
            format!("{:?} {time:?} {:?}", (series.metric, &series.of, &series.vc), bits(value))
        }
        Columns::Intervals { interval, end, min, mean, max } => format!(
            "{:?} {:?} {:?}",
            (series.metric, &series.of, &series.vc),
            (interval.as_ps(), end.as_ps()),
            [min, mean, max].map(|column| bits(&column.to_vec()))
        ),
        Columns::Drops { .. } => format!("{series:?}"),
    };
    series.iter().map(one).collect::<Vec<_>>().join("\n")
}

fn any_columns(metric: Metric) -> BoxedStrategy<Columns> {
    let number = any::<u64>().prop_map(f64::from_bits);
    // Times of a file are signed.
    let time = (0..=i64::MAX as u64).prop_map(Time::from_ps);
    match metric.shape() {
        Shape::Changes | Shape::Events => vec((time, number), 0..40)
            .prop_map(|rows| {
                let (time, value) = rows.into_iter().unzip();
                Columns::Points { time, value }
            })
            .boxed(),
        // As recorders give them: some alike, and as many as fit into the run.
        Shape::Intervals if metric == Metric::Queue => (1..1000u64, vec((0..3_u32, 0..2_u32), 1..60), 1..=1000u64)
            .prop_map(|(interval, rows, last)| {
                let (min, more): (Vec<f64>, Vec<f64>) =
                    rows.iter().map(|row| (f64::from(row.0), f64::from(row.1))).unzip();
                let sum = |part: f64| min.iter().zip(&more).map(|(min, more)| min + part * more).collect();
                Columns::Intervals {
                    interval: Span::from_ps(interval),
                    end: Time::from_ps((rows.len() as u64 - 1) * interval + last.min(interval)),
                    mean: sum(0.5),
                    max: sum(1.0),
                    min: min.into(),
                }
            })
            .boxed(),
        Shape::Intervals => (1..u64::MAX, time, vec((number.clone(), number.clone(), number), 0..40))
            .prop_map(|(interval, end, rows)| Columns::Intervals {
                interval: Span::from_ps(interval),
                end,
                min: rows.iter().map(|row| row.0).collect(),
                mean: rows.iter().map(|row| row.1).collect(),
                max: rows.iter().map(|row| row.2).collect(),
            })
            .boxed(),
        Shape::Drops => vec((time, 0..3_u32, any::<u32>(), 0..3_usize), 0..40)
            .prop_map(|rows| Columns::Drops {
                time: rows.iter().map(|row| row.0).collect(),
                vc: rows.iter().map(|row| row.1).collect(),
                frame: rows.iter().map(|row| row.2).collect(),
                reason: rows
                    .iter()
                    .map(|row| [DropReason::Overflow, DropReason::PartialFrame, DropReason::Policy][row.3])
                    .collect(),
                names: ["f1", "f2/ack", "ein \u{fc}"].map(String::from).to_vec(),
            })
            .boxed(),
    }
}

fn any_series() -> impl Strategy<Value = Vec<Series>> {
    let of_metric = |metric: Metric| {
        let one = ("[a-z>-]{1,8}", "[a-z/]{0,4}", any_columns(metric)).prop_map(move |(of, vc, columns)| {
            let vc = (metric.subject() == Subject::PortVc).then_some(vc);
            Series { metric, of, vc, columns }
        });
        vec(one, 0..3)
    };
    Metric::ALL.map(of_metric).prop_map(|all| all.into_iter().flatten().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_again_to_the_last_bit(series in any_series()) {
        let place = tempfile::tempdir().unwrap();
        let tables = written(&place, &series);
        prop_assert_eq!(bits(&tables.read_all().unwrap()), bits(&series));
        tables.verify().unwrap();
    }
}

#[test]
fn a_table_of_several_row_groups_is_one_series_again() {
    let place = tempfile::tempdir().unwrap();
    let rows: Vec<(u64, f64)> = (0..600_000).map(|n| (n * 1000, n as f64)).collect();
    let series = [points(Metric::Sent, "f1", &rows[..250_000]), points(Metric::Sent, "f2", &rows[250_000..])];
    let tables = written(&place, &series);
    assert_eq!(tables.read(Metric::Sent).unwrap(), series);
    let file = File::open(place.path().join("sent.parquet")).unwrap();
    // 262,144 rows each: 600,000 are two full ones and a rest.
    assert_eq!(SerializedFileReader::new(file).unwrap().num_row_groups(), 3);
}

#[test]
fn an_infinite_threshold_is_infinite_and_a_flow_without_events_is_there() {
    let place = tempfile::tempdir().unwrap();
    let series = [
        points(Metric::Ssthresh, "f1", &[(0, f64::INFINITY), (5, 4096.0)]),
        points(Metric::Retransmissions, "f1", &[]),
    ];
    let tables = written(&place, &series);
    assert_eq!(tables.read_all().unwrap(), series);
    assert_eq!(tables.metrics(), [Metric::Ssthresh, Metric::Retransmissions]);
}

#[test]
fn units_meanings_and_origin_are_in_the_file() {
    let place = tempfile::tempdir().unwrap();
    let intervals = Columns::Intervals {
        interval: Span::from_ms(10),
        end: Time::from_ps(15_000_000_000),
        min: vec![0.0, 1.0].into(),
        mean: vec![0.5, 2.0].into(),
        max: vec![1.0, 3.0].into(),
    };
    let series = Series { metric: Metric::Queue, of: "sw1->sw2".into(), vc: None, columns: intervals };
    // The last interval ends with the run, 15 ms after its beginning.
    let end = columns(Metric::Queue, "cells").into_iter().find(|column| column.name == "end_ps").unwrap();
    let ends: Vec<Cell> = rows(&series).map(|row| end.cell(&row)).collect();
    assert_eq!(ends, [Cell::Time(10_000_000_000), Cell::Time(15_000_000_000)]);
    written(&place, &[series]);
    let reader = SerializedFileReader::new(File::open(place.path().join("queue.parquet")).unwrap()).unwrap();
    let metadata = reader.metadata().file_metadata();
    let value = |key: &str| {
        let entry = metadata.key_value_metadata().unwrap().iter().find(|entry| entry.key == format!("ackclock.{key}"));
        entry.unwrap_or_else(|| panic!("no {key}")).value.clone().unwrap()
    };
    assert_eq!(value("seed"), "7");
    assert_eq!(value("scenario_hash"), "abc");
    assert_eq!(value("format_version"), "2");
    assert_eq!(value("column.queue_mean_cells.unit"), "cells");
    assert_eq!(value("column.start_ps.unit"), "ps");
    assert_eq!(value("about"), Metric::Queue.about());
    for key in ["version", "result_version", "fingerprint", "metric", "column.queue_max_cells.about"] {
        assert!(!value(key).is_empty());
    }
    let schema = metadata.schema_descr();
    let names: Vec<String> = (0..schema.num_columns()).map(|n| schema.column(n).name().to_string()).collect();
    let of_metric = ["port", "start_ps", "end_ps", "queue_min_cells", "queue_mean_cells", "queue_max_cells"];
    assert_eq!(names, [&["seed"][..], &of_metric].concat());
    assert_eq!(value("column.seed.about"), "The seed of the run.");
    // Units that wait at an instant are whole, their mean over time is not.
    let types: Vec<Type> = (4..7).map(|n| schema.column(n).physical_type()).collect();
    assert_eq!(types, [Type::INT64, Type::DOUBLE, Type::INT64]);
}

/// Every value of every column, as a reader that knows nothing of us sees them.
fn cells(path: &Path) -> Vec<String> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let row = |row: parquet::record::Row| {
        row.get_column_iter().map(|(_, field)| field.to_string()).collect::<Vec<_>>().join(" ")
    };
    reader.get_row_iter(None).unwrap().map(|found| row(found.unwrap())).collect()
}

#[test]
fn every_row_has_the_seed_and_whole_numbers_are_integers() {
    let place = tempfile::tempdir().unwrap();
    let rows: Vec<(u64, f64)> = (0..40_000).map(|n| (n * 7, (n * n) as f64)).collect();
    let tables = written(&place, &[points(Metric::Sent, "f1", &rows), points(Metric::Cwnd, "f1", &[(3, 512.5)])]);
    // More than one page: the seed is that of each.
    let sent = cells(&place.path().join("sent.parquet"));
    assert_eq!(sent.len(), rows.len());
    for (n, row) in sent.iter().enumerate() {
        assert_eq!(*row, format!("7 \"f1\" {} {}", n * 7, n * n));
    }
    assert_eq!(cells(&place.path().join("cwnd.parquet")), ["7 \"f1\" 3 512.5"]);
    assert_eq!(bits(&tables.read(Metric::Sent).unwrap()), bits(&[points(Metric::Sent, "f1", &rows)]));
    // What should be whole and is not stays what it is.
    for odd in [0.5, -1.0, -0.0, f64::NAN, f64::INFINITY, 1e300] {
        let place = tempfile::tempdir().unwrap();
        let series = [points(Metric::Sent, "f1", &[(0, 1.0), (1, odd)])];
        assert_eq!(bits(&written(&place, &series).read_all().unwrap()), bits(&series));
    }
}

#[test]
fn an_idle_port_is_one_row_and_is_read_as_it_was() {
    let place = tempfile::tempdir().unwrap();
    let series = |of: &str, busy: &[usize]| {
        let value = |n: usize, value: f64| if busy.contains(&n) { value } else { 0.0 };
        let columns = Columns::Intervals {
            interval: Span::from_ps(100),
            end: Time::from_ps(99_950),
            min: vec![0.0; 1000].into(),
            mean: (0..1000).map(|n| value(n, 0.25)).collect(),
            max: (0..1000).map(|n| value(n, 1.0)).collect(),
        };
        Series { metric: Metric::Queue, of: of.into(), vc: None, columns }
    };
    let all = [series("a->b", &[]), series("b->a", &[3]), series("b->c", &[0, 999])];
    let tables = written(&place, &all);
    assert_eq!(
        cells(&place.path().join("queue.parquet")),
        [
            "7 \"a->b\" 0 99950 0 0E0 0",
            "7 \"b->a\" 0 300 0 0E0 0",
            "7 \"b->a\" 300 400 0 0.25 1",
            "7 \"b->a\" 400 99950 0 0E0 0",
            "7 \"b->c\" 0 100 0 0.25 1",
            "7 \"b->c\" 100 99900 0 0E0 0",
            "7 \"b->c\" 99900 99950 0 0.25 1",
        ]
    );
    assert_eq!(tables.read_all().unwrap(), all);
    assert_eq!(tables.index().files[0].rows, 7);
}

/// Some tables, and the bytes of one of them.
fn damaged() -> (TempDir, Tables, PathBuf, Vec<u8>) {
    let place = tempfile::tempdir().unwrap();
    let rows: Vec<(u64, f64)> = (0..200).map(|n| (n * n, n as f64)).collect();
    let tables = written(&place, &[points(Metric::Cwnd, "f1", &rows)]);
    let path = place.path().join("cwnd.parquet");
    let bytes = fs::read(&path).unwrap();
    (place, tables, path, bytes)
}

#[track_caller]
fn refused(tables: &Tables, path: &Path) {
    let error = tables.read(Metric::Cwnd).unwrap_err();
    assert!(error.to_string().starts_with(&format!("`{}` is damaged: ", path.display())), "{error}");
    assert!(error.help().contains("ackclock run"), "{}", error.help());
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let (_place, tables, path, bytes) = damaged();
    for length in 0..bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        refused(&tables, &path);
    }
    fs::write(&path, &bytes).unwrap();
    assert!(tables.read(Metric::Cwnd).is_ok());
}

#[test]
fn a_file_with_any_byte_changed_is_refused() {
    let (_place, tables, path, bytes) = damaged();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        fs::write(&path, &changed).unwrap();
        refused(&tables, &path);
    }
}

/// With its checksum, so that it is read: the huge number may be a count of rows, groups, names or octets.
#[test]
fn a_file_forged_with_its_checksum_is_read_or_refused_with_one_message() {
    let place = tempfile::tempdir().unwrap();
    let columns = Columns::Drops {
        time: (0..9).map(Time::from_ps).collect(),
        vc: vec![0, 0, 0, 1, 1, 0, 0, 0, 0],
        frame: (0..9).collect(),
        reason: vec![DropReason::Overflow; 9],
        names: vec!["f1".into(), "f2".into()],
    };
    let metric = Metric::ALL.into_iter().find(|metric| metric.shape() == Shape::Drops).unwrap();
    let tables = written(&place, &[Series { metric, of: "p".into(), vc: None, columns }]);
    let path = place.path().join(format!("{}.parquet", metric.name()));
    let bytes = fs::read(&path).unwrap();
    let mut refused = 0;
    let tail = bytes.len() - 8;
    for at in 0..tail {
        let mut forged = [&bytes[..at], &[0xfe, 0xff, 0xff, 0xff, 0x0f], &bytes[at + 1..]].concat();
        let footer = u32::from_le_bytes(bytes[tail..tail + 4].try_into().unwrap());
        if at >= tail - footer as usize {
            forged[tail + 4..tail + 8].copy_from_slice(&(footer + 4).to_le_bytes());
        }
        fs::write(&path, &forged).unwrap();
        let mut entry = tables.index().files[0].clone();
        (entry.bytes, entry.blake3) = ackclock_columns::checksum(&path).unwrap();
        fs::write(place.path().join(INDEX), seal::to_text(&Index::new(&origin(), vec![entry]))).unwrap();
        let tables = Tables::open(place.path()).unwrap();
        if let Err(error) = tables.read(metric) {
            assert!(error.to_string().starts_with(&format!("`{}` is damaged: ", path.display())), "{error}");
            refused += 1;
        }
    }
    // Meanings of columns are no numbers, and may be others.
    assert!(refused > bytes.len() / 4, "{refused} of {}", bytes.len());
}

/// With its checksum: a row that stands for as many intervals as the times of the run have room for.
#[test]
fn a_forged_table_of_more_intervals_than_can_be_read_is_refused() {
    let read = |intervals: u64, series: usize| {
        let place = tempfile::tempdir().unwrap();
        let idle = || {
            let mut column = PerInterval::new();
            column.push_many(0.0, intervals);
            column
        };
        let end = Time::from_ps(intervals);
        let columns = || Columns::Intervals { interval: Span::from_ps(1), end, min: idle(), mean: idle(), max: idle() };
        let of = |number: usize| Series { metric: Metric::Queue, of: number.to_string(), vc: None, columns: columns() };
        written(&place, &(0..series).map(of).collect::<Vec<_>>()).read(Metric::Queue).map_err(|error| error.to_string())
    };
    assert_eq!(read(1 << 30, 64).unwrap().iter().map(|series| series.columns.len()).sum::<usize>(), 1 << 36);
    for (intervals, series) in [((1 << 30) + 1, 1), (1 << 30, 65), (1 << 62, 1), (1 << 62, 4)] {
        let error = read(intervals, series).unwrap_err();
        assert!(error.contains("queue.parquet` is damaged: ") && error.contains("2^30 in a series"), "{error}");
    }
}

#[test]
fn a_cut_or_changed_index_is_refused_or_still_says_the_same() {
    let (place, _, _, _) = damaged();
    let path = place.path().join(INDEX);
    let text = fs::read_to_string(&path).unwrap();
    for length in 0..text.trim_end().len() {
        fs::write(&path, &text[..length]).unwrap();
        let error = Tables::open(place.path()).unwrap_err();
        assert!(matches!(error.problem, Problem::Damaged(_)), "{error}");
    }
}

#[test]
fn what_is_missing_foreign_or_of_another_version_is_named() {
    let (place, tables, path, _) = damaged();
    let index = place.path().join(INDEX);
    let text = fs::read_to_string(&index).unwrap();
    let opened = |text: &str| {
        fs::write(&index, text).unwrap();
        Tables::open(place.path()).unwrap_err()
    };
    assert!(matches!(opened(&text.replace("ackclock-tables", "other")).problem, Problem::Foreign));
    let newer = opened(&text.replace("\"format_version\": 2", "\"format_version\": 3"));
    assert!(newer.to_string().ends_with("has format version 3; this program reads 2"), "{newer}");
    assert!(newer.help().contains("newer"));
    // A version is recognized whatever else has changed in it.
    assert!(matches!(
        opened(r#"{"format": "ackclock-tables", "format_version": 9}"#).problem,
        Problem::OtherFormat { found: 9 }
    ));
    fs::remove_file(&path).unwrap();
    assert!(matches!(tables.read(Metric::Cwnd).unwrap_err().problem, Problem::Missing));
    assert!(matches!(Tables::open(&place.path().join("nowhere")).unwrap_err().problem, Problem::Missing));
    let error = tables.read(Metric::Queue).unwrap_err();
    assert!(error.to_string().contains("queue.parquet` was not recorded") && error.help().contains("cwnd"), "{error}");
}

#[test]
fn tables_of_another_run_are_not_taken_for_those_of_this() {
    let (_place, tables, ..) = damaged();
    tables.expect(&origin()).unwrap();
    for other in [
        Origin { seed: 8, ..origin() },
        Origin { scenario_hash: "abd".into(), ..origin() },
        Origin { fingerprint: "0".into(), ..origin() },
    ] {
        assert!(matches!(tables.expect(&other).unwrap_err().problem, Problem::Own(OfTables::OtherRun)));
    }
}
