//! Pareto: P(X > x) = (least/x)^shape from `least` on, by inversion; without end, or up to `most`: what would be above that is drawn
//! again (the bounded law, [L, H]: x = L (1 − u (1 − (L/H)^a))^(−1/a)), or is `most`.

use super::{AMOUNT_OR_NONE, Draw, Mechanism};
use crate::exact::{natural_logarithm, power_of_two};
use crate::keys::{Condition, Default, Key, Kind, Misfit, Value, Values};

/// X = least · U^(−1/shape).
pub struct Pareto;

/// Its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParetoParams {
    /// The exponent.
    pub shape: f64,
    /// The least amount.
    pub least: f64,
    /// The mean that it was described with, in place of the least amount.
    pub given_mean: Option<f64>,
    /// The largest amount.
    pub most: Option<f64>,
    /// What becomes of what would be larger.
    pub above: AboveMost,
}

/// What becomes of amounts that would be above the largest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AboveMost {
    /// They are drawn again: the bounded law.
    Redraw,
    /// They are the largest.
    Cut,
}

impl ParetoParams {
    /// An endless law with this mean and a shape above 1.
    pub fn with_mean(mean: f64, shape: f64) -> ParetoParams {
        let least = (shape - 1.0) / shape * mean;
        ParetoParams { shape, least, given_mean: Some(mean), most: None, above: AboveMost::Redraw }
    }
}

impl Mechanism for Pareto {
    const NAME: &'static str = "pareto";
    const ABOUT: &'static str =
        "Pareto's heavy tail: more than x with probability (least / x) to the power of the shape.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::required_as("shape", Kind::Number(100.0), "1.5",
            "The exponent; without `most` there is no variance up to 2, and no mean up to 1."),
        Key::new("least", AMOUNT_OR_NONE, Default::Is(Value::Word("none")), "Ackclock",
            "The least amount; or give the mean instead."),
        Key::new("mean", AMOUNT_OR_NONE, Default::Is(Value::Word("none")), "Ackclock",
            "The mean of a law without `most`, whose shape is above 1."),
        Key::new("most", AMOUNT_OR_NONE, Default::Is(Value::Word("none")), "Ackclock",
            "The largest amount."),
        Key::new("above_most", Kind::Word(&["redraw", "cut"]), Default::Is(Value::Word("redraw")), "Ackclock",
            "What becomes of amounts that would be larger: they are drawn again (the bounded law), or are the largest.").used_if(&[Condition::new("most", &["a size"])]),
    ];
    type Params = ParetoParams;

    fn params(values: &Values) -> Result<ParetoParams, Misfit> {
        let shape = values.number("shape");
        let amount = |name| (!values.is_word(name)).then(|| values.amount(name) as f64);
        let (least, mean, most) = (amount("least"), amount("mean"), amount("most"));
        let above = values.choice("above_most", &[("redraw", AboveMost::Redraw), ("cut", AboveMost::Cut)]);
        let wrong = |keys, problem: &str, expected| Err(Misfit { keys, problem: problem.to_owned(), expected });
        match (least, mean, most) {
            (None, None, _) => wrong(&["law"], "a Pareto law needs `least` or `mean`", "as in least = \"1 ms\""),
            (Some(_), Some(_), _) => {
                wrong(&["mean"], "`least` and `shape` say what the `mean` is", "one of `least` and `mean`")
            }
            (None, Some(_), Some(_)) => {
                wrong(&["mean"], "with `most` the mean follows from `least`", "`least` in the place of `mean`")
            }
            (None, Some(_), None) if shape <= 1.0 => wrong(
                &["shape"],
                "a Pareto law of this `shape` has no mean",
                "more than 1, or `least` in the place of `mean`",
            ),
            (None, Some(mean), None) => Ok(ParetoParams::with_mean(mean, shape)),
            (Some(0.0), None, _) => {
                wrong(&["least"], "`least` is zero, of which every multiple is zero", "more than zero")
            }
            (Some(least), None, Some(most)) if most <= least => {
                wrong(&["most", "least"], "`most` is not more than `least`", "more than `least`")
            }
            (Some(least), None, most) => Ok(ParetoParams { shape, least, given_mean: None, most, above }),
        }
    }

    fn amount(params: &ParetoParams, draw: Draw) -> f64 {
        let uniform = draw.uniform();
        match (params.most, params.above) {
            (Some(most), AboveMost::Redraw) => {
                let below = 1.0 - uniform * (1.0 - to_the(params.least / most, params.shape));
                (params.least * inverse_root(below, params.shape)).min(most)
            }
            (Some(most), AboveMost::Cut) => (params.least * inverse_root(uniform, params.shape)).min(most),
            // In this order the times of on-off sources are those that they have always been.
            (None, _) => match params.given_mean {
                Some(mean) => mean * ((params.shape - 1.0) / params.shape * inverse_root(uniform, params.shape)),
                None => params.least * inverse_root(uniform, params.shape),
            },
        }
    }

    fn mean(params: &ParetoParams) -> Option<f64> {
        let (a, least) = (params.shape, params.least);
        let Some(most) = params.most else {
            return params.given_mean.or_else(|| (a > 1.0).then(|| least * a / (a - 1.0)));
        };
        let tail = to_the(least / most, a);
        // Of x a L^a x^(−a−1) from L to H: at a = 1 a logarithm.
        let body = match (a - 1.0).abs() < 1e-9 {
            true => least * natural_logarithm(most / least),
            false => a / (a - 1.0) * (least - most * tail),
        };
        Some(match params.above {
            AboveMost::Redraw => body / (1.0 - tail),
            AboveMost::Cut => body + most * tail,
        })
    }

    fn largest(params: &ParetoParams) -> Option<f64> {
        params.most
    }
}

