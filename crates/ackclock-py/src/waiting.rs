//! Work in a thread of its own while the interpreter stays free: other threads of Python go on, Ctrl-C is obeyed, and progress is told.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::mechanisms::Failed;

/// How far some work is.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// From 0 to 1.
    pub fraction: f64,
    /// What there is to say.
    pub text: String,
}

/// Where work tells how far it is.
#[derive(Debug, Default)]
pub struct Progress(Mutex<Option<Told>>);

impl Progress {
    /// Tells it to whoever looks next.
    pub fn tell(&self, fraction: f64, text: String) {
        if let Ok(mut told) = self.0.lock() {
            *told = Some(Told { fraction, text });
        }
    }

    fn take(&self) -> Option<Told> {
        self.0.lock().ok()?.take()
    }
}

/// Does the work, and calls `progress` with how far it is. If Ctrl-C is pressed, or if `progress` raises, sets `stop` and waits for the
/// work, which returns what it finished; then that error is the second of what is returned. So it does if a mechanism left an error in
/// `failed`, which the caller takes.
pub fn work<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    progress: Option<&Bound<'_, PyAny>>,
    failed: &Failed,
    work: impl FnOnce(&Progress) -> T + Send,
) -> (T, Option<PyErr>) {
    let told = Progress::default();
    let (done, is_done) = mpsc::channel();
    let mut raised = None;
    let outcome = thread::scope(|scope| {
        let told = &told;
        let worker = thread::Builder::new().name("ackclock".into()).spawn_scoped(scope, move || {
            let outcome = work(told);
            let _ = done.send(());
            outcome
        });
        let worker = worker.expect("a thread can be started");
        let is_done = Mutex::new(is_done);
        while py.detach(|| is_done.lock().expect("nobody else waits").recv_timeout(LOOK_EVERY))
            == Err(RecvTimeoutError::Timeout)
        {
            if raised.is_none() {
                let looked = py.check_signals().and_then(|()| match (progress, told.take()) {
                    (Some(progress), Some(told)) => progress.call1((told.fraction, told.text)).map(drop),
                    _ => Ok(()),
                });
                if let Err(error) = looked {
                    stop.store(true, Ordering::Relaxed);
                    raised = Some(error);
                }
                if failed.is_set() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        }
        py.detach(|| worker.join())
    });
    let outcome = outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    (outcome, raised)
}

const LOOK_EVERY: Duration = Duration::from_millis(50);
