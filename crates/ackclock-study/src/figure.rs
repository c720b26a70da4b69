//! Figures of a study: runs that are recorded over time, and what they are to show.

use ackclock::record::{Metric, Series};
use ackclock::scenario::Recording;
use ackclock::sim;
use ackclock::units::{Span, Time};
use ackclock_scenario::Loaded;

use crate::Error;
use crate::data::figures::{Figure, Plot};
use crate::data::{Card, Coordinates};
use crate::embedded::Embedded;
use crate::measure::handovers;
use crate::plan::Scope;
use crate::study::Study;

/// A figure with the records that it draws.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnFigure {
    /// Name, unique within the study.
    pub id: String,
    /// The card that it belongs to.
    pub card: String,
    /// Title.
    pub title: String,
    /// What the study describes there, in words.
    pub shows: String,
    /// The flows, of one run after the other.
    pub flows: Vec<DrawnFlow>,
    /// What is drawn of them.
    pub(crate) plots: Vec<Plot>,
    /// Instants of note, in order, and what happens then.
    pub marks: Vec<(Time, String)>,
    /// How to run the same: for each run its name, empty of a single one, and a scenario file with every key written out.
    pub scenarios: Vec<(String, String)>,
    /// The end of the figure.
    pub end: Time,
}

/// A flow of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnFlow {
    /// What tells it from the others: its run, its name, or both.
    pub label: String,
    /// When it began.
    pub start: Time,
    /// Payload bytes of its segments.
    pub mss: u32,
    /// What it did, up to the end of the figure.
    pub series: Vec<Series>,
}

/// Runs the scenarios of all figures within a scope. They are few and short.
pub(crate) fn draw(study: &Study, scope: &Scope) -> Result<Vec<DrawnFigure>, Error> {
    let of_card = |card: &Card| study.figures.iter().filter(|figure| figure.card == card.id).collect::<Vec<_>>();
    scope.cards(study).flat_map(of_card).map(|figure| draw_one(study, figure)).collect()
}

fn draw_one(study: &Study, figure: &Figure) -> Result<DrawnFigure, Error> {
    let mut drawn = DrawnFigure {
        id: figure.id.clone(),
        card: figure.card.clone(),
        title: figure.title.clone(),
        shows: figure.shows.clone(),
        flows: Vec::new(),
        plots: figure.plots.clone(),
        marks: figure.marks.iter().map(|mark| (Time::ZERO + mark.at.0, mark.label.clone())).collect(),
        scenarios: Vec::new(),
        end: Time::ZERO,
    };
    for (label, at) in figure.all_runs() {
        run(study, figure, label, &at, &mut drawn)?;
    }
    drawn.marks.retain(|(time, _)| *time < drawn.end);
    drawn.marks.sort();
    drawn.marks.dedup();
    Ok(drawn)
}

/// Adds one run to a figure.
fn run(study: &Study, figure: &Figure, label: &str, at: &Coordinates, drawn: &mut DrawnFigure) -> Result<(), Error> {
    let point = study.checked_points(at).swap_remove(0);
    let loaded = ackclock_scenario::load(&Embedded, &point.scenario, &point.sets);
    let Loaded { mut scenario, seed, resolved, .. } =
        loaded.map_err(|error| Error::Scenario { file: point.scenario.clone(), sets: point.sets.clone(), error })?;
    let end = Time::ZERO + figure.until.0.min(scenario.duration);
    let metrics = figure.plots.iter().flat_map(|plot| plot.metrics()).copied().collect();
    scenario.recording = Recording { metrics, interval: Span::from_ms(10), ..Recording::none() };
    let mut simulation = sim::build(&scenario, seed);
    simulation.step(end);
    let mut series = simulation.finish().series;
    for name in &figure.flows {
        let flow = scenario.flows.iter().find(|flow| flow.name == *name);
        let flow = flow.ok_or_else(|| Error::Data {
            file: format!("{}/figures.toml", study.name()),
            message: format!("figure \"{}\": there is no flow \"{name}\"", figure.id),
        })?;
        let (own, others) = series.into_iter().partition(|series| series.of == *name);
        series = others;
        let starts = (flow.start > Time::ZERO).then(|| (flow.start, format!("{name} starts")));
        let stops = flow.stop.map(|stop| (stop, format!("{name} stops")));
        drawn.marks.extend(starts.into_iter().chain(stops));
        let label = match (label, figure.flows.len()) {
            ("", _) => name.clone(),
            (label, 1) => label.into(),
            (label, _) => format!("{label}, {name}"),
        };
        drawn.flows.push(DrawnFlow { label, start: flow.begins(seed), mss: flow.tcp.mss, series: own });
    }
    drawn.marks.extend(handovers(&scenario).map(|(time, place)| (time, format!("{place} hands over"))));
    drawn.scenarios.push((label.into(), resolved));
    drawn.end = drawn.end.max(end);
    Ok(())
}

impl Plot {
    /// What has to be recorded for it.
    fn metrics(self) -> &'static [Metric] {
        match self {
            Plot::Cwnd => &[Metric::Cwnd, Metric::Ssthresh],
            Plot::Rtt => &[Metric::Rtt],
            Plot::Sequence => &[Metric::Sent, Metric::Retransmissions, Metric::Acknowledged],
            Plot::Throughput | Plot::Average => &[Metric::Sent],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Selection;
    use ackclock::record::Columns;

    fn of(figure: &DrawnFigure, metric: Metric) -> (&[Time], &[f64]) {
        let series = figure.flows[0].series.iter().find(|series| series.metric == metric).unwrap();
        let Columns::Points { time, value } = &series.columns else { panic!("{metric:?} has no points") };
        (time, value)
    }

    /// What the study describes in words, on the numbers that are drawn. Segments of 512 bytes.
    #[test]
    fn the_figures_show_what_the_study_describes() {
        let study = Study::load("sack-ubr").unwrap();
        let scope = Scope::new(&study, &Selection { card: Some("figures".into()), ..Selection::default() }).unwrap();
        let figures = draw(&study, &scope).unwrap();
        let [vanilla, reno, new_reno, sack] = &figures[..] else { panic!("four figures") };

        // Vanilla: the longest time without a change of the window ends with the timer, at one segment.
        let (time, cwnd) = of(vanilla, Metric::Cwnd);
        let gap = |n: &usize| time[n + 1].since(time[*n]).as_ps();
        let longest = (0..time.len() - 1).max_by_key(gap).unwrap();
        assert_eq!(cwnd[longest + 1], 512.0);
        assert!(gap(&longest) > Span::from_ms(100).as_ps(), "it waits for a tick of the timer");

        // Reno halves the threshold three times, down to an eighth.
        let (_, thresholds) = of(reno, Metric::Ssthresh);
        let (_, window) = of(reno, Metric::Cwnd);
        assert!(thresholds.len() >= 3 && window.contains(&512.0), "{thresholds:?}");

        // The others halve it once, and never begin again at one segment.
        for figure in [new_reno, sack] {
            let (_, window) = of(figure, Metric::Cwnd);
            assert_eq!(window.iter().filter(|&&cwnd| cwnd == 512.0).count(), 1, "{}: only at the start", figure.id);
        }
        // SACK sends all three again sooner than New Reno.
        let took = |figure| {
            let (time, _) = of(figure, Metric::Retransmissions);
            assert_eq!(time.len(), 3);
            time[2].since(time[0])
        };
        assert!(took(sack) < took(new_reno));
    }
}
