//! The other commands, and every example of the help texts.

use std::env;
use std::path::Path;
use std::process::Command;

use crate::support::{PLAIN, Place, outcome};
use crate::{contacts, kept, packetdrill};

#[test]
fn the_version_names_the_version_of_the_results() {
    let place = Place::new("version");
    let outcome = place.run("--version").exits_with(0);
    insta::assert_snapshot!(outcome.stdout, @"ackclock 0.1.0 (result version 5)");
    assert_eq!(outcome.stderr, "");
}

#[test]
fn every_command_has_help_on_standard_output() {
    let place = Place::new("help");
    insta::assert_snapshot!(place.run("--help").exits_with(0).stdout);
    let commands = [
        "quick",
        "run",
        "live",
        "doctor",
        "check",
        "list",
        "init",
        "schema",
        "reproduce",
        "rerun",
        "export",
        "plot",
        "explain",
    ];
    for command in commands.into_iter().chain([
        "completions",
        "man",
        "report",
        "compare",
        "contacts",
        "packetdrill",
        "sweep",
        "merge",
        "verify",
    ]) {
        let outcome = place.run(&[command, "--help"]).exits_with(0);
        outcome.prints(&["\nExample:\n  ackclock "]);
        assert_eq!(outcome.stderr, "");
    }
}

