//! What good files mean.

use std::path::{Path, PathBuf};

use crate::good::link;
use ackclock::queue::PolicyParams;
use ackclock::queue::cell::{
    CellPolicyParams, EpdParams, FbaParams, Forgiveness, FrameParams, LoadRatioArithmetic, SelectiveDropParams,
};
use ackclock::scenario::{Buffer, Flow, ForcedDrop, NodeKind, Queue, Route, Scenario, ServiceOrder, Technology};
use ackclock::tcp::application::WritesParams;
use ackclock::tcp::cc::CongestionAvoidance;
use ackclock::tcp::recovery::{NewRenoParams, PartialAckTimer, PartialAckWindow};
use ackclock::tcp::{
    AckPolicy, ApplicationParams, CongestionControlParams, EcnParams, FirstSegment, HostModel, HostQueue,
    IdleReduction, InitialWindowFrom, OutOfOrder, RecoveryParams, RtoMargin, RttSamples, SackParams, SegmentTimeout,
    SlowStartExit, SsthreshFrom, TcpParams, TickPhase, TimerKind, TimerParams, TimerScope, Undo, UndoResponse,
    WindowGrowth, WindowRules,
};
use ackclock::units::{Rate, Span, Time};
use ackclock_scenario::{Disk, LoadError, Loaded, Memory, load, load_annotated};

fn loaded(files: &Memory, path: &str, sets: &[&str]) -> Loaded {
    annotated(files, path, sets).0
}

/// With the text that says where values come from.
fn annotated(files: &Memory, path: &str, sets: &[&str]) -> (Loaded, String) {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    match load_annotated(files, path, &sets) {
        Ok(loaded) => loaded,
        Err(error) => panic!("{error:#?}"),
    }
}

/// The scenario of a file that extends a good one of two sources.
fn changed(change: &str) -> Scenario {
    let file = format!("extends = \"base.toml\"\n{change}");
    let files = Memory::new().with("base.toml", crate::roundtrip::BASE).with("test.toml", file);
    let loaded = loaded(&files, "test.toml", &[]);
    crate::roundtrip::check_loaded(&loaded);
    loaded.scenario
}

fn flow<'a>(scenario: &'a Scenario, name: &str) -> &'a Flow {
    scenario.flows.iter().find(|flow| flow.name == name).unwrap_or_else(|| panic!("no flow {name}"))
}

fn names(scenario: &Scenario, route: &Route) -> Vec<String> {
    route.links().iter().map(|id| scenario.links[*id].name.clone()).collect()
}

fn mbps(mbps: f64) -> Rate {
    Rate::from_bps((mbps * 1e6) as u64).unwrap()
}

