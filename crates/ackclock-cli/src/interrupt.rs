//! Ctrl-C: the first asks the runs to stop, and is answered within a second whatever the program does then, reading files
//! included; the second ends it at once.

use std::process;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(unix)]
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use crate::console;
use crate::failure::Exit;

/// From here on Ctrl-C sets the flag that is returned.
///
/// Runs look at the flag between slices of simulation. To build a large network and to make its records takes many seconds
/// without such a place. As long as nothing is finished, the program does not wait for that and ends: every file appears
/// whole or not at all.
pub fn watch() -> &'static AtomicBool {
    IS_FINISHED.store(false, Ordering::Relaxed);
    // Where no handler can be set, Ctrl-C keeps its usual meaning: the program ends at once.
    let _ = ctrlc::set_handler(|| interrupted(&STOP, &IS_FINISHED, PATIENCE, end, tell));
    &STOP
}

/// From here on a file that would be longer than the shell allows (`ulimit -f`) fails to be written, with a message. The signal ends a
/// process that does nothing about it, without a word.
#[cfg(unix)]
pub fn survive_long_files() {
    static REACHED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
    // Where no handler can be set, the signal keeps its usual meaning.
    let _ = signal_hook::flag::register(rustix::process::Signal::XFSZ.as_raw(), Arc::clone(&REACHED));
}

#[cfg(not(unix))]
pub fn survive_long_files() {}

/// What is said if the program ends before the runs have stopped.
pub fn say_at_end(text: String) {
    *AT_END.lock().expect("nobody panics while setting a text") = text;
}

/// From here on there is something finished that would be lost: the first Ctrl-C leaves the program the time to write it.
pub fn keep_finished() {
    IS_FINISHED.store(true, Ordering::Relaxed);
}

/// Sets the flag. If it was set before, calls `end`; else, after `patience`, `end` or, if something is finished, `tell`.
fn interrupted(stop: &AtomicBool, is_finished: &'static AtomicBool, patience: Duration, end: fn(), tell: fn()) {
    if stop.swap(true, Ordering::Relaxed) {
        return end();
    }
    thread::spawn(move || {
        thread::sleep(patience);
        if is_finished.load(Ordering::Relaxed) { tell() } else { end() }
    });
}

fn end() {
    let text = AT_END.lock().map_or_else(|_| String::new(), |text| text.clone());
    console::note(format_args!("interrupted{}{text}", if text.is_empty() { "" } else { ": " }));
    process::exit(Exit::Interrupted as i32);
}

fn tell() {
    console::note(format_args!("interrupted: writing what is finished; Ctrl-C again ends at once, without it"));
}

static STOP: AtomicBool = AtomicBool::new(false);
static IS_FINISHED: AtomicBool = AtomicBool::new(false);
static AT_END: Mutex<String> = Mutex::new(String::new());

/// Long enough for runs to look at the flag; an answer within a second.
const PATIENCE: Duration = Duration::from_millis(700);

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    const SOON: Duration = Duration::from_millis(1);

    fn wait_for(count: &AtomicU32, number: u32) {
        while count.load(Ordering::SeqCst) < number {
            thread::yield_now();
        }
    }

    /// The flag is not read here, as in a phase without such a place.
    #[test]
    fn the_first_signal_ends_what_does_not_stop_and_the_second_does_not_wait() {
        static ENDS: AtomicU32 = AtomicU32::new(0);
        static NOTHING: AtomicBool = AtomicBool::new(false);
        let end = || {
            ENDS.fetch_add(1, Ordering::SeqCst);
        };
        let tell = || panic!("there is nothing to write");
        let stop = AtomicBool::new(false);
        interrupted(&stop, &NOTHING, SOON, end, tell);
        assert!(stop.load(Ordering::Relaxed));
        wait_for(&ENDS, 1);
        interrupted(&stop, &NOTHING, Duration::MAX, end, tell);
        assert_eq!(ENDS.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn what_is_finished_is_written_unless_there_is_a_second_signal() {
        static TOLD: AtomicU32 = AtomicU32::new(0);
        static ENDS: AtomicU32 = AtomicU32::new(0);
        static SOMETHING: AtomicBool = AtomicBool::new(true);
        let end = || {
            ENDS.fetch_add(1, Ordering::SeqCst);
        };
        let tell = || {
            TOLD.fetch_add(1, Ordering::SeqCst);
        };
        let stop = AtomicBool::new(false);
        interrupted(&stop, &SOMETHING, SOON, end, tell);
        wait_for(&TOLD, 1);
        assert_eq!(ENDS.load(Ordering::SeqCst), 0);
        interrupted(&stop, &SOMETHING, Duration::MAX, end, tell);
        assert_eq!(ENDS.load(Ordering::SeqCst), 1);
    }
}
