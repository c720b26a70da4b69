//! Records as columns: one for each number and name, called by the members that lead there, with dots between them. Of a list
//! there is a column with its length, called `LIST.rows`, and a table of its elements, the lists one after the other.
//!
//! Which members there are is known by serde, so a member that is added to a record is a column without a line here.

use serde::ser::{Error as _, Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer};
use serde_json::Error;

/// What became of some records.
#[derive(Debug)]
pub(super) struct Table {
    rows: usize,
    /// The first is that of the record itself.
    nodes: Vec<Node>,
}

/// A column.
#[derive(Debug)]
pub(super) enum Column {
    Whole(Vec<u64>),
    OptionalWhole(Vec<Option<u64>>),
    Number(Vec<f64>),
    OptionalNumber(Vec<Option<f64>>),
    /// One after the other, and where each begins; after the last where it ends.
    Names(String, Vec<usize>),
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

/// A member of a record, or a record.
#[derive(Debug)]
struct Node {
    name: String,
    members: Vec<usize>,
    /// Which of these comes next, if all records have them in the same order.
    next: usize,
    column: Option<Column>,
    elements: Option<Box<Table>>,
}

impl Table {
    pub(super) fn new() -> Table {
        Table { rows: 0, nodes: vec![Node::new("")] }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If something in it has no place in a column.
    pub(super) fn push(&mut self, record: &impl Serialize) -> Result<(), Error> {
        record.serialize(Place { table: self, node: 0, is_key: false })?;
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
        let Table { rows, nodes } = self;
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

    /// The member of this name.
    fn member(&mut self, node: usize, name: &str) -> usize {
        let Node { members, next, .. } = &self.nodes[node];
        let is_named = |member: &usize| self.nodes[*member].name == name;
        let expected = members.get(*next).copied().filter(is_named);
        if let Some(member) = expected {
            self.nodes[node].next += 1;
            return member;
        }
        if let Some(at) = members.iter().position(is_named) {
            self.nodes[node].next = at + 1;
            return self.nodes[node].members[at];
        }
        let new = self.nodes.len();
        self.nodes.push(Node::new(name));
        let Node { members, next, .. } = &mut self.nodes[node];
        members.push(new);
        *next = members.len();
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
    fn new(name: &str) -> Node {
        Node { name: name.into(), members: Vec::new(), next: 0, column: None, elements: None }
    }
}

impl Column {
    /// The column with nothing on the rows up to this one.
    fn until(self, rows: usize) -> Column {
        match self {
            Column::Whole(numbers) if numbers.len() < rows => Column::OptionalWhole(sparse(numbers, rows)),
            Column::Number(numbers) if numbers.len() < rows => Column::OptionalNumber(sparse(numbers, rows)),
            Column::OptionalWhole(mut numbers) => {
                numbers.resize(rows, None);
                Column::OptionalWhole(numbers)
            }
            Column::OptionalNumber(mut numbers) => {
                numbers.resize(rows, None);
                Column::OptionalNumber(numbers)
            }
            all => all,
        }
    }
}

fn sparse<T: Copy>(numbers: Vec<T>, rows: usize) -> Vec<Option<T>> {
    let mut sparse: Vec<Option<T>> = numbers.into_iter().map(Some).collect();
    sparse.resize(rows, None);
    sparse
}

/// Where the value of a member goes.
struct Place<'a> {
    table: &'a mut Table,
    node: usize,
    /// Whether it is not the value but the name of a member, which is looked up.
    is_key: bool,
}

impl Place<'_> {
    fn whole(self, number: u64) -> Result<usize, Error> {
        let rows = self.table.rows;
        let column = self.table.nodes[self.node].column.get_or_insert(Column::Whole(Vec::new()));
        match column {
            Column::Whole(numbers) if numbers.len() == rows => numbers.push(number),
            Column::OptionalWhole(numbers) => {
                numbers.resize(rows, None);
                numbers.push(Some(number));
            }
            Column::Whole(numbers) => {
                let mut sparse = sparse(std::mem::take(numbers), rows);
                sparse.push(Some(number));
                *column = Column::OptionalWhole(sparse);
            }
            _ => return Err(mixed()),
        }
        Ok(0)
    }

    fn number(self, number: f64) -> Result<usize, Error> {
        let rows = self.table.rows;
        let column = self.table.nodes[self.node].column.get_or_insert(Column::Number(Vec::new()));
        match column {
            Column::Number(numbers) if numbers.len() == rows => numbers.push(number),
            Column::OptionalNumber(numbers) => {
                numbers.resize(rows, None);
                numbers.push(Some(number));
            }
            Column::Number(numbers) => {
                let mut sparse = sparse(std::mem::take(numbers), rows);
                sparse.push(Some(number));
                *column = Column::OptionalNumber(sparse);
            }
            _ => return Err(mixed()),
        }
        Ok(0)
    }

    fn name(self, name: &str) -> Result<usize, Error> {
        if self.is_key {
            return Ok(self.table.member(self.node, name));
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

fn no_column<T>(what: &str) -> Result<T, Error> {
    Err(Error::custom(format_args!("{what} has no place in a column")))
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
        self.table.nodes[self.node].next = 0;
        Ok(Members { table: self.table, node: self.node, member: 0 })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Members<'a>, Error> {
        self.serialize_map(None)
    }

    fn serialize_bool(self, _: bool) -> Result<usize, Error> {
        no_column("a truth value")
    }

    fn serialize_i8(self, _: i8) -> Result<usize, Error> {
        no_column("a number that may be negative")
    }

    fn serialize_i16(self, _: i16) -> Result<usize, Error> {
        no_column("a number that may be negative")
    }

    fn serialize_i32(self, _: i32) -> Result<usize, Error> {
        no_column("a number that may be negative")
    }

    fn serialize_i64(self, _: i64) -> Result<usize, Error> {
        no_column("a number that may be negative")
    }

    fn serialize_char(self, _: char) -> Result<usize, Error> {
        no_column("a letter")
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<usize, Error> {
        no_column("a text of octets")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<usize, Error> {
        no_column("a structure without members")
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<usize, Error> {
        no_column("a choice")
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<usize, Error> {
        no_column("a choice")
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Error> {
        no_column("a tuple")
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Error> {
        no_column("a tuple with a name")
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        no_column("a choice")
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        no_column("a choice")
    }
}

/// The members of a record.
struct Members<'a> {
    table: &'a mut Table,
    node: usize,
    /// Whose value comes next.
    member: usize,
}

impl Members<'_> {
    fn put<T: ?Sized + Serialize>(&mut self, member: usize, value: &T) -> Result<(), Error> {
        value.serialize(Place { table: self.table, node: member, is_key: false }).map(drop)
    }

    fn look_up<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<usize, Error> {
        key.serialize(Place { table: self.table, node: self.node, is_key: true })
    }
}

impl SerializeStruct for Members<'_> {
    type Ok = usize;
    type Error = Error;

    fn serialize_field<T: ?Sized + Serialize>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        let member = self.table.member(self.node, name);
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
        self.member = self.look_up(key)?;
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
        table.nodes[*node].elements.get_or_insert_with(|| Box::new(Table::new()))
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
