//! How to repeat what a report shows: commands, scenarios, versions, fingerprints.

use crate::page::html::Html;
use crate::page::number::plural;
use crate::page::table::{Cell, Table};
use ackclock_store::document::Document;

/// How to repeat the runs of a result: command, resolved scenario, versions, the fingerprint of every seed.
pub fn repeat(document: &Document) -> Html {
    let scenario = &document.scenario;
    let mut html = Html::new();
    html.leaf("p", &[], "The command that was run:");
    html.tag("pre", &[], |html| {
        html.leaf("code", &[], &command_line(&document.command));
    });
    html.leaf(
        "p",
        &[],
        "The resolved scenario below has every value of the runs. It is in the result folder as scenario.toml; this \
         command repeats the runs:",
    );
    html.tag("pre", &[], |html| {
        let command = if document.live.is_some() { "live" } else { "run" };
        html.leaf("code", &[], &format!("ackclock {command} scenario.toml{}", seeds_argument(document)));
    });
    let mut table = Table::new("Versions").words("").words("");
    for (name, value) in [
        ("scenario hash (BLAKE3)", scenario.hash.as_str()),
        ("Ackclock", &document.ackclock),
        ("result version", &document.result_version.to_string()),
    ] {
        table.row(vec![Cell::text(name), Cell::Code(value.into())]);
    }
    let mut runs =
        Table::new("Runs").words("seed").words("fingerprint").column("efficiency", "").column("fairness", "");
    for run in document.runs.iter().take(RUNS_LISTED) {
        let number = |number: Option<f64>| number.map_or(Cell::None, |number| Cell::number(number, 4));
        let cells = [Cell::Code(run.fingerprint.clone()), number(run.efficiency), number(run.fairness)];
        runs.row([Cell::text(run.seed.to_string())].into_iter().chain(cells).collect());
    }
    let note = match document.runs.len().checked_sub(RUNS_LISTED) {
        None | Some(0) if document.live.is_some() => "No two live runs are equal to the bit.".into(),
        None | Some(0) => "Runs with the same fingerprint are equal to the bit.".into(),
        Some(more) => format!("{} more in result.json.", plural(more, "run")),
    };
    html.tag("div", &[("class", "side-by-side")], |html| {
        html.append(&Html::of_class("div", "", &table.html()));
        html.append(&Html::of_class("div", "", &runs.note(note).html()));
    });
    html.append(&resolved("Resolved scenario", &scenario.resolved));
    html
}

/// The fingerprints of several results, a column each: the same experiment has the same ones in every repetition.
pub fn fingerprints<'a>(results: impl Iterator<Item = (&'a str, &'a Document)> + Clone) -> Html {
    let documents = results.clone().map(|(_, document)| document);
    let mut seeds: Vec<u64> = documents.clone().flat_map(|document| document.runs.iter().map(|run| run.seed)).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let mut table = Table::new("Fingerprints").words("seed");
    for (name, _) in results {
        table = table.words(name);
    }
    for &seed in seeds.iter().take(RUNS_LISTED) {
        let cells = documents.clone().map(|document| {
            let run = document.runs.iter().find(|run| run.seed == seed);
            run.map_or(Cell::None, |run| Cell::Code(run.fingerprint.clone()))
        });
        table.row([Cell::text(seed.to_string())].into_iter().chain(cells).collect());
    }
    let more = seeds.len().saturating_sub(RUNS_LISTED);
    let note = match more {
        0 => "Runs with the same fingerprint are equal to the bit.".into(),
        more => format!("The fingerprints of {} more are in result.json.", plural(more, "seed")),
    };
    table.note(note).html()
}

/// The text of a scenario, folded away.
pub fn resolved(title: &str, text: &str) -> Html {
    let mut html = Html::new();
    html.tag("details", &[], |html| {
        html.leaf("summary", &[], &format!("{title} ({})", plural(text.lines().count(), "line")));
        let end = text.char_indices().map(|(at, _)| at).find(|&at| at >= SCENARIO_BYTES).unwrap_or(text.len());
        html.tag("pre", &[], |html| {
            html.leaf("code", &[], &text[..end]);
        });
        if end < text.len() {
            html.leaf("p", &[("class", "note")], "The rest is in scenario.toml in the result folder.");
        }
    });
    html
}

/// Which seeds were run, in words.
pub fn seed_words(document: &Document) -> String {
    let seeds: Vec<u64> = document.runs.iter().map(|run| run.seed).collect();
    match seeds[..] {
        [] => "no seed".into(),
        [seed] => format!("seed {seed}"),
        [first, .., last] if last - first + 1 == seeds.len() as u64 => format!("seeds {first} to {last}"),
        [first, .., last] => format!("{} seeds between {first} and {last}", seeds.len()),
    }
}

fn seeds_argument(document: &Document) -> String {
    if document.seeds.len() > 1 { format!(" --seeds {}", document.seeds.len()) } else { String::new() }
}

/// The words as a shell wants them.
pub fn command_line(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    let quoted = |word: &String| match !word.is_empty() && word.chars().all(plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// More runs than this are left to `result.json`.
const RUNS_LISTED: usize = 200;
/// More of a scenario than this is left to `scenario.toml`.
const SCENARIO_BYTES: usize = 300_000;

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_store::document::example::example;

    #[test]
    fn commands_are_quoted_for_a_shell() {
        let words = ["ackclock", "run", "it's here.toml", "--set", "queue.buffer=10 cells", ""].map(String::from);
        assert_eq!(command_line(&words), "ackclock run 'it'\\''s here.toml' --set 'queue.buffer=10 cells' ''");
    }

    #[test]
    fn a_long_scenario_is_cut_between_letters() {
        let html = resolved("Scenario", &"é".repeat(SCENARIO_BYTES));
        assert!(html.as_str().len() < SCENARIO_BYTES + 1000);
        assert!(html.as_str().contains("The rest is in scenario.toml"));
    }

    #[test]
    fn fingerprints_stand_below_the_name_of_their_result() {
        let (first, mut second) = (example(1, 1, 3), example(1, 1, 2));
        second.runs[1].fingerprint = "feedfeedfeedfeed".into();
        let html = fingerprints([("first", &first), ("second", &second)].into_iter());
        let row = |seed: usize, second: &str| {
            let of = &first.runs[seed - 1].fingerprint;
            format!(
                "<th scope=\"row\" class=\"text\">{seed}</th><td class=\"text\"><code>{of}</code></td><td class=\"text\">{second}</td>"
            )
        };
        for row in [row(2, "<code>feedfeedfeedfeed</code>"), row(3, "<span class=\"none\" title=\"no value\">–</span>")]
        {
            assert!(html.as_str().contains(&row), "{row} is not in {}", html.as_str());
        }
    }
}
