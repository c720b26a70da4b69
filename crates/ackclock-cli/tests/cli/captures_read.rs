//! Captures of whole runs, read by tshark and tcptrace: what they count is what the run itself counted.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::programs::{
    Dissection, FIRST_DYNAMIC_PORT, TCPTRACE, TSHARK, dissect, installed, tcptrace_by_port, tshark, with_payload,
};
use crate::support::Place;

/// Data in both directions, two flows between the same hosts, losses at the trunk both ways, acknowledgements among
/// them; segments lost on purpose, one of them again and again. The link of `a` is slow, so that segments wait there
/// until a timeout takes them back. All files arrive long before the end, and are whole numbers of segments.
const NETWORK: &str = r#"
name = "crossing"
duration = "60 s"
capture = ["a", "b", "c"]

network = { technology = "TECHNOLOGY", topology = "graph" }
node = { west.kind = "switch", east.kind = "switch", a.kind = "host", b.kind = "host", c.kind = "host" }

[link]
trunk = { ends = ["west", "east"], rate = "4 Mbps", delay = "5 ms" }
a = { ends = ["a", "west"], rate = "1 Mbps", delay = "1 ms" }
b = { ends = ["b", "west"], rate = "10 Mbps", delay = "1 ms" }
c = { ends = ["c", "east"], rate = "10 Mbps", delay = "1 ms" }

[queue]
buffer = "BUFFER"
policy = "tail-drop"

[tcp]
dialect = "osu"
recovery = "RECOVERY"
mss = "512 B"
header = "HEADER"
tick = "50 ms"
receive_window = "65535 B"

[flow.back]
from = "c"
to = "a"
size = "102400 B"

[flow.f1]
from = "a"
to = "c"
size = "307200 B"
drops = [40, { segment = 40, transmission = 2 }, { segment = 40, transmission = 3 }, 41]

[flow.f2]
from = "a"
to = "c"
size = "204800 B"

[flow.f3]
from = "b"
to = "c"
size = "204800 B"
"#;

const MSS: u64 = 512;
/// The flows in the order of the scenario: name, sender's host, receiver's host, bytes.
const FLOWS: [(&str, &str, &str, u64); 4] =
    [("back", "c", "a", 102_400), ("f1", "a", "c", 307_200), ("f2", "a", "c", 204_800), ("f3", "b", "c", 204_800)];

/// A finished run with its captures.
struct Captured {
    run: Value,
    folder: PathBuf,
}

impl Captured {
    /// Runs a scenario on both engines, which write the same.
    fn new(name: &str, scenario: &str, hosts: &[&str]) -> Captured {
        let place = Place::with(name, scenario);
        let run = |engine: &str| {
            let command = format!("run scenario.toml --json --engine {engine} --out {engine}");
            place.run(&command).exits_with(0).json()["runs"][0].take()
        };
        let (reference, batched) = (run("reference"), run("batched"));
        assert_eq!(reference, batched);
        let folder = |engine: &str| place.path(engine).join("captures/seed-1");
        for host in hosts {
            let [reference, batched] =
                ["reference", "batched"].map(|engine| fs::read(folder(engine).join(format!("{host}.pcapng"))).unwrap());
            assert!(reference == batched, "{name}: both engines capture the same at {host}");
        }
        Captured { run: batched, folder: folder("batched") }
    }

    fn file(&self, host: &str) -> PathBuf {
        self.folder.join(format!("{host}.pcapng"))
    }

    /// The capture of a host with payload, and what tshark says of it: every packet is read without a message.
    fn dissected(&self, host: &str) -> (PathBuf, Dissection) {
        let file = self.file(host);
        let whole = file.with_extension("whole");
        fs::write(&whole, with_payload(&fs::read(&file).unwrap())).unwrap();
        let dissection = dissect(&whole, &[]);
        assert_eq!(dissection.having(&["_ws.malformed", "_ws.short"]), 0, "{}", file.display());
        (whole, dissection)
    }

