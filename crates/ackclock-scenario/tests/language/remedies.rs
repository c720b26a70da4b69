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

#[test]
fn what_a_message_says_to_write_is_accepted() {
    let packet_keys = [
        "duration",
        "warmup",
        "record_interval",
        "capacity",
        "queue.buffer",
        "network.access_rate",
        "network.access_delay",
        "network.bottleneck_rate",
        "network.bottleneck_delay",
        "packet.link_header",
        "tcp.mss",
        "tcp.header",
        "tcp.receive_window",
        "tcp.window_scale",
        "tcp.min_rto",
        "tcp.tick",
        "tcp.tick_phase",
        "tcp.initial_rto",
        "tcp.max_rto",
        "tcp.initial_window",
        "tcp.initial_ssthresh",
        "tcp.delayed_ack_timeout",
        "traffic.start",
        "traffic.start_jitter",
        "traffic.stop",
        "traffic.size",
        "link.\"sw1->sw2\".jitter",
        "link.\"sw1->sw2\".mtu",
        "tcp.congestion_control",
        "tcp.recovery",
        "tcp.dialect",
        "queue.policy",
    ];
    let cell_keys = [
        "queue.buffer",
        "network.rate",
        "network.trunk_delay",
        "atm.pcr",
        "queue.policy",
        "queue.epd.threshold",
        "queue.selective-drop.threshold",
        "queue.fba.threshold",
        "queue.service_order",
    ];
    let bad = [
        "0",
        "1",
        "0.5",
        "1.5",
        "7",
        "-1",
        "\"0\"",
        "\"0.5\"",
        "\"5\"",
        "\"-5\"",
        "\"0 cells\"",
        "\"0.5 cells\"",
        "\"1 cell\"",
        "\"0 packets\"",
        "\"0.5 packets\"",
        "\"3 packets\"",
        "\"0 B\"",
        "\"1 B\"",
        "\"0.5 B\"",
        "\"100 kB\"",
        "\"0 s\"",
        "\"5 sec\"",
        "\"0 sec\"",
        "\"0 mbps\"",
        "\"5 mbps\"",
        "\"0 MB/s\"",
        "\"5 MB/s\"",
        "\"1e30 MB/s\"",
        "\"0 bdp\"",
        "\"50%\"",
        "\"0%\"",
        "\"150%\"",
        "\"0 celsl\"",
        "\"0.5 cels\"",
        "\"1e30 s\"",
        "\"0.1 ps\"",
        "\"bbrr\"",
        "\"tail-dorp\"",
        "\"inf\"",
        "\"sack\"",
        "\"epdd\"",
        "\"nevr\"",
        "\"atuo\"",
        "\"lnik-rate\"",
        "\"0.0000001 bdp\"",
        "\"100000000 cells\"",
        "65",
        "100000",
        "true",
    ];
    let mut fed_back = 0;
    let keys = packet_keys.iter().map(|key| (PACKETS, key)).chain(cell_keys.iter().map(|key| (CELLS, key)));
    for (file, key) in keys {
        for value in bad {
            for found in wrong(file, &format!("{key}={value}")) {
                // What the key itself cannot be; that it does not fit something else is another matter.
                let refused =
                    |remedy: &String| wrong(file, &format!("{key}={remedy}")).into_iter().find(is_about_value);
                let remedies = suggested(&found, key);
                fed_back += remedies.len();
                // Of `"1 cells" or "1 packets"` one is for each kind of network.
                if found.label.contains(" or ") && remedies.iter().any(|remedy| refused(remedy).is_none()) {
                    continue;
                }
                for remedy in remedies {
                    let refused = refused(&remedy);
                    assert!(refused.is_none(), "{key}={value}: {found:#?}\nsuggests {remedy}: {refused:#?}");
                }
            }
        }
    }
    assert!(fed_back > 150, "only {fed_back} remedies were found");
}

/// Whether a message is about the form of a value, and not about what else the scenario says.
fn is_about_value(found: &Diagnostic) -> bool {
    let words = ["needs a unit", "is no unit", "whole number", "unknown", "` is 0"];
    // That one key is less than another is about both.
    let is_about_two =
        ["less than", "the run lasts", "more than one frame"].iter().any(|words| found.message.contains(words));
    !is_about_two && words.iter().any(|words| found.message.contains(words))
}

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
