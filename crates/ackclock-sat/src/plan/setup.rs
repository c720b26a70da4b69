//! What a contact plan is computed from.

use std::collections::BTreeSet;

use ackclock::units::{Span, Time};

use crate::checks::Jitter;
use crate::constellation::{Constellation, usable_name};
use crate::earth::Earth;
use crate::error::SatError;
use crate::handover::HandoverPolicy;
use crate::isl::{IslPattern, IslRules};
use crate::place::{Place, in_range};
use crate::routing::Routing;

/// A terminal on the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Terminal {
    /// Where it is. Its name is the terminal's.
    pub place: Place,
    /// It sees satellites that stand higher than this, degrees.
    pub mask_deg: f64,
}

/// Whether terminals choose their satellites each for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Each for itself; satellites pass packets on to each other.
    Independent,
    /// The only two terminals use the same satellite, one that both see; their elevation is the lower of the two.
    Common,
}

/// Everything that a contact plan follows from.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Constants.
    pub earth: Earth,
    /// Satellites.
    pub constellation: Constellation,
    /// Terminals.
    pub terminals: Vec<Terminal>,
    /// Which terminals exchange packets, as numbers of `terminals`. Routes are computed in both directions.
    pub pairs: Vec<(usize, usize)>,
    /// Whether terminals choose alone.
    pub access: Access,
    /// How they choose.
    pub policy: HandoverPolicy,
    /// How often a terminal looks whether its satellite still does.
    pub terminal_interval: Span,
    /// Links between satellites.
    pub isl: IslRules,
    /// How often satellites look at them.
    pub isl_interval: Span,
    /// What keeps the checks apart.
    pub jitter: Jitter,
    /// When routes are computed.
    pub routing: Routing,
    /// How many links a packet may cross.
    pub ttl: u8,
    /// Positions are those of this much later.
    pub time_advance: Span,
    /// How much a delay between two breakpoints may differ from the true one.
    pub delay_error: Span,
    /// How long after a node has left a path packets can still be in it.
    pub linger: Span,
    /// How long the plan is.
    pub end: Time,
}

impl Setup {
    /// What the satellite extensions of ns-2 do in their examples, without jitter: sticky handover, checks and routes
    /// every 10 s, links within and between planes. Satellites that are in no planes, or alone, have no links to
    /// others; then two terminals use a common one.
    pub fn new(earth: Earth, constellation: Constellation, terminals: Vec<Terminal>, end: Time) -> Setup {
        let linked = !constellation.planes().is_empty();
        let pattern = if linked { IslPattern::Grid } else { IslPattern::None };
        let common = !linked && terminals.len() == 2 && constellation.satellites().len() > 1;
        Setup {
            earth,
            pairs: if terminals.len() < 2 { Vec::new() } else { vec![(0, 1)] },
            constellation,
            terminals,
            access: if common { Access::Common } else { Access::Independent },
            policy: HandoverPolicy::Sticky,
            terminal_interval: Span::from_secs(10),
            isl: IslRules { pattern, ..IslRules::default() },
            isl_interval: Span::from_secs(10),
            jitter: Jitter::None,
            routing: Routing::AtChange { after: Span::ZERO },
            ttl: 32,
            time_advance: Span::ZERO,
            delay_error: Span::from_ps(1000),
            linger: Span::from_secs(60),
            end,
        }
    }

    pub(super) fn check(&self) -> Result<(), SatError> {
        self.check_terminals()?;
        self.check_pairs()?;
        in_range("polar latitude of links between planes".into(), self.isl.polar_latitude_deg, 0.0, 90.0, "degrees")?;
        in_range("grazing margin of links".into(), self.isl.grazing_margin_km, 0.0, 1e5, "km above the ground")?;
        in_range("least longitude across the seam".into(), self.isl.seam_longitude_deg, 0.0, 180.0, "degrees")?;
        match self.policy {
            HandoverPolicy::Sticky => {}
            HandoverPolicy::MaxElevation { hysteresis_deg } => {
                in_range("hysteresis of the elevation".into(), hysteresis_deg, 0.0, 90.0, "degrees")?;
            }
            HandoverPolicy::MaxRemainingTime { hysteresis_s } => {
                in_range("hysteresis of the remaining time".into(), hysteresis_s, 0.0, 1e6, "seconds")?;
            }
            HandoverPolicy::LeastDelay { hysteresis_s } => {
                in_range("hysteresis of the delay".into(), hysteresis_s, 0.0, 1e6, "seconds")?;
            }
        }
        let linked = self.isl.pattern != IslPattern::None;
        if linked && self.constellation.planes().is_empty() {
            return Err(SatError::conflict(
                "links between satellites need to know which satellites fly in a plane, and these are in none",
                "use a constellation of planes, or no links between satellites",
            ));
        }
        self.check_times()
    }

