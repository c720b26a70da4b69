//! Vegas' retransmission: the first duplicate acknowledgement already looks whether the segment is overdue by a timeout
//! of fine measure, and so do the first two acknowledgements after a retransmission. The window is cut once per flight.
//! Source: [NS2] §2 to §5, whose steps the comments name.   Units: bytes, seconds.

use super::{
    BatchHints, DUP_ACK_THRESHOLD, DupAck, Flight, Mechanism, Needs, NewAck, Recovery, RecoveryContext, Sending,
    TimerAction,
};
use crate::keys::{Misfit, Values};
use crate::rng::Stream;
use crate::tcp::cc::Window;
use crate::units::{Span, Time};

/// The recovery of Vegas.
#[derive(Clone, Debug, Default)]
pub struct Vegas {
    fine: FineTimeout,
    /// Not always the number of duplicates in a row: a retransmission makes it three.
    dup_acks: u32,
    /// Acknowledgements that are still to look for an overdue segment.
    worried: u32,
    /// The window without duplicates, bytes.
    new_cwnd: f64,
    /// When the window was cut last.
    last_cut: Option<Time>,
    /// After a timeout: duplicates mean nothing before more than this is acknowledged.
    timeout_recover: Option<u64>,
}

impl Mechanism for Vegas {
    const NAME: &'static str = "vegas";
    const ABOUT: &'static str =
        "Recovery of Vegas in ns-2: at duplicate acknowledgements a fine-grained timeout finds overdue segments.";
    const NEEDS: Needs = Needs::FINE_TIMEOUTS;
    type Params = ();
    type State = Box<Vegas>;

    fn params(_values: &Values) -> Result<(), Misfit> {
        Ok(())
    }

    fn start(_params: &(), _mss: u64, _draws: Stream) -> Box<Vegas> {
        Box::new(Vegas::default())
    }
}

impl Recovery for Vegas {
    fn on_dup_ack(&mut self, _count: u32, flight: &Flight, mut context: RecoveryContext<'_>) -> DupAck {
        self.dup_acks += 1;
        let lost = context.transmissions(flight.una);
        let expired = self.fine.is_over(context.now.since(lost.last));
        if !expired && self.dup_acks != DUP_ACK_THRESHOLD {
            if self.dup_acks > DUP_ACK_THRESHOLD {
                context.window.cwnd += flight.mss as f64; // step 3
            }
            return DupAck::Noted;
        }
        // Step 2.
        if self.timeout_recover.is_some_and(|recover| flight.una <= recover) {
            return DupAck::Noted;
        }
        self.timeout_recover = None;
        self.worried = ((flight.nxt - flight.una) / flight.mss + 1).min(2) as u32;
        self.fine.back_off(lost.count > 1);
        if self.last_cut.is_none_or(|cut| cut < lost.last) {
            let ssthresh = context.window.ssthresh;
            context.reduce_by(flight, Some(lost.count > 1));
            self.new_cwnd = std::mem::replace(&mut context.window.ssthresh, ssthresh);
            context.window.cwnd = self.new_cwnd + f64::from(self.dup_acks) * flight.mss as f64;
            self.last_cut = Some(context.now);
        }
        if lost.count == 1 {
            self.dup_acks = DUP_ACK_THRESHOLD;
        }
        DupAck::FastRetransmit(TimerAction::BackOff)
    }

    fn on_new_ack(&mut self, ack: u64, flight: &Flight, context: RecoveryContext<'_>) -> NewAck {
        // Step 2 of a new acknowledgement: with exactly three duplicates the window stays inflated.
        if self.dup_acks > DUP_ACK_THRESHOLD && context.window.cwnd > self.new_cwnd {
            let least = 2.0 * flight.mss as f64;
            context.window.cwnd = self.new_cwnd.max(least);
            context.window.ssthresh = least;
        }
        self.dup_acks = 0;
        let start = context.start();
        if self.fine.is_new() {
            self.fine.begin(context.now.since(start));
        }
        self.on_round_trip(context.now, start, context.rtt);
        // Step 8.
        if self.worried == 0 {
            return NewAck::Grow;
        }
        self.worried -= 1;
        let next = (ack < flight.max).then(|| context.transmissions(ack));
        if next.is_some_and(|next| self.fine.is_over(context.now.since(next.last))) {
            self.dup_acks = DUP_ACK_THRESHOLD;
            return NewAck::GrowAndRetransmit;
        }
        self.worried = 0;
        NewAck::Grow
    }

