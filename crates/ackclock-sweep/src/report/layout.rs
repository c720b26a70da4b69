//! What is drawn against what: which key is the axis, which are curves, and which make plots beside each other.

use std::collections::HashSet;

use ackclock_report::page::bands::MOST_CURVES;
use ackclock_scenario::sweep::rows;

use crate::plan::{Key, Plan};

/// What is drawn against what.
#[derive(Debug, PartialEq)]
pub(super) enum Layout {
    /// Curves over the first key of a dimension.
    Curves {
        /// The dimension from left to right.
        x: usize,
        curves: Option<usize>,
        /// Those of the plots beside each other.
        panels: Vec<usize>,
    },
    /// The darker, the more, over two dimensions.
    Map {
        /// The dimension from left to right.
        x: usize,
        /// That from bottom to top.
        y: usize,
    },
    /// Points by their names, because no key with numbers changes.
    Words,
    /// Points over each key with numbers of a dimension whose keys change in no common order, as in a sample.
    Sample {
        sampled: usize,
        /// That whose values have marks of their own.
        curves: Option<usize>,
    },
}

/// Some of the points in one plot.
#[derive(Debug)]
pub(super) struct Panel {
    pub(super) title: String,
    /// The dimension from left to right, and which of its keys.
    pub(super) axis: (usize, usize),
    /// Whether neighbours on a curve differ in the key of the axis only.
    pub(super) joined: bool,
    /// For each curve its name and its points, by their numbers.
    pub(super) curves: Vec<(String, Vec<usize>)>,
    /// For each curve the values of its keys alone.
    pub(super) labels: Vec<String>,
}

/// Of the keys with numbers the one with most values is the axis; of the others, the dimension with most values that can be
/// told apart as curves. A sample comes before all other keys. `None` where nothing changes.
pub(super) fn layout(plan: &Plan) -> Option<Layout> {
    let lengths: Vec<usize> = (0..plan.dimensions.len())
        .map(|dimension| plan.accepted_rows(dimension).into_iter().filter(|is_accepted| *is_accepted).count())
        .collect();
    let length = |dimension: usize| lengths[dimension];
    let all = 0..plan.dimensions.len();
    let longest = |dimensions: &mut dyn Iterator<Item = usize>| dimensions.max_by_key(|dimension| length(*dimension));
    let curves_beside = |x: usize| {
        let is_curves = |dimension: &usize| *dimension != x && (2..=MOST_CURVES).contains(&length(*dimension));
        longest(&mut all.clone().rev().filter(is_curves))
    };
    let sampled = |dimension: &usize| is_sample(&plan.dimensions[*dimension]);
    if let Some(sampled) = longest(&mut all.clone().rev().filter(sampled)) {
        return Some(Layout::Sample { sampled, curves: curves_beside(sampled) });
    }
    let is_axis = |dimension: &usize| plan.dimensions[*dimension][0].accepted_numbers().len() > 1;
    // The first of equally long ones.
    let Some(x) = longest(&mut all.clone().rev().filter(is_axis)) else {
        return all.clone().any(|dimension| length(dimension) > 1).then_some(Layout::Words);
    };
    let curves = curves_beside(x);
    let panels: Vec<usize> = all.filter(|dimension| *dimension != x && Some(*dimension) != curves).collect();
    // Where only two change, both of numbers, and both have too many values for curves.
    let is_long = |dimension: usize| is_axis(&dimension) && length(dimension) > MOST_CURVES;
    match panels[..] {
        [y] if curves.is_none() && is_long(x) && is_long(y) => Some(Layout::Map { x, y }),
        _ => Some(Layout::Curves { x, curves, panels }),
    }
}

/// Whether keys change together, and the first of those with numbers neither rises nor falls.
fn is_sample(keys: &[Key]) -> bool {
    let numbers = keys.iter().find(|key| key.numbers.is_some()).map(Key::accepted_numbers).unwrap_or_default();
    let in_order = numbers.is_sorted_by(|a, b| a < b) || numbers.is_sorted_by(|a, b| a > b);
    keys.len() > 1 && numbers.len() > 1 && !in_order
}

/// The plots beside each other, and how many there is no room for. A map is none of them, nor are points by their names.
pub(super) fn panels(plan: &Plan, layout: &Layout) -> (Vec<Panel>, usize) {
    match layout {
        Layout::Curves { x, curves, panels } => by_values(plan, *x, *curves, panels),
        Layout::Sample { sampled, curves } => {
            let keys = &plan.dimensions[*sampled];
            let of_numbers = (0..keys.len()).filter(|key| keys[*key].numbers.is_some());
            let panel = |key| {
                let mut panel = Panel {
                    title: String::new(),
                    axis: (*sampled, key),
                    joined: false,
                    curves: Vec::new(),
                    labels: Vec::new(),
                };
                accepted(plan).for_each(|point| panel.add(plan, point, *curves));
                panel
            };
            (of_numbers.map(panel).collect(), 0)
        }
        Layout::Map { .. } | Layout::Words => (Vec::new(), 0),
    }
}

