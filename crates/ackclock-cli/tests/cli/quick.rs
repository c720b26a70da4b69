//! `quick`: a comparison without a file.

use ackclock::tcp::{cc, recovery};
use serde_json::Value;

use crate::support::Place;

const PATH: &str = "quick --rate 2Mbps --rtt 100ms --duration=5s";

fn quick(place: &Place, more: &str) -> crate::support::Outcome {
    place.run(&format!("{PATH} {more}"))
}

#[test]
fn it_prints_a_table_and_a_chart_and_writes_a_report() {
    let place = Place::new("quick");
    let outcome = quick(&place, "--out q").exits_with(0);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert!(lines[0].starts_with("2Mbps, RTT 100ms, buffer 1bdp: one flow for 5 s, 5 seeds"));
    // 2 Mb/s for 100 ms are 25 kB: twice that, and as much again for the buffer.
    assert_eq!(lines[1], "dialect standard, receive window 75 kB");
    for (line, name) in lines[3..7].iter().zip(["vanilla", "reno-1990", "newreno", "sack"]) {
        assert!(line.starts_with(name), "{line}");
    }
    assert!(lines[8].starts_with("cwnd of f1 over 5 s"), "{}", outcome.stdout);
    assert_eq!(lines.len(), 13, "a line of the chart for each TCP");
    assert_eq!(outcome.stderr, "report in q/report.html\n");
    let html = place.read("q/report.html");
    for plot in ["cwnd", "rtt", "sequence", "throughput", "queue"] {
        assert!(html.contains(&format!("<figure class=\"chart\" id=\"{plot}\">")), "no plot of {plot}");
    }
    // Each TCP has a result folder like that of `run`, which other commands take.
    assert!(place.names() == ["q"] && place.path("q/sack/result.json").exists());
    place.run("rerun q/newreno").exits_with(0);
    place.run("compare q/reno-1990 q/sack").exits_with(0);
}

/// Hardly anything is sent where every second packet is lost, but that is not known before.
#[test]
fn much_work_is_announced_before_it_begins() {
    let place = Place::new("quick-much");
    let path = "quick --rate=100Gbps --rtt=1s --loss=50% --tcp=reno --seeds=2 --out=q";
    let outcome = place.run(&format!("{path} --duration=600s")).exits_with(0);
    let first = outcome.stderr.lines().next().unwrap();
    // A window of 1 GB in each of 600 round trips, at two ports there and two back, under two seeds.
    assert!(first.starts_with("note: up to 3559 million packets are to be simulated"), "{first}");
    let outcome = place.run(&format!("{path} --duration=30s")).exits_with(0);
    assert!(!outcome.stderr.contains("to be simulated"), "{}", outcome.stderr);
}

#[test]
fn throughput_is_shown_per_round_trip() {
    let place = Place::new("quick-interval");
    let interval = |rtt: &str, more: &str, expected: &str| {
        let path = format!("quick --rate=2Mbps --rtt {rtt} --duration=5s --seeds=1 --tcp=reno --out=q");
        let outcome = place.run(&format!("{path} {more}")).exits_with(0);
        assert!(outcome.stdout.lines().next().unwrap().ends_with("one flow for 5 s, 1 seed"), "{}", outcome.stdout);
        let scenario = place.read("q/reno/scenario.toml");
        assert!(scenario.contains(&format!("record_interval = \"{expected}\"\n")), "{rtt}: {scenario}");
    };
    interval("550ms", "", "550 ms");
    interval("10ms", "", "100 ms");
    interval("550ms", "--set record_interval=20ms", "20 ms");
}

#[test]
fn the_same_command_gives_the_same_in_the_same_folder() {
    let place = Place::new("quick-twice");
    let first = quick(&place, "--tcp reno,sack").exits_with(0);
    let folder = first.stderr.trim_end().strip_prefix("report in ").unwrap().to_owned();
    let report = place.read(&folder);
    let second = quick(&place, "--tcp reno,sack").exits_with(0);
    assert_eq!((&first.stdout, &first.stderr), (&second.stdout, &second.stderr));
    assert_eq!(report, place.read(&folder));
}

