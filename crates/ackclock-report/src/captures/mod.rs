//! The captures of a result, one folder for each run: a pcapng file for each host, and an index.
//!
//! As with tables, the index is written last and says whose captures these are, with a checksum of each file.

mod blocks;
mod headers;
pub mod pcapng;

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use ackclock::record::Capture;
use ackclock::sim::RESULT_VERSION;
use serde::{Deserialize, Serialize};

use ackclock_store::document::{Document, Run, ScenarioPart};
use ackclock_store::seal;
use ackclock_store::tables::{self, Length};
use ackclock_store::{Findings, files};
use pcapng::Meta;

/// The number that changes whenever a reader of the index would have to.
pub const FORMAT_VERSION: u32 = 1;
/// The folder of all captures in a result folder.
pub const FOLDER: &str = "captures";
/// The file that vouches for the others.
pub const INDEX: &str = "index.json";

/// What `index.json` holds.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Index {
    #[serde(flatten)]
    origin: Origin,
    /// In the order of the hosts.
    files: Vec<Entry>,
}

/// The run that captures belong to.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Origin {
    format: String,
    format_version: u32,
    /// The version of the program.
    ackclock: String,
    result_version: u32,
    scenario_hash: String,
    seed: u64,
    /// Of the run.
    fingerprint: String,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    /// The file is called HOST.pcapng.
    host: String,
    packets: u64,
    bytes: u64,
    /// Of the file, in hexadecimal digits.
    blake3: String,
}

/// Where the captures of a seed are in a result folder.
pub fn folder_of(result: &Path, seed: u64) -> PathBuf {
    result.join(FOLDER).join(tables::seed_folder(seed))
}

/// Writes the captures of a run to a folder, which is made if it is not there, and in which nothing of this name may be.
/// Everything has reached the disk when this returns.
///
/// # Errors
/// If a file cannot be written: no room, no permission. What was begun stays; without an index it is not taken for
/// captures.
///
/// # Panics
/// If a capture is of a host or of a flow that `meta` does not know.
pub fn write(folder: &Path, captures: &[Capture], meta: &Meta, scenario: &ScenarioPart, run: &Run) -> io::Result<()> {
    files::create_folder(folder)?;
    let mut files = Vec::new();
    for capture in captures {
        let path = folder.join(pcapng::file_name(&capture.host));
        // Where S1 and s1 are the same file, one of two hosts would replace the other without a word.
        let mut out = BufWriter::new(files::create_new(&path)?);
        pcapng::write(&mut out, capture, meta, run.seed)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        let (bytes, blake3) = checksum(&path)?;
        files.push(Entry { host: capture.host.clone(), packets: capture.packets.len() as u64, bytes, blake3 });
    }
    let index = Index { origin: Origin::of(scenario, run), files };
    let text = seal::to_text(&index);
    let mut file = files::create_new(&folder.join(INDEX))?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// How long the files of some captures would be, without writing them, in octets.
pub fn length(captures: &[Capture], meta: &Meta, seed: u64) -> u64 {
    let mut counted = Length::default();
    for capture in captures {
        pcapng::write(&mut counted, capture, meta, seed).expect("what only counts does not fail");
    }
    counted.0
}

/// Whether the captures in a result folder are those of this very run.
pub fn belong(result: &Path, document: &Document, run: &Run) -> bool {
    index_of_run(result, document, run).is_some()
}

/// Whether they are there as they were written, each file whole.
pub fn are_whole(result: &Path, document: &Document, run: &Run) -> bool {
    let folder = folder_of(result, run.seed);
    let whole = |entry: &Entry| {
        let found = checksum(&folder.join(pcapng::file_name(&entry.host)));
        found.is_ok_and(|(bytes, blake3)| bytes == entry.bytes && blake3 == entry.blake3)
    };
    index_of_run(result, document, run).is_some_and(|index| index.files.iter().all(whole))
}

/// Adds everything of the captures in a folder that is not as it was written. They have to be those of the run of this seed and
/// fingerprint, and of the scenario of this hash, if it is known.
pub fn verify(
    folder: &Path,
    scenario_hash: Option<&str>,
    (seed, fingerprint): (u64, &str),
    remedy: &str,
    findings: &mut Findings,
) {
    let path = folder.join(INDEX);
    let Some(text) = ackclock_store::read_file(&path, remedy, findings) else { return };
    let index: Index = match seal::read(&text) {
        Ok(index) => index,
        Err(what) => return findings.damage(&path, what, remedy),
    };
    let origin = &index.origin;
    let is_of_run = origin.seed == seed && origin.fingerprint == fingerprint;
    if !is_of_run || scenario_hash.is_some_and(|hash| origin.scenario_hash != hash) {
        return findings.damage(&path, "it belongs to another run than the result beside it", remedy);
    }
    let name = |entry: &Entry| pcapng::file_name(&entry.host);
    for entry in &index.files {
        let file = folder.join(name(entry));
        match checksum(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => findings.damage(&file, "it is missing", remedy),
            Err(error) => findings.damage(&file, format!("it cannot be read: {error}"), remedy),
            Ok((bytes, _)) if bytes != entry.bytes => {
                findings.damage(&file, format!("it has {bytes} bytes, {} were written", entry.bytes), remedy);
            }
            Ok((_, blake3)) if blake3 != entry.blake3 => findings.damage(&file, "its checksum is wrong", remedy),
            Ok(_) => {}
        }
    }
    for other in fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = other.file_name().to_string_lossy().into_owned();
        if found != INDEX && !index.files.iter().any(|entry| name(entry) == found) {
            findings.damage(&other.path(), "it does not belong to these captures", "move it to another folder");
        }
    }
}

