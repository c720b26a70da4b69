//! BLUE: arriving packets are refused with a probability that rises when packets are lost for lack of room, and falls when the link
//! is idle; the length of the queue decides nothing.
//! Source: \[Feng02\] §III, its algorithm and its names.
//!
//! Reading: an event of an idle link is one that follows a transmission after which nothing waits; a link that stays idle makes no
//! more of them. Deviation: packets are refused, never marked; there is no ECN.

use super::{BatchHints, Fifo, Mechanism, PacketArrival, PacketPolicy, QueuePort, unless_full};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::queue::{DropReason, Port, Verdict};
use crate::rng::Stream;
use crate::units::{Span, Time};

/// The parameters of BLUE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlueParams {
    /// δ1: by how much the probability rises.
    pub increment: f64,
    /// δ2: by how much it falls.
    pub decrement: f64,
    /// freeze_time: how long it stays at least.
    pub freeze_time: Span,
}

/// The state of BLUE.
#[derive(Clone, Debug)]
pub struct Blue {
    params: BlueParams,
    /// p_m.
    probability: f64,
    last_update: Time,
    draws: Stream,
    drawn: u64,
}

impl Mechanism for Blue {
    const NAME: &'static str = "blue";
    const ABOUT: &'static str = "BLUE: packets are refused at random, with a probability that rises with losses and falls when the link is idle.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("increment", Kind::Share, Default::Is(Value::Number(0.02)), "[Feng02] §III, of its four settings one",
            "δ1: what is added to the probability when a packet has no room."),
        Key::new("decrement", Kind::Share, Default::Is(Value::Number(0.002)), "[Feng02] §III, of its four settings one",
            "δ2: what is taken off the probability when the link becomes idle."),
        Key::new("freeze_time", Kind::time(Span::ZERO, Span::from_secs(3600)), Default::Is(Value::time(Span::from_ms(100))), "[Feng02] §III, of its four settings one",
            "The least time between two changes of the probability."),
    ];
    const NEEDS_LIMIT: Option<&'static str> = Some("BLUE learns from packets that have no room");
    const DOUBT: fn(&Values) -> Option<Misfit> = |values| {
        (values.number("decrement") >= values.number("increment")).then(|| Misfit {
            keys: &["increment", "decrement"],
            problem: "`decrement` of blue is not less than its `increment`".to_owned(),
            expected: "[Feng02] §III: the probability rises ten times as fast as it falls",
        })
    };
    type Params = BlueParams;
    type State = Fifo<Blue>;

    fn params(values: &Values, _: &Port) -> Result<BlueParams, Misfit> {
        Ok(BlueParams {
            increment: values.number("increment"),
            decrement: values.number("decrement"),
            freeze_time: values.time("freeze_time"),
        })
    }

    fn is_random(_params: &BlueParams, _connections: usize) -> bool {
        true
    }

    fn start(params: &BlueParams, port: &QueuePort<'_>, draws: Stream) -> Fifo<Blue> {
        Fifo::new(port, Blue::new(*params, draws))
    }
}

impl Blue {
    /// BLUE with random numbers from `draws`.
    pub fn new(params: BlueParams, draws: Stream) -> Blue {
        Blue { params, probability: 0.0, last_update: Time::ZERO, draws, drawn: 0 }
    }

    /// The probability changes by so much, if it has stayed for long enough.
    fn change(&mut self, now: Time, by: f64) {
        if now.since(self.last_update) > self.params.freeze_time {
            self.probability = (self.probability + by).clamp(0.0, 1.0);
            self.last_update = now;
        }
    }

    fn hits(&mut self) -> bool {
        if self.probability == 0.0 {
            return false;
        }
        let draw = self.draws.at(self.drawn) as f64 / TWO_TO_64;
        self.drawn += 1;
        draw < self.probability
    }
}

impl PacketPolicy for Blue {
    fn on_enqueue(&mut self, arrival: &PacketArrival) -> Verdict {
        if let Some(idle) = arrival.idle {
            // Nothing has happened since the link became idle.
            let since = Time::from_ps(arrival.now.as_ps() - idle.as_ps());
            self.change(since.max(self.last_update), -self.params.decrement);
        }
        if arrival.is_full {
            self.change(arrival.now, self.params.increment);
            return unless_full(arrival);
        }
        if self.hits() { Verdict::Drop(DropReason::Policy) } else { Verdict::Accept }
    }
}

impl BatchHints for Blue {}

const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn blue() -> Blue {
        let params = BlueParams { increment: 0.02, decrement: 0.002, freeze_time: Span::from_ms(100) };
        Blue::new(params, Stream::new(1, "port", "blue"))
    }

    fn arrival(ms: u64) -> PacketArrival {
        let now = Time::ZERO + Span::from_ms(ms);
        PacketArrival { now, idle: None, queued: 5, queued_bytes: 7500, is_full: false }
    }

    #[test]
    fn losses_raise_the_probability_once_in_a_freeze_time() {
        let mut blue = blue();
        let mut after = |ms| {
            let verdict = blue.on_enqueue(&PacketArrival { is_full: true, ..arrival(ms) });
            assert_eq!(verdict, Verdict::Drop(DropReason::Overflow));
            (blue.probability * 1000.0).round() as u64
        };
        assert_eq!([50, 100, 101, 150, 201, 202, 302].map(&mut after), [0, 0, 20, 20, 20, 40, 40]);
        assert_eq!(after(303), 60);
    }

    #[test]
    fn an_idle_link_lowers_it_as_of_when_it_became_idle() {
        let mut blue = Blue { probability: 0.01, last_update: arrival(1000).now, ..blue() };
        let mut after = |ms: u64, idle_ms: u64| {
            blue.on_enqueue(&PacketArrival { idle: Some(Span::from_ms(idle_ms)), ..arrival(ms) });
            (blue.probability * 1000.0).round() as u64
        };
        // Idle since 1090, which is too early, although it is 1200 now; then since 1150; then not for long enough again.
        assert_eq!([after(1200, 110), after(1201, 51), after(1250, 1)], [10, 8, 8]);
        assert_eq!(after(1300, 40), 6);
    }

    #[test]
    fn a_probability_is_from_0_to_1() {
        let mut blue = Blue { probability: 0.99, ..blue() };
        blue.on_enqueue(&PacketArrival { is_full: true, ..arrival(101) });
        assert_eq!(blue.probability, 1.0);
        blue.probability = 0.001;
        blue.on_enqueue(&PacketArrival { idle: Some(Span::from_ms(1)), ..arrival(300) });
        assert_eq!(blue.probability, 0.0);
    }

    #[test]
    fn packets_are_refused_with_that_probability() {
        let mut blue = Blue { probability: 0.1, ..blue() };
        let refused = (0..10_000).filter(|_| blue.on_enqueue(&arrival(1)) != Verdict::Accept).count();
        assert!((880..1120).contains(&refused), "four standard deviations of 30: {refused}");
    }
}