#[test]
fn one_tcp_has_a_report_of_its_own_and_several_flows_a_fairness() {
    let place = Place::new("quick-one");
    quick(&place, "--tcp new-reno --flows 3 --seeds 2 --out q").exits_with(0).prints(&["3 flows", "fairness"]);
    assert!(place.read("q/report.html").contains("Run report"));
}

/// Of the congestion controls without a recovery of their own the standard dialect says the recovery.
#[test]
fn every_tcp_runs_in_every_dialect_with_the_recovery_that_goes_with_it() {
    let place = Place::new("quick-every");
    let recoveries = recovery::ALL.iter().filter(|algorithm| !algorithm.needs.fine_timeouts).map(|algorithm| {
        let name = match algorithm.name {
            "new-reno" => "newreno",
            "rfc6675" => "sack",
            "reno" => "reno-1990",
            name => name,
        };
        (name, algorithm.name, "reno", false)
    });
    let controls = cc::ALL.iter().filter(|algorithm| algorithm.sets_window).map(|algorithm| {
        let usual = algorithm.usual_recovery;
        let has_own = usual.is_some_and(|usual| usual.instead_of_sack.is_none());
        (algorithm.name, usual.map_or("rfc6675", |usual| usual.name), algorithm.name, !has_own)
    });
    let all: Vec<(&str, &str, &str, bool)> = recoveries.chain(controls).collect();
    let names: Vec<&str> = all.iter().map(|(name, ..)| *name).collect();
    let of_dialect = place.run("init - --packet").exits_with(0).stdout;
    place.write("standard.toml", of_dialect);
    let standard = place.run("check standard.toml --print").exits_with(0).stdout;
    let standard = standard.lines().find_map(|line| line.strip_prefix("recovery = \"")?.split('"').next()).unwrap();
    for dialect in ["standard", "linux", "osu", "ns2-2001", "linux-2.2-sat"] {
        let more = format!("--seeds 1 --out q --dialect {dialect} --tcp {}", names.join(","));
        let outcome = quick(&place, &more).exits_with(0);
        let mut lines = outcome.stdout.lines().skip(1);
        assert!(lines.next().unwrap().starts_with(&format!("dialect {dialect}, receive window ")));
        for (line, &(name, recovery, control, of_dialect)) in lines.skip(1).zip(&all) {
            let mut words = line.split_whitespace();
            assert_eq!(words.next(), Some(name), "{line}");
            let rate: f64 = words.next().unwrap().parse().unwrap();
            // New Reno with a single loss repaired in each round trip has not repaired those of slow start after 5 s.
            assert!(rate > 0.2, "{dialect}: {name} carries nearly nothing: {line}");
            let scenario = place.read(&format!("q/{name}/scenario.toml"));
            let recovery = if of_dialect && dialect == "standard" { standard } else { recovery };
            for (key, word) in [("recovery", recovery), ("congestion_control", control), ("dialect", dialect)] {
                assert!(scenario.contains(&format!("{key} = \"{word}\"\n")), "{name}: {scenario}");
            }
        }
    }
}

/// Else nothing would be random in the standard dialect, and one of several equal flows would lose every contest.
#[test]
fn several_flows_begin_at_random_within_a_round_trip() {
    let place = Place::new("quick-several");
    let run = |more: &str| quick(&place, &format!("--tcp=sack --seeds=3 --out=q {more}")).exits_with(0).stdout;
    let fingerprints = || {
        let result: Value = serde_json::from_str(&place.read("q/sack/result.json")).unwrap();
        let mut all: Vec<String> =
            result["runs"].as_array().unwrap().iter().map(|run| run["fingerprint"].to_string()).collect();
        all.sort();
        all.dedup();
        all.len()
    };
    assert!(!run("").contains("at random"));
    assert_eq!(fingerprints(), 1, "one flow: nothing is random");
    let several = run("--flows 4");
    let header = several.lines().nth(1).unwrap();
    assert!(header.ends_with(", flows begin at random within one round trip"), "{header}");
    assert_eq!(fingerprints(), 3);
    assert!(place.read("q/sack/scenario.toml").contains("start_jitter = \"100 ms\""));
}

