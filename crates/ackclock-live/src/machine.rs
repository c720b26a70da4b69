//! What this machine is, and what this process may do.

use std::fs;
use std::io;
use std::time::Duration;

use crate::sys;

/// Capabilities of Linux by their numbers, as far as live runs have a use for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Devices, addresses and routes.
    NetAdmin = 12,
    /// Namespaces.
    SysAdmin = 21,
    /// Real-time scheduling.
    SysNice = 23,
    /// Programs in the kernel.
    Bpf = 39,
    /// Their access to the kernel's data.
    Perfmon = 38,
}

impl Capability {
    /// Those that the doctor looks for, the most needed first.
    pub const ALL: [Capability; 5] =
        [Capability::NetAdmin, Capability::SysAdmin, Capability::SysNice, Capability::Bpf, Capability::Perfmon];

    /// Its name in manuals.
    pub fn name(self) -> &'static str {
        match self {
            Capability::NetAdmin => "CAP_NET_ADMIN",
            Capability::SysAdmin => "CAP_SYS_ADMIN",
            Capability::SysNice => "CAP_SYS_NICE",
            Capability::Bpf => "CAP_BPF",
            Capability::Perfmon => "CAP_PERFMON",
        }
    }

    /// Whether this process has it.
    pub fn is_there(self) -> bool {
        let status = read("/proc/self/status");
        let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
        let mask = effective.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask & 1 << self as u32 != 0)
    }
}

/// Name and release of the kernel, as in `Linux 6.18.44`.
pub fn kernel() -> String {
    let name = rustix::system::uname();
    format!("{} {}", name.sysname().to_string_lossy(), name.release().to_string_lossy())
}

/// Major and minor version of the kernel.
pub fn kernel_version() -> Option<(u32, u32)> {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

/// The processes that ran or wanted to, on average over the last minute.
pub fn load() -> Option<f64> {
    read("/proc/loadavg").split(' ').next()?.parse().ok()
}

/// What drives the clocks of the kernel, as `tsc`.
pub fn clock_source() -> String {
    read("/sys/devices/system/clocksource/clocksource0/current_clocksource").trim().to_owned()
}

/// How long the processor has been working for this process so far.
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Whether a thread of this process may have real-time scheduling; tries it on a thread of its own.
pub fn may_run_in_real_time() -> io::Result<()> {
    let tried = std::thread::spawn(|| sys::set_real_time(1)).join();
    tried.unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
}

/// How to run without privileges: in a user namespace. Where that does not go, what keeps it from going, and the remedy.
pub fn unprivileged() -> Result<String, String> {
    for (setting, bad, good) in [
        ("user/max_user_namespaces", "0", "user.max_user_namespaces=15000"),
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"),
    ] {
        if read(&format!("/proc/sys/{setting}")).trim() == bad {
            return Err(format!(
                "{} is {bad}: no user namespaces without privileges before `sysctl {good}`",
                setting.replace('/', ".")
            ));
        }
    }
    Ok("`unshare --user --map-root-user ackclock live ...`".into())
}

/// A file of the kernel; nothing if it is not there.
pub fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
