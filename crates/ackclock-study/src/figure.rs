//! Figures of a study: runs that are recorded over time, and what they are to show.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ackclock::record::{Columns, Metric, Records, Series};
use ackclock::scenario::{Recording, Scenario};
use ackclock::sim::Engine;
use ackclock::units::{Span, Time};
use ackclock_run::{Failure, Job, Jobs, Runs};
use ackclock_scenario::Loaded;

use crate::Error;
use crate::data::figures::{Figure, Plot, QueueLevel};
use crate::data::{Card, Coordinates, Point};
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
    /// The ports, of one run after the other, and numbers that are drawn beside their queues.
    pub ports: Vec<DrawnFlow>,
    /// What is drawn of them.
    pub(crate) plots: Vec<Plot>,
    /// Instants of note, in order, and what happens then.
    pub marks: Vec<(Time, String)>,
    /// How to run the same: for each run its name, empty of a single one, and a scenario file with every key written out.
    pub scenarios: Vec<(String, String)>,
    /// The end of the figure.
    pub end: Time,
}

/// A flow of a figure, or a port, or a number beside the queues of ports.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnFlow {
    /// What distinguishes it from the others: its run, its name, or both.
    pub label: String,
    /// When it began.
    pub start: Time,
    /// Payload bytes of its segments.
    pub mss: u32,
    /// What it did, up to the end of the figure.
    pub series: Vec<Series>,
}

/// Runs the scenarios of all figures within a scope on `threads` threads; `None` if `stop` is set before all of them are
/// finished.
pub(crate) fn draw(
    study: &Study,
    scope: &Scope,
    engine: Engine,
    threads: usize,
    stop: &AtomicBool,
) -> Result<Option<Vec<DrawnFigure>>, Error> {
    let of_card = |card: &Card| study.figures.iter().filter(|figure| figure.card == card.id).collect::<Vec<_>>();
    let figures: Vec<&Figure> = scope.cards(study).flat_map(of_card).collect();
    let mut runs = Vec::new();
    for (number, figure) in figures.iter().enumerate() {
        for (label, at) in figure.all_runs() {
            runs.push(FigureRun::load(study, number, figure, label, &at)?);
        }
    }
    let job = |(number, run): (usize, &FigureRun)| {
        let cost = run.scenario.duration.as_secs_f64();
        Job { scenario: run.scenario.clone(), seed: run.seed, cost, of: number }
    };
    let jobs = Jobs::most_expensive_first(runs.iter().enumerate().map(job).collect());
    let keep = |number: &usize, records: Records| Ok::<_, Infallible>((*number, records.series));
    let mut kept = match ackclock_run::run_all(jobs, threads, engine, stop, |_| {}, keep) {
        Runs { failure: Some(Failure::Panicked { of, seed, message }), .. } => {
            let Point { scenario: file, sets, .. } = runs.swap_remove(of).point;
            return Err(Error::Run { file, sets, seed, message });
        }
        Runs { failure: Some(Failure::NotKept(never)), .. } => match never {},
        Runs { kept, failure: None } => kept,
    };
    if kept.len() < runs.len() {
        return Ok(None);
    }
    kept.sort_unstable_by_key(|(number, _)| *number);
    let mut drawn: Vec<DrawnFigure> = figures.iter().map(|figure| DrawnFigure::new(figure)).collect();
    for (run, (_, series)) in runs.into_iter().zip(kept) {
        let number = run.figure;
        drawn[number].add(study, figures[number], run, series)?;
    }
    for (figure, of) in drawn.iter_mut().zip(&figures) {
        figure.ports.extend(of.queue_levels.iter().map(|level| DrawnFlow::level(level, figure.end)));
        figure.marks.retain(|(time, _)| *time < figure.end);
        figure.marks.sort();
        figure.marks.dedup();
    }
    Ok(Some(drawn))
}

struct FigureRun {
    /// Which figure of those that are drawn.
    figure: usize,
    /// Its name, empty of a single one.
    label: String,
    point: Point,
    /// What is run: up to the end of the figure, with what is drawn of it.
    scenario: Arc<Scenario>,
    seed: u64,
    /// The whole scenario as a file.
    resolved: String,
}

impl FigureRun {
    fn load(study: &Study, number: usize, figure: &Figure, label: &str, at: &Coordinates) -> Result<FigureRun, Error> {
        let point = study.checked_points(at).swap_remove(0);
        let loaded = ackclock_scenario::load(&Embedded, &point.scenario, &point.sets);
        let Loaded { mut scenario, seed, resolved, .. } = loaded.map_err(|error| Error::Scenario {
            file: point.scenario.clone(),
            sets: point.sets.clone(),
            error,
        })?;
        scenario.duration = figure.until.0.min(scenario.duration);
        scenario.warmup = Span::ZERO;
        let metrics = figure.plots.iter().flat_map(|plot| plot.metrics()).copied().collect();
        scenario.recording = Recording { metrics, interval: Span::from_ms(10), ..Recording::none() };
        Ok(FigureRun { figure: number, label: label.into(), point, scenario: Arc::new(scenario), seed, resolved })
    }
}

