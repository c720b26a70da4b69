//! Which runs a selection asks for.

use super::{FINDINGS, HEAD, TWO_CLAIMS, report_of, study_from, study_of};
use crate::data::Point;
use crate::plan::Scope;
use crate::{Error, Selection};

#[test]
fn a_point_is_planned_once_with_the_most_seeds_that_anything_wants() {
    let study = study_of(TWO_CLAIMS, "").unwrap();
    let demand = Scope::new(&study, &Selection::default()).unwrap().demanded_seeds(&study);
    // Table: 2 buffers times 2 TCPs, shared with the mean row and the defaults of the assumption. Claims: the bare
    // LAN. Alternatives: 500 ms at three points, RFC 6675 at one.
    assert_eq!(demand.len(), 4 + 1 + 3 + 1);
    let seeds = |sets: &[&str]| {
        let sets = sets.iter().map(|set| set.to_string()).collect();
        demand[&Point { scenario: "made-up/lan.toml".into(), sets, live: false }]
    };
    assert_eq!(seeds(&["queue.buffer=1000 cells", "tcp.recovery=reno"]), 4);
    assert_eq!(seeds(&["queue.buffer=1000 cells", "tcp.recovery=reno", "tcp.tick=500 ms"]), 3);
    // The alternative replaces the setting of the axis.
    assert_eq!(seeds(&["queue.buffer=1000 cells", "tcp.recovery=rfc6675"]), 3);
    assert_eq!(seeds(&[]), 1);
}

#[test]
fn the_quick_subset_is_smaller_and_tries_no_alternatives() {
    let study = study_of(TWO_CLAIMS, "").unwrap();
    let quick = Selection { quick: true, ..Selection::default() };
    let demand = Scope::new(&study, &quick).unwrap().demanded_seeds(&study);
    assert_eq!(demand.values().sum::<u64>(), 2 * 2 + 1);
    let report = report_of(&study, &quick);
    assert_eq!(report.tally.numbers.examined, 2);
    assert_eq!(report.tally.claims.examined, 1);
    assert!(report.cards[0].assumptions.iter().all(|assumption| assumption.groups.is_empty()));
}

#[test]
fn a_card_may_have_seeds_of_its_own_for_each_subset() {
    let head = HEAD.replace("seeds = 1 }", "seeds = 3, quick_seeds = 1 }");
    let files = [("study.toml", head.as_str()), ("claims.toml", TWO_CLAIMS), ("findings.toml", "")];
    let study = study_from(&files).unwrap();
    let seeds = |quick, seeds| {
        let scope = Scope::new(&study, &Selection { quick, seeds, ..Selection::default() }).unwrap();
        scope.cards(&study).map(|card| scope.seeds_of(card)).collect::<Vec<_>>()
    };
    assert_eq!((seeds(false, None), seeds(true, None)), (vec![4, 3], vec![2, 1]));
    assert_eq!((seeds(false, Some(7)), seeds(true, Some(7))), (vec![7, 3], vec![7, 1]));
}

#[test]
fn the_quick_report_leaves_out_cards_of_which_it_has_nothing() {
    let study = study_of(&TWO_CLAIMS.replace("quick = true", ""), "").unwrap();
    let cards = |quick, card: Option<&str>| {
        let report = report_of(&study, &Selection { quick, card: card.map(String::from), ..Selection::default() });
        report.cards.into_iter().map(|card| card.id).collect::<Vec<_>>()
    };
    assert_eq!(cards(false, None), ["t1", "checks"]);
    assert_eq!(cards(true, None), ["t1"]);
    assert_eq!(cards(true, Some("checks")), ["checks"]);
}

#[test]
fn a_card_can_be_examined_alone() {
    let study = study_of(TWO_CLAIMS, FINDINGS).unwrap();
    let report = report_of(&study, &Selection { card: Some("checks".into()), ..Selection::default() });
    assert_eq!(report.cards.len(), 1);
    assert_eq!(report.tally.numbers.examined, 0);
    // Of a finding, only what was examined is shown.
    assert_eq!(report.findings[0].covers, ["claim:wrong"]);

    let unknown = Scope::new(&study, &Selection { card: Some("t9".into()), ..Selection::default() });
    let message = unknown.unwrap_err().to_string();
    assert_eq!(message, "the study made-up has no card named \"t9\"; it has: t1, checks");
    assert!(matches!(Scope::new(&study, &Selection { seeds: Some(0), ..Selection::default() }), Err(Error::NoSeeds)));
}
