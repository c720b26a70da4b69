//! The report of one result: what came out, what it says, how it went over time, and how to repeat it.

mod abr;
mod counts;
mod delays;
mod feedback;
mod findings;
mod glance;
mod live;
mod over_time;
mod ranked;

use ackclock::measure::Expression;
use ackclock::record::{Counters, LinkLosses, Series};

use crate::LARGEST_BYTES;
use crate::page::Page;
use crate::page::html::Html;
use crate::page::number::{Scale, fixed, percent, plural};
use crate::page::table::{Cell, Table};
use crate::repeat::repeat;
use ackclock_store::document::Document;
use ackclock_store::document::events::EventPart;
use ackclock_store::document::interval::Interval;
use ackclock_store::document::summary::{FlowSummary, LinkSummary, PortSummary, least_fairness};
use counts::counts_cell;
use ranked::{busy_ports, ranked};

pub use findings::settles_s;

/// The report of a result as one HTML file. `series` are what was recorded under `seed`, if anything was.
pub fn run(document: &Document, seed: u64, series: &[Series]) -> String {
    // What a point costs depends on its digits: try generous budgets first.
    let pages = POINT_BUDGETS.iter().map(|&points| page(document, seed, series, points).render());
    let mut smallest = String::new();
    for page in pages {
        smallest = page;
        if smallest.len() < LARGEST_BYTES {
            break;
        }
    }
    smallest
}

fn page(document: &Document, seed: u64, series: &[Series], points: usize) -> Page {
    let mut page = Page::new("Run report", &document.scenario.name);
    let shown = &*document.after_warmup();
    let drawn = over_time::draw(&mut page, document, seed, series, points);
    page.lead(&glance::glance(document, shown, series, &drawn.first));
    page.section("results", "Results", results(document, shown));
    let of_delays = delays::section(document, seed);
    if !of_delays.is_empty() {
        page.section("delays", "Delays", of_delays);
    }
    page.section("time", "Over time", drawn.rest);
    if document.scenario.warmup_s > 0.0 {
        page.mark(document.scenario.warmup_s, "end of the warm-up");
    }
    let events = &document.scenario.events;
    if !events.is_empty() {
        page.section("events", "Events", events_section(events));
        events.iter().filter(|event| event.time_s > 0.0).for_each(|event| page.mark(event.time_s, event.label()));
    }
    let of_live = live::section(document);
    if !of_live.is_empty() {
        page.section("live", "On real TCP", of_live);
    }
    page.section("repeat", "How to repeat it", repeat(document));
    page
}

fn results(document: &Document, shown: &Document) -> Html {
    let mut html = Html::new();
    html.tag("div", &[("class", "side-by-side")], |html| {
        html.append(&Html::of_class("div", "", &totals(document, shown).html()));
        html.append(&Html::of_class("div", "", &flows(shown)));
    });
    html.append(&abr::section(shown));
    html.append(&feedback::section(shown));
    html.append(&udp(shown));
    html.append(&ports(shown, document.leaves_out_warmup()));
    html.append(&links(shown));
    html
}

fn totals(document: &Document, shown: &Document) -> Table {
    let summary = &shown.summary;
    let seeds = document.runs.len();
    let note = match seeds {
        0 | 1 => "One seed: no confidence intervals.".to_string(),
        _ => {
            format!("± is half the width of the 95 % confidence interval of the mean over {seeds} seeds (Student's t).")
        }
    };
    let mut table =
        Table::new("All flows together").words("").column("mean", "").column("lowest", "").column("highest", "");
    let mut row = |name: String, value: &Option<Interval>, scale: f64, decimals: usize, least: Option<f64>| {
        if let Some(value) = value {
            let number = |value: f64| Cell::number(value * scale, decimals);
            table.row(vec![
                Cell::Text(name),
                Cell::measured(value, scale, decimals, least),
                number(value.min),
                number(value.max),
            ]);
        }
    };
    row("efficiency".into(), &summary.efficiency, 1.0, 4, Some(0.0));
    if document.leaves_out_warmup() {
        row("efficiency, warm-up included".into(), &document.summary.efficiency, 1.0, 4, Some(0.0));
    }
    row("fairness (Jain)".into(), &summary.fairness, 1.0, 4, Some(least_fairness(summary.flows.len())));
    let of = if summary.flows.iter().any(|flow| flow.abr.is_some()) { "ACR" } else { "goodput" };
    row(format!("fairness of {of} over max-min shares"), &summary.weighted_fairness, 1.0, 4, Some(0.0));
    let scale = Scale::fitting(summary.goodput_bps.map_or(0.0, |goodput| goodput.mean), "bit/s");
    row(format!("goodput, {}", scale.unit), &summary.goodput_bps, scale.factor, 3, None);
    let scale = Scale::fitting(summary.udp_goodput_bps.map_or(0.0, |goodput| goodput.mean), "bit/s");
    row(format!("goodput of UDP, {}", scale.unit), &summary.udp_goodput_bps, scale.factor, 3, None);
    row("UDP loss".into(), &summary.udp_loss, 1.0, 4, Some(0.0));
    row("packets lost on links".into(), &summary.lost_on_links, 1.0, 1, None);
    for (text, value) in &summary.measures {
        table.row(measure_row(document, shown, text, value.as_ref()));
    }
    table.note(note)
}

