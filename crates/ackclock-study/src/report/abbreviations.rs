//! Which abbreviations of a study a report needs.

use super::{GroupReport, Report};
use crate::data::Abbreviation;

impl Report {
    /// With those of the abbreviations that stand in it.
    pub(crate) fn explaining(mut self, abbreviations: &[Abbreviation]) -> Report {
        let texts = self.texts();
        let stands = |abbreviation: &&Abbreviation| texts.iter().any(|text| abbreviation.stands_in(text));
        self.abbreviations = abbreviations.iter().filter(stands).cloned().collect();
        self
    }

    /// Titles, labels, claims and their numbers, experiments: what a reader meets first.
    fn texts(&self) -> Vec<&str> {
        let mut texts = vec![self.title.as_str()];
        for card in &self.cards {
            texts.push(&card.title);
            if let Some(table) = &card.table {
                texts.push(&table.quantity);
                texts.extend(table.cells.iter().flat_map(|cell| [cell.row.as_str(), cell.column.as_str()]));
            }
            for comparison in &card.comparisons {
                texts.push(&comparison.text);
                texts.extend(labels(&comparison.choices));
            }
            for plot in &card.plots {
                texts.extend([plot.title.as_str(), plot.shows.as_str(), plot.x.as_str()]);
                texts.extend(plot.quantities.iter().flat_map(labels));
            }
            texts.extend(card.claims.iter().flat_map(|claim| {
                [claim.text.as_str(), claim.instance().unwrap_or_default(), claim.evidence.as_str()]
            }));
        }
        for experiment in self.findings.iter().flat_map(|finding| &finding.experiments) {
            texts.push(&experiment.text);
            texts.extend(labels(&experiment.choices));
        }
        texts
    }
}

fn labels(group: &GroupReport) -> impl Iterator<Item = &str> {
    let choices = group.alternatives.iter().map(|choice| choice.label.as_str());
    let shown = group.shown.iter().map(|shown| shown.label.as_str());
    std::iter::once(group.label.as_str()).chain(choices).chain(shown)
}

#[cfg(test)]
mod tests {
    use crate::data::abbreviation::words;
    use crate::tests::report_of;
    use crate::{Selection, Study, names};

    /// Two capitals or more, or one that is set to a number, of which a reader from outside of the field knows nothing.
    #[test]
    fn every_short_word_of_every_study_is_explained() {
        for name in names() {
            let study = Study::load(name).unwrap();
            let report = report_of(&study, &Selection::default());
            let known = |word: &str| study.head.abbreviations.iter().any(|abbreviation| abbreviation.word == word);
            for text in report.texts() {
                let is_short = |word: &&str| {
                    let capitals = word.chars().filter(char::is_ascii_uppercase).count();
                    let set = capitals == 1 && word.len() == 1 && text.contains(&format!("{word}="));
                    !word.contains('-') && word.chars().all(|c| !c.is_lowercase()) && (capitals > 1 || set)
                };
                let unknown: Vec<&str> = words(text).filter(is_short).filter(|word| !known(word)).collect();
                assert!(unknown.is_empty(), "{name} does not explain {unknown:?} of \"{text}\"");
            }
            // And none is explained that does not occur.
            let all: Vec<&str> = report.abbreviations.iter().map(|abbreviation| abbreviation.word.as_str()).collect();
            assert_eq!(all.len(), study.head.abbreviations.len(), "{name} needs only {all:?}");
        }
    }
}
