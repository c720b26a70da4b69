//! The table of `run`: every number in it is one of `result.json`, to its last digit.

use serde_json::Value;

use crate::support::{PLAIN, Place, RANDOM};

/// What a number is in each run: the printed one is a mean with half the width of its interval.
struct Numbers {
    values: Vec<f64>,
    least: f64,
    most: f64,
}

/// A table with its document.
struct Printed {
    runs: Vec<Value>,
    /// How many numbers have been found.
    found: usize,
}

/// Whether a printed number is this one, to its digits.
fn is(printed: &str, number: f64) -> bool {
    let digits = printed.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let printed: f64 = printed.parse().unwrap_or_else(|_| panic!("no number: {printed}"));
    (printed - number).abs() <= 0.5 * 0.1_f64.powi(digits as i32) * (1.0 + 1e-6)
}

impl Numbers {
    fn new(values: Vec<f64>) -> Numbers {
        Numbers { values, least: 0.0, most: f64::INFINITY }
    }

    fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }

    /// Half the width of the 95 % interval of the mean, by Student's distribution with two degrees of freedom.
    fn half(&self) -> f64 {
        let squares: f64 = self.values.iter().map(|value| (value - self.mean()).powi(2)).sum();
        4.302_652_729_911_275 * (squares / 2.0 / 3.0).sqrt()
    }

    fn is_interval(&self, low: &str, high: &str) -> bool {
        is(low, (self.mean() - self.half()).max(self.least)) && is(high, (self.mean() + self.half()).min(self.most))
    }

    /// Whether this is the accuracy in a column of its own.
    fn has_spread(&self, printed: &str) -> bool {
        match (self.values.len(), printed) {
            (1, _) => printed == "-",
            (_, "equal") => self.values.iter().all(|value| *value == self.values[0]),
            _ => match (printed.strip_prefix('<'), printed.split_once(" to ")) {
                (Some(smallest), _) => self.half() < smallest.parse().unwrap(),
                (_, Some((low, high))) => self.is_interval(low, high),
                _ => is(printed, self.half()),
            },
        }
    }

    /// Whether this is the mean, with its accuracy in brackets if there is one.
    fn has_mean(&self, printed: &str) -> bool {
        let Some((mean, brackets)) = printed.split_once(" (") else {
            let is_sure = self.values.iter().all(|value| *value == self.values[0]);
            return is(printed, self.mean()) && is_sure;
        };
        let brackets = brackets.strip_suffix(')').unwrap();
        is(mean, self.mean())
            && match (brackets.strip_prefix('<'), brackets.split_once('-')) {
                (Some(smallest), _) => self.half() < smallest.parse().unwrap(),
                (_, Some((low, high))) => self.is_interval(low, high),
                _ => is(brackets, self.half()),
            }
    }
}

impl Printed {
    fn over(&self, of: impl Fn(&Value) -> f64) -> Numbers {
        Numbers::new(self.runs.iter().map(of).collect())
    }

    /// A number of a whole run.
    fn total(&self, name: &str) -> (Numbers, f64) {
        let sum = |run: &Value, list: &str, key: &dyn Fn(&Value) -> f64| {
            run[list].as_array().unwrap().iter().map(key).sum::<f64>()
        };
        let sent = |udp: &Value| measured(udp, "datagrams_sent");
        let lost = |udp: &Value| measured(udp, "datagrams_lost");
        let flows = self.runs[0]["flows"].as_array().unwrap().len();
        let share = |numbers: Numbers, least| (Numbers { least, most: 1.0, ..numbers }, 1.0);
        match name {
            "efficiency" => share(self.over(|run| after(run, "efficiency", "efficiency_after_warmup")), 0.0),
            "efficiency, with warm-up" => share(self.over(|run| run["efficiency"].as_f64().unwrap()), 0.0),
            "fairness" => share(self.over(|run| after(run, "fairness", "fairness_after_warmup")), 1.0 / flows as f64),
            "goodput Mb/s" => (self.over(|run| sum(run, "flows", &goodput)), 1e-6),
            "UDP goodput Mb/s" => (self.over(|run| sum(run, "udp", &|udp| measured(udp, "goodput_bps"))), 1e-6),
            "UDP loss" => share(self.over(|run| sum(run, "udp", &lost) / sum(run, "udp", &sent)), 0.0),
            _ => panic!("a total that is not known: {name}"),
        }
    }

    /// The same item of a list in every run.
    fn item(&self, list: &str, name: &str, of: impl Fn(&Value) -> f64) -> Numbers {
        self.over(|run| {
            let items = run[list].as_array().unwrap();
            of(items.iter().find(|item| item["name"] == name).unwrap_or_else(|| panic!("no {name} in {list}")))
        })
    }

