//! The numbers in the table of a sweep: each follows from the document that `run` makes of the same run.

use serde_json::Value;

use crate::support::{Place, RANDOM};

/// Files, losses on a link, and UDP.
const MIXED: &str = r#"
name = "mixed"
duration = "3 s"

[network]
technology = "packet"
topology = "dumbbell"
sources = 3
access_rate = "100 Mbps"
access_delay = "1 ms"
bottleneck_rate = "4 Mbps"
bottleneck_delay = "5 ms"

[queue]
buffer = "8 packets"

[tcp]
dialect = "osu"

[link."sw1->sw2"]
errors = { model = "uniform", rate = 0.01, applies_to = "data" }

[flow.f1]
size = "300 kB"
start = "200 ms"

[flow.f2]
size = "100 kB"

[udp.u1]
from = "s1"
to = "d1"
rate = "1 Mbps"
"#;

fn number(value: &Value, path: &[&str]) -> f64 {
    path.iter().fold(value, |value, key| &value[*key]).as_f64().unwrap_or_else(|| panic!("no {path:?} in {value}"))
}

fn items<'a>(run: &'a Value, name: &str) -> &'a [Value] {
    run[name].as_array().unwrap()
}

fn sum(of: &[Value], path: &[&str]) -> f64 {
    of.iter().map(|one| number(one, path)).sum()
}

/// The mean of the delays of several flows together, each with its own number of segments.
fn mean_of(flows: &[Value], delay: &str) -> f64 {
    let total: f64 = flows.iter().map(|flow| number(flow, &[delay, "mean_s"]) * number(flow, &[delay, "count"])).sum();
    total / sum(flows, &[delay, "count"])
}

/// The names of the columns and the values of the only row.
fn row(place: &Place, set: &str) -> Vec<(String, String)> {
    let folder = format!("kept-{}", set.len());
    place.run(&["sweep", "scenario.toml", "--set", set, "--out", &folder]).exits_with(0);
    let text = place.read(&format!("{folder}/table.csv"));
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
    names.into_iter().zip(values).collect()
}

