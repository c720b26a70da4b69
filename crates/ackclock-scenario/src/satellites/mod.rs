//! Satellites and places: from their keys to a contact plan, computed by `ackclock-sat` or read.

mod defaults;
mod detour;
mod kind;
mod plan_file;
mod refused;
mod setup;
mod warnings;

use ackclock::keys::{Dimension, Value};
use ackclock::link::ErrorParams;
use ackclock::units::{Rate, Span, Time};
use ackclock_sat::isl::IslPattern;
use ackclock_sat::plan::{Plan, Setup};

use self::kind::SatelliteKind;
use self::refused::wrong;
use crate::document::{Document, Named};
use crate::keys::Section;
use crate::keys::words::{self, Payload};
use crate::settings::{Settings, warn_unused};
use crate::text::diagnostic::{At, Report};
use crate::text::names::natural;
use crate::text::source::Source;
use crate::text::tree::quoted;
use crate::value::FileValue;

/// What is said about satellites and places, and what follows from it before anything is known of the flows.
pub(crate) struct Satellites {
    pub(crate) settings: Settings,
    /// In natural order of their names.
    pub(crate) places: Vec<GroundPlace>,
    kind: SatelliteKind,
    /// What the contact plan is computed from; none where only a plan is given.
    setup: Option<Setup>,
    read: Option<Plan>,
}

pub(crate) struct GroundPlace {
    pub(crate) name: String,
    /// Its header; none if only the plan that is read names it.
    pub(crate) at: Option<At>,
    pub(crate) settings: Settings,
}

/// What all of it is read from.
pub(crate) struct Context<'a> {
    pub(crate) document: &'a Document,
    pub(crate) duration: Option<Span>,
    pub(crate) source: &'a dyn Source,
}

impl Satellites {
    /// What a document says of satellites; `Ok(None)` if nothing, `Err` if it is wrong, and reported.
    pub(crate) fn read(context: &Context<'_>, report: &mut Report) -> Result<Option<Satellites>, ()> {
        let document = context.document;
        let Some(at) = document.satellites.at else {
            if let Some(named) = document.places.first() {
                report
                    .error(named.at, format!("the place {} has no satellites above it", named.name))
                    .label("places belong to [satellites]")
                    .help("add [satellites] with constellation = \"iridium\" or geostationary = \"95 W\"");
                return Err(());
            }
            return Ok(None);
        };
        let mut settings = Settings::resolve(Section::Satellites, &[&document.satellites]);
        let kind = kind::kind(&settings, at, report).ok_or(())?;
        find_files(&mut settings, context.source, report);
        let mask =
            if kind == SatelliteKind::Iridium { (8_200_000, "literature: ns-2") } else { (10_000_000, "Ackclock") };
        settings.set_default("mask", angle(mask.0), mask.1);
        defaults::set(&mut settings, kind, document);
        if let Some(rate) = settings.value("rate").cloned() {
            settings.set_default("down_rate", rate, "the rate of the uplinks");
        }
        let places = places(document, &settings);
        let mut satellites = Satellites { settings, places, kind, setup: None, read: None };
        if kind == SatelliteKind::Geostationary {
            satellites.settings.set_default("payload", Value::Word("bent-pipe"), PAYLOAD_SOURCE);
        }
        let words = |key: &str| satellites.word(key);
        satellites.settings.require("[satellites]", &words, report);
        warn_unused(&document.satellites, Section::Satellites, &[&satellites.settings], &words, report);
        for (named, place) in document.places.iter().flat_map(|n| satellites.place(&n.name).map(|place| (n, place))) {
            warn_unused(&named.given, Section::Place, &[&place.settings], &words, report);
        }
        satellites.setup = satellites.setup(context, report)?;
        satellites.read = satellites.plan_file(context, report)?;
        satellites.payload(report)?;
        Ok(Some(satellites))
    }

    pub(crate) fn place(&self, name: &str) -> Option<&GroundPlace> {
        self.places.iter().find(|place| place.name == name)
    }

    pub(crate) fn up_rate(&self, place: usize) -> Option<Rate> {
        self.rate_at(place, "rate")
    }

    pub(crate) fn down_rate(&self, place: usize) -> Option<Rate> {
        self.rate_at(place, "down_rate")
    }

    fn rate_at(&self, place: usize, key: &str) -> Option<Rate> {
        let own = &self.places[place].settings;
        if own.has(key) { own.rate(key) } else { self.settings.rate(key) }
    }

    /// The error models of the downlink of a place.
    pub(crate) fn errors(&self, place: usize, report: &mut Report) -> Option<Vec<ErrorParams>> {
        let settings = &self.places[place].settings;
        let Some(FileValue::Errors(all)) = settings.value("errors") else { return Some(Vec::new()) };
        if let Some(name) = all.iter().find_map(|errors| errors.direction.as_ref()) {
            report
                .error(name.at, format!("{} is no direction of a place", quoted(&name.text)))
                .label("errors of a place apply to packets that arrive there")
                .help("leave `direction` out; for the other direction give `errors` at the other place");
            return None;
        }
        Some(all.iter().map(|errors| errors.params.clone()).collect())
    }

