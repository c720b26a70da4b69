//! Sections: what the files give, and what holds once sections below and defaults are added.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ackclock::keys::{
    Default as KeyDefault, Dimension, Key, Kind, Quantity, Setting as ParameterSetting, Value, Values,
};
use ackclock::units::{Rate, Span};

use crate::check::{self, Here, suggest};
use crate::keys::outside::Outside;
use crate::keys::{OfSections, Section, names};
use crate::text::diagnostic::{At, Report};
use crate::text::tree::{Node, Table, quoted};
use crate::topologies::{Fallback, Given as GivenOfNetwork, Topology};
use crate::value::FileValue;

/// One section as the files give it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// Its header; `None` where no file mentions it.
    pub(crate) at: Option<At>,
    values: BTreeMap<&'static str, GivenValue>,
    /// Keys that were probably meant by unknown ones.
    misspelt: BTreeSet<&'static str>,
}

#[derive(Clone, Debug)]
struct GivenValue {
    key_at: At,
    at: At,
    /// `None`: wrong, and reported.
    value: Option<FileValue>,
}

/// One section with everything that holds in it.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) section: Section,
    /// Where a key that is missing is missing from.
    pub(crate) at: Option<At>,
    /// Shared with other tables as long as nothing but defaults holds in them: most tables of most scenarios are such.
    values: Arc<BTreeMap<&'static str, Setting>>,
    /// Keys that were probably meant by unknown ones, and so are not missing.
    misspelt: BTreeSet<&'static str>,
}

#[derive(Clone, Debug)]
struct Setting {
    /// `None`: wrong, and reported.
    value: Option<FileValue>,
    origin: Origin,
    /// The value as in a file, if it is a default that is spelled again and again.
    spelled: Option<Arc<str>>,
}

impl Setting {
    fn new(value: Option<FileValue>, origin: Origin) -> Setting {
        Setting { value, origin, spelled: None }
    }
}

/// Where a value comes from.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// A file or an argument.
    Given(At),
    /// No value is given; the source of the default.
    Default(Cow<'static, str>),
}

impl Given {
    /// Checks every key of a table against the keys of `section`. Keys in `tables` are tables of their own. Values are chosen from what
    /// there is `here`.
    pub(crate) fn read(
        section: Section,
        table: &Table,
        tables: &[&'static str],
        here: Here<'_>,
        report: &mut Report,
    ) -> Given {
        let mut given = Given { at: Some(table.at), ..Given::default() };
        for (name, entry) in &table.entries {
            if tables.contains(&name.as_str()) {
                continue;
            }
            let Some(key) = section.key_named(name) else {
                if matches!(entry.item.node, Node::Table(_))
                    && !tables.is_empty()
                    && section.families().next().is_some()
                {
                    unknown_table(section, name, entry.key_at, tables, here.outside, report);
                    continue;
                }
                given.misspelt.extend(unknown_key(section, name, entry.key_at, tables, report));
                continue;
            };
            let value = check::check_in(here, key, &entry.item, report);
            given.values.insert(key.name, GivenValue { key_at: entry.key_at, at: entry.item.at, value });
        }
        given
    }

    /// A table that stands in no file, but follows from what is said at a place.
    pub(crate) fn made(at: At, values: impl IntoIterator<Item = (&'static str, FileValue)>) -> Given {
        let given = |(name, value)| (name, GivenValue { key_at: at, at, value: Some(value) });
        Given { at: Some(at), values: values.into_iter().map(given).collect(), misspelt: BTreeSet::new() }
    }

    /// Where a key is given.
    pub(crate) fn key_at(&self, name: &str) -> Option<At> {
        self.values.get(name).map(|given| given.key_at)
    }

    /// The value of a key that is given and right.
    pub(crate) fn value(&self, name: &str) -> Option<&FileValue> {
        self.values.get(name).and_then(|given| given.value.as_ref())
    }

    /// The value of a key that is given and right becomes another; `None`: it is wrong, and reported.
    pub(crate) fn revise(&mut self, name: &str, other: impl FnOnce(FileValue) -> Option<FileValue>) {
        if let Some(given) = self.values.get_mut(name) {
            given.value = given.value.take().and_then(other);
        }
    }

    /// The keys that are given, and where.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&'static str, At)> {
        self.values.iter().map(|(name, given)| (*name, given.key_at))
    }
}

/// What holds in a table where nothing is given. A scenario has tables by the hundred, and a sweep loads scenarios by the
/// hundred thousand: so the defaults are read once, of the kinds of tables that occur.
fn defaults(section: Section) -> &'static Arc<BTreeMap<&'static str, Setting>> {
    static ALL: OfSections<Arc<BTreeMap<&'static str, Setting>>> = OfSections::new();
    let setting = |key: &'static Key| {
        let origin = Origin::Default(Cow::Borrowed(key.source));
        let value = check::default_value(key)?;
        let spelled = Some(Arc::from(value.spelled()));
        Some((key.name, Setting { value: Some(value), origin, spelled }))
    };
    ALL.get(section, || Arc::new(section.keys().filter_map(setting).collect()))
}

