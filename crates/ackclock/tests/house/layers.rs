//! Who may import whom inside the simulator: arrows go down only. docs/architecture.md draws the same picture.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Each module and the modules of this crate that it may use.
const LAYERS: &[(&str, &[&str])] = &[
    ("names", &[]),
    ("units", &[]),
    ("ids", &[]),
    ("rng", &[]),
    ("batch", &[]),
    ("exact", &[]),
    ("factory", &[]),
    ("shared", &[]),
    ("keys", &["units"]),
    ("law", &["units", "rng", "exact", "keys"]),
    ("engine", &["units", "ids"]),
    ("packet", &["units", "ids"]),
    ("record", &["units", "ids", "rng", "exact", "packet"]),
    ("tcp", &["units", "ids", "rng", "exact", "factory", "batch", "keys", "law", "packet", "record"]),
    ("queue", &["units", "ids", "rng", "exact", "batch", "factory", "keys", "packet", "record"]),
    ("link", &["units", "ids", "rng", "exact", "factory", "keys", "law", "packet", "record"]),
    ("traffic", &["units", "rng", "law", "record"]),
    ("atm", &["units", "rng", "factory", "keys", "packet"]),
    ("feedback", &["units", "keys"]),
    (
        "scenario",
        &["units", "ids", "rng", "keys", "shared", "tcp", "queue", "atm", "feedback", "link", "traffic", "record"],
    ),
    (
        "net",
        &[
            "units", "ids", "rng", "batch", "shared", "packet", "record", "tcp", "queue", "atm", "feedback", "link",
            "traffic", "scenario", "engine",
        ],
    ),
    ("measure", &["units", "ids", "exact", "keys", "packet", "tcp", "record", "scenario"]),
    ("sim", &["units", "ids", "packet", "tcp", "record", "scenario", "net"]),
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
        for (number, used) in not_allowed(&text, module, allowed) {
            wrong.push(format!("{}:{number}: {module} uses {used}", relative.display()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(seen.len(), LAYERS.len(), "every layer exists");
}

#[test]
fn a_forbidden_import_is_found_in_its_line() {
    let text = "//! See crate::net.\n\nuse crate::units::Time;\nuse crate::{net, units};\nfn f() { crate::sim::build() }\n\
                #[cfg(test)]\nuse crate::scenario;\n";
    let found = not_allowed(text, "queue", &["units"]);
    assert_eq!(found, [(4, "a list in braces: one path per line".to_owned()), (5, "sim".to_owned())]);
    assert_eq!(not_allowed("use crate::queue::Buffer;", "queue", &[]), [], "a module may use itself");
}

/// What is larger is split by mechanism. Tests do not count.
#[test]
fn files_functions_and_folders_fit_on_a_few_screens() {
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap() {
        let folder = entry.unwrap().path();
        wrong.extend(too_large(&folder.join("src")).into_iter().map(|what| format!("{}: {what}", folder.display())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn too_large(source: &Path) -> Vec<String> {
    let (mut wrong, mut folders) = (Vec::new(), BTreeMap::new());
    for file in rust_files(source) {
        let name = file.strip_prefix(source).unwrap().display().to_string();
        *folders.entry(file.parent().unwrap().to_owned()).or_insert(0) += 1;
        if name.ends_with("tests.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let lines: Vec<&str> = text.split("#[cfg(test)]\nmod tests {").next().unwrap().lines().collect();
        if lines.len() > 500 {
            wrong.push(format!("{name} has {} lines", lines.len()));
        }
        for (first, line) in lines.iter().enumerate() {
            let indent = &line[..line.len() - line.trim_start().len()];
            // What ends here has no body.
            let is_function = !line.ends_with(';')
                && (line.trim_start().starts_with("fn ") || line.contains(" fn ") && line.trim().starts_with("pub"));
            let Some(length) = lines[first..].iter().position(|line| *line == format!("{indent}}}")) else { continue };
            if is_function && length >= 80 {
                wrong.push(format!("{name}:{}: a function of {} lines", first + 1, length + 1));
            }
        }
    }
    for (folder, files) in folders.into_iter().filter(|(_, files)| *files > 15) {
        let name = folder.strip_prefix(source).unwrap().display().to_string();
        wrong.push(format!("{name} has {files} files"));
    }
    wrong
}

/// A live run has the simulator's ports and links through `sim`, as every other user of the simulator; what is unsafe is in one file.
#[test]
fn live_runs_use_no_engine_and_are_unsafe_in_one_place() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ackclock-live/src");
    let files = rust_files(&source);
    assert!(!files.is_empty());
    for file in files {
        let (name, text) = (file.display(), std::fs::read_to_string(&file).unwrap());
        let of_engines = ["ackclock::net", "ackclock::engine"].iter().find(|path| text.contains(**path));
        assert_eq!(of_engines, None, "{name}");
        assert!(file.ends_with("sys.rs") || !text.contains("unsafe_code"), "{name} lifts the lint of unsafe code");
    }
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

/// What a file of `module` uses without leave, with the line, counted from 1. Tests may use everything.
fn not_allowed(text: &str, module: &str, allowed: &[&str]) -> Vec<(usize, String)> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    let mut found = Vec::new();
    for (index, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
        for (at, path) in line.match_indices("crate::") {
            let rest = &line[at + path.len()..];
            let used: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if rest.starts_with('{') {
                // Its names may be on other lines, where this check would miss them.
                found.push((index + 1, "a list in braces: one path per line".to_owned()));
            } else if used != module && !used.is_empty() && !allowed.contains(&used.as_str()) {
                found.push((index + 1, used));
            }
        }
    }
    found
}

pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| match path {
        folder if folder.is_dir() => rust_files(&folder),
        file => vec![file],
    });
    files.filter(|file| file.extension().is_some_and(|extension| extension == "rs")).collect()
}
