//! `ackclock check`: is a scenario file valid, and what does it say in full?

use ackclock::scenario::{NodeKind, Scenario, Technology};

use crate::args::CheckArgs;
use crate::diagnostics::{self, plural};
use crate::failure::{Exit, Failure};
use crate::{editors, load, output};

/// Checks a scenario file.
pub fn check(args: &CheckArgs) -> Result<Exit, Failure> {
    let (loaded, annotated) = load::load_annotated(&args.file, &args.set)?;
    if args.print {
        output::print(&(editors::line() + &annotated))?;
        return Ok(Exit::Fine);
    }
    let warnings = match loaded.warnings.len() {
        0 => String::new(),
        _ => format!(", {}", diagnostics::count(&loaded.warnings)),
    };
    output::print(&format!("{}: valid, {}{warnings}\n", args.file, describe(&loaded.scenario)))?;
    Ok(Exit::Fine)
}

/// What a scenario simulates, in one line.
fn describe(scenario: &Scenario) -> String {
    let switches = scenario.nodes.iter().filter(|node| node.kind == NodeKind::Switch).count();
    let technology = match scenario.technology {
        Technology::Atm { .. } => "ATM",
        Technology::Packet { .. } => "packet",
    };
    let mut flows = plural(scenario.flows.len(), "flow");
    if !scenario.udp.is_empty() {
        flows += &format!(" and {}", plural(scenario.udp.len(), "UDP source"));
    }
    format!(
        "{technology} network of {} and {}, {flows}, {} s simulated",
        plural(scenario.nodes.len() - switches, "host"),
        // Not a regular plural.
        if switches == 1 { "1 switch".into() } else { format!("{switches} switches") },
        scenario.duration.as_secs_f64(),
    )
}
