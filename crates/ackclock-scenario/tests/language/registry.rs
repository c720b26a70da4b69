//! Whatever a scenario file may name has a page, a scenario that uses it, and tests that go through all of its family. CONTRIBUTING.md
//! says how each comes about. The names are those of the JSON Schema, so none can be forgotten here.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ackclock::atm::rate;
use ackclock::link::errors;
use ackclock::queue::{cell, packet};
use ackclock::tcp::{application, cc, recovery};
use ackclock_scenario::{Disk, NOT_MODELLED_PAGE, json_schema, load, not_modelled_topics};

/// The keys whose words are mechanisms.
const FAMILIES: [Family; 6] = [
    Family { table: &["queue"], key: "policy" },
    Family { table: &["queue"], key: "rate_algorithm" },
    Family { table: &["tcp"], key: "recovery" },
    Family { table: &["tcp"], key: "congestion_control" },
    Family { table: &["traffic"], key: "application" },
    Family { table: &["queue", "epd"], key: "forgiveness" },
];

struct Family {
    table: &'static [&'static str],
    key: &'static str,
}

impl Family {
    /// The words that the schema offers. `none` is no mechanism.
    fn words(&self) -> Vec<String> {
        let schema = json_schema();
        let table = self.table.iter().fold(&schema, |schema, name| &schema["properties"][name]);
        let words = &table["properties"][self.key]["enum"];
        let words = words.as_array().unwrap_or_else(|| panic!("the schema has no words for {}", self.key));
        // An alias is the mechanism that it stands for.
        let is_own = |word: &&str| *word != "none" && ackclock_scenario::alias(word).is_none();
        words.iter().filter_map(|word| word.as_str()).filter(is_own).map(str::to_owned).collect()
    }

    /// The page of a word: its own, but the readings of the forgiveness bit share one.
    fn page(&self, word: &str) -> String {
        match self.key {
            "congestion_control" => format!("congestion-control-{word}.md"),
            "application" => format!("application-{word}.md"),
            "forgiveness" => "forgiveness.md".to_owned(),
            _ => format!("{word}.md"),
        }
    }
}

