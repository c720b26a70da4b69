//! Arbitrary bytes as a scenario file, and what follows a NUL byte as `--set` arguments.
#![no_main]

#[path = "../../crates/ackclock-scenario/tests/support/roundtrip.rs"]
mod roundtrip;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| roundtrip::check_bytes(bytes));
