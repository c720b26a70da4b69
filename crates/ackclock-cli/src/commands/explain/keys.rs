//! What the keys of the result document and the exit codes mean.

use ackclock::record::{AbrCounts, Counters, Drops, FlowCounts, LinkLosses, PortTallies, UdpCounts};

/// The keys of the document with units and meanings: those of counters, and all others.
pub fn document() -> Vec<(&'static str, &'static str, &'static str)> {
    let counters = [
        FlowCounts::<u64>::ALL,
        AbrCounts::<u64>::ALL,
        UdpCounts::<u64>::ALL,
        Drops::<u64>::ALL,
        PortTallies::<u64>::ALL,
        LinkLosses::<u64>::ALL,
    ];
    let other = |line: &'static str| {
        let (key, about) = line.split_once(": ").expect("a key and its meaning");
        let (key, unit) = key.strip_suffix(')').and_then(|key| key.split_once(" (")).unwrap_or((key, ""));
        (key, unit, about)
    };
    let mut keys: Vec<_> = OTHER_KEYS.lines().map(other).collect();
    for counter in counters.into_iter().flatten() {
        // A key means the same wherever it stands.
        if keys.iter().all(|(name, ..)| *name != counter.name) {
            let unit = if counter.unit == "units" { "cells or packets" } else { counter.unit };
            keys.push((counter.name, unit, counter.about));
        }
    }
    keys
}

