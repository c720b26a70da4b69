//! The arguments of live runs.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::AskedArgs;

/// Run a scenario on the TCP of this machine's kernel (Linux): every host in a network namespace, the links simulated
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ackclock live scenario.toml --seeds 5 --out results/live\n  \
                        ackclock run scenario.toml --seeds 5 --out results/simulated\n  \
                        ackclock compare results/simulated results/live\n\n\
                        `ackclock doctor` says what this machine lacks. A run takes as long as the scenario says. It is valid, degraded\n\
                        or invalid by how late packets were; of an invalid run no numbers are shown, and the exit code is 1.")]
pub struct LiveArgs {
    /// The scenario file
    #[arg(value_hint = ValueHint::FilePath, required_unless_present_any = ["clean", "self_test"])]
    pub file: Option<String>,
    /// Run N times, with the seed of the scenario and those after it: a seed decides what links lose
    #[arg(long, visible_alias = "repeat", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub seeds: u32,
    #[command(flatten)]
    pub asked: AskedArgs,
    /// The result folder [default: results/NAME-HASH-live]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// Name the namespaces, for `ip netns exec` beside the run
    #[arg(long)]
    pub named: bool,
    /// Measure how exact rates and delays are on this machine; no scenario
    #[arg(long, conflicts_with_all = ["file", "clean"])]
    pub self_test: bool,
    /// Take away names of namespaces that killed runs have left; no scenario
    #[arg(long, conflicts_with = "file")]
    pub clean: bool,
}

/// Say what this machine can do for live runs, and what to do about each gap (Linux)
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ackclock doctor\n\nExit code 0: live runs go; 1: something is missing.")]
pub struct DoctorArgs {
    /// Print one JSON document instead of the table
    #[arg(long)]
    pub json: bool,
}