#[test]
fn every_mechanism_has_a_page_and_a_scenario() {
    let used = used();
    let mut missing = Vec::new();
    for family in FAMILIES {
        let words = family.words();
        assert!(!words.is_empty(), "{} offers nothing", family.key);
        for word in words {
            let setting = format!("{} = {word:?}", family.key);
            let page = family.page(&word);
            match std::fs::read_to_string(root().join("docs/models").join(&page)) {
                Ok(text) if text.contains(&format!("`{word}`")) || text.contains(&setting) => {}
                Ok(_) => missing.push(format!("docs/models/{page} does not say `{setting}`")),
                Err(_) => missing.push(format!("{setting} has no page docs/models/{page}")),
            }
            if !used.contains(&(family.key.to_owned(), word.clone())) {
                missing.push(format!("{setting} is used by no scenario below scenarios/ or studies/"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The error models of links share a page. They stand in the tables of lists, which no line of a resolved file shows.
#[test]
fn every_error_model_is_on_the_page_of_links_and_in_a_scenario() {
    let page = std::fs::read_to_string(root().join("docs/models/paths.md")).unwrap();
    let folders = ["scenarios", "studies"].into_iter().flat_map(|folder| files(&root().join(folder), "toml"));
    let scenarios: String = folders.map(|file| std::fs::read_to_string(file).unwrap()).collect();
    for model in errors::ALL {
        assert!(page.contains(&format!("`{}`", model.name)), "docs/models/paths.md does not say `{}`", model.name);
        assert!(scenarios.contains(&format!("model = {:?}", model.name)), "no scenario has a model {}", model.name);
        let keys = model.keys.iter().filter(|key| !page.contains(&format!("`{}`", key.name)));
        let missing: Vec<&str> = keys.map(|key| key.name).collect();
        assert!(missing.is_empty(), "docs/models/paths.md does not say {missing:?} of {}", model.name);
    }
}

/// Laws share a page, too.
#[test]
fn every_law_is_on_the_page_of_laws() {
    let page = std::fs::read_to_string(root().join("docs/models/laws.md")).unwrap();
    for law in ackclock::law::ALL {
        let names = [law.name].into_iter().chain(law.keys.iter().map(|key| key.name));
        let missing: Vec<&str> = names.filter(|name| !page.contains(&format!("`{name}`"))).collect();
        assert!(missing.is_empty(), "docs/models/laws.md does not say {missing:?} of {}", law.name);
    }
}

/// Tests that go through all of a family, and the list that they go through: no mechanism can be missed where this stands.
const SWEEPS: [(&str, &str); 19] = [
    ("ackclock/tests/lab/queues.rs", "cell::POLICIES"),
    ("ackclock/tests/lab/queues.rs", "packet::POLICIES"),
    ("ackclock/tests/networks/random_networks.rs", "cell::POLICIES"),
    ("ackclock/tests/networks/tables.rs", "cell::POLICIES"),
    ("ackclock/tests/networks/tables.rs", "recovery::ALL"),
    ("ackclock/tests/networks/random_networks.rs", "recovery::ALL"),
    ("ackclock/tests/tcp/tcp_families.rs", "recovery::ALL"),
    ("ackclock/tests/lab/tcp.rs", "recovery::ALL"),
    ("ackclock/tests/tcp/tcp_properties.rs", "recovery::ALL"),
    ("ackclock/tests/tcp/tcp_families.rs", "cc::ALL"),
    ("ackclock/tests/tcp/tcp_properties.rs", "cc::ALL"),
    ("ackclock/tests/lab/tcp.rs", "cc::ALL"),
    ("ackclock/tests/lab/random.rs", "application::ALL"),
    ("ackclock/tests/networks/applications.rs", "application::ALL"),
    ("ackclock/tests/both_engines/engines_random.rs", "application::ALL"),
    ("ackclock/tests/lab/paths.rs", "errors::ALL"),
    ("ackclock/tests/lab/paths.rs", "law::ALL"),
    ("ackclock/tests/networks/paths.rs", "errors::ALL"),
    ("ackclock-scenario/tests/language/randomness.rs", "errors::ALL"),
];

#[test]
fn every_sweep_goes_through_the_list_of_its_family() {
    for (file, list) in SWEEPS {
        let text = std::fs::read_to_string(root().join("crates").join(file)).unwrap();
        assert!(text.contains(list), "{file} does not go through {list}: mechanisms could be missed");
    }
}

/// The pages are those of the schema's mechanisms and of the mechanisms that need no name: none is missing, and none is
/// left of something that is gone.
#[test]
fn every_page_is_about_something_that_exists() {
    let mut expected: BTreeSet<String> = UNNAMED.split(' ').map(|page| format!("{page}.md")).collect();
    for family in FAMILIES {
        expected.extend(family.words().iter().map(|word| family.page(word)));
    }
    let pages = files(&root().join("docs/models"), "md").into_iter();
    let pages: BTreeSet<String> = pages.map(|page| page.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(pages, expected);
}

/// Mechanisms that every scenario has, so that none names them.
const UNNAMED: &str = "aal5 abr cell-port connection delayed-ack dialects ecn hosts laws linux medium offset-sack packet-port paths reading reroute-detect \
    retransmission-timer routes satellites served-hosts slow-start spurious tcp-rate-control udp";

/// Lines of the documentation that follow from the lists of mechanisms, each known by its beginning. With
/// `INSTA_UPDATE=always` this test writes them, as `make accept` does.
#[test]
fn lists_of_mechanisms_in_the_documentation_are_complete() {
    let names = |names: Vec<&str>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let of_cells = names(cell::POLICIES.iter().map(|policy| policy.name).collect());
    let of_packets = names(packet::POLICIES.iter().map(|policy| policy.name).collect());
    let rate_algorithms = names(rate::ALGORITHMS.iter().map(|algorithm| algorithm.name).collect());
    let error_models = names(errors::ALL.iter().map(|model| model.name).collect());
    let congestion_controls = names(cc::ALL.iter().map(|algorithm| algorithm.name).collect());
    let recoveries = names(recovery::ALL.iter().map(|algorithm| algorithm.name).collect());
    let applications = names(application::ALL.iter().map(|application| application.name).collect());
    let mut lines = vec![
        ("docs/models.md", "| applications of TCP | ".to_owned(), applications + " |"),
        ("docs/models.md", "| drop policies of cells | ".to_owned(), of_cells + " |"),
        ("docs/models.md", "| drop policies of packets | ".to_owned(), of_packets + " |"),
        (
            "docs/models.md",
            "| rate algorithms of ABR switches and of packet routers | ".to_owned(),
            rate_algorithms + " |",
        ),
        ("docs/models.md", "| error models of links | ".to_owned(), error_models + " |"),
        ("docs/models.md", "| congestion controls | ".to_owned(), congestion_controls + " |"),
        ("docs/models.md", "| recoveries | ".to_owned(), recoveries + " |"),
    ];
    let topics = not_modelled_topics();
    lines.extend(topics.map(|(topic, names)| (NOT_MODELLED_PAGE, format!("- **{topic}**: "), names.join(", "))));
    let update = std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always");
    let mut wrong = Vec::new();
    for (file, begins, rest) in lines {
        let path = root().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        let found = text.lines().find(|line| line.starts_with(&begins));
        let found = found.unwrap_or_else(|| panic!("{file} has no line that begins with {begins:?}"));
        let line = begins + &rest;
        if found == line {
            continue;
        }
        if update {
            std::fs::write(&path, text.replace(&format!("{found}\n"), &format!("{line}\n"))).unwrap();
        } else {
            wrong.push(format!("{file}: {line}"));
        }
    }
    assert!(wrong.is_empty(), "`make accept` writes these lines: {wrong:#?}");
}

/// A word that is new, or a kind of table or value, has to be thought of wherever words are told apart: no arm takes the rest.
#[test]
fn no_arm_takes_words_that_nobody_thought_of() {
    let mut wrong = Vec::new();
    for file in files(&root().join("crates/ackclock-scenario/src"), "rs") {
        let text = std::fs::read_to_string(&file).unwrap();
        let lines: Vec<&str> = text.split("#[cfg(test)]").next().unwrap().lines().collect();
        wrong.extend(swallowing_arms(&lines).into_iter().map(|line| format!("{}:{line}", file.display())));
    }
    assert!(wrong.is_empty(), "write an arm for each word, or a table in keys/words.rs: {wrong:#?}");
    let arms = |last: &str| format!("match word {{\n    \"a\" => {{\n        1\n    }}\n    {last} => 2,\n}}\n_ => 3");
    let found = |text: &str| swallowing_arms(&text.lines().collect::<Vec<_>>());
    assert_eq!((found(&arms("_")), found(&arms("\"b\""))), (vec![5], vec![]));
}

/// The lines, counted from 1, of arms that take the rest of some words or kinds: of a match that has an arm for one of them.
fn swallowing_arms(lines: &[&str]) -> Vec<usize> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let is_about_words = |line: &str| {
        let Some((pattern, _)) = line.split_once(" => ") else { return false };
        let pattern = pattern.split(" if ").next().unwrap().replace("'\"'", "");
        let mut names = pattern.split(|c: char| !c.is_alphanumeric());
        pattern.contains('"') || names.any(|name| ["Section", "Kind", "Family"].contains(&name))
    };
    let swallows = |index: &usize| {
        let own = indent(lines[*index]);
        let before = lines[..*index].iter().rev().take_while(|line| indent(line) >= own || line.is_empty());
        let mut siblings = before.filter(|line| indent(line) == own);
        lines[*index].trim_start().starts_with("_ =>") && siblings.any(|line| is_about_words(line))
    };
    (0..lines.len()).filter(swallows).map(|index| index + 1).collect()
}

/// Every RFC that code, pages, scenarios or studies cite has an entry in the references: a row of the table, or a paragraph
/// of its own. A paragraph may also stand on the page of the mechanism that the RFC defines.
#[test]
fn every_rfc_that_is_cited_has_an_entry() {
    let pages = files(&root().join("docs/models"), "md").into_iter().chain([root().join("docs/references.md")]);
    let entries: String = pages.map(|page| std::fs::read_to_string(page).unwrap()).collect();
    let has_entry = |number: &str| {
        entries
            .lines()
            .any(|line| line.starts_with(&format!("| {number} |")) || line.starts_with(&format!("**RFC {number}**")))
    };
    let mut missing = BTreeSet::new();
    let mut cited = BTreeSet::new();
    let folders = [("crates", "rs"), ("docs", "md"), ("scenarios", "toml"), ("studies", "toml"), ("studies", "md")];
    let all = folders.into_iter().flat_map(|(folder, ending)| files(&root().join(folder), ending));
    let own = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name));
    let all = all.chain(own).filter(|file| !file.ends_with("docs/references.md"));
    for file in all {
        let text = std::fs::read_to_string(&file).unwrap();
        for after in text.split("RFC ").skip(1) {
            let number: String = after.chars().take_while(char::is_ascii_digit).collect();
            // One digit is a placeholder.
            if number.len() >= 3 && cited.insert(number.clone()) && !has_entry(&number) {
                missing.insert(format!("RFC {number}, cited in {}", file.display()));
            }
        }
    }
    assert!(cited.len() > 20, "{cited:?}");
    assert!(missing.is_empty(), "docs/references.md lacks {missing:#?}");
}

/// Every section of an RFC that code, pages, scenarios or studies cite is one that the references list for it.
#[test]
fn every_section_of_an_rfc_that_is_cited_is_listed() {
    let references = std::fs::read_to_string(root().join("docs/references.md")).unwrap();
    let listed = |number: &str| {
        let row = |line: &&str| line.starts_with(&format!("| {number} | §"));
        references.lines().find(row).map_or_else(BTreeSet::new, |row| {
            let of_row = row.rsplit(" | ").next().unwrap().trim_end_matches('|').split("; ");
            of_row.filter_map(|entry| section(entry).map(|(section, _)| section)).collect()
        })
    };
    let folders = [("crates", "rs"), ("docs", "md"), ("scenarios", "toml"), ("studies", "toml"), ("studies", "md")];
    let all = folders.into_iter().flat_map(|(folder, ending)| files(&root().join(folder), ending));
    let own = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name));
    let (mut cited, mut missing) = (BTreeSet::new(), BTreeSet::new());
    for file in all.chain(own).filter(|file| !file.ends_with("docs/references.md")) {
        let text = std::fs::read_to_string(&file).unwrap();
        for after in text.split("RFC ").skip(1) {
            let number: String = after.chars().take_while(char::is_ascii_digit).collect();
            let mut rest = after[number.len()..].trim_start_matches([',', ' ']);
            while let Some((section, after)) = section(rest) {
                if !listed(&number).contains(section.as_str()) {
                    missing.insert(format!("RFC {number} {section}, cited in {}", file.display()));
                }
                cited.insert((number.clone(), section));
                rest = after;
            }
        }
    }
    assert!(cited.len() > 60, "{cited:?}");
    assert!(missing.is_empty(), "docs/references.md lacks {missing:#?}");
}

/// The section with which this begins, `§4.2` or `appendix G`, and what follows it and a sign between two of them.
fn section(text: &str) -> Option<(String, &str)> {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let (name, rest) = match (text.strip_prefix('§'), text.strip_prefix("appendix ")) {
        (Some(number), _) => {
            let end = number.find(|c| !is_number(c)).unwrap_or(number.len());
            let section = number[..end].trim_end_matches('.');
            (format!("§{section}"), &number[section.len()..])
        }
        (_, Some(letter)) => (format!("appendix {}", letter.get(..1)?), &letter[1..]),
        _ => return None,
    };
    let between = [", ", " and ", " to "].iter().find_map(|sign| rest.strip_prefix(sign));
    Some((name, between.filter(|next| next.starts_with('§') || next.starts_with("appendix ")).unwrap_or("")))
}

/// A source file that a page names is there.
#[test]
fn every_source_file_that_the_documentation_names_exists() {
    let sources = ["crates", "fuzz/fuzz_targets"].into_iter().flat_map(|folder| files(&root().join(folder), "rs"));
    let sources: Vec<String> = sources.map(|file| file.display().to_string()).collect();
    let (mut named, mut missing) = (0, BTreeSet::new());
    for page in files(&root().join("docs"), "md") {
        let text = std::fs::read_to_string(&page).unwrap();
        for name in text.split('`').skip(1).step_by(2).filter(|name| name.ends_with(".rs") && !name.contains(' ')) {
            named += 1;
            let within = page.file_stem().is_some_and(|stem| stem == "engine").then(|| format!("/net/batched/{name}"));
            let is_there = |ending: &str| sources.iter().any(|source| source.ends_with(ending));
            if !is_there(&format!("/{name}")) && !within.is_some_and(|within| is_there(&within)) {
                missing.insert(format!("{name}, named in {}", page.display()));
            }
        }
    }
    assert!(named > 100, "{named}");
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Key and word of every setting that holds in some scenario of the repository: its file, with all defaults filled
/// in, or a value on an axis or in an assumption of a study, `section.key=word`.
fn used() -> BTreeSet<(String, String)> {
    let mut used = BTreeSet::new();
    let studies = files(&root().join("studies"), "toml");
    let (scenarios, data): (Vec<PathBuf>, Vec<PathBuf>) =
        studies.into_iter().partition(|file| file.parent().is_some_and(|folder| folder.ends_with("scenarios")));
    for file in scenarios.into_iter().chain(files(&root().join("scenarios"), "toml")) {
        let loaded = load(&Disk, file.to_str().unwrap(), &[]).unwrap_or_else(|e| panic!("{}: {e:#?}", file.display()));
        let lines = loaded.resolved.lines().filter_map(|line| line.split_once(" = "));
        used.extend(lines.map(|(key, value)| (key.to_owned(), value.trim_matches('"').to_owned())));
    }
    for file in data {
        let tree: toml::Value = toml::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        settings(&tree, &mut used);
    }
    used
}

/// The settings among the texts of a tree. Comments are not in it: a setting that is only recommended is not used.
fn settings(tree: &toml::Value, found: &mut BTreeSet<(String, String)>) {
    match tree {
        toml::Value::String(text) => {
            if let Some((path, word)) = text.split_once('=') {
                let key = path.rsplit('.').next().unwrap_or(path);
                found.insert((key.to_owned(), word.to_owned()));
            }
        }
        toml::Value::Array(items) => items.iter().for_each(|item| settings(item, found)),
        toml::Value::Table(table) => table.values().for_each(|item| settings(item, found)),
        _ => {}
    }
}

/// All files below a folder with this ending, in order.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
