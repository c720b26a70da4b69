//! Reports in a real browser: no error, every plot drawn, nothing wider than a phone; screenshots to look at.
//! Screenshots are in the folder `reports` of the temporary folder of the tests, `target/tmp/reports`.

use std::fs;
use std::path::Path;

use ackclock_report::compare::{Entry, compare};
use ackclock_report::page::Page;
use ackclock_report::page::chart::{Chart, Choice, Data, Line, Style};
use ackclock_report::page::html::Html;
use ackclock_report::page::table::{Tone, verdict};
use ackclock_report::run::run;
use ackclock_store::document::events::EventPart;

use crate::chromium::{Seen, ask, browser, chromium, folder, look, preference, shoot};
use crate::made_up::{document, resolved, series};

/// Opens a report at a width, uses every control, and returns what happened.
fn open(browser: &Path, name: &str, report: &str, width: u32, scheme: &str) -> Seen {
    ask(browser, name, report, width, scheme, PROBE)
}

/// Checks that hold for every report with plots.
fn check(browser: &Path, name: &str, report: &str, charts: i64, views: &[(u32, &str)]) {
    for &(width, scheme) in views {
        let seen = open(browser, name, report, width, scheme);
        assert_eq!(seen.number("errors"), 0, "{name} at {width}: {}", seen.0);
        assert_eq!(seen.number("width"), i64::from(width));
        assert_eq!((seen.number("charts"), seen.number("drawn")), (charts, charts), "{}", seen.0);
        assert_eq!(seen.0["empty"], serde_json::json!([]), "empty canvases in {name} at {width}");
        assert_eq!(seen.0["emptyWhenZoomed"].as_i64().unwrap_or(0), 0, "empty canvases after a drag");
        assert!(seen.number("scrollWidth") <= i64::from(width), "{name} is wider than {width}: {}", seen.0);
        assert_eq!(seen.0["dark"], scheme == "dark");
        assert_eq!(seen.0["toggled"], scheme != "dark", "the theme can be switched");
        if charts > 0 {
            assert_eq!(seen.0["zoomed"], true, "a drag enlarges every plot");
            assert_eq!(seen.0["reset"], true, "a double click shows all again");
            assert_eq!(seen.0["readout"], true, "the cursor reads values");
            assert_eq!(seen.0["legend"], true, "the legend hides and shows");
        }
    }
}

#[test]
fn the_report_of_a_run_works_in_a_browser() {
    let Some(browser) = browser() else { return };
    let report = run(&document(5, 2, 3), 1, &series(5, 2, 20_000));
    fs::write(folder().join("run.html"), &report).unwrap();
    check(&browser, "run", &report, 7, &[(360, "light"), (360, "dark"), (1600, "light"), (1600, "dark")]);
    for (width, height, scheme) in
        [(360, 7200, "light"), (360, 7200, "dark"), (1600, 4000, "light"), (1600, 4000, "dark")]
    {
        shoot(&browser, "run", &report, width, height, scheme);
    }
}

#[test]
fn events_have_ticks_and_their_words_stand_at_the_cursor() {
    let Some(browser) = browser() else { return };
    let mut document = document(2, 2, 3);
    document.scenario.events = vec![EventPart {
        time_s: 0.5 * document.scenario.duration_s,
        time_ps: 500_000_000_000,
        kind: "handover".into(),
        node: "boston".into(),
        before: Some("5.4".into()),
        after: Some("5.3".into()),
    }];
    let report = run(&document, 1, &series(2, 2, 1000));
    let seen = open(&browser, "events", &report, 1600, "light");
    assert!(seen.0["said"].as_str().unwrap().contains("boston: 5.4 to 5.3"), "{}", seen.0);
    assert_eq!(seen.number("events"), 1, "{}", seen.0);
    shoot(&browser, "events", &report, 1600, 3000, "light");
}

#[test]
fn a_long_verdict_is_no_wider_than_a_phone() {
    let Some(browser) = browser() else { return };
    let mut page = Page::new("A page", "Verdicts");
    let mut body = Html::new();
    body.tag("p", &[], |html| {
        verdict(html, Tone::Good, "every difference has a finding, and every finding applies");
    });
    page.section("verdict", "Verdict", body);
    check(&browser, "verdict", &page.render(), 0, &[(360, "light")]);
}

