//! A column of names that come in long runs: the pages of this crate against those of the library's own column writer.
//! `cargo run --release -p ackclock-columns --example names_in_runs`

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ackclock_columns::{Kind, Values, write};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

const ROWS: usize = 4_000_000;
const ROUNDS: usize = 5;

fn main() {
    let names: Vec<String> = (0..100).map(|number| format!("source-{number}")).collect();
    let runs: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), ROWS / names.len())).collect();
    let path = std::env::temp_dir().join(format!("ackclock-names-{}.parquet", std::process::id()));
    let size = || std::fs::metadata(&path).unwrap().len();

    let ours = fastest(|| {
        let file = File::create(&path).unwrap();
        write(&file, "t", &[("name", Kind::Text)], vec![], 1, |_, _| Values::Runs(runs.clone())).unwrap();
    });
    println!("this crate:  {:>8.2} ms, {} octets", 1e3 * ours, size());
    let library = fastest(|| by_library(&path, &runs));
    println!("the library: {:>8.2} ms, {} octets", 1e3 * library, size());
    println!("{ROWS} rows, {} names; ratio of times {:.4}", names.len(), ours / library);
    std::fs::remove_file(&path).unwrap();
}

/// Seconds of the fastest of some rounds.
fn fastest(mut run: impl FnMut()) -> f64 {
    let rounds = (0..ROUNDS).map(|_| {
        let begin = Instant::now();
        run();
        begin.elapsed().as_secs_f64()
    });
    rounds.fold(f64::INFINITY, f64::min)
}

/// The same column by the library's writer: a dictionary, its default.
fn by_library(path: &Path, runs: &[(&str, usize)]) {
    let schema = Arc::new(parse_message_type("message t { required binary name (STRING); }").unwrap());
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = SerializedFileWriter::new(File::create(path).unwrap(), schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    for &(name, rows) in runs {
        column.typed::<ByteArrayType>().write_batch(&vec![ByteArray::from(name); rows], None, None).unwrap();
    }
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
}
