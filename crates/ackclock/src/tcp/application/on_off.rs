//! On and off: while it is on, an application produces data at a constant rate, while it is off none. Both last as long as a
//! distribution says; what is on for a heavy-tailed time adds up to self-similar traffic.
//! Sources: [WTSW97]; the defaults: [NS2] §8; docs/models/application-on-off.md.   Units: picoseconds, bits per second.

use super::{Application, Mechanism, Offer};
use crate::exact::{natural_logarithm, power_of_two};
use crate::keys::{Condition, Default, HOUR, Key, Kind, Misfit, RATE, Value, Values};
use crate::rng::Stream;
use crate::units::{Rate, Span, Time};

/// A source that is on and off by turns, and on at first.
#[derive(Clone, Debug)]
pub struct OnOff {
    params: OnOffParams,
    /// The time in which it produces a segment.
    of_segment: Span,
    draws: Stream,
    /// When the data of the last offer was complete, and how long it stays on after that.
    at: Time,
    left: Span,
    /// How often it was on, this time included.
    times_on: u64,
}

/// The parameters of a source that is on and off by turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnOffParams {
    /// Payload per second while it is on.
    pub rate: Rate,
    /// What is offered at a time: a segment, bytes.
    pub segment_bytes: u32,
    /// How long it is on.
    pub on: Stay,
    /// How long it is off.
    pub off: Stay,
}

/// How long one of both lasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stay {
    /// On average.
    pub mean: Span,
    /// How it is distributed.
    pub distribution: Distribution,
}

/// The distribution of a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Always the mean.
    Constant,
    /// Exponential, with this mean.
    Exponential,
    /// Pareto: longer than t with probability (least / t)^shape. The shape is above 1, or there would be no mean.
    Pareto {
        /// The exponent.
        shape: f64,
    },
}

impl Mechanism for OnOff {
    const NAME: &'static str = "on-off";
    const ABOUT: &'static str = "On and off by turns: data at a constant rate, and none.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("rate", RATE, Default::Is(Value::rate(64_000)), "[NS2] §8",
            "Payload per second while the application is on."),
        Key::new("on", STAY, Default::Is(Value::time(Span::from_ms(500))), "[NS2] §8",
            "Mean time for which it is on; it begins with one."),
        Key::new("off", STAY, Default::Is(Value::time(Span::from_ms(500))), "[NS2] §8",
            "Mean time for which it is off."),
        Key::new("on_distribution", DISTRIBUTION, Default::Is(Value::Word("exponential")), "[NS2] §8",
            "How the times are distributed for which it is on: constant, exponential or Pareto."),
        Key::new("off_distribution", DISTRIBUTION, Default::Is(Value::Word("exponential")), "[NS2] §8",
            "How the times are distributed for which it is off: constant, exponential or Pareto."),
        Key::new("on_shape", Kind::Number(100.0), Default::Is(Value::Number(1.5)), "[NS2] §8",
            "The exponent of Pareto's distribution of the times on, above 1; the variance is infinite up to 2.").used_if(&[Condition::new("on_distribution", &["pareto"])]),
        Key::new("off_shape", Kind::Number(100.0), Default::Is(Value::Number(1.5)), "[NS2] §8",
            "The exponent of Pareto's distribution of the times off, above 1; the variance is infinite up to 2.").used_if(&[Condition::new("off_distribution", &["pareto"])]),
    ];
    type Params = OnOffParams;

    fn params(values: &Values, mss: u32) -> Result<OnOffParams, Misfit> {
        let stay = |mean, distribution, shape, keys: &'static [&'static str]| {
            let distribution = match values.word(distribution) {
                "constant" => Distribution::Constant,
                "exponential" => Distribution::Exponential,
                _ => Distribution::Pareto { shape: values.number(shape) },
            };
            match distribution {
                // Closer to 1 nearly all times are nothing beside the mean.
                Distribution::Pareto { shape } if shape < LEAST_SHAPE => {
                    let problem = format!("`{}` is {shape}: such times have no mean, or hardly one", keys[0]);
                    Err(Misfit { keys, problem, expected: "1.01 or more, as 1.5" })
                }
                distribution => Ok(Stay { mean: values.time(mean), distribution }),
            }
        };
        let on = stay("on", "on_distribution", "on_shape", &["on_shape"])?;
        let off = stay("off", "off_distribution", "off_shape", &["off_shape"])?;
        let rate = Rate::from_bps(values.amount("rate")).expect("limits are above 0");
        let of_segment = rate.serialization(8 * u64::from(mss));
        if of_segment.as_ps() / MOST_TIMES_ON > on.mean.as_ps() {
            let (seconds, on) = (of_segment.as_secs_f64(), on.mean.as_secs_f64());
            let problem = format!("at this `rate` a segment of {mss} B takes {seconds} s, and `on` is {on} s");
            return Err(Misfit { keys: &["on", "rate"], problem, expected: "at least a thousandth of it" });
        }
        Ok(OnOffParams { rate, segment_bytes: mss, on, off })
    }

    fn start(params: &OnOffParams, draws: Stream) -> Option<Box<dyn Application>> {
        Some(Box::new(OnOff::new(params, draws)))
    }

    fn is_random(params: &OnOffParams) -> bool {
        [params.on, params.off].iter().any(|stay| stay.distribution != Distribution::Constant)
    }

    fn offered_in(params: &OnOffParams, time: Span) -> f64 {
        let [on, off] = [params.on, params.off].map(|stay| stay.mean.as_secs_f64());
        let time = time.as_secs_f64();
        // At random it may be on all the time.
        let is_on = if OnOff::is_random(params) { time } else { time.min(on * ((time / (on + off)).floor() + 1.0)) };
        is_on * params.rate.as_bps() as f64 / 8.0
    }
}

