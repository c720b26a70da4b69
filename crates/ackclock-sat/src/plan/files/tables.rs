//! The tables of a plan: columns with units and meanings, and the conversion of rows to values and back.

use std::collections::BTreeMap;
use std::fs::File;

use ackclock::units::{Span, Time};
use ackclock_columns::Kind;
use ackclock_columns::{Rows, Values, wrong};
use parquet::errors::ParquetError;
use parquet::file::reader::SerializedFileReader;

use super::FORMAT_VERSION;
use crate::delay_curve::DelayCurve;
use crate::plan::{
    Contact, Event, EventKind, Gap, Hop, Link, LinkKind, Node, NodeId, NodeKind, Plan, Reason, Route, RoutePath,
};

pub(super) struct Table {
    pub name: &'static str,
    about: &'static str,
    pub columns: &'static [Column],
    /// The values of all columns, each with the number of rows.
    pub values: for<'a> fn(&'a Plan) -> Vec<(usize, Values<'a>)>,
    /// Puts the rows into a plan that has the tables before this one.
    pub read: fn(&mut Plan, &SerializedFileReader<File>) -> Result<(), ParquetError>,
}

pub(super) struct Column {
    pub name: &'static str,
    pub kind: Kind,
    about: &'static str,
}

impl Table {
    pub fn file_name(&self) -> String {
        format!("{}.parquet", self.name)
    }

    pub fn metadata(&self) -> Vec<(String, String)> {
        let mut metadata = vec![
            ("format".into(), "ackclock-plan".into()),
            ("format_version".into(), FORMAT_VERSION.to_string()),
            ("version".into(), env!("CARGO_PKG_VERSION").into()),
            ("table".into(), self.name.into()),
            ("about".into(), self.about.into()),
        ];
        for column in self.columns {
            let unit = if column.kind == Kind::Time { "ps" } else { "" };
            metadata.push((format!("column.{}.unit", column.name), unit.into()));
            metadata.push((format!("column.{}.about", column.name), column.about.into()));
        }
        metadata
    }
}

