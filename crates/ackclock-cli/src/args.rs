//! The arguments of every command, and their help.

use std::env;
use std::path::PathBuf;

use ackclock::sim::{self, RESULT_VERSION};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::console;
use crate::failure::{Exit, Failure};

/// Cell-accurate laboratory for TCP over ATM and packet networks.
#[derive(Debug, Parser)]
#[command(
    name = "ackclock",
    version = version(),
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "First steps:\n  ackclock init            write a scenario, scenario.toml\n  \
                  ackclock run scenario.toml\n\n\
                  Exit codes: 0 fine, 1 a file or disk failed, 2 wrong usage, 3 scenario invalid,\n            \
                  4 a reproduction differs, 130 interrupted"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Run(RunArgs),
    Check(CheckArgs),
    Reproduce(ReproduceArgs),
    /// List what can be named: policies, recoveries, topologies, ..., and the studies
    #[command(after_help = "Example:\n  ackclock list")]
    List {
        /// Only the words of this key, or `studies`
        what: Option<String>,
    },
    /// Write a commented scenario to start from
    #[command(after_help = "Example:\n  ackclock init scenario.toml")]
    Init {
        /// The new file; `-` is standard output
        #[arg(default_value = "scenario.toml")]
        file: PathBuf,
    },
    /// Print the JSON Schema of scenario files, for editors
    #[command(after_help = "Example:\n  ackclock schema > scenario.schema.json")]
    Schema,
}

/// Simulate a scenario: a table on standard output, everything else in a result folder
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ackclock run scenario.toml --seeds 5 --set queue.policy=fba")]
pub struct RunArgs {
    /// The scenario file
    pub file: String,
    /// Run under N seeds, beginning with the scenario's, and give confidence intervals
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub seeds: u32,
    /// Replace a value of the scenario; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Print one JSON document instead of the table
    #[arg(long)]
    pub json: bool,
    /// The result folder [default: results/NAME-HASH, the same for the same scenario]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The fast engine or the plain one, event by event; the result is the same to the bit
    #[arg(long, value_enum, default_value_t)]
    pub engine: Engine,
}

/// Check a scenario without running it
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ackclock check scenario.toml --print")]
pub struct CheckArgs {
    /// The scenario file
    pub file: String,
    /// Replace a value of the scenario; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Print the whole scenario, with every default and where each value comes from
    #[arg(long)]
    pub print: bool,
}

/// Run a published study again and compare every number
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ackclock reproduce sack-ubr --quick\n\nStudies and cards: ackclock list studies")]
pub struct ReproduceArgs {
    /// The study, or one card of it; all studies if it is left out
    #[arg(value_name = "STUDY[/CARD]")]
    pub study: Option<String>,
    /// Only a part of the numbers, with fewer seeds
    #[arg(long)]
    pub quick: bool,
    /// Run every point under the seeds 1 to N [default: what the study says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub seeds: Option<u64>,
    /// Print one JSON document instead of the tables
    #[arg(long)]
    pub json: bool,
    /// Where finished runs and reports are kept
    #[arg(long, value_name = "DIR", default_value = "results/reproduce")]
    pub out: PathBuf,
    /// The fast engine or the plain one, event by event; finished runs of both are kept, for they are the same
    #[arg(long, value_enum, default_value_t)]
    pub engine: Engine,
}

/// The engines by name. (Comments at the variants would become help, a line for each option and each engine.)
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Engine {
    #[default]
    Batched,
    Reference,
}

impl From<Engine> for sim::Engine {
    fn from(engine: Engine) -> sim::Engine {
        match engine {
            Engine::Batched => sim::Engine::Batched,
            Engine::Reference => sim::Engine::Reference,
        }
    }
}

/// The command line as it is kept with the result; the program's path is left out.
pub fn command_line() -> Vec<String> {
    let arguments = env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    ["ackclock".to_string()].into_iter().chain(arguments).collect()
}

/// Shows what clap has to say: help and version are results, the rest is an error of usage.
pub fn explain(error: &clap::Error) -> Result<Exit, Failure> {
    let text = error.render().ansi().to_string();
    if !error.use_stderr() {
        return console::print(&text).map(|()| Exit::Fine);
    }
    console::stderr(format_args!("{text}"));
    Ok(Exit::Usage)
}

fn version() -> String {
    format!("{} (result version {RESULT_VERSION})", env!("CARGO_PKG_VERSION"))
}
