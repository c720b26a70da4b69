//! Good files, loaded and looked at.

use ackclock::scenario::{Link, Scenario};
use ackclock_scenario::{Loaded, Memory, load};

/// A file (`test.toml`) with `--set` arguments; what is written out of it is the same again.
#[track_caller]
pub fn loaded(file: &str, sets: &[&str]) -> Loaded {
    let set: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let loaded = load(&Memory::new().with("test.toml", file), "test.toml", &set);
    let loaded = loaded.unwrap_or_else(|error| panic!("{sets:?}: {error:#?}"));
    crate::roundtrip::check_loaded(&loaded);
    loaded
}

#[track_caller]
pub fn link<'a>(scenario: &'a Scenario, name: &str) -> &'a Link {
    scenario.links.iter().find(|link| link.name == name).unwrap_or_else(|| panic!("no link {name}"))
}
