//! `verify`: every damage in every kind of folder is named, and a whole folder is never accused.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::{Outcome, Place, RANDOM, files};
#[cfg(unix)]
use crate::support::{ended_by, lines};

/// Numbers that are the same in every call of the test.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

fn verify(place: &Place, folder: &str) -> Outcome {
    place.run(&["verify", folder])
}

/// The name of a file as the program shows it.
fn shown(place: &Place, file: &Path) -> String {
    file.strip_prefix(place.path("")).unwrap().display().to_string()
}

/// What can happen to a file: a bit flips, here and there; the end is cut off; it goes; something is added; two lines change places.
fn damages(content: &[u8], flips: usize, random: &mut Random) -> Vec<(String, Option<Vec<u8>>)> {
    let mut all = vec![("deleted".to_owned(), None)];
    for _ in 0..flips {
        let bit = random.below(content.len() * 8);
        let mut changed = content.to_vec();
        changed[bit / 8] ^= 1 << (bit % 8);
        all.push((format!("bit {bit}"), Some(changed)));
    }
    all.push(("zeros".to_owned(), Some(vec![0; content.len()])));
    for cut in [0, 1 + random.below(content.len() - 1), content.len() - 1] {
        all.push((format!("cut at {cut}"), Some(content[..cut].to_vec())));
    }
    all.push(("added".to_owned(), Some([content, b"{}\n"].concat())));
    let lines: Vec<&[u8]> = content.split_inclusive(|octet| *octet == b'\n').collect();
    if let [.., before, last] = lines[..]
        && before != last
        && std::str::from_utf8(content).is_ok()
    {
        let mut exchanged = lines[..lines.len() - 2].concat();
        exchanged.extend([last, before].concat());
        all.push((EXCHANGED.to_owned(), Some(exchanged)));
    }
    all
}

/// Damages every file of a folder, and verifies it each time.
fn damage_everything(place: &Place, folder: &str) {
    verify(place, folder).exits_with(0);
    let flips = std::env::var("VERIFY_FLIPS").map_or(4, |flips| flips.parse().unwrap());
    let mut random = Random(folder.len() as u64);
    for file in files(&place.path(folder)) {
        let content = fs::read(&file).unwrap();
        let name = shown(place, &file);
        for (what, damaged) in damages(&content, flips, &mut random) {
            match damaged {
                Some(damaged) => fs::write(&file, damaged).unwrap(),
                None => fs::remove_file(&file).unwrap(),
            }
            // The order of the lines of a ledger is that in which runs ended, and means nothing.
            let is_same = what == EXCHANGED && name.ends_with("runs.jsonl");
            let outcome = verify(place, folder);
            match is_same {
                true => assert_eq!(outcome.code, 0, "{name}, {what}: {outcome:#?}"),
                false => {
                    assert_eq!(outcome.code, 1, "{name}, {what}: {outcome:#?}");
                    let is_named = |line: &str| line.contains(&format!("`{name}`")) && line.contains("; ");
                    assert!(outcome.stdout.lines().any(is_named), "{name}, {what}: {outcome:#?}");
                }
            }
            fs::write(&file, &content).unwrap();
        }
    }
    verify(place, folder).exits_with(0);
}

const EXCHANGED: &str = "exchanged";

#[test]
fn every_damage_of_a_result_is_named() {
    let place = Place::with("verify-run", RANDOM);
    let run = ["run", "scenario.toml", "--seeds", "2", "--out", "kept", "--record", "cwnd,queue", "--capture", "s1"];
    place.run(&run).exits_with(0);
    place.run("report kept").exits_with(0);
    damage_everything(&place, "kept");
    let names: BTreeSet<String> = files(&place.path("kept")).iter().map(|file| shown(&place, file)).collect();
    for name in
        ["kept/.ackclock", "kept/report.html", "kept/tables/seed-2/cwnd.parquet", "kept/captures/seed-1/s1.pcapng"]
    {
        assert!(names.contains(name), "{names:?}");
    }
}

#[test]
fn every_damage_of_a_sweep_is_named() {
    let place = Place::with("verify-sweep", RANDOM);
    let vary = "--vary queue.policy=epd,fba --vary queue.buffer=60..240cells:log:3";
    let sweep = format!("sweep scenario.toml {vary} --seeds 2 --baseline queue.policy=epd --out all");
    place.run(&sweep).exits_with(0);
    assert!(place.path("all/figure.svg").exists() && place.path("all/differences.csv").exists());
    damage_everything(&place, "all");
}

