//! The tail loss probe.
//! Source: RFC 8985 §7.2, §7.4.2.

use crate::units::{Span, Time};

/// The tail loss probe.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// PTO.
    pub(super) at: Time,
    /// Whether it is to be sent now.
    pub(super) is_due: bool,
    /// TLP.end_seq, TLP.is_retrans, while an answer is awaited.
    pub(super) awaited: Option<(u64, bool)>,
}

impl Probe {
    /// None is scheduled, and no answer is awaited.
    pub(super) const NONE: Probe = Probe { at: Time::NEVER, is_due: false, awaited: None };

    /// How long after the last segment it comes; `alone`: only one is in flight.
    pub(super) fn wait(smoothed: Option<Span>, alone: bool) -> Span {
        match smoothed {
            None => FIRST_PROBE,
            Some(smoothed) if alone => smoothed * 2 + MAX_ACK_DELAY,
            Some(smoothed) => smoothed * 2,
        }
    }

    /// §7.4.2, TLP_process_ack (): whether only the probe repaired a loss, so that it would have gone unnoticed. `is_news`: `ack`
    /// acknowledges something new; `blocks`: the acknowledgement has SACK blocks.
    pub(super) fn repaired(&mut self, ack: u64, is_news: bool, blocks: bool) -> bool {
        let Some((end, again)) = self.awaited.filter(|&(end, _)| ack >= end) else { return false };
        let repaired = again && ack > end;
        if !again || repaired || (!is_news && !blocks) {
            self.awaited = None;
        }
        repaired
    }
}

/// PTO before the first round trip; TLP.max_ack_delay.
const FIRST_PROBE: Span = Span::from_secs(1);
const MAX_ACK_DELAY: Span = Span::from_ms(200);
