//! What `figures.toml` may say: its types, and nothing else.

use ackclock::units::Span;
use serde::Deserialize;

use super::{Coordinates, merged};

/// `figures.toml`, which a study may do without.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Figures {
    #[serde(default)]
    pub figure: Vec<Figure>,
}

/// A figure that shows what flows do over time, in one run or in several.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Figure {
    pub id: String,
    pub card: String,
    pub title: String,
    /// The run; of several, what they have in common.
    #[serde(default)]
    pub at: Coordinates,
    /// Several runs, drawn together. Without any there is one, at `at`.
    #[serde(default, rename = "run")]
    pub runs: Vec<FigureRun>,
    /// The flows that are drawn, of each run.
    pub flows: Vec<String>,
    /// The ports whose queue or utilisation is drawn, of each run.
    #[serde(default)]
    pub ports: Vec<String>,
    /// Numbers of waiting units that are drawn beside the queues, over the whole time.
    #[serde(default)]
    pub queue_levels: Vec<QueueLevel>,
    /// What is drawn of them, a plot each.
    #[serde(default = "cwnd_and_sequence")]
    pub plots: Vec<Plot>,
    pub until: Seconds,
    /// Instants of note, beside those at which the flows start and stop.
    #[serde(default)]
    pub marks: Vec<Instant>,
    /// What the study describes there.
    pub shows: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FigureRun {
    pub label: String,
    pub at: Coordinates,
}

/// A number of waiting units, for reference.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QueueLevel {
    pub units: f64,
    pub label: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Instant {
    pub at: Seconds,
    pub label: String,
}

/// What is drawn over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Plot {
    /// The congestion window, on every change.
    Cwnd,
    /// The round trips that TCP times.
    Rtt,
    /// Round trips, the estimate of the retransmission timer, and its timeout.
    Timer,
    /// Segments sent, retransmitted, acknowledged.
    Sequence,
    /// Bits per second sent, retransmissions included, in intervals of 0.1 s.
    Throughput,
    /// Throughput on average since the start of the flow.
    Average,
    /// What the sender may have outstanding: the smaller of its congestion window and of the window that it is told.
    SendWindow,
    /// What waits at ports.
    Queue,
    /// The part of the time in which ports transmit.
    Utilisation,
    /// ACR of the ABR source, and the max-min share of its connection.
    Acr,
}

fn cwnd_and_sequence() -> Vec<Plot> {
    vec![Plot::Cwnd, Plot::Sequence]
}

impl Figure {
    /// Its runs, each with its label and its coordinates.
    pub fn all_runs(&self) -> Vec<(&str, Coordinates)> {
        match &self.runs[..] {
            [] => vec![("", self.at.clone())],
            runs => runs.iter().map(|run| (run.label.as_str(), merged(&self.at, &run.at))).collect(),
        }
    }
}

/// A time, written as "3 s".
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Seconds(pub Span);

impl TryFrom<String> for Seconds {
    type Error = String;
    fn try_from(text: String) -> Result<Seconds, String> {
        let number = text.strip_suffix(" s").and_then(|number| number.parse::<u64>().ok());
        number
            .map(|number| Seconds(Span::from_secs(number)))
            .ok_or_else(|| format!("{text:?} is no time: write \"3 s\""))
    }
}
