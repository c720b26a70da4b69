//! Arrivals of files: each table [arrivals.NAME] is a list of flows, drawn before anything else is known of them. They differ in start and
//! size only, so what else is said of them is kept once.

use ackclock::keys::Value;
use ackclock::law::Law;
use ackclock::rng::Stream;
use ackclock::units::{Span, Time};

use crate::document::{Document, File, Files, Named};
use crate::keys::Section;
use crate::mechanisms::GivenTables;
use crate::settings::{Given, Settings};
use crate::text::diagnostic::Report;
use crate::value::FileValue;

/// Draws the files that arrive by the tables of a document; everything wrong is reported.
pub(crate) fn expand(document: &mut Document, report: &mut Report) {
    let duration = document.top.value("duration").and_then(FileValue::quantity).map(|time| Span::from_ps(time.amount));
    let mut all: Vec<Files> = Vec::new();
    for named in &document.arrivals {
        let settings = Settings::resolve(Section::Arrivals, &[&named.given]);
        settings.require(&format!("[arrivals.{}]", named.name), &|_| None, report);
        if let Some(arrivals) = Arrivals::read(named, &settings, duration, report) {
            let others = all.iter().map(|files| files.files.len() as u64).sum();
            all.extend(arrivals.files(named, &settings, others, report));
        }
    }
    let taken = document.flows.iter().find(|flow| all.iter().any(|files: &Files| files.has(&flow.name)));
    if let Some(Named { name, at, .. }) = taken {
        report
            .error(*at, format!("there is a flow {name} among those of [arrivals] already"))
            .label("name is taken")
            .help("give one of both another name");
    }
    document.files = all;
}

/// What a table says.
struct Arrivals {
    interval: Law,
    size: Law,
    start: Time,
    until: Time,
    most: Option<u64>,
    /// Of the instants, and of the sizes.
    draws: [Stream; 2],
}

impl Arrivals {
    fn read(named: &Named, settings: &Settings, duration: Option<Span>, report: &mut Report) -> Option<Arrivals> {
        let law = |key: &str, report: &mut Report| {
            let FileValue::Setting(setting) = settings.value(key)? else { return None };
            let law = Law::read(setting).ok()?;
            // Without a mean nobody knows how many come, and how much.
            if law.mean().is_none() {
                report
                    .error(settings.at(key), format!("the amounts of `{key}` have no mean"))
                    .label("a law with a mean: of Pareto a shape above 1, or with `most`");
                return None;
            }
            Some(law)
        };
        let (interval, size) = (law("interval", report), law("size", report));
        if named.name.len() > LONGEST_NAME {
            report
                .error(named.at, format!("the name of [arrivals.{}] is too long for those of its flows", named.name))
                .label(format!("at most {LONGEST_NAME} letters"));
            return None;
        }
        let start = Time::ZERO + settings.span("start")?;
        let until = settings.choice_or("until", &[("never", None)], || settings.span("until").map(Some))?;
        let end = Time::ZERO + duration?;
        let most = settings.choice_or("most", &[("any", None)], || settings.integer("most").map(Some))?;
        let seed = settings.integer("draws")?;
        Some(Arrivals {
            interval: interval?,
            size: size?,
            start,
            until: until.map_or(end, |until| (Time::ZERO + until).min(end)),
            most,
            draws: ["arrivals", "sizes"].map(|purpose| Stream::new(seed, &named.name, purpose)),
        })
    }

    /// The files of the table `named`, if there are any; other tables have `others` already.
    fn files(&self, named: &Named, settings: &Settings, others: u64, report: &mut Report) -> Option<Files> {
        let files = self.drawn(named, settings, others, report)?;
        let Some(&File { start, size }) = files.first() else {
            report
                .warning(named.at, format!("no file arrives by [arrivals.{}]", named.name))
                .label("the first one would come when the run is over")
                .help("let them come more often, or make the run longer");
            return None;
        };
        let end = |key: &str| settings.text(key).map(|text| FileValue::Text(text.to_owned()));
        let values = [
            ("from", end("from")?),
            ("to", end("to")?),
            ("group", FileValue::Text(named.name.clone())),
            ("start", Value::time(start.since(Time::ZERO)).into()),
            ("size", Value::bytes(size).into()),
        ];
        let mechanisms = Section::Flow.chooses().map_or(0, |chooses| chooses.mechanisms.len());
        let of_each = Named {
            name: named.name.clone(),
            at: named.at,
            given: Given::made(named.at, values),
            mechanisms: (0..mechanisms).map(|_| Given::default()).collect(),
            abr: Given::default(),
            tcp: GivenTables::default(),
        };
        Some(Files { of_each, files })
    }

    /// When they begin and how large they are, in the order in which they begin.
    fn drawn(&self, named: &Named, settings: &Settings, others: u64, report: &mut Report) -> Option<Vec<File>> {
        let mut files = Vec::new();
        let mut now = self.start;
        for number in 0..self.most.unwrap_or(u64::MAX) {
            now = now.saturating_add(self.interval.span(self.draws[0], number));
            if now >= self.until {
                break;
            }
            // All tables together: a run holds what all of them draw.
            if others + number == MOST_FLOWS {
                let (before, label) = match others {
                    0 => (String::new(), "more than a run can hold".to_owned()),
                    _ => (
                        " and other tables".to_owned(),
                        format!("{others} of them by the others: more than a run can hold"),
                    ),
                };
                report
                    .error(
                        settings.at("interval"),
                        format!("more than {MOST_FLOWS} files arrive by [arrivals.{}]{before}", named.name),
                    )
                    .label(label)
                    .help("let fewer come (`interval`, `most`), or end them earlier (`until`)");
                return None;
            }
            files.push(File { start: now, size: self.size.bytes(self.draws[1], number) });
        }
        files.shrink_to_fit();
        Some(files)
    }
}

/// More flows are a burden for everything that lists them.
const MOST_FLOWS: u64 = 1_000_000;
/// Flows are called after their table, with a number.
const LONGEST_NAME: usize = 57;
