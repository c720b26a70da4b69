//! What a live run leaves behind is what a simulated one does, and says that it is live.

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Outcome, Place};
use crate::{FILE, alone};

/// A live run that the machine may have spoilt: then its numbers are there all the same.
#[track_caller]
fn document(outcome: Outcome) -> Value {
    let document = outcome.json();
    let verdicts: Vec<&str> =
        document["runs"].as_array().unwrap().iter().map(|run| run["live"]["verdict"].as_str().unwrap()).collect();
    let is_invalid = verdicts.contains(&"invalid");
    assert!(verdicts.iter().all(|verdict| ["valid", "degraded", "invalid"].contains(verdict)), "{verdicts:?}");
    outcome.exits_with(i32::from(is_invalid));
    document
}

#[test]
fn a_live_result_has_what_a_simulated_one_has_and_both_are_compared() {
    let Some(_alone) = alone("a_live_result_has_what_a_simulated_one_has_and_both_are_compared") else { return };
    let place = Place::with("live-compared", FILE);
    let live = document(place.run("live scenario.toml --json --seeds 2 --out live"));
    let simulated = place.run("run scenario.toml --json --seeds 2 --out simulated").exits_with(0).json();
    let keys = |of: &Value| of.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let [live_flow, simulated_flow] = [&live, &simulated].map(|document| &document["runs"][1]["flows"][0]);
    assert_eq!(keys(live_flow), keys(simulated_flow));
    assert_eq!(live_flow["bytes_delivered"], 300_000);
    assert!(live_flow["completed_s"].as_f64().unwrap() > 1.2, "300 kB take 1.2 s at 2 Mb/s: {live_flow}");
    // The port of data: each packet of the network passed it.
    let port = |document: &Value| document["runs"][0]["ports"].as_array().unwrap()[1].clone();
    assert_eq!(port(&live)["name"], port(&simulated)["name"]);
    assert!(port(&live)["arrivals"].as_u64().unwrap() > 200, "{}", port(&live));
    assert_eq!(live["live"]["congestion_controls"][0]["kernel_name"], "reno");
    assert!(live["live"]["kernel"].as_str().unwrap().starts_with("Linux "));
    assert!(live["runs"][0]["live"]["lateness"]["packets"].as_u64().unwrap() > 300);
    assert_eq!(simulated.get("live"), None);
    for metric in ["cwnd", "queue", "throughput"] {
        place.run(&format!("export live --metric {metric}")).exits_with(0);
    }
    let cwnd = place.run("export live --metric cwnd").stdout;
    assert!(cwnd.lines().nth(1).unwrap().ends_with(",14480") || cwnd.contains("14480"), "{cwnd}");
    let compared = place.run("compare simulated live --out both.html").exits_with(0);
    compared.prints(&["file ", "file (live)"]);
    compared.warns(&["file (live): on the TCP of a kernel"]);
    place.run("report live").exits_with(0);
    let page = place.read("live/report.html");
    assert!(page.contains("On real TCP") && page.contains("Linux "), "the page of a live run says so");
    place.run("verify live").exits_with(0);
}

/// 198.18.0.1, port 40000, to 198.18.0.2, port 1024: those of the sockets.
#[test]
fn captures_have_the_addresses_and_ports_of_the_hosts() {
    let Some(_alone) = alone("captures_have_the_addresses_and_ports_of_the_hosts") else { return };
    let place = Place::with("live-captured", FILE);
    document(place.run("live scenario.toml --json --out live --set capture=[\"client\"]"));
    let octets = std::fs::read(place.path("live/captures/seed-1/client.pcapng")).unwrap();
    let has = |part: &[u8]| octets.windows(part.len()).any(|window| window == part);
    assert!(has(&[198, 18, 0, 1, 198, 18, 0, 2, 0x9c, 0x40, 0x04, 0x00]), "data");
    assert!(has(&[198, 18, 0, 2, 198, 18, 0, 1, 0x04, 0x00, 0x9c, 0x40]), "acknowledgements");
    assert!(has(b"198.18.0.1:40000 -> 198.18.0.2:1024") && has(b"Linux ") && !has(b"none, simulated"));
    place.run("verify live").exits_with(0);
}

#[test]
fn a_live_result_is_never_taken_for_a_simulated_one() {
    let Some(_alone) = alone("a_live_result_is_never_taken_for_a_simulated_one") else { return };
    let place = Place::with("live-not-simulated", FILE);
    document(place.run("live scenario.toml --json --set duration=500ms"));
    let folder = place.names().into_iter().find(|name| name == "results").unwrap();
    let live =
        std::fs::read_dir(place.path(&folder)).unwrap().flatten().next().unwrap().file_name().into_string().unwrap();
    assert!(live.ends_with("-live"), "{live}");
    let of_live = format!("results/{live}");
    place.run(&format!("rerun {of_live}")).exits_with(1).says(&["is of live runs", "ackclock compare"]);
    // The same scenario, the same folder: it is simulated all the same.
    let simulated = place.run(&format!("run scenario.toml --json --set duration=500ms --out {of_live}")).exits_with(0);
    assert!(!simulated.stderr.contains("resuming"), "{}", simulated.stderr);
    assert_eq!(simulated.json().get("live"), None);
    place.run(&format!("rerun {of_live}")).exits_with(0);
}

