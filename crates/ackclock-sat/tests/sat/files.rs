//! Plans on the disk: back to the bit, and every sort of damage.

use std::fs;
use std::path::{Path, PathBuf};

use ackclock::units::Span;
use ackclock_sat::handover::HandoverPolicy;
use ackclock_sat::isl::IslPattern;
use ackclock_sat::plan::{Plan, Setup};
use ackclock_sat::routing::Routing;
use proptest::prelude::*;

use crate::scenes::{BERKELEY, BOSTON, bent_pipe, seconds, study, terminal, walker};

fn problem(folder: &Path) -> String {
    let error = Plan::read(folder).unwrap_err();
    assert!(!error.help().is_empty());
    error.to_string().replace(&folder.display().to_string(), "DIR")
}

#[test]
fn a_plan_that_is_read_is_the_one_that_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut seam = study();
    seam.isl.pattern = IslPattern::GridAcrossSeam;
    let mut lone = study();
    lone.constellation = walker("86.4:1/1/0", 780.0);
    lone.end = seconds(3600);
    for setup in [study(), bent_pipe(-95.0), bent_pipe(100.0), seam, lone] {
        let plan = setup.plan().unwrap();
        plan.write(folder.path()).unwrap();
        assert_eq!(Plan::read(folder.path()).unwrap(), plan);
    }
    let bytes: u64 = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
    assert!(bytes > 0);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 7, "six tables and the index");
}

#[test]
fn the_plan_of_a_leo_run_is_small() {
    let folder = tempfile::tempdir().unwrap();
    study().plan().unwrap().write(folder.path()).unwrap();
    let bytes: u64 = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
    assert!(bytes < 100_000, "{bytes} bytes");
}

#[test]
fn the_same_setup_gives_the_same_files() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for folder in [&first, &second] {
        study().plan().unwrap().write(folder.path()).unwrap();
    }
    for entry in fs::read_dir(first.path()).unwrap() {
        let name = entry.unwrap().file_name();
        assert_eq!(
            fs::read(first.path().join(&name)).unwrap(),
            fs::read(second.path().join(&name)).unwrap(),
            "{name:?}"
        );
    }
}

#[test]
fn damage_is_one_clear_message_with_place_and_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    assert_eq!(problem(dir), "`DIR/plan.json` is missing");
    study().plan().unwrap().write(dir).unwrap();
    let with = |file: &str, change: &dyn Fn(Vec<u8>) -> Vec<u8>| {
        let path = dir.join(file);
        let good = fs::read(&path).unwrap();
        fs::write(&path, change(good.clone())).unwrap();
        let found = problem(dir);
        fs::write(&path, good).unwrap();
        found
    };
    let cut = with("delays.parquet", &|mut bytes| {
        bytes.truncate(100);
        bytes
    });
    assert!(cut.starts_with("`DIR/delays.parquet` is damaged: it has 100 bytes, "), "{cut}");
    let flipped = with("events.parquet", &|mut bytes| {
        bytes[50] ^= 1;
        bytes
    });
    assert_eq!(flipped, "`DIR/events.parquet` is damaged: its checksum is wrong");
    let edited =
        with("plan.json", &|bytes| String::from_utf8(bytes).unwrap().replace("\"ttl\": 32", "\"ttl\": 33").into());
    assert_eq!(edited, "`DIR/plan.json` is damaged: its checksum is wrong");
    let halved = with("plan.json", &|bytes| bytes[..bytes.len() / 2].to_vec());
    assert!(halved.starts_with("`DIR/plan.json` is damaged: EOF"), "{halved}");
    let foreign = with("plan.json", &|_| br#"{"format": "ackclock-tables", "format_version": 1}"#.to_vec());
    assert_eq!(foreign, "`DIR/plan.json` does not belong to a contact plan of ackclock");
    let newer = with("plan.json", &|bytes| {
        String::from_utf8(bytes).unwrap().replace("\"format_version\": 1", "\"format_version\": 2").into()
    });
    assert_eq!(newer, "`DIR/plan.json` has format version 2; this program reads 1");
    fs::remove_file(dir.join("hops.parquet")).unwrap();
    assert_eq!(problem(dir), "`DIR/hops.parquet` is missing");
}

#[test]
fn tables_of_another_plan_are_not_taken_for_those_of_this() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    study().plan().unwrap().write(folder.path()).unwrap();
    bent_pipe(-95.0).plan().unwrap().write(other.path()).unwrap();
    fs::copy(other.path().join("routes.parquet"), folder.path().join("routes.parquet")).unwrap();
    assert!(problem(folder.path()).starts_with("`DIR/routes.parquet` is damaged:"));
}

#[test]
fn a_folder_that_cannot_be_made_says_so() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("file");
    fs::write(&folder, "a file").unwrap();
    let error = study().plan().unwrap().write(&folder).unwrap_err();
    assert!(error.to_string().contains("file"), "{error}");
}

