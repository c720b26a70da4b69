//! A ledger: an append-only file of finished runs, one JSON object a line, each with a checksum.
//!
//! A line is `{"key":KEY,"run":RUN,"blake3":CHECKSUM}`; the checksum is over all that stands before it in the line. What
//! a killed process left of the last line is cut off by the next. A line that does not fit its checksum is never used,
//! nor removed: it is counted, and named by its number.
//!
//! A line is used only if the run in it, written again, gives the same text. So what a version of the program with other
//! fields wrote is not mixed with runs of today.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use ackclock_columns::files;
use blake3::Hasher;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::StoreError;
use crate::whole::sync_folder;

/// What identifies a run; in a ledger 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key([u8; 16]);

impl Key {
    /// The key of a scenario under any seed: a hash over its canonical text without the line of the first seed, and the version of results.
    pub fn of_scenario(resolved: &str, result_version: u32) -> Key {
        // Keys of the top come before the first table.
        let head = resolved.find("\n[").unwrap_or(resolved.len());
        let seed = resolved[..head].find("\nseed = ").map(|before| before + 1);
        let (before, rest) = resolved.split_at(seed.unwrap_or(0));
        let rest = if seed.is_some() { rest.split_once('\n').map_or("", |(_, rest)| rest) } else { rest };
        Key::new(&[before, rest].concat(), 0, result_version)
    }

    /// The key of a run of the scenario with this key. Every command that keeps runs knows them by it.
    pub fn with_seed(&self, seed: u64, result_version: u32) -> Key {
        Key::new(&self.to_string(), seed, result_version)
    }

    /// A hash over a text, the seed, and the version of results.
    pub fn new(resolved: &str, seed: u64, result_version: u32) -> Key {
        let mut hasher = Hasher::new();
        hasher.update(&result_version.to_le_bytes());
        hasher.update(&seed.to_le_bytes());
        hasher.update(resolved.as_bytes());
        let hash = hasher.finalize();
        let (first, _) = hash.as_bytes().split_at(16);
        Key(first.try_into().expect("a hash has 32 octets"))
    }
}

/// 32 hexadecimal digits.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// 32 hexadecimal digits, without a sign.
impl FromStr for Key {
    type Err = &'static str;

    fn from_str(digits: &str) -> Result<Key, &'static str> {
        let is_key = digits.len() == 2 * size_of::<Key>() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let number = u128::from_str_radix(digits, 16).ok().filter(|_| is_key);
        number.map(|number| Key(number.to_be_bytes())).ok_or("no key")
    }
}

/// Lines of a ledger that are not used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// The ledger.
    pub path: PathBuf,
    /// Their numbers, from 1 on.
    pub lines: Vec<usize>,
    /// Their checksums, in the same order: by these they are known once their runs were done again.
    pub checksums: Vec<String>,
    /// Whether the last line was cut off. It is not among the others, and is not there any more.
    pub torn: bool,
}

/// Why a line of a ledger is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadLine {
    /// It does not match its checksum, or has none. With the checksum that it would have.
    Checksum(LineSum),
    /// It matches its checksum, but has other fields than this program writes.
    Version(LineSum),
    /// The last line was cut off.
    Torn,
}

/// The checksum of a whole line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSum(blake3::Hash);

/// 32 hexadecimal digits.
impl fmt::Display for LineSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex()[..CHECKSUM_DIGITS])
    }
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BadLine::Checksum(_) => "it does not match its checksum",
            BadLine::Version(_) => "another version of ackclock wrote it, with other fields",
            BadLine::Torn => "the last line is incomplete",
        })
    }
}

/// The file of finished runs, open for more.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    file: File,
    bytes: u64,
    synced: Instant,
}

#[derive(Serialize, Deserialize)]
struct Line<M> {
    key: Key,
    run: M,
}

