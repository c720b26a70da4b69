//! The tables of a sweep as files that have their names only when all of them are whole.

use std::io::{self, Write};

use ackclock_store::folder::checksum;
use ackclock_store::{ResultFolder, WholeFile};

use crate::error::Error;
use crate::results::{Results, Status};
use crate::summary::Method;
use crate::table;

/// The tables of a sweep.
pub(crate) const TABLES: [&str; 3] = ["table.parquet", "table.csv", "summary.csv"];

/// Writes all of them.
pub(crate) fn tables(folder: &mut ResultFolder, results: &Results, method: Method) -> Result<(), Error> {
    let path = folder.path().to_path_buf();
    let write = |name: &str| -> io::Result<WholeFile> {
        let mut file = WholeFile::create(&path.join(name))?;
        match name {
            "table.parquet" => table::parquet(results, &mut file)?,
            "table.csv" => table::csv(results, &mut file)?,
            _ => table::summary_csv(results, method, &mut file)?,
        }
        file.flush()?;
        file.sync()?;
        Ok(file)
    };
    let mut files = Vec::new();
    for name in TABLES {
        let failed = |error| Error::write(&path.join(name), error);
        let file = write(name).map_err(failed)?;
        let sum = checksum(file.temporary()).map_err(failed)?;
        files.push((name, sum, file));
    }
    let sums: Vec<(&str, String)> = files.iter().map(|(name, sum, _)| (*name, sum.clone())).collect();
    folder.note(&sums, results.count(Status::Missing) == 0)?;
    for (name, _, file) in files {
        file.commit().map_err(|error| Error::write(&path.join(name), error))?;
    }
    Ok(())
}