#[test]
fn every_damage_of_a_study_is_named() {
    let place = Place::new("verify-study");
    place.run("reproduce sack-ubr/figures --out r").exits_with(0);
    damage_everything(&place, "r/sack-ubr");
    // The folder with the folders of studies will do.
    verify(&place, "r").exits_with(0);
    fs::remove_file(place.path("r/sack-ubr/report.txt")).unwrap();
    verify(&place, "r").exits_with(1);
}

#[test]
fn every_damage_of_a_comparison_without_a_file_is_named() {
    let place = Place::new("verify-quick");
    place.run("quick --rate 2Mbps --rtt 50ms --duration 1s --seeds 2 --tcp reno,sack --out q").exits_with(0);
    damage_everything(&place, "q");
}

/// The line is in the ledger no more, and nothing else shows it.
#[test]
fn tables_have_to_follow_from_the_ledger() {
    let place = Place::with("verify-follows", RANDOM);
    let sweep = "sweep scenario.toml --vary queue.policy=epd,fba --seeds 2";
    place.run(&format!("{sweep} --out all")).exits_with(0);
    place.run(&format!("{sweep} --out other --set seed=7")).exits_with(0);
    let ledger = place.read("all/runs.jsonl");
    let without_last = &ledger[..ledger[..ledger.len() - 1].rfind('\n').unwrap() + 1];
    place.write("all/runs.jsonl", without_last);
    verify(&place, "all").exits_with(1).prints(&["`all/runs.jsonl`: 1 runs of the tables are not in it"]);
    place.write("all/runs.jsonl", [&ledger, ledger.lines().next().unwrap(), "\n"].concat());
    // A run that is there twice is no damage, unless its numbers differ.
    let outcome = verify(&place, "all").exits_with(0);
    outcome.prints(&["note: `all/runs.jsonl`: line 5 repeats an earlier line; nothing is"]);
    let first = ledger.lines().next().unwrap();
    let number = first.split_once("\"numbers\":[").unwrap().1.split(',').next().unwrap();
    let changed = first[..first.rfind(",\"blake3\"").unwrap()].replacen(number, "7.5", 1);
    let sealed = format!("{changed},\"blake3\":\"{}\"}}\n", &blake3::hash(changed.as_bytes()).to_hex()[..32]);
    place.write("all/runs.jsonl", [&ledger, &*sealed].concat());
    let outcome = verify(&place, "all").exits_with(1);
    outcome.prints(&["line 5: it is the run of an earlier line, with other numbers; remove both"]);
    // Tables of other runs, with the marker that vouches for them.
    place.write("all/runs.jsonl", &ledger);
    for name in [".ackclock", "table.parquet", "table.csv", "summary.csv", "report.html"] {
        fs::copy(place.path("other").join(name), place.path("all").join(name)).unwrap();
    }
    let outcome = verify(&place, "all").exits_with(1);
    for name in ["table.parquet", "table.csv", "summary.csv"] {
        let said = format!("`all/{name}`: it does not follow from the ledger, `runs.jsonl`; remove or move it");
        outcome.prints(&[&said]);
    }
}

/// What `verify` advises works: a changed table is removed and written again, and runs whose folder has no marker are put into another.
#[test]
fn remedies_of_sweeps_do_what_they_say() {
    let place = Place::with("verify-remedies", RANDOM);
    let swept =
        |out: &str| place.run(&format!("sweep scenario.toml --vary queue.policy=epd,fba --seeds 2 --out {out}"));
    swept("all").exits_with(0);
    let (table, ledger) = (place.read("all/table.csv"), place.read("all/runs.jsonl"));
    place.write("all/table.csv", "changed");
    let outcome = verify(&place, "all").exits_with(1);
    let said =
        "`all/table.csv`: it was changed after ackclock wrote it; remove or move it if it is there, and the same";
    outcome.prints(&[said]);
    swept("all").exits_with(1);
    fs::remove_file(place.path("all/table.csv")).unwrap();
    swept("all").exits_with(0);
    assert_eq!((place.read("all/table.csv"), verify(&place, "all").code), (table.clone(), 0));
    for damaged in [Some("{"), None] {
        match damaged {
            Some(text) => place.write("all/.ackclock", text),
            None => fs::remove_file(place.path("all/.ackclock")).unwrap(),
        }
        let outcome = verify(&place, "all").exits_with(1);
        outcome.prints(&["; `ackclock merge DIR --out NEW` of this folder puts its runs"]);
        let out = if damaged.is_some() { "new" } else { "newer" };
        place.run(&["merge", "all", "--out", out]).exits_with(0);
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
        assert_eq!(lines(&place.read(&format!("{out}/runs.jsonl"))), lines(&ledger));
        assert_eq!((place.read(&format!("{out}/table.csv")), verify(&place, out).code), (table.clone(), 0));
    }
}

