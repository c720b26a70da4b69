//! How much the path may change the order of segments, as RACK knows it.
//! Source: RFC 8985 §6.2, steps 3 and 4.

/// How much the path may change the order (§6.2, steps 3 and 4).
#[derive(Clone, Copy, Debug)]
pub(super) struct Reordering {
    /// RACK.fack: the number after the highest that was delivered.
    pub(super) highest: u64,
    /// RACK.reordering_seen.
    pub(super) seen: bool,
    /// RACK.reo_wnd_mult, RACK.reo_wnd_persist.
    pub(super) multiplier: u32,
    pub(super) persists: u32,
    /// RACK.dsack_round: below this byte D-SACKs count as one.
    pub(super) round_ends_at: u64,
}

impl Reordering {
    /// §6.2, step 4: a D-SACK widens the window, once a round trip, which ends when `max` is acknowledged; `una`: what is now.
    pub(super) fn widen(&mut self, una: u64, max: u64) {
        if una >= self.round_ends_at {
            self.multiplier += 1;
            self.round_ends_at = max;
            self.persists = PERSISTS;
        }
    }

    /// §6.2, step 4: a wider window is given up after some recoveries without a D-SACK.
    pub(super) fn end_recovery(&mut self) {
        self.persists = self.persists.saturating_sub(1);
        if self.persists == 0 {
            self.multiplier = 1;
        }
    }
}

/// How many recoveries a wider window lasts.
const PERSISTS: u32 = 16;