    fn count(&self, flow: &str, key: &str) -> u64 {
        let flows = self.run["flows"].as_array().unwrap();
        let of = flows.iter().find(|this| this["name"] == flow).unwrap();
        of[key].as_u64().unwrap_or_else(|| panic!("{key} of {flow}: {}", of[key]))
    }

    /// How many segments began to leave the host.
    fn on_the_wire(&self, flow: &str) -> u64 {
        self.count(flow, "segments_sent") - self.count(flow, "segments_discarded_in_host")
    }

    fn drops_at(&self, port: &str) -> u64 {
        let ports = self.run["ports"].as_array().unwrap();
        ports.iter().find(|this| this["name"] == port).unwrap()["drops"]["total"].as_u64().unwrap()
    }
}

fn port(flow: usize) -> u16 {
    FIRST_DYNAMIC_PORT + flow as u16
}

/// What tshark says of the captures of a run. Returns for each flow how many data segments its capture calls lost.
fn read_by_tshark(captured: &Captured, name: &str) -> BTreeMap<&'static str, u64> {
    let mut lost: BTreeMap<&str, u64> = FLOWS.iter().map(|(flow, ..)| (*flow, 0)).collect();
    let mut damaged = FLOWS.iter().map(|(flow, ..)| (*flow, 0)).collect::<BTreeMap<&str, u64>>();
    let mut refused: BTreeMap<&str, u64> = BTreeMap::new();
    for host in ["a", "b", "c"] {
        let (_, dissection) = captured.dissected(host);
        let packets = dissection.0.len();
        assert!(packets > 100, "{name}");
        for layer in ["ip.checksum.status", "tcp.checksum.status"] {
            let good = dissection.all(layer).iter().filter(|status| ["1", "Good"].contains(status)).count();
            assert_eq!(good, packets, "{name} at {host}: {layer}");
        }
        // What is wrong in its eyes is what really happened: segments that were lost, or that came again.
        let losses = ["out-of-order segment", "Previous segment(s) not captured"];
        assert_eq!(dissection.warnings(&losses), [""; 0], "{name} at {host}");
        // Time never goes back.
        let times: Vec<f64> = dissection.all("frame.time_epoch").iter().map(|time| time.parse().unwrap()).collect();
        assert!(times.is_sorted(), "{name} at {host}");

        for (number, (comment, (length, from))) in dissection
            .all("frame.comment")
            .iter()
            .zip(dissection.all("tcp.len").iter().zip(ports(&captured.file(host))))
            .enumerate()
        {
            let Some((_, loss)) = comment.split_once(", lost ") else { continue };
            let place = format!("{name} at {host}, packet {}: {comment}", number + 1);
            let flow = FLOWS.iter().position(|(flow, ..)| comment.starts_with(&format!("flow {flow},"))).unwrap();
            let (flow, sender, receiver, _) = FLOWS[flow];
            let data = *length != "0";
            assert_eq!(host, if data { sender } else { receiver }, "{place}: told where it was sent");
            assert_eq!(from >= FIRST_DYNAMIC_PORT, data, "{place}");
            if loss.starts_with("on purpose at ") {
                assert!(flow == "f1" && data, "{place}");
            } else {
                // The ports that are too slow; and tail drop has only one reason.
                let ports = if host == "c" { &["east->west", "west->a"][..] } else { &["west->east"] };
                let port = ports.iter().find(|port| loss.contains(&format!("at {port} at "))).expect(&place);
                assert!(loss.ends_with(": overflow"), "{place}");
                *refused.entry(port).or_insert(0) += 1;
            }
            if data {
                *lost.get_mut(flow).unwrap() += 1;
            }
            *damaged.get_mut(flow).unwrap() += u64::from(loss.contains("with the end of the frame before"));
        }
        let on_purpose = dissection.all("frame.comment").iter().filter(|text| text.contains("lost on purpose")).count();
        assert_eq!(on_purpose, if host == "a" { 4 } else { 0 }, "{name} at {host}");
    }
    // A packet is refused once; a frame of cells may be several times, and the next may be lost with it.
    for port in ["west->east", "east->west", "west->a"] {
        let told = refused.get(port).copied().unwrap_or(0);
        let of_port = captured.drops_at(port);
        let fits = if name.contains("atm") { (told > 0) == (of_port > 0) } else { told == of_port };
        assert!(fits, "{name}: {told} packets told as lost at {port}, {of_port} units refused");
    }
    // Of some, every cell has arrived.
    for (flow, joined) in &damaged {
        let all = captured.count(flow, "damaged_frames") + captured.count(flow, "damaged_ack_frames");
        assert!(*joined <= all, "{name}: {flow}");
    }
    assert_eq!(damaged.values().any(|&joined| joined > 0), name.contains("atm"), "{name}: {damaged:?}");
    lost
}

