//! What is said about a link beyond its rate and its delay: schedules, outages, error models.

use std::fmt::Write as _;

use ackclock::link::{
    AppliesTo, Delays, ErrorModel, ErrorParams, InService, LinkSchedule, MarkovParams, Outages, Place, Queued, Rates,
    Reordering, Sampling, Shape, Stay, UnderWay, Unit,
};
use ackclock::units::{Rate, Span, Time};
use serde_json::{Value as Json, json};

use crate::diagnostic::{At, Report};
use crate::keys::Amount;
use crate::quantity::{Dimension, Quantity};
use crate::settings::Settings;
use crate::suggest;
use crate::tree::{Item, Node, Table, quoted};
use crate::values::{self, Name, Value};

/// A quantity that changes: from time 0 on, then from later instants on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Schedule {
    first: Quantity,
    /// Picoseconds, in order.
    then: Vec<(u64, Quantity)>,
}

/// When a link is down: from one instant until another, or for ever.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outage {
    from_ps: u64,
    until_ps: Option<u64>,
}

/// Errors of a link, in one direction or in both.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinkErrors {
    pub(crate) params: ErrorParams,
    /// The name `a->b` of the direction; `None`: both, each by itself.
    pub(crate) direction: Option<Name>,
}

// ---- values ----

/// A list of quantities with their instants: `["10 ms", { at = "20 s", delay = "100 ms" }]`.
pub(crate) fn schedule(name: &str, amount: &Amount, items: &[Item], at: At, report: &mut Report) -> Option<Value> {
    let Some((first, rest)) = items.split_first() else {
        report.error(at, format!("`{name}` is empty")).label("expected the value at the start");
        return None;
    };
    if matches!(first.node, Node::Table(_)) {
        report
            .error(first.at, format!("`{name}` has no value at the start"))
            .label("the first element holds from time 0 on")
            .help(format!("write {name} = [\"...\", {{ at = \"20 s\", {name} = \"...\" }}]"));
        return None;
    }
    let first = values::quantity_of(name, amount, first, report);
    let mut then: Vec<(u64, Quantity)> = Vec::with_capacity(rest.len());
    let mut fine = true;
    for item in rest {
        let mut fields = Fields::new(name, item, &["at", name], report)?;
        let (time, value) = (fields.time("at", 1), fields.quantity(name, amount));
        let (Some(time), Some(value)) = (time, value) else {
            fine = false;
            continue;
        };
        if then.last().is_some_and(|&(before, _)| before >= time) {
            report.error(item.at, format!("`{name}` goes back in time")).label("each instant must be later");
            fine = false;
        }
        then.push((time, value));
    }
    let first = first.filter(|_| fine)?;
    Some(Value::Schedule(Schedule { first, then }))
}

/// A list of outages: `[{ from = "10 s", until = "12 s" }]`.
pub(crate) fn outages(items: &[Item], report: &mut Report) -> Option<Value> {
    let mut outages: Vec<Outage> = Vec::with_capacity(items.len());
    let mut fine = true;
    for item in items {
        let mut fields = Fields::new("outages", item, &["from", "until"], report)?;
        let from = fields.time("from", 0);
        let until = if fields.is_word("until", "never") { Some(None) } else { fields.time("until", 1).map(Some) };
        let (Some(from_ps), Some(until_ps)) = (from, until) else {
            fine = false;
            continue;
        };
        let is_apart = outages.last().is_none_or(|before| before.until_ps.is_some_and(|until| until < from_ps));
        if until_ps.is_some_and(|until| until <= from_ps) || !is_apart {
            report
                .error(item.at, "outages are not in order")
                .label("each must end after it begins, and begin after the one before has ended");
            fine = false;
        }
        outages.push(Outage { from_ps, until_ps });
    }
    fine.then_some(Value::Outages(outages))
}

/// One error model, or a list of them; `place` is where on the link they are if they do not say.
pub(crate) fn errors(item: &Item, place: &'static str, report: &mut Report) -> Option<Value> {
    let items = match &item.node {
        Node::Array(items) => items.as_slice(),
        _ => std::slice::from_ref(item),
    };
    let all: Vec<Option<LinkErrors>> = items.iter().map(|item| error(item, place, report)).collect();
    all.into_iter().collect::<Option<Vec<_>>>().map(Value::Errors)
}

