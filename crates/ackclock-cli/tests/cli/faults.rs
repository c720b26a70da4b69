//! Whatever call of the operating system fails while results are written, and wherever the process is killed: nothing is torn, nothing
//! that was kept is lost, and the same command brings the same results.
//!
//! `faults/shim.c` makes one of the calls by which the program changes files fail: each of them in turn, in each of four ways, of runs that
//! take a millisecond.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::support::{Place, RANDOM, outcome};

/// The shim as a shared library, or nothing if it cannot be made here.
fn shim() -> Option<&'static Path> {
    static SHIM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built = SHIM.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/faults/shim.c");
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults.so");
        let flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"];
        let built = Command::new("gcc").args(flags).arg(&library).arg(source).output();
        match built {
            Ok(output) => {
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                Some(library)
            }
            Err(error) => {
                eprintln!("*** SKIPPED: no C compiler (gcc: {error}): failing system calls were NOT tested ***");
                None
            }
        }
    });
    built.as_deref()
}

/// A command, what is there before, and the folder it writes to: `kept`.
struct Case<'a> {
    name: &'a str,
    before: &'a [&'a str],
    command: &'a str,
    /// Files that it writes beside the folder.
    beside: &'a [&'a str],
    /// Whether the ledger is a part of the results.
    keeps_ledger: bool,
}

impl Case<'_> {
    /// A new folder, with what is there before.
    fn place(&self, shim: &Path, what: &str) -> Place {
        let place = Place::with(&format!("faults-{}-{what}", self.name), TINY);
        for command in self.before {
            outcome(under(shim, &place, command)).exits_with(0);
        }
        place
    }

    /// Runs the command in a folder; `fault` at the call of this number.
    fn run(&self, shim: &Path, place: &Place, fault: &str, at: usize) -> Output {
        let mut command = under(shim, place, self.command);
        command.env("FAULT", fault).env("FAULT_AT", at.to_string());
        command.env("FAULT_COUNT", place.path("count")).output().unwrap()
    }

    /// The files of the results. The order of the lines of a ledger is that in which runs ended; the marker of a folder knows also what
    /// was there before.
    fn results(&self, place: &Place) -> Vec<(String, Vec<u8>)> {
        let beside = self.beside.iter().map(|name| (name.to_string(), fs::read(place.path(name)).unwrap()));
        results_of(&place.path("kept")).into_iter().chain(beside).collect()
    }

    /// All of these results are there. Returns how many files there are.
    fn assert_there(&self, place: &Place, expected: &[(String, Vec<u8>)], context: &str) -> usize {
        let found = self.results(place);
        for result in expected {
            assert!(found.contains(result), "{context}: {} is missing or differs", result.0);
        }
        found.len()
    }
}

/// A command in a folder under the shim, without a fault: it is not slowed down by the disk.
fn under(shim: &Path, place: &Place, arguments: &str) -> Command {
    let mut command = place.command(arguments);
    command.env("LD_PRELOAD", shim);
    command
}

fn results_of(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for file in crate::support::files(folder) {
        let name = file.strip_prefix(folder).unwrap().display().to_string();
        let mut content = fs::read(&file).unwrap();
        if name.ends_with("runs.jsonl") {
            let mut lines: Vec<&[u8]> = content.split_inclusive(|octet| *octet == b'\n').collect();
            lines.sort();
            content = lines.concat();
        }
        if !name.ends_with(".ackclock") {
            all.push((name, content));
        }
    }
    all
}

/// How many finished runs are kept: whole lines of the ledgers below the folder.
fn kept_runs(place: &Place) -> usize {
    kept_runs_in(&place.path("kept"))
}

fn kept_runs_in(folder: &Path) -> usize {
    let files = if folder.exists() { crate::support::files(folder) } else { Vec::new() };
    files.iter().filter(|file| file.ends_with("runs.jsonl")).map(|file| crate::support::lines(file)).sum()
}

/// How many runs a message says to be kept, as in `2 of 3 runs finished and kept in kept`.
fn said_to_be_kept(stderr: &str) -> Option<usize> {
    let line = stderr.lines().find(|line| line.contains(" finished and kept in "))?;
    line.split(' ').next()?.parse().ok()
}

