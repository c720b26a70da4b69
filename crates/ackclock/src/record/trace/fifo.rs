//! What is recorded of a FIFO that gives one unit away at every tick, where departures are known when units enter.

use std::collections::VecDeque;

use super::port::{PortTrace, Refused};
use super::sojourn::{Departures, Run as Waited};
use crate::units::{Span, Time};

/// Records a port from what it knows when units enter, in runs of units where it can.
#[derive(Clone, Debug)]
pub struct FifoTrace {
    port: PortTrace,
    tick: Span,
    /// The tick up to which everything is known, how many waited after it, and since which tick that many.
    tick_number: u64,
    queued: u32,
    since: u64,
    /// Whether the port's recorder has not got that yet: it gets the events of a tick when the tick is over.
    pending: bool,
    /// If it is recorded how many wait of each connection: who waits, in runs of one connection's units.
    waiting: VecDeque<Run>,
    of_vc: Vec<u32>,
    /// If it is recorded how long units wait: those that are to depart.
    departures: Option<Departures>,
}

/// Units of one connection that depart one tick apart.
#[derive(Clone, Copy, Debug)]
struct Run {
    vc: u32,
    departs: u64,
    units: u32,
}

impl FifoTrace {
    /// A recorder for a port that `vcs` connections cross and whose tick is so long.
    pub fn new(port: Box<PortTrace>, tick: Span, vcs: usize) -> Box<FifoTrace> {
        let of_vc = if port.wants_vcs() { vec![0; vcs] } else { Vec::new() };
        let departures = port.wants_sojourns().then(Departures::default);
        Box::new(FifoTrace {
            port: *port,
            tick,
            tick_number: 0,
            queued: 0,
            since: 0,
            pending: false,
            waiting: VecDeque::new(),
            of_vc,
            departures,
        })
    }

    /// At each of `units` ticks from `now` on a unit of `vc` finds `before` others waiting and begins to wait, the
    /// first until tick `departs`, each of the others until one tick later than the one before. At every tick the
    /// departure comes first.
    #[inline]
    pub fn enter(&mut self, vc: usize, now: u64, departs: u64, units: u32, before: u64) {
        let queued = before as u32 + 1;
        // One leaves and one comes: nothing changes.
        let exchanged = now == self.tick_number + 1 && queued == self.queued;
        if now > self.tick_number && !exchanged {
            self.fall(now);
        }
        if queued != self.queued {
            if self.since != now {
                self.flush();
                self.since = now;
            }
            self.queued = queued;
            self.pending = true;
        }
        self.tick_number = now + u64::from(units) - 1;
        self.transmit(now, departs, units);
        if !self.of_vc.is_empty() {
            self.enter_of(vc, now, departs, units);
        }
    }

    #[inline(never)]
    fn enter_of(&mut self, vc: usize, now: u64, departs: u64, units: u32) {
        self.waiting.push_back(Run { vc: vc as u32, departs, units });
        for tick in now..now + u64::from(units) {
            self.leave(tick);
            self.of_vc[vc] += 1;
            self.port.queued_of(self.at(tick), vc, self.of_vc[vc]);
        }
    }

    /// A unit is transmitted at each of `units` ticks from `now` on without waiting.
    #[inline]
    pub fn pass(&mut self, now: u64, units: u32) {
        self.transmit(now, now, units);
    }

    /// A unit is refused.
    pub fn refused(&mut self, refused: Refused) {
        self.port.refused(refused);
    }

    /// The record of the port with everything before `end`.
    pub fn until(mut self, end: Time) -> PortTrace {
        if let Some(last) = end.as_ps().checked_sub(1) {
            let last = last / self.tick.as_ps();
            self.fall(last);
            if !self.of_vc.is_empty() {
                self.leave(last);
            }
            self.departed(last);
        }
        self.port
    }

    fn at(&self, tick: u64) -> Time {
        // What waits at a few bit/s may depart beyond the range of time.
        Time::from_ps(tick.saturating_mul(self.tick.as_ps()))
    }

    fn flush(&mut self) {
        if self.pending {
            self.port.queued(self.at(self.since), self.queued);
            self.pending = false;
        }
    }

    /// What departs up to tick `now` no longer waits.
    #[inline(never)]
    fn fall(&mut self, now: u64) {
        self.flush();
        let steps = u64::from(self.queued).min(now.saturating_sub(self.tick_number));
        self.port.falls(self.tick, self.tick_number + 1, steps);
        self.queued -= steps as u32;
        self.tick_number = self.tick_number.max(now);
    }