#[test]
fn two_live_runs_go_on_at_once() {
    let Some(_alone) = alone("two_live_runs_go_on_at_once") else { return };
    let place = Place::with("live-two", FILE);
    let mut runs: Vec<_> = ["one", "two"]
        .iter()
        .map(|out| {
            let mut command = place.command(&format!("live scenario.toml --json --named --out {out}"));
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for run in runs.drain(..) {
        let output = run.wait_with_output().unwrap();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["runs"][0]["flows"][0]["bytes_delivered"], 300_000, "{document}");
    }
}

#[test]
fn doctor_says_how_everything_is() {
    let place = Place::new("doctor");
    let outcome = place.run("doctor");
    outcome.prints(&["kernel", "TUN devices", "congestion controls", "scheduling"]);
    let document = place.run("doctor --json").json();
    let missing = document["findings"].as_array().unwrap().iter().any(|finding| finding["state"] == "missing");
    outcome.exits_with(i32::from(missing));
}

/// Programs that take every processor for a second, before anything with a lower real-time priority.
#[test]
fn a_run_on_a_machine_that_does_something_else_is_invalid_and_shows_no_numbers() {
    let test = "a_run_on_a_machine_that_does_something_else_is_invalid_and_shows_no_numbers";
    let Some(_alone) = alone(test) else { return };
    let hog = || {
        let mut command = Command::new("chrt");
        // What ends it comes before it.
        command.args(["--fifo", "70", "timeout", "1", "chrt", "--fifo", "60", "sh", "-c", "while :; do :; done"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    };
    if !Command::new("chrt").args(["--fifo", "60", "true"]).status().is_ok_and(|status| status.success()) {
        let _ = std::fs::write("/dev/stderr", format!("SKIPPED: {test}: there is no chrt, or no real-time priority\n"));
        return;
    }
    let place = Place::with("live-loaded", FILE);
    let mut command = place.command("live scenario.toml --out loaded");
    let run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    thread::sleep(Duration::from_millis(700));
    let processors = thread::available_parallelism().unwrap().get();
    let hogs: Vec<_> = (0..processors).map(|_| hog().unwrap()).collect();
    let output = run.wait_with_output().unwrap();
    hogs.into_iter().for_each(|mut hog| drop(hog.wait()));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), &b""[..]), "{said}");
    assert!(said.contains("1 of 1 run is invalid, it measures this machine and not the scenario"), "{said}");
    let document: Value = serde_json::from_str(&place.read("loaded/result.json")).unwrap();
    assert_eq!(document["runs"][0]["live"]["verdict"], "invalid");
    assert!(document["runs"][0]["live"]["lateness"]["max_s"].as_f64().unwrap() > 0.05);
}

/// The device of the sender gets room for one packet, as if somebody had set it so: of what is sent at once the rest is lost there.
#[test]
fn a_run_whose_device_overflows_is_invalid_and_says_where_packets_were_lost() {
    let test = "a_run_whose_device_overflows_is_invalid_and_says_where_packets_were_lost";
    let Some(_alone) = alone(test) else { return };
    let place = Place::with("live-overflow", FILE);
    // Bursts of 40 datagrams, beside the file.
    let burst = "--set udp.u.from=client --set udp.u.to=server --set udp.u.rate=1Mbps --set udp.u.burst=40";
    let mut command = place.command(&format!("live scenario.toml --named --out overflow {burst}"));
    let run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let name = format!("ackclock-{}-client", run.id());
    let shortened = || {
        let mut command = Command::new("ip");
        command.args(["-n", &name, "link", "set", "link0", "txqueuelen", "1"]).stderr(Stdio::null());
        command.status().unwrap().success()
    };
    let begin = Instant::now();
    while !shortened() {
        assert!(begin.elapsed() < Duration::from_secs(20), "there is no {name}");
        thread::sleep(Duration::from_millis(5));
    }
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), &b""[..]), "{said}");
    let document: Value = serde_json::from_str(&place.read("overflow/result.json")).unwrap();
    let live = &document["runs"][0]["live"];
    let lost = live["drops_outside"].as_u64().unwrap();
    assert!(live["verdict"] == "invalid" && lost > 0, "{live}");
    let reason = format!("{lost} packets were lost in the devices of hosts, outside the scenario");
    assert!(said.contains("1 of 1 run is invalid") && said.contains(&reason), "{said}");
    assert!(live["reasons"].as_array().unwrap().contains(&Value::from(reason)), "{live}");
}
