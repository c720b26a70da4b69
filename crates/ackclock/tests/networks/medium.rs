//! Links that share a medium, by hand, on both engines.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{conserves, flow, port, scenario};
use ackclock::queue::packet;
use ackclock::record::{Columns, Metric, Records, Series, UdpRecord};

/// A server behind a base, and two hosts, each behind a station: links with wires of 8 Mb/s and 1 ms, and a medium of 1 Mb/s without
/// propagation delay. 1000 bytes take 1 ms with wires, and 8 ms on the medium.
const CHANNEL: &str = r#"
duration = "1 s"
delays = true
[network]
technology = "packet"
topology = "graph"
[node]
server.kind = "host"
base.kind = "switch"
st1.kind = "switch"
st2.kind = "switch"
h1.kind = "host"
h2.kind = "host"
[medium.channel]
rate = "1 Mbps"
[link]
central = { ends = ["base", "server"], rate = "8 Mbps", delay = "1 ms" }
air1 = { ends = ["base", "st1"], medium = "channel", delay = "0 s" }
air2 = { ends = ["base", "st2"], medium = "channel", delay = "0 s" }
edge1 = { ends = ["st1", "h1"], rate = "8 Mbps", delay = "1 ms" }
edge2 = { ends = ["st2", "h2"], rate = "8 Mbps", delay = "1 ms" }
"#;

/// The channel with datagrams of 972 bytes, 1000 on the wire, bursts of two at the start, unless `sets` says more.
fn datagrams(name: &str, sources: &[(&str, &str, &str)], sets: &[&str]) -> Records {
    let source = |(name, from, to): &(&str, &str, &str)| {
        format!(
            "[udp.{name}]\nfrom = {from:?}\nto = {to:?}\npayload = \"972 B\"\nrate = \"7776 bps\"\nburst = 2\nstop = \"1 us\"\n"
        )
    };
    let text = format!("{CHANNEL}{}", sources.iter().map(source).collect::<String>());
    let records = assert_engines_agree(name, &scenario(&text, sets), 1);
    conserves(&records);
    records
}

/// The shortest and the longest time from end to end of a source, us.
fn times_us(records: &Records, name: &str) -> (f64, f64) {
    let udp: &UdpRecord = records.udp.iter().find(|udp| udp.name == name).expect("the source exists");
    let one_way = &udp.delays.as_ref().expect("delays are counted").one_way;
    let us = |span: Option<ackclock::units::Span>| span.expect("datagrams arrived").as_ps() as f64 / 1e6;
    (us(one_way.min()), us(one_way.max()))
}

const BOTH_WAYS: &[(&str, &str, &str)] =
    &[("down1", "server", "h1"), ("down2", "server", "h2"), ("up1", "h1", "server"), ("up2", "h2", "server")];

/// At 2 ms a packet comes to the base, to st1 and to st2, at 3, 4 and 5 ms the others. That to the base is first: its link is. It goes to
/// st1 from 2 to 10 ms. Then st1 has its turn, and st2; at 26 ms the base, with its port to st2. Behind the medium a packet takes 2 ms.
#[test]
fn nodes_take_turns_to_the_picosecond() {
    let records = datagrams("turns", BOTH_WAYS, &[]);
    assert_eq!(times_us(&records, "down1"), (12_000.0, 60_000.0));
    assert_eq!(times_us(&records, "up1"), (20_000.0, 44_000.0));
    assert_eq!(times_us(&records, "up2"), (28_000.0, 52_000.0));
    assert_eq!(times_us(&records, "down2"), (36_000.0, 68_000.0));
}

/// After each transmission the medium is busy for 0.5 ms more; who is transmitted n-th is n - 1 times that later.
#[test]
fn the_overhead_comes_after_each_transmission() {
    let records = datagrams("overhead", BOTH_WAYS, &["medium.channel.overhead=500 us"]);
    assert_eq!(times_us(&records, "down1"), (12_000.0, 60_000.0 + 6.0 * 500.0));
    assert_eq!(times_us(&records, "up1"), (20_500.0, 44_000.0 + 4.0 * 500.0));
    assert_eq!(times_us(&records, "up2"), (29_000.0, 52_000.0 + 5.0 * 500.0));
    assert_eq!(times_us(&records, "down2"), (37_500.0, 68_000.0 + 7.0 * 500.0));
}

/// As above, but the bucket of the port of st1 has tokens for one packet, and for the next after 80 ms: from 90 ms on. The others do not wait
/// for it.
#[test]
fn who_is_held_back_is_passed_over() {
    let shaped = ["port.st1->base.policy=tbf", "port.st1->base.tbf.rate=100 kbps", "port.st1->base.tbf.burst=1000 B"];
    let records = datagrams("shaped", BOTH_WAYS, &shaped);
    assert_eq!(times_us(&records, "down1"), (12_000.0, 52_000.0));
    assert_eq!(times_us(&records, "up1"), (20_000.0, 100_000.0));
    assert_eq!(times_us(&records, "up2"), (28_000.0, 44_000.0));
    assert_eq!(times_us(&records, "down2"), (36_000.0, 60_000.0));
}