/// The port that each packet comes from.
fn ports(file: &Path) -> Vec<u16> {
    tshark(file, &["-n", "-T", "fields", "-e", "tcp.srcport"])
        .lines()
        .map(|port| port.parse::<u16>().unwrap())
        .collect()
}

/// What tcptrace counts at both ends of each flow, against the run's own records.
fn read_by_tcptrace(captured: &Captured, name: &str, lost: Option<&BTreeMap<&str, u64>>) {
    let mut discarded_somewhere = false;
    for (number, (flow, sender, receiver, size)) in FLOWS.into_iter().enumerate() {
        let of = |file: &Path, label: &str| tcptrace_by_port(file)(label)[&port(number)];
        let count = |key: &str| captured.count(flow, key);
        let (there, here) = (captured.file(sender), captured.file(receiver));
        let discarded = count("segments_discarded_in_host");
        discarded_somewhere |= discarded > 0;

        let sent = captured.on_the_wire(flow);
        assert_eq!(of(&there, "actual data pkts"), sent, "{name}: {flow}");
        let bytes = count("bytes_sent") - discarded * MSS;
        assert_eq!(of(&there, "actual data bytes"), bytes, "{name}: {flow}");
        assert_eq!(of(&there, "unique bytes sent"), size, "{name}: {flow}");
        // The sender counts what it hands down again. If the host has discarded one copy, be it the first or a later
        // one, the wire has seen one fewer: every byte of the file is there at least once.
        assert_eq!(of(&there, "rexmt data pkts"), count("retransmissions") - discarded, "{name}: {flow}");
        assert_eq!(of(&there, "rexmt data bytes"), bytes - size, "{name}: {flow}");

        if let Some(lost) = lost {
            assert_eq!(of(&here, "actual data pkts"), sent - lost[flow], "{name}: {flow}");
        }
        assert_eq!(of(&here, "unique bytes sent"), count("bytes_delivered"), "{name}: {flow}");
        assert_eq!(of(&here, "rexmt data pkts"), count("unnecessary_retransmissions"), "{name}: {flow}");
    }
    // Reno's relatives fill the link of `a`; the test is of no use if nothing is ever taken back there.
    assert!(discarded_somewhere || !name.ends_with("new-reno"), "{name}");
}

fn read(name: &str, [technology, buffer, header, recovery]: [&str; 4]) {
    let programs = [installed(TSHARK), installed(TCPTRACE)];
    let name = format!("captures-read-{name}-{recovery}");
    let words = [("TECHNOLOGY", technology), ("BUFFER", buffer), ("HEADER", header), ("RECOVERY", recovery)];
    let scenario = words.iter().fold(NETWORK.to_owned(), |text, (word, value)| text.replace(word, value));
    let captured = Captured::new(&name, &scenario, &["a", "b", "c"]);
    let lost = programs[0].then(|| read_by_tshark(&captured, &name));
    if programs[1] {
        read_by_tcptrace(&captured, &name, lost.as_ref());
    }
}

#[test]
fn others_count_in_captures_of_cells_what_the_run_counted() {
    for recovery in ["rfc6675", "new-reno"] {
        read("atm", ["atm", "120 cells", "40 B", recovery]);
    }
}

#[test]
fn others_count_in_captures_of_packets_what_the_run_counted() {
    for recovery in ["rfc6675", "new-reno"] {
        read("packet", ["packet", "8 packets", "40 B", recovery]);
    }
}

