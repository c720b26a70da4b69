//! Arbitrary bytes as a file of orbital elements: two-line sets, and OMM as JSON, XML and CSV.
#![no_main]

#[path = "../../crates/ackclock-sat/tests/sat/any_elements.rs"]
mod any_elements;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| any_elements::check_bytes(bytes));
