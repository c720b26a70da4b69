//! Links that change and lose packets, and the policies of packet ports, in whole runs on both engines.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{flow, line, port, scenario};
use ackclock::keys::Values;
use ackclock::link::errors::{self, CustomErrorModel, ErrorModel, Sampling, UniformParams, Unit};
use ackclock::link::{AppliesTo, ErrorModelParams, ErrorParams, Place};
use ackclock::record::{DropReason, LinkLosses, Records};
use ackclock::scenario::Scenario;
use ackclock::units::{Span, Time};
use ackclock_scenario::Memory;

/// 1000 bytes on the wire take 8 ms.
fn short(sets: &[&str]) -> Scenario {
    let tcp = "mss = \"960 B\"\nrecovery = \"new-reno\"\nreceive_window = \"19200 B\"";
    scenario(&line("duration = \"20 s\"", "10 ms", tcp), sets)
}

/// The records of the reference engine, with which the other one agrees.
fn run(name: &str, scenario: &Scenario) -> Records {
    assert_engines_agree(name, scenario, 1)
}

fn lost(records: &Records, link: &str) -> (u64, u64) {
    let link = records.links.iter().find(|of| of.name == link).expect("the link has a record");
    let mut sum = LinkLosses::default();
    link.vcs.iter().for_each(|vc| sum += vc.lost);
    assert_eq!(link.lost, sum);
    (link.lost.corrupted, link.lost.outage)
}

#[test]
fn packets_lost_by_a_list_are_lost_at_any_place_of_any_link() {
    for link in ["first", "last"] {
        for place in ["ingress", "egress", "receiver"] {
            let errors = format!(
                "link.{link}.errors={{ model = \"list\", packets = [0, 30, 31], applies_to = \"data\", place = \"{place}\" }}"
            );
            let records = run(&errors, &short(&["capture=[\"s\"]", &errors]));
            let name = if link == "first" { "s->r" } else { "r->d" };
            assert_eq!(lost(&records, name), (3, 0), "{errors}");
            // Packet 0 is repaired by a timeout, 30 and 31 without one; no other is sent twice but by going back to 0.
            assert_eq!(flow(&records, "f").counts.timeouts, 1, "{errors}");
            assert!(flow(&records, "f").counts.retransmissions >= 3);
            let captured = records.captures[0].packets.iter();
            let why: Vec<_> = captured.filter_map(|packet| packet.lost.as_ref()).map(|loss| loss.reason).collect();
            assert_eq!(why, [Some(DropReason::Corrupted); 3], "{errors}");
            assert!(
                records.captures[0].packets[0].lost.as_ref().is_some_and(|loss| loss.port.as_deref() == Some(name))
            );
        }
    }
}

#[test]
fn a_shrinking_delay_lets_packets_overtake_unless_the_order_is_kept() {
    let step = "link.last.delay=[\"200 ms\", { at = \"5 s\", delay = \"10 ms\" }]";
    // A window that fills the path, so that packets are under way at any instant.
    let with = |more: &[&str]| {
        let sets = [step, "tcp.receive_window=57600 B", "capture=[\"d\"]"];
        run(&more.concat(), &short(&sets.iter().chain(more).copied().collect::<Vec<_>>()))
    };
    let overtaken = |records: &Records| {
        let arrivals = records.captures[0].packets.iter().filter(|packet| packet.data);
        let seqs: Vec<u64> = arrivals.map(|packet| packet.segment.seq).collect();
        seqs.windows(2).filter(|pair| pair[1] < pair[0]).count()
    };
    // What was sent in the last 190 ms before the step is overtaken: a packet in 8 ms, and as many come in between.
    let natural = with(&[]);
    assert!((20..=24).contains(&overtaken(&natural)), "{}", overtaken(&natural));
    let ordered = with(&["link.last.reordering=prevent"]);
    assert_eq!((overtaken(&ordered), flow(&ordered, "f").counts.retransmissions), (0, 0));
    // A window of sixty is on its way in both directions.
    let dropped = with(&["link.last.under_way=drop"]);
    let (data, acks) = (lost(&dropped, "r->d").1, lost(&dropped, "d->r").1);
    assert!(data > 5 && acks > 5 && data + acks <= 60, "{data} {acks}");
}

