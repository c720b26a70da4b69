//! What a scenario says of ABR: parameters that studies publish.

use ackclock::atm::rate::RateAlgorithm;
use ackclock::scenario::{Scenario, ServiceCategory};
use serde::{Deserialize, Serialize};

/// Parameters of the first flow, and of the algorithm at the bottleneck.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AbrSettings {
    pub rif: f64,
    pub rdf: f64,
    pub nrm: u32,
    /// Cells, of an algorithm that has one.
    pub threshold: Option<u64>,
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AbrSetting {
    Rif,
    Rdf,
    Nrm,
    Threshold,
}

impl AbrSetting {
    /// Names in study data.
    pub const NAMES: [(&'static str, AbrSetting); 4] = [
        ("rif", AbrSetting::Rif),
        ("rdf", AbrSetting::Rdf),
        ("nrm", AbrSetting::Nrm),
        ("threshold", AbrSetting::Threshold),
    ];
}

impl AbrSettings {
    /// Those of a scenario whose first flow has the service ABR.
    pub fn of(scenario: &Scenario) -> Option<AbrSettings> {
        let flow = scenario.flows.iter().next()?;
        let ServiceCategory::Abr(params) = &flow.service else { return None };
        let bottleneck = &scenario.links[scenario.bottleneck.as_ref()?.link];
        let threshold = match bottleneck.queue.rates.as_ref() {
            Some(RateAlgorithm::Efci(params)) => Some(params.threshold),
            Some(RateAlgorithm::Capc(params)) => Some(params.threshold),
            _ => None,
        };
        Some(AbrSettings { rif: params.rif, rdf: params.rdf, nrm: params.nrm, threshold })
    }

    /// The value of one.
    pub fn value(&self, setting: AbrSetting) -> Option<f64> {
        match setting {
            AbrSetting::Rif => Some(self.rif),
            AbrSetting::Rdf => Some(self.rdf),
            AbrSetting::Nrm => Some(f64::from(self.nrm)),
            AbrSetting::Threshold => self.threshold.map(|cells| cells as f64),
        }
    }
}
