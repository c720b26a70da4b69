//! The JSON Schema allows what the checker allows.

use std::path::Path;

use ackclock_scenario::{Memory, json_schema, load};
use serde_json::Value;

/// What of a value does not fit a schema. Knows the words of draft-07 that the schema uses, and no other.
fn violations(schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    for (word, rule) in schema.as_object().expect("a schema is an object") {
        let fits = match word.as_str() {
            "$schema" | "title" | "description" | "default" => true,
            "type" => match rule.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_i64() || value.is_u64(),
                "number" => value.is_number(),
                other => panic!("unknown type {other}"),
            },
            "enum" => rule.as_array().unwrap().contains(value),
            "pattern" => value.as_str().is_none_or(|text| matches(rule, text)),
            "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
            "exclusiveMinimum" => value.as_f64().is_none_or(|number| number > rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
            "minItems" => value.as_array().is_none_or(|items| items.len() >= rule.as_u64().unwrap() as usize),
            "maxItems" => value.as_array().is_none_or(|items| items.len() <= rule.as_u64().unwrap() as usize),
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    violations(rule, item, &format!("{path}[{index}]"), found);
                }
                true
            }
            "required" => {
                let keys = rule.as_array().unwrap();
                value.as_object().is_none_or(|object| keys.iter().all(|key| object.contains_key(key.as_str().unwrap())))
            }
            "anyOf" => rule.as_array().unwrap().iter().any(|schema| {
                let mut inner = Vec::new();
                violations(schema, value, path, &mut inner);
                inner.is_empty()
            }),
            "propertyNames" => {
                let names = value.as_object().into_iter().flatten().map(|(name, _)| name);
                names.into_iter().all(|name| matches(&rule["pattern"], name))
            }
            "properties" | "additionalProperties" => {
                if word == "properties" || !rule.is_boolean() || schema.get("properties").is_none() {
                    members(schema, value, path, found);
                }
                true
            }
            other => panic!("the schema uses a new word: {other}"),
        };
        if !fits {
            found.push(format!("{path}: {value} does not fit {word} = {rule}"));
        }
    }
}

fn members(schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    for (name, member) in value.as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        let known = schema.get("properties").and_then(|properties| properties.get(name));
        match known.or(schema.get("additionalProperties")) {
            Some(Value::Bool(false)) | None => found.push(format!("{path} is not allowed")),
            Some(schema) => violations(schema, member, &path, found),
        }
    }
}

fn matches(pattern: &Value, text: &str) -> bool {
    regex_lite::Regex::new(pattern.as_str().unwrap()).expect("patterns are plain").is_match(text)
}

fn fits(toml: &str) -> Vec<String> {
    let value: toml::Value = toml::from_str(toml).unwrap();
    let mut found = Vec::new();
    violations(&json_schema(), &serde_json::to_value(value).unwrap(), "", &mut found);
    found
}

#[test]
fn the_schema_is_plain_draft_07_and_stays_as_it_is() {
    let schema = json_schema();
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    let text = serde_json::to_string_pretty(&schema).unwrap();
    assert!(!text.contains("unevaluated") && !text.contains("$defs"));
    insta::assert_snapshot!(text);
}

#[test]
fn every_scenario_of_the_repository_fits_the_schema() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    for folder in
        [folder.clone(), folder.join("three-losses"), folder.join("bench"), folder.join("paths"), folder.join("abr")]
    {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                let text = std::fs::read_to_string(&path).unwrap();
                assert_eq!(fits(&text), Vec::<String>::new(), "{}", path.display());
            }
        }
    }
}

#[test]
fn every_default_fits_the_schema_and_the_checker() {
    fn check(schema: &Value, path: &str, count: &mut usize) {
        for (name, property) in schema["properties"].as_object().unwrap() {
            let path = format!("{path}.{name}");
            let default = property.get("default");
            if let Some(default) = default {
                let mut found = Vec::new();
                violations(property, default, &path, &mut found);
                assert_eq!(found, Vec::<String>::new());
                *count += 1;
            }
            let inner = property.get("additionalProperties").filter(|inner| inner.is_object()).unwrap_or(property);
            if inner.get("properties").is_some() {
                check(inner, &path, count);
            }
        }
    }
    let mut count = 0;
    check(&json_schema(), "", &mut count);
    assert!(count > 50, "{count}");
}

#[test]
fn every_resolved_file_fits_the_schema() {
    for set in [
        "seed=2",
        "queue.policy=fba",
        "queue.selective-drop.forgiveness=episode",
        "tcp.recovery=fall-floyd",
        "tcp.recovery=rfc6675",
        "tcp.delayed_ack=true",
        "bottleneck=none",
        "flow.x={ from = \"s1\", to = \"d2\", drops = [1, { segment = 2, transmission = 2 }] }",
        "port.sw1->sw2.selective-drop.threshold=10 cells",
        "node.x.kind=host",
    ] {
        let loaded = load(&Memory::new().with("a.toml", crate::roundtrip::BASE), "a.toml", &[set.to_owned()]).unwrap();
        assert_eq!(fits(&loaded.resolved), Vec::<String>::new(), "{set}");
    }
}

#[test]
fn what_the_checker_refuses_by_itself_the_schema_refuses_too() {
    let base = crate::roundtrip::BASE;
    for change in [
        "bufer = 1",
        "seed = -1",
        "version = 3",
        "tcp.mss = 512",
        "tcp.mss = \"512 b\"",
        "tcp.mss = \"512 Mbps\"",
        "tcp.recovery = \"sack\"",
        "tcp.window_scale = 15",
        "tcp.delayed_ack = 1",
        "traffic.stop = \"newer\"",
        "flow.f1.drops = [-1]",
        "flow.f1.drops = [{ transmission = 2 }]",
        "flow.f1.tcp.mss = 5",
        "flow.\"a b\".from = \"s1\"",
        "port.\"sw1\".buffer = \"5 cells\"",
        "link.x.ends = [\"a\"]",
        "node.x.kind = \"router\"",
    ] {
        let file = format!("{change}\n{base}");
        assert_ne!(fits(&file), Vec::<String>::new(), "{change}");
        let refused = load(&Memory::new().with("a.toml", file), "a.toml", &[]);
        assert!(refused.is_err(), "{change}");
    }
    assert_eq!(fits(base), Vec::<String>::new());
}
