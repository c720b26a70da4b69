//! Satellites: orbits, constellations and handover in, a contact plan out.
//!
//! A run of the simulator takes a [`plan::Plan`] as plain data in whole picoseconds. All arithmetic of orbits is here.
//!
//! | | |
//! |---|---|
//! | [`earth`], [`place`], [`orbit`], [`vector`] | constants, terminals, positions |
//! | [`constellation`], [`walker`], [`iridium`], [`elements`] | which satellites there are |
//! | [`isl`], [`handover`], [`checks`], [`routing`] | which links there are, who uses which satellite, which path packets take |
//! | [`plan`], [`delay_curve`] | what comes of it |
//!
//! ```
//! use ackclock::units::Time;
//! use ackclock_sat::earth::Earth;
//! use ackclock_sat::iridium::iridium;
//! use ackclock_sat::place::Place;
//! use ackclock_sat::plan::{Setup, Terminal};
//!
//! let terminal = |name, latitude, longitude| {
//!     Ok::<_, ackclock_sat::error::SatError>(Terminal { place: Place::new(name, latitude, longitude)?, mask_deg: 8.2 })
//! };
//! let terminals = vec![terminal("Berkeley", 37.9, -122.3)?, terminal("Boston", 42.3, -71.1)?];
//! let end = Time::from_ps(600_000_000_000_000);
//! let plan = Setup::new(Earth::NS2, iridium(&Earth::NS2)?, terminals, end).plan()?;
//! let (berkeley, boston) = (plan.named("Berkeley").unwrap(), plan.named("Boston").unwrap());
//! let delay = plan.delay(berkeley, boston, Time::ZERO).unwrap();
//! assert_eq!((delay.as_ps() as f64 / 1e6).round(), 33_882.0, "microseconds");
//! # Ok::<(), ackclock_sat::error::SatError>(())
//! ```

pub mod checks;
pub mod constellation;
pub mod delay_curve;
pub mod earth;
pub mod elements;
pub mod error;
pub mod handover;
pub mod iridium;
pub mod isl;
pub mod orbit;
pub mod place;
pub mod plan;
pub mod routing;
pub mod vector;
pub mod walker;
