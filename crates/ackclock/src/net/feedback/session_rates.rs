//! What the rate algorithm of a port says to senders of TCP when its averaging intervals end, whatever the port counts: bytes of
//! packets, or cells.
//! Source: \[RATE-CONTROL\] §5. A flow has no rate before its first packet has come.

use crate::atm::rate::RateAllocator;
use crate::packet::RmCell;
use crate::units::{Span, Time};

/// The rates of the flows that an algorithm gives rates to, by their numbers.
#[derive(Clone)]
pub(in crate::net) struct SessionRates {
    counts: Vec<Count>,
    /// The rate of each in units per second; infinite while it has none.
    rates: Vec<f64>,
}

/// What came of a session.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// Units in this interval.
    units: u64,
    /// Whether anything ever came.
    heard: bool,
    /// The rate at which it sends, in units per second, where it says so itself.
    ccr: Option<f64>,
}

impl SessionRates {
    /// Those of so many sessions. An algorithm without intervals says its rates now, to those too that have sent nothing.
    pub(in crate::net) fn new(
        allocator: &mut dyn RateAllocator,
        sessions: usize,
        interval: Option<Span>,
    ) -> SessionRates {
        let rates = match interval {
            None => (0..sessions).map(|session| rate_of(allocator, Time::ZERO, session, 0.0, 0)).collect(),
            Some(_) => vec![f64::INFINITY; sessions],
        };
        SessionRates { counts: vec![Count::default(); sessions], rates }
    }

    /// The rate of each session in units per second; infinite while it has none.
    pub(in crate::net) fn rates(&self) -> &[f64] {
        &self.rates
    }

    /// What arrived of each session in the interval that runs.
    pub(in crate::net) fn arrived(&self) -> impl Iterator<Item = (usize, u64)> {
        self.counts.iter().map(|count| count.units).enumerate()
    }

    /// So many units of a session arrive.
    #[inline(always)]
    pub(in crate::net) fn on_arrival(&mut self, session: usize, units: u64) {
        let count = &mut self.counts[session];
        (count.units, count.heard) = (count.units + units, true);
    }

    /// The source of a session says in an RM cell at which rate it sends.
    pub(in crate::net) fn on_forward_rm(&mut self, session: usize, cell: &RmCell) {
        self.counts[session].ccr = Some(cell.ccr);
    }

    /// An interval of this length has ended for the algorithm at `now`, while so many units wait: there are new rates.
    pub(in crate::net) fn end_interval(
        &mut self,
        allocator: &mut dyn RateAllocator,
        now: Time,
        interval: Span,
        queued: u64,
    ) {
        for (session, (count, rate)) in self.counts.iter_mut().zip(&mut self.rates).enumerate() {
            if count.heard {
                // Some algorithms read the rate at which a source sends: TCP does not say it, so it is measured.
                let ccr = count.ccr.unwrap_or(count.units as f64 / interval.as_secs_f64());
                *rate = rate_of(allocator, now, session, ccr, queued);
                count.units = 0;
            }
        }
    }
}

/// The rate of a session that sends at rate `ccr`: what an RM cell would say that passes forward and backward.
fn rate_of(allocator: &mut dyn RateAllocator, now: Time, session: usize, ccr: f64, queued: u64) -> f64 {
    let mut asked = RmCell { ccr, ..ASKING };
    allocator.on_forward_rm(now, session, queued, &mut asked);
    allocator.on_backward_rm(now, session, queued, &mut asked);
    asked.er
}

/// What asks an algorithm for a rate, in the place of an RM cell.
const ASKING: RmCell = RmCell { er: f64::INFINITY, ccr: 0.0, mcr: 0.0, ci: false, ni: false, bn: false, clp: false };
