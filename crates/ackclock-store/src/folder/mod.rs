//! A folder of results and its marker: the file that says that the program may replace and remove files of its own here.
//!
//! Ownership is never judged by names. A folder that is new or empty gets a marker; in one that has none, nothing is
//! replaced or removed.

pub(crate) mod marker;

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use ackclock_columns::files;

use crate::error::{Problem, StoreError};
use crate::holds::{Holds, MARKER};
use crate::lock::Lock;
use crate::owner::{LOCK, Owner};
use crate::result::UNFINISHED;
use crate::whole::{self, WholeFile};
use marker::Marker;

/// A folder that belongs to the program and that this process uses alone.
#[derive(Debug)]
pub struct ResultFolder {
    path: PathBuf,
    /// Folders that were not there before, outermost first.
    created: Vec<PathBuf>,
    /// Whether there was no marker before.
    new: bool,
    marker: Marker,
    /// `None` only while the folder goes.
    lock: Option<Lock>,
}

impl ResultFolder {
    /// Takes a folder for results; makes it if it is not there, and finds out whether it can be written to. `ours` are
    /// names of files that the program writes into such folders; what killed processes left of them is removed. `waits`
    /// is told of a process of another machine that may use the folder, before this waits for it.
    ///
    /// # Errors
    /// If the folder holds files and has no marker, if another process uses it, or if it cannot be written to.
    pub fn take(
        path: &Path,
        holds: Holds,
        ours: &[&str],
        waits: &mut dyn FnMut(&Owner),
    ) -> Result<ResultFolder, StoreError> {
        let missing = path.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists());
        let mut created: Vec<PathBuf> = missing.map(Path::to_path_buf).collect();
        created.reverse();
        let taken = ResultFolder::take_existing(path, holds, ours, waits);
        match taken {
            Ok((marker, new, lock)) => {
                Ok(ResultFolder { path: path.to_path_buf(), created, new, marker, lock: Some(lock) })
            }
            Err(error) => {
                remove_empty(&created);
                Err(error)
            }
        }
    }

    fn take_existing(
        path: &Path,
        holds: Holds,
        ours: &[&str],
        waits: &mut dyn FnMut(&Owner),
    ) -> Result<(Marker, bool, Lock), StoreError> {
        fs::create_dir_all(path).map_err(|error| StoreError::folder(path, error))?;
        // Looked at before anything is written, the lock included.
        refuse_links(path, ours)?;
        Marker::read(path, holds)?;
        let lock = Lock::take(path, waits).map_err(|error| match error.problem {
            // Of the folder, not of the file: that is what the user named.
            Problem::Io(cause) => StoreError::folder(path, cause),
            _ => error,
        })?;
        // Another process may have used it until now.
        let found = Marker::read(path, holds)?;
        whole::remove_abandoned(path, |name| name == MARKER || ours.contains(&name));
        let new = found.is_none();
        let mut marker = found.unwrap_or_else(|| Marker::new(holds));
        if new {
            marker.write(path)?;
        } else {
            // Writing is tried now, not after the simulation.
            try_writing(path).map_err(|error| StoreError::folder(path, error))?;
        }
        Ok((marker, new, lock))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes sure that the folder is still used by this process alone.
    ///
    /// # Errors
    /// If another has taken it.
    pub fn check(&self) -> Result<(), StoreError> {
        self.lock.as_ref().map_or(Ok(()), Lock::check)
    }

    /// As [`ResultFolder::check`], by the lock as it is on the disk now: before something is replaced.
    ///
    /// # Errors
    /// If another has taken it.
    pub fn check_now(&self) -> Result<(), StoreError> {
        self.lock.as_ref().map_or(Ok(()), Lock::check_now)
    }

    /// Whether the result that was written last is complete; `None` if none was.
    pub fn is_complete(&self) -> Option<bool> {
        self.marker.complete
    }

    /// Makes sure that a file is not there, or is as the program wrote it.
    ///
    /// # Errors
    /// If another program wrote or changed it.
    pub fn check_unchanged(&self, name: &str) -> Result<(), StoreError> {
        let path = self.path.join(name);
        let known = self.marker.written.get(name).map_or(&[][..], Vec::as_slice);
        match checksum(&path) {
            Ok(found) if known.contains(&found) => Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) if error.kind() != ErrorKind::IsADirectory => Err(StoreError::io(&path, error)),
            _ => Err(StoreError::new(&path, Problem::NotOurs)),
        }
    }

    /// Notes a file that is about to get its name beside a result, which stays as complete as it is.
    pub fn note_beside(&mut self, name: &str, checksum: String) -> Result<(), StoreError> {
        self.remember(&[(name, checksum)]);
        self.write_marker()
    }

    /// Notes what is about to get its name: files that a user might change, each with its checksum, and whether the
    /// result is complete. What was there before stays known, in case it does not come to that.
    pub fn note(&mut self, files: &[(&str, String)], complete: bool) -> Result<(), StoreError> {
        self.remember(files);
        self.marker.complete = Some(complete);
        self.write_marker()
    }

    /// Notes lines of the ledger that were damaged, by their checksums, once their runs were done again.
    pub fn note_mended(&mut self, lines: &[String]) -> Result<(), StoreError> {
        let before = self.marker.mended.len();
        self.marker.mended.extend(lines.iter().cloned());
        if self.marker.mended.len() > before { self.write_marker() } else { Ok(()) }
    }

    /// Writes the marker, unless another process has taken the folder.
    fn write_marker(&mut self) -> Result<(), StoreError> {
        self.check_now()?;
        self.marker.write(&self.path)
    }

    fn remember(&mut self, files: &[(&str, String)]) {
        // What was removed is not missed.
        self.marker.written.retain(|name, _| self.path.join(name).exists());
        for (name, checksum) in files {
            let known = self.marker.written.entry((*name).into()).or_default();
            known.retain(|other| other != checksum);
            known.push(checksum.clone());
            known.drain(..known.len().saturating_sub(KNOWN));
        }
    }

    /// Notes that there is no complete result, or that there will be none until the runs that begin now are finished.
    pub fn note_incomplete(&mut self) -> Result<(), StoreError> {
        if self.marker.complete != Some(true) {
            return Ok(());
        }
        self.marker.complete = None;
        self.write_marker()
    }
}

