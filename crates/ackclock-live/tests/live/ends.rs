//! Hosts and sockets of a scenario over a wire without rate and delay: what each is set to, and that bytes are exact.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ackclock::ids::{Id, NodeId};
use ackclock::record::{Columns, Metric};
use ackclock::scenario::Scenario;
use ackclock_live::settings::Settings;
use ackclock_live::{Addresses, Clock, Ends, EndsRecord, Host, Passage, set_up};
use ackclock_scenario::Memory;

use crate::allowed;

/// A scenario of one router between hosts `a` and `b`, with more lines of its own.
pub fn scenario(more: &str) -> Scenario {
    let text = format!(
        "duration = \"2 s\"\nrecord = [\"cwnd\", \"ssthresh\", \"srtt\"]\n{more}\n\
         [network]\ntechnology = \"packet\"\ntopology = \"graph\"\n\
         [node]\na.kind = \"host\"\nr.kind = \"switch\"\nb.kind = \"host\"\n\
         [link.in]\nends = [\"a\", \"r\"]\nrate = \"100 Mbps\"\ndelay = \"1 ms\"\n\
         [link.out]\nends = [\"r\", \"b\"]\nrate = \"10 Mbps\"\ndelay = \"5 ms\"\n"
    );
    ackclock_scenario::load(&Memory::new().with("live.toml", text), "live.toml", &[]).expect("it is valid").scenario
}

#[test]
fn links_that_share_a_medium_are_for_simulations() {
    let text = "duration = \"2 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"graph\"\n\
                [node]\na.kind = \"host\"\nr.kind = \"switch\"\nq.kind = \"switch\"\nb.kind = \"host\"\n\
                [medium.air]\nrate = \"5 Mbps\"\n\
                [link]\nin = { ends = [\"a\", \"r\"], rate = \"100 Mbps\", delay = \"1 ms\" }\n\
                half = { ends = [\"r\", \"q\"], medium = \"air\", delay = \"5 ms\" }\n\
                out = { ends = [\"q\", \"b\"], rate = \"100 Mbps\", delay = \"1 ms\" }\n\
                [tcp]\ndialect = \"standard\"\n[flow.f]\nfrom = \"a\"\nto = \"b\"\n";
    let files = Memory::new().with("live.toml", text);
    let scenario = ackclock_scenario::load(&files, "live.toml", &[]).expect("it is valid").scenario;
    let wrong = Settings::of(&scenario, &Addresses::of(&scenario).unwrap()).expect_err("no kernel is asked to");
    assert!(wrong.to_string().contains("a medium (of air) are for simulations"), "{wrong}");
}

/// Runs the ends of a scenario, whose packets go from device to device as they come.
fn over_a_wire(scenario: &Scenario) -> EndsRecord {
    let addresses = Addresses::of(scenario).unwrap();
    let settings = Settings::of(scenario, &addresses).unwrap();
    let hosts = set_up(scenario, &addresses, &settings).unwrap();
    let ends = Ends::open(scenario, 1, &addresses, &settings, &hosts).unwrap();
    let (is_over, stop) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| wire(&hosts, &addresses, &is_over));
        let record = ends.run(Clock::beginning(Instant::now()), &stop).unwrap();
        is_over.store(true, Ordering::Relaxed);
        record
    })
}

fn wire(hosts: &BTreeMap<NodeId, Host>, addresses: &Addresses, is_over: &AtomicBool) {
    let mut packet = [0; 70_000];
    while !is_over.load(Ordering::Relaxed) {
        for host in hosts.values() {
            while let Ok(length) = host.tun.file().read(&mut packet) {
                let Some(passage) = addresses.classify(&packet[..length]) else {
                    panic!("{:02x?}", &packet[..length.min(40)])
                };
                // What captures say of the ends of a flow.
                if let Passage::Data(flow) = passage {
                    assert_eq!(u16::from_be_bytes([packet[20], packet[21]]), addresses.sender_port(flow));
                }
                let to = hosts.iter().find(|(node, _)| addresses.host(**node).octets() == packet[16..20]).unwrap().1;
                to.tun.file().write_all(&packet[..length]).unwrap();
            }
        }
        thread::sleep(Duration::from_micros(200));
    }
}

