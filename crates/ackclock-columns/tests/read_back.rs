//! What is written is read back, by this crate and by the library alone.

use std::borrow::Cow;
use std::fs::File;

use ackclock_columns::{Kind, Rows, Values, decoded_bytes, write};
use parquet::file::reader::{FileReader, SerializedFileReader};

const COLUMNS: [(&str, Kind); 6] = [
    ("name", Kind::Text),
    ("time_ps", Kind::Time),
    ("count", Kind::Count),
    ("value", Kind::Number),
    ("whole", Kind::Whole),
    ("optional", Kind::Optional),
];

/// Two groups of rows, the first longer than a page; numbers that are no numbers included.
#[test]
fn every_kind_of_column_is_read_back_to_the_bit() {
    const FIRST: usize = 40_000;
    let numbers: Vec<f64> = (0..FIRST)
        .map(|row| match row {
            0 => f64::INFINITY,
            1 => -0.0,
            _ => row as f64 / 7.0,
        })
        .collect();
    let wholes: Vec<f64> = (0..FIRST).map(|row| (row * row % 1001) as f64).collect();
    let some = |row: usize| (!row.is_multiple_of(3)).then_some(row as f64 / 7.0);
    let path = std::env::temp_dir().join(format!("ackclock-columns-{}.parquet", std::process::id()));
    let file = File::create(&path).unwrap();
    write(&file, "table", &COLUMNS, vec![("key".into(), "value".into())], 2, |group, column| match (group, column) {
        (0, 0) => Values::Runs(vec![("a", FIRST - 1), ("b", 1)]),
        (_, 0) => Values::Text(vec!["b", "c"]),
        (0, 1) => Values::Time((0..FIRST as u64).map(|row| 3 * row).collect()),
        (_, 1) => Values::Time(vec![1 << 62, 0]),
        (0, 2) => Values::Count((0..FIRST as u32).rev().collect()),
        (_, 2) => Values::Count(vec![u32::MAX, 0]),
        (0, 3) => Values::Number(vec![Cow::Borrowed(&numbers[..7]), Cow::Borrowed(&numbers[7..])]),
        (_, 3) => Values::Number(vec![Cow::Owned(vec![0.1, 0.2])]),
        (0, 4) => Values::Whole(vec![Cow::Borrowed(&wholes)]),
        (_, 4) => Values::Same(5, 2),
        (0, _) => Values::Optional((0..FIRST).map(some).collect()),
        _ => Values::Optional(vec![None, Some(-0.5)]),
    })
    .unwrap();

    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    let mut rows = Rows::new(&reader);
    let texts = rows.texts().unwrap();
    let text = |row: usize| std::str::from_utf8(texts[row].data()).unwrap();
    assert_eq!((texts.len(), text(0), text(FIRST - 1), text(FIRST + 1)), (FIRST + 2, "a", "b", "c"));
    assert_eq!(rows.times().unwrap()[FIRST - 1..], [3 * (FIRST as u64 - 1), 1 << 62, 0]);
    assert_eq!(rows.counts().unwrap()[FIRST - 1..], [0, u32::MAX, 0]);
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&rows.numbers().unwrap()), bits(&[&numbers[..], &[0.1, 0.2]].concat()));
    assert_eq!(rows.numbers().unwrap(), [&wholes[..], &[5.0, 5.0]].concat());
    let optional: Vec<Option<f64>> = (0..FIRST).map(some).chain([None, Some(-0.5)]).collect();
    assert_eq!(rows.optional().unwrap(), optional);
    let width = size_of::<parquet::data_type::ByteArray>() as u64 + 8 + 4 + 8 + 8;
    assert!(decoded_bytes(reader.metadata()) > (FIRST as u64 + 2) * width);
    std::fs::remove_file(&path).unwrap();
}
