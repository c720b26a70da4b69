//! Links: those that the topology makes, those of [link.NAME] tables, and what a table says of one direction.
//!
//! A table with `ends` that the topology has joined already changes that link in both directions. A table called after a
//! direction, `[link."A->B"]`, changes that direction; `*` in such a name stands for any part of the name of a node. What a
//! direction does not say holds as the table of its link has it, else as the topology has it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use ackclock::ids::{IdVec, NodeId};
use ackclock::keys::Value;
use ackclock::link::{LinkParams, Medium};
use ackclock::scenario::{Node, NodeKind};
use ackclock::units::{Rate, Span};

use super::given_link::{Direction, params};
use super::id_map::IdMap;
use super::media::{self, Media};
use super::nodes;
use crate::check::suggest;
use crate::document::{Document, Named};
use crate::keys::Section;
use crate::settings::{Given, Settings, warn_unused};
use crate::text::diagnostic::{At, Report};
use crate::text::tree::quoted;
use crate::value::{FileValue, Name};

/// A link in both directions.
#[derive(Clone, Debug)]
pub(crate) struct Duplex {
    pub(crate) ends: Ends,
    /// From the first end to the second, and back.
    pub(crate) directions: [Direction; 2],
    /// Whether tables of links may change it.
    is_open: bool,
}

type Ends = (NodeId, NodeId);

impl Duplex {
    /// A link that does nothing but transmit, equal in both directions, which tables of links may change.
    pub(crate) fn plain(ends: Ends, rate: Rate, delay: Span) -> Duplex {
        let direction =
            Direction { rate, delay, medium: None, medium_at: None, params: LinkParams::plain(), mtu: None };
        Duplex { ends, directions: [direction.clone(), direction], is_open: true }
    }

    /// A plain link that tables of links cannot describe.
    pub(crate) fn closed(ends: Ends, rate: Rate, delay: Span) -> Duplex {
        Duplex { is_open: false, ..Duplex::plain(ends, rate, delay) }
    }

    fn ends_of(&self, side: usize) -> Ends {
        if side == 0 { self.ends } else { (self.ends.1, self.ends.0) }
    }
}

/// What links are made from.
pub(crate) struct Context<'a> {
    pub(crate) document: &'a Document,
    /// In the order of their names.
    pub(crate) nodes: &'a IdVec<NodeId, Node>,
    pub(crate) media: &'a Media,
    pub(crate) is_atm: bool,
    pub(crate) duration: Option<Span>,
}

/// All links of a document: `made` by the topology, and those of tables. `None`: something is wrong, and reported.
pub(crate) fn all(context: &Context<'_>, made: Vec<Duplex>, report: &mut Report) -> Option<Vec<Duplex>> {
    let mut links = Links { context, tables: HashMap::new(), places: IdMap::default(), all: made };
    links.places.reserve(links.all.len());
    links.places.extend(links.all.iter().enumerate().map(|(place, duplex)| (ordered(duplex.ends), place)));
    let mut whole = true;
    for named in &context.document.links {
        whole &= links.table(named, report).is_some();
    }
    // What else a direction would change is not known.
    whole &= whole && links.directions(report).is_some();
    whole &= whole && links.fit_media(report).is_some();
    whole.then_some(links.all)
}

struct Links<'a> {
    context: &'a Context<'a>,
    all: Vec<Duplex>,
    places: IdMap<Ends, usize>,
    /// The tables of links by their places.
    tables: HashMap<usize, &'a Named>,
}

/// The tables that are about one direction by their numbers: called after it, and with a pattern.
#[derive(Clone, Copy, Debug, Default)]
struct Layer {
    exact: Option<usize>,
    pattern: Option<usize>,
}

