//! What is said about wrong files: one snapshot for each kind of mistake.

mod links;

use crate::render::{indented, said_about, said_about_files};
use ackclock_scenario::{LoadError, Memory, load};

/// What is said about each change of a good scenario of two sources.
fn changes(changes: &[&str]) -> String {
    let said = |change: &&str| {
        let files = Memory::new()
            .with("base.toml", crate::roundtrip::BASE)
            .with("test.toml", format!("extends = \"base.toml\"\n{change}"));
        format!("{}\n{}", change.trim_end(), indented(&said_about_files(&files, &[])))
    };
    changes.iter().map(said).collect::<Vec<_>>().join("\n")
}

/// What is said about each `--set` argument added to a good scenario of two sources.
fn sets(sets: &[&str]) -> String {
    let said = |set: &&str| format!("--set {set}\n{}", indented(&said_about(crate::roundtrip::BASE, &[set])));
    sets.iter().map(said).collect::<Vec<_>>().join("\n")
}

#[test]
fn all_errors_of_a_file_are_said_in_one_pass() {
    insta::assert_snapshot!(said_about(
        r#"
duration = "10"
warmup = 3
seeed = 4
[network]
topology = "n-source"
sources = 5
rate = "155.52 mbps"
access_delay = "5 us"
mss = 5
[queue]
bufer = 3000
buffer = 3000
policy = "epd+fba"
[tcp]
recovery = "sack"
mss = "0.3 B"
[ports."sw1->sw2"]
x = 1
"#,
        &[]
    ));
}

#[test]
fn broken_syntax() {
    let files = [
        "duration = \"10 s\nseed = 1\n",
        "duration = 10 s\nseed = 1\n[network]\nrate = 20Mbps\ntopology = n-source\nsources = five",
        "duration = \"10 s\"\n[port.sw1->sw2]\nbuffer = \"3000 cells\"\n",
        "duration = \"10 s\"\nduration = \"20 s\"\n[queue]\n[queue]\n",
        "duration = \"10 s\"\n[network\nwhatever = 1\n",
        "= 1\n[[]]\nx = [1, 2\n",
        "x = \"\\q\"\ny = 1e\nz = 08\n",
        "",
    ];
    let said = |file: &&str| format!("{file}\n{}", indented(&said_about(file, &[])));
    insta::assert_snapshot!(files.iter().map(said).collect::<Vec<_>>().join("\n---\n"));
}

#[test]
fn files_that_are_no_text_or_too_large() {
    let not_utf8 = Memory::new().with("test.toml", b"duration = \"10 s\"\nname = \"\xff\"\n".to_vec());
    let large = Memory::new().with("test.toml", vec![b'#'; (256 << 20) + 1]);
    let allowed = Memory::new().with("test.toml", vec![b'\n'; 2 << 20]);
    let nested = Memory::new().with("test.toml", format!("x = {}1{}", "[".repeat(300), "]".repeat(300)));
    assert!(said_about_files(&nested, &[]).contains("not TOML"));
    insta::assert_snapshot!(
        [&not_utf8, &large, &allowed, &Memory::new()].map(|files| said_about_files(files, &[])).join("\n")
    );
}

