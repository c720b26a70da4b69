//! `ackclock init`: a commented scenario to start from.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::console;
use crate::failure::{Exit, Failure};

/// Writes the template to a new file, or to standard output for `-`.
pub fn init(file: &Path) -> Result<Exit, Failure> {
    if file == Path::new("-") {
        console::print(TEMPLATE)?;
        return Ok(Exit::Fine);
    }
    let shown = file.display();
    let mut new = OpenOptions::new().write(true).create_new(true).open(file).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Failure::outside(format_args!("`{shown}` exists already"), "name another file: ackclock init FILE")
        }
        _ => Failure::outside(format_args!("cannot write `{shown}`: {error}"), "name another file: ackclock init FILE"),
    })?;
    new.write_all(TEMPLATE.as_bytes()).and_then(|()| new.sync_all()).map_err(|error| {
        let _ = fs::remove_file(file);
        Failure::outside(format_args!("cannot write `{shown}`: {error}"), "make room, or name another file")
    })?;
    console::note(format_args!("wrote {shown}\nrun it with: ackclock run {shown}"));
    Ok(Exit::Fine)
}

const TEMPLATE: &str = include_str!("template.toml");
