//! What is said of elements that are used all the same.

use super::propagated::Window;
use super::set::ElementSet;
use crate::error::NAMED_WITH_REASON;

/// Something that does not keep a run from being made.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    text: String,
    /// What it is about, in a few words.
    pub label: &'static str,
}

impl Warning {
    pub(super) fn new(text: String, label: &'static str) -> Warning {
        Warning { text, label }
    }
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// One warning of all old elements; where they are many, with their number, the oldest and the newest.
pub(super) fn of_age(sets: &[ElementSet], window: &Window) -> Option<Warning> {
    let days = |set: &ElementSet| window.days_from(set.epoch());
    let mut old: Vec<&ElementSet> = sets.iter().filter(|set| days(set).abs() > OLD_DAYS).collect();
    old.sort_by_key(|set| set.epoch());
    let told = |set: &ElementSet| {
        let relation = if days(set) > 0.0 { "before" } else { "after" };
        let (name, place, epoch) = (&set.name, &set.place, set.epoch());
        format!("`{name}` ({place}) are of {epoch}, {:.1} days {relation} the start", days(set).abs())
    };
    let which = match old[..] {
        [] => return None,
        [one] => format!("the elements of {}", told(one)),
        [oldest, .., newest] => format!(
            "the elements of {} of {} satellites are more than {OLD_DAYS} days from the start; the oldest, those of {}; \
             the newest, those of {}",
            old.len(),
            sets.len(),
            told(oldest),
            told(newest)
        ),
    };
    let text =
        format!("{which}; beyond {OLD_DAYS} days positions may be wrong by tens of kilometres: fetch newer ones");
    Some(Warning::new(text, "old elements"))
}

/// The first of many, and how many more there are.
pub(super) fn first_of(all: &[String]) -> String {
    let more = all.len().saturating_sub(NAMED_WITH_REASON);
    let first = all[..all.len() - more].join("; ");
    if more == 0 { first } else { format!("{first}; and {more} more") }
}

/// Beyond this age elements are worth a warning.
const OLD_DAYS: f64 = 7.0;
