//! Packets that are lost in a host or its device, and not by the scenario, and hosts that are late: the run is invalid, and says where.

use std::net::{Ipv4Addr, UdpSocket};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use ackclock::scenario::Scenario;
use ackclock::units::Span;
use ackclock_live::emulator::{self, Emulated, Verdict};
use ackclock_live::settings::Settings;
use ackclock_live::{Addresses, Clock, DEVICE, Ends, Namespace, Tun, set_up};

use rustix::thread::{CpuSet, sched_setaffinity};

use crate::ends::scenario;
use crate::{allowed, alone};

/// 125 datagrams of 1000 B in a second.
const DATAGRAMS: &str = "[udp.u]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbps\"\npayload = \"1000 B\"\nstop = \"1 s\"\n";

/// Runs a scenario at hosts `a` and `b` after these commands, each with the number of its host. The emulator reads nothing before `after`.
fn run_after(commands: &[(usize, String)], after: Duration, text: &str) -> Emulated {
    run_of(&scenario(text), commands, after, |_| ())
}

/// The same; `begins` gets the instant at which the scenario begins, which has not come yet.
fn run_of(
    scenario: &Scenario,
    commands: &[(usize, String)],
    after: Duration,
    begins: impl FnOnce(Instant),
) -> Emulated {
    let _alone = alone();
    let addresses = Addresses::of(scenario).unwrap();
    let settings = Settings::of(scenario, &addresses).unwrap();
    let hosts = set_up(scenario, &addresses, &settings).unwrap();
    for (host, command) in commands {
        let host = hosts.values().nth(*host).unwrap();
        let status = host.namespace.enter(|| Command::new("sh").args(["-c", command]).status().unwrap());
        assert!(status.unwrap().success(), "{command}");
    }
    let ends = Ends::open(scenario, 1, &addresses, &settings, &hosts).unwrap();
    let (clock, stop) = (Clock::beginning(Instant::now() + Duration::from_millis(20)), AtomicBool::new(false));
    begins(clock.zero());
    thread::scope(|scope| {
        let emulator = scope.spawn(|| {
            thread::sleep(after);
            emulator::run(scenario, 1, &addresses, &hosts, clock, &stop).unwrap()
        });
        let record = ends.run(clock, &stop).unwrap();
        let refused: u64 = record.udp_refused.iter().sum();
        assert_eq!(refused, 0, "a device that has no room is not said to who sends");
        emulator.join().unwrap()
    })
}

/// The datagrams, from hosts whose devices have room for so many packets.
fn run(room: u32, after: Duration) -> Emulated {
    let command = format!("ip link set {DEVICE} txqueuelen {room}");
    run_after(&[(0, command.clone()), (1, command)], after, DATAGRAMS)
}

#[test]
fn a_device_that_overflows_while_nobody_reads_it_makes_a_run_invalid() {
    if !allowed("a_device_that_overflows_while_nobody_reads_it_makes_a_run_invalid") {
        return;
    }
    // All 125 are sent before the emulator reads: ten of them wait.
    let emulated = run(10, Duration::from_millis(1200));
    let arrived = emulated.records.udp[0].counts.sent;
    assert!((1..125).contains(&arrived), "{arrived} of 125 came to the emulator");
    assert_eq!(emulated.outside.device_drops, 125 - arrived, "{:?}", emulated.outside);
    assert_eq!(emulated.outside.drops(), emulated.outside.device_drops);
    let reason = format!("{} packets were lost in the devices of hosts, outside the scenario", 125 - arrived);
    assert_eq!((emulated.verdict, emulated.reasons.contains(&reason)), (Verdict::Invalid, true), "{emulated:?}");
    // The same delay and enough room: nothing is lost, and nothing says so.
    let emulated = run(1000, Duration::from_millis(1200));
    assert_eq!((emulated.records.udp[0].counts.sent, emulated.outside.drops()), (125, 0), "{:?}", emulated.outside);
    assert!(!emulated.reasons.iter().any(|reason| reason.contains("outside the scenario")), "{:?}", emulated.reasons);
}

/// The other end of a pair has a socket, whose memory ends.
#[test]
fn a_pair_that_overflows_counts_what_it_loses() {
    if !allowed("a_pair_that_overflows_counts_what_it_loses") {
        return;
    }
    let address = Ipv4Addr::new(198, 18, 0, 1);
    let namespace = Namespace::new().unwrap();
    let pair = Tun::of_pair(&namespace, address, 1500).unwrap();
    let socket = namespace.enter(|| UdpSocket::bind((address, 2000)).unwrap()).unwrap();
    // Of 64 MB at most each of them takes more than its own length.
    let sent: u64 = 80_000;
    for _ in 0..sent {
        socket.send_to(&[0; 1000], (Ipv4Addr::new(198, 18, 0, 2), 2000)).unwrap();
    }
    let mut octets = [0; 2000];
    let mut arrived = 0;
    while rustix::io::read(&pair, &mut octets).is_ok() {
        arrived += 1;
    }
    let lost = pair.lost();
    assert!(arrived > 0 && lost > 0, "{arrived} arrived, {lost} were lost");
    assert_eq!(arrived + lost, sent);
    assert_eq!(pair.lost(), 0, "since the last call");
}

