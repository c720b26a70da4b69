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

/// Memory that this process can still have: of the machine without swapping, of the limits of its control groups, and of those that the
/// shell sets (`ulimit -v`); on Linux only.
fn free_memory() -> Option<f64> {
    let read = |path: &str| fs::read_to_string(path).ok();
    let limits = [of_machine(&read("/proc/meminfo")?), of_shell(&read), of_groups(&read)];
    limits.into_iter().flatten().min_by(f64::total_cmp)
}

/// Of the machine: proc(5).
fn of_machine(meminfo: &str) -> Option<f64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok().map(|kibibytes: f64| kibibytes * 1024.0)
}

/// Of the address space and the data that this process may have: the soft limits of getrlimit(2), less what it has.
fn of_shell(read: &dyn Fn(&str) -> Option<String>) -> Option<f64> {
    let (limits, status) = (read("/proc/self/limits")?, read("/proc/self/status")?);
    let left = |limit: &str, has: &str| {
        let soft: f64 =
            limits.lines().find_map(|line| line.strip_prefix(limit))?.split_whitespace().next()?.parse().ok()?;
        let has = status.lines().find_map(|line| line.strip_prefix(has))?;
        let has: f64 = has.trim().strip_suffix(" kB")?.parse().ok()?;
        Some((soft - has * 1024.0).max(0.0))
    };
    let found = [left("Max address space", "VmSize:"), left("Max data size", "VmData:")];
    found.into_iter().flatten().min_by(f64::total_cmp)
}

/// Of the control groups that this process is in and those above them, of version 2 or 1: cgroups(7). Files that are kept in memory and not
/// used give room when it is needed.
fn of_groups(read: &dyn Fn(&str) -> Option<String>) -> Option<f64> {
    let number = |path: &str| read(path)?.trim().parse::<f64>().ok();
    let value = |line: &str, key: &str| line.strip_prefix(key)?.strip_prefix(' ')?.parse::<f64>().ok();
    let stat = |path: &str, key: &str| read(path)?.lines().find_map(|line| value(line, key));
    let mut least: Option<f64> = None;
    for line in read("/proc/self/cgroup")?.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let (root, limit, used, idle) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
            of if of.split(',').any(|of| of == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            }
            _ => continue,
        };
        // In a container the path may be that outside of it; the root is its own then.
        for group in Path::new(path).ancestors() {
            let group = format!("{root}{}", group.to_string_lossy().trim_end_matches('/'));
            // Without a limit the file says `max`, or an absurd number.
            let (Some(most), Some(has)) = (number(&format!("{group}/{limit}")), number(&format!("{group}/{used}")))
            else {
                continue;
            };
            let idle = stat(&format!("{group}/memory.stat"), idle).unwrap_or(0.0);
            let free = (most - (has - idle).max(0.0)).max(0.0);
            least = Some(least.map_or(free, |least| least.min(free)));
        }
    }
    least
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
    fn limits_of_shells_and_control_groups_are_seen() {
        let files = |all: &'static [(&'static str, &'static str)]| {
            move |path: &str| all.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
        };
        let shell = files(&[
            (
                "/proc/self/limits",
                "Limit  Soft Limit  Hard Limit  Units\nMax data size             unlimited            unlimited            bytes\n\
                 Max address space         4096000000           unlimited            bytes\n",
            ),
            ("/proc/self/status", "Name:\tackclock\nVmSize:\t 1000000 kB\nVmData:\t   10000 kB\n"),
        ]);
        assert_eq!(of_shell(&shell), Some(4_096_000_000.0 - 1_024_000_000.0));
        assert_eq!(of_machine("MemTotal: 5 kB\nMemAvailable:   2000 kB\n"), Some(2_048_000.0));
        // The group has no limit, that above it has one.
        let second = files(&[
            ("/proc/self/cgroup", "0::/user/work\n"),
            ("/sys/fs/cgroup/user/work/memory.max", "max\n"),
            ("/sys/fs/cgroup/user/work/memory.current", "5\n"),
            ("/sys/fs/cgroup/user/memory.max", "3000000\n"),
            ("/sys/fs/cgroup/user/memory.current", "1000000\n"),
            ("/sys/fs/cgroup/user/memory.stat", "anon 7\ninactive_file 400000\n"),
        ]);
        assert_eq!(of_groups(&second), Some(2_400_000.0));
        let first = files(&[
            ("/proc/self/cgroup", "5:cpu:/\n4:memory:/box\n"),
            ("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "9223372036854771712\n"),
            ("/sys/fs/cgroup/memory/box/memory.usage_in_bytes", "1000\n"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "5000\n"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1000\n"),
        ]);
        assert_eq!(of_groups(&first), Some(4000.0));
        assert_eq!(of_groups(&|_: &str| None), None);
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
