//! Flows that have ended are freed, and nothing is different for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use ackclock::ids::{FlowId, Id};
use ackclock::link::{Medium, RoutingTable};
use ackclock::record::{Captured, Records, Stage};
use ackclock::rng::Stream;
use ackclock::scenario::{Route, Scenario};
use ackclock::sim::{Engine, build_with};
use ackclock::units::{Span, Time};

use crate::lab::agree::difference;
use crate::lab::random::{Example, example};

const ENGINES: [Engine; 2] = [Engine::Batched, Engine::Reference];

/// Runs it with so many pauses, at each of which is freed what has ended; how many flows were freed.
fn freed(scenario: &Scenario, seed: u64, engine: Engine, pauses: u64) -> (Records, usize) {
    let mut simulation = build_with(scenario, seed, engine);
    let mut freed = 0;
    for pause in 1..=pauses {
        simulation.step(Time::from_ps(
            (u128::from(scenario.duration.as_ps()) * u128::from(pause) / u128::from(pauses)) as u64,
        ));
        let before = simulation.open_flows();
        simulation.free_ended();
        freed += before - simulation.open_flows();
    }
    (simulation.finish(), freed)
}

fn plain(scenario: &Scenario, seed: u64, engine: Engine) -> Records {
    let mut simulation = build_with(scenario, seed, engine);
    simulation.step(Time::NEVER);
    simulation.finish()
}

/// Files of ten packets and of a part of one, fifty a second; `more` is a line of the link in the middle. What comes to `b` is captured.
fn files(more: &str, dialect: &str) -> Scenario {
    files_with(more, dialect, &[])
}

fn files_with(more: &str, dialect: &str, sets: &[&str]) -> Scenario {
    let text = format!(
        "duration = \"40 s\"\nwarmup = \"8 s\"\ncapture = [\"b\"]\n[network]\ntechnology = \"packet\"\ntopology = \"graph\"\n[node]\na.kind = \"host\"\n\
         b.kind = \"host\"\nr.kind = \"switch\"\ns.kind = \"switch\"\n[link.a]\nends = [\"a\", \"r\"]\nrate = \"50 Mbps\"\ndelay = \"1 ms\"\n\
         [link.b]\nends = [\"s\", \"b\"]\nrate = \"50 Mbps\"\ndelay = \"1 ms\"\n[link.m]\nends = [\"r\", \"s\"]\nrate = \"10 Mbps\"\n\
         delay = \"10 ms\"\n{more}\n[queue]\nbuffer = \"30 packets\"\n[tcp]\ndialect = \"{dialect}\"\n[arrivals.web]\nfrom = \"a\"\nto = \"b\"\n\
         interval = {{ law = \"exponential\", mean = \"20 ms\" }}\nsize = {{ law = \"listed\", values = [\"14600 B\", \"700 B\"] }}\nuntil = \"36 s\"\n"
    );
    crate::lab::scenario(&text, sets)
}

#[test]
fn files_that_have_ended_are_freed_and_none_is_lost() {
    for dialect in ["standard", "linux", "osu"] {
        let scenario = files("", dialect);
        let count = scenario.flows.len();
        let offered: u64 = scenario.flows.iter().filter_map(|flow| flow.size).sum();
        for engine in ENGINES {
            let mut simulation = build_with(&scenario, 1, engine);
            assert_eq!(simulation.open_flows(), 0, "none has begun");
            for second in 1..=36 {
                simulation.step(Time::ZERO + Span::from_secs(second));
                let begun = scenario.flows.iter().filter(|flow| flow.start < simulation.progress().now);
                let outstanding = begun.count() - ended(&simulation, count);
                let before = simulation.open_flows();
                simulation.free_ended();
                let open = simulation.open_flows();
                // A receiver waits for the answer to its FIN, or an acknowledgement is on its way.
                assert!(
                    (outstanding..outstanding + 10).contains(&open),
                    "{dialect}, {engine:?}: {open} of {outstanding}"
                );
                assert!(before - open > 25, "{dialect}, {engine:?}: {before} before, {open} now");
            }
            simulation.step(Time::NEVER);
            simulation.free_ended();
            assert_eq!(simulation.open_flows(), 0, "{dialect}, {engine:?}");
            let seen = simulation.observe(FlowId::from_index(0)).unwrap();
            assert_eq!((seen.stage, seen.now), (Stage::Ended, Time::ZERO + scenario.duration));
            let refused = simulation.hold_window(FlowId::from_index(0), None).unwrap_err();
            assert_eq!(refused.reason, "it has ended: all that its application offered is acknowledged");
            let records = simulation.finish();
            let delivered: u64 = records.flows.iter().map(|flow| flow.counts.bytes_delivered).sum();
            assert_eq!(delivered, offered, "{dialect}, {engine:?}");
            assert!(records.flows.iter().all(|flow| flow.completed.is_some()));
            crate::lab::conserves(&records);
            assert_eq!(difference(&records, &plain(&scenario, 1, engine)), None, "{dialect}, {engine:?}");
        }
    }
}

