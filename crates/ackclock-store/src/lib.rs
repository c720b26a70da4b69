//! Results on disk: written, read, checked. The document of a result ([`document`]) and its comparison with others
//! ([`comparison`]), the parts of a run of many flows ([`flows`]), tables of what was recorded ([`tables`], [`recorded`]), and a
//! result folder as it was kept ([`result`]).
//!
//! Below them, for every command that keeps finished runs: to whom a folder belongs ([`folder`]), who uses it
//! now ([`lock`]), the finished runs ([`ledger`]), documents that show whether they were changed ([`seal`]), and files
//! that have their name only when they are whole ([`whole`]). What is found wrong in a folder is a list of [`Findings`]; it begins
//! with its marker ([`Marked`]). `docs/store.md` says what survives what.

pub mod comparison;
pub mod disk;
pub mod document;
pub mod error;
mod finding;
pub mod flows;
pub mod folder;
mod holds;
pub mod ledger;
pub mod lock;
mod marked;
mod names;
mod owner;
pub mod recorded;
pub mod result;
pub mod seal;
pub mod tables;
pub mod whole;

pub use ackclock_columns::{files, panics};
pub use error::{Problem, StoreError};
pub use finding::{Finding, Findings, Weight, read_file};
pub use folder::ResultFolder;
pub use holds::{Holds, MARKER};
pub use ledger::{BadLine, Damage, Key, Ledger};
pub use marked::{Marked, PAGE_AGAIN, check_page};
pub use owner::Owner;
pub use whole::WholeFile;