#[test]
fn defaults_are_those_of_the_osu_model() {
    let scenario = changed("");
    assert_eq!(scenario.name, "test");
    assert_eq!((scenario.duration, scenario.warmup), (Span::from_secs(1), Span::ZERO));
    assert_eq!(scenario.technology, Technology::Atm { llc: true });
    assert_eq!(*flow(&scenario, "f1").tcp, TcpParams::default());
    let expected = TcpParams {
        mss: 512,
        recovery: RecoveryParams::NewReno(NewRenoParams {
            guard_after_timeout: true,
            restart_timer_on_partial_ack: PartialAckTimer::Each,
            restart_timer_on_fast_retransmit: false,
            partial_ack_window: PartialAckWindow::Deflate,
            recovery_burst_segments: None,
            growth_at_recovery_end: false,
        }),
        congestion_control: CongestionControlParams::Reno(CongestionAvoidance::AckCounting),
        initial_window_segments: 1,
        initial_window_from: InitialWindowFrom::Start,
        initial_ssthresh: Some(65_535),
        receive_window: 65_535,
        window_scale: 0,
        window_rules: WindowRules {
            ssthresh_from: SsthreshFrom::Window,
            hold_ssthresh: false,
            grow_unused: true,
            restart_after_idle: false,
            idle_reduction: IdleReduction::RestartWindow,
            window_validation: false,
            limited_transmit: false,
            slow_start_exit: SlowStartExit::Loss,
            slow_start_limit: None,
            undo: Undo::Off,
            undo_response: UndoResponse::Restore,
            growth: WindowGrowth::Standard,
            f_rto: false,
        },
        timer: TimerParams {
            kind: TimerKind::Bsd,
            granularity: Span::from_ms(100),
            phase: TickPhase::Common(Span::ZERO),
            min_rto_ticks: 2,
            max_rto: Span::from_secs(64),
            initial_rto: Span::from_secs(3),
            scope: TimerScope::Connection,
            segment_timeout: SegmentTimeout::Current,
            samples: RttSamples::OneAtATime,
            rttvar_factor: 4,
            scaled_gains: false,
            restarts_at_fast_retransmit: false,
            margin: RtoMargin::None,
        },
        ack: AckPolicy::EverySegment,
        out_of_order: OutOfOrder::Buffer,
        header_bytes: 40,
        first_segment: FirstSegment::Data,
        handshake: false,
        fin: false,
        timestamp_clock: None,
        host: HostModel::Immediate,
        host_queue: HostQueue::Discard,
        receiver_sack: true,
        sack: SackParams { standard_blocks: 3, offset: None, duplicates: false },
        ecn: EcnParams::default(),
        reading: None,
        reneges_at: Vec::new(),
    };
    let f1 = flow(&scenario, "f1");
    assert_eq!(*f1.tcp, expected);
    assert_eq!((f1.start, f1.stop, f1.size, f1.service.pcr()), (Time::ZERO, None, None, None));
    let policy = selective_drop(900.0, 0.8);
    let queue =
        Queue { buffer: Buffer::Cells(1000), policy, service_order: ServiceOrder::Random, rates: None, feedback: None };
    assert_eq!(*link(&scenario, "sw1->sw2").queue, queue);
    assert_eq!(link(&scenario, "s1->sw1").queue.buffer, Buffer::Infinite);
}

fn selective_drop(threshold_cells: f64, load_ratio: f64) -> PolicyParams {
    let (arithmetic, frame) = (LoadRatioArithmetic::Real, FrameParams::PLAIN);
    let params = SelectiveDropParams { threshold_cells, load_ratio, arithmetic, frame };
    PolicyParams::Cells(CellPolicyParams::SelectiveDrop(params))
}

#[test]
fn n_sources_make_hosts_switches_links_and_flows_in_natural_order() {
    let scenario = changed("network.sources = 11");
    let nodes: Vec<&str> = scenario.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(nodes[..3], ["d1", "d2", "d3"]);
    assert_eq!(nodes[9..13], ["d10", "d11", "s1", "s2"]);
    assert_eq!(nodes[22..], ["sw1", "sw2"]);
    assert_eq!(scenario.nodes.iter().filter(|node| node.kind == NodeKind::Switch).count(), 2);
    assert_eq!(scenario.links.len(), 2 * 23);
    let flows: Vec<&str> = scenario.flows.iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(flows, ["f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11"]);
    let f11 = flow(&scenario, "f11");
    assert_eq!(names(&scenario, &f11.forward), ["s11->sw1", "sw1->sw2", "sw2->d11"]);
    assert_eq!(names(&scenario, &f11.backward), ["d11->sw2", "sw2->sw1", "sw1->s11"]);
}

