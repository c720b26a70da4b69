//! Records as columns: one for each number and name, called by the members that lead there, with dots between them. Of a list
//! there is a column with its length, called `LIST.rows`, and a table of its elements, the lists one after the other.
//!
//! Which members there are is known by serde, so a member that is added to a record is a column without a line here.

use std::borrow::Cow;

use serde::ser::{Error as _, Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer};
use serde_json::Error;

/// What became of some records.
#[derive(Debug)]
pub(super) struct Table {
    rows: usize,
    /// How many there will be, if that is known: room is made for them.
    expected: usize,
    /// The first is that of the record itself.
    nodes: Vec<Node>,
}

/// A column.
#[derive(Debug)]
pub(super) enum Column {
    Whole(Numbers<u64>),
    Number(Numbers<f64>),
    /// One after the other, and where each begins; after the last where it ends.
    Names(String, Vec<usize>),
}

/// Numbers on all rows, or on some.
#[derive(Debug)]
pub(super) enum Numbers<T> {
    Each(Vec<T>),
    Some(Vec<Option<T>>),
}

/// A table that is whole.
#[derive(Debug)]
pub(super) struct Columns {
    /// The lists that lead here, with dots between them and after the last: empty of the records themselves.
    pub name: String,
    pub rows: usize,
    pub columns: Vec<(String, Column)>,
}

/// The last name of the column with the lengths of a list.
pub(super) const LENGTH: &str = "rows";
/// The column of a list whose elements are numbers.
pub(super) const ELEMENT: &str = "value";

/// No node.
const NONE: usize = usize::MAX;

/// A member of a record, or a record.
#[derive(Debug)]
struct Node {
    name: Cow<'static, str>,
    members: Vec<usize>,
    /// The member of the same record that comes after it, if all records have them in the same order.
    next: usize,
    column: Option<Column>,
    elements: Option<Box<Table>>,
}

impl Table {
    /// Of about so many records.
    pub(super) fn new(expected: usize) -> Table {
        Table { rows: 0, expected, nodes: vec![Node::new("".into())] }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If something in it has no place in a column.
    pub(super) fn push(&mut self, record: &impl Serialize) -> Result<(), Error> {
        record.serialize(Place { table: self, node: 0, key: None })?;
        self.rows += 1;
        Ok(())
    }

    /// The table and those of its lists.
    pub(super) fn finish(self) -> Vec<Columns> {
        let mut tables = Vec::new();
        self.finish_into(String::new(), &mut tables);
        tables
    }

    fn finish_into(self, name: String, tables: &mut Vec<Columns>) {
        let Table { rows, nodes, .. } = self;
        let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
        let (mut columns, mut lists) = (Vec::new(), Vec::new());
        walk(&mut nodes, 0, String::new(), &mut |path, column, elements| {
            if let Some(column) = column {
                let path = match (path.as_str(), elements.is_some()) {
                    ("", _) => ELEMENT.into(),
                    (_, true) => format!("{path}.{LENGTH}"),
                    _ => path.clone(),
                };
                columns.push((path, column.until(rows)));
            }
            lists.extend(elements.map(|elements| (path, elements)));
        });
        tables.push(Columns { name: name.clone(), rows, columns });
        for (path, elements) in lists {
            elements.finish_into(format!("{name}{path}."), tables);
        }
    }

    /// The member of this name. Most often it is the `expected` one; `kept` is the name for as long as the table lasts.
    #[inline(always)]
    fn member(&mut self, node: usize, expected: usize, name: &str, kept: impl FnOnce() -> Cow<'static, str>) -> usize {
        match self.nodes.get(expected) {
            Some(member) if member.is_named(name) => expected,
            _ => self.unexpected_member(node, kept()),
        }
    }

    #[inline(never)]
    fn unexpected_member(&mut self, node: usize, name: Cow<'static, str>) -> usize {
        let members = &self.nodes[node].members;
        if let Some(&member) = members.iter().find(|&&member| self.nodes[member].is_named(&name)) {
            return member;
        }
        let (new, last) = (self.nodes.len(), members.last().copied());
        if let Some(last) = last {
            self.nodes[last].next = new;
        }
        self.nodes[node].members.push(new);
        self.nodes.push(Node::new(name));
        new
    }
}

/// Takes all nodes below one, in order.
fn walk(
    nodes: &mut [Option<Node>],
    at: usize,
    path: String,
    each: &mut impl FnMut(String, Option<Column>, Option<Box<Table>>),
) {
    let Some(Node { members, column, elements, .. }) = nodes[at].take() else { return };
    let below = if path.is_empty() { String::new() } else { format!("{path}.") };
    each(path, column, elements);
    for member in members {
        let name = nodes[member].as_ref().map_or("", |node| &node.name);
        let path = format!("{below}{name}");
        walk(nodes, member, path, each);
    }
}

impl Node {
    fn new(name: Cow<'static, str>) -> Node {
        Node { name, members: Vec::new(), next: NONE, column: None, elements: None }
    }

