//! The state of a family passes every method of its trait on to the member that it is: one that it leaves out does what the trait does by
//! default, whatever the member does.

use std::path::Path;

use crate::layers::rust_files;

/// The names of the methods that stand in this text, at this indentation or any.
fn methods(text: &str, indentation: Option<&str>) -> Vec<String> {
    let lines = text.lines().filter_map(|line| match indentation {
        Some(indentation) => line.strip_prefix(indentation)?.strip_prefix("fn "),
        None => line.trim_start().strip_prefix("fn "),
    });
    lines.map(|rest| rest.split(['(', '<']).next().unwrap().to_owned()).collect()
}

/// Methods of the trait that its implementation in `text` leaves out, for each implementation that dispatches.
fn left_out(text: &str, traits: &[(String, Vec<String>)]) -> Vec<(String, Vec<String>)> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    let found = code.split("impl ").skip(1).filter_map(|rest| {
        let (head, body) = rest.split_once(" {")?;
        let (of, _) = head.split_once(" for ")?;
        let (_, wanted) = traits.iter().find(|(name, _)| name == of).filter(|_| body.contains("dispatched! {"))?;
        let has = methods(body, None);
        Some((head.to_owned(), wanted.iter().filter(|method| !has.contains(method)).cloned().collect()))
    });
    found.collect()
}

fn traits(text: &str) -> Vec<(String, Vec<String>)> {
    let found = text.split("\npub trait ").skip(1).filter_map(|rest| {
        let (head, body) = rest.split_once(" {\n")?;
        let name = head.split([':', '<']).next()?.trim().to_owned();
        Some((name, methods(body.split("\n}\n").next()?, Some("    "))))
    });
    found.collect()
}

#[test]
fn what_dispatches_a_trait_leaves_no_method_out() {
    let files = rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let texts: Vec<String> = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let traits: Vec<(String, Vec<String>)> = texts.iter().flat_map(|text| traits(text)).collect();
    let found: Vec<(String, Vec<String>)> = texts.iter().flat_map(|text| left_out(text, &traits)).collect();
    let wrong: Vec<_> = found.iter().filter(|(_, left_out)| !left_out.is_empty()).collect();
    assert!(wrong.is_empty() && found.len() >= 3, "of {}: {wrong:#?}", found.len());
}

#[test]
fn a_method_that_is_left_out_is_found() {
    let text = "\npub trait Family: Send {\n    fn one(&self);\n    fn two(&self) {\n        fn three() {}\n    }\n}\n\
        impl Family for State {\n    dispatched! {\n        fn one(&self);\n    }\n}\n";
    assert_eq!(left_out(text, &traits(text)), [("Family for State".to_owned(), vec!["two".to_owned()])]);
}
