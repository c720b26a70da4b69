//! What agreement tells: our numbers against one constant for each table, and in the order of the published ones.
//!
//! Numbers of one kind (what is counted, and its unit) in one table are compared with each other. Whoever knows nothing but the mean of
//! the published ones is off by the mean distance from it. Skill is 1 less our mean error by that one: 1 is equal, 0 is as good as the
//! constant, below 0 is worse. Over several kinds, which have no common unit, the quotients of the errors are averaged, with the numbers
//! as weights. A number that is alone of its kind in its table has no constant to be compared with.

use std::collections::BTreeMap;

use super::types::{KindReport, PowerReport};
use crate::report::{CellReport, TableReport};

/// What is counted, and in which unit: the bits of a number, which can be ordered.
type Kind = (&'static str, u64);

/// The numbers of one kind in one table.
#[derive(Clone, Debug, Default)]
struct Group {
    numbers: usize,
    agree: usize,
    agree_with_mean: usize,
    agree_with_best: usize,
    decimals: usize,
    /// Those of which we have a number, and the sums of their distances.
    compared: usize,
    errors: f64,
    errors_of_mean: f64,
    /// The rank correlation with the number of those that it is of.
    ranks: Option<(f64, usize)>,
}

/// What the agreement of these cells tells, table by table; `None` if no two of them are of one kind in one table.
pub(crate) fn power<'a>(tables: impl Iterator<Item = Vec<&'a CellReport>>) -> Option<PowerReport> {
    let mut groups: BTreeMap<Kind, Vec<Group>> = BTreeMap::new();
    for cells in tables {
        let mut kinds: BTreeMap<Kind, Vec<&CellReport>> = BTreeMap::new();
        for cell in cells {
            kinds.entry((cell.counts.0, cell.counts.1.to_bits())).or_default().push(cell);
        }
        for (kind, cells) in kinds.into_iter().filter(|(_, cells)| cells.len() > 1) {
            groups.entry(kind).or_default().push(Group::of(&cells));
        }
    }
    let all: Vec<&Group> = groups.values().flatten().collect();
    let sum = |of: fn(&Group) -> usize| all.iter().map(|group| of(group)).sum();
    let kinds: Vec<KindReport> = groups.iter().map(|(kind, groups)| KindReport::of(kind.0, groups)).collect();
    (!all.is_empty()).then(|| PowerReport {
        numbers: sum(|group| group.numbers),
        agree: sum(|group| group.agree),
        agree_with_mean: sum(|group| group.agree_with_mean),
        agree_with_best: sum(|group| group.agree_with_best),
        skill: weighted(kinds.iter().map(|kind| (kind.skill, kind.numbers))),
        rank_correlation: weighted(all.iter().map(|group| group.rank_correlation())),
        kinds,
    })
}

/// The numbers of a table that the publication prints.
pub(crate) fn published(table: Option<&TableReport>) -> Vec<&CellReport> {
    table.into_iter().flat_map(|table| &table.cells).filter(|cell| !cell.own).collect()
}

/// The mean of those that there are, each with its weight.
fn weighted(of: impl Iterator<Item = (Option<f64>, usize)>) -> Option<f64> {
    let known: Vec<(f64, f64)> = of.filter_map(|(value, weight)| Some((value?, weight as f64))).collect();
    let weights: f64 = known.iter().map(|(_, weight)| weight).sum();
    (weights > 0.0).then(|| known.iter().map(|(value, weight)| value * weight).sum::<f64>() / weights)
}

impl Group {
    fn of(cells: &[&CellReport]) -> Group {
        let mean = cells.iter().map(|cell| cell.published).sum::<f64>() / cells.len() as f64;
        let with = |constant: f64| cells.iter().filter(|cell| cell.would_agree(constant)).count();
        // The best choice lies at an end of some tolerance, or where a published number is.
        let ends = |cell: &&CellReport| [-cell.tolerance, 0.0, cell.tolerance].map(|away| cell.published + away);
        let best = cells.iter().flat_map(ends).filter(|end| end.is_finite()).map(with).max();
        // A run that did not end has no number.
        let compared: Vec<(f64, f64)> = cells
            .iter()
            .map(|cell| (cell.published, cell.comparable().mean))
            .filter(|(_, ours)| ours.is_finite())
            .collect();
        let decimals = cells.iter().map(|cell| cell.decimals).max().unwrap_or(0);
        let distances =
            |to: &dyn Fn(f64) -> f64| compared.iter().map(|(published, ours)| (published - to(*ours)).abs()).sum();
        Group {
            numbers: cells.len(),
            agree: cells.iter().filter(|cell| cell.verdict.agrees()).count(),
            agree_with_mean: with(mean),
            agree_with_best: best.unwrap_or(0).max(with(mean)),
            decimals,
            compared: compared.len(),
            errors: distances(&|ours| ours),
            errors_of_mean: distances(&|_| mean),
            ranks: rank_correlation(&compared, decimals).map(|ranks| (ranks, compared.len())),
        }
    }

