//! The recipes of CONTRIBUTING.md are followed to the letter: their steps can be read by a program, and what they make of a copy
//! of the tree is right Rust, and builds and passes the tests of the families. The last takes minutes; `make verify` runs it.

use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// A new file with this text.
    Write { path: String, text: String },
    /// Lines below a line of a file.
    Below { line: String, path: String, text: String },
    /// A page made from another one.
    Copy { from: String, to: String },
}

/// The recipes by the words after "Add a" or "Add an", with their steps in order: what has none is no recipe.
fn recipes() -> Vec<(String, Vec<Step>)> {
    let text = std::fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let of_mechanism = |section| str::strip_prefix(section, "Add a ").or(str::strip_prefix(section, "Add an "));
    let sections = text.split("\n## ").filter_map(of_mechanism);
    let recipes = sections.map(|section| (section.lines().next().unwrap().to_owned(), steps(section)));
    recipes.filter(|(_, steps)| !steps.is_empty()).collect()
}

/// A block is explained by the paragraph before it: its end is "`PATH`:" for a new file, and "Below `LINE` in `PATH`:" for lines in
/// one. "Copy `PATH` to `PATH`" stands in a paragraph.
fn steps(section: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut paragraph = String::new();
    let mut lines = section.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let text = block.join("\n") + "\n";
            let quoted = quoted(&paragraph);
            assert!(paragraph.trim_end().ends_with("`:"), "what is the block after {paragraph:?}?");
            let path = quoted[quoted.len() - 1].clone();
            steps.push(match paragraph.rfind("Below `") {
                Some(at) => Step::Below { line: self::quoted(&paragraph[at..])[0].clone(), path, text },
                None => Step::Write { path, text },
            });
            paragraph.clear();
        } else if line.is_empty() {
            copy(&paragraph, &mut steps);
            // The paragraph before a block ends with an empty line.
            if !paragraph.trim_end().ends_with("`:") {
                paragraph.clear();
            }
        } else {
            paragraph += line;
            paragraph.push(' ');
        }
    }
    steps
}

fn copy(paragraph: &str, steps: &mut Vec<Step>) {
    if let Some(at) = paragraph.find("Copy `") {
        let [from, to] = &quoted(&paragraph[at..])[..2] else { unreachable!("two elements") };
        steps.push(Step::Copy { from: from.clone(), to: to.clone() });
    }
}

/// What stands in backquotes.
fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_recipe_has_steps_that_fit_the_tree() {
    let recipes = recipes();
    let names: Vec<&str> = recipes.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "drop policy",
            "congestion control",
            "recovery",
            "application",
            "queue discipline",
            "rate algorithm",
            "topology"
        ]
    );
    for (name, steps) in recipes {
        let (mut sources, mut scenarios, mut pages) = (0, 0, 0);
        for step in &steps {
            match step {
                Step::Write { path, text } => {
                    assert!(!root().join(path).exists(), "{name}: {path} is there");
                    sources += usize::from(path.ends_with(".rs"));
                    if path.ends_with(".toml") {
                        scenarios += 1;
                        toml::from_str::<toml::Table>(text).unwrap_or_else(|error| panic!("{name}: {path}: {error}"));
                    }
                }
                Step::Below { line, path, .. } => {
                    let text = std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
                    let found = text.lines().filter(|known| known.trim() == line).count();
                    assert_eq!(found, 1, "{name}: how often `{line}` is a line of {path}");
                }
                Step::Copy { from, to } => {
                    assert!(root().join(from).exists() && !root().join(to).exists(), "{name}: {from} to {to}");
                    pages += 1;
                }
            }
        }
        assert_eq!(
            (sources, scenarios, pages),
            (1, 1, usize::from(name != "topology")),
            "{name}: one source file, one scenario, one page, but topologies share one: {steps:#?}"
        );
        assert!(steps.iter().filter(|step| matches!(step, Step::Below { .. })).count() <= 2, "{name}: {steps:#?}");
    }
}

/// Types, and all that a mechanism must have: the simulator with its tests, and the language of scenarios.
#[test]
fn what_the_recipes_make_of_the_tree_is_right_rust() {
    let (tree, _) = follow("checked");
    cargo(&tree, &["check", "--offline", "-p", "ackclock", "-p", "ackclock-scenario", "--lib", "--profile", "test"]);
}

