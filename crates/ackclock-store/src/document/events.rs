//! What happens to the network at instants that are known before the run: handovers, links that come up and go down, routes
//! that are found, lost and changed. In the document, as a table, and as marks in every plot over time.

#![allow(missing_docs)] // The names of the fields are the keys of the document, and say what they are.

use std::io;

use ackclock::scenario::{Event, EventKind};
use ackclock_columns::{Kind, Values};
use serde::{Deserialize, Serialize};

/// One event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventPart {
    pub time_s: f64,
    /// The time of the event, exact, picoseconds.
    pub time_ps: u64,
    /// `acquired`, `handover`, `lost`, `link-up`, `link-down`, `route-found`, `route-lost` or `route-changed`.
    pub kind: String,
    /// Of a handover the terminal; of a link its first node, of a route its source.
    pub node: String,
    /// The other node before; of a route its destination; of one that changes the nodes of its path.
    pub before: Option<String>,
    /// And after.
    pub after: Option<String>,
}

/// The name of the table of events in a result folder.
pub const FILE: &str = "events.parquet";

impl From<&Event> for EventPart {
    fn from(event: &Event) -> EventPart {
        EventPart {
            time_s: event.time.as_secs_f64(),
            time_ps: event.time.as_ps(),
            kind: event.kind.name().into(),
            node: event.node.clone(),
            before: event.before.clone(),
            after: event.after.clone(),
        }
    }
}

impl EventPart {
    /// Whether it is about a terminal or a route, and not about one of many links between satellites.
    pub fn is_of_end(&self) -> bool {
        ![EventKind::LinkUp, EventKind::LinkDown].iter().any(|kind| kind.name() == self.kind)
    }

    /// A few words for a plot: `boston: 5.4 to 5.3`.
    pub fn label(&self) -> String {
        let name = |node: &Option<String>| node.clone().unwrap_or_default();
        let (before, after) = (name(&self.before), name(&self.after));
        match self.kind.as_str() {
            "handover" => format!("{}: {before} to {after}", self.node),
            "acquired" => format!("{}: {after}", self.node),
            "lost" => format!("{}: {before} lost", self.node),
            "link-up" => format!("{}-{after} up", self.node),
            "link-down" => format!("{}-{before} down", self.node),
            "route-found" => format!("route {} to {after}", self.node),
            "route-changed" => {
                format!("route {} to {} changes", self.node, after.rsplit(' ').next().unwrap_or_default())
            }
            _ => format!("no route {} to {before}", self.node),
        }
    }
}

/// Writes the events of the scenario of this hash as a Parquet file, which has reached the disk when this returns.
///
/// # Errors
/// If the file cannot be written: no room, no permission.
pub fn write(file: impl io::Write + Send, events: &[EventPart], scenario_hash: &str) -> io::Result<()> {
    let columns = COLUMNS.map(|(name, kind, _)| (name, kind));
    let mut metadata = vec![
        ("format".to_owned(), "ackclock-events".to_owned()),
        ("format_version".into(), "1".into()),
        ("version".into(), env!("CARGO_PKG_VERSION").into()),
        ("scenario_hash".into(), scenario_hash.to_owned()),
    ];
    for (name, kind, about) in COLUMNS {
        metadata.push((format!("column.{name}.unit"), if kind == Kind::Time { "ps".into() } else { String::new() }));
        metadata.push((format!("column.{name}.about"), about.into()));
    }
    let text = |of: fn(&EventPart) -> &str| Values::Text(events.iter().map(of).collect());
    ackclock_columns::write(file, "events", &columns, metadata, usize::from(!events.is_empty()), |_, column| {
        match column {
            0 => Values::Time(events.iter().map(|event| event.time_ps).collect()),
            1 => text(|event| &event.kind),
            2 => text(|event| &event.node),
            3 => text(|event| event.before.as_deref().unwrap_or_default()),
            _ => text(|event| event.after.as_deref().unwrap_or_default()),
        }
    })
    .map_err(ackclock_columns::cause)
}

const COLUMNS: [(&str, Kind, &str); 5] = [
    ("time_ps", Kind::Time, "When."),
    ("kind", Kind::Text, "acquired, handover, lost, link-up, link-down, route-found, route-lost or route-changed."),
    ("node", Kind::Text, "Of a handover the terminal; of a link or a route, its beginning."),
    (
        "before",
        Kind::Text,
        "The other node before the event; of a route, its end; of one that changes, its path; empty if there was none.",
    ),
    (
        "after",
        Kind::Text,
        "The other node after the event; of a route, its end; of one that changes, its path; empty if there is none.",
    ),
];

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use ackclock_columns::Rows;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    #[test]
    fn labels_say_what_happened_in_a_few_words() {
        let event = |kind: EventKind, before: Option<&str>, after: Option<&str>| EventPart {
            time_s: 390.0,
            time_ps: 390_000_000_000_000,
            kind: kind.name().into(),
            node: "a".into(),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
        };
        let labels = [
            event(EventKind::Acquired, None, Some("1.2")),
            event(EventKind::Handover, Some("1.2"), Some("1.1")),
            event(EventKind::Lost, Some("1.1"), None),
            event(EventKind::LinkUp, None, Some("b")),
            event(EventKind::LinkDown, Some("b"), None),
            event(EventKind::RouteFound, None, Some("c")),
            event(EventKind::RouteLost, Some("c"), None),
            event(EventKind::RouteChanged, Some("a > d > c"), Some("a > e > c")),
        ];
        let labels: Vec<String> = labels.iter().map(EventPart::label).collect();
        let expected = [
            "a: 1.2",
            "a: 1.2 to 1.1",
            "a: 1.1 lost",
            "a-b up",
            "a-b down",
            "route a to c",
            "no route a to c",
            "route a to c changes",
        ];
        assert_eq!(labels, expected);
    }

    #[test]
    fn the_table_holds_every_event_with_units() {
        let path = std::env::temp_dir().join(format!("ackclock-events-{}.parquet", std::process::id()));
        let events = [EventPart {
            time_s: 390.0,
            time_ps: 390_000_000_000_000,
            kind: "handover".into(),
            node: "boston".into(),
            before: Some("5.4".into()),
            after: Some("5.3".into()),
        }];
        write(File::create(&path).unwrap(), &events, "0123").unwrap();
        let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        let mut rows = Rows::new(&reader);
        assert_eq!(rows.times().unwrap(), [390_000_000_000_000]);
        let texts: Vec<String> =
            (0..4).map(|_| String::from_utf8(rows.texts().unwrap()[0].data().to_vec()).unwrap()).collect();
        assert_eq!(texts, ["handover", "boston", "5.4", "5.3"]);
        let metadata = reader.metadata().file_metadata().key_value_metadata().unwrap();
        assert!(metadata.iter().any(|pair| pair.key == "ackclock.column.time_ps.unit"));
        std::fs::remove_file(path).unwrap();
    }
}
