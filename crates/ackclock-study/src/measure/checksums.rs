//! Whether acknowledgements have the right checksum of TCP after a router has written a window into them: by the rule of RFC 1624, and
//! by the one that \[RATE-CONTROL\] §3 prints, which adds the difference where it has to be subtracted.

use std::collections::BTreeMap;

use ackclock::feedback::checksum::updated;
use ackclock::record::Records;
use ackclock::scenario::Scenario;
use ackclock_report::captures::pcapng::{self, Meta};

/// Acknowledgements that were captured where they were sent and where they arrived, with different windows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Checksums {
    /// How many there are.
    changed: u64,
    /// Of how many the checksum in the capture is that of the whole datagram.
    captured: u64,
    /// Of how many the one that RFC 1624 computes from the checksum before is.
    rfc_1624: u64,
    /// Of how many the one that the printed rule computes from the checksum before is.
    printed: u64,
}

impl Checksums {
    /// Of a run that captured at both ends of a flow; `None` if no router changed a window there.
    pub fn of(records: &Records, scenario: &Scenario) -> Option<Checksums> {
        let meta = (!records.captures.is_empty()).then(|| Meta::of(scenario, ""))?;
        let (mut sent, mut arrived) = (BTreeMap::new(), Vec::new());
        for capture in &records.captures {
            let mut file = Vec::new();
            pcapng::write(&mut file, capture, &meta, records.seed).expect("memory can be written to");
            for (packet, headers) in capture.packets.iter().zip(datagrams(&file)) {
                let number = (packet.flow, packet.frame);
                match (packet.data, packet.sent) {
                    (true, _) => {}
                    (false, true) => _ = sent.insert(number, headers),
                    (false, false) => arrived.push((number, headers)),
                }
            }
        }
        let mut all = Checksums::default();
        for (number, after) in &arrived {
            if let Some(before) = sent.get(number) {
                all.add(before, after);
            }
        }
        (all.changed > 0).then_some(all)
    }

    /// Adds an acknowledgement, an IPv4 datagram, as it was sent and as it arrived.
    fn add(&mut self, before: &[u8], after: &[u8]) {
        let word = |datagram: &[u8], at: usize| u16::from_be_bytes([datagram[at], datagram[at + 1]]);
        let (old, new) = (word(before, WINDOW), word(after, WINDOW));
        if old == new {
            return;
        }
        let (checksum, right) = (word(before, CHECKSUM), computed(after));
        self.changed += 1;
        self.captured += u64::from(word(after, CHECKSUM) == right);
        self.rfc_1624 += u64::from(updated(checksum, old, new) == right);
        self.printed += u64::from(printed(checksum, old, new) == right);
    }

    /// The share of the changed acknowledgements whose checksum is right by one of [`RULES`].
    pub fn valid(&self, rule: &str) -> Option<f64> {
        let valid = match rule {
            "captured" => self.captured,
            "rfc-1624" => self.rfc_1624,
            "printed" => self.printed,
            _ => return None,
        };
        Some(valid as f64 / self.changed as f64)
    }
}

/// By whose rule a checksum is computed: the one in the capture, that of RFC 1624, and the one that the publication prints.
pub(super) const RULES: &[&str] = &["captured", "rfc-1624", "printed"];

/// What \[RATE-CONTROL\] prints: the difference of the window, in ones' complement, is added.
fn printed(checksum: u16, old: u16, new: u16) -> u16 {
    folded(u32::from(checksum) + u32::from(new) + u32::from(!old))
}

/// The checksum of TCP of an IPv4 datagram without options of IP, computed anew (RFC 9293 §3.1).
fn computed(datagram: &[u8]) -> u16 {
    let words = |bytes: &[u8]| -> u32 {
        let padded = bytes.chunks(2).map(|word| u16::from_be_bytes([word[0], word.get(1).copied().unwrap_or(0)]));
        padded.map(u32::from).sum()
    };
    let (ip, tcp) = datagram.split_at(IP_BYTES);
    let sum = words(&ip[12..]) + u32::from(ip[9]) + tcp.len() as u32;
    !folded(sum + words(&tcp[..CHECKSUM - IP_BYTES]) + words(&tcp[CHECKSUM - IP_BYTES + 2..]))
}

fn folded(mut sum: u32) -> u16 {
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// The captured octets of each packet of a pcapng file in little-endian: its enhanced packet blocks (\[PCAPNG\] §4.3).
fn datagrams(file: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    const ENHANCED_PACKET: usize = 6;
    let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four octets")) as usize;
    let mut next = 0;
    let blocks = std::iter::from_fn(move || {
        let at = next;
        (at < file.len()).then(|| next += number(at + 4)).map(|()| at)
    });
    blocks.filter(move |&at| number(at) == ENHANCED_PACKET).map(move |at| {
        let captured = number(at + 20);
        file[at + 28..at + 28 + captured].to_vec()
    })
}

/// Octets of a header of IPv4 without options.
const IP_BYTES: usize = 20;
/// Where the window of TCP begins in such a datagram.
const WINDOW: usize = IP_BYTES + 14;
/// Where the checksum of TCP begins.
const CHECKSUM: usize = IP_BYTES + 16;

#[cfg(test)]
mod tests {
    use super::*;

    /// The acknowledgement of a vector of the specification: 10.0.0.2:5001 to 10.0.0.1:40000, number 1.
    fn acknowledgement(ack: u32, window: u16, checksum: u16) -> Vec<u8> {
        let mut octets = vec![0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 2, 10, 0, 0, 1];
        for word in [5001, 40_000, 0, 1, (ack >> 16) as u16, ack as u16, 0x5010, window, checksum, 0] {
            octets.extend(u16::to_be_bytes(word));
        }
        octets
    }

    /// The vectors of which only the window changes: the printed rule gives D58D, B55C and 5947.
    #[test]
    fn the_printed_rule_gives_other_checksums_than_rfc_1624() {
        assert_eq!(printed(0x558a, 0x927c, 0x1280), 0xd58d);
        assert_eq!(printed(0x3645, 0x927c, 0x1194), 0xb55c);
        assert_eq!(printed(0x5987, 0x1280, 0x1240), 0x5947);
        let mut all = Checksums::default();
        let (before, after) = (acknowledgement(0x401, 0x927c, 0x558a), acknowledgement(0x401, 0x1280, 0xd586));
        all.add(&before, &after);
        // One that no router changed, and one that was changed by the printed rule.
        all.add(&before, &before);
        all.add(&before, &acknowledgement(0x401, 0x1280, 0xd58d));
        assert_eq!(all, Checksums { changed: 2, captured: 1, rfc_1624: 2, printed: 0 });
        assert_eq!(RULES.iter().map(|rule| all.valid(rule)).collect::<Option<Vec<f64>>>(), Some(vec![0.5, 1.0, 0.0]));
    }
}
