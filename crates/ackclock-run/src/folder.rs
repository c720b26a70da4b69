//! The folder of a result. Nothing half-written ever has a final name: files are written under other names, then renamed.

use std::fs;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use ackclock::record::Records;
use ackclock_store::Owner;
use ackclock_store::document::events;
use ackclock_store::document::{Document, Run, ScenarioPart};
use ackclock_store::folder::checksum;
use ackclock_store::result::{RESULT, SCENARIO};
use ackclock_store::{Damage, Holds, ResultFolder, StoreError, WholeFile};

use crate::KeepError;
use crate::unfinished::{Unfinished, Wanted};

/// A folder of results that this process uses alone.
#[derive(Debug)]
pub struct Folder {
    /// Goes first: the folder is taken away if nothing is left in it.
    unfinished: Unfinished,
    store: ResultFolder,
}

impl Folder {
    /// The folder for the results of a scenario where none is given: the same scenario has the same folder.
    pub fn default_path(scenario: &ScenarioPart) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
        let name: String = scenario.name.chars().take(60).map(plain).collect();
        Path::new("results").join(format!("{name}-{}", &scenario.hash[..8]))
    }

    /// Creates the folder if it is not there, and finds out now, not after the simulation, whether it can be used and
    /// whether what a result would replace in it is ours. `waits` is told of the process that used the folder last, if it has to be seen
    /// whether it still does.
    pub fn prepare(path: &Path, part: &ScenarioPart, mut waits: impl FnMut(&Owner)) -> Result<Folder, StoreError> {
        let mut store = ResultFolder::take(path, Holds::Run, &FILES, &mut waits)?;
        let unfinished = Unfinished::of(path, part);
        store.check_unchanged(SCENARIO)?;
        store.check_unchanged(events::FILE)?;
        unfinished.check_recorded()?;
        if !path.join(RESULT).exists() {
            // It was about to be written, or somebody removed it.
            store.note_incomplete()?;
        }
        Ok(Folder { unfinished, store })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.store.path()
    }

    /// Whether there is a result of all its seeds.
    pub fn holds_complete(&self) -> bool {
        self.store.is_complete() != Some(false) && self.path().join(RESULT).exists()
    }

    /// The runs that an earlier call finished for a result that it did not write, or not as a whole. They are not run
    /// again. Beside them what of their ledger cannot be used.
    pub fn finished_before(
        &self,
        wanted: &Wanted,
        part: &ScenarioPart,
        seeds: &RangeInclusive<u64>,
    ) -> Result<(Vec<Run>, Damage), StoreError> {
        self.unfinished.finished_before(wanted, part, seeds)
    }

    /// Keeps a run that has come to its end, whatever becomes of the others. Returns it as a result takes it.
    pub fn keep(&self, wanted: &Wanted, part: &ScenarioPart, run: Run, records: &Records) -> Result<Run, KeepError> {
        // What gets a name is looked for first: a folder that was removed would be made again.
        match self.unfinished.makes_files(wanted) {
            true => self.store.check_now()?,
            false => self.store.check()?,
        }
        self.unfinished.keep(wanted, part, run, records)
    }

    /// Keeps what a run recorded, for a result that is written next. Returns the run as a result takes it.
    pub fn keep_recorded(
        &self,
        wanted: &Wanted,
        part: &ScenarioPart,
        run: Run,
        records: &Records,
    ) -> Result<Run, KeepError> {
        self.store.check_now()?;
        self.unfinished.keep_recorded(wanted, part, run, records)
    }

    /// Makes sure that all that was kept has reached the disk.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.unfinished.sync()
    }

    /// Writes the result, with what its runs recorded; what an earlier result recorded goes. Other files in the folder
    /// stay, and so do the finished runs of an incomplete result: the same command goes on from them.
    /// `head` is written above the scenario file.
    pub fn write(&mut self, document: &Document, head: &str) -> Result<(), StoreError> {
        self.store.check_now()?;
        self.write_files(document, head)?;
        if document.complete {
            self.unfinished.remove_others(document);
        }
        Ok(())
    }

    /// Writes the files of a result, each whole or not at all.
    fn write_files(&mut self, document: &Document, head: &str) -> Result<(), StoreError> {
        let path = self.path().to_path_buf();
        let failed = |name: &str| {
            let file = path.join(name);
            move |error: io::Error| StoreError::io(&file, error)
        };
        let write_scenario = || -> io::Result<WholeFile> {
            let mut scenario = WholeFile::create(&path.join(SCENARIO))?;
            scenario.write_all(head.as_bytes())?;
            scenario.write_all(document.scenario.resolved.as_bytes())?;
            scenario.sync()?;
            Ok(scenario)
        };
        let scenario = write_scenario().map_err(failed(SCENARIO))?;
        let mut result = WholeFile::create(&path.join(RESULT)).map_err(failed(RESULT))?;
        document.kept().write_json(&mut result).and_then(|()| result.sync()).map_err(failed(RESULT))?;
        let events = self.events(document).map_err(failed(events::FILE))?;
        let mut files = vec![(SCENARIO, checksum(scenario.temporary()).map_err(failed(SCENARIO))?)];
        if let Some(events) = &events {
            files.push((events::FILE, checksum(events.temporary()).map_err(failed(events::FILE))?));
        }
        // That makes sure, too, that the folder is still ours.
        self.store.note(&files, document.complete)?;
        // What was recorded first: without it the result would promise too much. In between it does not fit the
        // earlier result, and readers detect that.
        self.unfinished.take_over(document).map_err(|error| StoreError::folder(&path, error))?;
        match events {
            Some(events) => events.commit(),
            None => remove_if_there(&path.join(events::FILE)),
        }
        .map_err(failed(events::FILE))?;
        scenario.commit().map_err(failed(SCENARIO))?;
        result.commit().map_err(failed(RESULT))
    }

    /// The table of events, if there are any.
    fn events(&self, document: &Document) -> io::Result<Option<WholeFile>> {
        if document.scenario.events.is_empty() {
            return Ok(None);
        }
        let mut file = WholeFile::create(&self.path().join(events::FILE))?;
        events::write(&mut file, &document.scenario.events, &document.scenario.hash)?;
        file.sync()?;
        Ok(Some(file))
    }
}