#[test]
fn a_dumbbell_has_two_rates_and_delays() {
    let file = "duration = \"1 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 1\n\
                access_rate = \"100 Mbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"20 Mbps\"\n\
                bottleneck_delay = \"20 ms\"\n[queue]\nbuffer = \"1 bdp\"\n[tcp]\ndialect = \"osu\"\nmss = \"1460 B\"\n[packet]\nlink_header = \"18 B\"";
    let loaded = loaded(&Memory::new().with("a.toml", file), "a.toml", &[]);
    let scenario = &loaded.scenario;
    let trunk = link(scenario, "sw1->sw2");
    assert_eq!((trunk.rate, trunk.delay), (mbps(20.0), Span::from_ms(20)));
    assert_eq!(link(scenario, "d1->sw2").rate, mbps(100.0));
    // 20 Mb/s · 44 ms = 880 000 bit = 110 000 B
    assert_eq!(trunk.queue.buffer, Buffer::Bytes(110_000));
    // 20 Mb/s · 1460/(1460 + 40 + 18)
    let capacity = scenario.bottleneck.as_ref().unwrap().capacity_bps;
    assert!((capacity - 20e6 * 1460.0 / 1518.0).abs() < 1e-6, "{capacity}");
}

/// Packets of 1000 bytes in all; segments of 1448 bytes with headers and timestamps, and without timestamps in smaller
/// datagrams: the larger share, so that neither is above 1.
#[test]
fn capacity_is_the_payload_share_of_segments_with_their_headers_and_options() {
    let file = "duration = \"1 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 2\n\
                access_rate = \"100 Mbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"1 Mbps\"\n\
                bottleneck_delay = \"20 ms\"";
    let capacity = |sets: &[&str]| {
        let loaded = loaded(&Memory::new().with("a.toml", file), "a.toml", sets);
        loaded.scenario.bottleneck.unwrap().capacity_bps
    };
    assert_eq!(capacity(&["tcp.dialect=ns2-2001"]), 1e6);
    assert_eq!(capacity(&["tcp.dialect=standard"]), 1e6 * 1448.0 / 1500.0);
    let without = ["tcp.dialect=standard", "flow.f2.tcp.timestamps=false", "flow.f2.tcp.mss=1448 B"];
    assert_eq!(capacity(&without), 1e6 * 1448.0 / 1488.0);
}

#[test]
fn capacity_is_the_payload_share_of_the_framing_table() {
    // docs/models/aal5.md: at 155.52 Mb/s, LLC on, and one row with LLC off.
    for (mss, llc, expected) in [
        (512, true, 125.198),
        (1024, true, 130.642),
        (9140, true, 139.687),
        (9180, true, 139.571),
        (512, false, 125.198),
    ] {
        let scenario = changed(&format!("tcp.mss = \"{mss} B\"\natm.llc = {llc}"));
        let bottleneck = scenario.bottleneck.unwrap();
        assert_eq!(scenario.links[bottleneck.link].name, "sw1->sw2");
        assert!((bottleneck.capacity_bps / 1e6 - expected).abs() < 0.0005, "{mss}: {}", bottleneck.capacity_bps);
    }
    assert_eq!(changed("capacity = \"120.5 Mbps\"").bottleneck.unwrap().capacity_bps, 120.5e6);
    assert_eq!(changed("bottleneck = \"none\"").bottleneck, None);
    let other = "bottleneck = \"s1->sw1\"\nflow.f2.tcp.mss = \"1024 B\"";
    assert!((changed(other).bottleneck.unwrap().capacity_bps / 1e6 - 125.198).abs() < 0.0005);
    let explicit = "capacity = \"128 Mbps\"\nflow.f2.tcp.mss = \"1024 B\"";
    assert_eq!(changed(explicit).bottleneck.unwrap().capacity_bps, 128e6);
}

#[test]
fn a_bandwidth_delay_product_is_counted_in_whole_cells() {
    // The bandwidth-delay products of 30 us, 30 ms and 550 ms at 155.52 Mb/s. The LAN's 11 cells would not hold a frame of 12.
    for (access, trunk, bdp, cells) in [
        ("5 us", "5 us", "2 bdp", 22),
        ("5 ms", "5 ms", "1 bdp", 11_004),
        ("5 ms", "5 ms", "0.5 bdp", 5_502),
        ("1 ns", "274.999998 ms", "1 bdp", 201_736),
    ] {
        let change =
            format!("network.access_delay = \"{access}\"\nnetwork.trunk_delay = \"{trunk}\"\nqueue.buffer = \"{bdp}\"");
        assert_eq!(link(&changed(&change), "sw1->sw2").queue.buffer, Buffer::Cells(cells), "{change}");
    }
}

