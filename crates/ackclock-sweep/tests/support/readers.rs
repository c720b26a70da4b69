//! What must hold for whatever stands in the files of result folders. Shared by the tests and the fuzz target.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use ackclock::record::{Columns, Metric, Series};
use ackclock::sim::{Engine, RESULT_VERSION};
use ackclock::units::Time;
use ackclock_run::Folder;
use ackclock_scenario::Memory;
use ackclock_scenario::sweep::{Request, Sweep};
use ackclock_store::document::example::example;
use ackclock_store::tables::{self, Origin};
use ackclock_store::{Findings, Holds, Key, Ledger, Marked, recorded, result, seal};
use ackclock_sweep::summary::Method;
use ackclock_sweep::{Checked, Options, Plan, Shard, Store, run_missing};
use tempfile::TempDir;

/// The files that are damaged: of a result with tables and of an unfinished one, and of a sweep.
const FILES: [(&str, &str); 8] = [
    ("run", "result.json"),
    ("run", ".ackclock"),
    ("run", "tables/seed-1/index.json"),
    ("run", "tables/seed-1/cwnd.parquet"),
    ("run", ".ackclock.unfinished/x/runs.jsonl"),
    ("sweep", "sweep.json"),
    ("sweep", "runs.jsonl"),
    ("sweep", "table.csv"),
];

/// Puts bytes into a file of a result folder and reads the folder. The first byte says which file; the second whether what follows
/// is all of it, or what is changed in it, and whether its checksum is made to fit.
pub fn check_bytes(bytes: &[u8]) {
    let [which, how, bytes @ ..] = bytes else { return };
    PLACE.with(|place| check_in(place.path(), FILES[usize::from(*which) % FILES.len()], *how, bytes));
}

fn check_in(place: &Path, (folder, name): (&str, &str), how: u8, bytes: &[u8]) {
    let path = place.join(folder).join(name);
    let before = fs::read(&path).unwrap();
    let mut content = if how & 1 == 0 { bytes.to_vec() } else { changed(&before, bytes) };
    if how & 2 != 0 {
        sealed(&mut content, name);
    }
    fs::write(&path, &content).unwrap();
    read(&place.join(folder), &path, content == before);
    fs::write(&path, &before).unwrap();
}

/// Reads everything in a folder.
fn read(folder: &Path, damaged: &Path, is_whole: bool) {
    let mut findings = Findings::default();
    if let Some(marked) = Marked::open(folder, &mut findings).unwrap() {
        findings.append(match marked.holds() {
            Holds::Sweep => ackclock_sweep::verify(&marked),
            _ => ackclock_run::verify(&marked),
        });
    }
    for finding in findings.all() {
        let text = finding.to_string();
        assert!(!text.contains('\n') && !finding.what.is_empty() && !finding.remedy.is_empty(), "{text:?}");
    }
    assert!(!is_whole || findings.all().is_empty(), "{findings:?}");
    if let Ok((_, document)) = result::open(folder) {
        for run in &document.runs {
            let _ = recorded::series(folder, &document, run).map_err(|error| assert!(!error.to_string().is_empty()));
        }
    }
    if damaged.ends_with("sweep.json") {
        let _ = Plan::parse(&fs::read(damaged).unwrap()).map_err(|error| assert!(!error.is_empty()));
    }
}

/// Changes by instructions of four bytes: where, what, and with what.
fn changed(before: &[u8], instructions: &[u8]) -> Vec<u8> {
    let mut content = before.to_vec();
    for instruction in instructions.chunks_exact(4) {
        let share = usize::from(u16::from_le_bytes([instruction[0], instruction[1]]));
        let at = (share * (content.len() + 1)) >> 16;
        match (instruction[2] % 5, content.get_mut(at)) {
            (0, Some(byte)) => *byte = instruction[3],
            (1, Some(byte)) => *byte ^= 1 << (instruction[3] % 8),
            (2, _) => content.insert(at, instruction[3]),
            (3, Some(_)) => drop(content.drain(at..(at + usize::from(instruction[3])).min(content.len()))),
            (4, _) => content.truncate(at.max(content.len().saturating_sub(usize::from(instruction[3])))),
            _ => {}
        }
    }
    content
}

