//! What ports say to ABR sources: the rate algorithms.

use std::collections::BTreeSet;

use ackclock::atm::rate::{self, RateAlgorithm};
use ackclock::scenario::Technology;
use ackclock::units::Rate;

use crate::keys::NO_RATES;
use crate::mechanisms::{self, Tables};
use crate::settings::Settings;
use crate::text::diagnostic::{At, Report};
use crate::values::quantity::{Dimension, Quantity};

/// Checks rate algorithms, and says the same of many ports once.
#[derive(Default)]
pub(super) struct Checker {
    said: BTreeSet<(Option<At>, &'static str)>,
}

impl Checker {
    /// The rate algorithm of the port `name` with a link of this rate, if it has one; the outer `None`: wrong, and reported.
    pub(super) fn algorithm(
        &mut self,
        settings: &Tables,
        technology: Technology,
        (name, rate): (&str, Rate),
        report: &mut Report,
    ) -> Option<Option<RateAlgorithm>> {
        let queue = &settings.own;
        let word = queue.word("rate_algorithm")?;
        if word == NO_RATES {
            return Some(None);
        }
        let at = queue.at("rate_algorithm");
        if matches!(technology, Technology::Packet { .. }) {
            if self.first(at, "rate_algorithm") {
                report
                    .error(at, format!("the rate algorithm {word} works on RM cells, and packet links carry none"))
                    .label("technology is \"packet\"")
                    .help("leave it out, or write technology = \"atm\" in [network]");
            }
            return None;
        }
        let algorithm = rate::ALGORITHMS.iter().find(|algorithm| algorithm.name == word)?;
        let table = settings.chosen("rate_algorithm");
        match (algorithm.params)(&mechanisms::values(algorithm.keys, table)?) {
            Ok(params) => {
                let at = table.and_then(|table: &Settings| table.at("averaging_interval")).or(at);
                self.has_a_cell(&params, at, (name, rate), report).map(|()| Some(params))
            }
            Err(misfit) => {
                let at = mechanisms::place_of(&misfit, table, queue, "rate_algorithm");
                if self.first(at, misfit.keys[0]) {
                    report.error(at, misfit.problem).label(misfit.expected);
                }
                None
            }
        }
    }

    /// Whether a cell fits into the averaging interval, which is given at this place.
    fn has_a_cell(
        &mut self,
        params: &RateAlgorithm,
        at: Option<At>,
        (name, rate): (&str, Rate),
        report: &mut Report,
    ) -> Option<()> {
        let cell_time = rate.cell_time();
        let Some(interval) = params.interval().filter(|interval| *interval < cell_time) else { return Some(()) };
        if self.first(at, "averaging_interval") {
            let spelled = |ps| Quantity { dimension: Dimension::Time, amount: ps }.canonical();
            let (interval, cell) = (spelled(interval.as_ps()), spelled(cell_time.as_ps()));
            report
                .error(at, format!("an interval of {interval} is shorter than a cell of the port {name}, {cell}"))
                .label("no cell can be counted in it")
                .help("write a longer `averaging_interval`; 1 ms and 5 ms are usual");
        }
        None
    }

    fn first(&mut self, at: Option<At>, key: &'static str) -> bool {
        self.said.insert((at, key))
    }
}
