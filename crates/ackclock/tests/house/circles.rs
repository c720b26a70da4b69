//! No circles between the files of a crate: what a file is made of stands in files below it.
//!
//! The rule, as docs/architecture.md states it. File A uses file B if A names something that B defines, in an import or in a
//! path. A re-export (`pub use`) is not a use: whoever imports the name uses the file that defines it. So a family's `mod.rs` may define
//! the trait of the family and re-export its members. Tests may use everything.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::layers::rust_files;

/// Uses that close a circle and still stand: the crate, the file, and what it uses. The list only shrinks; what is new is resolved
/// at once: the part that both files need moves to a third one.
const ALLOWED: &[(&str, &str, &str)] = &[];

#[test]
fn files_of_a_crate_use_each_other_in_one_direction() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut wrong, mut needed) = (Vec::new(), BTreeSet::new());
    for entry in std::fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let mut uses = uses(&read(&folder.join("src")));
        for (number, (_, file, used)) in ALLOWED.iter().enumerate().filter(|(_, (of, ..))| *of == name) {
            let closes = uses.contains_key(*used) && reached(&uses, used).contains(file);
            if uses.get_mut(*file).is_some_and(|uses| uses.remove(*used)) && closes {
                needed.insert(number);
            }
        }
        wrong.extend(circles(&uses).into_iter().map(|circle| format!("{name}: {}", circle.join(" <-> "))));
    }
    assert!(wrong.is_empty(), "circles between files: {wrong:#?}");
    let gone = (0..ALLOWED.len()).filter(|number| !needed.contains(number)).map(|number| ALLOWED[number]);
    assert_eq!(gone.collect::<Vec<_>>(), [], "they close no circle any more: take them out of the list");
}

/// Crates whose folders, too, use each other in one direction; a file that is in no folder counts as one.
const IN_LAYERS: &[&str] = &["ackclock-scenario"];

#[test]
fn folders_of_a_crate_in_layers_use_each_other_in_one_direction() {
    for name in IN_LAYERS {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
        let folder = |file: &str| file.split('/').next().unwrap().to_owned();
        let mut between: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (file, used) in uses(&read(&source)) {
            let others = used.iter().map(|other| folder(other)).filter(|other| *other != folder(&file));
            between.entry(folder(&file)).or_default().extend(others);
        }
        assert!(between["check"].contains("keys") && between["check"].contains("value"), "{between:?}");
        let circles: Vec<String> = circles(&between).iter().map(|circle| circle.join(" <-> ")).collect();
        assert!(circles.is_empty(), "circles between folders of {name}: {circles:#?}");
    }
}

#[test]
fn a_circle_is_found_through_a_re_export_and_a_module() {
    let sources = |b: &str| {
        let files = [
            (
                "lib",
                "#[cfg(test)]\nmod d;\nmod a;\nmod b;\nmod c;\n/// crate::c\npub use b::{B, Other};\nuse crate::c;\nfn f() { c::g() }",
            ),
            ("a", "use crate::{\n    B,\n};\npub struct A;"),
            ("b", b),
            ("c", "pub struct C;\n#[cfg(test)]\nmod tests { use crate::f; }"),
        ];
        files.map(|(file, text)| (file.to_owned(), text.to_owned())).into_iter().collect()
    };
    let found = |b: &str| circles(&uses(&sources(b)));
    assert_eq!(found("use super::a::A;\npub struct B(A);"), [["a", "b"]]);
    assert_eq!(found("use crate::c::C;\npub struct B(C);"), Vec::<Vec<String>>::new());
    assert_eq!(found("use super::c;\npub struct B(c::C, super::a::A);"), [["a", "b"]], "a path in the code");
    assert_eq!(uses(&sources(""))["lib"], BTreeSet::from(["c".to_owned()]), "a comment is no use, and the path is one");
}

/// The code of each file below `folder`, by its module path: `lib`, `net/link`.
fn read(folder: &Path) -> BTreeMap<String, String> {
    let code = rust_files(folder).into_iter().filter(|path| !path.ends_with("tests.rs"));
    let module = |path: PathBuf| {
        let module = path.strip_prefix(folder).unwrap().with_extension("");
        let module = module.to_str().unwrap().trim_end_matches("/mod").replace("main", "lib");
        (module, std::fs::read_to_string(&path).unwrap())
    };
    code.map(module).collect()
}

/// A use of something: where it is, from the root of the crate, and by which name it is known.
struct Import {
    path: Vec<String>,
    name: String,
    is_public: bool,
}

/// Which files each file uses.
fn uses(files: &BTreeMap<String, String>) -> BTreeMap<String, BTreeSet<String>> {
    let code: BTreeMap<&str, String> = files.iter().map(|(file, text)| (file.as_str(), code_of(text))).collect();
    let imports: BTreeMap<&str, Vec<Import>> =
        code.iter().map(|(file, code)| (*file, imports(files, file, code))).collect();
    let mut used = BTreeMap::new();
    for (file, code) in &code {
        let own = imports[file].iter().filter(|import| !import.is_public).map(|import| import.path.clone());
        let mut paths: Vec<Vec<String>> = own.collect();
        paths.extend(paths_in(files, file, code, &imports[file]));
        let all = paths.iter().filter_map(|path| defined_in(files, &imports, path.clone()));
        used.insert((*file).to_owned(), all.filter(|other| other != file).collect());
    }
    used
}