/// A folder that was made for a result that did not come is taken away again; what another has put in its place stays.
impl Drop for ResultFolder {
    fn drop(&mut self) {
        let is_ours = self.check_now().is_ok();
        let only_ours = |name: &str| [MARKER, LOCK].contains(&name);
        let mut entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        if is_ours && self.new && entries.all(|entry| only_ours(&entry.file_name().to_string_lossy())) {
            let _ = fs::remove_file(self.path.join(MARKER));
        }
        self.lock = None;
        if is_ours {
            remove_empty(&self.created);
        }
    }
}

/// Refuses a folder in which a link, a device or a FIFO has the name of a file or a folder of ours: nothing outside is read, written or
/// removed.
fn refuse_links(folder: &Path, ours: &[&str]) -> Result<(), StoreError> {
    let names = [MARKER, LOCK, UNFINISHED, LEDGER, TABLES, CAPTURES, FLOWS];
    for name in names.iter().chain(ours) {
        files::refuse_links_within(&folder.join(name)).map_err(|(path, error)| StoreError::io(&path, error))?;
    }
    Ok(())
}

fn try_writing(folder: &Path) -> io::Result<()> {
    let mut file = WholeFile::create(&folder.join(MARKER))?;
    file.write_all(b"ackclock tries whether it can write here\n")?;
    file.sync()
}

