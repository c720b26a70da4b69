//! What can be run, but is probably not meant: each is said before the run, and its neighbour is not.

use crate::good;
use ackclock_scenario::{Memory, load_annotated};

/// Two hosts over 10 Mb/s and 20 ms: 25 kB are under way.
const FILE: &str = r#"
duration = "10 s"
[network]
technology = "packet"
topology = "dumbbell"
sources = 1
access_rate = "100 Mbps"
access_delay = "1 ms"
bottleneck_rate = "10 Mbps"
bottleneck_delay = "8 ms"
[queue]
buffer = "20 packets"
"#;

/// The warnings of a scenario with these `--set` arguments.
fn said(sets: &[&str]) -> Vec<String> {
    good::loaded(FILE, sets).warnings.iter().map(|warning| format!("{}: {}", warning.message, warning.label)).collect()
}

#[test]
fn each_doubt_is_said_and_its_neighbour_is_not() {
    assert_eq!(said(&[]), Vec::<String>::new());
    let table: &[(&[&str], &[&str], &str)] = &[
        (&["network.bottleneck_delay=2001 ms"], &["network.bottleneck_delay=2 s"], "more than 2 s"),
        (
            &["link.\"sw1->sw2\".delay=[\"8 ms\", { at = \"1 s\", delay = \"3 s\" }]"],
            &["link.\"sw1->sw2\".delay=[\"8 ms\", { at = \"1 s\", delay = \"1 s\" }]"],
            "`delay` is 3 s one way",
        ),
        (&["network.access_rate=9.9 Mbps"], &["network.access_rate=10 Mbps"], "the bottleneck sw1->sw2 is never full"),
        // Two sources bring as much as the bottleneck takes.
        (
            &["network.access_rate=4 Mbps", "network.sources=2"],
            &["network.access_rate=5 Mbps", "network.sources=2"],
            "its flows bring 8 Mbps at most",
        ),
        (
            &["link.\"sw1->sw2\".outages=[{ from = \"10 s\", until = \"11 s\" }]"],
            &["link.\"sw1->sw2\".outages=[{ from = \"9.9 s\", until = \"11 s\" }]"],
            "an outage begins at 10 s, when the run is over",
        ),
        (
            &["link.\"sw1->sw2\".rate=[\"10 Mbps\", { at = \"12 s\", rate = \"5 Mbps\" }]"],
            &["link.\"sw1->sw2\".rate=[\"10 Mbps\", { at = \"9 s\", rate = \"5 Mbps\" }]"],
            "a change comes at 12 s, when the run is over",
        ),
        (&["traffic.start=10 s"], &["traffic.start=9 s"], "the flow starts when the run is over"),
        (
            &["record=[\"queue\"]", "record_interval=11 s"],
            &["record=[\"queue\"]", "record_interval=10 s"],
            "`record_interval` is 11 s, longer than the run of 10 s",
        ),
        (
            &["record=[\"queue\"]", "duration=18 min", "record_interval=1 us"],
            &["record=[\"queue\"]", "duration=17 min", "record_interval=1 us"],
            "records have more than 1073741824 intervals, the most that are read again",
        ),
        (&["traffic.start_jitter=11 s"], &["traffic.start_jitter=10 s"], "`start_jitter` is 11 s, longer than the run"),
        (
            &["queue.policy=codel", "queue.codel.target=101 ms"],
            &["queue.policy=codel", "queue.codel.target=100 ms"],
            "`target` of codel is longer than its `interval`",
        ),
        (
            &["link.\"sw1->sw2\".jitter=9 ms"],
            &["link.\"sw1->sw2\".jitter=8 ms"],
            "more than the delay of sw1->sw2, 8 ms",
        ),
        // Ten milliseconds there and back: 2 * (8 + 1 + 1) ms * 10 Mb/s = 25 kB.
        (&["tcp.receive_window=24999 B"], &["tcp.receive_window=25 kB"], "limits goodput to 100 % of the rate"),
        (
            &["tcp.receive_window=5 kB"],
            &["tcp.receive_window=5 kB", "traffic.size=4 kB"],
            "limits goodput to 20 % of the rate of sw1->sw2",
        ),
        // Two flows share the link: each needs half of it.
        (
            &["tcp.receive_window=12 kB", "network.sources=2"],
            &["tcp.receive_window=13 kB", "network.sources=2"],
            "the receive windows of the 2 flows over sw1->sw2 do not fill it: that of f1 is 12 kB",
        ),
    ];
    for (doubtful, fine, words) in table {
        let warnings = said(doubtful);
        assert!(warnings.iter().any(|warning| warning.contains(words)), "{doubtful:?}: {warnings:#?}");
        let warnings = said(fine);
        assert!(!warnings.iter().any(|warning| warning.contains(words)), "{fine:?}: {warnings:#?}");
    }
}

/// The dialect and the window are those of the network, and `check --print` says why.
#[test]
fn packet_networks_have_the_tcp_of_today_and_a_window_that_follows_the_path() {
    let files = Memory::new().with("a.toml", FILE);
    let (loaded, annotated) = load_annotated(&files, "a.toml", &[]).unwrap();
    let line = |key: &str| annotated.lines().find(|line| line.starts_with(key)).unwrap().to_owned();
    assert!(line("dialect").contains("\"standard\"") && line("dialect").contains("hosts of today"), "{annotated}");
    // Twice 25 kB, and 20 datagrams of at most 1448 + 80 octets: 80 560; at least 65 535.
    assert_eq!(loaded.scenario.flows.iter().next().unwrap().tcp.receive_window, 80_560);
    assert!(line("receive_window").contains("\"auto\"") && line("receive_window").contains("80560 B"), "{annotated}");
    crate::roundtrip::check_loaded(&loaded);
    let window = |sets: &[&str]| {
        let scenario = good::loaded(FILE, sets).scenario;
        let tcp = &scenario.flows.iter().next().unwrap().tcp;
        (tcp.receive_window, tcp.window_scale)
    };
    // 50 ms of jitter: (8 + 1 + 1) * 2 + 50 = 70 ms are 87.5 kB, twice that 175 kB, and the buffer 30 560 B.
    assert_eq!(window(&["link.\"sw1->sw2\".jitter=50 ms"]), (205_560, 2));
    assert_eq!(window(&["queue.buffer=infinite"]), (50_000 + (4 << 20), 7));
    assert_eq!(window(&["network.bottleneck_rate=1 kbps"]).0, 65_535);
    assert_eq!(window(&["tcp.window_scale=0"]), (65_535, 0));
    assert_eq!(window(&["tcp.dialect=osu"]), (65_535, 0));
    assert_eq!(window(&["tcp.dialect=osu", "tcp.receive_window=auto", "tcp.mss=1448 B"]).0, 80_560);
    // On an ATM network all is as it was.
    let atm = "duration = \"1 s\"\n[network]\ntopology = \"n-source\"\nsources = 1\nrate = \"155.52 Mbps\"\n\
               access_delay = \"5 us\"\ntrunk_delay = \"5 us\"\n[queue]\nbuffer = \"1000 cells\"\n";
    let loaded = good::loaded(atm, &[]);
    assert!(
        loaded.resolved.contains("dialect = \"osu\"\n") && loaded.resolved.contains("receive_window = \"65535 B\"\n")
    );
}

#[test]
fn bbr_is_the_newest() {
    let loaded = good::loaded(FILE, &["tcp.congestion_control=bbr"]);
    assert!(loaded.resolved.contains("congestion_control = \"bbr3\"\n"), "{}", loaded.resolved);
}