    fn rank_correlation(&self) -> (Option<f64>, usize) {
        self.ranks.map_or((None, 0), |(ranks, numbers)| (Some(ranks), numbers))
    }
}

impl KindReport {
    fn of(what: &str, groups: &[Group]) -> KindReport {
        let sum = |of: fn(&Group) -> f64| groups.iter().map(of).sum::<f64>();
        let (ours, means) = (sum(|group| group.errors), sum(|group| group.errors_of_mean));
        let compared: usize = groups.iter().map(|group| group.compared).sum();
        KindReport {
            what: what.into(),
            decimals: groups.iter().map(|group| group.decimals).max().unwrap_or(0),
            numbers: compared,
            error: ours / compared.max(1) as f64,
            error_of_mean: means / compared.max(1) as f64,
            // Numbers that are all alike leave what rounding leaves.
            skill: (means > 1e-9 * ours.max(1e-300)).then(|| 1.0 - ours / means),
            rank_correlation: weighted(groups.iter().map(Group::rank_correlation)),
        }
    }
}

/// Spearman's rank correlation of pairs, of which ours is rounded to as many decimals as are printed: what looks equal is equal. `None` of
/// fewer than three, or where one side is all alike.
fn rank_correlation(pairs: &[(f64, f64)], decimals: usize) -> Option<f64> {
    let digits = 10_f64.powi(decimals as i32);
    let published = ranks(&pairs.iter().map(|(published, _)| *published).collect::<Vec<_>>());
    let ours = ranks(&pairs.iter().map(|(_, ours)| (ours * digits).round()).collect::<Vec<_>>());
    let mean = (pairs.len() as f64 + 1.0) / 2.0;
    let product = |one: &[f64], other: &[f64]| -> f64 {
        one.iter().zip(other).map(|(one, other)| (one - mean) * (other - mean)).sum()
    };
    let spread = product(&published, &published) * product(&ours, &ours);
    (pairs.len() >= 3 && spread > 0.0).then(|| product(&published, &ours) / spread.sqrt())
}

/// The place of each value in their order, from 1; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count() as f64;
        let equal = values.iter().filter(|other| *other == value).count() as f64;
        below + (equal + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

/// How strong the evidence is that agreement of numbers gives, in words. Weak is what a constant does as well, or nearly.
pub(crate) fn strength(power: &PowerReport) -> &'static str {
    let Some(skill) = power.skill.filter(|_| power.numbers >= FEWEST) else { return "weak evidence: too few numbers" };
    match skill {
        skill if skill <= 0.0 => "no evidence: the constant is as close",
        _ if power.agree <= power.agree_with_best => "weak evidence: one constant would agree with as many",
        skill if skill < MODERATE => "weak evidence",
        skill if skill < STRONG => "moderate evidence",
        _ => "strong evidence",
    }
}

