//! The two-state model of a channel that is sampled in time: good for a while, then bad for a while.
//! Source: \[VEGAS-A\] §5.4.2; the other sampling as in ns-2's MultiState error model with transitions in time.

use super::{Draws, ErrorModel, Mechanism};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::link::chance::Chance;
use crate::rng::Stream;
use crate::units::{Span, Time};

/// The parameters of the model. It begins in the good state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkovParams {
    /// The good state: t1, p and α in the source.
    pub good: Stay,
    /// The bad state: t2, q and β.
    pub bad: Stay,
    /// When the state is looked at.
    pub sampling: Sampling,
}

/// One of the two states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stay {
    /// The time after which it is sampled: not zero.
    pub interval: Span,
    /// The probability to stay, when it is sampled: 0 to 1.
    pub stay: f64,
    /// The probability that a packet is lost: 0 to 1.
    pub loss: f64,
}

/// When the state is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// At the end of every interval of the state that was entered or kept, from time 0 on.
    Interval,
    /// When a packet comes and the interval of the state is over, which began with the first packet or with the last
    /// change: as ns-2 does, where a stay is prolonged by one packet and not by one interval.
    Ns2Packet,
}

/// The state of the model.
#[derive(Clone, Debug)]
pub struct Markov {
    params: MarkovParams,
    transitions: Stream,
    losses: Stream,
    /// Samples taken so far.
    samples: u64,
    /// When the next is due; of `Ns2Packet`, when the first is. Not known before the first packet there.
    due: Option<Time>,
    /// When the state has changed, from good to bad first. Packets of one link may be asked about out of order.
    changes: Vec<Time>,
}

impl Mechanism for Markov {
    const NAME: &'static str = "markov";
    const ABOUT: &'static str = "A good and a bad state alternate; each has a probability that a packet is corrupted.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("sampling", Kind::Word(&["interval", "ns2-packet"]), Default::Is(Value::Word("interval")), "[VEGAS-A] §5.4.2",
            "When the state is sampled: after every interval, or as in ns-2 at the first packet after an interval."),
        Key::required_as("good", Kind::Table(STAY), STAY_EXAMPLE, "The state at the start."),
        Key::required_as("bad", Kind::Table(STAY), STAY_EXAMPLE, "The other state."),
    ];
    const IS_RANDOM: bool = true;
    type Params = MarkovParams;

    fn params(values: &Values) -> Result<MarkovParams, Misfit> {
        let samplings = [("interval", Sampling::Interval), ("ns2-packet", Sampling::Ns2Packet)];
        let sampling = values.choice("sampling", &samplings);
        let [good, bad] = ["good", "bad"].map(|state| Stay::of(values.table(state)));
        for (state, stay, keys) in [("good", good, &["good.stay"]), ("bad", bad, &["bad.stay"])] {
            if stay.stay == 1.0 {
                return Err(Misfit {
                    keys,
                    problem: format!("the model never leaves its {state} state"),
                    expected: "must be less than 1; errors that do not change are those of the model uniform",
                });
            }
        }
        Ok(MarkovParams { good, bad, sampling })
    }

    fn corrupts_all(params: &MarkovParams) -> Option<&'static str> {
        (params.good.loss == 1.0 && params.bad.loss == 1.0).then_some("good")
    }

    fn start(params: &MarkovParams, draws: &Draws<'_>) -> Markov {
        Markov::new(*params, draws.stream("state"), draws.stream("loss"))
    }
}

impl ErrorModel for Markov {
    fn corrupts(&mut self, ordinal: u64, now: Time, _bytes: u32) -> bool {
        let state = match self.params.sampling {
            Sampling::Interval => self.at(now),
            Sampling::Ns2Packet => self.on_packet(now),
        };
        Chance::new(state.loss).hits(self.losses.at(ordinal))
    }
}

impl Stay {
    fn of(values: &Values) -> Stay {
        Stay { interval: values.time("interval"), stay: values.number("stay"), loss: values.number("loss") }
    }
}