#[test]
fn results_in_a_folder_of_results_are_looked_at_and_long_lists_are_cut() {
    let place = Place::with("verify-nested", RANDOM);
    place.run("run scenario.toml --out kept --record cwnd").exits_with(0);
    place.run("run scenario.toml --out kept/inner/more").exits_with(0);
    place.run("run scenario.toml --out kept/beside").exits_with(0);
    let whole = verify(&place, "kept").exits_with(0);
    assert_eq!(whole.stdout.matches("no damage (the result of").count(), 3, "{whole:#?}");
    assert!(!whole.stdout.contains("kept/beside`: ackclock did not write it"), "{whole:#?}");
    let text = place.read("kept/inner/more/result.json");
    place.write("kept/inner/more/result.json", text.replacen("\"seed\": 1", "\"seed\": 2", 1));
    verify(&place, "kept").exits_with(1).prints(&["`kept/inner/more/result.json`: "]);
    for n in 0..50 {
        place.write(&format!("kept/beside/note-{n}.txt"), "mine");
    }
    let outcome = verify(&place, "kept/beside").exits_with(0);
    assert!(outcome.stdout.ends_with("  ... and 30 more; --json lists all\n"), "{outcome:#?}");
    assert_eq!(outcome.stdout.lines().count(), 22);
    let json = place.run("verify kept/beside --json").json();
    assert_eq!(json["folders"][0]["findings"].as_array().unwrap().len(), 50);
}

/// A page of another program stays, and is none of ours.
#[test]
fn a_page_of_somebody_else_is_no_damage() {
    let place = Place::with("verify-page", RANDOM);
    place.run("run scenario.toml --out kept").exits_with(0);
    place.write("kept/report.html", format!("<!doctype html><p>{}</p>", "mine ".repeat(400)));
    verify(&place, "kept").exits_with(0);
    place.run("report kept").exits_with(1).says(&["is not a report of ackclock"]);
}

#[test]
fn what_is_not_of_the_program_is_no_damage() {
    let place = Place::with("verify-others", RANDOM);
    let run = ["run", "scenario.toml", "--out", "kept", "--record", "cwnd"];
    place.run(&run).exits_with(0);
    place.write("kept/notes.txt", "mine");
    place.write("kept/.result.json.4294967295.partial", "half");
    place.write("kept/.ackclock.lock", "{}");
    let outcome = verify(&place, "kept").exits_with(0);
    for said in [
        "kept: no damage (the result of `ackclock run`)\n",
        "  note: `kept/notes.txt`: ackclock did not write it; it stays; nothing reads it\n",
        "  note: `kept/.result.json.4294967295.partial`: a process that was stopped left it; the next command",
        "  note: `kept/.ackclock.lock`: a process that was stopped left it",
    ] {
        outcome.prints(&[said]);
    }
    let json = place.run("verify kept --json").exits_with(0).json();
    assert_eq!((&json["folders"][0]["whole"], &json["folders"][0]["holds"]), (&true.into(), &"run".into()));
    assert_eq!(json["folders"][0]["findings"].as_array().unwrap().len(), 3);
    // Among what a run recorded, it is in the way.
    fs::remove_file(place.path("kept/.result.json.4294967295.partial")).unwrap();
    place.write("kept/tables/seed-1/notes.txt", "mine");
    let outcome = verify(&place, "kept").exits_with(1);
    outcome.prints(&["`kept/tables/seed-1/notes.txt`: it does not belong to these tables; "]);
    place.run("verify .").exits_with(1).prints(&["kept: 1 place damaged"]);
    place.write("empty/x", "");
    verify(&place, "empty")
        .exits_with(1)
        .says(&["`empty` has no results of ackclock", "help: name a folder that `run`"]);
    verify(&place, "nowhere").exits_with(1).says(&["cannot read the folder `nowhere`"]);
}

