//! What the ledger has of a run.

use std::collections::BTreeMap;

use ackclock_store::document::Run;
use serde::{Deserialize, Serialize};

/// What is kept of a run: a line of the ledger.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// In the order of [`METRICS`](crate::METRICS); nothing of a run that failed.
    pub numbers: Vec<Option<f64>>,
    /// The measures that were asked for, by their text.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub asked: BTreeMap<String, Option<f64>>,
    /// The port that limits, of which loss, queue and queueing delay are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<String>,
    /// Why there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// Sketches of queueing delays, one-way delays, round trips and completion times; empty where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delays: Vec<String>,
    /// When the goodput of a run that was looked at for that settles, if that is not at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settles_s: Option<f64>,
    /// The run as a result has it, with the measures that were asked for: `run` takes it from here. Not of small runs, nor in large
    /// sweeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<Box<Run>>,
}

impl Row {
    /// A hash of the numbers that every row has: runs with the same are equal, whatever else was asked for.
    pub(crate) fn hash_of_numbers(&self) -> u128 {
        let hash = blake3::hash(format!("{:?}", self.numbers).as_bytes());
        let (first, _) = hash.as_bytes().split_at(size_of::<u128>());
        u128::from_le_bytes(first.try_into().expect("a hash has 32 octets"))
    }
}

/// So many cells or packets at ports take some ten milliseconds. Of fewer, to keep and read a document costs as much as to do the run
/// again.
pub(crate) const LEAST_WITH_DOCUMENT: u64 = 20_000;
