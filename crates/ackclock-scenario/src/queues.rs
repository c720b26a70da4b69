//! The queues of switch ports.

mod feedback;
mod rates;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ackclock::ids::{IdVec, LinkId};
use ackclock::keys::{Dimension, Kind, Quantity, Value};
use ackclock::queue::{self, cell, packet};
use ackclock::scenario::{Buffer, Queue, ServiceOrder, Technology, UdpFlow};
use ackclock::units::{CELL_BITS, CELL_BYTES, Rate};

use crate::check::suggest;
use crate::document::Document;
use crate::flows::PlannedFlow;
use crate::flows::framing;
use crate::keys::outside::{Outside, policies};
use crate::keys::words::{self, Counting, TechnologyWord, word_of};
use crate::keys::{MOST_BYTES, MOST_CELLS, Section, queue_algorithms};
use crate::mechanisms::{self, Tables};
use crate::network::Network;
use crate::network::routes;
use crate::settings::{Given, Settings, warn_unused};
use crate::text::diagnostic::{At, Report};
use crate::text::tree::quoted;
use crate::value::FileValue;

/// What is said about queues: in general, and about single ports in natural order.
pub(crate) struct QueueSettings {
    pub(crate) general: Tables,
    pub(crate) ports: Vec<(String, Tables)>,
    outside: Outside,
}

/// Resolves [queue] and [port] tables.
pub(crate) fn settings(document: &Document, technology: TechnologyWord, report: &mut Report) -> QueueSettings {
    let has_satellites = document.satellites.at.is_some() && technology == TechnologyWord::Packet;
    let resolve = |mut queue: Settings, section: fn(u8) -> Section, layers: &[&[Given]]| {
        if has_satellites {
            let buffer = Quantity { dimension: Dimension::Packets, amount: 50 };
            queue.replace_default("buffer", Value::Quantity(buffer), "[VEGAS-A] \u{a7}4.2.2");
        }
        Tables::resolve(queue, queue_algorithms(), section, layers).with_derived()
    };
    let queue = Settings::resolve(Section::Queue, &[&document.queue.own]);
    let general = resolve(queue, Section::QueueAlgorithm, &[&document.queue.mechanisms]);
    let mut ports = Vec::with_capacity(document.ports.len());
    for named in &document.ports {
        let mut queue = Settings::resolve(Section::Port, &[&named.given, &document.queue.own]);
        queue.at = Some(named.at);
        let port = resolve(queue, Section::PortAlgorithm, &[&named.mechanisms, &document.queue.mechanisms]);
        ports.push((named.name.clone(), port));
    }
    let context = |key: &str| (key == "technology").then(|| word_of(technology, &words::TECHNOLOGIES));
    for (named, (_, port)) in document.ports.iter().zip(&ports) {
        warn_unused(&named.given, Section::Port, &[&port.own], &context, report);
        mechanisms::warn(&named.mechanisms, Section::PortAlgorithm, &[port], report);
    }
    let everywhere: Vec<&Tables> = [&general].into_iter().chain(ports.iter().map(|(_, port)| port)).collect();
    let queues: Vec<&Settings> = everywhere.iter().map(|port| &port.own).collect();
    warn_unused(&document.queue.own, Section::Queue, &queues, &context, report);
    mechanisms::warn(&document.queue.mechanisms, Section::QueueAlgorithm, &everywhere, report);
    ports.sort_by(|(a, _), (b, _)| crate::text::names::natural(a, b));
    QueueSettings { general, ports, outside: document.outside.clone() }
}

/// Fills in the queues of all switch ports of a network; everything wrong is reported.
pub(crate) fn fill(
    network: &mut Network,
    flows: &[PlannedFlow],
    udp: &[UdpFlow],
    settings: &QueueSettings,
    technology: Technology,
    report: &mut Report,
) {
    let loads = loads(network, flows, udp, technology);
    let mut own: BTreeMap<LinkId, &Tables> = BTreeMap::new();
    for (name, settings) in &settings.ports {
        if let Some(link) = port(network, name, settings.own.at, report) {
            own.insert(link, settings);
        }
    }
    let mut checker = Checker {
        technology,
        outside: &settings.outside,
        said: BTreeSet::new(),
        shortages: BTreeMap::new(),
        rates: rates::Checker::default(),
        report,
    };
    let mut queues: Vec<(LinkId, Arc<Queue>)> = Vec::new();
    // Thousands of ports differ in their names alone, and nothing but messages depends on that.
    let mut last: Option<(&Tables, Rate, &Load)> = None;
    for (id, link) in network.links.iter_ids() {
        if network.is_host(link.from) {
            continue;
        }
        let own = own.get(&id).copied();
        let general = &settings.general;
        let has_own_buffer = own.is_some_and(|own| own.own.at("buffer") != general.own.at("buffer"));
        let (settings, load) = (own.unwrap_or(general), &loads[id]);
        let is_as_last = |(of, rate, before): (&Tables, Rate, &Load)| {
            std::ptr::eq(of, settings) && rate == link.rate && before == load
        };
        if let (Some((_, queue)), true) = (queues.last(), last.is_some_and(is_as_last)) {
            queues.push((id, Arc::clone(queue)));
            continue;
        }
        let port = Port { name: &link.name, rate: link.rate, load, has_own_buffer };
        let queue = checker.queue(settings, &port);
        last = queue.is_some().then_some((settings, link.rate, load));
        queues.extend(queue.map(|queue| (id, Arc::new(queue))));
    }
    checker.report_shortages();
    for (id, queue) in queues {
        network.links[id].queue = queue;
    }
}

