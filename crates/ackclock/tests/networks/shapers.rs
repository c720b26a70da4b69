//! Disciplines that hold packets back though the link is free: the token bucket filter by hand, and one from outside, on both engines.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::lab::agree::assert_engines_agree;
use crate::lab::{conserves, flow, port, scenario};
use ackclock::queue::packet::{CustomDiscipline, Dropped, LinkUse, PacketPolicyParams, QueueDiscipline, QueuedPacket};
use ackclock::queue::{DropReason, PolicyParams};
use ackclock::record::Records;
use ackclock::scenario::Scenario;
use ackclock::units::{Span, Time};

/// 1000 bytes take 10 us on the first link and 100 us on the second, and their tokens come in 1 ms.
const SHAPED: &str = r#"
duration = "20 s"
delays = true
[network]
technology = "packet"
topology = "graph"
[node]
a.kind = "host"
r.kind = "switch"
b.kind = "host"
[link]
first = { ends = ["a", "r"], rate = "800 Mbps", delay = "1 ms" }
last = { ends = ["r", "b"], rate = "80 Mbps", delay = "1 ms" }
[queue]
buffer = "300 packets"
[port."r->b"]
policy = "tbf"
tbf = { rate = "8 Mbps", burst = "3000 B" }
"#;
const BURST: &str =
    "[udp.u]\nfrom = \"a\"\nto = \"b\"\npayload = \"972 B\"\nrate = \"7776 bps\"\nburst = 5\nstop = \"1 us\"\n";
const FLOW: &str = "[tcp]\ndialect = \"standard\"\ncongestion_control = \"cubic\"\nmss = \"1460 B\"\n[flow.f]\nfrom = \"a\"\nto = \"b\"\n";

fn run(name: &str, text: &str, sets: &[&str]) -> Records {
    of(name, &scenario(&format!("{SHAPED}{text}"), sets))
}

fn of(name: &str, scenario: &Scenario) -> Records {
    let records = assert_engines_agree(name, scenario, 1);
    conserves(&records);
    records
}

/// The shortest and the longest time from end to end, us.
fn times_us(records: &Records, name: &str) -> [f64; 2] {
    let udp = records.udp.iter().find(|udp| udp.name == name).expect("the source exists");
    let one_way = &udp.delays.as_ref().expect("delays are counted").one_way;
    [one_way.min(), one_way.max()].map(|span| span.expect("datagrams arrived").as_ps() as f64 / 1e6)
}

/// At 1010, 1020 .. 1050 us five packets are at the port. The bucket has tokens for three, which leave at 1010, 1110 and 1210. It would be
/// full at 4010, so it has those of the fourth at 2010, and of the fifth at 3010.
#[test]
fn a_burst_leaves_when_there_are_tokens() {
    let records = run("burst", BURST, &[]);
    assert_eq!(times_us(&records, "u"), [1010.0 + 1100.0, 3010.0 + 1100.0]);
    let large = run("burst", BURST, &["port.r->b.tbf.burst=5000 B"]);
    assert_eq!(times_us(&large, "u")[1], 1410.0 + 1100.0, "tokens for all");
    let off = run("burst", BURST, &["port.r->b.tbf.rate=link"]);
    assert_eq!(times_us(&off, "u")[1], 1410.0 + 1100.0, "the bucket is as fast as the link");
}

/// The link goes down at 1500 us, while the last two packets are held back, and is up again at 2500 us: what waits leaves then, or is lost.
#[test]
fn what_is_held_back_meets_a_link_that_goes_down() {
    let outage = "link.last.outages=[{ from = \"1500 us\", until = \"2500 us\" }]";
    let records = run("kept", BURST, &[outage]);
    assert_eq!(times_us(&records, "u"), [2110.0, 4110.0], "the fourth at 2500 us, the fifth at 3010 us");
    let records = run("lost", BURST, &[outage, "link.last.queued=flush"]);
    assert_eq!((times_us(&records, "u")[1], port(&records, "r->b").drops.outage), (1210.0 + 1100.0, 2));
}

/// 1448 of 1500 bytes, as segments have timestamps, at the rate of the tokens, whatever the link.
#[test]
fn a_greedy_flow_has_the_rate_of_the_tokens() {
    for burst in ["1500 B", "30 kB"] {
        let records = run("greedy", FLOW, &["warmup=5 s", &format!("port.r->b.tbf.burst={burst}")]);
        let goodput = flow(&records, "f").goodput_after_warmup_bps.expect("there is a warm-up");
        let expected = 8e6 * 1448.0 / 1500.0;
        // A segment more or less of 15 s is 1e-4 of it, a burst of 30 kB 1e-3.
        assert!((goodput / expected - 1.0).abs() < 2e-3, "{burst}: {goodput} of {expected}");
        assert!(port(&records, "r->b").drops.overflow > 0, "{burst}: the buffer was full");
    }
}

/// A gate that is open in the first millisecond of each ten, as in a schedule of time slots; what is small passes at any time, before all
/// else.
struct Gate {
    small: VecDeque<QueuedPacket>,
    others: VecDeque<QueuedPacket>,
    asked: Time,
}

const ROUND: u64 = Span::from_ms(10).as_ps();
const OPEN: u64 = Span::from_ms(1).as_ps();

