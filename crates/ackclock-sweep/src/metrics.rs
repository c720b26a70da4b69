//! The numbers of a row: what is kept of a run.

use ackclock::record::stats::{mean, quantile};
use ackclock::record::{Histogram, Records, limiting_port};
use ackclock::scenario::Scenario;
use ackclock::units::Span;
use ackclock_report::run::settles_s;

use crate::results::row::Row;
use crate::results::sketch;

/// A number of a row.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// The name of its column.
    pub name: &'static str,
    /// Its unit; empty for counts. `units` are cells or packets, as ports of the network count them.
    pub unit: &'static str,
    /// What it means, in one sentence.
    pub about: &'static str,
    /// What it can be.
    range: Range,
    of: fn(&Measured) -> Option<f64>,
}

/// What a number can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Range {
    /// 0 or more.
    NotBelow0,
    /// 0 to 1.
    Share,
    /// Jain's index: from the part of one flow to 1.
    Jain,
}

impl Metric {
    /// The least and the most that it can be with so many flows.
    pub fn limits(&self, flows: usize) -> (f64, f64) {
        match self.range {
            Range::NotBelow0 => (0.0, f64::INFINITY),
            Range::Share => (0.0, 1.0),
            Range::Jain => (1.0 / flows.max(1) as f64, 1.0),
        }
    }
}

/// What a run gave, over the time after the warm-up where there is one.
#[derive(Debug, Default)]
struct Measured {
    goodput_bps: Option<f64>,
    efficiency: Option<f64>,
    fairness: Option<f64>,
    udp_goodput_bps: Option<f64>,
    udp_sent: u64,
    udp_lost: u64,
    arrivals: u64,
    refused: u64,
    lost_on_links: Option<f64>,
    segments_sent: u64,
    retransmissions: u64,
    unnecessary_retransmissions: u64,
    timeouts: u64,
    mean_queue: f64,
    max_queue: u64,
    queueing: Histogram,
    /// Of 50, 95 and 99 %.
    queueing_percentiles: [Option<Span>; 3],
    one_way: Histogram,
    round_trip: Histogram,
    /// In order.
    completions_s: Vec<f64>,
    files: usize,
}

