//! Cards judged again with an alternative to an assumption: which of their numbers and claims that changes.

use ackclock_report::page::number::{fixed, plural};

use super::cells::table_report;
use super::quantity::Measured;
use super::{ChangedReport, JudgedAgainReport};
use crate::data::{Card, Reading};
use crate::plan::Scope;

/// A number or a claim that was judged.
struct Judged {
    id: String,
    agrees: bool,
    evidence: String,
}

/// A report for each reading with which the card is judged again, with the same seeds as the default beside it.
pub(crate) fn judged_again<'a>(measured: &Measured<'a>, scope: &Scope, card: &'a Card) -> Vec<JudgedAgainReport> {
    let report = |reading: Reading<'a>| {
        let seeds = scope.seeds_of_reading(measured.study, card, &reading);
        let default = judge(&Measured { seeds, ..*measured }, scope, card);
        let again = judge(&Measured { seeds, changes: reading.set, ..*measured }, scope, card);
        let agree = |judged: &[Judged]| judged.iter().filter(|one| one.agrees).count();
        let changed = default.iter().zip(&again).filter(|(before, after)| before.agrees != after.agrees);
        JudgedAgainReport {
            assumption: reading.id.into(),
            statement: reading.statement.into(),
            after_results: reading.after_results,
            default: reading.default,
            alternative: reading.label.into(),
            seeds,
            of: again.len(),
            agree_by_default: agree(&default),
            agree: agree(&again),
            changed: changed
                .map(|(_, after)| ChangedReport {
                    id: after.id.clone(),
                    agrees: after.agrees,
                    evidence: after.evidence.clone(),
                })
                .collect(),
        }
    };
    scope.readings(measured.study, card).into_iter().map(report).collect()
}

fn judge(measured: &Measured, scope: &Scope, card: &Card) -> Vec<Judged> {
    let table = measured.study.tables.get(&card.id).map(|table| table_report(measured, scope, card, table));
    let cells = table.into_iter().flat_map(|table| table.cells).map(|cell| Judged {
        agrees: cell.verdict.agrees(),
        evidence: format!(
            "{}, published {} ±{}",
            fixed(cell.ours.mean, cell.decimals),
            fixed(cell.published, cell.decimals),
            fixed(cell.tolerance, cell.decimals)
        ),
        id: cell.id,
    });
    let claims = scope.claims(measured.study, card).map(|claim| {
        let examined = measured.examine(&claim.test);
        Judged { id: format!("claim:{}", claim.id), agrees: examined.holds, evidence: examined.evidence }
    });
    cells.chain(claims).collect()
}

impl JudgedAgainReport {
    /// What changes, in a sentence.
    pub(crate) fn words(&self) -> String {
        let JudgedAgainReport { assumption, alternative, default, of, agree, agree_by_default, seeds, .. } = self;
        format!(
            "{assumption}: judged again with \"{alternative}\", {agree} of {of} numbers and claims agree, {agree_by_default} \
             with \"{default}\" (of {} each)",
            plural(*seeds as usize, "seed")
        )
    }
}

impl ChangedReport {
    /// What has changed, with the numbers.
    pub(crate) fn words(&self) -> String {
        let what = if self.agrees { "agrees then" } else { "does not agree then" };
        format!("{} {what}: {}", self.id, self.evidence)
    }
}
