//! What a sweep writes: page, figures, and how much disk that takes.

use std::fs;
#[cfg(unix)]
use std::process::Command;

use crate::support::{PLAIN, Place, RANDOM};
use crate::sweep::swept;

#[test]
fn figures_and_page_are_written_where_they_are_asked_for() {
    let place = Place::with("sweep-plot", RANDOM);
    let where_asked = "--plot paper.svg --plot paper.PDF --report pages/all.html";
    swept(&place, &format!("--out all {where_asked}")).exits_with(0);
    let bytes = |name: &str| fs::read(place.path(name)).unwrap();
    assert_eq!(bytes("paper.svg"), bytes("all/figure.svg"));
    assert_eq!(bytes("paper.PDF"), bytes("all/figure.pdf"));
    assert_eq!(bytes("pages/all.html"), bytes("all/report.html"));
    // The numbers of the figure are those of the summary.
    let (figure, summary) = (place.read("all/figure.csv"), place.read("all/summary.csv"));
    let column = |text: &str, name: &str| -> Vec<String> {
        let place = text.lines().next().unwrap().split(',').position(|column| column == name).unwrap();
        text.lines().skip(1).map(|line| line.split(',').nth(place).unwrap().to_owned()).collect()
    };
    for name in ["queue_policy", "queue_buffer_cells", "runs", "loss", "goodput_bps_low"] {
        assert_eq!(column(&figure, name), column(&summary, name));
    }
    assert!(!figure.contains("timeouts"), "what is not drawn is not there");
    let page = place.read("all/report.html");
    assert!(
        page.contains("download=\"goodput_bps.csv\"") && page.contains("data:text/csv;charset=utf-8,queue_policy,")
    );
}

/// The page that a sweep has is that of its folder, whatever command asks for it.
#[test]
fn report_and_compare_show_the_page_of_a_sweep() {
    let place = Place::with("sweep-shown", RANDOM);
    swept(&place, "--out all").exits_with(0);
    let page = place.read("all/report.html");
    for command in ["report", "compare"] {
        let shown = place.run(&[command, "all"]).exits_with(0).without_result();
        assert_eq!(shown.stderr, "report in all/report.html\n");
        let copied = place.run(&[command, "all", "--out", "copy.html"]).exits_with(0);
        assert_eq!(copied.stderr, "report in copy.html\n");
        assert_eq!(place.read("copy.html"), page);
        fs::remove_file(place.path("copy.html")).unwrap();
    }
    assert_eq!(place.read("all/report.html"), page, "nothing is written anew");
    place.run("report all --seed 1").exits_with(2).says(&["--seed with `all`", "leave out --seed"]);
    place.run("compare all all").exits_with(2).says(&["`all` holds many results", "all/report.html"]);
    place.run("run scenario.toml --out one").exits_with(0);
    place.run("compare one").exits_with(2).says(&["`one` has nothing to be compared with", "two or more"]);
    fs::remove_file(place.path("all/report.html")).unwrap();
    place
        .run("report all")
        .exits_with(1)
        .says(&["a sweep of `ackclock sweep` without a page", "run that command again"]);
}

/// `docs/sweeps.md` begins with it.
#[test]
fn the_command_of_the_manual_is_accepted() {
    let place = Place::with("sweep-manual", PLAIN);
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let manual = fs::read_to_string(format!("{root}/docs/sweeps.md")).unwrap();
    let block = manual.split("```console\n$ ackclock ").nth(1).and_then(|rest| rest.split("\n```").next()).unwrap();
    let command = block.replace("\\\n", " ").replace("scenarios/", &format!("{root}/scenarios/"));
    let outcome = place.run(&format!("{command} --dry-run")).exits_with(0);
    assert!(outcome.stdout.starts_with("30 points, 5 seeds: 150 runs"), "{}", outcome.stdout);
    // And the sweep as a file, beside that scenario.
    let file = manual.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    place.write("geo-buffers.toml", fs::read(format!("{root}/scenarios/geo-buffers.toml")).unwrap());
    place.write("buffers.toml", file);
    let outcome = place.run("sweep buffers.toml --dry-run").exits_with(0);
    assert!(outcome.stdout.starts_with("60 points, 5 seeds: 300 runs"), "{}", outcome.stdout);
}