/// A measure that was asked for, over the runs in which it has a value; its interval is cut to what the measure can be.
fn measure_row(document: &Document, shown: &Document, text: &str, value: Option<&Interval>) -> Vec<Cell> {
    let Some((value, measure)) = value.zip(Expression::parse(text).ok()) else {
        return vec![Cell::text(format!("measure {text}")), Cell::None, Cell::None, Cell::None];
    };
    let unit = if measure.unit() == "fraction" { "" } else { measure.unit() };
    let scale = Scale::fitting(value.mean.abs(), unit);
    let unit = if scale.unit.is_empty() { String::new() } else { format!(", {}", scale.unit) };
    let (known, seeds) = (document.runs.iter().filter(|run| run.measures[text].is_some()).count(), document.runs.len());
    let of_runs = if known < seeds { format!(" ({known} of {seeds} runs)") } else { String::new() };
    let limits = measure.range().limits(shown.summary.flows.len());
    let number = |value: f64| Cell::number(value * scale.factor, 4);
    vec![
        Cell::Text(format!("measure {text}{unit}{of_runs}")),
        Cell::within(value, scale.factor, 4, limits),
        number(value.min),
        number(value.max),
    ]
}

/// The table of flows: all of a few; of many the best and the worst, and all of them folded away.
fn flows(document: &Document) -> Html {
    let all: Vec<&FlowSummary> = document.summary.flows.iter().collect();
    if all.len() <= FLOWS_OPEN {
        return flow_table(document, "Flows", &all).html();
    }
    let ranked = ranked(document);
    let telling: Vec<&FlowSummary> =
        ranked[..FLOWS_OPEN / 2].iter().chain(&ranked[ranked.len() - FLOWS_OPEN / 2..]).copied().collect();
    let caption = format!("Flows: the {0} with most and the {0} with least goodput of {1}", FLOWS_OPEN / 2, all.len());
    let mut html = flow_table(document, &caption, &telling).html();
    html.tag("details", &[], |html| {
        let shown = all.len().min(FLOWS_LISTED);
        let (summary, listed) = match shown == all.len() {
            true => (format!("All {shown} flows"), &all[..]),
            false => (format!("The {shown} flows with most goodput; all are in result.json"), &ranked[..shown]),
        };
        html.leaf("summary", &[], &summary).append(&flow_table(document, &summary, listed).html());
    });
    html
}

fn flow_table(document: &Document, caption: &str, flows: &[&FlowSummary]) -> Table {
    let goodputs = || document.summary.flows.iter().map(|flow| flow.goodput_bps.mean);
    let (total, largest): (f64, f64) = (goodputs().sum(), goodputs().fold(0.0, f64::max));
    let scale = Scale::fitting(largest, "bit/s");
    let mut table = Table::new(caption)
        .words("flow")
        .column("goodput", &*scale.unit)
        .column("share", "")
        .column("retransmissions", "")
        .column("unnecessary", "")
        .column("fast retransmits", "")
        .column("timeouts", "");
    for flow in flows {
        let share = if total > 0.0 { flow.goodput_bps.mean / total } else { 0.0 };
        let mut cells = vec![Cell::text(&flow.name), Cell::interval(&flow.goodput_bps, scale.factor, 3)];
        cells.push(Cell::Number(format!("{} %", fixed(100.0 * share, 1))));
        let counts = [
            &flow.counts.retransmissions,
            &flow.counts.unnecessary_retransmissions,
            &flow.counts.fast_retransmits,
            &flow.counts.timeouts,
        ];
        cells.extend(counts.map(|counted| counts_cell(counted, document.runs.len())));
        table.row(cells);
    }
    table
}