/// Everything but the changelog. The build has a folder of its own below `target`.
#[test]
#[ignore = "builds the tree once more: part of `make verify`"]
fn what_the_recipes_make_of_the_tree_passes_the_tests_of_the_families() {
    let (tree, words) = follow("built");
    let cargo = |arguments: &[&str]| cargo(&tree, arguments);
    let programs = ["tcp", "networks", "both_engines", "house"].iter().flat_map(|test| ["--test", test]);
    let tests = ["tcp_families", "tcp_properties", "random_networks", "applications", "engines::", "tables", "circles"];
    let of_simulator = ["test", "-p", "ackclock"].into_iter().chain(programs).chain(["--"]).chain(tests);
    cargo(&of_simulator.collect::<Vec<_>>());
    cargo(&["test", "-p", "ackclock", "--lib"]);
    let of_language = ["schema", "registry", "randomness", "topologies"];
    cargo(&[&["test", "-p", "ackclock-scenario", "--test", "language", "--"], &of_language[..]].concat());
    for word in words {
        cargo(&["run", "-p", "ackclock-cli", "--", "check", &format!("scenarios/{word}.toml")]);
        cargo(&["run", "-p", "ackclock-cli", "--", "explain", &word]);
    }
    only_additions(&tree, "crates/ackclock/tests/networks/snapshots");
}

/// A copy of the tree, of this name, in which all recipes were followed, and the words that scenario files have then.
fn follow(name: &str) -> (PathBuf, Vec<String>) {
    let tree = root().join("target/recipes").join(name);
    if tree.exists() {
        std::fs::remove_dir_all(&tree).unwrap();
    }
    copy_tree(&tree);
    let mut words = Vec::new();
    for (_, steps) in recipes() {
        for step in steps {
            apply(&tree, step, &mut words);
        }
    }
    (tree, words)
}

/// Runs cargo in a copy of the tree. Its folder is its own: cargo takes crates of the same name, in workspaces of the same form, for the same.
/// New rows and words are taken over, as `make accept` does; whatever else changes would be a mistake.
fn cargo(tree: &Path, arguments: &[&str]) {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(tree).args(arguments).env("CARGO_TARGET_DIR", root().join("target/recipes/build"));
    let status = command.env("INSTA_UPDATE", "always").status().unwrap();
    assert!(status.success(), "cargo {}", arguments.join(" "));
}

fn apply(tree: &Path, step: Step, words: &mut Vec<String>) {
    match step {
        Step::Write { path, text } => {
            if let Some(word) = path.strip_prefix("scenarios/").and_then(|path| path.strip_suffix(".toml")) {
                words.push(word.to_owned());
            }
            std::fs::write(tree.join(path), text).unwrap();
        }
        Step::Below { line, path, text } => {
            let path = tree.join(path);
            let old = std::fs::read_to_string(&path).unwrap();
            let new = old.lines().map(|known| match known.trim() == line {
                true => format!("{known}\n{text}"),
                false => format!("{known}\n"),
            });
            std::fs::write(&path, new.collect::<String>()).unwrap();
        }
        // Filled in as little as possible: the page names its mechanism.
        Step::Copy { from, to } => {
            let name = Path::new(&to)
                .file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .replace("congestion-control-", "")
                .replace("application-", "");
            let page = std::fs::read_to_string(tree.join(from)).unwrap() + &format!("\nThis page is about `{name}`.\n");
            std::fs::write(tree.join(to), page).unwrap();
        }
    }
}

/// The files that are built and tested, not those that are made.
fn copy_tree(to: &Path) {
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        std::fs::create_dir_all(to.join(&folder)).unwrap();
        for entry in std::fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name();
            let relative = folder.join(&name);
            let is_made =
                folder.as_os_str().is_empty() && ["target", ".git", "results"].iter().any(|made| name == *made);
            if is_made {
                continue;
            }
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => folders.push(relative),
                kind if kind.is_file() => drop(std::fs::copy(entry.path(), to.join(relative)).unwrap()),
                _ => {}
            }
        }
    }
}

/// Golden tables have new rows, and every old row still.
fn only_additions(tree: &Path, folder: &str) {
    for entry in std::fs::read_dir(root().join(folder)).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        let new = std::fs::read_to_string(tree.join(folder).join(name)).unwrap();
        let old = std::fs::read_to_string(&path).unwrap();
        let gone: Vec<&str> = old.lines().filter(|line| !new.lines().any(|known| known == *line)).collect();
        assert_eq!(gone, Vec::<&str>::new(), "rows of {} that changed", name.display());
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