/// The numbers of a row, in their order.
pub const METRICS: &[Metric] = &[
    Metric {
        name: "goodput_bps",
        unit: "bit/s",
        about: "Payload of all TCP flows delivered in order per second.",
        range: Range::NotBelow0,
        of: |m| m.goodput_bps,
    },
    Metric {
        name: "efficiency",
        unit: "fraction",
        about: "Goodput through the bottleneck over its capacity.",
        range: Range::Share,
        of: |m| m.efficiency,
    },
    Metric {
        name: "fairness",
        unit: "fraction",
        about: "Jain's index over the goodput of the flows.",
        range: Range::Jain,
        of: |m| m.fairness,
    },
    Metric {
        name: "loss",
        unit: "fraction",
        about: "Of the units that arrived at the port that limits, the share that its queue refused. That is the port of the bottleneck; without one, of the ports that data pass, the one with the longest mean queue.",
        range: Range::Share,
        of: |m| share(m.refused, m.arrivals),
    },
    Metric {
        name: "lost_on_links",
        unit: "packets",
        about: "Packets that links lost after their ports accepted them.",
        range: Range::NotBelow0,
        of: |m| m.lost_on_links,
    },
    Metric {
        name: "segments_sent",
        unit: "",
        about: "Segments of all flows, retransmissions included.",
        range: Range::NotBelow0,
        of: |m| Some(m.segments_sent as f64),
    },
    Metric {
        name: "retransmissions",
        unit: "",
        about: "Segments that TCP retransmitted.",
        range: Range::NotBelow0,
        of: |m| Some(m.retransmissions as f64),
    },
    Metric {
        name: "unnecessary_retransmissions",
        unit: "",
        about: "Segments that arrived although the receiver held all their bytes.",
        range: Range::NotBelow0,
        of: |m| Some(m.unnecessary_retransmissions as f64),
    },
    Metric {
        name: "timeouts",
        unit: "",
        about: "Expiries of the retransmission timer.",
        range: Range::NotBelow0,
        of: |m| Some(m.timeouts as f64),
    },
    Metric {
        name: "mean_queue",
        unit: "units",
        about: "Time-weighted mean number of units that wait at the port that limits.",
        range: Range::NotBelow0,
        of: |m| Some(m.mean_queue),
    },
    Metric {
        name: "max_queue",
        unit: "units",
        about: "The largest number of units that waited there, over the whole run.",
        range: Range::NotBelow0,
        of: |m| Some(m.max_queue as f64),
    },
    Metric {
        name: "queueing_delay_mean_s",
        unit: "s",
        about: "The mean time that units waited there, exact.",
        range: Range::NotBelow0,
        of: |m| m.queueing.mean_s(),
    },
    Metric {
        name: "queueing_delay_p50_s",
        unit: "s",
        about: "The time that half of the units waited at most, to within 0.4 %.",
        range: Range::NotBelow0,
        of: |m| seconds(m.queueing_percentiles[0]),
    },
    Metric {
        name: "queueing_delay_p95_s",
        unit: "s",
        about: "The time that 95 % of the units waited at most, to within 0.4 %.",
        range: Range::NotBelow0,
        of: |m| seconds(m.queueing_percentiles[1]),
    },
    Metric {
        name: "queueing_delay_p99_s",
        unit: "s",
        about: "The time that 99 % of the units waited at most, to within 0.4 %.",
        range: Range::NotBelow0,
        of: |m| seconds(m.queueing_percentiles[2]),
    },
    Metric {
        name: "one_way_delay_mean_s",
        unit: "s",
        about: "The mean one-way delay of the segments of all flows, exact.",
        range: Range::NotBelow0,
        of: |m| m.one_way.mean_s(),
    },
    Metric {
        name: "one_way_delay_p95_s",
        unit: "s",
        about: "The one-way delay that 95 % of the segments of all flows had at most, to within 0.4 %.",
        range: Range::NotBelow0,
        of: |m| seconds(m.one_way.quantile(950)),
    },
    Metric {
        name: "round_trip_mean_s",
        unit: "s",
        about: "The mean of the round trips that TCP measured, exact.",
        range: Range::NotBelow0,
        of: |m| m.round_trip.mean_s(),
    },
    Metric {
        name: "round_trip_p95_s",
        unit: "s",
        about: "The value that 95 % of the round trips that TCP measured had at most, to within 0.4 %.",
        range: Range::NotBelow0,
        of: |m| seconds(m.round_trip.quantile(950)),
    },
    Metric {
        name: "udp_goodput_bps",
        unit: "bit/s",
        about: "Payload of the datagrams of all sources that arrived per second.",
        range: Range::NotBelow0,
        of: |m| m.udp_goodput_bps,
    },
    Metric {
        name: "udp_loss",
        unit: "fraction",
        about: "Of all datagrams sent, the share that was lost.",
        range: Range::Share,
        of: |m| share(m.udp_lost, m.udp_sent),
    },
    Metric {
        name: "completed_files",
        unit: "",
        about: "Flows with a size whose last byte was acknowledged, in the whole run; where some flow has a size.",
        range: Range::NotBelow0,
        of: |m| (m.files > 0).then_some(m.completions_s.len() as f64),
    },
    Metric {
        name: "completion_mean_s",
        unit: "s",
        about: "The mean time from when a file begins, jitter included, to the acknowledgement of its last byte, of those that came to it.",
        range: Range::NotBelow0,
        of: |m| (!m.completions_s.is_empty()).then(|| mean(&m.completions_s)),
    },
    Metric {
        name: "completion_p50_s",
        unit: "s",
        about: "The median of the times from when files begin to the acknowledgements of their last bytes, exact.",
        range: Range::NotBelow0,
        of: |m| quantile(&m.completions_s, 0.5),
    },
    Metric {
        name: "completion_p95_s",
        unit: "s",
        about: "The 95th percentile of the times from when files begin to the acknowledgements of their last bytes, exact.",
        range: Range::NotBelow0,
        of: |m| quantile(&m.completions_s, 0.95),
    },
];

/// The row of a run. What is not defined, and what is not finite, is not there.
pub(crate) fn row(scenario: &Scenario, mut records: Records) -> Row {
    let measured = Measured::of(scenario, &mut records);
    let completions = sketch::text(measured.completions_s.iter().map(|seconds| ((seconds * 1e12).round() as u64, 1)));
    let [queueing, one_way, round_trip] = [&measured.queueing, &measured.one_way, &measured.round_trip]
        .map(|histogram| sketch::text(histogram.bins().map(|(value, times)| (value.as_ps(), times))));
    Row {
        numbers: METRICS.iter().map(|metric| (metric.of)(&measured).filter(|number| number.is_finite())).collect(),
        delays: vec![queueing, one_way, round_trip, completions],
        settles_s: settles_s(&records.series).filter(|settles_s| *settles_s > 0.0),
        failed: None,
    }
}

