//! What a router does to the acknowledgements of the flows whose data leave by one of its ports: window feedback, the
//! acknowledgement bucket, or both.
//! Source: \[RATE-CONTROL\] §3, §4.2. A window is written when the acknowledgement leaves.

use crate::engine::EventTree;
use crate::feedback::{AckBucket, Feedback, Governed, OnData, Translation};
use crate::record::{EdgeRecord, Fingerprint};
use crate::units::Time;

/// The flows that one port gives rates to, at the router of that port; `T` is what an engine knows a packet by.
pub(in crate::net) struct Edge<T> {
    sessions: Vec<Session>,
    /// Where acknowledgements wait: a bucket for each session, or for each group of sessions. Empty without buckets.
    buckets: Vec<Bucket<T>>,
    /// The rates of the sessions in units per second; infinite while they have none. If there are groups, then those of the groups.
    rates: Vec<f64>,
    /// The averaging interval that follows that of these rates: the first has number 0.
    interval: u64,
    /// When each of the buckets releases an acknowledgement.
    releases: EventTree,
    most_waiting: u64,
    waiting: u64,
    damaged: u64,
}

pub(in crate::net) struct Session {
    translation: Option<Translation>,
    /// What the rates allow in the averaging interval in which an acknowledgement passed last; the number of that interval, or when it
    /// ends.
    allowed: u32,
    allowed_in: u64,
    allowed_until: Time,
    advertised: u32,
    /// Whether a window was lowered here: then all that follow are written, or the sender would not know that it rises again.
    writes: bool,
    acks: u64,
    windows_lowered: u64,
    /// The window in the last acknowledgement that went on.
    said: u32,
    /// Of what is done to acknowledgements: where nothing is, the run is that without feedback.
    fingerprint: Fingerprint,
    /// What a full segment takes of a rate.
    units: f64,
    /// Its bucket, and its number there.
    bucket: (usize, usize),
    /// The number of the next packet that is made here, and how much that of the one after it is more.
    next_made: u32,
    made_step: u32,
}

/// Acknowledgements of a session or of a group of sessions that wait.
struct Bucket<T> {
    acks: AckBucket<Waiting<T>>,
    /// The session of the one that left last.
    last: usize,
    /// Which of the rates is that of the bucket.
    rate: usize,
}

struct Waiting<T> {
    session: usize,
    handle: T,
    window: Option<u32>,
    is_syn: bool,
}

/// An acknowledgement that goes on, with the window that it is to carry if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::net) struct Passed<T> {
    pub(in crate::net) handle: T,
    pub(in crate::net) window: Option<u32>,
}

/// Data that go on, and what they are to carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::net) struct PassedData {
    /// The number before which they acknowledge everything.
    pub(in crate::net) number: u64,
    pub(in crate::net) window: Option<u32>,
    /// If the acknowledgement that they came with has to wait alone ([`Edge::wait`]): the number of the packet that it is from now on.
    pub(in crate::net) alone: Option<u32>,
}

/// Packets that are made at edges have numbers from this one on: those of hosts are below it.
const FIRST_MADE: u32 = 1 << 31;

impl<T> Edge<T> {
    /// With these flows, in the order of the scenario, and the number of the group of each, which rise by one at most.
    pub(in crate::net) fn new(feedback: &Feedback, flows: &[Governed], groups: &[usize], rates: Vec<f64>) -> Edge<T> {
        let mut buckets: Vec<Bucket<T>> = Vec::new();
        let mut sessions = Vec::with_capacity(flows.len());
        let first_group = if rates.len() > flows.len() { flows.len() } else { 0 };
        for (number, (flow, &group)) in flows.iter().zip(groups).enumerate() {
            let place = match buckets.get_mut(group) {
                Some(bucket) => bucket.acks.add_flow(flow.mss, flow.advertised),
                None if feedback.bucket => {
                    let acks = AckBucket::new(flow.mss, flow.advertised);
                    buckets.push(Bucket { acks, last: number, rate: first_group + group });
                    0
                }
                None => 0,
            };
            sessions.push(Session {
                translation: feedback.window.as_ref().map(|params| Translation::new(params, flow)),
                allowed: flow.advertised,
                allowed_in: u64::MAX,
                allowed_until: Time::ZERO,
                advertised: flow.advertised,
                writes: false,
                acks: 0,
                windows_lowered: 0,
                said: flow.advertised,
                fingerprint: Fingerprint::default(),
                units: flow.units,
                bucket: (group, place),
                next_made: FIRST_MADE,
                made_step: 1,
            });
        }
        let releases = EventTree::new(buckets.len());
        Edge { releases, sessions, buckets, rates, interval: 0, most_waiting: 0, waiting: 0, damaged: 0 }
    }