#[test]
fn quantities_need_units_that_fit() {
    insta::assert_snapshot!(changes(&[
        "queue.buffer = 3000",
        "queue.buffer = \"3000\"",
        "queue.buffer = 0.5",
        "queue.buffer = \"3000 bits\"",
        "queue.buffer = \"3000 cels\"",
        "queue.buffer = \"5 ms\"",
        "queue.buffer = \"infinit\"",
        "queue.buffer = true",
        "queue.buffer = [1]",
        "network.rate = \"20 mbps\"",
        "network.rate = \"20 Mb/s\"",
        "network.rate = \"20 MB\"",
        "network.rate = \"20 MB/s\"",
        "network.rate = \"20 MBps\"",
        "network.rate = \"20 mb/s\"",
        "network.rate = nan",
        "network.access_delay = \"-5 us\"",
        "network.access_delay = -5",
        "network.access_delay = \"0.1 ps\"",
        "tcp.mss = \"1460 b\"",
        "tcp.mss = \"1 KB\"",
        "tcp.initial_window = \"2\"",
        "tcp.initial_window = 2",
        "tcp.min_rto = 200",
        "tcp.min_rto = \"200 MS\"",
        "tcp.window_scale = \"4\"",
        "tcp.window_scale = \"big\"",
        "queue.selective-drop.threshold = \"0.9\"",
        "queue.selective-drop.threshold = \"90 %\"",
        "traffic.stop = 5",
        "traffic.size = \"1e30 B\"",
        "duration = 1979-05-27",
    ]));
}

#[test]
fn absurd_values() {
    insta::assert_snapshot!(changes(&[
        "duration = \"0 s\"",
        "duration = \"721 h\"",
        "warmup = \"1 s\"",
        "seed = -1",
        "seed = 9223372036854775808",
        "seed = \"1\"",
        "version = 3",
        "network.sources = 0",
        "network.sources = 1000000000",
        "network.sources = 10000001",
        "network.rate = \"0 bps\"",
        "network.rate = \"10.1 Tbps\"",
        "network.trunk_delay = \"0 s\"",
        "network.trunk_delay = \"61 min\"",
        "queue.buffer = \"0 cells\"",
        "queue.buffer = \"2147483649 cells\"",
        "queue.buffer = \"1000001 bdp\"",
        "queue.selective-drop.threshold = 0",
        "queue.selective-drop.threshold = 1.5",
        "queue.selective-drop.threshold = -0.1",
        "queue.selective-drop.threshold = inf",
        "queue.selective-drop.load_ratio = 0",
        "queue.selective-drop.load_ratio = nan",
        "queue.selective-drop.load_ratio = 1e7",
        "tcp.tick = \"0 ms\"",
        "tcp.tick = \"999 ps\"",
        "tcp.initial_window = \"0 segments\"",
        "tcp.window_scale = 15",
        "tcp.receive_window = \"1073741825 B\"",
        "tcp.host = \"served\"\ntcp.served = { segment_service = \"1 h\", ack_service = \"0 s\" }",
        "tcp.host = \"served\"\ntcp.served = { segment_service = \"3601 s\", ack_service = \"-1 ms\" }",
        "tcp.host = \"served\"\ntcp.served = { segment_service = 1, ack_service = \"61 min\" }",
        "flow.f1.tcp = { host = \"served\", served.ack_service = \"0.1 ps\" }",
        "traffic.size = \"0 B\"",
        "flow.f1.drops = [-1]",
        "flow.f1.drops = [{ segment = 1, transmission = 0 }]",
    ]));
}

#[test]
fn unknown_words_and_keys() {
    insta::assert_snapshot!(changes(&[
        "tcp.recovery = \"newreno\"",
        "tcp.recovery = \"sack\"",
        "tcp.recovery = \"tahoe\"",
        "tcp.recovery = \"NewReno\"",
        "tcp.recovery = \"quic\"",
        "tcp.host = \"slow\"",
        "tcp.host = \"served\"\ntcp.served = { distribution = \"uniform\", ack_number = \"late\", service = \"1 ms\" }",
        "queue.policy = \"drop-tail\"",
        "queue.policy = \"sd+\"",
        "queue.policy = \"codl\"",
        "port.\"sw1->sw2\".policy = \"epdd\"",
        "network.technology = \"pakcet\"\nqueue.policy = \"codl\"",
        "queue.policy = 3",
        "queue.service_order = \"round-robin\"",
        "tcp.delayed_ack = \"yes\"",
        "network.topology = \"nsource\"",
        "network.topology = \"parking-lot\"",
        "network.technology = \"cells\"",
        "bufer = 1",
        "queue.treshold = 0.5",
        "queue.mss = \"512 B\"",
        "tcp.start = \"1 s\"",
        "mss = \"512 B\"",
        "flow.f1.rate = \"5 Mbps\"",
        "flow.f1.tcp.bufer = 1",
        "traffic.colour = \"red\"",
        "ports.a = 1",
        "network.bandwidth = \"20 Mbps\"",
        "link.x = { ends = [\"s1\", \"s2\"], bandwidth = \"1 Mbps\", dely = \"1 ms\" }",
    ]));
}

