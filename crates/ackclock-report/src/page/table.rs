//! Tables that scroll by themselves on a narrow screen and read well aloud.

use super::html::Html;
use super::number::{EQUAL, fixed, half_width};
use ackclock_store::document::interval::Interval;

/// A table. The first cell of each row is its heading.
#[derive(Clone, Debug, Default)]
pub struct Table {
    caption: String,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    /// Names of rows for links to them, as many as there are rows; most are empty.
    ids: Vec<String>,
    note: String,
}

#[derive(Clone, Debug)]
struct Column {
    name: String,
    unit: String,
    text: bool,
}

/// What stands in a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing: there is no such value.
    None,
    /// Words.
    Text(String),
    /// Words in the typeface of programs: hashes, paths.
    Code(String),
    /// A number, written out.
    Number(String),
    /// A mean, its 95 % interval for people, and half the width of that as a number.
    Interval(String, String, String),
    /// A verdict: the words say what the colour says.
    Verdict(Tone, String),
    /// A number or an interval with a verdict on it.
    Judged(Tone, Box<Cell>),
    /// A verdict with a reference to its reason.
    Explained(Tone, String, String),
}

/// What a verdict means. Each has a sign besides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As it should be.
    Good,
    /// Not as it should be.
    Bad,
    /// Worth a look.
    Notable,
    /// Neither good nor bad.
    Neutral,
}

impl Tone {
    /// Its class in the style sheet.
    pub(super) fn class(self) -> &'static str {
        match self {
            Tone::Good => "verdict good",
            Tone::Bad => "verdict bad",
            Tone::Notable => "verdict notable",
            Tone::Neutral => "verdict neutral",
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Tone::Good => "✓",
            Tone::Bad => "✗",
            Tone::Notable => "!",
            Tone::Neutral => "·",
        }
    }
}

impl Cell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    /// A number with so many decimals.
    pub fn number(value: f64, decimals: usize) -> Cell {
        Cell::Number(fixed(value, decimals))
    }

    /// A mean with its interval, multiplied with `scale`, of a quantity that is not below 0.
    pub fn interval(interval: &Interval, scale: f64, decimals: usize) -> Cell {
        Cell::within(interval, scale, decimals, (0.0, f64::INFINITY))
    }

    /// A mean, written out, with half the width of its interval.
    pub fn half(mean: String, half: f64, decimals: usize) -> Cell {
        Cell::Interval(mean, half_width(half, decimals), fixed(half, decimals))
    }

    /// A mean with its interval, multiplied with `scale`; or of an index or a share from `least` to 1, which is not.
    pub fn measured(interval: &Interval, scale: f64, decimals: usize, least: Option<f64>) -> Cell {
        Cell::within(interval, scale, decimals, least.map_or((0.0, f64::INFINITY), |least| (least, 1.0)))
    }

    /// A mean with its interval, multiplied with `scale`. Where half the width of the interval would leave what the quantity can
    /// be, the ends are shown.
    pub fn within(interval: &Interval, scale: f64, decimals: usize, (least, most): (f64, f64)) -> Cell {
        let mean = fixed(interval.mean * scale, decimals);
        match (interval.ci95, interval.cut(least, most)) {
            (None, _) => Cell::Number(mean),
            (Some(half), None) => Cell::half(mean, half * scale, decimals),
            (Some(half), Some((low, high))) => Cell::ends(mean, (low * scale, high * scale), half * scale, decimals),
        }
    }

    /// A mean, written out, with the ends of its interval; half its width is for saved tables.
    pub fn ends(mean: String, (low, high): (f64, f64), half: f64, decimals: usize) -> Cell {
        let [low, high] = [low, high].map(|end| fixed(end, decimals));
        if low == high {
            return Cell::half(mean, half, decimals);
        }
        Cell::Interval(mean, format!("{low} to {high}"), fixed(half, decimals))
    }

    /// Whether it is a mean without any spread.
    fn is_equal(&self) -> bool {
        matches!(self.judged(), Cell::Interval(_, shown, _) if shown == EQUAL)
    }

    /// What a verdict is on, or the cell itself.
    fn judged(&self) -> &Cell {
        if let Cell::Judged(_, cell) = self { cell } else { self }
    }

    /// A mean with its interval, or nothing.
    pub fn maybe(interval: &Option<Interval>, scale: f64, decimals: usize) -> Cell {
        interval.as_ref().map_or(Cell::None, |interval| Cell::interval(interval, scale, decimals))
    }
}