#[test]
fn each_number_of_a_row_follows_from_the_run() {
    let place = Place::with("sweep-columns", MIXED);
    for set in ["warmup=0 s", "warmup=400 ms"] {
        let run =
            &place.run(&["run", "scenario.toml", "--set", set, "--delays", "--json"]).exits_with(0).json()["runs"][0];
        let has_warmup = set != "warmup=0 s";
        // Counts of the time after the warm-up stand in an object of their own.
        let counted = |name: &'static str| if has_warmup { vec!["after_warmup", name] } else { vec![name] };
        let after = |name: &str| if has_warmup { format!("{name}_after_warmup") } else { name.to_owned() };
        let (flows, udp, links) = (items(run, "flows"), items(run, "udp"), items(run, "links"));
        let port = items(run, "ports").iter().find(|port| port["name"] == "sw1->sw2").unwrap();
        let drops = if has_warmup { vec!["after_warmup", "drops", "total"] } else { vec!["drops", "total"] };
        let goodput = if has_warmup { "goodput_after_warmup_bps" } else { "goodput_bps" };
        let mut files: Vec<f64> =
            [(0, 0.2), (1, 0.0)].map(|(flow, start)| number(&flows[flow], &["completed_s"]) - start).into();
        files.sort_by(f64::total_cmp);
        let expected = [
            ("goodput_bps", sum(flows, &[goodput])),
            ("efficiency", number(run, &[&after("efficiency")])),
            ("fairness", number(run, &[&after("fairness")])),
            ("loss", number(port, &drops) / number(port, &counted("arrivals"))),
            ("lost_on_links", sum(links, &counted("corrupted"))),
            ("segments_sent", sum(flows, &counted("segments_sent"))),
            ("retransmissions", sum(flows, &counted("retransmissions"))),
            ("unnecessary_retransmissions", sum(flows, &counted("unnecessary_retransmissions"))),
            ("timeouts", sum(flows, &counted("timeouts"))),
            ("mean_queue", number(port, &counted("mean_queue"))),
            ("max_queue", number(port, &["max_queue"])),
            ("queueing_delay_mean_s", number(port, &["sojourn", "mean_s"])),
            ("queueing_delay_p50_s", number(port, &["sojourn", "p50_s"])),
            ("queueing_delay_p95_s", number(port, &["sojourn", "p95_s"])),
            ("queueing_delay_p99_s", number(port, &["sojourn", "p99_s"])),
            ("one_way_delay_mean_s", mean_of(flows, "one_way_delay")),
            ("round_trip_mean_s", mean_of(flows, "round_trip")),
            ("udp_goodput_bps", sum(udp, &counted("goodput_bps"))),
            ("udp_loss", sum(udp, &counted("datagrams_lost")) / sum(udp, &counted("datagrams_sent"))),
            ("completed_files", 2.0),
            ("completion_mean_s", (files[0] + files[1]) / 2.0),
            ("completion_p50_s", (files[0] + files[1]) / 2.0),
            ("completion_p95_s", files[0] + 0.95 * (files[1] - files[0])),
        ];
        let row = row(&place, set);
        let value =
            |name: &str| row.iter().find(|(column, _)| column == name).map(|(_, value)| value.parse::<f64>().unwrap());
        for (name, expected) in expected {
            let found = value(name).unwrap_or_else(|| panic!("{set}: no column {name}"));
            assert!(
                (found - expected).abs() <= 1e-9 * expected.abs(),
                "{set}: {name} is {found} instead of {expected}"
            );
        }
        // Percentiles over several flows lie between those of the flows.
        for (name, delay) in [("one_way_delay_p95_s", "one_way_delay"), ("round_trip_p95_s", "round_trip")] {
            let of_flows = flows.iter().map(|flow| number(flow, &[delay, "p95_s"]));
            let (low, high) = of_flows.fold((f64::MAX, 0.0_f64), |(low, high), p95| (low.min(p95), high.max(p95)));
            assert!((low..=high).contains(&value(name).unwrap()), "{set}: {name}");
        }
        assert_eq!(
            row.len(),
            expected.len() + 3 + 2,
            "seed, status and port, two percentiles: every column is looked at"
        );
        for name in ["retransmissions", "lost_on_links", "udp_loss", "loss"] {
            assert!(value(name).unwrap() > 0.0, "{set}: {name} is no test if it is 0");
        }
    }
}