#[test]
fn what_is_not_modelled_is_said_with_its_page() {
    insta::assert_snapshot!(changes(&[
        "queue.policy = \"choke\"",
        "queue.policy = \"fq_pie\"",
        "tcp.accecn = true",
        "tcp.congestion_control = \"westwood\"",
        "web.browsing = { from = \"s1\", to = \"d1\" }",
        "flow.f1.poisson = 1.2",
        "network.technology = \"wifi\"",
    ]));
}

/// ECN at a queue in place of its policy, without a queue that marks, and with a response that a congestion control does not define.
#[test]
fn what_ecn_needs_is_said() {
    insta::assert_snapshot!(changes(&[
        "queue.ecn = true",
        "tcp.ecn = \"classic\"",
        "tcp = { ecn = \"classic\", ecn_response = \"abe\", congestion_control = \"hybla\" }",
        "queue = { policy = \"drr\", drr = { ecn = true } }",
    ]));
}

#[test]
fn words_and_keys_of_other_programs_are_explained() {
    insta::assert_snapshot!(changes(&[
        "tcp.recovery = \"cubic\"",
        "tcp.congestion_control = \"rack\"",
        "tcp.congestion_control = \"bbr\"",
        "tcp.congestion_control = \"cubic\"",
        "queue.aqm = \"red\"",
        "link.\"sw1->sw2\".loss = 0.1",
        "link.\"sw1->sw2\".errors = { model = \"gilbert\" }",
    ]));
}

#[test]
fn wrong_kinds_of_tables() {
    insta::assert_snapshot!(changes(&[
        "network = 1",
        "queue = \"3000 cells\"",
        "[[flow]]\nfrom = \"s1\"",
        "[flow]\nstart = \"1 s\"",
        "[flow]\ntcp = { mss = \"512 B\" }",
        "[port]\nbuffer = \"5 cells\"",
        "[node]\nx = 1",
        "[flow.\"f 1\"]\nfrom = \"s1\"",
        "[flow.\"\"]\nfrom = \"s1\"",
        "flow.f1.tcp = 5",
        "flow.f1 = \"s1\"",
        "name = 5",
        "bottleneck = 5",
        "flow.f1.route = \"s1\"",
        "flow.f1.route = [\"s1\"]",
        "flow.f1.route = [\"s1\", 5]",
        "flow.f1.drops = 30",
        "flow.f1.drops = [\"30\", 1.5, {}, { segmnt = 4 }, { segment = \"4\" }]",
    ]));
}

#[test]
fn missing_keys() {
    let files = [
        "name = \"x\"\n",
        "duration = \"1 s\"\n[network]\n",
        "duration = \"1 s\"\n[network]\ntopology = \"n-source\"\n",
        "duration = \"1 s\"\n[network]\ntopology = \"dumbbell\"\nsources = 1\nrate = \"5 Mbps\"\n",
        "duration = \"1 s\"\n[network]\ntopology = \"graph\"\n",
        "duration = \"1 s\"\n[network]\ntopology = \"graph\"\n[node.a]\n[node.b]\nkind = \"host\"\n[link.l]\n[flow.f]\n",
        "duration = \"1 s\"\n[network]\ntopology = \"graph\"\n[node.a]\nkind = \"host\"\n[node.b]\nkind = \"host\"\n\
         [link.l]\nends = [\"a\", \"b\"]\nrate = \"1 Mbps\"\ndelay = \"1 ms\"\n",
    ];
    let said = |file: &&str| format!("{file}\n{}", indented(&said_about(file, &[])));
    insta::assert_snapshot!(files.iter().map(said).collect::<Vec<_>>().join("\n---\n"));
}

