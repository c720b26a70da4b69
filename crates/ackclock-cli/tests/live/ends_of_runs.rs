//! Whatever ends a run, nothing of it is left.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{Place, catches_ctrl_c, interrupted_once};
use crate::{FILE, alone};

/// The names of namespaces of a process.
fn names(process: u32) -> Vec<String> {
    let entries = std::fs::read_dir("/run/netns").into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.starts_with(&format!("ackclock-{process}-"))).collect()
}

/// Programs that a process has started and that are still there.
fn programs(of: u32) -> Vec<String> {
    let listed = Command::new("ps").args(["-o", "args=", "--ppid", &of.to_string()]).output().unwrap();
    String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect()
}

/// The congestion controls of this machine, programs among them.
fn controls() -> String {
    std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap()
}

#[test]
fn a_run_that_is_killed_leaves_nothing_after_clean() {
    let Some(_alone) = alone("a_run_that_is_killed_leaves_nothing_after_clean") else { return };
    let place = Place::with("live-killed", FILE);
    // Where programs of the kernel can be loaded, one is the congestion control: then the machine lists it as long as it is there.
    let loads = place.run("doctor").stdout.contains("can be loaded: vegas and vegas-a");
    let control = if loads { "vegas-a" } else { "reno" };
    let before = (controls(), settings_of_the_machine());
    let (mut had_names, mut had_programs) = (0, 0);
    // While hosts are made, as they are there, at the start, in the middle, near the end. On a busy machine it takes long to make them: the last
    // three instants count from then on, and the last leaves 700 ms, as this test may be late itself.
    for (after, has_hosts) in [(15, false), (60, false), (100, true), (1200, true), (2300, true)] {
        let after = Duration::from_millis(after);
        let mut command = place.command(&format!(
            "live scenario.toml --named --set duration=3s --set tcp.congestion_control={control} --out killed"
        ));
        let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let (process, begin) = (run.id(), Instant::now());
        while has_hosts && names(process).len() < 2 {
            assert!(begin.elapsed() < Duration::from_secs(20), "no hosts");
            sleep(Duration::from_millis(5));
        }
        sleep(after);
        had_programs += u32::from(controls() != before.0);
        run.kill().unwrap();
        run.wait().unwrap();
        had_names += names(process).len();
        // A program that was just setting up a host ends by itself.
        let gone = || programs(process).is_empty() && !Path::new(&format!("/proc/{process}")).exists();
        while !gone() {
            assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", programs(process));
            sleep(Duration::from_millis(5));
        }
        // The kernel takes programs away when nothing of it reads them any more.
        while (controls(), settings_of_the_machine()) != before {
            assert!(begin.elapsed() < Duration::from_secs(20), "something of {control} is left after {after:?}");
            sleep(Duration::from_millis(20));
        }
        // Such a program may have given a name after all.
        sleep(Duration::from_millis(50));
        place.run("live --clean").exits_with(0);
        assert_eq!(names(process), [""; 0], "{after:?}");
    }
    assert!(had_names >= 2 * 3, "killed in its middle a run has names to be cleaned: {had_names}");
    assert!(!loads || had_programs >= 3, "killed in its middle a run has a program of the kernel: {had_programs}");
    assert!(!place.path("killed/result.json").exists());
    // The folder is not locked by the dead.
    place.run("live scenario.toml --out killed --set duration=300ms --json").json();
}

#[test]
fn clean_leaves_a_run_that_goes_on() {
    let Some(_alone) = alone("clean_leaves_a_run_that_goes_on") else { return };
    let place = Place::with("live-cleaned", FILE);
    let mut command = place.command("live scenario.toml --named --json --out going");
    let run = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let begin = Instant::now();
    while names(run.id()).len() < 2 {
        assert!(begin.elapsed() < Duration::from_secs(20));
        sleep(Duration::from_millis(5));
    }
    place.run("live --clean").exits_with(0);
    assert_eq!(names(run.id()).len(), 2);
    let process = run.id();
    let output = run.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("300000"), "{output:?}");
    assert_eq!(names(process), [""; 0], "a run that ends takes its names away");
}

#[test]
fn ctrl_c_stops_it_and_writes_nothing_that_is_not_finished() {
    let Some(_alone) = alone("ctrl_c_stops_it_and_writes_nothing_that_is_not_finished") else { return };
    let place = Place::with("live-interrupted", FILE);
    let begin = Instant::now();
    let is_running = |process: u32| catches_ctrl_c(process) && begin.elapsed() > Duration::from_millis(800);
    let arguments = "live scenario.toml --set duration=60s --out interrupted";
    let outcome = interrupted_once(is_running, &place, arguments).exits_with(130);
    assert!(begin.elapsed() < Duration::from_secs(10));
    outcome.without_result().says(&["interrupted: none of 1 run was finished, nothing was written"]);
    assert!(!place.path("interrupted").exists());
}

/// Settings of the machine's network and its devices: what a run in namespaces of its own has no business with.
fn settings_of_the_machine() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for folder in ["/proc/sys/net/ipv4", "/proc/sys/net/core"] {
        files.extend(std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    }
    files.extend(["/proc/net/route", "/proc/net/ipv6_route"].map(std::path::PathBuf::from));
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).ok()?;
        // Routes of IPv6 count their uses.
        let words = text.lines().map(|line| line.split_whitespace().take(2).collect::<Vec<_>>().join(" "));
        Some((path.display().to_string(), words.collect::<Vec<_>>().join("\n")))
    };
    let devices = std::fs::read_dir("/sys/class/net").unwrap().map(|entry| entry.unwrap().path().display().to_string());
    let mut all: Vec<_> = files.into_iter().filter_map(read).chain(devices.map(|name| (name, String::new()))).collect();
    all.sort();
    all
}

#[test]
fn a_run_changes_no_setting_of_the_machine() {
    let Some(_alone) = alone("a_run_changes_no_setting_of_the_machine") else { return };
    let place = Place::with("live-settings", FILE);
    let before = settings_of_the_machine();
    assert!(before.iter().any(|(name, _)| name.ends_with("tcp_congestion_control")), "{before:?}");
    // Other settings than those of Linux, everywhere.
    let sets = "--set tcp.timestamps=false --set tcp.recovery=new-reno --set tcp.congestion_control=reno --set tcp.restart_after_idle=false";
    let outcome = place.run(&format!("live scenario.toml --out live {sets}"));
    assert!(outcome.code < 2, "{}", outcome.stderr);
    assert_eq!(settings_of_the_machine(), before);
}