impl Table {
    /// A table without rows.
    pub fn new(caption: impl Into<String>) -> Table {
        Table { caption: caption.into(), ..Table::default() }
    }

    /// A column of numbers, aligned to the right. The unit may be empty.
    pub fn column(mut self, name: impl Into<String>, unit: impl Into<String>) -> Table {
        self.columns.push(Column { name: name.into(), unit: unit.into(), text: false });
        self
    }

    /// A column of words, aligned to the left.
    pub fn words(mut self, name: impl Into<String>) -> Table {
        self.columns.push(Column { name: name.into(), unit: String::new(), text: true });
        self
    }

    /// A sentence below the table.
    pub fn note(mut self, note: impl Into<String>) -> Table {
        self.note = note.into();
        self
    }

    /// Appends a row, which has as many cells as there are columns.
    pub fn row(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.columns.len(), "{}", self.caption);
        self.rows.push(cells);
        self.ids.push(String::new());
    }

    /// Appends a row to which links lead.
    pub fn row_named(&mut self, id: impl Into<String>, cells: Vec<Cell>) {
        self.row(cells);
        *self.ids.last_mut().expect("of the row") = id.into();
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table in HTML.
    pub fn html(&self) -> Html {
        let mut html = Html::new();
        let spreads: Vec<Spread> = (0..self.columns.len()).map(|n| self.spread(n)).collect();
        let classes: Vec<&str> = (0..self.columns.len()).map(|n| self.class(n)).collect();
        let region = [("class", "scroll"), ("role", "region"), ("tabindex", "0"), ("aria-label", &*self.caption)];
        html.tag("div", &region, |html| {
            let many = match self.columns.len() {
                0..10 => "",
                10..14 => "columns-10",
                14..18 => "columns-14",
                _ => "columns-18",
            };
            html.tag("table", &[("class", many)], |html| {
                html.leaf("caption", &[], &self.caption);
                html.tag("thead", &[], |html| {
                    html.tag("tr", &[], |html| {
                        self.columns.iter().zip(&classes).for_each(|(column, class)| heading(html, column, class));
                    });
                });
                html.tag("tbody", &[], |html| {
                    let rows = self.rows.iter().zip(&self.ids);
                    rows.for_each(|(cells, id)| body_row(html, id, cells, &classes, &spreads));
                });
            });
        });
        let has_equal = self.rows.iter().flatten().any(Cell::is_equal);
        let legend = if has_equal { "= all seeds gave the same." } else { "" };
        let note = format!("{} {legend}", self.note);
        if !note.trim().is_empty() {
            html.leaf("p", &[("class", "note")], note.trim());
        }
        html
    }

    /// What stands beside the numbers of a column.
    fn spread(&self, n: usize) -> Spread {
        let cells = || self.rows.iter().filter_map(|cells| cells.get(n));
        match cells().any(|cell| matches!(cell.judged(), Cell::Interval(..)) && !cell.is_equal()) {
            true => Spread::Intervals,
            false if cells().any(Cell::is_equal) => Spread::Equal,
            false => Spread::None,
        }
    }

    /// How a column is set: numbers to the right, words to the left, sentences in several lines.
    fn class(&self, n: usize) -> &'static str {
        let long = |cells: &Vec<Cell>| matches!(cells.get(n), Some(Cell::Text(text)) if text.chars().count() > LONG);
        match self.columns[n].text {
            false => "",
            true if self.rows.iter().any(long) => "text long",
            true => "text",
        }
    }
}

/// What stands beside the numbers of a column, and so how much room it takes.
#[derive(Clone, Copy)]
enum Spread {
    None,
    /// Signs that all seeds gave the same.
    Equal,
    /// Intervals, with such signs among them.
    Intervals,
}

impl Spread {
    fn class(self) -> &'static str {
        match self {
            Spread::None => "",
            Spread::Equal => "half equal",
            Spread::Intervals => "half",
        }
    }
}

fn body_row(html: &mut Html, id: &str, cells: &[Cell], classes: &[&str], spreads: &[Spread]) {
    html.tag("tr", &[("id", id)], |html| {
        for (n, (cell, class)) in cells.iter().zip(classes).enumerate() {
            match n {
                0 => html.tag("th", &[("scope", "row"), ("class", class)], |html| content(html, cell, spreads[n])),
                _ => html.tag("td", &[("class", class)], |html| {
                    content(html, cell, spreads[n]);
                    // A number without an interval stays below those that have one.
                    if !spreads[n].class().is_empty() && matches!(cell.judged(), Cell::Number(_) | Cell::None) {
                        html.leaf("span", &[("class", spreads[n].class())], "");
                    }
                }),
            };
        }
    });
}

