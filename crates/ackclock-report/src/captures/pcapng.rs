//! Captures as pcapng files, one per host: what Wireshark and tcptrace read. `docs/captures.md` says what is in them.
//! Source: Internet-Draft *PCAP Now Generic (pcapng) Capture File Format*, \[PCAPNG\], by section below.
//! Little-endian on every machine, so that the same run gives the same file.

use std::io::{self, Write};
use std::net::Ipv4Addr;

use ackclock::ids::Id;
use ackclock::packet::SegmentKind;
use ackclock::record::{Capture, Captured, Loss};
use ackclock::scenario::{Flow, NodeKind, Route, Scenario, UdpFlow};
use ackclock::sim::RESULT_VERSION;

use super::blocks::Block;
use super::headers::{self, Datagram, Endpoint, UdpDatagram};

/// What a capture does not say itself, alike in all runs of a scenario: its name, the hosts and the flows.
#[derive(Clone, Debug, PartialEq)]
pub struct Meta {
    /// The scenario's name.
    pub scenario: String,
    /// The hash of the resolved scenario, in hexadecimal digits.
    pub hash: String,
    /// The names of all hosts in the order of the scenario, on which their addresses depend.
    pub hosts: Vec<String>,
    /// All flows in the order of the scenario, on which their ports depend.
    pub flows: Vec<FlowMeta>,
    /// All sources of datagrams in the order of the scenario.
    pub udp: Vec<UdpMeta>,
    /// Where hosts are real, what addresses they have.
    pub real: Option<Real>,
}

/// Real hosts: each has the next address, each flow the next port at both ends, and so has each source of datagrams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Real {
    /// Their system, as `Linux 6.18.44`.
    pub system: String,
    /// The address of the first host.
    pub first_address: Ipv4Addr,
    /// The port of the sender of the first flow.
    pub sender_port: u16,
    /// The port of its receiver.
    pub receiver_port: u16,
}

/// What the packets of a flow have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowMeta {
    /// The flow's name.
    pub name: String,
    /// The sender's host, as an index into [`Meta::hosts`].
    pub sender: usize,
    /// The receiver's host, as an index into [`Meta::hosts`].
    pub receiver: usize,
    /// Payload bytes of the whole file; `None` if there is no end to it.
    pub size: Option<u64>,
    /// What the option of a SYN says: payload bytes of a full segment and of the options that each segment carries, which the
    /// sender takes off (RFC 6691 §2).
    pub mss: u32,
    /// The window that the receiver advertises, bytes.
    pub window: u64,
    /// Shift count of the window scale option (RFC 7323 §2).
    pub window_scale: u8,
    /// Whether the receiver sends selective acknowledgements.
    pub sack: bool,
}

/// What the datagrams of a source have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct UdpMeta {
    /// The source's name.
    pub name: String,
    /// Its host, as an index into [`Meta::hosts`].
    pub sender: usize,
    /// The host to which they go, as an index into [`Meta::hosts`].
    pub receiver: usize,
    /// Payload bytes of each.
    pub payload: u32,
}

