//! Data in both directions of one connection, requests and responses, on both engines.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{conserves, flow, port, scenario};
use ackclock::packet::SegmentKind;
use ackclock::record::{ExchangesRecord, Records};
use ackclock::units::{Span, Time};

/// A client and a server, half a round trip of 300 ms apart, over links of 100 Mb/s.
const FAR: &str = r#"
duration = "40 s"
network = { technology = "packet", topology = "graph" }
node = { client.kind = "host", r.kind = "switch", server.kind = "host" }
[link]
near = { ends = ["client", "r"], rate = "100 Mbps", delay = "100 ms" }
far = { ends = ["r", "server"], rate = "100 Mbps", delay = "200 ms" }
[queue]
buffer = "1000 packets"
[tcp]
dialect = "standard"
[traffic]
application = "exchanges"
[traffic.exchanges]
count = 30
request = "328 B"
response = "10 kB"
[flow]
web = { from = "client", to = "server" }
"#;

fn run(name: &str, sets: &[&str]) -> Records {
    let records = assert_engines_agree(name, &scenario(FAR, sets), 1);
    conserves(&records);
    records
}

fn exchanges(records: &Records) -> &ExchangesRecord {
    flow(records, "web").exchanges.as_ref().unwrap()
}

/// Everything requested has come, once and in order.
fn all_has_come(records: &Records, count: u64) {
    let of = exchanges(records);
    assert_eq!((of.requests, of.completed), (count, count));
    assert_eq!(flow(records, "web").counts.bytes_delivered, of.request_bytes);
    assert_eq!(flow(records, "web-back").counts.bytes_delivered, of.response_bytes);
}

/// A page of thirty objects over a round trip of 600 ms. Objects of 10 kB are seven segments, within the initial window of ten: one round
/// trip for the handshake and one for each. Objects of 30 kB are 21. Every second segment is acknowledged and opens the window by one: it is 10
/// and then 15 for the first object and the rest of it, 15 and then 22 for the second, and large enough for those that follow. So two of
/// them take two round trips.
#[test]
fn a_page_of_thirty_objects_takes_its_round_trips() {
    for (size, bytes, round_trips) in [("10 kB", 10_000.0, 31.0), ("30 kB", 30_000.0, 33.0)] {
        let records = run(size, &[&format!("traffic.exchanges.response={size}")]);
        all_has_come(&records, 30);
        // Each octet crosses two links, the last of them after all others.
        let transmissions = 30.0 * 8.0 * (328.0 + bytes + 1500.0) / 100e6;
        let expected = 0.6 * round_trips + transmissions;
        let page = flow(&records, "web").completed.unwrap().as_secs_f64();
        assert!((page / expected - 1.0).abs() < 0.02, "{size}: {page} s, {expected} s by hand");
        assert_eq!(flow(&records, "web-back").counts.retransmissions, 0);
    }
}

/// Eight requests of one segment are within the first window: all of them go at once, after the handshake, and so do the answers. Two round trips,
/// where one exchange at a time takes nine.
#[test]
fn requests_that_do_not_wait_for_responses_share_a_round_trip() {
    for (outstanding, round_trips) in [(8, 2.0), (1, 9.0)] {
        let exchanges = format!(
            "traffic.exchanges={{ count = 8, request = \"328 B\", response = \"1 kB\", outstanding = {outstanding} }}"
        );
        let records = run("eight", &[&exchanges]);
        all_has_come(&records, 8);
        let page = flow(&records, "web").completed.unwrap().as_secs_f64();
        assert!((page / (0.6 * round_trips) - 1.0).abs() < 0.005, "{outstanding}: {page} s");
    }
}

/// Uploads and downloads of 200 kB at once: of both directions of a link as much is used as of one by a file alone, and data carries
/// the acknowledgements of the other direction.
#[test]
fn data_goes_both_ways_at_once() {
    // Without SACK equal numbers on data would be duplicate acknowledgements, if data could be those.
    ["rack", "new-reno"].into_iter().for_each(both_ways);
}

