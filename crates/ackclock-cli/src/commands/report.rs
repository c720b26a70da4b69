//! `ackclock report`: a result folder as one HTML file that opens anywhere, without a network.

use std::path::Path;

use ackclock_report as report;
use ackclock_store::document::{Document, Run};
use ackclock_store::{Holds, MARKER, ResultFolder, recorded, result, seal};

use super::own_page;
use crate::args::ReportArgs;
use crate::console;
use crate::failure::{Exit, Failure};
use crate::replace::{self, Kind};
use crate::seeds::say_that_it_waits;

/// Writes the report of a result folder, into it if no other place is named.
pub fn report(args: &ReportArgs) -> Result<Exit, Failure> {
    if let Some(page) = own_page::of(&args.dir)? {
        return match args.seed {
            None => own_page::show(&page, args.out.as_deref()),
            Some(_) => Err(Failure::usage(
                format_args!("--seed with `{}`, whose page shows all of its seeds", args.dir.display()),
                "leave out --seed",
            )),
        };
    }
    let (folder, document) = result::open(&args.dir)?;
    let run = run(folder, &document, args.seed)?;
    let series = recorded::series(folder, &document, run)?;
    let page = report::run::run(&document, run.seed, &series);
    let path = args.out.clone().unwrap_or_else(|| folder.join(REPORT));
    match args.out.is_none() && folder.join(MARKER).exists() {
        true => write_beside(folder, &page)?,
        false => write(&path, &page)?,
    }
    if series.is_empty() {
        console::note(format_args!(
            "note: nothing was recorded over time, so the report has no plots; run again with --record tcp,ports"
        ));
    }
    console::note(format_args!("report in {}", path.display()));
    Ok(Exit::Fine)
}

/// The run of a seed, or the first.
pub fn run<'a>(folder: &Path, document: &'a Document, seed: Option<u64>) -> Result<&'a Run, Failure> {
    if document.runs.is_empty() {
        return Err(Failure::outside(
            format_args!("`{}` has no finished run", folder.display()),
            "run the scenario to its end",
        ));
    }
    document.runs.iter().find(|run| seed.is_none_or(|seed| seed == run.seed)).ok_or_else(|| {
        let seeds: Vec<String> = document.runs.iter().take(20).map(|run| run.seed.to_string()).collect();
        Failure::usage(
            format_args!("`{}` has no run of this seed", folder.display()),
            format_args!("there are: {}", seeds.join(", ")),
        )
    })
}

/// Writes a report, which has its name only when it is whole. Nothing but an earlier report is replaced.
pub fn write(path: &Path, html: &str) -> Result<(), Failure> {
    replace::write(path, Kind::Report, seal::page(html).as_bytes(), HELP)
}

/// Writes the report into its result folder, whose marker keeps its checksum: `verify` names a page that is changed or missing.
fn write_beside(folder: &Path, page: &str) -> Result<(), Failure> {
    let path = folder.join(REPORT);
    replace::refuse_other(&path, Kind::Report, HELP)?;
    let mut taken = ResultFolder::take(folder, Holds::Run, &[REPORT], &mut |owner| say_that_it_waits(folder, owner))?;
    let page = seal::page(page);
    taken.note_beside(REPORT, blake3::hash(page.as_bytes()).to_hex().to_string())?;
    replace::write(&path, Kind::Report, page.as_bytes(), HELP)
}

/// The report of a result folder.
const REPORT: &str = "report.html";
const HELP: &str = "name another file with --out FILE";
