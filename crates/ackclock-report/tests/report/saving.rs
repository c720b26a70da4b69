//! What the buttons of a report save, in a real browser: pictures as SVG and PNG, tables as CSV.

use ackclock_report::page::Page;
use ackclock_report::page::agreement::{Dot, Panel, Size};
use ackclock_report::page::table::{Cell, Table, Tone};
use ackclock_report::run::run;

use crate::chromium::{ask, browser};
use crate::made_up::{document, series};

/// Presses every button that saves something and keeps what would be downloaded. A browser without a window reads no
/// blobs back, so that they are kept as they are made.
const PROBE: &str = r#"
const saved = [];
let made = null;
view.URL.createObjectURL = (blob) => { made = blob; return 'blob:none'; };
view.Blob = function (parts, options) { return { type: options.type, text: parts.join('') }; };
view.HTMLCanvasElement.prototype.toBlob = function (done, type) { done({ type, text: this.toDataURL(type) }); };
view.HTMLAnchorElement.prototype.click = function () { saved.push([this.download, made]); };
// All at once, as an impatient reader does.
page.querySelectorAll('button.save').forEach((button) => button.click());
for (let n = 0; n < 40; n++) await new Promise((done) => setTimeout(done, 200));
const seen = { errors: Number(root.dataset.errors), message: root.dataset.lastError || '', paper: 'paper' in root.dataset };
seen.tables = page.querySelectorAll('table').length;
seen.pictures = page.querySelectorAll('figure.chart, svg.on-wide, .panels').length;
const of = (kind) => saved.filter(([name]) => name.endsWith(kind));
seen.csv = of('.csv').map(([name, blob]) => [name, blob.text]);
seen.svg = of('.svg').map(([name, blob]) => {
  const parsed = new DOMParser().parseFromString(blob.text, 'image/svg+xml');
  const { documentElement } = parsed;
  return { name, root: documentElement.localName, wrong: parsed.querySelectorAll('parsererror').length, words: documentElement.textContent,
    shapes: documentElement.querySelectorAll('path, circle, line').length, open: /var\(|NaN|class=|href=/.test(blob.text) };
});
seen.png = of('.png').map(([name, blob]) => [name, blob.text.slice(0, 22), blob.text.length]);
frame.remove();
document.documentElement.dataset.seen = JSON.stringify(seen);
document.querySelector('script').remove();
"#;

/// Everything that stands on its own: every picture twice, every table once.
fn check(seen: &serde_json::Value) {
    assert_eq!((&seen["errors"], &seen["paper"]), (&0.into(), &false.into()), "{}", seen["message"]);
    let count = |kind: &str| seen[kind].as_array().unwrap().len() as u64;
    let pictures = seen["pictures"].as_u64().unwrap();
    assert_eq!((count("svg"), count("png")), (pictures, pictures), "{seen}");
    assert_eq!(count("csv"), seen["tables"].as_u64().unwrap());
    for svg in seen["svg"].as_array().unwrap() {
        assert_eq!((&svg["root"], &svg["wrong"], &svg["open"]), (&"svg".into(), &0.into(), &false.into()), "{svg}");
        assert!(svg["shapes"].as_u64().unwrap() > 4, "{svg}");
    }
    for png in seen["png"].as_array().unwrap() {
        assert_eq!(png[1], "data:image/png;base64,");
        assert!(png[2].as_u64().unwrap() > 8000, "an empty picture: {png}");
    }
    for csv in seen["csv"].as_array().unwrap() {
        let text = csv[1].as_str().unwrap();
        assert!(text.starts_with('\u{feff}') && text.ends_with("\r\n"), "{csv}");
    }
}

#[test]
fn plots_and_tables_of_a_run_are_saved() {
    let Some(browser) = browser() else { return };
    let report = run(&document(5, 2, 3), 1, &series(5, 2, 2000));
    let seen = ask(&browser, "saving", &report, 1600, "dark", PROBE).0;
    check(&seen);
    let pictures = seen["svg"].as_array().unwrap();
    let is_of_windows = |svg: &&serde_json::Value| svg["name"].as_str().unwrap().ends_with("-congestion-window.svg");
    let first = pictures.iter().find(is_of_windows).unwrap_or_else(|| panic!("no windows in {pictures:?}"));
    assert!(pictures[0]["words"].as_str().unwrap().contains("Mb/s, mean over"), "{pictures:?}");
    for words in ["Congestion window", "time, s", "cwnd"] {
        assert!(first["words"].as_str().unwrap().contains(words), "no {words} in {first}");
    }
    let flows = seen["csv"].as_array().unwrap().iter().find(|csv| csv[0].as_str().unwrap().ends_with("-flows.csv"));
    let flows: Vec<&str> = flows.unwrap()[1].as_str().unwrap().trim_start_matches('\u{feff}').lines().collect();
    assert!(flows[0].starts_with("flow,goodput Mb/s,goodput Mb/s ±,"), "{flows:?}");
    assert_eq!(flows.len(), 6);
    assert!(flows.iter().all(|line| line.split(',').count() == flows[0].split(',').count()), "{flows:?}");
}

#[test]
fn numbers_in_csv_are_for_programs_and_words_are_quoted() {
    let Some(browser) = browser() else { return };
    let mut page = Page::new("A page", "Numbers");
    let mut table = Table::new("Of all kinds").words("name").column("count", "").words("verdict").column("mean", "s");
    let verdict = |tone: Tone| Cell::Explained(tone, "agrees".into(), "#of".into());
    table.row(vec![
        Cell::text("a \"b\", c"),
        Cell::number(-1_234_567.0, 0),
        verdict(Tone::Good),
        Cell::half("12.5".into(), 0.5, 1),
    ]);
    table.row_named("of", vec![Cell::text("d"), Cell::None, verdict(Tone::Bad), Cell::number(3.0, 1)]);
    table.row(vec![Cell::text("e"), Cell::None, verdict(Tone::Bad), Cell::half("1.0".into(), 0.0, 1)]);
    let mut body = table.html();
    body.tag("div", &[("class", "panels")], |html| {
        for tone in [Tone::Good, Tone::Neutral, Tone::Notable, Tone::Bad] {
            let dot = Dot { label: "x".into(), link: "#of".into(), published: 1.0, tolerance: 0.1, ours: 1.2, tone };
            let panel = Panel {
                title: "t1".into(),
                about: "1 of 1".into(),
                link: "#of".into(),
                short: String::new(),
                size: Size::Large,
                dots: vec![dot],
            };
            html.append(&panel.html());
        }
    });
    page.section("numbers", "Numbers", body);
    let seen = ask(&browser, "saving-numbers", &page.render(), 1600, "light", PROBE).0;
    check(&seen);
    let expected = "\u{feff}name,count,verdict,mean s,mean s ±\r\n\"a \"\"b\"\", c\",-1234567,agrees,12.5,0.5\r\nd,,agrees,3.0,\r\ne,,agrees,1.0,0.0\r\n";
    assert_eq!(seen["csv"], serde_json::json!([["numbers-of-all-kinds.csv", expected]]));
    assert!(seen["svg"][0]["words"].as_str().unwrap().contains("Numbers: published against ours"));
}