/// The BLAKE3 of a file as it is on the disk, in hexadecimal digits.
pub fn checksum(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(files::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// Removes folders that are empty, innermost first.
fn remove_empty(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        // Fails where something is inside, as it should.
        let _ = fs::remove_dir(folder);
    }
}

/// What lies in folders of results beside the files that they name.
const LEDGER: &str = "runs.jsonl";
const TABLES: &str = crate::tables::FOLDER;
const CAPTURES: &str = "captures";
const FLOWS: &str = crate::flows::FOLDER;

/// The content that has its name, and that which was about to get it.
const KNOWN: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::names;

    fn take(path: &Path) -> Result<ResultFolder, StoreError> {
        ResultFolder::take(path, Holds::Run, &["scenario.toml"], &mut |_| {})
    }

    #[test]
    fn an_empty_folder_is_marked_and_a_marked_one_taken_again() {
        let place = tempfile::tempdir().unwrap();
        let folder = take(place.path()).unwrap();
        fs::write(place.path().join("result.json"), "{}").unwrap();
        drop(folder);
        assert_eq!(names(place.path()), [MARKER, "result.json"]);
        fs::write(place.path().join("notes.txt"), "of the user").unwrap();
        drop(take(place.path()).unwrap());
        assert_eq!(names(place.path()), [MARKER, "notes.txt", "result.json"]);
    }

    #[test]
    fn nothing_is_written_to_a_folder_of_others() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("scenario.toml"), "# mine").unwrap();
        let error = take(place.path()).unwrap_err();
        assert!(matches!(error.problem, Problem::Foreign { result: false }), "{error}");
        fs::write(place.path().join("result.json"), "{\n  \"format\": \"ackclock-result\",\n").unwrap();
        let error = take(place.path()).unwrap_err();
        assert!(matches!(error.problem, Problem::Foreign { result: true }), "{error}");
        assert_eq!(names(place.path()), ["result.json", "scenario.toml"]);
    }

    #[test]
    fn a_folder_without_a_result_leaves_no_trace() {
        let place = tempfile::tempdir().unwrap();
        drop(take(&place.path().join("a/b")).unwrap());
        assert!(names(place.path()).is_empty());
        // One that the user made stays.
        fs::create_dir(place.path().join("empty")).unwrap();
        drop(take(&place.path().join("empty")).unwrap());
        assert_eq!(names(place.path()), ["empty"]);
        assert_eq!(fs::read_dir(place.path().join("empty")).unwrap().count(), 0);
    }

    #[test]
    fn what_a_killed_process_left_goes_at_the_next_use() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("..ackclock.4294967295.partial"), "").unwrap();
        let folder = take(place.path()).unwrap();
        fs::write(place.path().join(".scenario.toml.4294967295.partial"), "half").unwrap();
        fs::write(place.path().join(".thesis.tex.4294967295.partial"), "of the user").unwrap();
        drop(folder);
        drop(take(place.path()).unwrap());
        assert_eq!(names(place.path()), [MARKER, ".thesis.tex.4294967295.partial"]);
    }

    #[test]
    fn a_folder_of_another_kind_a_damaged_marker_and_a_later_one_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let folder = take(place.path()).unwrap();
        fs::write(place.path().join("x"), "").unwrap();
        drop(folder);
        let other = ResultFolder::take(place.path(), Holds::Reproduction, &[], &mut |_| {}).unwrap_err();
        assert!(matches!(other.problem, Problem::HoldsOther { holds: Holds::Run }));
        let marker = fs::read_to_string(place.path().join(MARKER)).unwrap();
        let later = marker.replace("\"format_version\": 1", "\"format_version\": 2");
        for (text, reason) in [
            ("{", "damaged"),
            (later.as_str(), "another version"),
            ("{\"format\":\"x\",\"format_version\":1}", "another program"),
        ] {
            fs::write(place.path().join(MARKER), text).unwrap();
            let error = take(place.path()).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn a_file_that_was_changed_since_it_was_written_is_noticed() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("scenario.toml");
        let mut folder = take(place.path()).unwrap();
        assert!(folder.check_unchanged("scenario.toml").is_ok(), "it is not there");
        fs::write(&path, "one").unwrap();
        assert!(folder.check_unchanged("scenario.toml").is_err());
        let note = |content: &[u8]| [("scenario.toml", blake3::hash(content).to_hex().to_string())];
        folder.note(&note(b"one"), false).unwrap();
        assert!(folder.check_unchanged("scenario.toml").is_ok());
        // Stopped between the note and the file: the earlier content is still known.
        folder.note(&note(b"two"), true).unwrap();
        drop(folder);
        let folder = take(place.path()).unwrap();
        assert!(folder.check_unchanged("scenario.toml").is_ok());
        assert_eq!(folder.is_complete(), Some(true));
        fs::write(&path, "two, with a comment").unwrap();
        assert!(folder.check_unchanged("scenario.toml").is_err());
    }

    #[test]
    fn two_processes_do_not_use_one_folder() {
        let place = tempfile::tempdir().unwrap();
        let first = take(place.path()).unwrap();
        let second = take(place.path()).unwrap_err();
        assert!(second.to_string().contains("is in use by process"), "{second}");
        drop(first);
        assert!(take(place.path()).is_ok());
    }

    /// Every file and folder below a path with its content, in order.
    fn content(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            let path = entry.path();
            found.push((path.clone(), fs::read(&path).unwrap_or_default()));
            found.extend(content(&path));
        }
        found.sort();
        found
    }

    /// What is in the place of a folder that was removed, or taken by another owner, is as its owner made it: nothing is
    /// written, replaced or removed.
    #[test]
    fn a_process_that_lost_its_folder_leaves_what_is_there_now_as_it_is() {
        let result = |path: &Path| fs::write(path.join("result.json"), "of the user").unwrap();
        let again = |path: &Path| {
            fs::remove_dir_all(path).unwrap();
            fs::create_dir(path).unwrap();
        };
        let other = |path: &Path| {
            let file = fs::File::create(path.join(LOCK)).unwrap();
            let of = Owner { machine: "far".into(), process: 4711, ..Owner::this_process() };
            let content = serde_json::to_value(of).unwrap();
            serde_json::to_writer(file, &content).unwrap();
        };
        type Loss<'a> = &'a dyn Fn(&Path);
        let losses: [(&str, Loss); 7] = [
            ("removed", &|path| fs::remove_dir_all(path).unwrap()),
            ("empty again", &again),
            ("of the user", &|path| {
                again(path);
                result(path);
            }),
            ("taken by another process of this machine", &|path| {
                fs::remove_dir_all(path).unwrap();
                // It is stopped, and its files stay.
                std::mem::forget(take(path).unwrap());
            }),
            ("taken by another machine", &other),
            ("without a lock", &|path| fs::remove_file(path.join(LOCK)).unwrap()),
            ("renamed, and empty again", &|path| {
                fs::rename(path, path.with_extension("before")).unwrap();
                fs::create_dir(path).unwrap();
            }),
        ];
        for (name, lose) in losses {
            for was_there in [false, true] {
                let place = tempfile::tempdir().unwrap();
                let path = place.path().join("result");
                if was_there {
                    fs::create_dir(&path).unwrap();
                }
                let mut folder = take(&path).unwrap();
                folder.note(&[("scenario.toml", "00".into())], true).unwrap();
                lose(&path);
                let before = content(place.path());
                let lost = |done: Result<(), StoreError>| match done.unwrap_err().problem {
                    Problem::LockLost => name.starts_with("taken"),
                    Problem::LockGone => !name.starts_with("taken"),
                    _ => false,
                };
                assert!(lost(folder.note_beside("report.html", "01".into())), "{name}");
                assert!(lost(folder.note(&[("scenario.toml", "02".into())], false)), "{name}");
                assert!(lost(folder.note_mended(&["03".into()])), "{name}");
                folder.marker.complete = Some(true);
                assert!(lost(folder.note_incomplete()) && lost(folder.check()) && lost(folder.check_now()), "{name}");
                assert_eq!(content(place.path()), before, "{name}");
                drop(folder);
                assert_eq!(content(place.path()), before, "{name}, at its end");
            }
        }
    }
}
