//! What is said about wrong links, packet queues, and sources of datagrams.

use super::sets;
use crate::render::{indented, said_about, said_about_files};
use ackclock_scenario::Memory;

/// A packet network of one link, with this said about it.
fn link(keys: &str) -> String {
    let file = format!(
        "duration = \"10 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"graph\"\n[node]\na.kind = \"host\"\n\
         r.kind = \"switch\"\nb.kind = \"host\"\n[flow.f]\nfrom = \"a\"\nto = \"b\"\n[link.x]\nends = [\"a\", \"r\"]\n\
         rate = \"1 Mbps\"\ndelay = \"1 ms\"\n[link.y]\nends = [\"r\", \"b\"]\n{keys}\n"
    );
    format!("{keys}\n{}", indented(&said_about(&file, &[])))
}

#[test]
fn models_that_corrupt_every_packet_are_warned_of() {
    let said = |errors: &str| link(&format!("rate = \"1 Mbps\"\ndelay = \"1 ms\"\nerrors = {errors}"));
    insta::assert_snapshot!(said("{ model = \"uniform\", rate = 1 }"), @r#"
    rate = "1 Mbps"
    delay = "1 ms"
    errors = { model = "uniform", rate = 1 }
        warning: every packet is corrupted
          --> test.toml:20:38
           | errors = { model = "uniform", rate = 1 }
           |                                      ^ no packet that it applies to can arrive
           = help: a probability of 0.01 is one packet in a hundred; for a link that is down, write `outages`
    "#);
    let markov = |good: &str| {
        let state = |loss: &str| format!("{{ interval = \"1 s\", stay = 0.5, loss = {loss} }}");
        format!("{{ model = \"markov\", good = {}, bad = {} }}", state(good), state("1"))
    };
    for (all, some) in [
        (
            "{ model = \"uniform\", rate = 1, unit = \"bit\" }".to_owned(),
            "{ model = \"uniform\", rate = 0.99 }".to_owned(),
        ),
        ("{ model = \"periodic\", every = 1 }".to_owned(), "{ model = \"periodic\", every = 2 }".to_owned()),
        (markov("1"), markov("0.9")),
    ] {
        assert!(said(&all).contains("warning: every packet is corrupted"), "{}", said(&all));
        assert!(!said(&some).contains("every packet is corrupted"), "{}", said(&some));
    }
}

#[test]
fn links_that_cannot_be() {
    let plain = "rate = \"1 Mbps\"\ndelay = \"1 ms\"";
    let cases = [
        "rate = \"1 Mbps\"\ndelay = []".to_owned(),
        "rate = \"1 Mbps\"\ndelay = [{ at = \"1 s\", delay = \"1 ms\" }]".to_owned(),
        "rate = \"1 Mbps\"\ndelay = [\"1 ms\", { at = \"2 s\", delay = \"0 ms\" }, { at = \"1 s\", dely = \"1 ms\" }]".to_owned(),
        "rate = \"1 Mbps\"\ndelay = [\"1 ms\", { at = \"2 s\", delay = \"1 ms\" }, { at = \"1 s\", delay = \"1 ms\" }]".to_owned(),
        "rate = [\"1 Mbps\", { at = 5, rate = \"1 ms\" }]\ndelay = \"1 ms\"\nreordering = \"prevent\"".to_owned(),
        "rate = \"1 Mbps\"\ndelay = [\"1 ms\", { at = \"2 s\", delay = \"2 ms\" }]\ndelay_shape = \"linear\"\nunder_way = \"drop\"".to_owned(),
        format!("{plain}\noutages = [{{ from = \"0 s\", until = \"never\" }}]"),
        format!("{plain}\noutages = [{{ from = \"0 s\", until = \"10 s\" }}]"),
        format!("{plain}\noutages = [{{ from = \"3 s\", until = \"2 s\" }}, {{ from = \"1 s\" }}]"),
        format!("{plain}\nerrors = {{ model = \"uniform\", rate = 1.5 }}"),
        format!("{plain}\nerrors = {{ model = \"uniform\", rate = -0.1, every = 3 }}"),
        format!("{plain}\nerrors = {{ model = \"uniform\" }}"),
        format!("{plain}\nerrors = [{{ model = \"unifrom\", rate = 0.1 }}, 3, {{ modl = \"list\" }}]"),
        format!("{plain}\nerrors = {{ model = \"list\", packets = [3, 3], place = \"outgress\" }}"),
        format!("{plain}\nerrors = {{ model = \"periodic\", every = 5, offset = 5 }}"),
        format!("{plain}\nerrors = {{ model = \"uniform\", rate = 0.1, direction = \"a->r\" }}"),
        format!(
            "{plain}\nerrors = {{ model = \"markov\", good = {{ interval = \"1 s\", stay = 1, loss = 0 }}, \
             bad = {{ interval = \"0 s\", stay = 0.5, loss = 2 }} }}"
        ),
        format!(
            "{plain}\nerrors = {{ model = \"markov\", good = {{ interval = \"1 s\", stay = 1, loss = 0 }}, \
             bad = {{ interval = \"1 s\", stay = 0.5, loss = 0.1 }} }}"
        ),
    ];
    insta::assert_snapshot!(cases.iter().map(|keys| link(keys)).collect::<Vec<_>>().join("\n"));
}

#[test]
fn packet_queues_that_cannot_work() {
    let said = |queue: &str| {
        let plain = "rate = \"1 Mbps\"\ndelay = \"1 ms\"\n[queue]";
        link(&format!("{plain}\n{queue}"))
    };
    let cases = [
        "policy = \"epd\"\nbuffer = \"50 packets\"",
        "policy = \"epdd\"\nbuffer = \"50 packets\"",
        "policy = \"codl\"\nbuffer = \"50 packets\"",
        "policy = \"red\"\nred.min_threshold = \"20 packets\"",
        "policy = \"red\"\nred.max_p = 2\ncodel.target = \"1 ms\"",
        "policy = \"red\"\nmax_p = 0.2",
        "policy = \"red\"\nred.target = \"1 ms\"",
        "policy = \"red\"\nred = 5",
        "policy = \"codel\"\ncodel.target = \"0 ms\"",
        "policy = \"fq-codel\"\nfq-codel.flows = 0",
        "policy = \"fq-codel\"\nfq-codel.quantum = \"255 B\"",
        "policy = \"fq-codel\"\nfq-codel.limit = \"8191 packets\"",
        "buffer = \"1 packets\"\ncounting = \"ns-2\"",
    ];
    insta::assert_snapshot!(cases.map(said).join("\n"));
}

#[test]
fn links_of_atm_networks_are_plain() {
    insta::assert_snapshot!(sets(&[
        "node.h.kind=host",
        "link.z={ ends = [\"s1\", \"sw2\"], rate = \"1 Gbps\", delay = \"3 us\", errors = { model = \"uniform\", rate = 0.1 } }",
        "queue.policy=red",
        "queue.counting=ns-2",
    ]));
}

#[test]
fn datagrams_that_lead_nowhere() {
    let said = |table: &str| link(&format!("rate = \"1 Mbps\"\ndelay = \"1 ms\"\n[udp.u]\n{table}"));
    let cases = [
        "from = \"a\"\nto = \"b\"",
        "from = \"a\"\nto = \"a\"\nrate = \"1 Mbps\"",
        "from = \"r\"\nto = \"c\"\nrate = \"1 Mbps\"",
        "from = \"a\"\nto = \"b\"\nrate = \"1 Mbps\"\npayload = \"3 B\"\nstart = \"2 s\"\nstop = \"1 s\"",
        "from = \"a\"\nto = \"b\"\nrate = \"1 Mbps\"\nstart = \"2 s\"\nstop = \"1 s\"",
        "from = \"a\"\nto = \"b\"\nrate = \"900 kbps\"\nstart = \"20 s\"",
        "from = \"a\"\nto = \"b\"\nrate = \"1 Mbps\"",
        "from = \"a\"\nto = \"b\"\nrate = \"981308 bps\"",
        "from = \"a\"\nto = \"b\"\nrate = \"981309 bps\"",
        "from = \"a\"\nto = \"b\"\nrate = \"1 Mbps\"\n[udp.f]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbps\"",
    ];
    insta::assert_snapshot!(cases.map(said).join("\n"));
}

/// Datagrams in cells: a peak cell rate, frames that AAL5 can carry, and keys of flows only.
#[test]
fn datagrams_in_cells() {
    let said = |more: &str| sets(&[&format!("udp.u={{ from = \"s1\", to = \"d1\", rate = \"10 Mbps\"{more} }}")]);
    let cases = [
        ", pcr = \"200 Mbps\"",
        ", pcr = \"11 Mbps\"",
        ", pcr = \"fast\"",
        ", payload = \"65500 B\"",
        ", service = \"abr\"",
        ", size = \"1 MB\"",
    ];
    let in_packets = link(
        "rate = \"1 Mbps\"\ndelay = \"1 ms\"\n[udp.u]\nfrom = \"a\"\nto = \"b\"\nrate = \"9 kbps\"\npcr = \"1 Mbps\"",
    );
    insta::assert_snapshot!(format!("{}\n{in_packets}", cases.map(said).join("\n")));
}

#[test]
fn traces_that_cannot_be_followed() {
    let traces = [
        ("back.trace", "5\n9\n7\n"),
        ("word.trace", "5\nsoon\n"),
        ("empty.trace", "\n"),
        ("still.trace", "0\n0\n"),
        ("fine.trace", "3\n"),
        ("nothing.csv", "time_s,rate_mbps\n0,2\n1.5,0\n"),
        ("back.csv", "time_s,rate_mbps\n0,2\n3,1\n2,2\n"),
        ("late.csv", "time_s,rate_mbps\n1,2\n"),
        ("plain.csv", "0,2\n1,3\n"),
    ];
    let said = |keys: &str| {
        let file = format!(
            "duration = \"10 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"graph\"\n[node]\na.kind = \"host\"\n\
             b.kind = \"host\"\n[flow.f]\nfrom = \"a\"\nto = \"b\"\n[link.x]\nends = [\"a\", \"b\"]\n{keys}\n"
        );
        let files = Memory::new().with("test.toml", file);
        let files = traces.iter().fold(files, |files, (name, text)| files.with(name, *text));
        format!("{keys}\n{}", indented(&said_about_files(&files, &[])))
    };
    let named = |name: &&str| said(&format!("rate = {{ trace = \"{name}\" }}\ndelay = \"1 ms\""));
    let files: Vec<&str> = traces.iter().map(|(name, _)| *name).chain(["missing.trace"]).collect();
    let others = [
        "rate = { trace = \"fine.trace\" }\ndelay = \"0 s\"",
        "rate = { trace = \"fine.trace\", digest = \"00\" }\ndelay = \"1 ms\"",
        "rate = { trace = \"fine.trace\", format = \"pcap\" }\ndelay = \"1 ms\"",
        "rate = { trace = 3, speed = 2 }\ndelay = \"1 ms\"",
        "rate = { format = \"csv\" }\ndelay = \"1 ms\"",
        "rate = \"1 Mbps\"\ndelay = { trace = \"fine.trace\" }",
    ];
    let all: Vec<String> = files.iter().map(named).chain(others.map(said)).collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn laws_that_cannot_be() {
    let cases = [
        "{ law = \"exponential\" }",
        "{ law = \"exponental\", mean = \"1 ms\" }",
        "{ mean = \"1 ms\" }",
        "{ law = \"exponential\", mean = \"10 kB\" }",
        "{ law = \"exponential\", mean = \"1 ms\", shape = 2 }",
        "{ law = \"exponential\", mean = 5, men = 3 }",
        "{ law = \"pareto\", shape = 0.9, mean = \"1 ms\" }",
        "{ law = \"pareto\", shape = 1.5 }",
        "{ law = \"pareto\", shape = 1.5, least = \"1 ms\", mean = \"1 ms\" }",
        "{ law = \"pareto\", shape = 1.5, mean = \"1 ms\", most = \"1 s\" }",
        "{ law = \"pareto\", shape = 1.5, least = \"1 s\", most = \"1 ms\" }",
        "{ law = \"log-normal\", mean = \"0 s\", deviation = \"1 ms\" }",
        "{ law = \"uniform\", least = \"2 ms\", most = \"1 ms\" }",
        "{ law = \"listed\", values = [] }",
        "{ law = \"listed\", values = [\"1 ms\", 2, \"3 kB\"] }",
        "\"1 kB\"",
    ];
    let said = |law: &str| link(&format!("rate = \"1 Mbps\"\ndelay = \"10 ms\"\njitter = {law}"));
    let others = [
        "reorder = { probability = 2, delay = \"1 ms\" }",
        "reorder = { probability = 0.1 }",
        "reorder = { probability = 0.1, delay = { law = \"normal\", mean = \"1 ms\" } }",
    ];
    let others = others.map(|keys| link(&format!("rate = \"1 Mbps\"\ndelay = \"10 ms\"\n{keys}")));
    insta::assert_snapshot!(cases.iter().map(|law| said(law)).chain(others).collect::<Vec<_>>().join("\n"));
}

#[test]
fn times_on_without_a_mean() {
    let file = "duration = \"10 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"star\"\nsources = 2\nrate = \"1 Mbps\"\n\
        access_delay = \"1 ms\"\n[traffic]\napplication = \"on-off\"\n[traffic.on-off]\n\
        on = { law = \"pareto\", shape = 1, least = \"1 ms\" }\n";
    insta::assert_snapshot!(said_about(file, &[]));
}

#[test]
fn packets_that_come_twice_where_they_cannot() {
    let said = |name: &str, probability: &str| {
        let file = format!(
            "duration = \"10 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"star\"\nsources = 2\nrate = \"1 Mbps\"\n\
             access_delay = \"1 ms\"\n[link.\"{name}\"]\nduplicate = {probability}\n"
        );
        said_about(&file, &[])
    };
    assert_eq!([said("sw1->d1", "0.1"), said("s1->sw1", "0")], ["nothing\n", "nothing\n"]);
    insta::assert_snapshot!([said("s1->sw1", "0.1"), said("sw1->d1", "1.5")].join("\n"));
}

#[test]
fn sources_of_datagrams_that_change_as_they_cannot() {
    let said = |keys: &str| {
        let file = format!(
            "duration = \"10 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"star\"\nsources = 2\nrate = \"10 Mbps\"\n\
             access_delay = \"1 ms\"\n[udp.u]\nfrom = \"s1\"\nto = \"d1\"\n{keys}\n"
        );
        let files = Memory::new()
            .with("test.toml", file)
            .with("cell.trace", "3\n")
            .with("rates.csv", "time_s,rate_mbps\n0,1\n2,2\n");
        format!("{keys}\n{}", indented(&said_about_files(&files, &[])))
    };
    let cases = [
        "rate = { trace = \"rates.csv\" }",
        "rate = { trace = \"cell.trace\" }",
        "rate = \"1 Mbps\"\non = \"1 s\"",
        "rate = \"1 Mbps\"\noff = { law = \"exponential\", mean = \"1 s\" }",
        "rate = \"1 Mbps\"\non = \"1 s\"\noff = { law = \"pareto\", shape = 0.5, least = \"1 s\" }",
        "rate = \"1 Mbps\"\non = { law = \"pareto\", mean = \"1 ms\", shape = 1.0000001 }\noff = \"1 ms\"",
        "rate = \"1 Mbps\"\non = { law = \"log-normal\", mean = \"1 ms\", deviation = \"1 h\" }\noff = \"1 ms\"",
        "rate = \"1 Mbps\"\non = { law = \"constant\", value = \"0 s\" }\noff = \"1 ms\"",
        "rate = \"1 Mbps\"\non = { law = \"uniform\", least = \"0 s\", most = \"0 s\" }\noff = \"1 ms\"",
        "rate = \"1 Mbps\"\non = \"1 ms\"\noff = { law = \"listed\", values = [\"0 s\", \"1 us\"] }",
        "rate = \"1 Mbps\"\non = { law = \"normal\", mean = \"100 ms\", deviation = \"30 ms\" }\noff = \"100 ms\"",
        "rate = \"1 bps\"\non = \"1 ms\"\noff = \"1 s\"",
        "rate = \"1 Mbps\"\nburst = 3\ndither = true",
        "rate = [\"1 Mbps\", { at = \"2 s\", rate = \"20 Mbps\" }]",
        "rate = \"1 Mbps\"\nburst = 0",
        "echo = true",
        "rate = \"1 Mbps\"\ninterval = \"1 s\"",
        "interval = \"1 s\"\nburst = 2",
        "interval = \"1 s\"\necho = true\nroute = [\"s1\", \"sw1\", \"d1\"]",
    ];
    insta::assert_snapshot!(cases.map(said).join("\n"));
}

#[test]
fn exchanges_where_data_go_in_one_direction() {
    let said = |(technology, keys): (&str, &str)| {
        let (queue, topology) = match technology {
            "atm" => ("100 cells", "n-source"),
            _ => ("100 packets", "dumbbell"),
        };
        let rates = match technology {
            "atm" => "rate = \"155.52 Mbps\"\ntrunk_delay = \"5 ms\"",
            _ => "access_rate = \"100 Mbps\"\nbottleneck_rate = \"10 Mbps\"\nbottleneck_delay = \"5 ms\"",
        };
        let file = format!(
            "duration = \"10 s\"\n[network]\ntechnology = \"{technology}\"\ntopology = \"{topology}\"\nsources = 2\n{rates}\n\
             access_delay = \"1 ms\"\n[queue]\nbuffer = \"{queue}\"\n[flow.f1]\napplication = \"exchanges\"\n{keys}\n"
        );
        format!("{technology}\n{keys}\n{}", indented(&said_about_files(&Memory::new().with("test.toml", file), &[])))
    };
    let cases = [
        (
            "packet",
            "exchanges = { count = 3, response = { law = \"exponential\", mean = \"20 kB\" }, think = \"1 s\" }",
        ),
        ("atm", ""),
        ("packet", "size = \"1 MB\""),
        ("packet", "stop = \"5 s\""),
        ("packet", "reads = \"1 Mbps\""),
        ("packet", "tcp.first_segment = \"empty\""),
        ("packet", "tcp.host = \"served\""),
        ("packet", "[flow.f1-back]\nfrom = \"s1\"\nto = \"d2\""),
        ("packet", "exchanges = { count = 0 }"),
        ("packet", "exchanges = { request = \"1 s\" }"),
        ("packet", "[port.\"sw1->sw2\"]\nrate_algorithm = \"simplified-erica-plus\"\ntcp_feedback = \"window\""),
        ("packet", "[port.\"sw1->sw2\"]\nrate_algorithm = \"simplified-erica-plus\"\ntcp_feedback = \"both\""),
        (
            "packet",
            "encrypted_headers = true\n[port.\"sw1->sw2\"]\nrate_algorithm = \"erica\"\ntcp_feedback = \"window\"",
        ),
    ];
    insta::assert_snapshot!(cases.map(said).join("\n"));
}
