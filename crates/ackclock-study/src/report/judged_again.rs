//! Cards judged again with other readings: which of their numbers and claims that changes, and readings that stand beside the default.

use ackclock_report::page::number::{fixed, plural};

use super::cells::table_report;
use super::headline::power::{power, published};
use super::headline::types::{BesideReport, ReadingReport};
use super::quantity::Measured;
use super::{CardReport, ChangedReport, Judged, JudgedAgainReport, JudgedClaim, ReadingColumnReport};
use crate::data::{Card, Origin, Reading};
use crate::plan::Scope;

/// A report for each reading with which the card is judged again, with the same seeds as the default beside it.
pub(crate) fn judged_again<'a>(measured: &Measured<'a>, scope: &Scope, card: &'a Card) -> Vec<JudgedAgainReport> {
    let report = |reading: Reading<'a>| {
        let seeds = scope.seeds_of_reading(measured.study, card, &reading);
        let default = judge(&Measured { seeds, ..*measured }, scope, card);
        let again = judge(&Measured { seeds, changes: reading.set, ..*measured }, scope, card);
        let (before, after) = (default.all(), again.all());
        let agree = |all: &[ChangedReport]| all.iter().filter(|one| one.agrees).count();
        let changed = before.iter().zip(&after).filter(|(before, after)| before.agrees != after.agrees);
        JudgedAgainReport {
            assumption: reading.id.into(),
            statement: reading.statement.into(),
            after_results: reading.after_results,
            default: reading.default,
            alternative: reading.label.into(),
            beside: reading.beside,
            seeds,
            of: after.len(),
            agree_by_default: agree(&before),
            agree: agree(&after),
            changed: changed.map(|(_, after)| after.clone()).collect(),
            judged: again,
        }
    };
    scope.readings(measured.study, card).into_iter().map(report).collect()
}

fn judge(measured: &Measured, scope: &Scope, card: &Card) -> Judged {
    let claims = scope.claims(measured.study, card).map(|claim| {
        let examined = measured.examine(&claim.test);
        let own = measured.study.origin_of(claim) == Origin::Own;
        JudgedClaim { id: claim.id.clone(), own, holds: examined.holds, evidence: examined.evidence }
    });
    Judged {
        table: measured.study.tables.get(&card.id).map(|table| table_report(measured, scope, card, table)),
        claims: claims.collect(),
    }
}

impl Judged {
    /// Every number and claim, in order.
    fn all(&self) -> Vec<ChangedReport> {
        let cells = self.table.iter().flat_map(|table| &table.cells).map(|cell| ChangedReport {
            id: cell.id.clone(),
            agrees: cell.verdict.agrees(),
            evidence: format!(
                "{}, published {} ±{}",
                fixed(cell.ours.mean, cell.decimals),
                fixed(cell.published, cell.decimals),
                fixed(cell.tolerance, cell.decimals)
            ),
        });
        let claims = self.claims.iter().map(|claim| ChangedReport {
            id: format!("claim:{}", claim.id),
            agrees: claim.holds,
            evidence: claim.evidence.clone(),
        });
        cells.chain(claims).collect()
    }
}

/// Marks what depends on choices that were made after their results, and puts the numbers of readings that stand beside the default
/// next to it.
pub(crate) fn bring_together(card: &mut CardReport) {
    let CardReport { table, claims, judged_again, .. } = card;
    for again in judged_again {
        let lost: Vec<&str> = match again.after_results {
            Some(_) => again.changed.iter().filter(|one| !one.agrees).map(|one| one.id.as_str()).collect(),
            None => Vec::new(),
        };
        for cell in table.iter_mut().flat_map(|table| &mut table.cells).filter(|cell| lost.contains(&cell.id.as_str()))
        {
            cell.depends_on.push(again.assumption.clone());
        }
        for claim in claims.iter_mut().filter(|claim| lost.contains(&format!("claim:{}", claim.id).as_str())) {
            claim.depends_on.push(again.assumption.clone());
        }
        if !again.beside {
            continue;
        }
        if let (Some(table), Some(of)) = (table.as_mut(), &again.judged.table) {
            table.readings.push(ReadingColumnReport {
                label: again.alternative.clone(),
                numbers: of.cells.iter().map(|cell| *cell.comparable()).collect(),
                agree: of.cells.iter().map(|cell| cell.verdict.agrees()).collect(),
                power: of.power.clone(),
            });
        }
        for (claim, of) in claims.iter_mut().zip(&again.judged.claims) {
            claim.beside.push(BesideReport {
                label: again.alternative.clone(),
                holds: of.holds,
                evidence: of.evidence.clone(),
            });
        }
    }
}

/// The readings that stand beside the default, each over all of its cards.
pub(crate) fn readings(cards: &[CardReport]) -> Vec<ReadingReport> {
    let all = || cards.iter().flat_map(|card| card.judged_again.iter().map(move |again| (card, again)));
    let mut names: Vec<(&str, &str)> = Vec::new();
    for (_, again) in all().filter(|(_, again)| again.beside) {
        let name = (again.assumption.as_str(), again.alternative.as_str());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let reading = |(id, label): (&str, &str)| {
        let of = || all().filter(|(_, again)| again.assumption == id && again.alternative == label);
        let cells = || of().map(|(_, again)| published(again.judged.table.as_ref()));
        let by_default = || of().flat_map(|(card, _)| published(card.table.as_ref()));
        let claims = || of().flat_map(|(_, again)| &again.judged.claims).filter(|claim| !claim.own);
        let claims_by_default = || of().flat_map(|(card, _)| &card.claims).filter(|claim| !claim.own);
        ReadingReport {
            id: id.into(),
            label: label.into(),
            cards: of().map(|(card, _)| card.id.clone()).collect(),
            numbers: cells().flatten().count(),
            numbers_agree: cells().flatten().filter(|cell| cell.verdict.agrees()).count(),
            numbers_agree_by_default: by_default().filter(|cell| cell.verdict.agrees()).count(),
            claims: claims().count(),
            claims_hold: claims().filter(|claim| claim.holds).count(),
            claims_hold_by_default: claims_by_default().filter(|claim| claim.holds).count(),
            power: power(cells()),
        }
    };
    names.into_iter().map(reading).collect()
}

impl BesideReport {
    /// What becomes of a claim.
    pub(crate) fn words(&self) -> String {
        let holds = if self.holds { "holds" } else { "does not hold" };
        format!("with \"{}\" it {holds}: {}", self.label, self.evidence)
    }
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