fn heading(html: &mut Html, column: &Column, class: &str) {
    html.tag("th", &[("scope", "col"), ("class", class)], |html| {
        breakable(html, &column.name);
        if !column.unit.is_empty() {
            html.text(" ").leaf("span", &[("class", "unit")], &column.unit);
        }
    });
}

/// A name that may go on in the next line after a point or an underscore.
fn breakable(html: &mut Html, name: &str) {
    for part in name.split_inclusive(['.', '_']) {
        html.text(part);
        if part.ends_with(['.', '_']) && part.len() < name.len() {
            html.markup("<wbr>");
        }
    }
}

/// A text in which lines may end before the options of a command, and not within them.
fn options(html: &mut Html, text: &str) {
    for (nth, option) in text.split(" --").enumerate() {
        match nth {
            0 if option.starts_with("--") => drop(html.leaf("span", &[], option)),
            0 => drop(html.text(option)),
            _ => drop(html.text(" ").leaf("span", &[], &format!("--{option}"))),
        }
    }
}

fn content(html: &mut Html, cell: &Cell, spread: Spread) {
    match cell {
        Cell::None => html.markup("<span class=\"none\" title=\"no value\">–</span>"),
        Cell::Text(text) | Cell::Number(text) => html.text(text),
        Cell::Code(text) => html.tag("code", &[], |html| options(html, text)),
        Cell::Interval(mean, shown, half) if shown == EQUAL => {
            let attributes = [("class", spread.class()), ("title", "all seeds gave the same"), ("data-half", half)];
            html.text(mean).leaf("span", &attributes, " =")
        }
        Cell::Interval(mean, shown, half) => {
            // If they are words, the number is for saved tables.
            let number = if shown.starts_with("± ") { "" } else { half };
            html.text(mean).leaf("span", &[("class", "half"), ("data-half", number)], &format!(" {shown}"))
        }
        Cell::Verdict(tone, words) => verdict(html, *tone, words),
        Cell::Judged(tone, cell) => toned(html, *tone, |html| content(html, cell, spread)),
        Cell::Explained(tone, words, link) => html.tag("a", &[("href", link)], |html| {
            verdict(html, *tone, words);
        }),
    };
}

/// A verdict in colour, with a sign, and in words.
pub fn verdict<'a>(html: &'a mut Html, tone: Tone, words: &str) -> &'a mut Html {
    toned(html, tone, |html| {
        html.text(words);
    })
}

/// What `content` writes, in colour and behind a sign.
fn toned(html: &mut Html, tone: Tone, content: impl FnOnce(&mut Html)) -> &mut Html {
    html.tag("span", &[("class", tone.class())], |html| {
        html.leaf("span", &[("aria-hidden", "true")], tone.sign()).text(" ");
        content(html);
    })
}