#[test]
fn the_report_of_many_flows_works_in_a_browser() {
    let Some(browser) = browser() else { return };
    let report = run(&document(300, 12, 5), 1, &series(300, 12, 1000));
    fs::write(folder().join("many.html"), &report).unwrap();
    check(&browser, "many", &report, 7, &[(360, "light"), (1600, "dark")]);
    shoot(&browser, "many", &report, 1600, 4000, "light");
}

#[test]
fn a_report_without_plots_works_in_a_browser() {
    let Some(browser) = browser() else { return };
    let report = run(&document(2, 1, 1), 1, &[]);
    assert!(report.contains("--record tcp,ports"));
    check(&browser, "plain", &report, 0, &[(360, "dark"), (1600, "light")]);
    shoot(&browser, "plain", &report, 1600, 1600, "light");
}

#[test]
fn a_comparison_works_in_a_browser() {
    let Some(browser) = browser() else { return };
    let entry = |label: &str, policy: &str, factor: f64| {
        let mut document = document(5, 2, 5);
        document.scenario.resolved = resolved(policy, if policy == "fba" { 3000 } else { 1000 });
        document.scenario.hash = format!("{policy}-0123456789");
        for run in &mut document.runs {
            run.flows.iter_mut().for_each(|flow| flow.goodput_bps *= factor);
            run.ports.iter_mut().for_each(|port| port.mean_queue *= 2.0 * factor - 1.0);
        }
        document.summary = ackclock_store::document::summary::SummaryPart::of(&document.runs);
        Entry { label: label.into(), document, series: series(3, 2, 5000) }
    };
    let entries = [
        entry("selective-drop", "selective-drop", 1.0),
        entry("tail-drop", "tail-drop", 0.8),
        entry("fba & <more>", "fba", 1.1),
    ];
    let report = compare(&entries, &[]);
    fs::write(folder().join("compare.html"), &report).unwrap();
    // Window, throughput, round trip, sequence numbers; queue and utilisation; of each result its window and its queue.
    check(&browser, "compare", &report, 12, &[(360, "light"), (1600, "dark")]);
    for (width, height, scheme) in [(360, 5200, "light"), (1600, 3600, "light"), (1600, 3600, "dark")] {
        shoot(&browser, "compare", &report, width, height, scheme);
    }
}

/// Looks how far each table is wider than its place.
const WIDTHS: &str = r#"
const over = [...page.querySelectorAll('.scroll')].map((table) => table.scrollWidth - table.clientWidth);
const widths = [...page.querySelectorAll('.scroll')].map((table) => [...table.querySelectorAll('thead th')].map((th) => th.innerText + ' ' + Math.round(th.getBoundingClientRect().width)));
const seen = { over, widths, signs: page.querySelectorAll('.half.equal[title]').length };
frame.remove();
document.documentElement.dataset.seen = JSON.stringify(seen);
document.querySelector('script').remove();
"#;

/// Where nothing is random, as in most paths of `quick`, a sign stands beside each number.
#[test]
fn a_comparison_of_runs_that_are_equal_under_every_seed_fits_a_narrow_window() {
    let Some(browser) = browser() else { return };
    let entry = |label: &str, drops: u64| {
        let mut document = document(2, 2, 5);
        let mut first = document.runs[0].clone();
        first.ports[1].drops.total += drops;
        for run in &mut document.runs {
            *run = ackclock_store::document::Run { seed: run.seed, ..first.clone() };
        }
        document.summary = ackclock_store::document::summary::SummaryPart::of(&document.runs);
        Entry { label: label.into(), document, series: Vec::new() }
    };
    fits_a_narrow_window(&browser, "equal", &compare(&[entry("newreno", 0), entry("cubic", 1), entry("bbr3", 2)], &[]));
}

