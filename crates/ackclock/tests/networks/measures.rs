//! Measures of whole networks, beside what the records say and calculations by hand.

use std::collections::BTreeSet;

use ackclock::measure::{Expression, Need, OF_RUNS, Period, Quantity, Run};
use ackclock::record::metrics::jain;
use ackclock::record::{Columns, Metric, Records};
use ackclock::scenario::Scenario;
use ackclock::units::{Span, Time};

use crate::lab::{run, scenario};

/// Two flows of one group and one of none, of different round trips, and two sources of datagrams; the second port is idle.
const MIXED: &str = r#"
duration = "10 s"
warmup = "2 s"
delays = true
network = { technology = "packet", topology = "graph" }
node = { a.kind = "host", r.kind = "switch", q.kind = "switch", b.kind = "host" }
[link]
first = { ends = ["a", "r"], rate = "100 Mbps", delay = "1 ms" }
middle = { ends = ["r", "q"], rate = "10 Mbps", delay = "10 ms" }
last = { ends = ["q", "b"], rate = "100 Mbps", delay = "1 ms" }
[queue]
buffer = "20 packets"
[flow]
old = { from = "a", to = "b", group = "camp" }
new1 = { from = "a", to = "b", group = "camp", start = "1 s" }
new2 = { from = "a", to = "b", start = "3 s" }
[udp]
ping = { from = "a", to = "b", payload = "472 B", rate = "100 kbps" }
pong = { from = "a", to = "b", payload = "972 B", rate = "200 kbps" }
"#;

fn mixed() -> (Scenario, Records) {
    let scenario = scenario(MIXED, &[]);
    let records = run(&scenario, 1);
    (scenario, records)
}

fn value(scenario: &Scenario, records: &Records, text: &str) -> Option<f64> {
    let run = Run::new(scenario, records, Period::Measured);
    Expression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).value(&run)
}

/// CoDel drops what has waited, at its turn; tail drop refuses what comes.
#[test]
fn what_is_dropped_after_it_has_waited_is_counted() {
    for (policy, waits) in [("codel", true), ("fq-codel", true), ("tail-drop", false)] {
        let mixed = scenario(MIXED, &[&format!("queue.policy={policy}"), "warmup=5 s"]);
        let records = run(&mixed, 1);
        let port = records.ports.iter().find(|port| port.name == "r->q").unwrap();
        let (late, drops) = (port.tallies.dropped_after_waiting, port.drops);
        // Of CoDel the policy drops at a packet's turn, and the buffer refuses what comes; FQ-CoDel drops the head of a queue there, too.
        let expected = match policy {
            "codel" => drops.policy,
            "fq-codel" => drops.policy + drops.overflow,
            _ => 0,
        };
        assert!((late, late > 0) == (expected, waits) && drops.total() > 0, "{policy}: {late}, {drops:?}");
        let rest = records.after_warmup.as_ref().unwrap().ports.iter().map(|port| port.tallies.dropped_after_waiting);
        let rest: u64 = rest.sum();
        assert!(!waits || (1..late).contains(&rest), "{policy}: {rest} of {late}");
        assert_eq!(value(&mixed, &records, "sum(dropped-after-waiting)"), Some(rest as f64), "{policy}");
        assert_eq!(value(&mixed, &records, "dropped-after-waiting(r->q, whole run)"), Some(late as f64), "{policy}");
    }
}

