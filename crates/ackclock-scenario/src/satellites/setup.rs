//! What a contact plan is computed from: constellation, terminals, and the rules of links, handover and routes.

use std::io::ErrorKind;

use ackclock::keys::{Dimension, Quantity};
use ackclock::units::{Span, Time};
use ackclock_sat::checks::Jitter;
use ackclock_sat::constellation::Constellation;
use ackclock_sat::earth::Earth;
use ackclock_sat::elements::{ElementFile, Epoch, Unusable};
use ackclock_sat::handover::HandoverPolicy;
use ackclock_sat::iridium::iridium;
use ackclock_sat::isl::{IslPattern, IslRules};
use ackclock_sat::orbit::{GeoSlot, Perturbation};
use ackclock_sat::place::Place;
use ackclock_sat::plan::{Access, Setup, Terminal};
use ackclock_sat::routing::Routing;
use ackclock_sat::walker::Walker;

use super::kind::SatelliteKind;
use super::refused::wrong;
use super::{Context, SATELLITE_NODE, Satellites};
use crate::keys::words::{self, CheckJitter, Handover, RoutingWord, word_of};
use crate::settings::Settings;
use crate::text::diagnostic::Report;
use crate::value::FileValue;

impl Satellites {
    /// What the contact plan is computed from, unless it is only read.
    pub(super) fn setup(&self, context: &Context<'_>, report: &mut Report) -> Result<Option<Setup>, ()> {
        let terminals = self.terminals(report)?;
        if self.kind == SatelliteKind::Plan {
            return Ok(None);
        }
        let settings = &self.settings;
        let earth = settings.word("earth").and_then(Earth::named).ok_or(())?;
        let duration = context.duration.ok_or(())?;
        let constellation = self.constellation(&earth, context, report)?;
        if terminals.len() < 2 {
            report
                .error(settings.at, format!("satellites connect places, and there {}", is_or_are(terminals.len())))
                .label("needs two places at least")
                .help("add [place] with berkeley = \"37.9 N 122.3 W\" and boston = \"42.3 N 71.1 W\"");
            return Err(());
        }
        let mut setup = Setup::new(earth, constellation, terminals, Time::ZERO + duration);
        setup.time_advance = settings.span("time_advance").ok_or(())?;
        if self.kind != SatelliteKind::Geostationary {
            self.rules(&mut setup, report).ok_or(())?;
        }
        self.not_too_large(&setup, report)?;
        Ok(Some(setup))
    }

    fn terminals(&self, report: &mut Report) -> Result<Vec<Terminal>, ()> {
        let mut terminals = Vec::with_capacity(self.places.len());
        for place in &self.places {
            let settings = &place.settings;
            let Some(FileValue::Position(position)) = settings.value("at") else {
                if !settings.has("at") && self.kind != SatelliteKind::Plan {
                    report
                        .error(settings.at, format!("the place {} has no position", place.name))
                        .label("needs `at`")
                        .help("add at = \"37.9 N 122.3 W\"");
                }
                continue;
            };
            let made = Place::new(&place.name, position.latitude_deg, position.longitude_deg);
            match made.and_then(|made| made.at_height(metres(settings, "height").unwrap_or(0.0) / 1e3)) {
                Ok(made) => {
                    terminals.push(Terminal { place: made, mask_deg: degrees(settings, "mask").unwrap_or(0.0) });
                }
                Err(error) => wrong(&error, settings.at("at"), "not on the globe", report),
            }
        }
        if terminals.len() < self.places.len() && self.kind != SatelliteKind::Plan { Err(()) } else { Ok(terminals) }
    }

