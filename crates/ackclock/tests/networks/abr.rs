//! ABR connections in whole networks.

use std::sync::Arc;

use crate::lab::abr::*;
use crate::lab::*;
use ackclock::record::{AbrRecord, PortRecord, Records};
use ackclock::scenario::{Buffer, Scenario, ServiceCategory};
use ackclock::sim::{self, Engine};
use ackclock::units::{Span, Time};

fn abr(records: &Records) -> Vec<AbrRecord> {
    records.flows.iter().map(|flow| flow.abr.unwrap()).collect()
}

fn port<'a>(records: &'a Records, name: &str) -> &'a PortRecord {
    records.ports.iter().find(|port| port.name == name).unwrap()
}

/// The records at each of these instants.
fn records_at(scenario: &Scenario, times_ms: impl Iterator<Item = u64>) -> Vec<Records> {
    let mut simulation = sim::build(scenario, 1);
    let at = |ms| {
        simulation.step(Time::ZERO + Span::from_ms(ms));
        simulation.records()
    };
    times_ms.map(at).collect()
}

/// The mean queue between two records of a port.
fn mean_queue(before: &PortRecord, after: &PortRecord, [begin, end]: [f64; 2]) -> f64 {
    (after.mean_queue * end - before.mean_queue * begin) / (end - begin)
}

/// One connection through ports with slots and a smaller rate: after the first explicit rates have come back, never a queue.
#[test]
fn an_abr_connection_alone_never_queues_once_its_rate_is_known() {
    let sets = ["network.sources=1", "duration=1 s", "link.\"sw1->sw2\".rate=50 Mbps"];
    let scenario = with_abr(&[WAN, GREEDY].concat(), &sets, &defaults("max-min"), |_| {});
    let records = records_at(&scenario, [100, 1000].into_iter());
    let [before, after] = [&records[0], &records[1]].map(|records| port(records, "sw1->sw2"));
    assert!(mean_queue(before, after, [0.1, 1.0]).abs() < 1e-9, "{before:?} {after:?}");
    let acr = abr(&records[1])[0].acr;
    assert!((acr * 424.0 / 1e6 - 0.95 * 50.0).abs() < 1e-6, "{acr}");
}

/// The first cells of a connection by hand: an RM cell, then data, a spacing apart; the backward RM cell is back after two
/// passes through each switch; then the spacing is another.
#[test]
fn a_connection_alone_takes_the_times_computed_by_hand() {
    // Single inputs: no slots. 2,726,337 ps a cell.
    let c = 2_726_337;
    let sets = ["network.sources=1", "duration=100 ms", "traffic.size=9180 B"];
    let scenario = with_abr(&[WAN, GREEDY].concat(), &sets, &defaults("erica"), |params| params.rif = 1.0 / 32_768.0);
    let at = |ps: u64| {
        let mut simulation = sim::build(&scenario, 1);
        simulation.step(Time::from_ps(ps));
        abr(&simulation.records())[0]
    };
    let returns = 6 * (c + 5_000_000_000);
    assert_eq!((at(returns).backward_rm_cells, at(returns + 1).backward_rm_cells), (0, 1));
    // 2 Mb/s is a cell in 212 us: the second RM cell begins after 31 data cells.
    assert_eq!((at(32 * 212_000_000).forward_rm_cells, at(32 * 212_000_000 + 1).forward_rm_cells), (1, 2));
    let rises = at(returns + 1);
    assert_eq!(rises.acr, 2e6 / 424.0 + 155.52e6 / 424.0 / 32_768.0);
}

/// Cells of all kinds at every port: those that came have left, were refused, or wait.
fn all_cells_are_accounted_for(name: &str, records: &Records) {
    for port in &records.ports {
        let left = port.departures + port.drops.total() + port.final_queue;
        assert!(port.arrivals == left, "{name}: {port:?}");
    }
}

