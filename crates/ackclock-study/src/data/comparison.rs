//! What goes beyond the publication: choices side by side.

use serde::Deserialize;

use super::{Coordinates, Shown};

/// `comparisons.toml`: choices that are compared on networks or with parameters that the publication does not examine. They are
/// shown, not judged.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Comparison {
    pub id: String,
    /// The card it is reported with.
    pub card: String,
    /// What the choices are compared on.
    pub label: String,
    /// What can be seen.
    pub text: String,
    /// What is shown of each choice.
    pub show: Vec<Shown>,
    #[serde(rename = "row")]
    pub rows: Vec<Compared>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Compared {
    pub label: String,
    pub at: Coordinates,
}

/// The whole of `comparisons.toml`, which a study may do without.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Comparisons {
    #[serde(default)]
    pub comparison: Vec<Comparison>,
}