    fn constellation(&self, earth: &Earth, context: &Context<'_>, report: &mut Report) -> Result<Constellation, ()> {
        let settings = &self.settings;
        match self.kind {
            SatelliteKind::Geostationary => {
                let Some(FileValue::Longitude(longitude)) = settings.value("geostationary") else { return Err(()) };
                GeoSlot::new(earth, *longitude)
                    .and_then(|slot| Constellation::geostationary(SATELLITE_NODE, slot))
                    .map_err(|error| wrong(&error, settings.at("geostationary"), "no such slot", report))
            }
            SatelliteKind::Iridium => {
                iridium(earth).map_err(|error| wrong(&error, settings.at("constellation"), "impossible", report))
            }
            SatelliteKind::Walker => {
                let text = settings.text("constellation").ok_or(())?;
                let walker: Walker = text.parse().expect("that it is one was found out before");
                let altitude_km = metres(settings, "altitude").ok_or(())? / 1e3;
                let perturbation =
                    if settings.flag("j2") == Some(true) { Perturbation::J2 } else { Perturbation::None };
                walker
                    .at_altitude(earth, altitude_km, perturbation)
                    .map_err(|error| wrong(&error, settings.at("altitude"), "no orbit", report))
            }
            SatelliteKind::Elements => self.elements(earth, context, report),
            SatelliteKind::Plan => unreachable!("what is read is not computed"),
        }
    }

    fn elements(&self, earth: &Earth, context: &Context<'_>, report: &mut Report) -> Result<Constellation, ()> {
        let duration = context.duration.ok_or(())?;
        let at = self.settings.at("elements");
        let path = self.settings.text("elements").ok_or(())?;
        let bytes = context.source.read_referenced(path).map_err(|error| {
            let help = match error.kind() {
                ErrorKind::Unsupported | ErrorKind::FileTooLarge => "name a file of element sets on a disk",
                _ => "the path is relative to the scenario file",
            };
            report.error(at, format!("the elements {path} cannot be read: {error}")).label("not readable").help(help);
        })?;
        let epoch = match self.settings.text("epoch") {
            Some(text) => Some(
                Epoch::parse(text)
                    .map_err(|error| wrong(&error, self.settings.at("epoch"), "expected date and time", report))?,
            ),
            None => None,
        };
        let unusable = self.settings.choice("unusable_elements", &words::UNUSABLE_ELEMENTS).ok_or(())?;
        let advance = self.settings.span("time_advance").ok_or(())?;
        let file = ElementFile::read(path, &String::from_utf8_lossy(&bytes))
            .map_err(|error| wrong(&error, at, "cannot be used", report))?;
        // Before all of them are followed through the run.
        let looks = times(duration, PASS_STEP).saturating_mul(self.places.len() as u64);
        self.not_too_many(looks.saturating_mul(file.count() as u64), report)?;
        let count = file.count();
        match file.propagated(earth, epoch, advance, duration, unusable) {
            Ok((constellation, warnings)) => {
                for warning in warnings {
                    report.warning(at, warning.to_string()).label(warning.label);
                }
                Ok(constellation)
            }
            Err(error) => {
                let mut help = error.help();
                if (1..count).contains(&error.sets()) && unusable == Unusable::Refuse {
                    help += "; or write unusable_elements = \"leave-out\": the run is made without them";
                }
                report.error(at, error.to_string()).label("cannot be used").help(help);
                Err(())
            }
        }
    }

    /// The rules of links, handover and routes.
    fn rules(&self, setup: &mut Setup, report: &mut Report) -> Option<()> {
        let settings = &self.settings;
        setup.policy = self.handover(report)?;
        setup.terminal_interval = settings.span("check_interval")?;
        setup.isl_interval = setup.terminal_interval;
        setup.jitter = match settings.choice("check_jitter", &words::CHECK_JITTERS)? {
            CheckJitter::None => Jitter::None,
            CheckJitter::Half => Jitter::Half { seed: settings.integer("check_seed")? },
        };
        setup.isl = IslRules {
            pattern: settings.choice("isl", &words::ISLS)?,
            polar_latitude_deg: degrees(settings, "polar_latitude")?,
            grazing_margin_km: metres(settings, "grazing_margin")? / 1e3,
            seam_longitude_deg: degrees(settings, "seam_longitude")?,
        };
        setup.routing = match settings.choice("routing", &words::ROUTINGS)? {
            RoutingWord::AtChange => Routing::AtChange { after: settings.span("routing_delay")? },
            RoutingWord::Interval => Routing::Every(settings.span("routing_interval")?),
        };
        setup.ttl = u8::try_from(settings.integer("ttl")?).ok()?;
        let linked = setup.isl.pattern != IslPattern::None;
        if linked && setup.constellation.planes().is_empty() {
            report
                .error(settings.at("isl"), "links between satellites need orbital planes")
                .label("element sets have none")
                .help("use a constellation of planes, or isl = \"none\"");
            return None;
        }
        setup.access = Access::Independent;
        if !linked && setup.terminals.len() != 2 {
            report
                .error(settings.at("isl").or(settings.at), "satellites without links between them connect two places")
                .label(format!("there are {}", setup.terminals.len()))
                .help("leave two places, or link the satellites (`isl`)");
            return None;
        }
        if !linked {
            setup.access = Access::Common;
        }
        Some(())
    }