/// Texts that look like numbers, nodes whose names are numbers, and texts of a sweep file.
#[cfg(unix)] // the commands are lines of a shell
#[test]
fn each_command_of_the_page_runs_its_point() {
    let place = Place::with("sweep-commands", SMALL);
    place.write(
        "sweep.toml",
        "scenario = \"scenario.toml\"\n[set]\ndescription = \"2e3\"\nname = \"7\"\n[vary]\nudp.u1.to = [\"1\", \"2\"]\nlink.1.delay = [\"1 ms\", \"2 ms\"]\n",
    );
    place.run("sweep sweep.toml --out all --set 'queue.buffer=9 packets'").exits_with(0);
    let page = place.read("all/report.html");
    let codes = |html: &str| -> Vec<String> {
        let code = |rest: &str| {
            let text = rest.split("</code>").next().unwrap().replace("<span>", "").replace("</span>", "");
            text.replace("&gt;", ">").replace("&#39;", "'").replace("&quot;", "\"")
        };
        html.split("<code>").skip(1).map(code).collect()
    };
    let (_, points) = page.split_once("id=\"points\"").unwrap();
    let [command, arguments @ ..] = &codes(points.split_once("id=\"repeat\"").unwrap().0)[..] else { panic!("{page}") };
    let begin = command.strip_prefix("ackclock run ").unwrap();
    let commands: Vec<String> = arguments.iter().map(|arguments| format!("{begin} {arguments}")).collect();
    assert_eq!(commands.len(), 4, "{page}");
    let csv = place.read("all/table.csv");
    for (nth, command) in commands.iter().enumerate() {
        let shell = format!("\"$0\" run {command} --json");
        let mut run = Command::new("sh");
        run.args(["-c", &shell, env!("CARGO_BIN_EXE_ackclock")]).current_dir(place.path(""));
        let run = crate::support::outcome(run).exits_with(0).json();
        let goodput = run["summary"]["udp_goodput_bps"]["mean"].as_f64().unwrap();
        let row = csv.lines().nth(nth + 1).unwrap();
        assert!(row.split(',').any(|value| value == goodput.to_string()), "{command}: {goodput} is not in {row}");
        assert_eq!(run["scenario"]["name"], "7");
    }
}

/// What is said before the start, against what there is at the end: of curves, maps, samples, tables without figures, one point and a
/// part, with few seeds and many.
#[test]
fn the_disk_that_is_said_is_what_is_written() {
    let place = Place::with("sweep-disk", &RANDOM.replace("\"300 ms\"", "\"100 ms\""));
    let shapes = [
        "--vary queue.policy=epd,tail-drop,fba --vary queue.buffer=60..480cells:log:9 --seeds 2",
        "--vary queue.buffer=60..480cells:log:30 --vary network.trunk_delay=1..9ms:lin:30",
        "--vary queue.buffer=60..480cells:log:60 --vary network.trunk_delay=1..9ms:lin:60",
        "--vary queue.buffer=60..480cells:log --vary network.trunk_delay=1..9ms:lin --latin-hypercube 50",
        "--vary queue.policy=epd,tail-drop,fba --seeds 3 --baseline queue.policy=epd",
        "--seeds 300",
        "--vary queue.buffer=60..480cells:log:30 --seeds 2 --shard 1/2",
    ];
    for (nth, shape) in shapes.iter().enumerate() {
        let out = format!("of-{nth}");
        let outcome = place.run(&format!("sweep scenario.toml --out {out} {shape}")).exits_with(0);
        let said = outcome.stderr.lines().find_map(|line| line.strip_suffix(" of disk")).unwrap();
        let (number, unit) = said.rsplit_once(", ").unwrap().1.split_once(' ').unwrap();
        let said = number.parse::<f64>().unwrap() * if unit == "MB" { 1e6 } else { 1e3 };
        let files = crate::support::files(&place.path(&out));
        let written: u64 = files.iter().map(|file| fs::metadata(file).unwrap().len()).sum();
        let ratio = said / written as f64;
        println!("{shape:?}: {said} said, {written} written, {ratio:.2}");
        assert!((0.9..2.0).contains(&ratio), "{shape:?}: {said} said, {written} written");
    }
}

/// A network with nodes that are called by numbers, and a source of datagrams.
#[cfg(unix)]
const SMALL: &str = r#"
name = "small"
duration = "50 ms"

network = { technology = "packet", topology = "graph" }
node = { 0.kind = "host", 1.kind = "host", 2.kind = "host", 3.kind = "switch" }

[link]
0 = { ends = ["0", "3"], rate = "1 Mbps", delay = "1 ms" }
1 = { ends = ["1", "3"], rate = "1 Mbps", delay = "1 ms" }
2 = { ends = ["2", "3"], rate = "2 Mbps", delay = "5 ms" }

[queue]
buffer = "5 packets"

[udp.u1]
from = "0"
to = "1"
rate = "3 Mbps"
"#;
