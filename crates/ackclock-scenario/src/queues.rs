//! The queues of switch ports.

use std::collections::{BTreeMap, BTreeSet};

use ackclock::ids::{IdVec, LinkId};
use ackclock::queue::drop::{AboveMax, CoDelParams, DropParams, Forgiveness, FrameParams, RedParams, Spacing};
use ackclock::scenario::{Buffer, DatagramFlow, Queue, ServiceOrder, Technology};
use ackclock::units::{CELL_BITS, CELL_BYTES, Rate};

use crate::diagnostic::{At, Report};
use crate::document::Document;
use crate::flows::PlannedFlow;
use crate::framing;
use crate::keys::{MOST_BYTES, MOST_CELLS, Section};
use crate::network::Network;
use crate::quantity::{Dimension, Quantity};
use crate::routes;
use crate::settings::{Settings, warn_unused};
use crate::suggest;
use crate::tree::quoted;
use crate::values::Value;

/// What is said about queues: in general, and about single ports in natural order.
pub(crate) struct QueueSettings {
    pub(crate) general: Settings,
    pub(crate) ports: Vec<(String, Settings)>,
}

/// Resolves [queue] and [port] tables.
pub(crate) fn settings(document: &Document, technology: &'static str, report: &mut Report) -> QueueSettings {
    let mut general = Settings::resolve(Section::Queue, &[&document.queue]);
    let has_satellites = document.satellites.at.is_some() && technology == "packet";
    derive_defaults(&mut general, has_satellites);
    let mut ports = Vec::with_capacity(document.ports.len());
    for named in &document.ports {
        let mut settings = Settings::resolve(Section::Port, &[&named.given, &document.queue]);
        settings.at = Some(named.at);
        derive_defaults(&mut settings, has_satellites);
        ports.push((named.name.clone(), settings));
    }
    let context = |key: &str| (key == "technology").then_some(technology);
    for (named, (_, settings)) in document.ports.iter().zip(&ports) {
        warn_unused(&named.given, Section::Port, &[settings], &context, report);
    }
    let everywhere: Vec<&Settings> = [&general].into_iter().chain(ports.iter().map(|(_, settings)| settings)).collect();
    warn_unused(&document.queue, Section::Queue, &everywhere, &context, report);
    ports.sort_by(|(a, _), (b, _)| crate::names::natural(a, b));
    QueueSettings { general, ports }
}

/// Defaults that depend on the policy, and on what the network is.
fn derive_defaults(settings: &mut Settings, has_satellites: bool) {
    if has_satellites {
        let buffer = Quantity { dimension: Dimension::Packets, amount: 50 };
        settings.replace_default("buffer", Value::Quantity(buffer), "[VEGAS-A] \u{a7}4.2.2");
    }
    let threshold = match settings.word("policy") {
        Some("epd") => Some((0.8, "literature: later papers of the group of [SACK-UBR]")),
        Some("selective-drop") => Some((0.9, "[SD-PLUS] §3")),
        Some("fba") => Some((0.5, "literature: [HK98], low confidence")),
        _ => None,
    };
    let (max_p, gentle, spacing, source) = match settings.word("red_values") {
        Some("fj93") => (0.02, false, "uniform", "[FJ93] §5"),
        _ => (0.1, true, "wait", "ns-2"),
    };
    settings.set_default("max_p", Value::Number(max_p), source);
    settings.set_default("gentle", Value::Flag(gentle), source);
    settings.set_default("spacing", Value::Word(spacing), source);
    if let Some((fraction, source)) = threshold {
        settings.set_default("threshold", Value::Number(fraction), source);
    }
    if let Some(threshold) = settings.value("threshold").cloned() {
        settings.set_default("episode_end", threshold, "the threshold: a pure crossing; inferred");
    }
}