/// Over links of 1 Mb/s in each direction none waits for another, but behind the base, where both come at 10 ms.
#[test]
fn links_without_a_medium_do_not_wait_for_each_other() {
    let text =
        CHANNEL.replace("medium = \"channel\"", "rate = \"1 Mbps\"").replace("[medium.channel]\nrate = \"1 Mbps\"", "");
    let source =
        "[udp.up1]\nfrom = \"h1\"\nto = \"server\"\npayload = \"972 B\"\nrate = \"7776 bps\"\nstop = \"1 us\"\n";
    let records = assert_engines_agree("apart", &scenario(&(text + source + &source.replace('1', "2")), &[]), 1);
    assert_eq!((times_us(&records, "up1").0, times_us(&records, "up2").0), (12_000.0, 13_000.0));
}

/// A packet that comes when a transmission ends, to a medium at which nothing waits, is transmitted at once; what waits goes first.
#[test]
fn what_waits_goes_before_what_comes() {
    // Of st1 at 2 ms; of st2 at 10 ms, when that has been transmitted.
    let sources: &[(&str, &str, &str)] = &[("up1", "h1", "server"), ("up2", "h2", "server")];
    let once = ["udp.up1.burst=1", "udp.up2.burst=1", "udp.up2.start=8 ms", "udp.up2.stop=9 ms"];
    let records = datagrams("nothing waits", sources, &once);
    assert_eq!((times_us(&records, "up1").0, times_us(&records, "up2").0), (12_000.0, 12_000.0));
    // A second of st1 waits since 3 ms: it has the turn at 10 ms, as st2 has nothing yet.
    let twice = ["udp.up2.burst=1", "udp.up2.start=8 ms", "udp.up2.stop=9 ms"];
    let records = datagrams("one waits", sources, &twice);
    assert_eq!((times_us(&records, "up1"), times_us(&records, "up2").0), ((12_000.0, 20_000.0), 20_000.0));
}

/// Ports that are never empty: packets of 1000 bytes and of 200.
const SATURATED: &[&str] = &[
    "duration=20 s",
    "queue.buffer=5 packets",
    "udp.down1.rate=1944 kbps",
    "udp.down2.rate=1944 kbps",
    "udp.up1.rate=1944 kbps",
    "udp.up2.rate=688 kbps",
    "udp.up2.payload=172 B",
    "udp.down1.stop=never",
    "udp.down2.stop=never",
    "udp.up1.stop=never",
    "udp.up2.stop=never",
];

/// Each node has as many turns, whatever the sizes of its packets, and so has each port of the base; the time is that of all: a round
/// takes three packets of 1000 bytes, or two and one, and one of 200.
#[test]
fn saturated_nodes_have_equal_chances() {
    let records = datagrams("saturated", BOTH_WAYS, SATURATED);
    let sent = |name: &str| port(&records, name).departures as i64;
    let (down, up) = ([sent("base->st1"), sent("base->st2")], [sent("st1->base"), sent("st2->base")]);
    assert!((down[0] - down[1]).abs() <= 1, "{down:?}");
    assert!(up.iter().all(|up| (down[0] + down[1] - up).abs() <= 1), "{down:?} {up:?}");
    // 20 s of rounds of 8 + 8 + 1.6 ms, from the first 2 ms on, in which the first packet comes.
    let rounds = (20e3 - 2.0) / 17.6;
    assert!((up[1] as f64 - rounds).abs() <= 1.0, "{up:?} {rounds}");
}

/// Each discipline at all ports of the medium, saturated: equal chances, and both engines.
#[test]
fn each_discipline_takes_its_turns() {
    for policy in packet::POLICIES.iter().map(|policy| policy.name) {
        let policy_set = format!("queue.policy={policy}");
        let sets = [SATURATED, &["duration=3 s", &policy_set]].concat();
        let records = datagrams(policy, BOTH_WAYS, &sets);
        let sent = |name: &str| port(&records, name).departures as i64;
        let ups = [sent("st1->base"), sent("st2->base"), sent("base->st1") + sent("base->st2")];
        assert!(ups.iter().all(|up| (up - ups[0]).abs() <= 1), "{policy}: {ups:?}");
    }
}

/// Data of 1500 bytes, 12 ms, and an acknowledgement of 40 bytes, 0.32 ms, for each, by turns: a segment in 12.32 ms.
#[test]
fn data_and_acknowledgements_share_the_medium() {
    let flows = "[tcp]\ndialect = \"osu\"\nmss = \"1460 B\"\nreceive_window = \"60 kB\"\n[flow.f]\nfrom = \"server\"\nto = \"h1\"\n";
    let records =
        assert_engines_agree("tcp", &scenario(&format!("{CHANNEL}{flows}"), &["duration=30 s", "warmup=10 s"]), 1);
    conserves(&records);
    let segments = flow(&records, "f").goodput_after_warmup_bps.expect("there is a warm-up") * 20.0 / 8.0 / 1460.0;
    assert!((segments - 20e3 / 12.32).abs() <= 1.0, "{segments} of {}", 20e3 / 12.32);
}

