//! The README's examples, run as they stand.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn readme() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap()
}

/// The code blocks of a language, in order.
fn blocks(language: &str) -> Vec<String> {
    let text = readme();
    let fence = format!("```{language}\n");
    text.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// A new folder with the README's scenario in it, changed by `change`.
fn folder_with_scenario(name: &str, change: impl Fn(String) -> String) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("lan.toml"), change(blocks("toml")[0].clone())).unwrap();
    folder
}

fn ackclock(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ackclock"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").output().unwrap()
}

/// The arguments of a command line of the README, quotes removed.
fn arguments(line: &str) -> Vec<String> {
    let mut arguments = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => arguments.push(String::new()),
            c => arguments.last_mut().unwrap().push(c),
        }
    }
    arguments
}

#[test]
fn every_command_of_a_console_block_succeeds() {
    let folder = folder_with_scenario("readme-commands", |text| text);
    let blocks = blocks("console");
    assert_eq!(blocks.len(), 3);
    for line in blocks.iter().flat_map(|block| block.lines()) {
        let line = line.strip_prefix("$ cargo run --release -- ").expect("a command of ours");
        let arguments = arguments(line);
        let output = ackclock(&folder, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_table_is_what_the_program_prints() {
    let folder = folder_with_scenario("readme-table", |text| text);
    let output = ackclock(&folder, &["run", "lan.toml", "--seeds", "3"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim_end(), blocks("text")[0].trim_end());
}

/// The message lists the policies: with `INSTA_UPDATE=always` this test writes it, as `make accept` does.
#[test]
fn the_message_is_what_the_program_prints() {
    let folder = folder_with_scenario("readme-message", |text| text.replace("selective-drop", "selective-dorp"));
    let output = ackclock(&folder, &["run", "lan.toml"]);
    assert_eq!(output.status.code(), Some(3));
    let (printed, shown) = (String::from_utf8(output.stderr).unwrap(), blocks("text")[1].clone());
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") && printed.trim_end() != shown.trim_end() {
        let text = readme().replace(&shown, &format!("{}\n", printed.trim_end()));
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md"), text).unwrap();
        return;
    }
    assert_eq!(printed.trim_end(), shown.trim_end(), "`make accept` writes it");
}

#[test]
fn the_other_commands_of_the_text_exist() {
    let folder = folder_with_scenario("readme-others", |text| text);
    for arguments in [&["init"][..], &["check", "lan.toml", "--print"], &["list"], &["schema"]] {
        assert!(ackclock(&folder, arguments).status.success(), "{arguments:?}");
    }
    assert!(ackclock(&folder, &["run", "scenario.toml"]).status.success(), "what init wrote runs");
    let recorded = "run lan.toml --record tcp,queue --set duration=200ms --out kept --engine reference";
    let recorded: Vec<&str> = recorded.split(' ').collect();
    for arguments in [&recorded[..], &["plot", "kept"], &["explain", "cwnd"], &["rerun", "kept"]] {
        assert!(ackclock(&folder, arguments).status.success(), "{arguments:?}");
    }
    assert!(ackclock(&folder, &["export", "kept", "--metric", "cwnd"]).stdout.starts_with(b"seed,flow,time_ps,"));
}
