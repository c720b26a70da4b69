//! Arbitrary bytes as a sweep file, and what follows a NUL byte as arguments `--vary`.
#![no_main]

#[path = "../../crates/ackclock-scenario/tests/support/any_sweep.rs"]
mod any_sweep;
#[path = "../../crates/ackclock-scenario/tests/support/roundtrip.rs"]
#[allow(dead_code)] // the target of scenarios uses the rest
mod roundtrip;
mod sources;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if !sources::asks_for_many_sources(bytes) {
        any_sweep::check_bytes(bytes);
    }
});
