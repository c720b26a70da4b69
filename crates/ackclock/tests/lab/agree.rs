//! The two engines side by side: the same scenario and seed must give the same records, to the bit and at any time.

use std::any::Any;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ackclock::record::{Counters, Records};
use ackclock::scenario::Scenario;
use ackclock::sim::{Engine, Fusing, Simulation, build_with};
use ackclock::units::Time;

/// Runs both engines, in steps up to each instant of `stops`, then to the end, and the batched one in one piece too.
/// Returns the reference's records at the end, or what differs first.
pub fn engines_agree(scenario: &Scenario, seed: u64, stops: &[Time]) -> Result<Records, String> {
    let steps: Vec<Time> = stops.iter().copied().chain([Time::NEVER]).collect();
    let reference = step_by_step(scenario, seed, Engine::Reference, &steps)?;
    let batched = step_by_step(scenario, seed, Engine::Batched, &steps)?;
    let end = reference.last().expect("there is a last step");
    let in_one_piece = match stops {
        [] => difference(&batched[0], end),
        _ => difference(&in_one_piece(scenario, seed)?, end),
    };
    for (batched, reference) in batched.iter().zip(&reference) {
        if let Some(difference) = difference(batched, reference) {
            let begins = match &in_one_piece {
                Some(_) => first_difference(scenario, seed),
                None => "only if run in steps".to_owned(),
            };
            return Err(format!("after {}: {difference}\n{begins}", reference.simulated));
        }
    }
    match in_one_piece {
        Some(difference) => {
            Err(format!("only if run in one piece: {difference}\n{}", first_difference(scenario, seed)))
        }
        None => Ok(reference.into_iter().next_back().expect("there is a last step")),
    }
}

/// The same, as an assertion; and whatever came into a port went out, was refused or waits. Half of the stops lie on multiples of an odd span, where nothing else is.
#[track_caller]
pub fn assert_engines_agree(name: &str, scenario: &Scenario, seed: u64) -> Records {
    let ps = scenario.duration.as_ps();
    let stops = [ps / 7, ps / 7 + 1, ps / 2, ps / 10 * 9 - ps / 1000].map(Time::from_ps);
    let records = engines_agree(scenario, seed, &stops);
    let records = records.unwrap_or_else(|difference| panic!("{name}, seed {seed}: {difference}"));
    super::conserves(&records);
    records
}

/// The same on a parking lot of four switches, given as text, with each algorithm that gives rates to senders of TCP at all ports. `check`
/// gets the name of each algorithm and the records.
#[track_caller]
pub fn assert_engines_agree_on_chains_with_feedback(parking_lot: &str, check: impl Fn(&str, &Records)) {
    let algorithms = ["simplified-erica-plus", "erica", "erica-plus", "capc", "max-min"];
    for (algorithm, feedback) in algorithms.into_iter().zip(["window", "bucket", "both"].into_iter().cycle()) {
        let mut chosen = vec![format!("queue.rate_algorithm={algorithm}"), format!("queue.tcp_feedback={feedback}")];
        if algorithm != "max-min" {
            chosen.push(format!("queue.{algorithm}.averaging_interval=10 ms"));
        }
        let mut sets: Vec<&str> = chosen.iter().map(String::as_str).collect();
        sets.extend(["record=[\"tcp\", \"send-window\", \"allocation\", \"ports\"]", "traffic.size=300 kB"]);
        sets.extend(["tcp.handshake=true", "tcp.fin=true", "tcp.delayed_ack=true"]);
        let records = assert_engines_agree(algorithm, &super::scenario(parking_lot, &sets), 2);
        let with_acks = records.ports.iter().filter(|port| port.feedback.is_some_and(|edge| edge.acks > 0)).count();
        assert_eq!(with_acks, 7, "{algorithm}: three trunks, and four ports to receivers");
        check(algorithm, &records);
    }
}

/// The records after each step. A broken invariant of an engine is a difference too.
fn step_by_step(scenario: &Scenario, seed: u64, engine: Engine, steps: &[Time]) -> Result<Vec<Records>, String> {
    let mut last = Time::ZERO;
    let mut run = || {
        let mut simulation = fused(scenario, seed, engine);
        let mut records = |&until: &Time| {
            last = until;
            step(&mut simulation, until)
        };
        steps.iter().map(&mut records).collect()
    };
    let result = catch_unwind(AssertUnwindSafe(&mut run));
    result.map_err(|panic| format!("{engine:?} panicked on its way to {last:?}: {}", message(&*panic)))
}

/// The records of the batched engine at the end, which goes there in one step, and fuses ports if it pays.
fn in_one_piece(scenario: &Scenario, seed: u64) -> Result<Records, String> {
    let run = || step(&mut build_with(scenario, seed, Engine::Batched), Time::NEVER);
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| format!("in one piece it panicked: {}", message(&*panic)))
}