impl Application for OnOff {
    fn offer(&mut self, now: Time) -> Offer {
        // At the beginning nothing is produced yet.
        let begins = self.times_on == 0;
        if begins {
            self.at = now;
            self.left = self.turn_on();
        }
        self.produce_segment();
        Offer { bytes: if begins { 0 } else { u64::from(self.params.segment_bytes) }, next: self.at }
    }
}

impl OnOff {
    fn new(params: &OnOffParams, draws: Stream) -> OnOff {
        let of_segment = params.rate.serialization(8 * u64::from(params.segment_bytes));
        OnOff { params: *params, of_segment, draws, at: Time::ZERO, left: Span::ZERO, times_on: 0 }
    }

    /// A segment more is produced, over as many times on as it takes: what is begun goes on when it is on again.
    fn produce_segment(&mut self) {
        let mut missing = self.of_segment;
        while missing > self.left {
            missing = missing - self.left;
            let off = self.params.off.draw(self.draws.at(2 * self.times_on - 1));
            self.at = self.at.saturating_add(self.left).saturating_add(off);
            self.left = self.turn_on();
            if self.at == Time::NEVER {
                return;
            }
        }
        self.at = self.at.saturating_add(missing);
        self.left = self.left - missing;
    }

    /// It is on again: for how long.
    fn turn_on(&mut self) -> Span {
        self.times_on += 1;
        self.params.on.draw(self.draws.at(2 * (self.times_on - 1)))
    }
}