#[test]
fn expressions_are_what_they_say_of_the_records() {
    let (scenario, records) = mixed();
    let value = |text: &str| value(&scenario, &records, text).unwrap_or_else(|| panic!("{text} has no value"));
    let near = |text: &str, expected: f64| {
        let found = value(text);
        assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{text}: {found}, not {expected}");
    };
    let rest = records.after_warmup.as_ref().unwrap();
    let goodput: Vec<f64> = records.flows.iter().map(|flow| flow.goodput_after_warmup_bps.unwrap()).collect();
    // In the order of their names: new1, new2, old.
    let [new1, new2, old] = goodput[..] else { panic!("three flows") };
    near("goodput(old)", old);
    near("goodput", (new1 + new2 + old) / 3.0);
    near("sum(goodput)", new1 + new2 + old);
    near("goodput_bps", new1 + new2 + old);
    near("sum(goodput: new*)", new1 + new2);
    // Of all payload, that of datagrams included: shares of all add up to 1.
    let datagrams = value("goodput(ping)") + value("goodput(pong)");
    near("share(goodput: camp)", (new1 + old) / (new1 + new2 + old + datagrams));
    near("share(goodput: *)", 1.0);
    assert!(value("share(goodput: ping)") < 0.1);
    near("share(arrivals: *)", 1.0);
    near("ratio(goodput: old / new1 new2)", 2.0 * old / (new1 + new2));
    near("jain(goodput)", jain(goodput.iter().copied()).unwrap());
    near("range(goodput: camp)", (old - new1).abs());
    near("timeouts", rest.flows.iter().map(|counts| counts.timeouts as f64).sum());
    // new2 begins one second after the warm-up.
    near("sent(new2)", rest.flows[1].bytes_sent as f64 * 8.0 / 7.0);
    near("sent(old)", rest.flows[2].bytes_sent as f64 * 8.0 / 8.0);
    near("share-needless(new2)", 0.0);
    // Distances from equal shares, and from shares of 1 to 3; the index in parts of such weights.
    near("misallocation(goodput: new1 1 new2 1)", (new1 - new2).abs());
    near("misallocation(goodput: new1 1 new2 3)", 2.0 * (new1 - (new1 + new2) / 4.0).abs());
    near("jain(goodput: new1 2 new2 2)", value("jain(goodput: new1 new2)"));
    near("jain(goodput: new1 1 new2 3)", jain([new1, new2 / 3.0].into_iter()).unwrap());
    near("goodput(ping)", rest.udp[0].bytes_delivered as f64);
    near("sum(datagrams-sent)", (rest.udp[0].sent + rest.udp[1].sent) as f64);
    // Without a name the port that limits, which is that of the slow link; its neighbour is idle.
    let slow = records.ports.iter().position(|port| port.name == "r->q").unwrap();
    near("queue", rest.ports[slow].mean_queue);
    near("queue(r->q)", rest.ports[slow].mean_queue);
    near("drop-ratio", rest.ports[slow].drops.total() as f64 / rest.ports[slow].arrivals as f64);
    near("loss", value("drop-ratio"));
    near("sum(arrivals)", rest.ports.iter().map(|port| port.arrivals as f64).sum());
    near("largest(queue)", rest.ports.iter().map(|port| port.mean_queue).fold(0.0, f64::max));
    near("p95(queueing-delay)", value("queueing_delay_p95_s"));
    near("p95(one-way-delay)", value("one_way_delay_p95_s"));
    near("mean(round-trip)", value("round_trip_mean_s"));
    let pings = &records.udp[0].delays.as_ref().unwrap().one_way;
    near("p99.9(one-way-delay: ping)", pings.quantile(999).unwrap().as_secs_f64());
    near("largest(one-way-delay: ping)", pings.max().unwrap().as_secs_f64());
    assert!(value("queue(q->b)") < 0.1);
}

#[test]
fn what_counts_is_the_time_after_the_warm_up_or_the_whole_run() {
    let (scenario, records) = mixed();
    let measure = Expression::parse("segments-sent").unwrap();
    let of = |period| measure.value(&Run::new(&scenario, &records, period)).unwrap();
    let (whole, rest) = (of(Period::Whole), of(Period::Measured));
    assert_eq!(whole, records.flows.iter().map(|flow| flow.counts.segments_sent as f64).sum::<f64>());
    assert!(rest > 0.0 && rest < whole);
    let none = scenario_without_warmup();
    let records = run(&none, 1);
    let of = |period| measure.value(&Run::new(&none, &records, period));
    assert_eq!(of(Period::Whole), of(Period::Measured));
}

fn scenario_without_warmup() -> Scenario {
    scenario(MIXED, &["warmup=0 s"])
}

