//! A forged file is an error, or other values: it neither ends the program nor takes memory that it has nothing for.

use std::fs::{self, File};
use std::path::Path;

use ackclock_columns::{Kind, Rows, Values, decoded_bytes, open, panics, write, wrong};
use parquet::errors::ParquetError;
use parquet::file::reader::FileReader;

const COLUMNS: [(&str, Kind); 5] = [
    ("name", Kind::Text),
    ("time_ps", Kind::Time),
    ("count", Kind::Count),
    ("value", Kind::Number),
    ("optional", Kind::Optional),
];

/// Numbers as they are written at many places of a file: of 31 and of 63 bits, with a sign or without one, and one of 28 bits.
const HUGE: [&[u8]; 5] = [
    &[0xfe, 0xff, 0xff, 0xff, 0x0f],
    &[0xff, 0xff, 0xff, 0xff, 0x07],
    &[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
    &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
    &[0x80, 0x80, 0x80, 0x80, 0x02],
];

fn file(path: &Path) {
    let file = File::create(path).unwrap();
    write(&file, "table", &COLUMNS, vec![("key".into(), "value".into())], 2, |_, column| match column {
        0 => Values::Runs(vec![("first", 3), ("second", 2)]),
        1 => Values::Time(vec![0, 3, 6, 9, 1 << 50]),
        2 => Values::Count(vec![1, 2, 3, 4, u32::MAX]),
        3 => Values::Number(vec![vec![0.1, 0.2, 0.3, 0.4, 0.5].into()]),
        _ => Values::Optional(vec![None, Some(1.0), None, None, Some(2.0)]),
    })
    .unwrap();
}

/// Every column, as tables are read: not if they would take more than a mebibyte.
fn read(path: &Path) -> Result<(), ParquetError> {
    let reader = open(File::open(path)?)?;
    if decoded_bytes(reader.metadata()) > 1 << 20 {
        return Err(wrong("too large"));
    }
    let mut rows = Rows::new(&reader);
    rows.texts()?;
    rows.times()?;
    rows.counts()?;
    rows.numbers()?;
    rows.optional().map(drop)
}

/// The file with a number in place of an octet; its footer is as long as it says.
fn forged(file: &[u8], at: usize, number: &[u8]) -> Vec<u8> {
    let tail = file.len() - 8;
    let footer = u32::from_le_bytes(file[tail..tail + 4].try_into().unwrap());
    let mut forged = [&file[..at], number, &file[at + 1..]].concat();
    if at >= tail - footer as usize {
        let tail = forged.len() - 8;
        let footer = footer + number.len() as u32 - 1;
        forged[tail..tail + 4].copy_from_slice(&footer.to_le_bytes());
    }
    forged
}

/// The most memory that this process has asked for at a time, octets; 0 where the system does not say it.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmPeak:")?.split_whitespace().next());
    peak.map_or(0, |kibibytes| kibibytes.parse::<u64>().unwrap() << 10)
}

/// At every place of a file every number. (The only test of its program: memory is counted of all of it.)
#[test]
fn a_huge_number_anywhere_takes_no_memory_and_does_not_end_the_program() {
    // Panics of the library become errors, and say nothing.
    let others = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !panics::is_caught(info) {
            others(info);
        }
    }));
    let path = std::env::temp_dir().join(format!("ackclock-forged-{}.parquet", std::process::id()));
    file(&path);
    read(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    let before = peak();
    let mut refused = 0;
    for at in 0..whole.len() - 8 {
        for number in HUGE {
            fs::write(&path, forged(&whole, at, number)).unwrap();
            refused += u32::from(!matches!(panics::caught(|| read(&path)), Ok(Ok(()))));
            let more = peak() - before;
            assert!(more < 32 << 20, "{more} octets for {number:02x?} at {at} of {}", whole.len());
        }
    }
    fs::remove_file(&path).unwrap();
    // Texts of the metadata may be others.
    assert!(refused > 3 * whole.len() as u32, "{refused} of 5 times {}", whole.len());
}