impl Ledger {
    /// Opens a ledger, which is made if it is not there, and reads the runs in it. The process that opens one holds the lock of
    /// its folder.
    pub fn open<T: Serialize + DeserializeOwned>(
        path: &Path,
    ) -> Result<(Ledger, BTreeMap<Key, T>, Damage), StoreError> {
        let mut runs = BTreeMap::new();
        let (ledger, damage) = Ledger::open_each(path, |key, run| drop(runs.insert(key, run)))?;
        Ok((ledger, runs, damage))
    }

    /// Opens a ledger as [`Ledger::open`] does, and hands over its runs in the order in which they were added: only one of them is
    /// in memory at a time.
    pub fn open_each<T: Serialize + DeserializeOwned>(
        path: &Path,
        each: impl FnMut(Key, T),
    ) -> Result<(Ledger, Damage), StoreError> {
        let open = || -> io::Result<(Ledger, Damage)> {
            let file = files::open_to_append(path)?;
            let (bytes, damage) = read_runs(path, &file, each)?;
            if damage.torn {
                file.set_len(bytes)?;
            }
            Ok((Ledger { path: path.to_path_buf(), file, bytes, synced: Instant::now() }, damage))
        };
        open().map_err(|error| StoreError::io(path, error))
    }

    /// Reads a ledger that this process does not own, such as that of another shard; nothing is written.
    pub fn read_each<T: Serialize + DeserializeOwned>(
        path: &Path,
        each: impl FnMut(Key, T),
    ) -> Result<Damage, StoreError> {
        let read = || read_runs(path, &files::open(path)?, each);
        read().map(|(_, damage)| damage).map_err(|error| StoreError::io(path, error))
    }

    /// Reads the runs with keys that are wanted from a ledger that this process does not own; lines of others are passed over without
    /// being understood. Lines that cannot be used are left out.
    pub fn read_wanted<T: Serialize + DeserializeOwned>(
        path: &Path,
        is_wanted: impl Fn(&Key) -> bool,
        mut each: impl FnMut(Key, T),
    ) -> io::Result<()> {
        let is_wanted = |line: &[u8]| key_of(line).as_ref().is_some_and(&is_wanted);
        each_line(&files::open(path)?, |_, line| {
            if let Some((key, run)) = line.filter(|line| is_wanted(line)).and_then(understood) {
                each(key, run);
            }
        })
        .map(drop)
    }

    /// Reads every line of a ledger with its number, from 1 on, and why it is not used, if so; nothing is written.
    pub fn read_lines<T: Serialize + DeserializeOwned>(
        path: &Path,
        each: impl FnMut(usize, Result<(Key, T), BadLine>),
    ) -> io::Result<()> {
        read_lines(&files::open(path)?, each).map(drop)
    }

    /// Adds a finished run. It survives the end of the process at once, and that of the machine a second later.
    ///
    /// # Errors
    /// If it cannot be written; then the ledger is as it was before.
    pub fn append<T: Serialize>(&mut self, key: &Key, run: &T) -> Result<(), StoreError> {
        let bytes = append_line(&self.file, key, run).map_err(|error| {
            // What is on the disk of the line would spoil the next.
            let _ = self.file.set_len(self.bytes);
            StoreError::io(&self.path, error)
        })?;
        if self.bytes == 0 {
            sync_folder(self.path.parent().unwrap_or(Path::new(".")));
        }
        self.bytes += bytes;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(())
    }

    /// Makes sure that every run has reached the disk.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(|error| StoreError::io(&self.path, error))
    }
}

impl Damage {
    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        self.lines.is_empty() && !self.torn
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: ", self.path.display())?;
        if !self.lines.is_empty() {
            let shown: Vec<String> = self.lines.iter().take(SHOWN).map(usize::to_string).collect();
            let (noun, verb) = if self.lines.len() == 1 { ("line", "does") } else { ("lines", "do") };
            let more = if self.lines.len() > SHOWN { ", ..." } else { "" };
            write!(
                f,
                "{} {noun} ({}{more}) {verb} not match the checksum or the version",
                self.lines.len(),
                shown.join(", ")
            )?;
        }
        if self.torn {
            let and = if self.lines.is_empty() { "" } else { ", and " };
            write!(f, "{and}the last line was incomplete")?;
        }
        write!(f, "; these runs are done again")
    }
}

