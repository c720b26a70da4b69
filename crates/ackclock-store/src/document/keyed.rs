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

impl<'de, C: Counters> Deserialize<'de> for Keyed<C>
where
    C::Value: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Keyed<C>, D::Error> {
        deserializer.deserialize_struct("counters", C::NAMES, OfMap(PhantomData))
    }
}

struct OfMap<C>(PhantomData<C>);

impl<'de, C: Counters> Visitor<'de> for OfMap<C>
where
    C::Value: Deserialize<'de>,
{
    type Value = Keyed<C>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of counters")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keyed<C>, A::Error> {
        let mut values: Vec<Option<C::Value>> = C::NAMES.iter().map(|_| None).collect();
        while let Some(key) = map.next_key::<String>()? {
            match C::NAMES.iter().position(|name| *name == key) {
                Some(number) => values[number] = Some(map.next_value()?),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        if let Some(missing) = values.iter().position(Option::is_none) {
            return Err(Error::missing_field(C::NAMES[missing]));
        }
        C::try_each(|number| values[number].take()).map(Keyed).ok_or_else(|| Error::custom("a counter has no value"))
    }
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
    use ackclock::record::Drops;

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
}