/// Without comments and tests. A declaration as `mod tests;` ends nothing; what stands in braces is the end of the file.
fn code_of(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut is_of_tests = false;
    for line in text.lines().map(|line| line.split("//").next().unwrap()) {
        if std::mem::replace(&mut is_of_tests, line.trim() == "#[cfg(test)]") {
            if line.trim_end().ends_with('{') {
                break;
            }
        } else if !is_of_tests {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// The statements `use` of a file, one path each.
fn imports(files: &BTreeMap<String, String>, file: &str, code: &str) -> Vec<Import> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let before = code[..at].rsplit(['\n', ';', '{', '}']).next().unwrap().trim();
        if !(before.is_empty() || before.starts_with("pub")) {
            continue;
        }
        let tree = code[at + 4..].split(';').next().unwrap();
        for path in expanded(tree) {
            let (path, alias) =
                path.split_once(" as ").map_or((path.as_str(), None), |(path, alias)| (path, Some(alias)));
            if let Some(path) = absolute(files, file, path) {
                let name = alias.map_or_else(|| path.last().cloned().unwrap_or_default(), str::to_owned);
                found.push(Import { path, name, is_public: before.starts_with("pub") });
            }
        }
    }
    found
}

/// `a::{b, c::{d}}` as `a::b` and `a::c::d`.
fn expanded(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else { return vec![tree.to_owned()] };
    let (prefix, inner) = (&tree[..open], &tree[open + 1..tree.rfind('}').unwrap()]);
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => parts.push(&inner[std::mem::replace(&mut begin, at + 1)..at]),
            _ => {}
        }
    }
    parts.push(&inner[begin..]);
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts
        .flat_map(expanded)
        .map(|part| if part == "self" { prefix.trim_end_matches("::").to_owned() } else { format!("{prefix}{part}") })
        .collect()
}

/// A path from the root of the crate, if it is one of the crate's own.
fn absolute(files: &BTreeMap<String, String>, file: &str, path: &str) -> Option<Vec<String>> {
    let mut here: Vec<String> = if file == "lib" { Vec::new() } else { file.split('/').map(str::to_owned).collect() };
    let mut segments = path.split("::").map(str::trim).peekable();
    match *segments.peek()? {
        "crate" => {
            here.clear();
            segments.next();
        }
        "self" => drop(segments.next()),
        "super" => {
            while segments.next_if_eq(&"super").is_some() {
                here.pop();
            }
        }
        child => {
            let module = here.iter().map(String::as_str).chain([child]).collect::<Vec<_>>().join("/");
            files.get(&module)?;
        }
    }
    Some(here.into_iter().chain(segments.map(str::to_owned)).collect())
}

/// Paths in the code that begin at a module of the crate.
fn paths_in(files: &BTreeMap<String, String>, file: &str, code: &str, imports: &[Import]) -> Vec<Vec<String>> {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in code.match_indices("::") {
        let first = &code[code[..at].rfind(|c| !is_of_name(c)).map_or(0, |before| before + 1)..at];
        let before = &code[..at - first.len()];
        if first.is_empty() || before.ends_with("::") || before.ends_with('$') {
            continue;
        }
        let path: String = code[at..].chars().take_while(|c| is_of_name(*c) || *c == ':').collect();
        let path = path.trim_end_matches(':');
        let imported = imports.iter().find(|import| import.name == first && is_module(files, &import.path));
        match imported {
            Some(import) => {
                let rest = path.split("::").filter(|segment| !segment.is_empty()).map(str::to_owned);
                found.push(import.path.iter().cloned().chain(rest).collect());
            }
            None if !before.trim_end().ends_with("use") => {
                found.extend(absolute(files, file, &format!("{first}{path}")))
            }
            None => {}
        }
    }
    found
}

fn is_module(files: &BTreeMap<String, String>, path: &[String]) -> bool {
    files.contains_key(&path.join("/"))
}

/// The file that defines what stands at the end of a path; none for a module by itself.
fn defined_in(
    files: &BTreeMap<String, String>,
    imports: &BTreeMap<&str, Vec<Import>>,
    mut path: Vec<String>,
) -> Option<String> {
    for _ in 0..8 {
        let depth = (0..=path.len()).rev().find(|depth| *depth == 0 || is_module(files, &path[..*depth]))?;
        let module = if depth == 0 { "lib".to_owned() } else { path[..depth].join("/") };
        let name = path.get(depth)?;
        let forwarded = imports.get(module.as_str())?.iter().find(|import| import.name == *name);
        match forwarded {
            Some(import) => path = import.path.clone(),
            None => return Some(module),
        }
    }
    None
}

/// The sets of files that reach each other, in order.
fn circles(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        uses.keys().map(|file| (file.as_str(), reached(uses, file))).collect();
    let mut found: Vec<Vec<String>> = Vec::new();
    for (file, others) in &reached {
        if others.contains(file) && !found.iter().flatten().any(|known| known == file) {
            found.push(
                others.iter().filter(|other| reached[*other].contains(file)).map(|other| (*other).to_owned()).collect(),
            );
        }
    }
    found
}

/// The files that one uses, those that these use, and so on.
fn reached<'a>(uses: &'a BTreeMap<String, BTreeSet<String>>, from: &'a str) -> BTreeSet<&'a str> {
    let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(file) = next.pop() {
        next.extend(uses.get(file).into_iter().flatten().map(String::as_str).filter(|file| reached.insert(*file)));
    }
    reached
}
