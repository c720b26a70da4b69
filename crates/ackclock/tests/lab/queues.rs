//! Queues with any policy, as a function of bytes.

use ackclock::ids::{Id, LinkId};
use ackclock::packet::{IP_HEADER_BYTES, TCP_HEADER_BYTES, aal5};
use ackclock::queue::drop::{DropParams, Forgiveness, FrameParams};
use ackclock::scenario::{Buffer, Queue, Scenario, ServiceOrder, Technology};

use super::paths;
use super::random::Choices;

/// One queue for most ports.
pub fn queues(choices: &mut Choices, scenario: &mut Scenario, kind: &str) {
    let shared = queue_with(choices, scenario, kind);
    let all: Vec<LinkId> = scenario.links.ids().collect();
    for id in all {
        let own = choices.once_in(8);
        scenario.links[id].queue = if own { queue(choices, scenario) } else { shared.clone() };
    }
}

fn queue(choices: &mut Choices, scenario: &Scenario) -> Queue {
    let kind = choices.one_of(&POLICIES);
    queue_with(choices, scenario, kind)
}

/// Any queue with a policy of this kind, from one that holds nothing to one that holds everything.
pub fn queue_with(choices: &mut Choices, scenario: &Scenario, kind: &str) -> Queue {
    let mss = scenario.flows.iter().map(|flow| flow.tcp.mss).max().unwrap_or(512);
    let service_order = choices.one_of(&[ServiceOrder::Random, ServiceOrder::Rotating, ServiceOrder::Fixed]);
    if let Technology::Packet { link_header_bytes } = scenario.technology {
        let packet = u64::from(mss + IP_HEADER_BYTES + TCP_HEADER_BYTES + link_header_bytes);
        let packets = choices.one_of(&[5, 2, 1, 20, 50, 5, 0]);
        let buffer = match choices.below(8) {
            0..=3 => Buffer::Packets(packets),
            7 => Buffer::Infinite,
            // Not a whole number of packets.
            _ => Buffer::Bytes(u64::from(packets) * packet + choices.one_of(&[0, packet / 2, 40])),
        };
        let kind = choices.one_of(&paths::PACKET_POLICIES);
        let rate = scenario.links[LinkId::from_index(0)].rate;
        let policy = paths::packet_policy(choices, kind, (packet as u32, rate.serialization(8 * packet)));
        return Queue { buffer, policy, service_order };
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
    let buffer = if cells == u32::MAX { Buffer::Infinite } else { Buffer::Cells(cells) };
    let policy = policy(choices, kind, buffer, frame);
    Queue { buffer, policy, service_order }
}

/// Cells of a full segment.
pub fn frame_cells(mss: u32, technology: Technology) -> u32 {
    u32::from(aal5::cells(mss + IP_HEADER_BYTES + TCP_HEADER_BYTES, technology == Technology::Atm { llc: true }))
}

/// The drop policies by name, with their forgiveness.
pub const POLICIES: [&str; 11] = [
    "tail-drop",
    "ppd",
    "epd",
    "selective-drop",
    "fba",
    "epd toggle",
    "selective-drop toggle",
    "fba toggle",
    "epd episode",
    "selective-drop episode",
    "fba episode",
];

/// A policy of this kind; where the buffer has no room for a threshold below it, FBA becomes EPD.
fn policy(choices: &mut Choices, kind: &str, buffer: Buffer, frame_cells: u32) -> DropParams {
    let (rule, forgiveness) = kind.split_once(' ').unwrap_or((kind, ""));
    let capacity = match buffer {
        Buffer::Cells(cells) => f64::from(cells),
        _ => f64::INFINITY,
    };
    let fraction = choices.one_of(&[0.8, 0.5, 0.9, 0.0]);
    let threshold_cells =
        if capacity.is_finite() { fraction * capacity } else { fraction * f64::from(frame_cells * 4) };
    let load_ratio = choices.one_of(&[0.8, 0.5, 1.5, 0.0]);
    let frame = FrameParams { keep_eom_of_whole: choices.once_in(3) };
    let forgiveness = match forgiveness {
        "toggle" => Some(Forgiveness::Toggle),
        "episode" => {
            Some(Forgiveness::Episode { low_threshold_cells: threshold_cells * choices.one_of(&[1.0, 0.5, 0.0]) })
        }
        _ => None,
    };
    match rule {
        "tail-drop" => DropParams::TailDrop,
        "ppd" => DropParams::Ppd,
        "selective-drop" => DropParams::SelectiveDrop { threshold_cells, load_ratio, frame, forgiveness },
        "fba" if threshold_cells < capacity && capacity.is_finite() => {
            DropParams::Fba { threshold_cells, load_ratio, frame, forgiveness }
        }
        _ => DropParams::Epd { threshold_cells, frame, forgiveness },
    }
}