fn error(item: &Item, place: &'static str, report: &mut Report) -> Option<LinkErrors> {
    let mut fields = Fields::new("errors", item, &ERROR_KEYS, report)?;
    let model = fields.word("model", MODELS, None)?;
    let foreign = |key: &&&str| MODEL_KEYS.iter().any(|(name, keys)| keys.contains(key) && *name != model);
    let own = MODEL_KEYS.iter().find(|(name, _)| *name == model).map_or(&[] as &[&str], |(_, keys)| keys);
    let not_own = fields.table.entries.iter().find(|(key, _)| {
        let key = &key.as_str();
        foreign(&key) && !own.contains(key)
    });
    if let Some((key, entry)) = not_own {
        fields
            .report
            .error(entry.key_at, format!("`{key}` is no key of the model {model}"))
            .label(format!("keys of {model}: {}", own.join(", ")));
        return None;
    }
    let parsed = match model {
        "uniform" => {
            let unit = fields.word("unit", &["packet", "bit"], Some("packet"));
            let rate = fields.probability("rate");
            let unit = if unit? == "bit" { Unit::Bit } else { Unit::Packet };
            ErrorModel::Uniform { rate: rate?, unit }
        }
        "list" => ErrorModel::List(fields.ordinals()?),
        "periodic" => {
            let (every, offset) = (fields.integer("every", 1, None), fields.integer("offset", 0, Some(0)));
            let (every, offset) = (every?, offset?);
            if offset >= every {
                let at = fields.at("offset");
                fields
                    .report
                    .error(at, format!("`offset` is {offset}, `every` {every}"))
                    .label("must be less than `every`");
                return None;
            }
            ErrorModel::Periodic { every, offset }
        }
        _ => {
            let sampling = fields.word("sampling", &["interval", "ns2-packet"], Some("interval"));
            let (good, bad) = (fields.stay("good"), fields.stay("bad"));
            let sampling = if sampling? == "interval" { Sampling::Interval } else { Sampling::Ns2Packet };
            ErrorModel::Markov(MarkovParams { good: good?, bad: bad?, sampling })
        }
    };
    let every_packet = match &parsed {
        ErrorModel::Uniform { rate, .. } => (*rate == 1.0).then_some("rate"),
        ErrorModel::Periodic { every, .. } => (*every == 1).then_some("every"),
        ErrorModel::Markov(markov) => (markov.good.loss == 1.0 && markov.bad.loss == 1.0).then_some("model"),
        ErrorModel::List(_) => None,
    };
    if let Some(key) = every_packet {
        let at = fields.at(key);
        fields
            .report
            .warning(at, "every packet is corrupted")
            .label("nothing it applies to can ever arrive")
            .help("rate = 0.01 is one packet in a hundred; for a link that is down, write `outages`");
    }
    let places = [("egress", Place::Egress), ("ingress", Place::Ingress), ("receiver", Place::Receiver)];
    let place = fields.choice("place", &places, place)?;
    let all = [("all", AppliesTo::All), ("tcp", AppliesTo::Tcp), ("data", AppliesTo::Data)];
    let applies_to = fields.choice("applies_to", &all, "all")?;
    let direction = match fields.table.entries.get("direction").map(|entry| &entry.item) {
        None => None,
        Some(Item { node: Node::Text(text), .. }) if text == "both" => None,
        Some(Item { node: Node::Text(text), at }) => Some(Name { text: text.clone(), at: *at }),
        Some(item) => {
            let found = format!("`direction` is {}", item.described());
            fields.report.error(item.at, found).label("expected \"both\" or \"A->B\"");
            return None;
        }
    };
    Some(LinkErrors { params: ErrorParams { model: parsed, place, applies_to }, direction })
}

/// The keys of one table in a list.
struct Fields<'a> {
    /// The key whose value the table is in.
    name: &'a str,
    table: &'a Table,
    place: At,
    report: &'a mut Report,
}

impl<'a> Fields<'a> {
    /// A table with no other than the known keys, or a report.
    fn new(name: &'a str, item: &'a Item, known: &[&str], report: &'a mut Report) -> Option<Fields<'a>> {
        let Node::Table(table) = &item.node else {
            report
                .error(item.at, format!("an element of `{name}` is {}", item.described()))
                .label("expected a table in braces")
                .help(format!("known keys: {}", known.join(", ")));
            return None;
        };
        let mut fine = true;
        for (key, entry) in table.entries.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
            let near = suggest::nearest(key, known.iter().copied());
            report
                .error(entry.key_at, format!("unknown key {} in `{name}`", quoted(key)))
                .label(format!("known: {}", known.join(", ")))
                .help_if(near.map(|near| format!("did you mean `{near}`?")));
            fine = false;
        }
        fine.then_some(Fields { name, table, place: item.at, report })
    }

