//! The lock of a folder of results: one process at a time keeps runs in it.
//!
//! Two things together, because neither is enough on every disk. A lock of the operating system on the file says at once
//! whether its owner runs, and ends with it; but on some file systems that several machines share it is not there, or
//! known to one machine only. So the file also names its owner and carries a count that the owner raises every two
//! seconds. If the system's lock is free and the owner was a process of this machine since it started, the owner is no
//! more. If the owner was elsewhere, the count is watched for ten seconds: no clock of one machine is compared with that
//! of another. An owner that was suspended for longer finds, when it goes on, that the file is not its own any more.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ackclock_columns::files;
use serde::{Deserialize, Serialize};

use crate::error::{Problem, StoreError};
use crate::owner::{LOCK, Owner};

/// What the file says. The text has the same length as long as the owner is the same.
#[derive(Debug, Serialize, Deserialize)]
struct Content {
    #[serde(flatten)]
    owner: Owner,
    beat: String,
}

/// A lock that is held.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    owner: Owner,
    /// Keeps the lock of the operating system.
    _file: File,
    shared: Arc<Shared>,
    beating: Option<JoinHandle<()>>,
    /// When the file was looked at last.
    looked: Mutex<Instant>,
}

#[derive(Debug, Default)]
struct Shared {
    ended: Mutex<bool>,
    end: Condvar,
    lost: AtomicBool,
}

/// How long a second process waits, and how often the owner shows that it runs.
#[derive(Clone, Copy, Debug)]
struct Times {
    beat: Duration,
    patience: Duration,
    /// Until two that take the same abandoned lock on different machines see each other's names in it.
    settle: Duration,
}

impl Lock {
    /// Takes the lock of a folder. Where a process of another machine may have left it, this waits for ten seconds, and
    /// says so by `waits`.
    ///
    /// # Errors
    /// If another process holds it, or if no file can be written.
    pub fn take(folder: &Path, waits: &mut dyn FnMut(&Owner)) -> Result<Lock, StoreError> {
        Lock::take_as(folder, Owner::this_process(), TIMES, waits)
    }

    fn take_as(folder: &Path, owner: Owner, times: Times, waits: &mut dyn FnMut(&Owner)) -> Result<Lock, StoreError> {
        let path = folder.join(LOCK);
        let failed = |error| StoreError::io(&path, error);
        let in_use = |content: &[u8]| StoreError::new(folder, Problem::InUse(owner_in(content)));
        for _ in 0..MOST_TRIES {
            let created = files::create_new(&path);
            let (file, free, settle) = match created {
                Ok(file) => {
                    match file.try_lock() {
                        // Another process found the new file before it was locked, and takes it for abandoned.
                        Err(TryLockError::WouldBlock) => {
                            thread::sleep(times.settle);
                            continue;
                        }
                        Ok(()) | Err(TryLockError::Error(_)) => (file, true, Duration::ZERO),
                    }
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    let mut file = match files::open_to_write(&path) {
                        Err(error) if error.kind() == ErrorKind::NotFound => continue,
                        opened => opened.map_err(failed)?,
                    };
                    let locked = match file.try_lock() {
                        Err(TryLockError::WouldBlock) => return Err(in_use(&files::read(&path).unwrap_or_default())),
                        Ok(()) => true,
                        Err(TryLockError::Error(_)) => false,
                    };
                    let mut content = Vec::new();
                    file.read_to_end(&mut content).map_err(failed)?;
                    let of_here = owner_in(&content).is_some_and(|of| of.is_of_same_start(&owner));
                    match locked && of_here {
                        true => (file, true, Duration::ZERO),
                        false => {
                            let of = owner_in(&content);
                            of.iter().for_each(&mut *waits);
                            // Without a name in it, its owner was stopped before it wrote one, or is about to.
                            let patience = if of.is_some() { times.patience } else { times.settle * 2 };
                            (file, is_quiet(&path, &content, Times { patience, ..times }), times.settle)
                        }
                    }
                }
                Err(error) => return Err(failed(error)),
            };
            if !free {
                match files::read(&path) {
                    Ok(content) => return Err(in_use(&content)),
                    // It was released meanwhile.
                    Err(_) => continue,
                }
            }
            if let Err(error) = write(&file, &owner, 0) {
                // Nobody would know whose it is.
                let _ = fs::remove_file(&path);
                return Err(failed(error));
            }
            thread::sleep(settle);
            match files::read(&path) {
                Ok(content) if owner_in(&content).as_ref() == Some(&owner) => {
                    return Ok(Lock::held(path, owner, file, times.beat));
                }
                Ok(content) if !settle.is_zero() => return Err(in_use(&content)),
                // What was locked is not what has the name any more: it was released, and perhaps taken, meanwhile.
                _ => continue,
            }
        }
        Err(in_use(&files::read(&path).unwrap_or_default()))
    }

