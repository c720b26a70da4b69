//! Where the texts of scenario files come from.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use ackclock_sat::plan::Plan;

/// Where the texts of scenario files come from: a disk, or files embedded in a program.
pub trait Source: Sync {
    /// The bytes of the file at `path`.
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;

    /// The bytes of a file that another file names: by `extends`, or as element sets. The author of that file may not be
    /// the user of the program, so a source refuses files that do not end or that wait for a writer.
    ///
    /// # Errors
    /// If it cannot be read, or is no regular file.
    fn read_referenced(&self, path: &str) -> io::Result<Vec<u8>> {
        self.read(path)
    }

    /// The path that `extends = "reference"` in the file `from` means.
    fn join(&self, from: &str, reference: &str) -> String;

    /// The path in a form that means the same file wherever it is written.
    fn absolute(&self, path: &str) -> String {
        path.to_owned()
    }

    /// The contact plan in the folder at `path`, and the BLAKE3 of its index.
    fn plan(&self, path: &str) -> Result<(Plan, String), Unreadable> {
        Err(Unreadable {
            problem: format!("the contact plan {path} cannot be read here"),
            help: "run a scenario with a plan where the plan is a folder on a disk".to_owned(),
        })
    }
}

/// A contact plan that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// What is wrong, with the place.
    pub problem: String,
    /// What to do.
    pub help: String,
}

/// The file system.
pub struct Disk;

impl Source for Disk {
    /// Pipes are read: a shell may put one in the place of a file that the command line names.
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        read_limited(File::open(path)?)
    }

    fn read_referenced(&self, path: &str) -> io::Result<Vec<u8>> {
        // A pipe is not even opened: that would wait for a writer. Reading a folder gives an error of its own.
        let refused = |metadata: &Metadata| !metadata.is_file() && !metadata.is_dir();
        if refused(&std::fs::metadata(path)?) {
            return Err(not_regular());
        }
        let file = File::open(path)?;
        // What stands at the path may have changed since.
        if refused(&file.metadata()?) { Err(not_regular()) } else { read_limited(file) }
    }

    fn join(&self, from: &str, reference: &str) -> String {
        let folder = Path::new(from).parent().unwrap_or(Path::new(""));
        folder.join(reference).to_string_lossy().into_owned()
    }

    fn absolute(&self, path: &str) -> String {
        std::path::absolute(path).map_or(path.to_owned(), |path| path.to_string_lossy().into_owned())
    }

    #[cfg(feature = "files")]
    fn plan(&self, path: &str) -> Result<(Plan, String), Unreadable> {
        let folder = Path::new(path);
        let plan = Plan::read(folder).map_err(|error| Unreadable { problem: error.to_string(), help: error.help() })?;
        let index = ackclock_sat::plan::files::index(folder);
        let index = index.map_err(|error| Unreadable {
            problem: format!("the index of {path} cannot be read: {error}"),
            help: "check the path and the disk".to_owned(),
        })?;
        Ok((plan, blake3::hash(&index).to_hex().to_string()))
    }
}

/// The content of a file, if it is not too long.
fn read_limited(file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if length as u64 > MAX_BYTES {
        let problem = format!("it is longer than {} MiB, the longest file that is read", MAX_BYTES >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "it is no regular file but a device, a pipe or a socket")
}

/// Element sets of all catalogued objects as XML are a quarter of it.
const MAX_BYTES: u64 = 256 << 20;

/// Files held in memory: embedded in a program, typed into a page, made up by a test. Paths are separated by `/`.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: BTreeMap<String, Vec<u8>>,
}

impl Memory {
    /// No files.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// This source with one more file, which replaces a file of that path.
    pub fn with(mut self, path: &str, content: impl Into<Vec<u8>>) -> Memory {
        self.files.insert(path.to_owned(), content.into());
        self
    }
}

impl Source for Memory {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.files.get(path).cloned().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no such file"))
    }

    fn join(&self, from: &str, reference: &str) -> String {
        let mut parts: Vec<&str> = match reference.strip_prefix('/') {
            Some(_) => vec![""],
            None => from.rsplit_once('/').map_or(Vec::new(), |(folder, _)| folder.split('/').collect()),
        };
        for part in reference.trim_start_matches('/').split('/') {
            if part == ".." && parts.last().is_some_and(|last| !last.is_empty() && *last != "..") {
                parts.pop();
            } else if !matches!(part, "." | "") {
                parts.push(part);
            }
        }
        parts.join("/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_relative_to_the_file_that_makes_them() {
        let memory = Memory::new();
        assert_eq!(memory.join("a/b/c.toml", "base.toml"), "a/b/base.toml");
        assert_eq!(memory.join("a/b/c.toml", "../base.toml"), "a/base.toml");
        assert_eq!(memory.join("c.toml", "./base.toml"), "base.toml");
        assert_eq!(memory.join("c.toml", "../base.toml"), "../base.toml");
        assert_eq!(memory.join("a/c.toml", "/base.toml"), "/base.toml");
        assert_eq!(Disk.join("c.toml", "base.toml"), "base.toml");
        assert_eq!(Disk.join("a/c.toml", "base.toml"), Path::new("a").join("base.toml").to_string_lossy());
    }

    /// To read the device does not end, to open the pipe waits for a writer.
    #[test]
    #[cfg(unix)]
    fn what_a_file_names_is_a_regular_file() {
        let folder = std::env::temp_dir().join(format!("ackclock-source-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
        assert!(std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        for refused in ["/dev/zero", &path("pipe")] {
            let error = Disk.read_referenced(refused).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::Unsupported, "{refused}: {error}");
        }
        // A folder says so itself, whatever its message is called here.
        assert_ne!(Disk.read_referenced(&path(".")).unwrap_err().kind(), io::ErrorKind::Unsupported);
        std::fs::write(path("text"), "a = 1").unwrap();
        assert_eq!(Disk.read_referenced(&path("text")).unwrap(), b"a = 1");
        // A file of holes: long, and nothing on the disk.
        File::create(path("long")).unwrap().set_len(MAX_BYTES + 1).unwrap();
        let error = Disk.read_referenced(&path("long")).unwrap_err();
        assert_eq!(error.to_string(), "it is longer than 256 MiB, the longest file that is read");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
