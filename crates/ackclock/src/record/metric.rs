//! What can be recorded over time: one table of names, units, subjects, shapes and meanings. Scenario files, tables, plots and
//! `explain` read it.

/// What the table says of a metric.
struct Described {
    name: &'static str,
    unit: &'static str,
    subject: Subject,
    shape: Shape,
    about: &'static str,
}

macro_rules! metrics {
    ($($Name:ident: $name:literal, $unit:literal, $subject:ident, $shape:ident, $about:literal;)*) => {
        /// Something that can be recorded while a run goes on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Metric {
            $(#[doc = $about] $Name,)*
        }

        impl Metric {
            /// Every metric, in the order of lists and folders.
            pub const ALL: [Metric; TABLE.len()] = [$(Metric::$Name,)*];
        }

        const TABLE: &[Described] = &[$(Described {
            name: $name,
            unit: $unit,
            subject: Subject::$subject,
            shape: Shape::$shape,
            about: $about,
        },)*];
    };
}

metrics! {
    Cwnd: "cwnd", "bytes", Flow, Changes,
        "Congestion window of the sender, whenever it changes.";
    Ssthresh: "ssthresh", "bytes", Flow, Changes,
        "Slow-start threshold of the sender, whenever it changes. Before the first loss it is the receive window, unless `initial_ssthresh` gives another value; infinite if that is \"infinite\".";
    SendWindow: "send-window", "bytes", Flow, Changes,
        "What the sender may have outstanding, whenever it changes: the smaller of its congestion window and of the receive window that the last acknowledgement said, which routers may have lowered.";
    Rtt: "rtt", "s", Flow, Events,
        "Each round trip that TCP measures. With timestamps: one for every acknowledgement of new data, in whole ticks of their clock, as TCP takes it. Without: from handing a segment to the host to its acknowledgement, one segment at a time, never one that was sent twice (Karn); exact, TCP itself sees it in whole ticks of its timer. Not that of the handshake.";
    Srtt: "srtt", "s", Flow, Changes,
        "Smoothed round trip as the sender estimates it, in whole ticks of its timer and eighths of them, whenever it changes.";
    Rto: "rto", "s", Flow, Changes,
        "Retransmission timeout of the sender, backoff included, whenever it changes.";
    Sent: "sent", "bytes", Flow, Events,
        "First byte of each segment that TCP hands to its host, retransmissions included.";
    Retransmissions: "retransmissions", "bytes", Flow, Events,
        "First byte of each segment that TCP hands to its host again.";
    Acknowledged: "acknowledged", "bytes", Flow, Changes,
        "First byte that the sender does not know to be delivered in order, whenever it changes.";
    Throughput: "throughput", "bit/s", Flow, Intervals,
        "Payload that the receiver delivers in order, per interval: mean over the interval, minimum and maximum over its tenths.";
    Delay: "delay", "s", Flow, Changes,
        "One-way propagation delay of the path that the data of the flow have at an instant, without queues and transmission times. It is sampled every record_interval and at every event of the network, and recorded whenever it changes. Infinite while there is no route.";
    OneWayDelay: "one-way-delay", "s", Flow, Events,
        "Time from when the sender hands a segment or a datagram with payload to its host until it has arrived completely, at its arrival; of flows and of UDP sources.";
    Jitter: "jitter", "s", Flow, Events,
        "Interarrival jitter of datagrams (RFC 3550, section 6.4.1) at each arrival; of UDP sources.";
    Loss: "loss", "fraction", Flow, Changes,
        "Share of the datagrams sent within each record_interval that is lost, whenever it changes; 0 where none is sent. Of UDP sources.";
    Acr: "acr", "bit/s", Flow, Changes,
        "Allowed cell rate (ACR) of the source, with cell headers, whenever it changes; of flows of the service ABR.";
    MaxMinShare: "max-min-share", "bit/s", Flow, Changes,
        "Max-min share of the connection with cell headers, where all ABR connections share what UDP leaves of the rate of every link and each has at most its PCR: one value for the run; of flows of the service ABR.";
    ExplicitRate: "er", "bit/s", Flow, Events,
        "Explicit rate (ER) of each backward RM cell that arrives at the source, with cell headers; of flows of the service ABR.";
    Ci: "ci", "bit", Flow, Events,
        "Congestion indication (CI) of each backward RM cell that arrives at the source: 1 or 0; of flows of the service ABR.";
    Efci: "efci", "cells", Flow, Changes,
        "Data cells that arrive with EFCI within each record_interval, whenever their number changes; of flows of the service ABR.";
    Queue: "queue", "units", Port, Intervals,
        "Units waiting at the port, without the one in transmission: exact time average, smallest and largest value over each interval. Values without duration do not count.";
    VcQueue: "vc-queue", "units", PortVc, Intervals,
        "Units of each connection waiting at the port, without the one in transmission: exact time average, smallest and largest value over each interval.";
    Sojourn: "sojourn", "s", Port, Intervals,
        "Waiting time at the port of the units whose transmission begins within each interval: smallest, mean and largest; 0 where none begins.";
    Utilisation: "utilisation", "fraction", Port, Intervals,
        "Share of the time in which the port transmits: mean over the interval, minimum and maximum over its tenths.";
    Allocation: "allocation", "bit/s", Port, Changes,
        "Rate that the port offers to a connection that it limits, with cell headers, whenever an averaging interval ends with another one: ERQ of CAPC, the fair share of ERICA and ERICA+. Of ports with a rate algorithm that computes rates, on packet networks only where it is told to TCP senders.";
    Drops: "drops", "units", Port, Drops,
        "Each unit that the port refuses or its link loses: when, of which connection, of which frame, and why (overflow, partial-frame, policy; corrupted, outage, no-route, no-receiver, ttl).";
    Marks: "marks", "units", PortVc, Changes,
        "Packets of each connection that the port has marked (ECN) since the start, at each one that leaves with a mark it did not have. Of connections of which it has marked some.";
    QueueChanges: "queue-changes", "units", Port, Changes,
        "Units waiting at the port, at each change of their number that has a duration. Large.";
    VcQueueChanges: "vc-queue-changes", "units", PortVc, Changes,
        "Units of each connection waiting at the port, at each change of their number that has a duration. Very large.";
}

