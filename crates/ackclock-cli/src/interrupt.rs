//! Ctrl-C: the first asks the runs to stop, the second ends the program at once.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Exit;

/// From here on Ctrl-C sets the flag that is returned.
pub fn watch() -> &'static AtomicBool {
    // Where no handler can be set, Ctrl-C keeps its usual meaning: the program ends at once.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            process::exit(Exit::Interrupted as i32);
        }
    });
    &STOP
}

static STOP: AtomicBool = AtomicBool::new(false);
