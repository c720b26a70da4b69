//! What the tests look at.

use ackclock::units::{Span, Time};
use ackclock_sat::constellation::Constellation;
use ackclock_sat::earth::Earth;
use ackclock_sat::iridium::iridium;
use ackclock_sat::orbit::{GeoSlot, Perturbation};
use ackclock_sat::place::Place;
use ackclock_sat::plan::{Plan, Setup, Terminal};
use ackclock_sat::walker::Walker;

pub const BERKELEY: (&str, f64, f64) = ("Berkeley", 37.9, -122.3);
pub const BOSTON: (&str, f64, f64) = ("Boston", 42.3, -71.1);
pub const NEW_YORK: (&str, f64, f64) = ("New York", 40.9, -73.9);
pub const SAN_FRANCISCO: (&str, f64, f64) = ("San Francisco", 37.8, -122.4);

pub fn seconds(seconds: u64) -> Time {
    Time::ZERO + Span::from_secs(seconds)
}

pub fn terminal((name, latitude, longitude): (&str, f64, f64), mask_deg: f64) -> Terminal {
    Terminal { place: Place::new(name, latitude, longitude).unwrap(), mask_deg }
}

/// The scenario of the study's LEO part.
pub fn study() -> Setup {
    let terminals = vec![terminal(BERKELEY, 8.2), terminal(BOSTON, 8.2)];
    Setup::new(Earth::NS2, iridium(&Earth::NS2).unwrap(), terminals, seconds(600))
}

/// The scenario of the study's GEO part, with a slot of choice.
pub fn bent_pipe(slot_deg: f64) -> Setup {
    let terminals = vec![terminal(NEW_YORK, 8.2), terminal(SAN_FRANCISCO, 8.2)];
    let slot = GeoSlot::new(&Earth::NS2, slot_deg).unwrap();
    Setup::new(Earth::NS2, Constellation::geostationary("geo", slot).unwrap(), terminals, seconds(600))
}

pub fn walker(text: &str, altitude_km: f64) -> Constellation {
    text.parse::<Walker>().unwrap().at_altitude(&Earth::NS2, altitude_km, Perturbation::None).unwrap()
}

/// Delay of the only pair, ms.
pub fn delay_ms(plan: &Plan, time: Time) -> f64 {
    let (from, to) = ends(plan);
    plan.delay(from, to, time).expect("there is a path").as_secs_f64() * 1e3
}

pub fn ends(plan: &Plan) -> (usize, usize) {
    (plan.nodes.len() - 2, plan.nodes.len() - 1)
}
