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

impl Kind {
    const fn new(
        subject: Subject,
        id: &'static str,
        title: &'static str,
        quantity: &'static str,
        parts: &'static [(Metric, &'static str, Style)],
        about: &'static str,
    ) -> Kind {
        Kind { id, title, about, quantity, subject, parts }
    }
}

/// Every kind, in the order of a report.
#[rustfmt::skip]
pub const KINDS: [Kind; 21] = [
    Kind::new(Subject::Flow, "cwnd", "Congestion window", "window", &[(Metric::Cwnd, "cwnd", Style::Steps), (Metric::Ssthresh, "ssthresh", Style::Steps), (Metric::SendWindow, "send window", Style::Steps)],
        "cwnd and ssthresh of the sender, and what it may have outstanding where that is recorded. ssthresh is not drawn while it is more than twice the largest window."),
    Kind::new(Subject::Flow, "throughput", "Throughput", "throughput", &[(Metric::Throughput, "throughput", Style::Band)],
        "Payload that the receiver delivers in order, per interval. For one or two flows the band spans the tenths of the interval."),
    Kind::new(Subject::Flow, "rtt", "Round-trip time", "time", &[(Metric::Rtt, "RTT", Style::Dots), (Metric::Srtt, "SRTT", Style::Steps), (Metric::Rto, "RTO", Style::Steps)],
        "RTT: round trips of the segments that TCP times. SRTT: the smoothed estimate. RTO: the retransmission timeout."),
    Kind::new(Subject::Flow, "delay", "Path delay", "delay", &[(Metric::Delay, "path delay", Style::Steps)],
        "One-way propagation delay of the path of the data. A gap while there is no route."),
    Kind::new(Subject::Flow, "one-way-delay", "One-way delay", "delay", &[(Metric::OneWayDelay, "one-way delay", Style::Dots)],
        "Time from when the sender hands data to its host until they have arrived completely, at their arrival."),
    Kind::new(Subject::Flow, "jitter", "Jitter", "jitter", &[(Metric::Jitter, "jitter", Style::Dots)],
        "Interarrival jitter of datagrams (RFC 3550), after each arrival."),
    Kind::new(Subject::Flow, "loss", "UDP loss", "loss", &[(Metric::Loss, "loss", Style::Steps)],
        "Share of the UDP datagrams sent within each interval that is lost."),
    Kind::new(Subject::Flow, "sequence", "Time-sequence", "sequence number", &[(Metric::Acknowledged, "acknowledged", Style::Steps), (Metric::Sent, "sent", Style::Dots), (Metric::Retransmissions, "retransmitted", Style::Crosses)],
        "First byte of each segment sent and of each retransmission, and the first byte not yet acknowledged."),
    Kind::new(Subject::Flow, "acr", "Allowed cell rate", "rate", &[(Metric::Acr, "ACR", Style::Steps), (Metric::MaxMinShare, "max-min share", Style::Steps)],
        "ACR of the ABR source with cell headers, and the max-min share of its connection of whole links."),
    Kind::new(Subject::Flow, "er", "Explicit rate in RM cells", "rate", &[(Metric::ExplicitRate, "ER", Style::Dots)],
        "ER of each backward RM cell that arrives at the ABR source, with cell headers."),
    Kind::new(Subject::Flow, "ci", "Congestion indication in RM cells", "CI", &[(Metric::Ci, "CI", Style::Dots)],
        "CI of each backward RM cell that arrives at the ABR source: 1 or 0."),
    Kind::new(Subject::Flow, "efci", "Cells with EFCI", "cells", &[(Metric::Efci, "cells with EFCI", Style::Steps)],
        "Data cells of the ABR connection that arrive with EFCI within each interval."),
    Kind::new(Subject::Port, "queue", "Queue", "queue", &[(Metric::Queue, "queue", Style::Band)],
        "Units waiting at the port: the mean over each interval, and the band from the smallest to the largest value."),
    Kind::new(Subject::Port, "sojourn", "Waiting time", "waiting time", &[(Metric::Sojourn, "waiting time", Style::Band)],
        "Waiting time of the units that leave the queue: the mean over each interval, and the band from the shortest to the longest."),
    Kind::new(Subject::Port, "queue-changes", "Queue, every change", "queue", &[(Metric::QueueChanges, "queue", Style::Steps)],
        "Units waiting at the port, at every change."),
    Kind::new(Subject::Port, "utilisation", "Utilisation", "utilisation", &[(Metric::Utilisation, "utilisation", Style::Band)],
        "Share of the time in which the port transmits, per interval; the band spans the tenths of the interval."),
    Kind::new(Subject::Port, "allocation", "Rate offered", "rate", &[(Metric::Allocation, "allocation", Style::Steps)],
        "Rate that the port offers to an ABR connection, or to a flow of TCP, that it limits: ERQ of CAPC, the fair share of ERICA and ERICA+."),
    Kind::new(Subject::Port, "drops", "Drops", "drops", &[(Metric::Drops, "drops", Style::Columns)],
        "Units refused by the port or lost on its link, by reason."),
    Kind::new(Subject::PortVc, "vc-queue", "Queue of each connection", "queue", &[(Metric::VcQueue, "queue", Style::Band)],
        "Units waiting at the port: the mean over each interval, and the band from the smallest to the largest value."),
    Kind::new(Subject::PortVc, "marks", "Marks", "marks", &[(Metric::Marks, "marks", Style::Steps)],
        "Packets that the port has marked (ECN) since the start."),
    Kind::new(Subject::PortVc, "vc-queue-changes", "Queue of each connection, every change", "queue", &[(Metric::VcQueueChanges, "queue", Style::Steps)],
        "Units waiting at the port, at every change."),
];

/// The kind of chart that shows a metric.
pub fn kind_of(metric: Metric) -> &'static Kind {
    let shows = |kind: &&Kind| kind.parts.iter().any(|(part, ..)| *part == metric);
    KINDS.iter().find(shows).expect("every metric has a chart")
}