    fn held(path: PathBuf, owner: Owner, file: File, every: Duration) -> Lock {
        let shared = Arc::new(Shared::default());
        let beating = {
            let (shared, path, owner) = (Arc::clone(&shared), path.clone(), owner.clone());
            thread::spawn(move || beat(&shared, &path, &owner, every))
        };
        Lock { path, owner, _file: file, shared, beating: Some(beating), looked: Mutex::new(Instant::now()) }
    }

    /// Makes sure that the lock has not been taken by another while this process was suspended. The lock on the disk is looked at now and
    /// then: a process that goes on after it was suspended looks first.
    ///
    /// # Errors
    /// If it has.
    pub fn check(&self) -> Result<(), StoreError> {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.elapsed() < LOOK_EVERY {
            return self.not_lost();
        }
        *looked = Instant::now();
        drop(looked);
        self.check_now()
    }

    /// As [`Lock::check`], by the lock as it is on the disk now.
    ///
    /// # Errors
    /// If another has it, or if it is gone.
    pub fn check_now(&self) -> Result<(), StoreError> {
        if !is_of(&self.path, &self.owner) {
            self.shared.lost.store(true, Ordering::Relaxed);
        }
        self.not_lost()
    }

    fn not_lost(&self) -> Result<(), StoreError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        match self.shared.lost.load(Ordering::Relaxed) {
            true if !self.path.exists() => Err(StoreError::new(folder, Problem::LockGone)),
            true => Err(StoreError::new(folder, Problem::LockLost)),
            false => Ok(()),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        *self.shared.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.shared.end.notify_all();
        if let Some(beating) = self.beating.take() {
            let _ = beating.join();
        }
        if is_of(&self.path, &self.owner) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The process that holds the lock of a folder, for those who only look; `Left` if its process ended without releasing it, or is of
/// another machine, of which nothing is known.
pub(crate) enum Seen {
    /// There is no lock.
    Free,
    /// A process of this machine holds it.
    Held(Option<Owner>),
    /// Nobody here holds it.
    Left,
}

pub(crate) fn look(folder: &Path) -> Seen {
    let path = folder.join(LOCK);
    let Ok(file) = files::open(&path) else { return Seen::Free };
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Seen::Held(owner_in(&files::read(&path).unwrap_or_default())),
        Ok(()) | Err(TryLockError::Error(_)) => Seen::Left,
    }
}

/// Whether a lock is that of this owner.
fn is_of(path: &Path, owner: &Owner) -> bool {
    files::read(path).is_ok_and(|content| owner_in(&content).as_ref() == Some(owner))
}

fn owner_in(content: &[u8]) -> Option<Owner> {
    serde_json::from_slice::<Content>(content).ok().map(|content| content.owner)
}

fn write(mut file: &File, owner: &Owner, beat: u64) -> io::Result<()> {
    let content = Content { owner: owner.clone(), beat: format!("{beat:012}") };
    let text = serde_json::to_string(&content).expect("the lock has string keys only") + "\n";
    file.seek(SeekFrom::Start(0))?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)?;
    // Where a disk is shared, others see it then.
    file.sync_data()
}

/// Whether a lock does not change while it is watched.
fn is_quiet(path: &Path, content: &[u8], times: Times) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < times.patience {
        thread::sleep(times.beat / 2);
        // Opened anew each time: what another machine wrote is seen then.
        if files::read(path).ok().as_deref() != Some(content) {
            return false;
        }
    }
    true
}

/// Shows at intervals that the owner runs, until it has ended, or has lost the lock.
fn beat(shared: &Shared, path: &Path, owner: &Owner, every: Duration) {
    let mut count = 0;
    let mut ended = shared.ended.lock().unwrap_or_else(PoisonError::into_inner);
    while !*ended {
        ended = shared.end.wait_timeout(ended, every).unwrap_or_else(PoisonError::into_inner).0;
        if *ended {
            return;
        }
        count += 1;
        if !is_of(path, owner) {
            shared.lost.store(true, Ordering::Relaxed);
            return;
        }
        // If it cannot be written now, perhaps next time.
        let _ = files::open_to_write(path).and_then(|file| write(&file, owner, count));
    }
}