/// The ports to which something happened, those that dropped and queued most first.
/// Largest queues are those of whole runs.
fn ports(document: &Document, without_warmup: bool) -> Html {
    let busy = busy_ports(document);
    let silent = document.summary.ports.len() - busy.len();
    if busy.is_empty() {
        let mut html = Html::new();
        html.leaf("p", &[("class", "note")], "No unit waited at any port.");
        return html;
    }
    let runs = document.runs.len();
    let mut table = Table::new(format!("Ports, in {}", document.scenario.unit))
        .words("port")
        .column("arrivals", "")
        .column("dropped", "")
        .column("overflow", "");
    if document.counts_cells() {
        table = table.column("partial frame", "");
    }
    table = table.column("policy", "");
    let tallies = PortSummary::counted(busy.iter().copied());
    for counter in &tallies {
        table = table.column(counter.name.replace('_', " "), "");
    }
    table = table
        .column("mean queue", "")
        .column(if without_warmup { "max queue, warm-up included" } else { "max queue" }, "");
    for port in busy.iter().take(PORTS_LISTED) {
        let share = if port.arrivals.mean > 0.0 { port.drops.total.mean / port.arrivals.mean } else { 0.0 };
        let mut cells = vec![
            Cell::text(&port.name),
            counts_cell(&port.arrivals, runs),
            Cell::Number(percent(share)),
            counts_cell(&port.drops.by_reason.overflow, runs),
        ];
        if document.counts_cells() {
            cells.push(counts_cell(&port.drops.by_reason.partial_frame, runs));
        }
        cells.push(counts_cell(&port.drops.by_reason.policy, runs));
        cells.extend(tallies.iter().map(|counter| match port.tally(counter) {
            Some(count) => counts_cell(count, runs),
            None => Cell::text(""),
        }));
        cells.extend([Cell::interval(&port.mean_queue, 1.0, 1), Cell::number(port.max_queue.max, 0)]);
        table.row(cells);
    }
    let more = busy.len().saturating_sub(PORTS_LISTED);
    let note = match (silent, more) {
        (0, 0) => String::new(),
        (_, 0) => format!("{} without waiting units left out.", plural(silent, "port")),
        _ => format!("{} more in result.json.", plural(silent + more, "port")),
    };
    table.note(note).html()
}

/// The sources of datagrams, if there are any.
fn udp(document: &Document) -> Html {
    let sources = &document.summary.udp;
    if sources.is_empty() {
        return Html::new();
    }
    let runs = document.runs.len();
    let largest = sources.iter().map(|source| source.goodput_bps.mean).fold(0.0, f64::max);
    let scale = Scale::fitting(largest, "bit/s");
    let mut table = Table::new("Datagrams (UDP)")
        .words("source")
        .column("goodput", &*scale.unit)
        .column("sent", "")
        .column("arrived", "")
        .column("lost", "")
        .column("lost of sent", "");
    for source in sources.iter().take(FLOWS_LISTED) {
        let sent = source.counts.sent.mean;
        table.row(vec![
            Cell::text(&source.name),
            Cell::interval(&source.goodput_bps, scale.factor, 3),
            counts_cell(&source.counts.sent, runs),
            counts_cell(&source.counts.delivered, runs),
            counts_cell(&source.counts.lost, runs),
            Cell::Number(percent(if sent > 0.0 { source.counts.lost.mean / sent } else { 0.0 })),
        ]);
    }
    let more = sources.len().saturating_sub(FLOWS_LISTED);
    let more = if more > 0 { format!(" {more} more in result.json.") } else { String::new() };
    table.note(format!("Lost: refused by ports, or lost on links. The others were under way at the end.{more}")).html()
}

