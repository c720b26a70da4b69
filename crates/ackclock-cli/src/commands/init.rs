//! `ackclock init`: a commented scenario to start from.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::failure::{Exit, Failure};
use crate::{console, editors, output};

/// Writes the template of a network of cells or of packets to a new file, or to standard output for `-`.
pub fn init(file: &Path, is_packet: bool) -> Result<Exit, Failure> {
    let template = editors::line() + if is_packet { PACKETS } else { CELLS };
    if file == Path::new("-") {
        output::print(&template)?;
        return Ok(Exit::Fine);
    }
    let shown = file.display();
    let mut new = OpenOptions::new().write(true).create_new(true).open(file).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Failure::outside(format_args!("`{shown}` exists already"), "name another file: ackclock init FILE")
        }
        _ => Failure::outside(format_args!("cannot write `{shown}`: {error}"), "name another file: ackclock init FILE"),
    })?;
    new.write_all(template.as_bytes()).and_then(|()| new.sync_all()).map_err(|error| {
        let _ = fs::remove_file(file);
        Failure::outside(
            format_args!("cannot write `{shown}`: {error}"),
            "free space on the disk, or name another file",
        )
    })?;
    let schema = file.with_file_name(editors::SCHEMA);
    console::note(format_args!("wrote {shown}\nrun it with: ackclock run {shown}"));
    if !schema.exists() {
        console::note(format_args!("completion in editors: ackclock schema > {}", schema.display()));
    }
    Ok(Exit::Fine)
}

const CELLS: &str = include_str!("template.toml");
const PACKETS: &str = include_str!("template-packet.toml");
