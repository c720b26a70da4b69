//! Charts of what was recorded over time: which there are, whose lines they hold, and in how much detail.

mod kinds;
mod on_paper;
mod rooms;

use std::collections::{BTreeMap, BTreeSet};

use ackclock::record::{Columns, DropReason, Metric, Series, Shape, Subject};
use ackclock::units::Time;

use crate::decimate;
use crate::page::chart::{Chart, Choice, Data, Line, Style};
use crate::page::number::Scale;
use crate::terminal::common_top;
use kinds::KINDS;
use rooms::{DROP_BINS, rooms};

pub use kinds::{Kind, kind_of};
pub use on_paper::{name_on_paper, on_paper};

/// What a report shows over time.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<'a> {
    /// What was recorded under one seed.
    pub series: &'a [Series],
    /// What ports count: `cells` or `packets`.
    pub unit: &'a str,
    /// The end of the run.
    pub end: Time,
}

/// The charts of one kind of subject, with the choice of those to be shown.
#[derive(Clone, Debug)]
pub struct Group {
    /// The flows, the ports, or the connections.
    pub choice: Choice,
    /// At least one.
    pub charts: Vec<Chart>,
    /// What is not drawn, in a sentence; mostly empty.
    pub note: String,
}

/// One series on its way into a chart.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Whose it is: an index into the members of the choice.
    pub member: usize,
    /// What was recorded.
    pub series: &'a Series,
    /// How many points there is room for.
    pub room: usize,
}

/// The charts of everything recorded. `first` names those that a reader wants to see first, by subject; `points` is how
/// many points the page has room for.
pub fn groups(recorded: &Recorded, first: impl Fn(Subject) -> Vec<String>, points: usize) -> Vec<Group> {
    let subjects = [Subject::Flow, Subject::Port, Subject::PortVc];
    let present = subjects.iter().filter(|subject| recorded.series.iter().any(|s| s.metric.subject() == **subject));
    let share = points / present.clone().count().max(1);
    // Ports are few: what they leave goes to the flows, which come last here and first on the page.
    let mut left = points;
    let mut groups: Vec<Group> = Vec::new();
    for subject in present.rev() {
        let budget = if *subject == Subject::Flow { left } else { share };
        if let Some((group, used)) = group(recorded, *subject, &first(*subject), budget) {
            left = left.saturating_sub(used);
            groups.push(group);
        }
    }
    groups.reverse();
    groups
}

/// A chart of a kind with the lines of some series; `None` if none of them belongs to it.
pub fn chart(kind: &Kind, sources: &[Source], unit: &str, end: Time) -> Option<Chart> {
    drawn(kind, sources, unit, end, false)
}

/// A chart of several results: at first, lines that would flatten all others are cut off.
pub fn compared(kind: &Kind, sources: &[Source], unit: &str, end: Time) -> Option<Chart> {
    drawn(kind, sources, unit, end, true)
}

