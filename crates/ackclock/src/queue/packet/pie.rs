//! PIE, proportional integral controller enhanced: arriving packets are dropped with a probability that is computed anew at
//! fixed times from the waiting time and from its change.
//! Source: RFC 8033 §4, §5.4, §5.5 and Appendices A and B. Units: seconds, octets.
//!
//! The waiting time is measured by timestamps, which RFC 8033 §4.3 allows: it is that of the packet that left last, and 0
//! if that packet left the queue empty.
//! Left out: the departure rate (§5.2), switching PIE on and off (§5.3), probabilities by size.

use super::{BatchHints, Fifo, Mechanism, PacketArrival, PacketPolicy, QueuePort, ecn_key, signal, unless_full};
use crate::keys::{Condition, Default, Key, Kind, Misfit, Value, Values};
use crate::queue::{Port, Verdict};
use crate::rng::Stream;
use crate::units::{Span, Time};

/// The parameters of PIE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieParams {
    /// QDELAY_REF: the target of the waiting time.
    pub target: Span,
    /// T_UPDATE: the time between two updates of the probability.
    pub update: Span,
    /// MAX_BURST: how long nothing is dropped after a time without congestion.
    pub max_burst: Span,
    /// Weight of the distance of the waiting time from the target, per second.
    pub alpha: f64,
    /// Weight of the change of the waiting time, per second.
    pub beta: f64,
    /// MEAN_PKTSIZE: nothing is dropped while no more than two of these wait. Octets.
    pub mean_packet_bytes: u64,
    /// RFC 8033 §5.5: no large steps where the probability is high already.
    pub cap: bool,
    /// RFC 8033 §5.4: drops are neither too close nor too far apart.
    pub derandomize: bool,
    /// §5.1: whether what can be marked is, and not dropped; and up to which probability.
    pub marks: bool,
    /// See `marks`.
    pub mark_limit: f64,
}

/// The state of PIE.
#[derive(Clone, Debug)]
pub struct Pie {
    params: PieParams,
    /// When the probability is computed next.
    next_update: Time,
    drop_probability: f64,
    burst_allowance: Span,
    /// current_qdelay, and qdelay_old: what it was at the last update.
    delay: Span,
    delay_old: Span,
    /// accu_prob: the sum of the probabilities since the last drop.
    accumulated: f64,
    draws: Stream,
    drawn: u64,
}

impl Mechanism for Pie {
    const NAME: &'static str = "pie";
    const ABOUT: &'static str =
        "PIE: packets are dropped at random, with a probability that follows their waiting time.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("target", Kind::time(Span::from_us(1), LONGEST), Default::Is(Value::time(Span::from_ms(15))), "RFC 8033 §4.2",
            "QDELAY_REF: the target of the waiting time."),
        Key::new("update", Kind::time(Span::from_us(100), LONGEST), Default::Is(Value::time(Span::from_ms(15))), "RFC 8033 §4.2",
            "T_UPDATE: the time between two updates of the probability."),
        Key::new("max_burst", Kind::time(Span::from_us(1), LONGEST), Default::Is(Value::time(Span::from_ms(150))), "RFC 8033 §4.4",
            "MAX_BURST: how long no packet is dropped after a time without congestion."),
        Key::new("alpha", Kind::Number(1000.0), Default::Is(Value::Number(0.125)), "RFC 8033 §4.2",
            "Weight of the distance of the waiting time from the target at an update, per second."),
        Key::new("beta", Kind::Number(1000.0), Default::Is(Value::Number(1.25)), "RFC 8033 §4.2",
            "Weight of the change of the waiting time since the last update, per second."),
        Key::new("mean_packet", Kind::bytes(1, 65_535), Default::Is(Value::bytes(1500)), "Linux: the MTU",
            "MEAN_PKTSIZE: no packet is dropped while no more than twice this size waits."),
        Key::new("cap", Kind::Flag, Default::Is(Value::Flag(true)), "RFC 8033 §5.5",
            "Whether a probability of 0.1 or more rises by at most 0.02 at an update."),
        Key::new("derandomize", Kind::Flag, Default::Is(Value::Flag(true)), "RFC 8033 §5.4",
            "Whether drops very close to each other or very far apart are avoided."),
        ecn_key(false, "RFC 8033 §5.1"),
        Key::new("ecn_limit", Kind::Share, Default::Is(Value::Number(0.1)), "RFC 8033 §5.1",
            "The probability above which packets are dropped that can be marked.").used_if(&[Condition::new("ecn", &["true"])]),
    ];
    type Params = PieParams;
    type State = Fifo<Pie>;

    fn params(values: &Values, _: &Port) -> Result<PieParams, Misfit> {
        Ok(PieParams {
            target: values.time("target"),
            update: values.time("update"),
            max_burst: values.time("max_burst"),
            alpha: values.number("alpha"),
            beta: values.number("beta"),
            mean_packet_bytes: values.amount("mean_packet"),
            cap: values.flag("cap"),
            derandomize: values.flag("derandomize"),
            marks: values.flag("ecn"),
            mark_limit: values.number("ecn_limit"),
        })
    }

    fn is_random(_params: &PieParams, _connections: usize) -> bool {
        true
    }

    fn marks(params: &PieParams) -> bool {
        params.marks
    }

    fn start(params: &PieParams, port: &QueuePort<'_>, draws: Stream) -> Fifo<Pie> {
        Fifo::new(port, Pie::new(*params, draws))
    }
}

