//! Files that arrive by [arrivals] tables.

use ackclock::sim;
use ackclock::units::{Span, Time};

use crate::good::loaded;
use crate::render::{indented, said_about};

/// A link of 10 Mb/s between two hosts, and these arrivals.
fn file(arrivals: &str) -> String {
    format!(
        "duration = \"20 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"graph\"\n[node]\na.kind = \"host\"\n\
         r.kind = \"switch\"\nb.kind = \"host\"\n[link.x]\nends = [\"a\", \"r\"]\nrate = \"10 Mbps\"\ndelay = \"1 ms\"\n\
         [link.y]\nends = [\"r\", \"b\"]\nrate = \"10 Mbps\"\ndelay = \"1 ms\"\n[arrivals.web]\nfrom = \"a\"\nto = \"b\"\n{arrivals}\n"
    )
}

#[test]
fn a_list_says_when_files_come_and_how_large_they_are() {
    let listed = "interval = { law = \"listed\", values = [\"1 s\", \"500 ms\"] }\nsize = { law = \"listed\", values = [\"10 kB\", \"1 B\"] }\nuntil = \"3.5 s\"";
    let scenario = loaded(&file(listed), &[]).scenario;
    let flows: Vec<_> = scenario.flows.iter().map(|flow| (flow.name.as_str(), flow.start, flow.size)).collect();
    let at = |ms| Time::ZERO + Span::from_ms(ms);
    let expected = [
        ("web-1", at(1000), Some(10_000)),
        ("web-2", at(1500), Some(1)),
        ("web-3", at(2500), Some(10_000)),
        ("web-4", at(3000), Some(1)),
    ];
    assert_eq!(flows, expected);
    assert!(scenario.flows.iter().all(|flow| flow.group.as_deref() == Some("web")));
    let two = loaded(&file(&format!("{listed}\nmost = 2\nstart = \"1 s\"")), &[]).scenario;
    assert_eq!(two.flows.iter().map(|flow| flow.start).collect::<Vec<_>>(), [at(2000), at(2500)]);
}

/// 400 in 20 s, with a deviation of 20; a mean of 5 kB, of which the mean of 400 has a deviation of 5 %.
#[test]
fn exponential_intervals_are_a_poisson_process_and_every_file_arrives() {
    let poisson =
        "interval = { law = \"exponential\", mean = \"50 ms\" }\nsize = { law = \"exponential\", mean = \"5 kB\" }";
    let with = |more: &str| loaded(&file(&format!("{poisson}\n{more}")), &[]).scenario;
    let scenario = with("until = \"19 s\"");
    let (count, bytes) = (scenario.flows.len() as u64, scenario.flows.iter().filter_map(|flow| flow.size).sum::<u64>());
    assert!((320..=440).contains(&count) && (4000..=6000).contains(&(bytes / count)), "{count} {bytes}");
    let mut run = sim::build(&scenario, 1);
    run.step(Time::NEVER);
    let records = run.finish();
    // 0.8 Mb/s of 10: what came in the first 19 s is there after 20.
    assert_eq!(records.flows.iter().map(|flow| flow.counts.bytes_delivered).sum::<u64>(), bytes);
    assert!(records.flows.iter().all(|flow| flow.completed.is_some()));
    let starts =
        |scenario: &ackclock::scenario::Scenario| scenario.flows.iter().map(|flow| flow.start).collect::<Vec<_>>();
    let other = with("until = \"19 s\"\ndraws = 2");
    assert_ne!(starts(&scenario), starts(&other));
    assert_eq!(starts(&scenario), starts(&with("until = \"19 s\"")));
}

#[test]
fn arrivals_that_cannot_be() {
    let cases = [
        "interval = \"1 s\"",
        "interval = { law = \"pareto\", shape = 1, least = \"1 ms\" }\nsize = \"1 kB\"",
        "interval = { law = \"uniform\", least = \"0 s\", most = \"0 s\" }\nsize = \"1 kB\"",
        "interval = { law = \"listed\", values = [\"0 s\"] }\nsize = { law = \"constant\", value = \"0 B\" }",
        "interval = \"1 us\"\nsize = \"1 kB\"",
        "interval = \"1 s\"\nsize = \"1 s\"",
        "interval = \"1 h\"\nsize = \"1 kB\"",
        "interval = \"9 s\"\nsize = \"1 kB\"\n[flow.web-1]\nfrom = \"a\"\nto = \"b\"",
        "interval = \"9 s\"\nsize = \"1 kB\"\nrate = \"3 Mbps\"",
    ];
    let said = |arrivals: &str| format!("{arrivals}\n{}", indented(&said_about(&file(arrivals), &[])));
    insta::assert_snapshot!(cases.map(said).join("\n"));
}

/// A run holds a million files, whichever tables they are of: 999 998 and two are as many, three are too many. Tables count by their names.
#[test]
fn all_tables_together_are_no_more_than_a_run_can_hold() {
    let table = |name: &str, most: u64| {
        format!("[arrivals.{name}]\nfrom = \"a\"\nto = \"b\"\ninterval = \"1 us\"\nsize = \"1 kB\"\nmost = {most}\n")
    };
    let first = "interval = \"1 us\"\nsize = \"1 kB\"\nmost = 999998\n";
    assert_eq!(loaded(&file(&format!("{first}{}", table("more", 2))), &[]).scenario.flows.len(), 1_000_000);
    let rests = [
        (table("zone", 3), "zone", 999_998),
        (table("more", 1) + &table("zone", 2), "zone", 999_999),
        (table("more", 3), "web", 3),
    ];
    for (rest, name, others) in rests {
        let said = said_about(&file(&format!("{first}{rest}")), &[]);
        for part in [
            format!("more than 1000000 files arrive by [arrivals.{name}] and other tables"),
            format!("{others} of them by the others: more than a run can hold"),
            "let fewer come (`interval`, `most`)".to_owned(),
        ] {
            assert!(said.contains(&part), "{part}: {said}");
        }
    }
}
