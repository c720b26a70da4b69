//! Satellites of element sets in scenario files: which are used, which are refused or left out, and what is said.

use crate::render::said_about_files;
use ackclock_sat::plan::{NodeKind, Plan};
use ackclock_scenario::{Loaded, Memory, load};

const FILE: &str = r#"
duration = "60 s"
[satellites]
elements = "a.txt"
mask = "0 deg"
[place]
a = "46.5 N 6.6 E"
b = "48.8 N 2.3 E"
[flow]
f = { from = "a", to = "b" }
"#;

/// The space station; its epoch is 21 November 2026, 12:00.
const ISS: &str = "ISS\n\
    1 25544U 98067A   26325.50000000  .00014206  00000+0  25493-3 0  9991\n\
    2 25544  51.6413  81.8570 0005396  18.1967 120.0030 15.50160974398246\n";

/// SGP4 places it in the ground two days after its epoch, 27 February 2026, and far away from the fourth on.
const PLUNGE: &str = "PLUNGE\n\
    1 90002U 26001A   26058.12407234  .09435527  24934+0  44853-1 0  9995\n\
    2 90002  98.5849 110.9278 0014449 269.2407  90.7207 15.92146194266883\n";

fn files(elements: &str) -> Memory {
    Memory::new().with("test.toml", FILE).with("a.txt", elements)
}

fn said(elements: &str, sets: &[&str]) -> String {
    said_about_files(&files(elements), sets)
}

fn loaded(elements: &str, sets: &[&str]) -> Loaded {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    load(&files(elements), "test.toml", &sets).unwrap_or_else(|error| panic!("{error:#?}"))
}

fn plan(elements: &str, sets: &[&str]) -> Plan {
    loaded(elements, sets).contacts.expect("there is a contact plan")
}

fn satellites(plan: &Plan) -> Vec<&str> {
    plan.nodes.iter().filter(|node| node.kind == NodeKind::Satellite).map(|node| node.name.as_str()).collect()
}

/// What the warnings say, without those of paths that are not there.
fn warnings(elements: &str, sets: &[&str]) -> Vec<String> {
    let all = loaded(elements, sets).warnings.into_iter().map(|warning| warning.message);
    all.filter(|message| !message.contains("there is never a route")).collect()
}

#[test]
fn elements_that_lead_nowhere_are_refused_from_the_epoch_to_the_end_of_the_run() {
    let run = ["satellites.epoch=2026-03-04T03:00:00", "duration=6 h"];
    insta::assert_snapshot!(said(PLUNGE, &run));
    // One hour after its epoch it flies, and within four days of that it does not.
    assert!(!said(PLUNGE, &["satellites.epoch=2026-02-27T04:00:00"]).contains("error"));
    assert!(said(PLUNGE, &["satellites.epoch=2026-02-27T04:00:00", "duration=96 h"]).contains("error: a.txt:2"));
    assert!(
        said(PLUNGE, &["satellites.epoch=2026-02-27T04:00:00", "satellites.time_advance=96 h"])
            .contains("error: a.txt:2")
    );
}

#[test]
fn one_key_says_whether_sets_that_cannot_be_used_are_refused_or_left_out() {
    let damaged = ISS.replace("ISS", "DAMAGED").replace("25544", "25545");
    let other = ISS.replace("ISS", "XP").replace("25544", "25546").replace("25493-3 0  9991", "25493-3 4  999");
    let file = format!("{PLUNGE}{ISS}{damaged}{other}");
    let run = "satellites.epoch=2026-11-21T12:00:00";
    insta::assert_snapshot!(said(&file, &[run]));
    let leave_out = "satellites.unusable_elements=leave-out";
    assert_eq!(satellites(&plan(&file, &[run, leave_out])), ["ISS"]);
    let warned = warnings(&file, &[run, leave_out]);
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(warned[0].starts_with("left out: 3 of 4 element sets cannot be used: "), "{warned:?}");
    for name in ["PLUNGE", "DAMAGED", "XP"] {
        assert!(warned[0].contains(&format!("`{name}`")), "{name}: {warned:?}");
    }
    assert_eq!(loaded(ISS, &[leave_out]).contacts, loaded(ISS, &[]).contacts, "nothing is left out");
    assert!(said(PLUNGE, &[run, leave_out]).contains("error: a.txt:2: satellite `PLUNGE`"), "and none is left");
    assert!(!said(PLUNGE, &[run]).contains("leave-out"), "what would not help is not said");
    assert!(said(ISS, &["satellites.unusable_elements=ignore"]).contains("error"));
}

#[test]
fn elements_of_another_theory_are_refused() {
    let xp = ISS.replace("25493-3 0  9991", "25493-3 4  9995");
    let said = said(&xp, &[]);
    assert!(said.contains("error: a.txt:2: satellite `ISS`: its ephemeris type is 4, that of SGP4-XP"), "{said}");
    assert!(said.contains("= help: fetch elements of SGP4"), "{said}");
}

#[test]
fn blanks_after_an_assumed_point_are_zeros() {
    let line = |eccentricity: &str, sum: &str| {
        ISS.replace("0005396", eccentricity).replace("15.50160974398246", &format!("15.5016097439824{sum}"))
    };
    let (blank, zeros) =
        (plan(&line("    339", "8"), &["duration=2 h"]), plan(&line("0000339", "8"), &["duration=2 h"]));
    assert!(!blank.contacts.is_empty());
    assert_eq!(blank, zeros);
}