const TIMES: Times =
    Times { beat: Duration::from_secs(2), patience: Duration::from_secs(10), settle: Duration::from_millis(500) };
/// Runs may take less than a millisecond.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const MOST_TRIES: u32 = 20;

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use super::*;
    use crate::names::names;

    const QUICK: Times = Times {
        beat: Duration::from_millis(20),
        patience: Duration::from_millis(200),
        settle: Duration::from_millis(20),
    };

    fn elsewhere() -> Owner {
        Owner { machine: "far".into(), boot: "another".into(), process: 4711, turn: 0 }
    }

    fn take(folder: &tempfile::TempDir) -> Result<Lock, StoreError> {
        Lock::take_as(folder.path(), Owner::this_process(), QUICK, &mut |_| {})
    }

    #[test]
    fn a_lock_is_held_by_one_until_it_is_released() {
        let folder = tempfile::tempdir().unwrap();
        let first = take(&folder).unwrap();
        let Err(StoreError { problem: Problem::InUse(Some(owner)), .. }) = take(&folder) else { panic!("two locks") };
        assert_eq!(owner.process, std::process::id());
        assert!(first.check().is_ok());
        drop(first);
        assert!(names(folder.path()).is_empty());
        drop(take(&folder).unwrap());
        assert!(names(folder.path()).is_empty());
    }

    /// The file of a killed process of this machine: the system says at once that no process holds it.
    #[test]
    fn what_a_killed_process_left_is_taken_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = File::create(folder.path().join(LOCK)).unwrap();
        write(&file, &Owner { process: u32::MAX, ..Owner::this_process() }, 3).unwrap();
        drop(file);
        let begun = Instant::now();
        let patient = Times { patience: Duration::from_secs(60), ..QUICK };
        let lock = Lock::take_as(folder.path(), Owner::this_process(), patient, &mut |_| panic!("it waits"));
        assert!(lock.is_ok() && begun.elapsed() < Duration::from_secs(5));
    }

    /// The system's lock is free, as where it is not shared between machines, and the owner runs elsewhere.
    #[test]
    fn a_lock_of_another_machine_is_respected_while_its_count_rises() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOCK);
        write(&File::create(&path).unwrap(), &elsewhere(), 0).unwrap();
        let shared = Arc::new(Shared::default());
        let beating = {
            let (shared, path) = (Arc::clone(&shared), path.clone());
            thread::spawn(move || beat(&shared, &path, &elsewhere(), Duration::from_millis(20)))
        };
        let mut waited = 0;
        let taken = Lock::take_as(folder.path(), Owner::this_process(), QUICK, &mut |_| waited += 1);
        let Err(StoreError { problem: Problem::InUse(Some(owner)), .. }) = taken else { panic!("taken") };
        assert_eq!((owner, waited), (elsewhere(), 1));
        *shared.ended.lock().unwrap() = true;
        shared.end.notify_all();
        beating.join().unwrap();
        assert!(take(&folder).is_ok(), "nobody raises the count any more");
    }

    #[test]
    fn a_process_that_was_suspended_for_long_notices_that_it_lost_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let lock = take(&folder).unwrap();
        let path = folder.path().join(LOCK);
        // A longer name comes and goes.
        write(&OpenOptions::new().write(true).open(&path).unwrap(), &elsewhere(), 7).unwrap();
        let begun = Instant::now();
        while lock.check().is_ok() {
            assert!(begun.elapsed() < Duration::from_secs(5));
            thread::sleep(Duration::from_millis(5));
        }
        drop(lock);
        assert_eq!(owner_in(&fs::read(&path).unwrap()), Some(elsewhere()), "what is another's stays");
    }

    #[test]
    fn of_many_that_want_a_lock_one_has_it() {
        let folder = tempfile::tempdir().unwrap();
        // Left by a killed process, so that all take it for abandoned.
        write(&File::create(folder.path().join(LOCK)).unwrap(), &Owner::this_process(), 0).unwrap();
        let held = std::sync::atomic::AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        if let Ok(lock) = take(&folder) {
                            assert_eq!(held.fetch_add(1, Ordering::SeqCst), 0, "two hold it");
                            thread::sleep(Duration::from_micros(200));
                            held.fetch_sub(1, Ordering::SeqCst);
                            drop(lock);
                        }
                    }
                });
            }
        });
    }
}