/// Fills in the queues of all switch ports of a network; everything wrong is reported.
pub(crate) fn fill(
    network: &mut Network,
    flows: &[PlannedFlow],
    datagrams: &[DatagramFlow],
    settings: &QueueSettings,
    technology: Technology,
    report: &mut Report,
) {
    let loads = loads(network, flows, datagrams, technology);
    let mut own: BTreeMap<LinkId, &Settings> = BTreeMap::new();
    for (name, settings) in &settings.ports {
        if let Some(link) = port(network, name, settings.at, report) {
            own.insert(link, settings);
        }
    }
    let mut checker = Checker { technology, said: BTreeSet::new(), shortages: BTreeMap::new(), report };
    let mut queues = Vec::new();
    for (id, link) in network.links.iter_ids() {
        if network.is_host(link.from) {
            continue;
        }
        let own = own.get(&id).copied();
        let general = &settings.general;
        let has_own_buffer = own.is_some_and(|own| own.at("buffer") != general.at("buffer"));
        let port = Port { name: &link.name, rate: link.rate, load: &loads[id], has_own_buffer };
        if let Some(queue) = checker.queue(own.unwrap_or(general), &port) {
            queues.push((id, queue));
        }
    }
    checker.report_shortages();
    for (id, queue) in queues {
        network.links[id].queue = queue;
    }
}

/// What flows bring to a port.
#[derive(Clone, Default)]
struct Load {
    /// Whether any flow crosses it.
    crossed: bool,
    /// The largest propagation delay there and back, picoseconds.
    round_trip_ps: u128,
    /// The largest frame or packet on the wire.
    largest_bytes: u64,
}

struct Port<'a> {
    name: &'a str,
    rate: Rate,
    load: &'a Load,
    /// Whether its [port] table gives the buffer.
    has_own_buffer: bool,
}

fn loads(
    network: &Network,
    flows: &[PlannedFlow],
    datagrams: &[DatagramFlow],
    technology: Technology,
) -> IdVec<LinkId, Load> {
    let mut loads: IdVec<LinkId, Load> = network.links.iter().map(|_| Load::default()).collect();
    for PlannedFlow { flow, .. } in flows {
        let paths = [flow.forward.links(), flow.backward.links()];
        let round_trip_ps =
            [&flow.forward, &flow.backward].into_iter().map(|route| routes::largest_delay_ps(network, route)).sum();
        let sack = flow.tcp.longest_sack_option();
        let sizes =
            [framing::full_segment_wire_bytes(&flow.tcp, technology), framing::ack_wire_bytes(sack, technology)];
        for (path, bytes) in paths.iter().zip(sizes) {
            for link in path {
                let load = &mut loads[*link];
                load.crossed = true;
                load.round_trip_ps = load.round_trip_ps.max(round_trip_ps);
                load.largest_bytes = load.largest_bytes.max(bytes);
            }
        }
    }
    for DatagramFlow { route, source, .. } in datagrams {
        let path = route.links();
        for link in &path {
            let load = &mut loads[*link];
            load.crossed = true;
            // There is no way back: what waits for a round trip waits for that of a flow, or for one way.
            load.round_trip_ps = load.round_trip_ps.max(routes::largest_delay_ps(network, route));
            load.largest_bytes = load.largest_bytes.max(framing::datagram_wire_bytes(source.payload_bytes, technology));
        }
    }
    loads
}

/// The port that a [port] table names.
fn port(network: &Network, name: &str, at: Option<At>, report: &mut Report) -> Option<LinkId> {
    let found = network.link(name).filter(|id| !network.is_host(network.links[*id].from));
    let near = if found.is_some() || report.is_long() { None } else { nearest_link(network, name, true) };
    let near = near.map(|near| format!("did you mean \"{near}\"?"));
    let Some(id) = network.link(name) else {
        report
            .error(at, format!("there is no port {}", quoted(name)))
            .label("a port is named after its link: \"A->B\"")
            .help_if(near);
        return None;
    };
    let link = &network.links[id];
    if network.is_host(link.from) {
        let host = &network.nodes[link.from].name;
        report
            .error(at, format!("{} is the output of the host {host}, which never drops", quoted(name)))
            .label("not a port of a switch")
            .help_if(near);
        return None;
    }
    Some(id)
}

/// The link whose name is nearest, perhaps among the outputs of switches only.
pub(crate) fn nearest_link(network: &Network, name: &str, of_switches: bool) -> Option<String> {
    let links = network.links.iter().filter(|link| !of_switches || !network.is_host(link.from));
    suggest::nearest(name, links.map(|link| link.name.as_str())).map(str::to_owned)
}

