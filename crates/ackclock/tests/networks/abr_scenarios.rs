//! The scenarios of `scenarios/abr`, as their files are, against what ABR has to reach there.

use crate::lab::{conserves, port, run, scenario};
use ackclock::record::{FlowRecord, PortRecord, Records};
use ackclock::scenario::Scenario;
use ackclock::sim;
use ackclock::units::{Span, Time};

/// Explicit rates that come close to max-min shares without oscillating: ERICA that corrects every load above its target, and CAPC
/// in small steps.
const ERICA: &[&str] = &["queue.rate_algorithm=erica", "queue.erica.delta=0"];
const CAPC: &[&str] = &["queue.rate_algorithm=capc", "queue.capc.rup=0.025", "queue.capc.rdn=0.2"];
const MAX_MIN: &[&str] = &["queue.rate_algorithm=max-min"];

fn of_file(name: &str, sets: &[&str]) -> Scenario {
    let text = std::fs::read_to_string(format!("../../scenarios/abr/{name}.toml")).unwrap();
    scenario(&text, sets)
}

/// Mean ACR of each flow after the warm-up, megabits per second.
fn rates(records: &Records) -> Vec<f64> {
    records.flows.iter().map(|flow| flow.abr.unwrap().mean_acr * 424.0 / 1e6).collect()
}

/// The flow whose mean rate is farthest from its max-min share of `target`, a part of every link, and how far it is.
fn farthest(records: &Records, target: f64) -> (f64, &str) {
    let distance = |flow: &FlowRecord| {
        let abr = flow.abr.unwrap();
        (abr.mean_acr / (target * abr.max_min_share) - 1.0).abs()
    };
    let all = records.flows.iter().map(|flow| (distance(flow), &flow.name[..]));
    all.max_by(|one, other| one.0.total_cmp(&other.0)).unwrap()
}

/// Every mean rate is within 5 % of its max-min share of `target`, a part of every link.
fn comes_close_to_max_min(name: &str, sets: &[&str], target: f64, duration: &str) {
    let length = format!("duration={duration}");
    let records = run(&of_file(name, &[sets, &[&length]].concat()), 1);
    let (distance, flow) = farthest(&records, target);
    assert!(distance < 0.05, "{name}, {sets:?}: {flow} is off by {distance}");
    conserves(&records);
}

/// ERICA+ gives the whole link away, the others 0.95 of it.
#[test]
fn rates_on_gfc_1_are_within_5_percent_of_max_min() {
    comes_close_to_max_min("gfc-1", &[], 1.0, "3 s");
    comes_close_to_max_min("gfc-1", ERICA, 0.95, "2 s");
    comes_close_to_max_min("gfc-1", CAPC, 0.95, "4 s");
    comes_close_to_max_min("gfc-1", MAX_MIN, 0.95, "2 s");
}

#[test]
fn rates_on_gfc_2_are_within_5_percent_of_max_min() {
    comes_close_to_max_min("gfc-2", &[], 0.95, "3 s");
    comes_close_to_max_min("gfc-2", CAPC, 0.95, "4 s");
    comes_close_to_max_min("gfc-2", MAX_MIN, 0.95, "2 s");
}

/// Rates in forward RM cells come later, by the way to the destination and back.
#[test]
fn rates_in_forward_rm_cells_lead_to_the_same_shares() {
    comes_close_to_max_min("gfc-1", &[MAX_MIN, &["queue.max-min.mark=forward"]].concat(), 0.95, "2 s");
    comes_close_to_max_min("erica-plus", &["queue.erica-plus.mark=forward"], 1.0, "2 s");
    comes_close_to_max_min("erica-plus", &[ERICA, &["queue.erica.mark=forward"]].concat(), 0.95, "2 s");
}

/// What a port counted from one instant to another: the part of its link that was used, and the mean time for which cells waited.
fn between(before: &PortRecord, after: &PortRecord, [begin, end]: [f64; 2], link: f64) -> (f64, f64) {
    let used = (after.departures - before.departures) as f64 / (link * (end - begin));
    let queue = (after.mean_queue * end - before.mean_queue * begin) / (end - begin);
    (used, queue / link)
}