/// All tables, in the order in which they are read.
pub(super) const TABLES: [Table; 6] = [
    Table {
        name: "nodes",
        about: "Satellites, then terminals.",
        columns: &[text("name", "Its name; no two have the same."), text("kind", "satellite or terminal.")],
        values: |plan| {
            columns([
                Values::Text(plan.nodes.iter().map(|node| node.name.as_str()).collect()),
                Values::Text(plan.nodes.iter().map(|node| node.kind.name()).collect()),
            ])
        },
        read: read_nodes,
    },
    Table {
        name: "contacts",
        about: "Who sees whom: a terminal a satellite above its mask, two satellites as their checks find it.",
        columns: &[
            text("a", "A satellite."),
            text("b", "Another satellite, or a terminal."),
            text("kind", "The link that they can have: access, in-plane, cross-plane, cross-seam."),
            time("from_ps", "Since when; 0 if since before the start."),
            time("to_ps", "Until when; the end of the plan if longer."),
        ],
        values: |plan| {
            let contacts = || plan.contacts.iter();
            columns([
                names(plan, contacts().map(|contact| contact.a)),
                names(plan, contacts().map(|contact| contact.b)),
                Values::Text(contacts().map(|contact| contact.kind.name()).collect()),
                Values::Time(contacts().map(|contact| contact.from.as_ps()).collect()),
                Values::Time(contacts().map(|contact| contact.to.as_ps()).collect()),
            ])
        },
        read: read_contacts,
    },
    Table {
        name: "delays",
        about: "One-way delays of the links that packets can be on; between two rows of a link they lie on a line.",
        columns: &[
            Column {
                name: "link",
                kind: Kind::Count,
                about: "Rows with the same number are one link without a break.",
            },
            text("a", "A satellite."),
            text("b", "Another satellite, or a terminal; both directions have the same delay."),
            text("kind", "access, in-plane, cross-plane or cross-seam."),
            time("time_ps", "When a packet leaves."),
            time("delay_ps", "How long its first bit takes."),
        ],
        values: delay_values,
        read: read_delays,
    },
    Table {
        name: "hops",
        about: "Where a node sends what is for a destination, until the next row of the same two.",
        columns: &[
            time("time_ps", "From when on."),
            text("destination", "A terminal."),
            text("node", "The node."),
            text("next", "The next node; empty if there is none."),
        ],
        values: |plan| {
            let hops = || plan.hops.iter();
            columns([
                Values::Time(hops().map(|hop| hop.time.as_ps()).collect()),
                names(plan, hops().map(|hop| hop.destination)),
                names(plan, hops().map(|hop| hop.node)),
                names_or_none(plan, hops().map(|hop| hop.next)),
            ])
        },
        read: read_hops,
    },
    Table {
        name: "routes",
        about: "The path from one terminal to another, until the next row of the same two.",
        columns: &[
            time("time_ps", "From when on."),
            text("from", "A terminal."),
            text("to", "A terminal."),
            Column { name: "hop", kind: Kind::Count, about: "The place of the node on the path, from 0." },
            text("node", "A node of the path; without a path the terminal that has no satellite, if that is why."),
            text("gap", "Why there is no path; empty if there is one."),
        ],
        values: route_values,
        read: read_routes,
    },
    Table {
        name: "events",
        about: "What happened to links, and why.",
        columns: &[
            time("time_ps", "When."),
            text("kind", "acquired, handover, lost, isl-up, isl-down."),
            text("node", "Whose link; of two satellites the one that comes first."),
            text("before", "With whom it had a link; empty if with nobody."),
            text("after", "With whom it has one; empty if with nobody."),
            text("reason", "Why."),
        ],
        values: |plan| {
            let events = || plan.events.iter();
            columns([
                Values::Time(events().map(|event| event.time.as_ps()).collect()),
                Values::Text(events().map(|event| event.kind.name()).collect()),
                names(plan, events().map(|event| event.node)),
                names_or_none(plan, events().map(|event| event.before)),
                names_or_none(plan, events().map(|event| event.after)),
                Values::Text(events().map(|event| event.reason.name()).collect()),
            ])
        },
        read: read_events,
    },
];

const fn text(name: &'static str, about: &'static str) -> Column {
    Column { name, kind: Kind::Text, about }
}

const fn time(name: &'static str, about: &'static str) -> Column {
    Column { name, kind: Kind::Time, about }
}

/// Columns with their number of rows.
fn columns<'a, const N: usize>(values: [Values<'a>; N]) -> Vec<(usize, Values<'a>)> {
    values.into_iter().map(|values| (values.rows(), values)).collect()
}

fn names<'a>(plan: &'a Plan, nodes: impl Iterator<Item = NodeId>) -> Values<'a> {
    Values::Text(nodes.map(|node| plan.nodes[node].name.as_str()).collect())
}

fn names_or_none<'a>(plan: &'a Plan, nodes: impl Iterator<Item = Option<NodeId>>) -> Values<'a> {
    Values::Text(nodes.map(|node| node.map_or("", |node| plan.nodes[node].name.as_str())).collect())
}

fn delay_values(plan: &Plan) -> Vec<(usize, Values<'_>)> {
    let rows = || {
        let links = plan.links.iter().enumerate();
        links.flat_map(|(index, link)| link.delay_curve.points().iter().map(move |point| (index, link, point)))
    };
    columns([
        Values::Count(rows().map(|(index, ..)| index as u32).collect()),
        names(plan, rows().map(|(_, link, _)| link.a)),
        names(plan, rows().map(|(_, link, _)| link.b)),
        Values::Text(rows().map(|(_, link, _)| link.kind.name()).collect()),
        Values::Time(rows().map(|(.., (time, _))| time.as_ps()).collect()),
        Values::Time(rows().map(|(.., (_, delay))| delay.as_ps()).collect()),
    ])
}