/// Fewer numbers tell too little.
const FEWEST: usize = 6;
/// Skill from which evidence is moderate: a third of the error of the constant is gone.
const MODERATE: f64 = 1.0 / 3.0;
/// Skill from which it is strong: two thirds are gone.
const STRONG: f64 = 2.0 / 3.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Tolerance;
    use crate::report::{Number, Verdict};

    /// A number of a kind, without a place in a table.
    fn cell(counts: &'static str, published: f64, ours: f64, tolerance: f64) -> CellReport {
        let judged_by = Tolerance::distance_of(tolerance);
        CellReport {
            id: String::new(),
            row: String::new(),
            column: String::new(),
            published,
            tolerance,
            apart: None,
            wide: false,
            own: false,
            depends_on: Vec::new(),
            exact: false,
            counts: (counts, 1.0),
            decimals: 2,
            tolerance_reason: String::new(),
            ours: Number::of(&[ours], (0.0, f64::INFINITY)),
            as_printed: None,
            beside: Vec::new(),
            verdict: Verdict::new(judged_by.agrees(ours, published, 0.0), None),
            judged_by,
        }
    }

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    /// Published 1, 2, 2, 5, of which the mean is 2.5: off by 1.5, .5, .5 and 2.5, which is 1.25 on average. Ours 1, 3, 2, 4: off by .5 on
    /// average. Skill 1 - .5 / 1.25 = .6. Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: their distances from 2.5 are -1.5, 0, 0, 1.5 and
    /// -1.5, .5, -.5, 1.5; 4.5 / sqrt(4.5 * 5) = .948683. Within .6 of the published ones are ours at 1 and 2 (the third), the mean at 2
    /// and 2, and 1.5 at 1, 2 and 2.
    #[test]
    fn skill_and_rank_correlation_of_a_small_table() {
        let cells: Vec<CellReport> = [(1.0, 1.0), (2.0, 3.0), (2.0, 2.0), (5.0, 4.0)]
            .map(|(published, ours)| cell("rate", published, ours, 0.6))
            .into();
        let power = power([cells.iter().collect()].into_iter()).unwrap();
        assert_eq!((power.numbers, power.agree, power.agree_with_mean, power.agree_with_best), (4, 2, 2, 3));
        let [kind] = &power.kinds[..] else { panic!("one kind") };
        assert!(near(kind.error, 0.5) && near(kind.error_of_mean, 1.25), "{kind:?}");
        assert!(near(power.skill.unwrap(), 0.6), "{power:?}");
        assert!(near(power.rank_correlation.unwrap(), 4.5 / 22.5_f64.sqrt()), "{power:?}");
        assert_eq!(strength(&power), "weak evidence: too few numbers");
    }

    /// A second kind: 10 and 30 against 10 and 20 have half the error of their mean, 20. Skill (4 * .6 + 2 * .5) / 6. A number alone of
    /// its kind has no constant, and of numbers that are all alike the constant has no error.
    #[test]
    fn kinds_without_a_common_unit_are_averaged_with_their_numbers_as_weights() {
        let mut cells: Vec<CellReport> = [(1.0, 1.0), (2.0, 3.0), (2.0, 2.0), (5.0, 4.0)]
            .map(|(published, ours)| cell("rate", published, ours, 0.6))
            .into();
        cells.push(cell("time", 10.0, 10.0, 1.0));
        cells.push(cell("time", 30.0, 20.0, 1.0));
        cells.push(cell("drops", 7.0, 7.0, 1.0));
        let of = |cells: &[CellReport]| power([cells.iter().collect()].into_iter()).unwrap();
        let mixed = of(&cells);
        assert_eq!((mixed.numbers, mixed.agree, mixed.agree_with_best, mixed.kinds.len()), (6, 3, 4, 2));
        assert!(near(mixed.skill.unwrap(), 3.4 / 6.0), "{mixed:?}");
        // Two numbers have no order to speak of.
        assert!(near(mixed.rank_correlation.unwrap(), 4.5 / 22.5_f64.sqrt()), "{mixed:?}");
        cells.extend([cell("cells", 3.0, 3.0, 1.0), cell("cells", 3.0, 5.0, 1.0)]);
        let alike = of(&cells);
        assert_eq!((alike.numbers, alike.agree_with_mean, alike.skill), (8, 4, mixed.skill));
        // Two tables: each has its own constant.
        let (first, second) = cells[..4].split_at(2);
        let two = power([first.iter().collect(), second.iter().collect()].into_iter()).unwrap();
        assert!(near(two.kinds[0].error_of_mean, (0.5 + 0.5 + 1.5 + 1.5) / 4.0), "{two:?}");
        assert_eq!(power([vec![&cells[6]]].into_iter()), None);
    }

    /// What must equal every printed digit is compared as it is printed, and a run without an end with nothing.
    #[test]
    fn a_number_that_does_not_exist_is_no_error_and_does_not_agree() {
        let mut cells: Vec<CellReport> =
            [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)].map(|(of, ours)| cell("time", of, ours, 0.1)).into();
        cells.push(cell("time", 6.0, f64::NAN, 0.1));
        cells[3].verdict = Verdict::Fails;
        let power = power([cells.iter().collect()].into_iter()).unwrap();
        assert_eq!((power.numbers, power.agree, power.kinds[0].numbers), (4, 3, 3));
        assert_eq!((power.skill, power.rank_correlation), (Some(1.0), Some(1.0)));
    }

    #[test]
    fn evidence_is_weak_where_a_constant_does_as_well() {
        let of = |skill, agree, agree_with_best| {
            let power = PowerReport {
                numbers: 10,
                agree,
                agree_with_mean: 5,
                agree_with_best,
                skill: Some(skill),
                rank_correlation: None,
                kinds: Vec::new(),
            };
            strength(&power)
        };
        assert_eq!(of(-0.1, 10, 5), "no evidence: the constant is as close");
        assert_eq!(of(0.9, 8, 8), "weak evidence: one constant would agree with as many");
        assert_eq!(
            [of(0.3, 9, 8), of(0.5, 9, 8), of(0.7, 9, 8)],
            ["weak evidence", "moderate evidence", "strong evidence"]
        );
    }
}