#[test]
fn a_delay_and_a_rate_hold_from_their_instants_on() {
    let records = run("rate", &short(&["link.last.rate=[\"1 Mbps\", { at = \"10 s\", rate = \"500 kbps\" }]"]));
    // A window of 20 packets and 92 ms of round trip: 1 Mb/s is full for 10 s, then half of it, less the start.
    let bytes = flow(&records, "f").counts.bytes_delivered as f64;
    let expected = 960.0 * (10.0 / 0.008 + 10.0 / 0.016);
    assert!((bytes / expected - 1.0).abs() < 0.02, "{bytes} {expected}");
    run(
        "linear",
        &short(&["link.last.delay=[\"1 ms\", { at = \"20 s\", delay = \"300 ms\" }]", "link.last.delay_shape=linear"]),
    );
}

#[test]
fn while_a_link_is_down_nothing_arrives() {
    for (link, name) in [("first", "s->r"), ("last", "r->d")] {
        for (in_service, queued) in [("finish", "keep"), ("lose", "keep"), ("finish", "flush"), ("lose", "flush")] {
            let sets = [
                format!("link.{link}.outages=[{{ from = \"5 s\", until = \"9 s\" }}]"),
                format!("link.{link}.in_service={in_service}"),
                format!("link.{link}.queued={queued}"),
                // So that packets wait at the switch.
                format!("link.first.rate={}", if link == "last" { "10 Mbps" } else { "1 Mbps" }),
                "record=[\"throughput\"]".to_owned(),
                "record_interval=1 s".to_owned(),
            ];
            let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
            let records = run(&sets.join(" "), &short(&sets));
            let (corrupted, outage) = lost(&records, name);
            assert_eq!((corrupted, outage > 0), (0, in_service == "lose"), "{sets:?}");
            assert_eq!(port(&records, "r->d").drops.outage > 0, link == "last" && queued == "flush", "{sets:?}");
            let ackclock::record::Columns::Intervals { mean, .. } = &records.series[0].columns else { panic!() };
            let mean = mean.to_vec();
            assert!(mean[6..9].iter().all(|&rate| rate == 0.0) && mean[4] > 0.0 && mean[18] > 0.0, "{mean:?}");
        }
    }
}

#[test]
fn a_link_that_stays_down_ends_everything() {
    let records = run("never", &short(&["link.first.outages=[{ from = \"1 s\", until = \"never\" }]"]));
    assert!(flow(&records, "f").counts.timeouts > 0 && flow(&records, "f").counts.bytes_delivered < 200_000);
}

#[test]
fn the_loss_pattern_of_a_link_does_not_depend_on_other_flows() {
    let errors = "link.first.errors={ model = \"uniform\", rate = 0.02, applies_to = \"data\" }";
    let lost = |sets: &[&str]| -> Vec<usize> {
        let sets: Vec<&str> = sets.iter().copied().chain([errors, "capture=[\"s\"]"]).collect();
        let records = run(&sets.join(" "), &short(&sets));
        let sent = records.captures[0].packets.iter().filter(|packet| packet.sent);
        sent.enumerate().filter(|(_, packet)| packet.lost.is_some()).map(|(ordinal, _)| ordinal).take(10).collect()
    };
    let alone = lost(&[]);
    assert_eq!(alone.len(), 10);
    assert_eq!(lost(&["flow.g={ from = \"s\", to = \"d\", start = \"3 s\" }"]), alone, "by ordinal at the link");
}