    /// What a satellite is if nothing else is said, and whether it can be.
    fn payload(&mut self, report: &mut Report) -> Result<(), ()> {
        let of_plan = self.read.iter().flat_map(|plan| &plan.settings);
        let is_geostationary = self.kind == SatelliteKind::Geostationary
            || of_plan.into_iter().any(|(key, value)| key == "constellation" && value == "geostationary");
        let word = if is_geostationary { "bent-pipe" } else { "regenerative" };
        self.settings.set_default("payload", Value::Word(word), PAYLOAD_SOURCE);
        if self.is_bent_pipe() && (!is_geostationary || self.places.len() != 2) {
            let problem = match is_geostationary {
                true => format!("a bent pipe connects two places, and there are {}", self.places.len()),
                false => "a bent pipe stands above one place, and these satellites move".to_owned(),
            };
            report
                .error(self.settings.at("payload").or(self.settings.at), problem)
                .label("no bent pipe")
                .help("write payload = \"regenerative\": a satellite that stores and forwards");
            return Err(());
        }
        Ok(())
    }

    /// The words that conditions of keys are about and that are no keys.
    pub(crate) fn word(&self, key: &str) -> Option<&'static str> {
        let is_linked = match self.kind {
            SatelliteKind::Geostationary => false,
            SatelliteKind::Plan => true,
            SatelliteKind::Iridium | SatelliteKind::Walker | SatelliteKind::Elements => {
                self.settings.choice("isl", &words::ISLS) != Some(IslPattern::None)
            }
        };
        let flag = |flag| if flag { "true" } else { "false" };
        let file = if self.settings.has("plan") { SatelliteKind::Plan } else { self.kind };
        let words = [
            ("satellites", self.kind.word()),
            ("file", file.word()),
            ("stores", flag(!self.is_bent_pipe())),
            ("linked", flag(is_linked)),
        ];
        words.iter().find(|(name, _)| *name == key).map(|(_, word)| *word)
    }

    /// Whether there is one satellite that stores nothing.
    pub(crate) fn is_bent_pipe(&self) -> bool {
        let may_be = match self.kind {
            SatelliteKind::Geostationary | SatelliteKind::Plan => true,
            SatelliteKind::Iridium | SatelliteKind::Walker | SatelliteKind::Elements => false,
        };
        may_be && self.settings.choice("payload", &words::PAYLOADS) == Some(Payload::BentPipe)
    }

    /// The contact plan for packets between these pairs of places, given by their numbers. `None`: wrong, and reported.
    pub(crate) fn plan(&self, pairs: Vec<(usize, usize)>, report: &mut Report) -> Option<Plan> {
        let plan = match (&self.read, &self.setup) {
            (Some(plan), _) => self.check_paths(plan, &pairs, report).then(|| plan.clone())?,
            (None, Some(setup)) => match (Setup { pairs: pairs.clone(), ..setup.clone() }).plan() {
                Ok(plan) => plan,
                Err(error) => {
                    wrong(&error, self.settings.at, "no contact plan", report);
                    return None;
                }
            },
            (None, None) => return None,
        };
        self.warn_of_paths(&plan, &pairs, report);
        Some(plan)
    }

    /// Whether a plan that was read has the paths that are needed.
    fn check_paths(&self, plan: &Plan, pairs: &[(usize, usize)], report: &mut Report) -> bool {
        let mut fine = true;
        for &(a, b) in pairs {
            let (from, to) = (&self.places[a], &self.places[b]);
            let ends = plan.named(&from.name).zip(plan.named(&to.name));
            let has_path = |(a, b)| plan.path(a, b, Time::ZERO).is_some() && plan.path(b, a, Time::ZERO).is_some();
            if !ends.is_some_and(has_path) {
                report
                    .error(
                        self.settings.at("plan"),
                        format!("the plan has no paths between {} and {}", from.name, to.name),
                    )
                    .label("written for other flows")
                    .help("write it again with `ackclock contacts` for a scenario with these flows");
                fine = false;
            }
        }
        fine
    }
}

/// Paths are relative to the file that gives them, arguments to where we are.
fn find_files(settings: &mut Settings, source: &dyn Source, report: &Report) {
    for key in ["elements", "plan"] {
        if let (Some(path), Some(at)) = (settings.text(key), settings.at(key)) {
            let path = match report.file_of(at) {
                Some(file) => source.join(file, path),
                None => path.to_owned(),
            };
            settings.rewrite(key, FileValue::Text(source.absolute(&path)));
        }
    }
}

/// All places in natural order of their names.
fn places(document: &Document, satellites: &Settings) -> Vec<GroundPlace> {
    let place = |named: &Named| {
        let mut settings = Settings::resolve(Section::Place, &[&named.given]);
        settings.at = Some(named.at);
        if let Some(mask) = satellites.value("mask") {
            settings.set_default("mask", mask.clone(), "[satellites]");
        }
        GroundPlace { name: named.name.clone(), at: Some(named.at), settings }
    };
    let mut places: Vec<GroundPlace> = document.places.iter().map(place).collect();
    places.sort_by(|a, b| natural(&a.name, &b.name));
    places
}

fn angle(udeg: u64) -> Value {
    Value::quantity(Dimension::Angle, udeg)
}

/// Where the default of `payload` comes from.
const PAYLOAD_SOURCE: &str = "[VEGAS-A] \u{a7}4.2.2; inferred";
/// The name of a geostationary satellite in node and link names, and of the far end of every terminal's uplink.
pub(crate) const SATELLITE_NODE: &str = "sky";
