//! Names of namespaces below `/run/netns`, for `ip netns exec` beside a run. A namespace ends without its process; a name stays if the
//! process is killed, until [`clean`] takes it away.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process;

use ackclock::ids::NodeId;
use ackclock::scenario::Scenario;

use crate::hosts::Host;
use crate::tun::command;
use crate::{LiveError, Namespace};

/// The names of the hosts of a run. They go when this is dropped.
#[derive(Debug, Default)]
pub struct Names {
    names: Vec<String>,
}

impl Names {
    /// Names the namespace of each host after this process and the host, as in `ackclock-1234-client`.
    pub fn give(scenario: &Scenario, hosts: &BTreeMap<NodeId, Host>) -> Result<Names, LiveError> {
        let mut names = Names::default();
        for (node, host) in hosts {
            let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
            let of_host: String = scenario.nodes[*node].name.chars().take(60).map(plain).collect();
            let name = format!("{PREFIX}{}-{of_host}", process::id());
            attach(&host.namespace, &name)?;
            names.names.push(name);
        }
        Ok(names)
    }

    /// The names, in the order of the hosts.
    pub fn all(&self) -> &[String] {
        &self.names
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        // What cannot be taken away now is found by `clean`.
        self.names.iter().for_each(|name| drop(command(None, "ip", &["netns", "delete", name], "")));
    }
}

/// Gives a namespace a name, which `ip netns` knows.
fn attach(namespace: &Namespace, name: &str) -> Result<(), LiveError> {
    // The thread that starts the program is in the namespace.
    let attached = namespace.enter(|| {
        let thread = rustix::thread::gettid().as_raw_nonzero().to_string();
        command(None, "ip", &["netns", "attach", name, &thread], "")
    });
    attached.unwrap_or_else(|error| Err(LiveError::machine(error, "try it without --named")))
}

/// Takes away the names that killed runs have left, those of runs that go on not. Returns what it has taken away.
///
/// # Errors
/// If a name cannot be taken away.
pub fn clean() -> Result<Vec<String>, LiveError> {
    let mut cleaned = Vec::new();
    for name in
        left().map_err(|error| LiveError::machine(format_args!("cannot read `{FOLDER}`: {error}"), "run it as root"))?
    {
        command(None, "ip", &["netns", "delete", &name], "")?;
        cleaned.push(name);
    }
    Ok(cleaned)
}

/// The names that killed runs have left.
pub fn left() -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(FOLDER) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut left: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.starts_with(PREFIX) && !is_of_running(name))
        .collect();
    left.sort();
    Ok(left)
}

/// Whether the process of a name still has the namespace. Another process may have got its number.
fn is_of_running(name: &str) -> bool {
    let number = name[PREFIX.len()..].split('-').next().unwrap_or_default();
    let Ok(number) = number.parse::<u32>() else { return true };
    let Ok(inode) = fs::metadata(Path::new(FOLDER).join(name)).map(|file| file.ino()) else { return false };
    let descriptors = PathBuf::from(format!("/proc/{number}/fd"));
    match fs::read_dir(descriptors) {
        Err(error) => error.kind() != io::ErrorKind::NotFound,
        Ok(entries) => {
            let target = format!("net:[{inode}]");
            entries.flatten().any(|entry| fs::read_link(entry.path()).is_ok_and(|to| to.to_string_lossy() == target))
        }
    }
}

const FOLDER: &str = "/run/netns";
const PREFIX: &str = "ackclock-";
