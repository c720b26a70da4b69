//! How many numbers and claims stand how: the publication's and our own apart.

use serde::Serialize;

use super::{CardReport, Verdict};

/// How many numbers and claims stand how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Numbers that the publication prints.
    pub numbers: Count,
    /// Of them, those whose tolerance is as large as what their table distinguishes.
    pub numbers_wide: usize,
    /// Those of these that agree.
    pub numbers_wide_agree: usize,
    /// Of the published numbers, those of which every printed digit must be ours.
    pub numbers_exact: usize,
    /// Those of these that agree.
    pub numbers_exact_agree: usize,
    /// Claims that the publication makes.
    pub claims: Count,
    /// Of those that hold, those that would hold if the effect that they are about were absent.
    pub claims_weak: usize,
    /// Numbers and claims of our own.
    pub own: Count,
    /// Numbers and claims outside, not recorded.
    pub failures: usize,
    /// Numbers and claims recorded as different that agree.
    pub vanished: usize,
    /// Experiments of findings that do not show what the finding says.
    pub refuted: usize,
    /// Findings that say how a sentence is read which stands against us: they would have to cover it.
    pub misplaced: usize,
}

/// Numbers or claims of one origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// Those examined.
    pub examined: usize,
    /// Those that agree or hold.
    pub agree: usize,
    /// Those that do not, with a finding.
    pub differ: usize,
    /// Of those that agree, those that would not without what was chosen when the results were known.
    pub agree_by_choice: usize,
}

impl Count {
    fn add(&mut self, verdict: &Verdict, depends: bool) {
        self.examined += 1;
        self.agree += usize::from(verdict.agrees());
        self.differ += usize::from(matches!(verdict, Verdict::Differs(_)));
        self.agree_by_choice += usize::from(verdict.agrees() && depends);
    }

    /// Those that agree whatever was chosen after results.
    pub fn agree_without_choice(&self) -> usize {
        self.agree - self.agree_by_choice
    }
}

impl Tally {
    /// Of everything on these cards.
    pub(crate) fn of(cards: &[CardReport]) -> Tally {
        let mut tally = Tally::default();
        for card in cards {
            for cell in card.table.iter().flat_map(|table| &table.cells) {
                let count = if cell.own { &mut tally.own } else { &mut tally.numbers };
                count.add(&cell.verdict, !cell.depends_on.is_empty());
                tally.count_failure(&cell.verdict);
                if !cell.own {
                    tally.numbers_wide += usize::from(cell.wide);
                    tally.numbers_wide_agree += usize::from(cell.wide && cell.verdict.agrees());
                    tally.numbers_exact += usize::from(cell.exact);
                    tally.numbers_exact_agree += usize::from(cell.exact && cell.verdict.agrees());
                }
            }
            for claim in &card.claims {
                let count = if claim.own { &mut tally.own } else { &mut tally.claims };
                count.add(&claim.verdict, !claim.depends_on.is_empty());
                tally.count_failure(&claim.verdict);
                tally.claims_weak += usize::from(claim.weak && claim.holds);
            }
        }
        tally
    }

    /// The three tallies, each with its name.
    pub(crate) fn counts(&self) -> [(&'static str, Count); 3] {
        [("published numbers", self.numbers), ("published claims", self.claims), ("checks of our own", self.own)]
    }

    fn count_failure(&mut self, verdict: &Verdict) {
        self.failures += usize::from(*verdict == Verdict::Fails);
        self.vanished += usize::from(matches!(verdict, Verdict::Vanished(_)));
    }
}
