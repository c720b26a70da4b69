//! On and off: while it is on, an application produces data at a constant rate, while it is off none. Both last as long as a
//! distribution says; what is on for a heavy-tailed time adds up to self-similar traffic.
//! Sources: [WTSW97]; the defaults: [NS2] §8; docs/models/application-on-off.md.   Units: picoseconds, bits per second.

use super::{Application, Mechanism, Offer};
use crate::keys::{Condition, Default, HOUR, Key, Kind, Misfit, RATE, Setting, Value, Values};
use crate::law::{Draw, LEAST_SHAPE, Law, ParetoParams};
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
#[derive(Clone, Debug, PartialEq)]
pub struct OnOffParams {
    /// Payload per second while it is on.
    pub rate: Rate,
    /// What is offered at a time: a segment, bytes.
    pub segment_bytes: u32,
    /// How long it is on.
    pub on: Law,
    /// How long it is off.
    pub off: Law,
}

impl Mechanism for OnOff {
    const NAME: &'static str = "on-off";
    const ABOUT: &'static str = "On and off by turns: data at a constant rate, and none.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("rate", RATE, Default::Is(Value::rate(64_000)), "[NS2] §8",
            "Payload per second while the application is on."),
        Key::new("on", Kind::Law(&STAY), Default::Is(Value::time(Span::from_ms(500))), "[NS2] §8",
            "Mean time for which it is on, of `on_distribution`; or a law, as in { law = \"exponential\", mean = \"1 s\" }. It begins with one."),
        Key::new("off", Kind::Law(&STAY), Default::Is(Value::time(Span::from_ms(500))), "[NS2] §8",
            "Mean time for which it is off, of `off_distribution`; or a law."),
        Key::new("on_distribution", DISTRIBUTION, Default::Is(Value::Word("exponential")), "[NS2] §8",
            "How the times are distributed for which it is on, if `on` is a mean: constant, exponential or Pareto."),
        Key::new("off_distribution", DISTRIBUTION, Default::Is(Value::Word("exponential")), "[NS2] §8",
            "How the times are distributed for which it is off, if `off` is a mean: constant, exponential or Pareto."),
        Key::new("on_shape", Kind::Number(100.0), Default::Is(Value::Number(1.5)), "[NS2] §8",
            "The exponent of Pareto's distribution of the times on, above 1; the variance is infinite up to 2.").used_if(&[Condition::new("on_distribution", &["pareto"])]),
        Key::new("off_shape", Kind::Number(100.0), Default::Is(Value::Number(1.5)), "[NS2] §8",
            "The exponent of Pareto's distribution of the times off, above 1; the variance is infinite up to 2.").used_if(&[Condition::new("off_distribution", &["pareto"])]),
    ];
    type Params = OnOffParams;

    fn params(values: &Values, mss: u32) -> Result<OnOffParams, Misfit> {
        let on = stay(values, ["on", "on_distribution", "on_shape"], &["on"], &["on_shape"])?;
        let off = stay(values, ["off", "off_distribution", "off_shape"], &["off"], &["off_shape"])?;
        let rate = Rate::from_bps(values.amount("rate")).expect("limits are above 0");
        let of_segment = rate.serialization(8 * u64::from(mss));
        let mean_on = mean(&on);
        if u128::from(of_segment.as_ps()) > u128::from(mean_on.as_ps()) * MOST_TIMES_ON {
            let (seconds, on) = (of_segment.as_secs_f64(), mean_on.as_secs_f64());
            let problem = format!("at this `rate` a segment of {mss} B takes {seconds} s, and `on` is {on} s");
            return Err(Misfit { keys: &["on", "rate"], problem, expected: "at least a thousandth of it" });
        }
        Ok(OnOffParams { rate, segment_bytes: mss, on, off })
    }

    fn start(params: &OnOffParams, draws: Stream) -> Option<Box<dyn Application>> {
        Some(Box::new(OnOff::new(params, draws)))
    }

    fn is_random(params: &OnOffParams) -> bool {
        params.on.is_random() || params.off.is_random()
    }

    fn offered_in(params: &OnOffParams, time: Span) -> f64 {
        let [on, off] = [&params.on, &params.off].map(|law| mean(law).as_secs_f64());
        let time = time.as_secs_f64();
        // Where times differ it may be on all the time.
        let is_varying = |law: &Law| !matches!(law, Law::Constant(_));
        let is_on = if is_varying(&params.on) || is_varying(&params.off) {
            time
        } else {
            time.min(on * ((time / (on + off)).floor() + 1.0))
        };
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
        OnOff { params: params.clone(), of_segment, draws, at: Time::ZERO, left: Span::ZERO, times_on: 0 }
    }

    /// A segment more is produced, over as many times on as it takes: what is begun goes on when it is on again.
    fn produce_segment(&mut self) {
        let mut missing = self.of_segment;
        while missing > self.left {
            missing = missing - self.left;
            let off = self.params.off.span_of(Draw::new(self.draws.at(2 * self.times_on - 1), self.times_on - 1));
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
        self.params.on.span_of(Draw::new(self.draws.at(2 * (self.times_on - 1)), self.times_on - 1))
    }
}

