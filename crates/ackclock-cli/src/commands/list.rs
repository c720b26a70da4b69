//! `ackclock list`: the words that a scenario file knows, read from its schema, and the studies.

use std::collections::BTreeMap;

use ackclock_study::Study;

use crate::failure::{Exit, Failure};
use crate::words::{self, Choice, STUDIES};
use crate::{output, spelling};

/// Lists everything that can be named, or the words of one key, one per line.
pub fn list(what: Option<&str>) -> Result<Exit, Failure> {
    let choices = words::choices();
    let text = match what {
        None => all(&choices)?,
        Some(STUDIES) => studies()?,
        Some(what) => choices.get(what).map(Choice::lines).ok_or_else(|| unknown(what, &choices))?,
    };
    output::print(&text)?;
    Ok(Exit::Fine)
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
