//! Files in folders that the program owns: how every command opens them.
//!
//! Such a folder may have come from elsewhere. A symbolic link, a device, a FIFO or a socket under the name of a file of ours, or a link
//! under the name of a folder within a result, is refused: nothing outside of the folder is read, written or made shorter, and nothing is waited for.
//! The folder itself may be reached through links: the user named it.

use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Something that is not a file under the name of a file, or not a folder under the name of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// A symbolic link.
    Link,
    /// A folder where a file is expected.
    Folder,
    /// A file where a folder is expected.
    File,
    /// A device, a FIFO or a socket.
    Special,
    /// A file with a second name: what is written to one is written to the other.
    SecondName,
    /// It became another file while it was opened.
    Exchanged,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::Link => "it is a symbolic link, and ackclock follows none in its folders",
            Refused::Folder => "it is a folder, not a file",
            Refused::File => "it is not a folder",
            Refused::Special => "it is a device, a FIFO or a socket, not a file",
            Refused::SecondName => "it is a file with two names (a hard link), and ackclock writes to none of these",
            Refused::Exchanged => "it was exchanged while it was opened",
        })
    }
}

impl std::error::Error for Refused {}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> io::Error {
        io::Error::new(ErrorKind::InvalidInput, refused)
    }
}

impl Refused {
    /// Why a file was refused, if that is what this error says.
    pub fn of(error: &io::Error) -> Option<Refused> {
        error.get_ref()?.downcast_ref::<Refused>().copied()
    }
}

/// What to do about a file that is refused.
pub const REFUSED_HELP: &str = "remove it, or put the file itself in its place";

/// Opens a file to read it.
///
/// # Errors
/// If it is not there, is no file, or cannot be read.
pub fn open(path: &Path) -> io::Result<File> {
    opened(path, OpenOptions::new().read(true))
}

/// Opens a file that is there to read it and to write to it where it is. Its content stays.
///
/// # Errors
/// If it is not there, is no file, has a second name, or cannot be written.
pub fn open_to_write(path: &Path) -> io::Result<File> {
    let file = opened(path, OpenOptions::new().read(true).write(true))?;
    refuse_second_name(&file.metadata()?)?;
    Ok(file)
}

/// Opens a file to read it and to add to its end; makes it if it is not there.
///
/// # Errors
/// If it is no file, has a second name, or cannot be written.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    match opened(path, OpenOptions::new().read(true).append(true)) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            refuse_links_above(path)?;
            OpenOptions::new().read(true).append(true).create_new(true).open(path)
        }
        opened => {
            let file = opened?;
            refuse_second_name(&file.metadata()?)?;
            Ok(file)
        }
    }
}

/// Makes a file that is not there.
///
/// # Errors
/// If anything has its name, a link that leads nowhere included, or if it cannot be written.
pub fn create_new(path: &Path) -> io::Result<File> {
    refuse_links_above(path)?;
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

/// Makes a folder, with those above it.
///
/// # Errors
/// If it cannot be made, or if there is a link under its name or that of a folder of the same result above it.
pub fn create_folder(path: &Path) -> io::Result<()> {
    refuse_links_down_to(path)?;
    fs::create_dir_all(path)
}

/// The content of a file.
///
/// # Errors
/// If it is not there, is no file, or cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open(path)?.read_to_end(&mut content)?;
    Ok(content)
}

/// The text of a file.
///
/// # Errors
/// If it is not there, is no file, cannot be read, or is no text.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

/// The length of a file and the BLAKE3 of its content, in hexadecimal digits.
pub fn checksum(path: &Path) -> io::Result<(u64, String)> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(open(path)?)?;
    Ok((hasher.count(), hasher.finalize().to_hex().to_string()))
}

/// Makes sure that nothing has this name, or a file.
///
/// # Errors
/// If something else has it.
pub fn refuse_other(path: &Path) -> io::Result<()> {
    refuse_links_above(path)?;
    match path.symlink_metadata() {
        Ok(metadata) => refuse_no_file(&metadata),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes sure that a folder, if it is there, and everything in it is a folder or a file. The path of what is not, with the reason.
///
/// # Errors
/// If anything is not, or cannot be looked at.
pub fn refuse_links_within(folder: &Path) -> Result<(), (std::path::PathBuf, io::Error)> {
    let at = |path: &Path| {
        let path = path.to_path_buf();
        move |error: io::Error| (path, error)
    };
    match folder.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(at(folder)(error)),
        Ok(metadata) if !metadata.is_dir() => return refuse_no_file(&metadata).map_err(at(folder)),
        Ok(_) => {}
    }
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        refuse_links_within(&entry.map_err(at(folder))?.path())?;
    }
    Ok(())
}

fn opened(path: &Path, options: &OpenOptions) -> io::Result<File> {
    refuse_links_above(path)?;
    // Looked at before: to open a FIFO waits for its other end, and some devices do things when they are opened.
    let before = path.symlink_metadata()?;
    refuse_no_file(&before)?;
    let file = options.open(path)?;
    match is_same(&before, &file.metadata()?) {
        true => Ok(file),
        false => Err(Refused::Exchanged.into()),
    }
}

fn refuse_no_file(metadata: &Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    match kind {
        _ if kind.is_file() => Ok(()),
        _ if kind.is_symlink() => Err(Refused::Link.into()),
        _ if kind.is_dir() => Err(Refused::Folder.into()),
        _ => Err(Refused::Special.into()),
    }
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    one.file_type() == other.file_type()
}

