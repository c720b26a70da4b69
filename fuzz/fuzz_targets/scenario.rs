//! Arbitrary bytes as a scenario file, and what follows a NUL byte as `--set` arguments.
#![no_main]

#[path = "../../crates/ackclock-scenario/tests/support/roundtrip.rs"]
mod roundtrip;
mod sources;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if !sources::asks_for_many_sources(bytes) {
        roundtrip::check_bytes(bytes);
    }
});
