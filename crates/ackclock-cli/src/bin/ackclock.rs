//! The program `ackclock`.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

/// What there is no memory for ends the program like a full disk, not with the signal of Rust.
#[global_allocator]
static MEMORY: ackclock_memory::Reporting =
    ackclock_memory::Reporting::new(ackclock_cli::NO_MEMORY.0, ackclock_cli::NO_MEMORY.1);

fn main() -> ExitCode {
    let words: Vec<OsString> = env::args_os().collect();
    ExitCode::from(ackclock_cli::main(&words, None))
}
