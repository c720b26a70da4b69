//! Satellites and places: from their keys to a contact plan, computed by `ackclock-sat` or read.

mod defaults;
mod warnings;

use std::io::ErrorKind;

use ackclock::link::ErrorParams;
use ackclock::units::{Rate, Span, Time};
use ackclock_sat::checks::Jitter;
use ackclock_sat::constellation::Constellation;
use ackclock_sat::earth::Earth;
use ackclock_sat::elements::{ElementSet, Epoch, propagated};
use ackclock_sat::error::SatError;
use ackclock_sat::handover::HandoverPolicy;
use ackclock_sat::iridium::iridium;
use ackclock_sat::isl::{IslPattern, IslRules};
use ackclock_sat::orbit::{GeoSlot, Perturbation};
use ackclock_sat::place::Place;
use ackclock_sat::plan::{Access, NodeKind, Plan, Setup, Terminal};
use ackclock_sat::routing::Routing;
use ackclock_sat::walker::Walker;

use crate::diagnostic::{At, Report};
use crate::document::{Document, Named};
use crate::keys::Section;
use crate::names::natural;
use crate::quantity::{Dimension, Quantity};
use crate::settings::{Settings, warn_unused};
use crate::source::Source;
use crate::suggest;
use crate::tree::quoted;
use crate::value::Value;

/// What is said about satellites and places, and what follows from it before anything is known of the flows.
pub(crate) struct Satellites {
    pub(crate) settings: Settings,
    /// In natural order of their names.
    pub(crate) places: Vec<GroundPlace>,
    kind: &'static str,
    /// What the contact plan is computed from; none where only a plan is given.
    setup: Option<Setup>,
    /// The plan that is read.
    read: Option<Plan>,
}

