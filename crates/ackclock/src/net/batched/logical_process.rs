//! The logical processes of a network, of each kind that there is.

use super::abr::port::RunPort;
use super::cells::edge::CellEdges;
use super::cells::port::CellPort;
use super::hosts::Hosts;
use super::hosts::udp::UdpSinks;
use super::packets::changing_port::ChangingPort;
use super::packets::edge::EdgeProcess;
use super::packets::medium_ports::MediumPorts;
use super::packets::port::PacketPorts;
use super::packets::routed::ports::RoutedPorts;
use super::process::{Ports, Process};
use crate::net::feedback::PacketRates;
use crate::units::Time;

/// A logical process, as in the literature on parallel simulation: each kind that there is.
pub(super) enum LogicalProcess {
    Hosts(Box<Hosts>),
    Cells(Box<CellPort>),
    Runs(Box<RunPort>),
    Packets(PacketPorts),
    Changing(Box<ChangingPort>),
    Routed(Box<RoutedPorts>),
    Medium(Box<MediumPorts>),
    Udp(UdpSinks),
    Edge(Box<EdgeProcess>),
    CellEdges(Box<CellEdges>),
}

impl LogicalProcess {
    /// When it gives new rates to TCP flows that an edge uses; never if it gives none.
    pub(super) fn next_rates(&self) -> Time {
        match self {
            LogicalProcess::Runs(port) => port.next_rates().unwrap_or(Time::NEVER),
            LogicalProcess::Cells(port) => port.next_rates(),
            LogicalProcess::Packets(ports) => ports.next_rates(),
            // The edges that use them are in the process.
            LogicalProcess::Routed(_) => Time::NEVER,
            port => port.rates(0).map_or(Time::NEVER, PacketRates::interval_end),
        }
    }

    /// The rates that one of its ports gives to TCP flows, if it is a packet port that does.
    pub(super) fn rates(&self, port: u32) -> Option<&PacketRates> {
        match self {
            LogicalProcess::Changing(port) => port.rates(),
            LogicalProcess::Packets(ports) => ports.rates(port),
            LogicalProcess::Routed(ports) => ports.rates(port),
            LogicalProcess::Medium(_)
            | LogicalProcess::Hosts(_)
            | LogicalProcess::Cells(_)
            | LogicalProcess::Runs(_)
            | LogicalProcess::Udp(_)
            | LogicalProcess::Edge(_)
            | LogicalProcess::CellEdges(_) => None,
        }
    }

    #[inline]
    pub(super) fn process(&self) -> &dyn Process {
        match self {
            LogicalProcess::Hosts(hosts) => &**hosts,
            LogicalProcess::Cells(port) => &**port,
            LogicalProcess::Runs(port) => &**port,
            LogicalProcess::Packets(ports) => ports,
            LogicalProcess::Changing(port) => &**port,
            LogicalProcess::Routed(ports) => &**ports,
            LogicalProcess::Medium(ports) => &**ports,
            LogicalProcess::Udp(sinks) => sinks,
            LogicalProcess::Edge(edge) => &**edge,
            LogicalProcess::CellEdges(edges) => &**edges,
        }
    }

    #[inline]
    pub(super) fn process_mut(&mut self) -> &mut dyn Process {
        match self {
            LogicalProcess::Hosts(hosts) => &mut **hosts,
            LogicalProcess::Cells(port) => &mut **port,
            LogicalProcess::Runs(port) => &mut **port,
            LogicalProcess::Packets(ports) => ports,
            LogicalProcess::Changing(port) => &mut **port,
            LogicalProcess::Routed(ports) => &mut **ports,
            LogicalProcess::Medium(ports) => &mut **ports,
            LogicalProcess::Udp(sinks) => sinks,
            LogicalProcess::Edge(edge) => &mut **edge,
            LogicalProcess::CellEdges(edges) => &mut **edges,
        }
    }

    /// As switch ports, unless it is one of hosts.
    pub(super) fn ports(&self) -> Option<&dyn Ports> {
        match self {
            LogicalProcess::Hosts(_)
            | LogicalProcess::Udp(_)
            | LogicalProcess::Edge(_)
            | LogicalProcess::CellEdges(_) => None,
            LogicalProcess::Cells(port) => Some(&**port),
            LogicalProcess::Runs(port) => Some(&**port),
            LogicalProcess::Packets(ports) => Some(ports),
            LogicalProcess::Changing(port) => Some(&**port),
            LogicalProcess::Routed(ports) => Some(&**ports),
            LogicalProcess::Medium(ports) => Some(&**ports),
        }
    }
}