fn both_ways(recovery: &str) {
    let recovery = &*format!("tcp.recovery={recovery}");
    let sets = [
        recovery,
        "duration=20 s",
        "link.near.delay=2 ms",
        "link.far.delay=8 ms",
        "link.far.rate=10 Mbps",
        "traffic.exchanges={ count = \"endless\", request = \"200 kB\", response = \"200 kB\", outstanding = 8 }",
        // Four times what the path holds, so that data waits for acknowledgements, which wait behind data: round trips vary, and what comes
        // late is not lost.
        "tcp.receive_window=100 kB",
        if recovery.ends_with("rack") { "tcp.dsack=true" } else { "tcp.dsack=false" },
        "capture=[\"client\"]",
    ];
    let records = run("both ways", &sets);
    for name in ["web", "web-back"] {
        // 1448 of 1538 octets on the wire are payload.
        let goodput = flow(&records, name).counts.bytes_delivered as f64 * 8.0 / 20.0;
        assert!((0.9 * 1448.0 / 1538.0 * 10e6..10e6).contains(&goodput), "{name}: {goodput}");
        let counts = flow(&records, name).counts;
        assert_eq!((counts.fast_retransmits, counts.timeouts), (0, 0), "{name}");
    }
    let sent = records.captures[0].packets.iter().filter(|packet| packet.sent);
    let (data, alone): (Vec<_>, Vec<_>) = sent.partition(|packet| packet.segment.payload() > 0);
    // Alone, one would go for two that arrive; where data waits, it carries them.
    assert!(alone.len() * 5 < data.len(), "{} segments of data, {} acknowledgements alone", data.len(), alone.len());
}

/// Without a handshake and without options, one exchange to the picosecond: a request of 300 B, 340 on the wire, or of 2000 B in segments of
/// 1460 and 540, of which the second waits for the first; and a response of 2000 B, which begins when the whole request is there.
#[test]
fn one_exchange_to_the_picosecond() {
    // At 100 Mb/s an octet takes 80 ns.
    let octets = |count: u64| Span::from_ms(300) + Span::from_ps(80_000 * count);
    for (bytes, request) in [(300, octets(2 * 340)), (2000, octets(1500 + 1500 + 580))] {
        let exchanges_of_two =
            format!("traffic.exchanges={{ count = 1, request = \"{bytes} B\", response = \"2000 B\" }}");
        let records = run(
            "one",
            &[
                "tcp.dialect=osu",
                "tcp.mss=1460 B",
                "tcp.handshake=false",
                "tcp.initial_window=10 segments",
                "packet.link_header=0 B",
                &exchanges_of_two,
            ],
        );
        all_has_come(&records, 1);
        let response = octets(1500 + 1500 + 580);
        assert_eq!(flow(&records, "web").completed, Some(Time::ZERO + request + response));
        assert_eq!(exchanges(&records).times.max(), Some(request + response));
        let sent = [flow(&records, "web"), flow(&records, "web-back")].map(|flow| flow.counts.bytes_sent);
        assert_eq!(sent, [bytes, 2000]);
    }
}

/// Data carries the acknowledgement of what came: no segment without data leaves the server before the last response is acknowledged, and
/// a capture counts only what the messages contain.
#[test]
fn data_carries_acknowledgements_and_captures_have_their_numbers() {
    // Due later, and at once.
    ["true", "false"].into_iter().for_each(captured);
}

fn captured(delayed_ack: &str) {
    let delayed_ack = format!("tcp.delayed_ack={delayed_ack}");
    let sets = [
        "capture=[\"client\"]",
        "traffic.exchanges.count=3",
        "tcp.timestamps=false",
        "tcp.handshake=false",
        "tcp.fin=false",
        &delayed_ack,
    ];
    let records = run("captured", &sets);
    all_has_come(&records, 3);
    let packets = &records.captures[0].packets;
    let of_client = |data: bool| packets.iter().filter(move |packet| packet.data == data && packet.segment.len > 0);
    // Three requests of 328 B, the second and third when all responses before are there.
    let requests: Vec<_> =
        of_client(true).map(|packet| (packet.segment.seq, packet.segment.payload(), packet.segment.ack)).collect();
    assert_eq!(requests, [(0, 328, 0), (328, 328, 10_000), (656, 328, 20_000)]);
    // Seven segments each, six of 1460 and one of 1240.
    let responses: Vec<_> =
        of_client(false).map(|packet| (packet.segment.seq, packet.segment.payload(), packet.segment.ack)).collect();
    assert_eq!(responses.len(), 21);
    assert_eq!(responses[6..8], [(8760, 1240, 328), (10_000, 1460, 656)]);
    assert_eq!(responses[20], (28_760, 1240, 984));
    assert!(
        packets.iter().filter(|packet| !packet.data).all(|packet| packet.segment.len > 0),
        "the server only sends data"
    );
    assert!(packets.iter().all(|packet| packet.segment.kind == SegmentKind::Data));
}

