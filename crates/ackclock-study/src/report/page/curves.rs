//! The plots of a figure, from what was recorded.

use ackclock::record::{Columns, Metric, Subject};
use ackclock::units::{Span, Time};
use ackclock_report::decimate;
use ackclock_report::page::chart::{Chart, Choice, Data, Line, Style};
use ackclock_report::page::number::Scale;
use ackclock_report::plots::{self, Source};

use crate::data::figures::Plot;
use crate::figure::{DrawnFigure, DrawnFlow};

/// The flows or the ports of a figure, to choose from: as many are shown as can be distinguished.
pub(crate) fn choice(label: &str, drawn: &[DrawnFlow]) -> Choice {
    let members: Vec<String> = drawn.iter().map(|one| one.label.clone()).collect();
    Choice { label: label.into(), chosen: (0..members.len().min(MOST_LINES)).collect(), members }
}

/// The plots of a figure, each with whether it is of ports.
pub(crate) fn charts(figure: &DrawnFigure) -> Vec<(bool, Chart)> {
    let is_of_ports = |plot: &Plot| plot.metrics()[0].subject() == Subject::Port;
    let drawn = |plot: &Plot| if is_of_ports(plot) { &figure.ports } else { &figure.flows };
    let lines = |plot: &Plot| drawn(plot).len() * plot.metrics().len();
    let room = POINTS / figure.plots.iter().map(lines).sum::<usize>().max(1);
    let charts = figure.plots.iter().filter_map(|plot| {
        let chart = match plot {
            Plot::Throughput => sent(figure, &THROUGHPUT, room),
            Plot::Average => sent(figure, &AVERAGE, room),
            plot => recorded(drawn(plot), *plot, room, figure.end),
        };
        Some((is_of_ports(plot), chart?))
    });
    let named = |(is_of_ports, chart): (bool, Chart)| {
        let named = Chart {
            id: format!("{}-{}", figure.id, chart.id),
            title: format!("{}: {}", figure.title.split(':').next().unwrap_or_default(), chart.title),
            marks: figure.marks.iter().map(|(time, _)| time.as_secs_f64()).collect(),
            ..chart
        };
        (is_of_ports, named)
    };
    charts.map(named).collect()
}

/// A plot of what was recorded as it is. The thresholds of several flows would hide their windows.
fn recorded(drawn: &[DrawnFlow], plot: Plot, room: usize, end: Time) -> Option<Chart> {
    let metrics: &[Metric] = match plot {
        Plot::Cwnd if drawn.len() > 1 => &[Metric::Cwnd],
        plot => plot.metrics(),
    };
    let mut sources = Vec::new();
    for (member, flow) in drawn.iter().enumerate() {
        let series = flow.series.iter().filter(|series| metrics.contains(&series.metric));
        sources.extend(series.map(|series| Source { member, series, room }));
    }
    plots::chart(plots::kind_of(metrics[0]), &sources, "packets", end)
}

/// A plot of how much was sent.
struct Sent {
    id: &'static str,
    title: &'static str,
    about: &'static str,
    curve: fn(&DrawnFlow, Time, usize) -> (Style, Data),
}

const THROUGHPUT: Sent = Sent {
    id: "throughput",
    title: "Throughput",
    about: "Sent by the flow, retransmissions included, in intervals of 0.1 s; if they are too many to draw, their mean, and the band from the lowest to the highest.",
    curve: throughput,
};
const AVERAGE: Sent = Sent {
    id: "average",
    title: "Throughput, average",
    about: "Sent by the flow since its start, retransmissions included, over the time since then.",
    curve: average,
};

fn sent(figure: &DrawnFigure, plot: &Sent, room: usize) -> Option<Chart> {
    let line = |(member, flow): (usize, &DrawnFlow)| {
        let (style, data) = (plot.curve)(flow, figure.end, room);
        Line { name: "sent".into(), member, role: 0, style, data }
    };
    let mut lines: Vec<Line> = figure.flows.iter().enumerate().map(line).filter(|line| !line.data.is_empty()).collect();
    let values = |line: &mut Line| match &mut line.data {
        Data::Points { value, .. } => vec![std::mem::take(value)],
        Data::Intervals { min, mean, max, .. } => [min, mean, max].map(std::mem::take).to_vec(),
    };
    let mut all: Vec<Vec<Vec<f64>>> = lines.iter_mut().map(values).collect();
    let largest = all.iter().flatten().flatten().copied().fold(0.0, f64::max);
    let scale = Scale::fitting(largest, "bit/s");
    for (line, values) in lines.iter_mut().zip(&mut all) {
        values.iter_mut().flatten().for_each(|value| *value *= scale.factor);
        match (&mut line.data, &mut values[..]) {
            (Data::Points { value, .. }, [only]) => *value = std::mem::take(only),
            (Data::Intervals { min, mean, max, .. }, [low, middle, high]) => {
                [*min, *mean, *max] = [low, middle, high].map(std::mem::take);
            }
            _ => unreachable!("as many as were taken out"),
        }
    }
    (!lines.is_empty()).then(|| Chart {
        id: plot.id.into(),
        title: plot.title.into(),
        about: plot.about.into(),
        quantity: "throughput".into(),
        unit: scale.unit,
        logarithmic: false,
        top: None,
        reach: None,
        colour: None,
        apart: false,
        window_s: 0.0,
        hidden_roles: Vec::new(),
        end: figure.end.as_secs_f64(),
        marks: Vec::new(),
        lines,
    })
}

