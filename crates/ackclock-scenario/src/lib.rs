//! Scenario files: text in, [`ackclock::scenario::Scenario`] out, or every error of the files at once.
//!
//! One arrow, in steps: `text` lays files and arguments over one another as one tree; `document` checks each key and value by
//! itself (`check`) against the table in `keys`; `plan` checks what depends on more than one key (`network`, `flows`,
//! `satellites`, `queues`) and makes the scenario; `write` makes a file of it again. The JSON Schema comes from the same table.
//!
//! ```
//! use ackclock_scenario::{LoadError, Memory, load};
//!
//! let file = r#"
//!     duration = "10 s"
//!     [network]
//!     topology = "n-source"
//!     sources = 5
//!     rate = "155.52 Mbps"
//!     access_delay = "5 us"
//!     trunk_delay = "5 us"
//!     [queue]
//!     buffer = "1000 cells"
//! "#;
//! let files = Memory::new().with("lan.toml", file);
//! let loaded = load(&files, "lan.toml", &["queue.policy=epd".to_owned()]).unwrap();
//! assert_eq!(loaded.scenario.flows.len(), 5);
//!
//! let Err(LoadError::Invalid(errors)) = load(&files, "lan.toml", &["queue.policy=edp".to_owned()]) else { panic!() };
//! assert_eq!(errors[0].help.as_deref(), Some("did you mean \"epd\"?"));
//! ```

mod abr;
mod bottleneck;
mod check;
mod document;
mod doubts;
mod feedback;
mod flows;
mod keys;
mod load;
mod mechanisms;
mod medium;
mod network;
mod plan;
mod queues;
mod satellite_links;
mod satellites;
mod schema;
mod settings;
pub mod sweep;
mod text;
mod topologies;
mod value;
mod write;

pub use check::not_modelled::NOT_MODELLED_PAGE;
pub use keys::outside::{NotRegistered, Outside, OutsideMechanism};
pub use load::{Loaded, Loader, load, load_annotated};
pub use schema::json_schema;
pub use text::diagnostic::{Diagnostic, LoadError, Place, Severity};
pub use text::overrides::Argument;
pub use text::source::{Disk, Memory, Source, Unreadable};

use ackclock::keys::{Dimension, Quantity, QuantityError};
use ackclock::units::{Rate, Span};
use check::not_modelled;

/// What a word is called, if it stands for something that is often looked for and not modelled: "fq_codel" for FQ-CoDel.
/// [`NOT_MODELLED_PAGE`] says what is left out.
pub fn not_modelled(word: &str) -> Option<&'static str> {
    not_modelled::named(word)
}

/// Topics of [`NOT_MODELLED_PAGE`], and of each the names of what is often looked for and not modelled.
pub fn not_modelled_topics() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    not_modelled::topics()
}

/// Reads a rate as scenario files spell it: a number and a unit, as in "155.52 Mbps". An error says what is wrong.
pub fn rate(text: &str) -> Result<Rate, String> {
    let quantity = one(text, Dimension::Rate)?;
    Rate::from_bps(quantity.amount).ok_or_else(|| "must be more than 0".to_owned())
}

/// Reads a time as scenario files spell it: a number and a unit, as in "550 ms". An error says what is wrong.
pub fn time(text: &str) -> Result<Span, String> {
    one(text, Dimension::Time).map(|quantity| Span::from_ps(quantity.amount))
}

/// A number of bytes as scenario files spell it, as in "75 kB".
pub fn size(bytes: u64) -> String {
    Quantity { dimension: Dimension::Size, amount: bytes }.canonical()
}

/// What a word of scenario files stands for, if it is an alias of another: "bbr" for the newest BBR.
pub fn alias(word: &str) -> Option<&'static str> {
    keys::words::alias(word)
}

fn one(text: &str, dimension: Dimension) -> Result<Quantity, String> {
    Quantity::parse(text, &[dimension]).map_err(|trouble| match trouble {
        QuantityError::UnknownUnit { number, unit } if ackclock::keys::bytes_per_second(&number, &unit).is_some() => {
            let bits = ackclock::keys::bytes_per_second(&number, &unit).unwrap_or_default();
            format!("bytes per second; expected bits per second: {bits}")
        }
        _ => format!("expected {} with a unit: {}", dimension.name(), dimension.unit_list()),
    })
}
