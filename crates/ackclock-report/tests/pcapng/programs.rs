//! Programs of others, started and read: Wireshark's tshark and tcptrace. Used by the tests of the command line too.
//! A program that is not installed is said so, or is an error if `ACKCLOCK_TOOLS` is `required`.

#![allow(dead_code)] // each test program uses its part

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

use crate::reader::{PACKET, Packet, blocks};

pub const TSHARK: &str = "tshark";
pub const TCPTRACE: &str = "tcptrace";
/// Of the first flow's sender.
pub const FIRST_DYNAMIC_PORT: u16 = 49_152;

/// Whether a program is there.
pub fn installed(program: &str) -> bool {
    let found = Command::new(program).arg("-h").output().is_ok();
    if !found {
        assert!(std::env::var("ACKCLOCK_TOOLS").as_deref() != Ok("required"), "{program} is not installed");
        // `eprintln` would be hidden, like all output of tests that pass.
        let missing = format!("*** {program} is not installed: what it says of captures is NOT CHECKED\n");
        io::stderr().write_all(missing.as_bytes()).unwrap();
    }
    found
}

/// The output of tshark, whose standard error must be silent.
pub fn tshark(file: &Path, arguments: &[&str]) -> String {
    let output = Command::new(TSHARK).arg("-r").arg(file).args(arguments).output().unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    // As root it always warns of itself.
    let complaints: Vec<_> = complaints.lines().filter(|line| !line.starts_with("Running as user")).collect();
    assert!(output.status.success() && complaints.is_empty(), "{}: {complaints:?}", file.display());
    String::from_utf8(output.stdout).unwrap()
}

/// What tshark makes of each packet: the values of each of [`FIELDS`].
pub struct Dissection(pub Vec<Vec<String>>);

pub const FIELDS: &str = "frame.time_epoch frame.len ip.src tcp.srcport tcp.seq_raw tcp.ack_raw tcp.len tcp.window_size \
    tcp.options.sack_le ip.checksum.status tcp.checksum.status tcp.analysis.flags tcp.analysis.retransmission \
    tcp.analysis.out_of_order _ws.malformed _ws.short _ws.expert.message _ws.expert.severity frame.comment";

/// Dissects a file. Several values of a field are separated by semicolons.
pub fn dissect(file: &Path, options: &[&str]) -> Dissection {
    let mut arguments = vec!["-n", "-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"];
    arguments.extend(options);
    arguments.extend(["-T", "fields", "-E", "aggregator=;"]);
    FIELDS.split(' ').for_each(|field| arguments.extend(["-e", field]));
    let rows = tshark(file, &arguments);
    Dissection(rows.lines().map(|line| line.split('\t').map(String::from).collect()).collect())
}

impl Dissection {
    /// A field of every packet, empty where there is none.
    pub fn all(&self, field: &str) -> Vec<&str> {
        let column = FIELDS.split(' ').position(|this| this == field).unwrap();
        self.0.iter().map(|row| row[column].as_str()).collect()
    }

    /// How many packets have one of the given fields.
    pub fn having(&self, fields: &[&str]) -> u64 {
        let columns: Vec<_> = fields.iter().map(|field| self.all(field)).collect();
        (0..self.0.len()).filter(|&packet| columns.iter().any(|column| !column[packet].is_empty())).count() as u64
    }

    /// What tshark calls warnings and errors, of all packets, but those that contain an expected text.
    pub fn warnings(&self, expected: &[&str]) -> Vec<&str> {
        // PI_WARN of Wireshark; notes are below it, errors above.
        const WARNING: u32 = 0x0060_0000;
        let (messages, severities) = (self.all("_ws.expert.message"), self.all("_ws.expert.severity"));
        let each = messages.iter().zip(severities).flat_map(|(messages, severities)| {
            assert_eq!(messages.split(';').count(), severities.split(';').count(), "{messages}");
            messages.split(';').zip(severities.split(';'))
        });
        let serious = |severity: &str| severity.parse::<u32>().is_ok_and(|severity| severity >= WARNING);
        each.filter(|(message, severity)| serious(severity) && !expected.iter().any(|text| message.contains(text)))
            .map(|(message, _)| message)
            .collect()
    }
}

/// A count of `tcptrace -l -r`, both directions together: only one has data.
pub fn tcptrace(file: &Path) -> impl Fn(&str) -> u64 {
    let of_each = tcptrace_of_each(file);
    move |label| {
        let counts = of_each(label);
        assert_eq!(counts.len(), 1, "{label}: one connection");
        counts[0]
    }
}

/// The same for each of several connections, by the sender's port: 49152 for the first flow of the scenario, and so on.
pub fn tcptrace_by_port(file: &Path) -> impl Fn(&str) -> BTreeMap<u16, u64> {
    let report = tcptrace_report(file);
    // "host a: 10.0.0.1:49152", with two hosts to a connection.
    let port = |line: &str| {
        line.trim_start().starts_with("host ").then(|| line.rsplit(':').next()?.trim().parse::<u16>().ok())
    };
    let ports: Vec<u16> =
        report.lines().filter_map(port).flatten().filter(|&port| port >= FIRST_DYNAMIC_PORT).collect();
    let of_each = counts(report);
    move |label| {
        let counts = of_each(label);
        assert_eq!(counts.len(), ports.len(), "{label}: one for each connection");
        ports.iter().copied().zip(counts).collect()
    }
}

/// The same for each of several connections.
pub fn tcptrace_of_each(file: &Path) -> impl Fn(&str) -> Vec<u64> {
    counts(tcptrace_report(file))
}

fn tcptrace_report(file: &Path) -> String {
    let output = Command::new(TCPTRACE).args(["-n", "-l", "-r"]).arg(file).output().unwrap();
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{report}{}", String::from_utf8_lossy(&output.stderr));
    report
}

fn counts(report: String) -> impl Fn(&str) -> Vec<u64> {
    move |label| {
        let of_line = |line: &str| {
            let label = format!("{label}:");
            let parts = line.split(label.as_str()).skip(1);
            parts.map(|part| part.split_whitespace().next().unwrap().parse::<u64>().unwrap()).collect::<Vec<_>>()
        };
        let counts: Vec<u64> = report.lines().flat_map(of_line).collect();
        counts.chunks(2).map(|both| both.iter().sum()).collect()
    }
}

/// The same file with every packet as long as it was.
pub fn with_payload(file: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    for block in blocks(file) {
        let mut body = block.body.clone();
        if block.block_type == PACKET {
            let packet = Packet::of(&block);
            let mut datagram = packet.datagram();
            let options = body.split_off(20 + packet.bytes.len().next_multiple_of(4));
            body.truncate(20);
            body[12..16].copy_from_slice(&(datagram.len() as u32).to_le_bytes());
            datagram.resize(datagram.len().next_multiple_of(4), 0);
            body.extend(datagram);
            body.extend(options);
        }
        let length = (body.len() as u32 + 12).to_le_bytes();
        whole.extend([&block.block_type.to_le_bytes()[..], &length, &body, &length].concat());
    }
    whole
}

/// tshark knows the round trip only from a handshake. Without one it takes what comes again within 3 ms of the newest
/// byte for out of order.
pub const AGAIN: [&str; 2] = ["tcp.analysis.retransmission", "tcp.analysis.out_of_order"];
