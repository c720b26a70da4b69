//! What the kernel has counted of the packets of a host, and what of it was lost there.
//!
//! All that is written to the device of a host must be received by its IP, delivered to its TCP or UDP, and not dropped by TCP; all that its IP
//! has sent must be read from the device. A namespace has no other packets, and each has counters of its own, which begin at zero.

use std::fs;
use std::io;

use crate::Namespace;
use crate::tun::DEVICE;

/// Packets lost in a host, at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The name of the host.
    pub host: String,
    /// Where they were lost, as `in TCP (TCPBacklogDrop)`.
    pub place: String,
    /// How many.
    pub packets: u64,
}

/// Counters of a host since it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Packets that IP got from the device, and those that it delivered to TCP and UDP.
    pub(crate) received: u64,
    delivered: u64,
    /// Packets that IP gave to the device.
    pub(crate) sent: u64,
    /// Packets lost in the device on the way to the host, and from it.
    pub(crate) dropped: [u64; 2],
    /// What TCP has dropped, by the name that the kernel has for it.
    by_tcp: Vec<(&'static str, u64)>,
}

impl Counted {
    /// Reads the counters of a host.
    ///
    /// # Errors
    /// If the namespace cannot be entered, or has no such files.
    pub(crate) fn of(namespace: &Namespace) -> io::Result<Counted> {
        let read = |name: &str| fs::read_to_string(format!("/proc/thread-self/net/{name}"));
        let tables = namespace.enter(|| Ok::<_, io::Error>([read("dev")?, read("snmp")?, read("netstat")?]))??;
        Ok(Counted::from_tables(&tables[0], &tables[1], &tables[2]))
    }

    /// The same from the tables of the kernel.
    fn from_tables(devices: &str, snmp: &str, netstat: &str) -> Counted {
        let ip = |name: &str| counter(snmp, "Ip", name);
        let of_tcp = |&(table, name): &(&str, &'static str)| {
            let text = if table == "Tcp" { snmp } else { netstat };
            (name, counter(text, table, name).unwrap_or(0))
        };
        // Older kernels do not count what has left, and all that was asked for has.
        let sent = ip("OutTransmits").or_else(|| ip("OutRequests")).unwrap_or(0);
        Counted {
            received: ip("InReceives").unwrap_or(0),
            delivered: ip("InDelivers").unwrap_or(0),
            sent,
            dropped: drops_in(devices),
            by_tcp: DROPS_OF_TCP.iter().map(of_tcp).collect(),
        }
    }

    /// What was lost in the host, to whose device so many packets were written, and from which so many were read, beside those that the
    /// device itself has counted, `beside` of them at the other end of a pair.
    pub(crate) fn lost(&self, host: &str, written: u64, read: u64, beside: u64) -> Vec<Lost> {
        let [on_the_way_in, on_the_way_out] = self.dropped;
        let in_device = "between its device and its IP".to_owned();
        let from_device = "between its IP and its device".to_owned();
        let mut all = vec![
            (in_device, written.saturating_sub(self.received + on_the_way_in)),
            ("in IP".to_owned(), self.received.saturating_sub(self.delivered)),
            (from_device, self.sent.saturating_sub(read + on_the_way_out + beside)),
        ];
        all.extend(self.by_tcp.iter().map(|(name, packets)| (format!("in TCP ({name})"), *packets)));
        let lost = all.into_iter().filter(|(_, packets)| *packets > 0);
        lost.map(|(place, packets)| Lost { host: host.to_owned(), place, packets }).collect()
    }
}

