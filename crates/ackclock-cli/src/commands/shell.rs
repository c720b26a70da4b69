//! `ackclock completions` and `ackclock man`: what shells and `man` want to know, made from the arguments themselves.

use std::path::Path;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::Cli;
use crate::failure::{Exit, Failure};
use crate::replace::{self, Kind};
use crate::{console, output};

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
    let mut pages = Vec::new();
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    render(&program, &mut pages)?;
    // Before the first is written it is known that nothing of others is replaced.
    pages.iter().try_for_each(|(name, _)| replace::refuse_other(&folder.join(name), Kind::Manual, ELSEWHERE))?;
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::outside(format_args!("cannot write to the folder `{shown}`: {error}"), ELSEWHERE))?;
    for (name, page) in pages {
        replace::write(&folder.join(name), Kind::Manual, &page, ELSEWHERE)?;
    }
    console::note(format_args!(
        "wrote the pages to {shown}\nread them with: man {}",
        folder.join("ackclock.1").display()
    ));
    Ok(Exit::Fine)
}

/// The page of a command and those of its commands, each with the name of its file.
fn render(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> Result<(), Failure> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        render(inner, pages)?;
    }
    let (man, mut page) = (Man::new(command.clone()), Vec::new());
    man.render(&mut page).map_err(Failure::defect)?;
    pages.push((man.get_filename(), page));
    Ok(())
}

const ELSEWHERE: &str = "name another folder: ackclock man DIR";

fn print(bytes: &[u8]) -> Result<Exit, Failure> {
    output::print(&String::from_utf8_lossy(bytes)).map(|()| Exit::Fine)
}
