//! The shell of every report: one file with its style, its script and its data, which asks no network for anything.

pub mod agreement;
pub mod bands;
pub mod chart;
pub(crate) mod curves;
pub mod dots;
mod drawing;
pub mod heat;
pub mod html;
pub mod number;
mod pack;
pub mod paper;
pub mod scatter;
mod svg;
pub mod table;

use chart::{Chart, Choice};
use html::{Html, escape, json_in_script};

/// A report in the making.
#[derive(Clone, Debug)]
pub struct Page {
    kind: String,
    title: String,
    lead: Html,
    sections: Vec<Section>,
    choices: Vec<Choice>,
    charts: String,
    charts_count: usize,
    /// Instants in seconds with a few words, drawn in every chart.
    marks: Vec<(f64, String)>,
}

#[derive(Clone, Debug)]
struct Section {
    id: String,
    /// In the navigation where there is little room; may be empty.
    short: String,
    heading: String,
    body: Html,
}

impl Page {
    /// A page without sections. `kind` says what sort of report it is.
    pub fn new(kind: impl Into<String>, title: impl Into<String>) -> Page {
        Page {
            kind: kind.into(),
            title: title.into(),
            lead: Html::new(),
            sections: Vec::new(),
            choices: Vec::new(),
            charts: String::new(),
            charts_count: 0,
            marks: Vec::new(),
        }
    }

    /// What stands between the title and the first section.
    pub fn lead(&mut self, lead: &Html) {
        self.lead.append(lead);
    }

    /// Appends a section with a heading. `id` is for links to it.
    pub fn section(&mut self, id: impl Into<String>, heading: impl Into<String>, body: Html) {
        self.section_named(id, "", heading, body);
    }

    /// Adds a section with a short name, which the navigation has where there is little space.
    pub fn section_named(
        &mut self,
        id: impl Into<String>,
        short: impl Into<String>,
        heading: impl Into<String>,
        body: Html,
    ) {
        self.sections.push(Section { id: id.into(), short: short.into(), heading: heading.into(), body });
    }

    /// Takes a choice of things to be shown, and gives its number and the place of its controls.
    pub fn choice(&mut self, choice: Choice) -> (usize, Html) {
        let number = self.choices.len();
        let mut html = Html::new();
        let label = format!("{} shown in the plots", choice.label);
        let attributes = [
            ("class", "choice"),
            ("role", "group"),
            ("aria-label", label.as_str()),
            ("data-choice", &number.to_string()),
        ];
        html.tag("div", &attributes, |_| {});
        self.choices.push(choice);
        (number, html)
    }

    /// Takes a chart whose lines belong to members of a choice, and gives the figure for a section.
    pub fn chart(&mut self, chart: &Chart, choice: usize) -> Html {
        self.figure(chart, choice, "chart")
    }

    /// The same for the first screen: low, without the sentence that says how to read it.
    pub fn low_chart(&mut self, chart: &Chart, choice: usize) -> Html {
        self.figure(chart, choice, "chart low")
    }

    fn figure(&mut self, chart: &Chart, choice: usize, class: &str) -> Html {
        if self.charts_count > 0 {
            self.charts.push(',');
        }
        self.charts_count += 1;
        chart.write(&mut self.charts, choice);
        let mut html = Html::new();
        html.tag("figure", &[("class", class), ("id", &chart.id)], |html| {
            html.tag("figcaption", &[], |html| {
                html.leaf("h3", &[], &chart.title).leaf("p", &[], &chart.about);
            });
            html.tag("div", &[("class", "plot")], |_| {});
        });
        html
    }

    /// Takes an instant, in seconds, that every chart shall show, with a few words.
    pub fn mark(&mut self, time_s: f64, label: impl Into<String>) {
        self.marks.push((time_s, label.into()));
    }