fn drawn(kind: &Kind, sources: &[Source], unit: &str, end: Time, compared: bool) -> Option<Chart> {
    let mut lines = Vec::new();
    let mut about = kind.about.to_string();
    let mut shown_unit = unit_of(kind, unit);
    // Columns of drops are of one width, or they could not be compared.
    let counted = |source: &&Source| matches!(source.series.columns, Columns::Drops { .. });
    let bin = bin_width(end, sources.iter().filter(counted).map(|source| source.room).min().unwrap_or(1));
    for source in sources {
        let Some(role) = kind.parts.iter().position(|(metric, ..)| *metric == source.series.metric) else { continue };
        let (_, name, style) = kind.parts[role];
        if let Columns::Drops { time, reason, .. } = &source.series.columns {
            // A round width needs no decimals.
            let width = crate::page::number::quantity(bin.as_secs_f64(), "s").replace(".00 ", " ").replace(".0 ", " ");
            shown_unit = format!("{unit} per {width}");
            lines.extend(drops(source.member, time, reason, bin, end));
            continue;
        }
        let data = data(source, end);
        if !data.is_empty() {
            lines.push(Line { name: name.into(), member: source.member, role, style, data });
        }
    }
    if lines.iter().all(|line| line.data.is_empty()) {
        return None;
    }
    let mut title = kind.title;
    if kind.id == "cwnd" && lines.iter().all(|line| line.role == SEND_WINDOW) {
        title = "Send window";
        about = "What the sender may have outstanding: its congestion window, or the receive window that it is told, if that is less.".into();
    }
    if kind.id == "cwnd" {
        // A threshold that nothing has set yet would make every window look flat.
        let limit = 2.0 * largest_of_role(&lines, 0);
        lines.iter_mut().filter(|line| line.role == 1).for_each(|line| cut(&mut line.data, limit));
    }
    let peaks = if kind.id == "throughput" { top(&lines) } else { None };
    let apart = if compared { without_outliers(&lines) } else { None };
    let top = [peaks, apart].into_iter().flatten().min_by(f64::total_cmp);
    let scale = match kind.parts[0].0.unit() {
        "fraction" => Scale { factor: 100.0, unit: "%".into() },
        "units" => Scale::plain(&shown_unit),
        unit => Scale::fitting(top.unwrap_or_else(|| largest(&lines)), unit),
    };
    lines.iter_mut().for_each(|line| multiply(&mut line.data, scale.factor));
    // A timeout of a second would flatten round trips of a tenth of it.
    let rtt = largest_of_role(&lines, 0).max(largest_of_role(&lines, 1));
    let hidden_roles = match kind.id == "rtt" && rtt > 0.0 && largest_of_role(&lines, 2) > 2.0 * rtt {
        true => vec![2],
        false => Vec::new(),
    };
    if !hidden_roles.is_empty() {
        about += " RTO is much longer and not drawn at first: the legend shows it.";
    }
    let shown = || lines.iter().filter(|line| !hidden_roles.contains(&line.role));
    let logarithmic = kind.id == "rtt" && spread(shown()) > WIDE;
    if apart.is_some() {
        about += " Lines far above most others are cut off: enlarge an interval, or choose log, to see all of them.";
    } else if top.is_some() {
        about += " Short peaks are cut off: enlarge an interval, or choose log, to see all of them.";
    }
    Some(Chart {
        id: kind.id.into(),
        title: title.into(),
        about,
        quantity: kind.quantity.into(),
        unit: scale.unit,
        logarithmic,
        top: top.map(|top| top * scale.factor),
        reach: None,
        colour: None,
        apart: apart.is_some(),
        end: end.as_secs_f64(),
        window_s: if kind.id == "throughput" { longest_round_trip(sources) } else { 0.0 },
        hidden_roles,
        marks: Vec::new(),
        lines,
    })
}

/// The charts of one subject within a budget of points, and how many of these they use.
fn group(recorded: &Recorded, subject: Subject, first: &[String], budget: usize) -> Option<(Group, usize)> {
    let series: Vec<&Series> = recorded.series.iter().filter(|series| series.metric.subject() == subject).collect();
    let mut names = Vec::new();
    let mut numbers = BTreeMap::new();
    let owners: Vec<usize> = series
        .iter()
        .map(|series| {
            *numbers.entry(label(series)).or_insert_with_key(|name| {
                names.push(name.clone());
                names.len() - 1
            })
        })
        .collect();
    let mut chosen: Vec<usize> = first.iter().filter_map(|name| numbers.get(name).copied()).collect();
    if chosen.is_empty() {
        chosen.push(0);
    }
    let rooms = rooms(&series, &owners, &chosen, budget);

    // Members without lines cannot be chosen: the others are numbered again.
    let shown: BTreeSet<usize> =
        owners.iter().zip(&rooms).filter(|(_, room)| **room > 0).map(|(&owner, _)| owner).collect();
    let number: BTreeMap<usize, usize> = shown.iter().enumerate().map(|(new, &old)| (old, new)).collect();
    let sources: Vec<Source> = series
        .iter()
        .zip(owners.iter().zip(&rooms))
        .filter(|(_, (_, room))| **room > 0)
        .map(|(series, (owner, &room))| Source { member: number[owner], series, room })
        .collect();
    let kinds = KINDS.iter().filter(|kind| kind.subject == subject);
    let charts: Vec<Chart> = kinds.filter_map(|kind| chart(kind, &sources, recorded.unit, recorded.end)).collect();
    if charts.is_empty() {
        return None;
    }
    let choice = Choice {
        label: plural_of(subject).into(),
        members: shown.iter().map(|&owner| names[owner].clone()).collect(),
        chosen: chosen.iter().filter_map(|owner| number.get(owner).copied()).collect(),
    };
    let used = charts.iter().flat_map(|chart| &chart.lines).map(|line| points(&line.data)).sum();
    let note = note(subject, names.len() - shown.len(), rooms.iter().filter(|room| **room == 0).count());
    Some((Group { choice, charts, note }, used))
}