/// How many runs a command found, as in `resuming: 2 of 3 runs were finished before`.
fn resumed(stderr: &str) -> Option<usize> {
    stderr.lines().find_map(|line| line.strip_prefix("resuming: "))?.split(' ').next()?.parse().ok()
}

/// Every fault at all calls.
fn try_all(case: &Case<'_>) {
    let Some(shim) = shim() else { return };
    let whole = case.place(shim, "whole");
    let undisturbed = case.run(shim, &whole, "", 0);
    assert!(undisturbed.status.success(), "{undisturbed:?}");
    let calls: usize = whole.read("count").parse().unwrap();
    assert!(calls > 20, "only {calls} calls: the shim does not see them");
    let expected = case.results(&whole);
    for fault in ["kill", "torn", "full", "broken"] {
        for at in 1..=calls {
            let context = format!("{}: {fault} at call {at} of {calls}", case.name);
            let place = case.place(shim, "faulty");
            let output = case.run(shim, &place, fault, at);
            let stderr = String::from_utf8(output.stderr.clone()).unwrap();
            let kept = kept_runs(&place);
            match fault {
                "kill" | "torn" => assert_eq!(output.status.signal(), Some(9), "{context}: {output:?}"),
                // What is only tidied up may fail without a word, and may be left.
                _ if output.status.code() == Some(0) => {
                    case.assert_there(&place, &expected, &context);
                }
                _ => {
                    assert_eq!(output.status.code(), Some(1), "{context}: {output:?}");
                    let lines = stderr.lines().filter(|line| line.starts_with("error: ")).count();
                    assert!(
                        lines == 1 && stderr.contains("kept") && stderr.contains("\nhelp: "),
                        "{context}: {stderr}"
                    );
                    let is_about_space = stderr.contains("No space left on device") && stderr.contains("free space");
                    assert!(fault != "full" || is_about_space, "{context}: {stderr}");
                    assert!(said_to_be_kept(&stderr).is_none_or(|said| said == kept), "{context}: {kept} of {stderr}");
                    assert!(!place.path("kept/.ackclock.lock").exists(), "{context}: the lock was left");
                }
            }
            // What is there is whole, or is not taken for whole. Where tables of an earlier result could not be replaced, those of the
            // new one are beside it, and this is named.
            let is_mixed = !case.before.is_empty() && fault == "broken";
            if place.path("kept").exists() && !is_mixed {
                let verified = outcome(under(shim, &place, "verify kept"));
                let is_empty = verified.stderr.contains("has no results of ackclock");
                assert!(verified.code == 0 || is_empty, "{context}: {verified:#?}");
            }
            let again = outcome(under(shim, &place, case.command)).exits_with(0);
            assert!(again.stdout.as_bytes() == undisturbed.stdout, "{context}: {again:#?}");
            assert_eq!(
                case.assert_there(&place, &expected, &context),
                expected.len(),
                "{context}: there are other files"
            );
            // Runs that were kept are not done again. Where the ledger stays, it would have more lines.
            if !case.keeps_ledger {
                assert_eq!(resumed(&again.stderr).unwrap_or(0), kept, "{context}: {again:#?}");
            }
            let verified = outcome(under(shim, &place, "verify kept")).exits_with(0);
            assert!(!verified.stdout.contains("note:"), "{context}: {verified:#?}");
        }
    }
}

/// A scenario whose runs take a millisecond, and depend on the seed.
const TINY: &str = r#"
name = "tiny"
duration = "20 ms"

[network]
topology = "n-source"
sources = 2
rate = "10 Mbps"
access_delay = "5 us"
trunk_delay = "1 ms"

[queue]
buffer = "60 cells"
policy = "epd"

[tcp]
tick_phase = "random"
tick = "5 ms"
"#;

const RUN: &str = "run scenario.toml --seeds 3 --record cwnd --capture s1 --out kept";
const SWEEP: &str = "sweep scenario.toml --vary queue.buffer=30cells,60cells --seeds 2 --out kept";
/// What a sweep writes beside its folder, and what makes it write one table more.
const SHOWN: &str = "--plot figure.svg --report page.html --baseline queue.buffer=30cells";
const BESIDE: [&str; 2] = ["figure.svg", "page.html"];

#[test]
fn run_survives_every_fault() {
    try_all(&Case { name: "run", before: &[], command: RUN, beside: &[], keeps_ledger: false });
}

