//! Tables of mechanisms in the table that chooses one of them: [queue.red] in [queue], [tcp.cubic] in [tcp].

use ackclock::keys::{Default, Key, Misfit, Values};

use crate::keys::{Mechanism, Section};
use crate::settings::{Given, Settings, warn_unused};
use crate::text::diagnostic::{At, Report};
use crate::value::FileValue;

/// A table as the files give it, and for each mechanism with parameters its table in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenTables {
    pub(crate) own: Given,
    /// None where no file mentions the table around them.
    pub(crate) mechanisms: Vec<Given>,
}

impl GivenTables {
    /// Whether nothing is said.
    pub(crate) fn is_empty(&self) -> bool {
        [&self.own].into_iter().chain(&self.mechanisms).all(|given| given.keys().next().is_none())
    }
}

/// What holds in a table, and in the tables of mechanisms in it.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    pub(crate) own: Settings,
    /// For each mechanism with parameters, its table.
    mechanisms: Vec<Settings>,
}

impl Tables {
    /// What holds where `own` holds: the first of `layers` that gives a parameter decides, then the default, unless it
    /// depends on others: [`Tables::with_derived`]. `section` is that of each of `mechanisms`.
    pub(crate) fn resolve(
        own: Settings,
        mechanisms: &[Mechanism],
        section: fn(u8) -> Section,
        layers: &[&[Given]],
    ) -> Tables {
        let of_mechanism = |index: usize| {
            let given: Vec<&Given> = layers.iter().filter_map(|layer| layer.get(index)).collect();
            Settings::resolve(section(index as u8), &given)
        };
        Tables { own, mechanisms: (0..mechanisms.len()).map(of_mechanism).collect() }
    }

    /// With the defaults that follow what holds for other parameters.
    pub(crate) fn with_derived(mut self) -> Tables {
        for settings in &mut self.mechanisms {
            for key in settings.section.mechanism().map_or(&[][..], |mechanism| mechanism.keys) {
                let derived: Option<(FileValue, _)> = match key.default {
                    Default::Is(_) | Default::Required(_) | Default::Derived(_) => None,
                    Default::SameAs(other) => settings.value(other).cloned().map(|value| (value, key.source)),
                    Default::Of(other, cases) => settings.word(other).and_then(|word| {
                        let case = cases.iter().find(|(of, ..)| *of == word);
                        case.map(|(_, value, source)| ((*value).into(), *source))
                    }),
                };
                if let Some((value, source)) = derived {
                    settings.set_default(key.name, value, source);
                }
            }
        }
        self
    }

    /// The table of the mechanism that `key` chooses, if it has one.
    pub(crate) fn chosen(&self, key: &str) -> Option<&Settings> {
        let name = self.own.word(key)?;
        self.mechanisms.iter().find(|table| {
            table.section.mechanism().is_some_and(|mechanism| mechanism.key == key && mechanism.name == name)
        })
    }

    /// The table of a key, `name` or `mechanism.name`, and its name there.
    pub(crate) fn table_of<'a>(&mut self, path: &'a str) -> Option<(&mut Settings, &'a str)> {
        match path.split_once('.') {
            None => Some((&mut self.own, path)),
            Some((mechanism, name)) => {
                let table = self.mechanisms.iter_mut().find(|table| table.section.key() == mechanism);
                table.map(|table| (table, name))
            }
        }
    }
}

/// Warns about tables of mechanisms that are chosen nowhere where they hold, and about parameters without effect in the
/// others.
pub(crate) fn warn(given: &[Given], section: fn(u8) -> Section, holds: &[&Tables], report: &mut Report) {
    for (index, given) in given.iter().enumerate() {
        let Some(at) = given.at else { continue };
        let section = section(index as u8);
        let Some(mechanism) = section.mechanism() else { continue };
        let (key, name) = (mechanism.key, mechanism.name);
        let choosing = holds.iter().filter(|tables| tables.own.word(key) == Some(name));
        let chosen: Vec<&Settings> = choosing.map(|tables| &tables.mechanisms[index]).collect();
        // A mechanism that is misspelt is reported, and may be this one.
        let is_known = holds.iter().all(|tables| tables.own.word(key).is_some());
        if chosen.is_empty() && is_known && !holds.is_empty() {
            let word = holds.first().and_then(|tables| tables.own.word(key)).unwrap_or_default();
            report
                .warning(at, format!("the parameters of {name} have no effect here"))
                .label(format!("the {} is {word}", key.replace('_', " ")))
                .help(format!("write {key} = \"{name}\", or leave them out"));
        }
        warn_unused(given, section, &chosen, &|_| None, report);
    }
}

/// The values of the parameters `keys` in their table, if there is one; `None` where one is wrong, and reported.
pub(crate) fn values(keys: &[Key], table: Option<&Settings>) -> Option<Values> {
    let Some(table) = table else { return Some(Values::defaults(keys)) };
    let mut values = Values::default();
    for key in keys {
        match table.value(key.name)? {
            FileValue::Setting(setting) => values.push(key.name, setting.clone()),
            other => unreachable!("`{}` is {:?}, and was read as {other:?}", key.name, key.kind),
        }
    }
    Some(values)
}

/// Where parameters that do not fit together are given: in the table of the mechanism or in the one around it, else where the
/// mechanism is chosen by `key`.
pub(crate) fn place_of(misfit: &Misfit, table: Option<&Settings>, own: &Settings, key: &str) -> Option<At> {
    let given = |name: &&str| table.and_then(|table| table.at(name)).or(own.at(name));
    misfit.keys.iter().find_map(given).or(own.at(key))
}

/// Parameters of the mechanism that `key` chooses, or `None` if they do not fit together, which is reported.
pub(crate) fn reported<P>(params: Result<P, Misfit>, tables: &Tables, key: &str, report: &mut Report) -> Option<P> {
    match params {
        Ok(params) => Some(params),
        Err(misfit) => {
            let at = place_of(&misfit, tables.chosen(key), &tables.own, key);
            report.error(at, misfit.problem).label(misfit.expected);
            None
        }
    }
}
