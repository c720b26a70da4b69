//! The real studies: their data fit together, and their scenarios are accepted.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::report_of;
use crate::data::{Assumption, Card, Finding, Point};
use crate::measure::handovers;
use crate::plan::Scope;
use crate::study::Study;
use crate::{Error, Selection, names};

#[test]
fn all_studies_are_there_and_their_data_fit_together() {
    assert_eq!(names(), ["rate-control", "sack-ubr", "sd-plus", "testbed", "ubr-abr", "vegas-a"]);
    for name in names() {
        let study = Study::load(name).unwrap();
        assert_eq!(study.name(), name);
        let without = |card: &&Card| card.table.is_some() && !study.tables.contains_key(&card.id);
        assert_eq!(study.head.cards.iter().find(without).map(|card| &card.id), None);
        assert!(!study.findings.iter().any(|finding| finding.text.is_empty()));
    }
    assert!(matches!(Study::load("ubr-sack"), Err(Error::UnknownStudy { .. })));
}

/// Numbers of prose become wrong when a model changes; those of runs are computed anew. Only what differs in nothing but the quick
/// subset, which runs no experiments, has none: its numbers are those of the tables.
#[test]
fn every_finding_has_an_experiment() {
    for name in names() {
        let study = Study::load(name).unwrap();
        let is_quick = |finding: &&Finding| finding.covered(false).next().is_none() && !finding.is_reading();
        let has_prose = |finding: &Finding| !finding.evidence.is_empty() && !["sack-ubr", "vegas-a"].contains(&name);
        let prose = study.findings.iter().filter(|finding| match is_quick(finding) {
            true => !finding.evidence.is_empty(),
            false => finding.experiments.is_empty() || has_prose(finding),
        });
        let prose: Vec<&str> = prose.map(|finding| &*finding.id).collect();
        assert_eq!(prose, [""; 0], "{name}");
    }
}

/// Published claims that would hold if what they compare were equal. They are to name their effect, or to say that they claim
/// none (`equality`); the list only shrinks.
const HOLD_WITHOUT_EFFECT: &[(&str, &[&str])] = &[];

#[test]
fn a_claim_that_the_absence_of_its_effect_fulfils_is_known() {
    for name in names() {
        let study = Study::load(name).unwrap();
        let known = HOLD_WITHOUT_EFFECT.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, claims)| *claims);
        // Instances of a claim have its predicate.
        let new = study.claims.iter().filter(|claim| {
            let id = claim.id.split('/').next().unwrap_or_default();
            study.is_weak(claim) && !known.contains(&id)
        });
        let new: Vec<&str> = new.map(|claim| claim.id.as_str()).collect();
        assert!(
            new.is_empty(),
            "{name}: these would hold without their effect: {new:?}; see claims in studies/README.md"
        );
    }
}

/// Every finding points at numbers or claims: those that differ, or those that hold under a reading of the text.
#[test]
fn a_finding_that_covers_nothing_names_what_it_is_about() {
    for name in names() {
        let study = Study::load(name).unwrap();
        let bare = study.findings.iter().filter(|finding| finding.is_reading() && finding.about.is_empty());
        let bare: Vec<&str> = bare.map(|finding| finding.id.as_str()).collect();
        assert!(bare.is_empty(), "{name}: say in `about` which claims hold, or in `covers` which do not: {bare:?}");
    }
}

/// What was chosen when its results were known is judged with its alternatives, or nobody knows what depends on it.
#[test]
fn an_assumption_that_was_chosen_after_its_results_is_judged_with_an_alternative() {
    for name in names() {
        let study = Study::load(name).unwrap();
        let is_judged = |of: &&Assumption| {
            let prefix = format!("{}/", of.id);
            of.alternatives.iter().any(|alternative| !alternative.judged.is_empty())
                || study.together.iter().any(|together| together.of.iter().any(|name| name.starts_with(&prefix)))
        };
        let late = study.assumptions.iter().filter(|assumption| assumption.after_results.is_some());
        let blind: Vec<&str> = late.filter(|of| !is_judged(of)).map(|of| of.id.as_str()).collect();
        assert!(blind.is_empty(), "{name}: no card is judged with an alternative to {blind:?}");
    }
}

