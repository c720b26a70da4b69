//! What the routers of ports that tell TCP senders rates did to acknowledgements: under one seed, and over several.

#![allow(missing_docs)] // The names of the fields are the keys of the document, and say what they are.

use ackclock::record::EdgeRecord;
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

impl FeedbackSummary {
    /// Of one port in several runs, if its router tells rates.
    pub(super) fn of(all: &[Option<&Feedback>]) -> Option<FeedbackSummary> {
        let all: Vec<&Feedback> = all.iter().copied().collect::<Option<_>>()?;
        Some(FeedbackSummary {
            acks: over(&all, |feedback| Some(feedback.acks as f64))?,
            windows_lowered: over(&all, |feedback| Some(feedback.windows_lowered as f64))?,
            most_acks_waiting: over(&all, |feedback| Some(feedback.most_acks_waiting as f64))?,
            damaged_ack_frames: over(&all, |feedback| Some(feedback.damaged_ack_frames as f64)),
            allocation_bps: over(&all, |feedback| feedback.allocation_bps),
        })
    }
}