struct Checker<'a> {
    technology: Technology,
    /// Places about which something was said already: one value may be wrong at many ports.
    said: BTreeSet<(Option<At>, &'static str)>,
    /// Buffers that are too small: place, size wanted, unit, port.
    shortages: BTreeMap<Option<At>, (u64, &'static str, String)>,
    report: &'a mut Report,
}

impl Checker<'_> {
    fn queue(&mut self, settings: &Settings, port: &Port<'_>) -> Option<Queue> {
        let service_order = match (settings.word("service_order")?, self.technology) {
            // Packets have no slots, so nothing is ever served out of order.
            (_, Technology::Packet { .. }) | ("random", _) => ServiceOrder::Random,
            ("rotating", _) => ServiceOrder::Rotating,
            ("fixed", _) => ServiceOrder::Fixed,
            (other, _) => unreachable!("service order {other} is in the table of keys, but not here"),
        };
        let policy = settings.word("policy");
        if let Some(policy) = policy {
            self.fits_technology(settings, policy)?;
        }
        let bdp = settings.quantity("buffer").filter(|quantity| quantity.dimension == Dimension::Bdp);
        if bdp.is_some() && !port.load.crossed {
            if port.has_own_buffer {
                self.report
                    .error(settings.at("buffer"), format!("no flow crosses the port {}", port.name))
                    .label("so it has no bandwidth-delay product")
                    .help("give the buffer in cells, packets or bytes");
                return None;
            }
            // Nothing ever arrives at this port: how much fits makes no difference.
            return Some(Queue { service_order, ..Queue::unlimited() });
        }
        let buffer = self.buffer(settings, port)?;
        let policy = match policy? {
            "red" => self.red(settings)?,
            "codel" => DropParams::Codel(CoDelParams {
                target: settings.span("target")?,
                interval: settings.span("interval")?,
                mtu_bytes: u32::try_from(settings.amount("mtu")?).ok()?,
            }),
            policy => self.policy(settings, buffer, policy)?,
        };
        let buffer = self.counted(settings, buffer)?;
        Some(Queue { buffer, policy, service_order })
    }

    /// Whether a policy decides about what travels here.
    fn fits_technology(&mut self, settings: &Settings, policy: &str) -> Option<()> {
        let (what, label) = match (self.technology, policy) {
            (_, "tail-drop") | (Technology::Packet { .. }, "red" | "codel") => return Some(()),
            (Technology::Packet { .. }, _) => ("cells", "packet networks have tail-drop, red and codel"),
            (Technology::Atm { .. }, "red" | "codel") => ("packets", "ATM networks have the other policies"),
            (Technology::Atm { .. }, _) => return Some(()),
        };
        let at = settings.at("policy");
        if self.first(at, "policy") {
            self.report.error(at, format!("the policy {policy} works on {what}")).label(label);
        }
        None
    }

    fn red(&mut self, settings: &Settings) -> Option<DropParams> {
        let packets = |key: &str| settings.amount(key).map(|packets| packets as f64);
        let (min_packets, max_packets) = (packets("min_threshold")?, packets("max_threshold")?);
        if max_packets <= min_packets {
            let at = settings.at("max_threshold").or(settings.at("min_threshold"));
            if self.first(at, "max_threshold") {
                self.report
                    .error(at, format!("`min_threshold` is {min_packets} packets, `max_threshold` {max_packets}"))
                    .label("the upper threshold must be above the lower one");
            }
            return None;
        }
        Some(DropParams::Red(RedParams {
            min_packets,
            max_packets,
            weight: settings.number("weight")?,
            max_p: settings.number("max_p")?,
            above: if settings.flag("gentle")? { AboveMax::Gentle } else { AboveMax::All },
            spacing: if settings.word("spacing")? == "wait" { Spacing::Wait } else { Spacing::Uniform },
            packet_bytes: u32::try_from(settings.amount("mean_packet")?).ok()?,
        }))
    }

    /// The buffer as ns-2 counts, if it is to be counted so: less than the limit may wait.
    fn counted(&mut self, settings: &Settings, buffer: Buffer) -> Option<Buffer> {
        let is_packet = matches!(self.technology, Technology::Packet { .. });
        if !is_packet || settings.word("counting")? == "waiting" {
            return Some(buffer);
        }
        Some(match buffer {
            Buffer::Packets(1) => {
                let at = settings.at("buffer");
                if self.first(at, "counting") {
                    self.report
                        .error(at, "as ns-2 counts, a limit of 1 packet lets none through")
                        .label("at least 2 packets")
                        .help("write counting = \"waiting\" to have one packet wait");
                }
                return None;
            }
            Buffer::Packets(packets) => Buffer::Packets(packets - 1),
            Buffer::Bytes(bytes) => Buffer::Bytes(bytes - 1),
            other => other,
        })
    }

    fn buffer(&mut self, settings: &Settings, port: &Port<'_>) -> Option<Buffer> {
        if settings.word("buffer") == Some("infinite") {
            return Some(Buffer::Infinite);
        }
        let at = settings.at("buffer");
        let quantity = settings.quantity("buffer")?;
        let amount = match quantity.dimension {
            Dimension::Bdp => self.bandwidth_delay(quantity, at, port)?,
            _ => quantity.amount,
        };
        let atm = matches!(self.technology, Technology::Atm { .. });
        let (buffer, wanted, unit) = match (quantity.dimension, atm) {
            (Dimension::Cells | Dimension::Bdp, true) => {
                (Buffer::Cells(u32::try_from(amount).ok()?), port.load.largest_bytes / CELL_BYTES, "cells")
            }
            (Dimension::Packets, false) => (Buffer::Packets(u32::try_from(amount).ok()?), 1, "packets"),
            (Dimension::Size | Dimension::Bdp, false) => (Buffer::Bytes(amount), port.load.largest_bytes, "B"),
            (dimension, _) => {
                self.wrong_unit(at, quantity, dimension, atm);
                return None;
            }
        };
        if amount < wanted {
            let worst = self.shortages.entry(at).or_insert((0, unit, String::new()));
            if wanted > worst.0 {
                *worst = (wanted, unit, port.name.to_owned());
            }
            return None;
        }
        Some(buffer)
    }

    /// A multiple of the port's rate times the longest round trip, in cells or bytes.
    fn bandwidth_delay(&mut self, quantity: Quantity, at: Option<At>, port: &Port<'_>) -> Option<u64> {
        let (unit_bits, dimension, most) = match self.technology {
            Technology::Atm { .. } => (CELL_BITS, Dimension::Cells, MOST_CELLS),
            Technology::Packet { .. } => (8, Dimension::Size, MOST_BYTES),
        };
        // bits/s · ps · 10⁻⁶ bdp; 10¹² ps in a second
        let divisor = u128::from(unit_bits) * 1_000_000_000_000 * 1_000_000;
        let product = u128::from(port.rate.as_bps())
            .checked_mul(port.load.round_trip_ps)
            .and_then(|bits| bits.checked_mul(u128::from(quantity.amount)));
        let product = product.map(|product| ((product + divisor / 2) / divisor).max(1));
        let amount = product.and_then(|amount| u64::try_from(amount).ok());
        let spelled = |dimension, amount| Quantity { dimension, amount }.canonical();
        if amount.is_none_or(|amount| amount > most) && self.first(at, "buffer") {
            let round_trip = u64::try_from(port.load.round_trip_ps).unwrap_or(u64::MAX);
            let problem = format!(
                "{} at {} and a round trip of {} is {}",
                quantity.canonical(),
                spelled(Dimension::Rate, port.rate.as_bps()),
                spelled(Dimension::Time, round_trip),
                amount.map_or("beyond 64 bits".to_owned(), |amount| spelled(dimension, amount)),
            );
            self.report
                .error(at, problem)
                .label(format!("at most {}", spelled(dimension, most)))
                .help("give a smaller buffer, or \"infinite\"");
        }
        amount.filter(|amount| *amount <= most)
    }

    fn wrong_unit(&mut self, at: Option<At>, quantity: Quantity, dimension: Dimension, atm: bool) {
        if !self.first(at, "buffer") {
            return;
        }
        let (network, units) =
            if atm { ("an ATM network", "cells or bdp") } else { ("a packet network", "packets, bytes or bdp") };
        let help = match dimension {
            Dimension::Size => {
                let cells = quantity.amount.div_ceil(CELL_BYTES);
                format!("{} are {cells} cells of {CELL_BYTES} bytes: write \"{cells} cells\"", quantity.canonical())
            }
            Dimension::Packets => format!("write \"{} cells\", counting the cells of each packet", quantity.amount),
            _ => format!("write \"{} packets\" or a size in bytes", quantity.amount),
        };
        self.report
            .error(at, format!("`buffer` is {} in {network}", dimension.name()))
            .label(format!("expected {units}"))
            .help(help);
    }

    fn policy(&mut self, settings: &Settings, buffer: Buffer, policy: &'static str) -> Option<DropParams> {
        if policy == "tail-drop" {
            return Some(DropParams::TailDrop);
        }
        if policy == "ppd" {
            return Some(DropParams::Ppd);
        }
        let frame = FrameParams { keep_eom_of_whole: settings.flag("keep_eom_of_whole")? };
        let threshold_cells = self.level(settings, "threshold", buffer, policy)?;
        let room = match buffer {
            Buffer::Cells(cells) => f64::from(cells),
            _ => f64::INFINITY,
        };
        let at = settings.at("threshold");
        let beyond = threshold_cells > room || (policy == "fba" && threshold_cells >= room);
        if beyond {
            if self.first(at, "threshold") {
                let (relation, limit) = match policy {
                    "fba" => ("not less than", "must be less than the buffer"),
                    _ => ("more than", "must be at most the buffer"),
                };
                self.report
                    .error(
                        at.or(settings.at("buffer")),
                        format!("`threshold` is {threshold_cells} cells, {relation} the buffer of {room}"),
                    )
                    .label(limit);
            }
            return None;
        }
        if policy == "fba" && room.is_infinite() {
            self.needs_finite_buffer(settings.at("policy"), settings, "fba compares with the room that is left");
            return None;
        }
        let forgiveness = match settings.word("forgiveness")? {
            "none" => None,
            "toggle" => Some(Forgiveness::Toggle),
            _ => {
                let low_threshold_cells = self.level(settings, "episode_end", buffer, policy)?;
                if low_threshold_cells > threshold_cells {
                    let at = settings.at("episode_end");
                    if self.first(at, "episode_end") {
                        self.report
                            .error(
                                at.or(settings.at("threshold")),
                                format!("`episode_end` is {low_threshold_cells} cells, `threshold` {threshold_cells}"),
                            )
                            .label("an episode must end at or below the threshold");
                    }
                    return None;
                }
                Some(Forgiveness::Episode { low_threshold_cells })
            }
        };
        Some(match policy {
            "epd" => DropParams::Epd { threshold_cells, frame, forgiveness },
            "selective-drop" => DropParams::SelectiveDrop {
                threshold_cells,
                load_ratio: settings.number("load_ratio")?,
                frame,
                forgiveness,
            },
            "fba" => {
                DropParams::Fba { threshold_cells, load_ratio: settings.number("load_ratio")?, frame, forgiveness }
            }
            other => unreachable!("policy {other} is in the table of keys, but has no parameters"),
        })
    }

    /// A fill level in cells: given so, or as a fraction of the buffer.
    fn level(&mut self, settings: &Settings, key: &'static str, buffer: Buffer, policy: &str) -> Option<f64> {
        match (settings.value(key)?, buffer) {
            (Value::Quantity(cells), _) => Some(cells.amount as f64),
            (Value::Number(fraction), Buffer::Cells(cells)) => Some(fraction * f64::from(cells)),
            (Value::Number(_), _) => {
                let at = settings.at(key);
                let what = match at {
                    Some(_) => format!("`{key}` is a fraction of a buffer"),
                    None => format!("the `{key}` of {policy} is a fraction of the buffer"),
                };
                self.needs_finite_buffer(at.or(settings.at("policy")), settings, &what);
                None
            }
            _ => None,
        }
    }

    fn needs_finite_buffer(&mut self, at: Option<At>, settings: &Settings, what: &str) {
        if !self.first(at, "infinite") {
            return;
        }
        let is =
            if settings.at("buffer").is_some() { "is infinite" } else { "is infinite, for no other size is given" };
        self.report
            .error(at, format!("{what}, and the buffer {is}"))
            .label("needs a finite buffer")
            .help("give the buffer a size, as in buffer = \"3000 cells\", or the threshold in cells");
    }

    /// Whether nothing was said yet about this key at this place.
    fn first(&mut self, at: Option<At>, key: &'static str) -> bool {
        self.said.insert((at, key))
    }

    fn report_shortages(self) {
        for (at, (wanted, unit, port)) in self.shortages {
            self.report
                .error(at, format!("the buffer of {port} is smaller than one frame that crosses it"))
                .label(format!("at least {wanted} {unit}"))
                .help("the largest frame, headers and framing included, must fit as a whole");
        }
    }
}