/// At full buffers RM cells are lost, in both directions. While there is traffic some are under way; when all sources are idle, as 9 s after
/// the last timeout, each RM cell that was sent has returned, was replaced or was refused.
#[test]
fn rm_cells_are_conserved() {
    // RM cells wait at a destination whose link is slow, and newer ones take their places.
    let links = ["link.\"sw2->sw1\".rate=5 Mbps", "link.\"d1->sw2\".rate=1 Mbps"];
    let sets = ["network.sources=5", "duration=30 s", "queue.buffer=300 cells", "traffic.size=2 MB"];
    let sets = [&sets[..], &links].concat();
    for engine in [Engine::Reference, Engine::Batched] {
        for name in ["efci", "erica-plus", "capc"] {
            let scenario = with_abr(&[WAN, GREEDY].concat(), &sets, &defaults(name), |params| {
                (params.icr, params.rif) = (params.pcr, 1.0 / 512.0);
            });
            let mut simulation = sim::build_with(&scenario, 1, engine);
            let mut of_all = [0; 4];
            for ms in [100, 500, 30_000] {
                simulation.step(Time::ZERO + Span::from_ms(ms));
                let records = simulation.records();
                all_cells_are_accounted_for(name, &records);
                of_all = [0; 4];
                for abr in abr(&records) {
                    let sent = abr.forward_rm_cells + abr.out_of_rate_rm_cells;
                    let gone = abr.backward_rm_cells + abr.replaced_rm_cells + abr.refused_rm_cells;
                    assert!(if ms < 1000 { gone <= sent } else { gone == sent }, "{name} at {ms} ms: {abr:?}");
                    assert!(abr.least_acr >= 0.0 && abr.acr <= 155.52e6 / 424.0);
                    let counts = [sent, abr.backward_rm_cells, abr.replaced_rm_cells, abr.refused_rm_cells];
                    of_all.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
                }
            }
            assert!(of_all.iter().all(|&count| count > 20), "{name}: {of_all:?}");
        }
    }
}

/// Data cells beyond the threshold are marked, sources slow down, and the queue stays far below what it would be.
#[test]
fn efci_holds_the_queue_of_a_local_network_down() {
    let lan = WAN.replace("5 ms", "50 us");
    let sets = ["network.sources=5", "duration=500 ms", "warmup=200 ms"];
    let scenario = with_abr(&[&lan, GREEDY].concat(), &sets, &defaults("efci"), |params| {
        (params.rif, params.rdf) = (1.0 / 64.0, 1.0 / 16.0);
    });
    let all = records_at(&scenario, [200, 500].into_iter());
    let (records, [before, port]) = (&all[1], [&all[0], &all[1]].map(|records| port(records, "sw1->sw2")));
    assert!(abr(records).iter().all(|abr| abr.efci_cells > 100 && abr.out_of_rate_rm_cells == 0));
    let after = records.after_warmup.as_ref().unwrap();
    let marked: u64 = after.ports.iter().filter_map(|port| port.marked_cells).sum();
    let marked_until = |port: &PortRecord| port.rates.unwrap().marked_cells;
    assert!(marked > 0 && marked_until(before) > 0 && marked == marked_until(port) - marked_until(before));
    let utilisation = (port.departures - before.departures) as f64 / (0.3 * 155.52e6 / 424.0);
    // Sources rise and fall together: an independent calculation of such a network gives 0.90 to 0.92.
    assert!((0.88..0.95).contains(&utilisation) && port.max_queue < 1500, "{utilisation} {port:?}");
}

/// What UBR takes is not given away: beside a UBR source of 40 Mb/s two ABR connections share the rest of the target.
#[test]
fn cells_of_ubr_are_taken_out_of_the_capacity() {
    let sets = ["network.sources=3", "duration=2 s", "warmup=1 s"];
    for algorithm in [erica(|sharing| sharing.delta = 0.0), capc(|params| (params.rup, params.rdn) = (0.025, 0.2))] {
        let mut scenario = with_abr(&[WAN, GREEDY].concat(), &sets, &algorithm, |_| {});
        let last = scenario.flows.iter_mut().last().unwrap();
        last.service = ServiceCategory::Ubr { pcr: Some(rate(40_000_000)) };
        let records = run(&scenario, 1);
        assert!(records.flows[2].abr.is_none());
        // Backward RM cells and acknowledgements go the other way.
        let share = (0.95 * 155.52 - 40.0) / 2.0;
        for flow in &records.flows[..2] {
            let rate = flow.abr.unwrap().mean_acr * 424.0 / 1e6;
            assert!((rate / share - 1.0).abs() < 0.05, "{}: {rate} of {share}", algorithm.name());
        }
    }
}

/// Both engines give the same run. The seed orders the cells of a slot, and nothing else is random.
#[test]
fn any_engine_gives_the_same_run_and_a_seed_repeats_it() {
    let sets = ["network.sources=5", "duration=200 ms"];
    let mut scenario = with_abr(&[WAN, GREEDY].concat(), &sets, &defaults("erica-plus"), |_| {});
    let fingerprint = |scenario: &Scenario, engine, seed| {
        let mut simulation = sim::build_with(scenario, seed, engine);
        simulation.step(Time::NEVER);
        simulation.records().fingerprint
    };
    let reference = fingerprint(&scenario, Engine::Reference, 1);
    assert_eq!(fingerprint(&scenario, Engine::Batched, 1), reference);
    assert_ne!(fingerprint(&scenario, Engine::Batched, 2), reference);
    // A large buffer is one without a limit.
    for link in scenario.links.iter_mut() {
        Arc::make_mut(&mut link.queue).buffer = Buffer::Cells(1_000_000);
    }
    assert_eq!(fingerprint(&scenario, Engine::Batched, 1), reference);
}
