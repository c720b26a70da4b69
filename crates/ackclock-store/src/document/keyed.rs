//! Tables of counters in documents: each counter under its own key.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use ackclock::record::Counters;
use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::interval::{Interval, over};

/// Counters that are written as a map from their keys to their values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keyed<C>(pub C);

/// Counters of a table that grows: each is `None` in documents that are older than it, and not written there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known<C>(pub C);

impl<C> Deref for Known<C> {
    type Target = C;

    fn deref(&self) -> &C {
        &self.0
    }
}

impl<C> DerefMut for Known<C> {
    fn deref_mut(&mut self) -> &mut C {
        &mut self.0
    }
}

impl<T: Serialize, C: Counters<Value = Option<T>>> Serialize for Known<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let count = self.0.values().filter(|value| value.is_some()).count();
        let mut map = serializer.serialize_map(Some(count))?;
        for (name, value) in C::NAMES.iter().zip(self.0.values()) {
            if let Some(value) = value {
                map.serialize_entry(name, value)?;
            }
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>, C: Counters<Value = Option<T>>> Deserialize<'de> for Known<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Known<C>, D::Error> {
        let values = deserializer.deserialize_struct("counters", C::NAMES, ValuesOfMap::<C, T>(PhantomData))?;
        let mut values = values.into_iter();
        C::try_each(|_| values.next()).map(Known).ok_or_else(|| Error::custom("a counter has no value"))
    }
}

impl<C> Deref for Keyed<C> {
    type Target = C;

    fn deref(&self) -> &C {
        &self.0
    }
}

impl<C> DerefMut for Keyed<C> {
    fn deref_mut(&mut self) -> &mut C {
        &mut self.0
    }
}

impl<C: Counters> Serialize for Keyed<C>
where
    C::Value: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(C::NAMES.len()))?;
        for (name, value) in C::NAMES.iter().zip(self.0.values()) {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Counters that are younger than some documents, in which there was nothing to count.
const YOUNGER: [&str; 3] = ["marked_segments", "ecn_reductions", "undone_reductions"];

impl<'de, C: Counters> Deserialize<'de> for Keyed<C>
where
    C::Value: Deserialize<'de> + Default,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Keyed<C>, D::Error> {
        let mut values =
            deserializer.deserialize_struct("counters", C::NAMES, ValuesOfMap::<C, C::Value>(PhantomData))?;
        for (_, value) in C::NAMES.iter().zip(&mut values).filter(|(name, _)| YOUNGER.contains(name)) {
            value.get_or_insert_default();
        }
        if let Some(missing) = values.iter().position(Option::is_none) {
            return Err(Error::missing_field(C::NAMES[missing]));
        }
        let mut values = values.into_iter().flatten();
        C::try_each(|_| values.next()).map(Keyed).ok_or_else(|| Error::custom("a counter has no value"))
    }
}

/// The values of a table's counters, as far as they are there.
struct ValuesOfMap<C, T>(PhantomData<(C, T)>);

impl<'de, C: Counters, T: Deserialize<'de>> Visitor<'de> for ValuesOfMap<C, T> {
    type Value = Vec<Option<T>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of counters")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<Option<T>>, A::Error> {
        let mut values: Vec<Option<T>> = C::NAMES.iter().map(|_| None).collect();
        while let Some(key) = map.next_key::<String>()? {
            match C::NAMES.iter().position(|name| *name == key) {
                Some(number) => values[number] = Some(map.next_value()?),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(values)
    }
}

/// Each counter of each item that has it, summarized; `None` where one has none.
pub(super) fn counted_known<T, C, S>(items: &[&T], counts: impl Fn(&T) -> &C) -> Option<Known<S>>
where
    C: Counters<Value = Option<u64>>,
    S: Counters<Value = Option<Interval>>,
{
    let nth = |item: &T, number| counts(item).values().nth(number).copied().flatten().map(|count| count as f64);
    S::try_each(|number| Some(over(items, |item| nth(item, number)))).map(Known)
}

/// Counters of a run as a document has them.
pub(super) fn known<C, S>(counts: &C) -> Known<S>
where
    C: Counters<Value = u64>,
    S: Counters<Value = Option<u64>>,
{
    let mut values = counts.values().copied();
    Known(S::try_each(|_| Some(values.next())).expect("tables of one kind are of one length"))
}

/// Each counter of each item, summarized.
pub(super) fn counted<T, C, S>(items: &[&T], counts: impl Fn(&T) -> &C) -> Option<Keyed<S>>
where
    C: Counters<Value = u64>,
    S: Counters<Value = Interval>,
{
    let nth = |item: &T, number| counts(item).values().nth(number).map(|&count| count as f64);
    S::try_each(|number| over(items, |item| nth(item, number))).map(Keyed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::record::{Drops, FlowCounts};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Around {
        before: u64,
        #[serde(flatten)]
        drops: Keyed<Drops>,
    }

    #[test]
    fn counters_stand_beside_other_keys_and_each_is_needed() {
        let drops = Drops { overflow: 1, partial_frame: 2, policy: 3, outage: 4 };
        let around = Around { before: 5, drops: Keyed(drops) };
        let text = r#"{"before":5,"overflow":1,"partial_frame":2,"policy":3,"outage":4}"#;
        assert_eq!(serde_json::to_string(&around).unwrap(), text);
        assert_eq!(serde_json::from_str::<Around>(text).unwrap(), around);
        let without = text.replace("policy", "other");
        let error = serde_json::from_str::<Around>(&without).unwrap_err().to_string();
        assert!(error.contains("missing field `policy`"), "{error}");
    }

    #[test]
    fn nothing_was_marked_before_there_were_marks() {
        let counts = Keyed(FlowCounts { timeouts: 2, marked_segments: 3, ..FlowCounts::default() });
        let text = serde_json::to_string(&counts).unwrap();
        assert_eq!(serde_json::from_str::<Keyed<FlowCounts>>(&text).unwrap(), counts);
        let older = text.replace(r#","marked_segments":3,"ecn_reductions":0,"undone_reductions":0"#, "");
        assert_eq!(serde_json::from_str::<Keyed<FlowCounts>>(&older).unwrap().marked_segments, 0);
        assert!(
            !older.contains("ecn")
                && serde_json::from_str::<Keyed<FlowCounts>>(&older.replace("timeouts", "x")).is_err()
        );
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Grown {
        before: u64,
        #[serde(flatten)]
        drops: Known<Drops<Option<u64>>>,
    }

    #[test]
    fn a_counter_that_is_newer_than_a_document_is_not_known_there() {
        let drops = Drops { overflow: Some(1), partial_frame: None, policy: Some(3), outage: None };
        let grown = Grown { before: 5, drops: Known(drops) };
        let text = r#"{"before":5,"overflow":1,"policy":3}"#;
        assert_eq!(serde_json::to_string(&grown).unwrap(), text);
        assert_eq!(serde_json::from_str::<Grown>(text).unwrap(), grown);
        let other = Drops { overflow: Some(3), ..Drops::default() };
        let all: Known<Drops<Option<Interval>>> = counted_known(&[&drops, &other], |drops| drops).unwrap();
        assert_eq!(all.overflow.map(|interval| interval.mean), Some(2.0));
        assert_eq!((all.partial_frame, all.policy), (None, None), "one of them does not know it");
    }
}
