//! Kernels at both ends, and between them the network of a scenario.

use std::hint;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use ackclock::packet::{SegmentKind, aal5};
use ackclock::record::{Columns, Metric, Records, Series};
use ackclock::scenario::{EventKind, Scenario};
use ackclock::sim;
use ackclock::units::{Span, Time};
use ackclock_live::emulator::self_test::{SelfTest, measure, self_test};
use ackclock_live::emulator::{self, Emulated, Scheduling, Verdict};
use ackclock_live::settings::Settings;
use ackclock_live::{Addresses, Clock, Ends, EndsRecord, set_up};
use ackclock_scenario::{LoadError, Memory};

use crate::{allowed, alone};

fn scenario(text: &str) -> Scenario {
    match ackclock_scenario::load(&Memory::new().with("live.toml", text), "live.toml", &[]) {
        Ok(loaded) => loaded.scenario,
        Err(LoadError::Invalid(errors)) => panic!("{:#?}", errors.iter().map(|e| &e.message).collect::<Vec<_>>()),
        Err(error) => panic!("{error:?}"),
    }
}

/// Hosts `a`, `b` and `c` at one router, links as given.
fn star(head: &str, links: [&str; 3]) -> Scenario {
    let link = |(name, link): (&str, &str)| format!("[link.{name}]\nends = [\"{name}\", \"r\"]\n{link}\n");
    let links: String = ["a", "b", "c"].into_iter().zip(links).map(link).collect();
    scenario(&format!(
        "{head}\n[node]\na.kind = \"host\"\nb.kind = \"host\"\nc.kind = \"host\"\nr.kind = \"switch\"\n{links}"
    ))
}

const PACKETS: &str = "[network]\ntechnology = \"packet\"\ntopology = \"graph\"\n";

fn live(scenario: &Scenario) -> (Emulated, EndsRecord) {
    let addresses = Addresses::of(scenario).unwrap();
    let settings = Settings::of(scenario, &addresses).unwrap();
    let hosts = set_up(scenario, &addresses, &settings).unwrap();
    let ends = Ends::open(scenario, 1, &addresses, &settings, &hosts).unwrap();
    let (clock, stop) = (Clock::beginning(Instant::now() + Duration::from_millis(50)), AtomicBool::new(false));
    thread::scope(|scope| {
        let emulator = scope.spawn(|| emulator::run(scenario, 1, &addresses, &hosts, clock, &stop));
        let record = ends.run(clock, &stop).unwrap();
        (emulator.join().unwrap().unwrap(), record)
    })
}

fn simulated(scenario: &Scenario) -> Records {
    let mut simulation = sim::build(scenario, 1);
    simulation.step(Time::NEVER);
    simulation.finish()
}

/// The values of a series from one instant to another, in seconds.
fn between(series: &[Series], metric: Metric, times: [f64; 2]) -> Vec<f64> {
    let series = series.iter().find(|series| series.metric == metric).unwrap();
    let Columns::Points { time, value } = &series.columns else { panic!() };
    let within = |time: &Time| (times[0]..times[1]).contains(&time.as_secs_f64());
    time.iter().zip(value).filter(|(time, _)| within(time)).map(|(_, value)| *value).collect()
}

/// 100 kB over 100 ms are 8 Mb/s, of 50. A kernel that puts what its buffer has room for in the place of the window has twice as much.
#[test]
fn a_receive_window_is_held() {
    if !allowed("a_receive_window_is_held") {
        return;
    }
    let _alone = alone();
    let link = "rate = \"50 Mbps\"\ndelay = \"25 ms\"";
    let tcp = "[tcp]\nreceive_window = \"100000 B\"\n[flow.f]\nfrom = \"a\"\nto = \"b\"\n";
    let scenario = star(&format!("duration = \"4 s\"\n{PACKETS}{tcp}"), [link; 3]);
    let (_, ends) = live(&scenario);
    let mbps = ends.flows[0].received as f64 * 8.0 / 4e6;
    // The slower, the longer packets are under way beside the links: what a busy machine changes.
    assert!((2.0..8.1).contains(&mbps), "{mbps} Mb/s");
}

