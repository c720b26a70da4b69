//! The tables: every measure once.

use super::Need::{Delays, File, Series};
use super::port_history::{deviation, percentile, trend};
use super::run::{seconds, share};
use super::{Distribution, Flows, Measure, Over, Ports, Range, Runs, Sources};
use crate::record::{Metric, port_counters};
use crate::units::CELL_BITS;

macro_rules! measures {
    ($($(#[$meta:meta])* $NAME:ident of $T:ty { $(
        $name:literal $unit:literal $range:ident $over:ident $([$($need:expr),*])?, $about:literal
        $(: $of:expr)? $(, during $during:expr)?;
    )* })*) => { $(
        $(#[$meta])*
        pub const $NAME: &[Measure<$T>] = &[$(Measure {
            name: $name, unit: $unit, range: Range::$range, over: Over::$over, about: $about,
            needs: &[$($($need),*)?], of: measures!(@option $($of)?), during: measures!(@option $($during)?),
        },)*];
    )* };
    (@option) => { None };
    (@option $of:expr) => { Some($of) };
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
        "segments_sent" "segments" AtLeast0 Sum, "Segments of all flows, retransmissions included.":
            |run| Some(run.flows().map(|flow| flow.counts.segments_sent as f64).sum());
        "retransmissions" "segments" AtLeast0 Sum, "Segments that TCP retransmitted.":
            |run| Some(run.flows().map(|flow| flow.counts.retransmissions as f64).sum());
        "unnecessary_retransmissions" "segments" AtLeast0 Sum, "Segments that arrived although the receiver held all their bytes.":
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
        "goodput" "bit/s" AtLeast0 Mean [Series(Metric::Throughput)], "Payload delivered in order per second.":
            |flow| Some(flow.goodput_bps), during |flow, part| flow.history().throughput_bps.mean(part);
        "sent" "bit/s" AtLeast0 Mean, "Payload sent per second since the flow began, jitter included, retransmissions included; of a first segment without payload, the octets of its headers.":
            |flow| Some(flow.rate(flow.bytes_sent()));
        "sent-once" "bit/s" AtLeast0 Mean, "The same without retransmissions, as if all retransmitted segments were full: what [VEGAS-A] calls goodput.":
            |flow| Some(flow.rate(flow.bytes_sent_once()));
        "segments-sent" "segments" AtLeast0 Sum, "Segments sent, retransmissions included.":
            |flow| Some(flow.counts.segments_sent as f64);
        "retransmissions" "segments" AtLeast0 Sum, "Retransmitted segments.":
            |flow| Some(flow.counts.retransmissions as f64);
        "needless" "segments" AtLeast0 Sum, "Segments that arrived although the receiver held all their bytes.":
            |flow| Some(flow.counts.unnecessary_retransmissions as f64);
        "share-sent-again" "fraction" Share Mean, "Retransmitted segments, as a share of all that were sent.":
            |flow| share(flow.counts.retransmissions, flow.counts.segments_sent);
        "share-needless" "fraction" Share Mean, "Of the retransmitted segments the share of which the receiver held all bytes; 0 without retransmissions.":
            |flow| share(flow.counts.unnecessary_retransmissions, flow.counts.retransmissions.max(1));
        "lost" "packets" AtLeast0 Sum, "Packets with data that ports refused or links lost, over the whole run.":
            |flow| Some(flow.lost() as f64);
        "fast-retransmits" "" AtLeast0 Sum, "Losses found by duplicate or selective acknowledgements.":
            |flow| Some(flow.counts.fast_retransmits as f64);
        "timeouts" "" AtLeast0 Sum, "Expiries of the retransmission timer.":
            |flow| Some(flow.counts.timeouts as f64),
            during |flow, part| Some(flow.record.timeout_times.iter().filter(|time| part.contains(**time)).count() as f64);
        "longest-backoff" "" AtLeast0 Largest, "The longest series of reductions of the slow-start threshold without growth of the window between them, over the whole run.":
            |flow| Some(f64::from(flow.record.longest_backoff));
        "longest-pause" "s" AtLeast0 Largest [Series(Metric::Throughput)], "The longest time in which nothing was delivered, in whole intervals of the record, over the whole run.":
            |flow| flow.history().longest_pause();
        "completion" "s" AtLeast0 Mean [File], "The time from when a file begins, jitter included, to the acknowledgement of its last byte.":
            |flow| flow.completion_s();
        "finished" "fraction" Share Mean [File], "1 of a file whose last byte was acknowledged, 0 of another: the mean is the share of files that were finished.":
            |flow| flow.of.size.map(|_| f64::from(u8::from(flow.record.completed.is_some())));
        "completed" "s" AtLeast0 Mean [File], "The instant at which the last byte of a file was acknowledged.":
            |flow| flow.record.completed.map(|time| time.as_secs_f64());
        "transfer-rate" "bit/s" AtLeast0 Mean [File], "Payload of a file delivered per second, from when it begins, jitter included, until its last byte is delivered, or the run ends.":
            |flow| flow.transfer_bps();
        "one-way-delay-p95" "s" AtLeast0 Mean [Delays], "The one-way delay that 95 % of its segments had at most, to within 0.4 %.":
            |flow| seconds(flow.one_way()?.quantile(950));
        "mean-round-trip" "s" AtLeast0 Mean [Delays], "The mean of the round trips that it measured.":
            |flow| flow.round_trip()?.mean_s();
        "longest-round-trip" "s" AtLeast0 Mean [Delays], "The longest round trip that it measured.":
            |flow| seconds(flow.round_trip()?.max());
        "round-trip-spread" "s" AtLeast0 Mean [Delays], "The 95th percentile of the round trips that it measured less the 5th.":
            |flow| Some(seconds(flow.round_trip()?.quantile(950))? - seconds(flow.round_trip()?.quantile(50))?);
        "round-trip-deviation" "s" AtLeast0 Mean [Delays], "The standard deviation of the round trips that it measured; 0 of a single one.":
            |flow| Some(flow.round_trip()?.deviation_s().unwrap_or(0.0));
        "propagation-round-trip" "s" AtLeast0 Mean, "The delays of all links of its path, there and back; not where routes change.":
            |flow| seconds(flow.propagation());
        "cwnd" "segments" AtLeast0 Mean [Series(Metric::Cwnd)], "The congestion window, as a mean over time; 0 before the flow begins.",
            during |flow, part| flow.history().cwnd.mean(part);
        "send-window" "bytes" AtLeast0 Mean [Series(Metric::SendWindow)], "What the sender may have outstanding, as a mean over time; 0 before the flow begins.",
            during |flow, part| flow.history().send_window.mean(part);
        "told" "fraction" Share Mean [Series(Metric::Cwnd), Series(Metric::SendWindow)], "The part of the time in which the window that the sender is told is less than its congestion window.",
            during |flow, part| flow.history().told.mean(part);
        "largest-step" "bytes" AtLeast0 Largest [Series(Metric::Sent)], "The most bytes that were sent for the first time in an interval of the record.",
            during |flow, part| flow.history().sent.within(part)?.iter().copied().reduce(f64::max);
        "least-plateau-quotient" "" AtLeast0 Mean [Series(Metric::SendWindow)], "The least quotient of two successive windows at which growth rests.":
            |flow| Some(flow.plateaus()?.least_quotient);
        "largest-plateau-quotient" "" AtLeast0 Mean [Series(Metric::SendWindow)], "The largest quotient of two successive windows at which growth rests.":
            |flow| Some(flow.plateaus()?.largest_quotient);
        "least-gap-quotient" "" AtLeast0 Mean [Series(Metric::SendWindow)], "The least quotient of two successive times from one such window to the next.":
            |flow| Some(flow.plateaus()?.gap_quotients?.0);
        "largest-gap-quotient" "" AtLeast0 Mean [Series(Metric::SendWindow)], "The largest quotient of two successive times from one such window to the next.":
            |flow| Some(flow.plateaus()?.gap_quotients?.1);
        "window-changes" "" AtLeast0 Sum [Series(Metric::Cwnd), Series(Metric::SendWindow)], "How often a window that the sender is told by a packet router changes.":
            |flow| Some(flow.told_windows()?.changes as f64);
        "changes-in-interval" "" AtLeast0 Sum [Series(Metric::Cwnd), Series(Metric::SendWindow)], "How often it changes again within an averaging interval of the router.":
            |flow| Some(flow.told_windows()?.changes_in_interval as f64);
        "largest-rise" "" AtLeast0 Mean [Series(Metric::Cwnd), Series(Metric::SendWindow)], "The largest factor by which the rate behind it must have risen from one interval to the next.":
            |flow| Some(flow.told_windows()?.largest_rise);
        "largest-fall" "" AtLeast0 Mean [Series(Metric::Cwnd), Series(Metric::SendWindow)], "The least factor by which it must have fallen.":
            |flow| Some(flow.told_windows()?.largest_fall);
        "mean-acr" "bit/s" AtLeast0 Mean, "The mean rate that the network allows a flow of ABR after the warm-up, with cell headers.":
            |flow| Some(flow.record.abr.as_ref()?.mean_acr * CELL_BITS as f64);
        "rate-of-share" "" AtLeast0 Mean, "That rate, in parts of the max-min share of the connection.":
            |flow| flow.record.abr.as_ref().map(|abr| abr.mean_acr / abr.max_min_share);
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
        "queue" "units" AtLeast0 Mean [Series(Metric::Queue)], "Time-weighted mean number of waiting units.":
            |port| Some(port.counts.mean_queue), during |port, part| port.history().queue.mean(part);
        "queue-p5" "units" AtLeast0 Mean [Series(Metric::Queue)], "The 5th percentile of the mean queues in the intervals of the record.",
            during |port, part| port.queues(part).map(|queues| percentile(queues, 5));
        "queue-median" "units" AtLeast0 Mean [Series(Metric::Queue)], "The median of the mean queues in the intervals of the record.",
            during |port, part| port.queues(part).map(|queues| percentile(queues, 50));
        "queue-p95" "units" AtLeast0 Mean [Series(Metric::Queue)], "The 95th percentile of the mean queues in the intervals of the record.",
            during |port, part| port.queues(part).map(|queues| percentile(queues, 95));
        "queue-deviation" "fraction" AtLeast0 Mean [Series(Metric::Queue)], "The largest distance of these means from the mean of all, as a part of that.",
            during |port, part| deviation(port.queues(part)?);
        "queue-trend" "fraction" Any Mean [Series(Metric::Queue)], "The mean queue in the second half less that in the first half, as a part of the mean of all.",
            during |port, part| trend(port.queues(part)?);
        "largest-queue" "units" AtLeast0 Mean, "The largest number of units that waited, over the whole run.":
            |port| Some(port.record.max_queue as f64);
        "queue-seconds" "" AtLeast0 Mean, "The mean queue times the length of the run: units times seconds.":
            |port| Some(port.counts.mean_queue * port.seconds());
        "utilisation" "fraction" Share Mean [Series(Metric::Utilisation)], "The part of the time in which the port transmitted.",
            during |port, part| port.history().utilisation.mean(part);
        "least-utilisation" "fraction" Share Mean [Series(Metric::Utilisation)], "The least of the utilisations in the intervals of the record.",
            during |port, part| port.utilisations(part)?.iter().copied().reduce(f64::min);
        "most-acks-waiting" "acknowledgements" AtLeast0 Mean, "The most acknowledgements that ever waited in the buckets of a port together.":
            |port| Some(port.record.feedback.as_ref()?.most_acks_waiting as f64);
    }
}