/// The parameters of a state.
#[rustfmt::skip]
const STAY: &[Key] = &[
    // A microsecond at least: every sample is drawn, whether or not a packet comes.
    Key::required_as("interval", Kind::time(Span::from_us(1), Span::from_secs(720 * 3600)), "\"25 s\"",
        "The time after which the state is sampled."),
    Key::required_as("stay", Kind::Share, "0.05", "The probability to stay when it is sampled; less than 1."),
    Key::required_as("loss", Kind::Share, "0.05", "The probability that a packet is corrupted in this state."),
];
/// \[VEGAS-A\] Table 21, from source to destination.
const STAY_EXAMPLE: &str = "{ interval = \"25 s\", stay = 0.05, loss = 0.05 }";

impl Markov {
    /// The model, in the good state, with the random numbers for its transitions and for its losses.
    fn new(params: MarkovParams, transitions: Stream, losses: Stream) -> Markov {
        let due = match params.sampling {
            Sampling::Interval => Some(Time::ZERO + params.good.interval),
            Sampling::Ns2Packet => None,
        };
        Markov { params, transitions, losses, samples: 0, due, changes: Vec::new() }
    }

    /// The state at `now`, which may be earlier than what was asked about before.
    fn at(&mut self, now: Time) -> Stay {
        while let Some(due) = self.due.filter(|&due| due <= now) {
            self.sample(due);
            self.due = Some(due + self.state_after(self.changes.len()).interval);
        }
        self.state_after(self.changes.partition_point(|&change| change <= now))
    }

    fn on_packet(&mut self, now: Time) -> Stay {
        let due = *self.due.get_or_insert(now + self.params.good.interval);
        if now >= due && self.sample(now) {
            self.due = Some(now + self.state_after(self.changes.len()).interval);
        }
        self.state_after(self.changes.len())
    }

    /// Draws whether the state changes; returns whether it does.
    fn sample(&mut self, now: Time) -> bool {
        let stays = Chance::new(self.state_after(self.changes.len()).stay).hits(self.transitions.at(self.samples));
        self.samples += 1;
        if !stays {
            self.changes.push(now);
        }
        !stays
    }