    fn is_found(&self, head: &str, name: &str, column: &str, cell: &str) -> bool {
        let scaled = |numbers: Numbers, scale: f64| Numbers {
            values: numbers.values.iter().map(|value| value * scale).collect(),
            ..numbers
        };
        match (head, column) {
            ("all flows", "mean") => {
                let (numbers, scale) = self.total(name);
                is(cell, scaled(numbers, scale).mean())
            }
            ("all flows", "+/- 95 %") => {
                let (numbers, scale) = self.total(name);
                scaled(numbers, scale).has_spread(cell)
            }
            ("flow", "Mb/s") => is(cell, scaled(self.item("flows", name, goodput), 1e-6).mean()),
            ("flow", "+/- 95 %") => scaled(self.item("flows", name, goodput), 1e-6).has_spread(cell),
            ("flow", "share") => {
                let all = self.total("goodput Mb/s").0.mean();
                is(cell.strip_suffix(" %").unwrap(), 100.0 * self.item("flows", name, goodput).mean() / all)
            }
            ("flow", _) => {
                let key = match column {
                    "rtx" => "retransmissions",
                    "unnecessary" => "unnecessary_retransmissions",
                    "fast rtx" => "fast_retransmits",
                    "timeouts" => "timeouts",
                    _ => panic!("a column that is not known: {column}"),
                };
                self.item("flows", name, |flow| measured(flow, key)).has_mean(cell)
            }
            (_, "max queue" | "max, with warm-up") => {
                let largest = self.item("ports", name, |port| port["max_queue"].as_f64().unwrap());
                is(cell, largest.values.into_iter().fold(0.0, f64::max))
            }
            (_, "arrivals") => self.item("ports", name, |port| measured(port, "arrivals")).has_mean(cell),
            (_, "mean queue") => self.item("ports", name, |port| measured(port, "mean_queue")).has_mean(cell),
            (_, "overflow" | "partial frame" | "policy") => {
                let key = column.replace(' ', "_");
                let drops = |port: &Value| {
                    let measured = &port["after_warmup"];
                    let of = if measured.is_null() { port } else { measured };
                    of["drops"][&key].as_f64().unwrap()
                };
                self.item("ports", name, drops).has_mean(cell)
            }
            _ => panic!("a column that is not known: {column}"),
        }
    }

    /// Looks for each number of each table; the first line is the title.
    fn look(&mut self, text: &str) {
        let lines: Vec<&str> = text.lines().skip(1).collect();
        for table in lines.split(|line| line.is_empty()) {
            let cells = |line: &str| -> Vec<String> {
                line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(String::from).collect()
            };
            let header = cells(table[0]);
            let head = if header[0].starts_with("port, in ") { "port" } else { &header[0] };
            assert!(["all flows", "flow", "port"].contains(&head), "{text}");
            for line in &table[1..] {
                let row = cells(line);
                assert_eq!(row.len(), header.len(), "{line}");
                for (column, cell) in header.iter().zip(&row).skip(1) {
                    assert!(self.is_found(head, &row[0], column, cell), "{column} of {}: {cell}\n{text}", row[0]);
                    self.found += 1;
                }
            }
        }
    }
}

/// A number over the time after the warm-up, where there is one.
fn after(of: &Value, whole: &str, after: &str) -> f64 {
    of[after].as_f64().or(of[whole].as_f64()).unwrap()
}

fn goodput(flow: &Value) -> f64 {
    after(flow, "goodput_bps", "goodput_after_warmup_bps")
}

/// A number of an item over the time after the warm-up, where there is one.
fn measured(item: &Value, key: &str) -> f64 {
    item["after_warmup"][key].as_f64().or(item[key].as_f64()).unwrap_or_else(|| panic!("no {key} in {item}"))
}

/// How many numbers the table of a scenario has, each of them found.
fn found(test: &str, scenario: &str, more: &str) -> usize {
    let place = Place::with(test, scenario);
    let run = format!("run scenario.toml --out kept {more}");
    let text = place.run(&run).exits_with(0).stdout;
    let mut document: Value = serde_json::from_str(&place.read("kept/result.json")).unwrap();
    let seconds = document["scenario"]["duration_s"].as_f64().unwrap();
    let title = text.lines().next().unwrap();
    assert!(title.contains(&format!(": {seconds} s simulated")), "{title}");
    if let Some(warmup) = document["scenario"]["warmup_s"].as_f64().filter(|warmup| *warmup > 0.0) {
        assert!(title.contains(&format!(" the first {warmup} s (warm-up)")), "{title}");
    }
    let mut printed = Printed { runs: document["runs"].as_array_mut().map(std::mem::take).unwrap(), found: 0 };
    printed.look(&text);
    printed.found
}

#[test]
fn every_number_of_the_table_is_in_the_document() {
    // Totals with their accuracies, flows with seven numbers each, ports of cells with six and of packets with five.
    assert_eq!(found("printed-atm", RANDOM, "--seeds 3"), 4 * 2 + 3 * 7 + 2 * 6);
    assert_eq!(found("printed-atm-one", RANDOM, ""), 4 * 2 + 3 * 7 + 2 * 6);
    assert_eq!(found("printed-packets", PLAIN, ""), 3 * 2 + 2 * 7 + 5);
    let udp = ["from=s1", "to=d2", "rate=2 Mbps", "dither=true"].map(|word| format!("--set 'udp.u.{word}'"));
    let udp = format!("--seeds 3 {}", udp.join(" "));
    assert_eq!(found("printed-udp", PLAIN, &udp), 5 * 2 + 2 * 7 + 5);
    let udp = format!("{udp} --set 'warmup=50 ms'");
    assert_eq!(found("printed-udp-warmup", PLAIN, &udp), 6 * 2 + 2 * 7 + 5);
}
