//! What we ship carries permissive licences only.

use std::process::Command;

use serde_json::Value;

const PERMISSIVE: [&str; 9] =
    ["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "CC0-1.0", "Unicode-3.0", "Unlicense"];

/// Whether a licence expression can be met with permissive licences. `/` is the old way to write `OR`.
fn permissive(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ").replace(" WITH LLVM-exception", "");
    // Groups in parentheses first: each becomes a licence that is permissive or not.
    if let Some((before, rest)) = expression.split_once('(') {
        let (group, after) = rest.split_once(')').expect("a closing parenthesis");
        let verdict = if permissive(group) { "MIT" } else { "no" };
        return permissive(&format!("{before}{verdict}{after}"));
    }
    expression.split(" OR ").any(|choice| choice.split(" AND ").all(|licence| PERMISSIVE.contains(&licence.trim())))
}

#[test]
fn every_dependency_is_permissive() {
    let cargo = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    let metadata: Value = serde_json::from_slice(&cargo.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 20);
    let wrong: Vec<String> = packages
        .iter()
        .filter(|package| !package["license"].as_str().is_some_and(permissive))
        .map(|package| format!("{}: {}", package["name"], package["license"]))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_copyleft_licence_would_be_noticed() {
    assert!(permissive("MIT/Apache-2.0") && permissive("(MIT OR Apache-2.0) AND Unicode-3.0"));
    assert!(!permissive("(MIT OR GPL-2.0-only) AND GPL-2.0-only"));
    assert!(!permissive("GPL-2.0-only") && !permissive("MIT AND LGPL-3.0-only"));
    assert!(permissive("LGPL-2.1-only OR BSD-2-Clause"), "a choice is ours");
}