    fn check_terminals(&self) -> Result<(), SatError> {
        let mut names: BTreeSet<&str> = self.constellation.satellites().iter().map(|s| s.name.as_str()).collect();
        for terminal in &self.terminals {
            let name = terminal.place.name();
            usable_name(name)?;
            in_range(format!("elevation mask of `{name}`"), terminal.mask_deg, -5.0, 89.9, "degrees")?;
            if !names.insert(name) {
                let problem = format!("`{name}` is the name of two terminals, or of a terminal and a satellite");
                return Err(SatError::conflict(problem, "give each a name of its own"));
            }
        }
        match self.access {
            Access::Common if self.terminals.len() != 2 => Err(SatError::conflict(
                format!("a common satellite is for two terminals, and there are {}", self.terminals.len()),
                "let them choose independently, or make a plan for each two",
            )),
            _ => Ok(()),
        }
    }

    fn check_pairs(&self) -> Result<(), SatError> {
        for &(a, b) in &self.pairs {
            if a == b || a.max(b) >= self.terminals.len() {
                return Err(SatError::conflict(
                    format!("terminals {a} and {b} are no pair: there are {}", self.terminals.len()),
                    "name two different terminals",
                ));
            }
        }
        Ok(())
    }

    fn check_times(&self) -> Result<(), SatError> {
        let mut spans = vec![("terminals", self.terminal_interval), ("links between satellites", self.isl_interval)];
        if let Routing::Every(interval) = self.routing {
            spans.push(("routes", interval));
        }
        let shortest = Span::from_ms(1);
        if let Some((what, span)) = spans.into_iter().find(|&(_, span)| span < shortest) {
            let problem = format!("the interval between checks of {what} is {span}; it has to be at least 1 ms");
            return Err(SatError::conflict(problem, "choose a longer one; 10 s is usual"));
        }
        if self.end == Time::ZERO || self.delay_error < Span::from_ps(10) || self.ttl == 0 {
            return Err(SatError::conflict(
                "a plan lasts some time, its delays are not exact to less than 10 ps, and packets cross some links",
                "choose an end after the start, a larger delay error, a ttl from 1",
            ));
        }
        Ok(())
    }

    /// How long light takes straight up from one terminal to the height of the satellites, along the great circle on the
    /// ground to above the other, and down, seconds: a measure for paths, and close to the shortest that can be.
    pub fn direct_delay_s(&self, a: usize, b: usize) -> f64 {
        let station = |terminal: usize| self.terminals[terminal].place.station(&self.earth).position;
        let (from, to) = (station(a), station(b));
        let angle = libm::atan2(from.cross(to).norm(), from.dot(to));
        let satellites = 0..self.constellation.satellites().len();
        let heights = satellites.filter_map(|satellite| self.constellation.position(satellite, 0.0).ok());
        let lowest = heights.map(|position| position.norm() - self.earth.radius_km).fold(f64::INFINITY, f64::min);
        self.earth.light_time(self.earth.radius_km * angle + 2.0 * lowest)
    }

    /// What the plan says of how it came about: names and values.
    pub fn settings(&self) -> Vec<(String, String)> {
        let seconds = |span: Span| format!("{} s", span.as_secs_f64());
        let access = match self.access {
            Access::Independent => "independent",
            Access::Common => "common",
        };
        let policy = match self.policy {
            HandoverPolicy::Sticky => "sticky".into(),
            HandoverPolicy::MaxElevation { hysteresis_deg } => {
                format!("max-elevation, hysteresis {hysteresis_deg} deg")
            }
            HandoverPolicy::MaxRemainingTime { hysteresis_s } => {
                format!("max-remaining-time, hysteresis {hysteresis_s} s")
            }
            HandoverPolicy::LeastDelay { hysteresis_s } => format!("least-delay, hysteresis {hysteresis_s} s"),
        };
        let pattern = match self.isl.pattern {
            IslPattern::None => "none",
            IslPattern::InPlane => "in-plane",
            IslPattern::Grid => "grid",
            IslPattern::GridNearest => "grid-nearest",
            IslPattern::GridAcrossSeam => "grid-across-seam",
        };
        let jitter = match self.jitter {
            Jitter::None => "none".into(),
            Jitter::Half { seed } => format!("half an interval, seed {seed}"),
        };
        let routing = match self.routing {
            Routing::AtChange { after } => format!("{} after a change", seconds(after)),
            Routing::Every(interval) => format!("every {}", seconds(interval)),
        };
        let mut settings = vec![
            ("earth", self.earth.name.to_owned()),
            ("constellation", self.constellation.about().to_owned()),
            ("access", access.to_owned()),
            ("policy", policy),
            ("terminal_interval", seconds(self.terminal_interval)),
            ("isl", pattern.to_owned()),
            ("polar_latitude", format!("{} deg", self.isl.polar_latitude_deg)),
            ("grazing_margin", format!("{} km", self.isl.grazing_margin_km)),
            ("seam_longitude", format!("{} deg", self.isl.seam_longitude_deg)),
            ("isl_interval", seconds(self.isl_interval)),
            ("jitter", jitter),
            ("routing", routing),
            ("time_advance", seconds(self.time_advance)),
            ("linger", seconds(self.linger)),
        ];
        settings.extend(
            self.terminals
                .iter()
                .map(|terminal| ("terminal", format!("{}, mask {} deg", terminal.place, terminal.mask_deg))),
        );
        settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}
