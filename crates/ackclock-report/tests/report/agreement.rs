//! The blocks of a reproduction in a real browser: a picture whose dots lead to rows that are folded away, many
//! sections, and a table of which a phone shows the verdicts.

use ackclock_report::page::Page;
use ackclock_report::page::agreement::{Dot, Panel, Size};
use ackclock_report::page::html::Html;
use ackclock_report::page::table::{Cell, Table, Tone};

use crate::chromium::{ask, browser};

/// Looks where the navigation ends and what a click on the first dot shows.
const PROBE: &str = r#"
const box = (element) => element.getBoundingClientRect();
const seen = { errors: Number(root.dataset.errors), message: root.dataset.lastError || '', scrollWidth: root.scrollWidth };
const links = [...page.querySelectorAll('nav a')];
seen.clipped = links.filter((link) => box(link).right > view.innerWidth || box(link).left < 0 || box(link).width === 0).length;
seen.navigation = links.map((link) => link.innerText)[1];
seen.panels = Math.max(...[...page.querySelectorAll('.panel')].map((panel) => box(panel).right)) / view.innerWidth;
const row = page.getElementById('cell-t1-11');
seen.folded = !row.closest('details').open;
// A link in a frame made of text would leave the frame; its address does the same.
view.location.hash = page.querySelector('.agreement a').getAttribute('href');
await new Promise((done) => setTimeout(done, 300));
seen.open = row.closest('details').open;
seen.target = row.matches(':target');
seen.row = box(row).top >= 0 && box(row).bottom <= view.innerHeight;
seen.verdict = box(row.querySelector('.verdict')).right <= view.innerWidth && box(row.querySelector('.verdict')).left >= 0;
frame.remove();
document.documentElement.dataset.seen = JSON.stringify(seen);
document.querySelector('script').remove();
"#;

fn reproduction() -> String {
    let mut page = Page::new("Reproduction", "Published against ours");
    let mut body = Html::new();
    body.tag("div", &[("class", "panels")], |html| {
        for n in 0..7 {
            let dot = |nth: usize, tone| Dot {
                label: format!("row {nth}"),
                link: format!("#cell-t1-{nth}"),
                published: 0.5 + 0.01 * nth as f64,
                tolerance: 0.05,
                ours: 0.5 + 0.012 * nth as f64,
                tone,
            };
            let dots = vec![dot(11, Tone::Good), dot(3, Tone::Notable), dot(40, Tone::Bad)];
            let panel = Panel {
                title: format!("Table {n}"),
                about: "1 of 3".into(),
                short: "1 of 3".into(),
                link: "#card-t1".into(),
                size: Size::Large,
                dots,
            };
            html.append(&panel.html());
        }
    });
    page.section("verdict", "Verdict", body);
    let mut table = Table::new("Goodput of all flows over the whole run, of 125.2 Mb/s")
        .words("row")
        .words("column")
        .words("verdict")
        .column("published", "")
        .column("ours", "")
        .column("tolerance", "")
        .column("range", "");
    for nth in 0..60 {
        let explained = Cell::Explained(Tone::Notable, "differs (F12)".into(), "#verdict".into());
        let row = vec![
            Cell::text("LAN N=15 K=1000 SACK"),
            Cell::text("UBR"),
            explained,
            Cell::number(0.76, 2),
            Cell::half("0.97".into(), 0.03, 2),
            Cell::Number("±0.30".into()),
            Cell::Number("0.96 to 0.97".into()),
        ];
        table.row_named(format!("cell-t1-{nth}"), row);
    }
    let folded = |table: &Html| {
        let mut html = Html::new();
        html.tag("details", &[("class", "part")], |html| {
            html.leaf("summary", &[], "Numbers").append(table);
        });
        html
    };
    page.section_named("card-t1", "Table 1", "Table 1: efficiency in LAN and WAN", folded(&table.html()));
    for n in 2..22 {
        let heading = format!("Table {n}: two sources through a constellation in low orbits");
        page.section_named(format!("card-t{n}"), format!("Table {n}"), heading, Html::of("p", |_| {}));
    }
    page.render()
}

#[test]
fn a_dot_leads_to_its_row_and_nothing_is_cut_off() {
    let Some(browser) = browser() else { return };
    let report = reproduction();
    for (width, navigation) in [(390, "Table 1"), (1280, "Table 1: efficiency in LAN and WAN")] {
        let seen = ask(&browser, "reproduction", &report, width, "light", PROBE);
        assert_eq!(seen.number("errors"), 0, "{}", seen.0);
        assert!(seen.number("scrollWidth") <= i64::from(width), "wider than {width}: {}", seen.0);
        assert_eq!((seen.number("clipped"), &seen.0["navigation"]), (0, &navigation.into()), "{}", seen.0);
        // To the right margin, at most two and a half rem.
        assert!(seen.0["panels"].as_f64().unwrap() > 0.9, "the picture uses the whole width: {}", seen.0);
        for said in ["folded", "open", "target", "row", "verdict"] {
            assert_eq!(seen.0[said], true, "{said} at {width}: {}", seen.0);
        }
    }
}
