//! Several element sets of one satellite, and names that several satellites have.

use std::collections::{BTreeMap, BTreeSet};

use super::propagated::Window;
use super::set::ElementSet;
use super::warning::{Warning, first_of};

/// Of each satellite the set whose epoch is nearest to the start, of equally near ones the last; with names that no two have.
/// What was left is worth a warning.
///
/// A satellite is known by its number in the catalogue, and where that is not given by its international designator: names
/// change, and debris has the name of what it comes from.
pub(super) fn one_of_each(sets: Vec<ElementSet>, window: &Window) -> (Vec<ElementSet>, Option<Warning>) {
    let mut taken: Vec<ElementSet> = Vec::with_capacity(sets.len());
    let mut of_identity: BTreeMap<String, Vec<ElementSet>> = BTreeMap::new();
    for set in sets {
        match set.identity.clone().map(|identity| of_identity.entry(identity).or_default()) {
            Some(same) => {
                // The first one keeps the place of the satellite in the order.
                if same.is_empty() {
                    taken.push(set.clone());
                }
                same.push(set);
            }
            None => taken.push(set),
        }
    }
    let mut told = Vec::new();
    for set in &mut taken {
        let Some(mut same) = set.identity.as_ref().and_then(|identity| of_identity.remove(identity)) else { continue };
        if same.len() < 2 {
            continue;
        }
        let places: Vec<String> = same.iter().map(|one| one.place.clone()).collect();
        // `min_by` takes the first of equals: so from behind.
        same.reverse();
        let age = |one: &ElementSet| window.days_from(one.epoch()).abs();
        let nearest = same.into_iter().min_by(|a, b| age(a).total_cmp(&age(b))).expect("there are two");
        told.push(format!("`{}` ({}): that of {} is taken", nearest.name, places.join(", "), nearest.place));
        *set = nearest;
    }
    distinct_names(&mut taken);
    let warning = (!told.is_empty()).then(|| {
        let satellites = if told.len() == 1 { "one satellite has" } else { "satellites have" };
        let text = format!(
            "{satellites} several element sets, and those whose epoch is nearest to the start are used: {}",
            first_of(&told)
        );
        Warning::new(text, "one satellite, several element sets")
    });
    (taken, warning)
}

/// Names that were given before get the catalogue number, and a count where that does not help.
fn distinct_names(sets: &mut [ElementSet]) {
    let mut names: BTreeSet<String> = BTreeSet::new();
    for set in sets {
        let number = (set.elements.norad_id > 0).then_some(set.elements.norad_id);
        let candidates = number.into_iter().chain(2..).map(|number| format!("{} [{number}]", set.name));
        let name = std::iter::once(set.name.clone()).chain(candidates).find(|name| !names.contains(name));
        set.name = name.expect("there are more numbers than satellites");
        names.insert(set.name.clone());
    }
}