/// Where starts are jittered, the time counts from when the application begins under the seed.
#[test]
fn files_that_begin_at_random_have_completion_times() {
    let place = Place::with("sweep-jittered-files", MIXED);
    let sets = "--set 'traffic.start_jitter=100 ms' --seeds 2";
    place.run(&format!("sweep scenario.toml --out kept {sets}")).exits_with(0);
    let table = place.read("kept/table.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let column =
        |name: &str| rows[0].iter().position(|column| *column == name).unwrap_or_else(|| panic!("no {name}: {table}"));
    let run = format!("run scenario.toml --json --record sent --out one {sets}");
    let runs = place.run(&run).exits_with(0).json();
    let sent = place.run("export one --metric sent").exits_with(0).stdout;
    // The first segment leaves when the application begins.
    let begins = |seed: &str, flow: &str| {
        let first = sent.lines().find_map(|line| line.strip_prefix(&format!("{seed},{flow},"))).unwrap();
        first.split(',').next().unwrap().parse::<f64>().unwrap() * 1e-12
    };
    for (nth, row) in rows[1..].iter().enumerate() {
        assert_eq!(row[column("completed_files")], "2");
        let flows = items(&runs["runs"][nth], "flows");
        let seed = row[column("seed")];
        let times =
            [(0, "f1"), (1, "f2")].map(|(flow, name)| number(&flows[flow], &["completed_s"]) - begins(seed, name));
        assert!(begins(seed, "f2") > 0.0, "it is jittered");
        let mean = row[column("completion_mean_s")].parse::<f64>().unwrap();
        assert!((mean - (times[0] + times[1]) / 2.0).abs() < 1e-9, "{mean} of {times:?}");
    }
}

#[test]
fn a_number_that_no_run_has_decides_nothing_and_is_named() {
    let place = Place::with("sweep-until-none", RANDOM);
    let until = ["sweep", "scenario.toml", "--until-ci", "completion_p95_s=5%", "--out", "none"];
    place
        .run(&until)
        .exits_with(0)
        .says(&["warning: --until-ci completion_p95_s: no run has this number", "`ackclock explain completion_p95_s`"]);
}

/// Of the files of two seeds together, exactly known; of delays those that lie between the percentiles of the runs.
#[test]
fn percentiles_over_the_runs_of_a_point_are_those_of_all_their_values_together() {
    let place = Place::with("sweep-pooled", MIXED);
    let sets = "--set 'traffic.start_jitter=400 ms' --seeds 3";
    place.run(&format!("sweep scenario.toml --out kept {sets}")).exits_with(0);
    let column = |text: &str, name: &str| -> Vec<f64> {
        let column = text.lines().next().unwrap().split(',').position(|column| column == name);
        let column = column.unwrap_or_else(|| panic!("no {name}: {text}"));
        text.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().parse().unwrap()).collect()
    };
    let (summary, table) = (place.read("kept/summary.csv"), place.read("kept/table.csv"));
    // Two files a run: their mean and their median are the same; the 95th percentile is nearly the longer one.
    let (mean, p95) = (column(&table, "completion_mean_s"), column(&table, "completion_p95_s"));
    let files = mean.iter().zip(&p95).flat_map(|(mean, p95)| {
        let half = (p95 - mean) / 0.9 * 1.0;
        [mean - half, mean + half]
    });
    let mut files: Vec<f64> = files.collect();
    files.sort_by(f64::total_cmp);
    for (name, exact) in [("completion_pooled_p50_s", files[2]), ("completion_pooled_p99_s", files[5])] {
        let found = column(&summary, name)[0];
        assert!((found / exact - 1.0).abs() < 0.017, "{name} is {found} and not {exact}");
    }
    for kind in ["queueing_delay", "round_trip", "one_way_delay"] {
        let of_runs = column(&table, &format!("{kind}_p95_s"));
        let found = column(&summary, &format!("{kind}_pooled_p95_s"))[0];
        let (low, high) = of_runs.iter().fold((f64::MAX, 0.0_f64), |(low, high), p95| (low.min(*p95), high.max(*p95)));
        assert!(found > low * 0.98 && found < high * 1.02, "{kind}: {found} of {of_runs:?}");
    }
    let page = place.read("kept/report.html");
    assert!(page.contains("Percentiles over all runs of each point together") && page.contains("to within 1.6 %"));
    assert_eq!(place.run("verify kept").code, 0);
    place.run("explain completion_pooled_p99_s").exits_with(0);
    // One run has no more than its own.
    place.run("sweep scenario.toml --out one").exits_with(0);
    assert!(!place.read("one/summary.csv").contains("pooled"));
}

