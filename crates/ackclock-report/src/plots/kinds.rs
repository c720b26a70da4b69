//! The kinds of charts: which metrics are shown together.

use ackclock::record::{Metric, Subject};

use crate::page::chart::Style;

/// A kind of chart: which metrics it shows together.
#[derive(Debug)]
pub struct Kind {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) quantity: &'static str,
    pub(super) subject: Subject,
    /// The metrics, with their names in the legend. The order is that of the roles.
    pub(super) parts: &'static [(Metric, &'static str, Style)],
}

/// Every kind, in the order of a report.
pub const KINDS: [Kind; 20] = [
    Kind {
        id: "cwnd",
        title: "Congestion window",
        about: "cwnd and ssthresh of the sender, and what it may have outstanding where that is recorded. ssthresh is not drawn while it is more than twice the largest window.",
        quantity: "window",
        subject: Subject::Flow,
        parts: &[
            (Metric::Cwnd, "cwnd", Style::Steps),
            (Metric::Ssthresh, "ssthresh", Style::Steps),
            (Metric::SendWindow, "send window", Style::Steps),
        ],
    },
    Kind {
        id: "throughput",
        title: "Throughput",
        about: "Payload that the receiver delivers in order, per interval. For one or two flows the band spans the tenths of the interval.",
        quantity: "throughput",
        subject: Subject::Flow,
        parts: &[(Metric::Throughput, "throughput", Style::Band)],
    },
    Kind {
        id: "rtt",
        title: "Round-trip time",
        about: "RTT: round trips of the segments that TCP times. SRTT: the smoothed estimate. RTO: the retransmission timeout.",
        quantity: "time",
        subject: Subject::Flow,
        parts: &[
            (Metric::Rtt, "RTT", Style::Dots),
            (Metric::Srtt, "SRTT", Style::Steps),
            (Metric::Rto, "RTO", Style::Steps),
        ],
    },
    Kind {
        id: "delay",
        title: "Path delay",
        about: "One-way propagation delay of the path of the data. A gap while there is no route.",
        quantity: "delay",
        subject: Subject::Flow,
        parts: &[(Metric::Delay, "path delay", Style::Steps)],
    },
    Kind {
        id: "one-way-delay",
        title: "One-way delay",
        about: "Time from when the sender hands data to its host until they have arrived completely, at their arrival.",
        quantity: "delay",
        subject: Subject::Flow,
        parts: &[(Metric::OneWayDelay, "one-way delay", Style::Dots)],
    },
    Kind {
        id: "jitter",
        title: "Jitter",
        about: "Interarrival jitter of datagrams (RFC 3550), after each arrival.",
        quantity: "jitter",
        subject: Subject::Flow,
        parts: &[(Metric::Jitter, "jitter", Style::Dots)],
    },
    Kind {
        id: "loss",
        title: "UDP loss",
        about: "Share of the UDP datagrams sent within each interval that is lost.",
        quantity: "loss",
        subject: Subject::Flow,
        parts: &[(Metric::Loss, "loss", Style::Steps)],
    },
    Kind {
        id: "sequence",
        title: "Time-sequence",
        about: "First byte of each segment sent and of each retransmission, and the first byte not yet acknowledged.",
        quantity: "sequence number",
        subject: Subject::Flow,
        parts: &[
            (Metric::Acknowledged, "acknowledged", Style::Steps),
            (Metric::Sent, "sent", Style::Dots),
            (Metric::Retransmissions, "retransmitted", Style::Crosses),
        ],
    },
    Kind {
        id: "acr",
        title: "Allowed cell rate",
        about: "ACR of the ABR source with cell headers, and the max-min share of its connection of whole links.",
        quantity: "rate",
        subject: Subject::Flow,
        parts: &[(Metric::Acr, "ACR", Style::Steps), (Metric::MaxMinShare, "max-min share", Style::Steps)],
    },
    Kind {
        id: "er",
        title: "Explicit rate in RM cells",
        about: "ER of each backward RM cell that arrives at the ABR source, with cell headers.",
        quantity: "rate",
        subject: Subject::Flow,
        parts: &[(Metric::ExplicitRate, "ER", Style::Dots)],
    },
    Kind {
        id: "ci",
        title: "Congestion indication in RM cells",
        about: "CI of each backward RM cell that arrives at the ABR source: 1 or 0.",
        quantity: "CI",
        subject: Subject::Flow,
        parts: &[(Metric::Ci, "CI", Style::Dots)],
    },
    Kind {
        id: "efci",
        title: "Cells with EFCI",
        about: "Data cells of the ABR connection that arrive with EFCI within each interval.",
        quantity: "cells",
        subject: Subject::Flow,
        parts: &[(Metric::Efci, "cells with EFCI", Style::Steps)],
    },
    Kind {
        id: "queue",
        title: "Queue",
        about: "Units waiting at the port: the mean over each interval, and the band from the smallest to the largest value.",
        quantity: "queue",
        subject: Subject::Port,
        parts: &[(Metric::Queue, "queue", Style::Band)],
    },
    Kind {
        id: "sojourn",
        title: "Waiting time",
        about: "Waiting time of the units that leave the queue: the mean over each interval, and the band from the shortest to the longest.",
        quantity: "waiting time",
        subject: Subject::Port,
        parts: &[(Metric::Sojourn, "waiting time", Style::Band)],
    },
    Kind {
        id: "queue-changes",
        title: "Queue, every change",
        about: "Units waiting at the port, at every change.",
        quantity: "queue",
        subject: Subject::Port,
        parts: &[(Metric::QueueChanges, "queue", Style::Steps)],
    },
    Kind {
        id: "utilisation",
        title: "Utilisation",
        about: "Share of the time in which the port transmits, per interval; the band spans the tenths of the interval.",
        quantity: "utilisation",
        subject: Subject::Port,
        parts: &[(Metric::Utilisation, "utilisation", Style::Band)],
    },
    Kind {
        id: "allocation",
        title: "Rate offered",
        about: "Rate that the port offers to an ABR connection, or to a flow of TCP, that it limits: ERQ of CAPC, the fair share of ERICA and ERICA+.",
        quantity: "rate",
        subject: Subject::Port,
        parts: &[(Metric::Allocation, "allocation", Style::Steps)],
    },
    Kind {
        id: "drops",
        title: "Drops",
        about: "Units refused by the port or lost on its link, by reason.",
        quantity: "drops",
        subject: Subject::Port,
        parts: &[(Metric::Drops, "drops", Style::Columns)],
    },
    Kind {
        id: "vc-queue",
        title: "Queue of each connection",
        about: "Units waiting at the port: the mean over each interval, and the band from the smallest to the largest value.",
        quantity: "queue",
        subject: Subject::PortVc,
        parts: &[(Metric::VcQueue, "queue", Style::Band)],
    },
    Kind {
        id: "vc-queue-changes",
        title: "Queue of each connection, every change",
        about: "Units waiting at the port, at every change.",
        quantity: "queue",
        subject: Subject::PortVc,
        parts: &[(Metric::VcQueueChanges, "queue", Style::Steps)],
    },
];

/// The kind of chart that shows a metric.
pub fn kind_of(metric: Metric) -> &'static Kind {
    let shows = |kind: &&Kind| kind.parts.iter().any(|(part, ..)| *part == metric);
    KINDS.iter().find(shows).expect("every metric has a chart")
}