    /// Refuses what would take longer to compute than anybody waits.
    fn not_too_large(&self, setup: &Setup, report: &mut Report) -> Result<(), ()> {
        let times = |interval: Span| times(setup.end.since(Time::ZERO), interval);
        let (satellites, places) = (setup.constellation.satellites().len() as u64, setup.terminals.len() as u64);
        let routes = if let Routing::Every(interval) = setup.routing { times(interval) } else { 0 };
        let checks = match setup.policy {
            // Each place finds the paths from all satellites twice, which takes for each of them as long as two looks.
            HandoverPolicy::LeastDelay { .. } => places * times(setup.terminal_interval) * 4,
            HandoverPolicy::Sticky | HandoverPolicy::MaxElevation { .. } | HandoverPolicy::MaxRemainingTime { .. } => {
                times(setup.terminal_interval)
            }
        };
        let each = places * times(PASS_STEP) + checks + routes;
        self.not_too_many(satellites.saturating_mul(each), report)
    }

    fn not_too_many(&self, looks: u64, report: &mut Report) -> Result<(), ()> {
        if looks <= MOST_LOOKS {
            return Ok(());
        }
        report
            .error(self.settings.at, format!("the contact plan needs {looks} positions of satellites"))
            .label(format!("at most {MOST_LOOKS}"))
            .help("make the run shorter, the intervals longer, or the constellation smaller");
        Err(())
    }

    fn handover(&self, report: &mut Report) -> Option<HandoverPolicy> {
        let chosen = self.settings.choice("handover", &words::HANDOVERS)?;
        let hysteresis = self.settings.quantity("hysteresis");
        let in_dimension = |dimension: Dimension| match hysteresis {
            None => Some(0.0),
            Some(Quantity { dimension: found, amount }) if found == dimension => Some(amount as f64),
            Some(_) => None,
        };
        let (policy, expected) = match chosen {
            Handover::Sticky => return Some(HandoverPolicy::Sticky),
            Handover::LeastDelay => {
                let policy = |ps: f64| HandoverPolicy::LeastDelay { hysteresis_s: ps / 1e12 };
                (in_dimension(Dimension::Time).map(policy), "a time, as in \"1 ms\"")
            }
            Handover::MaxElevation => {
                let policy = |udeg: f64| HandoverPolicy::MaxElevation { hysteresis_deg: udeg / 1e6 };
                (in_dimension(Dimension::Angle).map(policy), "an angle, as in \"5 deg\"")
            }
            Handover::MaxRemainingTime => {
                let policy = |ps: f64| HandoverPolicy::MaxRemainingTime { hysteresis_s: ps / 1e12 };
                (in_dimension(Dimension::Time).map(policy), "a time, as in \"30 s\"")
            }
        };
        if policy.is_none() {
            let word = word_of(chosen, &words::HANDOVERS);
            report
                .error(self.settings.at("hysteresis"), format!("`hysteresis` does not fit handover = {word:?}"))
                .label(format!("expected {expected}"));
        }
        policy
    }
}

/// How often something happens at intervals, with the begin.
fn times(length: Span, interval: Span) -> u64 {
    length.as_ps() / interval.as_ps().max(1) + 1
}

fn is_or_are(count: usize) -> &'static str {
    if count == 0 { "is none" } else { "is only one" }
}

fn degrees(settings: &Settings, key: &str) -> Option<f64> {
    settings.amount(key).map(|udeg| udeg as f64 / 1e6)
}

fn metres(settings: &Settings, key: &str) -> Option<f64> {
    settings.amount(key).map(|metres| metres as f64)
}

/// Plans of more looks would take many seconds.
const MOST_LOOKS: u64 = 20_000_000;
/// How often it is looked for satellites that rise and set.
const PASS_STEP: Span = Span::from_secs(10);