/// A long path without a warm-up: windows grow by a segment in each round trip until they are as large as they can be.
#[test]
fn a_start_that_is_no_part_of_the_rest_is_said_unless_it_is_left_out() {
    let slow = "tcp.mss=1460 B; tcp.receive_window=64 kB; tcp.initial_ssthresh=6 kB; network.bottleneck_rate=100 Mbps; \
                network.bottleneck_delay=100 ms; duration=60 s";
    let sets: Vec<String> = slow.split("; ").map(|set| format!("--set '{set}'")).collect();
    let sets = sets.join(" ");
    let place = Place::with("sweep-settles", MIXED.split("[link.").next().unwrap());
    let vary = format!("sweep scenario.toml --vary queue.buffer=50packets,100packets {sets} --out all");
    let outcome = place.run(&vary).exits_with(0);
    let outcome = outcome.says(&["note: there is no warm-up, and the goodput settles after up to ", "--set \"warmup="]);
    let advice = outcome.stderr.split("--set \"").nth(1).unwrap().split('"').next().unwrap();
    // The same runs, which are kept: it is said again.
    assert!(place.run(&vary).exits_with(0).stderr.contains(advice));
    // What `run` gives is the same, whatever else was recorded here.
    let run = format!("run scenario.toml --set queue.buffer=50packets --json {sets}");
    let json = place.run(&run).exits_with(0).json();
    let goodput = sum(items(&json["runs"][0], "flows"), &["goodput_bps"]);
    assert!(place.read("all/table.csv").lines().nth(1).unwrap().contains(&format!(",{goodput},")));
    let without = place.run(&format!("{} --set '{advice}'", vary.replace("--out all", "--out away"))).exits_with(0);
    assert!(!without.stderr.contains("MSER-5"), "{without:#?}");
}

/// A measure has a column, first in the printed table; in the same folder other measures run again what lacks them, and nothing else.
#[test]
fn measures_that_are_asked_for_are_columns_and_decide_how_many_seeds_there_are() {
    let place = Place::with("sweep-measures", &MIXED.replace("[flow.f1]\n", "[flow.f1]\ngroup = \"new\"\n"));
    let sweep = |more: &str| {
        let arguments = "sweep scenario.toml --vary queue.buffer=8packets,16packets --out x";
        place.run(&format!("{arguments} {more}"))
    };
    let measures = "--measure 'share(goodput: new)' --measure 'p95(one-way-delay: u1)' --seeds 2";
    let first = sweep(measures).exits_with(0);
    let head = first.stdout.lines().next().unwrap();
    assert!(head.find("share(goodput: new)").unwrap() < head.find("Mb/s").unwrap(), "{head}");
    assert!(head.contains("p95(one-way-delay: u1) ms"), "{head}");
    let table = place.read("x/table.csv");
    let columns: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let of = |name: &str| columns.iter().position(|column| *column == name).unwrap_or_else(|| panic!("{columns:?}"));
    let row: Vec<&str> = table.lines().nth(1).unwrap().split(',').collect();
    let of_row = |name: &str| row[of(name)].parse::<f64>().unwrap();
    assert!(of_row("p95_one_way_delay_u1") > 0.0);
    assert_eq!(row[of("limiting_port")], "sw1->sw2");
    first.says(&["Loss and queueing delay are those of sw1->sw2."]);
    // What `run` says of the same run.
    let run = place.run("run scenario.toml --set 'queue.buffer=8 packets' --json").exits_with(0);
    let run: Value = serde_json::from_str(&run.stdout).unwrap();
    let [flows, sources] = ["flows", "udp"].map(|of| items(&run["runs"][0], of));
    let all = sum(flows, &["goodput_bps"]) + sum(sources, &["goodput_bps"]);
    let share = number(&flows[0], &["goodput_bps"]) / all;
    assert!((share - of_row("share_goodput_new")).abs() < 1e-12);

    let kept = || place.read("x/runs.jsonl").lines().count();
    sweep(measures).exits_with(0);
    assert_eq!(kept(), 4);
    sweep("--measure jain(sent) --seeds 2").exits_with(0);
    assert_eq!(kept(), 8, "each run once more");
    // A number that every row has comes first, too, and has one column.
    let usual = sweep("--measure timeouts --measure loss --seeds 2").exits_with(0);
    let head: Vec<&str> = usual.stdout.lines().next().unwrap().split("  ").map(str::trim).collect();
    assert!(head.iter().filter(|word| word.starts_with("loss")).eq(["loss %"].iter()), "{head:?}");
    let first: Vec<&&str> = head.iter().filter(|word| ["timeouts", "loss %", "Mb/s"].contains(word)).collect();
    assert_eq!(first, [&"timeouts", &"loss %", &"Mb/s"]);
    let names = place.read("x/table.csv").lines().next().unwrap().to_owned();
    assert_eq!(names.split(',').filter(|name| name.starts_with("timeouts")).count(), 1, "{names}");
    let until = sweep("--until-ci jain(sent)=50% --seeds 2").exits_with(0);
    assert!(until.stdout.starts_with("queue.buffer  runs  jain(sent)"), "{}", until.stdout);
    assert!(place.read("x/report.html").contains("id=\"jain-sent-\""));
}

