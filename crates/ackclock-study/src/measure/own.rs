//! Numbers that only studies have: parameters that publications print, single options and checksums, and what timeouts show one by one.

use std::cell::OnceCell;

use ackclock::measure::{Part, Run, correlation};
use ackclock::scenario::{Event, EventKind, Scenario};
use ackclock::units::{Span, Time};

use super::abr::acr_by_formulas;
use super::checksums::{Checksums, RULES};
use super::parameters::{OF_ABR, OF_RATE_CONTROL, Parameter};
use super::sack::{Edge, LastSack};
use super::timeouts::Timeouts;

/// A run, and what several numbers of it need.
pub(super) struct Recorded<'a> {
    pub run: Run<'a>,
    timeouts: OnceCell<Timeouts>,
    checksums: OnceCell<Option<Checksums>>,
}

/// A number of a run that is no measure.
#[derive(Debug)]
pub(super) struct Own {
    name: &'static str,
    takes: Takes,
    unit: &'static str,
    kind: &'static str,
    /// The smallest and the largest value that it can have.
    pub bounds: (f64, f64),
    /// Its value, of what stands in the parentheses.
    pub of: fn(&Recorded, &str) -> Option<f64>,
}

/// What stands in the parentheses.
#[derive(Debug)]
enum Takes {
    Nothing,
    /// One of these words.
    Word(&'static [&'static str]),
    Parameter(&'static [Parameter]),
    /// `FLOW: N`, a number from 1.
    Numbered,
    /// `PORT, N to M s`.
    InPart,
    /// The name of a place or a flow.
    Name,
}

const ANY: (f64, f64) = (0.0, f64::INFINITY);
const SHARE: (f64, f64) = (0.0, 1.0);
const CORRELATION: (f64, f64) = (-1.0, 1.0);

macro_rules! own {
    ($($name:literal $takes:expr, $unit:literal $kind:literal $bounds:ident: $of:expr;)*) => {
        /// All of them; `studies/README.md` explains each.
        pub(super) const OWN: &[Own] = &[$(Own {
            name: $name, takes: $takes, unit: $unit, kind: $kind, bounds: $bounds, of: $of,
        },)*];
    };
}

own! {
    "synchrony" Takes::Nothing, "" "synchrony" CORRELATION: |of, _| synchrony(of);
    "queue-and-windows" Takes::InPart, "" "correlation" CORRELATION: queue_and_windows;
    "acr-by-formulas" Takes::Nothing, "" "share of changes" SHARE:
        |of, _| acr_by_formulas(of.run.scenario, &of.run.records.series);
    "abr" Takes::Parameter(OF_ABR), "" "factor" ANY: |of, name| parameter(OF_ABR, name)?.2(of.run.scenario);
    "rate-control" Takes::Parameter(OF_RATE_CONTROL), "" "factor" ANY:
        |of, name| parameter(OF_RATE_CONTROL, name)?.2(of.run.scenario);
    "valid-checksums" Takes::Word(RULES), "" "share of acknowledgements" SHARE:
        |of, rule| of.checksums()?.valid(rule);
    "first-handover" Takes::Name, "s" "s" ANY: |of, place| {
        handovers(of.run.scenario).find(|(_, of)| *of == place).map(|(time, _)| time.as_secs_f64())
    };
    "sack-blocks" Takes::Name, "" "blocks" ANY: |of, flow| Some(last_sack(of, flow)?.blocks.len() as f64);
    "sack-octets" Takes::Name, "" "octets" ANY: |of, flow| Some(f64::from(last_sack(of, flow)?.octets));
    "sack-left" Takes::Numbered, "" "edges" ANY:
        |of, name| in_sack(of, name, |sack, number| sack.edge(Edge::Left, number));
    "sack-right" Takes::Numbered, "" "edges" ANY:
        |of, name| in_sack(of, name, |sack, number| sack.edge(Edge::Right, number));
    "sack-offset" Takes::Numbered, "" "offsets" ANY: |of, name| in_sack(of, name, LastSack::offset);
    "shortest-idle" Takes::Nothing, "s" "s" ANY: |of, _| of.timeouts().shortest_idle;
    "others-advance" Takes::Nothing, "" "share of timeouts" SHARE: |of, _| of.timeouts().others_advance;
    "late-segments" Takes::Nothing, "" "share of timeouts" SHARE: |of, _| of.timeouts().late_segments;
    "late-timeouts" Takes::Nothing, "" "share of timeouts" SHARE: |of, _| of.timeouts().late_timeouts;
    "late-at-expiry" Takes::Nothing, "" "share of timeouts" SHARE: |of, _| of.timeouts().late_at_expiry;
    "timeout-doubled" Takes::Nothing, "" "share of timeouts" SHARE: |of, _| of.timeouts().doubled;
}

