//! `ackclock packetdrill`: scripts of packetdrill against the simulated TCP, and what differs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ackclock_packetdrill::{Difference, LeftOut, Verdict, check};
use serde::Serialize;

use crate::args::PacketdrillArgs;
use crate::failure::{Exit, Failure};
use crate::output;

/// Runs each script by itself, in the order of the arguments.
pub fn packetdrill(args: &PacketdrillArgs) -> Result<Exit, Failure> {
    let mut files = Vec::new();
    for path in &args.scripts {
        let before = files.len();
        find(path, &mut files)?;
        if files.len() == before {
            let help = "name a script, or a folder with files *.pkt in it";
            return Err(Failure::outside(format_args!("`{}` has no scripts", path.display()), help));
        }
    }
    let mut ran = Vec::new();
    for file in files {
        let octets = fs::read(&file).map_err(|error| unreadable(&file, &error))?;
        // Notes in another encoding than UTF-8 change nothing.
        let verdict = check(&String::from_utf8_lossy(&octets), &args.dialect);
        ran.push(Ran { script: file.display().to_string(), verdict });
    }
    output::print(&if args.json { json(&args.dialect, &ran) } else { text(&ran) })?;
    let any = |is: fn(&Verdict) -> bool| ran.iter().any(|ran| is(&ran.verdict));
    Ok(match () {
        () if any(|verdict| matches!(verdict, Verdict::Failed { .. })) => Exit::Differs,
        () if any(|verdict| matches!(verdict, Verdict::NotRunnable(_))) => Exit::Invalid,
        () => Exit::Fine,
    })
}

/// A script, and what came of it.
struct Ran {
    script: String,
    verdict: Verdict,
}

/// The script, or all of the folder, in the order of their names.
fn find(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let about = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if !about.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    let entries = fs::read_dir(path).map_err(|error| unreadable(path, &error))?;
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for entry in entries {
        let is_script = entry.extension().is_some_and(|extension| extension == "pkt");
        // A link to a folder above would lead round in a circle.
        let is_folder = entry.is_dir() && !entry.is_symlink();
        if is_folder || (is_script && entry.is_file()) {
            find(&entry, files)?;
        }
    }
    Ok(())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::outside(format_args!("cannot read `{}`: {error}", path.display()), "name a script or a folder of scripts")
}

fn text(ran: &[Ran]) -> String {
    let mut text: String = ran.iter().map(of_one).collect();
    let count = |is: fn(&Verdict) -> bool| ran.iter().filter(|ran| is(&ran.verdict)).count();
    let passed = count(|verdict| matches!(verdict, Verdict::Passed { .. }));
    let failed = count(|verdict| matches!(verdict, Verdict::Failed { .. }));
    if ran.len() > 1 {
        text += &format!("{passed} passed, {failed} failed, {} cannot be run\n", ran.len() - passed - failed);
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for ran in ran {
            if let Verdict::NotRunnable(trouble) = &ran.verdict {
                *reasons.entry(&trouble.reason).or_default() += 1;
            }
        }
        text += &reasons.iter().map(|(reason, count)| format!("{count:7} {reason}\n")).collect::<String>();
    }
    text
}

fn of_one(ran: &Ran) -> String {
    let script = &ran.script;
    match &ran.verdict {
        Verdict::Passed { left_out } => format!("passed  {script}\n{}", without_meaning(left_out)),
        Verdict::NotRunnable(trouble) => {
            format!("no run  {script}:{}: {}\n        {}\n", trouble.place.0, trouble.reason, trouble.remedy)
        }
        Verdict::Failed { difference, left_out } => {
            let Difference { line, event, reason, packets, .. } = difference;
            let packets = packets
                .as_ref()
                .map(|(expected, actual)| format!("        expected {expected}\n        sent     {actual}\n"));
            let packets = packets.unwrap_or_default();
            format!(
                "FAILED  {script}:{line}: {reason}\n        {}\n{packets}{}",
                event.trim(),
                without_meaning(left_out)
            )
        }
    }
}

/// What was left out, in lines.
fn without_meaning(left_out: &[LeftOut]) -> String {
    left_out
        .iter()
        .map(|left_out| format!("        line {}: {} has no meaning here\n", left_out.line, left_out.what))
        .collect()
}

#[derive(Serialize)]
struct Document<'a> {
    dialect: &'a str,
    scripts: Vec<Row<'a>>,
}

/// A script in the document.
#[derive(Default, Serialize)]
struct Row<'a> {
    script: &'a str,
    verdict: &'static str,
    /// Of a difference, or of what cannot be run.
    line: Option<usize>,
    at_s: Option<f64>,
    reason: Option<&'a str>,
    remedy: Option<&'a str>,
    expected: Option<&'a str>,
    sent: Option<&'a str>,
    left_out: Vec<Left<'a>>,
}

#[derive(Serialize)]
struct Left<'a> {
    line: usize,
    what: &'a str,
}

fn json(dialect: &str, ran: &[Ran]) -> String {
    let document = Document { dialect, scripts: ran.iter().map(row).collect() };
    let text = serde_json::to_string_pretty(&document).unwrap_or_default();
    format!("{text}\n")
}

fn row(ran: &Ran) -> Row<'_> {
    let script = ran.script.as_str();
    match &ran.verdict {
        Verdict::Passed { left_out } => Row { script, verdict: "passed", left_out: lefts(left_out), ..Row::default() },
        Verdict::NotRunnable(trouble) => Row {
            script,
            verdict: "not-runnable",
            line: Some(trouble.place.0),
            reason: Some(&trouble.reason),
            remedy: Some(&trouble.remedy),
            ..Row::default()
        },
        Verdict::Failed { difference, left_out } => Row {
            script,
            verdict: "failed",
            line: Some(difference.line),
            at_s: Some(difference.at),
            reason: Some(&difference.reason),
            expected: difference.packets.as_ref().map(|(expected, _)| expected.as_str()),
            sent: difference.packets.as_ref().map(|(_, sent)| sent.as_str()),
            left_out: lefts(left_out),
            ..Row::default()
        },
    }
}

fn lefts(all: &[LeftOut]) -> Vec<Left<'_>> {
    all.iter().map(|left_out| Left { line: left_out.line, what: &left_out.what }).collect()
}
