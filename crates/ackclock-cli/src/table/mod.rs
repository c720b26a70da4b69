//! The table for people: at most twenty lines, however many flows, ports and seeds there are; with satellites ten more, and
//! twenty if delays are asked for, and of ABR flows seven.

use ackclock::measure::Expression;
use ackclock::record::Counter;
use ackclock_report::page::number::Scale;
use ackclock_store::document::Document;
use ackclock_store::document::events::EventPart;
use ackclock_store::document::interval::Interval;
use ackclock_store::document::summary::{FlowSummary, PortSummary, least_fairness};

mod abr;
mod columns;
mod delays;
pub mod sweep;

use columns::{NAME_LENGTH, count, header, mean_in_brackets, number};

pub use columns::{NOT_BELOW_0, Row, align, half_width, short, spread};

/// The table of a result with at least one finished run, ending in a line feed.
pub fn render(document: &Document) -> String {
    let mut text = title(document) + "\n";
    text.extend(document.live_line().map(|line| line + "\n"));
    let whole = document;
    let document = &*whole.after_warmup();
    let totals = totals(whole, document);
    // What is not in every result takes lines from the flows, and then from the ports.
    let more = totals.len().saturating_sub(TOTAL_LINES);
    let flow_lines = (FLOW_LINES - more).max(FOLDED_LINES);
    text += &align(totals);
    let measures = measures(document);
    if measures.len() > 1 {
        text.push('\n');
        text += &align(measures);
    }
    let flows = flows(document, flow_lines);
    if flows.len() > 1 {
        text.push('\n');
        text += &align(flows);
    }
    if let Some(sentence) = whole.limited_by_windows() {
        text += &format!("{sentence}\n");
    }
    let abr = abr::rows(document);
    if abr.len() > 1 {
        text.push('\n');
        text += &align(abr);
    }
    let ports = ports(document, whole.leaves_out_warmup(), FLOW_LINES + PORT_LINES - more - flow_lines);
    if ports.len() > 1 {
        text.push('\n');
        text += &align(ports);
    }
    let delays = delays::rows(document);
    if delays.len() > 1 {
        text.push('\n');
        text += &align(delays);
    }
    let events = events(document);
    if events.len() > 1 {
        text.push('\n');
        text += &align(events);
    }
    text
}

/// Longer measures are cut.
const MEASURE_LENGTH: usize = 48;

fn title(document: &Document) -> String {
    let scenario = &document.scenario;
    let seeds: Vec<u64> = document.runs.iter().map(|run| run.seed).collect();
    let seeds = match seeds[..] {
        [] => "no seed".into(),
        [seed] => format!("seed {seed}"),
        [first, .., last] if last - first + 1 == seeds.len() as u64 => format!("seeds {first} to {last}"),
        [first, .., last] => format!("{} seeds between {first} and {last}", seeds.len()),
    };
    let warmup = document.warmup_words();
    let brackets = if document.runs.len() > 1 { "; in brackets 95 %: +/- or from-to" } else { "" };
    let (name, made) = (short(&scenario.name, 40), document.made());
    format!("{name}: {} s {made}{warmup}, {seeds}{brackets}", scenario.duration_s)
}

fn totals(whole: &Document, document: &Document) -> Vec<Row> {
    let summary = &document.summary;
    let mut rows = Vec::new();
    let mut row = |name: &str, value: &Option<Interval>, scale: f64, digits: usize| {
        if let Some(value) = value {
            let limits = least(name, document.flows()).map_or(NOT_BELOW_0, |least| (least, 1.0));
            let spread = spread(value, scale, digits, limits);
            rows.push(vec![name.to_string(), number(value.mean * scale, digits), spread]);
        }
    };
    // All about TCP.
    if document.flows() > 0 {
        row("efficiency", &summary.efficiency, 1.0, 4);
        if whole.leaves_out_warmup() {
            row("efficiency, with warm-up", &whole.summary.efficiency, 1.0, 4);
        }
        row("fairness", &summary.fairness, 1.0, 4);
        row("weighted fairness", &summary.weighted_fairness, 1.0, 4);
        row("goodput Mb/s", &summary.goodput_bps, 1e-6, 3);
    }
    row("UDP goodput Mb/s", &summary.udp_goodput_bps, 1e-6, 3);
    row("UDP loss", &summary.udp_loss, 1.0, 4);
    row("packets lost on links", &summary.lost_on_links, 1.0, 1);
    rows.insert(0, header(&["all flows", "mean", "+/- 95 %"]));
    rows
}

/// The measures that were asked for. Where one has a value in some of the runs only, in how many.
fn measures(document: &Document) -> Vec<Row> {
    let runs = document.runs.len();
    let known =
        |text: &str| document.runs.iter().filter(|run| run.measures.get(text).is_some_and(Option::is_some)).count();
    let of_all = document.summary.measures.keys().all(|text| known(text) == runs);
    let mut rows =
        vec![header(if of_all { &["measure", "mean", "+/- 95 %"] } else { &["measure", "mean", "+/- 95 %", "runs"] })];
    for (text, value) in &document.summary.measures {
        let mut row = measure_row(text, value.as_ref(), document.flows());
        if !of_all {
            row.resize(3, String::new());
            row.push(format!("{} of {runs}", known(text)));
        }
        rows.push(row);
    }
    rows
}

