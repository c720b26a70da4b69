//! A made-up result, for the tests of everything that shows results.

use std::collections::BTreeMap;

use ackclock::record::{AbrCounts, Drops, FlowCounts, Histogram, LinkLosses, PortTallies, UdpCounts};
use ackclock::units::Span;

use crate::document::abr::{Abr, Rates};
use crate::document::delays::Delays;
use crate::document::feedback::{Feedback, MaxMin};
use crate::document::keyed::{Keyed, known};
use crate::document::live::{KernelAlgorithm, Lateness, Live, LiveRun, Setting, Validity};
use crate::document::summary::SummaryPart;
use crate::document::{
    BottleneckPart, Document, Flow, Limited, Link, LinkVc, Port, PortAfterWarmup, Run, ScenarioPart, Udp,
    UdpAfterWarmup,
};

const LOST: Keyed<LinkLosses> = Keyed(LinkLosses { corrupted: 3, outage: 1, no_route: 0, no_receiver: 0, ttl: 0 });

/// A made-up result: flow n of seed s delivers (n + 1 + s/10) Mb/s, port n refuses 10 n cells.
pub fn example(flows: u64, ports: u64, seeds: u64) -> Document {
    let scenario = ScenarioPart {
        name: "made up".into(),
        hash: "0123456789abcdef".into(),
        unit: "cells".into(),
        duration_s: 10.0,
        warmup_s: 0.5,
        bottleneck: Some(BottleneckPart { link: "sw1->sw2".into(), capacity_bps: 1e8 }),
        events: Vec::new(),
        warnings: Vec::new(),
        resolved: "seed = 1\n".into(),
    };
    let run = |seed| Run {
        seed,
        simulated_s: 10.0,
        efficiency: Some(0.8 + seed as f64 / 100.0),
        efficiency_after_warmup: Some(0.9),
        fairness: Some(1.0 / 3.0),
        fairness_after_warmup: None,
        fingerprint: "00000000000000ff".into(),
        live: None,
        measures: BTreeMap::new(),
        parts: BTreeMap::new(),
        flows: (0..flows).map(|n| flow(n, seed)).collect(),
        ports: (0..ports).map(port).collect(),
        links: vec![Link {
            name: "sw1->sw2".into(),
            lost: LOST,
            after_warmup: None,
            vcs: vec![LinkVc { name: "f1".into(), lost: LOST }],
        }],
        udp: vec![Udp {
            name: "u1".into(),
            goodput_bps: 1e6,
            counts: Keyed(UdpCounts { bytes_delivered: 125_000, sent: 130, delivered: 125, lost: 5 }),
            one_way_delay: None,
            jitter: None,
            round_trip: None,
            after_warmup: None,
        }],
    };
    let command = vec!["ackclock".into(), "run".into(), "x.toml".into()];
    Document::new(command, scenario, (1..=seeds).collect(), (1..=seeds).map(run).collect())
}

/// An example with numbers after the warm-up: a flow repeats one segment less, a port refuses a third, rounded down,
/// its mean queue is half as long, and the link and the source of datagrams lose one packet less.
pub fn example_with_warmup(flows: u64, ports: u64, seeds: u64) -> Document {
    let mut document = example(flows, ports, seeds);
    for run in &mut document.runs {
        run.fairness_after_warmup = Some(0.25);
        for flow in &mut run.flows {
            flow.goodput_after_warmup_bps = Some(flow.goodput_bps * 1.5);
            flow.after_warmup = Some(Keyed(FlowCounts {
                bytes_delivered: 900,
                bytes_sent: 1800,
                segments_sent: 3,
                retransmissions: flow.counts.retransmissions - 1,
                unnecessary_retransmissions: 1,
                fast_retransmits: 1,
                timeouts: 2,
                ..FlowCounts::default()
            }));
        }
        for port in &mut run.ports {
            let third = |count: u64| count / 3;
            let Drops { overflow, partial_frame, policy, outage } = *port.drops.by_reason;
            let drops = Drops {
                overflow: third(overflow),
                partial_frame: third(partial_frame),
                policy: third(policy),
                outage: third(outage),
            };
            let mean_queue = port.mean_queue / 2.0;
            port.after_warmup = Some(PortAfterWarmup {
                arrivals: 900,
                departures: 890,
                drops: drops.into(),
                tallies: port.tallies,
                mean_queue,
                marked_cells: None,
            });
        }
        for source in &mut run.udp {
            let UdpCounts { sent, delivered, lost, .. } = *source.counts;
            source.after_warmup = Some(UdpAfterWarmup {
                goodput_bps: 1e6,
                counts: Keyed(UdpCounts {
                    bytes_delivered: 116_000,
                    sent: sent - 10,
                    delivered: delivered - 9,
                    lost: lost - 1,
                }),
            });
        }
        run.links[0].after_warmup = Some(Keyed(LinkLosses { corrupted: 2, ..LOST.0 }));
    }
    document.summary = SummaryPart::of(&document.runs);
    document
}

/// An example with delays: everything with number n, counted from 0, has 100 of them, from 10 + n ms to a hundred times that.
pub fn with_delays(mut document: Document) -> Document {
    let delays = |n: usize| {
        let mut histogram = Histogram::default();
        (1..=100).for_each(|step| histogram.add(Span::from_ms(step * (10 + n as u64)), 1));
        Some(Delays::from(&histogram))
    };
    for run in &mut document.runs {
        for (n, flow) in run.flows.iter_mut().enumerate() {
            (flow.one_way_delay, flow.round_trip) = (delays(n), delays(n));
        }
        for (n, source) in run.udp.iter_mut().enumerate() {
            (source.one_way_delay, source.jitter) = (delays(0), delays(n));
        }
        run.ports.iter_mut().enumerate().for_each(|(n, port)| port.sojourn = delays(n));
    }
    Document { summary: SummaryPart::of(&document.runs), ..document }
}

