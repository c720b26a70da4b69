//! The ledger: an append-only file of finished runs, one JSON line each.
//!
//! A line is written with one call on a file opened for appending, so that several processes can share a ledger. What a
//! killed process or a full disk leaves of a line is closed with a newline by the next one, and then ignored, as
//! is every line that is not understood; none is ever removed.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::measure::Measurement;

/// What identifies a run: 32 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Key(String);

impl Key {
    /// A hash over the canonical text of the scenario, the seed, and the version of results.
    pub fn new(resolved: &str, seed: u64, result_version: u32) -> Key {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&result_version.to_le_bytes());
        hasher.update(&seed.to_le_bytes());
        hasher.update(resolved.as_bytes());
        Key(hasher.finalize().to_hex()[..32].to_string())
    }
}

#[derive(Serialize, Deserialize)]
struct Line<M> {
    key: Key,
    run: M,
}

/// Finished runs, in memory and on disk.
pub(crate) struct Ledger {
    path: PathBuf,
    file: File,
    runs: BTreeMap<Key, Measurement>,
}

impl Ledger {
    /// Opens the ledger of a folder; makes both where they do not exist.
    pub fn open(folder: &Path) -> Result<Ledger, Error> {
        let failed = |path: &Path, error| Error::Results { path: path.into(), error };
        fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
        let path = folder.join("runs.jsonl");
        let open = || -> std::io::Result<(File, Vec<u8>)> {
            let mut file = OpenOptions::new().create(true).read(true).append(true).open(&path)?;
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(0))?;
            file.read_to_end(&mut bytes)?;
            if bytes.last().is_some_and(|last| *last != b'\n') {
                file.write_all(b"\n")?;
            }
            Ok((file, bytes))
        };
        let (file, bytes) = open().map_err(|error| failed(&path, error))?;
        let runs = bytes
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice::<Line<Measurement>>(line).ok())
            .map(|line| (line.key, line.run))
            .collect();
        Ok(Ledger { path, file, runs })
    }

    /// A finished run.
    pub fn run(&self, key: &Key) -> Option<&Measurement> {
        self.runs.get(key)
    }

    /// Adds a finished run.
    pub fn append(&mut self, key: Key, run: Measurement) -> Result<(), Error> {
        let mut line =
            serde_json::to_string(&Line { key: key.clone(), run: &run }).expect("a measurement is plain data");
        line.push('\n');
        self.file.write_all(line.as_bytes()).map_err(|error| Error::Results { path: self.path.clone(), error })?;
        self.runs.insert(key, run);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::TestFolder;

    fn measurement(goodput: f64) -> Measurement {
        Measurement {
            seconds: 10.0,
            goodput_bps: vec![goodput],
            goodput_after_warmup_bps: vec![goodput / 3.0],
            fast_retransmits: vec![1],
            retransmissions: vec![2],
            longest_backoff: vec![3],
            timeouts_ms: vec![vec![100, 300]],
            drops: 5,
            ..Measurement::default()
        }
    }

    fn key(seed: u64) -> Key {
        Key::new("scenario", seed, 1)
    }

    #[test]
    fn the_key_changes_with_scenario_seed_and_result_version() {
        let keys = [Key::new("a", 1, 1), Key::new("b", 1, 1), Key::new("a", 2, 1), Key::new("a", 1, 2)];
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[..i].contains(key));
        }
        assert_eq!(Key::new("a", 1, 1), keys[0]);
    }

    #[test]
    fn what_is_appended_is_read_back_bit_for_bit() {
        let folder = TestFolder::new("ledger-round-trip");
        let odd = measurement(1e8 / 7.0);
        Ledger::open(folder.path()).unwrap().append(key(1), odd.clone()).unwrap();
        assert_eq!(Ledger::open(folder.path()).unwrap().run(&key(1)), Some(&odd));
        assert_eq!(Ledger::open(folder.path()).unwrap().run(&key(2)), None);
    }

    #[test]
    fn a_torn_last_line_is_ignored_and_does_not_spoil_the_next() {
        let folder = TestFolder::new("ledger-torn");
        let file = folder.path().join("runs.jsonl");
        let mut ledger = Ledger::open(folder.path()).unwrap();
        ledger.append(key(1), measurement(1.0)).unwrap();
        ledger.append(key(2), measurement(2.0)).unwrap();
        drop(ledger);
        let whole = fs::read(&file).unwrap();
        fs::write(&file, &whole[..whole.len() - 20]).unwrap();

        let mut ledger = Ledger::open(folder.path()).unwrap();
        assert_eq!(ledger.run(&key(1)), Some(&measurement(1.0)));
        assert_eq!(ledger.run(&key(2)), None);
        ledger.append(key(2), measurement(2.0)).unwrap();
        drop(ledger);
        let ledger = Ledger::open(folder.path()).unwrap();
        assert_eq!(ledger.run(&key(1)), Some(&measurement(1.0)));
        assert_eq!(ledger.run(&key(2)), Some(&measurement(2.0)));
    }

    #[test]
    fn lines_that_are_not_understood_are_kept_and_ignored() {
        let folder = TestFolder::new("ledger-foreign");
        let file = folder.path().join("runs.jsonl");
        let foreign = "{\"key\":\"ff\",\"run\":{\"of\":\"another version\"}}\n\n\u{fffd}\n";
        fs::write(&file, foreign).unwrap();
        Ledger::open(folder.path()).unwrap().append(key(1), measurement(1.0)).unwrap();
        assert!(fs::read_to_string(&file).unwrap().starts_with(foreign));
        assert!(Ledger::open(folder.path()).unwrap().run(&key(1)).is_some());
    }

    #[test]
    fn two_ledgers_of_one_folder_do_not_disturb_each_other() {
        let folder = TestFolder::new("ledger-two");
        let mut first = Ledger::open(folder.path()).unwrap();
        let mut second = Ledger::open(folder.path()).unwrap();
        for seed in 0..20 {
            let ledger = if seed % 2 == 0 { &mut first } else { &mut second };
            ledger.append(key(seed), measurement(seed as f64)).unwrap();
        }
        let all = Ledger::open(folder.path()).unwrap();
        assert!((0..20).all(|seed| all.run(&key(seed)) == Some(&measurement(seed as f64))));
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error_with_its_path() {
        let folder = TestFolder::new("ledger-blocked");
        let blocked = folder.path().join("file");
        fs::write(&blocked, "").unwrap();
        let error = Ledger::open(&blocked.join("below")).err().unwrap();
        assert!(matches!(error, Error::Results { path, .. } if path == blocked.join("below")));
    }
}
