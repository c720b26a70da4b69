//! Links that change and lose packets, and the policies of packet ports, as a function of bytes.

use std::sync::Arc;

use ackclock::ids::LinkId;
use ackclock::keys::Values;
use ackclock::law::{self, Law, ListOrder, ListedParams, LogNormalParams, NormalParams, ParetoParams, UniformParams};
use ackclock::link::*;
use ackclock::scenario::{NodeKind, Scenario, Technology};
use ackclock::units::{Rate, Span, Time};

use super::choices::Choices;
use super::random::any_delay;

/// In most packet networks some links change, or lose packets.
pub fn paths(choices: &mut Choices, scenario: &mut Scenario) {
    if matches!(scenario.technology, Technology::Atm { .. }) || choices.once_in(4) {
        return;
    }
    let duration = scenario.duration;
    let ids: Vec<LinkId> = scenario.links.ids().collect();
    for id in ids {
        if !choices.once_in(2) {
            continue;
        }
        let link = &mut scenario.links[id];
        if choices.once_in(2) {
            let schedule = schedule(choices, duration, link.rate, link.delay);
            (link.rate, link.delay) = (schedule.rates.at(Time::ZERO), schedule.delays.at(Time::ZERO));
            link.params.schedule = Some(Box::new(schedule));
        }
        if choices.once_in(4) {
            let bound = Span::from_us(1 + choices.below(2000));
            let law = if choices.once_in(2) { JitterLaw::Below(bound) } else { JitterLaw::By(law(choices, bound)) };
            link.params.jitter = Some(JitterParams { law, overtaking: choices.once_in(2) });
        }
        if choices.once_in(4) {
            let bound = Span::from_us(1 + choices.below(20_000));
            let (probability, delay) = (choices.one_of(&[0.0, 0.05, 0.3, 1.0]), law(choices, bound));
            link.params.reorder = Some(ReorderParams { probability, delay });
        }
        if scenario.nodes[link.from].kind == NodeKind::Switch && choices.once_in(4) {
            link.params.duplicate = choices.one_of(&[0.02, 0.3, 1.0]);
        }
        for _ in 0..choices.below(3) {
            link.params.errors.extend(error(choices));
        }
    }
}

fn schedule(choices: &mut Choices, duration: Span, rate: Rate, delay: Span) -> LinkSchedule {
    let mut schedule = LinkSchedule::constant(rate, delay);
    let times = instants(choices, duration);
    if choices.once_in(2) {
        let shape = choices.one_of(&[Shape::Steps, Shape::Linear]);
        let points = times.iter().map(|&time| (time, near(choices, delay))).collect::<Vec<_>>();
        schedule.delays = Delays::new(shape, [(Time::ZERO, delay)].into_iter().chain(points).collect());
    }
    if choices.once_in(2) {
        let points = times.iter().map(|&time| {
            let bps = rate.as_bps() * (1 + choices.below(8)) / 4;
            (time, Rate::from_bps(bps.clamp(1000, 1_000_000_000_000)).expect("not zero"))
        });
        let points: Vec<_> = points.collect();
        schedule.rates = Rates::new([(Time::ZERO, rate)].into_iter().chain(points).collect());
    }
    if choices.once_in(4) && schedule.delays.least_from(Time::ZERO) > Span::ZERO {
        schedule.opportunities = Some(Arc::new(opportunities(choices, rate)));
    }
    if choices.below(3) > 0 {
        let forever = choices.once_in(4).then_some(Time::NEVER);
        let ends: Vec<Time> = times.into_iter().chain(forever).collect();
        let intervals = ends.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        schedule.outages = Outages::new(
            intervals,
            choices.one_of(&[InService::Finish, InService::Lose]),
            choices.one_of(&[Queued::Keep, Queued::Flush]),
        );
    }
    schedule.reordering = choices.one_of(&[Reordering::Natural, Reordering::Prevent]);
    schedule.under_way = choices.one_of(&[UnderWay::Keep, UnderWay::Drop]);
    schedule
}

/// Any law of times of about this length.
pub fn law(choices: &mut Choices, about: Span) -> Law {
    let ps = about.as_ps() as f64;
    match choices.index(law::ALL.len()) {
        0 => Law::Constant(ps),
        1 => Law::Exponential(ps),
        2 => Law::LogNormal(LogNormalParams::new(ps, ps)),
        3 => Law::Normal(NormalParams { mean: ps, deviation: ps / 2.0 }),
        4 => Law::Pareto(ParetoParams::with_mean(ps, 1.5)),
        5 => Law::Uniform(UniformParams { least: 0.0, most: ps }),
        _ => {
            let order = choices.one_of(&[ListOrder::Given, ListOrder::Random]);
            Law::Listed(ListedParams { values: vec![ps, 0.0, ps / 3.0], order })
        }
    }
}

/// A few dozen of them about as often as the rate says, some at one instant.
fn opportunities(choices: &mut Choices, rate: Rate) -> Opportunities {
    let bytes = choices.one_of(&[1500, 100, 9000]);
    let apart = rate.serialization(8 * u64::from(bytes)).as_ps();
    let mut time = 0;
    let times = (0..1 + choices.below(32)).map(|_| {
        time += apart * choices.below(5) / 2;
        Span::from_ps(time)
    });
    let mut times: Vec<Span> = times.collect();
    times.push(Span::from_ps(time + apart));
    Opportunities::new(times, bytes)
}

/// Up to seven instants after the start, in order.
pub fn instants(choices: &mut Choices, duration: Span) -> Vec<Time> {
    let part = duration.as_ps() / 256 + 1;
    let mut times: Vec<Time> = (0..choices.one_of(&[4, 2, 0, 6, 7]))
        .map(|_| Time::from_ps(1 + part * choices.below(256) + choices.below(2)))
        .collect();
    times.sort();
    times.dedup();
    times
}

/// A delay like another one, a shorter or a longer one, or any.
fn near(choices: &mut Choices, delay: Span) -> Span {
    match choices.below(8) {
        0..=2 => Span::from_ps(delay.as_ps() / (2 + choices.below(9))),
        3..=5 => delay * (1 + choices.below(10)),
        6 => delay,
        _ => any_delay(choices),
    }
}

/// Any model of the family with any parameters that fit together; none if they do not, however often they are drawn: choices that
/// have come to their end are all the same.
fn error(choices: &mut Choices) -> Option<ErrorParams> {
    let model = errors::ALL[choices.index(errors::ALL.len())];
    let params = (0..DRAWS).find_map(|_| {
        let values = Values::sample(model.keys, &mut |bound| choices.below(bound));
        (model.params)(&values).ok()
    })?;
    Some(ErrorParams {
        model: params,
        place: choices.one_of(&[Place::Egress, Place::Receiver, Place::Ingress]),
        applies_to: choices.one_of(&[AppliesTo::All, AppliesTo::Tcp, AppliesTo::Data]),
    })
}

const DRAWS: usize = 8;
