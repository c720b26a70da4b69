//! A folder of its own for each test, and the program started in it.

use std::fs;
#[cfg(unix)]
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
#[cfg(unix)]
use std::thread;
#[cfg(unix)]
use std::time::Duration;

use serde_json::Value;

/// A scenario that takes a few milliseconds and in which nothing depends on the seed.
pub const PLAIN: &str = r#"
name = "plain"
duration = "200 ms"

[network]
technology = "packet"
topology = "dumbbell"
sources = 2
access_rate = "10 Mbps"
access_delay = "1 ms"
bottleneck_rate = "2 Mbps"
bottleneck_delay = "5 ms"

[queue]
buffer = "10 packets"

[tcp]
dialect = "osu"
"#;

/// A scenario that takes a few milliseconds and depends on the seed: the phase of the timers, and the order of cells.
pub const RANDOM: &str = r#"
name = "random"
duration = "300 ms"
warmup = "50 ms"

[network]
topology = "n-source"
sources = 3
rate = "10 Mbps"
access_delay = "5 us"
trunk_delay = "2 ms"

[queue]
buffer = "60 cells"
policy = "epd"

[tcp]
tick_phase = "random"
tick = "50 ms"
"#;

/// A folder that is empty when the test begins.
pub struct Place(PathBuf);

/// The arguments of a command: in one line, with single quotes around those that have spaces in them, or one by one.
pub trait Arguments {
    fn words(&self) -> Vec<&str>;
}

impl Arguments for str {
    fn words(&self) -> Vec<&str> {
        let parts = self.split('\'').enumerate();
        parts.flat_map(|(n, part)| if n % 2 == 1 { vec![part] } else { part.split_whitespace().collect() }).collect()
    }
}

impl Arguments for String {
    fn words(&self) -> Vec<&str> {
        self.as_str().words()
    }
}

impl<S: AsRef<str>> Arguments for [S] {
    fn words(&self) -> Vec<&str> {
        self.iter().map(AsRef::as_ref).collect()
    }
}

impl<S: AsRef<str>, const N: usize> Arguments for [S; N] {
    fn words(&self) -> Vec<&str> {
        self[..].words()
    }
}

impl<S: AsRef<str>> Arguments for Vec<S> {
    fn words(&self) -> Vec<&str> {
        self[..].words()
    }
}

impl<T: Arguments + ?Sized> Arguments for &T {
    fn words(&self) -> Vec<&str> {
        (**self).words()
    }
}

/// What became of a command.
#[derive(Debug)]
pub struct Outcome {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    /// The folder of the test of this name.
    pub fn new(test: &str) -> Place {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    pub fn with(test: &str, scenario: &str) -> Place {
        let place = Place::new(test);
        place.write("scenario.toml", scenario);
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names in the folder, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program with these arguments, not started yet.
    pub fn command(&self, arguments: &(impl Arguments + ?Sized)) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ackclock"));
        command.args(arguments.words()).current_dir(&self.0).stdin(Stdio::null());
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
            command.env_remove(variable);
        }
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &(impl Arguments + ?Sized)) -> Outcome {
        outcome(self.command(arguments))
    }
}

/// All numbers of two runs of the place's scenario, with more arguments.
pub fn numbers(place: &Place, more: &str) -> Value {
    place.run(&format!("run scenario.toml --json --seeds 2 {more}")).exits_with(0).json()["runs"].take()
}

/// Runs a command to its end.
pub fn outcome(mut command: Command) -> Outcome {
    ended(command.output().unwrap())
}

