//! A measure is defined in one file: elsewhere its name stands only where a view chooses what it shows.

use std::fs;
use std::path::Path;

use ackclock::measure::Quantity;
use ackclock::record::Metric;

use crate::layers::rust_files;

/// Files that choose measures by name, and those that explain keys and terms of the same name.
const CHOOSING: [&str; 5] =
    ["sweep/src/report/figures.rs", "cli/src/table/sweep.rs", "explain/keys.rs", "explain/terms.rs", "explain/mod.rs"];

#[test]
fn the_name_of_a_measure_stands_in_one_file() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    // Names of one word are words of other lists, too: of columns, of keys, of what is recorded.
    let names = Quantity::names().filter(|name| name.contains(['-', '_']) && Metric::named(name).is_none());
    let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    let mut elsewhere = Vec::new();
    for folder in fs::read_dir(&crates).unwrap().flatten() {
        for file in rust_files(&folder.path().join("src")) {
            let path = file.display().to_string();
            // Counters of ports are measures from where they are declared.
            if path.ends_with("measure/tables.rs")
                || path.ends_with("record/counters.rs")
                || path.contains("/tests")
                || CHOOSING.iter().any(|end| path.ends_with(end))
            {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            elsewhere.extend(
                names.iter().filter(|name| code.contains(name.as_str())).map(|name| format!("{name} in {path}")),
            );
        }
    }
    // What scenarios of rate control call the time that window feedback takes.
    elsewhere.retain(|found| !(found.starts_with("\"round-trip\"") && found.ends_with("measure/parameters.rs")));
    assert_eq!(elsewhere, [""; 0]);
    assert!(names.len() > 40);
}
