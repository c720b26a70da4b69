//! Plain columns as Parquet files: what tables of runs and contact plans have in common.
//!
//! Nothing of networks is known here, of this project only its unit of time. What is written can be read by every reader of
//! the format. Pages are made by the library, but for names, which come in long runs (`names.rs`;
//! `examples/names_in_runs.rs` measures why). Files are checked against a checksum before they are read, since a reader of
//! Parquet may stumble over damage in any way. A checksum keeps nobody from forging a file: what a file says of its sizes is held against what
//! is there when it is opened ([`open`]).

mod chunk;
pub mod csv;
mod error;
pub mod files;
mod names;
mod open;
pub mod panics;
mod read;
mod thrift;
mod write;

use std::borrow::Cow;
use std::io;

use ackclock::units::Time;
use parquet::errors::ParquetError;

pub use error::{FileError, FileKind, Problem};
pub use files::checksum;
pub use open::open;
pub use read::{Rows, decoded_bytes, wrong};
pub use write::write;

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Names, few and often repeated.
    Text,
    /// Picoseconds since the start of the run.
    Time,
    /// Whole numbers from 0.
    Count,
    /// Numbers, infinity included.
    Number,
    /// Numbers that are whole, from 0 to 2⁵³.
    Whole,
    /// Numbers, some of which are not there.
    Optional,
    /// Names, hardly any of which comes twice.
    Name,
    /// Whole numbers from 0 to 2⁶³, some of which are not there.
    OptionalWhole,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values<'a> {
    /// Names.
    Text(Vec<&'a str>),
    /// Names, each with how often it comes in a row: of a column that says the same on many rows.
    Runs(Vec<(&'a str, usize)>),
    /// Picoseconds.
    Time(Vec<u64>),
    /// Picoseconds, as instants and in pieces.
    Instants(Vec<&'a [Time]>),
    /// Whole numbers.
    Count(Vec<u32>),
    /// Numbers, in pieces.
    Number(Vec<Cow<'a, [f64]>>),
    /// Whole numbers below 2⁵³, in pieces.
    Whole(Vec<Cow<'a, [f64]>>),
    /// One number, so many times.
    Same(i64, usize),
    /// Numbers, or nothing.
    Optional(Vec<Option<f64>>),
    /// Names, one after the other in one text, and where each begins; after the last where it ends.
    Names(&'a str, &'a [usize]),
    /// Whole numbers below 2⁶³.
    Integers(&'a [u64]),
    /// Whole numbers below 2⁶³, or nothing.
    OptionalWhole(Vec<Option<u64>>),
}

impl Values<'_> {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        match self {
            Values::Text(texts) => texts.len(),
            Values::Runs(runs) => runs.iter().map(|run| run.1).sum(),
            Values::Time(times) => times.len(),
            Values::Instants(pieces) => pieces.iter().map(|piece| piece.len()).sum(),
            Values::Count(counts) => counts.len(),
            Values::Number(pieces) | Values::Whole(pieces) => pieces.iter().map(|piece| piece.len()).sum(),
            Values::Same(_, rows) => *rows,
            Values::Optional(numbers) => numbers.len(),
            Values::Names(_, bounds) => bounds.len() - 1,
            Values::Integers(numbers) => numbers.len(),
            Values::OptionalWhole(numbers) => numbers.len(),
        }
    }
}

/// What the operating system said, if it was that: a full disk shall be called one.
pub fn cause(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(io) => *io,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