/// The others: a key, its unit in parentheses if it has one, and its meaning. The unit of what ports count is cells on ATM networks and
/// packets on packet networks: `scenario.unit` says which.
const OTHER_KEYS: &str = "\
abr: What the ABR source of the flow did; only of flows of the service ABR.
ackclock: The version of the program that wrote the document.
acks (packets): Acknowledgements that the router of a port with feedback passed on.
acks_waiting (packets): Acknowledgements that wait in buckets at the end.
after: The node after an event that replaces the earlier one; of a route, its end.
after_warmup: The same counters over the time after the warm-up; null without a warm-up, and for a run that ended before its end.
acr_bps (bit/s): ACR at the end, with cell headers.
allocation_bps (bit/s): The rate that the port offered at the end to an ABR connection that it limits, with cell headers; null for an algorithm that computes no rates.
arrivals (cells or packets): Units that a port admitted or refused.
before: The node before an event; of a route, its end.
by_application (fraction): The share of the time of a flow in which its application had written nothing more.
by_congestion_window (fraction): The share of the time of a flow in which its congestion window, the pace or the recovery allowed no more.
by_host (fraction): The share of the time of a flow in which its host was busy with a segment; only of hosts that take time.
by_receive_window (fraction): The share of the time of a flow in which the receive window allowed no more and the congestion window was not smaller.
blake3: The checksum of everything before it in the document: a changed document does not match it.
bottleneck: The link that efficiency refers to; null if no bottleneck is named.
capacity_bps (bit/s): TCP payload per second that counts as an efficiency of 1.
ci95 (that of the mean): Half the width of the 95 % confidence interval of the mean; null for one run.
command: The command line.
complete: Whether all seeds were run to the end.
completed_s (s): When the last byte of a file was acknowledged, or the last response of exchanges was there; null if it was not, or if there is neither.
congestion_controls: The congestion controls of a live run.
congestion_episodes: How often the queue rose above the threshold of the policy; null without a threshold.
count: The number of delays.
departures (cells or packets): Units that a port began to transmit.
differences: What the kernel of a live run does in another way than the scenario says, in sentences.
drops (cells or packets): Units that a port refused; in the full entry of a port by reason.
drops_outside (packets): Packets that a live run lost outside the scenario: in devices and hosts, and datagrams that the kernel refused.
duration_s (s): Simulated time.
efficiency (fraction): Goodput through the bottleneck over its capacity; null without a bottleneck.
efficiency_after_warmup (fraction): Efficiency over the time after the warm-up.
events: Changes of the network at instants known before the run: handovers, links that go up and down, routes found, lost and changed.
fairness (fraction): Jain's index over the goodput of the flows: 1 is equal shares; null where none has any.
fairness_after_warmup: Fairness over the time after the warm-up; null without a warm-up, and where no flow has any goodput.
feedback: What the router of a port that tells TCP senders rates did to acknowledgements.
final_queue (cells or packets): Units waiting at the end.
fingerprint: Sixteen hexadecimal digits over all observable events: runs with equal fingerprints are equal.
flows: One entry for each flow, in the order of the scenario.
format: ackclock-result, which identifies the document.
format_version: Changes when readers of the document have to change.
goodput_after_warmup_bps (bit/s): Goodput over the time after the warm-up.
goodput_bps (bit/s): Payload delivered in order per second, over the whole run.
hash: BLAKE3 of the resolved scenario.
host: The host of a setting.
host_lateness: By how much hosts of a live run were late: with acknowledgements that they must send at once, and their programs with what was due.
jitter: The interarrival jitter of datagrams (RFC 3550, section 6.4.1) after each arrival; of a scenario with `delays`.
kernel: Name and release of the kernel of a live run.
kernel_name: What the kernel calls a congestion control.
kind: Of an event: acquired, handover, lost, link-up, link-down, route-found, route-lost, route-changed.
lateness: By how much packets of a live run left the emulator later than the scenario says.
least_acr_bps (bit/s): The least ACR of the whole run, with cell headers.
limited: What kept the sender of a flow from sending more, as shares of the time in which it was open and its data had not ended.
link: The name of the bottleneck.
links: One entry for each direction of a link that changes or corrupts packets, with its losses.
live: What is known of runs on the TCP of a kernel: of the document its settings, of a run how exact it was.
load: Processes that ran or wanted to, on average over the last minute, at the end of a live run.
longest_backoff: The longest series of reductions of ssthresh without growth of the window between them.
lost_on_links (packets): Packets that links lost after their ports accepted them; null without links that can lose packets.
max (that of the mean): The largest value over the runs.
marked_cells (cells): Data cells that the port marked with EFCI.
max_min: The max-min share of a flow of TCP; only where a port tells TCP senders rates and no route changes.
max_min_goodput_bps (bit/s): The payload of full segments at the max-min share of a flow of TCP.
max_min_share_bps (bit/s): The max-min share. Of an ABR connection: with cell headers, where all ABR connections share whole links and each has at most its PCR; what UBR takes is not left out. Of a flow of TCP: on the wire, where all flows of TCP share whole links; what UDP takes is not left out.
max_queue (cells or packets): Largest number of waiting units.
max_s (s): The largest delay, exact.
mean (that of the number): The mean over the runs.
mean_acr_bps (bit/s): The mean of ACR over the time after the warm-up, with cell headers.
mean_active (connections): Time-weighted mean number of connections with units waiting at the port.
mean_queue (cells or packets): Time-weighted mean number of waiting units.
mean_s (s): The mean of all delays, exact.
min (that of the mean): The smallest value over the runs.
min_s (s): The smallest delay, exact.
most_acks_waiting (packets): The most acknowledgements that ever waited in the buckets of a port together.
name: The name of the scenario, flow, port or connection.
node: Of an event: the terminal; of a link or a route, its beginning.
one_way_delay: The time from when the sender hands data to its host until they have arrived completely; of a scenario with `delays`.
p50_s (s): The value that half of all delays do not exceed, to within 0.4 %.
p95_s (s): The value that 95 % of all delays do not exceed, to within 0.4 %.
p999_s (s): The value that 99.9 % of all delays do not exceed, to within 0.4 %.
p99_s (s): The value that 99 % of all delays do not exceed, to within 0.4 %.
packets: How many packets left the emulator; of `host_lateness`, how many acknowledgements and writes were measured.
pauses_felt (fraction): For which part of their time the flows of a live run have felt single pauses of the machine.
poll_s (s): The time from one reading of TCP_INFO to the next in a live run.
ports: One entry for each output port of a switch, in the order of the scenario.
problems: What went wrong with connections of a live run, in sentences.
processor: The part of one processor that a live run took.
quantiles_s (s): The values that 0.1, 0.5, 1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 85, 90, 95, 98, 99, 99.5, 99.9 and 100 % of all delays do not exceed, to within 0.4 %.
rates: What the port told ABR sources; only of ports with a rate algorithm that ABR connections cross.
reasons: Why a live run is not valid, in sentences.
resolved: The scenario file with every key and default.
result_version: Changes when the numbers of any run change.
round_trip: The round trips that TCP measured; of a scenario with `delays`.
runs: One entry for each finished run; in the summary the number of runs.
scenario: The scenario that was simulated.
seed: The seed of the run.
seeds: The seeds that the command asked for.
setting: What a host of a live run was set to: a name below net.ipv4, the MTU, or a route.
settings: Of each host of a live run what it was set to.
simulated_s (s): The simulated time that the run reached.
sojourn: The time that units waited at a port until their transmission began; of a scenario with `delays`.
summary: The means over all finished runs.
time_ps (ps): The time of an event, exact.
time_s (s): The time of an event.
timeout_times_s (s): When the retransmission timer expired.
total (cells or packets): All units refused.
trace: How windows were read in a live run: tcp-probe at each acknowledgement, or tcp-info now and then.
udp: One entry for each UDP source, in the order of the scenario.
udp_goodput_bps (bit/s): Payload of UDP datagrams that arrived per second, of all sources; null without UDP sources.
udp_loss: The share of all UDP datagrams sent that was lost; null if none was sent.
unit: The unit that ports count: cells or packets.
value: The value of a setting.
vcs: One entry for each path through the port: data, then acknowledgements of each flow.
verdict: Of a live run: valid, degraded, or invalid, which measures the machine and not the scenario.
weighted_fairness (fraction): Jain's index over the mean ACR of ABR flows, each over its max-min share: 1 where all have the same part of it. Without ABR flows over goodput of TCP, each over max_min_goodput_bps; not there without either.
warnings: What the checker said about the scenario before the run.
warmup_s (s): The time that the numbers after the warm-up exclude.
windows_lowered (packets): Acknowledgements in which the router of a port lowered the receive window.";

pub const EXIT_CODES: [(&str, &str); 7] = [
    ("0", "Success."),
    ("1", "A file, a folder or a disk failed, or a result is damaged or of another version."),
    ("2", "Wrong usage: the command line asks for something that does not exist."),
    ("3", "The scenario is invalid, and nothing was run; or a script of packetdrill cannot be run."),
    (
        "4",
        "A reproduction differs from the published numbers, a repeated run from the kept result, or what is simulated from a script of packetdrill.",
    ),
    ("101", "A defect of the program; please report it."),
    ("130", "Interrupted by Ctrl-C; finished runs are kept."),
];