/// What the reader has to know about what is not there.
fn note(subject: Subject, members_left_out: usize, series_left_out: usize) -> String {
    let plural = plural_of(subject).to_lowercase();
    match (members_left_out, series_left_out) {
        (0, 0) => String::new(),
        (0, _) => format!("To keep this file small, only the most important quantities of most {plural} are drawn."),
        (left_out, _) => format!(
            "To keep this file small, {left_out} more {plural} are not drawn; those drawn are spread evenly over all."
        ),
    }
}

fn plural_of(subject: Subject) -> &'static str {
    match subject {
        Subject::Flow => "Flows",
        Subject::Port => "Ports",
        Subject::PortVc => "Connections",
    }
}

/// The name of what a series was recorded of.
pub fn label(series: &Series) -> String {
    match &series.vc {
        Some(vc) => format!("{} · {vc}", series.of),
        None => series.of.clone(),
    }
}

fn data(source: &Source, end: Time) -> Data {
    match &source.series.columns {
        Columns::Points { time, value } => {
            let kept = decimate::keep(time, value, end, source.room);
            let mut times: Vec<f64> = kept.iter().map(|&n| time[n].as_secs_f64()).collect();
            let mut values: Vec<f64> = kept.iter().map(|&n| value[n]).collect();
            // What changes holds until the end.
            if let (Shape::Changes, Some(&last)) = (source.series.metric.shape(), values.last()) {
                times.push(end.as_secs_f64().max(times[times.len() - 1]));
                values.push(last);
            }
            Data::Points { time: times, value: values }
        }
        Columns::Intervals { interval, end, min, mean, max } => {
            let merged = decimate::merge(*interval, *end, &min.to_vec(), &mean.to_vec(), &max.to_vec(), source.room);
            let interval = merged.interval.as_secs_f64();
            // With little room the mean alone: a band of few intervals shows little.
            let band = source.room >= BAND_ROOM;
            let (min, max) = if band { (merged.min, merged.max) } else { (Vec::new(), Vec::new()) };
            Data::Intervals { interval, min, mean: merged.mean, max }
        }
        Columns::Drops { .. } => unreachable!("drops are counted, not drawn one by one"),
    }
}

/// One line for each reason that occurs.
fn drops(member: usize, time: &[Time], reason: &[DropReason], bin: Time, end: Time) -> Vec<Line> {
    let bins = end.as_ps().div_ceil(bin.as_ps()).max(1);
    let edge = Time::from_ps(bins * bin.as_ps());
    let line = |(role, wanted): (usize, DropReason)| {
        let times = time.iter().zip(reason).filter(|(_, r)| **r == wanted).map(|(t, _)| *t);
        let counts = decimate::count(times, edge, bins as usize);
        let mean: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
        let data = Data::Intervals { interval: bin.as_secs_f64(), min: Vec::new(), mean, max: Vec::new() };
        counts.iter().any(|count| *count > 0).then(|| Line {
            name: wanted.name().into(),
            member,
            role,
            style: Style::Columns,
            data,
        })
    };
    DropReason::ALL.into_iter().enumerate().filter_map(line).collect()
}

/// A round width of at most so many bins: 1, 2 or 5 times a power of ten.
fn bin_width(end: Time, room: usize) -> Time {
    let least = end.as_ps().div_ceil(room.clamp(1, DROP_BINS) as u64).max(1);
    let mut power = 1u64;
    loop {
        for digit in [1, 2, 5] {
            if digit * power >= least {
                return Time::from_ps(digit * power);
            }
        }
        power = power.saturating_mul(10);
    }
}

fn unit_of(kind: &Kind, unit: &str) -> String {
    if kind.parts[0].0.unit() == "units" { unit.into() } else { kind.parts[0].0.unit().into() }
}

fn values(data: &Data) -> impl Iterator<Item = f64> + '_ {
    let (value, max) = match data {
        Data::Points { value, .. } => (value, &[][..]),
        Data::Intervals { mean, max, .. } => (mean, &max[..]),
    };
    value.iter().chain(max).copied().filter(|value| value.is_finite())
}

/// The mean round trip of the flow in which it is longest, where round trips are recorded; else 0. Over less than that the
/// throughput of a window-based sender is either that of a burst or nothing.
fn longest_round_trip(sources: &[Source]) -> f64 {
    let mean = |source: &Source| match (&source.series.columns, source.series.metric) {
        (Columns::Points { value, .. }, Metric::Rtt) if !value.is_empty() => {
            Some(value.iter().sum::<f64>() / value.len() as f64)
        }
        _ => None,
    };
    sources.iter().filter_map(mean).fold(0.0, f64::max)
}

