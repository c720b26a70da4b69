//! Charts over time. A chart is data; the script of the page draws it.

use std::fmt::Write;

use super::pack;

/// A chart over time.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Unique on the page: letters, digits, hyphens.
    pub id: String,
    /// What is shown.
    pub title: String,
    /// How to read it, in a sentence.
    pub about: String,
    /// What the values are: `cwnd`.
    pub quantity: String,
    /// The unit of the values as they are given, empty for none.
    pub unit: String,
    /// Whether values are better seen on a logarithmic scale to begin with.
    pub logarithmic: bool,
    /// The highest value to be shown at first, if some rare ones are higher.
    pub top: Option<f64>,
    /// What the upright axis shows at first at least, so that several charts can have the same one.
    pub reach: Option<f64>,
    /// Which colour of the style sheet its lines have, where all are of one member; by role if there is none.
    pub colour: Option<usize>,
    /// Whether it is whole lines that are higher, and not rare values of all: then it counts only beside lower lines.
    pub apart: bool,
    /// The right edge in seconds; the left one is 0.
    pub end: f64,
    /// Intervals are averaged over at least so many seconds; 0 if each is shown as it is while there is room.
    pub window_s: f64,
    /// The roles of lines that are not drawn at first, because they would flatten the others; the legend shows them.
    pub hidden_roles: Vec<usize>,
    /// Instants of note in seconds: upright lines.
    pub marks: Vec<f64>,
    /// The lines of all members of the choice.
    pub lines: Vec<Line>,
}

/// One line (or its like) in a chart.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it shows: `ssthresh`.
    pub name: String,
    /// Whose it is: an index into the members of the choice.
    pub member: usize,
    /// Which of the lines of its member it is; lines of the same role look alike.
    pub role: usize,
    /// How it is drawn.
    pub style: Style,
    /// What is drawn.
    pub data: Data,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Each value holds until the next.
    Steps,
    /// A dot at each value.
    Dots,
    /// A cross at each value, larger than a dot.
    Crosses,
    /// The area between the smallest and the largest value, and a line for the mean.
    Band,
    /// A filled column for each interval.
    Columns,
}

/// What is drawn. Times are in seconds.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Values at instants.
    Points {
        /// When, in order.
        time: Vec<f64>,
        /// What; infinite for a gap.
        value: Vec<f64>,
    },
    /// Values over intervals that follow each other from 0; the last ends with the chart.
    Intervals {
        /// Their length in seconds.
        interval: f64,
        /// Smallest values; empty where only the mean is shown.
        min: Vec<f64>,
        /// Means.
        mean: Vec<f64>,
        /// Largest values; empty where only the mean is shown.
        max: Vec<f64>,
    },
}

/// Some things of a kind, of which a reader chooses those to be shown: flows, ports.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What they are, in the plural: `Flows`.
    pub label: String,
    /// Their names.
    pub members: Vec<String>,
    /// Those shown at the beginning, as indices.
    pub chosen: Vec<usize>,
}

impl Chart {
    /// Whether there is anything to draw.
    pub fn is_empty(&self) -> bool {
        self.lines.iter().all(|line| line.data.is_empty())
    }

    /// Appends the chart as JSON, for the script. `choice` is the index of its choice on the page.
    pub(super) fn write(&self, json: &mut String, choice: usize) {
        let _ = write!(
            json,
            "{{\"id\":{},\"title\":{},\"quantity\":{},\"unit\":{},\"log\":{},\"top\":{},\"reach\":{},\"colour\":{},\"apart\":{},\"end\":{},\"window\":{},\"off\":{:?},\"marks\":{:?},\"choice\":{choice},\"lines\":[",
            string(&self.id),
            string(&self.title),
            string(&self.quantity),
            string(&self.unit),
            self.logarithmic,
            self.top.map_or("null".into(), |top| top.to_string()),
            self.reach.map_or("null".into(), |reach| reach.to_string()),
            self.colour.map_or("null".into(), |colour| colour.to_string()),
            self.apart,
            self.end,
            self.window_s,
            self.hidden_roles,
            self.marks,
        );
        for (n, line) in self.lines.iter().enumerate() {
            if n > 0 {
                json.push(',');
            }
            line.write(json, self.end);
        }
        *json += "]}";
    }
}

