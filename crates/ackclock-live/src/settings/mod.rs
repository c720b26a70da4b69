//! What hosts and sockets of a live run are set to, so that the kernel does what the scenario says as far as it can; and in sentences what
//! it cannot.

mod differences;
mod kernel;

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::net::Ipv4Addr;

use ackclock::ids::NodeId;
use ackclock::scenario::{Flow, Scenario};
use ackclock::tcp::{AckPolicy, RecoveryParams, TcpParams, UNSCALED_WINDOW};
use ackclock::units::Span;

use crate::{Addresses, LiveError};

pub use kernel::{Algorithm, KERNEL_NAMES, Program, available};

/// What the hosts and sockets of a live run are set to.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Of each host.
    pub hosts: BTreeMap<NodeId, HostSettings>,
    /// Of each flow, in the order of the scenario.
    pub flows: Vec<FlowSettings>,
    /// What the kernel does not do as the scenario says, in sentences.
    pub differences: Vec<String>,
}

/// What a host is set to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostSettings {
    /// Names below `/proc/sys/net/ipv4` with their values. None of them is one of the whole machine.
    pub sysctls: BTreeMap<&'static str, String>,
    /// What holds towards other hosts.
    pub routes: BTreeMap<Ipv4Addr, RouteSettings>,
    /// The largest packet of the device, octets.
    pub mtu: u32,
}

/// What holds towards one host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RouteSettings {
    /// The initial window of senders, segments.
    pub initial_window: Option<u32>,
    /// The smallest retransmission timeout of senders.
    pub min_rto_ms: Option<u64>,
    /// Whether receivers acknowledge every segment.
    pub is_quick: Option<bool>,
}

/// In the words of `ip route`.
impl Display for RouteSettings {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let parts = [
            self.initial_window.map(|segments| format!("initcwnd {segments}")),
            self.min_rto_ms.map(|ms| format!("rto_min {ms}ms")),
            (self.is_quick == Some(true)).then(|| "quickack 1".to_owned()),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }
}

/// What the sockets of a flow are set to.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSettings {
    /// The congestion control.
    pub algorithm: Algorithm,
    /// What the MSS option says.
    pub mss_option: u32,
    /// The largest window that the receiver advertises, bytes.
    pub window: u64,
}

impl Settings {
    /// What a scenario asks for.
    ///
    /// # Errors
    /// If no kernel can do it, or not all of it at once.
    pub fn of(scenario: &Scenario, addresses: &Addresses) -> Result<Settings, LiveError> {
        let mut hosts: BTreeMap<NodeId, Host> = addresses.hosts().map(|(id, _)| (id, Host::default())).collect();
        if let Some(flow) = scenario.flows.iter().find(|flow| flow.back_of.is_some()) {
            return Err(LiveError::scenario(
                format_args!("the application \"exchanges\" (of {}) is for simulations", flow.name),
                "choose another `application`, or simulate the scenario with `ackclock run`",
            ));
        }
        if let Some(medium) = scenario.links.iter().find_map(|link| link.medium.as_ref()) {
            return Err(LiveError::scenario(
                format_args!("links that share a medium (of {}) are for simulations", medium.name),
                "give these links a `rate` of their own, or simulate the scenario with `ackclock run`",
            ));
        }
        let mut flows = Vec::new();
        for flow in scenario.flows.iter() {
            let ends = [scenario.links[flow.forward.first()].from, flow.forward.destination(&scenario.links)];
            for (number, end) in ends.into_iter().enumerate() {
                let host = hosts.get_mut(&end).expect("flows begin and end at hosts");
                host.add(flow, &scenario.nodes[end].name)?;
                let other = addresses.host(ends[1 - number]);
                host.add_route(flow, &scenario.nodes[end].name, other, number == 0)?;
            }
            flows.push(of_flow(flow)?);
        }
        for source in &scenario.udp {
            if source.echo.is_some() {
                return Err(LiveError::scenario(
                    format_args!("[udp.{}] has `echo`, and hosts of live runs send no datagrams back", source.name),
                    "leave `echo` out, or simulate the scenario with `ackclock run`",
                ));
            }
            let ends = [scenario.links[source.route.first()].from, source.route.destination(&scenario.links)];
            let octets = source.source.payload_bytes + UDP_HEADERS;
            ends.into_iter().for_each(|end| hosts.entry(end).or_default().settings.raise_mtu(octets));
        }
        let hosts = hosts.into_iter().map(|(id, host)| (id, host.settings)).collect();
        Ok(Settings { hosts, flows, differences: differences::of(scenario) })
    }
}

/// A host as flows are added to it.
#[derive(Default)]
struct Host {
    settings: HostSettings,
    /// Of each setting the flow that it is for.
    by: BTreeMap<String, String>,
}

