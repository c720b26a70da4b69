//! Columns as records again: the way back of [`split`](super::split).

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Error;

use super::split::{Column, Columns, ELEMENT, LENGTH};

/// A table with those of its lists.
#[derive(Debug)]
pub(super) struct Source {
    rows: usize,
    record: Node,
}

/// A record, or a member of it.
#[derive(Debug)]
enum Node {
    Members(Vec<(String, Node)>),
    Column(Column),
    List {
        /// The lengths, where there is a list.
        lengths: Column,
        /// Where the elements of each row begin, and where those of the last end.
        begins: Vec<usize>,
        elements: Box<Source>,
    },
}

impl Source {
    /// Of a table, and of those of its lists, which are asked for by their names. `wrong` makes an error of what is wrong.
    ///
    /// # Errors
    /// If they are not tables that belong together.
    pub(super) fn new<E>(
        table: Columns,
        lists: &mut impl FnMut(&str) -> Result<Option<Columns>, E>,
        wrong: &impl Fn(String) -> E,
    ) -> Result<Source, E> {
        let Columns { name, rows, columns } = table;
        let mut record = Node::Members(Vec::new());
        for (path, column) in columns {
            if path == ELEMENT {
                record = Node::Column(column);
                break;
            }
            let list = path.strip_suffix(LENGTH).and_then(|path| path.strip_suffix('.'));
            let (path, node) = match list {
                None => (path.as_str(), Node::Column(column)),
                Some(list) => (list, Node::list(column, rows, &format!("{name}{list}."), lists, wrong)?),
            };
            record.put(path, node).map_err(|what| wrong(what.into()))?;
        }
        Ok(Source { rows, record })
    }

    /// The records.
    ///
    /// # Errors
    /// If they are none of this type.
    pub(super) fn records<T: DeserializeOwned>(&self) -> Result<Vec<T>, Error> {
        (0..self.rows).map(|row| T::deserialize(At { node: &self.record, row })).collect()
    }
}

impl Node {
    fn list<E>(
        lengths: Column,
        rows: usize,
        name: &str,
        lists: &mut impl FnMut(&str) -> Result<Option<Columns>, E>,
        wrong: &impl Fn(String) -> E,
    ) -> Result<Node, E> {
        let mut begins = vec![0];
        let mut end: usize = 0;
        for row in 0..rows {
            let length = match &lengths {
                Column::Whole(lengths) => lengths.get(row),
                _ => return Err(wrong("the lengths of its lists are no whole numbers".into())),
            };
            end = end.saturating_add(usize::try_from(length.unwrap_or(0)).unwrap_or(usize::MAX));
            begins.push(end);
        }
        let table = if end == 0 { None } else { lists(name)? };
        let elements = match table {
            Some(table) => Source::new(table, lists, wrong)?,
            None => Source { rows: 0, record: Node::Members(Vec::new()) },
        };
        match elements.rows == end {
            true => Ok(Node::List { lengths, begins, elements: Box::new(elements) }),
            false => Err(wrong(format!("its lists have {end} elements, and there are {}", elements.rows))),
        }
    }

    /// Puts a node below this one, where a path of names leads to.
    fn put(&mut self, path: &str, node: Node) -> Result<(), &'static str> {
        let Node::Members(members) = self else { return Err("a column is in another one") };
        let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
        let at = members.iter().position(|(known, _)| known == name);
        match (at, rest) {
            (Some(at), Some(rest)) => members[at].1.put(rest, node),
            (None, Some(rest)) => {
                let mut between = Node::Members(Vec::new());
                between.put(rest, node)?;
                members.push((name.into(), between));
                Ok(())
            }
            (None, None) => {
                members.push((name.into(), node));
                Ok(())
            }
            (Some(_), None) => Err("a column comes twice"),
        }
    }

    /// Whether there is nothing on this row.
    fn is_empty(&self, row: usize) -> bool {
        match self {
            Node::Members(members) => members.iter().all(|(_, node)| node.is_empty(row)),
            Node::Column(column) | Node::List { lengths: column, .. } => match column {
                Column::Whole(numbers) => numbers.get(row).is_none(),
                Column::Number(numbers) => numbers.get(row).is_none(),
                Column::Names(..) => false,
            },
        }
    }
}

/// A member of the record on a row.
struct At<'a> {
    node: &'a Node,
    row: usize,
}

impl<'de> Deserializer<'de> for At<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let At { node, row } = self;
        match node {
            _ if node.is_empty(row) => visitor.visit_unit(),
            Node::Members(members) => visitor.visit_map(Members { members, row, value: None }),
            Node::List { begins, elements, .. } => {
                visitor.visit_seq(Elements { elements, next: begins[row], end: begins[row + 1] })
            }
            Node::Column(Column::Whole(numbers)) => visitor.visit_u64(numbers.get(row).unwrap_or_default()),
            Node::Column(Column::Number(numbers)) => visitor.visit_f64(numbers.get(row).unwrap_or_default()),
            Node::Column(Column::Names(text, bounds)) => visitor.visit_str(&text[bounds[row]..bounds[row + 1]]),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.node.is_empty(self.row) { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Members<'a> {
    members: &'a [(String, Node)],
    row: usize,
    value: Option<&'a Node>,
}

impl<'de> MapAccess<'de> for Members<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(((name, node), rest)) = self.members.split_first() else { return Ok(None) };
        (self.members, self.value) = (rest, Some(node));
        seed.deserialize(StrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let node = self.value.take().ok_or_else(|| Error::custom("a value without a name"))?;
        seed.deserialize(At { node, row: self.row })
    }
}

struct Elements<'a> {
    elements: &'a Source,
    next: usize,
    end: usize,
}

impl<'de> SeqAccess<'de> for Elements<'_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        if self.next >= self.end {
            return Ok(None);
        }
        let row = self.next;
        self.next += 1;
        seed.deserialize(At { node: &self.elements.record, row }).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.end - self.next)
    }
}
