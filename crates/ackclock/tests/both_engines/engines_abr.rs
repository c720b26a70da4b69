//! Both engines on networks with ABR connections: all records must be equal, to the bit, at the end and on the way there.

use crate::lab::abr::*;
use crate::lab::agree::assert_engines_agree;
use ackclock::atm::rate::ALGORITHMS;
use ackclock::record::{Columns, Metric};
use ackclock::scenario::ServiceCategory;
use ackclock::units::Time;

/// Every algorithm where it is alone, over wide and local areas, with room and without.
#[test]
fn the_engines_agree_with_every_algorithm() {
    let forward = ALGORITHMS.iter().filter_map(|algorithm| forward(algorithm.name));
    let all = ALGORITHMS.iter().map(|algorithm| defaults(algorithm.name)).chain(forward);
    let mut is_marked = false;
    for (number, algorithm) in (1..).zip(all) {
        for (delay, duration, buffer) in
            [("5 ms", "150 ms", "infinite"), ("50 us", "20 ms", "infinite"), ("1 us", "10 ms", "200 cells")]
        {
            let text = WAN.replace("5 ms", delay);
            let (buffer, duration) = (format!("queue.buffer={buffer}"), format!("duration={duration}"));
            let sets = ["network.sources=4", &duration, &buffer, "warmup=3 ms", "record=[\"abr\"]"];
            let scenario = with_abr(&[&text, GREEDY].concat(), &sets, &algorithm, |params| {
                if buffer.contains("200") {
                    (params.icr, params.rif, params.nrm) = (params.pcr, 1.0 / 64.0, 8);
                }
            });
            let records = assert_engines_agree(&format!("{algorithm:?}, {delay}"), &scenario, number);
            assert!(records.flows.iter().all(|flow| flow.abr.unwrap().backward_rm_cells > 3));
            let rows = |metric| records.series.iter().filter(move |series| series.metric == metric);
            assert!(rows(Metric::Acr).count() == 4 && rows(Metric::Acr).all(|acr| !acr.columns.is_empty()));
            assert!(rows(Metric::MaxMinShare).count() == 4);
            for (number, flow) in records.flows.iter().enumerate() {
                let of_flow = |metric| rows(metric).nth(number).unwrap();
                let Columns::Points { value: er, .. } = &of_flow(Metric::ExplicitRate).columns else { panic!() };
                let Columns::Points { value: ci, .. } = &of_flow(Metric::Ci).columns else { panic!() };
                let abr = flow.abr.unwrap();
                assert_eq!([er.len(), ci.len()], [abr.backward_rm_cells as usize; 2]);
                assert!(er.iter().all(|&er| er > 0.0 && er <= 155.52e6) && ci.iter().all(|ci| [0.0, 1.0].contains(ci)));
                let Columns::Points { time, value } = &of_flow(Metric::Efci).columns else { panic!() };
                // Each row is of all intervals up to the next one; the last is of the last one, in which cells may still come.
                let interval = scenario.recording.interval.as_ps();
                let next = time.iter().skip(1).copied().chain([Time::ZERO + scenario.duration]);
                let lasts = time.iter().zip(next).map(|(from, to)| to.since(*from).as_ps().div_ceil(interval));
                let all: f64 = value.iter().zip(lasts).map(|(value, intervals)| value * intervals as f64).sum();
                assert_eq!(all as u64, abr.efci_cells);
                is_marked |= abr.efci_cells > 0;
            }
            assert_eq!(
                rows(Metric::Allocation).count(),
                records.ports.iter().filter(|port| port.rates.is_some()).count()
            );
        }
    }
    assert!(is_marked);
}

/// Many congested ports one behind the other.
#[test]
fn the_engines_agree_on_chains() {
    for name in ["gfc-1", "gfc-2"] {
        for algorithm in ["efci", "erica", "capc"] {
            let text = format!("[network]\ntopology = \"{name}\"\n");
            let scenario = with_abr(&[&text, GREEDY].concat(), &["duration=200 ms"], &defaults(algorithm), |params| {
                if algorithm == "efci" {
                    params.rif = 1.0 / 64.0;
                }
            });
            let records = assert_engines_agree(&format!("{name}, {algorithm}"), &scenario, 1);
            assert!(records.flows.iter().any(|flow| flow.abr.unwrap().backward_rm_cells > 100));
        }
    }
}

/// UBR beside ABR, with a peak rate and without.
#[test]
fn the_engines_agree_on_mixes() {
    let sets = ["network.sources=4", "duration=150 ms", "queue.buffer=1000 cells"];
    let mut scenario = with_abr(&[WAN, GREEDY].concat(), &sets, &defaults("erica-plus"), |_| {});
    for (flow, pcr) in scenario.flows.iter_mut().zip([None, Some(rate(40_000_000))]) {
        flow.service = ServiceCategory::Ubr { pcr };
    }
    let records = assert_engines_agree("mix", &scenario, 1);
    assert!(records.flows.iter().filter(|flow| flow.abr.is_some()).count() == 2);
}

/// Policies that decide at the first cell of a frame, where queues are long.
#[test]
fn the_engines_agree_with_frame_policies() {
    for (number, policy) in (1..).zip(["epd", "selective-drop", "ppd"]) {
        let text = WAN.replace("5 ms", "20 us").replace("tail-drop", policy);
        let sets = ["network.sources=4", "duration=40 ms", "queue.buffer=600 cells"];
        let scenario = with_abr(&[&text, GREEDY].concat(), &sets, &defaults("efci"), |params| {
            (params.icr, params.rif, params.nrm) = (params.pcr, 1.0 / 64.0, 8);
        });
        let records = assert_engines_agree(policy, &scenario, number);
        assert!(records.ports.iter().any(|port| port.drops.policy + port.drops.partial_frame > 0));
    }
}