/// Why TCP drops what has come to it undamaged and in time, or gives up what it has: no room in a socket or in the machine, and nobody who
/// accepts. What the protocol itself discards, as segments outside the window, is not among it.
const DROPS_OF_TCP: &[(&str, &str)] = &[
    ("Tcp", "InErrs"),
    ("TcpExt", "TCPBacklogDrop"),
    ("TcpExt", "TCPRcvQDrop"),
    ("TcpExt", "TCPOFODrop"),
    ("TcpExt", "RcvPruned"),
    ("TcpExt", "OfoPruned"),
    ("TcpExt", "PFMemallocDrop"),
    ("TcpExt", "TCPReqQFullDrop"),
    ("TcpExt", "ListenDrops"),
    ("TcpExt", "TCPAbortOnMemory"),
];

/// A counter of one of the tables, which have names in one line and numbers in the next.
fn counter(text: &str, table: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(table)?.strip_prefix(':'));
    let (names, numbers) = (lines.next()?, lines.next()?);
    let place = names.split_whitespace().position(|other| other == name)?;
    numbers.split_whitespace().nth(place)?.parse().ok()
}

/// Packets that the device has lost, to the host and from it: the columns of the table are bytes, packets, errors, drops and four more
/// received, then the same sent.
fn drops_in(table: &str) -> [u64; 2] {
    let mut lines = table.lines().filter_map(|line| line.split_once(':'));
    let columns = lines.find(|(name, _)| name.trim() == DEVICE).map_or("", |(_, columns)| columns);
    let columns: Vec<u64> = columns.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    [3, 11].map(|column| columns.get(column).copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEVICES: &str = "Inter-|   Receive                                                |  Transmit\n \
        face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n    \
        lo:       0       0    0    9    0     0          0         0        0       0    0    9    0     0       0          0\n \
        link0:     100       1    2    3    4     5          6         7        8       9   10   11   12    13      14         15\n";

    #[test]
    fn drops_of_a_device_are_those_of_both_directions() {
        assert_eq!(drops_in(DEVICES), [3, 11]);
        assert_eq!(drops_in(""), [0, 0]);
    }

    fn counted(received: u64, delivered: u64, sent: u64, backlog: u64) -> Counted {
        let snmp = format!(
            "Ip: Forwarding InReceives InDelivers OutRequests OutTransmits\nIp: 2 {received} {delivered} 999 {sent}\n\
             Tcp: InSegs InErrs\nTcp: 70 0\n"
        );
        let netstat =
            format!("TcpExt: SyncookiesSent TCPBacklogDrop\nTcpExt: 5 {backlog}\nIpExt: InOctets\nIpExt: 7\n");
        Counted::from_tables("", &snmp, &netstat)
    }

    #[test]
    fn each_place_where_packets_are_lost_is_named() {
        assert_eq!(counted(100, 100, 50, 0).lost("b", 100, 50, 0), []);
        let places = |counted: Counted, written, read, beside| {
            let lost = counted.lost("b", written, read, beside);
            lost.into_iter().map(|lost| (lost.place, lost.packets)).collect::<Vec<_>>()
        };
        let one = |place: &str, packets| vec![(place.to_owned(), packets)];
        assert_eq!(places(counted(97, 97, 50, 0), 100, 50, 0), one("between its device and its IP", 3));
        assert_eq!(places(counted(100, 98, 50, 0), 100, 50, 0), one("in IP", 2));
        assert_eq!(places(counted(100, 100, 50, 0), 100, 46, 0), one("between its IP and its device", 4));
        assert_eq!(places(counted(100, 100, 50, 0), 100, 46, 4), [], "the other end of a pair has counted them");
        assert_eq!(places(counted(100, 100, 50, 6), 100, 50, 0), one("in TCP (TCPBacklogDrop)", 6));
        let device = Counted { dropped: [3, 4], ..counted(97, 97, 50, 0) };
        assert_eq!(places(device, 100, 46, 0), [], "the device has counted them");
    }

    #[test]
    fn a_kernel_that_does_not_count_what_leaves_counts_what_was_asked_for() {
        let counted = Counted::from_tables("", "Ip: InReceives OutRequests\nIp: 3 8\n", "");
        assert_eq!((counted.received, counted.sent), (3, 8));
    }
}
