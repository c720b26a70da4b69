//! The command line of Ackclock: what is asked for on one side, the other crates on the other. The program calls [`main()`], and so does
//! the command that comes with the Python package.

mod args;
mod commands;
mod console;
pub mod diagnostics;
mod editors;
mod failure;
mod interrupt;
mod load;
mod output;
mod progress;
mod replace;
mod room;
mod seeds;
mod spelling;
mod suggested;
pub mod table;
mod words;

use std::ffi::OsString;
use std::panic;
use std::process;

use ackclock_sweep::cluster::Connect;
use clap::Parser;

use args::{Cli, Command};
use commands::{
    check, compare, contacts, explain, export, init, list, live, packetdrill, plot, quick, report, reproduce, rerun,
    run, shell, sweep, verify,
};
use failure::{Exit, Failure};

/// Does what a command line asks for, whose first word is the program, and returns the exit code. The process is that of the command line: it
/// takes Ctrl-C for itself, and a defect ends it. `connect` gives clusters, if there are any.
pub fn main(words: &[OsString], connect: Option<&Connect>) -> u8 {
    panic::set_hook(Box::new(defect));
    interrupt::watch();
    interrupt::survive_long_files();
    let cli = Cli::try_parse_from(words);
    let done = cli.map_or_else(|error| args::explain(&error), |cli| dispatch(&cli, args::command_line(words), connect));
    done.unwrap_or_else(|failure| failure.report()) as u8
}

/// What is said when a command finds no memory, and its exit code: for the allocator of a program.
pub const NO_MEMORY: (&str, i32) = (
    "record less (--record, --record-interval, --capture), run fewer seeds, of a sweep fewer at a time (--threads), \
     or raise the limit of memory (`ulimit -v`); finished runs are kept, and the same command goes on with the others",
    Exit::Outside as i32,
);

fn dispatch(cli: &Cli, command: Vec<String>, connect: Option<&Connect>) -> Result<Exit, Failure> {
    match &cli.command {
        Command::Quick(args) => quick::quick(args, command),
        Command::Run(args) => run::run(args, command),
        Command::Live(args) => live::live(args, command),
        Command::Doctor(args) => live::doctor(args),
        Command::Sweep(args) => sweep::sweep(args, connect),
        Command::Merge(args) => sweep::merge::merge(args),
        Command::Check(args) => check::check(args),
        Command::Contacts(args) => contacts::contacts(args),
        Command::Reproduce(args) => reproduce::reproduce(args, command),
        Command::Rerun(args) => rerun::rerun(args),
        Command::Verify(args) => verify::verify(args),
        Command::Export(args) => export::export(args),
        Command::Report(args) => report::report(args),
        Command::Compare(args) => compare::compare(args),
        Command::Plot(args) => plot::plot(args),
        Command::Packetdrill(args) => packetdrill::packetdrill(args),
        Command::Explain { word } => explain::explain(word),
        Command::List { what } => list::list(what.as_deref()),
        Command::Init { file, packet } => init::init(file, *packet),
        Command::Schema => {
            let schema = ackclock_scenario::json_schema();
            output::print(&format!("{schema:#}\n")).map(|()| Exit::Fine)
        }
        Command::Completions { shell } => shell::completions(*shell),
        Command::Man { dir } => shell::man(dir.as_deref()),
    }
}

/// A broken invariant, in whatever thread: say so and end. One of a run comes back as an error that names its scenario and seed.
fn defect(info: &panic::PanicHookInfo<'_>) {
    if ackclock_store::panics::is_caught(info) {
        return;
    }
    let place = info.location().map(|place| format!(" ({place})")).unwrap_or_default();
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    let exit = Failure::defect(format_args!("{}{place}", text.unwrap_or("no message"))).report();
    process::exit(exit as i32)
}
