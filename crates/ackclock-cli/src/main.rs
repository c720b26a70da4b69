//! The command line of Ackclock: what is asked for on one side, the other crates on the other.

mod args;
mod commands;
mod console;
mod diagnostics;
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
mod table;
mod words;

use std::panic;
use std::process::{self, ExitCode};

use clap::Parser;

use args::{Cli, Command};
use commands::{
    check, compare, contacts, explain, export, init, list, plot, quick, report, reproduce, rerun, run, shell, sweep,
    verify,
};
use failure::{Exit, Failure};

/// What there is no memory for ends the program like a full disk, not with the signal of Rust.
#[global_allocator]
static MEMORY: ackclock_memory::Reporting = ackclock_memory::Reporting::new(
    "record less (--record, --record-interval, --capture), run fewer seeds, of a sweep fewer at a time (--threads), \
     or raise the limit of memory (`ulimit -v`); finished runs are kept, and the same command goes on with the others",
    Exit::Outside as i32,
);

fn main() -> ExitCode {
    panic::set_hook(Box::new(defect));
    interrupt::watch();
    interrupt::survive_long_files();
    let cli = Cli::try_parse();
    let exit = cli.map_or_else(|error| args::explain(&error), dispatch).unwrap_or_else(|failure| failure.report());
    ExitCode::from(exit as u8)
}

fn dispatch(cli: Cli) -> Result<Exit, Failure> {
    match &cli.command {
        Command::Quick(args) => quick::quick(args, args::command_line()),
        Command::Run(args) => run::run(args, args::command_line()),
        Command::Sweep(args) => sweep::sweep(args),
        Command::Merge(args) => sweep::merge::merge(args),
        Command::Check(args) => check::check(args),
        Command::Contacts(args) => contacts::contacts(args),
        Command::Reproduce(args) => reproduce::reproduce(args, args::command_line()),
        Command::Rerun(args) => rerun::rerun(args),
        Command::Verify(args) => verify::verify(args),
        Command::Export(args) => export::export(args),
        Command::Report(args) => report::report(args),
        Command::Compare(args) => compare::compare(args),
        Command::Plot(args) => plot::plot(args),
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
