//! What the routers of ports that tell TCP senders rates did to acknowledgements, and the shares that flows are to have: under one
//! seed, and over several.

#![allow(missing_docs)] // The names of the fields are the keys of the document, and say what they are.

use ackclock::record::metrics::jain;
use ackclock::record::{EdgeRecord, MaxMinShare};
use serde::{Deserialize, Serialize};

use super::interval::{Interval, over};

/// What the router of one port did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feedback {
    pub acks: u64,
    pub windows_lowered: u64,
    /// At the end.
    pub acks_waiting: u64,
    pub most_acks_waiting: u64,
    #[serde(default)]
    pub damaged_ack_frames: u64,
    /// At the end; `null` for an algorithm without a rate of its own.
    pub allocation_bps: Option<f64>,
}

/// The max-min share of one flow.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaxMin {
    /// On the wire.
    pub max_min_share_bps: f64,
    /// The payload of full segments at that rate.
    pub max_min_goodput_bps: f64,
}

/// A flow over several runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaxMinSummary {
    pub max_min_share_bps: Interval,
    pub max_min_goodput_bps: Interval,
}

/// A port over several runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeedbackSummary {
    pub acks: Interval,
    pub windows_lowered: Interval,
    pub most_acks_waiting: Interval,
    #[serde(default)]
    pub damaged_ack_frames: Option<Interval>,
    #[serde(default)]
    pub allocation_bps: Option<Interval>,
}

impl From<&EdgeRecord> for Feedback {
    fn from(record: &EdgeRecord) -> Feedback {
        let &EdgeRecord { acks, windows_lowered, acks_waiting, most_acks_waiting, .. } = record;
        let &EdgeRecord { damaged_ack_frames, allocation: allocation_bps, fingerprint: _, .. } = record;
        Feedback { acks, windows_lowered, acks_waiting, most_acks_waiting, damaged_ack_frames, allocation_bps }
    }
}

impl From<&MaxMinShare> for MaxMin {
    fn from(share: &MaxMinShare) -> MaxMin {
        MaxMin { max_min_share_bps: share.wire_bps, max_min_goodput_bps: share.payload_bps }
    }
}

impl MaxMinSummary {
    /// Of one flow in several runs, if it has a share.
    pub(super) fn of<'a>(all: impl Iterator<Item = Option<&'a MaxMin>>) -> Option<MaxMinSummary> {
        let all: Vec<&MaxMin> = all.collect::<Option<_>>()?;
        Some(MaxMinSummary {
            max_min_share_bps: over(&all, |share| Some(share.max_min_share_bps))?,
            max_min_goodput_bps: over(&all, |share| Some(share.max_min_goodput_bps))?,
        })
    }
}

/// Jain's index of goodput, in parts of the goodput at the max-min share; `None` without any.
pub(super) fn weighted_fairness(all: impl Iterator<Item = (f64, MaxMin)> + Clone) -> Option<f64> {
    jain(all.map(|(goodput_bps, share)| goodput_bps / share.max_min_goodput_bps))
}

impl FeedbackSummary {
    /// Of one port in several runs, if its router tells rates.
    pub(super) fn of<'a>(all: impl Iterator<Item = Option<&'a Feedback>>) -> Option<FeedbackSummary> {
        let all: Vec<&Feedback> = all.collect::<Option<_>>()?;
        Some(FeedbackSummary {
            acks: over(&all, |feedback| Some(feedback.acks as f64))?,
            windows_lowered: over(&all, |feedback| Some(feedback.windows_lowered as f64))?,
            most_acks_waiting: over(&all, |feedback| Some(feedback.most_acks_waiting as f64))?,
            damaged_ack_frames: over(&all, |feedback| Some(feedback.damaged_ack_frames as f64)),
            allocation_bps: over(&all, |feedback| feedback.allocation_bps),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goodput_is_weighted_by_the_goodput_of_the_share() {
        let share = |max_min_goodput_bps| MaxMin { max_min_share_bps: 1.0, max_min_goodput_bps };
        // The same part of both shares; then 1/2 and 1 of them: 1.5^2 / (2 · 1.25).
        assert_eq!(weighted_fairness([(9.0, share(10.0)), (18.0, share(20.0))].into_iter()), Some(1.0));
        assert_eq!(weighted_fairness([(5.0, share(10.0)), (20.0, share(20.0))].into_iter()), Some(0.9));
        assert_eq!(weighted_fairness([].into_iter()), None);
    }
}