/// A row for each node of a path, or a single one that says why there is none.
fn route_values(plan: &Plan) -> Vec<(usize, Values<'_>)> {
    let mut rows: Vec<(&Route, usize, Option<NodeId>, &'static str)> = Vec::new();
    for route in &plan.routes {
        match &route.path {
            RoutePath::Through(nodes) => {
                rows.extend(nodes.iter().enumerate().map(|(hop, &node)| (route, hop, Some(node), "")));
            }
            RoutePath::None(gap) => {
                let terminal = if let Gap::NoSatellite(terminal) = gap { Some(*terminal) } else { None };
                rows.push((route, 0, terminal, gap.name()));
            }
        }
    }
    columns([
        Values::Time(rows.iter().map(|(route, ..)| route.time.as_ps()).collect()),
        names(plan, rows.iter().map(|(route, ..)| route.from)),
        names(plan, rows.iter().map(|(route, ..)| route.to)),
        Values::Count(rows.iter().map(|(_, hop, ..)| *hop as u32).collect()),
        names_or_none(plan, rows.iter().map(|(_, _, node, _)| *node)),
        Values::Text(rows.iter().map(|(.., gap)| *gap).collect()),
    ])
}

fn read_nodes(plan: &mut Plan, reader: &SerializedFileReader<File>) -> Result<(), ParquetError> {
    let mut reading = Reading::new(plan, reader);
    let (names, kinds) = (reading.texts()?, reading.words(NodeKind::ALL, NodeKind::name)?);
    plan.nodes = names.into_iter().zip(kinds).map(|(name, kind)| Node { name, kind }).collect();
    Ok(())
}

fn read_contacts(plan: &mut Plan, reader: &SerializedFileReader<File>) -> Result<(), ParquetError> {
    let mut reading = Reading::new(plan, reader);
    let (a, b) = (reading.nodes()?, reading.nodes()?);
    let kind = reading.words(LinkKind::ALL, LinkKind::name)?;
    let (from, to) = (reading.times()?, reading.times()?);
    let contact = |row| Contact { a: a[row], b: b[row], kind: kind[row], from: from[row], to: to[row] };
    plan.contacts = (0..a.len()).map(contact).collect();
    Ok(())
}

fn read_delays(plan: &mut Plan, reader: &SerializedFileReader<File>) -> Result<(), ParquetError> {
    let mut reading = Reading::new(plan, reader);
    let link = reading.rows.counts()?;
    let (a, b) = (reading.nodes()?, reading.nodes()?);
    let kind = reading.words(LinkKind::ALL, LinkKind::name)?;
    let (time, delay) = (reading.times()?, reading.rows.times()?);
    let mut links = Vec::new();
    let mut row = 0;
    while row < link.len() {
        let rows = link[row..].iter().take_while(|&&other| other == link[row]).count();
        let points = (row..row + rows).map(|row| (time[row], Span::from_ps(delay[row]))).collect();
        let delay_curve = DelayCurve::new(points).ok_or_else(|| wrong("the times of a link do not go up"))?;
        links.push(Link { a: a[row], b: b[row], kind: kind[row], delay_curve });
        row += rows;
    }
    plan.links = links;
    Ok(())
}

fn read_hops(plan: &mut Plan, reader: &SerializedFileReader<File>) -> Result<(), ParquetError> {
    let mut reading = Reading::new(plan, reader);
    let time = reading.times()?;
    let (destination, node) = (reading.nodes()?, reading.nodes()?);
    let next = reading.nodes_or_none()?;
    let hop = |row| Hop { time: time[row], destination: destination[row], node: node[row], next: next[row] };
    plan.hops = (0..time.len()).map(hop).collect();
    Ok(())
}

fn read_routes(plan: &mut Plan, reader: &SerializedFileReader<File>) -> Result<(), ParquetError> {
    let mut reading = Reading::new(plan, reader);
    let time = reading.times()?;
    let (from, to) = (reading.nodes()?, reading.nodes()?);
    let hop = reading.rows.counts()?;
    let node = reading.nodes_or_none()?;
    let gap = reading.texts()?;
    let mut routes: Vec<Route> = Vec::new();
    for row in 0..time.len() {
        let whole = || wrong("a path is not whole");
        if !gap[row].is_empty() {
            let gap = Gap::named(&gap[row], node[row]).ok_or_else(|| wrong("an unknown reason for a gap"))?;
            routes.push(Route { time: time[row], from: from[row], to: to[row], path: RoutePath::None(gap) });
        } else if hop[row] == 0 {
            let path = RoutePath::Through(vec![node[row].ok_or_else(whole)?]);
            routes.push(Route { time: time[row], from: from[row], to: to[row], path });
        } else {
            match routes.last_mut() {
                Some(Route { path: RoutePath::Through(nodes), .. }) => nodes.push(node[row].ok_or_else(whole)?),
                _ => return Err(whole()),
            }
        }
    }
    plan.routes = routes;
    Ok(())
}

fn read_events(plan: &mut Plan, reader: &SerializedFileReader<File>) -> Result<(), ParquetError> {
    let mut reading = Reading::new(plan, reader);
    let time = reading.times()?;
    let kind = reading.words(EventKind::ALL, EventKind::name)?;
    let node = reading.nodes()?;
    let (before, after) = (reading.nodes_or_none()?, reading.nodes_or_none()?);
    let reason = reading.words(Reason::ALL, Reason::name)?;
    let event = |row| Event {
        time: time[row],
        kind: kind[row],
        node: node[row],
        before: before[row],
        after: after[row],
        reason: reason[row],
    };
    plan.events = (0..time.len()).map(event).collect();
    Ok(())
}

/// Columns as what they stand for.
struct Reading<'a> {
    rows: Rows<'a>,
    names: BTreeMap<String, NodeId>,
}

