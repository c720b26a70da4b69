//! The tables: every measure once.

use super::run::{Flow, Port, Udp, seconds, share};
use super::{Distribution, Flows, Measure, Over, Ports, Range, Runs, Sources};
use crate::record::Histogram;

macro_rules! measures {
    ($($(#[$meta:meta])* $NAME:ident of $T:ty { $($name:literal $unit:literal $range:ident $over:ident, $about:literal: $of:expr;)* })*) => { $(
        $(#[$meta])*
        pub const $NAME: &[Measure<$T>] = &[$(Measure {
            name: $name, unit: $unit, range: Range::$range, over: Over::$over, about: $about, of: $of,
        },)*];
    )* };
}

measures! {
    /// Numbers of a whole network, in the order of the columns of a sweep.
    OF_RUNS of Runs {
        "goodput_bps" "bit/s" AtLeast0 Sum, "Payload of all TCP flows delivered in order per second.":
            |run| run.sum(|flow| flow.goodput_bps);
        "efficiency" "fraction" Share Mean, "Goodput through the bottleneck over its capacity.":
            |run| run.rest().map_or(run.records.efficiency, |_| run.records.efficiency_after_warmup);
        "fairness" "fraction" Index Mean, "Jain's index over the goodput of the flows.":
            |run| run.rest().map_or(run.records.fairness, |rest| rest.fairness);
        "loss" "fraction" Share Mean, "Of the units that arrived at the port that limits, the share that its queue refused. That is the port of the bottleneck; without one, of the ports that data pass, the one with the longest mean queue.":
            |run| run.limiting_port().and_then(|port| share(port.counts.drops.total(), port.counts.arrivals));
        "lost_on_links" "packets" AtLeast0 Sum, "Packets that links lost after their ports accepted them.":
            |run| run.lost_on_links();
        "segments_sent" "" AtLeast0 Sum, "Segments of all flows, retransmissions included.":
            |run| Some(run.flows().map(|flow| flow.counts.segments_sent as f64).sum());
        "retransmissions" "" AtLeast0 Sum, "Segments that TCP retransmitted.":
            |run| Some(run.flows().map(|flow| flow.counts.retransmissions as f64).sum());
        "unnecessary_retransmissions" "" AtLeast0 Sum, "Segments that arrived although the receiver held all their bytes.":
            |run| Some(run.flows().map(|flow| flow.counts.unnecessary_retransmissions as f64).sum());
        "timeouts" "" AtLeast0 Sum, "Expiries of the retransmission timer.":
            |run| Some(run.flows().map(|flow| flow.counts.timeouts as f64).sum());
        "mean_queue" "units" AtLeast0 Mean, "Time-weighted mean number of units that wait at the port that limits.":
            |run| Some(run.limiting_port().map_or(0.0, |port| port.counts.mean_queue));
        "max_queue" "units" AtLeast0 Mean, "The largest number of units that waited there, over the whole run.":
            |run| Some(run.limiting_port().map_or(0.0, |port| port.record.max_queue as f64));
        "queueing_delay_mean_s" "s" AtLeast0 Mean, "The mean time that units waited there, exact.":
            |run| run.queueing()?.mean_s();
        "queueing_delay_p50_s" "s" AtLeast0 Mean, "The time that half of the units waited at most, to within 0.4 %.":
            |run| seconds(run.queueing()?.quantile(500));
        "queueing_delay_p95_s" "s" AtLeast0 Mean, "The time that 95 % of the units waited at most, to within 0.4 %.":
            |run| seconds(run.queueing()?.quantile(950));
        "queueing_delay_p99_s" "s" AtLeast0 Mean, "The time that 99 % of the units waited at most, to within 0.4 %.":
            |run| seconds(run.queueing()?.quantile(990));
        "one_way_delay_mean_s" "s" AtLeast0 Mean, "The mean one-way delay of the segments of all flows, exact.":
            |run| run.one_way()?.mean_s();
        "one_way_delay_p95_s" "s" AtLeast0 Mean, "The one-way delay that 95 % of the segments of all flows had at most, to within 0.4 %.":
            |run| seconds(run.one_way()?.quantile(950));
        "round_trip_mean_s" "s" AtLeast0 Mean, "The mean of the round trips that TCP measured, exact.":
            |run| run.round_trip()?.mean_s();
        "round_trip_p95_s" "s" AtLeast0 Mean, "The value that 95 % of the round trips that TCP measured had at most, to within 0.4 %.":
            |run| seconds(run.round_trip()?.quantile(950));
        "udp_goodput_bps" "bit/s" AtLeast0 Sum, "Payload of the datagrams of all sources that arrived per second.":
            |run| (!run.records.udp.is_empty()).then(|| run.udp().map(|source| source.goodput_bps).sum());
        "udp_loss" "fraction" Share Mean, "Of all datagrams sent, the share that was lost.":
            |run| share(run.udp().map(|source| source.counts.lost).sum(), run.udp().map(|source| source.counts.sent).sum());
        "completed_files" "" AtLeast0 Sum, "Flows with a size whose last byte was acknowledged, in the whole run; where some flow has a size.":
            |run| run.flows().any(|flow| flow.of.size.is_some()).then(|| run.completions_s().len() as f64);
        "completion_mean_s" "s" AtLeast0 Mean, "The mean time from when a file begins, jitter included, to the acknowledgement of its last byte, of those that came to it.":
            |run| run.mean_completion_s();
        "completion_p50_s" "s" AtLeast0 Mean, "The median of the times from when files begin to the acknowledgements of their last bytes, exact.":
            |run| run.completion_quantile_s(0.5);
        "completion_p95_s" "s" AtLeast0 Mean, "The 95th percentile of the times from when files begin to the acknowledgements of their last bytes, exact.":
            |run| run.completion_quantile_s(0.95);
    }

    /// Numbers of a flow of TCP.
    OF_FLOWS of Flows {
        "goodput" "bit/s" AtLeast0 Mean, "Payload delivered in order per second.":
            |flow| Some(flow.goodput_bps);
        "sent" "bit/s" AtLeast0 Mean, "Payload sent per second, retransmissions included.":
            |flow| (flow.seconds > 0.0).then(|| flow.counts.bytes_sent as f64 * 8.0 / flow.seconds);
        "segments-sent" "" AtLeast0 Sum, "Segments sent, retransmissions included.":
            |flow| Some(flow.counts.segments_sent as f64);
        "retransmissions" "" AtLeast0 Sum, "Retransmitted segments.":
            |flow| Some(flow.counts.retransmissions as f64);
        "needless" "" AtLeast0 Sum, "Segments that arrived although the receiver held all their bytes.":
            |flow| Some(flow.counts.unnecessary_retransmissions as f64);
        "share-sent-again" "fraction" Share Mean, "Retransmitted segments, as a share of all that were sent.":
            |flow| share(flow.counts.retransmissions, flow.counts.segments_sent);
        "fast-retransmits" "" AtLeast0 Sum, "Losses found by duplicate or selective acknowledgements.":
            |flow| Some(flow.counts.fast_retransmits as f64);
        "timeouts" "" AtLeast0 Sum, "Expiries of the retransmission timer.":
            |flow| Some(flow.counts.timeouts as f64);
        "completion" "s" AtLeast0 Mean, "The time from when a file begins, jitter included, to the acknowledgement of its last byte.":
            |flow| flow.completion_s();
        "max-min-share" "bit/s" AtLeast0 Mean, "The max-min share on the wire, where ports give rates to TCP.":
            |flow| Some(flow.record.max_min?.wire_bps);
        "part-of-max-min-share" "fraction" AtLeast0 Mean, "Goodput, in parts of the goodput at the max-min share.":
            |flow| Some(flow.goodput_bps / flow.record.max_min?.payload_bps);
    }

    /// Numbers of a source of datagrams.
    OF_UDP of Sources {
        "goodput" "bit/s" AtLeast0 Mean, "Payload that arrived per second.":
            |source| Some(source.goodput_bps);
        "datagrams-sent" "" AtLeast0 Sum, "Datagrams sent.":
            |source| Some(source.counts.sent as f64);
        "datagrams-lost" "" AtLeast0 Sum, "Datagrams lost.":
            |source| Some(source.counts.lost as f64);
        "datagram-loss" "fraction" Share Mean, "Of the datagrams sent, the share that was lost.":
            |source| share(source.counts.lost, source.counts.sent);
    }

    /// Numbers of a port.
    OF_PORTS of Ports {
        "arrivals" "units" AtLeast0 Sum, "Units that were admitted or refused.":
            |port| Some(port.counts.arrivals as f64);
        "drops" "units" AtLeast0 Sum, "Units refused.":
            |port| Some(port.counts.drops.total() as f64);
        "drop-ratio" "fraction" Share Mean, "Of the units that arrived, the share that was refused.":
            |port| share(port.counts.drops.total(), port.counts.arrivals);
        "queue" "units" AtLeast0 Mean, "Time-weighted mean number of waiting units.":
            |port| Some(port.counts.mean_queue);
        "largest-queue" "units" AtLeast0 Mean, "The largest number of units that waited, over the whole run.":
            |port| Some(port.record.max_queue as f64);
    }
}

/// Times, of which `mean`, `p95` and the like are taken.
pub const DISTRIBUTIONS: &[Distribution] = &[
    Distribution {
        name: "one-way-delay",
        about: "From when TCP hands a segment down, or a datagram is sent, until it has arrived whole.",
        of_flow: Some(one_way_of_flow),
        of_udp: Some(one_way_of_source),
        of_port: None,
    },
    Distribution {
        name: "round-trip",
        about: "The round trips that TCP measured.",
        of_flow: Some(round_trip),
        of_udp: None,
        of_port: None,
    },
    Distribution {
        name: "jitter",
        about: "The interarrival jitter of RFC 3550 section 6.4.1 after each datagram.",
        of_flow: None,
        of_udp: Some(jitter),
        of_port: None,
    },
    Distribution {
        name: "queueing-delay",
        about: "How long units waited at a port; without a port named, at the one that limits.",
        of_flow: None,
        of_udp: None,
        of_port: Some(sojourn),
    },
];

fn one_way_of_flow<'a>(flow: &Flow<'a>) -> Option<&'a Histogram> {
    Some(&flow.record.delays.as_ref()?.one_way)
}

fn round_trip<'a>(flow: &Flow<'a>) -> Option<&'a Histogram> {
    Some(&flow.record.delays.as_ref()?.round_trip)
}

fn one_way_of_source<'a>(source: &Udp<'a>) -> Option<&'a Histogram> {
    Some(&source.record.delays.as_ref()?.one_way)
}

fn jitter<'a>(source: &Udp<'a>) -> Option<&'a Histogram> {
    Some(&source.record.delays.as_ref()?.jitter)
}

fn sojourn<'a>(port: &Port<'a>) -> Option<&'a Histogram> {
    port.record.sojourn.as_deref()
}
