//! The JSON Schema of scenario files.
//!
//! Draft-07 without anything newer, because editors' TOML plug-ins know old drafts best. What depends on several
//! keys at once is left to the checker: the schema helps while typing, it does not replace a check.

use ackclock::keys::{Default, INSTANT, Key, Kind, Value as Parameter};
use ackclock::law;
use serde_json::{Map, Value, json};

use crate::check::{Amount, Bare, metric_words};
use crate::keys::dialects;
use crate::keys::words::ALIASES;
use crate::keys::{
    ErrorModelKeys, LAW, MODEL, Section, applications, error_models, names, queue_algorithms, tcp_algorithms,
};
use crate::value::changed;
use crate::value::rate_trace::TraceFormat;

/// The JSON Schema (draft-07) of scenario files, from the same table that drives the checker.
pub fn json_schema() -> Value {
    let mut schema = object(Section::Top);
    let properties = schema["properties"].as_object_mut().expect("an object has properties");
    properties.insert(
        "extends".to_owned(),
        json!({
            "type": "string",
            "description": "A scenario file that this one changes key by key; the path is relative to this file.",
        }),
    );
    for section in Section::ALL.iter().copied().filter(|section| !is_within_flows(*section) && *section != Section::Top)
    {
        let mut table = object(section);
        if section == Section::Flow {
            table["properties"][Section::FlowAbr.key()] = object(Section::FlowAbr);
            table["properties"][Section::FlowTcp.key()] = with_algorithms(object(Section::FlowTcp));
        }
        if section == Section::Tcp {
            table = with_algorithms(table);
        }
        if matches!(section, Section::Queue | Section::Port) {
            for (index, algorithm) in queue_algorithms().iter().enumerate() {
                table["properties"][algorithm.name] = object(Section::QueueAlgorithm(index as u8));
            }
        }
        if matches!(section, Section::Traffic | Section::Flow) {
            for (index, application) in applications().iter().enumerate() {
                table["properties"][application.name] = object(Section::Application(index as u8));
            }
        }
        if section == Section::Place {
            let position = table["properties"]["at"].clone();
            table = json!({ "anyOf": [position, table] });
        }
        if section.is_named() {
            let names = [(Section::Port, LINK_NAME), (Section::Link, LINK_OR_DIRECTION)];
            let name = names.iter().find(|(of, _)| *of == section).map_or(NAME, |(_, name)| name);
            table = json!({
                "type": "object",
                "description": section.about(),
                "propertyNames": { "pattern": name },
                "additionalProperties": table,
            });
        }
        properties.insert(section.key().to_owned(), table);
    }
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["title"] = json!("Ackclock scenario");
    // A file that extends another may leave out anything.
    schema["anyOf"] = json!([{ "required": ["extends"] }, { "required": ["duration", "network"] }, { "required": ["duration", "satellites"] }]);
    schema
}

fn is_within_flows(section: Section) -> bool {
    matches!(section, Section::FlowAbr | Section::FlowTcp)
}

/// [tcp], with the tables of congestion controls and recoveries.
fn with_algorithms(mut table: Value) -> Value {
    for (index, algorithm) in tcp_algorithms().iter().enumerate() {
        table["properties"][algorithm.name] = object(Section::TcpAlgorithm(index as u8));
    }
    table
}

/// A table with the keys of a section.
fn object(section: Section) -> Value {
    let properties: Map<String, Value> =
        section.keys().map(|key| (key.name.to_owned(), with_dialects(section, key, property(key)))).collect();
    json!({
        "type": "object",
        "description": section.about(),
        "additionalProperties": false,
        "properties": properties,
    })
}

/// A property of a table, with its default in each dialect where these differ.
fn with_dialects(section: Section, key: &Key, mut property: Value) -> Value {
    let path = if matches!(section, Section::Tcp | Section::FlowTcp) {
        key.name.to_owned()
    } else if let Section::TcpAlgorithm(index) | Section::FlowTcpAlgorithm(index) = section {
        format!("{}.{}", tcp_algorithms()[usize::from(index)].name, key.name)
    } else {
        return property;
    };
    let others = dialects::defaults_of(&path);
    if let (false, Some(about)) = (others.is_empty(), property["description"].as_str()) {
        let about = about.replacen(" Default: ", " Default in the dialect osu: ", 1);
        let others: Vec<String> = others.iter().map(|(dialect, value)| format!("In {dialect}: {value}.")).collect();
        property["description"] = json!(format!("{about} {}", others.join(" ")));
        // An editor knows one default at most, and would show it in every dialect.
        property.as_object_mut().map(|property| property.remove("default"));
    }
    property
}

