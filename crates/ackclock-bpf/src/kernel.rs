//! Loading an object, with what libbpf and the kernel say about it.

use std::sync::{Mutex, MutexGuard};

use libbpf_rs::{ErrorExt as _, ErrorKind, Map, MapCore, Object, ObjectBuilder, OpenObject, PrintLevel, set_print};

use crate::error::Error;
use crate::requirements::missing;

/// What libbpf says goes to one function for the whole program: one loads at a time.
static LOADING: Mutex<()> = Mutex::new(());
static SAID: Mutex<String> = Mutex::new(String::new());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn keep(_level: PrintLevel, said: String) {
    locked(&SAID).push_str(&said);
}

/// Checks that programs can be loaded here, and does what `load` says; what fails in it is an error with what libbpf said of it.
pub(crate) fn loading<T>(
    doing: &'static str,
    load: impl FnOnce() -> Result<T, libbpf_rs::Error>,
) -> Result<T, (ErrorKind, Error)> {
    let missing = missing();
    if !missing.is_empty() {
        return Err((ErrorKind::PermissionDenied, Error::Missing(missing)));
    }
    let _one_at_a_time = locked(&LOADING);
    locked(&SAID).clear();
    let before = set_print(Some((PrintLevel::Warn, keep)));
    let result = load();
    set_print(before);
    result.map_err(|error| {
        let said = locked(&SAID);
        // The verifier explains itself at length; the reason is at the end.
        let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(4)..].join("\n  ");
        (error.kind(), Error::Kernel { doing, said: format!("{error:#}\n  {last}") })
    })
}

/// Loads an object that `prepare` has changed.
pub(crate) fn load(
    octets: &[u8],
    prepare: impl FnOnce(&mut OpenObject) -> Result<(), libbpf_rs::Error>,
) -> Result<Object, libbpf_rs::Error> {
    let mut open = ObjectBuilder::default().name("ackclock")?.open_memory(octets).context("reading the object")?;
    prepare(&mut open)?;
    open.load()
}

/// The map whose name ends so.
///
/// # Panics
/// If the object has none: it is our own.
pub(crate) fn map<'a>(object: &'a Object, name: &str) -> Map<'a> {
    object.maps().find(|map| map.name().to_string_lossy().ends_with(name)).expect("a map of our own object")
}

/// The variables of the program, one after the other.
pub(crate) fn variables(object: &Object) -> Vec<u64> {
    let octets = map(object, ".bss").lookup(&0_u32.to_ne_bytes(), libbpf_rs::MapFlags::ANY);
    let octets = octets.ok().flatten().unwrap_or_default();
    octets.chunks_exact(8).map(|part| u64::from_ne_bytes(part.try_into().expect("eight octets"))).collect()
}