/// The first runs of the first, a middle and the last point record throughputs, to see when the goodput settles: what measures need is
/// recorded in them, too, in the intervals that the scenario says.
#[test]
fn measures_of_records_are_those_of_run_at_every_point() {
    let scenario = format!("record_interval = \"40 ms\"\n{}", MIXED.replace("warmup", "# warmup"));
    let place = Place::with("sweep-recorded", &scenario);
    let measures = "--measure 'utilisation(sw1->sw2)' --measure 'cwnd(f1)' --measure 'queue-p95(sw1->sw2)'";
    place.run(&format!("sweep scenario.toml --vary queue.buffer=8..16packets:lin:5 --out x {measures}")).exits_with(0);
    let table = place.read("x/table.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let of = |name: &str| rows[0].iter().position(|column| *column == name).unwrap_or_else(|| panic!("{:?}", rows[0]));
    for (buffer, row) in [8, 10, 12, 14, 16].iter().zip(&rows[1..]) {
        let command = format!("run scenario.toml --set 'queue.buffer={buffer} packets' --json --out r{buffer}");
        let run = place.run(&format!("{command} --record tcp,ports {measures}")).exits_with(0).json();
        let measured = &run["runs"][0]["measures"];
        for (measure, column) in [
            ("utilisation(sw1->sw2)", "utilisation_sw1_sw2"),
            ("cwnd(f1)", "cwnd_f1"),
            ("queue-p95(sw1->sw2)", "queue_p95_sw1_sw2"),
        ] {
            let (ran, swept) = (measured[measure].as_f64().unwrap(), row[of(column)].parse::<f64>().unwrap());
            assert!(ran > 0.0 && ran == swept, "{measure} at {buffer}: {ran} and {swept}");
        }
    }
}

#[test]
fn measures_that_nothing_has_are_refused_with_what_there_is() {
    let place = Place::with("sweep-measures-wrong", MIXED);
    let refused = |measure: &str, says: &[&str]| {
        let sweep = ["sweep", "scenario.toml", "--vary", "queue.buffer=8packets,16packets", "--measure", measure];
        place.run(&sweep).exits_with(3).says(says);
        assert_eq!(place.names(), ["scenario.toml"]);
    };
    refused("share(godput: f1)", &["there is no measure `godput`", "did you mean `goodput`?"]);
    refused("share(goodput: f9)", &["nothing of which there is such a number is called `f9`", "did you mean `f1`?"]);
    refused("jitter(f1)", &["`jitter` are many times: write mean(jitter)"]);
    let sweep = ["sweep", "scenario.toml", "--set", "delays=false", "--measure", "p95(round-trip)"];
    place.run(&sweep).exits_with(3).says(&["needs the delays", "set delays = true"]);
    place.write("sweep.toml", "scenario = \"scenario.toml\"\nmeasures = [\"sum(goodputt)\", 3]\n");
    place.run("sweep sweep.toml").exits_with(3).says(&["did you mean `goodput`?", "`measures` holds"]);
    let explained = place.run("explain share-sent-again").exits_with(0).stdout;
    assert!(explained.contains("a measure, as in --measure"), "{explained}");
}
