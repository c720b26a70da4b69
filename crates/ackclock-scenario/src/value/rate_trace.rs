//! Traces of rates as files: Mahimahi's lists of delivery opportunities, and tables of times and rates.

use std::sync::Arc;

use ackclock::keys::{Dimension, INSTANT, Kind, Limit, Quantity, RATE};
use ackclock::link::{Opportunities, Rates};
use ackclock::units::{Rate, Span, Time};

use crate::text::diagnostic::At;

/// A trace that a rate follows, as a scenario file names it.
#[derive(Clone, Debug)]
pub(crate) struct RateTrace {
    pub(crate) path: String,
    pub(crate) format: TraceFormat,
    /// BLAKE3 of the file: the one that is meant, or once it is read, the one that it is.
    pub(crate) digest: Option<String>,
    /// Where the file is named, and where its digest is.
    pub(crate) at: At,
    pub(crate) digest_at: Option<At>,
    /// What it says, once it is read.
    pub(crate) content: Option<TraceContent>,
}

/// What the lines of a trace are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TraceFormat {
    Mahimahi,
    Csv,
}

/// What a trace says.
#[derive(Clone, Debug)]
pub(crate) enum TraceContent {
    Opportunities(Arc<Opportunities>),
    Rates(Rates),
}

/// What is wrong with a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrongLine {
    /// Counted from 0; `None`: the file as a whole.
    pub(crate) line: Option<usize>,
    pub(crate) problem: String,
    pub(crate) label: &'static str,
    pub(crate) help: &'static str,
}

impl PartialEq for RateTrace {
    fn eq(&self, other: &RateTrace) -> bool {
        (&self.path, self.format, &self.digest) == (&other.path, other.format, &other.digest)
    }
}

