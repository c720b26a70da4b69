//! The result folder. Nothing half-written ever has a final name: files are written under other names, then renamed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;

use ackclock_results::document::{Document, ScenarioPart};
use ackclock_results::events;

use crate::editors;
use crate::failure::Failure;
use crate::output;
use crate::stage::{self, Stage};

/// A folder that can be written to and holds nothing but, at most, an earlier result of ours.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// The folders that were not there before, outermost first.
    created: Vec<PathBuf>,
    /// What runs recorded, until the result is written.
    stage: Stage,
}

impl Folder {
    /// The folder for the results of a scenario where none is given: the same scenario has the same folder.
    pub fn default_path(scenario: &ScenarioPart) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
        let name: String = scenario.name.chars().take(60).map(plain).collect();
        Path::new("results").join(format!("{name}-{}", &scenario.hash[..8]))
    }

    /// Creates the folder if it is not there, and finds out now, not after the simulation, whether it can be used.
    pub fn prepare(path: &Path) -> Result<Folder, Failure> {
        refuse_foreign(path)?;
        let missing = path.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists());
        let mut created: Vec<PathBuf> = missing.map(Path::to_path_buf).collect();
        created.reverse();
        let folder = Folder { path: path.to_path_buf(), created, stage: Stage::new(path) };
        let probe = folder.temporary("probe");
        fs::create_dir_all(path)
            .and_then(|()| write_whole(&probe, |out| out.write_all(b"probe\n")))
            .and_then(|()| fs::remove_file(&probe))
            .map_err(|error| cannot_write(path, &error))?;
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The result that is already in the folder.
    pub fn earlier(&self) -> Option<Document> {
        Document::from_json(&fs::read_to_string(self.path.join(RESULT)).ok()?)
    }

    /// Where runs put what they recorded as they end.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Writes the result, with what its runs recorded; what an earlier result recorded goes. Other files in the folder
    /// stay.
    pub fn write(&self, document: &Document) -> Result<(), Failure> {
        let files = [SCENARIO, RESULT];
        let schema = editors::line_below(&self.path);
        let scenario = [schema.as_bytes(), document.scenario.resolved.as_bytes()].concat();
        let text = |out: &mut BufWriter<File>| out.write_all(&scenario);
        let written = write_whole(&self.temporary(SCENARIO), text)
            .and_then(|()| write_whole(&self.temporary(RESULT), |out| document.write_json(out)))
            // What was recorded first: without it the result would promise too much. In between it does not fit the
            // earlier result, and who reads it notices.
            .and_then(|()| self.stage.take_over(document))
            .and_then(|()| self.write_events(document))
            .and_then(|()| files.iter().try_for_each(|name| fs::rename(self.temporary(name), self.path.join(name))));
        if written.is_ok() {
            self.stage.remove_others(document);
        }
        if written.is_err() {
            for name in files {
                // Best effort: what matters is that the final names are untouched.
                let _ = fs::remove_file(self.temporary(name));
            }
        }
        written.map_err(|error| cannot_write(&self.path, &error))
    }

    /// The table of events, if there are any; that of an earlier result goes.
    fn write_events(&self, document: &Document) -> io::Result<()> {
        let path = self.path.join(events::FILE);
        if document.scenario.events.is_empty() {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let temporary = self.temporary(events::FILE);
        events::write(&temporary, &document.scenario).and_then(|()| fs::rename(&temporary, path))
    }

    fn temporary(&self, name: &str) -> PathBuf {
        self.path.join(format!(".{name}.{}{TEMPORARY}", process::id()))
    }
}

/// A folder that was made for a result that did not come is taken away again.
impl Drop for Folder {
    fn drop(&mut self) {
        self.stage.clear();
        for folder in self.created.iter().rev() {
            // Fails where a result is inside, as it should.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Refuses to mix results with other people's files.
fn refuse_foreign(path: &Path) -> Result<(), Failure> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(cannot_write(path, &error)),
    };
    let ours = |name: &str| {
        [SCENARIO, events::FILE].contains(&name) || name.ends_with(TEMPORARY) || stage::is_recorded(&path.join(name))
    };
    let foreign = entries.flatten().any(|entry| !ours(&entry.file_name().to_string_lossy()));
    let result = fs::read_to_string(path.join(RESULT)).ok().and_then(|text| Document::from_json(&text));
    if foreign && result.is_none() {
        return Err(Failure::outside(
            format_args!("`{}` holds files that are not a result of ackclock; nothing was run", path.display()),
            "name a new or empty folder with --out DIR",
        ));
    }
    Ok(())
}

/// Writes a file and makes sure that it has reached the disk; a full disk shows here.
fn write_whole(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let written = write(&mut out).and_then(|()| out.flush()).and_then(|()| out.get_ref().sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::outside(
        format_args!("cannot write to the folder `{}`: {error}", path.display()),
        output::remedy(error, "choose another folder with --out DIR"),
    )
}

pub const SCENARIO: &str = "scenario.toml";
pub const RESULT: &str = "result.json";
const TEMPORARY: &str = ".partial";

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_results::example::example;

    /// A path below which the test may do what it likes.
    fn place(name: &str) -> PathBuf {
        let place = std::env::temp_dir().join(format!("ackclock-{}-{name}", process::id()));
        let _ = fs::remove_dir_all(&place);
        place
    }

    fn names(path: &Path) -> Vec<String> {
        let entries = fs::read_dir(path).unwrap().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_written_result_can_be_read_again_and_replaced() {
        let place = place("replaced");
        let (first, second) = (example(1, 1, 1), example(2, 1, 1));
        Folder::prepare(&place.join("a/b")).unwrap().write(&first).unwrap();
        let folder = Folder::prepare(&place.join("a/b")).unwrap();
        assert_eq!(folder.earlier(), Some(first));
        folder.write(&second).unwrap();
        assert_eq!(folder.earlier(), Some(second));
        assert_eq!(names(&place.join("a/b")), [RESULT, SCENARIO]);
        fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn a_folder_without_a_result_leaves_no_trace() {
        let place = place("no-trace");
        drop(Folder::prepare(&place.join("a/b")).unwrap());
        assert!(!place.exists());
    }

    #[test]
    fn files_of_others_are_neither_mixed_with_nor_removed() {
        let place = place("foreign");
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("thesis.tex"), "years of work").unwrap();
        assert!(Folder::prepare(&place).is_err());
        assert_eq!(names(&place), ["thesis.tex"]);
        // With a result of ours beside it, it is a result folder to which somebody added something.
        fs::write(place.join(RESULT), example(1, 1, 1).to_json()).unwrap();
        Folder::prepare(&place).unwrap().write(&example(2, 1, 1)).unwrap();
        assert_eq!(names(&place), [RESULT, SCENARIO, "thesis.tex"]);
        fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn a_failed_write_leaves_the_earlier_result_whole() {
        let place = place("failed");
        let first = example(1, 1, 1);
        let folder = Folder::prepare(&place).unwrap();
        folder.write(&first).unwrap();
        // A folder in the place of the second temporary file: the first is written, the second is not.
        fs::create_dir(folder.temporary(RESULT)).unwrap();
        assert!(folder.write(&example(2, 1, 1)).is_err());
        assert_eq!(folder.earlier(), Some(first));
        assert!(!folder.temporary(SCENARIO).exists());
        fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn the_default_path_is_made_of_name_and_hash() {
        let mut scenario = example(1, 1, 1).scenario;
        scenario.name = "../WAN 5/\u{e9}".into();
        assert_eq!(Folder::default_path(&scenario), Path::new("results/---WAN-5---01234567"));
    }
}
