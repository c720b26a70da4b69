//! What is measured of a run: each number once. From the tables come the row of a sweep, `compare`, the rule of how many seeds are enough,
//! the metrics of studies, and `explain`. A measure is two lines of a table and is there everywhere.
//!
//! [`Run`] decides over which time numbers are taken: that after the warm-up where there is one. [`Expression`] is the language of
//! measures: `goodput(f1)`, `jain(sent)`, `ratio(goodput: f1 / f2)`, `share(goodput: new)`, `p95(one-way-delay: ping)`,
//! `cwnd(f1, 10 to 20 s)`.

mod combine;
mod expression;
mod flow_history;
mod names;
mod part;
mod plateaus;
mod port_history;
mod quantity;
mod run;
mod tables;
mod told_windows;

pub use combine::Combine;
pub use expression::{Expression, ExpressionError};
pub use part::Part;
pub use port_history::correlation;
pub use quantity::Quantity;
pub use run::{Flow, Period, Port, Run, Udp};
pub use tables::{DISTRIBUTIONS, OF_FLOWS, OF_PORTS, OF_RUNS, OF_UDP, PORT_TALLIES};

use crate::record::{Histogram, Metric};
use crate::scenario::Scenario;

/// What a number can be, for the ends of intervals and of axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// 0 or more.
    AtLeast0,
    /// 0 to 1.
    Share,
    /// Jain's index: from the part of one flow to 1.
    Index,
    /// Any number.
    Any,
}

impl Range {
    /// The least and the most that it can be with so many flows.
    pub fn limits(self, flows: usize) -> (f64, f64) {
        match self {
            Range::AtLeast0 => (0.0, f64::INFINITY),
            Range::Share => (0.0, 1.0),
            Range::Index => (1.0 / flows.max(1) as f64, 1.0),
            Range::Any => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }
}

/// How the values of several flows, sources or ports become one where nothing is said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Counts are added up.
    Sum,
    /// Everything else is averaged.
    Mean,
    /// Of extremes the largest is taken.
    Largest,
}

/// What a table of measures is about: each has an entry for each run, flow, source or port.
pub trait Subject: 'static {
    /// One of them, in a run.
    type Of<'a>;
}

/// The table of a run: numbers of the network as a whole.
#[derive(Debug)]
pub enum Runs {}

/// The table of flows of TCP.
#[derive(Debug)]
pub enum Flows {}

/// The table of sources of datagrams.
#[derive(Debug)]
pub enum Sources {}

/// The table of output ports of switches.
#[derive(Debug)]
pub enum Ports {}

impl Subject for Runs {
    type Of<'a> = Run<'a>;
}

impl Subject for Flows {
    type Of<'a> = Flow<'a>;
}

impl Subject for Sources {
    type Of<'a> = Udp<'a>;
}

impl Subject for Ports {
    type Of<'a> = Port<'a>;
}

/// A number that something has: a run, a flow, a source of datagrams, a port.
#[derive(Debug)]
pub struct Measure<S: Subject> {
    /// Its name in expressions and as a column.
    pub name: &'static str,
    /// Its unit; empty for counts and shares. `units` are cells or packets, as ports of the network count them.
    pub unit: &'static str,
    /// What it can be.
    pub range: Range,
    /// How several become one.
    pub over: Over,
    /// What it means, in one sentence.
    pub about: &'static str,
    /// What has to be recorded for it: of a number that is counted anyway, for its value in a part of the run.
    pub needs: &'static [Need],
    /// Its value in the time that counts; `None` where it has no meaning. Without it, that in the part of the run that counts.
    pub of: Option<Of<S>>,
    /// Its value in a part of the run, where it has one there; `None` also where nothing is recorded.
    pub during: Option<During<S>>,
}

/// The value of something in the time that counts.
pub type Of<S> = for<'a> fn(&<S as Subject>::Of<'a>) -> Option<f64>;
/// Its value in a part of the run.
pub type During<S> = for<'a> fn(&<S as Subject>::Of<'a>, Part) -> Option<f64>;

impl<S: Subject> Measure<S> {
    /// Its value in the time that counts, or in a part of the run; `None` where it has none.
    pub fn value(&self, of: &S::Of<'_>, part: Option<Part>) -> Option<f64> {
        match part {
            None => self.of?(of),
            Some(part) => self.during?(of, part),
        }
    }
}

/// What has to be recorded for a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// How often each delay occurs.
    Delays,
    /// A metric over time.
    Series(Metric),
    /// A flow with a size: others have no such number, and are left out.
    File,
}

impl Need {
    /// Whether a scenario records it.
    pub fn is_met(self, scenario: &Scenario) -> bool {
        match self {
            Need::Delays => scenario.recording.delays,
            Need::File => true,
            Need::Series(metric) => scenario.recording.metrics.contains(metric),
        }
    }
}

/// Times of which it is known how often each occurred.
#[derive(Debug)]
pub struct Distribution {
    /// Its name in expressions: `p95(NAME)`.
    pub name: &'static str,
    /// Whether of sources of datagrams only those have it whose datagrams come back.
    pub needs_echo: bool,
    /// What it means, in one sentence.
    pub about: &'static str,
    /// Of a flow; `None` if flows have no such times.
    pub of_flow: Option<for<'a> fn(&Flow<'a>) -> Option<&'a Histogram>>,
    /// Of a source of datagrams.
    pub of_udp: Option<for<'a> fn(&Udp<'a>) -> Option<&'a Histogram>>,
    /// Of a port.
    pub of_port: Option<for<'a> fn(&Port<'a>) -> Option<&'a Histogram>>,
}
