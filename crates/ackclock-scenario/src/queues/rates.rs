//! The rate algorithms of ports.

use std::collections::BTreeSet;

use ackclock::atm::rate::{self, RateAlgorithm};
use ackclock::keys::{Dimension, Quantity};
use ackclock::units::Rate;

use crate::keys::NO_RATES;
use crate::keys::outside::Outside;
use crate::mechanisms::{self, Tables};
use crate::settings::Settings;
use crate::text::diagnostic::{At, Report};

/// The port of a rate algorithm.
pub(super) struct Place<'a> {
    pub(super) name: &'a str,
    pub(super) rate: Rate,
    /// What is counted at least in an interval: a cell, or the largest packet that crosses the port; and its octets on the wire.
    pub(super) unit: &'static str,
    pub(super) unit_bytes: u64,
}

/// Checks rate algorithms, and says the same of many ports once.
#[derive(Default)]
pub(super) struct Checker {
    said: BTreeSet<(Option<At>, &'static str)>,
}

impl Checker {
    /// The rate algorithm of a port, if it has one; the outer `None`: wrong, and reported.
    pub(super) fn algorithm(
        &mut self,
        settings: &Tables,
        place: &Place<'_>,
        outside: &Outside,
        report: &mut Report,
    ) -> Option<Option<RateAlgorithm>> {
        let queue = &settings.own;
        let word = queue.word("rate_algorithm")?;
        if word == NO_RATES {
            return Some(None);
        }
        let at = queue.at("rate_algorithm");
        if let Some(custom) = outside.rate_algorithm(word) {
            return self.has_a_unit(&custom, at, place, report).map(|()| Some(custom));
        }
        let algorithm = rate::ALGORITHMS.iter().find(|algorithm| algorithm.name == word)?;
        let table = settings.chosen("rate_algorithm");
        match (algorithm.params)(&mechanisms::values(algorithm.keys, table)?) {
            Ok(params) => {
                let at = table.and_then(|table: &Settings| table.at("averaging_interval")).or(at);
                self.has_a_unit(&params, at, place, report).map(|()| Some(params))
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

    /// Whether a cell or a packet fits into the averaging interval, which is given at this place.
    fn has_a_unit(
        &mut self,
        params: &RateAlgorithm,
        at: Option<At>,
        place: &Place<'_>,
        report: &mut Report,
    ) -> Option<()> {
        let unit_time = place.rate.serialization(place.unit_bytes * 8);
        let Some(interval) = params.interval().filter(|interval| *interval < unit_time) else { return Some(()) };
        if self.first(at, "averaging_interval") {
            let spelled = |ps| Quantity { dimension: Dimension::Time, amount: ps }.canonical();
            let (interval, time) = (spelled(interval.as_ps()), spelled(rounded_up(unit_time.as_ps())));
            let Place { name, unit, .. } = place;
            report
                .error(
                    at,
                    format!("an interval of {interval} is shorter than a {unit} takes at the port {name}, {time}"),
                )
                .label(format!("no {unit} can be counted in it"))
                .help(match 10 * rounded_up(unit_time.as_ps()) {
                    ..=MS_PS => "write a longer `averaging_interval`; 1 ms and 5 ms are usual".to_owned(),
                    ten => format!("write a longer `averaging_interval`; ten {unit}s take {}", spelled(ten)),
                });
        }
        None
    }

    fn first(&mut self, at: Option<At>, key: &'static str) -> bool {
        self.said.insert((at, key))
    }
}

const MS_PS: u64 = 1_000_000_000;

/// Three digits of it, rounded up.
fn rounded_up(number: u64) -> u64 {
    let digits = number.checked_ilog10().map_or(0, |log| log.saturating_sub(2));
    number.next_multiple_of(10_u64.pow(digits))
}