fn share(part: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

/// Adds the values of a histogram, which is the sum if there was none before: most runs have one port, and few flows.
fn add(sum: &mut Histogram, part: Histogram) {
    if sum.count() == 0 {
        *sum = part;
    } else {
        sum.merge(&part);
    }
}

fn seconds(span: Option<Span>) -> Option<f64> {
    span.map(Span::as_secs_f64)
}

impl Measured {
    /// The histograms of the records move into it.
    fn of(scenario: &Scenario, records: &mut Records) -> Measured {
        let rest = records.after_warmup.as_ref();
        let mut measured = Measured {
            efficiency: if rest.is_some() { records.efficiency_after_warmup } else { records.efficiency },
            fairness: Some(rest.map_or(records.fairness, |rest| rest.fairness)),
            lost_on_links: (!records.links.is_empty()).then(|| match rest {
                Some(rest) => rest.links.iter().map(|lost| lost.total() as f64).sum(),
                None => records.links.iter().map(|link| link.lost.total() as f64).sum(),
            }),
            ..Measured::default()
        };
        measured.flows(scenario, records);
        measured.udp(records);
        measured.ports(scenario, records);
        measured
    }

    fn flows(&mut self, scenario: &Scenario, records: &mut Records) {
        let rest = records.after_warmup.as_ref();
        for (place, flow) in records.flows.iter_mut().enumerate() {
            let counts = rest.map_or(flow.counts, |rest| rest.flows[place]);
            let goodput = match rest {
                Some(_) => flow.goodput_after_warmup_bps.unwrap_or(0.0),
                None => flow.goodput_bps,
            };
            *self.goodput_bps.get_or_insert(0.0) += goodput;
            self.segments_sent += counts.segments_sent;
            self.retransmissions += counts.retransmissions;
            self.unnecessary_retransmissions += counts.unnecessary_retransmissions;
            self.timeouts += counts.timeouts;
            if let Some(delays) = flow.delays.take() {
                add(&mut self.one_way, delays.one_way);
                add(&mut self.round_trip, delays.round_trip);
            }
        }
        let files = scenario.flows.iter().zip(&records.flows).filter(|(flow, _)| flow.size.is_some());
        for (flow, record) in files {
            self.files += 1;
            // From when the application begins, which may depend on the seed.
            let time = record.completed.map(|completed| completed.since(flow.begins(records.seed)).as_secs_f64());
            self.completions_s.extend(time);
        }
        self.completions_s.sort_by(f64::total_cmp);
    }

    fn udp(&mut self, records: &Records) {
        let rest = records.after_warmup.as_ref();
        for (place, source) in records.udp.iter().enumerate() {
            let counts = rest.map_or(source.counts, |rest| rest.udp[place]);
            let goodput = match rest {
                Some(rest) => counts.bytes_delivered as f64 * 8.0 / rest.time.as_secs_f64(),
                None => source.goodput_bps,
            };
            *self.udp_goodput_bps.get_or_insert(0.0) += goodput;
            self.udp_sent += counts.sent;
            self.udp_lost += counts.lost;
        }
    }

    fn ports(&mut self, scenario: &Scenario, records: &mut Records) {
        let rest = records.after_warmup.as_ref();
        let bottleneck = scenario.bottleneck.as_ref().map(|bottleneck| scenario.links[bottleneck.link].name.as_str());
        let limiting = limiting_port(&records.ports, rest.map(|rest| &rest.ports[..]), bottleneck);
        for (place, port) in records.ports.iter_mut().enumerate().filter(|(place, _)| Some(*place) == limiting) {
            let (arrivals, drops, mean_queue) = match rest.map(|rest| &rest.ports[place]) {
                Some(rest) => (rest.arrivals, rest.drops, rest.mean_queue),
                None => (port.arrivals, port.drops, port.mean_queue),
            };
            self.arrivals += arrivals;
            self.refused += drops.total();
            self.mean_queue += mean_queue;
            self.max_queue = self.max_queue.max(port.max_queue);
            if let Some(sojourn) = port.sojourn.take() {
                add(&mut self.queueing, *sojourn);
            }
        }
        self.queueing_percentiles = self.queueing.quantiles([500, 950, 990]);
    }
}
