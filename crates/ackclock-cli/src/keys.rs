//! What the keys of the result document and the exit codes mean.

use ackclock::record::{Counters, DatagramCounts, Drops, FlowCounts, LinkLosses};

/// The keys of the document with units and meanings: those of counters, and all others.
pub fn document() -> Vec<(&'static str, &'static str, &'static str)> {
    let counters = [FlowCounts::<u64>::ALL, DatagramCounts::<u64>::ALL, Drops::<u64>::ALL, LinkLosses::<u64>::ALL];
    let mut keys: Vec<_> = OTHER_KEYS.to_vec();
    for counter in counters.into_iter().flatten() {
        // A key means the same wherever it stands.
        if keys.iter().all(|(name, ..)| *name != counter.name) {
            let unit = if counter.unit == "units" { "cells or packets" } else { counter.unit };
            keys.push((counter.name, unit, counter.about));
        }
    }
    keys
}

/// Key, unit, meaning. The unit of what ports count is cells on ATM networks and packets on packet networks:
/// `scenario.unit` says which.
const OTHER_KEYS: [(&str, &str, &str); 73] = [
    ("ackclock", "", "The version of the program that wrote the document."),
    ("after", "", "The node that took the place of the one before, at an event; of a way, where it leads."),
    (
        "after_warmup",
        "",
        "The same over the time after the warm-up; null without one, and for a run that ended before.",
    ),
    ("arrivals", "cells or packets", "Units that a port admitted or refused."),
    ("before", "", "The node before an event; of a way, where it led."),
    ("blake3", "", "The checksum of all that stands before it in the document: a changed document does not fit it."),
    ("bottleneck", "", "The link that efficiency refers to; null where none is named."),
    ("capacity_bps", "bit/s", "TCP payload per second that counts as an efficiency of 1."),
    ("ci95", "that of the mean", "Half the width of the 95 % confidence interval of the mean; null for one run."),
    ("command", "", "The command line."),
    ("complete", "", "Whether all seeds were run to the end."),
    ("completed_s", "s", "When the last byte of a file was acknowledged; null if it was not, or if there is no file."),
    (
        "congestion_episodes",
        "",
        "How often the queue rose above the threshold of the policy; null without a threshold.",
    ),
    ("count", "", "How many delays there are."),
    ("departures", "cells or packets", "Units that a port began to transmit."),
    ("drops", "cells or packets", "Units that a port refused; of a port in full: by reason."),
    ("duration_s", "s", "Simulated time."),
    ("efficiency", "fraction", "Goodput through the bottleneck over its capacity; null without one."),
    ("efficiency_after_warmup", "fraction", "The same over the time after the warm-up."),
    (
        "events",
        "",
        "What happens to the network at instants known before the run: handovers, links that come and go, ways found and lost.",
    ),
    ("fairness", "fraction", "Jain's index over the goodput of the flows: 1 is equal shares."),
    ("fairness_after_warmup", "", "The same over the time after the warm-up; null without one."),
    ("final_queue", "cells or packets", "Units waiting at the end."),
    ("fingerprint", "", "Sixteen hexadecimal digits over everything observable: equal fingerprints, equal runs."),
    ("flows", "", "One entry for each flow, in the order of the scenario."),
    ("format", "", "ackclock-result, by which the document is recognized."),
    ("format_version", "", "Changes whenever a reader of the document would have to."),
    ("goodput_after_warmup_bps", "bit/s", "Goodput over the time after the warm-up."),
    ("goodput_bps", "bit/s", "Payload delivered in order per second, over the whole run."),
    ("hash", "", "BLAKE3 of the resolved scenario."),
    (
        "jitter",
        "",
        "How large the interarrival jitter of datagrams (RFC 3550, section 6.4.1) was after each arrival; of a scenario with `delays`.",
    ),
    ("kind", "", "Of an event: acquired, handover, lost, link-up, link-down, route-found, route-lost."),
    ("link", "", "The name of the bottleneck."),
    ("links", "", "One entry for each direction of a link that changes or corrupts packets: what it lost."),
    ("longest_backoff", "", "Reductions of ssthresh with no growth of the window between them: the longest series."),
    (
        "lost_on_links",
        "packets",
        "What links lost after their ports accepted it; null without links that can lose any.",
    ),
    ("max", "that of the mean", "The largest value over the runs."),
    ("max_queue", "cells or packets", "Largest number of waiting units."),
    ("max_s", "s", "The largest delay, exact."),
    ("mean", "that of the number", "The mean over the runs."),
    ("mean_active", "connections", "Time-weighted mean number of connections with something waiting at the port."),
    ("mean_queue", "cells or packets", "Time-weighted mean number of waiting units."),
    ("mean_s", "s", "The mean of all delays, exact."),
    ("min", "that of the mean", "The smallest value over the runs."),
    ("min_s", "s", "The smallest delay, exact."),
    ("name", "", "The name of the scenario, flow, port or connection."),
    ("node", "", "Of an event: the terminal; of a link or a way, where it begins."),
    (
        "one_way_delay",
        "",
        "How long data took from when the sender handed them down until they had arrived whole; of a scenario with `delays`.",
    ),
    ("p50_s", "s", "What half of all delays do not exceed, to within 0.4 %."),
    ("p95_s", "s", "What 95 % of all delays do not exceed, to within 0.4 %."),
    ("p99_s", "s", "What 99 % of all delays do not exceed, to within 0.4 %."),
    ("ports", "", "One entry for each output port of a switch, in the order of the scenario."),
    (
        "quantiles_s",
        "s",
        "What 0.1, 0.5, 1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 85, 90, 95, 98, 99, 99.5, 99.9 and 100 % of all delays do not exceed, to within 0.4 %.",
    ),
    ("resolved", "", "The scenario file with every key written out."),
    ("result_version", "", "Changes whenever any run could give other numbers."),
    ("round_trip", "", "The round trips that TCP measured; of a scenario with `delays`."),
    ("runs", "", "One entry for each finished run; in the summary their number."),
    ("scenario", "", "What was simulated."),
    ("seed", "", "The seed of the run."),
    ("seeds", "", "The seeds that were asked for."),
    ("simulated_s", "s", "How far the run came."),
    ("sojourn", "", "How long units waited at a port until their transmission began; of a scenario with `delays`."),
    ("summary", "", "The numbers of all finished runs together."),
    ("time_ps", "ps", "When an event happens, exact."),
    ("time_s", "s", "When an event happens."),
    ("timeout_times_s", "s", "When the retransmission timer expired."),
    ("total", "cells or packets", "All units refused."),
    ("udp", "", "One entry for each source of datagrams, in the order of the scenario."),
    ("udp_goodput_bps", "bit/s", "Payload of datagrams that arrived per second, of all sources; null without any."),
    ("udp_loss", "", "The share of all datagrams sent that was lost; null if none was sent."),
    ("unit", "", "What ports count: cells or packets."),
    ("vcs", "", "One entry for each path through the port: data, then acknowledgements of each flow."),
    ("warmup_s", "s", "What is left out of the numbers after the warm-up."),
];

/// The exit codes and what they mean.
pub const EXIT_CODES: [(&str, &str); 7] = [
    ("0", "Fine."),
    ("1", "Something outside failed: a file, a folder, a disk; damaged results and those of other versions too."),
    ("2", "Wrong usage: the command line asks for something that is not there."),
    ("3", "The scenario is invalid; nothing was run."),
    ("4", "A reproduction differs from what was published, or a repeated run from what was kept."),
    ("101", "A defect of the program; please report it."),
    ("130", "Interrupted by Ctrl-C; what was finished is kept."),
];
