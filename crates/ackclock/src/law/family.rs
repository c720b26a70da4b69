//! The laws.

use super::{Draw, LONGEST, Mechanism};
use crate::keys::{Key, Misfit, Quantity, Setting, Value, Values};
use crate::rng::Stream;
use crate::units::Span;

/// The family, a line each. From the list come the parameters, what is drawn, and [`ALL`].
macro_rules! laws {
    ($($file:ident::$Name:ident,)*) => {
        $(pub use super::$file::*;)*

        /// A law and its parameters.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum Law {
            $($Name(<$Name as Mechanism>::Params),)*
        }

        /// All of the family.
        pub const ALL: &[Description] = &[$(Description {
            name: $Name::NAME,
            about: $Name::ABOUT,
            keys: $Name::KEYS,
            params: |values| $Name::params(values).map(Law::$Name),
        },)*];

        impl Law {
            /// What scenario files call it.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Law::$Name(_) => $Name::NAME,)*
                }
            }

            /// The amount for these bits, of this ordinal.
            pub fn amount(&self, draw: Draw) -> f64 {
                match self {
                    $(Law::$Name(params) => $Name::amount(params, draw),)*
                }
            }

            /// The mean of all amounts, if there is one and it is known.
            pub fn mean(&self) -> Option<f64> {
                match self {
                    $(Law::$Name(params) => $Name::mean(params),)*
                }
            }

            /// The largest amount, if there is one.
            pub fn largest(&self) -> Option<f64> {
                match self {
                    $(Law::$Name(params) => $Name::largest(params),)*
                }
            }

            /// Whether random numbers make a difference.
            pub fn is_random(&self) -> bool {
                match self {
                    $(Law::$Name(params) => $Name::is_random(params),)*
                }
            }
        }
    };
}

laws! {
    constant::Constant,
    exponential::Exponential,
    listed::Listed,
    log_normal::LogNormal,
    normal::Normal,
    pareto::Pareto,
    uniform::Uniform,
}

/// A law as its file describes it.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// What scenario files call it.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// Its parameters.
    pub keys: &'static [Key],
    /// Its parameters, checked.
    pub params: fn(&Values) -> Result<Law, Misfit>,
}

impl Law {
    /// The law that a value says: an amount, which is constant, or a table with `law` and its parameters.
    ///
    /// # Errors
    /// If the parameters do not fit together.
    ///
    /// # Panics
    /// If the value is neither.
    pub fn read(setting: &Setting) -> Result<Law, Misfit> {
        match setting {
            Setting::One(Value::Quantity(quantity)) => Ok(Law::Constant(quantity.amount as f64)),
            Setting::Table(values) => {
                let name = values.word("law");
                let known = ALL.iter().find(|law| law.name == name);
                (known.unwrap_or_else(|| panic!("there is no law {name}")).params)(values)
            }
            other => panic!("a law is {other:?}"),
        }
    }

    /// Whether times of this law can follow each other in a run that goes through each of them: their mean, of `least` picoseconds at
    /// least, and not made of what hardly ever comes.
    ///
    /// # Errors
    /// What is wrong with the times, as a sentence without its subject, and what is expected.
    pub fn mean_of_stays(&self, least: u64) -> Result<f64, (String, &'static str)> {
        match self {
            // Closer to 1 nearly all times are nothing beside the mean.
            Law::Pareto(params) if params.most.is_none() && params.shape < LEAST_SHAPE => {
                let problem = format!("have a `shape` of {}: they have no mean, or hardly one", params.shape);
                return Err((problem, "a `shape` of 1.01 or more, or with `most`"));
            }
            Law::LogNormal(params) if params.sigma > MOST_SIGMA => {
                let problem = "differ so much that nearly all are nothing beside their mean".to_owned();
                return Err((problem, "a `deviation` of at most a thousand times the `mean`"));
            }
            _ => {}
        }
        match self.mean() {
            None => Err(("have no mean".to_owned(), "a law with a mean")),
            Some(mean) if mean < least as f64 => {
                let problem = format!("are {} s on average", mean / 1e12);
                Err((problem, "longer times, as in \"1 us\""))
            }
            Some(mean) => Ok(mean),
        }
    }

