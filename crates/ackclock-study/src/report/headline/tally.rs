//! How many numbers and claims stand how: the publication's and our own apart.

use super::types::{Count, Tally};
use crate::report::{CardReport, Verdict};

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
