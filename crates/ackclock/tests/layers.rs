//! Who may import whom inside the simulator: arrows go down only. docs/architecture.md draws the same picture.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Each module and the modules of this crate that it may use.
const LAYERS: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("ids", &[]),
    ("rng", &[]),
    ("engine", &["units", "ids"]),
    ("packet", &["units", "ids"]),
    ("record", &["units", "ids", "rng"]),
    ("tcp", &["units", "ids", "rng", "packet", "record"]),
    ("queue", &["units", "ids", "rng", "packet", "record"]),
    ("scenario", &["units", "ids", "tcp", "queue"]),
    ("net", &["units", "ids", "rng", "packet", "record", "tcp", "queue", "scenario", "engine"]),
    ("sim", &["units", "ids", "record", "scenario", "net"]),
    ("lib", &[]),
];

#[test]
fn arrows_go_down_only() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for file in rust_files(&source) {
        let relative = file.strip_prefix(&source).unwrap();
        let first = relative.components().next().unwrap().as_os_str().to_str().unwrap();
        let module = first.trim_end_matches(".rs");
        let (name, allowed) = LAYERS.iter().find(|(name, _)| *name == module).expect("every module has a layer");
        seen.insert(*name);
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        for (number, line) in code.enumerate() {
            for used in line.match_indices("crate::").map(|(at, _)| &line[at + "crate::".len()..]) {
                let used: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if used != module && !used.is_empty() && !allowed.contains(&used.as_str()) {
                    wrong.push(format!("{}:{}: {module} uses {used}", relative.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(seen.len(), LAYERS.len(), "every layer exists");
}

/// The simulator runs in a browser and inside other programs: its dependencies are few and chosen.
#[test]
fn dependencies_are_on_the_list() {
    let manifest = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let section = manifest.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    let names: Vec<&str> = section
        .lines()
        .filter_map(|line| line.split(['=', '.']).next())
        .map(str::trim)
        .filter(|n| !n.is_empty())
        .collect();
    let allowed = ["libm", "rand_core", "rand_xoshiro", "rustc-hash"];
    assert!(names.iter().all(|name| allowed.contains(name)), "{names:?}");
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| match path {
        folder if folder.is_dir() => rust_files(&folder),
        file => vec![file],
    });
    files.filter(|file| file.extension().is_some_and(|extension| extension == "rs")).collect()
}