macro_rules! as_measures {
    ($($field:ident $name:literal: $unit:literal, $about:literal;)*) => {
        /// What ports count beside arrivals, departures and drops.
        pub const PORT_TALLIES: &[Measure<Ports>] = &[$(Measure {
            name: $name, unit: $unit, range: Range::AtLeast0, over: Over::Sum, about: $about,
            needs: &[], of: Some(|port| Some(port.counts.tallies.$field as f64)), during: None,
        },)*];
    };
}

port_counters!(as_measures);

/// Times, of which `mean`, `p95` and the like are taken.
pub const DISTRIBUTIONS: &[Distribution] = &[
    Distribution {
        name: "one-way-delay",
        needs_echo: false,
        about: "From when TCP hands a segment down, or a datagram is sent, until it has arrived whole.",
        of_flow: Some(|flow| flow.one_way()),
        of_udp: Some(|source| Some(&source.record.delays.as_ref()?.one_way)),
        of_port: None,
    },
    Distribution {
        name: "round-trip",
        needs_echo: true,
        about: "The round trips that TCP measured; of a source of datagrams with `echo`, from when a datagram is sent until its echo has arrived whole.",
        of_flow: Some(|flow| flow.round_trip()),
        of_udp: Some(|source| source.record.round_trips.as_deref()),
        of_port: None,
    },
    Distribution {
        name: "exchange",
        needs_echo: false,
        about: "The times of exchanges, from when a request is sent until its response is there in full, by the flow of the requests.",
        of_flow: Some(|flow| Some(&flow.record.exchanges.as_ref()?.times)),
        of_udp: None,
        of_port: None,
    },
    Distribution {
        name: "jitter",
        needs_echo: false,
        about: "The interarrival jitter of RFC 3550 section 6.4.1 after each datagram.",
        of_flow: None,
        of_udp: Some(|source| Some(&source.record.delays.as_ref()?.jitter)),
        of_port: None,
    },
    Distribution {
        name: "queueing-delay",
        needs_echo: false,
        about: "How long units waited at a port; without a port named, at the one that limits.",
        of_flow: None,
        of_udp: None,
        of_port: Some(|port| port.record.sojourn.as_deref()),
    },
];