    /// Names of structures are the same piece of memory each time.
    #[inline(always)]
    fn is_named(&self, name: &str) -> bool {
        std::ptr::eq(&*self.name, name) || *self.name == *name
    }
}

impl Column {
    /// The column with nothing on the rows up to this one.
    fn until(self, rows: usize) -> Column {
        match self {
            Column::Whole(numbers) => Column::Whole(numbers.until(rows)),
            Column::Number(numbers) => Column::Number(numbers.until(rows)),
            Column::Names(..) => self,
        }
    }
}

impl<T: Copy> Numbers<T> {
    /// The number on a row, if there is one.
    pub(super) fn get(&self, row: usize) -> Option<T> {
        match self {
            Numbers::Each(numbers) => numbers.get(row).copied(),
            Numbers::Some(numbers) => numbers.get(row).copied().flatten(),
        }
    }

    /// Adds the number on a row, and nothing on rows before it that have none.
    #[inline(always)]
    fn put(&mut self, row: usize, number: T) {
        match self {
            Numbers::Each(numbers) if numbers.len() == row => numbers.push(number),
            _ => self.put_on_some(row, number),
        }
    }

    #[inline(never)]
    fn put_on_some(&mut self, row: usize, number: T) {
        let mut numbers = std::mem::replace(self, Numbers::Each(Vec::new())).sparse(row);
        numbers.push(Some(number));
        *self = Numbers::Some(numbers);
    }

    /// With nothing on the rows up to this one.
    fn until(self, rows: usize) -> Numbers<T> {
        match self {
            Numbers::Each(numbers) if numbers.len() == rows => Numbers::Each(numbers),
            numbers => Numbers::Some(numbers.sparse(rows)),
        }
    }

    fn sparse(self, rows: usize) -> Vec<Option<T>> {
        let mut sparse = match self {
            Numbers::Each(numbers) => numbers.into_iter().map(Some).collect(),
            Numbers::Some(numbers) => numbers,
        };
        sparse.resize(rows, None);
        sparse
    }
}

/// Where the value of a member goes.
struct Place<'a> {
    table: &'a mut Table,
    node: usize,
    /// If it is not the value but the name of a member, which is looked up: the one that is expected.
    key: Option<usize>,
}

impl<'a> Place<'a> {
    #[inline(always)]
    fn whole(self, number: u64) -> Result<usize, Error> {
        match self.column(Column::Whole) {
            (Column::Whole(numbers), row) => numbers.put(row, number),
            _ => return Err(mixed()),
        }
        Ok(0)
    }

    #[inline(always)]
    fn number(self, number: f64) -> Result<usize, Error> {
        match self.column(Column::Number) {
            (Column::Number(numbers), row) => numbers.put(row, number),
            _ => return Err(mixed()),
        }
        Ok(0)
    }

    /// The column, which is begun if it is not there, and the row that comes next.
    #[inline(always)]
    fn column<T>(self, new: impl Fn(Numbers<T>) -> Column) -> (&'a mut Column, usize) {
        let Table { rows, expected, nodes } = self.table;
        let column = nodes[self.node].column.get_or_insert_with(|| new(Numbers::Each(Vec::with_capacity(*expected))));
        (column, *rows)
    }

    #[inline(always)]
    fn name(self, name: &str) -> Result<usize, Error> {
        if let Some(expected) = self.key {
            return Ok(self.table.member(self.node, expected, name, || name.to_owned().into()));
        }
        let rows = self.table.rows;
        let column = self.table.nodes[self.node].column.get_or_insert_with(|| Column::Names(String::new(), vec![0]));
        match column {
            Column::Names(text, bounds) if bounds.len() == rows + 1 => {
                text.push_str(name);
                bounds.push(text.len());
                Ok(0)
            }
            _ => Err(Error::custom("a name is not on every row")),
        }
    }
}

fn mixed() -> Error {
    Error::custom("numbers of two kinds in one column")
}

/// What has no place in a column, as methods of a serializer with what else they are given.
macro_rules! no_column {
    ($($what:literal: $($method:ident($($given:ty),*) -> $ok:ty),+;)+) => {
        $($(fn $method(self, $(_: $given),*) -> Result<$ok, Error> {
            Err(Error::custom(concat!($what, " has no place in a column")))
        })+)+
    };
}

