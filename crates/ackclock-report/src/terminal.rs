//! Small charts in a terminal: a line of blocks for each series, all on one scale.

use ackclock::record::Columns;
use ackclock::units::Time;

/// What the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// Blocks of eight heights.
    Blocks,
    /// Characters that get darker, for terminals that have nothing else.
    Ascii,
}

/// One line of a chart.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it is, in a few characters.
    pub label: String,
    /// Averages over equal parts of the time; none where nothing is known yet.
    pub values: Vec<Option<f64>>,
}

/// Averages of a record over `parts` equal parts of the time up to `end`: of values that hold until they change, or of
/// intervals. A record of single events has no averages.
pub fn averages(columns: &Columns, end: Time, parts: usize) -> Vec<Option<f64>> {
    let bounds = |part: usize| end.as_ps() as f64 * part as f64 / parts as f64;
    let stretches = stretches(columns, end);
    let mut next = 0;
    (0..parts)
        .map(|part| {
            let (from, to) = (bounds(part), bounds(part + 1));
            while stretches.get(next).is_some_and(|&(_, until, _)| until <= from) {
                next += 1;
            }
            let (mut sum, mut time) = (0.0, 0.0);
            for &(begins, until, value) in stretches[next..].iter().take_while(|&&(begins, ..)| begins < to) {
                let length = until.min(to) - begins.max(from);
                if value.is_finite() {
                    sum += value * length;
                    time += length;
                }
            }
            (time > 0.0).then(|| sum / time)
        })
        .collect()
}

/// From when to when, in picoseconds, which value held.
fn stretches(columns: &Columns, end: Time) -> Vec<(f64, f64, f64)> {
    let ps = |time: &Time| time.as_ps() as f64;
    match columns {
        Columns::Points { time, value } => {
            let ends = time.iter().skip(1).chain([&end]).map(ps);
            time.iter().map(ps).zip(ends).zip(value).map(|((from, to), &value)| (from, to, value)).collect()
        }
        Columns::Intervals { interval, end, mean, .. } => {
            let length = interval.as_ps() as f64;
            let stretch = |(n, value): (usize, f64)| (n as f64 * length, ((n + 1) as f64 * length).min(ps(end)), value);
            mean.iter().enumerate().map(stretch).collect()
        }
        Columns::Drops { .. } => Vec::new(),
    }
}

/// The chart: a title with the scale, then the lines, ending in a line feed. `largest` says a value with its unit. Lines that
/// would flatten all others have a scale of their own, which stands behind them.
pub fn chart(title: &str, lines: &[Line], letters: Letters, largest: impl Fn(f64) -> String) -> String {
    let tops: Vec<f64> = lines.iter().map(|line| line.values.iter().flatten().copied().fold(0.0, f64::max)).collect();
    let top = common_top(&tops);
    let width = lines.iter().map(|line| line.label.chars().count()).max().unwrap_or(0);
    let ramp: Vec<char> = match letters {
        Letters::Blocks => "▁▂▃▄▅▆▇█".chars().collect(),
        Letters::Ascii => "_.:-=+*#".chars().collect(),
    };
    let height = |value: f64, top: f64| {
        let level = if top > 0.0 { (value / top * ramp.len() as f64).ceil() as usize } else { 0 };
        ramp[level.clamp(1, ramp.len()) - 1]
    };
    let apart = tops.iter().filter(|&&of_line| of_line > top).count();
    let except = match apart {
        0 => String::new(),
        1 => ", except of one line with a scale of its own".to_owned(),
        n => format!(", except of {n} lines with scales of their own"),
    };
    let mut text = format!("{title}; the highest is {}{except}\n", largest(top));
    for (line, of_line) in lines.iter().zip(tops) {
        let bars = |top: f64| line.values.iter().map(|value| value.map_or(' ', |value| height(value, top))).collect();
        let (bars, scale): (String, String) = match of_line > top {
            true => (bars(of_line), format!("  up to {}", largest(of_line))),
            false => (bars(top), String::new()),
        };
        text += &format!("{:<width$}  {}{scale}\n", line.label, bars.trim_end());
    }
    text
}

