//! Scenarios with ABR connections.

use std::sync::Arc;

use ackclock::atm::rate::{
    ALGORITHMS, CapcParams, CustomRateAlgorithm, EfciParams, RateAlgorithm, RateAllocator, Sharing,
};
use ackclock::atm::{AbrParams, RmRates, cells_per_second};
use ackclock::ids::LinkId;
use ackclock::keys::{Key, Value, Values};
use ackclock::packet::RmCell;
use ackclock::scenario::{Scenario, ServiceCategory, Technology};
use ackclock::units::{Rate, Span, Time};

use super::choices::Choices;
use super::scenario;

/// Sources that always have something to send, over 30 ms there and back.
pub const WAN: &str = r#"
[network]
topology = "n-source"
rate = "155.52 Mbps"
access_delay = "5 ms"
trunk_delay = "5 ms"
[queue]
policy = "tail-drop"
"#;

/// TCP whose window never ends.
pub const GREEDY: &str = r#"
[tcp]
mss = "9180 B"
receive_window = "64 MB"
initial_ssthresh = "64 MB"
initial_window = "7000 segments"
recovery = "vanilla"
"#;

pub fn rate(bps: u64) -> Rate {
    Rate::from_bps(bps).unwrap()
}

pub fn defaults(name: &str) -> RateAlgorithm {
    let algorithm = ALGORITHMS.iter().find(|algorithm| algorithm.name == name).unwrap();
    (algorithm.params)(&Values::defaults(algorithm.keys)).unwrap()
}

/// An algorithm with its defaults, but that it writes into forward RM cells; `None` of one that writes into none.
pub fn forward(name: &str) -> Option<RateAlgorithm> {
    let algorithm = ALGORITHMS.iter().find(|algorithm| algorithm.name == name).unwrap();
    algorithm.keys.iter().find(|key| key.name == "mark")?;
    let word = |key: &Key| (key.name == "mark").then_some(Value::Word("forward"));
    Some((algorithm.params)(&Values::of(algorithm.keys, word)).unwrap())
}

/// ERICA with its defaults but for δ and the interval.
pub fn erica(change: impl Fn(&mut Sharing)) -> RateAlgorithm {
    let RateAlgorithm::Erica(mut params) = defaults("erica") else { panic!("not ERICA") };
    change(&mut params.sharing);
    RateAlgorithm::Erica(params)
}

pub fn capc(change: impl Fn(&mut CapcParams)) -> RateAlgorithm {
    let RateAlgorithm::Capc(mut params) = defaults("capc") else { panic!("not CAPC") };
    change(&mut params);
    RateAlgorithm::Capc(params)
}

/// The scenario with every flow of the service ABR, beginning at 2 Mb/s, and this algorithm at every port.
pub fn with_abr(text: &str, sets: &[&str], algorithm: &RateAlgorithm, change: impl Fn(&mut AbrParams)) -> Scenario {
    let mut scenario = scenario(text, sets);
    for flow in scenario.flows.iter_mut() {
        let routes = [&flow.forward, &flow.backward].into_iter().flat_map(|route| route.fixed().unwrap());
        let propagation = routes.fold(Span::ZERO, |sum, &link| sum + scenario.links[link].delay);
        let mut params = AbrParams::new(cells_per_second(scenario.links[flow.forward.first()].rate), propagation);
        (params.icr, params.rif) = (cells_per_second(rate(2_000_000)), 1.0);
        change(&mut params);
        params.check().unwrap();
        flow.service = ServiceCategory::Abr(Box::new(params));
    }
    for link in scenario.links.iter_mut() {
        Arc::make_mut(&mut link.queue).rates = Some(algorithm.clone());
    }
    scenario
}

// ---- random networks ----

/// In some ATM networks some flows are of the service ABR, and ports compute rates.
pub fn abr(choices: &mut Choices, scenario: &mut Scenario) {
    if !choices.once_in(3) || matches!(scenario.technology, Technology::Packet { .. }) {
        return;
    }
    let all = choices.once_in(3);
    let flows: Vec<(LinkId, Vec<LinkId>)> =
        scenario.flows.iter().map(|flow| (flow.forward.first(), flow.forward.links().into_owned())).collect();
    for (number, (first, forward)) in flows.into_iter().enumerate() {
        if number > 0 && !all && choices.once_in(2) {
            continue;
        }
        let params = params(choices, scenario, first);
        let backward: Vec<LinkId> = forward.iter().rev().map(|&link| reverse(scenario, link)).collect();
        let flow = scenario.flows.iter_mut().nth(number).unwrap();
        flow.backward = backward.into();
        flow.service = ServiceCategory::Abr(Box::new(params));
    }
    let shared = algorithm(choices, scenario);
    for link in scenario.links.ids().collect::<Vec<_>>() {
        let own = choices.once_in(4);
        let algorithm = if own { algorithm(choices, scenario) } else { shared.clone() };
        Arc::make_mut(&mut scenario.links[link].queue).rates = algorithm;
    }
}

fn reverse(scenario: &Scenario, link: LinkId) -> LinkId {
    let (from, to) = (scenario.links[link].from, scenario.links[link].to);
    let back = scenario.links.iter_ids().find(|(_, other)| other.from == to && other.to == from);
    back.expect("each link goes both ways").0
}

