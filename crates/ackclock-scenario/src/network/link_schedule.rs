//! How a link changes: from the values of its table to delays, rates and outages.

use ackclock::link::{Delays, InService, LinkSchedule, Outages, Queued, Rates, Reordering, Shape, UnderWay};
use ackclock::units::{Rate, Span, Time};

use crate::settings::Settings;
use crate::text::diagnostic::Report;
use crate::value::FileValue;
use crate::value::rate_trace::{RateTrace, TraceContent};

/// How a link changes, if it does; everything wrong is reported.
pub(crate) fn link_schedule(
    settings: &Settings,
    name: &str,
    duration: Option<Span>,
    report: &mut Report,
) -> Option<Option<LinkSchedule>> {
    let (rate, delay) = (settings.rate("rate")?, settings.span("delay")?);
    let mut link_schedule = LinkSchedule::constant(rate, delay);
    let of_key = |key: &str| match settings.value(key) {
        Some(FileValue::Schedule(schedule)) => Some(schedule),
        _ => None,
    };
    let (delays, rates) = (of_key("delay"), of_key("rate"));
    if let Some(schedule) = delays {
        let shape = settings.choice("delay_shape", Shape::WORDS)?;
        link_schedule.delays = Delays::new(shape, schedule.points().map(|(at, ps)| (at, Span::from_ps(ps))).collect());
        link_schedule.reordering = settings.choice("reordering", Reordering::WORDS)?;
        link_schedule.under_way = settings.choice("under_way", UnderWay::WORDS)?;
        if shape == Shape::Linear && link_schedule.under_way == UnderWay::Drop {
            report
                .error(settings.at("under_way"), "packets are dropped at a step of the delay, and this delay has none")
                .label("only with delay_shape = \"steps\"");
            return None;
        }
    }
    if let Some(schedule) = rates {
        let points = schedule.points().map(|(at, bps)| (at, Rate::from_bps(bps).expect("rates are above zero")));
        link_schedule.rates = Rates::new(points.collect());
    }
    let trace = follow_trace(&mut link_schedule, settings, name, report)?;
    let outages = match settings.value("outages") {
        Some(FileValue::Outages(outages)) => outages.as_slice(),
        _ => &[],
    };
    if let Some(duration) = duration
        && outages.iter().any(|outage| outage.covers(duration))
    {
        report
            .error(settings.at("outages"), format!("the link {name} is down for the whole run"))
            .label("no packet can cross it")
            .help("let the outage begin later or end earlier, or leave the link out");
        return None;
    }
    if !outages.is_empty() {
        let instant = |ps: Option<u64>| ps.map_or(Time::NEVER, Time::from_ps);
        let in_service = settings.choice("in_service", InService::WORDS)?;
        let queued = settings.choice("queued", Queued::WORDS)?;
        let intervals = outages.iter().map(|outage| (Time::from_ps(outage.from_ps), instant(outage.until_ps)));
        link_schedule.outages = Outages::new(intervals.collect(), in_service, queued);
    }
    let changes = delays.is_some() || rates.is_some() || trace || !outages.is_empty();
    Some(changes.then_some(link_schedule))
}

/// A rate that follows a trace; whether it does.
fn follow_trace(link: &mut LinkSchedule, settings: &Settings, name: &str, report: &mut Report) -> Option<bool> {
    let Some(FileValue::RateTrace(RateTrace { content: Some(content), .. })) = settings.value("rate") else {
        return Some(false);
    };
    match content {
        TraceContent::Rates(rates) => link.rates = rates.clone(),
        TraceContent::Opportunities(opportunities) => link.opportunities = Some(opportunities.clone()),
    }
    if link.opportunities.is_some() && link.delays.least_from(Time::ZERO) == Span::ZERO {
        report
            .error(settings.at("rate"), format!("what has an opportunity is sent at once, and {name} has no delay"))
            .label("packets would take no time")
            .help("give the link a `delay`, of 1 us at least");
        return None;
    }
    Some(true)
}