impl<'a> Links<'a> {
    /// A table with `ends`: a new link, or a change of one that the topology makes.
    fn table(&mut self, named: &'a Named, report: &mut Report) -> Option<()> {
        let mut settings = Settings::resolve(Section::Link, &[&named.given]);
        let ends = match settings.value("ends") {
            Some(FileValue::Names(ends)) => self.ends(ends, settings.at("ends"), report),
            _ => None,
        };
        let place = ends.and_then(|ends| self.places.get(&ordered(ends)).copied());
        let header = format!("[link.{}]", named.name);
        let medium = self.medium(&mut settings, &[&named.given], report)?;
        let Some(place) = place else {
            if let (false, Some(meant)) = (settings.has("ends"), self.meant_direction(&named.name)) {
                report
                    .error(
                        named.at,
                        format!("{} is no direction of a link, and a new link needs `ends`", quoted(&named.name)),
                    )
                    .label("one direction of a link is \"A->B\"")
                    .help(format!("write [link.\"{meant}\"]"));
                return None;
            }
            settings.require(&header, &|_| None, report);
            let ends = ends?;
            // Where rate or delay is wrong, what else is wrong is said too.
            let (rate, delay) = (settings.rate("rate"), settings.span("delay"));
            let duplex = Duplex::plain(ends, rate.unwrap_or(ANY_RATE), delay.unwrap_or(Span::ZERO));
            self.places.insert(ordered(ends), self.all.len());
            self.all.push(duplex);
            return self.change_both(self.all.len() - 1, (named, medium), &settings, report);
        };
        let duplex = &self.all[place];
        if !duplex.is_open || self.tables.contains_key(&place) {
            let (a, b) = (self.name(duplex.ends.0), self.name(duplex.ends.1));
            report
                .error(settings.at("ends"), format!("there is already a link between {a} and {b}"))
                .label("second link between these two")
                .help("for two parallel links put a switch into one of them");
            return None;
        }
        let direction = &duplex.directions[0];
        let (rate, delay) = (direction.rate, direction.delay);
        set_defaults(&mut settings, rate, delay);
        self.change_both(place, (named, medium), &settings, report)
    }

    /// The direction of a link that a name such as "sw1-sw2" means, which says both nodes without an arrow.
    fn meant_direction(&self, name: &str) -> Option<String> {
        let cuts = name.char_indices().filter(|(_, letter)| matches!(letter, '-' | '_' | '.'));
        let ends = cuts.map(|(at, _)| (&name[..at], name[at..].trim_start_matches(['-', '_', '.'])));
        let known = |(from, to): (&str, &str)| {
            let ends = nodes::named(self.context.nodes, from).zip(nodes::named(self.context.nodes, to))?;
            self.places.contains_key(&ordered(ends)).then(|| self.spelled(ends))
        };
        ends.filter_map(known).next()
    }