#[test]
fn published_means_are_the_means_of_the_published_rows() {
    let study = Study::load("sack-ubr").unwrap();
    let mut checked = 0;
    for card in ["t1", "t2"] {
        let table = &study.tables[card];
        for mean in table.rows.iter().filter(|row| row.label.ends_with("mean SACK")) {
            let net = mean.label.split(' ').next().unwrap();
            let of_net: Vec<_> =
                table.rows.iter().filter(|row| row.label.starts_with(net) && row.label.contains("N=")).collect();
            assert_eq!(of_net.len(), 4);
            for (column, published) in mean.published.iter().enumerate() {
                let exact = of_net.iter().map(|row| row.published[column]).sum::<f64>() / 4.0;
                // Half a hundredth may have gone either way.
                assert!((exact - published).abs() <= 0.005 + 1e-9, "{card}/{}: {exact} and {published}", mean.label);
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 12);

    // The means that the publication computes for SD and SD+.
    let study = Study::load("sd-plus").unwrap();
    for (card, means) in [("t1", [0.606, 0.755]), ("t3", [0.680, 0.927])] {
        let rows = &study.tables[card].rows;
        for (column, published) in means.iter().enumerate() {
            let exact = rows.iter().map(|row| row.published[column]).sum::<f64>() / rows.len() as f64;
            assert!((exact - published).abs() <= 0.0005 + 1e-9, "{card}: {exact} and {published}");
        }
    }
}

#[test]
fn every_scenario_of_every_point_is_accepted_without_an_unexpected_warning() {
    for name in names() {
        let study = Study::load(name).unwrap();
        let scope = Scope::new(&study, &Selection::default()).unwrap();
        let demand = scope.demanded_seeds(&study);
        // An alternative with which a card is judged again may have no effect at some points of the card; and one that chooses
        // another recovery leaves that without effect which the default sets.
        let readings: Vec<_> = scope.cards(&study).flat_map(|card| scope.readings(&study, card)).collect();
        let tried = study.assumptions.iter().flat_map(|assumption| &assumption.alternatives).map(|of| &of.set[..]);
        let sets: Vec<&[String]> = readings.iter().map(|reading| reading.set).chain(tried).collect();
        let alternatives: BTreeSet<Point> =
            demand.keys().flat_map(|point| sets.iter().map(|set| point.with(set))).collect();
        let said = RefCell::new(BTreeSet::new());
        let is_meant =
            |point: &Point, message: &str| {
                let has_no_effect = message.contains("no effect here");
                let is_said =
                    study.head.meant.iter().enumerate().find(|(_, meant)| {
                        point.scenario.ends_with(&meant.scenario) && message.contains(&meant.warning)
                    });
                said.borrow_mut().extend(is_said.map(|(number, _)| number));
                // How the timers of segments are read is no matter of a timer of the connection.
                let of_connection = point.sets.iter().any(|set| set == "tcp.timer_per=connection")
                    && message.starts_with("`segment_timeout`");
                // Receive windows are those that the publications state.
                let of_window = message.starts_with("the receive window");
                is_said.is_some() || of_window || has_no_effect && (of_connection || alternatives.contains(point))
            };
        let mut same: BTreeMap<String, Vec<&Point>> = BTreeMap::new();
        for point in demand.keys() {
            let loaded = ackclock_scenario::load(&crate::embedded::Embedded, &point.scenario, &point.sets);
            let loaded = loaded.unwrap_or_else(|error| panic!("{point:?}: {error:?}"));
            let unexpected = loaded.warnings.iter().find(|warning| !is_meant(point, &warning.message));
            assert_eq!(unexpected, None, "{point:?}");
            same.entry(loaded.resolved).or_default().push(point);
        }
        assert_eq!(said.into_inner().len(), study.head.meant.len(), "{name}: what is meant is warned of");
        // No two points are the same scenario by mistake.
        for points in same.values() {
            let plain = points.iter().filter(|point| !alternatives.contains(point)).count();
            assert!(plain <= 1, "{points:?}");
        }
    }
}

/// What is judged in the whole study is judged in part by `--quick`. A card of figures or comparisons only has nothing to judge.
#[test]
fn the_quick_subset_examines_something_of_every_card_that_is_judged() {
    for name in names() {
        let study = Study::load(name).unwrap();
        let scope = |quick| Scope::new(&study, &Selection { quick, ..Selection::default() }).unwrap();
        let (whole, quick) = (scope(false), scope(true));
        let forgotten =
            whole.cards(&study).filter(|card| whole.examines(&study, card) && !quick.examines(&study, card));
        assert_eq!(forgotten.map(|card| card.id.as_str()).collect::<Vec<_>>(), [""; 0], "{name}");
    }
}

#[test]
fn handovers_of_a_scenario_are_those_of_its_places() {
    let loaded = ackclock_scenario::load(&crate::embedded::Embedded, "vegas-a/scenarios/leo.toml", &[]).unwrap();
    let tenths = |seconds: f64| (seconds * 10.0).round() / 10.0;
    let found: Vec<_> = handovers(&loaded.scenario).map(|(time, place)| (tenths(time.as_secs_f64()), place)).collect();
    assert_eq!(found, [(387.7, "boston"), (524.3, "berkeley")]);
}

#[test]
fn every_figure_draws_flows_that_its_runs_have() {
    for name in names() {
        let study = Study::load(name).unwrap();
        for figure in &study.figures {
            for (label, at) in figure.all_runs() {
                let point = study.checked_points(&at).swap_remove(0);
                let loaded = ackclock_scenario::load(&crate::embedded::Embedded, &point.scenario, &point.sets).unwrap();
                let has = |name: &String| loaded.scenario.flows.iter().any(|flow| flow.name == *name);
                assert!(!figure.flows.is_empty() && figure.flows.iter().all(has), "{name}: {} {label}", figure.id);
            }
        }
    }
}

#[test]
fn every_report_fits_into_120_columns() {
    for name in names() {
        let study = Study::load(name).unwrap();
        let text = report_of(&study, &Selection::default()).text();
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    }
}

#[test]
fn what_computes_does_not_know_the_studies() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in ["ackclock", "ackclock-scenario"] {
        let manifest = std::fs::read_to_string(root.join(name).join("Cargo.toml")).unwrap();
        assert!(!manifest.contains("ackclock-study"), "{name} must not depend on published numbers");
    }
}