    /// A time, to the nearest picosecond, and 720 hours at most.
    pub fn span(&self, draws: Stream, ordinal: u64) -> Span {
        self.span_of(Draw::new(draws.at(ordinal), ordinal))
    }

    /// As [`Law::span`], by the draw of another number.
    pub(crate) fn span_at(&self, draws: Stream, number: u64, ordinal: u64) -> Span {
        self.span_of(Draw::new(draws.at(number), ordinal))
    }

    /// As [`Law::span`], of other random bits.
    pub(crate) fn span_of(&self, draw: Draw) -> Span {
        let ps = self.amount(draw) + 0.5;
        Span::from_ps((ps as u64).min(LONGEST.as_ps()))
    }

    /// A size in octets, to the nearest one, and one at least.
    pub fn bytes(&self, draws: Stream, ordinal: u64) -> u64 {
        let bytes = self.amount(Draw::new(draws.at(ordinal), ordinal)) + 0.5;
        (bytes as u64).clamp(1, 1 << 40)
    }
}

/// The least shape of an endless Pareto law of times that a run goes through.
pub(crate) const LEAST_SHAPE: f64 = 1.01;
/// Of the logarithm: √ln(1 + 10⁶) is the deviation of a thousand times the mean.
const MOST_SIGMA: f64 = 3.7170;

/// The quantities among the parameters of a law, with their keys.
pub fn amounts(values: &Values) -> impl Iterator<Item = (&'static str, Quantity)> {
    values.iter().flat_map(|(name, setting)| {
        let all: &[Quantity] = match setting {
            Setting::One(Value::Quantity(quantity)) => std::slice::from_ref(quantity),
            Setting::Amounts(amounts) => amounts,
            Setting::One(_) | Setting::Integers(_) | Setting::Table(_) => &[],
        };
        all.iter().map(move |&quantity| (name, quantity))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of them is gone through: they must amount to something.
    #[test]
    fn times_that_follow_each_other_are_something_on_average() {
        use crate::law::{
            AboveMost, ListOrder, ListedParams, LogNormalParams, NormalParams, ParetoParams, UniformParams,
        };
        let us = 1e6;
        let endless = |shape| Law::Pareto(ParetoParams::with_mean(1e9, shape));
        let least = |shape| ParetoParams { given_mean: None, ..ParetoParams::with_mean(1e15, shape) };
        let listed = |values: &[f64]| Law::Listed(ListedParams { values: values.to_vec(), order: ListOrder::Given });
        let good = [
            Law::Constant(us),
            endless(1.01),
            Law::Pareto(ParetoParams { most: Some(1e17), above: AboveMost::Cut, ..least(1.000_1) }),
            listed(&[0.0, 2.0 * us]),
            Law::Normal(NormalParams { mean: 0.0, deviation: 3.0 * us }),
            Law::LogNormal(LogNormalParams::new(us, 999.0 * us)),
        ];
        for law in good {
            assert_eq!(law.mean_of_stays(1_000_000).ok(), law.mean(), "{law:?}");
        }
        let bad = [
            Law::Constant(0.0),
            Law::Constant(us - 1.0),
            Law::Exponential(0.0),
            endless(1.000_000_1),
            Law::Pareto(least(1.009)),
            listed(&[0.0, 0.0]),
            Law::Uniform(UniformParams { least: 0.0, most: 0.0 }),
            Law::Normal(NormalParams { mean: 0.0, deviation: 0.0 }),
            Law::LogNormal(LogNormalParams::new(us, 1001.0 * us)),
        ];
        for law in bad {
            assert!(law.mean_of_stays(1_000_000).is_err(), "{law:?}");
        }
    }

    #[test]
    fn each_stream_has_amounts_of_its_own() {
        let law = Law::Exponential(1e9);
        let spans = |seed| (0..10).map(|n| law.span(Stream::new(seed, "a", "law"), n)).collect::<Vec<_>>();
        assert_ne!(spans(1), spans(2));
        assert_eq!(spans(1), spans(1));
        assert_eq!(Law::Constant(7.4).bytes(Stream::new(1, "a", "law"), 3), 7);
        assert_eq!(Law::Constant(0.0).bytes(Stream::new(1, "a", "law"), 3), 1, "nothing is no size");
        assert_eq!(Law::Constant(1e30).span(Stream::new(1, "a", "law"), 3), LONGEST);
    }
}
