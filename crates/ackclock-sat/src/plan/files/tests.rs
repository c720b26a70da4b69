//! Plans that this program did not write: every checksum is right, and the content is not.

use ackclock::units::{Span, Time};
use ackclock_columns::Values;

use super::*;
use crate::delay_curve::DelayCurve;
use crate::earth::Earth;
use crate::iridium::iridium;
use crate::place::Place;
use crate::plan::{Setup, Terminal};

type Change<'a> = &'a dyn Fn(&mut Plan);

fn plan() -> Plan {
    let terminal =
        |name, latitude, longitude| Terminal { place: Place::new(name, latitude, longitude).unwrap(), mask_deg: 8.2 };
    let terminals = vec![terminal("Berkeley", 37.9, -122.3), terminal("Boston", 42.3, -71.1)];
    let end = Time::ZERO + Span::from_secs(60);
    Setup::new(Earth::NS2, iridium(&Earth::NS2).unwrap(), terminals, end).plan().unwrap()
}

#[test]
fn what_cannot_be_is_refused_although_its_checksums_are_right() {
    let folder = tempfile::tempdir().unwrap();
    let problem = |change: &dyn Fn(&mut Plan)| {
        let mut plan = plan();
        change(&mut plan);
        plan.write(folder.path()).unwrap();
        Plan::read(folder.path())
            .map(drop)
            .unwrap_err()
            .to_string()
            .replace(&folder.path().display().to_string(), "DIR")
    };
    let delay_curve = |delay: u64| {
        DelayCurve::new(vec![(Time::ZERO, Span::from_ps(delay)), (Time::from_ps(1_000_000), Span::from_ps(delay))])
            .unwrap()
    };
    // A negative number of 64 bits: with it, the run came to no end.
    let negative = problem(&|plan| plan.links[0].delay_curve = delay_curve(u64::MAX - 4));
    assert!(
        negative.starts_with("`DIR/delays.parquet` is damaged:") && negative.contains("a time is negative"),
        "{negative}"
    );
    let cases: [(&str, Change); 9] = [
        ("a delay is not between 1 ps and 60 s", &|plan| plan.links[0].delay_curve = delay_curve(60_000_000_000_001)),
        ("a delay is not between 1 ps and 60 s", &|plan| plan.links[0].delay_curve = delay_curve(0)),
        ("it lasts no time or longer than 720 hours", &|plan| plan.end = Time::from_ps(u64::MAX / 2)),
        ("its nodes have not each a name of their own", &|plan| plan.nodes[1].name = plan.nodes[0].name.clone()),
        ("a satellite comes after a terminal", &|plan| plan.nodes.swap(0, 66)),
        ("a contact ends before it begins", &|plan| plan.contacts[0].to = Time::ZERO),
        ("its ends are not in order", &|plan| plan.contacts[0].b = plan.contacts[0].a),
        ("a next hop leads to no terminal", &|plan| plan.hops[0].next = Some(plan.hops[0].node)),
        ("a path does not lead from a terminal to another", &|plan| plan.routes[0].to = plan.routes[0].from),
    ];
    for (expected, change) in cases {
        let change = |plan: &mut Plan| {
            plan.contacts[0].from = Time::from_ps(1);
            plan.contacts.truncate(1);
            change(plan);
        };
        let found = problem(&change);
        assert!(found.contains(expected), "{found}, expected: {expected}");
    }
}

/// Five million rows that say the same: a file of a few kB.
#[test]
fn a_small_file_of_many_rows_is_refused_before_it_is_decoded() {
    let folder = tempfile::tempdir().unwrap();
    plan().write(folder.path()).unwrap();
    let table = TABLES.into_iter().find(|table| table.name == "contacts").unwrap();
    let path = folder.path().join(table.file_name());
    let named: Vec<(&str, Kind)> = table.columns.iter().map(|column| (column.name, column.kind)).collect();
    const ROWS: usize = 5_000_000;
    let (pieces, zeros) = (1000, vec![Time::ZERO; ROWS / 1000]);
    let file = File::create(&path).unwrap();
    ackclock_columns::write(&file, table.name, &named, table.metadata(), 1, |_, column| match column {
        0 => Values::Runs(vec![("1.0", ROWS)]),
        1 => Values::Runs(vec![("1.1", ROWS)]),
        2 => Values::Runs(vec![("in-plane", ROWS)]),
        _ => Values::Instants(vec![&zeros; pieces]),
    })
    .unwrap();
    let mut index = Index::read(&folder.path().join(INDEX)).unwrap();
    let entry = index.files.iter_mut().find(|file| file.table == table.name).unwrap();
    (entry.bytes, entry.blake3) = ackclock_columns::checksum(&path).unwrap();
    assert!(entry.bytes < 100_000, "{}", entry.bytes);
    let (mut empty, files) = (index.empty_plan(), index.files.clone());
    empty.nodes = Vec::new();
    fs::remove_file(folder.path().join(INDEX)).unwrap();
    Index::of(&empty, files).write(&folder.path().join(INDEX)).unwrap();
    let problem = Plan::read(folder.path()).map(drop).unwrap_err().to_string();
    assert!(problem.contains("contacts.parquet` is damaged: the plan would take more than 512 MiB"), "{problem}");
}

#[test]
#[cfg(unix)]
fn a_plan_of_pipes_and_devices_is_refused_before_they_are_opened() {
    let folder = tempfile::tempdir().unwrap();
    plan().write(folder.path()).unwrap();
    for name in ["contacts.parquet", INDEX] {
        let path = folder.path().join(name);
        fs::remove_file(&path).unwrap();
        assert!(process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let problem = Plan::read(folder.path()).map(drop).unwrap_err().to_string();
        assert!(
            problem.contains(name) && problem.contains("it is a device, a FIFO or a socket, not a file"),
            "{problem}"
        );
    }
}
