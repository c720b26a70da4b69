//! `ackclock list`: the words that a scenario file knows, read from its schema, and the studies.

use std::collections::BTreeMap;

use ackclock_study::Study;
use serde_json::Value;

use crate::failure::{Exit, Failure};
use crate::{console, spelling};

/// Lists everything that can be named, or the words of one key, one per line.
pub fn list(what: Option<&str>) -> Result<Exit, Failure> {
    let choices = choices(&ackclock_scenario::json_schema());
    let text = match what {
        None => all(&choices)?,
        Some(STUDIES) => studies()?,
        Some(what) => choices.get(what).map(Choice::lines).ok_or_else(|| unknown(what, &choices))?,
    };
    console::print(&text)?;
    Ok(Exit::Fine)
}

/// What can be listed.
pub fn names() -> Vec<String> {
    choices(&ackclock_scenario::json_schema()).into_keys().chain([STUDIES.to_string()]).collect()
}

/// The words that a key may be.
pub fn words_of(key: &str) -> Vec<String> {
    choices(&ackclock_scenario::json_schema()).remove(key).map_or(Vec::new(), |choice| choice.words)
}

/// The studies, and the cards of each as `reproduce` takes them.
pub fn studies_and_cards() -> Vec<String> {
    let mut names = Vec::new();
    for name in ackclock_study::names() {
        names.push(name.to_string());
        let study = Study::load(name).ok();
        names.extend(study.iter().flat_map(|study| study.cards()).map(|card| format!("{name}/{}", card.id)));
    }
    names
}

/// A key whose value is one of a few words.
#[derive(Debug, Default, PartialEq)]
struct Choice {
    about: String,
    words: Vec<String>,
}

impl Choice {
    fn lines(&self) -> String {
        self.words.iter().map(|word| format!("{word}\n")).collect()
    }
}

fn all(choices: &BTreeMap<String, Choice>) -> Result<String, Failure> {
    let mut text = String::new();
    for (key, choice) in choices {
        text += &format!("{key}: {}\n    {}\n", choice.words.join(", "), choice.about);
    }
    text += "studies: ackclock reproduce NAME\n";
    text += &studies()?.lines().map(|line| format!("    {line}\n")).collect::<String>();
    Ok(text)
}

/// Every study and every card with its title.
fn studies() -> Result<String, Failure> {
    let mut rows = Vec::new();
    for name in ackclock_study::names() {
        let study = Study::load(name).map_err(Failure::defect)?;
        rows.push((name.to_string(), study.title().to_string()));
        rows.extend(study.cards().iter().map(|card| (format!("{name}/{}", card.id), card.title.to_string())));
    }
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    Ok(rows.iter().map(|(name, title)| format!("{name:<width$}  {title}\n")).collect())
}

fn unknown(what: &str, choices: &BTreeMap<String, Choice>) -> Failure {
    let known: Vec<&str> = choices.keys().map(String::as_str).chain([STUDIES]).collect();
    let help = match spelling::nearest(what, known.iter().copied()) {
        Some(name) => format!("did you mean `ackclock list {name}`?"),
        None => format!("there are: {}", known.join(", ")),
    };
    Failure::usage(format_args!("nothing called `{what}` can be listed"), help)
}

/// The keys of a schema, at any depth, whose value is one of a few words.
fn choices(schema: &Value) -> BTreeMap<String, Choice> {
    let mut found = BTreeMap::new();
    collect(schema, "", &mut found);
    found
}

/// What is below the key `parent`.
fn collect(schema: &Value, parent: &str, found: &mut BTreeMap<String, Choice>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| collect(item, parent, found)),
        Value::Object(map) => {
            let properties = || map.get("properties").and_then(Value::as_object).into_iter().flatten();
            for (key, property) in properties() {
                let words = words(property);
                if !words.is_empty() && !found.contains_key(key) {
                    let own = property["description"].as_str().map(String::from);
                    let about = own.unwrap_or_else(|| format!("In the tables of `{parent}`."));
                    found.insert(key.clone(), Choice { about, words });
                }
            }
            properties().for_each(|(key, property)| collect(property, key, found));
            let others = map.iter().filter(|(name, _)| *name != "properties");
            others.for_each(|(_, value)| collect(value, parent, found));
        }
        _ => {}
    }
}

/// The words that a property may be, or that a list may hold.
fn words(property: &Value) -> Vec<String> {
    let words = property["enum"].as_array().or(property["items"]["enum"].as_array()).into_iter().flatten();
    words.filter_map(Value::as_str).map(String::from).collect()
}

const STUDIES: &str = "studies";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_with_words_are_found_at_any_depth() {
        let queue = json!({"properties": {"policy": {"description": "Who is refused.", "enum": ["tail-drop", "epd"]}}});
        let errors = json!({"description": "What is lost.", "anyOf": [{"properties": {"model": {"enum": ["list"]}}}]});
        let schema = json!({
            "properties": {"name": {"type": "string"}, "queue": queue, "growth": {"enum": ["reno"]}, "errors": errors},
            "definitions": {"link": {"properties": {"kind": {"enum": ["host", "switch"]}}}}
        });
        let choices = choices(&schema);
        assert_eq!(choices.keys().collect::<Vec<_>>(), ["growth", "kind", "model", "policy"]);
        assert_eq!(choices["policy"].lines(), "tail-drop\nepd\n");
        assert_eq!(choices["policy"].about, "Who is refused.");
        assert_eq!(choices["model"].about, "In the tables of `errors`.");
    }
}