/// Over 10 ms there and back it settles within 20 round trips, 30 with many sources. From there on the link is used, rates are
/// equal, and the queue is near to the delay that is aimed at: longer than that, because a load of up to 1 + δ is not corrected.
#[test]
fn erica_plus_settles_at_its_target_delay() {
    let link = 150e6 / 424.0;
    for (sources, round_trips) in [(2, 20), (5, 20), (15, 30)] {
        let settled = 10 * round_trips;
        let sets = [format!("network.sources={sources}"), format!("warmup={settled} ms")];
        let mut simulation = sim::build(&of_file("erica-plus", &sets.each_ref().map(|set| &set[..])), 1);
        let mut records_at = |ms| {
            simulation.step(Time::ZERO + Span::from_ms(ms));
            simulation.records()
        };
        let all: Vec<Records> = (settled..=2000).step_by(10).map(&mut records_at).collect();
        for acr in all.iter().flat_map(|records| &records.flows).map(|flow| flow.abr.unwrap().acr) {
            let off = acr * f64::from(sources) / link - 1.0;
            assert!(off.abs() < 0.12, "{sources}: ACR is off by {off}");
        }
        let rates = rates(&all[all.len() - 1]);
        let share = 150.0 / f64::from(sources);
        assert!(rates.iter().all(|rate| (rate / share - 1.0).abs() < 0.01), "{sources}: {rates:?}");
        let [before, after] = [&all[0], &all[all.len() - 1]].map(|records| port(records, "sw1->sw2"));
        let (used, waits) = between(before, after, [settled as f64 / 1e3, 2.0], link);
        assert!(used >= 0.95, "{sources}: {used}");
        let ratio = waits / 500e-6;
        assert!((1.0..1.4).contains(&ratio), "{sources}: {ratio} of the target delay");
    }
}

/// The payload of 0.95 of the link: of 32 cells 31 carry data, and 192 of them 9140 bytes.
#[test]
fn capc_loses_nothing_once_rates_have_come_back_and_carries_its_target() {
    let records = run(&of_file("capc", &[]), 1);
    let goodput: f64 = records.flows.iter().map(|flow| flow.goodput_after_warmup_bps.unwrap()).sum();
    let target = 0.95 * 150e6 * 31.0 / 32.0 * (9140.0 * 8.0) / (192.0 * 424.0);
    assert!((goodput / target - 1.0).abs() < 0.01, "{goodput} of {target}");
    let after = records.after_warmup.as_ref().unwrap();
    assert!(after.ports.iter().all(|port| port.drops.total() == 0), "{after:?}");
    assert!(port(&records, "sw1->sw2").drops.total() < 1000);
}

/// One has its peak rate, the other two share the rest of 0.95 of the link; only cells of one slot wait for each other.
#[test]
fn fixed_max_min_shares_leave_no_queue() {
    let records = run(&of_file("max-min", &[]), 1);
    let rest = (0.95 * 155.52 - 10.0) / 2.0;
    for (rate, share) in rates(&records).into_iter().zip([10.0, rest, rest]) {
        assert!((rate / share - 1.0).abs() < 1e-9, "{rate} of {share}");
    }
    assert!(port(&records, "sw1->sw2").max_queue <= 2);
}

/// Five share what UDP at 45 Mb/s leaves of 0.95 of 150 Mb/s; without UDP, which starts after the end, they share all of that. The share
/// with which rates are compared is that of the whole link.
#[test]
fn what_udp_takes_of_a_link_is_no_part_of_max_min_shares() {
    for (start, taken) in [("0 s", 45.0), ("4 s", 0.0)] {
        let start = format!("udp.u.start={start}");
        let records = run(&of_file("background", &[MAX_MIN, &[&start]].concat()), 1);
        for (rate, flow) in rates(&records).into_iter().zip(&records.flows) {
            let share = flow.abr.unwrap().max_min_share * 424.0 / 1e6;
            assert!((share / ((150.0 - taken) / 5.0) - 1.0).abs() < 1e-3, "{share}");
            assert!((rate / ((0.95 * 150.0 - taken) / 5.0) - 1.0).abs() < 1e-3, "{rate}");
        }
        // Only cells of one slot wait for each other: a frame of UDP comes at 50 Mb/s.
        let longest = port(&records, "sw1->sw2").max_queue;
        assert!(longest <= 6, "{longest}");
        conserves(&records);
    }
}
