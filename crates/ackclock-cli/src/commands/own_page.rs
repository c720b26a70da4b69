//! Folders of sweeps and studies have a page of their own: `report` and `compare` show that.

use std::fs;
use std::path::{Path, PathBuf};

use ackclock_store::{Findings, Holds, Marked};

use crate::console;
use crate::failure::{Exit, Failure};
use crate::replace::{self, Kind};

/// The page of a folder that holds a sweep or a study; `None` of other folders.
pub fn of(folder: &Path) -> Result<Option<PathBuf>, Failure> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let Some(marked) = Marked::open(folder, &mut Findings::default())? else { return Ok(None) };
    if marked.holds() == Holds::Run {
        return Ok(None);
    }
    let page = folder.join(PAGE);
    match page.is_file() {
        true => Ok(Some(page)),
        false => Err(Failure::outside(
            format_args!("`{}` is {} without a page", folder.display(), marked.holds().in_words()),
            "run that command again: it runs what is missing, and writes report.html",
        )),
    }
}

/// Says where the page is; or copies it to another file, if one is named.
pub fn show(page: &Path, out: Option<&Path>) -> Result<Exit, Failure> {
    if let Some(out) = out {
        let text = fs::read(page).map_err(|error| {
            Failure::outside(format_args!("`{}` cannot be read: {error}", page.display()), "check its permissions")
        })?;
        replace::write(out, Kind::Report, &text, "name another file with --out FILE")?;
    }
    console::note(format_args!("report in {}", out.unwrap_or(page).display()));
    Ok(Exit::Fine)
}

/// The page of a sweep or a study.
const PAGE: &str = "report.html";