/// A place on the ground.
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
        let kind = kind(&settings, at, report).ok_or(())?;
        find_files(&mut settings, context.source, report);
        let mask = if kind == "iridium" { (8_200_000, "literature: ns-2") } else { (10_000_000, "Ackclock") };
        settings.set_default("mask", angle(mask.0), mask.1);
        defaults::set(&mut settings, kind, document);
        if let Some(rate) = settings.value("rate").cloned() {
            settings.set_default("down_rate", rate, "the rate of the links up");
        }
        let places = places(document, &settings);
        let mut satellites = Satellites { settings, places, kind, setup: None, read: None };
        if kind == "geostationary" {
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

    /// The place of a name.
    pub(crate) fn place(&self, name: &str) -> Option<&GroundPlace> {
        self.places.iter().find(|place| place.name == name)
    }

    /// The rate of the link up from a place.
    pub(crate) fn up_rate(&self, place: usize) -> Option<Rate> {
        self.rate_at(place, "rate")
    }

    /// The rate of the links down to a place.
    pub(crate) fn down_rate(&self, place: usize) -> Option<Rate> {
        self.rate_at(place, "down_rate")
    }

    fn rate_at(&self, place: usize, key: &str) -> Option<Rate> {
        let own = &self.places[place].settings;
        if own.has(key) { own.rate(key) } else { self.settings.rate(key) }
    }

    /// The errors of what arrives from the sky at a place.
    pub(crate) fn errors(&self, place: usize, report: &mut Report) -> Option<Vec<ErrorParams>> {
        let settings = &self.places[place].settings;
        let Some(Value::Errors(all)) = settings.value("errors") else { return Some(Vec::new()) };
        if let Some(name) = all.iter().find_map(|errors| errors.direction.as_ref()) {
            report
                .error(name.at, format!("{} is no direction of a place", quoted(&name.text)))
                .label("errors of a place are about what arrives there")
                .help("leave `direction` out; for the other direction give `errors` at the other place");
            return None;
        }
        Some(all.iter().map(|errors| errors.params.clone()).collect())
    }

    /// What a satellite is if nothing else is said, and whether it can be.
    fn payload(&mut self, report: &mut Report) -> Result<(), ()> {
        let of_plan = self.read.iter().flat_map(|plan| &plan.settings);
        let is_geostationary = self.kind == "geostationary"
            || of_plan.into_iter().any(|(key, value)| key == "constellation" && value == "geostationary");
        let word = if is_geostationary { "bent-pipe" } else { "regenerative" };
        self.settings.set_default("payload", Value::Word(word), PAYLOAD_SOURCE);
        if self.is_bent_pipe() && (!is_geostationary || self.places.len() != 2) {
            let problem = match is_geostationary {
                true => format!("a bent pipe joins two places, and there are {}", self.places.len()),
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
        match key {
            "satellites" => Some(self.kind),
            "file" if self.settings.has("plan") => Some("plan"),
            "file" => Some(self.kind),
            "stores" => Some(if self.is_bent_pipe() { "false" } else { "true" }),
            "linked" => {
                let is_linked = match self.kind {
                    "geostationary" => false,
                    "plan" => true,
                    _ => self.settings.word("isl") != Some("none"),
                };
                Some(if is_linked { "true" } else { "false" })
            }
            _ => None,
        }
    }

    /// Whether there is one satellite that stores nothing.
    pub(crate) fn is_bent_pipe(&self) -> bool {
        self.settings.word("payload") == Some("bent-pipe") && ["geostationary", "plan"].contains(&self.kind)
    }

    /// The contact plan for packets between these pairs of places, given by their numbers. `None`: wrong, and reported.
    pub(crate) fn plan(&self, pairs: Vec<(usize, usize)>, report: &mut Report) -> Option<Plan> {
        let plan = match (&self.read, &self.setup) {
            (Some(plan), _) => self.check_ways(plan, &pairs, report).then(|| plan.clone())?,
            (None, Some(setup)) => match (Setup { pairs: pairs.clone(), ..setup.clone() }).plan() {
                Ok(plan) => plan,
                Err(error) => {
                    wrong(&error, self.settings.at, "no contact plan", report);
                    return None;
                }
            },
            (None, None) => return None,
        };
        self.warn_of_ways(&plan, &pairs, report);
        Some(plan)
    }

    /// Whether a plan that was read has the ways that are needed.
    fn check_ways(&self, plan: &Plan, pairs: &[(usize, usize)], report: &mut Report) -> bool {
        let mut fine = true;
        for &(a, b) in pairs {
            let (from, to) = (&self.places[a], &self.places[b]);
            let ends = plan.named(&from.name).zip(plan.named(&to.name));
            let has_way = |(a, b)| plan.way(a, b, Time::ZERO).is_some() && plan.way(b, a, Time::ZERO).is_some();
            if !ends.is_some_and(has_way) {
                report
                    .error(
                        self.settings.at("plan"),
                        format!("the plan says nothing of ways between {} and {}", from.name, to.name),
                    )
                    .label("written for other flows")
                    .help("write it again with `ackclock contacts` for a scenario with these flows");
                fine = false;
            }
        }
        fine
    }

    fn setup(&self, context: &Context<'_>, report: &mut Report) -> Result<Option<Setup>, ()> {
        let terminals = self.terminals(report)?;
        if self.kind == "plan" {
            return Ok(None);
        }
        let settings = &self.settings;
        let earth = settings.word("earth").and_then(Earth::named).ok_or(())?;
        let duration = context.duration.ok_or(())?;
        let constellation = self.constellation(&earth, context, report)?;
        if terminals.len() < 2 {
            report
                .error(settings.at, format!("satellites join places, and there {}", is_or_are(terminals.len())))
                .label("needs two places at least")
                .help("add [place] with berkeley = \"37.9 N 122.3 W\" and boston = \"42.3 N 71.1 W\"");
            return Err(());
        }
        let mut setup = Setup::new(earth, constellation, terminals, Time::ZERO + duration);
        setup.time_advance = settings.span("time_advance").ok_or(())?;
        if self.kind != "geostationary" {
            self.rules(&mut setup, report).ok_or(())?;
        }
        self.not_too_large(&setup, report)?;
        Ok(Some(setup))
    }

    fn terminals(&self, report: &mut Report) -> Result<Vec<Terminal>, ()> {
        let mut terminals = Vec::with_capacity(self.places.len());
        for place in &self.places {
            let settings = &place.settings;
            let Some(Value::Position(position)) = settings.value("at") else {
                if !settings.has("at") && self.kind != "plan" {
                    report
                        .error(settings.at, format!("the place {} is nowhere", place.name))
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
        if terminals.len() < self.places.len() && self.kind != "plan" { Err(()) } else { Ok(terminals) }
    }

    fn constellation(&self, earth: &Earth, context: &Context<'_>, report: &mut Report) -> Result<Constellation, ()> {
        let settings = &self.settings;
        match self.kind {
            "geostationary" => {
                let Some(Value::Longitude(longitude)) = settings.value("geostationary") else { return Err(()) };
                GeoSlot::new(earth, *longitude)
                    .and_then(|slot| Constellation::geostationary(SKY, slot))
                    .map_err(|error| wrong(&error, settings.at("geostationary"), "no such slot", report))
            }
            "iridium" => {
                iridium(earth).map_err(|error| wrong(&error, settings.at("constellation"), "impossible", report))
            }
            "walker" => {
                let text = settings.text("constellation").ok_or(())?;
                let walker: Walker = text.parse().expect("that it is one was found out before");
                let altitude_km = metres(settings, "altitude").ok_or(())? / 1e3;
                let perturbation =
                    if settings.flag("j2") == Some(true) { Perturbation::J2 } else { Perturbation::None };
                walker
                    .at_altitude(earth, altitude_km, perturbation)
                    .map_err(|error| wrong(&error, settings.at("altitude"), "no orbit", report))
            }
            _ => self.elements(earth, context, report),
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
        let made = ElementSet::read_all(path, &String::from_utf8_lossy(&bytes))
            .and_then(|sets| propagated(earth, sets, epoch, duration));
        match made {
            Ok((constellation, warnings)) => {
                for warning in warnings {
                    report.warning(at, warning.to_string()).label("old elements");
                }
                Ok(constellation)
            }
            Err(error) => {
                wrong(&error, at, "cannot be used", report);
                Err(())
            }
        }
    }

    /// The rules of links, handover and routes.
    fn rules(&self, setup: &mut Setup, report: &mut Report) -> Option<()> {
        let settings = &self.settings;
        setup.policy = self.policy(report)?;
        setup.terminal_interval = settings.span("check_interval")?;
        setup.isl_interval = setup.terminal_interval;
        setup.jitter = match settings.word("check_jitter")? {
            "none" => Jitter::None,
            _ => Jitter::Half { seed: settings.integer("check_seed")? },
        };
        setup.isl = IslRules {
            pattern: match settings.word("isl")? {
                "none" => IslPattern::None,
                "in-plane" => IslPattern::InPlane,
                "grid" => IslPattern::Grid,
                "grid-nearest" => IslPattern::GridNearest,
                _ => IslPattern::GridAcrossSeam,
            },
            polar_latitude_deg: degrees(settings, "polar_latitude")?,
            grazing_margin_km: metres(settings, "grazing_margin")? / 1e3,
            seam_longitude_deg: degrees(settings, "seam_longitude")?,
        };
        setup.routing = match settings.word("routing")? {
            "at-change" => Routing::AtChange { after: settings.span("routing_delay")? },
            _ => Routing::Every(settings.span("routing_interval")?),
        };
        setup.ttl = u8::try_from(settings.integer("ttl")?).ok()?;
        let linked = setup.isl.pattern != IslPattern::None;
        if linked && setup.constellation.planes().is_empty() {
            report
                .error(settings.at("isl"), "links between satellites need to know which of them fly in a plane")
                .label("element sets do not say")
                .help("use a constellation of planes, or isl = \"none\"");
            return None;
        }
        setup.access = Access::Independent;
        if !linked && setup.terminals.len() != 2 {
            report
                .error(settings.at("isl").or(settings.at), "satellites that are not linked join two places")
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
        let times = |interval: Span| setup.end.as_ps() / interval.as_ps().max(1) + 1;
        let (satellites, places) = (setup.constellation.satellites().len() as u64, setup.terminals.len() as u64);
        let routes = if let Routing::Every(interval) = setup.routing { times(interval) } else { 0 };
        let checks = match setup.policy {
            // Each place finds the ways from all satellites twice, which takes for each of them as long as two looks.
            HandoverPolicy::LeastDelay { .. } => places * times(setup.terminal_interval) * 4,
            _ => times(setup.terminal_interval),
        };
        let each = places * times(PASS_STEP) + checks + routes;
        let looks = satellites.saturating_mul(each);
        if looks <= MOST_LOOKS {
            return Ok(());
        }
        report
            .error(self.settings.at, format!("the contact plan takes {looks} looks at satellites"))
            .label(format!("at most {MOST_LOOKS}"))
            .help("make the run shorter, the intervals longer, or the constellation smaller");
        Err(())
    }

    fn policy(&self, report: &mut Report) -> Option<HandoverPolicy> {
        let word = self.settings.word("handover")?;
        let hysteresis = self.settings.quantity("hysteresis");
        let in_dimension = |dimension: Dimension| match hysteresis {
            None => Some(0.0),
            Some(Quantity { dimension: found, amount }) if found == dimension => Some(amount as f64),
            Some(_) => None,
        };
        let (policy, expected) = match word {
            "sticky" => return Some(HandoverPolicy::Sticky),
            "least-delay" => {
                let policy = |ps: f64| HandoverPolicy::LeastDelay { hysteresis_s: ps / 1e12 };
                (in_dimension(Dimension::Time).map(policy), "a time, as in \"1 ms\"")
            }
            "max-elevation" => {
                let policy = |udeg: f64| HandoverPolicy::MaxElevation { hysteresis_deg: udeg / 1e6 };
                (in_dimension(Dimension::Angle).map(policy), "an angle, as in \"5 deg\"")
            }
            _ => {
                let policy = |ps: f64| HandoverPolicy::MaxRemainingTime { hysteresis_s: ps / 1e12 };
                (in_dimension(Dimension::Time).map(policy), "a time, as in \"30 s\"")
            }
        };
        if policy.is_none() {
            report
                .error(self.settings.at("hysteresis"), format!("`hysteresis` does not fit handover = {word:?}"))
                .label(format!("expected {expected}"));
        }
        policy
    }

    /// The plan that is to be read; it has to be that of the other keys, if there are any.
    fn plan_file(&mut self, context: &Context<'_>, report: &mut Report) -> Result<Option<Plan>, ()> {
        let Some(path) = self.settings.text("plan").map(str::to_owned) else {
            if let Some(elements) = self.settings.text("elements") {
                // It could be read a moment ago.
                let bytes = context.source.read_referenced(elements).map_err(drop)?;
                self.check_digest(blake3::hash(&bytes).to_hex().to_string(), report)?;
            }
            return Ok(None);
        };
        let at = self.settings.at("plan");
        let (plan, digest) = context.source.plan(&path).map_err(|error| {
            report.error(at, error.problem).label("no contact plan").help(error.help);
        })?;
        self.check_digest(digest, report)?;
        let duration = context.duration.ok_or(())?;
        if plan.end < Time::ZERO + duration {
            let (end, duration) = (plan.end.as_secs_f64(), duration.as_secs_f64());
            report
                .error(at, format!("the plan ends at {end} s, the run lasts {duration} s"))
                .label("too short")
                .help("write it again for a run of this length, or make the run shorter");
            return Err(());
        }
        if let Some(setup) = &self.setup {
            let (ours, theirs) = (setup.settings(), &plan.settings);
            let ends = plan.end == setup.end || ours != *theirs;
            let differs = ours.iter().zip(theirs).find(|(ours, theirs)| ours != theirs);
            if let Some(((key, ours), (_, theirs))) = differs.filter(|_| ends) {
                report
                    .error(at, format!("the plan was made with {key} {theirs}, and the scenario says {ours}"))
                    .label("another plan")
                    .help("write the plan again, or leave out the keys that it was made from");
                return Err(());
            }
        }
        // What happens after the run must not change anything in it.
        let plan = plan.cut(Time::ZERO + duration);
        self.only_known_places(&plan, report)?;
        if self.places.is_empty() {
            let terminals = plan.nodes.iter().filter(|node| node.kind == NodeKind::Terminal);
            let settings = Settings::resolve(Section::Place, &[]);
            let place = |name: &String| GroundPlace { name: name.clone(), at: None, settings: settings.clone() };
            self.places = terminals.map(|node| place(&node.name)).collect();
            self.places.sort_by(|a, b| natural(&a.name, &b.name));
        }
        Ok(Some(plan))
    }

    fn only_known_places(&self, plan: &Plan, report: &mut Report) -> Result<(), ()> {
        let terminals: Vec<&str> =
            plan.nodes.iter().filter(|node| node.kind == NodeKind::Terminal).map(|node| node.name.as_str()).collect();
        if let Some(place) = self.places.iter().find(|place| !terminals.contains(&place.name.as_str())) {
            let near = suggest::nearest(&place.name, terminals.iter().copied());
            report
                .error(place.at, format!("the plan has no place {}", quoted(&place.name)))
                .label(format!("places of the plan: {}", terminals.join(", ")))
                .help_if(near.map(|near| format!("did you mean \"{near}\"?")));
            return Err(());
        }
        Ok(())
    }

    /// Makes sure that a file is the one that was meant, or says from now on which it is.
    fn check_digest(&mut self, digest: String, report: &mut Report) -> Result<(), ()> {
        match self.settings.text("digest") {
            Some(meant) if meant != digest => {
                report
                    .error(self.settings.at("digest"), "the file is not the one that was meant: it has another digest")
                    .label(format!("it is {digest}"))
                    .help("put the file back, or leave `digest` out if the change is meant");
                Err(())
            }
            _ => {
                self.settings.set_default("digest", Value::Text(digest), "BLAKE3");
                Ok(())
            }
        }
    }
}

/// Which satellites these are.
fn kind(settings: &Settings, at: At, report: &mut Report) -> Option<&'static str> {
    let given: Vec<&'static str> = SOURCES.into_iter().filter(|key| settings.has(key)).collect();
    match given[..] {
        ["constellation"] if settings.text("constellation") == Some("iridium") => Some("iridium"),
        ["constellation"] => {
            let text = settings.text("constellation")?;
            if let Err(error) = text.parse::<Walker>() {
                unknown_constellation(text, &error, settings.at("constellation"), report);
                return None;
            }
            Some("walker")
        }
        ["geostationary"] => Some("geostationary"),
        ["elements"] => Some("elements"),
        [] if settings.has("plan") => Some("plan"),
        [] => {
            report.error(at, "it is not said which satellites these are").label("needs one more key").help(
                "add constellation = \"iridium\", or constellation = \"86.4:66/6/2\" and `altitude`, or \
                 geostationary = \"95 W\", or elements = \"FILE\", or plan = \"FOLDER\"",
            );
            None
        }
        [first, second, ..] => {
            report
                .error(settings.at(second), format!("`{first}` and `{second}` say different satellites"))
                .label("contradicts another key")
                .help("leave all but one of them out");
            None
        }
        [_] => unreachable!("all sources are listed"),
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
            settings.rewrite(key, Value::Text(source.absolute(&path)));
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

fn unknown_constellation(text: &str, error: &SatError, at: Option<At>, report: &mut Report) {
    let near = suggest::nearest(text, ["iridium"]).map(|near| format!("did you mean \"{near}\"?"));
    report.error(at, error.to_string()).label("no constellation").help(near.unwrap_or_else(|| error.help()));
}

fn wrong(error: &SatError, at: Option<At>, label: &str, report: &mut Report) {
    report.error(at, error.to_string()).label(label).help(error.help());
}

fn is_or_are(count: usize) -> &'static str {
    if count == 0 { "is none" } else { "is only one" }
}

fn angle(udeg: u64) -> Value {
    Value::Quantity(Quantity { dimension: Dimension::Angle, amount: udeg })
}

fn degrees(settings: &Settings, key: &str) -> Option<f64> {
    settings.amount(key).map(|udeg| udeg as f64 / 1e6)
}

fn metres(settings: &Settings, key: &str) -> Option<f64> {
    settings.amount(key).map(|metres| metres as f64)
}

/// What says which satellites there are; a plan may come with them, or alone.
const SOURCES: [&str; 3] = ["constellation", "geostationary", "elements"];
/// Plans of more looks would take many seconds.
const MOST_LOOKS: u64 = 20_000_000;
/// How often it is looked for satellites that rise and set.
const PASS_STEP: Span = Span::from_secs(10);
/// Where the default of `payload` comes from.
const PAYLOAD_SOURCE: &str = "[VEGAS-A] \u{a7}4.2.2; inferred";
/// The name of a geostationary satellite, and of whatever a terminal sends up to.
pub(crate) const SKY: &str = "sky";
