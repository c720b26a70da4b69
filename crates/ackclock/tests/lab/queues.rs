//! Queues with any policy, as a function of bytes.

use std::sync::Arc;

use ackclock::ids::{Id, LinkId};
use ackclock::keys::{Key, Kind, Value, Values};
use ackclock::packet::{IP_HEADER_BYTES, TCP_HEADER_BYTES, aal5};
use ackclock::queue::{Policy, PolicyParams, Port, cell, packet};
use ackclock::scenario::{Buffer, Queue, Scenario, ServiceOrder, Technology};

use super::choices::Choices;

/// One queue for most ports.
pub fn queues(choices: &mut Choices, scenario: &mut Scenario, kind: &str) {
    let shared = Arc::new(queue_with(choices, scenario, kind));
    let all: Vec<LinkId> = scenario.links.ids().collect();
    for id in all {
        let own = choices.once_in(8);
        scenario.links[id].queue = if own { Arc::new(queue(choices, scenario)) } else { shared.clone() };
    }
}

fn queue(choices: &mut Choices, scenario: &Scenario) -> Queue {
    let kind = choices.one_of(&cell_kinds());
    queue_with(choices, scenario, &kind)
}

/// Any queue with a policy of this kind, from one that holds nothing to one that holds everything.
pub fn queue_with(choices: &mut Choices, scenario: &Scenario, kind: &str) -> Queue {
    let mss = scenario.flows.iter().map(|flow| flow.tcp.mss).max().unwrap_or(512);
    let service_order =
        choices.one_of(&[ServiceOrder::Random, ServiceOrder::Rotating, ServiceOrder::Fixed, ServiceOrder::Arrival]);
    if let Technology::Packet { link_header_bytes } = scenario.technology {
        let packet = u64::from(mss + IP_HEADER_BYTES + TCP_HEADER_BYTES + link_header_bytes);
        let packets = choices.one_of(&[5, 2, 1, 20, 50, 5, 0]);
        let buffer = match choices.below(8) {
            0..=3 => Buffer::Packets(packets),
            7 => Buffer::Infinite,
            // Not a whole number of packets.
            _ => Buffer::Bytes(u64::from(packets) * packet + choices.one_of(&[0, packet / 2, 40])),
        };
        let kinds = packet_kinds();
        let kind = if kinds.iter().any(|known| known == kind) { kind.to_owned() } else { choices.one_of(&kinds) };
        let port = Port { capacity_cells: None, rate: scenario.links[LinkId::from_index(0)].rate };
        let policy = policy(choices, packet::POLICIES, &kind, &port).map_or(PolicyParams::TailDrop, PolicyParams::from);
        return Queue { buffer, policy, service_order, rates: None, feedback: None };
    }
    let frame = frame_cells(mss, scenario.technology);
    let cells = match choices.below(16) {
        0..=4 => frame * 5,
        5..=7 => frame * 2,
        8 => frame,
        9 => choices.one_of(&[0, 1, 2]),
        10..=13 => frame * 20,
        _ => u32::MAX,
    };
    let (buffer, capacity_cells) =
        if cells == u32::MAX { (Buffer::Infinite, None) } else { (Buffer::Cells(cells), Some(cells)) };
    let port = Port { capacity_cells, rate: scenario.links[LinkId::from_index(0)].rate };
    let policy = policy(choices, cell::POLICIES, kind, &port).map_or(PolicyParams::TailDrop, PolicyParams::from);
    Queue { buffer, policy, service_order, rates: None, feedback: None }
}

/// Cells of a full segment.
pub fn frame_cells(mss: u32, technology: Technology) -> u32 {
    u32::from(aal5::cells(mss + IP_HEADER_BYTES + TCP_HEADER_BYTES, technology == Technology::Atm { llc: true }))
}

/// Every policy of cells by name, once for each word that one of its parameters may be.
pub fn cell_kinds() -> Vec<String> {
    kinds(cell::POLICIES)
}

/// The same of packets.
pub fn packet_kinds() -> Vec<String> {
    kinds(packet::POLICIES)
}

fn kinds<P>(family: &[Policy<P>]) -> Vec<String> {
    let of_policy = |policy: &Policy<P>| {
        let mut kinds = Vec::new();
        for key in policy.keys {
            if let Kind::Word(words) = key.kind {
                kinds.extend(words.iter().map(|word| format!("{} {}={word}", policy.name, key.name)));
            }
        }
        if kinds.is_empty() { vec![policy.name.to_owned()] } else { kinds }
    };
    family.iter().flat_map(of_policy).collect()
}

/// A policy of this kind with any parameters; those of its defaults where the others do not fit the port, and `None` where
/// these do not either.
fn policy<P>(choices: &mut Choices, family: &[Policy<P>], kind: &str, port: &Port) -> Option<P> {
    let (name, forced) = kind.split_once(' ').unwrap_or((kind, ""));
    let policy = family.iter().find(|policy| policy.name == name).expect("a kind of the family");
    let sampled = Values::sample(policy.keys, &mut |bound| choices.below(bound));
    let given = |key: &Key| match (forced.split_once('='), key.kind) {
        (Some((name, word)), Kind::Word(words)) if key.name == name => {
            words.iter().find(|known| **known == word).map(|word| Value::Word(word))
        }
        _ => Some(sampled.value(key.name)),
    };
    let params = (policy.params)(&Values::of(policy.keys, given), port);
    params.or_else(|_| (policy.params)(&Values::defaults(policy.keys), port)).ok()
}