/// How long one of both lasts: by the law of its key, or the mean that is there by the distribution and the shape of two others.
fn stay(
    values: &Values,
    [key, distribution, shape]: [&str; 3],
    of_law: &'static [&'static str],
    of_shape: &'static [&'static str],
) -> Result<Law, Misfit> {
    let Setting::One(Value::Quantity(quantity)) = values.setting(key) else {
        let law = Law::read(values.setting(key))?;
        // Sums of such times say nothing, and nor does what is offered by them.
        return match law.mean_of_stays(LEAST_STAY.as_ps()) {
            Ok(_) => Ok(law),
            Err((problem, expected)) => {
                Err(Misfit { keys: of_law, problem: format!("the times of `{key}` {problem}"), expected })
            }
        };
    };
    let mean = quantity.amount as f64;
    let shape = match values.word(distribution) {
        "constant" => return Ok(Law::Constant(mean)),
        "exponential" => return Ok(Law::Exponential(mean)),
        _ => values.number(shape),
    };
    // Closer to 1 nearly all times are nothing beside the mean.
    if shape < LEAST_SHAPE {
        let problem = format!("`{}` is {shape}: such times have no mean, or hardly one", of_shape[0]);
        return Err(Misfit { keys: of_shape, problem, expected: "1.01 or more, as 1.5" });
    }
    Ok(Law::Pareto(ParetoParams::with_mean(mean, shape)))
}

/// The mean of a law that has one.
fn mean(law: &Law) -> Span {
    Span::from_ps(law.mean().map_or(0, |ps| ps as u64))
}

/// Over how many times on a segment may be produced, on average: each of them is gone through.
const MOST_TIMES_ON: u128 = 1000;
const LEAST_STAY: Span = Span::from_us(1);
const STAY: Kind = Kind::time(LEAST_STAY, HOUR);
const DISTRIBUTION: Kind = Kind::Word(&["constant", "exponential", "pareto"]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Dimension, Quantity};

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

    #[test]
    fn a_law_says_how_long_it_is_on_and_off() {
        let table = |law, keys: &[(&'static str, Setting)]| {
            let mut values = Values::default();
            values.push("law", Setting::One(Value::Word(law)));
            keys.iter().for_each(|(name, setting)| values.push(name, setting.clone()));
            Setting::Table(values)
        };
        let time = |ms| Quantity { dimension: Dimension::Time, amount: ms * MS };
        let with = |on: &Setting| {
            let off = Setting::One(Value::Quantity(time(30)));
            let constant = Setting::One(Value::Word("constant"));
            OnOff::params(
                &Values::of(OnOff::KEYS, |key| match key.name {
                    "on" => Some(on.clone()),
                    "off" => Some(off.clone()),
                    "rate" => Some(Setting::One(Value::rate(1_000_000))),
                    "off_distribution" => Some(constant.clone()),
                    _ => None,
                }),
                1000,
            )
        };
        let order = ("order", Setting::One(Value::Word("given")));
        let listed = with(&table("listed", &[("values", Setting::Amounts(vec![time(8), time(16)])), order])).unwrap();
        // On from 0 to 8 ms, from 38 to 54 ms, from 84 to 92 ms, from 122 ms on.
        let found = offers(&listed, 1, Time::ZERO, 6);
        assert_eq!(found[1..].iter().map(|(_, ms)| *ms).collect::<Vec<_>>(), [8.0, 46.0, 54.0, 92.0, 130.0]);
        let none = Setting::One(Value::Word("none"));
        let amount = |ms| Setting::One(Value::Quantity(time(ms)));
        let pareto = |shape, most: &Setting| {
            let shape = Setting::One(Value::Number(shape));
            let redraw = Setting::One(Value::Word("redraw"));
            let keys = [("shape", shape), ("least", amount(1)), ("mean", none.clone()), ("most", most.clone())];
            with(&table("pareto", &[&keys[..], &[("above_most", redraw)]].concat()))
        };
        let refused = pareto(0.9, &none).unwrap_err();
        assert_eq!(
            (refused.keys, refused.problem.as_str()),
            (&["on"][..], "the times of `on` have a `shape` of 0.9: they have no mean, or hardly one")
        );
        assert!(pareto(1.000_000_1, &none).is_err(), "nearly all times would be nothing");
        assert!(pareto(0.9, &amount(1000)).is_ok() && pareto(1.5, &none).is_ok());
        let nothing = with(&table("constant", &[("value", amount(0))])).unwrap_err();
        assert_eq!(nothing.problem, "the times of `on` are 0 s on average");
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
        let draw = |law: &Law, n: usize| law.span_of(Draw::new(draws[n], 0));
        let (on, off) = (&random.on, &random.off);
        source.at = Time::ZERO;
        source.left = source.turn_on();
        source.of_segment = draw(on, 0) + Span::from_ps(1);
        source.produce_segment();
        let again = Time::ZERO + draw(on, 0) + draw(off, 1);
        assert_eq!((source.at, source.left + Span::from_ps(1)), (again + Span::from_ps(1), draw(on, 2)));
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
