//! Every kind of page in a real browser, on a wide screen, on a phone and on paper: its question is answered on the first screen,
//! no label covers another, nothing leaves its frame, nothing is wider than the page, and all can be read and hit (WCAG 2.2 AA).
//! A picture of each is left in `target/tmp/reports`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::chromium::{browser, look};
use crate::support::{Place, RANDOM};

/// Looks at a page; fails with all that is wrong. Returns how high it is on a wide screen, on a phone and on paper.
fn looked_at(browser: &Path, name: &str, file: &Path, first: &[&str]) -> [i64; 3] {
    let (said, heights) = look(browser, name, &fs::read_to_string(file).unwrap(), first);
    assert!(said.is_empty(), "{name}, {} complaints:\n{}", said.len(), said.join("\n"));
    heights
}

fn scenarios() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios")).to_owned()
}

const OF_A_RUN: [&str; 3] = [".glance .figures", ".glance .findings", ".glance .picture .chart"];

#[test]
fn the_page_of_a_run_answers_on_the_first_screen() {
    let Some(browser) = browser() else { return };
    let place = Place::with("pages-run", &format!("delays = true\n{RANDOM}"));
    place.run("run scenario.toml --seeds 3 --record tcp,ports --out r").exits_with(0);
    place.run("report r").exits_with(0);
    looked_at(&browser, "page-run", &place.path("r/report.html"), &OF_A_RUN);
}

/// 86 ports, of which a run uses a few.
#[test]
fn the_page_of_a_run_through_a_constellation_is_as_long_as_what_it_says() {
    let Some(browser) = browser() else { return };
    let place = Place::new("pages-constellation");
    let file = scenarios().join("iridium.toml");
    let run = ["run", file.to_str().unwrap(), "--set", "duration=60s", "--record", "tcp,ports,delay", "--out", "r"];
    place.run(&run).exits_with(0);
    place.run("report r").exits_with(0);
    let [wide, ..] = looked_at(&browser, "page-constellation", &place.path("r/report.html"), &OF_A_RUN);
    assert!(wide <= 3500, "{wide} pixels at 1400");
}

#[test]
fn the_page_of_a_comparison_answers_on_the_first_screen() {
    let Some(browser) = browser() else { return };
    let place = Place::with("pages-comparison", BULK);
    let all = ["reno", "cubic", "bbr3", "vegas", "hybla", "vegas-linux"];
    for control in all {
        let set = format!("--set tcp.congestion_control={control}");
        place.run(&format!("run scenario.toml --seeds 3 --record tcp,ports {set} --out {control}")).exits_with(0);
    }
    place.run(&format!("compare {}", all.join(" "))).exits_with(0);
    let first = [".glance .scatter", ".glance table", "#time .charts.row:nth-of-type(1)"];
    looked_at(&browser, "page-comparison", &place.path("comparison.html"), &first);
}

#[test]
fn the_page_of_a_sweep_answers_on_the_first_screen() {
    let Some(browser) = browser() else { return };
    let place = Place::with("pages-sweep", BULK);
    let buffers = "--vary queue.buffer=0.1..4bdp:log:6 --vary tcp.congestion_control=reno,cubic,bbr3";
    let words = "--vary tcp.congestion_control=reno,cubic,bbr3,vegas,hybla,vegas-linux,vegas-1995";
    let map = "--vary queue.buffer=0.5..4bdp:log:8 --vary network.bottleneck_rate=2..20Mbps:lin:8";
    let sample = "--vary queue.buffer=0.5..4bdp:log --vary network.bottleneck_rate=2..20Mbps:lin --latin-hypercube 12";
    for (name, keys) in [("numbers", buffers), ("words", words), ("map", map), ("sample", sample)] {
        place.run(&format!("sweep scenario.toml --seeds 2 --out {name} {keys}")).exits_with(0);
        // Of maps and samples there are more plots than one screen has room for.
        let first: &[&str] = match name {
            "numbers" | "words" => &[".findings", ".quarters .scatter"],
            _ => &[".findings", ".quarter:first-child .scatter"],
        };
        looked_at(&browser, &format!("page-sweep-{name}"), &place.path(name).join("report.html"), first);
    }
}

/// One study, or all that `STUDY_PAGES` names the folder of.
#[test]
fn the_pages_of_studies_answer_on_the_first_screen() {
    let Some(browser) = browser() else { return };
    let place = Place::new("pages-studies");
    let folder = std::env::var_os("STUDY_PAGES").map_or_else(|| place.path("r"), PathBuf::from);
    if !folder.exists() {
        place.run("reproduce sack-ubr --quick --out r").exits_with(0);
    }
    let mut seen = 0;
    for entry in fs::read_dir(&folder).unwrap().flatten() {
        let file = entry.path().join("report.html");
        let Ok(html) = fs::read_to_string(&file) else { continue };
        // A study of claims has no numbers to draw, and one in which all is as published has no differing claims.
        let mut first = vec![".lead-verdict"];
        first.extend(html.contains("class=\"panel\"").then_some(".panel"));
        first.extend(html.contains("class=\"differing\"").then_some(".differing"));
        looked_at(&browser, &format!("page-study-{}", entry.file_name().to_string_lossy()), &file, &first);
        seen += 1;
    }
    assert!(seen > 0, "no page of a study in {}", folder.display());
}

/// Four sources that fill the buffer.
const BULK: &str = r#"
name = "bulk"
duration = "4 s"
warmup = "1 s"

[network]
technology = "packet"
topology = "dumbbell"
sources = 4
access_rate = "100 Mbps"
access_delay = "1 ms"
bottleneck_rate = "10 Mbps"
bottleneck_delay = "15 ms"

[queue]
buffer = "1 bdp"

[tcp]
dialect = "osu"
mss = "1460 B"
recovery = "rfc6675"
receive_window = "256 KiB"
"#;