impl<'a> Reading<'a> {
    fn new(plan: &Plan, reader: &'a SerializedFileReader<File>) -> Reading<'a> {
        let names = plan.nodes.iter().enumerate().map(|(id, node)| (node.name.clone(), id)).collect();
        Reading { rows: Rows::new(reader), names }
    }

    fn texts(&mut self) -> Result<Vec<String>, ParquetError> {
        let texts = self.rows.texts()?;
        texts.into_iter().map(|text| text.as_utf8().map(str::to_owned)).collect()
    }

    fn times(&mut self) -> Result<Vec<Time>, ParquetError> {
        Ok(self.rows.times()?.into_iter().map(Time::from_ps).collect())
    }

    fn nodes(&mut self) -> Result<Vec<NodeId>, ParquetError> {
        let nodes = self.nodes_or_none()?;
        nodes.into_iter().map(|node| node.ok_or_else(|| wrong("the name of a node is missing"))).collect()
    }

    fn nodes_or_none(&mut self) -> Result<Vec<Option<NodeId>>, ParquetError> {
        let texts = self.rows.texts()?;
        let node = |text: &str| match (text, self.names.get(text)) {
            ("", _) => Ok(None),
            (_, Some(&node)) => Ok(Some(node)),
            _ => Err(wrong(&format!("there is no node `{text}`"))),
        };
        texts.iter().map(|text| node(text.as_utf8()?)).collect()
    }

    fn words<T: Copy, const N: usize>(
        &mut self,
        all: [T; N],
        name: impl Fn(T) -> &'static str,
    ) -> Result<Vec<T>, ParquetError> {
        let texts = self.rows.texts()?;
        let word = |text: &str| {
            let found = all.into_iter().find(|&word| name(word) == text);
            found.ok_or_else(|| wrong(&format!("`{text}` is unknown")))
        };
        texts.iter().map(|text| word(text.as_utf8()?)).collect()
    }
}
