//! `delays`: percentiles in the document and in the printed table, only where they are asked for.

use crate::support::{PLAIN, Place};

/// A source of datagrams beside the flows.
const DATAGRAMS: &str = "--set udp.u.from=s1 --set udp.u.to=d2 --set 'udp.u.rate=100 kbps'";

#[test]
fn delays_are_in_table_and_document_if_asked_for_and_the_same_again() {
    let place = Place::with("delays", PLAIN);
    let run = format!("run scenario.toml --seeds 2 --delays --out kept {DATAGRAMS}");
    let outcome = place.run(&run).exits_with(0);
    for line in ["delay, in ms", "one-way", "round trip", "jitter", "waiting     sw1->sw2"] {
        outcome.prints(&[line]);
    }
    let document: serde_json::Value = serde_json::from_str(&place.read("kept/result.json")).unwrap();
    let ms = |of: &serde_json::Value| {
        ["min_s", "p50_s", "p95_s", "p99_s", "max_s"].map(|key| of[key].as_f64().unwrap() * 1e3)
    };
    let run = &document["runs"][1];
    // 512 B and 40 B of headers: 441.6 us twice, 2.208 ms once, and 7 ms; those before it at the bottleneck take 24.288 ms.
    let one_way = ms(&run["flows"][0]["one_way_delay"]);
    assert!(one_way.is_sorted() && (one_way[0] - 10.0912).abs() < 1e-9 && one_way[4] < 34.4, "{one_way:?}");
    assert!(ms(&run["flows"][1]["round_trip"])[0] > 17.0);
    let port = &run["ports"].as_array().unwrap().iter().find(|port| port["name"] == "sw1->sw2").unwrap();
    assert_eq!(port["sojourn"]["count"], port["departures"]);
    assert_eq!(run["udp"][0]["one_way_delay"]["count"], run["udp"][0]["datagrams_delivered"]);
    assert!(document["summary"]["udp"][0]["jitter"]["p99_s"]["mean"].as_f64().unwrap() > 0.0);
    place.run("rerun kept").exits_with(0);
    place.run("rerun kept --engine reference").exits_with(0);
}

#[test]
fn without_delays_nothing_speaks_of_them() {
    let place = Place::with("no-delays", PLAIN);
    let outcome = place.run("run scenario.toml --out kept").exits_with(0);
    assert!(!outcome.stdout.contains("delay"), "{}", outcome.stdout);
    let text = place.read("kept/result.json");
    for key in ["one_way_delay", "round_trip", "sojourn", "delays = "] {
        assert!(!text.contains(key), "{key}");
    }
}
