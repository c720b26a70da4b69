//! Changes of ACR that follow the formulas of a source.

use ackclock::atm::AbrParams;
use ackclock::atm::rate::RateAlgorithm;
use ackclock::record::{Columns, Metric, Series};
use ackclock::scenario::{Scenario, ServiceCategory};
use ackclock::units::CELL_BITS;

/// Of all changes of ACR the share that are an increase by RIF · PCR, up to PCR, or a decrease by RDF · ACR: what a source does where no
/// switch writes a rate into RM cells. `None` where ACR is not recorded, or never changes, or a switch computes rates.
pub(super) fn acr_by_formulas(scenario: &Scenario, series: &[Series]) -> Option<f64> {
    let computes = |rates: &Option<RateAlgorithm>| !matches!(rates, None | Some(RateAlgorithm::Efci(_)));
    if scenario.links.iter().any(|link| computes(&link.queue.rates)) {
        return None;
    }
    let (mut by_formulas, mut changes) = (0, 0);
    for flow in scenario.flows.iter() {
        let ServiceCategory::Abr(params) = &flow.service else { return None };
        let recorded = series.iter().find(|series| series.metric == Metric::Acr && series.of == flow.name)?;
        let Columns::Points { value, .. } = &recorded.columns else { return None };
        changes += value.len().saturating_sub(1);
        by_formulas += value.windows(2).filter(|pair| is_by_formulas(params, pair[0], pair[1])).count();
    }
    (changes > 0).then(|| by_formulas as f64 / changes as f64)
}

/// Of two successive rates in bits per second.
fn is_by_formulas(params: &AbrParams, before: f64, after: f64) -> bool {
    let pcr = params.pcr * CELL_BITS as f64;
    let formulas = [pcr.min(before + params.rif * pcr), before - before * params.rdf];
    formulas.iter().any(|expected| (after - expected).abs() < 1e-9 * pcr)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::units::Time;

    /// PCR 100 Mb/s, RIF 1/16: up by 6.25 Mb/s; RDF 1/4: down by a quarter.
    fn share(rates_mbps: &[f64], more: &str) -> Option<f64> {
        let text = format!(
            "duration = \"1 ms\"\n[network]\ntopology = \"n-source\"\nsources = 1\nrate = \"100 Mbps\"\n\
             access_delay = \"0 s\"\ntrunk_delay = \"1 ms\"\n[atm]\nservice = \"abr\"\n[abr]\nrif = \"1/16\"\n\
             rdf = \"1/4\"\n{more}"
        );
        let source = ackclock_scenario::Memory::new().with("test.toml", text);
        let scenario = ackclock_scenario::load(&source, "test.toml", &[]).unwrap().scenario;
        let columns = Columns::Points {
            time: (0..).map(Time::from_ps).take(rates_mbps.len()).collect(),
            value: rates_mbps.iter().map(|rate| rate * 1e6).collect(),
        };
        let flow = scenario.flows.iter().next().unwrap().name.clone();
        acr_by_formulas(&scenario, &[Series { metric: Metric::Acr, of: flow, vc: None, columns }])
    }

    #[test]
    fn rates_go_up_by_a_part_of_pcr_and_down_by_a_part_of_themselves() {
        assert_eq!(share(&[50.0, 56.25, 42.1875, 98.0, 100.0, 75.0], ""), Some(0.8), "not from 42 to 98");
        assert_eq!(share(&[50.0, 56.26, 40.0], ""), Some(0.0));
        assert_eq!((share(&[50.0], ""), share(&[], "")), (None, None));
        assert_eq!(share(&[50.0, 56.25], "[queue]\nrate_algorithm = \"efci\"\n"), Some(1.0));
        assert_eq!(share(&[50.0, 56.25], "[queue]\nrate_algorithm = \"capc\"\n"), None, "its rates are others");
    }
}