/// How many of the first flows have ended.
fn ended(simulation: &ackclock::sim::Simulation, flows: usize) -> usize {
    let stage = |flow| simulation.observe(FlowId::from_index(flow)).unwrap().stage;
    (0..flows).filter(|&flow| stage(flow) == Stage::Ended).count()
}

/// Of what comes twice the second may come when the file has ended, and is answered. Looked at every millisecond.
#[test]
fn what_is_late_finds_the_ends_of_its_file() {
    let lines = [
        ("duplicate = 0.2\nreorder = { probability = 0.1, delay = \"300 ms\" }", 20),
        ("errors = { model = \"uniform\", rate = 0.05 }", 0),
    ];
    for (more, least) in lines {
        let scenario = files(more, "standard");
        let all = ENGINES.map(|engine| {
            let (records, freed) = freed(&scenario, 3, engine, 40_000);
            assert!(freed > 1500, "{more}, {engine:?}: {freed}");
            assert_eq!(difference(&records, &plain(&scenario, 3, engine)), None, "{more}, {engine:?}");
            records
        });
        assert_eq!(difference(&all[0], &all[1]), None, "{more}");
        let is_late = |packet: &&Captured| {
            let completed = all[0].flows[packet.flow as usize].completed;
            !packet.sent && packet.segment.payload() > 0 && completed.is_some_and(|completed| packet.time > completed)
        };
        let late = all[0].captures[0].packets.iter().filter(is_late).count();
        assert!(late >= least, "{more}: {late}");
    }
}

/// A burst of files waits at a port that goes event by event, and is over; then few come. What waited there once keeps nobody.
#[test]
fn a_burst_at_a_port_is_freed() {
    let mut scenario = files("errors = { model = \"uniform\", rate = 0.001 }", "standard");
    let burst = Time::ZERO + Span::from_secs(20);
    for flow in scenario.flows.iter_mut().filter(|flow| flow.start < burst) {
        flow.start = Time::ZERO;
    }
    for engine in ENGINES {
        let mut simulation = build_with(&scenario, 1, engine);
        simulation.step(Time::ZERO + Span::from_secs(19));
        simulation.free_ended();
        let begun = scenario.flows.iter().filter(|flow| flow.start == Time::ZERO).count();
        let (over, open) = (ended(&simulation, begun), simulation.open_flows());
        assert!(over > 500 && open < begun - over + 20, "{engine:?}: {open} are there, {over} of {begun} are over");
    }
}

/// Data and acknowledgements wait at two ports of a medium, or are on their way to it.
#[test]
fn files_over_a_medium_are_freed_too() {
    let mut scenario = files("", "standard");
    let rate = scenario.links.iter().find(|link| link.name == "r->s").expect("it is in the middle").rate;
    let medium = Arc::new(Medium { name: "air".to_owned(), rate, overhead: Span::from_us(50) });
    for link in scenario.links.iter_mut().filter(|link| ["r->s", "s->r"].contains(&&*link.name)) {
        link.medium = Some(Arc::clone(&medium));
    }
    let all = ENGINES.map(|engine| {
        let (records, freed) = freed(&scenario, 3, engine, 10_000);
        assert!(freed > 1500, "{engine:?}: {freed}");
        assert_eq!(difference(&records, &plain(&scenario, 3, engine)), None, "{engine:?}");
        records
    });
    assert_eq!(difference(&all[0], &all[1]), None);
}