/// Means over a part of a run, from the points and intervals that were recorded.
#[test]
fn numbers_of_a_part_of_a_run_are_those_of_its_record() {
    let records_all = r#"record=["cwnd", "send-window", "throughput", "sent", "queue", "utilisation"]"#;
    let scenario = scenario(MIXED, &[records_all, r#"record_interval="100 ms""#, r#"queue.buffer="2 packets""#]);
    let records = run(&scenario, 1);
    let value = |text: &str| value(&scenario, &records, text).unwrap_or_else(|| panic!("{text} has no value"));
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found}, not {expected}")
    };
    let series = |metric: Metric, of: &str| {
        &records.series.iter().find(|series| series.metric == metric && series.of == of).unwrap().columns
    };
    // The window in segments, weighted by how long it holds, from 4 to 6 s.
    let Columns::Points { time, value: windows } = series(Metric::Cwnd, "old") else { panic!("changes") };
    let (from, to) = (Time::ZERO + Span::from_ms(4000), Time::ZERO + Span::from_ms(6000));
    let ends = time.iter().skip(1).copied().chain([Time::ZERO + records.simulated]);
    let held = time.iter().zip(ends).zip(windows).map(|((begin, end), window)| {
        let (begin, end) = ((*begin).max(from), end.min(to));
        if end > begin { window * end.since(begin).as_secs_f64() } else { 0.0 }
    });
    let mss = f64::from(scenario.flows.iter().nth(2).unwrap().tcp.mss);
    near(value("cwnd(old, 4 to 6 s)"), held.sum::<f64>() / 2.0 / mss);
    assert!(value("largest-step(old, 4 to 6 s)") >= mss && value("told(old, 4 to 6 s)") == 0.0);
    near(value("send-window(old, 4 to 6 s)"), value("cwnd(old, 4 to 6 s)") * mss);
    near(value("ratio(cwnd: old / new1, 4 to 6 s)"), value("cwnd(old, 4 to 6 s)") / value("cwnd(new1, 4 to 6 s)"));
    // What is delivered in all intervals after the warm-up is what is counted there.
    near(value("goodput(old, 2 to 10 s)"), value("goodput(old)"));
    near(value("sum(goodput, 2 to 10 s)"), value("sum(goodput)"));
    near(value("goodput(old, whole run)"), records.flows[2].goodput_bps);
    near(value("queue(r->q, 2 to 10 s)"), value("queue(r->q)"));
    assert!(
        value("queue-p5(r->q)") <= value("queue-median(r->q)")
            && value("queue-median(r->q)") <= value("queue-p95(r->q)")
    );
    let Columns::Intervals { mean, .. } = series(Metric::Utilisation, "r->q") else { panic!("intervals") };
    let mean = mean.to_vec();
    near(value("utilisation(r->q, 2 to 10 s)"), mean[20..100].iter().sum::<f64>() / 80.0);
    near(value("least-utilisation(r->q)"), mean[20..].iter().copied().fold(1.0, f64::min));
    let expired = |from: u64, to: u64| {
        let range = Time::ZERO + Span::from_ms(from)..Time::ZERO + Span::from_ms(to);
        records.flows.iter().flat_map(|flow| &flow.timeout_times).filter(|time| range.contains(time)).count() as f64
    };
    assert_eq!(
        (value("sum(timeouts, 0 to 5 s)"), value("sum(timeouts, 5 to 10 s)")),
        (expired(0, 5000), expired(5000, 10_000))
    );
    assert!(expired(0, 10_000) > 0.0, "the test needs timeouts");
    assert_eq!(self::value(&scenario, &records, "cwnd(old, 10 to 12 s)"), None);
    // Nothing waits at an idle port, and sources have no such number in a part of the run.
    near(
        value("sum(queue, 2 to 10 s)"),
        value("queue(r->q, 2 to 10 s)") + value("queue(q->b, 2 to 10 s)") + value("sum(queue: q->r r->a, 2 to 10 s)"),
    );
    near(value("share(goodput: camp, 2 to 10 s)"), value("sum(goodput: camp)") / value("sum(goodput)"));
    let wrong = |text: &str| Expression::parse(text).unwrap().misplaced(&scenario).unwrap_or_default();
    assert_eq!(wrong("cwnd(old, 2.05 to 3 s)"), "it does not consist of intervals of the record, 0.1 s long");
    assert_eq!(wrong("timeouts(old, 2.05 to 11 s)"), "it ends after the run, which lasts 10 s");
    assert_eq!((wrong("timeouts(old, 2.05 to 9 s)"), wrong("cwnd(old, 9.9 to 10 s)")), (String::new(), String::new()));
}