#[test]
#[cfg(unix)]
fn the_examples_of_the_help_texts_work() {
    let place = Place::new("help-examples");
    place.run("init").exits_with(0);
    place.run("init template.toml").exits_with(0);
    let program = Path::new(env!("CARGO_BIN_EXE_ackclock")).parent().unwrap();
    let path = env::join_paths([program, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    kept::fill(&place, "results/lan");
    kept::fill(&place, "results/other");
    place.write("space.toml", contacts::SPACE);
    place.write("script.pkt", packetdrill::SCRIPT);
    // `init` refuses to overwrite, studies take minutes, `quick` is in the README: they have tests of their own.
    let commands = ["run", "check", "list", "schema", "rerun", "export", "plot", "report", "compare", "explain"];
    for command in commands.into_iter().chain(["completions", "man", "contacts", "packetdrill", "sweep", "verify"]) {
        let help = place.run(&[command, "--help"]).stdout;
        let example = help.split("Example:\n").nth(1).unwrap().lines().next().unwrap().trim();
        let mut shell = Command::new("sh");
        shell.args(["-c", example]).env("PATH", &path).current_dir(place.path("."));
        outcome(shell).exits_with(0);
    }
}

#[test]
fn init_writes_a_scenario_that_runs_without_a_warning() {
    let place = Place::new("init");
    let init = place.run("init").exits_with(0).without_result();
    assert_eq!(
        init.stderr,
        "wrote scenario.toml\nrun it with: ackclock run scenario.toml\n\
         completion in editors: ackclock schema > ackclock.schema.json\n"
    );
    place.run("init").exits_with(1).without_result().says(&["`scenario.toml` exists already", "ackclock init FILE"]);
    assert_eq!(place.run("init -").exits_with(0).stdout, place.read("scenario.toml"));
    place.run("init no/such/folder.toml").exits_with(1).says(&["cannot write"]);

    let run = place.run("run scenario.toml").exits_with(0);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    run.prints(&["efficiency, with warm-up"]);
}

#[test]
fn init_writes_a_network_of_packets_too() {
    let place = Place::new("init-packet");
    let schema = place.run("schema").exits_with(0).stdout;
    place.write("ackclock.schema.json", schema);
    let init = place.run("init --packet net.toml").exits_with(0).without_result();
    assert_eq!(init.stderr, "wrote net.toml\nrun it with: ackclock run net.toml\n", "the schema is there");
    assert_eq!(place.run("init - --packet").exits_with(0).stdout, place.read("net.toml"));
    let run = place.run("run net.toml --out r").exits_with(0);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    run.prints(&["packets lost on links"]);
}

#[test]
fn every_scenario_that_is_written_names_its_schema() {
    let place = Place::with("schema-line", PLAIN);
    let first_line = |text: String| text.lines().next().unwrap().to_owned();
    for arguments in [&["init", "-"][..], &["init", "-", "--packet"], &["check", "scenario.toml", "--print"]] {
        let written = place.run(arguments).exits_with(0).stdout;
        assert_eq!(first_line(written), "#:schema ./ackclock.schema.json", "{arguments:?}");
    }
    place.run("run scenario.toml --out a/b").exits_with(0);
    assert_eq!(first_line(place.read("a/b/scenario.toml")), "#:schema ../../ackclock.schema.json");
    place.run("rerun a/b").exits_with(0);
}

#[test]
fn check_says_what_a_valid_scenario_is_and_prints_it_in_full() {
    let place = Place::with("check", PLAIN);
    let valid = place.run("check scenario.toml").exits_with(0);
    insta::assert_snapshot!(valid.stdout, @"scenario.toml: valid, packet network of 4 hosts and 2 switches, 2 flows, 0.2 s simulated");
    assert_eq!(valid.stderr, "");
    place.write("udp.toml", "extends = \"scenario.toml\"\n[udp.u]\nfrom = \"s1\"\nto = \"d1\"\nrate = \"10 kbps\"");
    let with_udp = place.run("check udp.toml").exits_with(0).stdout;
    assert!(with_udp.contains(", 2 flows and 1 UDP source, "), "{with_udp}");

    let printed = place.run("check scenario.toml --print --set 'queue.buffer=7 packets'").exits_with(0);
    printed.prints(&["7 packets", "mss = "]);
    // What is printed is a scenario itself.
    place.write("printed.toml", &printed.stdout);
    place.run("check printed.toml").exits_with(0);

    place.run("check scenario.toml --set queue.buffer=7").exits_with(3).without_result().says(&["1 error\n"]);
}

#[test]
fn list_shows_words_and_studies() {
    let place = Place::new("list");
    let all = place.run("list").exits_with(0).stdout;
    for word in ["policy", "selective-drop", "recovery", "new-reno", "topology", "dumbbell", "sack-ubr"] {
        assert!(all.contains(word), "no {word} in {all}");
    }
    let policies = place.run("list policy").exits_with(0).stdout;
    assert!(policies.lines().any(|line| line == "epd"), "{policies}");
    let metrics = place.run("list record").exits_with(0).stdout;
    assert!(metrics.lines().any(|line| line == "vc-queue"), "{metrics}");
    assert!(place.run("list studies").exits_with(0).stdout.contains("sack-ubr/t1"));
    place.run("list polices").exits_with(2).without_result().says(&["did you mean `ackclock list policy`?"]);
}

#[test]
fn explain_says_what_a_word_means_wherever_it_is_used() {
    let place = Place::new("explain");
    let explained = |word: &str| place.run(&["explain", word]).exits_with(0).stdout;
    let cwnd = explained("cwnd");
    insta::assert_snapshot!(cwnd, @r#"
    cwnd: a metric, recorded for each flow
        Congestion window of the sender, whenever it changes.
        unit: bytes
        rows: at every change; a value holds until the next
        columns of cwnd.parquet: seed, flow, time_ps, cwnd_bytes

    cwnd: a measure, as in --measure 'cwnd(f1, 2 to 5 s)'
        The congestion window, as a mean over time; 0 before the flow begins. docs/measures.md.

    cwnd: a value of the key `pipe_start` in [flow.NAME.tcp.fall-floyd]
        What PIPE begins with: the outstanding bytes less three segments, or the congestion window before it is halved. Default: "outstanding" ([SACK-UBR] §4; cwnd: §3).

    cwnd: a value of the key `pipe_start` in [tcp.fall-floyd]
        What PIPE begins with: the outstanding bytes less three segments, or the congestion window before it is halved. Default: "outstanding" ([SACK-UBR] §4; cwnd: §3).
    "#);
    assert!(explained("queue_mean_cells").contains("a column of tables, in cells"));
    assert!(explained("mean_active").contains("a key of result.json, in connections"));
    assert!(explained("4").contains("an exit code"));
    assert!(explained("exit-codes").contains("130  Interrupted"));
    assert!(explained("markov").contains("a value of the key `model` in [link.NAME.errors]"));
    assert!(explained("until").contains("a key in [link.NAME.outages]\n    When the outage ends."));
    assert!(explained("selective-drop").contains("a value of the key `policy` in [queue]"));
    assert!(explained("tcp").contains("a group of metrics") && explained("tcp").contains("scenario file"));
    for (word, text) in [
        ("BDP", "bandwidth-delay product"),
        ("RTT", "round-trip time"),
        ("percentile", "p99"),
        ("Selective-Drop", "a value of the key `policy`"),
        ("fq_pie", "FQ-PIE, which is not modelled\n    docs/not-modelled.md"),
        ("mtu", "The largest IP datagram"),
        ("forward RM cell", "resource management cell"),
        ("ERICA+", "a value of the key `rate_algorithm`"),
        ("TM 4.0", "Traffic Management Specification"),
        ("CLP", "cell loss priority"),
    ] {
        assert!(explained(word).contains(text), "{word}: {}", explained(word));
    }
    for word in
        ["Mrm", "BN", "DIR", "RM", "in-rate", "out of rate", "QL", "PTI", "turn-around", "T0", "QDLF", "fair share"]
    {
        explained(word);
    }
    let pcr = explained("PCR");
    assert!(pcr.starts_with("pcr: peak cell rate") && pcr.find("a key in [atm]") < pcr.find("a value of"), "{pcr}");
    place.run("explain cwmd").exits_with(2).without_result().says(&["did you mean `ackclock explain cwnd`?"]);
    place.run("explain 'everything there is'").exits_with(2).says(&["known words: the metrics cwnd, "]);
}

#[test]
fn completions_know_metrics_and_studies() {
    let place = Place::new("completions");
    // Which of them complete values, and of which arguments, is up to clap.
    let known = [
        ("bash", &["record-interval", "vc-queue-changes", "sack-ubr"][..]),
        ("zsh", &["record-interval", "vc-queue-changes", "sack-ubr"]),
        ("fish", &["record-interval", "vc-queue-changes"]),
        ("powershell", &["record-interval"]),
        ("elvish", &["record-interval"]),
    ];
    for (shell, words) in known {
        let script = place.run(&["completions", shell]).exits_with(0).stdout;
        for word in ["export", "rerun"].iter().chain(words) {
            assert!(script.contains(word), "no {word} for {shell}");
        }
    }
    place.run("completions basch").exits_with(2).says(&["'bash'"]);
}

#[test]
fn man_prints_one_page_or_writes_all() {
    let place = Place::new("man");
    let page = place.run("man").exits_with(0).stdout;
    assert!(page.contains(".TH ackclock 1") && page.contains("Exit codes"), "{page}");
    place.run("man man1").exits_with(0).without_result().says(&["wrote the pages to man1"]);
    for name in ["ackclock.1", "ackclock-run.1", "ackclock-export.1"] {
        assert!(place.read(&format!("man1/{name}")).contains(".SH SYNOPSIS"), "{name}");
    }
    place.write("file", "");
    place.run("man file/man1").exits_with(1).says(&["cannot write to the folder `file/man1`", "ackclock man DIR"]);
}

#[test]
fn the_schema_is_json_that_names_the_keys() {
    let schema = Place::new("schema").run("schema").exits_with(0).json();
    assert!(schema["$schema"].as_str().unwrap().contains("draft-07"));
    assert!(schema["properties"]["network"].is_object() && schema["properties"]["duration"].is_object());
}
