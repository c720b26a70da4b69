//! The receive window that follows the path: two bandwidth-delay products and the buffer. One product is under way, the buffer
//! holds what waits, and as much again is sent while a loss is repaired.
//! Source: Ackclock; hosts of today tune their buffers to the path, which comes to the same.

use ackclock::ids::LinkId;
use ackclock::keys::{Dimension, Quantity};
use ackclock::link::JitterParams;
use ackclock::scenario::{Buffer, Link};
use ackclock::shared::Shared;
use ackclock::tcp::{TcpParams, UNSCALED_WINDOW};
use ackclock::units::{CELL_BYTES, Rate, Span};

use crate::flows::PlannedFlow;
use crate::flows::tcp::AUTO;
use crate::network::{Network, routes};
use crate::settings::Settings;

/// The largest window that TCP can express (RFC 7323 §2.3).
const LARGEST_WINDOW: u64 = 65_535 << 14;
/// What stands for the buffer if nothing limits it.
const FOR_INFINITE: u64 = 4 << 20;

/// Sets the receive windows that follow the path, and what follows from them, once the queues of the network are known.
pub(crate) fn size(network: &Network, flows: &mut [PlannedFlow]) {
    // Flows that have their parameters in common go on to do so, if their windows are equal: mostly they follow each other.
    let mut last: Option<[Shared<TcpParams>; 2]> = None;
    for planned in flows {
        if !planned.given.common.follows_path {
            continue;
        }
        let settings = &planned.given.common.tcp_settings.own;
        let mut window = of_path(network, planned);
        let tcp = &mut planned.flow.tcp;
        if let Some([before, after]) = &last
            && tcp.is_same(before)
            && after.receive_window == window
        {
            *tcp = after.clone();
            continue;
        }
        let before = tcp.clone();
        match settings.integer("window_scale").and_then(|scale| u8::try_from(scale).ok()) {
            Some(scale) => window = window.min(UNSCALED_WINDOW << scale),
            None => tcp.window_scale = TcpParams::scale_for(window),
        }
        tcp.receive_window = window;
        if settings.word("initial_ssthresh") == Some("window") {
            tcp.initial_ssthresh = Some(window);
        }
        last = Some([before, tcp.clone()]);
    }
}

/// Two products of the slowest link's rate and the longest round trip, and the buffer before that link, in bytes; at least what
/// needs no window scaling, at most what TCP can express.
fn of_path(network: &Network, planned: &PlannedFlow) -> u64 {
    let flow = &planned.flow;
    let links = flow.forward.links();
    let rate = |id: &LinkId| largest_rate(&network.links[*id]);
    let Some(slowest) = links.iter().map(rate).min() else { return UNSCALED_WINDOW };
    let round_trip_ps = round_trip_ps(network, planned);
    let product = u128::from(slowest.as_bps()) * round_trip_ps / (8 * 1_000_000_000_000);
    let ports = links.iter().filter(|id| rate(id) == slowest && !network.is_host(network.links[**id].from));
    // Datagrams have at most so many bytes more than their payload.
    let packet_bytes = u64::from(flow.tcp.mss + 80);
    let bytes = |id: &LinkId| match network.links[*id].queue.buffer {
        Buffer::Bytes(bytes) => bytes,
        Buffer::Packets(packets) => u64::from(packets) * packet_bytes,
        Buffer::Cells(cells) => u64::from(cells) * CELL_BYTES,
        Buffer::Infinite => FOR_INFINITE,
    };
    let buffer = ports.map(bytes).max().unwrap_or(0);
    let window = u64::try_from(2 * product).unwrap_or(u64::MAX).saturating_add(buffer);
    window.clamp(UNSCALED_WINDOW, LARGEST_WINDOW)
}

/// The longest propagation delay there and back, with all jitter, picoseconds.
pub(crate) fn round_trip_ps(network: &Network, planned: &PlannedFlow) -> u128 {
    let routes = [&planned.flow.forward, &planned.flow.backward];
    let longest = routes.map(|route| match route.fixed() {
        Some(path) => path.iter().map(|link| u128::from(longest_delay(&network.links[*link]).as_ps())).sum(),
        None => routes::largest_delay_ps(network, route),
    });
    longest.into_iter().sum()
}

/// The longest delay that a link ever has, jitter included.
fn longest_delay(link: &Link) -> ackclock::units::Span {
    let longest = link.params.schedule.as_ref().map_or(link.delay, |schedule| schedule.delays.longest());
    longest + link.params.jitter.as_ref().map_or(Span::ZERO, JitterParams::longest)
}

/// The largest rate that a link ever has.
pub(crate) fn largest_rate(link: &Link) -> Rate {
    link.params.schedule.as_ref().map_or(link.rate, |schedule| schedule.rates.largest())
}

/// Says in the source of the default how large the windows are that follow the path.
pub(crate) fn describe(tcp: &mut Settings, flows: &[PlannedFlow]) {
    if tcp.word("receive_window") != Some(AUTO) {
        return;
    }
    let windows = || {
        flows.iter().filter(|planned| planned.given.common.follows_path).map(|planned| planned.flow.tcp.receive_window)
    };
    let spelled = |amount| Quantity { dimension: Dimension::Size, amount }.canonical();
    let words = match (windows().min(), windows().max()) {
        (Some(least), Some(most)) if least == most => spelled(least),
        (Some(least), Some(most)) => format!("{} to {}", spelled(least), spelled(most)),
        _ => return,
    };
    tcp.describe_default("receive_window", format!("{words}: 2 bdp and the buffer of the slowest link"));
}
