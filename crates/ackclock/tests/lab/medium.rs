//! Media that several links share, as a function of bytes.

use std::collections::BTreeSet;
use std::sync::Arc;

use ackclock::ids::LinkId;
use ackclock::link::{LinkSchedule, Medium};
use ackclock::scenario::{NodeKind, Scenario, Technology};
use ackclock::units::{Rate, Span};

use super::choices::Choices;

/// In most packet networks in which that can be some links share a medium, or two.
pub fn media(choices: &mut Choices, scenario: &mut Scenario) {
    let gives_rates = scenario.links.iter().any(|link| link.queue.feedback.is_some());
    if matches!(scenario.technology, Technology::Atm { .. }) || gives_rates || choices.once_in(4) {
        return;
    }
    let of_flows = scenario.flows.iter().flat_map(|flow| [&flow.forward, &flow.backward]);
    let routes = of_flows.chain(scenario.udp.iter().flat_map(|source| source.routes()));
    let (fixed, changing): (Vec<_>, Vec<_>) = routes.partition(|route| route.fixed().is_some());
    let used: BTreeSet<LinkId> = fixed.iter().flat_map(|route| route.links().into_owned()).collect();
    let changing: BTreeSet<LinkId> = changing.iter().flat_map(|route| route.links().into_owned()).collect();
    let may_share = |&id: &LinkId| {
        let link = &scenario.links[id];
        scenario.nodes[link.from].kind == NodeKind::Switch
            && !changing.contains(&id)
            && link.params.schedule.as_ref().is_none_or(|schedule| schedule.far_ends.is_none())
    };
    let ids: Vec<LinkId> = scenario.links.ids().filter(may_share).collect();
    let Some(&first) = ids.iter().find(|id| used.contains(id)) else { return };
    let rate = scenario.links[first].rate;
    let overheads = [Span::ZERO, rate.serialization(320), Span::from_us(1), rate.serialization(8 * 1500)];
    let media: Vec<Arc<Medium>> = ["air", "wire"]
        .map(|name| {
            let slower = Rate::from_bps((rate.as_bps() / 3).max(1000)).expect("not zero");
            let rate = if name == "wire" { choices.one_of(&[rate, slower]) } else { rate };
            Arc::new(Medium { name: name.to_owned(), rate, overhead: choices.one_of(&overheads) })
        })
        .to_vec();
    let most = choices.once_in(2);
    for id in ids {
        if !choices.once_in(if most && used.contains(&id) { 1 } else { 3 }) {
            continue;
        }
        let link = &mut scenario.links[id];
        let medium = &media[usize::from(choices.once_in(4))];
        (link.medium, link.rate) = (Some(medium.clone()), medium.rate);
        // A medium has one rate, and is always up.
        let constant = LinkSchedule::constant(link.rate, link.delay);
        if let Some(schedule) = &mut link.params.schedule {
            (schedule.rates, schedule.opportunities, schedule.outages) =
                (constant.rates, constant.opportunities, constant.outages);
        }
    }
}