    /// What it did; what the port offered is not known here.
    pub(in crate::net) fn record(&self) -> EdgeRecord {
        // One flow after the other: acknowledgements of different flows may leave by different ports, and between these no order is
        // kept at one instant. A flow without events changes nothing.
        let fingerprints = self.sessions.iter().map(|session| session.fingerprint);
        let mut fingerprint = Fingerprint::default();
        fingerprints
            .filter(|of_flow| *of_flow != Fingerprint::default())
            .for_each(|of_flow| fingerprint.add(of_flow.value()));
        EdgeRecord {
            acks: self.sessions.iter().map(|session| session.acks).sum(),
            windows_lowered: self.sessions.iter().map(|session| session.windows_lowered).sum(),
            acks_waiting: self.waiting,
            most_acks_waiting: self.most_waiting,
            damaged_ack_frames: self.damaged,
            allocation: None,
            fingerprint: fingerprint.value(),
        }
    }

    /// There are new rates.
    pub(in crate::net) fn on_rates(&mut self, now: Time, rates: &[f64]) {
        self.rates.copy_from_slice(rates);
        self.interval += 1;
        for bucket in 0..self.buckets.len() {
            self.schedule(now, bucket);
        }
    }

    /// The acknowledgement of all before byte `number` of this session comes, with this window if it has one. Which goes on, if
    /// one does: it, or one that came before it.
    pub(in crate::net) fn on_ack(
        &mut self,
        now: Time,
        session: usize,
        number: u64,
        Passed { handle, window }: Passed<T>,
    ) -> Option<Passed<T>> {
        let (bucket, place) = self.sessions[session].bucket;
        let Some(Bucket { acks, .. }) = self.buckets.get_mut(bucket) else {
            return Some(self.leave(now, session, handle, window));
        };
        acks.push(place, number, Waiting { session, handle, window, is_syn: false });
        self.on_pushed(now, bucket)
    }

    /// Of the edges that may make packets of the same connection as this session this is the one with this number, of so many: no two
    /// packets have the same number.
    pub(in crate::net) fn number_made(&mut self, session: usize, number: u32, of: u32) {
        let Session { next_made, made_step, .. } = &mut self.sessions[session];
        (*next_made, *made_step) = (FIRST_MADE + number, of);
    }

    /// Data come that acknowledge all before byte `number` of this session, with this window if they have one. They go on at once; their
    /// acknowledgement waits alone, if it may not leave yet.
    pub(in crate::net) fn on_data(
        &mut self,
        now: Time,
        session: usize,
        number: u64,
        window: Option<u32>,
    ) -> PassedData {
        let (bucket, place) = self.sessions[session].bucket;
        let rate = if bucket < self.buckets.len() { self.packet_rate(bucket) } else { f64::INFINITY };
        let on_data = self.buckets.get_mut(bucket).map(|bucket| bucket.acks.on_data(now, rate, place, number));
        let (mut carried, mut alone) = (number, None);
        let of_session = &mut self.sessions[session];
        match on_data {
            None | Some(OnData::Old) => {}
            Some(OnData::Leaves) => self.buckets[bucket].last = session,
            Some(OnData::Carries { number, waits }) => {
                carried = number;
                of_session.fingerprint.event(now.as_ps(), number);
                alone = waits.then(|| of_session.make());
            }
        }
        let rate = self.rates[session];
        PassedData { number: carried, window: of_session.pass(now, self.interval, window, || rate), alone }
    }

    /// The acknowledgement of all before byte `number` of this session, which came with data, waits without them.
    pub(in crate::net) fn wait(
        &mut self,
        now: Time,
        session: usize,
        number: u64,
        Passed { handle, window }: Passed<T>,
    ) {
        let (bucket, place) = self.sessions[session].bucket;
        self.buckets[bucket].acks.push(place, number, Waiting { session, handle, window, is_syn: false });
        self.waiting += 1;
        self.most_waiting = self.most_waiting.max(self.waiting);
        self.schedule(now, bucket);
    }