/// x^(−1/shape), for x from above 0 to 1.
fn inverse_root(x: f64, shape: f64) -> f64 {
    power_of_two(-natural_logarithm(x) / std::f64::consts::LN_2 / shape)
}

/// x^shape, for x from above 0 to 1.
fn to_the(x: f64, shape: f64) -> f64 {
    1.0 / power_of_two(-natural_logarithm(x) / std::f64::consts::LN_2 * shape)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{drawn, quantiles};
    use super::*;

    fn bounded(shape: f64, above: AboveMost) -> ParetoParams {
        ParetoParams { shape, least: 100.0, given_mean: None, most: Some(10_000.0), above }
    }

    /// least = 1000/3; quantiles least · (1 − q)^(−1/1.5): 1.2114, 1.5874, 4.6416 times that.
    #[test]
    fn an_endless_law_has_its_quantiles_and_the_mean_it_was_given() {
        let all = drawn::<Pareto>(&ParetoParams::with_mean(1000.0, 1.5));
        quantiles(&all, &[(0.25, 403.8), (0.5, 529.13), (0.9, 1547.2)], 0.02);
        assert_eq!(Pareto::mean(&ParetoParams::with_mean(1000.0, 1.5)), Some(1000.0));
        let without = ParetoParams { given_mean: None, shape: 1.0, ..ParetoParams::with_mean(1000.0, 1.5) };
        assert_eq!(Pareto::mean(&without), None);
        assert_eq!(Pareto::mean(&ParetoParams { shape: 3.0, least: 200.0, ..without }), Some(300.0));
    }

    /// Shape 1.1 on [133 kB, 100 MB]: the mean is 709 038 octets.
    #[test]
    fn a_bounded_law_has_the_mean_of_a_published_calculation() {
        let params = ParetoParams { least: 133e3, most: Some(100e6), ..bounded(1.1, AboveMost::Redraw) };
        assert!((Pareto::mean(&params).unwrap() - 709_038.0).abs() < 1.0, "{:?}", Pareto::mean(&params));
    }

    #[test]
    fn what_is_above_the_largest_is_drawn_again_or_cut() {
        for shape in [0.8, 1.0, 1.5] {
            for above in [AboveMost::Redraw, AboveMost::Cut] {
                let params = bounded(shape, above);
                let (all, mean) = (drawn::<Pareto>(&params), Pareto::mean(&params).unwrap());
                assert!((all.mean / mean - 1.0).abs() < 0.03, "{shape} {above:?}: {} {mean}", all.mean);
                let at_most = all.sorted.iter().filter(|&&x| x >= 10_000.0).count();
                // 100^−shape of 10⁵ are cut.
                let cut = 1e5 * to_the(0.01, shape);
                match above {
                    AboveMost::Cut => assert!((at_most as f64 - cut).abs() < 6.0 * cut.sqrt() + 1.0, "{at_most} {cut}"),
                    AboveMost::Redraw => assert!(at_most < 5, "{at_most}"),
                }
            }
        }
    }
}