/// What a packet belongs to.
#[derive(Clone, Copy)]
enum Conversation<'a> {
    Flow(&'a FlowMeta),
    Udp(&'a UdpMeta),
}

impl Meta {
    /// What the runs of `scenario` have in common; `hash` is that of the resolved scenario, in hexadecimal digits.
    pub fn of(scenario: &Scenario, hash: &str) -> Meta {
        // Of each node, how many hosts come before it: of a host its number.
        let mut hosts = Vec::new();
        let mut numbers = Vec::new();
        for node in scenario.nodes.iter() {
            numbers.push(hosts.len());
            if node.kind == NodeKind::Host {
                hosts.push(node.name.clone());
            }
        }
        let ends = |route: &Route| {
            let (from, to) = (scenario.links[route.first()].from, route.destination(&scenario.links));
            (numbers[from.index()], numbers[to.index()])
        };
        let flow = |flow: &Flow| FlowMeta {
            name: flow.name.clone(),
            sender: ends(&flow.forward).0,
            receiver: ends(&flow.forward).1,
            size: flow.size,
            mss: flow.tcp.mss_option(),
            window: flow.tcp.advertised_window(),
            window_scale: flow.tcp.window_scale,
            sack: flow.tcp.uses_sack(),
        };
        let source = |source: &UdpFlow| UdpMeta {
            name: source.name.clone(),
            sender: ends(&source.route).0,
            receiver: ends(&source.route).1,
            payload: source.source.payload_bytes,
        };
        Meta {
            scenario: scenario.name.clone(),
            hash: hash.into(),
            flows: scenario.flows.iter().map(flow).collect(),
            udp: scenario.udp.iter().map(source).collect(),
            hosts,
            real: None,
        }
    }

    /// The address of a host: 10.0.0.1 for the first, counted on from there; of a real one its own.
    pub fn address(&self, host: usize) -> Ipv4Addr {
        assert!(host < self.hosts.len() && host < MAX_HOSTS, "host {host} of {} has no address", self.hosts.len());
        let first = self.real.as_ref().map_or(FIRST_ADDRESS, |real| real.first_address.to_bits());
        Ipv4Addr::from(first + host as u32)
    }

    /// The ports of a flow, sender's and receiver's, or of a source of datagrams: TCP and UDP count each for itself. No two
    /// flows have both the same, whatever their hosts: the sender's are the dynamic ones (RFC 6335 §6), which begin anew
    /// with the next port of the receiver's.
    pub fn ports(&self, flow: usize) -> (u16, u16) {
        if let Some(Real { sender_port, receiver_port, .. }) = self.real {
            return (sender_port + flow as u16, receiver_port + flow as u16);
        }
        let of_receiver = u16::try_from(flow / DYNAMIC_PORTS).ok().and_then(|more| FIRST_SERVER_PORT.checked_add(more));
        (FIRST_DYNAMIC_PORT + (flow % DYNAMIC_PORTS) as u16, of_receiver.expect("fewer flows than pairs of ports"))
    }

    /// All flows and then all sources of datagrams, as packets are numbered.
    fn conversations(&self) -> impl Iterator<Item = Conversation<'_>> {
        self.flows.iter().map(Conversation::Flow).chain(self.udp.iter().map(Conversation::Udp))
    }

    /// The sender and the receiver of the flow with this number, or of the source of datagrams.
    fn ends(&self, number: usize) -> [Endpoint; 2] {
        let of = |number, (sender, receiver)| {
            let (from, to) = self.ports(number);
            [(sender, from), (receiver, to)].map(|(host, port)| Endpoint { address: self.address(host), port })
        };
        match number.checked_sub(self.flows.len()) {
            None => of(number, (self.flows[number].sender, self.flows[number].receiver)),
            Some(source) => of(source, (self.udp[source].sender, self.udp[source].receiver)),
        }
    }
}

impl Conversation<'_> {
    fn hosts(&self) -> [usize; 2] {
        match self {
            Conversation::Flow(flow) => [flow.sender, flow.receiver],
            Conversation::Udp(source) => [source.sender, source.receiver],
        }
    }
}

/// The name of the file with the capture at a host.
pub fn file_name(host: &str) -> String {
    format!("{host}.pcapng")
}

/// Writes a capture of the run under `seed` as a file of its own. `out` gets a piece per packet and should be buffered; it
/// is flushed at the end. Packets need not be in order.
///
/// # Panics
/// If the capture is of a host or of a flow that `meta` does not know.
pub fn write(out: &mut impl Write, capture: &Capture, meta: &Meta, seed: u64) -> io::Result<()> {
    let host = meta.hosts.iter().position(|name| *name == capture.host).expect("a host of the scenario");
    let mut block = Block::default();
    section_header(&mut block, host, meta, seed).write(out)?;
    interface(&mut block, capture).write(out)?;
    names(&mut block, host, meta).write(out)?;
    // Hosts take no time: what arrives comes before the answer of the same instant, or readers see bytes acknowledged
    // that were not there yet.
    let mut packets: Vec<_> = capture.packets.iter().collect();
    packets.sort_by_key(|packet| (packet.time, packet.sent));
    for packet in packets {
        enhanced_packet(&mut block, packet, meta).write(out)?;
    }
    out.flush()
}