impl Stay {
    /// How long it lasts, by 64 random bits, rounded to a picosecond: u is uniform from 2^−53 to 1. At most [`LONGEST`].
    fn draw(&self, bits: u64) -> Span {
        let uniform = ((bits >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        let factor = match self.distribution {
            Distribution::Constant => return self.mean,
            Distribution::Exponential => -natural_logarithm(uniform),
            // The mean is least · shape / (shape − 1).
            Distribution::Pareto { shape } => {
                let ratio = power_of_two(-natural_logarithm(uniform) / std::f64::consts::LN_2 / shape);
                (shape - 1.0) / shape * ratio
            }
        };
        let ps = self.mean.as_ps() as f64 * factor + 0.5;
        Span::from_ps((ps as u64).min(LONGEST.as_ps()))
    }
}

/// Longer than any run.
const LONGEST: Span = Span::from_secs(1000 * 3_600);
/// Over how many times on a segment may be produced, on average: each of them is gone through.
const MOST_TIMES_ON: u64 = 1000;
const LEAST_SHAPE: f64 = 1.01;
const STAY: Kind = Kind::time(Span::from_us(1), HOUR);
const DISTRIBUTION: Kind = Kind::Word(&["constant", "exponential", "pareto"]);

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    fn params(given: &[(&str, Value)]) -> Result<OnOffParams, Misfit> {
        let value = |key: &Key| given.iter().find(|(name, _)| *name == key.name).map(|(_, value)| *value);
        OnOff::params(&Values::of(OnOff::KEYS, value), 1000)
    }

    /// 1 Mb/s, segments of 1000 B: 8 ms each.
    fn constant(on_ms: u64, off_ms: u64) -> OnOffParams {
        let time = |ms| Value::time(Span::from_ms(ms));
        let (rate, word) = (Value::rate(1_000_000), Value::Word("constant"));
        let distributions = [("on_distribution", word), ("off_distribution", word)];
        params(&[&[("rate", rate), ("on", time(on_ms)), ("off", time(off_ms))], &distributions[..]].concat()).unwrap()
    }

    /// The bytes of the first offers, and when each of them comes, in milliseconds.
    fn offers(params: &OnOffParams, seed: u64, start: Time, count: usize) -> Vec<(u64, f64)> {
        let mut source = OnOff::new(params, Stream::new(seed, "f", "application"));
        let mut now = start;
        let offer = |_| {
            let (offer, at) = (source.offer(now), now);
            now = offer.next;
            (offer.bytes, at.as_ps() as f64 / MS as f64)
        };
        (0..count).map(offer).collect()
    }

    /// On from 3 to 23 ms, from 53 to 73 ms, from 103 ms on. 20 ms are two segments and a half: the third is complete 4 ms after the
    /// source is on again, and then two more fit exactly in what is left.
    #[test]
    fn segments_are_produced_while_it_is_on() {
        let found = offers(&constant(20, 30), 1, Time::from_ps(3 * MS), 7);
        assert_eq!(found[0], (0, 3.0));
        assert_eq!(found[1..], [11.0, 19.0, 57.0, 65.0, 73.0, 111.0].map(|ms| (1000, ms)));
    }

    /// 3 ms on, 1 ms off: a segment takes 8 ms of being on, which are over after two times off.
    #[test]
    fn a_segment_may_take_several_times() {
        let times: Vec<f64> = offers(&constant(3, 1), 1, Time::ZERO, 4).into_iter().map(|(_, ms)| ms).collect();
        assert_eq!(times, [0.0, 10.0, 21.0, 31.0]);
    }

    /// 20,000 draws. Exponential: mean and deviation are 1, so the mean is within 4/√20,000 = 2.8 %; longer than 1 are 1/e. Pareto with
    /// shape 3: least 2/3, longer than 4/3 is an eighth; the deviation is 1/√3, so the mean is within 1.7 %.
    #[test]
    fn times_have_their_mean_and_their_tail() {
        for (distribution, least, bound, tail) in [
            (Distribution::Exponential, 0.0, 1.0, 1.0 / std::f64::consts::E),
            (Distribution::Pareto { shape: 3.0 }, 2.0 / 3.0, 4.0 / 3.0, 0.125),
            (Distribution::Constant, 1.0, 1.0, 0.0),
        ] {
            let stay = Stay { mean: Span::from_secs(1), distribution };
            let stream = Stream::new(3, "f", "application");
            let times: Vec<f64> = (0..20_000).map(|n| stay.draw(stream.at(n)).as_secs_f64()).collect();
            let mean = times.iter().sum::<f64>() / 20_000.0;
            let longer = times.iter().filter(|&&time| time > bound).count() as f64 / 20_000.0;
            assert!((mean - 1.0).abs() < 0.028, "{distribution:?}: {mean}");
            // Binomial: four deviations of at most 0.0034.
            assert!((longer - tail).abs() < 0.0137, "{distribution:?}: {longer}");
            assert!(times.iter().all(|&time| time >= least - 1e-12), "{distribution:?}");
        }
    }

    #[test]
    fn times_depend_on_the_seed_and_no_two_of_them_on_one_draw() {
        let random = params(&[("on", Value::time(Span::from_ms(20)))]).unwrap();
        let of_seed = |seed| offers(&random, seed, Time::ZERO, 20);
        assert_eq!(of_seed(1), of_seed(1));
        assert_ne!(of_seed(1), of_seed(2));
        let mut source = OnOff::new(&random, Stream::new(1, "f", "application"));
        // On, off, on: the draws 0, 1, 2.
        let draws: Vec<u64> = (0..3).map(|n| Stream::new(1, "f", "application").at(n)).collect();
        let (on, off) = (random.on, random.off);
        source.at = Time::ZERO;
        source.left = source.turn_on();
        source.of_segment = on.draw(draws[0]) + Span::from_ps(1);
        source.produce_segment();
        let again = Time::ZERO + on.draw(draws[0]) + off.draw(draws[1]);
        assert_eq!((source.at, source.left + Span::from_ps(1)), (again + Span::from_ps(1), on.draw(draws[2])));
    }

    /// 1 Mb/s, half of the time: in 100 ms two times on of 20 ms, and one that may begin.
    #[test]
    fn what_is_offered_is_bounded() {
        assert_eq!(OnOff::offered_in(&constant(20, 20), Span::from_ms(100)), 7500.0);
        let random = params(&[("rate", Value::rate(1_000_000))]).unwrap();
        assert_eq!(OnOff::offered_in(&random, Span::from_secs(1)), 125_000.0);
    }

    #[test]
    fn a_shape_has_a_mean_and_a_segment_is_produced_in_some_times() {
        let pareto = |shape| params(&[("on_distribution", Value::Word("pareto")), ("on_shape", Value::Number(shape))]);
        assert_eq!(pareto(1.0).unwrap_err().keys, ["on_shape"]);
        assert!(pareto(1.01).is_ok());
        // A segment takes 8 s at 1 kb/s.
        let on = |us| params(&[("rate", Value::rate(1000)), ("on", Value::time(Span::from_us(us)))]);
        assert_eq!(on(7_999).unwrap_err().keys, ["on", "rate"]);
        assert!(on(8_000).is_ok());
    }
}