/// A flow that begins 0.3 to 1.3 s later than it says, and one file beside flows without end.
#[test]
fn rates_count_from_when_a_flow_begins_and_flows_without_end_are_no_files() {
    let late =
        scenario(MIXED, &["flow.old.start_jitter=\"1 s\"", "flow.old.start=\"2.3 s\"", "flow.new1.size=\"50 kB\""]);
    let records = run(&late, 7);
    let old = late.flows.iter().nth(2).unwrap();
    let begins = old.begins(7).as_secs_f64();
    assert!(begins > 2.4, "{begins}");
    let sent = records.after_warmup.as_ref().unwrap().flows[2].bytes_sent as f64 * 8.0 / (10.0 - begins);
    assert!((value(&late, &records, "sent(old)").unwrap() - sent).abs() < 1e-6 * sent);
    assert_eq!(value(&late, &records, "completed"), records.flows[0].completed.map(|time| time.as_secs_f64()));
    assert_eq!(value(&late, &records, "completion"), value(&late, &records, "completion_mean_s"));
    assert_eq!(value(&late, &records, "completed(old)"), None);
}

/// Three files of a group, of which the largest is not finished, and one of none: percentiles between the sorted values in proportion.
#[test]
fn files_have_percentiles_and_are_chosen_by_their_sizes() {
    let sizes =
        ["flow.old.size=\"20 kB\"", "flow.new1.size=\"50 kB\"", "flow.new2.size=\"1 GB\"", "flow.new2.group=camp"];
    let files = scenario(MIXED, &sizes);
    let records = run(&files, 1);
    let value = |text: &str| value(&files, &records, text);
    // In the order of their names: new1, new2, old.
    let took = |place: usize, start: f64| records.flows[place].completed.map(|time| time.as_secs_f64() - start);
    let [Some(new1), None, Some(old)] = [took(0, 1.0), took(1, 3.0), took(2, 0.0)] else { panic!("finished or not") };
    let near =
        |found: Option<f64>, expected: f64| assert!((found.unwrap() - expected).abs() < 1e-9, "{found:?}, {expected}");
    near(value("p50(completion: camp)"), new1.max(old));
    near(value("p25(completion: camp)"), (new1 + old) / 2.0);
    assert_eq!((value("p95(completion: camp)"), value("mean(completion: camp)")), (None, None), "one is not finished");
    near(value("finished(camp)"), 2.0 / 3.0);
    near(value("sum(finished: camp)"), 2.0);
    near(value("mean(completion: camp[20kB..1GB])"), (new1 + old) / 2.0);
    near(value("completion([..50kB])"), old);
    near(value("completion(o*[20kB..20001B])"), old);
    assert_eq!((value("completion(camp[1GB..])"), value("completion(camp[2GB..])")), (None, None));
    assert_eq!(Expression::parse("completion(camp[2GB..])").unwrap().unknown_names(&files), ["camp[2GB..]"]);
    let goodputs: Vec<f64> = records.flows.iter().map(|flow| flow.goodput_after_warmup_bps.unwrap()).collect();
    near(value("p0.5(goodput)"), {
        let mut sorted = goodputs.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[0] + 0.01 * (sorted[1] - sorted[0])
    });
    let rest = records.after_warmup.as_ref().unwrap();
    assert_eq!((records.fairness, rest.fairness), (None, None), "new1 alone is no file of a group");
    // Of two files of a group and two other flows the fairness is that of these.
    let mixed = scenario(MIXED, &["flow.old.size=\"20 kB\"", "flow.new0={ from = \"a\", to = \"b\" }"]);
    let records = run(&mixed, 1);
    let goodputs = records.flows.iter().filter(|flow| flow.name != "old").map(|flow| flow.goodput_bps);
    assert_eq!(records.fairness, jain(goodputs));
}

#[test]
fn what_is_not_recorded_is_known() {
    let plain = scenario(MIXED, &["delays=false"]);
    let lacks = |text: &str| Expression::parse(text).unwrap().not_recorded(&plain);
    assert_eq!(lacks("cwnd(old)"), [Need::Series(Metric::Cwnd)]);
    assert_eq!(lacks("goodput(old, 2 to 5 s)"), [Need::Series(Metric::Throughput)]);
    assert_eq!((lacks("goodput(old)"), lacks("queue"), lacks("timeouts(old, 2 to 5 s)")), (vec![], vec![], vec![]));
    assert_eq!(lacks("queue(r->q, 2 to 5 s)"), [Need::Series(Metric::Queue)]);
    assert_eq!((lacks("p95(round-trip)"), lacks("mean-round-trip")), (vec![Need::Delays], vec![Need::Delays]));
    let records = run(&plain, 1);
    assert_eq!(value(&plain, &records, "cwnd(old)"), None);
}

