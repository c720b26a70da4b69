//! From a path on the command line to a scenario, or to a message that helps.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use ackclock_scenario::{Disk, LoadError, Loaded};

use crate::diagnostics;
use crate::failure::Failure;
use crate::spelling;

/// Loads and checks a scenario. Warnings go to standard error; `consequence` is what an error prevents.
pub fn load(path: &str, sets: &[String], consequence: Option<&'static str>) -> Result<Loaded, Failure> {
    let loaded = ackclock_scenario::load(&Disk, path, sets).map_err(|error| failure(error, consequence))?;
    diagnostics::print(&loaded.warnings);
    Ok(loaded)
}

/// Loads and checks a scenario, and gives it with a comment at each key that says where its value comes from. Warnings go to
/// standard error.
pub fn load_annotated(path: &str, sets: &[String]) -> Result<(Loaded, String), Failure> {
    let (loaded, annotated) =
        ackclock_scenario::load_annotated(&Disk, path, sets).map_err(|error| failure(error, None))?;
    diagnostics::print(&loaded.warnings);
    Ok((loaded, annotated))
}

/// What is wrong with a scenario; `consequence` is what it prevents.
pub fn failure(error: LoadError, consequence: Option<&'static str>) -> Failure {
    match error {
        LoadError::Unreadable { path, error } => unreadable(&path, &error),
        LoadError::Invalid(diagnostics) => Failure::Scenario { diagnostics, consequence },
    }
}

fn unreadable(path: &str, error: &io::Error) -> Failure {
    let help = match error.kind() {
        ErrorKind::NotFound => missing(Path::new(path)),
        ErrorKind::IsADirectory => "name a scenario file in this folder".into(),
        ErrorKind::FileTooLarge => "name a scenario file: text of a few kB".into(),
        ErrorKind::PermissionDenied => "allow reading it, or copy it to a place where you can read it".into(),
        _ => "check the path and the disk".into(),
    };
    Failure::outside(format_args!("cannot read `{path}`: {error}"), help)
}

/// What may be meant by a file that is not there.
fn missing(path: &Path) -> String {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = fs::read_dir(folder) else {
        return format!("there is no folder `{}`", folder.display());
    };
    let mut names: Vec<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    let wanted = path.file_name().unwrap_or_default().to_string_lossy();
    match spelling::nearest(&wanted, names.iter().map(String::as_str)) {
        Some(name) => format!("did you mean `{}`?", path.with_file_name(name).display()),
        None => "`ackclock init` writes a scenario to start from".into(),
    }
}