fn property(key: &Key) -> Value {
    let mut schema = match &key.kind {
        Kind::Text | Kind::Position | Kind::Longitude => json!({ "type": "string" }),
        Kind::NodeName => json!({ "type": "string", "pattern": NAME }),
        Kind::LinkName(words) => {
            json!({ "anyOf": [{ "type": "string", "pattern": LINK_NAME }, { "enum": words }] })
        }
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Or(Kind::Flag, words) => json!({ "anyOf": [{ "type": "boolean" }, { "enum": words }] }),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::Mechanism(family) => {
            let names = names(*family);
            let aliases = ALIASES.iter().filter(|(_, meant)| names.contains(meant)).map(|(alias, _)| alias);
            json!({ "enum": names.iter().chain(aliases).collect::<Vec<_>>() })
        }
        Kind::Integer(min, max) => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Number(max) => json!({ "type": "number", "exclusiveMinimum": 0, "maximum": max }),
        Kind::Or(Kind::Number(max), words) => json!({
            "anyOf": [{ "type": "number", "exclusiveMinimum": 0, "maximum": max }, { "enum": words }],
        }),
        Kind::Share => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        Kind::Factor => json!({
            "anyOf": [{ "type": "number", "minimum": 0, "maximum": 1 }, { "type": "string", "pattern": FRACTION }],
        }),
        Kind::Quantity(_) | Kind::Quantities(_) | Kind::Level | Kind::Or(..) => quantity(&key.kind),
        Kind::Schedule(kind) => schedule(key.name, kind),
        Kind::Outages => outages(),
        Kind::RouteChanges => route_changes(),
        Kind::Integers => json!({ "type": "array", "items": { "type": "integer", "minimum": 0 } }),
        Kind::Table(keys) => table(keys),
        Kind::Errors(around) => errors(around),
        Kind::Amounts(limits) => {
            let of_each = limits.iter().map(|limit| quantity(&Kind::Quantity(*limit))).collect::<Vec<_>>();
            json!({ "type": "array", "items": { "anyOf": of_each }, "minItems": 1 })
        }
        Kind::Law(kind) => json!({ "anyOf": [quantity(kind), law()] }),
        Kind::Ends => json!({
            "type": "array", "items": { "type": "string", "pattern": NAME }, "minItems": 2, "maxItems": 2,
        }),
        Kind::Route => route(),
        Kind::Drops(keys) => drops(keys),
        Kind::Metrics => json!({ "type": "array", "items": { "enum": metric_words() } }),
        Kind::Nodes => json!({ "type": "array", "items": { "type": "string", "pattern": NAME } }),
    };
    let default = match key.default {
        Default::Required("") => "Required where it applies.".to_owned(),
        Default::Required(example) => format!("Required, as in {example}."),
        Default::Is(value) => {
            schema["default"] = match value {
                Parameter::Quantity(quantity) => json!(quantity.canonical()),
                Parameter::Flag(flag) => json!(flag),
                Parameter::Number(number) => json!(number),
                Parameter::Word(word) => json!(word),
                Parameter::Integer(integer) => json!(integer),
            };
            format!("Default: {} ({}).", schema["default"], key.source)
        }
        Default::Derived(what) => format!("Default: {what} ({}).", key.source),
        Default::SameAs(other) => format!("Default: that of `{other}` ({}).", key.source),
        Default::Of(other, cases) => {
            let case =
                |(word, value, _): &(&str, Parameter, &str)| format!("{} with {other} = {word}", spelled(*value));
            format!("Default: {} ({}).", cases.iter().map(case).collect::<Vec<_>>().join(", "), key.source)
        }
    };
    let conditions: Vec<String> =
        key.used_if.iter().map(|condition| format!("{} = {}", condition.key, condition.is.join(" or "))).collect();
    let used = if conditions.is_empty() { String::new() } else { format!(" Used with {}.", conditions.join(" and ")) };
    schema["description"] = json!(format!("{} {default}{used}", key.about));
    schema
}

/// As in a scenario file, without quotes.
fn spelled(value: Parameter) -> String {
    match value {
        Parameter::Quantity(quantity) => quantity.canonical(),
        Parameter::Flag(flag) => flag.to_string(),
        Parameter::Word(word) => word.to_owned(),
        Parameter::Number(number) => number.to_string(),
        Parameter::Integer(integer) => integer.to_string(),
    }
}

fn time() -> Value {
    quantity(&INSTANT)
}

fn quantity(kind: &Kind) -> Value {
    let amount = Amount::of(kind).expect("a kind of quantities");
    let mut all = Vec::new();
    if !amount.limits.is_empty() {
        let spellings: Vec<&str> =
            amount.limits.iter().flat_map(|limit| limit.dimension.spellings()).map(|(unit, _)| unit).collect();
        let units = spellings.join("|");
        all.push(json!({ "type": "string", "pattern": format!("^ *{NUMBER} *({units}) *$") }));
    }
    if !amount.words.is_empty() {
        all.push(json!({ "enum": amount.words }));
    }
    match amount.bare {
        Bare::None => {}
        Bare::Fraction => all.push(json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 1 })),
        Bare::Integer { max } => all.push(json!({ "type": "integer", "minimum": 0, "maximum": max })),
    }
    if all.len() == 1 { all.remove(0) } else { json!({ "anyOf": all }) }
}

fn outages() -> Value {
    let time = time();
    let never = json!({ "anyOf": [time, { "enum": ["never"] }] });
    let from = described(time, "When the outage begins.");
    let until = described(never, "When the outage ends.");
    json!({ "type": "array", "items": closed(&["from", "until"], json!({ "from": from, "until": until })) })
}