const OMM: &str = "<omm><body><metadata><OBJECT_NAME>ONE</OBJECT_NAME></metadata><data><meanElements>\
    <EPOCH>2026-325T12:00:00</EPOCH><MEAN_MOTION>15.5</MEAN_MOTION><ECCENTRICITY>0.0005</ECCENTRICITY>\
    <INCLINATION>51.6</INCLINATION><RA_OF_ASC_NODE>81.8</RA_OF_ASC_NODE><ARG_OF_PERICENTER>18.2</ARG_OF_PERICENTER>\
    <MEAN_ANOMALY>120</MEAN_ANOMALY></meanElements><tleParameters><NORAD_CAT_ID>90001</NORAD_CAT_ID>\
    <BSTAR>0.0002</BSTAR></tleParameters></data></body></omm>";

#[test]
fn messages_in_one_file_are_as_many_satellites_and_a_file_that_was_cut_off_is_refused() {
    let second = OMM.replace("ONE", "TWO").replace("90001", "90002");
    let file = format!("<?xml version=\"1.0\"?>\n<ndm>\n{OMM}\n{second}\n</ndm>\n");
    assert_eq!(satellites(&plan(&file, &[])), ["ONE", "TWO"]);
    for end in ["</ndm>", "</omm>\n</ndm>", "<BSTAR>0.0002</BSTAR></tleParameters></data></body></omm>\n</ndm>"] {
        let cut = &file[..file.rfind(end).unwrap()];
        assert!(said(cut, &[]).contains("error: a.txt: this XML ends inside of"), "{}", said(cut, &[]));
    }
}

#[test]
fn of_a_satellite_that_is_there_twice_the_set_nearest_to_the_start_is_used_and_that_is_said() {
    let twice = format!("{ISS}{}", ISS.replace("26325.5", "26324.5").replace("9991", "9990"));
    for (start, line) in [("2026-11-20T13:00:00", 5), ("2026-11-21T13:00:00", 2)] {
        let start = format!("satellites.epoch={start}");
        assert_eq!(satellites(&plan(&twice, &[&start])), ["ISS"]);
        let warned = warnings(&twice, &[&start]);
        assert_eq!(warned.len(), 1, "{warned:?}");
        assert!(warned[0].ends_with(&format!("`ISS` (a.txt:2, a.txt:5): that of a.txt:{line} is taken")), "{warned:?}");
    }
}

#[test]
fn old_elements_give_one_warning_however_many_they_are() {
    let many: String = (0..50)
        .map(|number| {
            let lines = ISS.replace("ISS", &format!("S{number}")).replace("25544", &format!("100{number:02}"));
            // Without checksums.
            lines.replace("  9991\n", "  999\n").replace("398246\n", "39824\n")
        })
        .collect();
    let warned = warnings(&many, &["satellites.epoch=2026-12-05T12:00:00"]);
    assert_eq!(warned.len(), 1, "{} warnings", warned.len());
    assert!(
        warned[0].starts_with("the elements of 50 of 50 satellites are more than 7 days from the start; the oldest")
    );
    assert!(warned[0].contains("14.0 days before the start"), "{warned:?}");
}

/// The passes of a day. The ellipsoid lowers these places by 11 and 12 km, and turns the horizon by a fifth of a degree.
#[test]
fn real_satellites_are_seen_from_the_ellipsoid() {
    let passes = |more: &[&str]| {
        let mut sets = vec!["duration=24 h"];
        sets.extend(more);
        let plan = plan(ISS, &sets);
        plan.contacts.iter().map(|contact| (contact.from.as_secs_f64(), contact.to.as_secs_f64())).collect::<Vec<_>>()
    };
    let (default, sphere) = (passes(&[]), passes(&["satellites.earth=wgs84"]));
    assert_eq!(default, passes(&["satellites.earth=wgs84-ellipsoid"]));
    let differ = default.iter().zip(&sphere).filter(|(a, b)| (a.0 - b.0).abs().max((a.1 - b.1).abs()) > 1.0);
    assert!(differ.count() > 5, "{default:?}\n{sphere:?}");
    let resolved = loaded(ISS, &[]).resolved;
    assert!(resolved.contains("earth = \"wgs84-ellipsoid\""), "{resolved}");
}

#[test]
fn a_file_as_hypatia_writes_it_is_read() {
    let satellite = |name: &str, number: u32, anomaly: u32| {
        let lines = [
            format!("1 {number:05}U 00000ABC 00001.00000000  .00000000  00000-0  00000+0 0    0"),
            format!("2 {number:05}  53.0000   0.0000 0000001   0.0000 {anomaly:>3}.0000 15.19000000    0"),
        ];
        let sum = |line: &str| {
            let value = |c: char| c.to_digit(10).unwrap_or(u32::from(c == '-'));
            format!("{line}{}\n", line.chars().map(value).sum::<u32>() % 10)
        };
        format!("{name}\n{}{}", sum(&lines[0]), sum(&lines[1]))
    };
    let file = format!("1 2\n{}{}", satellite("Starlink-550 0", 1, 0), satellite("Starlink-550 1", 2, 180));
    assert_eq!(satellites(&plan(&file, &[])), ["Starlink-550 0", "Starlink-550 1"]);
    let cut = said(&file.replace("1 2\n", "2 2\n"), &[]);
    assert!(cut.contains("error: a.txt:1: the header says 2 planes of 2 satellites"), "{cut}");
}