/// What a metric is recorded of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A flow.
    Flow,
    /// An output port of a switch.
    Port,
    /// Each connection that crosses a port.
    PortVc,
}

/// What the record of a metric looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A value that holds from the instant of a change until the next.
    Changes,
    /// A value at an instant, and nothing in between.
    Events,
    /// Minimum, mean and maximum over each interval.
    Intervals,
    /// Losses: an instant, a connection, a frame, a reason.
    Drops,
}

impl Metric {
    /// The metric of a name.
    pub fn named(name: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// Its name in scenario files and of its tables.
    pub fn name(self) -> &'static str {
        self.described().name
    }

    /// The unit of its values. `units` are cells on an ATM network, packets on a packet network.
    pub fn unit(self) -> &'static str {
        self.described().unit
    }

    /// What it is recorded of.
    pub fn subject(self) -> Subject {
        self.described().subject
    }

    /// What its record looks like.
    pub fn shape(self) -> Shape {
        self.described().shape
    }

    /// What it means, in full.
    pub fn about(self) -> &'static str {
        self.described().about
    }

    fn described(self) -> &'static Described {
        &TABLE[self as usize]
    }

    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Some metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MetricSet(u32);

impl MetricSet {
    /// None.
    pub const NONE: MetricSet = MetricSet(0);

    /// Whether `metric` is among them.
    pub fn contains(self, metric: Metric) -> bool {
        self.0 & metric.bit() != 0
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// All of them, in order.
    pub fn iter(self) -> impl Iterator<Item = Metric> {
        Metric::ALL.into_iter().filter(move |&metric| self.contains(metric))
    }
}

impl FromIterator<Metric> for MetricSet {
    fn from_iter<I: IntoIterator<Item = Metric>>(metrics: I) -> MetricSet {
        MetricSet(metrics.into_iter().fold(0, |bits, metric| bits | metric.bit()))
    }
}

/// Words for several metrics at once, and what they stand for.
pub const GROUPS: [(&str, &[Metric]); 4] = [
    (
        "tcp",
        &[
            Metric::Cwnd,
            Metric::Ssthresh,
            Metric::Rtt,
            Metric::Srtt,
            Metric::Rto,
            Metric::Sent,
            Metric::Retransmissions,
            Metric::Acknowledged,
            Metric::Throughput,
        ],
    ),
    ("abr", &[Metric::Acr, Metric::MaxMinShare, Metric::ExplicitRate, Metric::Ci, Metric::Efci, Metric::Allocation]),
    ("ports", &[Metric::Queue, Metric::Utilisation, Metric::Drops]),
    ("delays", &[Metric::OneWayDelay, Metric::Jitter, Metric::Loss, Metric::Sojourn]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_again_and_are_no_groups() {
        for metric in Metric::ALL {
            assert_eq!(Metric::named(metric.name()), Some(metric));
            assert!(GROUPS.iter().all(|(group, _)| *group != metric.name()));
        }
        assert_eq!(Metric::named("cwmd"), None);
    }

    #[test]
    fn a_set_holds_what_was_put_in() {
        let set: MetricSet = [Metric::Queue, Metric::Cwnd].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [Metric::Cwnd, Metric::Queue]);
        assert!(!set.contains(Metric::Drops) && !set.is_empty() && MetricSet::NONE.is_empty());
    }
}
