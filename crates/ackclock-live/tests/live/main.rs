//! Live runs on this kernel. Where no namespaces are allowed, each test says that it was skipped.

#![cfg(target_os = "linux")]

mod devices;
mod emulated;
mod ends;
mod iperf3;
mod outside;

use std::sync::{Mutex, MutexGuard, PoisonError};

use ackclock_live::Namespace;

/// Whether namespaces can be made here; if not, says which test is skipped, and why.
pub fn allowed(test: &str) -> bool {
    match Namespace::new() {
        Ok(_) => true,
        Err(error) => {
            // Not through the captured output of tests: nobody should take this for a test that passed.
            let said = format!("SKIPPED: {test}: {error}: {}\n", error.help());
            let _ = std::fs::write("/dev/stderr", said);
            false
        }
    }
}

/// One live run at a time: they are to disturb each other no more than they must.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