fn first_value(record: &EndsRecord, flow: usize, metric: Metric) -> f64 {
    let series = record.flows[flow].series.iter().find(|series| series.metric == metric).unwrap();
    let Columns::Points { value, .. } = &series.columns else { panic!() };
    value[0]
}

#[test]
fn files_arrive_to_the_byte_and_begin_when_they_should() {
    if !allowed("files_arrive_to_the_byte_and_begin_when_they_should") {
        return;
    }
    let flows = "[flow.first]\nfrom = \"a\"\nto = \"b\"\nsize = \"1234567 B\"\n\
                 [flow.later]\nfrom = \"b\"\nto = \"a\"\nsize = \"1 B\"\nstart = \"1 s\"\n\
                 [flow.never]\nfrom = \"a\"\nto = \"b\"\nstart = \"3 s\"\n";
    let record = over_a_wire(&scenario(&format!("warmup = \"500 ms\"\n{flows}")));
    assert_eq!(record.problems, [""; 0]);
    assert_eq!(record.flows.iter().map(|flow| flow.received).collect::<Vec<_>>(), [1_234_567, 1, 0]);
    // Ten segments at the start (RFC 6928), of 1448 B: with timestamps a packet has 1500 octets.
    assert_eq!(first_value(&record, 0, Metric::Cwnd), 14_480.0);
    assert_eq!(first_value(&record, 0, Metric::Ssthresh), f64::INFINITY);
    let later = record.flows[1].series.iter().find(|series| series.metric == Metric::Cwnd).unwrap();
    let Columns::Points { time, .. } = &later.columns else { panic!() };
    assert!((1.0..1.2).contains(&time[0].as_secs_f64()), "{:?}", time[0]);
    assert!(record.flows[0].at_warmup.is_some());
    assert!(record.flows[2].series.iter().all(|series| series.columns.is_empty()), "it begins after the end");
}

/// What is closed has no events any more: the thread sleeps.
#[test]
fn connections_that_are_over_keep_no_processor_busy() {
    if !allowed("connections_that_are_over_keep_no_processor_busy") {
        return;
    }
    let scenario = scenario("[flow.f]\nfrom = \"a\"\nto = \"b\"\nsize = \"10 kB\"\n");
    let addresses = Addresses::of(&scenario).unwrap();
    let settings = Settings::of(&scenario, &addresses).unwrap();
    let hosts = set_up(&scenario, &addresses, &settings).unwrap();
    let ends = Ends::open(&scenario, 1, &addresses, &settings, &hosts).unwrap();
    let is_over = AtomicBool::new(false);
    let worked = thread::scope(|scope| {
        scope.spawn(|| wire(&hosts, &addresses, &is_over));
        let worked = || {
            let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
            Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
        };
        let before = worked();
        let record = ends.run(Clock::beginning(Instant::now()), &AtomicBool::new(false)).unwrap();
        is_over.store(true, Ordering::Relaxed);
        assert_eq!((record.flows[0].received, record.problems), (10_000, vec![]));
        worked() - before
    });
    // Of two seconds.
    assert!(worked < Duration::from_millis(500), "{worked:?}");
}

