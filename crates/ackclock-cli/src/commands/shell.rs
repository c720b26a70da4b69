//! `ackclock completions` and `ackclock man`: what shells and `man` want to know, made from the arguments themselves.

use std::fs;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::Cli;
use crate::failure::{Exit, Failure};
use crate::{console, output};

/// Prints the completions for a shell.
pub fn completions(shell: Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "ackclock", &mut script);
    print(&script)
}

/// Prints the manual page of the program, or writes its page and that of every command to a folder.
pub fn man(folder: Option<&Path>) -> Result<Exit, Failure> {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        Man::new(Cli::command()).render(&mut page).map_err(Failure::defect)?;
        return print(&page);
    };
    let shown = folder.display();
    fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Cli::command(), folder)).map_err(|error| {
        Failure::outside(
            format_args!("cannot write to the folder `{shown}`: {error}"),
            "name another: ackclock man DIR",
        )
    })?;
    console::note(format_args!(
        "wrote the pages to {shown}\nread them with: man {}",
        folder.join("ackclock.1").display()
    ));
    Ok(Exit::Fine)
}

fn print(bytes: &[u8]) -> Result<Exit, Failure> {
    output::print(&String::from_utf8_lossy(bytes)).map(|()| Exit::Fine)
}