    /// The whole file.
    pub fn render(&self) -> String {
        let mut body = Html::new();
        body.tag("header", &[("class", "top")], |html| {
            html.leaf("p", &[("class", "kind")], &self.kind);
            html.leaf("h1", &[], &self.title);
            html.append(&self.lead);
        });
        body.tag("nav", &[("aria-label", "Sections")], |html| {
            for Section { id, short, heading, .. } in &self.sections {
                html.tag("a", &[("href", &format!("#{id}")), ("title", heading)], |html| match short.as_str() {
                    "" => {
                        html.text(heading);
                    }
                    short => {
                        html.leaf("span", &[("class", "short")], short).leaf("span", &[("class", "full")], heading);
                    }
                });
            }
        });
        body.tag("main", &[], |html| {
            for Section { id, heading, body, .. } in &self.sections {
                html.tag("section", &[("id", id), ("aria-labelledby", &format!("{id}-heading"))], |html| {
                    html.leaf("h2", &[("id", &format!("{id}-heading"))], heading).append(body);
                });
            }
        });
        // A long navigation stands beside the page where there is room, or breaks into lines.
        let letters: usize = self.sections.iter().map(|section| section.heading.chars().count() + 3).sum();
        let long = if letters > MOST_IN_LINE { " class=\"long\"" } else { "" };
        let choices: Vec<String> = self
            .choices
            .iter()
            .map(|choice| {
                let mut json = String::new();
                choice.write(&mut json);
                json
            })
            .collect();
        let marks = serde_json::to_string(&self.marks).expect("numbers and texts");
        let data = format!("{{\"choices\":[{}],\"marks\":{marks},\"charts\":[{}]}}", choices.join(","), self.charts);
        let scripts = match self.charts_count {
            0 => String::new(),
            _ => format!("<script>\n/*\nuPlot\n\n{UPLOT_LICENCE}*/\n{UPLOT_JS}</script>\n"),
        };
        let style = if self.charts_count > 0 { UPLOT_CSS } else { "" };
        // No address is ever asked for anything: not by mistake, not by a name that means harm.
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             {MARK}\n<meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
             script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
             <title>{title}</title>\n<style>\n{style}\n{REPORT_CSS}</style>\n</head>\n<body{long}>\n{body}\n\
             <footer>Ackclock {version}</footer>\n\
             <script type=\"application/json\" id=\"data\">{data}</script>\n\
             {scripts}<script>\n{SAVE_JS}</script>\n<script>\n{REPORT_JS}</script>\n</body>\n</html>\n",
            title = escape(&format!("{} – {}", self.title, self.kind)),
            body = body.as_str(),
            version = env!("CARGO_PKG_VERSION"),
            data = json_in_script(&data),
        )
    }
}

/// By this, which stands near the beginning, a report of ours is recognized.
pub const MARK: &str = concat!("<meta name=\"generator\" content=\"Ackclock ", env!("CARGO_PKG_VERSION"), "\">");

/// Letters of headings that have room beside each other.
const MOST_IN_LINE: usize = 120;
const REPORT_CSS: &str = include_str!("../../assets/report.css");
const SAVE_JS: &str = include_str!("../../assets/save.js");
const REPORT_JS: &str = include_str!("../../assets/report.js");
const UPLOT_JS: &str = include_str!("../../assets/uplot/uPlot.iife.min.js");
const UPLOT_CSS: &str = include_str!("../../assets/uplot/uPlot.min.css");
const UPLOT_LICENCE: &str = include_str!("../../assets/uplot/LICENSE");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_complete_in_itself() {
        let mut page = Page::new("Report", "A <b> & \"c\"");
        page.section(
            "one",
            "First",
            Html::of("p", |html| {
                html.text("hello");
            }),
        );
        let text = page.render();
        assert!(text.contains("<title>A &lt;b&gt; &amp; &quot;c&quot; – Report</title>"));
        assert!(text.contains("<h2 id=\"one-heading\">First</h2>"));
        // A place within a picture is no address.
        let text = text.replace("url(#", "");
        for asks in ["src=", "@import", "url(", "<link"] {
            assert!(!text.contains(asks), "{asks} in a page that is to stand alone");
        }
    }

    #[test]
    fn what_is_embedded_does_not_end_its_element() {
        for script in [REPORT_JS, SAVE_JS, UPLOT_JS, UPLOT_LICENCE] {
            assert!(!script.contains("</script") && !script.contains("<!--"));
        }
        assert!(!UPLOT_LICENCE.contains("*/") && !REPORT_CSS.contains("</style"));
    }
}
