//! The progress of the runs of a plan, and its watchers.

/// How far the runs of a plan have come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Status {
    /// Finished runs, reused ones included.
    pub runs_finished: usize,
    /// Finished runs that were found in the folder.
    pub runs_reused: usize,
    /// All runs.
    pub runs: usize,
    /// The part of the work of this call that is done, 0 to 1; grows within runs too. What was reused is not in it.
    pub fraction: f64,
}

/// A watcher of the progress.
pub trait Progress: Sync {
    /// Something advanced. Called from one thread at a time, whenever a run is finished and about ten times a second; the first call
    /// is before the first run.
    fn advanced(&self, status: &Status);

    /// Something that the user should know, in a line: a folder that is waited for, damage that was found.
    fn noted(&self, note: &str);
}

/// No watcher.
pub struct Quiet;

impl Progress for Quiet {
    fn advanced(&self, _status: &Status) {}

    fn noted(&self, _note: &str) {}
}