/// The same with ABR: the mean ACR of flow n, counted from 1, is 9 n Mb/s, and its share 10 n; flow 2 gets half of that.
pub fn with_abr(mut document: Document) -> Document {
    for run in &mut document.runs {
        for (n, flow) in run.flows.iter_mut().enumerate() {
            let share = 10e6 * (n as f64 + 1.0);
            let part = if n == 1 { 0.45 } else { 0.9 };
            flow.abr = Some(Abr {
                acr_bps: share,
                least_acr_bps: 1e6,
                mean_acr_bps: part * share,
                max_min_share_bps: share,
                counts: Keyed(AbrCounts { forward_rm_cells: 100, backward_rm_cells: 98, ..AbrCounts::default() }),
                after_warmup: Some(Keyed(AbrCounts { forward_rm_cells: 60, ..AbrCounts::default() })),
            });
        }
        let rates = Rates { marked_cells: 7, allocation_bps: Some(12e6) };
        run.ports.iter_mut().for_each(|port| port.rates = Some(rates));
    }
    Document { summary: SummaryPart::of(&document.runs), ..document }
}

/// The same with ports that tell TCP senders rates: the max-min share of flow n, counted from 1, is 12 n Mb/s, of which 10 n are
/// payload.
pub fn with_feedback(mut document: Document) -> Document {
    for (n, flow) in document.runs.iter_mut().flat_map(|run| run.flows.iter_mut().enumerate()) {
        let n = n as f64 + 1.0;
        flow.max_min = Some(MaxMin { max_min_share_bps: 12e6 * n, max_min_goodput_bps: 10e6 * n });
    }
    for port in document.runs.iter_mut().flat_map(|run| &mut run.ports) {
        port.feedback = Some(Feedback {
            acks: 5000,
            windows_lowered: 400,
            acks_waiting: 3,
            most_acks_waiting: 70,
            damaged_ack_frames: 2,
            allocation_bps: Some(10e6),
        });
    }
    Document { summary: SummaryPart::of(&document.runs), ..document }
}

/// The same, made on the TCP of a kernel: all runs are valid, and packets up to 2.5 ms late.
pub fn live(mut document: Document) -> Document {
    let lateness =
        Lateness { packets: 10_000, p50_s: Some(5e-6), p99_s: Some(8e-5), p999_s: Some(1.2e-3), max_s: Some(2.5e-3) };
    for run in &mut document.runs {
        run.live = Some(LiveRun {
            verdict: Validity::Valid,
            reasons: Vec::new(),
            lateness,
            host_lateness: Lateness { packets: 5_000, p999_s: Some(3e-4), ..lateness },
            pauses_felt: 0.0,
            drops_outside: 0,
            load: Some(0.5),
            processor: 0.1,
            trace: "tcp-info".into(),
            poll_s: 0.01,
            problems: Vec::new(),
        });
    }
    let setting = Setting { host: "a".into(), setting: "tcp_sack".into(), value: "1".into() };
    document.of_live(Live {
        kernel: "Linux 6.18.44".into(),
        congestion_controls: vec![KernelAlgorithm { name: "reno".into(), kernel_name: "reno".into() }],
        settings: vec![setting],
        differences: vec!["flow f1: `min_rto`: Linux adds it to the round trip".into()],
    })
}

fn flow(n: u64, seed: u64) -> Flow {
    let goodput_bps = 1e6 * (n as f64 + 1.0 + seed as f64 / 10.0);
    Flow {
        name: format!("f{}", n + 1),
        goodput_bps,
        goodput_after_warmup_bps: Some(goodput_bps),
        counts: Keyed(FlowCounts {
            bytes_delivered: 1000,
            bytes_sent: 2000,
            segments_sent: 4,
            retransmissions: seed,
            unnecessary_retransmissions: 1,
            fast_retransmits: 2,
            timeouts: 3,
            damaged_frames: 5,
            ..FlowCounts::default()
        }),
        timeout_times_s: vec![0.1, 0.2],
        longest_backoff: 1,
        completed_s: None,
        one_way_delay: None,
        round_trip: None,
        exchanges: None,
        exchange: None,
        abr: None,
        max_min: None,
        limited: Some(Limited {
            by_receive_window: 0.005,
            by_congestion_window: 0.945,
            by_application: 0.045,
            by_host: 0.005,
        }),
        limited_after_warmup: None,
        after_warmup: None,
    }
}

fn port(n: u64) -> Port {
    Port {
        name: format!("sw{n}->sw{}", n + 1),
        arrivals: 1000,
        departures: 990,
        drops: Drops { overflow: 4 * n, partial_frame: 3 * n, policy: 3 * n, outage: 0 }.into(),
        tallies: known(&PortTallies::default()),
        mean_queue: 0.1 + n as f64,
        max_queue: 50,
        final_queue: 0,
        mean_active: 1.5,
        congestion_episodes: Some(3),
        rates: None,
        feedback: None,
        sojourn: None,
        after_warmup: None,
        vcs: Vec::new(),
    }
}
