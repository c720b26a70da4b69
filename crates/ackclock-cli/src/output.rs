//! Text that may be large, written bit by bit: to standard output, or to a file that has its name only when it is
//! whole.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;

use crate::failure::Failure;

/// Where the text goes.
pub enum Output {
    /// Standard output; none any more once the reader has gone away.
    Standard(Option<BufWriter<io::Stdout>>),
    /// A file.
    File {
        /// The text on its way.
        writer: BufWriter<File>,
        /// Its name while it is not whole.
        temporary: PathBuf,
        /// Its name.
        path: PathBuf,
    },
}

impl Output {
    /// Standard output.
    pub fn standard() -> Output {
        Output::Standard(Some(BufWriter::new(io::stdout())))
    }

    /// A file in a folder, which is made if it is not there.
    pub fn file(folder: &Path, name: &str) -> Result<Output, Failure> {
        let path = folder.join(name);
        let temporary = folder.join(format!(".{name}.{}.partial", process::id()));
        let file = fs::create_dir_all(folder).and_then(|()| File::create(&temporary));
        let file = file.map_err(|error| cannot_write(&path, &error))?;
        Ok(Output::File { writer: BufWriter::new(file), temporary, path })
    }

    /// Whether somebody still reads.
    pub fn is_open(&self) -> bool {
        !matches!(self, Output::Standard(None))
    }

    /// Writes some text.
    pub fn write(&mut self, text: &str) -> Result<(), Failure> {
        match self {
            Output::Standard(None) => Ok(()),
            Output::Standard(Some(writer)) => {
                let written = writer.write_all(text.as_bytes());
                self.standard_result(written)
            }
            Output::File { writer, path, .. } => {
                writer.write_all(text.as_bytes()).map_err(|error| cannot_write(path, &error))
            }
        }
    }

    /// Brings the rest to its place.
    pub fn finish(mut self) -> Result<(), Failure> {
        match &mut self {
            Output::Standard(None) => Ok(()),
            Output::Standard(Some(writer)) => {
                let written = writer.flush();
                self.standard_result(written)
            }
            Output::File { writer, temporary, path } => writer
                .flush()
                .and_then(|()| writer.get_ref().sync_all())
                .and_then(|()| fs::rename(temporary, &*path))
                .map_err(|error| cannot_write(path, &error)),
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
            Err(error) => Err(Failure::outside(
                format_args!("cannot write to standard output: {error}"),
                "check where the output goes and whether there is room",
            )),
            Ok(()) => Ok(()),
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Output::File { temporary, .. } = self {
            // It is there only if the file did not become whole.
            let _ = fs::remove_file(temporary);
        }
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::outside(
        format_args!("cannot write `{}`: {error}", path.display()),
        "make room, or choose another folder with --to DIR",
    )
}
