//! How a publication arranges a table.

use serde::Deserialize;

use super::Table;

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

/// A column of the publication.
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

impl Layout {
    /// What is wrong with the layout of a table: every published cell has one place; a place may be empty.
    pub fn check(&self, table: &Table) -> Result<(), String> {
        let mut places: Vec<String> =
            self.rows.iter().flat_map(|row| self.columns.iter().map(|column| column.cell_of(row))).collect();
        places.sort();
        if let Some(twice) = places.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("the layout has two places for \"{}\"", twice[0]));
        }
        for row in &table.rows {
            for column in table.columns_of(row) {
                let cell = format!("{}/{}", row.label, column.label);
                if table.is_published(row, column) && places.binary_search(&cell).is_err() {
                    return Err(format!("the layout has no place for \"{cell}\""));
                }
            }
        }
        Ok(())
    }
}