    /// The units of connections that depart up to tick `now` no longer wait.
    fn leave(&mut self, now: u64) {
        while let Some(run) = self.waiting.front_mut().filter(|run| run.departs <= now) {
            let (vc, tick) = (run.vc as usize, run.departs);
            run.departs += 1;
            run.units -= 1;
            if run.units == 0 {
                self.waiting.pop_front();
            }
            self.of_vc[vc] -= 1;
            self.port.queued_of(self.at(tick), vc, self.of_vc[vc]);
        }
    }

    /// Units that come one tick apart from `now` on depart one tick apart from `departs` on.
    fn transmit(&mut self, now: u64, departs: u64, units: u32) {
        self.port.transmits(self.at(departs), self.at(departs + u64::from(units)));
        if let Some(departures) = &mut self.departures {
            departures.add(Waited { departs, wait: departs - now, units: units.into() });
            self.departed(now);
        }
    }

    fn departed(&mut self, tick_number: u64) {
        if let Some(departures) = &mut self.departures {
            self.port.departed(departures, tick_number, self.tick);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Metric, MetricSet};
    use proptest::prelude::*;

    proptest! {
        /// Against a queue that is stepped through tick by tick.
        #[test]
        fn agrees_with_a_queue_of_single_units(
            steps in prop::collection::vec((0_usize..3, 1_u32..6, 0_u64..4), 1..120),
            tick in 1_u64..50,
            interval in 1_u64..60,
            cut in 0_u64..100,
        ) {
            let metrics: MetricSet = Metric::ALL.into_iter().collect();
            let port = || PortTrace::new(metrics, Span::from_ps(10 * interval), 3, Some(Time::ZERO)).unwrap();
            let mut fifo = FifoTrace::new(port(), Span::from_ps(tick), 3);
            let mut plain = *port();
            let at = |number: u64| Time::from_ps(number * tick);

            // Which units arrive at which tick: runs of one connection, one after the other, and sometimes several units
            // at one tick.
            let mut queue: VecDeque<(usize, u64)> = VecDeque::new();
            let mut of_vc = [0_u32; 3];
            let (mut last_departure, mut now, mut done) = (0, 0, 0);
            let mut step_to = |now: u64, arrivals: &[usize], queue: &mut VecDeque<(usize, u64)>, plain: &mut PortTrace| {
                for number in done + 1..=now {
                    let mut departing = queue.pop_front();
                    if let Some((vc, _)) = departing {
                        of_vc[vc] -= 1;
                        plain.queued(at(number), queue.len() as u32);
                        plain.queued_of(at(number), vc, of_vc[vc]);
                    }
                    for &vc in arrivals.iter().filter(|_| number == now) {
                        if departing.is_none() {
                            departing = Some((vc, number));
                        } else {
                            queue.push_back((vc, number));
                            of_vc[vc] += 1;
                            plain.queued(at(number), queue.len() as u32);
                            plain.queued_of(at(number), vc, of_vc[vc]);
                        }
                    }
                    if let Some((_, admitted)) = departing {
                        plain.transmits(at(number), at(number + 1));
                        plain.departs(at(number), at(number).since(at(admitted)));
                    }
                }
                done = now;
            };
            for (vc, units, pause) in steps {
                now += 1 + pause;
                if pause == 3 {
                    // All at one tick.
                    for _ in 0..units {
                        let departs = now.max(last_departure + 1);
                        if departs == now {
                            fifo.pass(now, 1);
                        } else {
                            fifo.enter(vc, now, departs, 1, departs - now - 1);
                        }
                        last_departure = departs;
                    }
                    step_to(now, &vec![vc; units as usize], &mut queue, &mut plain);
                } else {
                    let departs = now.max(last_departure + 1);
                    if departs == now {
                        fifo.pass(now, units);
                    } else {
                        fifo.enter(vc, now, departs, units, departs - now - 1);
                    }
                    last_departure = departs + u64::from(units) - 1;
                    for tick in now..now + u64::from(units) {
                        step_to(tick, &[vc], &mut queue, &mut plain);
                    }
                    now += u64::from(units) - 1;
                }
            }
            // The end may lie within a transmission, and before the queue is empty.
            let end = Time::from_ps(at(now).as_ps() + 1 + cut);
            step_to((end.as_ps() - 1) / tick, &[], &mut queue, &mut plain);
            let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
            let mut recorded = fifo.until(end);
            prop_assert_eq!(recorded.sojourn(), plain.sojourn());
            for metric in metrics.iter() {
                prop_assert_eq!(recorded.take(metric, end, "p", &names), plain.take(metric, end, "p", &names));
            }
        }
    }
}
