//! Networks of one line: switches, and flows between hosts that enter and leave them. One file each, and one line in `list.rs`:
//! CONTRIBUTING.md has the recipe.
//! Source: docs/scenarios.md.

mod cascade;
mod dumbbell;
mod gfc;
mod graph;
mod list;
mod n_by_n;
mod n_source;
mod parking_lot;
mod star;

pub(crate) use list::{ABOUT, TOPOLOGIES, count_using, words_using};

use ackclock::keys::Value;
use ackclock::units::{Rate, Span};

/// The form of a network, as its file describes it.
#[derive(Debug)]
pub(crate) struct Topology {
    /// What scenario files call it.
    pub(crate) name: &'static str,
    /// What it is: a part of a sentence.
    pub(crate) about: &'static str,
    /// The keys of [network] that it has, in the order of `keys/network.rs`.
    pub(crate) uses: &'static [&'static str],
    /// The key of the rate of the links of hosts.
    pub(crate) access_rate: &'static str,
    /// The link that limits its flows, if it has one such link.
    pub(crate) bottleneck: Option<&'static str>,
    /// Whether all flows go to the host d1.
    pub(crate) one_destination: bool,
    /// Defaults of keys that it has and others must be given: key, value, source.
    pub(crate) defaults: &'static [(&'static str, Fallback, &'static str)],
    /// The flows that it makes, and how many switches; `None` if that is not known.
    pub(crate) flows: fn(&dyn Given) -> Option<Flows>,
    /// The links between the switches.
    pub(crate) trunks: fn(&dyn Given) -> Option<Vec<Trunk>>,
}

/// The default of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fallback {
    /// This value.
    Is(Value),
    /// That of `rate`. (Without that nothing is run, and that it is missing is enough to say.)
    Rate,
}

/// What is given of a network: the keys that are known and right.
pub(crate) trait Given {
    fn integer(&self, key: &str) -> Option<u64>;
    fn rate(&self, key: &str) -> Option<Rate>;
    fn span(&self, key: &str) -> Option<Span>;
}

/// The flows that a topology makes.
#[derive(Debug)]
pub(crate) struct Flows {
    pub(crate) switches: usize,
    pub(crate) flows: Vec<MadeFlow>,
}

/// A flow that a topology makes.
#[derive(Clone, Debug)]
pub(crate) struct MadeFlow {
    pub(crate) name: String,
    /// The numbers, from 1, of the switches at which its hosts are.
    pub(crate) enters: usize,
    pub(crate) leaves: usize,
    /// The delay of the links of its hosts, in multiples of that of the shortest.
    pub(crate) distance: u64,
}

impl MadeFlow {
    /// A flow between two switches, whose hosts are as near as any.
    pub(crate) fn new(name: impl Into<String>, enters: usize, leaves: usize) -> MadeFlow {
        MadeFlow { name: name.into(), enters, leaves, distance: 1 }
    }

    /// So many flows between two switches, called by the letter and their numbers from 1.
    pub(crate) fn several(letter: char, count: u64, enters: usize, leaves: usize) -> impl Iterator<Item = MadeFlow> {
        (1..=count).map(move |number| MadeFlow::new(format!("{letter}{number}"), enters, leaves))
    }
}

/// A link between two switches, which are known by their numbers from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Trunk {
    pub(crate) ends: (usize, usize),
    pub(crate) rate: Rate,
    pub(crate) delay: Span,
}

impl Trunk {
    /// Links of a chain of switches, from the first on.
    pub(crate) fn chain(links: impl IntoIterator<Item = (Rate, Span)>) -> Vec<Trunk> {
        (1..).zip(links).map(|(at, (rate, delay))| Trunk { ends: (at, at + 1), rate, delay }).collect()
    }
}

impl Topology {
    /// Whether it makes switches and flows by itself.
    pub(crate) fn makes_flows(&self) -> bool {
        !self.uses.is_empty()
    }

    /// The name of the host to which a flow goes that it makes.
    pub(crate) fn destination(&self, flow: &str) -> String {
        if self.one_destination { host('d', "1") } else { host('d', flow) }
    }

    /// How many hosts are destinations of so many flows.
    pub(crate) fn destinations(&self, flows: usize) -> usize {
        if self.one_destination { flows.min(1) } else { flows }
    }
}

/// The host of a flow that a topology makes: `letter` is `s` or `d`. f1 goes from s1 to d1, A1 from sA1 to dA1.
pub(crate) fn host(letter: char, flow: &str) -> String {
    let mut name = String::with_capacity(flow.len() + 1);
    name.push(letter);
    name.push_str(flow.strip_prefix('f').unwrap_or(flow));
    name
}

/// The name of a switch, counted from 1.
pub(crate) fn switch(number: usize) -> String {
    format!("sw{number}")
}