#[test]
fn keys_of_another_topology_or_technology() {
    insta::assert_snapshot!(changes(&[
        "network.bottleneck_rate = \"5 Mbps\"",
        "network.topology = \"graph\"",
        "packet.link_header = \"18 B\"",
        "network.technology = \"packet\"",
        "network.technology = \"packet\"\nqueue.policy = \"tail-drop\"",
        "network.technology = \"packet\"\nqueue = { policy = \"tail-drop\", buffer = \"20 packets\" }\natm.llc = true\n\
         flow.f1.pcr = \"1 Mbps\"",
        "queue.buffer = \"20 packets\"",
        "queue.buffer = \"159 kB\"",
    ]));
}

#[test]
fn networks_that_do_not_hang_together() {
    insta::assert_snapshot!(changes(&[
        "node.s1.kind = \"host\"",
        "node.h.kind = \"host\"",
        "link.x = { ends = [\"s1\", \"s1\"], rate = \"1 Mbps\", delay = \"1 ms\" }",
        "link.x = { ends = [\"s1\", \"sw1\"], rate = \"1 Mbps\", delay = \"1 ms\" }",
        "link.x = { ends = [\"s1\", \"s7\"], rate = \"1 Mbps\", delay = \"1 ms\" }",
        "link.x = { ends = [\"s1\"], rate = \"1 Mbps\", delay = \"1 ms\" }",
        "link.x = { ends = [\"s1\", \"d1\"], rate = \"1 Mbps\" }\n\
         link.y = { ends = [\"d1\", \"s1\"], rate = \"1 Mbps\", delay = \"1 ms\" }",
        "bottleneck = \"sw1-sw2\"",
        "bottleneck = \"sw2->sw3\"",
        "bottleneck = \"sw2->sw1\"",
        "flow.f2.tcp.mss = \"1024 B\"",
        "port.\"sw1->sw3\".buffer = \"50 cells\"",
        "port.\"s1->sw1\".buffer = \"50 cells\"",
        "port.\"sw1\".buffer = \"50 cells\"",
    ]));
}

/// Data that applications write piece by piece.
#[test]
fn pieces_that_are_no_segments() {
    insta::assert_snapshot!(changes(&[
        "traffic.write = \"1000 B\"",
        "flow.f1 = { write = \"9180 B\", tcp = { mss = \"4 kB\" } }",
        "flow.f1 = { write = \"0 segments\" }",
        "traffic.write = \"some\"",
        "traffic.write_interval = \"1 s\"",
        "traffic.write_interval = \"1 s\"\nflow.f1.write = \"2 segments\"",
        "flow.f1.write_interval = \"1 s\"",
        "traffic.write = \"1 segment\"\ntraffic.write_interval = \"0 s\"",
    ]));
}

/// Applications that are not there, or not as their keys say.
#[test]
fn applications_that_cannot_work() {
    insta::assert_snapshot!(changes(&[
        "traffic.application = \"telnet\"",
        "traffic.application = \"writes\"",
        "traffic.write = \"all\"\nflow.f1.application = \"writes\"",
        "traffic = { application = \"bulk\", write = \"2 segments\" }",
        "traffic.bulk.rate = \"1 Mbps\"",
        "flow.f1.writes.write = \"2 segments\"",
        "flow.f1 = { application = \"on-off\", write = \"2 segments\" }",
        "flow.f1 = { application = \"on-off\", write = \"all\", write_interval = \"1 s\" }",
        "flow.f1.on-off.rate = \"1 Mbps\"",
        "traffic.on_off.rate = \"1 Mbps\"",
        "traffic.application = \"on-off\"\ntraffic.on-off.rate = \"0 bps\"",
        "traffic.application = \"on-off\"\nflow.f1.on-off = { on = \"0 s\", off = \"0 s\" }",
        "traffic = { application = \"on-off\", on-off = { on_distribution = \"pareto\", on_shape = 1.0, off_shape = 2 } }",
        "traffic = { application = \"on-off\", on-off = { on = \"1 us\" } }",
        "traffic = { application = \"on-off\", on-off = { off_distribution = \"weibull\" } }",
    ]));
}