/// A measure over the runs in which it has a value; `-` where there is none.
fn measure_row(text: &str, value: Option<&Interval>, flows: usize) -> Row {
    let name = short(text, MEASURE_LENGTH);
    let Some((value, measure)) = value.zip(Expression::parse(text).ok()) else { return vec![name, "-".into()] };
    let scale = Scale::fitting(value.mean.abs(), Some(measure.unit()).filter(|unit| *unit != "fraction").unwrap_or(""));
    let spread = spread(value, scale.factor, 4, measure.range().limits(flows));
    vec![format!("{name} {}", scale.unit).trim_end().to_owned(), number(value.mean * scale.factor, 4), spread]
}

/// The least that a number of [`totals`] can be, if 1 is the most.
fn least(name: &str, flows: usize) -> Option<f64> {
    match name {
        "fairness" => Some(least_fairness(flows)),
        "efficiency" | "efficiency, with warm-up" | "UDP loss" | "weighted fairness" => Some(0.0),
        _ => None,
    }
}

fn flows(document: &Document, lines: usize) -> Vec<Row> {
    let total = document.summary.goodput_bps.map_or(0.0, |goodput| goodput.mean);
    let flows = document.flows();
    let row = |number, label| document.flow(number).map(|flow| flow_row(&flow, label, total));
    let mut rows = vec![header(&["flow", "Mb/s", "+/- 95 %", "share", "rtx", "unnecessary", "fast rtx", "timeouts"])];
    if flows <= lines {
        rows.extend((0..flows).filter_map(|number| row(number, "")));
        return rows;
    }
    let ranked = document.flows_by_goodput();
    for (rank, label) in [(0, "best"), (ranked.len() / 2, "median"), (ranked.len() - 1, "worst")] {
        rows.extend(row(ranked[rank], label));
    }
    rows.push(vec![format!("... and {} more", flows - 3)]);
    rows
}

fn flow_row(flow: &FlowSummary, label: &str, total: f64) -> Row {
    let share = if total > 0.0 { 100.0 * flow.goodput_bps.mean / total } else { 0.0 };
    let name = short(&flow.name, NAME_LENGTH);
    vec![
        if label.is_empty() { name } else { format!("{name} ({label})") },
        number(flow.goodput_bps.mean * 1e-6, 3),
        spread(&flow.goodput_bps, 1e-6, 3, NOT_BELOW_0),
        format!("{share:.1} %"),
        count(&flow.counts.retransmissions),
        count(&flow.counts.unnecessary_retransmissions),
        count(&flow.counts.fast_retransmits),
        count(&flow.counts.timeouts),
    ]
}

/// The ports that dropped most, then those that queued most. Ports to which neither happened are left out.
fn ports(document: &Document, without_warmup: bool, lines: usize) -> Vec<Row> {
    let busy = document.busy_ports();
    let unit = format!("port, in {}", document.scenario.unit);
    // Largest queues are those of whole runs.
    let max_queue = if without_warmup { "max, with warm-up" } else { "max queue" };
    let shown = if busy.len() <= lines { busy.len() } else { lines - 1 };
    let ports: Vec<PortSummary> = busy[..shown].iter().filter_map(|number| document.port(*number)).collect();
    let tallies = PortSummary::counted(ports.iter());
    let names: Vec<String> = tallies.iter().map(|counter| counter.name.replace('_', " ")).collect();
    let mut heads = vec![unit.as_str(), "arrivals", "overflow", "partial frame", "policy"];
    heads.extend(names.iter().map(String::as_str).chain(["mean queue", max_queue]));
    let mut rows = vec![header(&heads)];
    rows.extend(ports.iter().map(|port| port_row(port, &tallies)));
    if busy.len() > shown {
        rows.push(vec![format!("... and {} more", busy.len() - shown)]);
    }
    if !document.counts_cells() {
        // Frames are a matter of cells.
        rows.iter_mut().filter(|row| row.len() > PARTIAL_FRAME).for_each(|row| drop(row.remove(PARTIAL_FRAME)));
    }
    rows
}

/// The column of [`port_row`] that only cells have.
const PARTIAL_FRAME: usize = 3;

fn port_row(port: &PortSummary, tallies: &[&Counter]) -> Row {
    let mut row = vec![
        short(&port.name, NAME_LENGTH),
        count(&port.arrivals),
        count(&port.drops.by_reason.overflow),
        count(&port.drops.by_reason.partial_frame),
        count(&port.drops.by_reason.policy),
    ];
    row.extend(tallies.iter().map(|counter| port.tally(counter).map_or("-".into(), count)));
    row.extend([mean_in_brackets(&port.mean_queue, 1.0, 1), number(port.max_queue.max, 0)]);
    row
}

