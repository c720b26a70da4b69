//! The link that efficiency refers to, and the payload rate that is an efficiency of 1.

use ackclock::keys::Quantity;
use ackclock::scenario::{Bottleneck, Technology};

use crate::flows::PlannedFlow;
use crate::flows::framing;
use crate::network::Network;
use crate::queues::nearest_link;
use crate::settings::Settings;
use crate::text::diagnostic::Report;
use crate::text::tree::quoted;

/// The bottleneck that the top of the file names. `Err`: wrong, and reported.
pub(crate) fn find(
    network: &Network,
    flows: &[PlannedFlow],
    technology: Technology,
    top: &mut Settings,
    report: &mut Report,
) -> Result<Option<Bottleneck>, ()> {
    let name = top.text("bottleneck").ok_or(())?.to_owned();
    if name == "none" {
        return Ok(None);
    }
    let Some(id) = network.link(&name) else {
        report
            .error(top.at("bottleneck"), format!("there is no link {}", quoted(&name)))
            .label("expected one direction of a link, \"A->B\"")
            .help_if(nearest_link(network, &name, false).map(|near| format!("did you mean \"{near}\"?")));
        return Err(());
    };
    if let Some(Quantity { amount, .. }) = top.quantity("capacity") {
        return Ok(Some(Bottleneck { link: id, capacity_bps: amount as f64 }));
    }
    if top.word("capacity") != Some("auto") {
        return Err(());
    }
    let crossing = || flows.iter().filter(|planned| planned.flow.forward.links().contains(&id));
    let place = top.at("capacity").or(top.at("bottleneck"));
    let wire_bytes = crossing().map(|planned| framing::full_segment_wire_bytes(&planned.flow.tcp, technology));
    let mss = crossing().next().map(|planned| planned.flow.tcp.mss);
    // Of segments as long as each other those with the shortest headers: an efficiency is at most 1.
    let Some((mss, wire_bytes)) = mss.zip(wire_bytes.min()) else {
        report
            .error(place, format!("no flow sends data over the bottleneck {name}, so its capacity is not known"))
            .label("needs `capacity`")
            .help("add capacity = \"...\", the payload rate that is an efficiency of 1, or bottleneck = \"none\"");
        return Err(());
    };
    if let Some(PlannedFlow { flow, given }) = crossing().find(|planned| planned.flow.tcp.mss != mss) {
        let other = flow.tcp.mss;
        report
            .error(
                place.or(given.common.tcp_settings.own.at("mss")),
                format!("flows of different `mss` ({mss} B and {other} B) share the bottleneck {name}"),
            )
            .label("needs an explicit `capacity`")
            .help("add capacity = \"...\", the payload rate that is an efficiency of 1, or bottleneck = \"none\"");
        return Err(());
    }
    let rate = network.links[id].rate.as_bps();
    // Exact up to the one division: both factors are integers.
    let payload = (u128::from(rate) * u128::from(mss)) as f64;
    let capacity_bps = payload / wire_bytes as f64;
    let origin = format!("{:.3} Mbps for segments of {mss} B", capacity_bps / 1e6);
    top.describe_default("capacity", origin);
    Ok(Some(Bottleneck { link: id, capacity_bps }))
}