#[test]
fn a_bandwidth_delay_product_belongs_to_the_longest_flow_of_each_port() {
    let change = "queue.buffer = \"1 bdp\"\nnetwork.trunk_delay = \"5 ms\"\n\
                  node.far.kind = \"host\"\nlink.far = { ends = [\"far\", \"sw1\"], rate = \"155.52 Mbps\", delay = \"10 ms\" }\n\
                  flow.x = { from = \"far\", to = \"d1\" }\n\
                  node.sw3.kind = \"switch\"\nlink.unused = { ends = [\"sw2\", \"sw3\"], rate = \"1 Mbps\", delay = \"1 s\" }";
    let scenario = changed(change);
    // f1, f2: 2 · (5 us + 5 ms + 5 us) = 10.02 ms; x: 2 · (10 ms + 5 ms + 5 us) = 30.01 ms.
    // 155.52 Mb/s · 30.01 ms / 424 = 11007.4; · 10.02 ms / 424 = 3675.3
    assert_eq!(link(&scenario, "sw1->sw2").queue.buffer, Buffer::Cells(11_007));
    assert_eq!(link(&scenario, "sw2->d1").queue.buffer, Buffer::Cells(11_007));
    assert_eq!(link(&scenario, "sw2->d2").queue.buffer, Buffer::Cells(3_675));
    // Only acknowledgements of x come this way.
    assert_eq!(link(&scenario, "sw1->far").queue.buffer, Buffer::Cells(11_007));
    // Nothing comes this way.
    assert_eq!(link(&scenario, "sw2->sw3").queue.buffer, Buffer::Infinite);
}

#[test]
fn policies_have_their_own_thresholds() {
    for (policy, cells) in [("epd", 800.0), ("selective-drop", 900.0), ("fba", 500.0)] {
        let scenario = changed(&format!("queue.policy = \"{policy}\""));
        let threshold = link(&scenario, "sw1->sw2").queue.policy.threshold_cells().unwrap();
        assert_eq!(threshold, cells, "{policy}");
    }
    assert_eq!(link(&changed("queue.policy = \"tail-drop\""), "sw1->sw2").queue.policy, PolicyParams::TailDrop);
    let ppd = changed("queue = { policy = \"ppd\" }");
    assert_eq!(link(&ppd, "sw1->sw2").queue.policy, PolicyParams::Cells(CellPolicyParams::Ppd(())));
    let episode =
        changed("queue = { policy = \"epd\", epd = { threshold = \"700 cells\", forgiveness = \"episode\" } }");
    let forgiveness = Some(Forgiveness::Episode { threshold_cells: 700.0, low_threshold_cells: 700.0 });
    let frame = FrameParams { forgiveness, ..FrameParams::PLAIN };
    let policy = CellPolicyParams::Epd(EpdParams { threshold_cells: 700.0, frame });
    assert_eq!(link(&episode, "sw1->sw2").queue.policy, PolicyParams::Cells(policy));
}

