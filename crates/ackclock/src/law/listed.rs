//! Listed: amounts as they are listed, one after the other and again from the first, or any of them at random: a measured table.

use super::{AMOUNTS, Draw, Mechanism};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};

/// Amounts of a list.
pub struct Listed;

/// The list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedParams {
    /// One at least.
    pub values: Vec<f64>,
    /// Which of them comes next.
    pub order: ListOrder,
}

/// Which amount of a list comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListOrder {
    /// The next of the list; after the last the first.
    Given,
    /// Any, each as likely.
    Random,
}

impl Mechanism for Listed {
    const NAME: &'static str = "listed";
    const ABOUT: &'static str = "As listed: one after the other, or any of them.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::required_as("values", Kind::Amounts(AMOUNTS), "[\"10 ms\", \"12 ms\"]", "The amounts."),
        Key::new("order", Kind::Word(&["given", "random"]), Default::Is(Value::Word("given")), "Ackclock",
            "Whether they come as they are listed, and then again, or each time any of them."),
    ];
    type Params = ListedParams;

    fn params(values: &Values) -> Result<ListedParams, Misfit> {
        let order = values.choice("order", &[("given", ListOrder::Given), ("random", ListOrder::Random)]);
        let values: Vec<f64> = values.amounts("values").iter().map(|quantity| quantity.amount as f64).collect();
        if values.is_empty() {
            let problem = "a law without amounts says nothing".to_owned();
            return Err(Misfit { keys: &["values"], problem, expected: "an amount at least" });
        }
        Ok(ListedParams { values, order })
    }

    fn amount(params: &ListedParams, draw: Draw) -> f64 {
        let count = params.values.len();
        match params.order {
            ListOrder::Given => params.values[(draw.ordinal % count as u64) as usize],
            ListOrder::Random => params.values[draw.below(count)],
        }
    }

    fn mean(params: &ListedParams) -> Option<f64> {
        Some(params.values.iter().sum::<f64>() / params.values.len() as f64)
    }

    fn largest(params: &ListedParams) -> Option<f64> {
        params.values.iter().copied().reduce(f64::max)
    }

    fn is_random(params: &ListedParams) -> bool {
        params.order == ListOrder::Random && params.values.iter().any(|value| *value != params.values[0])
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::drawn;
    use super::*;

    #[test]
    fn a_list_is_gone_through_again_and_again_or_drawn_from() {
        let values = vec![5.0, 1.0, 3.0];
        let given = ListedParams { values: values.clone(), order: ListOrder::Given };
        let first: Vec<f64> = (0..5).map(|ordinal| Listed::amount(&given, Draw::new(ordinal, ordinal))).collect();
        assert_eq!(first, [5.0, 1.0, 3.0, 5.0, 1.0]);
        let random = drawn::<Listed>(&ListedParams { values, order: ListOrder::Random });
        for value in [1.0, 3.0, 5.0] {
            let count = random.sorted.iter().filter(|&&x| x == value).count();
            // A third of 10⁵, with a deviation of 149.
            assert!(count.abs_diff(33_333) < 750, "{value}: {count}");
        }
    }
}