impl QueueDiscipline for Gate {
    fn enqueue(&mut self, packet: QueuedPacket, _link: LinkUse, dropped: &mut Dropped) {
        match (packet.bytes <= 100, self.others.len() < 50) {
            (true, _) => self.small.push_back(packet),
            (false, true) => self.others.push_back(packet),
            (false, false) => dropped.push(packet, DropReason::Overflow),
        }
    }

    fn dequeue(&mut self, now: Time, _dropped: &mut Dropped) -> Option<QueuedPacket> {
        self.asked = now;
        let is_open = now.as_ps() % ROUND < OPEN;
        self.small.pop_front().or_else(|| if is_open { self.others.pop_front() } else { None })
    }

    fn next(&self) -> Time {
        Time::from_ps((self.asked.as_ps() / ROUND + 1) * ROUND)
    }

    fn flush(&mut self) -> Option<QueuedPacket> {
        self.small.pop_front().or_else(|| self.others.pop_front())
    }
}

fn gated(text: &str, sets: &[&str]) -> Scenario {
    let mut scenario = scenario(&format!("{SHAPED}{text}"), sets);
    with_gate(&mut scenario, "r->b");
    scenario
}

fn with_gate(scenario: &mut Scenario, port: &str) {
    let start = || Gate { small: VecDeque::new(), others: VecDeque::new(), asked: Time::ZERO };
    let gate = CustomDiscipline::new("gate", move |_, _| Box::new(start()));
    let port = scenario.links.iter_mut().find(|link| link.name == port).unwrap();
    Arc::make_mut(&mut port.queue).policy = PolicyParams::Packets(PacketPolicyParams::Custom(gate));
}

/// The five packets wait from 1010 us on for the gate, and leave from 10 ms on. Between them and that a packet of 100 bytes comes at
/// 5001 us, takes 10 us on the link and has not waited.
#[test]
fn one_packet_passes_others_that_are_held_back() {
    let small = "[udp.small]\nfrom = \"a\"\nto = \"b\"\npayload = \"72 B\"\nrate = \"576 bps\"\nstart = \"4 ms\"\nstop = \"4.001 ms\"\n";
    let records = of("gate", &gated(&format!("{BURST}{small}"), &[]));
    assert_eq!(times_us(&records, "u"), [10_000.0 + 1100.0, 10_400.0 + 1100.0]);
    assert_eq!(times_us(&records, "small"), [1.0 + 1000.0 + 10.0 + 1000.0; 2]);
}

/// A medium of 1 Mb/s, on which 1000 bytes take 8 ms, 200 bytes 1.6 ms and 100 bytes 0.8 ms. The gate is at st1, where a large packet comes at 11.5
/// ms, finds the medium free, and is held back until 20 ms. St2 sends from 12 to 13.6 ms. Meanwhile, at 13 ms, a small packet comes to st1.
#[test]
fn a_packet_that_comes_while_a_medium_is_busy_does_not_wait_for_what_is_held_back() {
    let text = r#"
duration = "1 s"
delays = true
[network]
technology = "packet"
topology = "graph"
[node]
h1.kind = "host"
h2.kind = "host"
st1.kind = "switch"
st2.kind = "switch"
base.kind = "switch"
server.kind = "host"
[medium.channel]
rate = "1 Mbps"
[link]
edge1 = { ends = ["h1", "st1"], rate = "1 Tbps", delay = "11.5 ms" }
edge2 = { ends = ["h2", "st2"], rate = "1 Tbps", delay = "12 ms" }
air1 = { ends = ["st1", "base"], medium = "channel", delay = "0 s" }
air2 = { ends = ["st2", "base"], medium = "channel", delay = "0 s" }
central = { ends = ["base", "server"], rate = "1 Tbps", delay = "0 s" }
[udp]
large = { from = "h1", to = "server", payload = "972 B", rate = "7776 bps", stop = "1 us" }
other = { from = "h2", to = "server", payload = "172 B", rate = "1376 bps", stop = "1 us" }
small = { from = "h1", to = "server", payload = "72 B", rate = "576 bps", start = "1.5 ms", stop = "1.501 ms" }
"#;
    let mut scenario = scenario(text, &[]);
    with_gate(&mut scenario, "st1->base");
    let records = of("gate on a medium", &scenario);
    let rounded = |name| times_us(&records, name).map(|us| (us / 10.0).round() as u64);
    let times = ["other", "small", "large"].map(rounded);
    assert_eq!(times, [[1360; 2], [1440 - 150; 2], [2800; 2]], "the small one goes as soon as the medium is free");
}

/// With data, small packets, and links that go down and take what waits with them, or keep it.
#[test]
fn a_gate_from_outside_on_both_engines() {
    let small = "[udp.small]\nfrom = \"a\"\nto = \"b\"\npayload = \"72 B\"\nrate = \"100 kbps\"\n";
    for queued in ["keep", "flush"] {
        let sets = [
            "duration=10 s",
            "link.last.outages=[{ from = \"2.0005 s\", until = \"2.1 s\" }, { from = \"4.005 s\", until = \"4.0304 s\" }]",
            &format!("link.last.queued={queued}"),
        ];
        let records = of(queued, &gated(&format!("{FLOW}{small}"), &sets));
        // Seven packets of 150 us begin in each of a thousand openings, if that many wait; the window is less at first and after losses.
        let sent = flow(&records, "f").counts.segments_sent;
        assert!((3000..7100).contains(&sent), "{queued}: {sent}");
        assert_eq!(port(&records, "r->b").drops.outage > 0, queued == "flush");
    }
}
