//! The token bucket filter, a shaper: a FIFO whose packets leave no faster than tokens come, except for a burst.
//! Source: tc-tbf(8) of Linux, whose names are used.
//!
//! Tokens come at a rate into a bucket that holds `burst` of them. What counts of the bucket is when it is full again if nothing leaves:
//! a packet takes its transmission time at the rate of the tokens from it, and that is rounded as on a link.

use super::{Dropped, LinkUse, Mechanism, QueueDiscipline, QueuePort, QueuedPacket};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::queue::packet_fifo::PacketFifo;
use crate::queue::{DropReason, Port};
use crate::rng::Stream;
use crate::units::{Rate, Span, Time};

/// The parameters of a token bucket filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TbfParams {
    /// How fast tokens come.
    pub rate: Rate,
    /// How many the bucket holds, octets.
    pub burst_bytes: u64,
}

/// The state of a token bucket filter.
#[derive(Debug)]
pub struct Tbf {
    rate: Rate,
    /// How long it takes to fill the bucket.
    burst: Span,
    /// When the bucket is full if nothing leaves before; in the past since when it is.
    full: Time,
    packets: PacketFifo<QueuedPacket>,
    max_packets: u32,
}

/// A slower shaper needs more than ten seconds for a packet.
const SLOWEST_BPS: u64 = 1_000;
/// A bucket that takes longer to fill than the longest run lasts is none.
const LONGEST_BURST_S: u64 = 720 * 3_600;

impl Mechanism for Tbf {
    const NAME: &'static str = "tbf";
    const ABOUT: &'static str =
        "Token bucket filter, a shaper: packets wait until there are tokens for them, which come at a rate.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("rate", Kind::Or(&Kind::rate(SLOWEST_BPS, 1_000_000_000_000), &["link"]), Default::Is(Value::Word("link")), "Ackclock",
            "The rate of the tokens, and so of the packets on the average; `link`: the rate of the link, the first or mean one if it changes. A constant one holds nothing back."),
        Key::new("burst", Kind::bytes(1, 1 << 30), Default::Is(Value::bytes(15_140)), "Ackclock: ten packets of the largest size on Ethernet",
            "The size of the bucket: how many bytes may leave at the rate of the link after a pause."),
    ];
    type Params = TbfParams;
    type State = Tbf;

    fn params(values: &Values, port: &Port) -> Result<TbfParams, Misfit> {
        let rate = match values.value("rate") {
            Value::Quantity(quantity) => Rate::from_bps(quantity.amount).expect("its limits are above 0"),
            _ => port.rate,
        };
        let burst_bytes = values.amount("burst");
        if burst_bytes * 8 > rate.as_bps().saturating_mul(LONGEST_BURST_S) {
            return Err(Misfit {
                keys: &["burst", "rate"],
                problem: format!("at {} bit/s it takes longer than 720 hours to fill `burst`", rate.as_bps()),
                expected: "a smaller `burst`, or a larger `rate`",
            });
        }
        Ok(TbfParams { rate, burst_bytes })
    }

    fn start(params: &TbfParams, port: &QueuePort<'_>, _draws: Stream) -> Tbf {
        let TbfParams { rate, burst_bytes } = *params;
        let burst = rate.serialization(burst_bytes * 8);
        let packets = PacketFifo::new(port.max_bytes);
        Tbf { rate, burst, full: Time::ZERO, packets, max_packets: port.max_packets }
    }
}

impl Tbf {
    fn tokens(&self, bytes: u32) -> Span {
        self.rate.serialization(u64::from(bytes) * 8)
    }

    /// When there are tokens for a packet of this size: for one that is larger than the bucket when that is full.
    fn ready(&self, bytes: u32) -> Time {
        let left_over = self.burst.as_ps().saturating_sub(self.tokens(bytes).as_ps());
        self.full.saturating_sub(Span::from_ps(left_over))
    }
}

impl QueueDiscipline for Tbf {
    fn enqueue(&mut self, packet: QueuedPacket, link: LinkUse, dropped: &mut Dropped) {
        let QueuedPacket { arrived, bytes, .. } = packet;
        let leaves_at_once = link.is_free && self.ready(bytes) <= arrived;
        let is_full = self.packets.as_slice().len() as u32 >= self.max_packets;
        if leaves_at_once || self.packets.has_room(bytes, is_full) {
            *self.packets.place(bytes) = packet;
        } else {
            dropped.push(packet, DropReason::Overflow);
        }
    }

    fn dequeue(&mut self, now: Time, _dropped: &mut Dropped) -> Option<QueuedPacket> {
        let bytes = self.packets.first().filter(|first| self.ready(first.bytes) <= now)?.bytes;
        self.full = self.full.max(now) + self.tokens(bytes);
        self.packets.pop()
    }

    fn next(&self) -> Time {
        self.packets.first().map_or(Time::NEVER, |first| self.ready(first.bytes))
    }

