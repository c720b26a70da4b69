//! What a message says to write is itself accepted: the remedies of messages are fed back.

use ackclock_scenario::{Diagnostic, LoadError, Memory, load};

const PACKETS: &str = r#"
duration = "10 s"
[network]
technology = "packet"
topology = "dumbbell"
sources = 2
access_rate = "100 Mbps"
access_delay = "1 ms"
bottleneck_rate = "10 Mbps"
bottleneck_delay = "5 ms"
[queue]
buffer = "20 packets"
[link."sw1->sw2"]
jitter = "1 ms"
"#;

const CELLS: &str = r#"
duration = "10 s"
[network]
topology = "n-source"
sources = 2
rate = "155.52 Mbps"
access_delay = "5 us"
trunk_delay = "5 ms"
[queue]
buffer = "1000 cells"
policy = "epd"
"#;

/// What `set` makes of a scenario: nothing, or what is wrong at that argument.
fn wrong(file: &str, set: &str) -> Vec<Diagnostic> {
    let files = Memory::new().with("a.toml", file);
    match load(&files, "a.toml", &[set.to_owned()]) {
        Err(LoadError::Invalid(all)) => {
            all.into_iter().filter(|found| found.place.as_ref().is_some_and(|place| &*place.file == "--set")).collect()
        }
        _ => Vec::new(),
    }
}

/// The values that a message suggests: what stands in quotes after `write` and after `did you mean`, or bare after `write`.
fn suggested(found: &Diagnostic, key: &str) -> Vec<String> {
    let mut values = Vec::new();
    for text in [Some(&found.label), found.help.as_ref()].into_iter().flatten() {
        for word in ["write ", "did you mean ", "in bits per second: "] {
            let Some((_, rest)) = text.split_once(word) else { continue };
            let with_key = rest.split_once(" = ").filter(|(key, _)| !key.contains(' '));
            // What is to be written for another key does not fit this one.
            if with_key.is_some_and(|(other, _)| key.rsplit('.').next() != other.rsplit('.').next()) {
                continue;
            }
            let rest = with_key.map_or(rest, |(_, value)| value);
            if let Some(quoted) = rest.strip_prefix('"') {
                values.extend(
                    quoted.split('"').step_by(2).take_while(|value| value.len() < 40).map(|value| format!("{value:?}")),
                );
                // "x" or "y": every second part is a value; what follows the last quote is none.
                let quotes = rest.matches('"').count();
                values.truncate(quotes / 2);
            } else if let Some(number) = rest.split_whitespace().next().filter(|number| number.parse::<f64>().is_ok()) {
                values.push(number.to_owned());
            }
        }
    }
    values
}

/// Keys of quantities and of words, of a scenario of packets and of one of cells.
const PACKET_KEYS: &str = "duration warmup record_interval capacity queue.buffer network.access_rate network.access_delay \
    network.bottleneck_rate network.bottleneck_delay packet.link_header tcp.mss tcp.header tcp.receive_window \
    tcp.window_scale tcp.min_rto tcp.tick tcp.tick_phase tcp.initial_rto tcp.max_rto tcp.initial_window \
    tcp.initial_ssthresh tcp.delayed_ack_timeout traffic.start traffic.start_jitter traffic.stop traffic.size \
    link.\"sw1->sw2\".jitter link.\"sw1->sw2\".mtu tcp.congestion_control tcp.recovery tcp.dialect queue.policy";
const CELL_KEYS: &str = "queue.buffer network.rate network.trunk_delay atm.pcr queue.policy queue.epd.threshold \
    queue.selective-drop.threshold queue.fba.threshold queue.service_order";

/// Values that hardly any of them can have.
const BAD: &str = r#"0, 1, 0.5, 1.5, 7, -1, "0", "0.5", "5", "-5", "0 cells", "0.5 cells", "1 cell", "0 packets", "0.5 packets",
"3 packets", "0 B", "1 B", "0.5 B", "100 kB", "0 s", "5 sec", "0 sec", "0 mbps", "5 mbps", "0 MB/s", "5 MB/s",
"1e30 MB/s", "0 bdp", "50%", "0%", "150%", "0 celsl", "0.5 cels", "1e30 s", "0.1 ps", "bbrr", "tail-dorp", "inf",
"sack", "epdd", "nevr", "atuo", "lnik-rate", "0.0000001 bdp", "100000000 cells", 65, 100000, true"#;

#[test]
fn what_a_message_says_to_write_is_accepted() {
    let (mut fed_back, mut refused) = (0, String::new());
    let keys = PACKET_KEYS.split(' ').map(|key| (PACKETS, key)).chain(CELL_KEYS.split(' ').map(|key| (CELLS, key)));
    for (file, key) in keys {
        for value in BAD.split(',').map(str::trim) {
            for found in wrong(file, &format!("{key}={value}")) {
                // Of several remedies each is one.
                for remedy in suggested(&found, key) {
                    fed_back += 1;
                    for next in wrong(file, &format!("{key}={remedy}")).iter().filter(|next| !is_about_two(next)) {
                        let said = [&found, next].map(|of| format!("{}: {}: {:?}", of.message, of.label, of.help));
                        refused += &format!("{key}={value}: {}\n    {remedy}: {}\n", said[0], said[1]);
                    }
                }
            }
        }
    }
    assert!(refused.is_empty(), "suggested, and refused:\n{refused}");
    assert!(fed_back > 150, "only {fed_back} remedies were found");
}

/// Whether a message is about another key as well, which what is suggested for one need not fit.
fn is_about_two(found: &Diagnostic) -> bool {
    ABOUT_TWO.iter().any(|words| found.message.contains(words))
}

const ABOUT_TWO: [&str; 5] =
    ["less than", "the run lasts", "smaller than one frame", "above the rate of the link", "more than the buffer"];

#[test]
fn a_link_named_with_a_hyphen_is_recognised() {
    for name in ["sw1-sw2", "sw1_sw2", "sw1--sw2", "s1-sw1", "sw2-sw1"] {
        let files = Memory::new().with("a.toml", format!("{PACKETS}[link.{name}]\nrate = \"5 Mbps\"\n"));
        let Err(LoadError::Invalid(all)) = load(&files, "a.toml", &[]) else { panic!("{name} is accepted") };
        let (from, to) = (name.split(['-', '_']).next().unwrap(), name.rsplit(['-', '_']).next().unwrap());
        assert_eq!(all.len(), 1, "{all:#?}");
        assert_eq!(all[0].help.as_deref(), Some(&*format!("write [link.\"{from}->{to}\"]")), "{all:#?}");
    }
    // Another name is that of a new link.
    let files = Memory::new().with("a.toml", format!("{PACKETS}[link.sw1-west]\nrate = \"5 Mbps\"\n"));
    let Err(LoadError::Invalid(all)) = load(&files, "a.toml", &[]) else { panic!("accepted without ends") };
    assert!(all.iter().any(|found| found.message.contains("`ends` is missing")), "{all:#?}");
}