/// Reports a key, and returns the one that was probably meant.
fn unknown_key(
    section: Section,
    name: &str,
    at: At,
    tables: &[&'static str],
    report: &mut Report,
) -> Option<&'static str> {
    let names: Vec<&'static str> = section.keys().map(|key| key.name).chain(tables.iter().copied()).collect();
    let (meant, help) = if report.is_long() { (None, None) } else { suggest::for_key(name, section, &names) };
    let place = if section == Section::Top { String::new() } else { format!(" in {}", section.header()) };
    let label = match &help {
        None if names.len() <= 10 => format!("known: {}", names.join(", ")),
        _ => "no such key".to_owned(),
    };
    report.error(at, format!("unknown key {}{place}", quoted(name))).label(label).help_if(help);
    meant
}

/// Reports the table of a mechanism that there is not, or that has no parameters.
fn unknown_table(
    section: Section,
    name: &str,
    at: At,
    tables: &[&'static str],
    outside: &Outside,
    report: &mut Report,
) {
    let header = |name: &str| format!("{}.{name}]", section.header().trim_end_matches(']'));
    let is_known = section.families().any(|family| names(family).contains(&name));
    if is_known {
        report
            .error(at, format!("{name} has no parameters"))
            .label("this table has no meaning")
            .help(format!("leave {} out", header(name)));
        return;
    }
    if section.families().any(|family| outside.word(family, name).is_some()) {
        return check::outside_has_no_keys(report, at, name, &header(name));
    }
    let near = suggest::nearest(name, tables.iter().copied()).map(|near| format!("did you mean {}?", header(near)));
    report
        .error(at, format!("unknown table {}", header(name)))
        .label(format!("known: {}", tables.join(", ")))
        .help_if(near);
}

impl Settings {
    /// What holds in a section: the first of `layers` that gives a key decides, then the default.
    pub(crate) fn resolve(section: Section, layers: &[&Given]) -> Settings {
        let mut values = defaults(section).clone();
        if layers.iter().any(|layer| !layer.values.is_empty()) {
            let values = Arc::make_mut(&mut values);
            for (name, given) in layers.iter().rev().flat_map(|layer| &layer.values) {
                // A layer below may be a table of another kind, with more keys.
                if section.key_named(name).is_some() {
                    values.insert(name, Setting::new(given.value.clone(), Origin::Given(given.at)));
                }
            }
        }
        let first = layers.first();
        let misspelt = first.map(|layer| layer.misspelt.clone()).unwrap_or_default();
        Settings { section, at: first.and_then(|layer| layer.at), values, misspelt }
    }

    /// Fills in a default that depends on other things.
    pub(crate) fn set_default(
        &mut self,
        name: &'static str,
        value: impl Into<FileValue>,
        source: impl Into<Cow<'static, str>>,
    ) {
        if !self.has(name) {
            let origin = Origin::Default(source.into());
            Arc::make_mut(&mut self.values).insert(name, Setting::new(Some(value.into()), origin));
        }
    }

    /// Fills in what follows from the topology.
    pub(crate) fn set_defaults_of(&mut self, topology: &Topology) {
        // Without `rate` nothing is run, and that it is missing is enough to say.
        let of_rate = self.value("rate").cloned().unwrap_or(Value::rate(1).into());
        for (key, fallback, source) in topology.defaults {
            let value = match fallback {
                Fallback::Is(value) => (*value).into(),
                Fallback::Rate => of_rate.clone(),
            };
            self.set_default(key, value, *source);
        }
    }

    /// Spells a value that was given in another way.
    pub(crate) fn rewrite(&mut self, name: &'static str, value: impl Into<FileValue>) {
        if let Some(setting) = Arc::make_mut(&mut self.values).get_mut(name) {
            setting.value = Some(value.into());
            setting.spelled = None;
        }
    }

    /// Puts another default in the place of the usual one.
    pub(crate) fn replace_default(
        &mut self,
        name: &'static str,
        value: impl Into<FileValue>,
        source: impl Into<Cow<'static, str>>,
    ) {
        let origin = Origin::Default(source.into());
        let is_given = self.values.get(name).is_some_and(|setting| matches!(setting.origin, Origin::Given(_)));
        if !is_given {
            Arc::make_mut(&mut self.values).insert(name, Setting::new(Some(value.into()), origin));
        }
    }

    /// Puts what another key implies in the place of whatever was given or holds otherwise.
    pub(crate) fn imply(&mut self, name: &'static str, value: impl Into<FileValue>, source: &'static str) {
        let origin = Origin::Default(source.into());
        Arc::make_mut(&mut self.values).insert(name, Setting::new(Some(value.into()), origin));
    }

    /// Says more about the source of a default.
    pub(crate) fn describe_default(&mut self, name: &str, source: String) {
        if let Some(Setting { origin: Origin::Default(known), .. }) = Arc::make_mut(&mut self.values).get_mut(name) {
            *known = source.into();
        }
    }

    /// Reports the keys that must be given, are used and are missing.
    pub(crate) fn require(&self, header: &str, context: &dyn Fn(&str) -> Option<&'static str>, report: &mut Report) {
        for key in self.section.keys() {
            let missing = matches!(key.default, KeyDefault::Required(_))
                && !self.values.contains_key(key.name)
                && !self.misspelt.contains(key.name);
            if missing && self.is_used(key, context) == Some(true) {
                let example = check::example(key);
                let place = if header.is_empty() { String::new() } else { format!(" in {header}") };
                report
                    .error(self.at, format!("`{}` is missing{place}", key.name))
                    .label(if self.at.is_some() { "needs one more key" } else { "" })
                    .help(format!("add {} = {example} ({})", key.name, lower_first(key.about)));
            }
        }
    }

    /// Whether the other keys make this one matter; `None` if that cannot be known.
    pub(crate) fn is_used(&self, key: &Key, context: &dyn Fn(&str) -> Option<&'static str>) -> Option<bool> {
        let mut known = true;
        for condition in key.used_if {
            let word = match self.section.key_named(condition.key) {
                Some(list) if matches!(list.kind, Kind::Metrics | Kind::Schedule(_) | Kind::Outages) => {
                    self.is_list_given(list.name)
                }
                Some(_) => self.word(condition.key),
                None => context(condition.key),
            };
            match word {
                Some(word) if !condition.is.contains(&word) => return Some(false),
                Some(_) => {}
                None => known = false,
            }
        }
        known.then_some(true)
    }

    /// The value of a key that is known and right.
    pub(crate) fn value(&self, name: &str) -> Option<&FileValue> {
        self.values.get(name).and_then(|setting| setting.value.as_ref())
    }

    /// The value of a key that is known and right, as it is and as in a file, and where it comes from.
    pub(crate) fn written(&self, name: &str) -> Option<(&FileValue, Cow<'_, str>, &Origin)> {
        let setting = self.values.get(name)?;
        let value = setting.value.as_ref()?;
        let spelled = setting.spelled.as_deref().map_or_else(|| Cow::Owned(value.spelled()), Cow::Borrowed);
        Some((value, spelled, &setting.origin))
    }

    /// Where the value of a key was given.
    pub(crate) fn at(&self, name: &str) -> Option<At> {
        match self.values.get(name)?.origin {
            Origin::Given(at) => Some(at),
            Origin::Default(_) => None,
        }
    }

    /// Whether a key has a value, right or wrong.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Where the value of a key comes from.
    pub(crate) fn origin(&self, name: &str) -> Option<&Origin> {
        self.values.get(name).map(|setting| &setting.origin)
    }

    /// The word or boolean of a key.
    pub(crate) fn word(&self, name: &str) -> Option<&'static str> {
        self.value(name).and_then(FileValue::word)
    }

    /// What the word of a key stands for.
    ///
    /// # Panics
    /// If its word has no meaning here: each word of the table of keys has one.
    pub(crate) fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Option<T> {
        let word = self.word(name)?;
        let choice = choices.iter().find(|(known, _)| *known == word);
        Some(choice.unwrap_or_else(|| panic!("`{name}` is {word:?}, which has no meaning")).1)
    }

    /// What a key is that may be one of some words, or something else that `other` reads.
    pub(crate) fn choice_or<T: Copy>(
        &self,
        name: &str,
        choices: &[(&str, T)],
        other: impl FnOnce() -> Option<T>,
    ) -> Option<T> {
        if self.word(name).is_some() { self.choice(name, choices) } else { other() }
    }

    /// The boolean of a key.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        if let Value::Flag(flag) = self.value(name)?.single()? { Some(flag) } else { None }
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        if let FileValue::Text(text) = self.value(name)? { Some(text) } else { None }
    }

    /// The number of a key.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        if let Value::Number(number) = self.value(name)?.single()? { Some(number) } else { None }
    }

    /// The parameters in the table of a key.
    pub(crate) fn table(&self, name: &str) -> Option<&Values> {
        if let FileValue::Setting(ParameterSetting::Table(values)) = self.value(name)? { Some(values) } else { None }
    }

    /// For conditions on a list: "given" where it has elements, else "none".
    pub(crate) fn is_list_given(&self, name: &str) -> Option<&'static str> {
        Some(match self.value(name) {
            Some(FileValue::Metrics(metrics)) if !metrics.is_empty() => "given",
            Some(FileValue::Outages(outages)) if !outages.is_empty() => "given",
            Some(FileValue::Schedule(_)) => "given",
            _ => "none",
        })
    }

    /// The whole number of a key.
    pub(crate) fn integer(&self, name: &str) -> Option<u64> {
        if let Value::Integer(integer) = self.value(name)?.single()? { Some(integer) } else { None }
    }

    /// The quantity of a key; of one that changes, at the start.
    pub(crate) fn quantity(&self, name: &str) -> Option<Quantity> {
        self.value(name).and_then(FileValue::quantity)
    }

    /// The amount of a key in the base unit of the only dimension it can have.
    pub(crate) fn amount(&self, name: &str) -> Option<u64> {
        self.quantity(name).map(|quantity| quantity.amount)
    }

    /// The time of a key.
    pub(crate) fn span(&self, name: &str) -> Option<Span> {
        let quantity = self.quantity(name).filter(|quantity| quantity.dimension == Dimension::Time)?;
        Some(Span::from_ps(quantity.amount))
    }

    pub(crate) fn rate(&self, name: &str) -> Option<Rate> {
        let quantity = self.quantity(name).filter(|quantity| quantity.dimension == Dimension::Rate)?;
        Rate::from_bps(quantity.amount)
    }
}

