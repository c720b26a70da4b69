//! The JSON document: its fields, its place, its agreement with the folder.

use serde_json::Value;

use crate::support::{PLAIN, Place, RANDOM};

/// The keys of an object, in order.
fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn the_document_has_the_promised_fields() {
    let place = Place::with("json-fields", RANDOM);
    let document = place.run("run scenario.toml --seeds 3 --json").exits_with(0).json();
    let run = &document["runs"][2];
    let shape = [
        ("document", &document),
        ("scenario", &document["scenario"]),
        ("run", run),
        ("flow", &run["flows"][0]),
        ("port", &run["ports"][0]),
        ("drops", &run["ports"][0]["drops"]),
        ("vc", &run["ports"][0]["vcs"][0]),
        ("summary", &document["summary"]),
        ("summary of a flow", &document["summary"]["flows"][0]),
        ("summary of a port", &document["summary"]["ports"][0]),
        ("summary of a number", &document["summary"]["fairness"]),
    ];
    let shape: Vec<String> = shape.iter().map(|(what, value)| format!("{what}: {}", keys(value).join(" "))).collect();
    insta::assert_snapshot!(shape.join("\n"));
}

#[test]
fn the_values_fit_together() {
    let place = Place::with("json-values", RANDOM);
    let outcome = place.run("run scenario.toml --seeds 3 --set seed=5 --json").exits_with(0);
    let document = outcome.json();
    assert_eq!(document["format"], "ackclock-result");
    assert_eq!(document["command"][0], "ackclock");
    assert_eq!(document["command"][2], "scenario.toml");
    assert_eq!(document["seeds"], serde_json::json!([5, 6, 7]));
    assert_eq!(document["complete"], true);
    assert_eq!(document["scenario"]["unit"], "cells");
    assert_eq!(document["scenario"]["hash"].as_str().unwrap().len(), 64);
    assert_eq!(document["summary"]["runs"], 3);
    let runs = document["runs"].as_array().unwrap();
    let efficiencies: Vec<f64> = runs.iter().map(|run| run["efficiency"].as_f64().unwrap()).collect();
    let mean = document["summary"]["efficiency"]["mean"].as_f64().unwrap();
    assert!((efficiencies.iter().sum::<f64>() / 3.0 - mean).abs() < 1e-12);
    assert!(document["summary"]["efficiency"]["ci95"].as_f64().unwrap() >= 0.0);
    // Three seeds, three different runs.
    assert_ne!(runs[0]["fingerprint"], runs[1]["fingerprint"]);
    assert_ne!(runs[1]["fingerprint"], runs[2]["fingerprint"]);
}

#[test]
fn the_document_on_standard_output_is_the_one_in_the_folder() {
    let place = Place::with("json-folder", RANDOM);
    let outcome = place.run("run scenario.toml --json --out kept").exits_with(0);
    assert_eq!(outcome.stdout, place.read("kept/result.json"));
    // Above it the file has a line for editors.
    let file = place.read("kept/scenario.toml");
    assert_eq!(outcome.json()["scenario"]["resolved"].as_str().unwrap(), file.split_once('\n').unwrap().1);
}

#[test]
fn a_single_run_has_no_interval_and_no_bottleneck_means_no_efficiency() {
    let place = Place::with("json-null", PLAIN);
    let set = "bottleneck=none";
    let document = place.run(&["run", "scenario.toml", "--json", "--set", set]).exits_with(0).json();
    assert_eq!(document["runs"][0]["efficiency"], Value::Null);
    assert_eq!(document["summary"]["efficiency"], Value::Null);
    assert_eq!(document["scenario"]["bottleneck"], Value::Null);
    assert_eq!(document["summary"]["fairness"]["ci95"], Value::Null);
    assert_eq!(document["scenario"]["unit"], "packets");
}

/// Jain's index of nothing is none, as the measure `jain(goodput)` is; in a run with a warm-up, too.
#[test]
fn fairness_is_null_where_no_flow_has_any_goodput() {
    let place = Place::with("json-nobody", PLAIN);
    for (warmup, late) in [("0 s", "traffic.start=1 h"), ("1 s", "traffic.size=2 kB")] {
        let sets = format!("--set 'duration=10 s' --set 'warmup={warmup}' --set '{late}'");
        let table = place.run(&format!("run scenario.toml --out kept {sets}")).exits_with(0).stdout;
        assert!(table.contains("goodput Mb/s") && !table.contains("fairness"), "{table}");
        let document: Value = serde_json::from_str(&place.read("kept/result.json")).unwrap();
        let run = &document["runs"][0];
        let of_run = if warmup == "0 s" { "fairness" } else { "fairness_after_warmup" };
        assert!(run[of_run].is_null() && run["fairness"].is_null() == (warmup == "0 s"), "{run}");
        place.run("report kept").exits_with(0);
        std::fs::remove_dir_all(place.path("kept")).unwrap();
    }
}

/// Two trunks of 10 Mb/s with ERICA: the flow over both and those over one have half of each.
const ABR: &str = r#"
duration = "300 ms"
warmup = "100 ms"
[network]
topology = "parking-lot"
switches = 3
rate = "10 Mbps"
access_delay = "10 us"
trunk_delay = "10 us"
[queue]
rate_algorithm = "erica"
[atm]
service = "abr"
[abr]
icr = "1 Mbps"
[tcp]
recovery = "vanilla"
"#;

#[test]
fn what_abr_connections_did_is_in_the_document() {
    let place = Place::with("json-abr", ABR);
    let document = place.run("run scenario.toml --json").exits_with(0).json();
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("no number: {value}"));
    let run = &document["runs"][0];
    for flow in run["flows"].as_array().unwrap() {
        let abr = &flow["abr"];
        assert!((number(&abr["max_min_share_bps"]) - 5e6).abs() < 1.0, "{abr}");
        assert!((3.5e6..5.5e6).contains(&number(&abr["mean_acr_bps"])), "{abr}");
        let (whole, later) = (number(&abr["forward_rm_cells"]), number(&abr["after_warmup"]["forward_rm_cells"]));
        assert!(later > 50.0 && whole > later, "{whole} {later}");
    }
    let port = run["ports"].as_array().unwrap().iter().find(|port| port["name"] == "sw1->sw2").unwrap();
    assert!((3e6..7e6).contains(&number(&port["rates"]["allocation_bps"])), "{port}");
    let fairness = number(&document["summary"]["weighted_fairness"]["mean"]);
    assert!((0.98..=1.0).contains(&fairness), "{fairness}");

    let place = Place::with("json-no-abr", PLAIN);
    let document = place.run("run scenario.toml --json").exits_with(0).json();
    let run = &document["runs"][0];
    assert!(
        run["flows"][0].get("abr").is_none_or(Value::is_null)
            && run["ports"][0].get("rates").is_none_or(Value::is_null)
    );
    assert!(document["summary"]["weighted_fairness"].is_null());
}
