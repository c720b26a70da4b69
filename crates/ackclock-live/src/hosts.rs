//! The hosts of a scenario: a namespace and a device for each, set up as the scenario says.

use std::collections::BTreeMap;
use std::fs;
use std::io;

use ackclock::ids::NodeId;
use ackclock::scenario::Scenario;

use crate::settings::{HostSettings, Settings};
use crate::tun::{DEVICE, ip};
use crate::{Addresses, LiveError, Namespace, Tun};

/// A host.
#[derive(Debug)]
pub struct Host {
    /// Where its sockets are.
    pub namespace: Namespace,
    /// What connects it with the emulator.
    pub tun: Tun,
}

/// Makes the hosts of a scenario.
pub fn set_up(
    scenario: &Scenario,
    addresses: &Addresses,
    settings: &Settings,
) -> Result<BTreeMap<NodeId, Host>, LiveError> {
    let host = |(node, address)| {
        let namespace = Namespace::new()?;
        let of_host = &settings.hosts[&node];
        let tun = Tun::new(&namespace, address, of_host.mtu.max(LEAST_MTU))?;
        write_sysctls(&namespace, of_host, &scenario.nodes[node].name)?;
        ip(&namespace, &routes(of_host))?;
        Ok((node, Host { namespace, tun }))
    };
    addresses.hosts().map(host).collect()
}

/// Sets the namespace as the scenario says. Files below `/proc/sys/net` are those of the namespace of the thread that opens them.
fn write_sysctls(namespace: &Namespace, settings: &HostSettings, host: &str) -> Result<(), LiveError> {
    let write = || {
        for (name, value) in &settings.sysctls {
            fs::write(format!("/proc/sys/net/ipv4/{name}"), value).map_err(|error| (*name, error))?;
        }
        Ok(())
    };
    let written = namespace.enter(write).unwrap_or_else(|error| Err(("thread", error)));
    written.map_err(|(name, error): (_, io::Error)| {
        LiveError::machine(
            format_args!("cannot set {name} of host {host}: {error}"),
            "run it as root; a container needs /proc/sys/net to be writable; Linux from version 5.11 on is needed",
        )
    })
}

/// The commands for the routes of a host to the others.
fn routes(settings: &HostSettings) -> String {
    let routes = settings.routes.iter();
    routes.map(|(to, route)| format!("route replace {to}/32 dev {DEVICE} {route}\n")).collect()
}

/// RFC 791 §3.2: every network carries so much. Hosts without flows have it.
const LEAST_MTU: u32 = 68;