/// The number of the member whose name was looked up; nothing else is asked for.
impl<'a> Serializer for Place<'a> {
    type Ok = usize;
    type Error = Error;
    type SerializeSeq = Elements<'a>;
    type SerializeTuple = Impossible<usize, Error>;
    type SerializeTupleStruct = Impossible<usize, Error>;
    type SerializeTupleVariant = Impossible<usize, Error>;
    type SerializeMap = Members<'a>;
    type SerializeStruct = Members<'a>;
    type SerializeStructVariant = Impossible<usize, Error>;

    fn serialize_u8(self, number: u8) -> Result<usize, Error> {
        self.whole(number.into())
    }

    fn serialize_u16(self, number: u16) -> Result<usize, Error> {
        self.whole(number.into())
    }

    fn serialize_u32(self, number: u32) -> Result<usize, Error> {
        self.whole(number.into())
    }

    fn serialize_u64(self, number: u64) -> Result<usize, Error> {
        self.whole(number)
    }

    fn serialize_f32(self, number: f32) -> Result<usize, Error> {
        self.number(number.into())
    }

    fn serialize_f64(self, number: f64) -> Result<usize, Error> {
        self.number(number)
    }

    fn serialize_str(self, name: &str) -> Result<usize, Error> {
        self.name(name)
    }

    fn serialize_none(self) -> Result<usize, Error> {
        Ok(0)
    }

    fn serialize_unit(self) -> Result<usize, Error> {
        Ok(0)
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<usize, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, value: &T) -> Result<usize, Error> {
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Elements<'a>, Error> {
        Ok(Elements { place: self, length: 0 })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members<'a>, Error> {
        let expected = self.table.nodes[self.node].members.first().copied().unwrap_or(NONE);
        Ok(Members { table: self.table, node: self.node, member: NONE, expected })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Members<'a>, Error> {
        self.serialize_map(None)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: &T,
    ) -> Result<usize, Error> {
        self.serialize_unit_variant("", 0, name)
    }

    no_column! {
        "a truth value": serialize_bool(bool) -> usize;
        "a number that may be negative": serialize_i8(i8) -> usize, serialize_i16(i16) -> usize,
            serialize_i32(i32) -> usize, serialize_i64(i64) -> usize;
        "a letter": serialize_char(char) -> usize;
        "a text of octets": serialize_bytes(&[u8]) -> usize;
        "a structure without members": serialize_unit_struct(&'static str) -> usize;
        "a choice": serialize_unit_variant(&'static str, u32, &'static str) -> usize,
            serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant,
            serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
        "a tuple": serialize_tuple(usize) -> Self::SerializeTuple,
            serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
    }
}

/// The members of a record.
struct Members<'a> {
    table: &'a mut Table,
    node: usize,
    /// Whose value comes next.
    member: usize,
    /// Which comes after it, as in the records before.
    expected: usize,
}

impl Members<'_> {
    #[inline(always)]
    fn put<T: ?Sized + Serialize>(&mut self, member: usize, value: &T) -> Result<(), Error> {
        self.expected = self.table.nodes[member].next;
        value.serialize(Place { table: self.table, node: member, key: None }).map(drop)
    }
}

impl SerializeStruct for Members<'_> {
    type Ok = usize;
    type Error = Error;

    #[inline(always)]
    fn serialize_field<T: ?Sized + Serialize>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        let member = self.table.member(self.node, self.expected, name, || name.into());
        self.put(member, value)
    }

    fn end(self) -> Result<usize, Error> {
        Ok(0)
    }
}

impl SerializeMap for Members<'_> {
    type Ok = usize;
    type Error = Error;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), Error> {
        self.member = key.serialize(Place { table: self.table, node: self.node, key: Some(self.expected) })?;
        Ok(())
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.put(self.member, value)
    }

    fn end(self) -> Result<usize, Error> {
        Ok(0)
    }
}

/// The elements of a list.
struct Elements<'a> {
    place: Place<'a>,
    length: u64,
}

impl Elements<'_> {
    fn push<T: ?Sized + Serialize>(&mut self, element: &T) -> Result<(), Error> {
        self.length += 1;
        self.list().push(&element)
    }

    fn list(&mut self) -> &mut Table {
        let Place { table, node, .. } = &mut self.place;
        table.nodes[*node].elements.get_or_insert_with(|| Box::new(Table::new(0)))
    }

    fn finish(mut self) -> Result<usize, Error> {
        self.list();
        let length = self.length;
        self.place.whole(length)
    }
}

impl SerializeSeq for Elements<'_> {
    type Ok = usize;
    type Error = Error;

    fn serialize_element<T: ?Sized + Serialize>(&mut self, element: &T) -> Result<(), Error> {
        self.push(element)
    }

    fn end(self) -> Result<usize, Error> {
        self.finish()
    }
}
