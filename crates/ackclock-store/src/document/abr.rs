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

/// What one port told the sources of ABR connections.
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

impl Rates {
    /// The same with the cells that were marked after the warm-up, if they are known.
    pub(super) fn measured(self, marked_cells: Option<u64>) -> Rates {
        Rates { marked_cells: marked_cells.unwrap_or(self.marked_cells), ..self }
    }
}

impl AbrSummary {
    /// Of the connection of one flow in several runs, if it is one of ABR.
    pub(super) fn of<'a>(all: impl Iterator<Item = Option<&'a Abr>>) -> Option<AbrSummary> {
        let abr: Vec<&Abr> = all.collect::<Option<_>>()?;
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
    pub(super) fn of<'a>(all: impl Iterator<Item = Option<&'a Rates>>) -> Option<RatesSummary> {
        let rates: Vec<&Rates> = all.collect::<Option<_>>()?;
        Some(RatesSummary {
            marked_cells: over(&rates, |rates| Some(rates.marked_cells as f64))?,
            allocation_bps: over(&rates, |rates| rates.allocation_bps),
        })
    }
}

/// Jain's index of the mean ACR of ABR connections, each over its max-min share; `None` without any.
pub(super) fn weighted_fairness<'a>(all: impl Iterator<Item = &'a Abr> + Clone) -> Option<f64> {
    jain(all.map(|abr| abr.mean_acr_bps / abr.max_min_share_bps))
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

    /// Rates are those of cells of 424 bits.
    #[test]
    fn each_number_of_a_record_is_in_the_document() {
        let record = AbrRecord {
            forward_rm_cells: 1,
            out_of_rate_rm_cells: 2,
            backward_rm_cells: 3,
            replaced_rm_cells: 4,
            refused_rm_cells: 7,
            efci_cells: 5,
            acr: 10.0,
            least_acr: 20.0,
            mean_acr: 30.0,
            max_min_share: 40.0,
            fingerprint: 6,
        };
        let json = serde_json::to_value(Abr::from(&record)).unwrap();
        let expected = serde_json::json!({
            "acr_bps": 4240.0, "least_acr_bps": 8480.0, "mean_acr_bps": 12_720.0, "max_min_share_bps": 16_960.0,
            "forward_rm_cells": 1, "out_of_rate_rm_cells": 2, "backward_rm_cells": 3, "replaced_rm_cells": 4,
            "refused_rm_cells": 7, "efci_cells": 5, "after_warmup": null,
        });
        assert_eq!(json, expected);
        let rates = Rates::from(&PortRatesRecord { marked_cells: 7, allocation: Some(10.0) });
        assert_eq!(rates, Rates { marked_cells: 7, allocation_bps: Some(4240.0) });
        assert_eq!([rates.measured(Some(3)), rates.measured(None)].map(|rates| rates.marked_cells), [3, 7]);
        let none = Rates::from(&PortRatesRecord { marked_cells: 7, allocation: None });
        assert_eq!(none, Rates { marked_cells: 7, allocation_bps: None });
    }

    #[test]
    fn summaries_are_of_connections_and_ports_that_all_runs_have() {
        let abr = |acr: f64, sent: u64| {
            let (least_acr, mean_acr, max_min_share) = (acr, 2.0 * acr, 3.0 * acr);
            let record =
                AbrRecord { forward_rm_cells: sent, least_acr, mean_acr, max_min_share, ..AbrRecord::default() };
            Abr::from(&record)
        };
        let (one, two) = (abr(1.0, 10), abr(3.0, 30));
        let summary = AbrSummary::of([Some(&one), Some(&two)].into_iter()).unwrap();
        let means = [summary.least_acr_bps, summary.mean_acr_bps, summary.max_min_share_bps].map(|of| of.mean);
        assert_eq!(means, [848.0, 1696.0, 2544.0]);
        assert_eq!((summary.counts.forward_rm_cells.mean, summary.least_acr_bps.max), (20.0, 1272.0));
        assert_eq!(AbrSummary::of([Some(&one), None].into_iter()), None);

        let (some, none) =
            (Rates { marked_cells: 4, allocation_bps: Some(1e6) }, Rates { marked_cells: 8, allocation_bps: None });
        let summary = RatesSummary::of([Some(&some), Some(&some)].into_iter()).unwrap();
        assert_eq!((summary.marked_cells.mean, summary.allocation_bps.map(|of| of.mean)), (4.0, Some(1e6)));
        let summary = RatesSummary::of([Some(&some), Some(&none)].into_iter()).unwrap();
        assert_eq!((summary.marked_cells.mean, summary.allocation_bps), (6.0, None));
        assert_eq!(RatesSummary::of([None, Some(&some)].into_iter()), None);
    }

    #[test]
    fn without_the_warm_up_the_counts_are_those_after_it() {
        let counts = |forward_rm_cells| Keyed(AbrCounts { forward_rm_cells, ..AbrCounts::default() });
        let whole = Abr { counts: counts(100), after_warmup: Some(counts(60)), ..Abr::from(&AbrRecord::default()) };
        let measured = whole.measured();
        assert_eq!((measured.counts.forward_rm_cells, measured.after_warmup), (60, None));
        let without = Abr { after_warmup: None, ..whole };
        assert_eq!(without.measured().counts.forward_rm_cells, 100);
    }
}