#[test]
fn keys_of_links_become_models() {
    let markov = "{ model = \"markov\", direction = \"r->d\", sampling = \"ns2-packet\", \
                  good = { interval = \"25 s\", stay = 0.05, loss = 0.05 }, bad = { interval = \"5 s\", stay = 0.55, loss = 0.25 } }";
    let bits = "{ model = \"uniform\", rate = 1e-6, unit = \"bit\" }";
    let scenario = short(&[&format!("link.last.errors=[{markov}, {bits}]")]);
    let of = |name: &str| &scenario.links.iter().find(|link| link.name == name).unwrap().params.errors;
    assert!(of("s->r").is_empty());
    assert_eq!(of("d->r").len(), 1, "the other direction has one of them");
    let bits = ErrorModelParams::Uniform(UniformParams { rate: 1e-6, unit: Unit::Bit });
    assert_eq!(of("d->r")[0].model, bits);
    let ErrorModelParams::Markov(params) = of("r->d")[0].model else { panic!("{:?}", of("r->d")) };
    assert_eq!(
        (params.sampling, params.bad.interval, params.bad.stay),
        (Sampling::Ns2Packet, Span::from_secs(5), 0.55)
    );
}

/// The network with this model at the last link, on both engines.
fn with_model(name: &str, model: ErrorModelParams, place: Place) -> Records {
    let mut scenario = short(&[]);
    let link = scenario.links.iter_mut().find(|link| link.name == "r->d").unwrap();
    link.params.errors.push(ErrorParams { model, place, applies_to: AppliesTo::All });
    run(name, &scenario)
}

const PLACES: [Place; 3] = [Place::Ingress, Place::Egress, Place::Receiver];

#[test]
fn every_error_model_on_both_engines() {
    for model in errors::ALL {
        for number in 0..12_u64 {
            // The parameters of one number, a function of the model and that number.
            let mut drawn = 0;
            let mut below = |bound: u64| {
                drawn += 1;
                ackclock::rng::mix(number << 32 | drawn) % bound
            };
            let Ok(params) = (model.params)(&Values::sample(model.keys, &mut below)) else { continue };
            assert_eq!(params.name(), model.name);
            let records = with_model(&format!("{params:?}"), params.clone(), PLACES[number as usize % 3]);
            // From below: what corrupts every packet lets none arrive.
            if params.corrupts_all().is_some() {
                assert_eq!(flow(&records, "f").counts.bytes_delivered, 0, "{params:?}");
            }
        }
    }
}

/// Every fifth packet of at least 500 bytes, so that no acknowledgement is lost.
#[derive(Clone, Default)]
struct FifthLargePacket {
    large: u64,
}

impl ErrorModel for FifthLargePacket {
    fn corrupts(&mut self, _ordinal: u64, _now: Time, bytes: u32) -> bool {
        self.large += u64::from(bytes >= 500);
        bytes >= 500 && self.large.is_multiple_of(5)
    }
}

#[test]
fn an_error_model_from_outside_on_both_engines() {
    let custom =
        || ErrorModelParams::Custom(CustomErrorModel::new("fifth-large", |_| Box::new(FifthLargePacket::default())));
    for place in PLACES {
        let records = with_model("custom", custom(), place);
        let sent = flow(&records, "f").counts.segments_sent;
        let (corrupted, _) = lost(&records, "r->d");
        assert!(corrupted > 0 && corrupted.abs_diff(sent / 5) <= 1, "{corrupted} of {sent}");
    }
    assert_eq!(custom().name(), "fifth-large");
    assert!(custom().is_random(), "what is not known counts as random");
}

#[test]
fn counting_as_ns2_does_leaves_room_for_one_packet_less() {
    let max = |sets: &[&str]| {
        let base = ["link.first.rate=10 Mbps", "tcp.receive_window=60000 B", "queue.buffer=20 packets"];
        let sets: Vec<&str> = base.iter().chain(sets).copied().collect();
        port(&run(&sets.join(" "), &short(&sets)), "r->d").max_queue
    };
    assert_eq!([max(&[]), max(&["queue.counting=ns-2"])], [20, 19]);
}

