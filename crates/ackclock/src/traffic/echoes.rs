//! Datagrams that come back, as those of ping: the round trip of each.
//! Source: RFC 2681, a round-trip delay from when a datagram is handed to its host until its echo has arrived whole.

use std::collections::BTreeMap;

use crate::record::{Delays, Fingerprint, Histogram};
use crate::units::Time;

/// What came back to one source of datagrams.
#[derive(Clone, Debug)]
pub struct Echoes {
    /// When each datagram was sent whose echo has not come, by its number. One that is lost stays.
    sent: BTreeMap<u64, Time>,
    next: u64,
    returned: u64,
    round_trips: Delays,
    fingerprint: Fingerprint,
}

impl Echoes {
    /// None yet. Round trips count that end from `since` on.
    pub fn new(since: Time) -> Echoes {
        let (sent, fingerprint) = (BTreeMap::new(), Fingerprint::default());
        Echoes { sent, next: 0, returned: 0, round_trips: Delays::new(since), fingerprint }
    }

    /// The next datagram is sent.
    pub(super) fn send(&mut self, now: Time) {
        self.sent.insert(self.next, now);
        self.next += 1;
    }

    /// The echo of the datagram with this number arrives. Of several the first counts.
    pub(super) fn returns(&mut self, now: Time, number: u64) {
        self.fingerprint.event(now.as_ps(), number);
        let Some(sent) = self.sent.remove(&number) else { return };
        self.returned += 1;
        self.round_trips.add(now, now.since(sent));
    }

    /// Datagrams whose echo has come.
    pub fn returned(&self) -> u64 {
        self.returned
    }

    /// How often each round trip occurred.
    pub fn round_trips(&self) -> &Histogram {
        self.round_trips.histogram()
    }

    /// A hash over all echoes that came; zero if none did.
    pub fn fingerprint(&self) -> u64 {
        if self.returned > 0 { self.fingerprint.value() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::instants::ms as at;

    /// Sent at 0, 10, 20, 30 ms. 1 is lost, 2 comes before 0 and once more, and the warm-up ends at 45 ms.
    #[test]
    fn each_round_trip_counts_once_whatever_the_order() {
        let mut echoes = Echoes::new(at(45));
        (0..4).for_each(|number| echoes.send(at(10 * number)));
        for (now, number) in [(40, 2), (50, 0), (55, 2), (60, 3), (61, 9)] {
            echoes.returns(at(now), number);
        }
        assert_eq!((echoes.returned(), echoes.next, echoes.sent.len()), (3, 4, 1));
        let round_trips = echoes.round_trips();
        let ms = |span: Option<crate::units::Span>| span.unwrap().as_secs_f64() * 1000.0;
        assert_eq!((round_trips.count(), ms(round_trips.min()), ms(round_trips.max())), (2, 30.0, 50.0));
        assert_ne!(echoes.fingerprint(), 0);
    }
}