/// What flows bring to a port.
#[derive(Clone, Default, PartialEq)]
struct Load {
    /// Whether any flow crosses it.
    crossed: bool,
    /// Whether data of TCP leave by it: then rates that it computes are asked for.
    carries_data: bool,
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

fn loads(network: &Network, flows: &[PlannedFlow], udp: &[UdpFlow], technology: Technology) -> IdVec<LinkId, Load> {
    let mut loads: IdVec<LinkId, Load> = network.links.iter().map(|_| Load::default()).collect();
    for PlannedFlow { flow, .. } in flows {
        let paths = [flow.forward.links(), flow.backward.links()];
        let round_trip_ps =
            [&flow.forward, &flow.backward].into_iter().map(|route| routes::largest_delay_ps(network, route)).sum();
        let sack = flow.tcp.longest_sack_option();
        let sizes =
            [framing::full_segment_wire_bytes(&flow.tcp, technology), framing::ack_wire_bytes(sack, technology)];
        for link in &*paths[0] {
            loads[*link].carries_data = true;
        }
        for (path, bytes) in paths.iter().zip(sizes) {
            for link in &**path {
                let load = &mut loads[*link];
                load.crossed = true;
                load.round_trip_ps = load.round_trip_ps.max(round_trip_ps);
                load.largest_bytes = load.largest_bytes.max(bytes);
            }
        }
    }
    for (route, source) in udp.iter().flat_map(|flow| flow.routes().map(|route| (route, &flow.source))) {
        for link in &*route.links() {
            let load = &mut loads[*link];
            load.crossed = true;
            // There is no reverse path: what waits for a round trip waits for that of a flow, or for one way.
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
    outside: &'a Outside,
    /// Places about which something was said already: one value may be wrong at many ports.
    said: BTreeSet<(Option<At>, &'static str)>,
    /// Buffers that are too small: place, size wanted, unit, port.
    shortages: BTreeMap<Option<At>, (u64, &'static str, String)>,
    rates: rates::Checker,
    report: &'a mut Report,
}

impl Checker<'_> {
    fn queue(&mut self, port_settings: &Tables, port: &Port<'_>) -> Option<Queue> {
        let settings = &port_settings.own;
        let service_order = match self.technology {
            // Packets have no slots, so nothing is ever served out of order.
            Technology::Packet { .. } => ServiceOrder::Random,
            Technology::Atm { .. } => settings.choice("service_order", ServiceOrder::WORDS)?,
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
        let policy = policy?;
        let capacity_cells = match buffer {
            Buffer::Cells(cells) => Some(cells),
            Buffer::Infinite | Buffer::Packets(_) | Buffer::Bytes(_) => None,
        };
        let place = queue::Port { capacity_cells, rate: port.rate };
        let policy = match (self.outside.policy(policy, TechnologyWord::of(self.technology)), self.technology) {
            (Some(custom), _) => custom,
            (None, Technology::Atm { .. }) => self.policy(cell::POLICIES, port_settings, buffer, &place)?.into(),
            (None, Technology::Packet { .. }) => self.policy(packet::POLICIES, port_settings, buffer, &place)?.into(),
        };
        let buffer = self.counted(settings, buffer)?;
        let feedback = feedback::read(settings, self.technology)?;
        let (unit, unit_bytes) = match self.technology {
            // No source is told the rates of a port by which no data leave.
            _ if !port.load.carries_data => ("packet", 0),
            Technology::Atm { .. } if feedback.is_none() => ("cell", CELL_BYTES),
            // TCP sends whole packets, and rates follow what comes of each flow in an interval.
            _ => ("packet", port.load.largest_bytes),
        };
        let place = rates::Place { name: port.name, rate: port.rate, unit, unit_bytes };
        let rates = self.rates.algorithm(port_settings, &place, self.outside, self.report)?;
        Some(Queue { buffer, policy, service_order, rates, feedback })
    }

    /// Whether a policy decides about what travels here.
    fn fits_technology(&mut self, settings: &Settings, policy: &str) -> Option<()> {
        let technology = TechnologyWord::of(self.technology);
        let here = policies(technology, self.outside);
        let fits = here.contains(&policy) || self.outside.policy(policy, technology).is_some();
        let (what, other) = match technology {
            TechnologyWord::Atm => ("packets", "packet"),
            TechnologyWord::Packet => ("cells", "atm"),
        };
        let at = settings.at("policy");
        if !fits && self.first(at, "policy") {
            let other = self.report.technology(other);
            self.report
                .error(at, format!("the policy {policy} works on {what}"))
                .label(format!("{} networks have {}", technology.network(), here.join(", ")))
                .help(format!("choose one of these, or write {other}"));
        }
        fits.then_some(())
    }

    /// The parameters of the policy that is chosen, of a family.
    fn policy<P>(
        &mut self,
        family: &[queue::Policy<P>],
        settings: &Tables,
        buffer: Buffer,
        place: &queue::Port,
    ) -> Option<P> {
        let queue = &settings.own;
        let name = queue.word("policy")?;
        let policy = family.iter().find(|policy| policy.name == name)?;
        let table = settings.chosen("policy");
        if let Some(table) = table {
            self.levels_have_a_buffer(policy, table, queue, buffer)?;
        }
        if let (Some(why), Buffer::Infinite) = (policy.needs_limit, buffer) {
            self.needs_finite_buffer(queue.at("policy"), queue, why);
            return None;
        }
        let values = mechanisms::values(policy.keys, table)?;
        if let Some(doubt) = (policy.doubt)(&values) {
            let at = mechanisms::place_of(&doubt, table, queue, "policy");
            if self.first(at, doubt.keys[0]) {
                self.report.warning(at, doubt.problem).label(doubt.expected);
            }
        }
        let misfit = match (policy.params)(&values, place) {
            Ok(params) => return Some(params),
            Err(misfit) => misfit,
        };
        let at = mechanisms::place_of(&misfit, table, queue, "policy");
        if self.first(at, misfit.keys[0]) {
            self.report.error(at, misfit.problem).label(misfit.expected);
        }
        None
    }

    /// Whether what is said as a fraction of the buffer has a buffer to be a fraction of.
    fn levels_have_a_buffer<P>(
        &mut self,
        policy: &queue::Policy<P>,
        table: &Settings,
        queue: &Settings,
        buffer: Buffer,
    ) -> Option<()> {
        let is_used = |name| {
            let key = table.section.key_named(name);
            key.is_some_and(|key| table.is_used(key, &|_| None) == Some(true))
        };
        let levels = policy.keys.iter().filter(|key| key.kind == Kind::Level && is_used(key.name));
        for key in levels {
            if matches!(buffer, Buffer::Cells(_))
                || !matches!(table.value(key.name).and_then(FileValue::single), Some(Value::Number(_)))
            {
                continue;
            }
            let at = table.at(key.name);
            let what = match at {
                Some(_) => format!("`{}` is a fraction of a buffer", key.name),
                None => format!("the `{}` of {} is a fraction of the buffer", key.name, policy.name),
            };
            self.needs_finite_buffer(at.or(queue.at("policy")), queue, &what);
            return None;
        }
        Some(())
    }

    /// The buffer as ns-2 counts, if it is to be counted so: less than the limit may wait.
    fn counted(&mut self, settings: &Settings, buffer: Buffer) -> Option<Buffer> {
        let is_packet = matches!(self.technology, Technology::Packet { .. });
        if !is_packet || settings.choice("counting", &words::COUNTINGS)? == Counting::Waiting {
            return Some(buffer);
        }
        Some(match buffer {
            Buffer::Packets(1) => {
                let at = settings.at("buffer");
                if self.first(at, "counting") {
                    self.report
                        .error(at, "with counting = \"ns-2\" a limit of 1 packet refuses every packet")
                        .label("at least 2 packets")
                        .help("write counting = \"waiting\" to let one packet wait");
                }
                return None;
            }
            Buffer::Packets(packets) => Buffer::Packets(packets - 1),
            Buffer::Bytes(bytes) => Buffer::Bytes(bytes - 1),
            other => other,
        })
    }

    fn buffer(&mut self, settings: &Settings, port: &Port<'_>) -> Option<Buffer> {
        if let Some(buffer) = settings.choice("buffer", &[("infinite", Buffer::Infinite)]) {
            return Some(buffer);
        }
        let at = settings.at("buffer");
        let quantity = settings.quantity("buffer")?;
        let is_bdp = quantity.dimension == Dimension::Bdp;
        let amount = if is_bdp { self.bandwidth_delay(quantity, at, port)? } else { quantity.amount };
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
                let cells = cells.max(1);
                format!("{} are {cells} cells of {CELL_BYTES} bytes: write \"{cells} cells\"", quantity.canonical())
            }
            Dimension::Packets => {
                format!("write \"{} cells\", counting the cells of each packet", quantity.amount.max(1))
            }
            // Only cells are left: a multiple of the bandwidth-delay product fits both.
            other => {
                debug_assert_eq!(other, Dimension::Cells, "the key `buffer` has no other dimension");
                format!("write \"{} packets\" or a size in bytes", quantity.amount.max(1))
            }
        };
        self.report
            .error(at, format!("`buffer` is {} in {network}", dimension.name()))
            .label(format!("expected {units}"))
            .help(help);
    }

    fn needs_finite_buffer(&mut self, at: Option<At>, settings: &Settings, what: &str) {
        if !self.first(at, "infinite") {
            return;
        }
        let is = if settings.at("buffer").is_some() { "is infinite" } else { "is infinite, the default" };
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