/// What a host sends faster than its own queue lets it, and what its IP does not take for real, was never in the scenario.
#[test]
fn packets_that_are_lost_in_a_host_make_a_run_invalid_and_it_says_where() {
    if !allowed("packets_that_are_lost_in_a_host_make_a_run_invalid_and_it_says_where") {
        return;
    }
    let emulated = run_after(&[], Duration::ZERO, DATAGRAMS);
    assert_eq!((emulated.outside.in_hosts.as_slice(), emulated.outside.drops()), (&[][..], 0));
    // A tenth of the rate, and room for two packets.
    let slow = format!("tc qdisc replace dev {DEVICE} root tbf rate 100kbit burst 2kb limit 3kb");
    let emulated = run_after(&[(0, slow)], Duration::ZERO, DATAGRAMS);
    let arrived = emulated.records.udp[0].counts.sent;
    assert!((1..125).contains(&arrived), "{arrived} of 125 came to the emulator");
    let reason = "packets were lost in host a between its IP and its device, outside the scenario";
    assert_eq!(emulated.verdict, Verdict::Invalid);
    assert!(emulated.reasons.iter().any(|said| said.ends_with(reason)), "{:?}", emulated.reasons);
    // Where nothing leads to the sender its packets are not taken for its own.
    let strict = format!(
        "echo 1 > /proc/sys/net/ipv4/conf/{DEVICE}/rp_filter && ip route replace blackhole 198.18.0.1/32 && ip route flush cache"
    );
    let emulated = run_after(&[(1, strict)], Duration::ZERO, DATAGRAMS);
    assert_eq!(emulated.records.udp[0].counts.delivered, 125);
    let reason = "125 packets were lost in host b in IP, outside the scenario".to_owned();
    assert_eq!((emulated.verdict, emulated.reasons.contains(&reason)), (Verdict::Invalid, true), "{emulated:?}");
}

/// Acknowledgements of 10 Mb/s, of 52 octets for each second packet, need 180 kb/s: at a fifth of that they come later and later.
#[test]
fn a_host_that_acknowledges_late_makes_a_run_invalid() {
    if !allowed("a_host_that_acknowledges_late_makes_a_run_invalid") {
        return;
    }
    let slow = format!("tc qdisc replace dev {DEVICE} root tbf rate 36kbit burst 2kb limit 1mb");
    let flow = "[flow.f]\nfrom = \"a\"\nto = \"b\"\n";
    let emulated = run_after(&[(1, slow)], Duration::ZERO, flow);
    let late = emulated.host_lateness.max().unwrap();
    assert!(late > Span::from_ms(100), "{late}");
    assert_eq!(emulated.verdict, Verdict::Invalid);
    let says = |begin: &str| emulated.reasons.iter().any(|reason| reason.starts_with(begin));
    assert!(says("one of a thousand answers and writes of hosts was more than"), "{:?}", emulated.reasons);
    assert!(says("pauses of this machine of up to"), "{:?}", emulated.reasons);
}

/// A pause of which the quantile of packets does not see anything: some ten of thirty thousand are late.
#[test]
fn a_single_pause_that_delays_few_packets_makes_a_run_invalid() {
    const NAME: &str = "a_single_pause_that_delays_few_packets_makes_a_run_invalid";
    if !allowed(NAME) {
        return;
    }
    if thread::spawn(|| ackclock_live::sys::set_real_time(50)).join().unwrap().is_err() {
        let _ = std::fs::write("/dev/stderr", format!("SKIPPED: {NAME}: no real-time priority for the work\n"));
        return;
    }
    let text = "duration = \"3 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"graph\"\n\
                [node]\na.kind = \"host\"\nr.kind = \"switch\"\nb.kind = \"host\"\n\
                [link.in]\nends = [\"a\", \"r\"]\nrate = \"100 Mbps\"\ndelay = \"1 ms\"\n\
                [link.out]\nends = [\"r\", \"b\"]\nrate = \"10 Mbps\"\ndelay = \"149 ms\"\n\
                [tcp]\nreceive_window = \"1 MB\"\n\
                [flow.f]\nfrom = \"a\"\nto = \"b\"\nwrite = \"1 segment\"\nwrite_interval = \"100 ms\"\n\
                [udp.later]\nfrom = \"a\"\nto = \"b\"\nrate = \"4 Mbps\"\npayload = \"100 B\"\nstart = \"1 s\"\n";
    let files = ackclock_scenario::Memory::new().with("live.toml", text);
    let scenario = ackclock_scenario::load(&files, "live.toml", &[]).expect("it is valid").scenario;
    // From 0.5 to 0.8 s no processor has time for anybody else.
    let busy = |processor: usize, zero: Instant| {
        thread::spawn(move || {
            let mut only = CpuSet::new();
            only.set(processor);
            let _ = sched_setaffinity(None, &only);
            ackclock_live::sys::set_real_time(50).unwrap();
            let since = |instant: Instant| Instant::now().saturating_duration_since(instant);
            thread::sleep(Duration::from_millis(500).saturating_sub(since(zero)));
            while since(zero) < Duration::from_millis(800) {
                std::hint::spin_loop();
            }
        })
    };
    let mut threads = Vec::new();
    let emulated = run_of(&scenario, &[], Duration::ZERO, |zero| {
        threads.extend((0..thread::available_parallelism().map_or(1, usize::from)).map(|number| busy(number, zero)));
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(emulated.felt.most > Span::from_ms(75), "{:?}", emulated.felt);
    assert_eq!(emulated.verdict, Verdict::Invalid, "{:?}", emulated.lateness.quantile(999));
    let says = |reason: &String| reason.starts_with("pauses of this machine of up to");
    assert!(emulated.reasons.iter().any(says), "{:?}", emulated.reasons);
}
