//! Which host has which address, and which flow a packet belongs to.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddrV4};

use ackclock::ids::{FlowId, Id, NodeId};
use ackclock::scenario::{NodeKind, Scenario};

use crate::LiveError;

/// Addresses and ports of a scenario: an address for each host, a port for each flow and each source of UDP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addresses {
    hosts: BTreeMap<NodeId, Ipv4Addr>,
    /// Of each flow the addresses of sender and receiver.
    flows: Vec<(Ipv4Addr, Ipv4Addr)>,
    udp: Vec<(Ipv4Addr, Ipv4Addr)>,
}

/// What a packet is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// From the sender of a flow to its receiver.
    Data(FlowId),
    /// From the receiver of a flow to its sender.
    Acks(FlowId),
    /// From a source of UDP.
    Udp(UdpId),
}

/// A source of UDP, by its place in the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UdpId(pub usize);

impl Addresses {
    /// Gives each host of the scenario its address, in their order.
    pub fn of(scenario: &Scenario) -> Result<Addresses, LiveError> {
        let hosts: Vec<NodeId> = scenario.nodes.ids().filter(|id| scenario.nodes[*id].kind == NodeKind::Host).collect();
        for (what, count, most) in [
            ("hosts", hosts.len(), MOST_HOSTS),
            ("flows", scenario.flows.len(), MOST_FLOWS),
            ("UDP sources", scenario.udp.len(), MOST_FLOWS),
        ] {
            if count > most {
                return Err(LiveError::scenario(
                    format_args!("{count} {what} are too many for a live run, which has at most {most}"),
                    format_args!("use fewer {what}, or simulate the scenario with `ackclock run`"),
                ));
            }
        }
        let address = |(n, id): (usize, NodeId)| (id, Ipv4Addr::from_bits(FIRST_HOST.to_bits() + n as u32));
        let hosts: BTreeMap<NodeId, Ipv4Addr> = hosts.into_iter().enumerate().map(address).collect();
        let ends = |first, last| (hosts[&scenario.links[first].from], hosts[&last]);
        let flows = scenario.flows.iter();
        let flows = flows.map(|flow| ends(flow.forward.first(), flow.forward.destination(&scenario.links))).collect();
        let udp = scenario.udp.iter();
        let udp = udp.map(|source| ends(source.route.first(), source.route.destination(&scenario.links))).collect();
        Ok(Addresses { hosts, flows, udp })
    }

    /// The hosts with their addresses, in the order of the scenario.
    pub fn hosts(&self) -> impl Iterator<Item = (NodeId, Ipv4Addr)> {
        self.hosts.iter().map(|(id, address)| (*id, *address))
    }

    /// The address of a host.
    ///
    /// # Panics
    /// If the node is not a host of the scenario.
    pub fn host(&self, node: NodeId) -> Ipv4Addr {
        self.hosts[&node]
    }

    /// Address of the sender of a flow.
    pub fn sender(&self, flow: FlowId) -> Ipv4Addr {
        self.flows[flow.index()].0
    }

    /// Where the receiver of a flow listens.
    pub fn receiver(&self, flow: FlowId) -> SocketAddrV4 {
        SocketAddrV4::new(self.flows[flow.index()].1, FIRST_PORT + flow.index() as u16)
    }

    /// The port of the sender of a flow.
    pub fn sender_port(&self, flow: FlowId) -> u16 {
        FIRST_SENDER_PORT + flow.index() as u16
    }

    /// The port from which the datagrams of a source come.
    pub fn udp_port(&self, source: UdpId) -> u16 {
        FIRST_SENDER_PORT + source.0 as u16
    }

    /// Where the datagrams of a source go.
    pub fn udp_sink(&self, source: UdpId) -> SocketAddrV4 {
        SocketAddrV4::new(self.udp[source.0].1, FIRST_PORT + source.0 as u16)
    }

    /// What an IP packet is part of, from its headers; `None` of what is not of the scenario. Fragments behind the first have no ports:
    /// they are not recognised.
    pub fn classify(&self, packet: &[u8]) -> Option<Passage> {
        let header = 4 * usize::from(packet.first()? & 0x0f);
        if packet[0] >> 4 != 4 || header < 20 || packet.len() < header + 4 {
            return None;
        }
        let is_later_fragment = u16::from_be_bytes([packet[6], packet[7]]) & 0x1fff != 0;
        let address = |at: usize| Ipv4Addr::new(packet[at], packet[at + 1], packet[at + 2], packet[at + 3]);
        let port = |at: usize| usize::from(u16::from_be_bytes([packet[at], packet[at + 1]]));
        let (from, to) = (address(12), address(16));
        let index = |port: usize| port.checked_sub(usize::from(FIRST_PORT));
        let by = |ends: &[(Ipv4Addr, Ipv4Addr)], port: usize, between| {
            index(port).filter(|index| ends.get(*index) == Some(&between))
        };
        match packet[9] {
            _ if is_later_fragment => None,
            TCP => by(&self.flows, port(header + 2), (from, to))
                .map(|index| Passage::Data(FlowId::from_index(index)))
                .or_else(|| Some(Passage::Acks(FlowId::from_index(by(&self.flows, port(header), (to, from))?)))),
            UDP => by(&self.udp, port(header + 2), (from, to)).map(|index| Passage::Udp(UdpId(index))),
            _ => None,
        }
    }
}

