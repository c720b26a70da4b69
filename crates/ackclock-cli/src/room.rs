//! Whether what a command is going to write fits on the disk, and what it is going to hold into memory, before it runs anything.

use std::fs;
use std::path::Path;

use crate::failure::Failure;

/// What a command takes, octets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Need {
    /// On the disk of its folder.
    pub disk: f64,
    /// Of memory.
    pub memory: f64,
}

/// What there is, octets; `None` where the system does not say.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Room {
    disk: Option<f64>,
    memory: Option<f64>,
}

/// Refuses a command that takes more than is free on the disk of its folder, or in memory. `less` is how it takes less.
///
/// # Errors
/// If it does.
pub fn refuse_beyond(need: Need, folder: &Path, less: &str) -> Result<(), Failure> {
    let room = Room { disk: free_disk(folder), memory: free_memory() };
    match beyond(need, room, folder, less) {
        Some((text, help)) => Err(Failure::outside(text, help)),
        None => Ok(()),
    }
}

/// How many runs can go on at a time, at most so many, where each takes so much memory and all of them together as much beside that as
/// is said; `None` if not even one can. Where the system does not say what is free, all of them.
pub fn runs_at_a_time(wanted: usize, each: f64, beside: f64) -> Option<usize> {
    free_memory().map_or(Some(wanted), |free| at_a_time(wanted, each, beside, free))
}

fn at_a_time(wanted: usize, each: f64, beside: f64, free: f64) -> Option<usize> {
    let fit = ((free - beside) / each.max(1.0)).floor();
    // A negative number becomes 0.
    Some(wanted.min(fit as usize)).filter(|runs| *runs > 0)
}

/// What is wrong, and what to do about it.
fn beyond(need: Need, room: Room, folder: &Path, less: &str) -> Option<(String, String)> {
    if let Some(free) = room.memory.filter(|free| need.memory > *free) {
        let text =
            format!("this takes about {} of memory, and {} are free; nothing was run", size(need.memory), size(free));
        return Some((text, less.to_owned()));
    }
    let free = room.disk.filter(|free| need.disk > *free)?;
    let shown = folder.display();
    let text = format!(
        "this takes about {} of disk, and {} are free on the disk of `{shown}`; nothing was run",
        size(need.disk),
        size(free)
    );
    Some((text, format!("free space on the disk, choose another with --out DIR, or {less}")))
}

/// A size with two digits or more.
pub fn size(bytes: f64) -> String {
    let (number, unit) = match bytes {
        _ if bytes >= 1e12 => (bytes / 1e12, "TB"),
        _ if bytes >= 1e9 => (bytes / 1e9, "GB"),
        _ if bytes >= 1e6 => (bytes / 1e6, "MB"),
        _ => return format!("{:.0} kB", (bytes / 1e3).ceil()),
    };
    let digits = if number >= 9.95 { 0 } else { 1 };
    format!("{number:.digits$} {unit}")
}

/// The room on the disk where a folder is, or will be.
#[cfg(unix)]
fn free_disk(folder: &Path) -> Option<f64> {
    let here = Path::new(".");
    let is_there = |path: &&Path| path.as_os_str().is_empty() || path.exists();
    let path = folder.ancestors().find(is_there).filter(|path| !path.as_os_str().is_empty()).unwrap_or(here);
    let found = rustix::fs::statvfs(path).ok()?;
    Some(found.f_bavail as f64 * found.f_frsize as f64)
}

#[cfg(not(unix))]
fn free_disk(_: &Path) -> Option<f64> {
    None
}

/// Memory that can be had without swapping: proc(5), on Linux only.
fn free_memory() -> Option<f64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok().map(|kibibytes: f64| kibibytes * 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_both_numbers() {
        let room = Room { disk: Some(2e9), memory: Some(1e9) };
        let said = |disk, memory| beyond(Need { disk, memory }, room, Path::new("results/x"), "run fewer seeds");
        assert_eq!(said(2e9, 1e9), None);
        let (text, help) = said(2.1e9, 1e6).unwrap();
        assert_eq!(
            text,
            "this takes about 2.1 GB of disk, and 2.0 GB are free on the disk of `results/x`; nothing was run"
        );
        assert_eq!(help, "free space on the disk, choose another with --out DIR, or run fewer seeds");
        let (text, help) = said(1.0, 2.5e14).unwrap();
        assert_eq!(text, "this takes about 250 TB of memory, and 1.0 GB are free; nothing was run");
        assert_eq!(help, "run fewer seeds");
        assert_eq!(
            beyond(Need { disk: 1e30, memory: 1e30 }, Room { disk: None, memory: None }, Path::new(""), ""),
            None
        );
    }

    #[test]
    fn so_many_runs_go_on_at_a_time_as_have_room() {
        assert_eq!(at_a_time(4, 1e9, 1e9, 9e9), Some(4));
        assert_eq!(at_a_time(4, 1e9, 1e9, 3.5e9), Some(2));
        assert_eq!((at_a_time(4, 1e9, 1e9, 1.5e9), at_a_time(4, 1e9, 2e9, 1e9)), (None, None));
        assert_eq!(at_a_time(4, 0.0, 0.0, 1e9), Some(4));
    }

    #[test]
    fn sizes_are_read_at_a_glance() {
        let sizes = [100.0, 2.34e6, 9.96e6, 5.6e9, 1.2e10, 1.2e13].map(size);
        assert_eq!(sizes, ["1 kB", "2.3 MB", "10 MB", "5.6 GB", "12 GB", "12 TB"]);
    }

    #[test]
    fn the_room_of_a_folder_that_is_not_there_is_that_of_the_disk() {
        let here = free_disk(Path::new("."));
        assert_eq!(here.is_some(), cfg!(unix));
        assert_eq!(free_disk(Path::new("no/such/folder")).is_some(), here.is_some());
        assert!(here.is_none_or(|room| room > 0.0));
        assert!(!cfg!(target_os = "linux") || free_memory().is_some_and(|room| room > 1e6));
    }
}
