//! Orbit Mean-Elements Messages, \[CCSDS-502\], as JSON, CSV and XML.
//!
//! The three are brought to the same form, key and text, and then read in one way. Keys that SGP4 does not need may be
//! missing; the frame, if it is stated, must be TEME, and the theory SGP4.

use std::collections::BTreeMap;

use serde_json::Value;
use sgp4::{Classification, Elements};

use super::epoch::Epoch;
use super::set::{ElementSet, FORMATS, wrong};
use crate::error::SatError;

/// What a message says: key and text.
type Message = BTreeMap<String, String>;

/// One message, or a list of them.
pub(super) fn json(file: &str, text: &str) -> Result<Vec<ElementSet>, SatError> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let place = format!("{file}:{}", error.line());
        wrong(&place, None, &format!("this is no JSON: {error}"), "fetch the file again, whole")
    })?;
    let messages = match value {
        Value::Array(messages) => messages,
        message => vec![message],
    };
    let mut sets = Vec::with_capacity(messages.len());
    for (index, message) in messages.into_iter().enumerate() {
        let place = format!("{file}, message {}", index + 1);
        let Value::Object(fields) = message else {
            return Err(wrong(&place, None, "it is no object with keys and values", FORMATS));
        };
        let text = |value| match value {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let fields = fields.into_iter().filter_map(|(key, value)| Some((key, text(value)?)));
        sets.push(set(place, &fields.collect())?);
    }
    Ok(sets)
}

/// Whether a text begins with the keys of a message, separated by commas.
pub(super) fn is_csv(text: &str) -> bool {
    let header = text.lines().next().unwrap_or_default();
    header.contains(',') && fields(header).iter().any(|key| key == "MEAN_MOTION")
}

/// A line of keys, then a line for each message.
pub(super) fn csv(file: &str, text: &str) -> Result<Vec<ElementSet>, SatError> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let keys = lines.next().map(|(_, header)| fields(header)).unwrap_or_default();
    let mut sets = Vec::new();
    for (index, line) in lines {
        let place = format!("{file}:{}", index + 1);
        let values = fields(line);
        if values.len() != keys.len() {
            let problem = format!("it has {} fields, the first line has {}", values.len(), keys.len());
            return Err(wrong(&place, None, &problem, "fetch the file again, whole"));
        }
        sets.push(set(place, &keys.iter().cloned().zip(values).collect())?);
    }
    Ok(sets)
}

/// RFC 4180: a field in quotes may hold commas, and quotes written twice.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.trim_end_matches('\r').chars().peekable();
    while let Some(c) = chars.next() {
        let field = fields.last_mut().expect("there is always one");
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => field.push(c),
        }
    }
    fields.into_iter().map(|field| field.trim().to_owned()).collect()
}

/// A message for each `<segment>`, or the only one: of every element that holds only text, its name and the text.
pub(super) fn xml(file: &str, text: &str) -> Result<Vec<ElementSet>, SatError> {
    let mut sets = Vec::new();
    let mut message = Message::new();
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    while let Some(begin) = text[at..].find('<').map(|found| at + found) {
        let place = || format!("{file}:{}", 1 + text[..begin].matches('\n').count());
        let cut = || wrong(&place(), None, "a tag of this XML does not end", "fetch the file again, whole");
        if text[begin..].starts_with("<!--") {
            at = begin + text[begin..].find("-->").ok_or_else(cut)? + 3;
            continue;
        }
        let end = begin + text[begin..].find('>').ok_or_else(cut)?;
        let tag = &text[begin + 1..end];
        at = end + 1;
        match tag.strip_prefix('/') {
            Some("segment") => sets.push(set(place(), &std::mem::take(&mut message))?),
            Some(name) => {
                if let Some((_, from)) = open.filter(|(opened, _)| *opened == name.trim()) {
                    message.insert(name.trim().to_owned(), unescaped(text[from..begin].trim()));
                }
                open = None;
            }
            None if tag.ends_with('/') || tag.starts_with(['?', '!']) => {}
            None => open = tag.split_whitespace().next().map(|name| (name, at)),
        }
    }
    // A message without a segment around it.
    if message.contains_key("MEAN_MOTION") {
        sets.push(set(file.to_owned(), &message)?);
    }
    Ok(sets)
}

/// XML has five names for characters; the ampersand comes last, or it would make new ones.
fn unescaped(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    pairs.into_iter().fold(text.to_owned(), |text, (name, character)| text.replace(name, character))
}

fn set(place: String, message: &Message) -> Result<ElementSet, SatError> {
    let fetch = "fetch the file again; it has to be an OMM with mean elements of SGP4 in TEME";
    let text = |key: &str| message.get(key).map(String::as_str).filter(|text| !text.is_empty());
    let name = text("OBJECT_NAME").or_else(|| text("NORAD_CAT_ID")).unwrap_or("unnamed").to_owned();
    let wrong = |problem: String| wrong(&place, Some(&name), &problem, fetch);
    let needed = |key: &str| text(key).ok_or_else(|| wrong(format!("it has no {key}")));
    let number = |key: &str| {
        let text = needed(key)?;
        text.parse::<f64>().map_err(|_| wrong(format!("its {key} is `{text}`, which is no number")))
    };
    for (key, expected) in [("REF_FRAME", "TEME"), ("MEAN_ELEMENT_THEORY", "SGP4"), ("TIME_SYSTEM", "UTC")] {
        // Space-Track writes SGP/SGP4.
        if let Some(found) = text(key).filter(|found| !found.contains(expected)) {
            return Err(wrong(format!("its {key} is {found}, not {expected}")));
        }
    }
    if let Some(date) = text("DECAY_DATE") {
        return Err(wrong(format!("it has decayed on {date}")));
    }
    let epoch = needed("EPOCH")?;
    let Epoch(datetime) = Epoch::parse(epoch).map_err(|error| wrong(format!("its EPOCH: {error}")))?;
    let elements = Elements {
        object_name: Some(name.clone()),
        international_designator: text("OBJECT_ID").map(str::to_owned),
        norad_id: text("NORAD_CAT_ID").and_then(|number| number.parse().ok()).unwrap_or(0),
        classification: Classification::Unclassified,
        datetime,
        // SGP4 does not use them.
        mean_motion_dot: 0.0,
        mean_motion_ddot: 0.0,
        drag_term: number("BSTAR")?,
        element_set_number: 0,
        inclination: number("INCLINATION")?,
        right_ascension: number("RA_OF_ASC_NODE")?,
        eccentricity: number("ECCENTRICITY")?,
        argument_of_perigee: number("ARG_OF_PERICENTER")?,
        mean_anomaly: number("MEAN_ANOMALY")?,
        mean_motion: number("MEAN_MOTION")?,
        revolution_number: 0,
        ephemeris_type: 0,
    };
    ElementSet::checked(name, place, elements)
}