/// Parameters with which something happens: few cells between RM cells, rates that change.
fn params(choices: &mut Choices, scenario: &Scenario, first: LinkId) -> AbrParams {
    let line = cells_per_second(scenario.links[first].rate);
    let pcr = line * choices.one_of(&[1.0, 0.5, 0.9]);
    let frtt = Span::from_ms(choices.one_of(&[0, 10]));
    let factor = |choices: &mut Choices| choices.one_of(&[1.0, 1.0 / 16.0, 1.0 / 64.0, 1.0 / 32_768.0]);
    let mut params = AbrParams::new(pcr, frtt);
    params.icr = pcr * choices.one_of(&[1.0, 0.1, 0.01, 0.37]);
    params.mcr = params.icr * choices.one_of(&[0.0, 0.0, 0.5]);
    (params.rif, params.rdf) = (factor(choices), factor(choices));
    params.nrm = choices.one_of(&[8, 32, 2, 4, 256]);
    params.trm = Span::from_ps(Span::from_ms(100).as_ps() >> choices.below(8));
    params.adtf = Span::from_ms(10 * (1 + choices.below(60)));
    params.cdf = choices.one_of(&[1.0 / 16.0, 0.0, 1.0]);
    params.tbe = choices.one_of(&[16_777_215, 16, 256]);
    params.rm_rates = choices.one_of(&[RmRates::Exact, RmRates::Tm4]);
    params.check().expect("each is in its range");
    params
}

/// One of the family, with any parameters, one from outside, or none. Intervals and thresholds are so short that there are some.
fn algorithm(choices: &mut Choices, scenario: &Scenario) -> Option<RateAlgorithm> {
    let cell_time = scenario.links.iter().map(|link| link.rate.cell_time()).min().unwrap();
    // Not millions of them where a link is fast and the others are slow.
    let least = Span::from_ps(scenario.duration.as_ps() / 5000);
    let interval = (cell_time * choices.one_of(&[20, 1, 7, 100, 1000])).max(least);
    let threshold = choices.one_of(&[3, 0, 20, 100]);
    let index = choices.index(ALGORITHMS.len() + 3);
    let Some(described) = ALGORITHMS.get(index) else {
        let from_outside =
            CustomRateAlgorithm::new("observer", Some(interval), |_, draws| Box::new(Observer(draws.at(0))));
        return (index > ALGORITHMS.len()).then_some(RateAlgorithm::Custom(from_outside));
    };
    let values = Values::sample(described.keys, &mut |bound| choices.below(bound));
    let params = (described.params)(&values).unwrap_or_else(|_| defaults(described.name));
    Some(match params {
        RateAlgorithm::Efci(_) => RateAlgorithm::Efci(EfciParams { threshold }),
        RateAlgorithm::Capc(params) => RateAlgorithm::Capc(CapcParams { interval, threshold, ..params }),
        RateAlgorithm::Erica(mut params) => {
            params.sharing.interval = interval;
            RateAlgorithm::Erica(params)
        }
        RateAlgorithm::EricaPlus(mut params) => {
            (params.sharing.interval, params.control.target_delay) = (interval, cell_time * 10);
            RateAlgorithm::EricaPlus(params)
        }
        RateAlgorithm::SimplifiedEricaPlus(mut params) => {
            (params.interval, params.control.target_delay) = (interval, cell_time * 10);
            RateAlgorithm::SimplifiedEricaPlus(params)
        }
        other => other,
    })
}

/// An algorithm whose rates depend on the seed, on everything it is told, on the instants, and on the order, so that nothing is told early
/// or late.
#[derive(Clone, Debug)]
struct Observer(u64);

impl Observer {
    fn note_at(&mut self, now: Time, what: u64) {
        self.note(now.as_ps());
        self.note(what);
    }

    fn note(&mut self, what: u64) {
        self.0 = (self.0 ^ what).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23);
    }
}

impl RateAllocator for Observer {
    fn on_cells(&mut self, now: Option<Time>, vc: usize, cells: u64) {
        assert_eq!(cells, 1, "each by itself");
        self.note_at(now.expect("the instant of each cell is known"), 1 + vc as u64);
    }

    fn on_other_cells(&mut self, now: Option<Time>, cells: u64) {
        assert_eq!(cells, 1, "each by itself");
        self.note_at(now.expect("the instant of each cell is known"), 1000);
    }

    fn on_forward_rm(&mut self, now: Time, vc: usize, queued: u64, cell: &mut RmCell) {
        self.note_at(now, 2000 + vc as u64 + queued + cell.ccr.to_bits() + cell.er.to_bits());
        cell.er = cell.er * (0.9 + (self.0 >> 40) as f64 / (1 << 28) as f64) + 1.0;
        cell.ni |= self.0 & 24 == 0;
    }

    fn on_interval_end(&mut self, now: Time, queued: u64) {
        self.note_at(now, 3000 + queued);
    }

    fn on_backward_rm(&mut self, now: Time, vc: usize, queued: u64, cell: &mut RmCell) {
        self.note_at(now, 4000 + vc as u64 + queued + cell.er.to_bits());
        // Not the same in any other order of ports.
        cell.er = cell.er * (0.5 + (self.0 >> 40) as f64 / (1 << 26) as f64) + 1.0;
        cell.ci |= self.0 & 7 == 0;
        cell.ni |= self.0 & 8 == 0;
    }

    fn marks_efci(&self, queued: u64) -> bool {
        queued > 0 && (self.0 ^ queued).is_multiple_of(3)
    }
}