/// Reads the runs of a ledger, and what of it cannot be used; how many octets the complete lines have.
fn read_runs<T: Serialize + DeserializeOwned>(
    path: &Path,
    file: &File,
    mut each: impl FnMut(Key, T),
) -> io::Result<(u64, Damage)> {
    let mut damage = Damage { path: path.to_path_buf(), ..Damage::default() };
    let bytes = read_lines(file, |number, line| match line {
        Ok((key, run)) => each(key, run),
        Err(BadLine::Torn) => damage.torn = true,
        Err(BadLine::Checksum(found) | BadLine::Version(found)) => {
            damage.lines.push(number);
            damage.checksums.push(found.to_string());
        }
    })?;
    Ok((bytes, damage))
}

/// Reads line after line, each with its run if it can be used; how many octets the complete lines have.
fn read_lines<T: Serialize + DeserializeOwned>(
    file: &File,
    mut each: impl FnMut(usize, Result<(Key, T), BadLine>),
) -> io::Result<u64> {
    each_line(file, |number, line| match line {
        Some(line) => each(number, understood(line).ok_or_else(|| bad(line))),
        None => each(number, Err(BadLine::Torn)),
    })
}

/// Hands over line after line with its number, from 1 on, and `None` for a last one that was cut off; how many octets the complete
/// lines have.
fn each_line(file: &File, mut each: impl FnMut(usize, Option<&[u8]>)) -> io::Result<u64> {
    let (mut reader, mut line, mut bytes) = (BufReader::with_capacity(BUFFER_BYTES, file), Vec::new(), 0);
    for number in 1.. {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)?;
        let Some(whole) = line.strip_suffix(b"\n") else {
            if length > 0 {
                each(number, None);
            }
            break;
        };
        bytes += length as u64;
        each(number, Some(whole));
    }
    Ok(bytes)
}

