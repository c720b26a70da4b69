//! Both engines on networks with ABR connections: all records must be equal, to the bit, at the end and on the way there.

mod lab;

use ackclock::atm::rate::ALGORITHMS;
use ackclock::record::Metric;
use ackclock::scenario::ServiceCategory;
use lab::abr::*;
use lab::agree::assert_engines_agree;

/// Every algorithm where it is alone, over wide and local areas, with room and without.
#[test]
fn the_engines_agree_with_every_algorithm() {
    let forward = ALGORITHMS.iter().filter_map(|algorithm| forward(algorithm.name));
    let all = ALGORITHMS.iter().map(|algorithm| defaults(algorithm.name)).chain(forward);
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
            assert_eq!(
                rows(Metric::Allocation).count(),
                records.ports.iter().filter(|port| port.rates.is_some()).count()
            );
        }
    }
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
