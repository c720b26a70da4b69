//! Orbit Mean-Elements Messages, \[CCSDS-502\], as JSON, CSV and XML.
//!
//! The three are brought to the same form, key and text, and then read in one way. Keys that SGP4 does not need may be
//! missing. Centre, frame, time system and theory, where they are stated, must be the Earth, TEME, UTC and SGP4; their words are
//! compared whole: SGP4-XP is another theory than SGP4. XML is taken apart in `xml.rs`.

use std::collections::BTreeMap;

use serde_json::Value;
use sgp4::{Classification, Elements};

use super::epoch::Epoch;
use super::set::{ElementSet, FORMATS, OTHER_THEORY, ReadSets, check_ephemeris_type, wrong};
use crate::error::SatError;

/// What a message says: key and text.
pub(super) type Message = BTreeMap<String, String>;

/// One message, or a list of them.
pub(super) fn json(file: &str, text: &str) -> Result<ReadSets, SatError> {
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
        sets.push(set(place, &fields.collect()));
    }
    Ok(sets)
}

/// Whether a text begins with the keys of a message, separated by commas.
pub(super) fn is_csv(text: &str) -> bool {
    let header = text.lines().next().unwrap_or_default();
    header.contains(',') && fields(header).iter().any(|key| key == "MEAN_MOTION")
}

/// A line of keys, then a line for each message.
pub(super) fn csv(file: &str, text: &str) -> Result<ReadSets, SatError> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let keys = lines.next().map(|(_, header)| fields(header)).unwrap_or_default();
    if let Some(twice) = keys.iter().enumerate().find(|(index, key)| !key.is_empty() && keys[..*index].contains(key)) {
        let problem = format!("its first line has {} twice", twice.1);
        return Err(wrong(file, None, &problem, "fetch the file again, unchanged"));
    }
    let mut sets = Vec::new();
    for (index, line) in lines {
        let place = format!("{file}:{}", index + 1);
        let values = fields(line);
        if values.len() != keys.len() {
            let problem = format!("it has {} fields, the first line has {}", values.len(), keys.len());
            return Err(wrong(&place, None, &problem, "fetch the file again, whole"));
        }
        sets.push(set(place, &keys.iter().cloned().zip(values).collect()));
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

pub(super) fn set(place: String, message: &Message) -> Result<ElementSet, SatError> {
    let fetch = "fetch the file again; it has to be an OMM with mean elements of SGP4 in TEME";
    let text = |key: &str| message.get(key).map(String::as_str).filter(|text| !text.is_empty());
    let name = text("OBJECT_NAME").or_else(|| text("NORAD_CAT_ID")).unwrap_or("unnamed").to_owned();
    let wrong_with = |problem: String, help| wrong(&place, Some(&name), &problem, help);
    let wrong = |problem: String| wrong_with(problem, fetch);
    let needed = |key: &str| text(key).ok_or_else(|| wrong(format!("it has no {key}")));
    let number = |key: &str| {
        let text = needed(key)?;
        text.parse::<f64>().map_err(|_| wrong(format!("its {key} is `{text}`, which is no number")))
    };
    for (key, expected) in EXPECTED {
        if let Some(found) = text(key).filter(|found| !expected.iter().any(|one| one.eq_ignore_ascii_case(found))) {
            return Err(wrong_with(format!("its {key} is {found}, not {}", expected[0]), OTHER_THEORY));
        }
    }
    check_ephemeris_type(text("EPHEMERIS_TYPE").unwrap_or_default(), &place, &name)?;
    if let Some(date) = text("DECAY_DATE") {
        return Err(wrong(format!("it has decayed on {date}")));
    }
    let epoch = needed("EPOCH")?;
    let Epoch(datetime) = Epoch::parse(epoch).map_err(|error| wrong(format!("its EPOCH: {error}")))?;
    let norad_id = text("NORAD_CAT_ID").and_then(|number| number.parse().ok()).unwrap_or(0);
    let designator = text("OBJECT_ID").filter(|id| !id.eq_ignore_ascii_case("UNKNOWN"));
    let identity = if norad_id > 0 { Some(norad_id.to_string()) } else { designator.map(str::to_owned) };
    let elements = Elements {
        object_name: None,
        international_designator: None,
        norad_id,
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
    ElementSet::checked(name, place, identity, elements)
}

/// What a message can be about, by key: the words for it, that of \[CCSDS-502\] first. The frame of date is the one that SGP4
/// has; Space-Track wrote SGP/SGP4.
const EXPECTED: [(&str, &[&str]); 4] = [
    ("CENTER_NAME", &["EARTH"]),
    ("REF_FRAME", &["TEME", "TEMEOFDATE"]),
    ("TIME_SYSTEM", &["UTC"]),
    ("MEAN_ELEMENT_THEORY", &["SGP4", "SGP/SGP4", "SGP4/SDP4", "SDP4"]),
];
