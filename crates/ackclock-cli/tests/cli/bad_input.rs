//! Whatever is wrong, there is one clear message, the right exit code, and nothing half-written.

use std::fs::{self, File};
use std::io;
use std::process::Stdio;

use crate::support::{PLAIN, Place, outcome};

#[test]
fn a_mistyped_word_is_shown_in_its_line_with_the_remedy() {
    let place = Place::with("mistyped-word", &PLAIN.replace("buffer =", "bufer ="));
    let outcome = place.run("run scenario.toml").exits_with(3).without_result();
    let outcome =
        outcome.says(&["error: ", "--> scenario.toml:15:1\n", "15 | bufer = \"10 packets\"\n", "^^^^^", "`buffer`"]);
    assert!(outcome.stderr.ends_with("\n1 error, nothing was run\n"), "{}", outcome.stderr);
    assert_eq!(place.names(), ["scenario.toml"]);
}

#[test]
fn all_errors_are_reported_at_once() {
    let scenario = PLAIN.replace("\"10 packets\"", "10").replace("\"2 Mbps\"", "\"2 ms\"");
    let place = Place::with("all-errors", &scenario);
    let outcome = place.run("run scenario.toml").exits_with(3).without_result();
    assert!(outcome.stderr.ends_with("2 errors, nothing was run\n"), "{}", outcome.stderr);
    assert_eq!(outcome.stderr.matches("--> scenario.toml:").count(), 2, "{}", outcome.stderr);
}

#[test]
fn a_wrong_set_argument_is_shown_like_a_line_of_a_file() {
    let place = Place::with("wrong-set", PLAIN);
    let outcome = place.run("run scenario.toml --set 'queue.bufer=10 packets'");
    outcome.exits_with(3).without_result().says(&["--set", "bufer", "buffer", "1 error, nothing was run"]);
}

#[test]
fn an_unknown_engine_is_answered_with_those_there_are() {
    let place = Place::with("unknown-engine", PLAIN);
    for command in ["run scenario.toml", "reproduce sack-ubr"] {
        let outcome = place.run(&format!("{command} --engine refrence")).exits_with(2).without_result();
        outcome.says(&["invalid value 'refrence' for '--engine <ENGINE>'", "batched, reference", "'reference'"]);
    }
    assert_eq!(place.names(), ["scenario.toml"]);
}

#[test]
fn a_file_that_is_not_there_is_named_together_with_the_nearest() {
    let place = Place::with("not-there", PLAIN);
    let outcome = place.run("run senario.toml").exits_with(1).without_result();
    insta::assert_snapshot!(outcome.stderr, @r"
    error: cannot read `senario.toml`: No such file or directory (os error 2)
    help: did you mean `scenario.toml`?
    ");
    place.run("run no/such.toml").exits_with(1).says(&["there is no folder `no`"]);
    place.run("run lan-of-1999.toml").exits_with(1).says(&["`ackclock init`"]);
    place.run("run .").exits_with(1).says(&["cannot read `.`"]);
}

#[test]
fn a_file_that_is_not_utf8_is_refused() {
    let place = Place::new("not-utf8");
    place.write("scenario.toml", b"name = \"\xff\xfe\"\n");
    place.run("run scenario.toml").exits_with(3).without_result().says(&["scenario.toml", "UTF-8"]);
    place.write("binary.toml", [0u8, 159, 146, 150, 10, 13, 255]);
    place.run("check binary.toml").exits_with(3).without_result().says(&["UTF-8"]);
}

#[test]
fn an_empty_file_says_what_is_missing() {
    let place = Place::with("empty", "");
    place.run("run scenario.toml").exits_with(3).without_result().says(&["error", "nothing was run"]);
}

#[test]
fn a_folder_that_cannot_be_written_is_found_before_anything_is_simulated() {
    // Ten hours: the message comes at once all the same.
    let place = Place::with("unwritable", &PLAIN.replace("200 ms", "10 h"));
    let outcome = place.run("run scenario.toml --out scenario.toml/results");
    outcome.exits_with(1).without_result().says(&["error: cannot write to the folder", "help:", "--out"]);
    assert_eq!(place.names(), ["scenario.toml"]);
}

#[test]
fn a_folder_with_files_of_others_is_refused() {
    let place = Place::with("foreign-files", &PLAIN.replace("200 ms", "10 h"));
    fs::create_dir(place.path("thesis")).unwrap();
    place.write("thesis/chapter.tex", "years of work");
    let outcome = place.run("run scenario.toml --out thesis");
    outcome.exits_with(1).without_result().says(&["not a result of ackclock", "--out"]);
    assert_eq!(place.read("thesis/chapter.tex"), "years of work");
}

#[test]
fn wrong_usage_exits_with_2() {
    let place = Place::with("usage", PLAIN);
    let wrong: [&[&str]; 8] = [
        &[],
        &["rum"],
        &["run"],
        &["run", "scenario.toml", "--sed", "3"],
        &["run", "scenario.toml", "--seeds", "0"],
        &["run", "scenario.toml", "--seeds", "many"],
        &["list", "recovry"],
        &["reproduce", "sack-ubr/no-such-card"],
    ];
    for arguments in wrong {
        let outcome = place.run(arguments).exits_with(2).without_result();
        assert!(!outcome.stderr.is_empty());
    }
    let set_seed = format!("seed={}", i64::MAX);
    place.run(&["run", "scenario.toml", "--seeds", "2", "--set", &set_seed]).exits_with(2).says(&["seed"]);
    assert_eq!(place.names(), ["scenario.toml"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_behind_standard_output_is_reported() {
    let place = Place::with("full-disk", PLAIN);
    for arguments in [&["run", "scenario.toml"][..], &["schema"], &["list"], &["--help"], &["--version"]] {
        let mut command = place.command(arguments);
        command.stdout(File::options().write(true).open("/dev/full").unwrap()).stderr(Stdio::piped());
        let output = command.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {stderr}");
        assert!(stderr.contains("error: cannot write to standard output"), "{stderr}");
    }
    // The result folder is on another disk, and is complete.
    assert!(place.names().contains(&"results".to_string()));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::with("broken-pipe", PLAIN);
    for arguments in [&["list"][..], &["schema"], &["run", "scenario.toml"], &["--help"]] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let mut command = place.command(arguments);
        command.stdout(writer).stderr(Stdio::piped());
        let output = command.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
        assert!(!stderr.contains("error"), "{stderr}");
    }
}

#[test]
fn colour_is_never_forced_upon_a_file() {
    let place = Place::with("colour", &PLAIN.replace("buffer =", "bufer ="));
    let with = |variables: &[&str]| {
        let mut command = place.command("run scenario.toml");
        command.envs(variables.iter().map(|variable| (variable, "1")));
        outcome(command).exits_with(3).stderr
    };
    assert!(!with(&[]).contains('\x1b'));
    assert!(with(&["CLICOLOR_FORCE"]).contains('\x1b'));
    assert!(!with(&["CLICOLOR_FORCE", "NO_COLOR"]).contains('\x1b'));
}