#[test]
fn flows_that_lead_nowhere() {
    insta::assert_snapshot!(changes(&[
        "flow.f3.start = \"0.5 s\"",
        "flow.x.from = \"s1\"",
        "flow.x = { from = \"s1\", to = \"s1\" }",
        "flow.x = { from = \"s1\", to = \"d9\" }",
        "flow.x = { from = \"sw1\", to = \"d2\" }",
        "flow.f1.to = \"s1\"",
        "node.lost.kind = \"host\"\nflow.x = { from = \"s1\", to = \"lost\" }",
        "flow.f1.route = [\"s1\", \"sw1\", \"d1\"]",
        "flow.f1.route = [\"s1\", \"sw1\", \"sw2\", \"d2\"]",
        "flow.f1.route = [\"s1\", \"sw1\", \"s2\", \"sw1\", \"sw2\", \"d1\"]",
        "flow.f1.route = [\"s1\", \"sw1\", \"sw2\", \"sw1\", \"sw2\", \"d1\"]",
        "flow.f1.back_route = [\"d1\", \"sw9\", \"s1\"]",
        "flow.f1.stop = \"0 s\"",
        "flow.f1 = { start = \"0.5 s\", stop = \"0.5 s\" }",
        "flow.f1.start = \"1 s\"",
        "flow.f1 = { size = \"1024 B\", drops = [1] }",
        "flow.f1 = { size = \"1024 B\", drops = [2] }",
        "flow.f1.drops = [1, 1]",
        "atm.pcr = \"155.53 Mbps\"",
        "flow.f2.pcr = \"200 Mbps\"",
    ]));
}

#[test]
fn queues_that_cannot_work() {
    insta::assert_snapshot!(changes(&[
        "queue.buffer = \"11 cells\"",
        "queue.buffer = \"12 cells\"",
        "queue.buffer = \"1000 bdp\"\nnetwork.trunk_delay = \"1 h\"",
        "queue.buffer = \"1e20 cells\"",
        "queue.buffer = \"infinite\"",
        "queue = { buffer = \"infinite\", selective-drop.threshold = 0.5 }",
        "queue = { buffer = \"infinite\", selective-drop.threshold = \"900 cells\" }",
        "queue = { buffer = \"infinite\", fba.threshold = \"900 cells\", policy = \"fba\" }",
        "queue.selective-drop.threshold = \"1000 cells\"",
        "queue.selective-drop.threshold = \"1001 cells\"",
        "queue = { policy = \"fba\", fba.threshold = \"1000 cells\" }",
        "queue = { policy = \"fba\", fba.threshold = 1 }",
        "queue = { policy = \"fba\", fba.threshold = \"999 cells\" }",
        "queue.selective-drop = { forgiveness = \"episode\", episode_end = 0.9 }",
        "queue.selective-drop = { forgiveness = \"episode\", episode_end = 0.91 }",
        "node.sw3.kind = \"switch\"\nlink.x = { ends = [\"sw2\", \"sw3\"], rate = \"1 Mbps\", delay = \"1 ms\" }\n\
         port.\"sw2->sw3\".buffer = \"1 bdp\"",
    ]));
}

