//! `run`: what is printed, what is kept.

use crate::support::{PLAIN, Place, RANDOM};

#[test]
fn a_run_prints_a_table_and_keeps_its_result() {
    let place = Place::with("prints-and-keeps", RANDOM);
    let outcome = place.run("run scenario.toml").exits_with(0).says(&["results in results/random-"]);
    let title = "random: 0.3 s simulated, of which the first 0.05 s (warm-up) are left out, seed 1\n";
    assert!(outcome.stdout.starts_with(title), "{}", outcome.stdout);
    assert!(outcome.stdout.lines().count() <= 20);
    for word in ["efficiency", "fairness", "f1", "f3", "timeouts", "sw1->sw2"] {
        outcome.prints(&[word]);
    }
    assert_eq!(place.names(), ["results", "scenario.toml"]);
    let folder = outcome.stderr.trim().strip_prefix("results in ").unwrap();
    // The kept scenario is complete and canonical: run again, it gives the same folder and the same numbers.
    let kept = format!("{folder}/scenario.toml");
    let again = place.run(&["run", &kept]).exits_with(0);
    assert_eq!((again.stdout, again.stderr), (outcome.stdout, outcome.stderr));
}

#[test]
fn the_table_has_at_most_twenty_lines_with_a_hundred_flows_and_many_seeds() {
    let place = Place::with("hundred-flows", &RANDOM.replace("sources = 3", "sources = 100"));
    let outcome = place.run("run scenario.toml --seeds 3 --set 'duration=100 ms'").exits_with(0);
    assert!(outcome.stdout.lines().count() <= 20, "{}", outcome.stdout);
    outcome.prints(&["... and 97 more"]);
}

#[test]
fn the_same_command_gives_the_same_bytes() {
    let place = Place::with("same-bytes", RANDOM);
    let run = || {
        let outcome = place.run("run scenario.toml --seeds 5 --out kept").exits_with(0);
        (outcome.stdout, place.read("kept/result.json"), place.read("kept/scenario.toml"))
    };
    assert_eq!(run(), run());
}

/// The engine is no part of the experiment: the same folder, the same hash, the same numbers.
#[test]
fn the_engines_give_the_same_result() {
    let place = Place::with("engines", RANDOM);
    let run = |engine: &str| {
        let command = format!("run scenario.toml --seeds 3 --json {engine}");
        let outcome = place.run(&command).exits_with(0);
        let mut document = outcome.json();
        assert_eq!(document["command"].take().as_array().unwrap().len(), command.split_whitespace().count() + 1);
        // The checksum is of the command line too.
        document["blake3"].take();
        (document, outcome.stderr)
    };
    let default = run("");
    assert_eq!(run("--engine reference"), default);
    assert_eq!(run("--engine batched"), default);
}

#[test]
fn out_names_the_folder_and_an_earlier_result_in_it_is_replaced() {
    let place = Place::with("out", RANDOM);
    place.run("run scenario.toml --out a/b").exits_with(0).says(&["results in a/b"]);
    let first = place.read("a/b/result.json");
    place.write("a/b/notes.txt", "mine");
    place.run("run scenario.toml --out a/b --set queue.policy=tail-drop").exits_with(0);
    assert_ne!(place.read("a/b/result.json"), first);
    assert_eq!(place.read("a/b/notes.txt"), "mine");
}

#[test]
fn several_seeds_without_randomness_are_pointed_out() {
    let place = Place::with("no-randomness", PLAIN);
    let note = "this scenario has no randomness";
    let several = place.run("run scenario.toml --seeds 2").exits_with(0).says(&[note]);
    assert!(!several.stdout.contains(note));
    let one = place.run("run scenario.toml").exits_with(0);
    assert!(!one.stderr.contains(note));
    place.write("random.toml", RANDOM);
    let random = place.run("run random.toml --seeds 2").exits_with(0);
    assert!(!random.stderr.contains(note));
}

/// 3 Mb/s of payload into a link of 2 Mb/s: of 1028 octets 1000 are payload, so 1.9455 Mb/s arrive. There is nothing to say
/// about TCP, and nothing to warn of when it is repeated.
#[test]
fn datagrams_need_no_tcp() {
    let udp = r#"
duration = "5 s"
network = { technology = "packet", topology = "graph" }
queue = { buffer = "10 packets" }
node.a.kind = "host"
node.s.kind = "switch"
node.b.kind = "host"
link.l = { ends = ["a", "s"], rate = "10 Mbps", delay = "1 ms" }
link.m = { ends = ["s", "b"], rate = "2 Mbps", delay = "1 ms" }
udp.u = { from = "a", to = "b", rate = "3 Mbps", payload = "1000 B" }
"#;
    let place = Place::with("datagrams-alone", udp);
    let table = place.run("run scenario.toml --out kept").exits_with(0).stdout;
    assert!(table.contains("UDP goodput Mb/s   1.94"), "{table}");
    for word in ["fairness", "efficiency", "\nflow ", "timeouts"] {
        assert!(!table.contains(word), "{word} in {table}");
    }
    let reference = "run scenario.toml --engine reference --out kept";
    assert_eq!(place.run(reference).exits_with(0).stdout, table);
    let repeated = place.run("rerun kept").exits_with(0);
    assert_eq!(repeated.stderr, "");
    place.run("report kept").exits_with(0);
}

/// One window of 20 kB in each round trip of 100 ms is 1.6 of 10 Mb/s: said before the run, after it, and by `compare`.
#[test]
fn a_receive_window_that_limits_is_said_everywhere() {
    let file = "duration = \"20 s\"\nwarmup = \"5 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 1\n\
                access_rate = \"100 Mbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"10 Mbps\"\nbottleneck_delay = \"48 ms\"\n\
                [queue]\nbuffer = \"100 packets\"\n";
    let place = Place::with("limited", &format!("{file}[tcp]\nreceive_window = \"20 kB\"\n"));
    place.write("auto.toml", file);
    let before = "the receive window of f1 is 20 kB, and the round trip over sw1->sw2 has room for 125 kB";
    place.run("check scenario.toml").exits_with(0).says(&[before, "limits goodput to 16 % of the rate of sw1->sw2"]);
    let after = "The receive window limits flow f1 for 100.0 % of the time";
    place.run("run scenario.toml --out limited").exits_with(0).prints(&[after]);
    let outcome = place.run("run auto.toml --out auto").exits_with(0);
    assert!(!outcome.stdout.contains("receive window") && outcome.stderr.lines().count() == 1, "{outcome:#?}");
    place.run("report limited").exits_with(0);
    assert!(place.read("limited/report.html").contains(after));
    place.run("compare auto limited").exits_with(0).says(&[&format!("note: scenario: {after}")]);
    assert!(place.read("comparison.html").contains(after));
    let result = place.run("run scenario.toml --json --out limited").exits_with(0).json();
    let share = &result["summary"]["flows"][0]["limited"]["by_receive_window"]["mean"];
    assert!(share.as_f64().unwrap() > 0.95, "{share}");
}