/// The earlier result is there until the new one is, and both never mix.
#[test]
fn run_survives_every_fault_where_it_replaces_a_result() {
    let earlier = RUN.replace("--seeds 3", "--set 'queue.buffer=80 cells'");
    try_all(&Case { name: "replace", before: &[&earlier], command: RUN, beside: &[], keeps_ledger: false });
}

#[test]
fn sweep_survives_every_fault() {
    let command = format!("{SWEEP} {SHOWN}");
    try_all(&Case { name: "sweep", before: &[], command: &command, beside: &BESIDE, keeps_ledger: true });
}

/// More seeds and more values in the folder of a sweep that is complete: other runs are added, and all tables are others.
#[test]
fn sweep_survives_every_fault_where_it_replaces_tables() {
    let earlier = format!("{SWEEP} {SHOWN}");
    let command = earlier.replace("60cells", "60cells,90cells").replace("--seeds 2", "--seeds 3");
    let (before, beside): (&[&str], _) = (&[&earlier], &BESIDE);
    try_all(&Case { name: "sweep-more", before, command: &command, beside, keeps_ledger: true });
}

#[test]
fn merge_survives_every_fault() {
    let part = |shard, out| SWEEP.replace("--out kept", &format!("--shard {shard} --out {out}"));
    let before: &[&str] = &[&part("1/2", "a"), &part("2/2", "b")];
    let command = format!("merge b a --out kept {SHOWN}");
    try_all(&Case { name: "merge", before, command: &command, beside: &BESIDE, keeps_ledger: true });
}

/// Of a card with eight short runs.
#[test]
fn reproduce_survives_every_fault() {
    let command = "reproduce vegas-a/t1 --out kept";
    try_all(&Case { name: "reproduce", before: &[], command, beside: &[], keeps_ledger: true });
}

/// A disk that is really full: the file and the remedy are named, and with room the same command goes on.
#[test]
fn a_full_disk_is_named_with_its_remedy() {
    let place = Place::with("faults-disk", RANDOM);
    fs::create_dir(place.path("disk")).unwrap();
    let disk = place.path("disk");
    let mount = |options: &str| {
        let output = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&disk).output();
        output.is_ok_and(|output| output.status.success())
    };
    if !mount("size=1m") {
        eprintln!("*** SKIPPED: no file system can be mounted here: a disk that is full was NOT tested ***");
        return;
    }
    let _unmounted = Unmounted(&disk);
    let run = ["run", "scenario.toml", "--seeds", "40", "--record", "tcp", "--out", "disk/kept"];
    let outcome = place.run(&run).exits_with(1);
    let outcome = outcome.says(&["No space left on device", "disk/kept", "\nhelp: free space on the disk, "]);
    place.run("verify disk").exits_with(0);
    let kept = kept_runs_in(&place.path("disk"));
    assert!(kept > 0 && said_to_be_kept(&outcome.stderr) == Some(kept), "{kept}: {outcome:#?}");
    // What is known not to fit is not begun.
    assert!(mount("remount,size=2m"));
    let vary = "sweep scenario.toml --vary queue.buffer=60..2000cells:lin:300 --seeds 40 --out disk/all";
    let refused = place.run(&vary).exits_with(1).without_result();
    refused.says(&[
        "MB of disk, and ",
        " are free on the disk of `disk/all`; nothing was run",
        "help: free space on the disk, ",
    ]);
    assert!(!place.path("disk/all").exists(), "a refused sweep leaves nothing");
    // Nor does it change what is there: more values of a finished sweep.
    let few = "sweep scenario.toml --vary queue.buffer=60cells,2000cells --out disk/all";
    place.run(few).exits_with(0);
    let before = results_of(&place.path("disk/all"));
    place.run(&vary).exits_with(1).says(&[" are free on the disk of `disk/all`; nothing was run"]);
    assert_eq!(results_of(&place.path("disk/all")), before);
    assert!(mount("remount,size=16m"));
    place.run(&run).exits_with(0).says(&[&format!("resuming: {kept} of 40 runs were finished before")]);
    place.run("verify disk").exits_with(0);
}

/// Unmounts a disk at the end.
struct Unmounted<'a>(&'a Path);

impl Drop for Unmounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}
