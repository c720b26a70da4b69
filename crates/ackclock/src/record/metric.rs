//! What can be recorded over time: names, units, shapes. Scenario files, tables, plots and `explain` read this list.

/// Something that can be recorded while a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// The congestion window.
    Cwnd,
    /// The slow-start threshold.
    Ssthresh,
    /// Round trips of the segments that TCP times.
    Rtt,
    /// The smoothed round trip.
    Srtt,
    /// The retransmission timeout.
    Rto,
    /// First byte of each segment sent.
    Sent,
    /// First byte of each segment sent again.
    Retransmissions,
    /// First byte not yet acknowledged.
    Acknowledged,
    /// Payload delivered in order.
    Throughput,
    /// The propagation delay of the present way.
    Delay,
    /// How long data took from end to end.
    OneWayDelay,
    /// The interarrival jitter of datagrams.
    Jitter,
    /// Share of datagrams that is lost.
    Loss,
    /// Units waiting at a port.
    Queue,
    /// Units of each connection waiting at a port.
    VcQueue,
    /// How long units wait at a port.
    Sojourn,
    /// Share of the time in which a port transmits.
    Utilisation,
    /// Units refused by ports or lost on links, with connection and reason.
    Drops,
    /// Every change of the number of units waiting at a port.
    QueueChanges,
    /// Every change of the number of units of each connection waiting at a port.
    VcQueueChanges,
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
    /// Every metric, in the order of lists and folders.
    pub const ALL: [Metric; 20] = [
        Metric::Cwnd,
        Metric::Ssthresh,
        Metric::Rtt,
        Metric::Srtt,
        Metric::Rto,
        Metric::Sent,
        Metric::Retransmissions,
        Metric::Acknowledged,
        Metric::Throughput,
        Metric::Delay,
        Metric::OneWayDelay,
        Metric::Jitter,
        Metric::Loss,
        Metric::Queue,
        Metric::VcQueue,
        Metric::Sojourn,
        Metric::Utilisation,
        Metric::Drops,
        Metric::QueueChanges,
        Metric::VcQueueChanges,
    ];

    /// Its name in scenario files and of its tables.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Cwnd => "cwnd",
            Metric::Ssthresh => "ssthresh",
            Metric::Rtt => "rtt",
            Metric::Srtt => "srtt",
            Metric::Rto => "rto",
            Metric::Sent => "sent",
            Metric::Retransmissions => "retransmissions",
            Metric::Acknowledged => "acknowledged",
            Metric::Throughput => "throughput",
            Metric::Delay => "delay",
            Metric::OneWayDelay => "one-way-delay",
            Metric::Jitter => "jitter",
            Metric::Loss => "loss",
            Metric::Queue => "queue",
            Metric::VcQueue => "vc-queue",
            Metric::Sojourn => "sojourn",
            Metric::Utilisation => "utilisation",
            Metric::Drops => "drops",
            Metric::QueueChanges => "queue-changes",
            Metric::VcQueueChanges => "vc-queue-changes",
        }
    }

    /// The metric of a name.
    pub fn named(name: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// The unit of its values. `units` are cells on an ATM network, packets on a packet network.
    pub fn unit(self) -> &'static str {
        match self {
            Metric::Cwnd | Metric::Ssthresh | Metric::Sent | Metric::Retransmissions | Metric::Acknowledged => "bytes",
            Metric::Rtt | Metric::Srtt | Metric::Rto | Metric::Delay => "s",
            Metric::OneWayDelay | Metric::Jitter | Metric::Sojourn => "s",
            Metric::Throughput => "bit/s",
            Metric::Queue | Metric::VcQueue | Metric::QueueChanges | Metric::VcQueueChanges | Metric::Drops => "units",
            Metric::Utilisation | Metric::Loss => "fraction",
        }
    }

    /// What it is recorded of.
    pub fn subject(self) -> Subject {
        match self {
            Metric::Queue | Metric::Sojourn | Metric::Utilisation | Metric::Drops | Metric::QueueChanges => {
                Subject::Port
            }
            Metric::VcQueue | Metric::VcQueueChanges => Subject::PortVc,
            _ => Subject::Flow,
        }
    }

    /// What its record looks like.
    pub fn shape(self) -> Shape {
        match self {
            Metric::Rtt | Metric::Sent | Metric::Retransmissions => Shape::Events,
            Metric::OneWayDelay | Metric::Jitter => Shape::Events,
            Metric::Throughput | Metric::Queue | Metric::VcQueue | Metric::Utilisation => Shape::Intervals,
            Metric::Sojourn => Shape::Intervals,
            Metric::Drops => Shape::Drops,
            _ => Shape::Changes,
        }
    }

    /// What it means, in full.
    pub fn about(self) -> &'static str {
        match self {
            Metric::Cwnd => "Congestion window of the sender, whenever it changes.",
            Metric::Ssthresh => {
                "Slow-start threshold of the sender, whenever it changes. Before the first loss it is the receive window, unless `initial_ssthresh` says otherwise; \"infinite\" is infinite."
            }
            Metric::Rtt => {
                "Each round trip that TCP measures. With timestamps: one of every acknowledgement of new data, in whole ticks of their clock, as TCP takes it. Without: from handing a segment down to its acknowledgement, one segment at a time, never one that was sent twice (Karn); exact, TCP itself sees it in whole ticks of its timer. Not that of the handshake."
            }
            Metric::Srtt => {
                "Smoothed round trip as the sender estimates it, in whole ticks of its timer and eighths of them, whenever it changes."
            }
            Metric::Rto => "Retransmission timeout of the sender, backoff included, whenever it changes.",
            Metric::Sent => "First byte of each segment that TCP hands down, retransmissions included.",
            Metric::Retransmissions => "First byte of each segment that TCP hands down again.",
            Metric::Acknowledged => {
                "First byte that the sender does not know to be delivered in order, whenever it changes."
            }
            Metric::Throughput => {
                "Payload that the receiver delivers in order, per interval: mean over the interval, minimum and maximum over its tenths."
            }
            Metric::Delay => {
                "Propagation delay of the way that the data of the flow have at an instant, one way, nothing else counted: looked at every record_interval and whenever something happens to the network, whenever it differs. Infinite where there is no way."
            }
            Metric::OneWayDelay => {
                "Time from when the sender hands a segment or a datagram with payload down until it has arrived whole, when it arrives; of flows and of sources of datagrams."
            }
            Metric::Jitter => {
                "Interarrival jitter of datagrams (RFC 3550, section 6.4.1), whenever one arrives; of sources of datagrams."
            }
            Metric::Loss => {
                "Of the datagrams sent within each record_interval the share that is lost, whenever it differs; 0 where none is sent. Of sources of datagrams."
            }
            Metric::Queue => {
                "Units waiting at the port, what is being transmitted not counted: exact time average, smallest and largest value over each interval. Values that last no time do not count."
            }
            Metric::VcQueue => "The same for the units of each connection that crosses the port.",
            Metric::Sojourn => {
                "Time that units have waited at the port whose transmission begins within each interval: smallest, mean and largest; 0 where none begins."
            }
            Metric::Utilisation => {
                "Share of the time in which the port transmits: mean over the interval, minimum and maximum over its tenths."
            }
            Metric::Drops => {
                "Each unit that the port refuses or its link loses: when, of which connection, of which frame, and why (overflow, partial-frame, policy; corrupted, outage, no-route, no-receiver, ttl)."
            }
            Metric::QueueChanges => {
                "Units waiting at the port, whenever the number changes for longer than no time. Large."
            }
            Metric::VcQueueChanges => "The same for the units of each connection that crosses the port. Very large.",
        }
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
pub const GROUPS: [(&str, &[Metric]); 3] = [
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