    fn at(&self, key: &str) -> At {
        self.table.entries.get(key).map_or(self.place, |entry| entry.item.at)
    }

    /// The value of a key, or a report that it is missing.
    fn item(&mut self, key: &str, example: &str) -> Option<&'a Item> {
        let item = self.table.entries.get(key).map(|entry| &entry.item);
        if item.is_none() {
            self.report
                .error(self.place, format!("`{key}` is missing in `{}`", self.name))
                .label("needs one more key")
                .help(format!("add {key} = {example}"));
        }
        item
    }

    fn is_word(&self, key: &str, word: &str) -> bool {
        matches!(self.table.entries.get(key).map(|entry| &entry.item.node), Some(Node::Text(text)) if text == word)
    }

    fn time(&mut self, key: &str, min: u64) -> Option<u64> {
        let item = self.item(key, "\"10 s\"")?;
        values::time_of(key, item, min, self.report)
    }

    fn quantity(&mut self, key: &str, amount: &Amount) -> Option<Quantity> {
        let item = self.item(key, "\"...\"")?;
        values::quantity_of(key, amount, item, self.report)
    }

    fn word(&mut self, key: &str, words: &[&'static str], default: Option<&'static str>) -> Option<&'static str> {
        if let (None, Some(default)) = (self.table.entries.get(key), default) {
            return Some(default);
        }
        let item = self.item(key, &format!("{:?}", words[0]))?;
        values::word_of(key, words, item, self.report)
    }

    /// What a word stands for, or the default word.
    fn choice<T: Copy>(&mut self, key: &str, choices: &[(&'static str, T)], default: &'static str) -> Option<T> {
        let words: Vec<&'static str> = choices.iter().map(|(word, _)| *word).collect();
        let word = self.word(key, &words, Some(default))?;
        choices.iter().find(|(known, _)| *known == word).map(|(_, choice)| *choice)
    }

    fn integer(&mut self, key: &str, min: u64, default: Option<u64>) -> Option<u64> {
        if let (None, Some(default)) = (self.table.entries.get(key), default) {
            return Some(default);
        }
        let item = self.item(key, "100")?;
        values::integer_of(key, item, min, self.report)
    }

    /// A number from 0 to 1.
    fn probability(&mut self, key: &str) -> Option<f64> {
        let item = self.item(key, "0.01")?;
        let number = match item.node {
            Node::Integer(Some(integer)) => integer as f64,
            Node::Float(float) => float,
            _ => {
                let found = format!("`{key}` is {}", item.described());
                self.report.error(item.at, found).label("expected a number, 0 to 1");
                return None;
            }
        };
        if (0.0..=1.0).contains(&number) {
            return Some(number);
        }
        let help = (number > 1.0 && number <= 100.0).then(|| format!("{number} per cent are {}", number / 100.0));
        self.report.error(item.at, format!("`{key}` is {number}")).label("must be 0 to 1").help_if(help);
        None
    }

    /// Strictly increasing numbers.
    fn ordinals(&mut self) -> Option<Vec<u64>> {
        let item = self.item("packets", "[3, 5]")?;
        let Node::Array(items) = &item.node else {
            let found = format!("`packets` is {}", item.described());
            self.report.error(item.at, found).label("expected a list of whole numbers");
            return None;
        };
        let mut ordinals: Vec<u64> = Vec::with_capacity(items.len());
        for item in items {
            let ordinal = values::integer_of("packets", item, 0, self.report)?;
            if ordinals.last().is_some_and(|&before| before >= ordinal) {
                self.report.error(item.at, "`packets` are not in order").label("each must be more than the one before");
                return None;
            }
            ordinals.push(ordinal);
        }
        Some(ordinals)
    }

    /// A state of the Markov model, in a table of its own.
    fn stay(&mut self, key: &'static str) -> Option<Stay> {
        let item = self.item(key, "{ interval = \"25 s\", stay = 0.05, loss = 0.05 }")?;
        let mut fields = Fields::new(key, item, &["interval", "stay", "loss"], self.report)?;
        let interval = fields.time("interval", LEAST_INTERVAL_PS);
        let (stay, loss) = (fields.probability("stay"), fields.probability("loss"));
        let (interval, stay, loss) = (interval?, stay?, loss?);
        if stay == 1.0 {
            let at = fields.at("stay");
            self.report
                .error(at, format!("the model never leaves its {key} state"))
                .label("must be less than 1")
                .help("errors that do not change are model = \"uniform\"");
            return None;
        }
        Some(Stay { interval: Span::from_ps(interval), stay, loss })
    }
}

// ---- from values to parameters ----

/// How a link changes, if it does; everything wrong is reported.
pub(crate) fn link_schedule(
    settings: &Settings,
    name: &str,
    duration: Option<Span>,
    report: &mut Report,
) -> Option<Option<LinkSchedule>> {
    let (rate, delay) = (settings.rate("rate")?, settings.span("delay")?);
    let mut link_schedule = LinkSchedule::constant(rate, delay);
    let of_key = |key: &str| match settings.value(key) {
        Some(Value::Schedule(schedule)) => Some(schedule),
        _ => None,
    };
    let (delays, rates) = (of_key("delay"), of_key("rate"));
    if let Some(schedule) = delays {
        let shape = if settings.word("delay_shape")? == "linear" { Shape::Linear } else { Shape::Steps };
        link_schedule.delays = Delays::new(shape, schedule.points().map(|(at, ps)| (at, Span::from_ps(ps))).collect());
        let reorderings = [("prevent", Reordering::Prevent), ("natural", Reordering::Natural)];
        link_schedule.reordering = settings.choice("reordering", &reorderings)?;
        link_schedule.under_way = if settings.word("under_way")? == "drop" { UnderWay::Drop } else { UnderWay::Keep };
        if shape == Shape::Linear && link_schedule.under_way == UnderWay::Drop {
            report
                .error(settings.at("under_way"), "packets are dropped where the delay steps, and it does not")
                .label("only with delay_shape = \"steps\"");
            return None;
        }
    }
    if let Some(schedule) = rates {
        let points = schedule.points().map(|(at, bps)| (at, Rate::from_bps(bps).expect("rates are above zero")));
        link_schedule.rates = Rates::new(points.collect());
    }
    let outages = match settings.value("outages") {
        Some(Value::Outages(outages)) => outages.as_slice(),
        _ => &[],
    };
    if let Some(duration) = duration
        && outages.iter().any(|outage| outage.covers(duration))
    {
        report
            .error(settings.at("outages"), format!("the link {name} is cut for the whole run"))
            .label("nothing can ever cross it")
            .help("let the outage begin later or end earlier, or leave the link out");
        return None;
    }
    if !outages.is_empty() {
        let instant = |ps: Option<u64>| ps.map_or(Time::NEVER, Time::from_ps);
        let in_service = if settings.word("in_service")? == "lose" { InService::Lose } else { InService::Finish };
        let queued = if settings.word("queued")? == "flush" { Queued::Flush } else { Queued::Keep };
        let intervals = outages.iter().map(|outage| (Time::from_ps(outage.from_ps), instant(outage.until_ps)));
        link_schedule.outages = Outages::new(intervals.collect(), in_service, queued);
    }
    let changes = delays.is_some() || rates.is_some() || !outages.is_empty();
    Some(changes.then_some(link_schedule))
}

impl Schedule {
    /// The value at the start.
    pub(crate) fn first(&self) -> Quantity {
        self.first
    }

    fn points(&self) -> impl Iterator<Item = (Time, u64)> {
        let then = self.then.iter().map(|&(ps, quantity)| (Time::from_ps(ps), quantity.amount));
        [(Time::ZERO, self.first.amount)].into_iter().chain(then)
    }

    /// As in a file.
    pub(crate) fn spelled(&self) -> String {
        let key = if self.first.dimension == Dimension::Rate { "rate" } else { "delay" };
        let mut text = format!("[{:?}", self.first.canonical());
        for (ps, quantity) in &self.then {
            let _ = write!(text, ", {{ at = {}, {key} = {:?} }}", time(*ps), quantity.canonical());
        }
        text + "]"
    }
}

impl Outage {
    fn covers(self, duration: Span) -> bool {
        self.from_ps == 0 && self.until_ps.is_none_or(|until| until >= duration.as_ps())
    }

    /// As in a file.
    pub(crate) fn spelled(self) -> String {
        let until = self.until_ps.map_or("\"never\"".to_owned(), time);
        format!("{{ from = {}, until = {until} }}", time(self.from_ps))
    }
}

impl LinkErrors {
    /// As in a file.
    pub(crate) fn spelled(&self) -> String {
        let ErrorParams { model, place, applies_to } = &self.params;
        let mut text = format!("{{ model = {:?}", model.name());
        let stay = |stay: &Stay| {
            let Stay { interval, stay, loss } = stay;
            format!("{{ interval = {}, stay = {stay:?}, loss = {loss:?} }}", time(interval.as_ps()))
        };
        let _ = match model {
            ErrorModel::Uniform { rate, unit } => {
                let unit = if *unit == Unit::Bit { "bit" } else { "packet" };
                write!(text, ", rate = {rate:?}, unit = {unit:?}")
            }
            ErrorModel::List(packets) => write!(text, ", packets = {packets:?}"),
            ErrorModel::Periodic { every, offset } => write!(text, ", every = {every}, offset = {offset}"),
            ErrorModel::Markov(MarkovParams { good, bad, sampling }) => {
                let sampling = if *sampling == Sampling::Interval { "interval" } else { "ns2-packet" };
                write!(text, ", sampling = {sampling:?}, good = {}, bad = {}", stay(good), stay(bad))
            }
        };
        let place = match place {
            Place::Egress => "egress",
            Place::Ingress => "ingress",
            Place::Receiver => "receiver",
        };
        let applies_to = match applies_to {
            AppliesTo::All => "all",
            AppliesTo::Tcp => "tcp",
            AppliesTo::Data => "data",
        };
        let direction = self.direction.as_ref().map_or("both", |name| &name.text);
        let _ = write!(text, ", place = {place:?}, applies_to = {applies_to:?}, direction = {direction:?} }}");
        text
    }
}

fn time(ps: u64) -> String {
    format!("{:?}", Quantity { dimension: Dimension::Time, amount: ps }.canonical())
}

// ---- schema ----

/// The schema of a list of outages.
pub(crate) fn outages_schema(time: &Json) -> Json {
    let table =
        object(&["from", "until"], json!({ "from": time, "until": { "anyOf": [time, { "enum": ["never"] }] } }));
    json!({ "type": "array", "items": table })
}

/// The schema of a value that may have a schedule.
pub(crate) fn schedule_schema(key: &str, value: &Json, time: &Json) -> Json {
    let table = object(&["at", key], json!({ "at": time, key: value }));
    json!({ "anyOf": [value, { "type": "array", "items": { "anyOf": [value, table] }, "minItems": 1 }] })
}

/// The schema of error models.
pub(crate) fn errors_schema(time: &Json) -> Json {
    let probability = json!({ "type": "number", "minimum": 0, "maximum": 1 });
    let state =
        object(&["interval", "stay", "loss"], json!({ "interval": time, "stay": probability, "loss": probability }));
    let model = object(
        &["model"],
        json!({
            "model": { "enum": MODELS },
            "rate": probability,
            "unit": { "enum": ["packet", "bit"], "default": "packet" },
            "packets": { "type": "array", "items": { "type": "integer", "minimum": 0 } },
            "every": { "type": "integer", "minimum": 1 },
            "offset": { "type": "integer", "minimum": 0, "default": 0 },
            "sampling": { "enum": ["interval", "ns2-packet"], "default": "interval" },
            "good": state,
            "bad": state,
            "place": { "enum": ["egress", "ingress", "receiver"], "default": "egress" },
            "applies_to": { "enum": ["all", "tcp", "data"], "default": "all" },
            "direction": { "type": "string", "default": "both" },
        }),
    );
    json!({ "anyOf": [model, { "type": "array", "items": model }] })
}

fn object(required: &[&str], properties: Json) -> Json {
    json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties })
}

const MODELS: &[&str] = &["uniform", "list", "periodic", "markov"];
const MODEL_KEYS: [(&str, &[&str]); 4] = [
    ("uniform", &["rate", "unit"]),
    ("list", &["packets"]),
    ("periodic", &["every", "offset"]),
    ("markov", &["sampling", "good", "bad"]),
];
const ERROR_KEYS: [&str; 12] = [
    "model",
    "rate",
    "unit",
    "packets",
    "every",
    "offset",
    "sampling",
    "good",
    "bad",
    "place",
    "applies_to",
    "direction",
];
/// A microsecond: every sample is drawn, whether or not a packet comes.
const LEAST_INTERVAL_PS: u64 = 1_000_000;