fn ended(output: Output) -> Outcome {
    Outcome {
        code: output.status.code().expect("ended by itself"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Starts the program, and presses Ctrl-C once `ready` says so of its process.
#[cfg(unix)]
pub fn interrupted_once(ready: impl Fn(u32) -> bool, place: &Place, arguments: &(impl Arguments + ?Sized)) -> Outcome {
    ended(signalled("-INT", ready, place, arguments))
}

/// Sends the program a signal once `ready` says so of its process, and waits for its end.
#[cfg(unix)]
fn signalled(
    signal: &str,
    ready: impl Fn(u32) -> bool,
    place: &Place,
    arguments: &(impl Arguments + ?Sized),
) -> Output {
    let mut command = place.command(arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !ready(child.id()) {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    child.wait_with_output().unwrap()
}

/// Starts the program and kills it once `ready` says so of its process.
#[cfg(unix)]
pub fn killed_when(ready: impl Fn(u32) -> bool, place: &Place, arguments: &(impl Arguments + ?Sized)) {
    assert!(!signalled("-KILL", ready, place, arguments).status.success());
}

/// Whether a process answers Ctrl-C by itself: bit 1 of the signals that it catches, proc(5).
#[cfg(target_os = "linux")]
pub fn catches_ctrl_c(process: u32) -> bool {
    signals(&process.to_string(), "SigCgt:") & 0b10 != 0
}

/// Whether this process, and so whatever it starts, ignores HUP: bit 0 of the signals that it ignores, proc(5).
#[cfg(target_os = "linux")]
pub fn hangups_are_ignored() -> bool {
    signals("self", "SigIgn:") & 0b1 != 0
}

/// A set of signals of a process, proc(5).
#[cfg(target_os = "linux")]
fn signals(process: &str, set: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let signals = status.lines().find_map(|line| line.strip_prefix(set)).unwrap();
    u64::from_str_radix(signals.trim(), 16).unwrap()
}

/// Where that cannot be asked: they are not.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn hangups_are_ignored() -> bool {
    false
}

/// Where that cannot be asked: it has had a second.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn catches_ctrl_c(_: u32) -> bool {
    thread::sleep(Duration::from_secs(1));
    true
}

/// Starts the program, and presses Ctrl-C when it has said this on standard error.
#[cfg(unix)]
pub fn interrupted_when(said: &str, place: &Place, arguments: &(impl Arguments + ?Sized)) -> Outcome {
    let mut command = place.command(arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut stderr = String::new();
    while !stderr.contains(said) {
        assert_ne!(lines.read_line(&mut stderr).unwrap(), 0, "it ended without {said:?}: {stderr}");
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    lines.read_to_string(&mut stderr).unwrap();
    Outcome { stderr, ..ended(child.wait_with_output().unwrap()) }
}

/// Starts the program and sends it a signal once a ledger in `folder` has so many finished runs.
#[cfg(unix)]
pub fn ended_by(
    signal: &str,
    runs: usize,
    place: &Place,
    folder: &str,
    arguments: &(impl Arguments + ?Sized),
) -> Output {
    let finished = || ledger(place, folder).map_or(0, |path| lines(&path));
    signalled(signal, |_| finished() >= runs, place, arguments)
}

/// Every file below a folder, in order.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(files(&entry.path())),
            false => found.push(entry.path()),
        }
    }
    found.sort();
    found
}

/// How many whole lines a file has.
#[cfg(unix)]
pub fn lines(path: &Path) -> usize {
    fs::read(path).unwrap().split(|octet| *octet == b'\n').count() - 1
}

/// The ledger of the unfinished result in a folder.
#[cfg(unix)]
pub fn ledger(place: &Place, folder: &str) -> Option<PathBuf> {
    let unfinished = fs::read_dir(place.path(folder).join(".ackclock.unfinished")).ok()?;
    unfinished.flatten().map(|entry| entry.path().join("runs.jsonl")).find(|path| path.is_file())
}

impl Outcome {
    /// The exit code is this one; if not, the panic shows what the program said.
    #[track_caller]
    pub fn exits_with(self, code: i32) -> Outcome {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// Standard error contains each of these texts.
    #[track_caller]
    pub fn says(self, texts: &[&str]) -> Outcome {
        self.warns(texts);
        self
    }

    /// Standard output contains each of these texts.
    #[track_caller]
    pub fn prints(&self, texts: &[&str]) {
        texts.iter().for_each(|text| assert!(self.stdout.contains(text), "no {text:?} in {self:#?}"));
    }

    /// Standard error contains each of these texts, as in [`Outcome::says`].
    #[track_caller]
    pub fn warns(&self, texts: &[&str]) {
        texts.iter().for_each(|text| assert!(self.stderr.contains(text), "no {text:?} in {self:#?}"));
    }

    /// Standard output is empty.
    #[track_caller]
    pub fn without_result(self) -> Outcome {
        assert_eq!(self.stdout, "");
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}
