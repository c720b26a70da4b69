//! What was chosen when the results were known already, and how much of the agreement depends on it.

use super::types::ChosenReport;
use crate::data::{Assumption, Tolerance};
use crate::plan::Scope;
use crate::report::CardReport;
use crate::study::Study;

/// How an agreement depends on the measure of its table.
pub(crate) const MEASURE: &str = "measure";
/// How a claim depends on its own bound.
pub(crate) const BOUND: &str = "bound";

/// What stands before the names of claims.
const BOUND_OF: &str = "the bound of claim ";

/// How an agreement depends on a tolerance.
pub(crate) fn tolerance_name(tolerance: &Tolerance) -> String {
    format!("tolerance {}", tolerance.name)
}

/// What was chosen so, of that which concerns these cards.
pub(crate) fn chosen(study: &Study, scope: &Scope, cards: &[CardReport]) -> Vec<ChosenReport> {
    let mut all: Vec<ChosenReport> = Vec::new();
    for assumption in &study.assumptions {
        let Some(why) = &assumption.after_results else { continue };
        let names: Vec<&str> = names_of(study, assumption).collect();
        let is_judged =
            |card: &CardReport| card.judged_again.iter().any(|again| names.contains(&again.assumption.as_str()));
        let counted = cards.iter().any(is_judged);
        if !counted && !scope.cards.contains(&assumption.card) {
            continue;
        }
        let count = cards.iter().map(|card| agree_by(card, &|name| names.contains(&name))).sum();
        all.push(ChosenReport {
            what: format!("assumption {}", assumption.id),
            why: why.clone(),
            agree_by_it: counted.then_some(count),
        });
    }
    for card in cards {
        let count = |of: &dyn Fn(&str) -> bool| Some(agree_by(card, of));
        if let Some(table) = study.tables.get(&card.id) {
            all.extend(table.after_results.iter().map(|why| ChosenReport {
                what: format!("the measure of {}", card.id),
                why: why.clone(),
                agree_by_it: count(&|name| name == MEASURE),
            }));
            for tolerance in &table.tolerances {
                let name = tolerance_name(tolerance);
                all.extend(tolerance.after_results.iter().map(|why| ChosenReport {
                    what: format!("{name} of {}", card.id),
                    why: why.clone(),
                    agree_by_it: count(&|of| of == name),
                }));
            }
        }
        for claim in &card.claims {
            let why = study.claims.iter().find(|of| of.id == claim.id).and_then(|of| of.after_results.as_ref());
            let Some(why) = why else { continue };
            // Bounds that were chosen for one reason stand together.
            match all.iter_mut().find(|of| of.what.starts_with(BOUND_OF) && of.why == *why) {
                Some(known) => {
                    known.what += &format!(", {}", claim.id);
                    known.agree_by_it = known.agree_by_it.map(|count| count + usize::from(claim.holds));
                }
                None => all.push(ChosenReport {
                    what: format!("{BOUND_OF}{}", claim.id),
                    why: why.clone(),
                    agree_by_it: Some(usize::from(claim.holds)),
                }),
            }
        }
    }
    all
}

/// The names under which alternatives to an assumption are judged: its own, and those of alternatives together.
fn names_of<'a>(study: &'a Study, assumption: &'a Assumption) -> impl Iterator<Item = &'a str> {
    let prefix = format!("{}/", assumption.id);
    let together = study.together.iter().filter(move |together| together.of.iter().any(|of| of.starts_with(&prefix)));
    std::iter::once(assumption.id.as_str()).chain(together.map(|together| together.id.as_str()))
}

/// How many numbers and claims of a card agree because of what has such a name.
fn agree_by(card: &CardReport, of: &dyn Fn(&str) -> bool) -> usize {
    let depends = |on: &[String]| on.iter().any(|name| of(name));
    let cells = card.table.iter().flat_map(|table| &table.cells);
    let cells = cells.filter(|cell| cell.verdict.agrees() && depends(&cell.depends_on)).count();
    cells + card.claims.iter().filter(|claim| claim.holds && depends(&claim.depends_on)).count()
}

impl ChosenReport {
    /// What, why, and what depends on it.
    pub(crate) fn words(&self) -> String {
        let depends = match self.agree_by_it {
            None => "How much depends on it is not counted: no card is judged with an alternative here.".into(),
            Some(0) => "Nothing that agrees depends on it.".into(),
            Some(1) => "One number or claim that agrees depends on it.".into(),
            Some(count) => format!("{count} numbers and claims that agree depend on it."),
        };
        format!("{}: {} {depends}", self.what, self.why)
    }
}