    /// The answer to a SYN comes on a connection that keeps its order: it goes on as it is, behind acknowledgements that wait.
    pub(in crate::net) fn on_syn(&mut self, now: Time, session: usize, syn: Passed<T>) -> Option<Passed<T>> {
        let (bucket, place) = self.sessions[session].bucket;
        match self.buckets.get_mut(bucket) {
            Some(Bucket { acks, .. }) if !acks.is_empty() => {
                acks.push(place, 0, Waiting { session, handle: syn.handle, window: syn.window, is_syn: true });
                self.on_pushed(now, bucket)
            }
            Some(_) | None => Some(syn),
        }
    }

    /// A frame comes of which a cell is lost: nothing of it goes on.
    pub(in crate::net) fn on_damaged(&mut self) {
        self.damaged += 1;
    }

    fn on_pushed(&mut self, now: Time, bucket: usize) -> Option<Passed<T>> {
        self.waiting += 1;
        let released = self.release(now, bucket);
        self.most_waiting = self.most_waiting.max(self.waiting);
        released.map(|(_, passed)| passed)
    }

    /// The acknowledgements that wait in its buckets, in any order.
    pub(in crate::net) fn waiting(&self) -> impl Iterator<Item = &T> {
        self.buckets.iter().flat_map(|bucket| bucket.acks.waiting()).map(|waiting| &waiting.handle)
    }

    /// When the next acknowledgement leaves a bucket.
    pub(in crate::net) fn next_release(&self) -> Time {
        self.releases.next()
    }

    /// The acknowledgement that leaves now, and of which session.
    pub(in crate::net) fn on_release(&mut self, now: Time) -> Option<(usize, Passed<T>)> {
        let (_, bucket) = self.releases.earliest();
        let released = self.release(now, bucket);
        if let Some((session, Passed { window, .. })) = &released {
            self.sessions[*session].fingerprint.event(now.as_ps(), u64::from(window.unwrap_or_default()));
        }
        released
    }

    fn release(&mut self, now: Time, bucket: usize) -> Option<(usize, Passed<T>)> {
        let rate = self.packet_rate(bucket);
        let Bucket { acks, last, .. } = &mut self.buckets[bucket];
        let released = acks.release(now, rate);
        if let Some(Waiting { session, .. }) = &released {
            *last = *session;
        }
        self.schedule(now, bucket);
        let Waiting { session, handle, window, is_syn } = released?;
        self.waiting -= 1;
        let passed = if is_syn { Passed { handle, window } } else { self.leave(now, session, handle, window) };
        Some((session, passed))
    }

    fn leave(&mut self, now: Time, session: usize, handle: T, window: Option<u32>) -> Passed<T> {
        let rate = self.rates[session];
        Passed { handle, window: self.sessions[session].pass(now, self.interval, window, || rate) }
    }

    fn schedule(&mut self, now: Time, bucket: usize) {
        let next = self.buckets[bucket].acks.next_release(self.packet_rate(bucket));
        self.releases.set(bucket, next.max(now));
    }

    /// The rate of a bucket in packets per second, as large as the last one that left acknowledged.
    fn packet_rate(&self, bucket: usize) -> f64 {
        let Bucket { last, rate, .. } = self.buckets[bucket];
        self.rates[rate] / self.sessions[last].units
    }

    /// A session by its number. Only one without a bucket may pass acknowledgements by itself.
    pub(in crate::net) fn session(&mut self, number: usize) -> &mut Session {
        &mut self.sessions[number]
    }
}

impl Session {
    /// The number of a packet that is made here.
    fn make(&mut self) -> u32 {
        let number = self.next_made;
        self.next_made = number.checked_add(self.made_step).unwrap_or(FIRST_MADE);
        number
    }

    /// An acknowledgement goes on in this averaging interval, with its window lowered to what the rate fills; returns the window that it
    /// is to carry if it has one.
    #[inline(always)]
    pub(in crate::net) fn pass(
        &mut self,
        now: Time,
        interval: u64,
        window: Option<u32>,
        rate: impl FnOnce() -> f64,
    ) -> Option<u32> {
        if self.allowed_in != interval {
            self.allowed_in = interval;
            self.allow(rate());
        }
        self.lower(now, window)
    }

