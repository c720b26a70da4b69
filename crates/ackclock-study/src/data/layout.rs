//! How a publication arranges a table.

use serde::Deserialize;

/// `[layout]` of a table: the rows and columns of the publication, where they are not those of the file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Layout {
    /// The head of the labels of the rows.
    #[serde(default)]
    pub corner: String,
    #[serde(rename = "column")]
    pub columns: Vec<LayoutColumn>,
    pub rows: Vec<LayoutRow>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LayoutColumn {
    pub label: String,
    /// `row/column` in the file, in which `{row}` stands for the name of a row of the publication.
    pub cell: String,
}

/// A row of the publication: a label, which is its name too, or both.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum LayoutRow {
    Named(String),
    Labelled { label: String, name: String },
}

impl LayoutRow {
    pub fn label(&self) -> &str {
        match self {
            LayoutRow::Named(label) | LayoutRow::Labelled { label, .. } => label,
        }
    }

    fn name(&self) -> &str {
        match self {
            LayoutRow::Named(name) | LayoutRow::Labelled { name, .. } => name,
        }
    }
}

impl LayoutColumn {
    /// The cell, `row/column`, that stands here in a row.
    pub fn cell_of(&self, row: &LayoutRow) -> String {
        self.cell.replace("{row}", row.name())
    }
}