/// The key with which a line begins, whatever else is in it.
fn key_of(line: &[u8]) -> Option<Key> {
    let digits = line.strip_prefix(b"{\"key\":\"")?.get(..2 * size_of::<Key>())?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Why a line that is not understood is not.
fn bad(line: &[u8]) -> BadLine {
    let (run, end) = line.split_at(line.len().saturating_sub(MEMBER.len() + CHECKSUM_DIGITS + 2));
    let checksum = blake3::hash(run).to_hex();
    match *end == *format!("{MEMBER}{}\"}}", &checksum[..CHECKSUM_DIGITS]).as_bytes() {
        true => BadLine::Version(LineSum(blake3::hash(line))),
        false => BadLine::Checksum(LineSum(blake3::hash(line))),
    }
}

/// Writes the line of a run; how many octets it has. It may be long: nothing holds the whole of it.
fn write_line<T: Serialize>(out: impl Write, key: &Key, run: &T) -> io::Result<u64> {
    // JSON comes in pieces of a few octets, which cost a checksum more than they are long: so a buffer comes first.
    let mut line = buffered(Hashing { out, hasher: Hasher::new() });
    line.write_all(b"{\"key\":")?;
    serde_json::to_writer(&mut line, key)?;
    line.write_all(b",\"run\":")?;
    serde_json::to_writer(&mut line, run)?;
    let Hashing { mut out, hasher } = line.into_inner().map_err(IntoInnerError::into_error)?;
    let checksum = hasher.finalize().to_hex();
    let end = format!("{MEMBER}{}\"}}\n", &checksum[..CHECKSUM_DIGITS]);
    out.write_all(end.as_bytes())?;
    Ok(hasher.count() + end.len() as u64)
}

/// Writes the line of a run to a file, as one write if it has the usual length; how many octets it has.
fn append_line<T: Serialize>(file: &File, key: &Key, run: &T) -> io::Result<u64> {
    let mut out = buffered(file);
    let written = write_line(&mut out, key, run).and_then(|bytes| out.flush().map(|()| bytes));
    // After a failure, what the buffer still holds is of no use, and is not to be written as it goes.
    drop(out.into_parts());
    written
}

fn buffered<W: Write>(out: W) -> BufWriter<W> {
    BufWriter::with_capacity(BUFFER_BYTES, out)
}

/// Passes on what is written, and keeps a checksum of it.
struct Hashing<W> {
    out: W,
    hasher: Hasher,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// What a line says, if it is as it was written by a program like this one.
fn understood<T: Serialize + DeserializeOwned>(line: &[u8]) -> Option<(Key, T)> {
    let Line { key, run } = serde_json::from_slice::<Line<T>>(line).ok()?;
    let mut again = Vec::with_capacity(line.len() + 1);
    write_line(&mut again, &key, &run).ok()?;
    (again.strip_suffix(b"\n") == Some(line)).then_some((key, run))
}

const MEMBER: &str = ",\"blake3\":\"";
const CHECKSUM_DIGITS: usize = 32;
const BUFFER_BYTES: usize = 1 << 16;
/// The most that a power failure takes.
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// More damaged lines are counted only.
const SHOWN: usize = 10;

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Run {
        goodput: f64,
        drops: Vec<u64>,
    }

    type Kept = (Ledger, BTreeMap<Key, Run>, Damage);

    fn run(goodput: f64) -> Run {
        Run { goodput, drops: vec![1, 22, 333] }
    }

    fn key(seed: u64) -> Key {
        Key::new("scenario", seed, 1)
    }

    /// A ledger of the runs 1 to 3, in which run n has a goodput of 10⁸/7 + n.
    fn three() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        let (mut ledger, none, damage): Kept = Ledger::open(&path).unwrap();
        assert!(none.is_empty() && damage.is_none());
        for seed in 1..=3 {
            ledger.append(&key(seed), &run(1e8 / 7.0 + seed as f64)).unwrap();
        }
        (folder, path)
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
    fn the_first_seed_makes_no_difference_to_a_scenario() {
        let of = |text: &str| Key::of_scenario(text, 1);
        let one = "name = \"a\"\nseed = 1\nduration = \"1 s\"\n\n[tcp]\nseed = 1\n";
        let with = |from: &str, to: &str| of(&one.replacen(from, to, 1));
        assert_eq!(with("seed = 1", "seed = 22"), of(one));
        assert_eq!(with("seed = 1\nduration", "duration"), of(one));
        assert_ne!(with("[tcp]\nseed = 1", "[tcp]\nseed = 2"), of(one));
        assert_ne!(with("1 s", "2 s"), of(one));
    }

    #[test]
    fn only_runs_that_are_wanted_are_read_from_the_ledger_of_another() {
        let (_folder, path) = three();
        let mut text = fs::read_to_string(&path).unwrap();
        let read = |wanted: &[Key]| {
            let mut runs = Vec::new();
            let is_wanted = |key: &Key| wanted.contains(key);
            Ledger::read_wanted(&path, is_wanted, |key, run: Run| runs.push((key, run))).unwrap();
            runs
        };
        assert_eq!(read(&[key(2), key(4)]), [(key(2), run(1e8 / 7.0 + 2.0))]);
        // A line that is damaged or cut off is not there.
        text = text.replacen("14285716", "14285717", 1);
        fs::write(&path, &text[..text.len() - 1]).unwrap();
        assert_eq!(read(&[key(1), key(2), key(3)]), [(key(1), run(1e8 / 7.0 + 1.0))]);
    }

    #[test]
    fn what_is_appended_is_read_back_bit_for_bit() {
        let (_folder, path) = three();
        let (_, runs, damage): Kept = Ledger::open(&path).unwrap();
        assert_eq!(runs.len(), 3);
        assert_eq!(runs[&key(2)], run(1e8 / 7.0 + 2.0));
        assert!(damage.is_none());
    }

    #[test]
    fn a_torn_last_line_is_cut_off_wherever_it_ends_and_said_once() {
        let (_folder, path) = three();
        let text = fs::read(&path).unwrap();
        let two = text[..text.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        for cut in two..=text.len() {
            fs::write(&path, &text[..cut]).unwrap();
            let (mut ledger, runs, damage): Kept = Ledger::open(&path).unwrap();
            let whole = cut == text.len();
            assert_eq!(runs.len(), if whole { 3 } else { 2 });
            assert_eq!((damage.torn, damage.lines.len()), (!whole && cut > two, 0));
            ledger.append(&key(3), &run(1e8 / 7.0 + 3.0)).unwrap();
            let (_, runs, damage): Kept = Ledger::open(&path).unwrap();
            assert!(runs.len() == 3 && damage.is_none());
        }
    }

    /// Whatever happens to a line, either its run is not used and the line is named, or it is the run that was written.
    #[test]
    fn no_changed_octet_of_a_line_is_ever_taken_for_a_result() {
        let (_folder, path) = three();
        let text = fs::read(&path).unwrap();
        let (_, written, _): Kept = Ledger::open(&path).unwrap();
        for at in 0..text.len() {
            for with in [b'1', b'7', b' ', b'\n', text[at] ^ 0x80] {
                let mut changed = text.clone();
                changed[at] = with;
                fs::write(&path, &changed).unwrap();
                let (_, runs, damage): Kept = Ledger::open(&path).unwrap();
                assert!(runs.iter().all(|(key, run)| written.get(key) == Some(run)), "octet {at} to {with}");
                assert_eq!(damage.is_none(), changed == text, "octet {at} to {with}: {damage:?}");
            }
        }
    }

    #[test]
    fn damaged_lines_are_named_and_stay_and_the_others_are_used() {
        let (_folder, path) = three();
        let text = fs::read_to_string(&path).unwrap();
        let changed = text.replacen("14285716", "14285717", 1);
        assert_ne!(changed, text);
        fs::write(&path, format!("{{\"another\":\"program\"}}\n\n{changed}")).unwrap();
        let (_, runs, damage): Kept = Ledger::open(&path).unwrap();
        assert_eq!((damage.lines.as_slice(), damage.torn), (&[1, 2, 4][..], false));
        assert_eq!(runs.keys().collect::<Vec<_>>().len(), 2);
        let said = damage.to_string();
        assert!(
            said.ends_with("3 lines (1, 2, 4) do not match the checksum or the version; these runs are done again")
        );
        assert!(fs::read_to_string(&path).unwrap().ends_with(&changed));
    }

    /// The checksum fits, but a field of today is missing: what it would be filled with was never computed.
    #[test]
    fn runs_of_another_version_are_not_mixed_with_those_of_today() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Later {
            goodput: f64,
            drops: Vec<u64>,
            #[serde(default)]
            delay: Option<f64>,
        }
        let (_folder, path) = three();
        let (_, runs, damage): (Ledger, BTreeMap<Key, Later>, Damage) = Ledger::open(&path).unwrap();
        assert!(runs.is_empty());
        assert_eq!(damage.lines, [1, 2, 3]);
        let mut bad = Vec::new();
        let note = |_, line: Result<(Key, Later), BadLine>| bad.push(line.unwrap_err());
        Ledger::read_lines(&path, note).unwrap();
        assert!(bad.len() == 3 && bad.iter().all(|bad| matches!(bad, BadLine::Version(_))));
    }
}