impl Pie {
    /// PIE with random numbers from `draws`.
    pub fn new(params: PieParams, draws: Stream) -> Pie {
        Pie {
            params,
            next_update: Time::ZERO + params.update,
            drop_probability: 0.0,
            burst_allowance: params.max_burst,
            delay: Span::ZERO,
            delay_old: Span::ZERO,
            accumulated: 0.0,
            draws,
            drawn: 0,
        }
    }

    /// Makes the updates that were due before `now`. Between two packets no measurement changes, so each can be made late.
    fn update_until(&mut self, now: Time) {
        while self.next_update < now {
            let (is_idle, period) = (self.delay == Span::ZERO && self.delay_old == Span::ZERO, self.params.update);
            let due = match is_idle && self.drop_probability == 0.0 {
                // An update now changes nothing but the allowance: all that are due are made at once.
                true => now.since(self.next_update).as_ps().div_ceil(period.as_ps()),
                false => {
                    self.update_probability();
                    1
                }
            };
            let passed = period.as_ps().saturating_mul(due);
            self.burst_allowance = Span::from_ps(self.burst_allowance.as_ps().saturating_sub(passed));
            self.next_update += period * due;
        }
    }

    /// RFC 8033 §4.2, and `calculate_drop_prob` of Appendix B.
    fn update_probability(&mut self) {
        let PieParams { target, alpha, beta, cap, .. } = self.params;
        let (delay, old) = (self.delay.as_secs_f64(), self.delay_old.as_secs_f64());
        let before = self.drop_probability;
        let mut step = (alpha * (delay - target.as_secs_f64()) + beta * (delay - old)) * scale(before);
        if cap && before >= 0.1 {
            step = step.min(0.02);
        }
        let mut probability = before + step;
        // The congestion is over: exponential decay.
        if self.delay == Span::ZERO && self.delay_old == Span::ZERO {
            probability *= 0.98;
        }
        self.drop_probability = probability.clamp(0.0, 1.0);
        self.delay_old = self.delay;
    }

    /// RFC 8033 §4.1 and §5.4, `drop_early`.
    fn drops_early(&mut self, queued_bytes: u64) -> bool {
        let is_harmless = self.delay_old * 2 < self.params.target && self.drop_probability < 0.2;
        if is_harmless || queued_bytes <= 2 * self.params.mean_packet_bytes {
            return false;
        }
        if self.params.derandomize {
            self.accumulated =
                if self.drop_probability == 0.0 { 0.0 } else { self.accumulated + self.drop_probability };
            if self.accumulated < 0.85 || self.accumulated >= 8.5 {
                return self.accumulated >= 8.5;
            }
        }
        let draw = self.draws.at(self.drawn) as f64 / TWO_TO_64;
        self.drawn += 1;
        draw < self.drop_probability
    }
}

impl PacketPolicy for Pie {
    fn on_enqueue(&mut self, arrival: &PacketArrival) -> Verdict {
        self.update_until(arrival.now);
        // RFC 8033 §4.4: the congestion went away.
        let is_low = |delay: Span| delay * 2 < self.params.target;
        if self.drop_probability == 0.0 && is_low(self.delay) && is_low(self.delay_old) {
            self.burst_allowance = self.params.max_burst;
        }
        let drops = !arrival.is_full && self.burst_allowance == Span::ZERO && self.drops_early(arrival.queued_bytes);
        if drops || arrival.is_full {
            self.accumulated = 0.0;
        }
        let marks = self.params.marks && self.drop_probability <= self.params.mark_limit;
        if drops { signal(marks) } else { unless_full(arrival) }
    }

    fn on_dequeue(&mut self, now: Time, waited: Span, left_bytes: u64) -> Verdict {
        self.update_until(now);
        self.delay = if left_bytes == 0 { Span::ZERO } else { waited };
        Verdict::Accept
    }

    fn on_idle(&mut self) {
        self.delay = Span::ZERO;
    }
}

impl BatchHints for Pie {}

