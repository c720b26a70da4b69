//! Another program over the same network: iperf3 has the goodput of our own sender and receiver.

use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ackclock::ids::{FlowId, Id};
use ackclock_live::session::{Choices, Live};
use ackclock_live::settings::Settings;
use ackclock_live::{Addresses, Clock, emulator, set_up};

use crate::ends::scenario;
use crate::{allowed, alone};

/// The output of a program that ends in time; a client whose link has gone runs for ever.
fn in_time(mut child: Child, limit: Duration) -> Output {
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > limit {
            child.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

#[test]
fn iperf3_has_the_goodput_of_our_own_sender() {
    let test = "iperf3_has_the_goodput_of_our_own_sender";
    if !allowed(test) {
        return;
    }
    if Command::new("iperf3").arg("--version").output().is_err() {
        let _ = std::fs::write("/dev/stderr", format!("SKIPPED: {test}: there is no iperf3\n"));
        return;
    }
    let _alone = alone();
    // 9.5 Mb/s of payload fit on 10 Mb/s; iperf3 needs some time before and after its four seconds.
    let of = |duration: u64| {
        let flow = "[queue]\nbuffer = \"40 packets\"\n[flow.f]\nfrom = \"a\"\nto = \"b\"\n[flow.f.tcp]\ncongestion_control = \"cubic\"\n";
        let mut scenario = scenario(&format!("warmup = \"1 s\"\n{flow}"));
        scenario.duration = ackclock::units::Span::from_secs(duration);
        scenario
    };
    let own = of(5);
    let own = Live::new(&own).unwrap().run(1, Choices::default(), &AtomicBool::new(false), &mut |_| ()).unwrap();
    let own_bps = own.emulated.records.flows[0].goodput_after_warmup_bps.unwrap();

    let scenario = of(9);
    let addresses = Addresses::of(&scenario).unwrap();
    let settings = Settings::of(&scenario, &addresses).unwrap();
    let hosts = set_up(&scenario, &addresses, &settings).unwrap();
    let at = addresses.receiver(FlowId::from_index(0));
    let stop = AtomicBool::new(false);
    let (server, client) = thread::scope(|scope| {
        scope.spawn(|| {
            emulator::run(&scenario, 1, &addresses, &hosts, Clock::beginning(Instant::now()), &stop).unwrap()
        });
        let start = |host: usize, words: &[&str]| {
            let host = hosts.values().nth(host).unwrap();
            let spawn = || Command::new("iperf3").args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
            host.namespace.enter(spawn).unwrap().unwrap()
        };
        let (address, port) = (at.ip().to_string(), at.port().to_string());
        let server = start(1, &["--server", "--one-off", "--bind", &address, "--port", &port]);
        thread::sleep(Duration::from_millis(300));
        let words =
            ["--client", &address, "--port", &port, "--time", "4", "--omit", "1", "--congestion", "cubic", "--json"];
        let client = in_time(start(0, &words), Duration::from_secs(8));
        let server = in_time(server, Duration::from_secs(1));
        stop.store(true, Ordering::Relaxed);
        (server, client)
    });
    let said = String::from_utf8_lossy(&client.stdout).into_owned();
    let received = said.split("\"sum_received\"").nth(1).unwrap_or_else(|| panic!("{client:?} {server:?}"));
    let bps = received.split("\"bits_per_second\":").nth(1).unwrap().split([',', '}']).next().unwrap().trim();
    let bps: f64 = bps.parse().unwrap();
    assert!((bps / own_bps - 1.0).abs() < 0.05, "iperf3: {bps} bit/s, ours: {own_bps} bit/s");
}
