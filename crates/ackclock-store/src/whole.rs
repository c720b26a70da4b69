//! A file that has its name only when it is whole and has reached the disk.
//!
//! Until then it is called `.NAME.PROCESS.partial`, and is locked. What a killed process left under such a name is
//! removed by the next that writes a file of the same name: its lock went with the process.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;

use ackclock_columns::files;

/// A file on its way.
#[derive(Debug)]
pub struct WholeFile {
    writer: BufWriter<File>,
    temporary: PathBuf,
    path: PathBuf,
    /// Whether all that was written has reached the disk.
    synced: bool,
    /// Whether it has its name.
    done: bool,
}

impl WholeFile {
    /// Begins a file of this path. The folder must be there.
    pub fn create(path: &Path) -> io::Result<WholeFile> {
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?.to_string_lossy().into_owned();
        let folder = folder_of(path);
        files::refuse_other(path)?;
        remove_abandoned(folder, |of| of == name);
        // Another machine may have a process of the same number.
        for n in 0..MOST_NAMES {
            let number = if n == 0 { String::new() } else { format!(".{n}") };
            let temporary = folder.join(format!(".{name}.{}{number}{ENDING}", process::id()));
            match files::create_new(&temporary) {
                Ok(file) => {
                    // Where the file system has no locks, what is left of a killed process stays.
                    let _ = file.try_lock();
                    let writer = BufWriter::new(file);
                    return Ok(WholeFile { writer, temporary, path: path.to_path_buf(), synced: false, done: false });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    /// Where it is until it is whole, for writers that need a path.
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Makes sure that what was written has reached the disk; a full disk shows here.
    ///
    /// # Errors
    /// If it has not.
    pub fn sync(&mut self) -> io::Result<()> {
        if !self.synced {
            self.writer.flush()?;
            self.writer.get_ref().sync_all()?;
            self.synced = true;
        }
        Ok(())
    }

    /// Gives the file its name, under which it replaces what was there.
    ///
    /// # Errors
    /// If it cannot reach the disk or cannot be renamed; then what was there is untouched.
    pub fn commit(mut self) -> io::Result<()> {
        self.sync()?;
        files::refuse_other(&self.path)?;
        fs::rename(&self.temporary, &self.path)?;
        self.done = true;
        sync_folder(folder_of(&self.path));
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.synced = false;
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if !self.done {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Removes what killed processes left of files in a folder whose names are `wanted`.
pub fn remove_abandoned(folder: &Path, wanted: impl Fn(&str) -> bool) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let of = name.to_str().and_then(name_of_partial);
        if of.is_some_and(&wanted) && is_abandoned(&entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The name that a file would have had, from the name that it had until then.
pub(crate) fn name_of_partial(name: &str) -> Option<&str> {
    let rest = name.strip_prefix('.')?.strip_suffix(ENDING)?;
    let (before, last) = rest.rsplit_once('.')?;
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !number(last) {
        return None;
    }
    match before.rsplit_once('.') {
        // NAME.PROCESS.N: a name of ours does not end in a number.
        Some((name, process)) if number(process) => Some(name),
        _ => Some(before),
    }
}

/// Whether no process holds the lock of a file. Without locks this is not known.
fn is_abandoned(path: &Path) -> bool {
    match files::open(path).map(|file| file.try_lock()) {
        Ok(Ok(())) => true,
        Ok(Err(TryLockError::WouldBlock | TryLockError::Error(_))) | Err(_) => false,
    }
}

/// Brings names to the disk where the system can do that; elsewhere they come there by themselves.
pub(crate) fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

const ENDING: &str = ".partial";
const MOST_NAMES: u32 = 100;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::names;

    #[test]
    fn a_file_has_its_name_when_it_is_whole_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        file.sync().unwrap();
        assert_eq!(names(folder.path()), [format!(".a.json.{}.partial", process::id())]);
        file.write_all(b" and half").unwrap();
        file.commit().unwrap();
        assert_eq!(names(folder.path()), ["a.json"]);
        assert_eq!(fs::read(&path).unwrap(), b"half and half");
    }

    #[test]
    fn a_file_that_is_given_up_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, "earlier").unwrap();
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"later").unwrap();
        drop(file);
        assert_eq!(names(folder.path()), ["a.json"]);
        assert_eq!(fs::read(&path).unwrap(), b"earlier");
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_being_written_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        let other = WholeFile::create(&path).unwrap();
        fs::write(folder.path().join(".a.json.4294967295.partial"), "torn").unwrap();
        fs::write(folder.path().join(".b.json.4294967295.partial"), "of another file").unwrap();
        fs::write(folder.path().join(".a.json.mine.partial"), "not a name of ours").unwrap();
        let mut file = WholeFile::create(&path).unwrap();
        assert!(other.temporary().exists(), "its lock is held");
        assert_ne!(other.temporary(), file.temporary());
        assert!(!folder.path().join(".a.json.4294967295.partial").exists());
        file.write_all(b"whole").unwrap();
        file.commit().unwrap();
        drop(other);
        assert_eq!(names(folder.path()), [".a.json.mine.partial", ".b.json.4294967295.partial", "a.json"]);
    }

    #[test]
    fn names_of_partial_files_say_which_file_it_was_to_be() {
        assert_eq!(name_of_partial(".result.json.12.partial"), Some("result.json"));
        assert_eq!(name_of_partial(".result.json.12.3.partial"), Some("result.json"));
        for other in ["result.json.12.partial", ".result.json.partial", ".x.partial", ".partial", ".a.json.1x.partial"]
        {
            assert_eq!(name_of_partial(other), None, "{other}");
        }
    }
}
