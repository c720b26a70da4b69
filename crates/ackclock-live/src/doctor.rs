//! What this machine can do for live runs, and what to do about each gap.

use std::net::Ipv4Addr;
use std::process::Command;
use std::thread::available_parallelism;

use ackclock_bpf::Missing;

use crate::machine::{self, Capability};
use crate::settings::{KERNEL_NAMES, available};
use crate::tun::NODE;
use crate::{Namespace, Tun};

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is about.
    pub of: &'static str,
    /// How it is.
    pub state: State,
    /// Versions, names or numbers that were found of it, in a few words.
    pub found: String,
    /// What to do about it; of what is good, nothing.
    pub remedy: Option<String>,
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// As it should be.
    Good,
    /// Live runs go, with less.
    Limited,
    /// Without it there are no live runs.
    Missing,
}

ackclock::names!(State: Good = "good", Limited = "limited", Missing = "missing");

/// Looks at everything that a live run needs. It makes a namespace and a device in it, and leaves nothing behind.
pub fn examine() -> Vec<Finding> {
    let mut all = vec![kernel(), capabilities()];
    all.extend(network());
    all.push(congestion_controls());
    all.push(programs_in_the_kernel());
    all.extend([clock(), scheduling(), processors(), descriptors()]);
    all
}

fn good(of: &'static str, found: impl Into<String>) -> Finding {
    Finding { of, state: State::Good, found: found.into(), remedy: None }
}

fn gap(of: &'static str, state: State, found: impl Into<String>, remedy: impl Into<String>) -> Finding {
    Finding { of, state, found: found.into(), remedy: Some(remedy.into()) }
}

fn kernel() -> Finding {
    let name = machine::kernel();
    match machine::kernel_version() {
        Some(version) if version < LEAST_KERNEL => gap(
            "kernel",
            State::Missing,
            format!("{name}: before 5.11 waiting is not exact to the microsecond"),
            "use a kernel from 5.11 on; from 6.7 on it counts timeouts",
        ),
        Some(version) if version < COUNTS_TIMEOUTS => gap(
            "kernel",
            State::Limited,
            format!("{name}: before 6.7 it does not count timeouts, those that are seen in readings are counted"),
            "use a kernel from 6.7 on",
        ),
        _ => good("kernel", name),
    }
}

fn capabilities() -> Finding {
    let missing: Vec<&str> =
        Capability::ALL.into_iter().filter(|capability| !capability.is_there()).map(Capability::name).collect();
    if missing.is_empty() {
        return good("capabilities", Capability::ALL.map(Capability::name).join(", "));
    }
    let needed = [Capability::NetAdmin, Capability::SysAdmin];
    let state = if needed.iter().all(|capability| capability.is_there()) { State::Limited } else { State::Missing };
    let help = match machine::unprivileged() {
        Ok(path) if state == State::Missing => format!("run it as root, or without privileges as {path}"),
        Err(gap) if state == State::Missing => format!("run it as root; {gap}"),
        _ => "run it as root; CAP_SYS_NICE is for exact times, CAP_BPF and CAP_PERFMON for Vegas-A and traces of each ACK".into(),
    };
    gap("capabilities", state, format!("this process lacks {}", missing.join(", ")), help)
}

