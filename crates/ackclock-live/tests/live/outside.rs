//! Packets that are lost in the device of a host, and not by the scenario: the kernel counts them, and the run is invalid.

use std::net::{Ipv4Addr, UdpSocket};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use ackclock_live::emulator::{self, Emulated, Verdict};
use ackclock_live::settings::Settings;
use ackclock_live::{Addresses, Clock, DEVICE, Ends, Namespace, Tun, set_up};

use crate::allowed;
use crate::ends::scenario;

/// 125 datagrams in a second, from hosts whose devices have room for so many packets. The emulator reads none before `after`.
fn run(room: u32, after: Duration) -> Emulated {
    let scenario =
        scenario("[udp.u]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbps\"\npayload = \"1000 B\"\nstop = \"1 s\"\n");
    let addresses = Addresses::of(&scenario).unwrap();
    let settings = Settings::of(&scenario, &addresses).unwrap();
    let hosts = set_up(&scenario, &addresses, &settings).unwrap();
    for host in hosts.values() {
        let words = ["link", "set", DEVICE, "txqueuelen", &room.to_string()];
        let status = host.namespace.enter(|| Command::new("ip").args(words).status().unwrap());
        assert!(status.unwrap().success());
    }
    let ends = Ends::open(&scenario, 1, &addresses, &settings, &hosts).unwrap();
    let (clock, stop) = (Clock::beginning(Instant::now()), AtomicBool::new(false));
    thread::scope(|scope| {
        let emulator = scope.spawn(|| {
            thread::sleep(after);
            emulator::run(&scenario, 1, &addresses, &hosts, clock, &stop).unwrap()
        });
        let record = ends.run(clock, &stop).unwrap();
        assert_eq!(record.udp_refused, [0], "a device that has no room is not said to who sends");
        emulator.join().unwrap()
    })
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
