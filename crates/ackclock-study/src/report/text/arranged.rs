//! A table in plain text, in the rows and columns of the publication.

use super::super::{CellReport, TableReport, Verdict};

/// No line is longer, as long as a label and one column are not.
const WIDTH: usize = 100;

impl TableReport {
    /// Lines with the published numbers where the publication has them, ours behind each, then those of readings that stand
    /// beside the default; columns that do not fit stand below. Nothing of a single row or column, which the list of the
    /// numbers shows as well.
    pub(crate) fn arranged(&self) -> Vec<String> {
        let layout = &self.layout;
        if layout.rows.len().min(layout.columns.len()) < 2 {
            return Vec::new();
        }
        let labels: Vec<&str> = std::iter::once(&layout.corner)
            .chain(layout.rows.iter().map(|row| &row.label))
            .map(String::as_str)
            .collect();
        let label_width = widest(labels.iter().copied());
        let mut columns: Vec<Vec<String>> = (0..layout.columns.len()).map(|column| self.column(column)).collect();
        let readings: String = (1..=self.readings.len()).map(|nth| format!(" / [{nth}]")).collect();
        let mut lines = vec![format!(
            "In the layout of the publication: published / ours{readings} (≠ does not agree, ! against the findings)"
        )];
        while !columns.is_empty() {
            let mut used = label_width;
            let fits = |column: &&Vec<String>| {
                used += 2 + widest(column.iter().map(String::as_str));
                used <= WIDTH
            };
            let count = columns.iter().take_while(fits).count().max(1);
            let beside: Vec<Vec<String>> = columns.drain(..count).collect();
            lines.extend(labels.iter().enumerate().map(|(nth, label)| {
                let texts = beside.iter().map(|column| {
                    let width = widest(column.iter().map(String::as_str));
                    format!("  {:<width$}", column[nth])
                });
                format!("{label:label_width$}{}", texts.collect::<String>())
            }));
        }
        lines
    }

    /// The head of a column of the publication, and what stands in each row; numbers end below each other.
    fn column(&self, column: usize) -> Vec<String> {
        let cells = self.layout.rows.iter().map(|row| row.cells[column].map_or(Vec::new(), |nth| self.numbers(nth)));
        let cells: Vec<Vec<String>> = cells.collect();
        let width_of = |nth: usize| widest(cells.iter().filter_map(|cell| cell.get(nth)).map(String::as_str));
        let text = |cell: &Vec<String>| {
            let aligned = cell.iter().enumerate().map(|(nth, number)| format!("{number:>0$}", width_of(nth)));
            aligned.collect::<Vec<_>>().join("/ ")
        };
        std::iter::once(self.layout.columns[column].clone()).chain(cells.iter().map(text)).collect()
    }

    /// The published number, ours, and those of the readings, each with its mark or a space.
    fn numbers(&self, nth: usize) -> Vec<String> {
        let cell = &self.cells[nth];
        let CellReport { published, decimals, .. } = cell;
        let number = |number: f64, mark: char| match number.is_nan() {
            true => format!("-{mark}"),
            false => format!("{number:.decimals$}{mark}"),
        };
        let ours = match cell.verdict {
            Verdict::Agrees => ' ',
            Verdict::Differs(_) => '≠',
            Verdict::Fails | Verdict::Vanished(_) => '!',
        };
        let readings = self.readings.iter().map(|reading| {
            let mark = if reading.agree[nth] { ' ' } else { '≠' };
            number(reading.numbers[nth].mean, mark)
        });
        [number(*published, ' '), number(cell.comparable().mean, ours)].into_iter().chain(readings).collect()
    }
}

fn widest<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0)
}