#[test]
fn a_port_changes_single_keys_of_the_queue() {
    let scenario = changed(
        "queue.selective-drop.load_ratio = 0.7\nqueue.fba.load_ratio = 0.7\n[port.\"sw1->sw2\"]\nbuffer = \"2000 cells\"\n[port.\"sw2->sw1\"]\npolicy = \"fba\"\nservice_order = \"fixed\"",
    );
    let trunk = &link(&scenario, "sw1->sw2").queue;
    let policy = selective_drop(1800.0, 0.7);
    assert_eq!((trunk.buffer, &trunk.policy), (Buffer::Cells(2000), &policy));
    let back = &link(&scenario, "sw2->sw1").queue;
    let (arithmetic, frame) = (LoadRatioArithmetic::Real, FrameParams::PLAIN);
    let fba = FbaParams { threshold_cells: 500.0, load_ratio: 0.7, arithmetic, frame };
    let policy = PolicyParams::Cells(CellPolicyParams::Fba(fba));
    assert_eq!((&back.policy, back.service_order), (&policy, ServiceOrder::Fixed));
    assert_eq!(link(&scenario, "sw2->d1").queue.buffer, Buffer::Cells(1000));
}

/// An interval that [traffic] gives and does not use is that of a flow which writes piece by piece, in the resolved file too.
#[test]
fn flows_write_piece_by_piece() {
    for (text, bytes, ms) in [
        ("flow.f2.write = \"2 segments\"", 1024, 100),
        ("flow.f2 = { write = \"512 B\", write_interval = \"100 ms\" }", 512, 100),
        ("traffic.write_interval = \"1 s\"\nflow.f2.write = \"2 segments\"", 1024, 1000),
        ("traffic.write = \"1 segment\"\nflow.f2.write_interval = \"20 ms\"", 512, 20),
        ("traffic = { write = \"1 segment\", write_interval = \"20 ms\" }\nflow.f1.write = \"all\"", 512, 20),
    ] {
        let scenario = changed(text);
        let writes = ApplicationParams::Writes(WritesParams { bytes, interval: Span::from_ms(ms) });
        assert_eq!(*flow(&scenario, "f2").application, writes, "{text}");
        let everywhere = text.starts_with("traffic.write =");
        assert_eq!(*flow(&scenario, "f1").application != ApplicationParams::Bulk(()), everywhere, "{text}");
    }
}

#[test]
fn flows_change_single_keys_of_tcp_and_traffic() {
    let scenario = changed(
        "tcp = { mss = \"1024 B\", recovery = \"reno\" }\ntraffic.stop = \"0.9 s\"\ncapacity = \"1 Mbps\"\n[flow.f2]\nstart = \"0.5 s\"\nsize = \"1 MB\"\npcr = \"10 Mbps\"\n\
         drops = [7, { segment = 3, transmission = 2 }, 3]\n[flow.f2.tcp]\nmss = \"512 B\"\nmin_rto = \"250 ms\"\n\
         delayed_ack = true\ninitial_ssthresh = \"4 kB\"\ntick_phase = \"random\"\nreceive_window = \"600 kB\"",
    );
    let (f1, f2) = (flow(&scenario, "f1"), flow(&scenario, "f2"));
    assert_eq!((f1.tcp.mss, &f1.tcp.recovery), (1024, &RecoveryParams::Reno(())));
    assert_eq!((f2.tcp.mss, &f2.tcp.recovery), (512, &RecoveryParams::Reno(())));
    // 250 ms are 2.5 ticks of 100 ms: rounded up.
    assert_eq!(f2.tcp.timer.min_rto_ticks, 3);
    assert_eq!(f2.tcp.timer.phase, TickPhase::Random);
    assert_eq!(f2.tcp.ack, AckPolicy::Delayed { timeout: Span::from_ms(200) });
    assert_eq!((f2.tcp.initial_ssthresh, f2.tcp.receive_window, f2.tcp.window_scale), (Some(4_000), 600_000, 4));
    let stop = Some(Time::ZERO + Span::from_ms(900));
    assert_eq!((f2.start, f2.stop, f2.size), (Time::ZERO + Span::from_ms(500), stop, Some(1_000_000)));
    assert_eq!((f1.start, f1.stop, f1.size), (Time::ZERO, stop, None));
    assert_eq!((f1.service.pcr(), f2.service.pcr()), (None, Some(mbps(10.0))));
    let drop = |segment, transmission| ForcedDrop { segment, transmission };
    assert_eq!(f2.forced_drops, [drop(3, 1), drop(3, 2), drop(7, 1)]);
}