fn by_values(plan: &Plan, x: usize, curves: Option<usize>, panels: &[usize]) -> (Vec<Panel>, usize) {
    let mut found: Vec<(Vec<usize>, Panel)> = Vec::new();
    let mut left_out: HashSet<Vec<usize>> = HashSet::new();
    for point in accepted(plan) {
        let rows = rows_of(plan, point);
        let place: Vec<usize> = panels.iter().map(|dimension| rows[*dimension]).collect();
        let nth = match found.iter().position(|(known, _)| *known == place) {
            Some(nth) => nth,
            None if found.len() < MOST_PANELS => {
                let title: Vec<String> =
                    panels.iter().map(|dimension| named(&plan.dimensions[*dimension], rows[*dimension])).collect();
                let panel = Panel {
                    title: title.join(", "),
                    axis: (x, 0),
                    joined: true,
                    curves: Vec::new(),
                    labels: Vec::new(),
                };
                found.push((place, panel));
                found.len() - 1
            }
            None => {
                left_out.insert(place);
                continue;
            }
        };
        found[nth].1.add(plan, point, curves);
    }
    (found.into_iter().map(|(_, panel)| panel).collect(), left_out.len())
}

impl Panel {
    /// Puts a point on its curve.
    fn add(&mut self, plan: &Plan, point: usize, curves: Option<usize>) {
        let rows = rows_of(plan, point);
        let curve = curves.map_or(String::new(), |dimension| named(&plan.dimensions[dimension], rows[dimension]));
        match self.curves.iter_mut().find(|(known, _)| *known == curve) {
            Some((_, points)) => points.push(point),
            None => {
                self.curves.push((curve, vec![point]));
                self.labels.push(curves.map_or(String::new(), |dimension| {
                    plan.dimensions[dimension]
                        .iter()
                        .map(|key| &*key.values[rows[dimension]])
                        .collect::<Vec<_>>()
                        .join(", ")
                }));
            }
        }
    }
}

/// The points that the scenario does not refuse.
pub(super) fn accepted(plan: &Plan) -> impl Iterator<Item = usize> {
    (0..plan.points.len()).filter(|point| plan.points[*point].is_some())
}

/// Of each dimension the number of its value at a point.
pub(super) fn rows_of(plan: &Plan, point: usize) -> Vec<usize> {
    let lengths: Vec<usize> = plan.dimensions.iter().map(|keys| keys[0].values.len()).collect();
    rows(&lengths, point)
}

/// The values of a row of a dimension, as in `queue.buffer = 10 packets`.
fn named(keys: &[Key], row: usize) -> String {
    keys.iter().map(|key| format!("{} = {}", key.path, key.values[row])).collect::<Vec<_>>().join(", ")
}

/// More plots beside each other are not looked at.
const MOST_PANELS: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    fn dimension(path: &str, numbers: Option<Vec<f64>>, values: usize) -> Vec<Key> {
        let numbers = numbers.map(|numbers| numbers.into_iter().map(Some).collect());
        let values = (0..values).map(|value| value.to_string()).collect();
        vec![Key { path: path.into(), values, arguments: None, unit: String::new(), numbers }]
    }

    fn plan(dimensions: Vec<Vec<Key>>) -> Plan {
        let points = dimensions.iter().map(|keys| keys[0].values.len()).product();
        let key = ackclock_store::Key::new("", 0, 0);
        Plan { dimensions, points: vec![Some(key); points], ..Plan::example() }
    }

    #[test]
    fn the_longest_key_with_numbers_is_the_axis_and_few_values_are_curves() {
        let numbers = |count: usize| Some((0..count).map(|n| n as f64).collect());
        let of = |dimensions| layout(&plan(dimensions));
        let curves = |x, curves, panels| Some(Layout::Curves { x, curves, panels });
        let (words, few, many) =
            (dimension("w", None, 3), dimension("f", numbers(4), 4), dimension("m", numbers(9), 9));
        assert_eq!(of(vec![words.clone(), few.clone()]), curves(1, Some(0), vec![]));
        assert_eq!(of(vec![words.clone(), few, many.clone(), many.clone()]), curves(2, Some(1), vec![0, 3]));
        assert_eq!(of(vec![words.clone()]), Some(Layout::Words));
        assert_eq!((of(vec![dimension("w", None, 1)]), of(vec![])), (None, None));
        let long = |path, count| dimension(path, numbers(count), count);
        assert_eq!(of(vec![long("a", 9), long("b", 7)]), Some(Layout::Map { x: 0, y: 1 }));
        assert_eq!(of(vec![long("a", 9), long("b", 7), dimension("w", None, 2)]), curves(0, Some(2), vec![1]));
        assert_eq!(of(vec![dimension("a", Some(vec![3.0, 1.0, 2.0]), 3), words]), curves(0, Some(1), vec![]));
    }

    #[test]
    fn a_sample_has_a_plot_for_each_key_in_which_points_are_not_joined() {
        let sampled =
            [dimension("a", Some(vec![3.0, 1.0, 2.0]), 3), dimension("b", Some(vec![5.0, 7.0, 6.0]), 3)].concat();
        let with_words = plan(vec![sampled, dimension("w", None, 2)]);
        let layout = layout(&with_words).unwrap();
        assert_eq!(layout, Layout::Sample { sampled: 0, curves: Some(1) });
        let (panels, left_out) = panels(&with_words, &layout);
        assert_eq!((panels.len(), left_out), (2, 0));
        for (key, panel) in panels.iter().enumerate() {
            assert_eq!((panel.axis, panel.joined), ((0, key), false));
            assert_eq!(panel.curves, [("w = 0".into(), vec![0, 2, 4]), ("w = 1".into(), vec![1, 3, 5])]);
        }
        // Keys that rise together are one axis.
        let zipped = [dimension("a", Some(vec![1.0, 2.0]), 2), dimension("b", Some(vec![9.0, 5.0]), 2)].concat();
        assert!(!is_sample(&zipped));
    }
}