/// What each key is called now, with its place; of keys that several mechanisms have, that of the one that is chosen.
#[test]
fn files_of_version_1() {
    insta::assert_snapshot!(changes(&[
        "version = 1",
        "version = 1\ntcp.growth = \"reno\"",
        "tcp = { growth = \"cubic\", cubic_c = 0.4, cubic_beta = 0.7 }",
        "tcp = { growth = \"vegas-a\", alpha = 2, ab_step = \"rtt\", recovery = \"vegas\" }",
        "tcp = { growth = \"bbr3\", rtprop_window = \"5 s\", probe_rtt = \"100 ms\" }",
        "tcp.growth = \"bbr1\"\nflow.f1.tcp = { growth = \"westwood\", restart_timer_on_partial_ack = false }",
        "version = 1\nqueue.policy = \"epd\"\nqueue.threshold = 0.5",
        "version = 1\nqueue.load_ratio = 0.9\nbufer = 1",
        "version = 2\ntcp.growth = \"reno\"",
    ]));
}

/// Tables of mechanisms that there are not, and parameters that stand elsewhere.
#[test]
fn tables_of_mechanisms() {
    insta::assert_snapshot!(changes(&[
        "tcp.cubik.c = 1",
        "tcp.vanilla.reordering = 1",
        "tcp.alpha = 1",
        "tcp.cubic.alpha = 1",
        "tcp.vegas-a.increse = \"spread\"",
        "tcp.cubic = 1",
        "tcp.congestion_control.cubic = 1",
        "flow.f1.tcp.cubik.c = 1",
        "flow.f1.tcp = { congestion_control = \"cubic\", cubic.c = 2 }",
        "queue.redd.max_p = 0.1",
        "queue.tail-drop.threshold = 1",
        "queue.threshold = 0.5",
        "port.\"sw1->sw2\".sd.threshold = 0.5",
    ]));
}

#[test]
fn tcp_that_cannot_work() {
    insta::assert_snapshot!(changes(&[
        "tcp.mss = \"65488 B\"",
        "tcp = { mss = \"65487 B\" }\nqueue.buffer = \"10000 cells\"",
        "tcp.receive_window = \"511 B\"",
        "tcp.receive_window = \"512 B\"",
        "tcp = { receive_window = \"600000 B\", window_scale = 3 }",
        "tcp = { receive_window = \"600000 B\", window_scale = 4 }",
        "tcp = { receive_window = \"600 B\", window_scale = 14 }",
        "tcp.tick_phase = \"100 ms\"",
        "tcp.tick_phase = \"99 ms\"",
        "tcp.max_rto = \"199 ms\"\ntcp.initial_rto = \"199 ms\"",
        "tcp.max_rto = \"2 s\"",
        "tcp = { tick = \"1 ns\", min_rto = \"10 s\" }",
        "tcp = { congestion_control = \"reno\", recovery = \"vegas\" }",
        "tcp = { congestion_control = \"vegas-linux\", recovery = \"vegas-1995\" }",
        "tcp = { congestion_control = \"bbr1\", recovery = \"new-reno\" }",
        "tcp = { congestion_control = \"bbr1\", recovery = \"rfc6675\" }",
        "tcp = { recovery = \"rfc6675\", rfc6675.restart_timer_on_partial_ack = \"first\" }",
        "tcp = { recovery = \"new-reno\", new-reno.restart_timer_on_partial_ack = \"second\" }",
        "tcp = { recovery = \"new-reno\", new-reno.restart_timer_on_partial_ack = \"first\", initial_ssthresh = \"infinite\" }",
        "tcp = { congestion_control = \"bbr1\", receiver_sack = false }",
        "tcp = { congestion_control = \"bbr3\", recovery = \"reno\" }",
        "tcp = { dialect = \"ns2-2001\", handshake = true }",
        "tcp = { congestion_control = \"vegas\", vegas.alpha = 4 }",
        "tcp = { congestion_control = \"vegas-linux\", vegas-linux.alpha = 5 }",
        "tcp = { congestion_control = \"vegas-a\", vegas-a.alpha_max = 0.5 }",
        "tcp = { congestion_control = \"vegas-a\", vegas-a.tie_up_probability = 0.5, vegas-a.tie_down_probability = 0.6 }",
        "tcp = { congestion_control = \"vegas-a\", vegas-a.tie_up_probability = 1.01 }",
    ]));
}