/// A simulation in which ports are fused whenever that is possible.
fn fused(scenario: &Scenario, seed: u64, engine: Engine) -> Simulation {
    let mut simulation = build_with(scenario, seed, engine);
    simulation.set_fusing(Fusing::Always);
    simulation
}

fn step(simulation: &mut Simulation, until: Time) -> Records {
    let before = simulation.progress();
    let progress = simulation.step(until);
    assert_eq!(progress.now, before.now.max(until.min(before.end)), "a step goes exactly as far as asked");
    simulation.records()
}

/// The earliest instant at which the records differ, if each engine goes there in one step, and what differs there.
/// Records remember what happened, so that a difference stays; what heals by itself is found somewhere.
fn first_difference(scenario: &Scenario, seed: u64) -> String {
    let at = |ps: u64| {
        let records = |engine| step(&mut fused(scenario, seed, engine), Time::from_ps(ps));
        difference(&records(Engine::Batched), &records(Engine::Reference))
    };
    let (mut same, mut differs) = (0, scenario.duration.as_ps());
    let search = catch_unwind(AssertUnwindSafe(|| {
        while differs - same > 1 {
            let middle = same + (differs - same) / 2;
            if at(middle).is_some() { differs = middle } else { same = middle }
        }
        let what = at(differs).unwrap_or_default();
        // The step to this instant excludes it.
        format!("begins at {:?}: {what}", Time::from_ps(differs - 1))
    }));
    search.unwrap_or_else(|panic| format!("a shorter run panics: {}", message(&*panic)))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

/// Whose and which number differs first, in the order of the records.
pub fn difference(batched: &Records, reference: &Records) -> Option<String> {
    if batched == reference {
        return None;
    }
    macro_rules! compare {
        ($what:expr, $batched:expr, $reference:expr, $($field:ident)*) => {
            $(if $batched.$field != $reference.$field {
                let [batched, reference] = [short(&$batched.$field), short(&$reference.$field)];
                return Some(format!("{}: {} is {batched}, not {reference}", $what, stringify!($field)));
            })*
        };
    }
    for (port, other) in batched.ports.iter().zip(&reference.ports) {
        if let Some(difference) = counted(&other.name, &port.tallies, &other.tallies) {
            return Some(difference);
        }
        compare!(other.name, port, other, name arrivals departures drops final_queue max_queue mean_queue mean_active
            congestion_episodes sojourn rates feedback);
        for (vc, of_other) in port.vcs.iter().zip(&other.vcs) {
            let name = format!("{} at {}", of_other.name, other.name);
            compare!(name, vc, of_other, name arrivals departures drops final_queue max_queue mean_queue);
        }
        compare!(other.name, port, other, vcs fingerprint);
    }
    for (source, other) in batched.udp.iter().zip(&reference.udp) {
        if let Some(difference) = counted(&other.name, &source.counts, &other.counts) {
            return Some(difference);
        }
        compare!(other.name, source, other, name counts goodput_bps fingerprint delays);
    }
    for (link, other) in batched.links.iter().zip(&reference.links) {
        compare!(other.name, link, other, name lost vcs fingerprint);
    }
    for (flow, other) in batched.flows.iter().zip(&reference.flows) {
        if let Some(difference) = counted(&other.name, &flow.counts, &other.counts) {
            return Some(difference);
        }
        compare!(other.name, flow, other, name counts timeout_times longest_backoff completed last_delivery
            sender_fingerprint receiver_fingerprint goodput_bps goodput_after_warmup_bps delays abr);
    }
    for (series, other) in batched.series.iter().zip(&reference.series) {
        let name = format!("{} of {} {}", other.metric.name(), other.of, other.vc.as_deref().unwrap_or_default());
        compare!(name, series, other, metric of vc columns);
    }
    for (capture, other) in batched.captures.iter().zip(&reference.captures) {
        for (packet, of_other) in capture.packets.iter().zip(&other.packets) {
            compare!(other.host, packet, of_other, time flow data sent frame segment cwnd lost);
        }
        compare!(other.host, capture, other, host packets);
    }
    compare!("run", batched, reference, seed simulated complete efficiency efficiency_after_warmup fairness after_warmup fingerprint
        flows udp ports links series captures);
    Some("something that is not compared by itself".to_owned())
}

/// Which counter differs first.
fn counted<C: Counters<Value = u64>>(of: &str, batched: &C, reference: &C) -> Option<String> {
    let mut all = C::ALL.iter().zip(batched.values().zip(reference.values()));
    let (counter, (batched, reference)) = all.find(|(_, (batched, reference))| batched != reference)?;
    Some(format!("{of}: {} is {batched}, not {reference}", counter.name))
}

/// A value in at most a hundred letters.
fn short(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    if text.chars().count() <= 100 { text } else { text.chars().take(97).chain("...".chars()).collect() }
}
