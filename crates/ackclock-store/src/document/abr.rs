//! What ABR connections, and the ports that tell them rates, did: under one seed, and over several. Rates include cell headers.

#![allow(missing_docs)] // The names of the fields are the keys of the document, and say what they are.

use ackclock::record::metrics::jain;
use ackclock::record::{AbrCounts, AbrRecord, PortRatesRecord};
use ackclock::units::CELL_BITS;
use serde::{Deserialize, Serialize};

use super::interval::{Interval, over};
use super::keyed::{Keyed, counted};

/// What the source of one ABR connection did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Abr {
    /// At the end.
    pub acr_bps: f64,
    pub least_acr_bps: f64,
    /// Over the time after the warm-up.
    pub mean_acr_bps: f64,
    pub max_min_share_bps: f64,
    #[serde(flatten)]
    pub counts: Keyed<AbrCounts>,
    #[serde(default)]
    pub after_warmup: Option<Keyed<AbrCounts>>,
}

/// What one port told the sources of ABR connections, over the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    pub marked_cells: u64,
    /// At the end; `null` for an algorithm that computes no rates.
    pub allocation_bps: Option<f64>,
}

/// An ABR connection over several runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AbrSummary {
    pub least_acr_bps: Interval,
    pub mean_acr_bps: Interval,
    pub max_min_share_bps: Interval,
    #[serde(flatten)]
    pub counts: Keyed<AbrCounts<Interval>>,
}

/// A port over several runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatesSummary {
    pub marked_cells: Interval,
    #[serde(default)]
    pub allocation_bps: Option<Interval>,
}

impl From<&AbrRecord> for Abr {
    fn from(record: &AbrRecord) -> Abr {
        Abr {
            acr_bps: bps(record.acr),
            least_acr_bps: bps(record.least_acr),
            mean_acr_bps: bps(record.mean_acr),
            max_min_share_bps: bps(record.max_min_share),
            counts: Keyed(record.counts()),
            after_warmup: None,
        }
    }
}

impl From<&PortRatesRecord> for Rates {
    fn from(record: &PortRatesRecord) -> Rates {
        Rates { marked_cells: record.marked_cells, allocation_bps: record.allocation.map(bps) }
    }
}

impl Abr {
    /// The same without the warm-up, of which it knows nothing any more. Least and last rates remain those of the whole run.
    pub(super) fn measured(&self) -> Abr {
        Abr { counts: self.after_warmup.unwrap_or(self.counts), after_warmup: None, ..self.clone() }
    }
}

impl AbrSummary {
    /// Of the connection of one flow in several runs, if it is one of ABR.
    pub(super) fn of(all: &[Option<&Abr>]) -> Option<AbrSummary> {
        let abr: Vec<&Abr> = all.iter().copied().collect::<Option<_>>()?;
        Some(AbrSummary {
            least_acr_bps: over(&abr, |abr| Some(abr.least_acr_bps))?,
            mean_acr_bps: over(&abr, |abr| Some(abr.mean_acr_bps))?,
            max_min_share_bps: over(&abr, |abr| Some(abr.max_min_share_bps))?,
            counts: counted(&abr, |abr| &abr.counts.0)?,
        })
    }
}

impl RatesSummary {
    /// Of one port in several runs, if it has a rate algorithm.
    pub(super) fn of(all: &[Option<&Rates>]) -> Option<RatesSummary> {
        let rates: Vec<&Rates> = all.iter().copied().collect::<Option<_>>()?;
        Some(RatesSummary {
            marked_cells: over(&rates, |rates| Some(rates.marked_cells as f64))?,
            allocation_bps: over(&rates, |rates| rates.allocation_bps),
        })
    }
}

/// Jain's index of the mean ACR of ABR connections, each over its max-min share; `None` without any.
pub(super) fn weighted_fairness<'a>(all: impl Iterator<Item = &'a Abr> + Clone) -> Option<f64> {
    all.clone().next()?;
    Some(jain(all.map(|abr| abr.mean_acr_bps / abr.max_min_share_bps)))
}

fn bps(cells_per_second: f64) -> f64 {
    cells_per_second * CELL_BITS as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_weighted_by_their_shares() {
        let abr = |mean_acr, max_min_share| Abr::from(&AbrRecord { mean_acr, max_min_share, ..AbrRecord::default() });
        let all = [abr(9.5, 10.0), abr(19.0, 20.0)];
        assert_eq!(weighted_fairness(all.iter()), Some(1.0));
        // 1/2 and 1 of their shares: 1.5^2 / (2 · 1.25).
        let all = [abr(5.0, 10.0), abr(20.0, 20.0)];
        assert_eq!(weighted_fairness(all.iter()), Some(0.9));
        assert_eq!((weighted_fairness([].iter()), all[0].mean_acr_bps), (None, 2120.0));
    }
}