/// Results that differ by the same in every measure under every seed: such signs stand beside the differences too.
#[test]
fn a_comparison_of_runs_that_differ_alike_under_every_seed_fits_a_narrow_window() {
    let Some(browser) = browser() else { return };
    let entry = |label: &str, factor: f64| {
        let mut document = document(2, 2, 5);
        let scaled = |count: u64| (count as f64 * factor) as u64;
        let mut first = document.runs[0].clone();
        first.efficiency = first.efficiency.map(|efficiency| efficiency * factor);
        first.fairness = first.fairness.map(|fairness| fairness * factor);
        for flow in &mut first.flows {
            flow.goodput_bps *= factor;
            flow.counts.retransmissions = scaled(12_345);
            flow.counts.timeouts = scaled(1234);
        }
        for port in &mut first.ports {
            port.mean_queue *= factor;
            port.drops.total = scaled(port.drops.total);
        }
        for run in &mut document.runs {
            *run = ackclock_store::document::Run { seed: run.seed, ..first.clone() };
        }
        document.summary = ackclock_store::document::summary::SummaryPart::of(&document.runs);
        Entry { label: label.into(), document, series: Vec::new() }
    };
    let report = compare(&[entry("newreno", 1.0), entry("cubic", 0.8), entry("bbr3", 0.6)], &[]);
    assert!(report.matches("all seeds gave the same.").count() == 3, "each table explains its signs");
    fits_a_narrow_window(&browser, "alike", &report);
}

fn fits_a_narrow_window(browser: &Path, name: &str, report: &str) {
    let seen = ask(browser, name, report, 1100, "light", WIDTHS);
    assert!(seen.number("signs") > 20, "{}", seen.0);
    let over: Vec<i64> = serde_json::from_value(seen.0["over"].clone()).unwrap();
    assert!(over.len() > 1 && over.iter().all(|pixels| *pixels <= 0), "tables scroll sideways: {}", seen.0);
    shoot(browser, name, report, 1100, 2000, "light");
}

fn chart(id: &str, end: f64, line: Line) -> Chart {
    Chart {
        id: id.into(),
        title: id.into(),
        about: String::new(),
        quantity: "value".into(),
        unit: String::new(),
        logarithmic: false,
        top: None,
        reach: None,
        colour: None,
        apart: false,
        end,
        window_s: 0.0,
        hidden_roles: Vec::new(),
        marks: Vec::new(),
        lines: vec![line],
    }
}

/// Reads the values at the cursor, in the middle of the plot and at its end.
const READ: &str = r#"
const over = page.querySelector('.u-over');
const at = (share) => {
  const place = over.getBoundingClientRect();
  over.dispatchEvent(new view.MouseEvent('mousemove', { bubbles: true, view, clientX: place.left + place.width * share, clientY: place.top + 20 }));
};
const seen = { errors: Number(root.dataset.errors), read: [] };
over.dispatchEvent(new view.MouseEvent('mouseenter', { bubbles: true, view }));
for (const share of [0.5, 0.999]) {
  at(share);
  await new Promise((done) => setTimeout(done, 200));
  seen.read.push(page.querySelector('.legend .at').textContent);
}
frame.remove();
document.documentElement.dataset.seen = JSON.stringify(seen);
document.querySelector('script').remove();
"#;

/// Windows of ten intervals, in each of which all comes at one instant: 10 and 30, that is 1 and 3 on average. Of 2995 intervals two
/// windows are drawn as one. After the last whole window five intervals of 100 are left: they count in the mean, (10 + 500) / 15, and
/// are no rate of a window.
#[test]
fn the_band_of_a_rate_is_that_of_means_over_its_window() {
    let Some(browser) = browser() else { return };
    let mean: Vec<f64> = (0..2995)
        .map(|nth| match (nth % 10, nth / 10 % 2) {
            _ if nth >= 2990 => 100.0,
            (0, 0) => 10.0,
            (0, _) => 30.0,
            _ => 0.0,
        })
        .collect();
    let read = |window_s: f64| {
        let mut page = Page::new("A page", "A rate");
        let (choice, mut body) =
            page.choice(Choice { label: "Lines".into(), members: vec!["a".into()], chosen: vec![0] });
        let data = Data::Intervals { interval: 0.01, min: mean.clone(), mean: mean.clone(), max: mean.clone() };
        let line = Line { name: "line".into(), member: 0, role: 0, style: Style::Band, data };
        body.append(&page.chart(&Chart { window_s, ..chart("rate", 29.95, line) }, choice));
        page.section("charts", "Charts", body);
        let seen = ask(&browser, "rate", &page.render(), 1600, "light", READ);
        assert_eq!(seen.number("errors"), 0, "{}", seen.0);
        seen.0["read"].clone()
    };
    assert_eq!(read(0.1), serde_json::json!(["2 (1–3)", "34 (1–1)"]));
    // What is no rate lies between its least and its largest value.
    assert!(read(0.0)[1].as_str().unwrap().ends_with(" (0–100)"), "{}", read(0.0));
}

