//! What a machine must have before a program is loaded: otherwise the kernel says no more than a number.

use std::path::Path;
use std::{fs, io};

use crate::error::Missing;

/// What programs for the kernel need and this machine or process lacks; nothing if they can be loaded.
pub fn missing() -> Vec<Missing> {
    let read = |path: &str| fs::read_to_string(path);
    of(Path::new("/sys/kernel/btf/vmlinux"), read("/proc/self/status"), read("/proc/self/uid_map"))
}

/// By the numbers of linux/capability.h.
const CAPABILITIES: [(u32, &str); 2] = [(39, "CAP_BPF"), (38, "CAP_PERFMON")];
const CAP_SYS_ADMIN: u32 = 21;

fn of(btf: &Path, status: io::Result<String>, uid_map: io::Result<String>) -> Vec<Missing> {
    let mut missing = Vec::new();
    if !btf.exists() {
        missing.push(Missing {
            what: format!("the kernel has no type information: {} is not there", btf.display()),
            remedy: "use a kernel that is built with CONFIG_DEBUG_INFO_BTF=y, as those of distributions are; live runs with the \
                     congestion controls of the kernel need none"
                .to_owned(),
        });
    }
    // What cannot be read is left to the kernel.
    let effective = status.ok().as_deref().and_then(effective);
    let lacks = |bit: u32| effective.is_some_and(|set| set & (1 << bit | 1 << CAP_SYS_ADMIN) == 0);
    let lacking: Vec<&str> = CAPABILITIES.iter().filter(|(bit, _)| lacks(*bit)).map(|(_, name)| *name).collect();
    if !lacking.is_empty() {
        missing.push(Missing {
            what: format!("this process lacks {}", lacking.join(" and ")),
            remedy: "run it as root, or give the program both: setcap cap_bpf,cap_perfmon+ep PROGRAM".to_owned(),
        });
    } else if uid_map.is_ok_and(|map| !is_of_the_machine(&map)) {
        missing.push(Missing {
            what: "this process is in a user namespace, whose root may not load programs".to_owned(),
            remedy: "run it as root of the machine, outside of containers without CAP_BPF and CAP_PERFMON".to_owned(),
        });
    }
    missing
}

/// The effective capabilities, a bit each.
fn effective(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?;
    u64::from_str_radix(line.trim(), 16).ok()
}

/// Whether user numbers are those of the machine: all of them, each as itself.
fn is_of_the_machine(uid_map: &str) -> bool {
    uid_map.split_whitespace().eq(["0", "0", "4294967295"])
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = "/proc/self";
    const MACHINE: &str = "         0          0 4294967295\n";

    fn lines(btf: &str, capabilities: &str, map: &str) -> Vec<String> {
        let status = format!("Name:\tx\nCapEff:\t{capabilities}\nCapBnd:\t000001ffffffffff\n");
        of(Path::new(btf), Ok(status), Ok(map.to_owned())).into_iter().map(|missing| missing.what).collect()
    }

    /// Bits 39, 38 and 21: 0x80_0000_0000, 0x40_0000_0000, 0x20_0000.
    #[test]
    fn each_capability_that_is_missing_is_named() {
        assert_eq!(lines(HERE, "000000c000000000", MACHINE), [""; 0]);
        assert_eq!(lines(HERE, "0000000000200000", MACHINE), [""; 0], "CAP_SYS_ADMIN stands for both");
        assert_eq!(lines(HERE, "0000000000000000", MACHINE), ["this process lacks CAP_BPF and CAP_PERFMON"]);
        assert_eq!(lines(HERE, "0000008000000000", MACHINE), ["this process lacks CAP_PERFMON"]);
        assert_eq!(lines(HERE, "0000004000001000", MACHINE), ["this process lacks CAP_BPF"]);
    }

    #[test]
    fn a_user_namespace_and_a_kernel_without_types_are_named() {
        let map = "         0       1000          1\n";
        assert_eq!(
            lines(HERE, "000001ffffffffff", map),
            ["this process is in a user namespace, whose root may not load programs"]
        );
        assert_eq!(
            lines("/nowhere/vmlinux", "000001ffffffffff", MACHINE),
            ["the kernel has no type information: /nowhere/vmlinux is not there"]
        );
    }

    #[test]
    fn what_cannot_be_read_is_left_to_the_kernel() {
        let gone = || Err(io::Error::from(io::ErrorKind::NotFound));
        assert_eq!(of(Path::new(HERE), gone(), gone()), []);
    }
}