#[test]
fn the_guard_after_a_timeout_is_on_for_new_reno_and_off_for_fall_floyd() {
    let guard = |change: &str| match &flow(&changed(change), "f1").tcp.recovery {
        RecoveryParams::NewReno(params) => params.guard_after_timeout,
        RecoveryParams::FallFloyd(params) => params.guard_after_timeout,
        other => panic!("{other:?}"),
    };
    assert!(guard("tcp.recovery = \"new-reno\""));
    assert!(!guard("tcp.recovery = \"fall-floyd\""));
    assert!(guard("tcp = { recovery = \"fall-floyd\", fall-floyd.guard_after_timeout = true }"));
    // What is written for all flows does not become the default of one with another recovery.
    assert!(!guard("flow.f1.tcp.recovery = \"fall-floyd\""));
    assert!(!guard("tcp.new-reno.guard_after_timeout = false\nflow.f1.tcp.recovery = \"new-reno\""));
}

const SQUARE: &str = r#"
duration = "1 s"
network = { topology = "graph" }
node = { a.kind = "host", b.kind = "host", c.kind = "host", w.kind = "switch", x2.kind = "switch", x10.kind = "switch", z.kind = "switch" }
[link]
l1 = { ends = ["a", "w"], rate = "1 Gbps", delay = "1 us" }
l2 = { ends = ["w", "x10"], rate = "1 Gbps", delay = "1 us" }
l3 = { ends = ["w", "x2"], rate = "1 Gbps", delay = "1 us" }
l4 = { ends = ["x10", "z"], rate = "1 Gbps", delay = "1 us" }
l5 = { ends = ["x2", "z"], rate = "1 Gbps", delay = "1 us" }
l6 = { ends = ["z", "b"], rate = "1 Gbps", delay = "1 us" }
l7 = { ends = ["a", "c"], rate = "1 Gbps", delay = "1 ns" }
l8 = { ends = ["c", "b"], rate = "1 Gbps", delay = "1 ns" }
[flow.f]
from = "a"
to = "b"
"#;

fn square(sets: &[&str]) -> Scenario {
    loaded(&Memory::new().with("square.toml", SQUARE), "square.toml", sets).scenario
}