/// Losses in both directions, of requests and responses of many segments, with every second segment acknowledged or each: nothing is
/// stuck, and everything comes once and in order.
#[test]
fn losses_in_both_directions_are_repaired() {
    // One exchange at a time; and six, so that data goes both ways at once.
    [1, 6].into_iter().for_each(with_losses);
}

fn with_losses(outstanding: u64) {
    let outstanding = format!("traffic.exchanges.outstanding={outstanding}");
    let short = ["link.near.delay=2 ms", "link.far.delay=8 ms", "duration=200 s"];
    let exchanges = "traffic.exchanges={ count = 40, request = { law = \"uniform\", least = \"1 B\", most = \"60 kB\" }, \
                     response = { law = \"uniform\", least = \"1 B\", most = \"90 kB\" }, think = { law = \"exponential\", mean = \"100 ms\" } }";
    let losses = "link.far.errors={ model = \"uniform\", rate = 0.02 }";
    for tcp in [
        &["tcp.dialect=standard"][..],
        &["tcp.dialect=standard", "tcp.congestion_control=reno", "tcp.recovery=new-reno", "tcp.fin=true"],
        &["tcp.dialect=standard", "tcp.recovery=rfc6675", "tcp.dsack=true", "tcp.congestion_control=bbr1"],
        &["tcp.dialect=osu", "tcp.mss=536 B", "tcp.delayed_ack=true", "tcp.recovery=rfc6675"],
        &["tcp.dialect=linux"],
        &["tcp.dialect=standard", "tcp.ecn=classic", "queue.policy=fq-codel"],
        // Acknowledgements wait, and data that go on at once say what has left; windows are lowered.
        &["tcp.dialect=standard", "queue.rate_algorithm=simplified-erica-plus", "queue.tcp_feedback=both"],
        &["tcp.dialect=osu", "queue.rate_algorithm=erica", "queue.tcp_feedback=bucket", "tcp.recovery=new-reno"],
        &[
            "tcp.dialect=standard",
            "tcp.ecn=classic",
            "queue.policy=fq-codel",
            "queue.rate_algorithm=simplified-erica-plus",
            "queue.tcp_feedback=bucket",
        ],
    ] {
        let records = run(&tcp.join(" "), &[&short[..], &[exchanges, &outstanding, losses], tcp].concat());
        all_has_come(&records, 40);
        for name in ["web", "web-back"] {
            let counts = flow(&records, name).counts;
            assert!(counts.retransmissions > 0, "{tcp:?}, {name}: nothing was lost");
        }
    }
}

/// Responses overfill a queue, and acknowledgements on data go with them; ports know both directions by their flows.
#[test]
fn many_sessions_share_a_bottleneck() {
    let sets = [
        "link.near.rate=5 Mbps",
        "link.near.delay=5 ms",
        "link.far.delay=15 ms",
        "queue.buffer=20 packets",
        "traffic.exchanges={ count = \"endless\", response = { law = \"pareto\", shape = 1.3, least = \"20 kB\", most = \"5 MB\" }, think = \"50 ms\" }",
        "flow.web2={ from = \"client\", to = \"server\", start = \"1 s\" }",
        "flow.bulk={ from = \"server\", to = \"client\", application = \"bulk\" }",
        "delays=true",
        "record=[\"cwnd\", \"queue\", \"throughput\"]",
    ];
    let records = run("shared", &sets);
    for name in ["web", "web2"] {
        let (of, back) = (flow(&records, name), flow(&records, &format!("{name}-back")));
        let exchanges = of.exchanges.as_ref().unwrap();
        assert!(exchanges.completed > 50 && exchanges.requests - exchanges.completed <= 1, "{exchanges:?}");
        assert!(
            of.counts.bytes_delivered <= exchanges.request_bytes
                && back.counts.bytes_delivered <= exchanges.response_bytes
        );
        assert!(exchanges.response_bytes - back.counts.bytes_delivered < 5_000_000, "only the last is under way");
        assert!(
            back.counts.fast_retransmits > 0 && back.counts.bytes_delivered > 1_000_000,
            "{name}: {:?}",
            back.counts
        );
        assert!(back.delays.as_ref().unwrap().one_way.count() > 0);
    }
    let crossing: Vec<&str> = port(&records, "r->client").vcs.iter().map(|vc| &*vc.name).collect();
    assert_eq!(crossing, ["bulk", "web-back", "web2-back"]);
}