/// What links lost, if the scenario has links that can lose something.
fn links(document: &Document) -> Html {
    let mut html = Html::new();
    let all = &document.summary.links;
    let lossy = LinkSummary::lossy(all);
    if all.is_empty() {
        return html;
    }
    if lossy.is_empty() {
        html.leaf("p", &[("class", "note")], "No link lost a packet.");
        return html;
    }
    let runs = document.runs.len();
    let mut table = Table::new("Lost on links, in packets").words("link");
    for reason in LinkLosses::<u64>::NAMES {
        table = table.column(reason.replace('_', " "), "");
    }
    for link in lossy.iter().take(PORTS_LISTED) {
        let cells = link.lost.values().map(|counted| counts_cell(counted, runs));
        table.row(std::iter::once(Cell::text(&link.name)).chain(cells).collect());
    }
    let more = lossy.len().saturating_sub(PORTS_LISTED);
    let more = if more > 0 { format!(" {} more in result.json.", plural(more, "link")) } else { String::new() };
    table
        .note(format!(
            "Losses after the port accepted the packet: corrupted; under way when the link went down or the route was \
             lost; at a node without a route; sent while the link had no far end; time to live exceeded.{more}"
        ))
        .html()
}

/// Everything that happens to the network, as a table; of very much the beginning.
fn events_section(events: &[EventPart]) -> Html {
    let mut html = Html::new();
    html.leaf(
        "p",
        &[],
        "These events are known before the run. The plots show them as ticks; the cursor says which they are.",
    );
    let mut table = Table::new("Events").column("time", "s").words("event").words("of").words("before").words("after");
    let other = |node: &Option<String>| node.as_ref().map_or(Cell::None, Cell::text);
    for event in &events[..events.len().min(MOST_EVENTS)] {
        table.row(vec![
            Cell::number(event.time_s, 3),
            Cell::text(&event.kind),
            Cell::text(&event.node),
            other(&event.before),
            other(&event.after),
        ]);
    }
    let mut listed = table.html();
    if events.len() > MOST_EVENTS {
        listed.leaf("p", &[("class", "note")], &format!("and {} more: events.parquet", events.len() - MOST_EVENTS));
    }
    html.append(&folded(events.len(), &plural(events.len(), "event"), &listed));
    html
}

/// A piece that is long: folded below a line that counts what is in it.
fn folded(rows: usize, said: &str, piece: &Html) -> Html {
    if rows <= ROWS_OPEN {
        return piece.clone();
    }
    let mut html = Html::new();
    html.tag("details", &[], |html| {
        html.leaf("summary", &[], said).append(piece);
    });
    html
}