impl Own {
    /// The one that a text asks for, and what stands in its parentheses.
    pub fn find(text: &str) -> Option<(&'static Own, &str)> {
        let (name, of) = match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
            Some((name, of)) => (name, of.trim()),
            None => (text, ""),
        };
        OWN.iter().find(|own| own.name == name && own.takes.accepts(of)).map(|own| (own, of))
    }

    /// Its unit, of what stands in the parentheses.
    pub fn unit(&self, of: &str) -> &'static str {
        match self.takes {
            Takes::Parameter(all) => parameter(all, of).map_or("", |(_, unit, _)| *unit),
            _ => self.unit,
        }
    }

    /// Which can be compared with one another, in a word.
    pub fn kind(&self, of: &str) -> &'static str {
        match self.unit(of) {
            "" => self.kind,
            unit => unit,
        }
    }
}

impl Takes {
    fn accepts(&self, text: &str) -> bool {
        match self {
            Takes::Nothing => text.is_empty(),
            Takes::Word(all) => all.contains(&text),
            Takes::Parameter(all) => parameter(all, text).is_some(),
            Takes::Numbered => numbered(text).is_some(),
            Takes::InPart => in_part(text).is_some(),
            Takes::Name => !text.is_empty(),
        }
    }
}

fn parameter(all: &'static [Parameter], name: &str) -> Option<&'static Parameter> {
    all.iter().find(|(known, ..)| *known == name)
}

fn numbered(text: &str) -> Option<(&str, usize)> {
    let (flow, number) = text.split_once(':')?;
    Some((flow.trim(), number.trim().parse().ok().filter(|number| *number > 0)?))
}

fn in_part(text: &str) -> Option<(&str, Part)> {
    let (port, part) = text.split_once(',')?;
    Some((port.trim(), Part::named(part)?))
}

impl<'a> Recorded<'a> {
    pub fn of(run: Run<'a>) -> Recorded<'a> {
        Recorded { run, timeouts: OnceCell::new(), checksums: OnceCell::new() }
    }

    fn timeouts(&self) -> &Timeouts {
        self.timeouts.get_or_init(|| {
            let ticks: Vec<Span> = self.run.scenario.flows.iter().map(|flow| flow.tcp.timer.granularity).collect();
            Timeouts::of(&self.run.records.flows, &self.run.records.series, &ticks)
        })
    }

    fn checksums(&self) -> Option<&Checksums> {
        self.checksums.get_or_init(|| Checksums::of(self.run.records, self.run.scenario)).as_ref()
    }
}

/// When places go over to another satellite, in the order of time.
pub(crate) fn handovers(scenario: &Scenario) -> impl DoubleEndedIterator<Item = (Time, &str)> {
    let later = |event: &&Event| event.kind == EventKind::Handover && event.time > Time::ZERO;
    scenario.events.iter().filter(later).map(|event| (event.time, event.node.as_str()))
}

fn last_sack(of: &Recorded, flow: &str) -> Option<LastSack> {
    let mut flows = (0..).zip(of.run.scenario.flows.iter());
    let (number, flow) = flows.find(|(_, known)| known.name == flow)?;
    LastSack::of(of.run.records, number, flow)
}

fn in_sack(of: &Recorded, text: &str, get: impl Fn(&LastSack, usize) -> Option<u32>) -> Option<f64> {
    let (flow, number) = numbered(text)?;
    get(&last_sack(of, flow)?, number).map(f64::from)
}

/// The correlation of what waits at a port with the mean over all flows of what their senders might have outstanding, over the
/// intervals of a part of the run.
fn queue_and_windows(of: &Recorded, text: &str) -> Option<f64> {
    let (port, part) = in_part(text)?;
    let port = of.run.ports().find(|known| known.record.name == port)?;
    let queue = port.queues(part)?;
    let windows: Vec<&[f64]> = of.run.flows().map(|flow| flow.send_windows(part)).collect::<Option<_>>()?;
    means(&windows, queue.len()).and_then(|means| correlation(queue, &means))
}

/// The mean of several values interval by interval; `None` where one has fewer intervals.
fn means(all: &[&[f64]], intervals: usize) -> Option<Vec<f64>> {
    let mean = |n: usize| all.iter().map(|of| of[n]).sum::<f64>() / all.len() as f64;
    all.iter().all(|of| of.len() == intervals).then(|| (0..intervals).map(mean).collect())
}

/// How much the flows time out together. Time is cut into intervals of 100 ms; a flow's indicator is 1 where its timer
/// expired. The mean over all pairs of flows of the correlation (Pearson) of their indicators; a pair counts only if
/// both flows timed out in some interval and not in all. 1: always together; 0: independent; `None`: no pair counts.
fn synchrony(of: &Recorded) -> Option<f64> {
    let times: Vec<&[Time]> = of.run.records.flows.iter().map(|flow| &flow.timeout_times[..]).collect();
    synchrony_of(&times, of.run.records.simulated)
}

fn synchrony_of(timeouts: &[&[Time]], simulated: Span) -> Option<f64> {
    const INTERVAL: Span = Span::from_ms(100);
    let intervals = simulated.as_ps().div_ceil(INTERVAL.as_ps()) as usize;
    let indicators: Vec<Vec<f64>> = timeouts
        .iter()
        .map(|times| {
            let mut hit = vec![0.0; intervals];
            for time in *times {
                hit[((time.as_ps() / INTERVAL.as_ps()) as usize).min(intervals - 1)] = 1.0;
            }
            hit
        })
        .collect();
    let mut correlations = Vec::new();
    for (i, first) in indicators.iter().enumerate() {
        for second in &indicators[i + 1..] {
            correlations.extend(correlation(first, second));
        }
    }
    (!correlations.is_empty()).then(|| correlations.iter().sum::<f64>() / correlations.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(ms: &[u64]) -> Vec<Time> {
        ms.iter().map(|ms| Time::ZERO + Span::from_ms(*ms)).collect()
    }

    #[test]
    fn flows_that_time_out_together_are_in_synchrony_and_others_are_not() {
        let of =
            |flows: [&[u64]; 2]| synchrony_of(&flows.map(times).each_ref().map(|flow| &flow[..]), Span::from_ms(1000));
        let near = |value: Option<f64>, expected: f64| assert!((value.unwrap() - expected).abs() < 1e-12);
        // One second, ten intervals.
        near(of([&[130, 550], &[190, 500]]), 1.0);
        // p = q = 0.5, never together: (0 - 0.25) / 0.25 = -1.
        let even: &[u64] = &[0, 200, 400, 600, 800];
        near(of([even, &[100, 300, 500, 700, 900]]), -1.0);
        // A flow without timeouts has no correlation with any.
        assert_eq!(of([even, &[]]), None);
        // An expiry at the very end belongs to the last interval.
        near(of([&[1000], &[950]]), 1.0);
    }

    /// Queues 2, 6, 4; means of 8500, 16,500 and 12,500 go as they do, the first flow's alone go against them.
    #[test]
    fn a_queue_is_correlated_with_the_mean_window() {
        let (first, second): (&[f64], &[f64]) = (&[7000.0, 3000.0, 5000.0], &[10_000.0, 30_000.0, 20_000.0]);
        let of = means(&[first, second], 3).unwrap();
        assert_eq!(of, [8500.0, 16_500.0, 12_500.0]);
        assert!((correlation(&[2.0, 6.0, 4.0], &of).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(means(&[first, &second[..2]], 3), None);
    }

    #[test]
    fn what_has_no_meaning_in_parentheses_is_not_found() {
        let found = |text: &str| Own::find(text).is_some();
        assert!(found("abr(rif)") && found("sack-left(s1: 2)") && found("queue-and-windows(sw1->sw2, 1 to 5 s)"));
        for text in [
            "abr(mcr)",
            "rate-control(c)",
            "valid-checksums(rfc-1071)",
            "sack-left(s1)",
            "sack-left(s1: 0)",
            "sack-offset(s1: A)",
            "synchrony(s1)",
            "queue-and-windows(sw1->sw2)",
            "first-handover",
            "abr",
        ] {
            assert!(!found(text), "{text}");
        }
    }

    /// `studies/README.md` explains each name.
    #[test]
    fn every_metric_is_explained() {
        let readme = include_str!("../../../../studies/README.md");
        let words =
            [RULES.to_vec(), [OF_ABR, OF_RATE_CONTROL].concat().iter().map(|(name, ..)| *name).collect()].concat();
        let is_explained = |name: &&str| {
            [format!("`{name}`"), format!("`{name}("), format!("({name})`")]
                .iter()
                .any(|form| readme.contains(form.as_str()))
        };
        let names = OWN.iter().map(|own| own.name).chain(words);
        assert_eq!(names.filter(|name| !is_explained(name)).collect::<Vec<_>>(), [""; 0]);
    }
}