#[test]
fn a_route_has_fewest_links_then_least_delay_then_the_first_names() {
    let route = |sets: &[&str]| {
        let scenario = square(sets);
        names(&scenario, &flow(&scenario, "f").forward).join(" ")
    };
    // Not through the host c, though that is two links only; x2 is before x10.
    assert_eq!(route(&[]), "a->w w->x2 x2->z z->b");
    assert_eq!(route(&["link.l5.delay=2 us"]), "a->w w->x10 x10->z z->b");
    let direct = r#"link.d={ ends = ["w", "z"], rate = "1 Mbps", delay = "1 s" }"#;
    assert_eq!(route(&[direct]), "a->w w->z z->b");
    assert_eq!(route(&[r#"link.d={ ends = ["b", "a"], rate = "1 Mbps", delay = "1 s" }"#]), "a->b");
    assert_eq!(route(&[r#"flow.f.route=["a", "w", "x10", "z", "b"]"#]), "a->w w->x10 x10->z z->b");
    let scenario = square(&[r#"flow.f.back_route=["b", "z", "x10", "w", "a"]"#]);
    let f = flow(&scenario, "f");
    assert_eq!(names(&scenario, &f.backward).join(" "), "b->z z->x10 x10->w w->a");
    assert_eq!(names(&scenario, &f.forward).join(" "), "a->w w->x2 x2->z z->b");
    assert_eq!(scenario.bottleneck, None);
}

#[test]
fn the_order_of_tables_in_the_file_makes_no_difference() {
    let mut blocks: Vec<&str> = SQUARE.lines().filter(|line| line.starts_with('l')).collect();
    blocks.reverse();
    let (head, _) = SQUARE.split_once("[link]").unwrap();
    let reordered = format!("{head}[link]\n{}\n[flow]\nf = {{ to = \"b\", from = \"a\" }}\n", blocks.join("\n"));
    let other = loaded(&Memory::new().with("square.toml", reordered), "square.toml", &[]);
    let one = loaded(&Memory::new().with("square.toml", SQUARE), "square.toml", &[]);
    assert_eq!(one.scenario, other.scenario);
    assert_eq!(one.resolved, other.resolved);
    let links: Vec<&str> = one.scenario.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(links[..6], ["a->c", "c->a", "a->w", "w->a", "b->c", "c->b"]);
}

#[test]
fn the_derived_file_wins_key_by_key() {
    let files = Memory::new()
        .with("base/a.toml", crate::roundtrip::BASE)
        .with("base/b.toml", "extends = \"a.toml\"\nseed = 7\n[queue]\nbuffer = \"500 cells\"\n[flow.f1]\ntcp = { mss = \"1024 B\" }\n")
        .with("c.toml", "extends = \"./base/b.toml\"\ncapacity = \"1 Mbps\"\n[queue]\npolicy = \"epd\"\n[flow.f1.tcp]\nrecovery = \"reno\"\n");
    let (loaded, annotated) = annotated(&files, "c.toml", &[]);
    assert_eq!((loaded.seed, loaded.scenario.name.as_str()), (7, "c"));
    let queue = &link(&loaded.scenario, "sw1->sw2").queue;
    assert_eq!(queue.buffer, Buffer::Cells(500));
    assert!(matches!(&queue.policy, PolicyParams::Cells(CellPolicyParams::Epd(epd)) if epd.threshold_cells == 400.0));
    let tcp = &flow(&loaded.scenario, "f1").tcp;
    assert_eq!((tcp.mss, &tcp.recovery), (1024, &RecoveryParams::Reno(())));
    assert!(annotated.contains("buffer = \"500 cells\""));
    assert!(annotated.contains("# from base/b.toml:4\n"), "{annotated}");
    assert!(!loaded.resolved.contains("extends"));
}

#[test]
fn arguments_win_over_files_and_later_ones_over_earlier_ones() {
    let files = Memory::new().with("a.toml", crate::roundtrip::BASE);
    let (loaded, annotated) = annotated(
        &files,
        "a.toml",
        &[
            "queue.buffer=3000 cells",
            "network.rate=20Mbps",
            " queue . buffer = 4_000cells ",
            "port.sw1->sw2.buffer=50 cells",
            "port.\"sw2->sw1\".buffer=\"60 cells\"",
            "queue.selective-drop.threshold=0.5",
            "flow.f1={ start = \"0.1 s\" }",
            "flow.f1.drops=[1, { segment = 2, transmission = 3 }]",
            "tcp.delayed_ack=true",
            "name=a = b",
            "seed=0x10",
        ],
    );
    let scenario = &loaded.scenario;
    assert_eq!(link(scenario, "sw2->d1").queue.buffer, Buffer::Cells(4000));
    assert_eq!(link(scenario, "sw1->sw2").queue.buffer, Buffer::Cells(50));
    assert_eq!(link(scenario, "sw2->sw1").queue.buffer, Buffer::Cells(60));
    assert_eq!(link(scenario, "sw1->sw2").rate, mbps(20.0));
    assert_eq!(flow(scenario, "f1").start, Time::ZERO + Span::from_ms(100));
    assert_eq!(flow(scenario, "f1").forced_drops.len(), 2);
    assert_eq!((scenario.name.as_str(), loaded.seed), ("a = b", 16));
    assert!(matches!(flow(scenario, "f2").tcp.ack, AckPolicy::Delayed { .. }));
    assert!(annotated.contains("buffer = \"4000 cells\"      # from --set\n"), "{annotated}");
}

#[test]
fn the_resolved_file_does_not_depend_on_how_values_are_given() {
    let base = Memory::new().with("x.toml", crate::roundtrip::BASE);
    let plain = loaded(&base, "x.toml", &["queue.buffer=3000 cells", "traffic.start=0.5 s"]);
    let spelled = crate::roundtrip::BASE.replace("1000 cells", "3_000cells").replace("\"5 us\"", "\"0.005 ms\"");
    let file =
        format!("{spelled}\n[traffic]\nstart = \"500ms\"\n[tcp]\nmss = \"0.512 kB\"\n[flow.f1]\nstart = \"0.5 s\"\n");
    let explicit = loaded(&Memory::new().with("x.toml", file), "x.toml", &[]);
    assert_eq!(plain.resolved, explicit.resolved);
    assert_eq!(plain.scenario, explicit.scenario);
    insta::assert_snapshot!(plain.resolved);
}

#[test]
fn the_annotated_file_says_where_values_come_from() {
    let files = Memory::new().with("base.toml", crate::roundtrip::BASE).with(
        "test.toml",
        "extends = \"base.toml\"\n[tcp]\nrecovery = \"fall-floyd\"\n[flow.r]\nfrom = \"d1\"\nto = \"s2\"\n[flow.r.tcp]\nrecovery = \"vanilla\"\n",
    );
    let (_, annotated) = annotated(&files, "test.toml", &["queue.selective-drop.forgiveness=episode"]);
    insta::assert_snapshot!(annotated);
}

#[test]
fn a_hundred_thousand_sources_load() {
    let files = Memory::new().with("a.toml", crate::roundtrip::BASE);
    let scenario = loaded(&files, "a.toml", &["network.sources=100000"]).scenario;
    assert_eq!((scenario.flows.len(), scenario.links.len()), (100_000, 400_002));
}

#[test]
fn every_scenario_of_the_repository_loads_without_a_word() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let files = scenario_files(&folder.canonicalize().unwrap());
    assert!(files.len() >= 10, "{files:?}");
    let mut unexpected = Vec::new();
    for path in files {
        let path = path.to_str().unwrap();
        match load(&Disk, path, &[]) {
            Ok(loaded) => {
                let warned: Vec<&str> = loaded.warnings.iter().map(|warning| &*warning.message).collect();
                let expected: Vec<&str> =
                    WARNS.iter().filter(|(file, _)| path.ends_with(file)).map(|(_, message)| *message).collect();
                if warned != expected {
                    unexpected.push(format!("{path}: {warned:#?}"));
                }
                crate::roundtrip::check_loaded(&loaded);
            }
            Err(LoadError::Invalid(all)) => panic!("{path}: {all:#?}"),
            Err(error) => panic!("{path}: {error:?}"),
        }
    }
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
}

/// Scenarios that show what is warned of.
const WARNS: [(&str, &str); 7] = [
    (
        "rate-control/route-change.toml",
        "from 2 s on the acknowledgements of f do not pass the router of the port r1->r2",
    ),
    (
        "atm-reverse-traffic.toml",
        "the receive window of detour is 65535 B, and the round trip over east->north has room for 97977 B",
    ),
    ("three-losses/base.toml", SMALL_WINDOW),
    ("three-losses/fall-floyd.toml", SMALL_WINDOW),
    ("three-losses/new-reno.toml", SMALL_WINDOW),
    ("three-losses/reno.toml", SMALL_WINDOW),
    ("three-losses/rfc6675.toml", SMALL_WINDOW),
];
/// There the window leaves no queue, so that nothing but the three segments is lost.
const SMALL_WINDOW: &str = "the receive window of f1 is 64 kB, and the round trip over sw1->sw2 has room for 583.2 kB";

fn scenario_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(scenario_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort();
    files
}