    fn flush(&mut self) -> Option<QueuedPacket> {
        self.packets.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ecn;

    /// An octet takes 1 us, the bucket holds 3000.
    fn tbf(max_packets: u32) -> Tbf {
        let rate = Rate::from_bps(8_000_000).unwrap();
        let port =
            QueuePort { rate: Rate::from_bps(1_000_000_000).unwrap(), max_packets, max_bytes: u64::MAX, flows: &[0] };
        Tbf::start(&TbfParams { rate, burst_bytes: 3000 }, &port, Stream::new(1, "a->b", "tbf"))
    }

    fn us(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    /// A packet comes; `is_free`: while the link is free, and nothing waits. Whether it may wait.
    fn enqueue(tbf: &mut Tbf, now: u64, bytes: u32, is_free: bool) -> bool {
        let mut dropped = Dropped::default();
        let packet = QueuedPacket { arrived: us(now), handle: 0, bytes, flow: 0, ecn: Ecn::NOT_ECT };
        tbf.enqueue(packet, LinkUse { idle: None, is_free }, &mut dropped);
        dropped.is_empty()
    }

    fn dequeue(tbf: &mut Tbf, now: u64) -> Option<u32> {
        tbf.dequeue(us(now), &mut Dropped::default()).map(|packet| packet.bytes)
    }

    #[test]
    fn a_burst_leaves_at_once_and_the_rest_at_the_rate() {
        let mut tbf = tbf(10);
        for _ in 0..4 {
            enqueue(&mut tbf, 0, 1500, false);
        }
        assert_eq!([0, 0].map(|now| dequeue(&mut tbf, now)), [Some(1500); 2], "3000 tokens are there");
        assert_eq!((dequeue(&mut tbf, 0), tbf.next()), (None, us(1500)));
        assert_eq!((dequeue(&mut tbf, 1499), dequeue(&mut tbf, 1500)), (None, Some(1500)));
        assert_eq!((tbf.next(), dequeue(&mut tbf, 4000)), (us(3000), Some(1500)), "the link was busy");
        // 4000 tokens came until then and 3000 were there; 6000 have left.
        enqueue(&mut tbf, 4000, 1500, false);
        assert_eq!((tbf.next(), dequeue(&mut tbf, 4500)), (us(4500), Some(1500)));
    }

    #[test]
    fn the_bucket_holds_no_more_than_its_size() {
        let mut tbf = tbf(10);
        for _ in 0..3 {
            enqueue(&mut tbf, 1_000_000, 1500, false);
        }
        let leave = [0, 0, 0, 1499, 1500].map(|after| dequeue(&mut tbf, 1_000_000 + after));
        assert_eq!(leave, [Some(1500), Some(1500), None, None, Some(1500)]);
    }

    #[test]
    fn a_packet_larger_than_the_bucket_leaves_when_that_is_full_and_its_tokens_are_taken() {
        let mut tbf = tbf(10);
        for bytes in [1000, 4000, 100] {
            enqueue(&mut tbf, 0, bytes, false);
        }
        assert_eq!((dequeue(&mut tbf, 0), dequeue(&mut tbf, 999), tbf.next()), (Some(1000), None, us(1000)));
        assert_eq!(dequeue(&mut tbf, 1000), Some(4000));
        // The bucket lacks 1000 tokens.
        assert_eq!((tbf.next(), dequeue(&mut tbf, 2099), dequeue(&mut tbf, 2100)), (us(2100), None, Some(100)));
    }

    #[test]
    fn what_is_held_back_needs_room_though_the_link_is_free() {
        let mut tbf = tbf(0);
        assert!(enqueue(&mut tbf, 0, 3000, true));
        assert_eq!(dequeue(&mut tbf, 0), Some(3000));
        assert!(!enqueue(&mut tbf, 99, 100, true), "there are 99 tokens");
        assert!(enqueue(&mut tbf, 100, 100, true));
    }

    #[test]
    fn a_bucket_that_no_run_fills_is_refused() {
        let port = Port { capacity_cells: None, rate: Rate::from_bps(1).unwrap() };
        let params = |burst| {
            let given = |key: &Key| (key.name == "burst").then_some(Value::bytes(burst));
            Tbf::params(&Values::of(Tbf::KEYS, given), &port)
        };
        assert!(params(LONGEST_BURST_S / 8).is_ok());
        assert_eq!(params(LONGEST_BURST_S / 8 + 1).unwrap_err().keys, ["burst", "rate"]);
    }

    #[test]
    fn nothing_is_lost_on_the_way_out() {
        let mut tbf = tbf(10);
        enqueue(&mut tbf, 0, 1500, false);
        assert_eq!((tbf.flush().map(|packet| packet.bytes), tbf.flush(), tbf.next()), (Some(1500), None, Time::NEVER));
    }
}
