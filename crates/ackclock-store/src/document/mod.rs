//! The one JSON document: what `run --json` prints and `result.json` holds.
//! Keys are stable within a format version; units are in their names; nothing depends on when or where it was made.

#![allow(missing_docs)] // The names of the fields are the keys of the document, and say what they are.

pub mod abr;
pub mod changed;
pub mod delay_kinds;
pub mod delays;
pub mod events;
#[doc(hidden)]
pub mod example;
pub mod feedback;
pub mod interval;
pub mod keyed;
mod limited;
mod lines;
pub mod live;
mod measured;
pub(crate) mod run;
pub mod summary;

pub use limited::Limited;
pub use run::{DropCounts, Flow, Link, LinkVc, Port, PortAfterWarmup, Run, Udp, UdpAfterWarmup, Vc};

use std::io::{self, Write};

use ackclock::scenario::{Scenario, Technology};
use ackclock::sim::RESULT_VERSION;
use serde::{Deserialize, Serialize};

use crate::seal::Sealing;
use events::EventPart;
use live::Live;
use summary::SummaryPart;

/// The value of `format`, by which a result is recognized.
pub const FORMAT: &str = "ackclock-result";
/// The number that changes whenever a reader of the document would have to.
pub const FORMAT_VERSION: u32 = 2;

/// What ports of ATM networks count.
const CELLS: &str = "cells";
/// Members of a run are on lines of their own, and what is below them, as each flow and port, on one line.
const DEPTH: usize = 4;

/// One scenario, run under some seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    pub format: String,
    pub format_version: u32,
    /// The version of the program.
    pub ackclock: String,
    /// Changes whenever any run could give other numbers.
    pub result_version: u32,
    /// The command line, beginning with the program's name.
    pub command: Vec<String>,
    pub scenario: ScenarioPart,
    /// There only of runs on the TCP of a kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<Live>,
    /// The seeds that were asked for.
    pub seeds: Vec<u64>,
    /// Whether all of them were run to the end.
    pub complete: bool,
    /// One entry per finished run, in the order of the seeds.
    pub runs: Vec<Run>,
    pub summary: SummaryPart,
}

/// What was simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenarioPart {
    pub name: String,
    /// BLAKE3 of the resolved scenario, in hexadecimal digits.
    pub hash: String,
    /// What ports count: `cells` or `packets`.
    pub unit: String,
    pub duration_s: f64,
    pub warmup_s: f64,
    /// What efficiency refers to.
    pub bottleneck: Option<BottleneckPart>,
    /// What happens to the network: handovers of terminals, links between satellites, routes. In order of time.
    #[serde(default)]
    pub events: Vec<EventPart>,
    /// What the checker warned of, in sentences.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// The scenario file with every key written out.
    pub resolved: String,
}

/// The link that limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BottleneckPart {
    pub link: String,
    /// TCP payload that counts as an efficiency of 1.
    pub capacity_bps: f64,
}

impl Document {
    /// Puts together what was asked for and what came out. `runs` are in the order of the seeds.
    pub fn new(command: Vec<String>, scenario: ScenarioPart, seeds: Vec<u64>, runs: Vec<Run>) -> Document {
        let summary = SummaryPart::of(&runs);
        Document { summary, ..Document::together(command, scenario, seeds, runs) }
    }

    /// The same, whose summary is of all flows, ports and links together: those of each would take twice the memory of a run.
    pub fn together(command: Vec<String>, scenario: ScenarioPart, seeds: Vec<u64>, runs: Vec<Run>) -> Document {
        Document {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
            ackclock: env!("CARGO_PKG_VERSION").into(),
            result_version: RESULT_VERSION,
            command,
            scenario,
            live: None,
            complete: runs.len() == seeds.len(),
            seeds,
            summary: SummaryPart::of_all(&runs),
            runs,
        }
    }

    /// The same document of runs on the TCP of a kernel.
    pub fn of_live(self, live: Live) -> Document {
        Document { live: Some(live), ..self }
    }

    /// Whether ports count cells, so that they know of frames.
    pub fn counts_cells(&self) -> bool {
        self.scenario.unit == CELLS
    }

    /// The text of the document, ending in a line feed.
    pub fn to_json(&self) -> String {
        let mut text = Vec::new();
        self.write_json(&mut text).expect("memory can be written to");
        String::from_utf8(text).expect("JSON is UTF-8")
    }

    /// Writes the same text, piece by piece: of many flows it is long. Its last member is the checksum of all before.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        let mut out = Sealing::new(out);
        lines::write(&mut out, self, DEPTH)?;
        out.finish().map(drop)
    }

    /// Reads a document; `None` for any other text.
    pub fn from_json(text: &str) -> Option<Document> {
        serde_json::from_str(text).ok().filter(|d: &Document| d.format == FORMAT && d.format_version == FORMAT_VERSION)
    }
}

impl ScenarioPart {
    /// The description of a scenario whose resolved text is `resolved`.
    pub fn of(scenario: &Scenario, resolved: String) -> ScenarioPart {
        ScenarioPart {
            name: scenario.name.clone(),
            hash: blake3::hash(resolved.as_bytes()).to_hex().to_string(),
            unit: match scenario.technology {
                Technology::Atm { .. } => CELLS.into(),
                Technology::Packet { .. } => "packets".into(),
            },
            duration_s: scenario.duration.as_secs_f64(),
            warmup_s: scenario.warmup.as_secs_f64(),
            bottleneck: scenario.bottleneck.as_ref().map(|bottleneck| BottleneckPart {
                link: scenario.links[bottleneck.link].name.clone(),
                capacity_bps: bottleneck.capacity_bps,
            }),
            events: scenario.events.iter().map(EventPart::from).collect(),
            warnings: Vec::new(),
            resolved,
        }
    }

    /// The same with what the checker warned of.
    pub fn warned(self, warnings: Vec<String>) -> ScenarioPart {
        ScenarioPart { warnings, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::example::example;

    #[test]
    fn a_document_survives_being_written_and_read_to_the_last_bit() {
        let document = example(3, 2, 7);
        assert_eq!(Document::from_json(&document.to_json()), Some(document));
    }

    #[test]
    fn documents_of_others_are_not_taken_for_ours() {
        let other = example(1, 1, 1).to_json().replace(FORMAT, "something-else");
        assert_eq!(Document::from_json(&other), None);
        assert_eq!(Document::from_json("{}"), None);
    }

    #[test]
    fn efficiency_is_null_where_no_bottleneck_is_named() {
        let mut runs = example(1, 1, 2).runs;
        runs.iter_mut().for_each(|run| run.efficiency = None);
        assert_eq!(SummaryPart::of(&runs).efficiency, None);
    }

    #[test]
    fn the_summary_is_taken_over_the_seeds() {
        // Flow 1 delivers 1.1, 1.2 and 1.3 Mb/s.
        let goodput = example(2, 1, 3).summary.flows[0].goodput_bps;
        assert!((goodput.mean - 1.2e6).abs() < 1e-3);
        assert_eq!((goodput.min, goodput.max), (1.1e6, 1.3e6));
        // Sample standard deviation 0.1 Mb/s, t = 4.30265: 4.30265 · 0.1 / sqrt 3 = 0.248414 Mb/s
        assert!((goodput.ci95.unwrap() - 248_414.0).abs() < 1.0);
    }
}