/// Eight connections through one bottleneck.
const DUMBBELL: &str = r#"
duration = "10 s"
warmup = "2 s"
[network]
technology = "packet"
topology = "dumbbell"
sources = 8
access_rate = "100 Mbps"
access_delay = "1 ms"
bottleneck_rate = "20 Mbps"
bottleneck_delay = "20 ms"
[queue]
buffer = "200 packets"
red.mean_packet = "1000 B"
[tcp]
dialect = "osu"
mss = "1460 B"
recovery = "rfc6675"
receive_window = "256 KiB"
"#;

#[test]
fn red_and_codel_keep_queues_short() {
    let queue = |policy: &str| {
        let scenario = scenario(DUMBBELL, &[&format!("queue.policy={policy}")]);
        let records = run(policy, &scenario);
        assert!(records.efficiency_after_warmup.unwrap() > 0.75, "{policy}: {:?}", records.efficiency_after_warmup);
        (port(&records, "sw1->sw2").mean_queue, port(&records, "sw1->sw2").drops)
    };
    let (full, (red, of_red), (codel, of_codel)) = (queue("tail-drop").0, queue("red"), queue("codel"));
    assert!(full > 100.0 && red < 30.0 && codel < 30.0, "{full} {red} {codel}");
    assert!(of_red.policy > 0 && of_codel.policy > 0);
}

/// [VEGAS-A] Table 4, with New Reno: claim P6 is at least 0.85 Mb/s over 200 s.
#[test]
fn new_reno_does_not_mind_a_longer_path() {
    let text = std::fs::read_to_string("../../scenarios/paths/delay-step.toml").unwrap();
    let scenario = scenario(&text, &[]);
    let mut simulation = ackclock::sim::build(&scenario, 1);
    simulation.step(Time::NEVER);
    let goodput = simulation.records().flows[0].goodput_bps;
    // 960 of 1000 bytes are payload.
    assert!(goodput / 0.96 > 0.85e6, "{goodput}");
}

/// A downlink that follows a trace in Mahimahi's format: r->d is asked at 100 and 150 ms, and a round is 200 ms.
#[test]
fn a_trace_of_delivery_opportunities_says_when_what_waits_goes() {
    let text =
        line("duration = \"20 s\"", "10 ms", "mss = \"960 B\"\nrecovery = \"new-reno\"\nreceive_window = \"19200 B\"");
    let files = Memory::new().with("test.toml", text).with("cell.trace", "100\n150\n150\n200\n");
    let sets = ["link.\"r->d\".rate={ trace = \"cell.trace\" }", "capture=[\"d\"]"].map(str::to_owned);
    let scenario = ackclock_scenario::load(&files, "test.toml", &sets).unwrap().scenario;
    let records = run("a trace", &scenario);
    let arrivals = records.captures[0].packets.iter().filter(|packet| packet.data).map(|packet| packet.time.as_ps());
    let ms: Vec<f64> = arrivals.map(|ps| ps as f64 / 1e9).collect();
    // The first segment, of 1000 octets on the wire, comes to r after 8 + 10 ms and waits until 100 ms; its acknowledgement of 40
    // octets, 0.32 ms a link, is back at 110 + 2 · 10.32 = 130.64 ms. The next two are at r after 18 and 26 ms, at 148.64 and 156.64.
    assert_eq!(&ms[..3], &[110.0, 160.0, 210.0], "{ms:?}");
    // Four of 1500 octets in 200 ms are six packets of 1000, in 19.9 s; half of a second goes for the start.
    assert!((560..=600).contains(&ms.len()), "{}", ms.len());
    assert!(ms.iter().all(|ms| [110.0, 160.0, 10.0].contains(&(ms % 200.0))), "at opportunities only");
    crate::lab::conserves(&records);
}