    fn on_timeout(&mut self, flight: &Flight, context: RecoveryContext<'_>) {
        self.dup_acks = 0;
        self.new_cwnd = 0.0;
        self.last_cut = Some(context.now);
        self.timeout_recover = Some(flight.max);
    }

    /// Step 4: nothing with one or two duplicates.
    fn sending(&self, _flight: &Flight, _window: &Window) -> Sending {
        if self.controls_sending() { Sending::Nothing } else { Sending::ByWindow }
    }

    fn in_recovery(&self) -> bool {
        self.dup_acks >= DUP_ACK_THRESHOLD
    }
}

impl BatchHints for Vegas {
    fn is_idle(&self) -> bool {
        self.dup_acks == 0 && self.worried == 0 && !self.fine.is_new()
    }

    /// Step 7; not the first packet, whose send time of zero ns-2 takes for none.
    #[inline(always)]
    fn on_round_trip(&mut self, now: Time, start: Time, rtt: Option<Span>) {
        if let Some(rtt) = rtt.filter(|&rtt| start + rtt < now) {
            self.fine.sample(rtt);
        }
    }

    fn controls_sending(&self) -> bool {
        (1..DUP_ACK_THRESHOLD).contains(&self.dup_acks)
    }
}

/// The fine timeout: 17/16 of the smoothed round trip and twice its mean deviation.
#[derive(Clone, Copy, Debug)]
pub(super) struct FineTimeout {
    /// Smoothed round trip, scaled by 8.
    srtt8: f64,
    /// Mean deviation, scaled by 4.
    var4: f64,
    /// The timeout at the beginning, or backed off since the last sample. Else it is computed when it is needed: round trips
    /// are measured with nearly every acknowledgement, and timeouts are rare.
    special: Option<f64>,
}

impl Default for FineTimeout {
    fn default() -> FineTimeout {
        FineTimeout { srtt8: 0.0, var4: 0.0, special: Some(0.0) }
    }
}

impl FineTimeout {
    pub(super) fn is_new(&self) -> bool {
        self.special == Some(0.0)
    }

    fn timeout(&self) -> f64 {
        self.special.unwrap_or_else(|| (self.srtt8 / 4.0 + self.var4) / 2.0 * (17.0 / 16.0))
    }

    /// The first acknowledgement of all came after so long.
    pub(super) fn begin(&mut self, elapsed: Span) {
        let rtt = elapsed.as_secs_f64();
        (self.srtt8, self.var4) = (8.0 * rtt, rtt);
        self.special = Some((self.srtt8 / 4.0 + self.var4) / 2.0);
    }

    /// Step 7.
    pub(super) fn sample(&mut self, rtt: Span) {
        let error = rtt.as_secs_f64() - self.srtt8 / 8.0;
        self.srtt8 += error;
        self.var4 += error.abs() - self.var4 / 4.0;
        self.special = None;
    }

    pub(super) fn back_off(&mut self, sent_again: bool) {
        self.special = Some(self.timeout() * if sent_again { 2.0 } else { 1.125 });
    }

    pub(super) fn is_over(&self, waited: Span) -> bool {
        waited.as_secs_f64() >= self.timeout()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fine_timeout_follows_a_hand_calculation() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        let mut fine = FineTimeout::default();
        fine.begin(Span::from_ms(100));
        close(fine.timeout(), 0.15);
        // 100 ms again: error 0; var4 = 0.1 − 0.025 = 0.075; (0.2 + 0.075)/2 · 17/16.
        fine.sample(Span::from_ms(100));
        close(fine.timeout(), 0.1375 * 1.0625);
        // 180 ms: error 0.08; srtt8 = 0.88; var4 = 0.075 + 0.08 − 0.01875 = 0.13625; (0.22 + 0.13625)/2 · 17/16.
        fine.sample(Span::from_ms(180));
        close(fine.timeout(), 0.178_125 * 1.0625);
        let before = fine.timeout();
        fine.back_off(false);
        close(fine.timeout(), before * 1.125);
        fine.back_off(true);
        close(fine.timeout(), before * 2.25);
        assert!(fine.is_over(Span::from_secs(1)) && !fine.is_over(Span::from_ms(1)));
    }
}