/// The largest value over the smallest one above 0; 0 of no values.
fn spread<'a>(lines: impl Iterator<Item = &'a Line>) -> f64 {
    let positive = lines.flat_map(|line| values(&line.data)).filter(|value| *value > 0.0);
    let (least, most) = positive.fold((f64::INFINITY, 0.0), |(least, most), v| (v.min(least), v.max(most)));
    most / least
}

fn largest(lines: &[Line]) -> f64 {
    lines.iter().flat_map(|line| values(&line.data)).fold(0.0, f64::max)
}

fn largest_of_role(lines: &[Line], role: usize) -> f64 {
    lines.iter().filter(|line| line.role == role).flat_map(|line| values(&line.data)).fold(0.0, f64::max)
}

/// Makes gaps of values above a limit. Without a limit (there are no windows) everything stays.
fn cut(data: &mut Data, limit: f64) {
    if let Data::Points { value, .. } = data
        && limit > 0.0
    {
        value.iter_mut().filter(|value| **value > limit).for_each(|value| *value = f64::INFINITY);
    }
}

/// Where to cut lines off that would be flat below their rare peaks: what was held back by one lost segment is
/// delivered all at once.
fn top(lines: &[Line]) -> Option<f64> {
    let means = lines.iter().flat_map(|line| match &line.data {
        Data::Intervals { mean, .. } => mean.as_slice(),
        Data::Points { value, .. } => value.as_slice(),
    });
    let mut means: Vec<f64> = means.copied().filter(|mean| mean.is_finite()).collect();
    means.sort_by(f64::total_cmp);
    let (often, highest) = (*means.get(means.len().saturating_sub(1) * 99 / 100)?, *means.last()?);
    (often > 0.0 && highest > 4.0 * often).then_some(1.5 * often)
}

/// A logarithmic axis is for quantities of which the largest is more than so many times the smallest.
const WIDE: f64 = 50.0;

/// Where to cut off lines of results that would flatten those of all others, if there are any; as in the terminal.
fn without_outliers(lines: &[Line]) -> Option<f64> {
    let mut tops: BTreeMap<usize, f64> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.role == 0) {
        let of_line = values(&line.data).fold(0.0, f64::max);
        let top = tops.entry(line.member).or_insert(of_line);
        *top = top.max(of_line);
    }
    let tops: Vec<f64> = tops.into_values().collect();
    let (common, highest) = (common_top(&tops), tops.iter().copied().fold(0.0, f64::max));
    (common > 0.0 && common < highest).then_some(1.1 * common)
}

fn multiply(data: &mut Data, factor: f64) {
    let all: [&mut Vec<f64>; 3] = match data {
        Data::Points { value, .. } => [value, &mut Vec::new(), &mut Vec::new()],
        Data::Intervals { min, mean, max, .. } => [min, mean, max],
    };
    all.into_iter().flatten().for_each(|value| *value *= factor);
}

fn points(data: &Data) -> usize {
    match data {
        Data::Points { value, .. } => value.len(),
        Data::Intervals { mean, .. } => mean.len(),
    }
}