impl Line {
    fn write(&self, json: &mut String, end: f64) {
        let _ = write!(
            json,
            "{{\"name\":{},\"member\":{},\"role\":{},\"style\":\"{}\"",
            string(&self.name),
            self.member,
            self.role,
            self.style.name(),
        );
        match &self.data {
            Data::Points { time, value } => {
                *json += ",\"t\":";
                pack::instants(json, time, end);
                *json += ",\"v\":";
                pack::values(json, value, POINT_DIGITS);
            }
            Data::Intervals { interval, min, mean, max } => {
                let _ = write!(json, ",\"dt\":{interval},\"v\":");
                pack::values(json, mean, MEAN_DIGITS);
                for (name, values) in [("lo", min), ("hi", max)] {
                    if !values.is_empty() {
                        let _ = write!(json, ",\"{name}\":");
                        pack::values(json, values, MEAN_DIGITS);
                    }
                }
            }
        }
        json.push('}');
    }
}

impl Style {
    fn name(self) -> &'static str {
        match self {
            Style::Steps => "steps",
            Style::Dots => "dots",
            Style::Crosses => "crosses",
            Style::Band => "band",
            Style::Columns => "columns",
        }
    }
}

impl Data {
    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        match self {
            Data::Points { value, .. } => value.is_empty(),
            Data::Intervals { mean, .. } => mean.is_empty(),
        }
    }
}

impl Choice {
    pub(super) fn write(&self, json: &mut String) {
        let members: Vec<String> = self.members.iter().map(|member| string(member)).collect();
        let (label, members) = (string(&self.label), members.join(","));
        let _ = write!(json, "{{\"label\":{label},\"chosen\":{:?},\"members\":[{members}]}}", self.chosen);
    }
}

fn string(text: &str) -> String {
    serde_json::to_string(text).expect("a string")
}

/// Positions in a stream grow large and are looked at closely.
const POINT_DIGITS: i32 = 6;
/// An average needs no more.
const MEAN_DIGITS: i32 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_is_valid_json_whatever_its_names() {
        let points = Data::Points { time: vec![0.0, 1.0], value: vec![f64::INFINITY, 2.0] };
        let intervals =
            Data::Intervals { interval: 0.5, min: vec![0.0, 1.0], mean: vec![0.5, 1.5], max: vec![1.0, 2.0] };
        let line = |data, style| Line { name: "a\"b\u{2028}".into(), member: 0, role: 0, style, data };
        let chart = Chart {
            id: "x".into(),
            title: "</script>".into(),
            about: String::new(),
            quantity: "q".into(),
            unit: String::new(),
            logarithmic: false,
            top: None,
            reach: Some(4.5),
            colour: None,
            apart: false,
            end: 1.0,
            window_s: 0.25,
            hidden_roles: vec![2],
            marks: vec![0.5],
            lines: vec![line(points, Style::Steps), line(intervals, Style::Band)],
        };
        let mut json = String::new();
        chart.write(&mut json, 3);
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&value["choice"], &value["title"]), (&3.into(), &"</script>".into()));
        assert_eq!(value["marks"].to_string(), "[0.5]");
        assert_eq!((value["reach"].as_f64(), value["colour"].is_null()), (Some(4.5), true));
        assert_eq!((value["window"].as_f64(), value["off"].to_string()), (Some(0.25), "[2]".into()));
        assert_eq!(value["lines"][0]["v"]["d"].to_string(), "[null,2]");
        assert_eq!(value["lines"][1]["hi"]["d"].to_string(), "[1,1]");
        assert!(!chart.is_empty());
    }
}