#[test]
fn charts_of_different_lengths_are_enlarged_by_themselves() {
    let Some(browser) = browser() else { return };
    let mut page = Page::new("A page", "Charts of 3 and of 900 s");
    let (choice, mut body) = page.choice(Choice { label: "Lines".into(), members: vec!["a".into()], chosen: vec![0] });
    for (id, end) in [("short", 3.0), ("long", 900.0)] {
        let data = Data::Points { time: vec![0.0, end / 2.0, end], value: vec![1.0, 3.0, 2.0] };
        let line = Line { name: "line".into(), member: 0, role: 0, style: Style::Steps, data };
        let chart = Chart { marks: vec![end / 3.0], ..chart(id, end, line) };
        body.append(&page.chart(&chart, choice));
    }
    page.section("charts", "Charts", body);
    let seen = open(&browser, "lengths", &page.render(), 1600, "light");
    assert_eq!((seen.number("errors"), seen.number("drawn")), (0, 2), "{}", seen.0);
    assert_eq!(seen.number("instants"), 1, "each has an upright line");
    assert_eq!((&seen.0["zoomed"], &seen.0["reset"]), (&false.into(), &true.into()), "only the one that is dragged");
    shoot(&browser, "lengths", &page.render(), 1600, 1200, "light");
}

/// One fault of each kind on a page that has no others.
#[test]
fn what_is_wrong_with_a_page_is_said() {
    let Some(browser) = browser() else { return };
    let page = |body: &str| {
        format!(
            "<!doctype html><style>body {{ margin: 0; font: 16px sans-serif; }}</style><body><p class=first>words</p>{body}"
        )
    };
    let svg = |inside: &str| {
        let grid = "<line class=grid x1=20 y1=10 x2=20 y2=90 stroke=#eee /><line class=grid x1=20 y1=90 x2=190 y2=90 stroke=#eee />";
        format!("<svg viewBox='0 0 200 100' width=200 height=100>{grid}{inside}</svg>")
    };
    let faults = [
        ("the page is 1500 pixels wide", "<div style='width:1500px'>wide</div>".to_owned()),
        (
            "labels cover each other",
            svg("<text x=40 y=40 font-size=13>one</text><text x=45 y=42 font-size=13>two</text>"),
        ),
        ("a label leaves its picture", svg("<text x=190 y=40 font-size=13>a long name</text>")),
        ("a mark leaves its plot", svg("<circle cx=5 cy=50 r=2 />")),
        (
            "a label covers a dot",
            svg("<circle class=mean cx=50 cy=36 r=4 /><text class=name x=40 y=40 font-size=13>name</text>"),
        ),
        (
            "a label stands far from its dot",
            svg("<circle class=mean cx=30 cy=80 r=4 /><text class=name x=120 y=30 font-size=13>name</text>"),
        ),
        ("letters below 11 pixels", svg("<text x=40 y=40 font-size=9>one</text>")),
        ("words with a contrast of", "<p style='color:#999'>faint</p>".to_owned()),
        (
            "a target below 24 pixels",
            "<button style='height:12px'>a</button><br><button style='height:12px'>b</button>".to_owned(),
        ),
        (
            "an interval goes below nothing",
            "<table><tbody><tr><td>0.3474<span class=half> ± 1.8</span></td></tr></tbody></table>".to_owned(),
        ),
        ("not on the first screen: p.first", "<style>.first { margin-top: 950px; }</style>".to_owned()),
        ("nothing is there for the first screen", "<style>.first { display: none; }</style>".to_owned()),
    ];
    for (nth, (fault, body)) in faults.iter().enumerate() {
        let (said, _) = look(&browser, &format!("fault-{nth}"), &page(body), &[".first"]);
        assert!(said.iter().any(|words| words.contains(fault)), "{fault}: {said:#?}");
    }
    let whole = svg("<circle class=mean cx=50 cy=50 r=4 /><text class=name x=60 y=54 font-size=13>name</text>");
    let (said, _) = look(&browser, "no-fault", &page(&whole), &[".first"]);
    assert!(said.is_empty(), "{said:#?}");
}