impl GivenOfNetwork for Settings {
    fn integer(&self, key: &str) -> Option<u64> {
        Settings::integer(self, key)
    }

    fn rate(&self, key: &str) -> Option<Rate> {
        Settings::rate(self, key)
    }

    fn span(&self, key: &str) -> Option<Span> {
        Settings::span(self, key)
    }
}

/// Warns about keys that are given in a section but matter nowhere it holds.
pub(crate) fn warn_unused(
    given: &Given,
    section: Section,
    holds: &[&Settings],
    context: &dyn Fn(&str) -> Option<&'static str>,
    report: &mut Report,
) {
    for (name, at) in given.keys() {
        let Some(key) = section.key_named(name) else { continue };
        let unused = |settings: &&Settings| settings.is_used(key, context) == Some(false);
        if !holds.is_empty() && holds.iter().all(unused) {
            let conditions: Vec<String> = key
                .used_if
                .iter()
                .map(|condition| match condition.is {
                    ["given"] => format!("{} as a list", condition.key),
                    words => format!("{} = {}", condition.key, words.join(", ")),
                })
                .collect();
            report
                .warning(at, format!("`{name}` has no effect here"))
                .label(format!("used only with {}", conditions.join(" and ")));
        }
    }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    let second_is_upper = text.chars().nth(1).is_some_and(|c| !c.is_lowercase() && c != ' ');
    match letters.next() {
        Some(first) if !second_is_upper => {
            format!("{}{}", first.to_lowercase(), letters.as_str()).trim_end_matches('.').to_owned()
        }
        _ => text.trim_end_matches('.').to_owned(),
    }
}