/// 1 Gb/s for 100 ms are 12.5 MB; twice that and a buffer of 1 MB are 26 MB.
#[test]
fn the_receive_window_is_two_bandwidth_delay_products_and_the_buffer() {
    let place = Place::new("quick-window");
    let header = |rate: &str, more: &str| {
        let path = format!("quick --rate {rate} --rtt=100ms --duration=1s --seeds=1 --tcp=reno --out=q");
        let outcome = place.run(&format!("{path} {more}")).exits_with(0);
        outcome.stdout.lines().nth(1).unwrap().to_owned()
    };
    assert_eq!(header("1Gb/s", "--buffer=1MB"), "dialect standard, receive window 26 MB");
    // 20 Mb/s: 500 kB, and 100 datagrams of at most 1080 B.
    let packets = header("20Mbps", "'--buffer=100 packets' --set 'tcp.mss=1000 B'");
    assert_eq!(packets, "dialect standard, receive window 608 kB");
    assert_eq!(header("100kbps", "'--buffer=9 kB'"), "dialect standard, receive window 65535 B", "without scaling");
    // With 100 ms of jitter in one direction the round trip is up to 200 ms.
    let jitter = header("1Gbps", "--buffer=1MB --jitter=100ms");
    assert_eq!(jitter, "dialect standard, receive window 51 MB, jitter of data up to 100ms");
    let limited = header("100Gbps", "--buffer=1bdp");
    assert_eq!(limited, "dialect standard, receive window 1073725440 B (the maximum of TCP)");
    assert_eq!(header("1Gbps", "--set 'tcp.receive_window=70 kB'"), "dialect standard, receive window 70 kB");
}

#[test]
fn loss_jitter_and_queue_are_those_of_the_path_of_data() {
    let place = Place::new("quick-path");
    let more = "--loss 1% --jitter 5ms --queue codel --tcp reno,sack --seeds 2 --out=q";
    let outcome = quick(&place, more).exits_with(0);
    let header = outcome.stdout.lines().nth(1).unwrap();
    let path = ", queue codel, loss of data 1%, jitter of data up to 5ms";
    assert!(header.starts_with("dialect standard, ") && header.ends_with(path), "{header}");
    let scenario = place.read("q/reno/scenario.toml");
    let table = scenario.split("[link.\"sw1->sw2\"]\n").nth(1).unwrap();
    assert!(table.contains("jitter = \"5 ms\"") && table.contains("rate = 0.01, unit = \"packet\""), "{scenario}");
    assert!(scenario.contains("policy = \"codel\""), "{scenario}");
    let result: Value = serde_json::from_str(&place.read("q/reno/result.json")).unwrap();
    let corrupted = result["summary"]["lost_on_links"]["mean"].as_f64().unwrap();
    assert!(corrupted > 0.0, "{corrupted}");
}