impl Host {
    /// A flow begins or ends at the host called `name`.
    fn add(&mut self, flow: &Flow, name: &str) -> Result<(), LiveError> {
        let tcp = &flow.tcp;
        let flag = |flag: bool| u8::from(flag).to_string();
        let is_rack = matches!(tcp.recovery, RecoveryParams::Rack(_));
        for (setting, value, key) in [
            ("tcp_sack", flag(tcp.uses_sack()), "recovery"),
            ("tcp_dsack", flag(tcp.uses_sack() && tcp.sack.duplicates), "dsack"),
            ("tcp_timestamps", flag(tcp.timestamp_clock.is_some()), "timestamps"),
            ("tcp_recovery", flag(is_rack), "recovery"),
            ("tcp_early_retrans", (if is_rack { 3 } else { 0 }).to_string(), "recovery"),
            ("tcp_frto", (if tcp.window_rules.f_rto { 2 } else { 0 }).to_string(), "f_rto"),
            ("tcp_slow_start_after_idle", flag(tcp.window_rules.restart_after_idle), "restart_after_idle"),
        ] {
            let before = self.settings.sysctls.insert(setting, value.clone());
            if before.is_some_and(|before| before != value) {
                return Err(self.clash(key, flow, name, &format!("at {name}")));
            }
            self.by.insert(key.to_owned(), flow.name.clone());
        }
        // Where one flow has large windows, those of the others stay as small as they are.
        let is_scaled = self.settings.sysctls.get(SCALING).is_some_and(|scaling| scaling == "1");
        let scales = is_scaled || tcp.window_scale > 0 || tcp.receive_window > UNSCALED_WINDOW;
        self.settings.sysctls.insert(SCALING, flag(scales));
        // Of the buffers that new sockets have from the start, the largest of all flows decides; the window of each is limited at its socket.
        let before = self.settings.sysctls.get(BUFFERS[0]).and_then(|sizes| sizes.rsplit(' ').next()?.parse().ok());
        let bytes = buffer_bytes(tcp).max(before.unwrap_or(0));
        BUFFERS.iter().for_each(|name| drop(self.settings.sysctls.insert(name, format!("4096 {bytes} {bytes}"))));
        for (setting, value) in ALWAYS {
            self.settings.sysctls.insert(setting, (*value).to_owned());
        }
        self.settings.raise_mtu(tcp.longest_datagram());
        Ok(())
    }

    /// The sender or the receiver of a flow, whose other end has this address, is at the host.
    fn add_route(&mut self, flow: &Flow, name: &str, other: Ipv4Addr, is_sender: bool) -> Result<(), LiveError> {
        fn set<T: PartialEq + Copy>(place: &mut Option<T>, value: T) -> bool {
            place.replace(value).is_none_or(|before| before == value)
        }
        let route = self.settings.routes.entry(other).or_default();
        let (fits, keys): (_, &[&str]) = match is_sender {
            true => (
                set(&mut route.initial_window, flow.tcp.initial_window_segments)
                    && set(&mut route.min_rto_ms, min_rto_ms(&flow.tcp)),
                &["initial_window", "min_rto"],
            ),
            false => (set(&mut route.is_quick, flow.tcp.ack == AckPolicy::EverySegment), &["delayed_ack"]),
        };
        if !fits {
            return Err(self.clash(&keys.join("`, `"), flow, name, "between the same two hosts"));
        }
        self.by.extend(keys.iter().map(|key| ((*key).to_owned(), flow.name.clone())));
        Ok(())
    }

    fn clash(&self, key: &str, flow: &Flow, name: &str, place: &str) -> LiveError {
        let first = key.split('`').next().unwrap_or(key);
        let other = self.by.get(first).map_or("another flow", String::as_str);
        LiveError::scenario(
            format_args!(
                "flows {other} and {} have other values of `{key}` {place}: Linux has one for both",
                flow.name
            ),
            format_args!("give one of the flows a host of its own beside {name}, or both the same value"),
        )
    }
}

impl HostSettings {
    /// All of them, as names and values in the words of sysctl and `ip`.
    pub fn listed(&self) -> impl Iterator<Item = (String, String)> {
        let sysctls = self.sysctls.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let routes = self.routes.iter().map(|(to, route)| (format!("route {to}"), route.to_string()));
        sysctls.chain([("mtu".to_owned(), self.mtu.to_string())]).chain(routes)
    }

    fn raise_mtu(&mut self, octets: u32) {
        self.mtu = self.mtu.max(octets).max(LEAST_MTU);
    }
}

fn of_flow(flow: &Flow) -> Result<FlowSettings, LiveError> {
    let TcpParams { mss, .. } = *flow.tcp;
    if mss < LEAST_MSS {
        return Err(LiveError::scenario(
            format_args!("flow {}: Linux has no segments of {mss} B: the smallest have {LEAST_MSS} B", flow.name),
            "set a larger `mss`, or simulate the scenario with `ackclock run`",
        ));
    }
    Ok(FlowSettings {
        algorithm: kernel::of(flow)?,
        mss_option: flow.tcp.mss_option(),
        window: flow.tcp.advertised_window(),
    })
}

/// The buffers of sockets, bytes: half of one is window, and the kernel needs more than its octets for each segment.
fn buffer_bytes(tcp: &TcpParams) -> u64 {
    (4 * tcp.advertised_window() + UNSENT_BYTES as u64).min(i32::MAX as u64)
}

/// The smallest retransmission timeout of a sender, in whole milliseconds, at least one.
fn min_rto_ms(tcp: &TcpParams) -> u64 {
    let min = tcp.timer.granularity * u64::from(tcp.timer.min_rto_ticks);
    min.as_ps().div_ceil(Span::from_ms(1).as_ps()).max(1)
}

/// What every host is set to: nothing is remembered from one connection for the next; buffers are those of the scenario; what no simulated
/// sender has is off.
const ALWAYS: &[(&str, &str)] = &[("tcp_no_metrics_save", "1"), ("tcp_moderate_rcvbuf", "0"), ("tcp_ecn", "0")];
const SCALING: &str = "tcp_window_scaling";
/// Of received and of sent data: the smallest, the first and the largest size.
const BUFFERS: [&str; 2] = ["tcp_rmem", "tcp_wmem"];
/// How many bytes wait in the socket of a sender at most that were never sent.
pub const UNSENT_BYTES: i32 = 512 << 10;
/// Octets of the headers of a datagram.
const UDP_HEADERS: u32 = 28;
/// Every device of IPv4 takes so much (RFC 791), and Linux refuses less for its queue of routes.
const LEAST_MTU: u32 = 576;
/// `TCP_MIN_MSS` of Linux.
const LEAST_MSS: u32 = 88;