fn index_of_run(result: &Path, document: &Document, run: &Run) -> Option<Index> {
    let text = files::read(&folder_of(result, run.seed).join(INDEX)).ok()?;
    let index: Index = serde_json::from_slice(&text).ok()?;
    let expected = Origin::of(&document.scenario, run);
    // What another version of the program wrote of the same run will do.
    (Origin { ackclock: expected.ackclock.clone(), ..index.origin } == expected)
        .then_some(Index { origin: expected, files: index.files })
}

impl Origin {
    fn of(scenario: &ScenarioPart, run: &Run) -> Origin {
        Origin {
            format: "ackclock-captures".into(),
            format_version: FORMAT_VERSION,
            ackclock: env!("CARGO_PKG_VERSION").into(),
            result_version: RESULT_VERSION,
            scenario_hash: scenario.hash.clone(),
            seed: run.seed,
            fingerprint: run.fingerprint.clone(),
        }
    }
}

/// Length and BLAKE3 of a file as it is on the disk.
fn checksum(path: &Path) -> io::Result<(u64, String)> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(files::open(path)?)?;
    Ok((hasher.count(), hasher.finalize().to_hex().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_store::document::example::example;

    /// Captures of the first of two runs in a folder of this name; without packets, which are of no matter here.
    fn written(name: &str) -> (PathBuf, Document) {
        let result = std::env::temp_dir().join(format!("ackclock-captures-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&result);
        let document = example(1, 1, 2);
        let hosts = ["a", "b"].map(String::from).to_vec();
        let captures: Vec<_> = hosts.iter().map(|host| Capture { host: host.clone(), packets: Vec::new() }).collect();
        let meta =
            Meta { scenario: "x".into(), hash: "00".into(), hosts, flows: Vec::new(), udp: Vec::new(), real: None };
        let run = &document.runs[0];
        write(&folder_of(&result, run.seed), &captures, &meta, &document.scenario, run).unwrap();
        (result, document)
    }

    #[test]
    fn captures_belong_to_one_run_of_one_scenario() {
        let (result, document) = written("belong");
        let run = &document.runs[0];
        assert!(belong(&result, &document, run) && are_whole(&result, &document, run));
        assert!(!belong(&result, &document, &document.runs[1]), "another seed");
        let other = Run { fingerprint: "0000000000000000".into(), ..run.clone() };
        assert!(!belong(&result, &document, &other));
        let mut changed = document.clone();
        changed.scenario.hash = "fedcba9876543210".into();
        assert!(!belong(&result, &changed, run) && !are_whole(&result, &changed, run));
        fs::remove_dir_all(result).unwrap();
    }

    #[test]
    fn a_missing_or_changed_file_is_noticed() {
        let (result, document) = written("damaged");
        let run = &document.runs[0];
        let file = folder_of(&result, run.seed).join("b.pcapng");
        let content = fs::read(&file).unwrap();
        for damage in [&content[1..], &[]] {
            fs::write(&file, damage).unwrap();
            assert!(!are_whole(&result, &document, run));
        }
        fs::write(&file, &content).unwrap();
        assert!(are_whole(&result, &document, run));
        fs::remove_file(&file).unwrap();
        assert!(!are_whole(&result, &document, run) && belong(&result, &document, run));
        fs::remove_dir_all(result).unwrap();
    }

    #[test]
    fn a_file_is_never_replaced() {
        let (result, document) = written("twice");
        let folder = folder_of(&result, 1);
        let meta = Meta {
            scenario: "x".into(),
            hash: "00".into(),
            hosts: vec!["a".into()],
            flows: Vec::new(),
            udp: Vec::new(),
            real: None,
        };
        let again = [Capture { host: "a".into(), packets: Vec::new() }];
        let error = write(&folder, &again, &meta, &document.scenario, &document.runs[0]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        fs::remove_dir_all(result).unwrap();
    }
}