    /// The same of a session of which it is known how long its rate holds: `rate` says the rate, and until when.
    #[inline(always)]
    pub(in crate::net) fn pass_while(
        &mut self,
        now: Time,
        window: Option<u32>,
        rate: impl FnOnce() -> (f64, Time),
    ) -> Option<u32> {
        if now >= self.allowed_until {
            let (rate, until) = rate();
            self.allowed_until = until;
            self.allow(rate);
        }
        self.lower(now, window)
    }

    /// Lowers the window of an acknowledgement to what is allowed.
    #[inline(always)]
    fn lower(&mut self, now: Time, window: Option<u32>) -> Option<u32> {
        let before = window.unwrap_or(self.advertised);
        let said = self.allowed.min(before);
        self.writes |= said < before || window.is_some();
        self.acks += 1;
        self.windows_lowered += u64::from(said < before);
        if said != self.said {
            self.said = said;
            self.fingerprint.event(now.as_ps(), u64::from(said));
        }
        self.writes.then_some(said)
    }

    /// Computes what a rate allows.
    #[inline(never)]
    fn allow(&mut self, rate: f64) {
        if let Some(translation) = &self.translation {
            self.allowed = translation.window(rate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feedback::{RoundTrip, Units, WindowFeedback};
    use crate::units::Span;
    use crate::units::instants::us;

    /// Two flows with packets of 1000 bytes of payload and 1250 on the wire, a window of 64,000 and a round trip of 10 ms.
    fn edge(window: bool, bucket: bool) -> Edge<u32> {
        let flow = Governed {
            round_trip: Span::from_ms(10),
            mss: 1000,
            units: 1250.0,
            wire_bytes: 1250.0,
            advertised: 64_000,
            shift: 0,
        };
        let params = WindowFeedback { round_trip: RoundTrip::Individual, units: Units::Payload };
        let feedback = Feedback { window: window.then_some(params), bucket, group: 1 };
        Edge::new(&feedback, &[flow, flow], &[0, 1], vec![f64::INFINITY; 2])
    }

    fn ack(edge: &mut Edge<u32>, now: u64, session: usize, segments: u64, window: Option<u32>) -> Option<Passed<u32>> {
        let handle = segments as u32;
        edge.on_ack(us(now), session, 1000 * segments, Passed { handle, window })
    }

    fn passed(handle: u32, window: Option<u32>) -> Option<Passed<u32>> {
        Some(Passed { handle, window })
    }

    /// 1000 packets per second are 10 segments in 10 ms.
    #[test]
    fn a_window_is_lowered_and_rises_again() {
        let mut edge = edge(true, false);
        assert_eq!(ack(&mut edge, 0, 0, 1, None), passed(1, None), "no rate yet");
        edge.on_rates(us(1), &[1.25e6, f64::INFINITY]);
        assert_eq!(ack(&mut edge, 2, 0, 2, None), passed(2, Some(10_000)));
        assert_eq!(ack(&mut edge, 2, 1, 2, None), passed(2, None), "the other flow has no rate");
        assert_eq!(ack(&mut edge, 3, 0, 3, Some(7000)), passed(3, Some(7000)), "another router said less");
        edge.on_rates(us(4), &[1e9, f64::INFINITY]);
        assert_eq!(ack(&mut edge, 5, 0, 4, None), passed(4, Some(64_000)), "the sender has to know");
        assert_eq!(edge.record().windows_lowered, 1);
    }

    #[test]
    fn acknowledgements_wait_and_get_the_window_of_the_instant_when_they_leave() {
        let mut edge = edge(true, true);
        edge.on_rates(us(0), &[1.25e6, 1.25e6]);
        assert_eq!(ack(&mut edge, 0, 0, 1, None), passed(1, Some(10_000)));
        assert_eq!(ack(&mut edge, 100, 0, 2, None), None);
        assert_eq!(ack(&mut edge, 200, 0, 4, None), None);
        assert_eq!(edge.next_release(), us(1000));
        // Half the rate, half the window.
        edge.on_rates(us(500), &[0.625e6, 1.25e6]);
        assert_eq!(edge.next_release(), us(2000));
        assert_eq!(edge.on_release(us(2000)), Some((0, Passed { handle: 2, window: Some(5000) })));
        // A rate at which it should have left already: it leaves at once.
        edge.on_rates(us(3500), &[1.25e6, 1.25e6]);
        assert_eq!(edge.next_release(), us(3500));
        assert_eq!(edge.on_release(us(3500)), Some((0, Passed { handle: 4, window: Some(10_000) })));
        assert_eq!((edge.next_release(), edge.record().most_acks_waiting), (Time::NEVER, 2));
    }

    /// 1000 packets per second; of two edges on the path this is the second. Data go on with what has left and with the window of that
    /// instant; what they acknowledge waits alone, with the window that it came with, and gets one when it leaves.
    #[test]
    fn data_go_on_at_once_and_their_acknowledgement_waits() {
        let mut edge = edge(true, true);
        edge.number_made(0, 1, 2);
        edge.on_rates(us(0), &[1.25e6, 1.25e6]);
        let data = |edge: &mut Edge<u32>, now, segments: u64| edge.on_data(us(now), 0, 1000 * segments, None);
        let passed = |segments: u64, window, alone| PassedData { number: 1000 * segments, window: Some(window), alone };
        assert_eq!(data(&mut edge, 0, 1), passed(1, 10_000, None), "it leaves with its data");
        assert_eq!(data(&mut edge, 500, 2), passed(1, 10_000, Some(FIRST_MADE + 1)));
        edge.wait(us(500), 0, 2000, Passed { handle: 7, window: None });
        assert_eq!(data(&mut edge, 600, 2), passed(1, 10_000, None), "that waits already");
        assert_eq!(edge.next_release(), us(1000));
        edge.on_rates(us(900), &[0.625e6, 1.25e6]);
        assert_eq!(edge.next_release(), us(2000));
        assert_eq!(data(&mut edge, 1000, 3), passed(1, 5000, Some(FIRST_MADE + 3)));
        edge.wait(us(1000), 0, 3000, Passed { handle: 8, window: None });
        assert_eq!(edge.on_release(us(2000)), Some((0, Passed { handle: 7, window: Some(5000) })));
        assert_eq!((data(&mut edge, 2500, 3), edge.next_release()), (passed(2, 5000, None), us(4000)));
        let EdgeRecord { acks, acks_waiting, most_acks_waiting, .. } = edge.record();
        assert_eq!((acks, acks_waiting, most_acks_waiting), (6, 1, 2), "five with data, and one alone");
    }

    /// It takes its turn and the time of an acknowledgement of nothing new, and its window stays.
    #[test]
    fn a_syn_goes_on_as_it_is_and_overtakes_nothing() {
        let mut edge = edge(true, true);
        edge.on_rates(us(0), &[1.25e6, 1.25e6]);
        let syn = |edge: &mut Edge<u32>, now| edge.on_syn(us(now), 0, Passed { handle: 9, window: Some(60_000) });
        assert_eq!(syn(&mut edge, 0), passed(9, Some(60_000)), "nothing waits");
        assert_eq!(ack(&mut edge, 10, 0, 1, None), passed(1, Some(10_000)));
        assert_eq!(ack(&mut edge, 20, 0, 2, None), None);
        assert_eq!(syn(&mut edge, 30), None);
        assert_eq!(edge.on_release(us(1010)), Some((0, Passed { handle: 2, window: Some(10_000) })));
        assert_eq!(edge.on_release(us(2010)), Some((0, Passed { handle: 9, window: Some(60_000) })));
        assert_eq!(edge.record().acks, 2, "it is none");
    }

    /// Two flows are one unit at 1000 packets per second: acknowledgements leave in the order in which they came, and each window is
    /// that of half the rate.
    #[test]
    fn flows_of_a_group_share_a_bucket() {
        let Session { advertised, units, .. } = edge(true, true).sessions.swap_remove(0);
        let (round_trip, wire_bytes) = (Span::from_ms(10), 1250.0);
        let flow = Governed { round_trip, mss: 1000, units, wire_bytes, advertised, shift: 0 };
        let params = WindowFeedback { round_trip: RoundTrip::Individual, units: Units::Payload };
        let feedback = Feedback { window: Some(params), bucket: true, group: 2 };
        let mut edge: Edge<u32> = Edge::new(&feedback, &[flow, flow], &[0, 0], vec![f64::INFINITY; 3]);
        edge.on_rates(us(0), &[0.625e6, 0.625e6, 1.25e6]);
        assert_eq!(ack(&mut edge, 0, 1, 1, None), passed(1, Some(5000)));
        assert_eq!(ack(&mut edge, 100, 0, 2, None), None);
        assert_eq!(ack(&mut edge, 200, 1, 2, None), None);
        assert_eq!(edge.on_release(us(1000)), Some((0, Passed { handle: 2, window: Some(5000) })));
        // Two segments of the other flow.
        assert_eq!(edge.next_release(), us(3000));
        assert_eq!(edge.on_release(us(3000)), Some((1, Passed { handle: 2, window: Some(5000) })));
        assert_eq!(edge.record().most_acks_waiting, 2);
    }

    /// The first flow has packets of 1250 bytes on the wire, the second of 625: at 1,250,000 bytes per second the next acknowledgement
    /// leaves 1 ms after each segment of the first, and half of that after each of the second; half of the rate fills windows of five
    /// segments of 1000 bytes and of ten of 500.
    #[test]
    fn a_group_may_have_packets_of_different_sizes() {
        let Session { advertised, .. } = edge(true, true).sessions.swap_remove(0);
        let flow = |mss: u32, wire_bytes| {
            let (round_trip, units) = (Span::from_ms(10), wire_bytes);
            Governed { round_trip, mss, units, wire_bytes, advertised, shift: 0 }
        };
        let params = WindowFeedback { round_trip: RoundTrip::Individual, units: Units::Payload };
        let feedback = Feedback { window: Some(params), bucket: true, group: 2 };
        let flows = [flow(1000, 1250.0), flow(500, 625.0)];
        let mut edge: Edge<u32> = Edge::new(&feedback, &flows, &[0, 0], vec![f64::INFINITY; 3]);
        edge.on_rates(us(0), &[0.625e6, 0.625e6, 1.25e6]);
        assert_eq!(ack(&mut edge, 0, 0, 1, None), passed(1, Some(5000)));
        // 1000 bytes, two segments of the second flow; then 2000, one of the first.
        assert_eq!(ack(&mut edge, 10, 1, 1, None), None);
        assert_eq!(ack(&mut edge, 20, 0, 2, None), None);
        assert_eq!(ack(&mut edge, 30, 1, 2, None), None);
        let mut left = Vec::new();
        while edge.next_release() < Time::NEVER {
            let at = edge.next_release();
            left.extend(edge.on_release(at).map(|(session, passed)| (at, session, passed.window)));
        }
        assert_eq!(left, [(us(1000), 1, Some(5000)), (us(2000), 0, Some(5000)), (us(3000), 1, Some(5000))]);
    }

    /// A router never raises a window: where the receiver takes nothing, the sender is told so whatever its rate is.
    #[test]
    fn a_window_of_zero_stays() {
        let mut edge = edge(true, false);
        edge.on_rates(us(0), &[1.25e6, 1.25e6]);
        assert_eq!(ack(&mut edge, 1, 0, 1, Some(0)), passed(1, Some(0)));
        assert_eq!(ack(&mut edge, 2, 0, 1, None), passed(1, Some(10_000)), "it takes something again");
        // No rate is so low that the window would be zero: the sender would stop for ever.
        edge.on_rates(us(3), &[1.0, 1.25e6]);
        assert_eq!(ack(&mut edge, 4, 0, 2, None), passed(2, Some(1000)));
        assert_eq!(edge.record().windows_lowered, 2, "the zero was not lowered");
    }

    #[test]
    fn without_window_feedback_windows_stay_as_they_come() {
        let mut edge = edge(false, true);
        edge.on_rates(us(0), &[1.25e6, 1.25e6]);
        assert_eq!(ack(&mut edge, 0, 0, 1, None), passed(1, None));
        assert_eq!(ack(&mut edge, 2000, 0, 2, Some(3000)), passed(2, Some(3000)));
    }
}
