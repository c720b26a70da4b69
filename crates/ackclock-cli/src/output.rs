//! Results: as a whole to standard output, or bit by bit, to standard output or to a file that has its name only when it is
//! whole.

use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use ackclock_store::WholeFile;

use crate::console;
use crate::failure::Failure;

/// Writes a result. A reader that has seen enough and closed the pipe is no failure.
pub fn print(text: &str) -> Result<(), Failure> {
    let text = &*console::harmless(text);
    print_styled(text)
}

/// Writes a text that has colours of its own.
pub fn print_styled(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(no_standard_output(&error)),
        _ => Ok(()),
    }
}

/// Where the text goes.
pub enum Output {
    /// Standard output; none any more once the reader has gone away.
    Standard(Option<BufWriter<io::Stdout>>),
    File {
        /// The text on its way.
        writer: WholeFile,
        path: PathBuf,
        /// What to do if it cannot be written there.
        elsewhere: &'static str,
    },
}

impl Output {
    /// Standard output.
    pub fn standard() -> Output {
        Output::Standard(Some(BufWriter::new(io::stdout())))
    }

    /// A file in a folder, which is made if it is not there. `elsewhere` is said if it cannot be written.
    pub fn file(folder: &Path, name: &str, elsewhere: &'static str) -> Result<Output, Failure> {
        let path = folder.join(name);
        let file = fs::create_dir_all(folder).and_then(|()| WholeFile::create(&path));
        let writer = file.map_err(|error| cannot_write(&path, &error, elsewhere))?;
        Ok(Output::File { writer, path, elsewhere })
    }

    /// Whether there is still a reader.
    pub fn is_open(&self) -> bool {
        !matches!(self, Output::Standard(None))
    }

    pub fn write(&mut self, text: &str) -> Result<(), Failure> {
        self.write_bytes(text.as_bytes())
    }

    /// Writes what is no text.
    pub fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match self {
            Output::Standard(None) => Ok(()),
            Output::Standard(Some(writer)) => {
                let written = writer.write_all(bytes);
                self.standard_result(written)
            }
            Output::File { writer, path, elsewhere, .. } => {
                writer.write_all(bytes).map_err(|error| cannot_write(path, &error, elsewhere))
            }
        }
    }

    /// Brings the rest to its place.
    pub fn finish(mut self) -> Result<(), Failure> {
        if let Output::Standard(writer) = &mut self {
            let written = writer.as_mut().map_or(Ok(()), BufWriter::flush);
            return self.standard_result(written);
        }
        match self {
            Output::File { writer, path, elsewhere } => {
                writer.commit().map_err(|error| cannot_write(&path, &error, elsewhere))
            }
            Output::Standard(_) => Ok(()),
        }
    }

    /// A reader that has seen enough and closed the pipe is no failure.
    fn standard_result(&mut self, written: io::Result<()>) -> Result<(), Failure> {
        match written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                // What has not been written must not be tried again as the writer goes.
                if let Output::Standard(writer) = self
                    && let Some(writer) = writer.take()
                {
                    let _ = writer.into_parts();
                }
                Ok(())
            }
            Err(error) => Err(no_standard_output(&error)),
            Ok(()) => Ok(()),
        }
    }
}

fn no_standard_output(error: &io::Error) -> Failure {
    Failure::outside(
        format_args!("cannot write to standard output: {error}"),
        "check the destination of the output and its free space",
    )
}

/// What to do where nothing can be written: room helps only against a full disk.
pub fn remedy(error: &io::Error, elsewhere: &str) -> String {
    match error.kind() {
        ErrorKind::FileTooLarge => format!("raise the limit of the length of files (`ulimit -f`), or {elsewhere}"),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            format!("free space on the disk, or {elsewhere}")
        }
        _ => elsewhere.into(),
    }
}

fn cannot_write(path: &Path, error: &io::Error, elsewhere: &str) -> Failure {
    Failure::outside(format_args!("cannot write `{}`: {error}", path.display()), remedy(error, elsewhere))
}

/// The remedy of commands that write into a folder.
pub const OTHER_FOLDER: &str = "choose another folder with --to DIR";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_disk_needs_room() {
        let remedy = |kind: ErrorKind| remedy(&kind.into(), OTHER_FOLDER);
        assert_eq!(remedy(ErrorKind::StorageFull), "free space on the disk, or choose another folder with --to DIR");
        assert_eq!(remedy(ErrorKind::PermissionDenied), "choose another folder with --to DIR");
    }
}
