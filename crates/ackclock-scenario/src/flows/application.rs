//! The application of a flow: which one, and its parameters.

use ackclock::keys::{Dimension, Setting, Value};
use ackclock::tcp::application::{Bulk, Description, Mechanism, Writes};
use ackclock::tcp::{ApplicationParams, OutOfOrder, ReadingParams, TcpParams};
use ackclock::units::{Rate, Span, Time};

use crate::document::{Document, Named};
use crate::keys::outside::Outside;
use crate::keys::{Section, applications};
use crate::mechanisms::{self, GivenTables, Tables};
use crate::settings::{Given, Settings, warn_unused};
use crate::text::diagnostic::Report;
use crate::value::FileValue;

/// What holds in [traffic].
pub(crate) fn of_traffic(document: &Document) -> Tables {
    let GivenTables { own, mechanisms } = &document.traffic;
    settings(Section::Traffic, &[own], &[mechanisms], &[])
}

/// What holds for a flow, its TCP and its service left out: its own table, then [traffic].
pub(crate) fn of_flow(document: &Document, table: Option<&Named>) -> Tables {
    let GivenTables { own, mechanisms } = &document.traffic;
    match table {
        None => settings(Section::Flow, &[own], &[mechanisms], &[&document.atm]),
        Some(named) => {
            settings(Section::Flow, &[&named.given, own], &[&named.mechanisms, mechanisms], &[&document.atm])
        }
    }
}

/// What `layers` say, then `others`. The first of `layers` that names an application decides, or that says what is written at a
/// time: then writing is what is meant, or not.
fn settings(section: Section, layers: &[&Given], mechanisms: &[&[Given]], others: &[&Given]) -> Tables {
    let mut settings = Settings::resolve(section, &[layers, others].concat());
    let deciding = layers.iter().find(|given| [KEY, WRITE].iter().any(|key| given.key_at(key).is_some()));
    match deciding {
        None => settings.set_default(KEY, Value::Word(Bulk::NAME), SOURCE),
        Some(given) if given.key_at(KEY).is_some() => {}
        Some(given) => match given.value(WRITE) {
            // What is wrong is reported, and may mean either.
            None => {}
            Some(write) if write.word().is_some() => settings.imply(KEY, Value::Word(Bulk::NAME), IMPLIED),
            Some(_) => settings.imply(KEY, Value::Word(Writes::NAME), IMPLIED),
        },
    }
    let of_application = if section == Section::Traffic { Section::Application } else { Section::FlowApplication };
    Tables::resolve(settings, applications(), of_application, mechanisms).with_derived()
}

/// The application of a flow whose segments have so many bytes; `None`: wrong, and reported.
pub(super) fn params(tables: &Tables, mss: u32, outside: &Outside, report: &mut Report) -> Option<ApplicationParams> {
    let word = tables.own.word(KEY)?;
    if let Some(custom) = outside.application(word) {
        return Some(custom);
    }
    let application = Description::named(word)?;
    if application.name == Writes::NAME {
        whole_segments(&tables.own, u64::from(mss), report)?;
    }
    let table = if application.has_table { tables.chosen(KEY) } else { Some(&tables.own) };
    let params = (application.params)(&mechanisms::values(application.keys, table)?, mss);
    mechanisms::reported(params, tables, KEY, report)
}

/// How fast the application of the receiver reads; `None`: at once, or wrong and reported.
pub(super) fn reading(settings: &Settings) -> Option<ReadingParams> {
    let rates = match settings.value("reads")? {
        FileValue::Schedule(schedule) => schedule.points().map(|(at, bps)| (at, Rate::from_bps(bps))).collect(),
        _ => vec![(Time::ZERO, Rate::from_bps(settings.quantity("reads")?.amount))],
    };
    Some(ReadingParams { rates })
}

/// When the receiver discards what it holds beyond a hole; what is wrong is reported elsewhere.
pub(super) fn reneges_at(settings: &Settings) -> Vec<Time> {
    match settings.value("reneges_at") {
        Some(FileValue::Setting(Setting::Amounts(instants))) => {
            instants.iter().map(|instant| Time::from_ps(instant.amount)).collect()
        }
        _ => Vec::new(),
    }
}