impl DrawnFigure {
    /// A figure before its runs.
    fn new(figure: &Figure) -> DrawnFigure {
        DrawnFigure {
            id: figure.id.clone(),
            card: figure.card.clone(),
            title: figure.title.clone(),
            shows: figure.shows.clone(),
            flows: Vec::new(),
            ports: Vec::new(),
            plots: figure.plots.clone(),
            marks: figure.marks.iter().map(|mark| (Time::ZERO + mark.at.0, mark.label.clone())).collect(),
            scenarios: Vec::new(),
            end: Time::ZERO,
        }
    }

    /// Adds a run, which recorded these series.
    fn add(&mut self, study: &Study, figure: &Figure, run: FigureRun, mut series: Vec<Series>) -> Result<(), Error> {
        let FigureRun { label, scenario, seed, resolved, .. } = run;
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
            self.marks.extend(starts.into_iter().chain(stops));
            let label = match (&label[..], figure.flows.len()) {
                ("", _) => name.clone(),
                (label, 1) => label.into(),
                (label, _) => format!("{label}, {name}"),
            };
            self.flows.push(DrawnFlow { label, start: flow.begins(seed), mss: flow.tcp.mss, series: own });
        }
        for name in &figure.ports {
            let (own, others): (Vec<Series>, _) = series.into_iter().partition(|series| series.of == *name);
            series = others;
            if own.is_empty() {
                return Err(Error::Data {
                    file: format!("{}/figures.toml", study.name()),
                    message: format!("figure \"{}\": nothing is recorded of a port \"{name}\"", figure.id),
                });
            }
            let label = match (&label[..], figure.ports.len()) {
                ("", _) => name.clone(),
                (label, 1) => label.into(),
                (label, _) => format!("{label}, {name}"),
            };
            self.ports.push(DrawnFlow { label, start: Time::ZERO, mss: 0, series: own });
        }
        self.marks.extend(handovers(&scenario).map(|(time, place)| (time, format!("{place} hands over"))));
        self.scenarios.push((label, resolved));
        self.end = self.end.max(Time::ZERO + scenario.duration);
        Ok(())
    }
}

impl DrawnFlow {
    /// A number of waiting units up to the end of a figure.
    fn level(level: &QueueLevel, end: Time) -> DrawnFlow {
        let interval = end.since(Time::ZERO);
        let [min, mean, max] = [(); 3].map(|()| vec![level.units].into());
        let columns = Columns::Intervals { interval, end, min, mean, max };
        let series = vec![Series { metric: Metric::Queue, of: level.label.clone(), vc: None, columns }];
        DrawnFlow { label: level.label.clone(), start: Time::ZERO, mss: 0, series }
    }
}

impl Plot {
    /// What has to be recorded for it.
    pub(crate) fn metrics(self) -> &'static [Metric] {
        match self {
            Plot::Cwnd => &[Metric::Cwnd, Metric::Ssthresh],
            Plot::Rtt => &[Metric::Rtt],
            Plot::Timer => &[Metric::Rtt, Metric::Srtt, Metric::Rto],
            Plot::Sequence => &[Metric::Sent, Metric::Retransmissions, Metric::Acknowledged],
            Plot::Throughput | Plot::Average => &[Metric::Sent],
            Plot::SendWindow => &[Metric::SendWindow],
            Plot::Queue => &[Metric::Queue],
            Plot::Utilisation => &[Metric::Utilisation],
            Plot::Acr => &[Metric::Acr, Metric::MaxMinShare],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Selection;

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
        let draw = |stop| draw(&study, &scope, Engine::default(), 2, &AtomicBool::new(stop)).unwrap();
        assert_eq!(draw(true), None, "who asks to stop need not wait");
        let figures = draw(false).unwrap();
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

    /// The rest of the scenario changes nothing of what is drawn.
    #[test]
    fn a_run_that_ends_with_its_figure_records_what_a_longer_one_has_recorded_by_then() {
        let study = Study::load("sack-ubr").unwrap();
        for figure in study.figures.iter() {
            for (label, at) in figure.all_runs() {
                let run = FigureRun::load(&study, 0, figure, label, &at).unwrap();
                let until = |duration| {
                    let scenario = Scenario { duration, ..Scenario::clone(&run.scenario) };
                    let mut simulation = ackclock::sim::build(&scenario, run.seed);
                    simulation.step(Time::ZERO + run.scenario.duration);
                    simulation.finish().series
                };
                assert_eq!(until(run.scenario.duration), until(run.scenario.duration * 2), "{}", figure.id);
            }
        }
    }
}