/// Every file of a folder with its content.
fn everything(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(everything(&path)),
            false => all.push((path.clone(), fs::read(&path).unwrap())),
        }
    }
    all.sort();
    all
}

#[test]
fn nothing_is_replaced_that_is_not_a_file_of_a_plan() {
    let ours = tempfile::tempdir().unwrap();
    let plan = bent_pipe(-95.0).plan().unwrap();
    plan.write(ours.path()).unwrap();
    let table = fs::read(ours.path().join("events.parquet")).unwrap();
    let index = fs::read(ours.path().join("plan.json")).unwrap();
    // As a result has it: a table of the same name and of this program, with another format.
    let of_a_result = {
        let at = table.windows(13).position(|part| part == b"ackclock-plan").unwrap();
        let mut bytes = table.clone();
        bytes[at..at + 13].copy_from_slice(b"ackclock-runs");
        bytes
    };
    let cases: [(&str, Vec<u8>); 8] = [
        ("events.parquet", of_a_result),
        ("nodes.parquet", table.clone()),
        ("nodes.parquet", b"a table of the user".to_vec()),
        ("nodes.parquet", Vec::new()),
        ("nodes.parquet", table[..table.len() / 2].to_vec()),
        ("plan.json", br#"{"format": "plan of the user", "format_version": 1}"#.to_vec()),
        ("plan.json", br#"["ackclock-plan"]"#.to_vec()),
        ("plan.json", b"my notes on \"ackclock-plan\"".to_vec()),
    ];
    for (name, content) in cases {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), content).unwrap();
        fs::write(folder.path().join("notes.txt"), "of the user").unwrap();
        let before = everything(folder.path());
        let error = plan.write(folder.path()).unwrap_err();
        assert!(error.to_string().ends_with("is not a file of a contact plan, and would be replaced"), "{error}");
        assert!(error.to_string().contains(name) && error.help().contains("nothing was written"), "{error}");
        assert_eq!(everything(folder.path()), before, "{name}");
    }
    // Other files stay, and so do folders that look like one of a killed process and hold something else.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes.txt"), "of the user").unwrap();
    for (stage, file) in [(".part-1", "notes.txt"), (".part-2", "nodes.parquet"), (".part-x", "nodes.parquet")] {
        fs::create_dir(folder.path().join(stage)).unwrap();
        fs::write(folder.path().join(stage).join(file), "x").unwrap();
    }
    plan.write(folder.path()).unwrap();
    assert_eq!(Plan::read(folder.path()).unwrap(), plan);
    let left = [".part-1/notes.txt", ".part-2/nodes.parquet", ".part-x/nodes.parquet", "notes.txt"];
    assert_eq!(left.map(|file| folder.path().join(file).exists()), [true, false, true, true]);
    // A plan of this program is replaced, also if it is damaged, of another format, or without its index.
    let newer = String::from_utf8(index.clone()).unwrap().replace("\"format_version\": 1", "\"format_version\": 2");
    for (name, content) in [
        ("events.parquet", table[..table.len() / 2].to_vec()),
        ("plan.json", index[..index.len() / 2].to_vec()),
        ("plan.json", newer.into_bytes()),
    ] {
        fs::write(folder.path().join(name), content).unwrap();
        plan.write(folder.path()).unwrap();
        assert_eq!(Plan::read(folder.path()).unwrap(), plan, "{name}");
    }
    fs::remove_file(folder.path().join("plan.json")).unwrap();
    plan.write(folder.path()).unwrap();
    assert_eq!(Plan::read(folder.path()).unwrap(), plan);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn random_plans_come_back_to_the_bit(
        planes in 1..5u32,
        per_plane in 1..8u32,
        altitude in 300.0..3000.0f64,
        inclination in 0.0..180.0f64,
        across in any::<bool>(),
        highest in any::<bool>(),
        late in 0..20u64,
    ) {
        let star = if across { "star " } else { "" };
        let text = format!("{star}{inclination}:{}/{planes}/{}", planes * per_plane, planes - 1);
        let terminals = vec![terminal(BERKELEY, 5.0), terminal(BOSTON, 10.0), terminal(("Quito", -0.2, -78.5), 0.0)];
        let earth = ackclock_sat::earth::Earth::NS2;
        let mut setup = Setup::new(earth, walker(&text, altitude), terminals, seconds(1800));
        setup.pairs = vec![(0, 1), (1, 2)];
        setup.isl.pattern = if across { IslPattern::GridAcrossSeam } else { IslPattern::Grid };
        setup.routing = Routing::AtChange { after: Span::from_secs(late) };
        if highest {
            setup.policy = HandoverPolicy::MaxElevation { hysteresis_deg: 1.0 };
        }
        let plan = setup.plan().unwrap();
        let folder = tempfile::tempdir().unwrap();
        plan.write(folder.path()).unwrap();
        prop_assert_eq!(Plan::read(folder.path()).unwrap(), plan);
    }
}