/// Earlier versions wrote no checksums of markers, plans and indexes.
#[test]
fn folders_of_earlier_versions_are_not_accused() {
    let place = Place::with("verify-earlier", RANDOM);
    place.run("run scenario.toml --out kept --record cwnd --capture s1").exits_with(0);
    place.run("sweep scenario.toml --vary queue.policy=epd,fba --out kept-sweep").exits_with(0);
    for name in
        ["kept/.ackclock", "kept/tables/seed-1/index.json", "kept/captures/seed-1/index.json", "kept-sweep/sweep.json"]
    {
        let text = place.read(name);
        let (before, _) = text.rsplit_once(",\n  \"blake3\"").unwrap();
        place.write(name, format!("{before}\n}}\n"));
    }
    verify(&place, "kept").exits_with(0);
    verify(&place, "kept-sweep").exits_with(0);
    place.run("run scenario.toml --out kept --record cwnd").exits_with(0);
}

#[test]
#[cfg(unix)]
fn unfinished_runs_are_no_damage_and_their_damage_is_named() {
    let place = Place::with("verify-unfinished", RANDOM);
    let run = ["run", "scenario.toml", "--seeds", "200000", "--out", "kept", "--record", "cwnd", "--capture", "s1"];
    ended_by("-KILL", 3, &place, "kept", &run);
    verify(&place, "kept").exits_with(0).prints(&["note: `kept/.ackclock.lock`"]);
    let ledger = crate::support::ledger(&place, "kept").unwrap();
    let text = fs::read_to_string(&ledger).unwrap();
    let (first, _) = text.split_once('\n').unwrap();
    let seed = serde_json::from_str::<serde_json::Value>(first).unwrap()["run"]["seed"].to_string();
    let name = shown(&place, &ledger);
    fs::write(&ledger, text.replacen("\"fairness\":0.", "\"fairness\":1.", 1)).unwrap();
    let outcome = verify(&place, "kept").exits_with(1);
    outcome.prints(&[&format!("`{name}`, line 1: it does not match its checksum; the same")]);
    fs::write(&ledger, &text).unwrap();
    for file in [format!("tables/seed-{seed}/cwnd.parquet"), format!("captures/seed-{seed}/index.json")] {
        let path = ledger.parent().unwrap().join(&file);
        let content = fs::read(&path).unwrap();
        for (what, damaged) in damages(&content, 10, &mut Random(1)) {
            match damaged {
                Some(damaged) => fs::write(&path, damaged).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            let outcome = verify(&place, "kept").exits_with(1);
            assert!(outcome.stdout.contains(&file), "{file}, {what}: {outcome:#?}");
        }
        fs::write(&path, &content).unwrap();
    }
    verify(&place, "kept").exits_with(0);

    let sweep = ["sweep", "scenario.toml", "--vary", "queue.buffer=60..600cells:lin:400", "--out", "all"];
    let begun = |_| place.path("all/runs.jsonl").exists() && lines(&place.path("all/runs.jsonl")) > 3;
    crate::support::killed_when(begun, &place, &sweep);
    verify(&place, "all").exits_with(0);
    // A part, too, which never has tables.
    place.run("sweep scenario.toml --vary queue.policy=epd,fba --shard 1/2 --out part").exits_with(0);
    verify(&place, "part").exits_with(0);
}

#[test]
#[cfg(unix)]
fn a_folder_in_use_is_not_looked_at() {
    let place = Place::with("verify-in-use", &RANDOM.replace("300 ms", "700 h"));
    let mut child = place.command("run scenario.toml --out kept").stderr(std::process::Stdio::null()).spawn().unwrap();
    while !place.path("kept/.ackclock").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let outcome = verify(&place, "kept").exits_with(1).without_result();
    child.kill().unwrap();
    child.wait().unwrap();
    outcome.says(&[&format!("`kept` is in use by process {} on ", child.id()), "help: wait for its end"]);
    verify(&place, "kept").exits_with(0);
}