/// Each flow has its own: the kernel gets them for the run, and they go with it. Windows are noted at each acknowledgement.
#[cfg(feature = "bpf")]
#[test]
fn vegas_and_vegas_a_are_in_the_kernel_for_the_run() {
    if !allowed("vegas_and_vegas_a_are_in_the_kernel_for_the_run") || !ackclock_bpf::missing().is_empty() {
        return eprintln!("*** Vegas-A in live runs: NOT TESTED here: {:?}", ackclock_bpf::missing());
    }
    let of_the_run = || {
        let names = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap();
        names.split_whitespace().filter(|name| name.starts_with(&format!("ack{}.", std::process::id()))).count()
    };
    let flow = |name: &str, congestion_control: &str| {
        format!(
            "[flow.{name}]\nfrom = \"a\"\nto = \"b\"\n\
             [flow.{name}.tcp]\ncongestion_control = \"{congestion_control}\"\n"
        )
    };
    let text = [flow("f", "vegas-a"), flow("g", "vegas-a"), flow("h", "vegas"), flow("k", "reno")].concat();
    let scenario = scenario(&format!("{text}[flow.h.tcp.vegas]\nbeta = 5.0\n"));
    let addresses = Addresses::of(&scenario).unwrap();
    let settings = Settings::of(&scenario, &addresses).unwrap();
    assert!(settings.differences.iter().any(|difference| difference.contains("fine timeouts")), "{settings:#?}");
    let hosts = set_up(&scenario, &addresses, &settings).unwrap();
    let ends = Ends::open(&scenario, 1, &addresses, &settings, &hosts).unwrap();
    assert_eq!(of_the_run(), 2, "flows with the same parameters have the same");
    let (is_over, stop) = (AtomicBool::new(false), AtomicBool::new(false));
    let record = thread::scope(|scope| {
        scope.spawn(|| wire(&hosts, &addresses, &is_over));
        let record = ends.run(Clock::beginning(Instant::now()), &stop).unwrap();
        is_over.store(true, Ordering::Relaxed);
        record
    });
    assert_eq!(record.problems, [""; 0]);
    for (flow, name) in record.flows.iter().zip(["f", "g", "h", "k"]) {
        assert!(flow.received > 20_000, "{name}: {}", flow.received);
        let cwnd = flow.series.iter().find(|series| series.metric == Metric::Cwnd).unwrap();
        let Columns::Points { time, value } = &cwnd.columns else { panic!() };
        assert!(value[0] == 14_480.0 && time.is_sorted(), "{name}");
        // Readings are 10 ms apart; the slow start of Reno changes the window with each acknowledgement.
        let is_close = |pair: &&[ackclock::units::Time]| pair[1].since(pair[0]).as_secs_f64() < 0.005;
        assert!(name != "k" || time.windows(2).filter(is_close).count() > 5, "{time:?}");
    }
    let until = Instant::now() + Duration::from_secs(10);
    while of_the_run() > 0 {
        assert!(Instant::now() < until, "the congestion controls are still there");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Without the feature it is said what to do.
#[cfg(not(feature = "bpf"))]
#[test]
fn vegas_a_needs_a_program_that_can_load_it() {
    if !allowed("vegas_a_needs_a_program_that_can_load_it") {
        return;
    }
    let scenario = scenario("[flow.f]\nfrom = \"a\"\nto = \"b\"\n[flow.f.tcp]\ncongestion_control = \"vegas-a\"\n");
    let addresses = Addresses::of(&scenario).unwrap();
    let settings = Settings::of(&scenario, &addresses).unwrap();
    let hosts = set_up(&scenario, &addresses, &settings).unwrap();
    let error = Ends::open(&scenario, 1, &addresses, &settings, &hosts).err().unwrap();
    assert_eq!(error.to_string(), "this program cannot load `vegas-a` into the kernel");
    assert!(error.help().contains("feature `bpf`"));
}

#[test]
fn an_application_writes_when_it_should_and_no_more() {
    if !allowed("an_application_writes_when_it_should_and_no_more") {
        return;
    }
    // At 0, 300, ... 1800 ms: seven writes of two segments. The other stops after four.
    let flow = "from = \"a\"\nto = \"b\"\nwrite = \"2 segments\"\nwrite_interval = \"300 ms\"\n";
    let record = over_a_wire(&scenario(&format!("[flow.f]\n{flow}[flow.g]\n{flow}stop = \"1 s\"\n")));
    assert_eq!(record.problems, [""; 0]);
    assert_eq!(record.flows.iter().map(|flow| flow.received).collect::<Vec<_>>(), [7 * 2 * 1448, 4 * 2 * 1448]);
    let limited = record.flows[0].counts.limited;
    assert!(limited.application.as_secs_f64() > 1.0, "{limited:?}");
}

#[test]
fn datagrams_are_sent_at_their_rate() {
    if !allowed("datagrams_are_sent_at_their_rate") {
        return;
    }
    let scenario =
        scenario("[udp.u]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbps\"\npayload = \"1000 B\"\nstop = \"1 s\"\n");
    let addresses = Addresses::of(&scenario).unwrap();
    let settings = Settings::of(&scenario, &addresses).unwrap();
    let hosts = set_up(&scenario, &addresses, &settings).unwrap();
    let ends = Ends::open(&scenario, 1, &addresses, &settings, &hosts).unwrap();
    let record = ends.run(Clock::beginning(Instant::now()), &AtomicBool::new(false)).unwrap();
    assert_eq!(record.udp_refused, [0]);
    let (mut packet, mut count) = ([0; 2000], 0);
    while let Ok(length) = hosts[&NodeId::from_index(0)].tun.file().read(&mut packet) {
        let passage = addresses.classify(&packet[..length]);
        assert!(matches!(passage, Some(Passage::Udp(_))), "{passage:?}");
        assert_eq!(length, 1028);
        count += 1;
    }
    // 8 ms each, for 1 s.
    assert_eq!(count, 125);
}

#[test]
fn what_the_scenario_says_is_what_goes_over_the_wire() {
    if !allowed("what_the_scenario_says_is_what_goes_over_the_wire") {
        return;
    }
    // No SACK, no timestamps, segments of 512 B, a window of 20000 B in the plain header, an initial window of 2, every segment acknowledged.
    let tcp = "[tcp]\ndialect = \"osu\"\nmss = \"512 B\"\nreceive_window = \"20000 B\"\ninitial_window = \"2 segments\"\n\
               [flow.f]\nfrom = \"a\"\nto = \"b\"\nsize = \"100 kB\"\n";
    let scenario = scenario(tcp);
    let addresses = Addresses::of(&scenario).unwrap();
    let settings = Settings::of(&scenario, &addresses).unwrap();
    assert!(settings.differences.iter().any(|difference| difference.contains("not coarse")), "{settings:#?}");
    let hosts = set_up(&scenario, &addresses, &settings).unwrap();
    let ends = Ends::open(&scenario, 1, &addresses, &settings, &hosts).unwrap();
    let (is_over, stop) = (AtomicBool::new(false), AtomicBool::new(false));
    let [a, b] = [0, 1].map(|n| &hosts[&NodeId::from_index(n)]);
    let (record, packets) = thread::scope(|scope| {
        let wire = scope.spawn(|| {
            let (mut packets, mut packet) = (Vec::new(), [0; 2000]);
            while !is_over.load(Ordering::Relaxed) {
                for (from, to) in [(a, b), (b, a)] {
                    while let Ok(length) = from.tun.file().read(&mut packet) {
                        packets.push((std::ptr::eq(from, a), packet[..length].to_vec()));
                        to.tun.file().write_all(&packet[..length]).unwrap();
                    }
                }
                thread::sleep(Duration::from_micros(200));
            }
            packets
        });
        let record = ends.run(Clock::beginning(Instant::now()), &stop).unwrap();
        is_over.store(true, Ordering::Relaxed);
        (record, wire.join().unwrap())
    });
    assert_eq!((record.flows[0].received, first_value(&record, 0, Metric::Cwnd)), (100_000, 1024.0));
    let syn = &packets[0].1;
    // The options of a SYN without SACK, timestamps and scaling: MSS, kind 2.
    assert_eq!(&syn[40..], [2, 4, 2, 0], "{syn:02x?}");
    let data = packets.iter().filter(|(is_data, packet)| *is_data && packet.len() > 40).count() - 1;
    let acknowledgements = packets.iter().filter(|(is_data, packet)| !is_data && packet.len() == 40);
    assert_eq!(packets.iter().map(|(_, packet)| packet.len()).max(), Some(552));
    assert_eq!(data, 196, "100000 B in segments of 512 B");
    let window = |packet: &[u8]| u16::from_be_bytes([packet[34], packet[35]]);
    let windows: Vec<u16> = acknowledgements.clone().map(|(_, packet)| window(packet)).collect();
    // 39 whole segments. Bytes that the application has not read are not offered again.
    assert!(windows.iter().all(|window| *window <= 19_968) && windows.contains(&19_968), "{windows:?}");
    // One for each; but while the receiver reads, the kernel takes segments that follow each other together.
    let acknowledged = acknowledgements.count();
    assert!(acknowledged > data * 3 / 4, "{acknowledged} for {data}");
}