/// Limits that hold on a machine that has other work to do.
#[test]
fn rates_and_delays_of_links_are_about_those_of_the_scenario() {
    if !allowed("rates_and_delays_of_links_are_about_those_of_the_scenario") {
        return;
    }
    let _alone = alone();
    let SelfTest { rates, delays, .. } = measure(&[10_000_000], Span::from_secs(1), &[5], Span::from_secs(1)).unwrap();
    assert!(rates[0].error().abs() < 0.02, "{rates:?}");
    assert!(delays[0].lost == 0 && delays[0].added.count() == 1000, "{delays:?}");
    let median = delays[0].added.quantile(500).unwrap();
    assert!(median > Span::ZERO && median < Span::from_ms(3), "{median}");
}

/// `cargo test -p ackclock-live --test live self_test -- --ignored --nocapture` shows how exact this machine is.
#[test]
#[ignore = "takes a minute, and its limits are those of a machine without other work"]
fn self_test_of_this_machine() {
    if !allowed("self_test_of_this_machine") {
        return;
    }
    let _alone = alone();
    let test = self_test().unwrap();
    eprint!("{test}");
    assert!(test.passes());
}

#[test]
fn flows_of_several_hosts_and_datagrams_share_a_port_and_lose_what_the_scenario_says() {
    if !allowed("flows_of_several_hosts_and_datagrams_share_a_port_and_lose_what_the_scenario_says") {
        return;
    }
    let _alone = alone();
    let head = format!(
        "duration = \"3 s\"\nrecord = [\"queue\", \"throughput\", \"acknowledged\"]\ncapture = [\"a\"]\n{PACKETS}[queue]\nbuffer = \"60 packets\"\n\
         [flow.first]\nfrom = \"a\"\nto = \"c\"\nsize = \"600 kB\"\ndrops = [30, 31]\n[flow.second]\nfrom = \"b\"\nto = \"c\"\nsize = \"300 kB\"\n\
         [flow.back]\nfrom = \"c\"\nto = \"a\"\nsize = \"200 kB\"\n\
         [udp.beside]\nfrom = \"b\"\nto = \"c\"\npayload = \"500 B\"\nrate = \"400 kbps\"\nstop = \"2 s\"\n"
    );
    let fast = "rate = \"100 Mbps\"\ndelay = \"2 ms\"";
    let scenario = star(&head, [fast, fast, "rate = \"10 Mbps\"\ndelay = \"5 ms\""]);
    let (emulated, ends) = live(&scenario);
    let records = &emulated.records;
    assert_eq!(ends.problems, [""; 0]);
    assert_eq!(emulated.outside.unknown + emulated.outside.write_errors, 0);
    // By name: back, first, second.
    let received = [200_000, 600_000, 300_000];
    assert_eq!(ends.flows.iter().map(|flow| flow.received).collect::<Vec<_>>(), received);
    assert_eq!(records.flows.iter().map(|flow| flow.counts.bytes_delivered).collect::<Vec<_>>(), received);
    assert!(records.flows.iter().all(|flow| flow.completed.is_some()), "{:?}", records.flows);
    let first = &records.flows[1].counts;
    assert_eq!(first.forced_drops, 2);
    assert!(first.retransmissions >= 2, "the kernel sends again what the scenario loses: {first:?}");
    let udp = &records.udp[0].counts;
    assert_eq!((udp.sent, udp.delivered + udp.lost), (200, 200), "100 datagrams in a second");
    let shared = records.ports.iter().find(|port| port.name == "r->c").unwrap();
    assert!(shared.max_queue > 5 && shared.departures > 900, "{shared:?}");
    // The capture: what the kernel opened, sent and closed.
    let capture = &records.captures[0];
    let of_first = || capture.packets.iter().filter(|packet| packet.flow == 1);
    let kinds: Vec<_> = of_first().map(|packet| (packet.segment.kind, packet.sent)).collect();
    assert_eq!(kinds[..2], [(SegmentKind::Syn, true), (SegmentKind::SynAck, false)]);
    let windows = of_first().filter(|packet| !packet.sent).map(|packet| packet.segment.window).skip(1);
    assert!(windows.clone().count() > 20 && windows.flatten().all(|bytes| bytes > 20_000), "as the kernel says");
    let sent: u64 = of_first().filter(|packet| packet.sent).map(|packet| u64::from(packet.segment.payload())).sum();
    assert_eq!(sent, first.bytes_sent);
    assert_eq!(
        of_first().filter(|packet| packet.lost.is_some() && packet.segment.payload() > 0).count(),
        2 + shared_losses(records)
    );
    let of_first: Vec<Series> = records.series.iter().filter(|series| series.of == "first").cloned().collect();
    let acknowledged = between(&of_first, Metric::Acknowledged, [0.0, 3.0]);
    assert!(acknowledged.is_sorted() && *acknowledged.last().unwrap() >= 600_000.0);
}

