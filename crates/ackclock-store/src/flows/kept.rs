//! Runs and documents as they are kept, without what is in files of its own.

use std::borrow::Cow;

use crate::document::summary::SummaryPart;
use crate::document::{Document, Run};

impl Run {
    /// The run as the document or a ledger keeps it: without the parts that are in files.
    pub fn kept(&self) -> Cow<'_, Run> {
        if self.parts.is_empty() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Run {
            seed: self.seed,
            simulated_s: self.simulated_s,
            efficiency: self.efficiency,
            efficiency_after_warmup: self.efficiency_after_warmup,
            fairness: self.fairness,
            fairness_after_warmup: self.fairness_after_warmup,
            fingerprint: self.fingerprint.clone(),
            live: self.live.clone(),
            measures: self.measures.clone(),
            parts: self.parts.clone(),
            flows: Vec::new(),
            udp: Vec::new(),
            ports: Vec::new(),
            links: Vec::new(),
        })
    }
}

impl Document {
    /// The same document, of which no part is in a file.
    pub fn without_files(mut self) -> Document {
        self.runs.iter_mut().for_each(|run| run.parts.clear());
        self
    }

    /// The document as `result.json` keeps it. Of runs whose parts are in files, the summary of each part follows from these.
    pub fn kept(&self) -> Cow<'_, Document> {
        if self.runs.iter().all(|run| run.parts.is_empty()) {
            return Cow::Borrowed(self);
        }
        let runs = self.runs.iter().map(|run| run.kept().into_owned()).collect();
        Cow::Owned(self.with(runs, self.summary.together()))
    }
}

impl SummaryPart {
    /// What it says of all flows together.
    fn together(&self) -> SummaryPart {
        SummaryPart {
            runs: self.runs,
            efficiency: self.efficiency,
            efficiency_after_warmup: self.efficiency_after_warmup,
            fairness: self.fairness,
            weighted_fairness: self.weighted_fairness,
            goodput_bps: self.goodput_bps,
            udp_goodput_bps: self.udp_goodput_bps,
            udp_loss: self.udp_loss,
            lost_on_links: self.lost_on_links,
            measures: self.measures.clone(),
            flows: Vec::new(),
            udp: Vec::new(),
            ports: Vec::new(),
            links: Vec::new(),
        }
    }
}
