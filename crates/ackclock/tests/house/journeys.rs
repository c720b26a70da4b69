//! The journeys of `docs/architecture.md` name files and functions that exist.

use std::fs;
use std::path::Path;

/// The names in backquotes in a step, in order.
fn quoted(step: &str) -> impl Iterator<Item = &str> {
    step.split('`').skip(1).step_by(2)
}

/// The steps of the section: list items, each with its following lines.
fn steps(section: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    for line in section.lines() {
        let is_new = line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        match steps.last_mut() {
            _ if is_new => steps.push(line.to_owned()),
            Some(step) if line.starts_with("   ") => *step += line,
            _ => {}
        }
    }
    steps
}

/// Each name belongs to the file that was named last; a file may be named alone.
fn missing(steps: &[String], root: &Path) -> Vec<String> {
    let mut missing = Vec::new();
    for step in steps {
        let mut file: Option<(&str, String)> = None;
        for name in quoted(step) {
            if name.ends_with(".rs") {
                let place = if name.starts_with("crates/") {
                    root.join(name)
                } else {
                    root.join("crates/ackclock/src").join(name)
                };
                match fs::read_to_string(place) {
                    Ok(text) => file = Some((name, text)),
                    Err(_) => missing.push(format!("no file {name}")),
                }
            } else if let Some((file, text)) = &file
                && ![format!("fn {name}("), format!("fn {name}<"), format!("{name}: "), format!("\"{name}\"")]
                    .iter()
                    .any(|form| text.contains(form))
            {
                missing.push(format!("no {name} in {file}"));
            }
        }
    }
    missing
}

#[test]
fn every_step_of_a_journey_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/architecture.md")).unwrap();
    let section = page.split_once("## Three journeys").unwrap().1.split("\n## ").next().unwrap();
    let steps = steps(section);
    assert!(steps.len() > 15, "{steps:?}");
    assert_eq!(missing(&steps, &root), [""; 0]);
    let wrong = ["1. `sim.rs`: `records_wthi` and `net/flow.rs`, `nowhere.rs`".to_owned()];
    assert_eq!(self::missing(&wrong, &root), ["no records_wthi in sim.rs", "no file nowhere.rs"]);
}