/// §4.1, Section Header Block.
fn section_header<'a>(block: &'a mut Block, host: usize, meta: &Meta, seed: u64) -> &'a mut Block {
    block.begin(0x0a0d_0d0a);
    block.u32(0x1a2b_3c4d).u16(1).u16(0); // byte order, version 1.0
    block.bytes(&u64::MAX.to_le_bytes()); // the length of the section is not given
    let of = format!("scenario {}, seed {seed}, BLAKE3 of the resolved scenario {}", meta.scenario, meta.hash);
    block.option(OPT_COMMENT, of.as_bytes());
    let mut all = meta.conversations().enumerate().filter(|(_, all)| all.hosts().contains(&host));
    for (number, conversation) in all.by_ref().take(MAX_DESCRIBED_FLOWS) {
        block.option(OPT_COMMENT, describe(number, conversation, meta).as_bytes());
    }
    match all.count() {
        0 => {}
        more => block.option(OPT_COMMENT, format!("and {more} more").as_bytes()),
    }
    match &meta.real {
        None => {
            block.option(SHB_HARDWARE, b"none, simulated");
            block.option(SHB_OS, format!("Ackclock, result version {RESULT_VERSION}").as_bytes());
        }
        Some(real) => {
            block.option(SHB_OS, real.system.as_bytes());
        }
    }
    block.option(SHB_USERAPPL, concat!("Ackclock ", env!("CARGO_PKG_VERSION")).as_bytes());
    block.end_of_options()
}

/// The handshake would have announced this, but none is simulated.
fn describe(number: usize, conversation: Conversation<'_>, meta: &Meta) -> String {
    let [from, to] = meta.ends(number).map(|end| format!("{}:{}", end.address, end.port));
    match conversation {
        Conversation::Flow(flow) => format!(
            "flow {}: {from} -> {to}, MSS {} B, window {} B, window shift {}, {}",
            flow.name,
            flow.mss,
            flow.window,
            flow.window_scale,
            if flow.sack { "SACK" } else { "no SACK" }
        ),
        Conversation::Udp(source) => {
            format!("udp {}: {from} -> {to}, {} B of payload each", source.name, source.payload)
        }
    }
}

/// §4.2, Interface Description Block.
fn interface<'a>(block: &'a mut Block, capture: &Capture) -> &'a mut Block {
    block.begin(1);
    block.u16(LINKTYPE_RAW).u16(0).u32(headers::MAX_BYTES as u32);
    block.option(IF_NAME, capture.host.as_bytes());
    block.option(IF_TSRESOL, &[9]); // 10^-9 s
    block.end_of_options()
}

/// §4.5, Name Resolution Block: this host and those it has flows with.
fn names<'a>(block: &'a mut Block, host: usize, meta: &Meta) -> &'a mut Block {
    let ends = meta.conversations().map(|conversation| conversation.hosts()).filter(|ends| ends.contains(&host));
    let mut hosts: Vec<usize> = ends.flatten().chain([host]).collect();
    hosts.sort_unstable();
    hosts.dedup();
    block.begin(4);
    for host in hosts {
        let name = meta.hosts[host].as_bytes();
        block.option(NRB_RECORD_IPV4, &[&meta.address(host).octets(), name, b"\0"].concat());
    }
    block.end_of_options() // of the records: they are laid out like options
}

/// §4.3, Enhanced Packet Block.
fn enhanced_packet<'a>(block: &'a mut Block, packet: &Captured, meta: &Meta) -> &'a mut Block {
    let number = packet.flow as usize;
    let (headers, length) = match number.checked_sub(meta.flows.len()) {
        None => segment(packet, &meta.flows[number], meta.ends(number)),
        Some(source) => udp_datagram(packet, &meta.udp[source], meta.ends(number)),
    };
    let ns = BEGINS_S * 1_000_000_000 + packet.time.as_ps() / 1000;
    block.begin(6);
    block.u32(0); // the interface
    block.u32((ns >> 32) as u32).u32(ns as u32);
    block.u32(headers.len() as u32).u32(length);
    block.bytes(&headers).pad();
    block.option(EPB_FLAGS, &(if packet.sent { OUTBOUND } else { INBOUND }).to_le_bytes());
    block.option(OPT_COMMENT, comment(packet, meta).as_bytes());
    block.end_of_options()
}