/// What is wrong with an option is shown at that option, and not at a file that the user did not write.
#[test]
fn wrong_options_are_shown_where_they_are() {
    let place = Place::new("quick-options");
    let said = |more: &str, code| quick(&place, more).exits_with(code).without_result().stderr;
    let choke = said("--queue choke", 3);
    assert!(
        choke.starts_with("error: unknown policy \"choke\"\n --> --policy:1:1\n") && choke.contains(", red, "),
        "{choke}"
    );
    assert!(choke.contains("= help: not modelled: CHOKe; docs/not-modelled.md lists what is not modelled"), "{choke}");
    insta::assert_snapshot!(said("--jitter 5", 3), @r#"
    error: `jitter` needs a unit
     --> --jitter:1:1
      |
    1 | 5
      | ^ write "5 s"
      |
      = help: units that fit: ps, ns, us, ms, s, min, h
    1 error, nothing was run
    "#);
    insta::assert_snapshot!(said("--loss 5", 2), @r"
    error: --loss 5: more than 100 %; write 5%
    help: as in --loss 0.1%, or --loss 0.001, which is the same
    ");
    let wide = "quick --rate 1Tbps --rtt 1h --duration 1s";
    place.run(wide).exits_with(3).says(&[
        "error: 1 bdp at 1 Tbps and a round trip of 3600 s is 450000 GB\n",
        " --> --buffer:1:1\n",
        "1bdp\n",
        "^^^^ at most 1000 GB\n",
        "= help: give a smaller buffer, or \"infinite\"\n",
        "warning: `bottleneck_delay` is 1799.998 s one way",
    ]);
    assert!(said("--dialect windows", 3).contains("--> --dialect:1:1"));
    assert!(said("--tcp westwood", 2).contains("not modelled: Westwood"));
}

/// 1 Mb/s for 10 ms are 1250 bytes, less than one datagram; 13 Mb/s are 16 250 bytes, more than ten.
#[test]
fn a_short_path_has_room_for_some_packets_without_being_told() {
    let place = Place::new("quick-short");
    for (rate, buffer) in [("1Mbps", "buffer 10 packets:"), ("13Mbps", "buffer 1bdp:")] {
        let arguments = ["quick", "--rate", rate, "--rtt", "10ms", "--duration", "2s", "--seeds", "1", "--tcp", "reno"];
        place.run(&arguments).exits_with(0).prints(&[buffer]);
    }
}

#[test]
fn terminals_without_unicode_get_ascii() {
    let place = Place::new("quick-ascii");
    let run = |language: &str| {
        let mut command = place.command(&format!("{PATH} --tcp reno --seeds 1"));
        let output = command.env_remove("LC_ALL").env_remove("LC_CTYPE").env("LANG", language).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(run("C").is_ascii());
    assert!(run("en_US.UTF-8").contains(|letter| ('▁'..='█').contains(&letter)));
}

#[test]
fn it_prints_one_json_document_if_asked_to() {
    let place = Place::new("quick-json");
    let json = quick(&place, "--tcp reno,sack --json").exits_with(0).stdout;
    let document: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["results"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_wrong_is_said_before_anything_is_run() {
    let place = Place::new("quick-wrong");
    for (arguments, code, words) in [
        ("--tcp renno", 2, &["unknown TCP `renno`", "did you mean `reno`?"][..]),
        ("--tcp quickest", 2, &["unknown TCP `quickest`", "known: vanilla, reno-1990, newreno, fall-floyd, sack"]),
        ("--rate 2", 2, &["--rate 2", "Mbps"]),
        ("--rtt 1us", 2, &["--rtt 1us is too short"]),
        ("--rtt 61min", 2, &["--rtt 61min is too long", "1 h or less"]),
        ("--rate 1001Gbps", 2, &["--rate 1001Gbps is too fast", "1 Tbps or less"]),
        ("--rtt fast", 2, &["--rtt fast", "expected a time"]),
        ("--buffer many", 3, &["buffer", "many"]),
        ("--set 'tcp.mss=0 B'", 3, &["mss"]),
        ("--flows 0", 2, &["--flows"]),
    ] {
        // The last value of an option counts.
        let base = match arguments.split(' ').next() {
            Some("--rate") => "quick --rtt 100ms",
            Some("--rtt") => "quick --rate 2Mbps",
            _ => PATH,
        };
        let outcome = place.run(&format!("{base} {arguments}")).exits_with(code);
        for word in words {
            outcome.warns(&[word]);
        }
        assert!(place.names().is_empty(), "{arguments:?} left something behind");
    }
}

/// Ten sources share a link of 155.52 Mb/s on an ATM network, in the dialect of the studies of TCP over ATM.
#[test]
fn drop_policies_of_cells_are_compared_as_tcps_are() {
    let place = Place::new("quick-atm");
    let network = "quick --technology=atm --rate=155.52Mbps --rtt=10ms --duration=1s --seeds=2 --out=q";
    let more = "--policy=epd,selective-drop,fba --sources=10 --buffer=1000cells";
    let outcome = place.run(&format!("{network} {more}")).exits_with(0);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert!(lines[0].starts_with("155.52Mbps, RTT 10ms, buffer 1000cells: 10 flows for 1 s, 2 seeds"), "{}", lines[0]);
    // 155.52 Mb/s for 10 ms are 194.4 kB: twice that, and 1000 cells of 53 bytes.
    let common = "ATM, dialect osu, receive window 441.8 kB, queues and drops in cells, flows begin at random";
    assert!(lines[1].starts_with(common), "{}", lines[1]);
    let header: Vec<&str> = lines[2].split_whitespace().collect();
    assert!(header[..2] == ["TCP", "policy"] && header.last() == Some(&"fairness"), "{}", lines[2]);
    for (line, policy) in lines[3..6].iter().zip(["epd", "selective-drop", "fba"]) {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[..2], ["sack", policy]);
        let efficiency: f64 = words[4].parse().unwrap();
        assert!((0.2..=1.0).contains(&efficiency), "{line}");
    }
    let scenario = place.read("q/selective-drop/scenario.toml");
    for line in ["topology = \"n-source\"", "rate = \"155.52 Mbps\"", "policy = \"selective-drop\"", "sources = 10"] {
        assert!(scenario.contains(&format!("{line}\n")), "{line}: {scenario}");
    }
    assert!(place.read("q/report.html").contains("Path: ATM, 155.52Mbps, RTT 10ms"));
    // Every TCP under one policy, and every policy with several TCPs.
    let one = place.run(&format!("{network} --policy=epd")).exits_with(0);
    assert!(["vanilla", "reno-1990", "newreno", "sack"].iter().all(|name| one.stdout.contains(name)), "{}", one.stdout);
    let both = "--policy=epd,ppd --tcp=vanilla,sack";
    place.run(&format!("{network} {both}")).exits_with(0);
    assert!(place.path("q/vanilla-ppd/result.json").exists() && place.path("q/sack-epd/result.json").exists());
    place.run("verify q").exits_with(0);
}

/// The sums of the groups are the numbers of all flows, and each TCP has its line of the chart.
#[test]
fn a_mixture_of_tcps_shares_one_path() {
    let place = Place::new("quick-mixture");
    let outcome = quick(&place, "--flows=reno:2,cubic:1 --seeds=2 --out=q").exits_with(0);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert!(lines[0].contains(": 3 flows for 5 s, 2 seeds"), "{}", lines[0]);
    let number = |line: &str, label: &str| -> f64 {
        let rest = line.strip_prefix(label).unwrap_or_else(|| panic!("{label}: {line}"));
        rest.split_whitespace().next().unwrap().parse().unwrap()
    };
    let (all, reno, cubic) =
        (number(lines[3], "reno:2,cubic:1"), number(lines[4], "  reno, f1 to f2"), number(lines[5], "  cubic, f3"));
    assert!((all - reno - cubic).abs() < 0.0015 && reno > 0.0 && cubic > 0.0, "{}", outcome.stdout);
    assert!(lines[7].starts_with("cwnd of the first flow of each TCP over 5 s"), "{}", lines[7]);
    assert!(lines[8].starts_with("reno f1 ") && lines[9].starts_with("cubic f3 "), "{}", outcome.stdout);
    let scenario = place.read("q/2reno-1cubic/scenario.toml");
    assert!(scenario.contains("[flow.f3.tcp]\ncongestion_control = \"cubic\"\n"), "{scenario}");
    assert!(!scenario.contains("[flow.f2.tcp]"), "{scenario}");
    place.run("rerun q/2reno-1cubic").exits_with(0);
}

#[test]
fn a_tcp_of_a_mixture_that_sends_nothing_has_no_fairness() {
    let place = Place::new("quick-nothing");
    let outcome = quick(&place, "--flows=reno:2,cubic:1 --seeds=2 '--set=flow.f3.start=1 h'").exits_with(0);
    let last = |name: &str| {
        let line = outcome.stdout.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().last().unwrap().to_owned()
    };
    assert_eq!(last("  cubic, f3"), "-", "{}", outcome.stdout);
    assert!(last("  reno, f1 to f2").parse::<f64>().unwrap() > 0.5, "{}", outcome.stdout);
}

#[test]
fn what_does_not_fit_the_technology_or_is_no_mixture_is_refused() {
    let place = Place::new("quick-misfits");
    let said = |more: &str, code| quick(&place, more).exits_with(code).without_result().stderr;
    insta::assert_snapshot!(said("--policy tail-drop,epd", 3), @r"
    error: the policy epd works on cells
     --> --policy:1:1
      |
    1 | epd
      | ^^^ packet networks have tail-drop, red, codel, pie, fq-codel, drr, blue, tbf
      |
      = help: choose one of these, or write --technology atm
    1 error, nothing was run
    ");
    insta::assert_snapshot!(said("--technology=atm --policy=red", 3), @r"
    error: the policy red works on packets
     --> --policy:1:1
      |
    1 | red
      | ^^^ ATM networks have tail-drop, ppd, epd, selective-drop, fba, dynamic-threshold, red-epd
      |
      = help: choose one of these, or write --technology packet
    1 error, nothing was run
    ");
    insta::assert_snapshot!(said("--technology=atm --jitter=5ms", 3), @r"
    error: `jitter` changes or corrupts packets, and this is an ATM network
     --> --jitter:1:1
      |
    1 | 5ms
      | ^^^ links of ATM networks have a constant rate and delay and lose nothing
      |
      = help: leave it out, or write --technology packet
    1 error, nothing was run
    ");
    insta::assert_snapshot!(said("--technology=atm --loss=1%", 2), @r"
    error: --loss 1%: links of ATM networks lose nothing
    help: leave it out, or write --technology packet
    ");
    insta::assert_snapshot!(said("--flows=reno:2,cubik:2", 2), @r"
    error: --flows reno:2,cubik:2: unknown TCP `cubik`
    help: did you mean `cubic`?
    ");
    insta::assert_snapshot!(said("--flows=reno:2,cubic", 2), @r#"
    error: --flows reno:2,cubic: "cubic" has no number of flows
    help: as in --flows 3, or --flows reno:2,cubic:2
    "#);
    insta::assert_snapshot!(said("--flows=reno:2,cubic:0", 2), @r#"
    error: --flows reno:2,cubic:0: "0" is no number of flows
    help: 1 to 1000, as in --flows 3, or --flows reno:2,cubic:2
    "#);
    insta::assert_snapshot!(said("--flows=reno:2,reno:3", 2), @r"
    error: --flows reno:2,reno:3: reno occurs twice
    help: as in --flows 3, or --flows reno:2,cubic:2
    ");
    insta::assert_snapshot!(said("--flows=reno:900,cubic:101", 2), @r"
    error: --flows reno:900,cubic:101: 1001 flows are too many
    help: at most 1000 in all
    ");
    insta::assert_snapshot!(said("--flows=reno:2,cubic:2 --tcp=reno", 2), @r"
    error: --tcp beside --flows reno:2,cubic:2, which says the TCPs itself
    help: leave out --tcp, or give --flows a number
    ");
    insta::assert_snapshot!(said("--flows=few", 2), @r#"
    error: --flows few: "few" is no number of flows
    help: 1 to 1000, as in --flows 3, or --flows reno:2,cubic:2
    "#);
    let words = said("--technology=cells", 2);
    assert!(words.contains("[possible values: packet, atm]"), "{words}");
    assert!(place.names().is_empty());
}
