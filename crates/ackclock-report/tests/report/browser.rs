//! Reports in a real browser: no error, every plot drawn, nothing wider than a phone; screenshots to look at.
//! Screenshots are in the folder `reports` of the temporary folder of the tests, `target/tmp/reports`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ackclock_report::compare::{Entry, compare};
use ackclock_report::page::Page;
use ackclock_report::page::chart::{Chart, Choice, Data, Line, Style};
use ackclock_report::page::html::Html;
use ackclock_report::page::table::{Tone, verdict};
use ackclock_report::run::run;
use ackclock_store::document::events::EventPart;

use crate::made_up::{document, resolved, series};

/// What the page inside the frame said about itself.
pub(crate) struct Seen(pub serde_json::Value);

impl Seen {
    pub(crate) fn number(&self, key: &str) -> i64 {
        self.0[key].as_i64().unwrap_or_else(|| panic!("no number {key} in {}", self.0))
    }
}

/// The browser, or `None` with a message that cannot be overlooked.
pub(crate) fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    let folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let found = folders.iter().flat_map(|folder| names.map(|name| folder.join(name))).find(|path| path.is_file());
    if found.is_none() {
        eprintln!("*** SKIPPED: no browser (chromium, google-chrome) on the path: reports were NOT looked at ***");
    }
    found
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reports");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A page with the report in a frame of a given width: windows of a browser cannot be as narrow as a phone.
/// Says what it saw in an attribute of its own root.
fn framed(name: &str, report: &str, width: u32, probe: &str) -> PathBuf {
    let file = folder().join(format!("{name}.html"));
    let json = serde_json::to_string(report).unwrap().replace('<', "\\u003c");
    let page = format!(
        "<!doctype html><html><body style=\"margin:0\"><iframe id=frame style=\"border:0;display:block;width:{width}px;\
         height:800px\"></iframe><script>
         const frame = document.getElementById('frame');
         frame.onload = async () => {{
           const view = frame.contentWindow, page = frame.contentDocument, root = page.documentElement;
           await new Promise((done) => setTimeout(done, 300));
           {probe}
         }};
         frame.srcdoc = {json};
         </script></body></html>"
    );
    fs::write(&file, page).unwrap();
    file
}

fn chromium(browser: &Path, arguments: &[&str], file: &Path) -> (String, String) {
    let profile =
        folder().join(format!("profile-{}-{}", std::process::id(), file.file_stem().unwrap().to_string_lossy()));
    let output = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(["--virtual-time-budget=20000", "--run-all-compositor-stages-before-draw"])
        .args(arguments)
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap();
    let _ = fs::remove_dir_all(profile);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// Opens a report at a width, uses every control, and returns what happened.
fn open(browser: &Path, name: &str, report: &str, width: u32, scheme: &str) -> Seen {
    ask(browser, name, report, width, scheme, PROBE)
}

/// Opens a report at a width, runs a script there which leaves what it saw in `data-seen`, and returns what it said.
pub(crate) fn ask(browser: &Path, name: &str, report: &str, width: u32, scheme: &str, probe: &str) -> Seen {
    let file = framed(&format!("{name}-{width}-{scheme}-probe"), report, width, probe);
    let (dom, log) = chromium(browser, &["--dump-dom", preference(scheme)], &file);
    fs::remove_file(file).unwrap();
    let console: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(console.is_empty(), "{name} at {width}: {console:#?}");
    let seen = dom.split("data-seen=\"").nth(1).and_then(|rest| rest.split('"').next());
    let seen =
        seen.unwrap_or_else(|| panic!("{name} at {width}: the page said nothing\n{log}")).replace("&quot;", "\"");
    Seen(serde_json::from_str(&seen).unwrap())
}

fn shoot(browser: &Path, name: &str, report: &str, width: u32, height: u32, scheme: &str) {
    let file =
        framed(&format!("{name}-{width}-{scheme}"), report, width, "frame.style.height = root.scrollHeight + 'px';");
    let image = folder().join(format!("{name}-{width}-{scheme}.png"));
    let _ = fs::remove_file(&image);
    let target = format!("--screenshot={}", image.display());
    let size = format!("--window-size={},{height}", width.max(500));
    chromium(browser, &[&target, &size, preference(scheme)], &file);
    fs::remove_file(file).unwrap();
    assert!(fs::metadata(&image).is_ok_and(|image| image.len() > 10_000), "no screenshot {}", image.display());
}

fn preference(scheme: &str) -> &'static str {
    if scheme == "dark" { "--blink-settings=preferredColorScheme=0" } else { "--blink-settings=preferredColorScheme=1" }
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
        first.fairness *= factor;
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

#[test]
fn charts_of_different_lengths_are_enlarged_by_themselves() {
    let Some(browser) = browser() else { return };
    let mut page = Page::new("A page", "Charts of 3 and of 900 s");
    let (choice, mut body) = page.choice(Choice { label: "Lines".into(), members: vec!["a".into()], chosen: vec![0] });
    for (id, end) in [("short", 3.0), ("long", 900.0)] {
        let data = Data::Points { time: vec![0.0, end / 2.0, end], value: vec![1.0, 3.0, 2.0] };
        let line = Line { name: "line".into(), member: 0, role: 0, style: Style::Steps, data };
        let chart = Chart {
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
            marks: vec![end / 3.0],
            lines: vec![line],
        };
        body.append(&page.chart(&chart, choice));
    }
    page.section("charts", "Charts", body);
    let seen = open(&browser, "lengths", &page.render(), 1600, "light");
    assert_eq!((seen.number("errors"), seen.number("drawn")), (0, 2), "{}", seen.0);
    assert_eq!(seen.number("instants"), 1, "each has an upright line");
    assert_eq!((&seen.0["zoomed"], &seen.0["reset"]), (&false.into(), &true.into()), "only the one that is dragged");
    shoot(&browser, "lengths", &page.render(), 1600, 1200, "light");
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