/// Data of the first flow that the port refused.
fn shared_losses(records: &Records) -> usize {
    let vcs = records.ports.iter().flat_map(|port| &port.vcs);
    vcs.filter(|vc| &*vc.name == "first").map(|vc| vc.drops as usize).sum()
}

#[test]
fn packets_of_the_kernel_cross_atm_links_in_cells() {
    if !allowed("packets_of_the_kernel_cross_atm_links_in_cells") {
        return;
    }
    let _alone = alone();
    let head = "duration = \"2 s\"\n[network]\ntechnology = \"atm\"\ntopology = \"graph\"\n[queue]\nbuffer = \"2000 cells\"\n\
         [flow.f]\nfrom = \"a\"\nto = \"c\"\nsize = \"400 kB\"\n\
         [udp.u]\nfrom = \"b\"\nto = \"c\"\npayload = \"1000 B\"\nrate = \"800 kbps\"\nstop = \"1 s\"\n";
    let link = "rate = \"25.6 Mbps\"\ndelay = \"5 ms\"";
    let scenario = star(head, [link, link, link]);
    let (emulated, ends) = live(&scenario);
    let records = &emulated.records;
    assert_eq!(
        (ends.flows[0].received, records.flows[0].counts.bytes_delivered),
        (400_000, 400_000),
        "{:?}",
        ends.problems
    );
    let udp = &records.udp[0].counts;
    assert_eq!((udp.sent, udp.delivered, udp.lost), (100, 100, 0));
    let port = records.ports.iter().find(|port| port.name == "r->c").unwrap();
    let datagrams = port.vcs.iter().find(|vc| &*vc.name == "u").unwrap();
    // 1028 octets, with LLC/SNAP and trailer 1044: 22 cells.
    assert_eq!(datagrams.departures, 100 * u64::from(aal5::cells(1028, true)));
    assert_eq!(datagrams.departures, 2200);
}

#[test]
fn a_delay_that_steps_is_seen_by_the_tcp_of_the_kernel() {
    if !allowed("a_delay_that_steps_is_seen_by_the_tcp_of_the_kernel") {
        return;
    }
    let _alone = alone();
    let head = format!(
        "duration = \"3 s\"\nrecord = [\"srtt\", \"rtt\"]\n{PACKETS}\
         [flow.f]\nfrom = \"a\"\nto = \"c\"\nwrite = \"1 segment\"\nwrite_interval = \"20 ms\"\n"
    );
    let step = "rate = \"100 Mbps\"\ndelay = [\"10 ms\", { at = \"1500 ms\", delay = \"60 ms\" }]";
    let fast = "rate = \"100 Mbps\"\ndelay = \"5 ms\"";
    let scenario = star(&head, [step, fast, fast]);
    let (emulated, ends) = live(&scenario);
    let srtt = |times| between(&ends.flows[0].series, Metric::Srtt, times);
    let (before, after) = (srtt([0.5, 1.5]), srtt([2.5, 3.0]));
    // 30 ms, and then 130 ms, of which a smoothed round trip has come close after a second.
    let near = |values: &[f64], low: f64, high: f64| {
        !values.is_empty() && values.iter().all(|value| (low..high).contains(value))
    };
    assert!(emulated.records.flows[0].counts.bytes_delivered > 1000, "{:?}", ends.problems);
    // Single round trips are never shorter than the path is, whatever the machine does.
    let rtt = |times| between(&emulated.records.series, Metric::Rtt, times);
    let (first, last) = (rtt([0.2, 1.5]), rtt([1.8, 3.0]));
    assert!(near(&first, 0.03, 3.0) && near(&last, 0.13, 3.0), "{first:?} {last:?}");
    if emulated.verdict != Verdict::Invalid {
        assert!(near(&before, 0.0299, 0.060) && near(&after, 0.090, 0.170), "{before:?} {after:?}");
        assert!(near(&first, 0.03, 0.08) && near(&last, 0.13, 0.18), "{first:?} {last:?}");
    }
}

