//! A packet port that has no transmitter of its own: it shares one with the other ports of a medium, and the turns there
//! ([`Turns`]) say when it sends. Its own times of events mean nothing then.

use super::{Coming, Departure, PacketOwner, PacketPort, Turn};
use crate::link::Turns;
use crate::units::{Span, Time};

impl<T: Copy> PacketPort<T> {
    /// A packet arrives at the port with this number at the medium: see [`PacketPort::on_arrival`].
    pub(in crate::net) fn arrives_at_medium(
        &mut self,
        now: Time,
        coming: Coming,
        handle: T,
        (turns, number): (&mut Turns, usize),
        owner: &mut impl PacketOwner<T>,
    ) -> Option<Departure<T>> {
        self.free = turns.free();
        let departure = self.on_arrival(now, coming, handle, owner);
        self.settle_at_medium(now, turns, number);
        departure
    }

    /// It is the turn of the port with this number at the medium, at which something waits.
    pub(in crate::net) fn take_turn(
        &mut self,
        now: Time,
        (turns, number): (&mut Turns, usize),
        owner: &mut impl PacketOwner<T>,
    ) -> Option<Departure<T>> {
        self.free = turns.free();
        self.next_start = now;
        let turn = self.on_event(now, owner);
        self.settle_at_medium(now, turns, number);
        turn.map(|turn| match turn {
            Turn::Departs(departure) => departure,
            Turn::Leaves(..) | Turn::IntervalEnds => {
                unreachable!("a link of a medium is always up, and its port gives no rates")
            }
        })
    }

    /// What has happened at the port is told to the turns at the medium.
    fn settle_at_medium(&mut self, now: Time, turns: &mut Turns, number: usize) {
        let was_free = turns.free() <= now;
        // A transmission takes time.
        let complete = Some(self.free).filter(|&complete| was_free && complete > now);
        if let Some(complete) = complete
            && turns.overhead() > Span::ZERO
        {
            self.monitor.transmits(complete, turns.overhead());
        }
        // `next_start` is later than the end of the medium's transmission only if packets are held back.
        turns.settle(now, number, complete, self.next_start);
    }
}