/// Bits per second in each interval.
fn throughput(flow: &DrawnFlow, end: Time, room: usize) -> (Style, Data) {
    let seconds = INTERVAL.as_secs_f64();
    let rates: Vec<f64> = bits(flow, end).into_iter().map(|bits| bits / seconds).collect();
    let merged = decimate::merge(INTERVAL, end, &rates, &rates, &rates, room / 3);
    let interval = merged.interval.as_secs_f64();
    (Style::Band, Data::Intervals { interval, min: merged.min, mean: merged.mean, max: merged.max })
}

/// Bits per second from the start of the flow to the end of each interval, the first of which is a whole one after it: over
/// milliseconds a single packet is a peak beside which all else is flat.
fn average(flow: &DrawnFlow, end: Time, room: usize) -> (Style, Data) {
    let (mut time, mut value, mut sum) = (Vec::new(), Vec::new(), 0.0);
    for (n, bits) in bits(flow, end).into_iter().enumerate() {
        sum += bits;
        let until = (Time::ZERO + INTERVAL * (n as u64 + 1)).min(end);
        if until >= flow.start + INTERVAL {
            time.push(until);
            value.push(sum / until.since(flow.start).as_secs_f64());
        }
    }
    let kept = decimate::keep(&time, &value, end, room);
    let time = kept.iter().map(|&n| time[n].as_secs_f64()).collect();
    (Style::Steps, Data::Points { time, value: kept.iter().map(|&n| value[n]).collect() })
}

/// Bits of the segments sent in each interval of 0.1 s.
fn bits(flow: &DrawnFlow, end: Time) -> Vec<f64> {
    let mut bits = vec![0.0; end.as_ps().div_ceil(INTERVAL.as_ps()) as usize];
    let sent = flow.series.iter().find(|series| series.metric == Metric::Sent);
    if let Some(Columns::Points { time, .. }) = sent.map(|series| &series.columns) {
        for time in time.iter().filter(|&&time| time < end) {
            bits[(time.as_ps() / INTERVAL.as_ps()) as usize] += 8.0 * f64::from(flow.mss);
        }
    }
    bits
}

const INTERVAL: Span = Span::from_ms(100);
/// Lines that can be distinguished by their colours.
const MOST_LINES: usize = 6;
/// Points of the plots of a figure, all together.
const POINTS: usize = 12_000;

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::record::Series;

    /// 1000 bytes each at 1.05, 1.06 and 1.25 s, since 1 s.
    fn flow() -> DrawnFlow {
        let time: Vec<Time> = [1050, 1060, 1250].map(|ms| Time::ZERO + Span::from_ms(ms)).to_vec();
        let columns = Columns::Points { value: vec![0.0; time.len()], time };
        let series = vec![Series { metric: Metric::Sent, of: "f".into(), vc: None, columns }];
        DrawnFlow { label: "f".into(), start: Time::ZERO + Span::from_secs(1), mss: 1000, series }
    }

    #[test]
    fn throughput_is_counted_in_tenths_of_a_second() {
        let end = Time::ZERO + Span::from_ms(1400);
        let (_, Data::Intervals { interval, mean, max, .. }) = throughput(&flow(), end, 1000) else { panic!() };
        assert_eq!((interval, &mean[10..]), (0.1, &[160_000.0, 0.0, 80_000.0, 0.0][..]));
        assert_eq!((mean.len(), max[10]), (14, 160_000.0));
    }

    #[test]
    fn the_average_begins_an_interval_after_the_flow() {
        let end = Time::ZERO + Span::from_ms(1400);
        let late = DrawnFlow { start: Time::ZERO + Span::from_ms(1040), ..flow() };
        let (_, Data::Points { time, .. }) = average(&late, end, 1000) else { panic!() };
        assert_eq!(time, [1.2, 1.3, 1.4]);
        let (_, Data::Points { time, value }) = average(&flow(), end, 1000) else { panic!() };
        assert_eq!(time, [1.1, 1.2, 1.3, 1.4]);
        let near = |expected: f64, value: f64| (expected - value).abs() < 1e-6;
        assert!(near(160_000.0, value[0]) && near(80_000.0, value[1]) && near(24_000.0 / 0.4, value[3]), "{value:?}");
    }
}