/// Bits of the network of all hosts, which RFC 2544 keeps for measurements: no machine outside has such an address.
pub const PREFIX: u8 = 15;
/// The port of the first flow and of the first source of UDP.
pub const FIRST_PORT: u16 = 1024;
/// The address of the first host.
pub const FIRST_HOST: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
/// The port of the sender of the first flow, and of the first source of UDP: behind those of the receivers.
pub const FIRST_SENDER_PORT: u16 = 40_000;
/// The ports that the kernel chooses itself, of which nothing here has one.
pub const OTHER_PORTS: &str = "50000 65000";
/// More hosts have no room in the memory of a machine.
const MOST_HOSTS: usize = 1000;
/// As many as a result has in its document; each takes three sockets.
const MOST_FLOWS: usize = 1000;

/// Protocol numbers of IP.
const TCP: u8 = 6;
const UDP: u8 = 17;

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses() -> Addresses {
        let [a, b] = [1, 2].map(|n| Ipv4Addr::new(198, 18, 0, n));
        Addresses {
            hosts: [(NodeId::from_index(0), a), (NodeId::from_index(2), b)].into(),
            // One flow in each direction.
            flows: vec![(a, b), (b, a)],
            udp: vec![(a, b)],
        }
    }

    /// An IP header of `header` octets and two ports.
    fn packet(protocol: u8, from: [u8; 2], to: [u8; 2], ports: [u16; 2], header: usize) -> Vec<u8> {
        let mut packet = vec![0; header + 20];
        packet[0] = 0x40 | (header / 4) as u8;
        packet[9] = protocol;
        packet[12..20].copy_from_slice(&[198, 18, from[0], from[1], 198, 18, to[0], to[1]]);
        packet[header..header + 2].copy_from_slice(&ports[0].to_be_bytes());
        packet[header + 2..header + 4].copy_from_slice(&ports[1].to_be_bytes());
        packet
    }

    #[test]
    fn a_packet_belongs_to_the_flow_of_its_port_and_addresses() {
        let addresses = addresses();
        let passage = |packet: Vec<u8>| addresses.classify(&packet);
        let [first, second] = [0, 1].map(FlowId::from_index);
        assert_eq!(passage(packet(TCP, [0, 1], [0, 2], [40_000, 1024], 20)), Some(Passage::Data(first)));
        assert_eq!(passage(packet(TCP, [0, 2], [0, 1], [1024, 40_000], 24)), Some(Passage::Acks(first)));
        assert_eq!(passage(packet(TCP, [0, 2], [0, 1], [40_000, 1025], 60)), Some(Passage::Data(second)));
        assert_eq!(passage(packet(TCP, [0, 1], [0, 2], [1025, 40_000], 20)), Some(Passage::Acks(second)));
        assert_eq!(passage(packet(UDP, [0, 1], [0, 2], [40_000, 1024], 20)), Some(Passage::Udp(UdpId(0))));
    }

    #[test]
    fn what_is_not_of_the_scenario_has_no_flow() {
        let addresses = addresses();
        let passage = |packet: &[u8]| addresses.classify(packet);
        let of_flow = packet(TCP, [0, 1], [0, 2], [40_000, 1024], 20);
        assert_eq!(passage(&packet(TCP, [0, 1], [0, 2], [40_000, 1026], 20)), None, "no such flow");
        assert_eq!(passage(&packet(TCP, [0, 1], [0, 3], [40_000, 1024], 20)), None, "no such host");
        assert_eq!(passage(&packet(UDP, [0, 2], [0, 1], [1024, 40_000], 20)), None, "nothing comes back from UDP");
        assert_eq!(passage(&packet(1, [0, 1], [0, 2], [40_000, 1024], 20)), None, "ICMP");
        assert_eq!(passage(&of_flow[..23]), None, "cut off");
        assert_eq!(passage(&[]), None);
        let mut fragment = of_flow.clone();
        fragment[7] = 1;
        assert_eq!(passage(&fragment), None);
        let mut of_version_6 = of_flow;
        of_version_6[0] = 0x65;
        assert_eq!(passage(&of_version_6), None);
    }
}