#[test]
fn keys_without_effect() {
    insta::assert_snapshot!(changes(&[
        "queue = { policy = \"tail-drop\", epd.threshold = 0.5, service_order = \"fixed\" }",
        "queue = { policy = \"tail-drop\", epd.threshold = 0.5 }\nport.\"sw1->sw2\".policy = \"epd\"",
        "queue.selective-drop.episode_end = 0.5",
        "tcp = { recovery = \"vanilla\", new-reno.guard_after_timeout = false, delayed_ack_timeout = \"100 ms\" }",
        "tcp = { recovery = \"vanilla\", new-reno.guard_after_timeout = false }\nflow.f2.tcp.recovery = \"new-reno\"",
        "flow.f2.tcp.fall-floyd.partial_ack_pipe = \"1 segment\"",
        "tcp = { congestion_control = \"vegas\", cubic.c = 1 }",
        "tcp = { congestion_control = \"cubic\", bbr1.probe_rtt = \"100 ms\" }",
        "tcp = { congestion_control = \"vegas\", reno.congestion_avoidance = \"float\", vegas-a.increase = \"spread\" }",
        "bottleneck = \"none\"\ncapacity = \"5 Mbps\"",
    ]));
}

#[test]
fn chains_of_files() {
    let files = [
        Memory::new().with("test.toml", "extends = \"test.toml\""),
        Memory::new().with("test.toml", "extends = \"a.toml\"").with("a.toml", "# a\nextends = \"./test.toml\""),
        Memory::new().with("test.toml", "extends = \"missing.toml\""),
        Memory::new().with("test.toml", "extends = 5"),
        Memory::new().with("test.toml", "extends = \"base.toml\"").with("base.toml", "seed = -1\nduration = 5"),
    ];
    let mut deep = Memory::new().with("test.toml", "extends = \"0.toml\"");
    for i in 0..20 {
        deep = deep.with(&format!("{i}.toml"), format!("extends = \"{}.toml\"", i + 1));
    }
    let said: Vec<String> = files.iter().chain([&deep]).map(|files| said_about_files(files, &[])).collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn wrong_arguments() {
    insta::assert_snapshot!(sets(&[
        "queue.buffer",
        "",
        "=5",
        "queue..buffer=5",
        ".queue=5",
        "\"queue.buffer=5",
        "queue.bufer=3000 cells",
        "queue.buffer=3000",
        "queue.buffer=11 cells",
        "quee.buffer=3000 cells",
        "flow.f1.drops=[30, 31",
        "flow.f1.drops=[30, x]",
        "name=\"x",
        "extends=base.toml",
        "port.sw1->sw3.buffer=50 cells",
        "duration.x=5",
        "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r=1",
    ]));
}

#[test]
fn a_file_full_of_errors_is_refused_quickly_and_not_at_endless_length() {
    let files = [
        "x = 1\n".repeat(150_000),
        "[[[[".repeat(200_000),
        "=".repeat(1_000_000),
        (0..60_000).map(|i| format!("x{i} = 1\n")).collect(),
        format!("[flow.f1]\ndrops = [{}]", "1,".repeat(400_000)),
        (0..30_000).map(|i| format!("[port.a{i}]\npolicy = 1\n")).collect(),
        format!(
            "{}\n{}",
            crate::roundtrip::BASE,
            (0..30_000).map(|i| format!("[port.\"sw1->s{i}\"]\n")).collect::<String>()
        ),
    ];
    for file in files {
        let start: String = file.chars().take(40).collect();
        match load(&Memory::new().with("test.toml", file), "test.toml", &[]) {
            Err(LoadError::Invalid(errors)) => assert!(errors.len() <= 2_001, "{start}: {}", errors.len()),
            other => panic!("{start}: {other:?}"),
        }
    }
}