/// On the simulated links a segment of 512 octets is a packet of 512.
#[test]
fn others_find_no_gap_where_segments_are_counted_without_headers() {
    read("no-header", ["packet", "8 packets", "0 B", "rfc6675"]);
}

/// A source of datagrams and a flow share a trunk that is too slow for both.
const WITH_UDP: &str = r#"
name = "udp"
duration = "10 s"
capture = ["a", "c"]

network = { technology = "packet", topology = "graph" }
node = { west.kind = "switch", east.kind = "switch", a.kind = "host", c.kind = "host" }

[link]
trunk = { ends = ["west", "east"], rate = "2 Mbps", delay = "5 ms" }
a = { ends = ["a", "west"], rate = "10 Mbps", delay = "1 ms" }
c = { ends = ["c", "east"], rate = "10 Mbps", delay = "1 ms" }

[queue]
buffer = "8 packets"

[flow.f]
from = "a"
to = "c"

[udp.u]
from = "a"
to = "c"
rate = "1.5 Mbps"
payload = "1001 B"
"#;

#[test]
fn others_read_the_datagrams_of_udp() {
    let captured = Captured::new("captures-read-udp", WITH_UDP, &["a", "c"]);
    if !installed(TSHARK) {
        return;
    }
    let source = &captured.run["udp"][0];
    let mut lost = 0;
    for (host, counted) in [("a", "datagrams_sent"), ("c", "datagrams_delivered")] {
        let (whole, dissection) = captured.dissected(host);
        let losses = ["out-of-order segment", "Previous segment(s) not captured"];
        assert_eq!(dissection.warnings(&losses), [""; 0], "{host}");
        let fields = ["ip.len", "udp.length", "udp.srcport", "udp.dstport", "udp.checksum.status", "frame.comment"];
        let mut arguments = vec!["-n", "-o", "udp.check_checksum:TRUE", "-Y", "udp", "-T", "fields"];
        fields.iter().for_each(|field| arguments.extend(["-e", *field]));
        let rows = tshark(&whole, &arguments);
        // A datagram that is under way at the end is sent and has not arrived; one may wait at the host.
        let count = source[counted].as_u64().unwrap();
        let read = rows.lines().count() as u64;
        assert!(count - read <= u64::from(host == "a") && read > 1000, "{host}: {read} of {count}");
        for row in rows.lines() {
            let values: Vec<&str> = row.split('\t').collect();
            assert_eq!(values[..4], ["1029", "1009", "49152", "5001"], "{host}: {row}");
            assert!(["1", "Good"].contains(&values[4]), "{host}: {row}");
            assert!(values[5].starts_with("udp u"), "{host}: {row}");
            lost += u64::from(values[5].contains(", lost at west->east at "));
        }
    }
    assert_eq!(lost, source["datagrams_lost"].as_u64().unwrap());
    assert!(lost > 10, "{lost}");
}

/// Requests and responses of all sizes on one connection, several at once.
const EXCHANGES: &str = r#"
name = "exchanges"
duration = "60 s"
capture = ["a", "c"]

network = { technology = "packet", topology = "graph" }
node = { west.kind = "switch", a.kind = "host", c.kind = "host" }

[link]
a = { ends = ["a", "west"], rate = "10 Mbps", delay = "5 ms" }
c = { ends = ["c", "west"], rate = "4 Mbps", delay = "5 ms" }

[flow.web]
from = "a"
to = "c"
application = "exchanges"

[flow.web.exchanges]
count = 40
outstanding = 3
request = { law = "uniform", least = "1 B", most = "20 kB" }
response = { law = "uniform", least = "1 B", most = "40 kB" }
"#;

