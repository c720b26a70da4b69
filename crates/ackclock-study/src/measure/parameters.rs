//! What a scenario says of ABR and of rate control of TCP: parameters that studies publish.

use ackclock::atm::AbrParams;
use ackclock::atm::rate::{RateAlgorithm, SimplifiedEricaPlusParams};
use ackclock::feedback::RoundTrip;
use ackclock::scenario::{Flow, Link, Scenario, ServiceCategory};

/// A parameter: its name, its unit, its value if the scenario has one.
pub(super) type Parameter = (&'static str, &'static str, fn(&Scenario) -> Option<f64>);

/// Of ABR, where the first flow has that service.
pub(super) const OF_ABR: &[Parameter] = &[
    ("rif", "", |scenario| Some(abr(scenario)?.rif)),
    ("rdf", "", |scenario| Some(abr(scenario)?.rdf)),
    ("nrm", "cells", |scenario| Some(f64::from(abr(scenario)?.nrm))),
    ("threshold", "cells", |scenario| match (abr(scenario)?, &bottleneck(scenario)?.queue.rates) {
        (_, Some(RateAlgorithm::Efci(params))) => Some(params.threshold as f64),
        (_, Some(RateAlgorithm::Capc(params))) => Some(params.threshold as f64),
        _ => None,
    }),
];

/// Of rate control of TCP, where the bottleneck gives rates by simplified ERICA+. Times in seconds, windows and segments in bytes.
pub(super) const OF_RATE_CONTROL: &[Parameter] = &[
    ("duration", "s", |scenario| erica_plus(scenario).map(|_| scenario.duration.as_secs_f64())),
    ("averaging-interval", "s", |scenario| Some(erica_plus(scenario)?.interval.as_secs_f64())),
    ("target-delay", "s", |scenario| Some(erica_plus(scenario)?.control.target_delay.as_secs_f64())),
    ("drain-limit", "", |scenario| Some(erica_plus(scenario)?.control.least)),
    ("a", "", |scenario| Some(erica_plus(scenario)?.control.a)),
    ("b", "", |scenario| Some(erica_plus(scenario)?.control.b)),
    // The time that window feedback takes for all flows, if it takes one.
    ("round-trip", "s", |scenario| match bottleneck(scenario)?.queue.feedback?.window?.round_trip {
        RoundTrip::Fixed(time) => Some(time.as_secs_f64()),
        RoundTrip::Individual => None,
    }),
    ("rate", "bit/s", |scenario| erica_plus(scenario).and(Some(bottleneck(scenario)?.rate.as_bps() as f64))),
    ("mss", "bytes", |scenario| erica_plus(scenario).and(Some(f64::from(first(scenario)?.tcp.mss)))),
    ("receive-window", "bytes", |scenario| {
        erica_plus(scenario).and(Some(first(scenario)?.tcp.advertised_window() as f64))
    }),
    ("ssthresh", "bytes", |scenario| {
        erica_plus(scenario).and(Some(first(scenario)?.tcp.initial_ssthresh.unwrap_or(u64::MAX) as f64))
    }),
];

fn first(scenario: &Scenario) -> Option<&Flow> {
    scenario.flows.iter().next()
}

fn bottleneck(scenario: &Scenario) -> Option<&Link> {
    Some(&scenario.links[scenario.bottleneck.as_ref()?.link])
}

fn abr(scenario: &Scenario) -> Option<&AbrParams> {
    match &first(scenario)?.service {
        ServiceCategory::Abr(params) => Some(params),
        _ => None,
    }
}

fn erica_plus(scenario: &Scenario) -> Option<&SimplifiedEricaPlusParams> {
    match bottleneck(scenario)?.queue.rates.as_ref()? {
        RateAlgorithm::SimplifiedEricaPlus(params) => Some(params),
        _ => None,
    }
}
