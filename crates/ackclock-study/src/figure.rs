//! Figures of a study: runs that are recorded over time, and what they are to show.

use ackclock::record::{GROUPS, MetricSet, Series};
use ackclock::scenario::Recording;
use ackclock::sim;
use ackclock::units::{Span, Time};

use crate::Error;
use crate::data::{Card, Figure};
use crate::embedded::Embedded;
use crate::plan::Scope;
use crate::study::Study;

/// A figure with the record that it draws.
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
    /// The flow that it is about.
    pub flow: String,
    /// How to run the same: a scenario file with every key written out.
    pub scenario: String,
    /// What the flow did, up to the end of the figure.
    pub series: Vec<Series>,
    /// The end of the figure.
    pub end: Time,
}

/// Runs the scenarios of all figures within a scope. They are few and short.
pub(crate) fn draw(study: &Study, scope: &Scope) -> Result<Vec<DrawnFigure>, Error> {
    let of_card = |card: &Card| study.figures.iter().filter(|figure| figure.card == card.id).collect::<Vec<_>>();
    scope.cards(study).flat_map(of_card).map(|figure| draw_one(study, figure)).collect()
}

fn draw_one(study: &Study, figure: &Figure) -> Result<DrawnFigure, Error> {
    let point = study.checked_points(&figure.at).swap_remove(0);
    let loaded = ackclock_scenario::load(&Embedded, &point.scenario, &point.sets).map_err(|error| Error::Scenario {
        file: point.scenario.clone(),
        sets: point.sets.clone(),
        error,
    })?;
    let mut scenario = loaded.scenario;
    let end = Time::ZERO + figure.until.0.min(scenario.duration);
    scenario.recording = Recording { metrics: of_tcp(), interval: Span::from_ms(10), captures: Vec::new() };
    let mut simulation = sim::build(&scenario, loaded.seed);
    simulation.step(end);
    let mut series = simulation.finish().series;
    series.retain(|series| series.of == figure.flow);
    Ok(DrawnFigure {
        id: figure.id.clone(),
        card: figure.card.clone(),
        title: figure.title.clone(),
        shows: figure.shows.clone(),
        flow: figure.flow.clone(),
        scenario: loaded.resolved,
        series,
        end,
    })
}

/// Everything that is recorded of a flow.
fn of_tcp() -> MetricSet {
    GROUPS.iter().filter(|(name, _)| *name == "tcp").flat_map(|(_, metrics)| metrics.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Selection;
    use ackclock::record::{Columns, Metric};

    fn of(figure: &DrawnFigure, metric: Metric) -> (&[Time], &[f64]) {
        let series = figure.series.iter().find(|series| series.metric == metric).unwrap();
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