    fn state_after(&self, changes: usize) -> Stay {
        if changes.is_multiple_of(2) { self.params.good } else { self.params.bad }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The source's values from source to destination, [VEGAS-A] Table 21.
    const FORWARD: MarkovParams = MarkovParams {
        good: Stay { interval: Span::from_secs(25), stay: 0.05, loss: 0.05 },
        bad: Stay { interval: Span::from_secs(5), stay: 0.55, loss: 0.25 },
        sampling: Sampling::Interval,
    };

    /// And back.
    const BACKWARD: MarkovParams = MarkovParams {
        good: Stay { interval: Span::from_secs(25), stay: 0.45, loss: 0.05 },
        bad: Stay { interval: Span::from_secs(15), stay: 0.45, loss: 0.75 },
        sampling: Sampling::Interval,
    };

    fn markov(params: MarkovParams, link: &str) -> Markov {
        Markov::new(params, Stream::new(1, link, "state"), Stream::new(1, link, "loss"))
    }

    fn seconds(seconds: u64) -> Time {
        Time::ZERO + Span::from_secs(seconds)
    }

    /// The lengths of the stays in each state over so many seconds, without the last one.
    fn stays(markov: &mut Markov, over: u64) -> [Vec<u64>; 2] {
        markov.at(seconds(over));
        let mut stays = [Vec::new(), Vec::new()];
        let mut before = Time::ZERO;
        for (number, &change) in markov.changes.iter().enumerate() {
            stays[number % 2].push(change.since(before).as_ps() / Span::from_secs(1).as_ps());
            before = change;
        }
        stays
    }

    fn within(value: f64, expected: f64, part: f64) -> bool {
        (value / expected - 1.0).abs() < part
    }

    #[test]
    fn stays_and_losses_are_those_that_follow_from_the_parameters() {
        // Mean stays t1/(1 − p) and t2/(1 − q), the share of time, and the losses of a uniform stream. Ten times the 10⁶ s
        // of the specification: a share has a standard deviation of 0.3 % there, and two per cent are six of them.
        for (params, link, [good, bad, share, loss]) in
            [(FORWARD, "a->b", [26.32, 11.11, 0.7031, 0.1094]), (BACKWARD, "b->a", [45.45, 27.27, 0.6250, 0.3125])]
        {
            let mut model = markov(params, link);
            let over = 10_000_000;
            let stays = stays(&mut model, over);
            let mean = |of: &[u64]| of.iter().sum::<u64>() as f64 / of.len() as f64;
            assert!(within(mean(&stays[0]), good, 0.02) && within(mean(&stays[1]), bad, 0.02), "{link}");
            let in_good = stays[0].iter().sum::<u64>() as f64;
            assert!(within(in_good / over as f64, share, 0.02), "{link}");
            let lost = (0..over).filter(|&second| model.corrupts(second, seconds(second), 1000)).count();
            assert!(within(lost as f64 / over as f64, loss, 0.02), "{link}: {lost}");
        }
    }

    #[test]
    fn the_state_changes_on_the_sampling_grid_only() {
        let stays = stays(&mut markov(FORWARD, "a->b"), 100_000);
        assert!(stays[0].iter().all(|stay| stay % 25 == 0) && stays[1].iter().all(|stay| stay % 5 == 0));
        assert!(stays[1].iter().any(|&stay| stay > 5), "and not at every sample");
    }

    #[test]
    fn the_two_directions_have_nothing_to_do_with_each_other() {
        let (mut one, mut other) = (markov(FORWARD, "a->b"), markov(FORWARD, "b->a"));
        let is_bad = |markov: &mut Markov, at: u64| f64::from(markov.at(seconds(at)).loss > 0.1);
        let samples = 200_000;
        let (mut both, mut first, mut second) = (0.0, 0.0, 0.0);
        for at in (0..samples).map(|number| 40 * number) {
            let (a, b) = (is_bad(&mut one, at), is_bad(&mut other, at));
            (both, first, second) = (both + a * b, first + a, second + b);
        }
        let n = samples as f64;
        let covariance = both / n - first / n * second / n;
        // Variance 0.7·0.3 = 0.209; the correlation of 200 000 nearly independent samples: 0.002 and a bit.
        assert!((covariance / 0.209).abs() < 0.01, "{covariance}");
    }

    #[test]
    fn an_earlier_instant_can_be_asked_about_later() {
        let (mut forth, mut back) = (markov(FORWARD, "a->b"), markov(FORWARD, "a->b"));
        let asked: Vec<f64> = (0..1000).map(|second| forth.at(seconds(second)).loss).collect();
        let mut reversed: Vec<f64> = (0..1000).rev().map(|second| back.at(seconds(second)).loss).collect();
        reversed.reverse();
        assert_eq!(asked, reversed);
        assert!(asked[..25].iter().all(|&loss| loss == 0.05), "good up to the first sample");
    }

    #[test]
    fn as_in_ns2_a_stay_lasts_its_interval_and_some_packets() {
        let params = MarkovParams { sampling: Sampling::Ns2Packet, ..FORWARD };
        let mut model = markov(params, "a->b");
        // Ten packets a second: the timer runs out after 250 packets, then one in 0.95 leaves, or one in 0.45 of the bad
        // state: 25 + 0.1/0.95 − and 5 + 0.1/0.45 − seconds, up to a packet.
        let packets = 3_000_000;
        let mut in_good = 0;
        for packet in 0..packets {
            let now = Time::from_ps(packet * 100_000_000_000);
            model.corrupts(packet, now, 1000);
            in_good += u64::from(model.changes.len().is_multiple_of(2));
        }
        let share = in_good as f64 / packets as f64;
        // (25.005 + one packet in 0.95 less one) / (that + 5.12): 0.8297
        assert!(within(share, 25.0 / 30.13, 0.005), "{share}");
        // The timer is looked at only when packets come: none for an hour, and the state is as it was.
        let mut rare = markov(params, "a->b");
        rare.corrupts(0, seconds(10), 1000);
        assert_eq!(rare.due, Some(seconds(35)));
        rare.corrupts(1, seconds(34), 1000);
        assert_eq!(rare.samples, 0, "not before");
        rare.corrupts(2, seconds(3600), 1000);
        assert_eq!(rare.samples, 1);
    }
}