/// RFC 8033 §4.2: the smaller the probability is, the smaller are its steps.
fn scale(probability: f64) -> f64 {
    match probability {
        p if p < 0.000_001 => 1.0 / 2048.0,
        p if p < 0.000_01 => 1.0 / 512.0,
        p if p < 0.000_1 => 1.0 / 128.0,
        p if p < 0.001 => 1.0 / 32.0,
        p if p < 0.01 => 1.0 / 8.0,
        p if p < 0.1 => 1.0 / 2.0,
        _ => 1.0,
    }
}

const LONGEST: Span = Span::from_secs(3600);
const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::DropReason;
    use crate::units::Rate;

    /// With its defaults, and without an allowance for bursts.
    fn pie() -> Pie {
        let rate = Rate::from_bps(10_000_000).unwrap();
        let params = Pie::params(&Values::defaults(Pie::KEYS), &Port { capacity_cells: None, rate }).unwrap();
        let pie = Pie::new(params, Stream::new(1, "port", "pie"));
        Pie { burst_allowance: Span::ZERO, ..pie }
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn arrival(now: Time, queued_bytes: u64) -> PacketArrival {
        PacketArrival { now, idle: None, queued: (queued_bytes / 1500) as u32, queued_bytes, is_full: false }
    }

    /// The probability after an update, from one before it and the waiting times now and at the last update, in ms.
    fn updated(drop_probability: f64, delay: u64, old: u64) -> f64 {
        let (delay, delay_old) = (Span::from_ms(delay), Span::from_ms(old));
        let mut pie = Pie { drop_probability, delay, delay_old, ..pie() };
        pie.update_probability();
        pie.drop_probability
    }

    fn assert_close(ours: f64, expected: f64) {
        assert!((ours - expected).abs() <= 1e-9 * expected, "{ours} and not {expected}");
    }

    #[test]
    fn small_probabilities_change_in_small_steps() {
        // 20 ms as before: 0.125 · 0.005 = 0.000625, times the scale of each row of the table.
        for (p, scale) in [(5e-6, 512.0), (5e-5, 128.0), (5e-4, 32.0), (5e-3, 8.0), (0.05, 2.0), (0.2, 1.0)] {
            assert_close(updated(p, 20, 20), p + 0.000_625 / scale);
        }
        // Both sides of a row.
        assert_close(updated(0.01, 20, 20), 0.010_312_5);
        assert_close(updated(0.009_999, 20, 20), 0.010_077_125);
    }

    #[test]
    fn the_probability_follows_a_queue_that_builds_up_and_drains() {
        // alpha, beta and scale by exact arithmetic; the first: (0.125 · 0.015 + 1.25 · 0.03) / 2048.
        let run = [
            (30, 1.922_607_422e-5),
            (45, 1.950_073_242e-4),
            (60, 9.567_260_742e-4),
            (60, 1.132_507_324e-3),
            (60, 1.835_632_324e-3),
            (60, 2.538_757_324e-3),
            (50, 1.523_132_324e-3),
            (40, 3.512_573_242e-4),
            (30, 1.922_607_422e-5),
            (20, 0.0),
        ];
        let mut pie = pie();
        for (update, (delay, expected)) in (1..).zip(run) {
            pie.on_dequeue(ms(15 * update), Span::from_ms(delay), 10_000);
            pie.update_until(ms(15 * update) + Span::from_ps(1));
            assert!((pie.drop_probability - expected).abs() < 5e-13, "{delay}: {}", pie.drop_probability);
        }
    }

    #[test]
    fn steps_are_capped_from_a_tenth_on_and_decay_without_a_queue() {
        assert_close(updated(0.2, 60, 20), 0.22);
        assert_close(updated(0.1, 60, 20), 0.12);
        // Below: 0.125 · 0.045 + 1.25 · 0.04 = 0.055625, half of which counts.
        assert_close(updated(0.05, 60, 20), 0.077_812_5);
        let mut uncapped = Pie { drop_probability: 0.2, delay: Span::from_ms(60), ..pie() };
        (uncapped.params.cap, uncapped.delay_old) = (false, Span::from_ms(20));
        uncapped.update_probability();
        assert_close(uncapped.drop_probability, 0.255_625);
        // (0.3 − 0.125 · 0.015) · 0.98, but no decay while something waited at the last update: then 0.3 − 0.014375.
        assert_close(updated(0.3, 0, 0), 0.292_162_5);
        assert_close(updated(0.3, 0, 10), 0.285_625);
        assert_eq!(updated(0.001, 0, 10), 0.0, "never below 0");
        let mut high = Pie { drop_probability: 0.99, delay: Span::from_secs(9), ..pie() };
        high.update_probability();
        assert_eq!(high.drop_probability, 1.0, "nor above 1");
    }

    #[test]
    fn a_burst_after_a_quiet_time_passes_and_a_standing_queue_does_not() {
        let mut pie = pie();
        assert_eq!(pie.on_enqueue(&arrival(ms(1000), 0)), Verdict::Accept, "quiet: 150 ms are allowed from here on");
        pie.on_dequeue(ms(1001), Span::from_ms(100), 100_000);
        pie.params.derandomize = false;
        let mut at = |now| {
            (pie.drop_probability, pie.delay) = (1.0, Span::from_ms(100));
            pie.on_enqueue(&arrival(now, 100_000))
        };
        // Updates at 1005, 1020, …: the tenth, at 1140, uses the allowance up.
        assert_eq!(at(ms(1140)), Verdict::Accept);
        assert_eq!(at(ms(1141)), Verdict::Drop(DropReason::Policy));
    }

    #[test]
    fn the_last_two_packets_and_short_waits_are_spared() {
        let high = |drop_probability, delay_old| {
            let (delay, delay_old) = (Span::from_ms(100), Span::from_ps(delay_old));
            let mut pie = Pie { drop_probability, delay, delay_old, ..pie() };
            pie.params.derandomize = false;
            pie
        };
        assert!(!high(1.0, 100_000_000_000).drops_early(3000) && high(1.0, 100_000_000_000).drops_early(3001));
        // Half the target is 7.5 ms.
        let drops = |probability, old| {
            let mut pie = high(probability, old);
            (0..1000).filter(|_| pie.drops_early(100_000)).count()
        };
        assert_eq!(drops(0.199, 7_499_999_999), 0);
        assert!(drops(0.199, 7_500_000_000) > 150 && drops(0.2, 7_499_999_999) > 150);
    }

    #[test]
    fn drops_are_neither_too_close_nor_too_far_apart() {
        let mut pie = Pie { drop_probability: 0.05, delay: Span::from_ms(20), delay_old: Span::from_ms(20), ..pie() };
        let (mut gaps, mut gap) = (Vec::new(), 0);
        for _ in 0..100_000 {
            gap += 1;
            if pie.on_enqueue(&arrival(ms(1), 100_000)) != Verdict::Accept {
                gaps.push(std::mem::take(&mut gap));
            }
        }
        // 0.85 / 0.05 = 17: the seventeenth after a drop is the first that can be dropped.
        assert_eq!(gaps.iter().min(), Some(&17));
        // From there on a geometric law: on average 16 + 20.
        let mean = gaps.iter().sum::<u32>() as f64 / gaps.len() as f64;
        assert!((mean - 36.0).abs() < 4.0 * 19.5 / (gaps.len() as f64).sqrt(), "{mean}");
        // With 8.5 a packet is dropped for certain.
        let mut due = Pie { drop_probability: 1e-9, accumulated: 8.499, delay_old: Span::from_ms(20), ..pie.clone() };
        assert!(!due.drops_early(100_000));
        due.accumulated = 8.5;
        assert!(due.drops_early(100_000));
        // What is lost because it does not fit counts as a drop.
        let full = PacketArrival { is_full: true, ..arrival(ms(1), 100_000) };
        assert_eq!(due.on_enqueue(&full), Verdict::Drop(DropReason::Overflow));
        assert_eq!(due.accumulated, 0.0);
    }

    #[test]
    fn updates_of_idle_times_end_the_same_whether_made_one_by_one_or_at_once() {
        let begun = Pie { drop_probability: 0.5, burst_allowance: Span::from_secs(3000), ..pie() };
        let (mut one_by_one, mut at_once) = (begun.clone(), begun);
        for turn in 1..40_000 {
            one_by_one.update_until(ms(15 * turn));
        }
        at_once.update_until(ms(15 * 39_999));
        for pie in [&one_by_one, &at_once] {
            // 0.5 decays by 2 % and 0.001875 an update, in ever smaller steps, to nothing.
            assert_eq!((pie.drop_probability, pie.next_update), (0.0, ms(15 * 39_999)));
            assert_eq!(pie.burst_allowance, Span::from_ms(3_000_000 - 15 * 39_998));
        }
    }

    /// RFC 8033 §5.1: up to a probability of 0.1 marks, above it drops; the sum of probabilities begins anew with either.
    #[test]
    fn marks_up_to_a_probability_of_a_tenth() {
        let signal = |probability, marks| {
            let mut pie = pie();
            (pie.params.marks, pie.drop_probability, pie.delay_old) = (marks, probability, Span::from_ms(100));
            pie.accumulated = 8.5 - probability;
            let arrival = PacketArrival { now: Time::ZERO, idle: None, queued: 9, queued_bytes: 9000, is_full: false };
            (pie.on_enqueue(&arrival), pie.accumulated)
        };
        assert_eq!(signal(0.1, true), (Verdict::Mark, 0.0));
        assert_eq!(signal(0.100_001, true), (Verdict::Drop(DropReason::Policy), 0.0));
        assert_eq!(signal(0.1, false), (Verdict::Drop(DropReason::Policy), 0.0));
    }
}
