//! A result folder, and in it tables made by hand: one flow, one port.

use ackclock::record::{Columns, DropReason, Metric, Series};
use ackclock::units::{Span, Time};
use ackclock_store::document::Document;
use ackclock_store::tables::{self, Origin};

use crate::support::{Place, RANDOM};

/// A folder `kept` with the result of two seeds and tables of cwnd, ssthresh, queue and drops.
pub fn kept(test: &str) -> Place {
    let place = Place::with(test, RANDOM);
    fill(&place, "kept");
    place
}

/// Makes such a folder of the scenario that is there.
pub fn fill(place: &Place, folder: &str) {
    place.run(&["run", "scenario.toml", "--seeds", "2", "--out", folder, "--record", "cwnd"]).exits_with(0);
    let document = Document::from_json(&place.read(&format!("{folder}/result.json"))).unwrap();
    for run in &document.runs {
        let folder = tables::folder_of(&place.path(folder), run.seed);
        std::fs::remove_dir_all(&folder).unwrap();
        tables::write(&folder, &series(run.seed as f64), &Origin::of(&document.scenario, run)).unwrap();
    }
}

fn series(seed: f64) -> Vec<Series> {
    let ms = |ms: u64| Time::from_ps(ms * 1_000_000_000);
    let points = |metric, time: Vec<Time>, value| Series {
        metric,
        of: "f1".into(),
        vc: None,
        columns: Columns::Points { time, value },
    };
    let intervals = Columns::Intervals {
        interval: Span::from_ms(10),
        end: ms(15),
        min: vec![0.0, 1.0].into(),
        mean: vec![0.5, 2.25].into(),
        max: vec![1.0, 3.0].into(),
    };
    let drops = Columns::Drops {
        time: vec![ms(7)],
        vc: vec![1],
        frame: vec![42],
        reason: vec![DropReason::Policy],
        names: vec!["f1".into(), "f2/ack".into()],
    };
    vec![
        points(Metric::Cwnd, vec![ms(0), ms(5), ms(9)], vec![512.0, 1024.0, 512.0 + seed]),
        points(Metric::Ssthresh, vec![ms(0), ms(9)], vec![f64::INFINITY, 1024.0]),
        Series { metric: Metric::Queue, of: "sw1->sw2".into(), vc: None, columns: intervals },
        Series { metric: Metric::Drops, of: "sw1->sw2".into(), vc: None, columns: drops },
    ]
}
