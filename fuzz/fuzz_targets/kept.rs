//! Arbitrary bytes as files of result folders, or arbitrary changes of them: result document, marker, tables of a run and their index,
//! ledgers, plan of a sweep. Where a checksum would keep the reader from what is behind it, it is made to fit.
#![no_main]

#[path = "../../crates/ackclock-sweep/tests/support/readers.rs"]
mod readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| readers::check_bytes(bytes));