/// Each direction of data has a rate of its own, half of the port that it crosses: 5 Mb/s of requests and 3.5 Mb/s of responses. Over a
/// round trip of 200 ms that is 125,000 and 87,500 octets on the wire, which are 83.3 and 58.3 segments of 1448 octets that take 1500: 83 and
/// 58 whole ones. Each segment that comes to the client says the first window, each that comes to the server the other one, be it data or an
/// acknowledgement alone. A capture shows that, and each direction has its rate.
#[test]
fn the_window_of_each_direction_is_what_its_rate_fills() {
    let of_ports = |feedback: [&'static str; 2]| {
        let [to_server, to_client] = feedback;
        let sets = [
            "duration=20 s",
            "warmup=8 s",
            "link.near.delay=20 ms",
            "link.far.delay=80 ms",
            "link.\"r->server\".rate=10 Mbps",
            "link.\"r->client\".rate=7 Mbps",
            // So many full segments: in the time of one of them by its rate, the other by its own.
            "traffic.exchanges={ count = \"endless\", request = \"120184 B\", response = \"83984 B\", outstanding = 16 }",
            "tcp.receive_window=400 kB",
            "tcp.delayed_ack=false",
            "queue.rate_algorithm=max-min",
            "queue.max-min.target_utilisation=0.5",
            &format!("port.\"r->server\".tcp_feedback={to_server}"),
            &format!("port.\"r->client\".tcp_feedback={to_client}"),
            "capture=[\"client\", \"server\"]",
        ];
        run(&feedback.join(", "), &sets)
    };
    // In units of the header's field: the receive window needs a shift count of 3.
    let expected = [83, 58].map(|segments: u32| segments * 1448 / 8 * 8);
    for feedback in [["window", "window"], ["window", "none"], ["none", "window"]] {
        let records = of_ports(feedback);
        for (number, window) in expected.into_iter().enumerate() {
            let expected = Some(window).filter(|_| feedback[number] == "window");
            let came = records.captures[number].packets.iter().filter(|packet| !packet.sent);
            let came = came.filter(|packet| !matches!(packet.segment.kind, SegmentKind::Syn | SegmentKind::SynAck));
            let (data, alone): (Vec<_>, Vec<_>) = came.partition(|packet| packet.segment.payload() > 0);
            assert!(data.len() > 1000 && alone.len() > 1000, "{} of data, {} alone", data.len(), alone.len());
            for packet in data.iter().chain(&alone) {
                assert_eq!(packet.segment.window, expected, "{feedback:?}: {packet:?}");
            }
            let opening =
                |packet: &&ackclock::record::Captured| !packet.sent && packet.segment.kind != SegmentKind::Data;
            let opening = records.captures[number].packets.iter().find(opening).unwrap();
            assert_eq!(opening.segment.window, None, "that of a SYN has no scale");
            let name = ["web", "web-back"][number];
            let goodput = flow(&records, name).goodput_after_warmup_bps.unwrap();
            let share = [5e6, 3.5e6][number] * 1448.0 / 1500.0;
            // The round trip is a little longer than its propagation, and whole segments are a little less.
            let is_share = (0.95 * share..share).contains(&goodput);
            assert!(is_share || expected.is_none(), "{feedback:?}: {name} has {goodput} of {share}");
        }
    }
}