#[test]
fn a_path_over_satellites_has_the_delays_of_the_contact_plan_and_its_handover() {
    if !allowed("a_path_over_satellites_has_the_delays_of_the_contact_plan_and_its_handover") {
        return;
    }
    let _alone = alone();
    let from = |duration: &str, advance_ms: u64| {
        scenario(&format!(
            "duration = \"{duration}\"\nrecord = [\"one-way-delay\"]\n\
             [satellites]\nconstellation = \"iridium\"\ntime_advance = \"{advance_ms} ms\"\ncheck_interval = \"1 s\"\nhandover = \"least-delay\"\n\
             [place]\nberkeley = \"37.9 N 122.3 W\"\nboston = \"42.3 N 71.1 W\"\n\
             [flow.f]\nfrom = \"berkeley\"\nto = \"boston\"\nsize = \"20 kB\"\n\
             [udp.u]\nfrom = \"berkeley\"\nto = \"boston\"\npayload = \"100 B\"\nrate = \"80 kbps\"\nstart = \"500 ms\"\n"
        ))
    };
    let of_udp = |records: &Records| {
        let series: Vec<Series> = records.series.iter().filter(|series| series.of == "u").cloned().collect();
        [[0.6, 1.0], [1.2, 1.9]].map(|times| {
            let mut delays = between(&series, Metric::OneWayDelay, times);
            delays.sort_by(f64::total_cmp);
            delays[delays.len() / 2]
        })
    };
    // A handover that changes the delay comes one second after the beginning.
    let events = from("600 s", 0).events.into_iter().filter(|event| event.kind == EventKind::Handover);
    let scenarios = events.map(|event| from("2 s", event.time.as_ps() / 1_000_000_000 - 1000));
    let mut with_delays = scenarios.map(|scenario| (of_udp(&simulated(&scenario)), scenario));
    let steps = |delays: [f64; 2]| (delays[1] - delays[0]).abs() > 0.001;
    let (simulated, scenario) = with_delays.find(|(delays, _)| steps(*delays)).unwrap();
    let (emulated, ends) = live(&scenario);
    let records = &emulated.records;
    assert_eq!(ends.flows[0].received, 20_000, "{:?}", ends.problems);
    let live = of_udp(records);
    // The satellites move by a few metres between two datagrams.
    assert!(
        live.iter().zip(simulated).all(|(live, simulated)| (live - simulated).abs() < 1e-4),
        "{live:?} {simulated:?}"
    );
}

/// Threads with a higher priority than the emulator are busy on every processor, two of three milliseconds at a time.
#[test]
fn a_run_beside_heavy_work_is_declared_invalid() {
    const NAME: &str = "a_run_beside_heavy_work_is_declared_invalid";
    if !allowed(NAME) {
        return;
    }
    if thread::spawn(|| ackclock_live::sys::set_real_time(50)).join().unwrap().is_err() {
        let _ = std::fs::write("/dev/stderr", format!("SKIPPED: {NAME}: no real-time priority for the work\n"));
        return;
    }
    let _alone = alone();
    let head = format!("duration = \"2 s\"\n{PACKETS}[flow.f]\nfrom = \"a\"\nto = \"c\"\n");
    let link = "rate = \"20 Mbps\"\ndelay = \"5 ms\"";
    let scenario = star(&head, [link, link, link]);
    let begin = Instant::now();
    let emulated = thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(move || {
                ackclock_live::sys::set_real_time(50).unwrap();
                while begin.elapsed() < Duration::from_millis(2500) {
                    // All at the same time: there is no processor left.
                    let phase = begin.elapsed().as_millis() % 60;
                    if phase < 40 {
                        (0..1000).for_each(|_| hint::spin_loop());
                    } else {
                        thread::sleep(Duration::from_millis(60 - phase as u64));
                    }
                }
            });
        }
        live(&scenario).0
    });
    assert_eq!(emulated.scheduling, Scheduling::RealTime);
    assert_eq!(emulated.verdict, Verdict::Invalid, "{emulated:?}");
    assert!(emulated.reasons[0].contains("the one-way delay of f (10.000 ms)"), "{:?}", emulated.reasons);
}