impl TraceFormat {
    /// The words for them in scenario files.
    pub(crate) const NAMES: [&'static str; 2] = ["mahimahi", "csv"];

    /// The one of this word.
    pub(crate) fn named(word: &str) -> Option<TraceFormat> {
        [TraceFormat::Mahimahi, TraceFormat::Csv].into_iter().find(|format| format.name() == word)
    }

    /// What a file of this name probably is.
    pub(crate) fn of_file(path: &str) -> TraceFormat {
        match path.rsplit_once('.') {
            Some((_, ending)) if ending.eq_ignore_ascii_case("csv") => TraceFormat::Csv,
            _ => TraceFormat::Mahimahi,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// What the text of a file says.
    pub(crate) fn read(self, text: &str) -> Result<TraceContent, WrongLine> {
        match self {
            TraceFormat::Mahimahi => mahimahi(text)
                .map(|times| TraceContent::Opportunities(Arc::new(Opportunities::new(times, OPPORTUNITY_BYTES)))),
            TraceFormat::Csv => csv(text).map(|points| TraceContent::Rates(Rates::new(points))),
        }
    }
}

impl RateTrace {
    /// The keys of its table.
    pub(crate) const KEYS: [&'static str; 3] = ["trace", "format", "digest"];

    /// The rate at the start; of opportunities, the mean.
    pub(crate) fn first(&self) -> Option<Quantity> {
        let rate = match self.content.as_ref()? {
            TraceContent::Opportunities(opportunities) => opportunities.mean_rate(),
            TraceContent::Rates(rates) => rates.at(Time::ZERO),
        };
        Some(Quantity { dimension: Dimension::Rate, amount: rate.as_bps() })
    }
}

/// The times of delivery opportunities: a line is a time in milliseconds.
fn mahimahi(text: &str) -> Result<Vec<Span>, WrongLine> {
    let mut times: Vec<Span> = Vec::new();
    for (line, written) in lines(text) {
        let wrong = |problem: String, label, help| WrongLine { line: Some(line), problem, label, help };
        let longest = largest(&INSTANT) / Span::from_ms(1).as_ps();
        let Some(ms) = written.parse().ok().filter(|&ms: &u64| ms <= longest) else {
            let problem = format!("{written:?} is no time of a delivery opportunity");
            let help = match written.contains(',') {
                true => "for a table of times and rates write format = \"csv\"",
                false => "a line of Mahimahi's format is the time of a packet of 1500 B, as in 23",
            };
            return Err(wrong(problem, "expected a whole number of milliseconds", help));
        };
        let time = Span::from_ms(ms);
        if let Some(&before) = times.last().filter(|&&before| before > time) {
            let before = before.as_ps() / Span::from_ms(1).as_ps();
            let problem = format!("the trace goes back in time, from {before} ms to {ms} ms");
            return Err(wrong(problem, "earlier than the line before", "put the lines in the order of time"));
        }
        times.push(time);
    }
    match times.last() {
        None => Err(empty("a line for each packet of 1500 B that can go, with its time in milliseconds")),
        Some(&Span::ZERO) => Err(WrongLine {
            line: lines(text).last().map(|(line, _)| line),
            problem: "all opportunities of the trace are at 0 ms".to_owned(),
            label: "a round has no length",
            help: "the last line says after how many milliseconds the trace begins again",
        }),
        Some(_) => Ok(times),
    }
}

/// The rates of a table with a header.
fn csv(text: &str) -> Result<Vec<(Time, Rate)>, WrongLine> {
    let mut rows = lines(text);
    let Some((line, header)) = rows.next() else { return Err(empty(HEADER_HELP)) };
    let column = |known: &[(&str, f64)]| {
        let names = header.split(',').map(str::trim).enumerate();
        let find = |(place, name): (usize, &str)| {
            known.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|&(_, factor)| (place, factor))
        };
        names.filter_map(find).next()
    };
    let (Some(time), Some(rate)) = (column(&TIMES), column(&RATES)) else {
        let problem = format!("{header:?} names no column of times and one of rates");
        return Err(WrongLine { line: Some(line), problem, label: "expected a header with units", help: HEADER_HELP });
    };
    let mut points: Vec<(Time, Rate)> = Vec::new();
    for (line, row) in rows {
        let wrong = |problem: String, label, help| WrongLine { line: Some(line), problem, label, help };
        let cell = |(place, factor): (usize, f64), kind: &Kind, what: &str| {
            let written = row.split(',').nth(place).map_or("", str::trim);
            let number = written.parse().ok().map(|number: f64| (number * factor).round());
            number
                .filter(|number| (0.0..=largest(kind) as f64).contains(number))
                .map(|number| number as u64)
                .ok_or_else(|| {
                    wrong(format!("{written:?} is no {what}"), "expected a number, not below zero", HEADER_HELP)
                })
        };
        let (ps, bps) = (cell(time, &INSTANT, "time")?, cell(rate, &RATE, "rate of a link")?);
        let Some(rate) = Rate::from_bps(bps) else {
            let help = "leave the row out; for when the link is down, write `outages`";
            return Err(wrong("a rate of nothing".to_owned(), "less than 1 bit/s", help));
        };
        match points.last() {
            None if ps > 0 => {
                let help = "let the first row be at 0: the rate that holds from the start";
                return Err(wrong("the trace does not begin at time 0".to_owned(), "what holds before it?", help));
            }
            Some((before, _)) if before.as_ps() >= ps => {
                let help = "put the rows in the order of time, one for each instant";
                return Err(wrong("the trace goes back in time".to_owned(), "not later than the row before", help));
            }
            _ => points.push((Time::from_ps(ps), rate)),
        }
    }
    if points.is_empty() { Err(empty("a row with a time and a rate below the header")) } else { Ok(points) }
}

/// The lines that say something, with their numbers from 0.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty())
}

fn empty(help: &'static str) -> WrongLine {
    WrongLine { line: None, problem: "the trace is empty".to_owned(), label: "nothing could ever be sent", help }
}

fn largest(kind: &Kind) -> u64 {
    let Kind::Quantity(Limit { max, .. }) = kind else { unreachable!("times and rates are quantities") };
    *max
}

/// What goes at an opportunity of Mahimahi.
const OPPORTUNITY_BYTES: u32 = 1500;
/// Names of columns, with the factors that make picoseconds and bits per second of them.
const TIMES: [(&str, f64); 2] = [("time_s", 1e12), ("time_ms", 1e9)];
const RATES: [(&str, f64); 3] = [("rate_bps", 1.0), ("rate_kbps", 1e3), ("rate_mbps", 1e6)];
const HEADER_HELP: &str = "the first line names the columns, as in time_s,rate_mbps; also time_ms, rate_kbps, rate_bps";

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(format: TraceFormat, text: &str) -> (Option<usize>, String) {
        let wrong = format.read(text).unwrap_err();
        (wrong.line, wrong.problem)
    }

    #[test]
    fn times_of_opportunities_are_milliseconds_in_order() {
        let of_ms = |ms: &[u64]| ms.iter().map(|&ms| Span::from_ms(ms)).collect::<Vec<_>>();
        assert_eq!(mahimahi("0\n5\r\n5\n\n12\n"), Ok(of_ms(&[0, 5, 5, 12])));
        let wrong = |text| wrong(TraceFormat::Mahimahi, text);
        assert_eq!(wrong("1\n7\n6\n"), (Some(2), "the trace goes back in time, from 7 ms to 6 ms".to_owned()));
        assert_eq!(wrong("1\n2.5\n"), (Some(1), "\"2.5\" is no time of a delivery opportunity".to_owned()));
        assert_eq!(wrong("-1\n").0, Some(0));
        assert_eq!(wrong("99999999999999\n").0, Some(0));
        assert_eq!(wrong(" \n\n"), (None, "the trace is empty".to_owned()));
        assert_eq!(wrong("0\n0\n"), (Some(1), "all opportunities of the trace are at 0 ms".to_owned()));
        assert_eq!(wrong("\n0\n\n0\n").0, Some(3), "empty lines count");
    }

    #[test]
    fn rates_of_a_table_hold_from_their_times_on() {
        let point = |ms, bps| (Time::ZERO + Span::from_ms(ms), Rate::from_bps(bps).unwrap());
        let rows = csv("name, Rate_Mbps ,time_s\na,2,0\nb,0.3333333,1.5\n");
        assert_eq!(rows, Ok(vec![point(0, 2_000_000), point(1500, 333_333)]));
        assert_eq!(csv("time_ms,rate_kbps\n0,1"), Ok(vec![point(0, 1000)]));
        let wrong = |text| wrong(TraceFormat::Csv, text);
        assert_eq!(wrong("time_s,rate_bps\n0,5\n2,0\n"), (Some(2), "a rate of nothing".to_owned()));
        assert_eq!(wrong("time_s,rate_bps\n0,5\n2,5\n2,6\n"), (Some(3), "the trace goes back in time".to_owned()));
        assert_eq!(wrong("time_s,rate_bps\n1,5\n"), (Some(1), "the trace does not begin at time 0".to_owned()));
        assert_eq!(wrong("time_s,rate_bps\n0,NaN\n"), (Some(1), "\"NaN\" is no rate of a link".to_owned()));
        assert_eq!(wrong("time_s,rate_bps\n0\n"), (Some(1), "\"\" is no rate of a link".to_owned()));
        assert_eq!(wrong("time_s,rate_bps\n").0, None);
        assert_eq!(wrong("0,5\n1,6\n").0, Some(0), "no header");
    }

    #[test]
    fn the_ending_says_what_a_file_is() {
        let names = ["a/b.csv", "b.CSV", "cell.trace", "up"].map(|path| TraceFormat::of_file(path).name());
        assert_eq!(names, ["csv", "csv", "mahimahi", "mahimahi"]);
    }
}