/// Data and acknowledgements of these files have routes that change: for half a second of three there is none at the first router.
fn with_changing_routes(mut scenario: Scenario) -> Scenario {
    let link = |name: &str| scenario.links.iter_ids().find(|(_, link)| link.name == name).expect("the link exists").0;
    let route = |hops: [&str; 3]| {
        let [first, middle, last] = hops.map(link);
        let [ref to_middle, ref to_last] = [middle, last].map(|link| scenario.links[link].clone());
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let some = (0..13).flat_map(|round| [(at(3000 * round), Some(middle)), (at(3000 * round + 2500), None)]);
        let nodes = vec![(to_middle.from, some.collect()), (to_last.from, vec![(at(0), Some(last))])];
        let nodes = nodes.into_iter().collect::<BTreeMap<_, _>>().into_iter().collect();
        Route::Dynamic { first, table: Arc::new(RoutingTable::new(to_last.to, 8, nodes)) }
    };
    let (forward, backward) = (route(["a->r", "r->s", "s->b"]), route(["b->s", "s->r", "r->a"]));
    for flow in scenario.flows.iter_mut() {
        (flow.forward, flow.backward) = (forward.clone(), backward.clone());
    }
    scenario
}

/// In networks whose routes change, or where acknowledgements wait in buckets at routers, or both.
#[test]
fn files_on_routes_that_change_and_behind_buckets_are_freed_too() {
    let bucket = &["queue.rate_algorithm=simplified-erica-plus", "queue.tcp_feedback=bucket"][..];
    for (what, changes, queue) in [("routes", true, &[][..]), ("buckets", false, bucket), ("both", true, bucket)] {
        let scenario = files_with("", "standard", queue);
        let scenario = if changes { with_changing_routes(scenario) } else { scenario };
        let all = ENGINES.map(|engine| {
            let (records, freed) = freed(&scenario, 3, engine, 10_000);
            assert!(freed > 1500, "{what}, {engine:?}: {freed}");
            assert_eq!(difference(&records, &plain(&scenario, 3, engine)), None, "{what}, {engine:?}");
            records
        });
        assert_eq!(difference(&all[0], &all[1]), None, "{what}");
        let waited = all[0].ports.iter().filter_map(|port| port.feedback).map(|edge| edge.most_acks_waiting).max();
        assert_eq!(waited.is_some_and(|most| most > 3), !queue.is_empty(), "{what}: {waited:?}");
        let lost: u64 = all[0].links.iter().map(|link| link.lost.no_route).sum();
        assert_eq!(lost > 0, changes, "{what}: {lost}");
    }
}

/// As many as are needed for it are there: nobody asks for it.
#[test]
fn it_is_done_when_many_have_come() {
    let mut scenario = files("", "standard");
    scenario.duration = Span::from_secs(36);
    for engine in ENGINES {
        let mut simulation = build_with(&scenario, 1, engine);
        let mut most = 0;
        for second in 1..=36 {
            simulation.step(Time::ZERO + Span::from_secs(second));
            most = most.max(simulation.open_flows());
        }
        assert!(
            (900..=1100).contains(&most) && simulation.open_flows() < 900,
            "{engine:?}: {most} of {}",
            scenario.flows.len()
        );
    }
}

#[test]
fn random_networks_do_the_same_when_what_has_ended_is_freed() {
    let mut all = [0; 2];
    for number in 0..400 {
        let stream = Stream::new(number, "networks with files", "test");
        let bytes: Vec<u8> = (0..800).map(|index| stream.at(index) as u8).collect();
        let Example { mut scenario, seed, .. } = example(&bytes);
        // Some are files already; more of them end.
        for (place, flow) in scenario.flows.iter_mut().enumerate() {
            let may =
                flow.back_of.is_none() && !matches!(*flow.application, ackclock::tcp::ApplicationParams::Exchanges(_));
            if may && place % 2 == 0 {
                flow.size = flow.size.or(Some(1 + stream.below(6 * u64::from(flow.tcp.mss), 900 + place as u64)));
            }
        }
        for (engine, all) in ENGINES.into_iter().zip(&mut all) {
            let (records, freed) = freed(&scenario, seed, engine, 97);
            assert_eq!(difference(&records, &plain(&scenario, seed, engine)), None, "network {number}, {engine:?}");
            *all += freed;
        }
    }
    assert!(all.iter().all(|&freed| freed > 50), "{all:?} were freed");
}