/// A law that is a list is exact: every second packet 4 ms later, at 8 ms a packet; and then 12 ms, with and without overtaking.
#[test]
fn laws_of_jitter_delay_packets_and_reorder_them() {
    let arrivals = |more: &[&str]| {
        let sets = [&["capture=[\"d\"]", "tcp.receive_window=57600 B", "flow.f.size=57600 B"], more].concat();
        let records = run(&more.concat(), &short(&sets));
        crate::lab::conserves(&records);
        let arrivals = records.captures[0].packets.iter().filter(|packet| packet.data);
        arrivals.map(|packet| (packet.segment.seq / 960, packet.time.as_ps() / 1_000_000_000)).collect::<Vec<_>>()
    };
    let plain = arrivals(&[]);
    let listed = |ms: &str| format!("link.\"r->d\".jitter={{ law = \"listed\", values = [\"0 s\", \"{ms}\"] }}");
    let (short, long) = (listed("4 ms"), listed("12 ms"));
    let late = |found: &[(u64, u64)]| {
        let times: std::collections::BTreeMap<u64, u64> = plain.iter().copied().collect();
        found.iter().take(2).map(|(seq, ms)| ms - times[seq]).collect::<Vec<_>>()
    };
    assert_eq!(late(&arrivals(&[&short])), [0, 4]);
    let in_order = |found: &[(u64, u64)]| found.windows(2).all(|pair| pair[0].0 < pair[1].0);
    assert!(in_order(&arrivals(&[&short])) && in_order(&arrivals(&[&long])));
    assert!(!in_order(&arrivals(&[&long, "link.\"r->d\".overtaking=true"])));
    let held = arrivals(&["link.\"r->d\".reorder={ probability = 0.2, delay = \"12 ms\" }"]);
    assert!(!in_order(&held), "{held:?}");
}

/// Every packet of data comes twice to r->d: each is transmitted twice, and the file arrives once.
#[test]
fn a_packet_that_comes_twice_is_transmitted_twice_and_counts_once() {
    let sets = ["capture=[\"s\", \"d\"]", "flow.f.size=57600 B", "delays=true", "link.\"r->d\".duplicate=1"];
    let records = run("duplicate", &short(&sets));
    crate::lab::conserves(&records);
    let link = records.links.iter().find(|link| link.name == "r->d").unwrap();
    let (counts, there) = (&flow(&records, "f").counts, port(&records, "r->d"));
    assert_eq!((counts.bytes_delivered, link.lost.total()), (57_600, 0));
    // 60 segments and what is sent again, for duplicate acknowledgements look like losses.
    assert_eq!((there.arrivals, link.duplicated), (2 * counts.segments_sent, counts.segments_sent));
    assert_eq!(counts.unnecessary_retransmissions, 2 * counts.segments_sent - 60);
    let received = records.captures.iter().find(|capture| capture.host == "d").unwrap();
    let arrived = received.packets.iter().filter(|packet| packet.data && !packet.sent).count() as u64;
    assert_eq!(arrived, there.departures);
    assert_eq!(flow(&records, "f").delays.as_ref().unwrap().one_way.count(), counts.segments_sent, "the first of both");
}

/// One of two copies is lost: what arrived is not shown as lost, and a datagram counts once.
#[test]
fn a_packet_of_which_one_copy_is_lost_has_arrived() {
    let udp = ["udp.u.from=s", "udp.u.to=d", "udp.u.rate=100 kbps", "udp.u.payload=960 B"];
    let errors = "link.\"r->d\".errors={ model = \"periodic\", every = 2, applies_to = \"all\" }";
    let sets = [&udp[..], &["link.\"r->d\".duplicate=1", errors, "capture=[\"s\"]", "flow.f.size=960 B"]].concat();
    let records = run("one of two", &short(&sets));
    crate::lab::conserves(&records);
    let udp = &records.udp[0].counts;
    // One that is sent 18 ms before the end is under way.
    assert!(udp.sent - udp.delivered <= 3 && udp.lost <= udp.sent - udp.delivered, "{udp:?}");
    let sent = records.captures[0].packets.iter().filter(|packet| packet.data && packet.sent);
    let lost = sent.clone().filter(|packet| packet.lost.is_some()).count();
    assert!(lost <= 1 && sent.count() as u64 > udp.sent, "{lost}");
}