#[test]
fn what_is_not_there_has_no_value_and_is_named() {
    let (with_names, records) = mixed();
    let value = |text: &str| value(&with_names, &records, text);
    assert_eq!(value("goodput(nobody)"), None);
    assert_eq!(value("ratio(timeouts: old / nobody)"), None);
    assert_eq!(value("part-of-max-min-share"), None, "no port gives rates to TCP");
    assert_eq!(value("completion"), None, "no flow has a size");
    // Divided by zero: the last port refuses nothing.
    assert_eq!((value("drops(q->b)"), value("ratio(drops: r->q / q->b)")), (Some(0.0), None));
    let unknown = |text: &str| -> Vec<String> {
        let measure = Expression::parse(text).unwrap();
        measure.unknown_names(&with_names).into_iter().map(str::to_owned).collect()
    };
    assert!(unknown("share(goodput: camp ping)").is_empty() && unknown("queue(r->q)").is_empty());
    assert_eq!(unknown("ratio(goodput: old / x y)"), ["x", "y"]);
    assert_eq!(unknown("p95(round-trip: ping)"), ["ping"], "datagrams have no round trip");
    assert_eq!(unknown("queue(old)"), ["old"]);
    let delays = scenario(MIXED, &["delays=false"]);
    let records = run(&delays, 1);
    assert_eq!(self::value(&delays, &records, "p95(round-trip)"), None);
}

#[test]
fn what_is_no_expression_is_refused_with_the_reason() {
    let wrong = |text: &str| Expression::parse(text).unwrap_err().to_string();
    assert_eq!(wrong("godput"), "there is no measure `godput`");
    assert_eq!(wrong("sum(goodput"), "\"sum(goodput\" has a parenthesis that is not closed, or more than one");
    assert_eq!(wrong("share(goodput)"), "share needs a number and names, as in share(goodput: f1)");
    assert_eq!(wrong("ratio(goodput: f1)"), "ratio needs two sides, as in ratio(goodput: f1 / f2)");
    assert_eq!(
        wrong("completion(new[1MB])"),
        "`new[1MB]` has no sizes in its brackets: write [10kB..1MB], [..10kB] or [1MB..]"
    );
    assert_eq!(wrong("round-trip"), "`round-trip` are many times: write mean(round-trip), p95(round-trip) or the like");
    assert_eq!(wrong("sum(efficiency)"), "`efficiency` is a number of the whole network, not of single flows");
    assert_eq!(
        wrong("goodput(f1, 2 to s)"),
        "`2 to s` is no part of a run: write `2 to 5 s`, `whole run` or `after warm-up`"
    );
    assert_eq!(wrong("p95(round-trip, whole run)"), "`round-trip` is counted after the warm-up only");
    assert!(wrong("retransmissions(f1, 1 to 2 s)").starts_with("`retransmissions` has no value in a part of a run: "));
    assert_eq!(
        wrong("misallocation(sent: f1 f2)"),
        "misallocation needs names of single flows, each once with a whole number from 1 on, as in misallocation(sent: f1 1 f2 2)"
    );
    assert!(Expression::parse("godput").unwrap_err().known.contains(&"goodput".to_owned()));
}

/// `docs/measures.md` has every number; those of a network are columns of sweeps, which have a page of their own.
#[test]
fn every_measure_is_on_its_page() {
    let page = include_str!("../../../../docs/measures.md");
    let names = Quantity::names().filter(|name| OF_RUNS.iter().all(|of| of.name != *name));
    let missing: Vec<&str> = names.filter(|name| !page.contains(&format!("`{name}`"))).collect();
    assert_eq!(missing, [""; 0]);
}

/// Each number has one name and stands in one table; those of a network are columns, written as columns are.
#[test]
fn names_are_unique_and_sentences_are_whole() {
    let names: Vec<&str> = Quantity::names().collect();
    for name in &names {
        let of = Quantity::named(name).unwrap();
        assert!(of.about().ends_with('.'), "{name}");
    }
    assert!(OF_RUNS.iter().all(|measure| !measure.name.contains('-')));
    // `goodput` is of flows and of sources of datagrams; counts of a network have the name of those of flows.
    let count = |name: &&str| names.iter().filter(|other| *other == name).count();
    let twice: BTreeSet<&str> = names.iter().filter(|name| count(name) > 1).copied().collect();
    assert_eq!(Vec::from_iter(twice), ["goodput", "retransmissions", "timeouts"]);
}