/// Namespaces, devices, and the program that sets them up.
fn network() -> Vec<Finding> {
    let namespace = match Namespace::new() {
        Ok(namespace) => namespace,
        Err(error) => return vec![gap("network namespaces", State::Missing, error.to_string(), error.help())],
    };
    let mut all = vec![good("network namespaces", "can be made")];
    all.push(match Command::new("ip").arg("-V").output() {
        Ok(output) => good("iproute2", String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        Err(error) => gap("iproute2", State::Missing, format!("`ip` cannot be run: {error}"), "install iproute2"),
    });
    all.push(match Tun::new(&namespace, Ipv4Addr::new(198, 18, 0, 1), 1500) {
        Ok(tun) if tun.is_of_pair() => gap(
            "TUN devices",
            State::Limited,
            format!("{NODE} cannot be opened: pairs of devices (veth) take their place, with room for about {PAIR_PACKETS} packets that wait for the emulator"),
            format!("as root, let everybody open it, as most distributions do: chmod 666 {NODE}"),
        ),
        Ok(_) => good("TUN devices", "can be made"),
        Err(error) => gap("TUN devices", State::Missing, error.to_string(), error.help()),
    });
    let set = namespace.enter(|| std::fs::write("/proc/sys/net/ipv4/tcp_sack", "1")).and_then(|written| written);
    all.push(match set {
        Ok(()) => good("settings of TCP", "can be changed in a namespace"),
        Err(error) => gap(
            "settings of TCP",
            State::Missing,
            format!("cannot be changed in a namespace: {error}"),
            "run it as root; a container needs /proc/sys/net to be writable",
        ),
    });
    all
}

fn congestion_controls() -> Finding {
    let there = available();
    let wanted = KERNEL_NAMES.iter().map(|(_, kernel)| *kernel);
    let mut missing: Vec<&str> = wanted.filter(|kernel| there.iter().all(|name| name != kernel)).collect();
    missing.dedup();
    if missing.is_empty() {
        return good("congestion controls", there.join(", "));
    }
    gap(
        "congestion controls",
        State::Limited,
        format!("{}; not loaded: {}", there.join(", "), missing.join(", ")),
        format!(
            "where the distribution has the modules, they are loaded when a scenario asks for them (modprobe tcp_{})",
            missing[0]
        ),
    )
}

/// Whether the kernel takes programs of ours.
fn programs_in_the_kernel() -> Finding {
    const OF: &str = "programs in the kernel";
    let missing = match cfg!(feature = "bpf") {
        true => ackclock_bpf::missing(),
        false => vec![Missing {
            what: "this ackclock was built without them".into(),
            remedy: "build it with `cargo install --path crates/ackclock-cli --features live-bpf`".into(),
        }],
    };
    if missing.is_empty() {
        return good(OF, "can be loaded: vegas and vegas-a, and windows at every acknowledgement");
    }
    let joined = |of: fn(&Missing) -> &str| missing.iter().map(of).collect::<Vec<_>>().join("; ");
    let what = joined(|missing| &missing.what);
    let found = format!("no vegas and vegas-a, and windows are read every 10 ms: {what}");
    gap(OF, State::Limited, found, joined(|missing| &missing.remedy))
}

fn clock() -> Finding {
    match machine::clock_source() {
        slow if ["hpet", "acpi_pm", "jiffies"].contains(&slow.as_str()) => gap(
            "clock",
            State::Limited,
            format!("the clock source is {slow}, which takes microseconds to read"),
            "use tsc or kvm-clock (/sys/devices/system/clocksource/clocksource0/available_clocksource)",
        ),
        source => good("clock", if source.is_empty() { "there".into() } else { source }),
    }
}

fn scheduling() -> Finding {
    match machine::may_run_in_real_time() {
        Ok(()) => good("scheduling", "real-time priority is allowed"),
        Err(error) => gap(
            "scheduling",
            State::Limited,
            format!("no real-time priority ({error}): packets are late by milliseconds when other programs run"),
            "run it as root, give the program CAP_SYS_NICE, or raise `ulimit -r` to 10",
        ),
    }
}

fn processors() -> Finding {
    let (count, load) = (available_parallelism().map_or(1, usize::from), machine::load());
    let found = format!("{count}, load {}", load.map_or("unknown".into(), |load| format!("{load:.1}")));
    if count < 2 {
        return gap(
            "processors",
            State::Limited,
            found,
            "with one processor sender, receiver and links wait for each other: use two or more",
        );
    }
    match load {
        Some(load) if load > count as f64 / 2.0 => gap(
            "processors",
            State::Limited,
            found,
            "end other programs before a live run: it measures the machine too",
        ),
        _ => good("processors", found),
    }
}

fn descriptors() -> Finding {
    let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    match most {
        Some(most) if most < LEAST_DESCRIPTORS => gap(
            "open files",
            State::Limited,
            format!("at most {most}"),
            "each flow takes two, each host two: raise it with `ulimit -n 4096` for many of them",
        ),
        most => good("open files", most.map_or("no limit".into(), |most| format!("at most {most}"))),
    }
}

/// `epoll_pwait2` is there from then on.
const LEAST_KERNEL: (u32, u32) = (5, 11);
/// `TCP_INFO` has the number of timeouts from then on.
const COUNTS_TIMEOUTS: (u32, u32) = (6, 7);
/// Of 1500 octets, in the receive buffers that sockets may have without privileges.
const PAIR_PACKETS: u32 = 90;
const LEAST_DESCRIPTORS: u64 = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_no_good_has_a_remedy() {
        let all = examine();
        assert!(all.len() > 7, "{all:?}");
        for finding in &all {
            assert_eq!(finding.remedy.is_none(), finding.state == State::Good, "{finding:?}");
            assert!(!finding.found.is_empty(), "{finding:?}");
        }
    }
}
