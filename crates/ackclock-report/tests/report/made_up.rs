//! Results that look like those of a simulation, of any size.

use ackclock::record::{Columns, DropReason, Metric, Series};
use ackclock::units::{Span, Time};
use ackclock_store::document::Document;
use ackclock_store::document::example::example;
use ackclock_store::document::summary::SummaryPart;

const SECONDS: f64 = 10.0;

/// A made-up result whose flows and ports bear the names of [`series`], with some spread over the seeds.
pub fn document(flows: u64, ports: u64, seeds: u64) -> Document {
    let mut document = example(flows, ports, seeds);
    document.scenario.warmup_s = 0.0;
    document.scenario.name = "LAN, <script>alert(\"5\")</script> & Ünïcode 衛星".into();
    document.command = ["ackclock", "run", "it's lan.toml", "--seeds", "3"].map(String::from).to_vec();
    document.scenario.resolved = resolved("selective-drop", 1000);
    let mut noise = Noise(7);
    for run in &mut document.runs {
        run.fingerprint = format!("{:016x}", noise.next().to_bits());
        for (n, flow) in run.flows.iter_mut().enumerate() {
            flow.goodput_bps = 2e7 * (1.0 + 0.1 * (n as f64 / 3.0).sin() + 0.1 * noise.next());
            flow.goodput_after_warmup_bps = Some(flow.goodput_bps * 1.01);
            flow.counts.segments_sent = 20_000;
            flow.counts.retransmissions = (90.0 + 60.0 * noise.next()) as u64;
        }
        for port in &mut run.ports {
            port.mean_queue = 700.0 + 60.0 * noise.next();
            port.max_queue = 937;
            port.arrivals = 741_000 + (3000.0 * noise.next()) as u64;
            port.departures = port.arrivals - 8000;
            port.drops.by_reason.overflow = 800;
            port.drops.by_reason.policy = 7200;
            port.drops.total = 8000;
        }
    }
    document.summary = SummaryPart::of(&document.runs);
    document
}

/// A resolved scenario, or what looks like one.
pub fn resolved(policy: &str, buffer: u32) -> String {
    format!(
        "duration = \"10 s\"\nseed = 1\n\n[network]\ntopology = \"n-source\"\nsources = 5\nrate = \"155.52 Mbps\"\n\n[queue]\nbuffer = \"{buffer} cells\"\npolicy = \"{policy}\"\n\n[tcp]\nrecovery = \"fall-floyd\"\nmss = \"9140 B\"\n"
    )
}

/// Every metric of a report, with about `points` rows in each table.
pub fn series(flows: u64, ports: u64, points: usize) -> Vec<Series> {
    let mut series: Vec<Series> = (0..flows).flat_map(|n| flow(&format!("f{}", n + 1), n, points)).collect();
    series.extend((0..ports).flat_map(|n| port(&format!("sw{n}->sw{}", n + 1), n, points)));
    series
}

fn flow(name: &str, n: u64, points: usize) -> Vec<Series> {
    let mut noise = Noise(n + 1);
    let (mut cwnd, mut ssthresh, mut srtt, mut sequence) = (9140.0, f64::INFINITY, 0.03, 0.0);
    let mut columns: Vec<(Vec<Time>, Vec<f64>)> = vec![Default::default(); 8];
    let mut put = |which: usize, time: Time, value: f64| {
        columns[which].0.push(time);
        columns[which].1.push(value);
    };
    for step in 0..points {
        let time = at(SECONDS * step as f64 / points as f64);
        let limit = 4e5 * (1.0 + 0.2 * noise.next());
        if cwnd > limit && step % 50 == 0 {
            ssthresh = cwnd / 2.0;
            cwnd = ssthresh;
            put(1, time, ssthresh);
            put(6, time, sequence - 2.0 * 9140.0);
        }
        cwnd += if cwnd < ssthresh { 9140.0 } else { 2e6 / points as f64 * (1.0 + 0.1 * n as f64) };
        let rtt = 0.012 + 0.018 * cwnd / 5e5 + 0.002 * noise.next();
        srtt += (rtt - srtt) / 8.0;
        sequence += 9140.0;
        put(0, time, cwnd);
        put(2, time, rtt);
        put(3, time, srtt);
        put(4, time, if step % 700 < 30 { 2.0 } else { 1.0 });
        put(5, time, sequence);
        put(7, time, sequence - cwnd / 2.0);
    }
    let metrics = [
        Metric::Cwnd,
        Metric::Ssthresh,
        Metric::Rtt,
        Metric::Srtt,
        Metric::Rto,
        Metric::Sent,
        Metric::Retransmissions,
        Metric::Acknowledged,
    ];
    let mut all: Vec<Series> = metrics
        .into_iter()
        .zip(columns)
        .map(|(metric, (time, value))| of(metric, name, Columns::Points { time, value }))
        .collect();
    all.push(of(
        Metric::Throughput,
        name,
        intervals(points.min(100_000), |x| 2.2e7 + 6e6 * (x * 9.0 + n as f64).sin(), 4e6),
    ));
    all
}

fn port(name: &str, n: u64, points: usize) -> Vec<Series> {
    let mut noise = Noise(100 + n);
    let time: Vec<Time> =
        (0..points.min(1_000_000)).map(|k| at(SECONDS * k as f64 / points.min(1_000_000) as f64)).collect();
    let reasons = [DropReason::Overflow, DropReason::PartialFrame, DropReason::Policy, DropReason::Policy];
    let reason = time.iter().map(|_| reasons[((noise.next() + 1.0) * 1.99) as usize]).collect();
    let (vc, frame) = (vec![0; time.len()], vec![0; time.len()]);
    let drops = Columns::Drops { time, vc, frame, reason, names: vec!["f1".into()] };
    vec![
        of(Metric::Queue, name, intervals(points.min(100_000), |x| 600.0 + 250.0 * (x * 7.0).sin(), 90.0)),
        of(Metric::Utilisation, name, intervals(points.min(100_000), |x| 0.96 + 0.03 * (x * 5.0).cos(), 0.01)),
        of(Metric::Drops, name, drops),
    ]
}

fn intervals(count: usize, mean: impl Fn(f64) -> f64, spread: f64) -> Columns {
    let mut noise = Noise(3);
    let mean: Vec<f64> =
        (0..count).map(|n| mean(SECONDS * n as f64 / count as f64) + spread * 0.3 * noise.next()).collect();
    Columns::Intervals {
        interval: Span::from_ps((SECONDS * 1e12 / count as f64).ceil() as u64),
        end: at(SECONDS),
        min: mean.iter().map(|mean| mean - spread * (1.0 + noise.next())).collect(),
        max: mean.iter().map(|mean| mean + spread * (1.0 + noise.next())).collect(),
        mean: mean.into(),
    }
}

fn of(metric: Metric, name: &str, columns: Columns) -> Series {
    Series { metric, of: name.into(), vc: None, columns }
}

fn at(seconds: f64) -> Time {
    Time::from_ps((seconds * 1e12) as u64)
}

/// Numbers between -1 and 1 that look random (a linear congruence; nothing hangs on them).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
