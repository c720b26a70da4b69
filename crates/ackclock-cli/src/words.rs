//! The words that a scenario file knows, read from its schema, and the names of studies.

use std::collections::BTreeMap;

use ackclock_study::Study;
use serde_json::Value;

/// What can be listed.
pub fn names() -> Vec<String> {
    choices().into_keys().chain([STUDIES.to_string()]).collect()
}

/// The words that a key may be.
pub fn of(key: &str) -> Vec<String> {
    choices().remove(key).map_or(Vec::new(), |choice| choice.words)
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
pub struct Choice {
    /// What the schema says of the key.
    pub about: String,
    pub words: Vec<String>,
}

impl Choice {
    /// A word on each line.
    pub fn lines(&self) -> String {
        self.words.iter().map(|word| format!("{word}\n")).collect()
    }
}

/// The keys of scenario files, at any depth, whose value is one of a few words.
pub fn choices() -> BTreeMap<String, Choice> {
    choices_of(&ackclock_scenario::json_schema())
}

/// Those of a schema.
fn choices_of(schema: &Value) -> BTreeMap<String, Choice> {
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

/// What studies are called among them.
pub const STUDIES: &str = "studies";

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
        let choices = choices_of(&schema);
        assert_eq!(choices.keys().collect::<Vec<_>>(), ["growth", "kind", "model", "policy"]);
        assert_eq!(choices["policy"].lines(), "tail-drop\nepd\n");
        assert_eq!(choices["policy"].about, "Who is refused.");
        assert_eq!(choices["model"].about, "In the tables of `errors`.");
    }
}