/// The role of the send window in the chart of windows.
const SEND_WINDOW: usize = 2;
/// From this many intervals on, a band is drawn.
const BAND_ROOM: usize = 200;
#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::record::PerInterval;
    use ackclock::units::Span;

    fn at(ms: u64) -> Time {
        Time::from_ps(ms * 1_000_000_000)
    }

    fn series(metric: Metric, of: &str, columns: Columns) -> Series {
        Series { metric, of: of.into(), vc: None, columns }
    }

    fn points(metric: Metric, of: &str, value: &[f64]) -> Series {
        let time = (0..value.len() as u64).map(at).collect();
        series(metric, of, Columns::Points { time, value: value.to_vec() })
    }

    fn one(metric: Metric, all: &[Series]) -> Option<Chart> {
        let sources: Vec<Source> =
            all.iter().enumerate().map(|(member, series)| Source { member, series, room: 1000 }).collect();
        chart(kind_of(metric), &sources, "cells", at(100))
    }

    #[test]
    fn every_metric_has_one_chart() {
        for metric in Metric::ALL {
            let kinds = KINDS.iter().filter(|kind| kind.parts.iter().any(|(part, ..)| *part == metric));
            assert_eq!(kinds.count(), 1, "{metric:?}");
            assert_eq!(kind_of(metric).subject, metric.subject());
        }
    }

    #[test]
    fn what_changes_holds_to_the_end_and_infinity_is_a_gap() {
        let chart = one(Metric::Cwnd, &[points(Metric::Ssthresh, "f1", &[f64::INFINITY, 20_000.0])]).unwrap();
        assert_eq!((chart.unit.as_str(), chart.lines[0].role), ("kB", 1));
        let Data::Points { time, value } = &chart.lines[0].data else { panic!("points") };
        assert_eq!(time, &[0.0, 0.001, 0.1]);
        assert!(value[0].is_infinite() && value[1..] == [20.0, 20.0]);
    }

    /// In a chart of windows without congestion windows.
    #[test]
    fn a_send_window_alone_is_called_so() {
        let window = points(Metric::SendWindow, "f1", &[10_000.0, 30_000.0]);
        assert_eq!(one(Metric::SendWindow, std::slice::from_ref(&window)).unwrap().title, "Send window");
        let both = one(Metric::Cwnd, &[window, points(Metric::Cwnd, "f1", &[10_000.0])]).unwrap();
        assert!(both.title == "Congestion window" && both.lines[0].role == SEND_WINDOW);
    }

    #[test]
    fn a_threshold_far_above_the_windows_is_a_gap() {
        let cwnd = points(Metric::Cwnd, "f1", &[10_000.0, 30_000.0]);
        let threshold = points(Metric::Ssthresh, "f1", &[1e9, 60_000.0, 60_001.0]);
        let chart = one(Metric::Cwnd, &[cwnd, threshold]).unwrap();
        let Data::Points { value, .. } = &chart.lines[1].data else { panic!("points") };
        assert_eq!((chart.unit.as_str(), value[1]), ("kB", 60.0));
        assert!(value[0].is_infinite() && value[2].is_infinite());
    }

    #[test]
    fn rare_peaks_of_throughput_do_not_set_the_scale() {
        let chart = |peaks: usize| {
            let mean: Vec<f64> = (0..200).map(|n| if n < peaks { 9e6 } else { 2e6 }).collect();
            let mean = PerInterval::from(mean);
            let (min, max) = (mean.clone(), mean.clone());
            let columns = Columns::Intervals { interval: Span::from_ms(1), end: at(200), min, mean, max };
            one(Metric::Throughput, &[series(Metric::Throughput, "f1", columns)]).unwrap()
        };
        assert_eq!((chart(1).top, chart(1).unit.as_str()), (Some(3.0), "Mb/s"));
        assert_eq!(chart(3).top, None, "more than one in a hundred");
        assert_eq!(chart(0).top, None);
    }

    /// One window of 100 MB beside two of about 20 kB.
    #[test]
    fn a_line_of_one_result_does_not_flatten_those_of_all_others() {
        let windows = |largest: f64| {
            let all: Vec<Series> =
                [20_000.0, largest, 30_000.0].iter().map(|&w| points(Metric::Cwnd, "f1", &[w, w])).collect();
            let sources: Vec<Source> =
                all.iter().enumerate().map(|(member, series)| Source { member, series, room: 1000 }).collect();
            let kind = kind_of(Metric::Cwnd);
            assert_eq!(chart(kind, &sources, "cells", at(100)).unwrap().top, None, "within one result");
            compared(kind, &sources, "cells", at(100)).unwrap()
        };
        let apart = windows(1e8);
        assert_eq!((apart.top.map(f64::round), apart.unit.as_str()), (Some(33.0), "kB"));
        assert!(apart.about.contains("cut off"));
        assert_eq!(windows(50_000.0).top, None);
    }

    #[test]
    fn events_are_not_held() {
        let chart = one(Metric::Rtt, &[points(Metric::Rtt, "f1", &[0.02, 0.03])]).unwrap();
        assert_eq!(chart.unit, "ms");
        assert!(matches!(&chart.lines[0].data, Data::Points { time, .. } if time.len() == 2));
    }

    /// Round trips of 0.1 s: a timeout of 1 s would leave them a tenth of the axis. Those of 0.01 to 1 s span a hundred.
    #[test]
    fn a_timeout_far_above_the_round_trips_is_not_drawn_at_first() {
        let chart = |rtt: &[f64], rto| {
            one(Metric::Rtt, &[points(Metric::Rtt, "f1", rtt), points(Metric::Rto, "f1", &[rto])]).unwrap()
        };
        assert_eq!((chart(&[0.1], 1.0).hidden_roles, chart(&[0.1], 1.0).logarithmic), (vec![2], false));
        assert!(chart(&[0.1], 1.0).about.contains("not drawn at first"));
        assert_eq!((chart(&[0.1], 0.2).hidden_roles, chart(&[0.1], 0.2).logarithmic), (vec![], false));
        assert!(chart(&[0.01, 1.0], 1.0).logarithmic);
    }

    /// Round trips of 0.2 s and 0.3 s, 0.25 s on average.
    #[test]
    fn throughput_is_averaged_over_a_round_trip_at_least() {
        let mean = PerInterval::from(vec![1e6; 10]);
        let columns = Columns::Intervals {
            interval: Span::from_ms(10),
            end: at(100),
            min: mean.clone(),
            mean: mean.clone(),
            max: mean,
        };
        let throughput = series(Metric::Throughput, "f1", columns);
        let rtt = points(Metric::Rtt, "f1", &[0.2, 0.3]);
        assert_eq!(one(Metric::Throughput, &[rtt, throughput.clone()]).unwrap().window_s, 0.25);
        assert_eq!(one(Metric::Throughput, &[throughput]).unwrap().window_s, 0.0);
    }

    #[test]
    fn drops_are_counted_by_reason_in_columns_of_one_width() {
        let reason = vec![DropReason::Policy, DropReason::Policy, DropReason::Overflow];
        let columns = Columns::Drops {
            time: vec![at(1), at(2), at(99)],
            vc: vec![0; 3],
            frame: vec![0; 3],
            reason,
            names: vec!["f1".into()],
        };
        let chart = one(Metric::Drops, &[series(Metric::Drops, "p", columns)]).unwrap();
        // 100 ms in 400 columns at most: 250 us at least, 500 us the next round width.
        assert_eq!(chart.unit, "cells per 500 µs");
        assert_eq!(chart.lines.iter().map(|line| line.name.as_str()).collect::<Vec<_>>(), ["overflow", "policy"]);
        let Data::Intervals { mean, .. } = &chart.lines[1].data else { panic!("intervals") };
        assert_eq!((mean.len(), mean.iter().sum::<f64>()), (200, 2.0));
    }

    #[test]
    fn widths_are_round() {
        assert_eq!(bin_width(at(1000), 400), at(5));
        assert_eq!(bin_width(at(400), 400), at(1));
        assert_eq!(bin_width(Time::ZERO, 400), Time::from_ps(1));
    }

    #[test]
    fn utilisation_is_in_percent() {
        let columns = Columns::Intervals {
            interval: Span::from_ms(50),
            end: at(100),
            min: vec![0.5, 0.9].into(),
            mean: vec![0.75, 1.0].into(),
            max: vec![1.0, 1.0].into(),
        };
        let chart = one(Metric::Utilisation, &[series(Metric::Utilisation, "p", columns)]).unwrap();
        assert!(matches!(&chart.lines[0].data, Data::Intervals { mean, .. } if mean[..] == [75.0, 100.0]));
        assert_eq!(chart.unit, "%");
    }

    #[test]
    fn the_first_are_shown_well_and_of_the_others_what_there_is_room_for() {
        let long: Vec<f64> = (0..2000).map(|n| (n % 97) as f64).collect();
        let names: Vec<String> = (0..100).map(|n| format!("f{n}")).collect();
        let both = |name: &String| [points(Metric::Cwnd, name, &long), points(Metric::Srtt, name, &long)];
        let all: Vec<Series> = names.iter().flat_map(both).collect();
        let recorded = Recorded { series: &all, unit: "cells", end: at(2000) };
        let room = |budget| {
            let groups = groups(&recorded, |_| vec!["f7".into()], budget);
            let group = groups.into_iter().next().unwrap();
            let used: usize =
                group.charts.iter().flat_map(|chart| &chart.lines).map(|line| super::points(&line.data)).sum();
            assert!(used <= budget + 200, "{used} of {budget}");
            assert_eq!(group.choice.members[group.choice.chosen[0]], "f7");
            (group.choice.members.len(), group.charts.len(), group.note)
        };
        // Room for all of everything; for cwnd of all; for some only.
        assert_eq!(room(1_000_000), (100, 2, String::new()));
        let (members, charts, note) = room(12_000);
        assert!((members, charts) == (100, 2) && note.contains("most important"), "{members} {charts} {note}");
        let (members, _, note) = room(2_000);
        assert!(members < 30 && note.contains("more flows are not drawn"), "{members} {note}");
    }
}