#[cfg(unix)]
fn refuse_second_name(metadata: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    if metadata.nlink() > 1 { Err(Refused::SecondName.into()) } else { Ok(()) }
}

#[cfg(not(unix))]
fn refuse_second_name(_: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Refuses links among the folders of a result that a file is in.
fn refuse_links_above(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), refuse_links_down_to)
}

/// Refuses a link, or a file, under the name of a folder within a result: `tables/seed-1`, `.ackclock.unfinished/HASH`, and those above it.
fn refuse_links_down_to(folder: &Path) -> io::Result<()> {
    let mut at = folder;
    while let Some((whole, above)) = within_result(at) {
        for folder in whole {
            match folder.symlink_metadata() {
                Ok(metadata) if metadata.is_dir() => {}
                Ok(metadata) if metadata.is_symlink() => return Err(Refused::Link.into()),
                Ok(_) => return Err(Refused::File.into()),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        at = above;
    }
    Ok(())
}

/// A folder within a result, with the one that it is always in, and the folder above both.
fn within_result(folder: &Path) -> Option<([&Path; 2], &Path)> {
    let name = |path: &'_ Path| path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let above = folder.parent()?;
    let is_within = match name(above).as_str() {
        "tables" | "captures" | "flows" => name(folder).starts_with("seed-"),
        ".ackclock.unfinished" => true,
        _ => false,
    };
    is_within.then_some(([folder, above], above.parent()?))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::*;

    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Place {
            let path = std::env::temp_dir().join(format!("ackclock-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).unwrap();
            Place(path)
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn refused<T>(found: io::Result<T>) -> Option<Refused> {
        found.err().as_ref().and_then(Refused::of)
    }

    #[test]
    fn what_is_no_file_is_opened_by_nobody() {
        let place = Place::new("no-file");
        let outside = place.0.join("outside");
        fs::write(&outside, "of the user").unwrap();
        let folder = place.0.join("result");
        fs::create_dir(&folder).unwrap();
        symlink(&outside, folder.join("link")).unwrap();
        symlink(place.0.join("nothing"), folder.join("dangling")).unwrap();
        symlink("/dev/zero", folder.join("device")).unwrap();
        fs::create_dir(folder.join("folder")).unwrap();
        let fifo = std::process::Command::new("mkfifo").arg(folder.join("fifo")).status();
        fs::hard_link(&outside, folder.join("second")).unwrap();
        for (name, why) in [
            ("link", Refused::Link),
            ("dangling", Refused::Link),
            ("device", Refused::Link),
            ("folder", Refused::Folder),
            ("fifo", Refused::Special),
        ] {
            let path = folder.join(name);
            if name == "fifo" && !fifo.as_ref().is_ok_and(|status| status.success()) {
                eprintln!("*** SKIPPED: no mkfifo: a FIFO was NOT tried ***");
                continue;
            }
            assert_eq!(refused(open(&path)), Some(why), "{name}");
            assert_eq!(refused(open_to_write(&path)), Some(why), "{name}");
            assert_eq!(refused(open_to_append(&path)), Some(why), "{name}");
            assert_eq!(refused(read(&path)), Some(why), "{name}");
            assert_eq!(refused(refuse_other(&path)), Some(why), "{name}");
            assert!(create_new(&path).is_err());
        }
        // What is only read may have two names: backups do that.
        assert_eq!(read(&folder.join("second")).unwrap(), b"of the user");
        assert_eq!(refused(open_to_write(&folder.join("second"))), Some(Refused::SecondName));
        assert_eq!(refused(open_to_append(&folder.join("second"))), Some(Refused::SecondName));
        assert!(!place.0.join("nothing").exists());
        assert_eq!(fs::read(&outside).unwrap(), b"of the user");
        let (path, _) = refuse_links_within(&folder).unwrap_err();
        assert!(["link", "dangling", "device", "fifo"].map(|name| folder.join(name)).contains(&path), "{path:?}");
    }

    #[test]
    fn folders_within_a_result_are_no_links_and_those_that_the_user_names_may_be() {
        let place = Place::new("folders");
        let elsewhere = place.0.join("elsewhere");
        fs::create_dir_all(elsewhere.join("seed-1")).unwrap();
        fs::write(elsewhere.join("seed-1/index.json"), "{}").unwrap();
        let folder = place.0.join("result");
        fs::create_dir(&folder).unwrap();
        symlink(&elsewhere, folder.join("tables")).unwrap();
        fs::create_dir(folder.join("captures")).unwrap();
        symlink(elsewhere.join("seed-1"), folder.join("captures/seed-1")).unwrap();
        symlink(&elsewhere, folder.join(".ackclock.unfinished")).unwrap();
        for path in ["tables/seed-1/index.json", "captures/seed-1/index.json", ".ackclock.unfinished/0123/runs.jsonl"] {
            let path = folder.join(path);
            assert_eq!(refused(open(&path)), Some(Refused::Link), "{path:?}");
            assert_eq!(refused(create_new(&path)), Some(Refused::Link), "{path:?}");
            assert_eq!(refused(create_folder(path.parent().unwrap())), Some(Refused::Link), "{path:?}");
        }
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 1);
        symlink(&elsewhere, place.0.join("named")).unwrap();
        assert!(open(&place.0.join("named/seed-1/index.json")).is_ok());
        assert!(create_folder(&place.0.join("named/new/deeper")).is_ok());
    }
}