/// Nodes along a path.
fn route() -> Value {
    json!({ "type": "array", "items": { "type": "string", "pattern": NAME }, "minItems": 2 })
}

/// A list of paths.
fn route_changes() -> Value {
    let at = described(time(), "From when on the path of this table holds.");
    let route = described(route(), "Nodes of the path, ends included.");
    json!({ "type": "array", "items": closed(&["at", "route"], json!({ "at": at, "route": route })) })
}

fn schedule(key: &str, kind: &Kind) -> Value {
    let (value, later_key) = (quantity(kind), changed(kind));
    let at = described(time(), "From when on the value of this table holds.");
    let later = described(value.clone(), "The value from then on.");
    let table = closed(&["at", later_key], json!({ "at": at, later_key: later }));
    let list = json!({ "type": "array", "items": { "anyOf": [value, table] }, "minItems": 1 });
    if key == "rate" { json!({ "anyOf": [value, list, rate_trace()] }) } else { json!({ "anyOf": [value, list] }) }
}

/// A trace that a rate follows.
fn rate_trace() -> Value {
    let file = described(json!({ "type": "string" }), "The file with the trace, relative to the scenario file.");
    let format = described(
        json!({ "enum": TraceFormat::NAMES }),
        "What its lines are: times of delivery opportunities, or times and rates below a header. Default: by the ending of the name.",
    );
    let digest = described(json!({ "type": "string" }), "Its BLAKE3, if it is to be no other file.");
    json!({
        "type": "object", "additionalProperties": false, "required": ["trace"],
        "properties": { "trace": file, "format": format, "digest": digest },
    })
}

fn described(mut schema: Value, about: &str) -> Value {
    schema["description"] = json!(about);
    schema
}

/// A law; which keys go with which law is left to the checker.
fn law() -> Value {
    let mut properties = Map::new();
    for key in [&LAW].into_iter().chain(law::ALL.iter().flat_map(|law| law.keys)) {
        let property = property(key);
        match properties.get_mut(key.name) {
            None => {
                properties.insert(key.name.to_owned(), property);
            }
            Some(known) if *known == property => {}
            // A key of another law that is called alike.
            Some(known) => *known = json!({ "anyOf": [known, property] }),
        }
    }
    let of_law = |law: &law::Description| format!(" {}: {}", law.name, law.about);
    let about = law::ALL.iter().map(of_law).collect::<String>();
    if let Some(property) = properties.get_mut(LAW.name) {
        property["description"] = json!(format!("{}{about}", LAW.about));
    }
    closed(&[LAW.name], Value::Object(properties))
}

/// Error models; which keys go with which model is left to the checker.
fn errors(around: &[Key]) -> Value {
    let mut properties = Map::new();
    for key in [&MODEL].into_iter().chain(error_models().iter().flat_map(|model| &model.keys)).chain(around) {
        let property = property(key);
        match properties.get_mut(key.name) {
            None => {
                properties.insert(key.name.to_owned(), property);
            }
            // A key of another model that is called alike.
            Some(known) => *known = json!({ "anyOf": [known, property] }),
        }
    }
    let of_model = |keys: &ErrorModelKeys| format!(" {}: {}", keys.model.name, keys.model.about);
    let models: String = error_models().iter().map(of_model).collect();
    properties[MODEL.name]["description"] = json!(format!("{}{models}", MODEL.about));
    let model = closed(&[MODEL.name], Value::Object(properties));
    json!({ "anyOf": [model, { "type": "array", "items": model }] })
}

fn table(keys: &[Key]) -> Value {
    let properties: Map<String, Value> = keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    let is_required = |key: &&Key| matches!(key.default, Default::Required(_));
    let required: Vec<&str> = keys.iter().filter(is_required).map(|key| key.name).collect();
    closed(&required, Value::Object(properties))
}

fn closed(required: &[&str], properties: Value) -> Value {
    json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties })
}

/// Segments that are lost on purpose.
fn drops(keys: &[Key]) -> Value {
    json!({ "type": "array", "items": { "anyOf": [{ "type": "integer", "minimum": 0 }, table(keys)] } })
}

/// Names of nodes, links and flows.
const NAME: &str = "^[A-Za-z0-9_.-]{1,64}$";
/// Names of links in one direction.
const LINK_NAME: &str = "^[A-Za-z0-9_.-]{1,64}->[A-Za-z0-9_.-]{1,64}$";
/// Names of links, and of one direction or of a pattern of several.
const LINK_OR_DIRECTION: &str = "^([A-Za-z0-9_.-]{1,64}|[A-Za-z0-9_.*-]{1,64}->[A-Za-z0-9_.*-]{1,64})$";
/// A fraction of two whole numbers.
const FRACTION: &str = "^ *[0-9]+ */ *[0-9]+ *$";
/// A decimal number with optional exponent and underscores.
const NUMBER: &str = "[0-9](_?[0-9])*(\\.[0-9](_?[0-9])*)?([eE][+-]?[0-9](_?[0-9])*)?";