/// Warns of instants at which the receiver has nothing to discard.
pub(super) fn check_reneging(settings: &Settings, tcp: &TcpParams, duration: Span, report: &mut Report) {
    let Some(at) = settings.at("reneges_at").filter(|_| !tcp.reneges_at.is_empty()) else { return };
    if tcp.out_of_order == OutOfOrder::Discard {
        report
            .warning(Some(at), "`reneges_at` changes nothing: the receiver holds nothing beyond a hole")
            .label("with `out_of_order` \"discard\"")
            .help("leave it out, or let out_of_order = \"buffer\" in [tcp]");
    } else if tcp.reneges_at.iter().any(|&instant| instant >= Time::ZERO + duration) {
        report
            .warning(Some(at), "the receiver discards data when the run is over")
            .label("not before the end of `duration`")
            .help("let it be earlier, or make the run longer");
    }
}

/// Whether there is something that is written at a time, and fills segments of so many bytes; else it is said what would.
fn whole_segments(settings: &Settings, mss: u64, report: &mut Report) -> Option<()> {
    if settings.word(WRITE).is_some() {
        report
            .error(settings.at(KEY).or(settings.at(WRITE)), format!("{:?} needs the size of a `{WRITE}`", Writes::NAME))
            .label(format!("`{WRITE}` is \"all\""))
            .help(format!("add {WRITE} = \"2 segments\" (what is written at a time), or leave `{KEY}` out"));
        return None;
    }
    let piece = settings.quantity(WRITE).filter(|piece| piece.dimension == Dimension::Size);
    let Some(bytes) = piece.map(|piece| piece.amount).filter(|bytes| !bytes.is_multiple_of(mss)) else {
        return Some(());
    };
    let nearest = bytes.div_ceil(mss) * mss;
    report
        .error(settings.at(WRITE), format!("`write` is {bytes} B, not a whole number of segments of {mss} B"))
        .label(format!("as {nearest} B are"))
        .help(format!("write \"{nearest} B\", or \"{} segments\"; or change `mss` in [tcp]", nearest / mss));
    None
}

/// Reports tables that name one application and describe another, and warns about keys of flows without effect.
pub(crate) fn check(document: &Document, technology: Option<&'static str>, report: &mut Report) {
    // Keys of cells are errors on packet networks.
    let context = |key: &str| technology.filter(|word| key == "technology" && *word == "atm");
    let of_flows: Vec<Tables> = document.tables_of_flows().map(|named| of_flow(document, Some(named))).collect();
    for (named, tables) in document.tables_of_flows().zip(&of_flows) {
        if is_contradictory(&named.given, report) {
            continue;
        }
        warn_unused(&named.given, Section::Flow, &[&tables.own], &context, report);
        mechanisms::warn(&named.mechanisms, Section::FlowApplication, &[tables], report);
    }
    if is_contradictory(&document.traffic.own, report) {
        return;
    }
    let general = of_traffic(document);
    let everywhere: Vec<&Tables> = [&general].into_iter().chain(&of_flows).collect();
    let own: Vec<&Settings> = everywhere.iter().map(|tables| &tables.own).collect();
    warn_unused(&document.traffic.own, Section::Traffic, &own, &context, report);
    mechanisms::warn(&document.traffic.mechanisms, Section::Application, &everywhere, report);
}

/// Whether a table names one application and says what another one writes at a time, which is reported.
fn is_contradictory(given: &Given, report: &mut Report) -> bool {
    let named = given.value(KEY).and_then(|word| word.word()).filter(|name| *name != Writes::NAME);
    let writes = given.value(WRITE).is_some_and(|write| write.word().is_none());
    if let Some(application) = named.filter(|_| writes) {
        report
            .error(given.key_at(WRITE), format!("`{WRITE}` does not go with `{KEY}` {application:?}"))
            .label(format!("only with {:?}", Writes::NAME))
            .help(format!("leave `{WRITE}` out, or let it be \"all\"; or write {KEY} = {:?}", Writes::NAME));
    }
    named.is_some() && writes
}

const KEY: &str = "application";
const WRITE: &str = "write";
const SOURCE: &str = "[SACK-UBR] §6.1: infinite transfer";
const IMPLIED: &str = "what `write` says";
