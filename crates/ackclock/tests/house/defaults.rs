//! The default of each key stands in one place: in the key's descriptor. What has keys takes its defaults from them.

use std::path::Path;

use crate::layers::rust_files;

/// What is between the braces of each `impl Default` of parameters, by the name of the type.
fn defaults_of_parameters(text: &str) -> Vec<(String, String)> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    let found = code.split("Default for ").skip(1).filter_map(|rest| {
        let (name, body) = rest.split_once(" {")?;
        name.ends_with("Params").then(|| (name.to_owned(), body.split("\n}\n").next().unwrap().to_owned()))
    });
    found.collect()
}

/// Whether a default comes from keys, and holds nothing else.
fn is_of_keys(body: &str) -> bool {
    let reads = body.contains("::default_params()") || body.contains("Values::defaults(");
    let mut tokens = body.split(|c: char| !c.is_alphanumeric());
    reads && !tokens.any(|token| token.starts_with(|c: char| c.is_ascii_digit()) || ["true", "false"].contains(&token))
}

#[test]
fn parameters_take_their_defaults_from_their_keys() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut checked, mut wrong) = (0, Vec::new());
    for file in rust_files(&source) {
        for (name, body) in defaults_of_parameters(&std::fs::read_to_string(&file).unwrap()) {
            checked += 1;
            if !is_of_keys(&body) {
                wrong.push(format!("{}: {name}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty() && checked > 10, "{checked} defaults; beside their keys: {wrong:#?}");
}

#[test]
fn a_default_beside_its_key_is_found() {
    let with =
        |body: &str| format!("impl Default for FooParams {{\n    fn default() -> FooParams {{\n{body}\n    }}\n}}\n");
    let found = |body: &str| defaults_of_parameters(&with(body)).iter().all(|(_, body)| is_of_keys(body));
    assert!(found("        Foo::default_params()"));
    assert!(!found("        FooParams { mss: 512, ..Foo::default_params() }"));
    assert!(!found("        FooParams { mss: MSS }"));
}