#[test]
fn a_report_prints() {
    let Some(browser) = browser() else { return };
    let file = folder().join("print.html");
    fs::write(&file, run(&document(5, 2, 3), 1, &series(5, 2, 2000))).unwrap();
    let paper = folder().join("print.pdf");
    let _ = fs::remove_file(&paper);
    chromium(&browser, &[&format!("--print-to-pdf={}", paper.display()), preference("dark")], &file);
    assert!(fs::metadata(&paper).is_ok_and(|paper| paper.len() > 20_000));
}

/// Looks at the page in the frame, and uses it.
const PROBE: &str = r#"
const pause = () => new Promise((done) => setTimeout(done, 60));
const seen = {
  width: view.innerWidth, scrollWidth: root.scrollWidth,
  charts: Number(root.dataset.charts), instants: Number(root.dataset.instants), dark: view.matchMedia('(prefers-color-scheme: dark)').matches,
};
const canvases = [...page.querySelectorAll('.plot canvas')];
const painted = (canvas) => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const colours = new Set();
  for (let n = 0; n < data.length; n += 4) if (data[n + 3] > 200) colours.add((data[n] >> 5) * 64 + (data[n + 1] >> 5) * 8 + (data[n + 2] >> 5));
  return colours.size;
};
// Axes alone have one or two colours; a line adds its own.
seen.empty = canvases.filter((canvas) => painted(canvas) < 2).map((canvas) => canvas.closest('figure').id);
if (canvases.length) {
  const over = page.querySelector('.u-over');
  const place = over.getBoundingClientRect();
  const mouse = (type, share) => {
    const event = new view.MouseEvent(type, { bubbles: true, cancelable: true, view, button: 0,
      clientX: place.left + place.width * share, clientY: place.top + place.height / 2, movementX: 20 });
    (type === 'mouseup' ? page : over).dispatchEvent(event);
  };
  mouse('mouseenter', 0.3); mouse('mousemove', 0.5); await pause();
  seen.said = page.querySelector('.quantity').textContent;
  seen.events = Number(root.dataset.events || 0);
  seen.readout = [...page.querySelectorAll('.legend .at')].some((value) => /[0-9]/.test(value.textContent));
  const image = () => canvases.map((canvas) => canvas.toDataURL());
  const whole = image();
  mouse('mousedown', 0.3); mouse('mousemove', 0.4); mouse('mousemove', 0.5); mouse('mouseup', 0.5); await pause();
  seen.zoomed = image().every((now, n) => now !== whole[n]);
  seen.emptyWhenZoomed = canvases.filter((canvas) => painted(canvas) < 2).length;
  mouse('dblclick', 0.5); await pause();
  seen.reset = image().every((now, n) => now === whole[n]);
  const button = page.querySelector('.legend button');
  button.click(); await pause();
  const off = page.querySelector('.legend button').getAttribute('aria-pressed');
  page.querySelector('.legend button').click(); await pause();
  seen.legend = off === 'false' && page.querySelector('.legend button').getAttribute('aria-pressed') === 'true';
  page.querySelectorAll('.choice button').forEach((chip) => chip.isConnected && chip.click()); await pause();
  page.querySelectorAll('.tools button:not(.save)').forEach((tool) => tool.click()); await pause();
}
page.querySelector('.theme').click(); await pause();
seen.toggled = view.getComputedStyle(root).colorScheme === 'dark';
seen.drawn = Number(root.dataset.drawn);
seen.errors = Number(root.dataset.errors);
seen.message = root.dataset.lastError || '';
frame.remove();
document.documentElement.dataset.seen = JSON.stringify(seen);
document.querySelector('script').remove();
"#;