/// Words with more letters are a sentence and may take several lines.
const LONG: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_may_take_several_lines_and_names_may_not() {
        let mut table = Table::new("Claims").words("claim").words("id");
        table.row(vec![Cell::text("short"), Cell::text("a-1")]);
        assert!(table.html().as_str().contains("<th scope=\"row\" class=\"text\">short</th>"));
        table.row(vec![Cell::text("x".repeat(LONG + 1)), Cell::text("x".repeat(LONG))]);
        let html = table.html();
        assert!(html.as_str().contains("<th scope=\"row\" class=\"text long\">short</th>"), "{}", html.as_str());
        assert!(html.as_str().contains("<th scope=\"col\" class=\"text\">id</th>"));
    }

    #[test]
    fn a_table_names_its_rows_and_columns() {
        let mut table = Table::new("Flows & more").words("flow").column("goodput", "Mb/s").column("x", "");
        let goodput = Interval { mean: 1.25e6, ci95: Some(1e5), min: 1e6, max: 2e6 };
        table.row(vec![Cell::text("<b>"), Cell::interval(&goodput, 1e-6, 2), Cell::None]);
        let html = table.html();
        for part in [
            "aria-label=\"Flows &amp; more\"",
            "<caption>Flows &amp; more</caption>",
            "<th scope=\"col\">goodput <span class=\"unit\">Mb/s</span></th>",
            "<th scope=\"row\" class=\"text\">&lt;b&gt;</th>",
            "<td>1.25<span class=\"half\"> ± 0.10</span></td>",
        ] {
            assert!(html.as_str().contains(part), "{part} is not in {}", html.as_str());
        }
    }

    #[test]
    fn a_mean_without_spread_has_a_sign_that_is_explained_and_takes_little_room_unless_intervals_stand_there_too() {
        let mut table =
            Table::new("Goodput").words("flow").column("goodput", "Mb/s").column("drops", "").note("Of all.");
        table.row(vec![Cell::text("a"), Cell::half("1.25".into(), 0.0, 2), Cell::half("3".into(), 0.0, 0)]);
        table.row(vec![Cell::text("b"), Cell::half("1.30".into(), 0.1, 2), Cell::None]);
        let html = table.html();
        for part in [
            "1.25<span class=\"half\" title=\"all seeds gave the same\" data-half=\"0.00\"> =</span>",
            "1.30<span class=\"half\"> ± 0.10</span>",
            "3<span class=\"half equal\" title=\"all seeds gave the same\" data-half=\"0\"> =</span>",
            "–</span><span class=\"half equal\"></span>",
            "<p class=\"note\">Of all. = all seeds gave the same.</p>",
        ] {
            assert!(html.as_str().contains(part), "{part} is not in {}", html.as_str());
        }
        let mut random = Table::new("Goodput").column("goodput", "Mb/s");
        random.row(vec![Cell::half("1.30".into(), 0.1, 2)]);
        assert!(!random.html().as_str().contains("all seeds"));
    }

    #[test]
    fn a_verdict_on_a_number_leaves_its_interval_where_it_is_for_signs_and_for_saved_tables() {
        let judged = |half| Cell::Judged(Tone::Good, Box::new(Cell::half("+2".into(), half, 1)));
        let html = |cells: Vec<Cell>| {
            let mut table = Table::new("Differences").words("result").column("goodput", "Mb/s");
            cells.into_iter().for_each(|cell| table.row(vec![Cell::text("a"), cell]));
            table.html()
        };
        let alike = html(vec![judged(0.0), Cell::None]);
        for part in [
            "</span> +2<span class=\"half equal\" title=\"all seeds gave the same\" data-half=\"0.0\"> =</span></span>",
            "–</span><span class=\"half equal\"></span>",
            "<p class=\"note\">= all seeds gave the same.</p>",
        ] {
            assert!(alike.as_str().contains(part), "{part} is not in {}", alike.as_str());
        }
        let random = html(vec![judged(0.1)]);
        let part = "</span> +2<span class=\"half\"> ± 0.1</span></span>";
        assert!(random.as_str().contains(part), "{}", random.as_str());
    }

    /// Of two runs, whose Jain's index is 0.35 and 0.97, and of which there are five flows: 0.66 ± 3.94.
    #[test]
    fn an_interval_stays_within_what_an_index_can_be() {
        let fairness = Interval { mean: 0.66, ci95: Some(3.94), min: 0.35, max: 0.97 };
        let cell = |least| Cell::measured(&fairness, 1.0, 2, least);
        assert_eq!(cell(Some(0.2)), Cell::Interval("0.66".into(), "0.20 to 1.00".into(), "3.94".into()));
        assert_eq!(cell(None), Cell::Interval("0.66".into(), "0.00 to 4.60".into(), "3.94".into()));
        let narrow = Interval { ci95: Some(0.3), ..fairness };
        assert_eq!(Cell::interval(&narrow, 1.0, 2), Cell::Interval("0.66".into(), "± 0.30".into(), "0.30".into()));
        let equal = Interval { mean: 0.5, ci95: Some(0.0), min: 0.5, max: 0.5 };
        assert_eq!(
            Cell::measured(&equal, 1.0, 2, Some(0.2)),
            Cell::Interval("0.50".into(), "equal".into(), "0.00".into())
        );
    }

    #[test]
    fn one_run_has_no_interval() {
        let one = Interval { mean: 0.5, ci95: None, min: 0.5, max: 0.5 };
        assert_eq!(Cell::interval(&one, 1.0, 1), Cell::Number("0.5".into()));
        assert_eq!(Cell::maybe(&None, 1.0, 1), Cell::None);
    }

    #[test]
    fn a_verdict_is_said_in_words_too() {
        let mut html = Html::new();
        verdict(&mut html, Tone::Bad, "differs");
        assert!(html.as_str().contains("✗") && html.as_str().contains("differs"));
    }
}
