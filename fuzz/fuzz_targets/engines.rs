//! Arbitrary bytes as a random network, which both engines must agree about. What is found is shown by
//! `ENGINES_INPUT=FILE cargo test -p ackclock --test engines_random`.
#![no_main]

#[path = "../../crates/ackclock/tests/lab/mod.rs"]
mod lab;

use lab::agree::engines_agree;
use lab::random::example;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let example = example(bytes);
    engines_agree(&example.scenario, example.seed, &example.stops)
        .unwrap_or_else(|difference| panic!("{difference}\n{example:?}"));
});