/// Four requests of a segment each at once, and a response of a segment to each: it carries the acknowledgement of its request. Where the
/// requests leave the router an acknowledgement bucket has a rate of 1 Mb/s, 8.32 ms for a segment of 1040 octets. The first
/// acknowledgement leaves with its response. The other responses go on at once and carry what has left, the first one; what they came
/// with the router sends alone, one every 8.32 ms.
#[test]
fn a_bucket_holds_back_what_data_acknowledges_and_not_the_data() {
    let sets = [
        "tcp.dialect=osu",
        "tcp.mss=1000 B",
        "tcp.handshake=false",
        "tcp.initial_window=10 segments",
        "traffic.exchanges={ count = 4, request = \"1000 B\", response = \"1000 B\", outstanding = 4 }",
        "duration=2 s",
        "queue.max-min.target_utilisation=0.01",
        "port.\"r->server\".rate_algorithm=max-min",
        "port.\"r->server\".tcp_feedback=bucket",
        "capture=[\"client\"]",
    ];
    let records = run("bucket", &sets);
    all_has_come(&records, 4);
    // Half a second and three transmissions to the router, and a tenth of a second behind it.
    let octets = |count: u64| Span::from_ps(80_000 * count);
    let first = Time::ZERO + Span::from_ms(500) + octets(3 * 1040);
    let responses = (0..4).map(|n| (first + Span::from_ms(100) + octets(1040 * (n + 1)), 1000, 1000 * n, 1000));
    let alone = (1..4).map(|n| {
        let left = first + Span::from_us(8320) * n;
        (left + Span::from_ms(100) + octets(40), 0, 1000 * (n + 1), 1000 * (n + 1))
    });
    let expected: Vec<(Time, u32, u64, u64)> = responses.chain(alone).collect();
    let came = records.captures[0].packets.iter().filter(|packet| !packet.sent);
    let came: Vec<_> =
        came.map(|packet| (packet.time, packet.segment.payload(), packet.segment.seq, packet.segment.ack)).collect();
    assert_eq!(came, expected);
}

/// Buckets for both directions of data, at 5 Mb/s of requests and 3.5 Mb/s of responses as above: each direction has the rate of its
/// bucket. Windows are larger than what that fills, and what is too much waits as acknowledgements. None of them is taken for a
/// duplicate, by senders with SACK or without.
#[test]
fn buckets_give_each_direction_its_rate() {
    for (recovery, feedback) in [("rack", "bucket"), ("new-reno", "bucket"), ("rack", "both")] {
        let sets = [
            &format!("tcp.recovery={recovery}"),
            &format!("tcp.dsack={}", recovery == "rack"),
            &format!("queue.tcp_feedback={feedback}"),
            "queue.feedback_round_trip=300 ms",
            "duration=20 s",
            "warmup=8 s",
            "link.near.delay=20 ms",
            "link.far.delay=80 ms",
            "link.\"r->server\".rate=10 Mbps",
            "link.\"r->client\".rate=7 Mbps",
            "traffic.exchanges={ count = \"endless\", request = \"120184 B\", response = \"83984 B\", outstanding = 16 }",
            "tcp.receive_window=200 kB",
            "queue.rate_algorithm=max-min",
            "queue.max-min.target_utilisation=0.5",
            "capture=[\"client\", \"server\"]",
        ];
        let sets = if feedback == "both" { &sets[..] } else { &[&sets[..3], &sets[4..]].concat() };
        let records = run(&format!("{recovery}, {feedback}"), sets);
        for (number, (name, rate)) in [("web", 5e6), ("web-back", 3.5e6)].into_iter().enumerate() {
            let goodput = flow(&records, name).goodput_after_warmup_bps.unwrap();
            let share = rate * 1448.0 / 1500.0;
            assert!((goodput / share - 1.0).abs() < 0.01, "{recovery}, {feedback}: {name} has {goodput} of {share}");
            let counts = flow(&records, name).counts;
            assert_eq!((counts.retransmissions, counts.fast_retransmits, counts.timeouts), (0, 0, 0), "{name}");
            // Those that routers make have numbers of their own.
            let came = records.captures[number].packets.iter().filter(|packet| !packet.sent);
            let made = came.filter(|packet| packet.frame >= 1 << 31).count();
            assert!(made > 50, "{recovery}, {feedback}: {made} packets made for the sender of {name}");
        }
        let edges: Vec<_> = records.ports.iter().filter_map(|port| port.feedback).collect();
        assert!(edges.iter().all(|edge| edge.most_acks_waiting > 5), "{edges:?}");
    }
}