/// Handovers, and routes found and lost; of many the first.
fn events(document: &Document) -> Vec<Row> {
    let of_ends: Vec<&EventPart> = document
        .scenario
        .events
        .iter()
        .filter(|event| event.is_of_end() && event.time_ps > 0 || event.kind == "route-lost")
        .collect();
    let mut rows = vec![header(&["event", "time s", "of", "before", "after"])];
    let shown = if of_ends.len() <= EVENT_LINES { of_ends.len() } else { EVENT_LINES - 1 };
    let other = |node: &Option<String>| node.as_ref().map_or("-".into(), |node| short(node, NAME_LENGTH));
    rows.extend(of_ends[..shown].iter().map(|event| {
        let time = number(event.time_s, 3);
        vec![event.kind.clone(), time, short(&event.node, NAME_LENGTH), other(&event.before), other(&event.after)]
    }));
    if of_ends.len() > shown {
        rows.push(vec![format!("... and {} more", of_ends.len() - shown)]);
    }
    rows
}

/// Lines of the totals, the header included, that every result may have.
const TOTAL_LINES: usize = 5;
/// Lines of many flows: best, median, worst and a count.
const FOLDED_LINES: usize = 4;
/// Lines of flows: more flows are summed up as best, median, worst and a count.
const FLOW_LINES: usize = 6;
const PORT_LINES: usize = 4;
const EVENT_LINES: usize = 8;
#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_store::document::example::{example, example_with_warmup};

    #[test]
    fn a_small_result_is_shown_in_full() {
        insta::assert_snapshot!(render(&example_with_warmup(3, 2, 3)));
    }

    #[test]
    fn of_many_flows_and_ports_the_telling_ones_are_shown() {
        insta::assert_snapshot!(render(&example(100, 50, 1)));
    }

    #[test]
    fn no_table_has_more_than_twenty_lines_or_anything_but_ascii() {
        for flows in 0..12 {
            for ports in 0..8 {
                let table = render(&example_with_warmup(flows, ports, 2));
                assert!(table.lines().count() <= 20, "{table}");
                assert!(table.is_ascii(), "{table}");
            }
        }
    }

    /// Of many flows there are no summaries of each.
    #[test]
    fn a_table_is_made_of_runs_and_their_summary_together() {
        for document in [example(100, 50, 1), example(2, 3, 2), example_with_warmup(9, 12, 3), example(0, 4, 1)] {
            let Document { command, scenario, seeds, runs, .. } = document.clone();
            let together = Document::together(command, scenario, seeds, runs);
            assert!(together.summary.flows.is_empty() && together.summary.ports.is_empty());
            assert_eq!(render(&together), render(&document));
        }
    }

    #[test]
    fn ports_without_a_queue_are_left_out() {
        let mut document = example(1, 1, 1);
        document.runs[0].ports[0].max_queue = 0;
        assert!(!render(&document).contains("port"));
    }

    #[test]
    fn what_only_some_ports_count_has_a_column_where_one_counts_it() {
        let mut document = example(1, 2, 1);
        document.summary = ackclock_store::document::summary::SummaryPart::of(&document.runs);
        assert!(!render(&document).contains("dropped after waiting"));
        document.runs[0].ports[1].tallies.dropped_after_waiting = Some(7);
        document.runs[0].ports[0].tallies.dropped_after_waiting = None;
        let table = render(&document);
        let of = |line: &str| table.lines().find(|of| of.starts_with(line)).unwrap().to_owned();
        assert!(of("port").contains("policy  dropped after waiting  mean queue"), "{table}");
        let words: Vec<String> = of("sw1->sw2").split_whitespace().map(str::to_owned).collect();
        let other: Vec<String> = of("sw0->sw1").split_whitespace().map(str::to_owned).collect();
        assert_eq!((words[5].as_str(), other[5].as_str()), ("7", "-"), "{table}");
    }

    #[test]
    fn ports_of_packets_know_no_frames() {
        let mut document = example(1, 2, 1);
        document.scenario.unit = "packets".into();
        let table = render(&document);
        assert!(!table.contains("frame") && !table.contains("cell"), "{table}");
        let heads = "port, in packets  arrivals  overflow  policy  mean queue  max queue\nsw1->sw2";
        assert!(table.contains(heads), "{table}");
        assert!(render(&example(1, 2, 1)).contains("partial frame"));
    }

    /// Of two runs of two flows, whose fairness is a third (which two flows cannot have) and almost 1: 0.662 ± 4.2.
    #[test]
    fn the_interval_of_a_share_is_cut_to_what_a_share_can_be() {
        let mut document = example(2, 0, 2);
        document.runs[1].fairness = Some(0.99);
        document.summary = ackclock_store::document::summary::SummaryPart::of(&document.runs);
        let table = render(&document);
        let line = table.lines().find(|line| line.starts_with("fairness")).unwrap();
        assert!(line.ends_with("0.6617  0.5000 to 1.0000"), "{table}");
    }
}
