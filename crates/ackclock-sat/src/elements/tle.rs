//! Two-line elements, with or without a line with the name before them.

use super::set::{ElementSet, FORMATS, wrong};
use crate::error::SatError;

/// The element sets of a text. Empty lines and lines that begin with # are skipped.
pub(super) fn read(file: &str, text: &str) -> Result<Vec<ElementSet>, SatError> {
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim_end()))
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .peekable();
    let mut sets = Vec::new();
    while let Some((number, line)) = lines.next() {
        let place = format!("{file}:{number}");
        let (name, number, first) = match line.starts_with("1 ") {
            true => (None, number, line),
            false => match lines.next() {
                Some((number, first)) if first.starts_with("1 ") => (Some(name_of(line)), number, first),
                _ => {
                    return Err(wrong(
                        &place,
                        None,
                        "this is neither a line 1 of elements nor a name above one",
                        FORMATS,
                    ));
                }
            },
        };
        let Some((_, second)) = lines.next_if(|(_, line)| line.starts_with("2 ")) else {
            let place = format!("{file}:{number}");
            return Err(wrong(&place, name.as_deref(), "its line 2 is missing", "fetch the file again, whole"));
        };
        sets.push(set(format!("{file}:{number}"), name, first, second)?);
    }
    Ok(sets)
}

/// In files with three lines the name may have a 0 before it.
fn name_of(line: &str) -> String {
    line.strip_prefix("0 ").unwrap_or(line).trim().to_owned()
}

fn set(place: String, name: Option<String>, first: &str, second: &str) -> Result<ElementSet, SatError> {
    let name = name.unwrap_or_else(|| catalogue_number(first));
    for (which, line) in [("1", first), ("2", second)] {
        // The parser counts on it.
        if !line.is_ascii() || line.len() != 69 || !line.ends_with(|c: char| c.is_ascii_digit()) {
            let problem = format!("line {which} has not the 69 characters of elements with a checksum");
            return Err(wrong(&place, Some(&name), &problem, "fetch the file again, unchanged"));
        }
    }
    let elements = sgp4::Elements::from_tle(Some(name.clone()), first.as_bytes(), second.as_bytes())
        .map_err(|error| wrong(&place, Some(&name), &error.to_string(), "fetch the file again, unchanged"))?;
    ElementSet::checked(name, place, elements)
}

fn catalogue_number(first: &str) -> String {
    first.get(2..7).map_or_else(|| "unnamed".into(), |number| number.trim().to_owned())
}