/// Points on a page, generous first. The last leaves the tables alone.
const POINT_BUDGETS: [usize; 5] = [200_000, 140_000, 90_000, 40_000, 5_000];
/// More flows than this are folded away.
const FLOWS_OPEN: usize = 12;
/// More flows than this are left to `result.json`.
const FLOWS_LISTED: usize = 1000;
/// Longer tables are folded.
const ROWS_OPEN: usize = 12;
/// More events than this are left to their table.
const MOST_EVENTS: usize = 200;
/// More ports than this are left to `result.json`.
const PORTS_LISTED: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_store::document::example::{example, example_with_warmup};
    use ackclock_store::document::summary::SummaryPart;

    #[test]
    fn a_report_shows_names_and_obeys_none() {
        let mut document = example(2, 2, 2);
        document.scenario.name = "<script>alert(\"1\")</script> 'é' 衛星".into();
        document.scenario.resolved = "name = \"</code></pre><script>\"\n".into();
        document.summary.flows[0].name = "<img src=x onerror=alert(1)>".into();
        let html = run(&document, 1, &[]);
        assert!(html.contains("<h1>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &#39;é&#39; 衛星</h1>"));
        assert!(html.contains("&lt;/code&gt;&lt;/pre&gt;&lt;script&gt;") && html.contains("&lt;img src=x"));
        assert!(!html.contains("<img") && !html.contains("alert(\"1\")"));
    }

    /// Of .96, .98 and .99 the mean is .9767 and half the interval .0379; .1, −.2 and −.2 make −.1 ± .4303.
    #[test]
    fn an_interval_of_a_measure_is_cut_to_what_it_can_be() {
        let mut document = example(2, 2, 3);
        for (run, (jain, trend)) in document.runs.iter_mut().zip([(0.96, 0.1), (0.98, -0.2), (0.99, -0.2)]) {
            let ratio = (run.seed == 1).then_some(2.0);
            run.measures =
                [("jain(goodput)", Some(jain)), ("queue-trend(a->b)", Some(trend)), ("ratio(sent: f1 / f2)", ratio)]
                    .map(|(text, value)| (text.to_owned(), value))
                    .into();
        }
        document.summary = SummaryPart::of(&document.runs);
        let html = run(&document, 1, &[]);
        let row = |name: &str| {
            let row = html.split(&format!("measure {name}")).nth(1).unwrap_or_else(|| panic!("no {name}"));
            row.split("</tr>").next().unwrap().to_owned()
        };
        assert!(row("jain(goodput)").contains("0.9387 to 1.0000"), "{}", row("jain(goodput)"));
        assert!(row("queue-trend(a-&gt;b)").contains("0.4303") && !row("queue-trend(a-&gt;b)").contains(" to "));
        assert!(row("ratio(sent: f1 / f2)").contains("(1 of 3 runs)"));
    }

    /// Flow 1 delivers 1.1, 1.2 and 1.3 Mb/s with the warm-up, half as much again without it. The means are 0.82 and 0.9
    /// of the link.
    #[test]
    fn the_headline_and_the_tables_leave_out_the_warmup() {
        let document = example_with_warmup(1, 2, 3);
        let html = run(&document, 1, &[]);
        for part in [
            "10 s simulated, of which the first 0.5 s (warm-up) are left out, ",
            "<dt>efficiency</dt><dd><span class=\"value\">0.9000</span>",
            "<span class=\"value\">1.800</span> <span class=\"unit\">Mb/s",
            "efficiency, warm-up included",
            "max queue, warm-up included",
            "10.0 % of the 100 Mb/s of payload",
            "sw1-&gt;sw2 dropped 3 of 900 cells",
        ] {
            assert!(html.contains(part), "{part}");
        }
        assert!(!html.contains("include the warm-up"));
        let unknown = run(&example(1, 2, 3), 1, &[]);
        assert!(unknown.contains("the first 0.5 s (warm-up) included") && unknown.contains("include the warm-up"));
    }

    #[test]
    fn tables_of_packets_have_no_words_of_cells() {
        let mut document = example_with_warmup(1, 2, 2);
        assert!(run(&document, 1, &[]).contains("partial frame"));
        document.scenario.unit = "packets".into();
        document.runs.iter_mut().flat_map(|run| &mut run.ports).for_each(|port| {
            port.drops.by_reason.partial_frame = 0;
            port.after_warmup = port.after_warmup.clone().map(|mut rest| {
                rest.drops.by_reason.partial_frame = 0;
                rest
            });
        });
        let html = run(&document, 1, &[]);
        // Style and script have words of their own.
        let (_, body) = html.split_once("<main").unwrap();
        let (body, _) = body.split_once("</main>").unwrap();
        assert!(!body.contains("partial frame") && !body.contains(" cell"), "{body}");
    }

    #[test]
    fn everything_that_is_needed_to_repeat_a_run_is_there() {
        let html = run(&example(2, 2, 3), 1, &[]);
        for part in
            ["ackclock run x.toml", "0123456789abcdef", "--seeds 3", "00000000000000ff", "seed = 1", "result version"]
        {
            assert!(html.contains(part), "{part}");
        }
        assert!(html.contains("--record tcp,ports"));
    }

    #[test]
    fn many_flows_ports_and_runs_are_listed_in_part() {
        let html = run(&example(3000, 400, 300), 1, &[]);
        assert!(html.len() < LARGEST_BYTES, "{}", html.len());
        for part in ["the 6 with most and the 6 with least goodput of 3000", "all are in result.json", "100 runs more"]
        {
            assert!(html.contains(part), "{part}");
        }
    }

    #[test]
    fn datagrams_and_losses_on_links_are_shown_where_there_are_any() {
        let parts = [
            "Datagrams (UDP)",
            "goodput of UDP",
            "1 source sent 130 UDP datagrams, of which 5 were lost",
            "Lost on links, in packets",
            "4 packets were lost on links by sw1-&gt;sw2: 3 corrupted, 1 at outages.",
        ];
        let mut document = example(1, 1, 2);
        let html = run(&document, 1, &[]);
        parts.iter().for_each(|part| assert!(html.contains(part), "{part}"));
        for run in &mut document.runs {
            run.udp.clear();
            run.links.clear();
        }
        document.summary = SummaryPart::of(&document.runs);
        let html = run(&document, 1, &[]);
        parts.iter().for_each(|part| assert!(!html.contains(part), "{part}"));
    }

    #[test]
    fn a_result_without_flows_or_runs_is_no_problem() {
        run(&example(0, 0, 1), 1, &[]);
        run(&example(0, 0, 0), 1, &[]);
    }
}