/// The largest of the largest values of lines, without those that are more than so many times as large as all others.
/// Most of the lines are on the common scale.
pub(crate) fn common_top(tops: &[f64]) -> f64 {
    let mut sorted = tops.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let most_apart = sorted.len().saturating_sub(1) / 2;
    let apart = (0..most_apart).filter(|&n| sorted[n + 1] > 0.0 && sorted[n] > OUTLIER * sorted[n + 1]).max();
    sorted.get(apart.map_or(0, |n| n + 1)).copied().unwrap_or(0.0)
}

/// Eight heights show a quarter of the largest as two of them; below that lines look alike.
const OUTLIER: f64 = 4.0;

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::record::PerInterval;
    use ackclock::units::Span;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    #[test]
    fn averages_weigh_values_by_the_time_they_hold() {
        let columns = Columns::Points { time: vec![at(25), at(50), at(75)], value: vec![1.0, 3.0, 5.0] };
        // Nothing, 1, 3, 5 per quarter.
        assert_eq!(averages(&columns, at(100), 4), [None, Some(1.0), Some(3.0), Some(5.0)]);
        assert_eq!(averages(&columns, at(100), 2), [Some(1.0), Some(4.0)]);
        assert_eq!(averages(&columns, at(100), 1), [Some(3.0)]);
    }

    #[test]
    fn a_threshold_that_is_infinite_is_not_drawn() {
        let columns = Columns::Points { time: vec![at(0), at(50)], value: vec![f64::INFINITY, 2.0] };
        assert_eq!(averages(&columns, at(100), 2), [None, Some(2.0)]);
    }

    #[test]
    fn averages_of_intervals() {
        let mean = PerInterval::from(vec![2.0, 4.0, 8.0]);
        let columns = Columns::Intervals {
            interval: Span::from_ps(40),
            end: at(100),
            min: mean.clone(),
            max: mean.clone(),
            mean,
        };
        // 2 and 4 over 40 each, 8 over 20.
        assert_eq!(averages(&columns, at(100), 5), [Some(2.0), Some(2.0), Some(4.0), Some(4.0), Some(8.0)]);
    }

    #[test]
    fn one_large_line_does_not_flatten_the_others() {
        let line = |label: &str, values: &[f64]| Line {
            label: label.into(),
            values: values.iter().map(|&value| Some(value)).collect(),
        };
        let mut lines = vec![line("a", &[4.0, 8.0]), line("b", &[8.0, 2.0]), line("c", &[100.0, 200.0])];
        let drawn = |lines: &[Line]| chart("cwnd", lines, Letters::Blocks, |top| format!("{top} kB"));
        let expected = "cwnd; the highest is 8 kB, except of one line with a scale of its own\n\
                        a  ▄█\nb  █▂\nc  ▄█  up to 200 kB\n";
        assert_eq!(drawn(&lines), expected);
        // Four times as large is not out of scale, and of two lines none is the one that is.
        lines[2] = line("c", &[16.0, 32.0]);
        assert_eq!(drawn(&lines), "cwnd; the highest is 32 kB\na  ▁▂\nb  ▂▁\nc  ▄█\n");
        assert_eq!(common_top(&[1.0, 100.0]), 100.0);
        assert_eq!(common_top(&[900.0, 1000.0, 1.0, 2.0, 3.0]), 3.0);
        assert_eq!(common_top(&[0.0, 0.0, 5.0]), 5.0, "nothing is no scale");
    }

    #[test]
    fn a_chart_has_a_line_for_each_series() {
        let line = |label: &str, values: &[f64]| Line {
            label: label.into(),
            values: values.iter().map(|&value| Some(value).filter(|&value| value >= 0.0)).collect(),
        };
        let lines = [line("reno", &[-1.0, 0.0, 1.0, 8.0]), line("sack", &[4.0, 8.0])];
        let text = chart("cwnd", &lines, Letters::Blocks, |top| format!("{top} kB"));
        assert_eq!(text, "cwnd; the highest is 8 kB\nreno   ▁▁█\nsack  ▄█\n");
        assert!(chart("cwnd", &lines, Letters::Ascii, |top| format!("{top} kB")).is_ascii());
        assert_eq!(chart("nothing", &[], Letters::Ascii, |_| "0".into()), "nothing; the highest is 0\n");
    }
}
