//! The arguments of `packetdrill`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::commands::quick::tcps;
use crate::suggested::Suggested;

/// Run packetdrill scripts against the simulated TCP: what is sent, when, and what TCP_INFO says
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ackclock packetdrill script.pkt\n\n\
                        What is understood, and what has no meaning in a simulation: docs/packetdrill.md.\n\
                        Exit code 0: all pass; 4: some differ; 3: none differ, but some cannot be run.")]
pub struct PacketdrillArgs {
    /// Scripts, or folders in which all files *.pkt are run
    #[arg(value_name = "SCRIPT", required = true, value_hint = ValueHint::AnyPath)]
    pub scripts: Vec<PathBuf>,
    /// Defaults of the simulated TCP
    #[arg(long, value_name = "DIALECT", default_value = "linux", value_parser = Suggested(tcps::dialect_names), hide_possible_values = true)]
    pub dialect: String,
    /// Print one JSON document instead of lines
    #[arg(long)]
    pub json: bool,
}