/// Gives a document, or each line of a ledger, the checksum that it would have.
fn sealed(content: &mut Vec<u8>, name: &str) {
    let text = String::from_utf8_lossy(content).into_owned();
    if name.ends_with(".json") || name == ".ackclock" {
        let end =
            text.rfind(",\n  \"blake3\"").unwrap_or_else(|| text.trim_end().trim_end_matches('}').trim_end().len());
        let document = &text[..end];
        *content = format!("{document},\n  \"blake3\": \"{}\"\n}}\n", blake3::hash(document.as_bytes())).into_bytes();
    } else if name.ends_with(".jsonl") {
        let seal = |line: &str| {
            let run = &line[..line.rfind(",\"blake3\"").unwrap_or(line.len())];
            format!("{run},\"blake3\":\"{}\"}}\n", &blake3::hash(run.as_bytes()).to_hex()[..32])
        };
        *content = text.lines().map(seal).collect::<String>().into_bytes();
    }
}

thread_local! {
    /// A folder with a result and a sweep, made once, which goes with the thread.
    static PLACE: TempDir = {
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
        let place = tempfile::Builder::new().prefix("ackclock-readers-").tempdir_in(base).unwrap();
        write_run(&place.path().join("run"));
        write_sweep(&place.path().join("sweep"));
        place
    };
}

fn write_run(folder: &Path) {
    let document = example(2, 1, 2);
    Folder::prepare(folder, &document.scenario, |_| {}).unwrap().write(&document, "").unwrap();
    for run in &document.runs {
        let columns = Columns::Points { time: vec![Time::ZERO, Time::from_ps(7)], value: vec![1.0, f64::INFINITY] };
        let series = [Series { metric: Metric::Cwnd, of: "f1".into(), vc: None, columns }];
        tables::write(&tables::folder_of(folder, run.seed), &series, &Origin::of(&document.scenario, run)).unwrap();
    }
    // Of another scenario, as after a kill.
    let unfinished = folder.join(".ackclock.unfinished/x");
    fs::create_dir_all(&unfinished).unwrap();
    let (mut ledger, _) =
        Ledger::open_each(&unfinished.join("runs.jsonl"), |_, _: ackclock_store::document::Run| {}).unwrap();
    for run in &document.runs {
        ledger.append(&Key::new("other", run.seed, RESULT_VERSION), run).unwrap();
    }
}

fn write_sweep(folder: &Path) {
    let files = Memory::new().with("short.toml", SHORT);
    let vary = ["queue.buffer=4..9packets:lin:2".to_owned(), "tcp.recovery=reno,rfc6675".to_owned()];
    let sweep = Sweep::read(&files, &Request { file: "short.toml", vary: &vary, ..Request::default() }).unwrap();
    let stop = AtomicBool::new(false);
    let checked = Checked::of(&sweep, 1, None, Vec::new(), 1, &stop, &mut |_| {}).unwrap().unwrap();
    let (opened, _) = Store::open(folder, checked.plan.clone(), |_| {}).unwrap();
    let mut store = opened.begin().unwrap();
    let options = Options {
        threads: 1,
        engine: Engine::default(),
        time_limit: None,
        shard: Shard::WHOLE,
        retry: false,
        stop: &stop,
        are_void: &|| false,
    };
    run_missing(&sweep, &checked, &store, &options, |_| {}).unwrap();
    store.write_tables(Method::Student, None).unwrap();
    drop(store);
    assert_eq!(seal::check(&fs::read(folder.join("sweep.json")).unwrap()), seal::Seal::Intact);
}

const SHORT: &str = r#"
duration = "20 ms"
[network]
technology = "packet"
topology = "dumbbell"
sources = 2
access_rate = "100 Mbps"
access_delay = "1 ms"
bottleneck_rate = "10 Mbps"
bottleneck_delay = "1 ms"
[queue]
buffer = "10 packets"
"#;