    /// Changes both directions of a link.
    fn change_both(
        &mut self,
        place: usize,
        (named, medium): (&'a Named, Option<Arc<Medium>>),
        settings: &Settings,
        report: &mut Report,
    ) -> Option<()> {
        self.tables.insert(place, named);
        self.refuse_on_atm(&named.given, Section::Link, report)?;
        warn_unused(&named.given, Section::Link, &[settings], &|_| None, report);
        let ends = self.all[place].ends;
        let both = [ends, (ends.1, ends.0)];
        let directed = self.check_directions(settings, &both, "of this link", report);
        let params = params(settings, medium, &named.name, self.context.duration, report);
        let (Some(()), Some(params)) = (directed, params) else { return None };
        let mut directions = both.map(|ends| params.direction(&self.spelled(ends)));
        // Hosts send nothing twice.
        for (direction, ends) in directions.iter_mut().zip(both) {
            if self.context.nodes[ends.0].kind == NodeKind::Host {
                direction.params.duplicate = 0.0;
            }
        }
        self.all[place].directions = directions;
        Some(())
    }

    /// What tables of single directions say, over all else.
    fn directions(&mut self, report: &mut Report) -> Option<()> {
        let tables = &self.context.document.directions;
        let layers = self.layers(report)?;
        let mut whole = true;
        // For each table what holds where it does; of a pattern all is alike, but for what other tables say.
        let mut holds: Vec<Vec<Settings>> = tables.iter().map(|_| Vec::new()).collect();
        let mut alike: HashMap<(usize, Rate, Span, bool), Direction> = HashMap::new();
        for ((place, side), layer) in layers {
            let link = self.tables.get(&place).copied();
            let before = &self.all[place].directions[side];
            let (rate, delay) = (before.rate, before.delay);
            let is_alone = layer.exact.is_none() && link.is_none();
            let ends = self.all[place].ends_of(side);
            // What a host may not do differs from what a switch may.
            let is_of_host = self.context.nodes[ends.0].kind == NodeKind::Host;
            let key = layer.pattern.filter(|_| is_alone).map(|pattern| (pattern, rate, delay, is_of_host));
            if let Some(direction) = key.and_then(|key| alike.get(&key)) {
                self.all[place].directions[side] = direction.clone();
                continue;
            }
            let own = || layer.exact.into_iter().chain(layer.pattern);
            let given: Vec<&Given> = own().map(|index| &tables[index]).chain(link).map(|named| &named.given).collect();
            let mut settings = Settings::resolve(Section::LinkDirection, &given);
            let medium = self.medium(&mut settings, &given, report);
            set_defaults(&mut settings, rate, delay);
            let name = self.spelled(ends);
            let has_errors = own().any(|index| tables[index].given.key_at("errors").is_some());
            let directed = match has_errors {
                true => self.check_directions(&settings, &[ends], "that this table describes", report),
                false => Some(()),
            };
            let twice = own().find_map(|index| tables[index].given.key_at("duplicate"));
            let twice = twice.filter(|_| settings.number("duplicate") > Some(0.0));
            let directed = directed.and(self.may_duplicate(ends, &name, twice, report));
            let directed = directed.filter(|_| medium.is_some());
            match (directed, params(&settings, medium.flatten(), &name, self.context.duration, report)) {
                (Some(()), Some(params)) => {
                    let direction = params.direction(&name);
                    let is_alike = params.errors.iter().all(|errors| errors.direction.is_none());
                    if let Some(key) = key.filter(|_| is_alike) {
                        alike.insert(key, direction.clone());
                    }
                    self.all[place].directions[side] = direction;
                }
                _ => whole = false,
            }
            for index in own() {
                holds[index].push(settings.clone());
            }
        }
        for (named, holds) in tables.iter().zip(&holds) {
            let holds: Vec<&Settings> = holds.iter().collect();
            warn_unused(&named.given, Section::LinkDirection, &holds, &|_| None, report);
        }
        whole.then_some(())
    }

    /// Which tables are about which directions.
    fn layers(&self, report: &mut Report) -> Option<BTreeMap<(usize, usize), Layer>> {
        let tables = &self.context.document.directions;
        let mut layers: BTreeMap<(usize, usize), Layer> = BTreeMap::new();
        let mut whole = true;
        for (index, named) in tables.iter().enumerate() {
            whole &= self.refuse_on_atm(&named.given, Section::LinkDirection, report).is_some();
            let is_pattern = named.name.contains('*');
            let found = if is_pattern { self.matching(named, report) } else { self.exact(named, report) };
            whole &= !found.is_empty();
            for place in found {
                let layer = layers.entry(place).or_default();
                let table = if is_pattern { &mut layer.pattern } else { &mut layer.exact };
                if let Some(other) = table.replace(index) {
                    let name = self.spelled(self.all[place.0].ends_of(place.1));
                    let (one, other) = (quoted(&tables[other].name), quoted(&named.name));
                    report
                        .error(named.at, format!("{one} and {other} both describe {name}"))
                        .label("contradicts another table")
                        .help("let one of them match fewer links");
                    return None;
                }
            }
        }
        whole.then_some(layers)
    }

    /// The one direction of a name, if there is such a link that tables may change; else a report.
    fn exact(&self, named: &Named, report: &mut Report) -> Vec<(usize, usize)> {
        let ends = named.name.split_once("->");
        let nodes = ends
            .and_then(|(from, to)| nodes::named(self.context.nodes, from).zip(nodes::named(self.context.nodes, to)));
        let place = nodes.and_then(|ends| self.places.get(&ordered(ends)).map(|&place| (place, ends)));
        match place {
            Some((place, ends)) if self.all[place].is_open => {
                vec![(place, usize::from(self.all[place].ends != ends))]
            }
            _ => {
                let names = self.open_directions().map(|(place, side)| self.spelled(self.all[place].ends_of(side)));
                let names: Vec<String> = if report.is_long() { Vec::new() } else { names.take(2_000).collect() };
                let near = suggest::nearest(&named.name, names.iter().map(String::as_str));
                let help = match near {
                    Some(near) => format!("did you mean \"{near}\"?"),
                    None => "the link itself is made by the topology, or by [link.NAME] with `ends`".to_owned(),
                };
                report
                    .error(named.at, format!("there is no link {}", quoted(&named.name)))
                    .label("expected one direction of a link, \"A->B\"")
                    .help(help);
                Vec::new()
            }
        }
    }

    /// The directions that a pattern matches, or a report.
    fn matching(&self, named: &Named, report: &mut Report) -> Vec<(usize, usize)> {
        let (from, to) = named.name.split_once("->").unwrap_or((&named.name, ""));
        let fits = |&(place, side): &(usize, usize)| {
            let ends = self.all[place].ends_of(side);
            matches(from, self.name(ends.0)) && matches(to, self.name(ends.1))
        };
        let found: Vec<(usize, usize)> = self.open_directions().filter(fits).collect();
        if found.is_empty() {
            report
                .error(named.at, format!("no link matches {}", quoted(&named.name)))
                .label("no link of this name")
                .help("`*` stands for any part of the name of a node, as in \"s*->sw1\"");
        }
        found
    }

    fn open_directions(&self) -> impl Iterator<Item = (usize, usize)> {
        let open = self.all.iter().enumerate().filter(|(_, duplex)| duplex.is_open);
        open.flat_map(|(place, _)| [(place, 0), (place, 1)])
    }

    /// Whether the error models name directions that they may be about.
    fn check_directions(&self, settings: &Settings, known: &[Ends], whose: &str, report: &mut Report) -> Option<()> {
        let Some(FileValue::Errors(all)) = settings.value("errors") else { return Some(()) };
        let spelled: Vec<String> = known.iter().map(|&ends| self.spelled(ends)).collect();
        let mut fine = true;
        for name in all.iter().filter_map(|errors| errors.direction.as_ref()) {
            if !spelled.contains(&name.text) {
                let known: Vec<String> = spelled.iter().map(|name| format!("{name:?}")).collect();
                report
                    .error(name.at, format!("{} is no direction {whose}", quoted(&name.text)))
                    .label(format!("expected {}", known.join(" or ")));
                fine = false;
            }
        }
        fine.then_some(())
    }

    /// Whether packets can come twice to the queue before a link: at hosts they do not.
    fn may_duplicate(&self, ends: Ends, name: &str, at: Option<At>, report: &mut Report) -> Option<()> {
        let (Some(at), NodeKind::Host) = (at, self.context.nodes[ends.0].kind) else { return Some(()) };
        report
            .error(at, format!("{name} begins at a host, and hosts send nothing twice"))
            .label("packets come twice to the queue of a switch")
            .help("write it for the next link of the path, which begins at a switch");
        None
    }

    /// On ATM networks links do not change, and corrupt nothing.
    fn refuse_on_atm(&self, given: &Given, section: Section, report: &mut Report) -> Option<()> {
        let settings = Settings::resolve(section, &[given]);
        let key = CHANGING_KEYS.iter().find(|key| self.context.is_atm && is_not_plain(&settings, key));
        let Some(key) = key else { return Some(()) };
        let packet = report.technology("packet");
        report
            .error(settings.at(key), format!("`{key}` changes or corrupts packets, and this is an ATM network"))
            .label("links of ATM networks have a constant rate and delay and lose nothing")
            .help(format!("leave it out, or write {packet}"));
        None
    }

    /// The medium that a direction shares by these tables, the most special first, if it shares one: its rate is that of the medium.
    fn medium(&self, settings: &mut Settings, layers: &[&Given], report: &mut Report) -> Option<Option<Arc<Medium>>> {
        let medium = self.context.media.of(layers, report).ok()?;
        if let Some(medium) = &medium {
            settings.imply("rate", Value::rate(medium.rate.as_bps()), "the rate of the medium");
        }
        Some(medium)
    }

    /// Whether each direction that shares a medium may do so; of a table it is said once.
    fn fit_media(&self, report: &mut Report) -> Option<()> {
        let (mut fits, mut said) = (true, BTreeSet::new());
        for (duplex, side) in self.all.iter().flat_map(|duplex| [(duplex, 0), (duplex, 1)]) {
            let (direction, ends) = (&duplex.directions[side], duplex.ends_of(side));
            let is_of_host = self.context.nodes[ends.0].kind == NodeKind::Host;
            if let Some(misfit) = media::misfit(direction, is_of_host) {
                fits = false;
                if said.insert(direction.medium_at) {
                    misfit.say(&self.spelled(ends), direction.medium_at, report);
                }
            }
        }
        fits.then_some(())
    }

    fn ends(&self, names: &[Name], at: Option<At>, report: &mut Report) -> Option<Ends> {
        let [a, b] = names else { return None };
        let from = nodes::expect(self.context.nodes, &a.text, Some(a.at), report);
        let to = nodes::expect(self.context.nodes, &b.text, Some(b.at), report);
        let (from, to) = (from?, to?);
        if from == to {
            report
                .error(at, format!("the link connects {} with itself", a.text))
                .label("two different nodes are needed");
            return None;
        }
        Some((from, to))
    }

    fn name(&self, node: NodeId) -> &str {
        &self.context.nodes[node].name
    }

    fn spelled(&self, (from, to): Ends) -> String {
        format!("{}->{}", self.name(from), self.name(to))
    }
}

/// A rate and a delay that hold where no table gives them.
fn set_defaults(settings: &mut Settings, rate: Rate, delay: Span) {
    settings.set_default("rate", Value::rate(rate.as_bps()), "the rate of the link");
    settings.set_default("delay", Value::time(delay), "the delay of the link");
}

/// Whether a key of a link is given, and makes it more than plain.
fn is_not_plain(settings: &Settings, key: &str) -> bool {
    let jitters = matches!(key, "jitter" | "reorder")
        && (settings.span(key).is_some_and(|jitter| jitter > Span::ZERO) || settings.table(key).is_some());
    let duplicates = key == "duplicate" && settings.number(key).is_some_and(|probability| probability > 0.0);
    jitters
        || duplicates
        || matches!(
            settings.value(key),
            Some(FileValue::Schedule(_) | FileValue::RateTrace(_) | FileValue::Outages(_) | FileValue::Errors(_))
        )
}

/// Whether a name fits a pattern, in which `*` stands for any number of letters. Names are ASCII.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or("")) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The ends of a link, whichever comes first.
pub(crate) fn ordered((a, b): Ends) -> Ends {
    (a.min(b), a.max(b))
}

/// Of links whose rate is wrong.
const ANY_RATE: Rate = Rate::from_bps(1_000_000).expect("more than zero");
/// The keys with which a link may change or corrupt packets.
const CHANGING_KEYS: [&str; 7] = ["rate", "delay", "jitter", "reorder", "duplicate", "outages", "errors"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_part_of_a_name() {
        let fits = |pattern: &str| -> Vec<&str> {
            ["s1", "s10", "sw1", "s", "d1"].into_iter().filter(|name| matches(pattern, name)).collect()
        };
        assert_eq!(fits("s*"), ["s1", "s10", "sw1", "s"]);
        assert_eq!(fits("s1*"), ["s1", "s10"]);
        assert_eq!(fits("*1"), ["s1", "sw1", "d1"]);
        assert_eq!(fits("*w*"), ["sw1"]);
        assert_eq!(fits("s1"), ["s1"]);
        assert_eq!(fits("*"), ["s1", "s10", "sw1", "s", "d1"]);
        assert_eq!(fits("**0"), ["s10"]);
        assert_eq!(fits("w*"), Vec::<&str>::new());
    }
}