/// A folder that another process took while this one was suspended is left as it is.
impl Drop for Folder {
    fn drop(&mut self) {
        if self.store.check_now().is_err() {
            self.unfinished.leave();
        }
    }
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Files of a result. The page is written by `report`; what a killed one left of it goes with the rest.
const FILES: [&str; 4] = [SCENARIO, RESULT, events::FILE, "report.html"];

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_store::MARKER;
    use ackclock_store::document::example::example;

    /// A path below which the test may do what it likes.
    fn place(name: &str) -> PathBuf {
        let place = std::env::temp_dir().join(format!("ackclock-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&place);
        place
    }

    fn prepare(path: &Path) -> Result<Folder, StoreError> {
        Folder::prepare(path, &example(1, 1, 1).scenario, |_| {})
    }

    fn kept(path: &Path) -> Option<Document> {
        Document::from_json(&fs::read_to_string(path.join(RESULT)).unwrap())
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
        let path = place.join("a/b");
        let (first, second) = (example(1, 1, 1), example(2, 1, 1));
        prepare(&path).unwrap().write(&first, "").unwrap();
        assert_eq!(kept(&path), Some(first));
        let mut folder = prepare(&path).unwrap();
        assert!(folder.holds_complete());
        folder.write(&second, "").unwrap();
        drop(folder);
        assert_eq!(kept(&path), Some(second));
        assert_eq!(names(&path), [MARKER, RESULT, SCENARIO]);
        fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn a_folder_without_a_result_leaves_no_trace() {
        let place = place("no-trace");
        drop(prepare(&place.join("a/b")).unwrap());
        assert!(!place.exists());
    }

    #[test]
    fn files_of_others_are_neither_mixed_with_nor_removed() {
        let place = place("foreign");
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("thesis.tex"), "years of work").unwrap();
        assert!(prepare(&place).is_err());
        assert_eq!(names(&place), ["thesis.tex"]);
        // A result of ours beside it makes no difference: copying it there does not give us the folder.
        fs::write(place.join(RESULT), example(1, 1, 1).to_json()).unwrap();
        assert!(prepare(&place).is_err());
        fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn what_the_user_changed_or_added_is_not_replaced() {
        let place = place("changed");
        prepare(&place).unwrap().write(&example(1, 1, 1), "").unwrap();
        drop(prepare(&place).unwrap());
        fs::write(place.join(SCENARIO), "# why I do this\nseed = 1\n").unwrap();
        assert!(prepare(&place).is_err());
        fs::remove_file(place.join(SCENARIO)).unwrap();
        drop(prepare(&place).unwrap());
        for added in ["events.parquet", "tables/seed-7/notes.txt", "captures/seed-1/tables/cwnd.parquet"] {
            let path = place.join(added);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "mine").unwrap();
            assert!(prepare(&place).is_err(), "{added}");
            assert_eq!(fs::read(&path).unwrap(), b"mine");
            fs::remove_file(&path).unwrap();
            let _ = fs::remove_dir_all(place.join("captures/seed-1"));
            drop(prepare(&place).unwrap());
        }
        fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn a_failed_write_leaves_the_earlier_result_whole() {
        let place = place("failed");
        let first = example(1, 1, 1);
        let mut folder = prepare(&place).unwrap();
        folder.write(&first, "").unwrap();
        // A file in the place of the folder of tables, and tables to be moved there.
        fs::write(place.join("tables"), "").unwrap();
        let staged = place.join(".ackclock.unfinished").join(&first.scenario.hash[..16]).join("tables/seed-1");
        fs::create_dir_all(staged).unwrap();
        assert!(folder.write(&example(2, 1, 1), "").is_err());
        drop(folder);
        assert_eq!(kept(&place), Some(first));
        assert_eq!(names(&place), [MARKER, RESULT, SCENARIO, "tables"]);
        // The scenario that was not written after all did not make the folder unusable.
        fs::remove_file(place.join("tables")).unwrap();
        drop(prepare(&place).unwrap());
        fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn the_default_path_is_made_of_name_and_hash() {
        let mut scenario = example(1, 1, 1).scenario;
        scenario.name = "../WAN 5/\u{e9}".into();
        assert_eq!(Folder::default_path(&scenario), Path::new("results/---WAN-5---01234567"));
    }

    fn records(run: &Run) -> Records {
        Records {
            seed: run.seed,
            simulated: ackclock::units::Span::from_secs(1),
            complete: true,
            flows: Vec::new(),
            udp: Vec::new(),
            ports: Vec::new(),
            links: Vec::new(),
            efficiency: None,
            efficiency_after_warmup: None,
            fairness: Some(1.0),
            after_warmup: None,
            fingerprint: 0,
            series: Vec::new(),
            captures: Vec::new(),
        }
    }

    /// At once: the lock is looked at on the disk only every tenth of a second where nothing gets a name.
    #[test]
    fn a_folder_that_was_removed_is_not_made_again() {
        let place = place("removed");
        let document = example(1, 1, 2);
        let wanted = Wanted::nothing();
        let mut folder = prepare(&place).unwrap();
        fs::remove_dir_all(&place).unwrap();
        let kept = folder.keep(&wanted, &document.scenario, document.runs[0].clone(), &records(&document.runs[0]));
        assert!(kept.is_err() && folder.write(&document, "").is_err());
        drop(folder);
        assert!(!place.exists());
        // With a ledger already, whose file has no name any more.
        let mut folder = prepare(&place).unwrap();
        folder.keep(&wanted, &document.scenario, document.runs[0].clone(), &records(&document.runs[0])).unwrap();
        fs::remove_dir_all(&place).unwrap();
        let _ = folder.keep(&wanted, &document.scenario, document.runs[1].clone(), &records(&document.runs[1]));
        assert!(folder.write(&document, "").is_err());
        drop(folder);
        assert!(!place.exists());
    }
}