/// One queue for all at the base: the air is a node. What the base sends is there after its turn, and goes on with wires so fast that it
/// does not count; what stations send, too.
const AIR: &str = r#"
[node.air]
kind = "switch"
[link.cell]
ends = ["base", "air"]
rate = "1 Tbps"
delay = "0 s"
[link."base->air"]
medium = "channel"
[link.sta1]
ends = ["st1", "air"]
rate = "1 Tbps"
delay = "0 s"
[link."st*->air"]
medium = "channel"
[link.sta2]
ends = ["st2", "air"]
rate = "1 Tbps"
delay = "0 s"
"#;

#[test]
fn the_air_as_a_node_gives_the_base_one_queue() {
    let links = "air1 = { ends = [\"base\", \"st1\"], medium = \"channel\", delay = \"0 s\" }\n\
                 air2 = { ends = [\"base\", \"st2\"], medium = \"channel\", delay = \"0 s\" }\n";
    let text = CHANNEL.replace(links, "") + AIR;
    let flows = "[udp]\ndown1 = { from = \"server\", to = \"h1\", payload = \"972 B\", interval = \"4 ms\" }\n\
                 down2 = { from = \"server\", to = \"h2\", payload = \"972 B\", interval = \"4 ms\" }\n\
                 up1 = { from = \"h1\", to = \"server\", payload = \"972 B\", interval = \"4 ms\" }\n\
                 up2 = { from = \"h2\", to = \"server\", payload = \"972 B\", interval = \"4 ms\" }\n";
    let sets = ["duration=10 s", "queue.buffer=50 packets"];
    let records = assert_engines_agree("air", &scenario(&format!("{text}{flows}"), &sets), 1);
    conserves(&records);
    let sent = ["base->air", "st1->air", "st2->air"].map(|name| port(&records, name).departures as i64);
    assert!(sent.iter().all(|of| (of - sent[0]).abs() <= 1), "{sent:?}");
    assert_eq!(port(&records, "base->air").max_queue, 50);
    assert_eq!(port(&records, "air->st1").max_queue, 0);
}

/// From one station to the other a packet crosses the medium twice: both ports are in one process of the batched engine.
#[test]
fn from_station_to_station_the_medium_is_crossed_twice() {
    let records = datagrams("across", &[("across", "h1", "h2")], &["udp.across.burst=1"]);
    // 2 ms to st1, 8 ms to the base, 8 ms to st2, 2 ms to h2.
    assert_eq!(times_us(&records, "across"), (20_000.0, 20_000.0));
    let records = datagrams("across by turns", &[("across", "h1", "h2"), ("up2", "h2", "server")], &[]);
    // st1 at 2 ms, st2 at 10 ms, base and st1 at 18 and 26 ms, st2 at 34 ms, base at 42 ms.
    assert_eq!(times_us(&records, "across"), (28_000.0, 52_000.0));
    assert_eq!(times_us(&records, "up2"), (20_000.0, 44_000.0));
}

/// Packets and what follows them: while something waits somewhere, the ports are busy all the time, one after the other.
#[test]
fn the_utilisation_of_a_medium_is_the_sum_of_its_ports() {
    let more = ["duration=2 s", "medium.channel.overhead=500 us", "record=[\"utilisation\"]", "record_interval=50 ms"];
    let records = datagrams("utilisation", BOTH_WAYS, &[SATURATED, &more[..]].concat());
    let mut sums = vec![0.0; 40];
    for port in ["base->st1", "base->st2", "st1->base", "st2->base"] {
        let of_port = |series: &&Series| series.metric == Metric::Utilisation && series.of == port;
        let series = records.series.iter().find(of_port).expect("it is recorded");
        let Columns::Intervals { mean, .. } = &series.columns else { panic!("no intervals") };
        mean.iter().zip(&mut sums).for_each(|(mean, sum)| *sum += mean);
        // A turn of three, or of six, of 8.5 ms, or 2.1 ms.
        let share = if port == "st2->base" { 2.1 } else { 8.5 } / (8.5 + 8.5 + 2.1);
        let of_round = if port.starts_with("base") { 0.5 } else { 1.0 };
        let whole = mean.iter().skip(2).sum::<f64>() / 38.0;
        assert!((whole - share * of_round).abs() < 0.01, "{port}: {whole}");
    }
    assert!((sums[0] - 0.976).abs() < 1e-9, "the first packet, of 200 bytes, comes at 1.2 ms: {}", sums[0]);
    assert!(sums[1..].iter().all(|sum| (sum - 1.0).abs() < 1e-9), "{sums:?}");
}
