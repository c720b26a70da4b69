//! A contact plan as a folder: a Parquet file for each of its tables, and an index that vouches for them.
//!
//! | file | a row for each |
//! |---|---|
//! | `nodes.parquet` | satellite or terminal |
//! | `contacts.parquet` | time during which two nodes see each other |
//! | `delays.parquet` | breakpoint of the delay of a link |
//! | `hops.parquet` | change of the next node on the way to a destination |
//! | `routes.parquet` | change of the way between two terminals |
//! | `events.parquet` | thing that happened to a link |
//!
//! The index is written last and holds a checksum of every file and of itself. A file that was cut off, changed, or left
//! by another plan is an error with a place, never another plan. A plan that is read is equal to the one written.

mod error;
mod index;
mod tables;

pub use error::{OfPlans, PlanError, Problem};

use std::fs::{self, File};
use std::path::Path;

use ackclock_results::columnar;
use ackclock_results::tables::Kind;
use parquet::file::reader::{FileReader, SerializedFileReader};

use self::index::{Index, IndexedFile};
use self::tables::TABLES;
use super::Plan;
use crate::course::Course;

/// The number that changes whenever a reader of plans would have to.
pub const FORMAT_VERSION: u32 = 1;
/// The file that vouches for the others.
pub const INDEX: &str = "plan.json";

impl Plan {
    /// Writes the plan to a folder, which is made if it is not there. Everything has reached the disk when this returns.
    ///
    /// # Errors
    /// If a file cannot be written: no room, no permission.
    pub fn write(&self, folder: &Path) -> Result<(), PlanError> {
        fs::create_dir_all(folder).map_err(|error| PlanError::io(folder, error))?;
        let mut files = Vec::new();
        for table in TABLES {
            let path = folder.join(table.file_name());
            let file = File::create(&path).map_err(|error| PlanError::io(&path, error))?;
            let named: Vec<(&str, Kind)> = table.columns.iter().map(|column| (column.name, column.kind)).collect();
            let mut columns = (table.values)(self).into_iter().map(Some).collect::<Vec<_>>();
            let rows = columns.first().and_then(Option::as_ref).map_or(0, |(rows, _)| *rows);
            columnar::write(&file, table.name, &named, table.metadata(), usize::from(rows > 0), |_, column| {
                columns[column].take().expect("each column is asked for once").1
            })
            .map_err(|error| PlanError::io(&path, columnar::cause(error)))?;
            file.sync_all().map_err(|error| PlanError::io(&path, error))?;
            let (bytes, blake3) = columnar::checksum(&path).map_err(|error| PlanError::io(&path, error))?;
            files.push(IndexedFile { table: table.name.into(), rows: rows as u64, bytes, blake3 });
        }
        Index::of(self, files).write(&folder.join(INDEX))
    }

    /// The plan of a folder.
    ///
    /// # Errors
    /// If there is none, or if any of its files is not as it was written.
    pub fn read(folder: &Path) -> Result<Plan, PlanError> {
        let index = Index::read(&folder.join(INDEX))?;
        let mut plan = index.empty_plan();
        for table in TABLES {
            let path = folder.join(table.file_name());
            let entry = index.files.iter().find(|file| file.table == table.name);
            let entry = entry.ok_or_else(|| PlanError::damaged(&folder.join(INDEX), "it does not name all tables"))?;
            entry.check(&path)?;
            let damaged = |what: String| PlanError::damaged(&path, what);
            let file = File::open(&path).map_err(|error| PlanError::io(&path, error))?;
            let reader = SerializedFileReader::new(file).map_err(|error| damaged(error.to_string()))?;
            if reader.metadata().file_metadata().schema_descr().num_columns() != table.columns.len() {
                return Err(damaged("it has other columns".into()));
            }
            (table.read)(&mut plan, &reader).map_err(|error| damaged(error.to_string()))?;
        }
        plan.in_order().map_err(|what| PlanError::damaged(folder, what))?;
        Ok(plan)
    }

    /// Makes sure of the orders that the plan's methods count on, and that simulators may.
    fn in_order(&self) -> Result<(), &'static str> {
        let end_of = |course: &Course| course.to();
        if !self.links.is_sorted_by_key(|link| (link.a, link.b, link.course.from())) {
            return Err("its links are not in order");
        }
        let overlaps = self.links.windows(2).any(|pair| {
            (pair[0].a, pair[0].b) == (pair[1].a, pair[1].b) && end_of(&pair[0].course) > pair[1].course.from()
        });
        if overlaps {
            return Err("a link has two delays at one time");
        }
        let sorted = self.hops.is_sorted_by_key(|hop| (hop.time, hop.destination, hop.node))
            && self.routes.is_sorted_by_key(|route| route.time)
            && self.events.is_sorted_by_key(|event| event.time)
            && self.contacts.is_sorted_by_key(|contact| contact.from);
        if sorted { Ok(()) } else { Err("its times do not go up") }
    }
}