/// Data in both directions of a connection is one connection to tshark, with every byte of both directions once and in order, and nothing is said
/// of any packet: no gap, no acknowledgement of what was not sent.
#[test]
fn others_read_data_in_both_directions_of_a_connection() {
    let captured = Captured::new("captures-read-exchanges", EXCHANGES, &["a", "c"]);
    if !installed(TSHARK) {
        return;
    }
    let exchanges = &captured.run["flows"][0]["exchanges"];
    assert_eq!([&exchanges["requests"], &exchanges["completed"]], [40, 40]);
    for host in ["a", "c"] {
        let (whole, dissection) = captured.dissected(host);
        assert_eq!(dissection.warnings(&[]), [""; 0], "{host}");
        let rows = tshark(
            &whole,
            &["-n", "-Y", "tcp", "-T", "fields", "-e", "tcp.stream", "-e", "tcp.dstport", "-e", "tcp.len"],
        );
        let mut bytes: BTreeMap<(&str, bool), u64> = BTreeMap::new();
        for row in rows.lines() {
            let [stream, to, len] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
            *bytes.entry((stream, to == "5001")).or_default() += len.parse::<u64>().unwrap();
        }
        let of = |key: &str| exchanges[key].as_u64().unwrap();
        let expected = [(("0", false), of("response_bytes")), (("0", true), of("request_bytes"))];
        assert_eq!(bytes.into_iter().collect::<Vec<_>>(), expected, "{host}");
    }
}

/// A router, or an ATM edge device, lowers the windows of fifteen flows over a trunk that is too slow for them.
const WITH_FEEDBACK: &str = r#"
name = "feedback"
duration = "DURATION"
capture = ["sA1", "sC1"]

[network]
technology = "TECHNOLOGY"
topology = "n-by-n"

[queue]
rate_algorithm = "simplified-erica-plus"
tcp_feedback = "both"
feedback_round_trip = "70 ms"

[tcp]
dialect = "osu"
mss = "1024 B"
receive_window = "600000 B"
handshake = true
"#;

/// The field of a lowered window is a sixteenth of it: tshark takes the shift from the handshake. Every checksum is right, although
/// the router knows none but that of the receiver.
fn read_windows(technology: &str, duration: &str) {
    let scenario = WITH_FEEDBACK.replace("TECHNOLOGY", technology).replace("DURATION", duration);
    let captured = Captured::new(&format!("captures-read-feedback-{technology}"), &scenario, &["sA1", "sC1"]);
    let ports = captured.run["ports"].as_array().unwrap();
    let lowered = ports.iter().find(|port| port["name"] == "sw1->sw2").unwrap()["feedback"]["windows_lowered"].as_u64();
    assert!(lowered.unwrap() > 1000, "{lowered:?}");
    for host in ["sA1", "sC1"].into_iter().filter(|_| installed(TSHARK)) {
        let (whole, dissection) = captured.dissected(host);
        // Senders fill the windows that they are told, and no more.
        let full = "TCP window specified by the receiver is now completely full";
        assert_eq!(dissection.warnings(&[full]).first(), None, "{host}");
        assert!(dissection.warnings(&[]).len() > 100, "{host}");
        let fields = ["tcp.window_size_value", "tcp.window_size", "tcp.checksum.status"];
        // Acknowledgements on their way to the sender, without the one of the handshake.
        let mut arguments = vec!["-n", "-o", "tcp.check_checksum:TRUE", "-T", "fields"];
        arguments.extend(["-Y", "tcp.srcport == 5001 && tcp.flags.syn == 0"]);
        fields.iter().for_each(|field| arguments.extend(["-e", *field]));
        let rows = tshark(&whole, &arguments);
        let mut told = 0;
        for row in rows.lines() {
            let values: Vec<&str> = row.split('\t').collect();
            let [field, window] = [0, 1].map(|column| values[column].parse::<u64>().unwrap());
            assert_eq!(window, 16 * field, "{host}: {row}");
            assert!(["1", "Good"].contains(&values[2]), "{host}: {row}");
            assert!(window == 600_000 || window % 1024 == 0, "{host}: {row}");
            told += u64::from(window < 600_000);
        }
        assert!(told > 100 && rows.lines().count() > 500, "{host}: {told} of {}", rows.lines().count());
    }
}

#[test]
fn others_read_the_windows_that_routers_have_lowered() {
    read_windows("packet", "3 s");
}

#[test]
fn others_read_the_windows_that_edge_devices_have_lowered() {
    read_windows("atm", "3 s");
}