/// When a simulation begins: 2000-01-01 00:00 UTC, seconds after 1970. To tcptrace a packet of the instant 0 is none, and the
/// first of a simulation would be missing.
const BEGINS_S: u64 = 946_684_800;

/// The headers of a segment, and the length of the whole datagram.
fn segment(packet: &Captured, flow: &FlowMeta, [sender, receiver]: [Endpoint; 2]) -> (Vec<u8>, u32) {
    let (from, to) = if packet.data { (sender, receiver) } else { (receiver, sender) };
    let segment = &packet.segment;
    let ends_file = packet.data && flow.size == Some(segment.seq + u64::from(segment.payload())) && segment.len > 0;
    let datagram = Datagram {
        from,
        to,
        // Frames are numbered by connection and direction, so that captures at both ends agree.
        identification: packet.frame as u16,
        // RFC 9293 §3.9.1.2: the last segment that is buffered carries PSH; no application here pushes otherwise.
        push: ends_file,
        window: window(flow, segment.kind),
        mss: flow.mss as u16,
        window_scale: flow.window_scale,
        segment,
    };
    (datagram.headers(), datagram.length())
}

/// The window field. A SYN has it unscaled (RFC 7323 §2.2); the others in units of the scale, at most 65535, see
/// `TcpParams::advertised_window`.
fn window(flow: &FlowMeta, kind: SegmentKind) -> u16 {
    match kind {
        SegmentKind::Syn | SegmentKind::SynAck => flow.window.min(65_535) as u16,
        _ => (flow.window >> flow.window_scale) as u16,
    }
}

/// The headers of a UDP datagram, and the length of the whole.
fn udp_datagram(packet: &Captured, source: &UdpMeta, [sender, receiver]: [Endpoint; 2]) -> (Vec<u8>, u32) {
    // An echo goes back.
    let (from, to) = if packet.data { (sender, receiver) } else { (receiver, sender) };
    let datagram = UdpDatagram { from, to, identification: packet.frame as u16, payload_bytes: source.payload };
    (datagram.headers(), datagram.length())
}

/// What no header says.
fn comment(packet: &Captured, meta: &Meta) -> String {
    let number = packet.flow as usize;
    let mut text = match number.checked_sub(meta.flows.len()) {
        None => format!("flow {}", meta.flows[number].name),
        Some(source) => format!("udp {}", meta.udp[source].name),
    };
    if let Some(cwnd) = packet.cwnd {
        // A fraction of a byte allows nothing.
        text += &format!(", cwnd {} B", cwnd as u64);
    }
    if let Some(Loss { time, port, reason, by_frame_before }) = &packet.lost {
        let place = port.as_ref().map_or("on purpose".into(), |port| format!("at {port}"));
        let how = if *by_frame_before { "with the end of the frame before " } else { "" };
        text += &format!(", lost {how}{place} at {time}");
        if let Some(reason) = reason {
            text += &format!(": {}", reason.name());
        }
    }
    text
}

/// Raw IP. LINKTYPE_IPV4 would be exact, but tcptrace knows only this one.
const LINKTYPE_RAW: u16 = 101;
const FIRST_ADDRESS: u32 = u32::from_be_bytes([10, 0, 0, 1]);
/// Up to 10.255.255.254.
const MAX_HOSTS: usize = (1 << 24) - 2;
const FIRST_DYNAMIC_PORT: u16 = 49_152;
const DYNAMIC_PORTS: usize = 65_536 - FIRST_DYNAMIC_PORT as usize;
/// The port at which measurement programs listen.
const FIRST_SERVER_PORT: u16 = 5001;
/// Readers limit the length of a block.
const MAX_DESCRIBED_FLOWS: usize = 100;

// Options, §3.5, §4.1 to §4.3, and the record of §4.5.
const OPT_COMMENT: u16 = 1;
const SHB_HARDWARE: u16 = 2;
const SHB_OS: u16 = 3;
const SHB_USERAPPL: u16 = 4;
const IF_NAME: u16 = 2;
const IF_TSRESOL: u16 = 9;
const EPB_FLAGS: u16 = 2;
const NRB_RECORD_IPV4: u16 = 1;
/// Bits 0 and 1 of `epb_flags`.
const INBOUND: u32 = 1;
const OUTBOUND: u32 = 2;
