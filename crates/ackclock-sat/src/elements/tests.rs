//! Published positions, the three forms of OMM against the TLE of the same elements, and which sets are used. What is read of files,
//! and every sort of bad file: `tests/reading.rs`.

mod reading;

use proptest::prelude::*;

use super::epoch::SECONDS_PER_DAY;
use super::*;
use crate::vector::Vector;

/// The near-Earth case of [VCHK06], and what it prints for it: minutes after the epoch and km in TEME.
const NEAR_EARTH: &str = "1 06251U 62025E   06176.82412014  .00008885  00000-0  12808-3 0  3985\n\
                          2 06251  58.0579  54.0425 0030035 139.1568 221.1854 15.56387291  6774\n";
const NEAR_EARTH_POSITIONS: [(f64, Vector); 4] = [
    (0.0, Vector::new(3_988.310_226_99, 5_498.966_572_35, 0.900_558_79)),
    (120.0, Vector::new(-3_935.698_000_83, 409.109_808_37, 5_471.335_773_27)),
    (240.0, Vector::new(-1_675.127_669_15, -5_683.304_323_52, -3_286.215_109_37)),
    (360.0, Vector::new(4_993.626_428_36, 2_890.549_699_00, -3_600.401_456_27)),
];
/// A deep-space case of it, resonant with the turn of the Earth.
const DEEP_SPACE: &str = "1 08195U 75081A   06176.33215444  .00000099  00000-0  11873-3 0   813\n\
                          2 08195  64.1586 279.0717 6877146 264.7651  20.2257  2.00491383225656\n";
const DEEP_SPACE_POSITIONS: [(f64, Vector); 3] = [
    (0.0, Vector::new(2_349.894_833_50, -14_785.938_115_62, 0.021_193_78)),
    (120.0, Vector::new(15_223.917_136_58, -17_852.958_817_13, 25_280.395_582_24)),
    (240.0, Vector::new(19_752.780_500_09, -8_600.071_309_62, 37_522.729_210_90)),
];
/// The case of it that is lost 50 minutes after the epoch: its perigee is 51 km below the ground.
const SUBORBITAL: &str = "FALLEN\n\
                          1 28872U 05037B   05333.02012661  .25992681  00000-0  24476-3 0  1534\n\
                          2 28872  96.4736 157.9986 0303955 244.0492 110.6523 16.46015938 10708\n";

/// All sets, or the first thing that is wrong.
fn read(text: &str) -> Result<Vec<ElementSet>, SatError> {
    ElementFile::read("file.txt", text)?.sets.into_iter().collect()
}

/// The satellites of a file, refused or with warnings.
fn followed(text: &str, start: Option<&str>, seconds: u64, unusable: Unusable) -> Followed {
    let start = start.map(|text| Epoch::parse(text).unwrap());
    let file = ElementFile::read("file.txt", text)?;
    file.propagated(&Earth::WGS84, start, Span::ZERO, Span::from_secs(seconds), unusable)
}

type Followed = Result<(Constellation, Vec<Warning>), SatError>;

fn names(constellation: &Constellation) -> Vec<&str> {
    constellation.satellites().iter().map(|satellite| satellite.name.as_str()).collect()
}

fn only(text: &str, start: Option<&str>, seconds: u64) -> Propagated {
    let set = read(text).unwrap().remove(0);
    let start = start.map_or(set.epoch(), |text| Epoch::parse(text).unwrap());
    let window = Window { start, advance: Span::ZERO, length: Span::from_secs(seconds) };
    Propagated::new(&Earth::WGS84, &set, &window).unwrap()
}

#[test]
fn positions_are_those_that_were_published() {
    for (text, positions) in [(NEAR_EARTH, &NEAR_EARTH_POSITIONS[..]), (DEEP_SPACE, &DEEP_SPACE_POSITIONS)] {
        let satellite = only(text, None, 60);
        for &(minutes, expected) in positions {
            let found = satellite.teme(minutes).unwrap();
            assert!(found.distance(expected) < 1e-6, "{minutes}: {found:?}");
        }
    }
}

#[test]
fn the_space_station_was_over_the_pacific() {
    // NASA's trajectory data for 2023-05-25 07:49:28.5 UTC: 31.581 N, 127.093 W, 419.88 km high.
    let iss = "1 25544U 98067A   23145.32602431  .00014206  00000+0  25493-3 0  9994\n\
               2 25544  51.6413  81.8570 0005396  18.1967 120.0030 15.50160974398246\n";
    let found = only(iss, Some("2023-05-25T07:49:28.500Z"), 60).position(0.0).unwrap();
    let longitude = libm::atan2(found.y, found.x).to_degrees();
    assert!((longitude + 127.093).abs() < 0.05, "{longitude}");
    // Geodetic latitude, by the height above the ellipsoid along the plumb line.
    let place = crate::place::Place::new("below", 31.581, longitude).unwrap().station(&Earth::WGS84_ELLIPSOID);
    let above = found - place.position;
    assert!((above.norm() - 419.88).abs() < 6.0, "{} km", above.norm());
    let tilt = libm::acos(place.up.dot(above) / above.norm()).to_degrees();
    assert!(tilt < 1.5, "{tilt} degrees from the zenith of the place below");
}

#[test]
fn seen_from_the_ground_it_moves_as_among_the_stars_less_the_turn_of_the_earth() {
    let satellite = only(NEAR_EARTH, None, 7200);
    // In the frame of the run the distances between two instants are those of TEME, but for the drift of the equinox
    // within two hours: less than a metre.
    let moved = |from: f64, to: f64| satellite.position(from).unwrap().distance(satellite.position(to).unwrap());
    let teme = satellite.teme(0.0).unwrap().distance(satellite.teme(120.0).unwrap());
    assert!((moved(0.0, 7200.0) - teme).abs() < 0.01, "{} {teme}", moved(0.0, 7200.0));
}

const JSON: &str = r#"[{"OBJECT_NAME": "A, \"B\" & C", "OBJECT_ID": "1962-025E", "EPOCH": "2006-06-25T19:46:43.980096",
    "MEAN_MOTION": 15.56387291, "ECCENTRICITY": ".0030035", "INCLINATION": 58.0579, "RA_OF_ASC_NODE": 54.0425,
    "ARG_OF_PERICENTER": 139.1568, "MEAN_ANOMALY": 221.1854, "NORAD_CAT_ID": "6251", "BSTAR": 0.12808e-3,
    "DECAY_DATE": null, "MEAN_ELEMENT_THEORY": "SGP4"}]"#;
const CSV: &str = "OBJECT_NAME,OBJECT_ID,EPOCH,MEAN_MOTION,ECCENTRICITY,INCLINATION,RA_OF_ASC_NODE,ARG_OF_PERICENTER,\
                   MEAN_ANOMALY,EPHEMERIS_TYPE,CLASSIFICATION_TYPE,NORAD_CAT_ID,ELEMENT_SET_NO,REV_AT_EPOCH,BSTAR,\
                   MEAN_MOTION_DOT,MEAN_MOTION_DDOT\r\n\
                   \"A, \"\"B\"\" & C\",1962-025E,2006-06-25T19:46:43.980096,15.56387291,.0030035,58.0579,54.0425,\
                   139.1568,221.1854,0,U,6251,398,677,.12808E-3,.00008885,0\r\n";
const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- a <comment> -->
<ndm xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><omm id="CCSDS_OMM_VERS" version="2.0">
<header><CREATION_DATE/><ORIGINATOR/></header><body><segment>
<metadata><OBJECT_NAME>A, &quot;B&quot; &amp; C</OBJECT_NAME><OBJECT_ID>1962-025E</OBJECT_ID><CENTER_NAME>EARTH</CENTER_NAME>
<REF_FRAME>TEME</REF_FRAME><TIME_SYSTEM>UTC</TIME_SYSTEM><MEAN_ELEMENT_THEORY>SGP4</MEAN_ELEMENT_THEORY></metadata>
<data><meanElements><EPOCH>2006-06-25T19:46:43.980096</EPOCH><MEAN_MOTION>15.56387291</MEAN_MOTION>
<ECCENTRICITY>.0030035</ECCENTRICITY><INCLINATION>58.0579</INCLINATION><RA_OF_ASC_NODE>54.0425</RA_OF_ASC_NODE>
<ARG_OF_PERICENTER>139.1568</ARG_OF_PERICENTER><MEAN_ANOMALY>221.1854</MEAN_ANOMALY></meanElements>
<tleParameters><NORAD_CAT_ID>6251</NORAD_CAT_ID><BSTAR>.12808E-3</BSTAR></tleParameters></data></segment></body></omm></ndm>
"#;

#[test]
fn messages_of_all_forms_are_the_same_satellite() {
    for text in [JSON, CSV, XML] {
        let sets = read(text).unwrap();
        assert_eq!(sets.len(), 1, "{text}");
        assert_eq!(sets[0].name(), "A, \"B\" & C");
        assert_eq!(sets[0].epoch().to_string(), "2006-06-25T19:46:43.980096");
        let satellite = only(text, None, 60);
        for (minutes, expected) in NEAR_EARTH_POSITIONS {
            let found = satellite.teme(minutes).unwrap();
            // Drag is used, its epoch rounded to a microsecond: 8 mm.
            assert!(found.distance(expected) < 1e-4, "{minutes}: {found:?}");
        }
    }
}

#[test]
fn names_stand_above_the_lines_with_or_without_a_zero() {
    let text = format!("# a file\nFIRST\n{NEAR_EARTH}\n0 SECOND (X)\r\n{DEEP_SPACE}{NEAR_EARTH}");
    let names: Vec<String> = read(&text).unwrap().into_iter().map(|set| set.name).collect();
    assert_eq!(names, ["FIRST", "SECOND (X)", "06251"]);
}

#[test]
fn equal_names_get_the_catalogue_number() {
    let text = format!("SAME\n{NEAR_EARTH}SAME\n{DEEP_SPACE}");
    let (constellation, _) = followed(&text, None, 60, Unusable::Refuse).unwrap();
    assert_eq!(names(&constellation), ["SAME", "SAME [8195]"]);
    // Without numbers they are counted.
    let unnumbered = JSON.replace(r#""OBJECT_ID": "1962-025E", "#, "").replace(r#""NORAD_CAT_ID": "6251", "#, "");
    let one = unnumbered.trim().trim_start_matches('[').trim_end_matches(']');
    let (constellation, warnings) = followed(&format!("[{one},{one},{one}]"), None, 60, Unusable::Refuse).unwrap();
    assert_eq!(names(&constellation), [r#"A, "B" & C"#, r#"A, "B" & C [2]"#, r#"A, "B" & C [3]"#]);
    assert_eq!(warnings, [], "nothing says that they are one");
}

#[test]
fn old_elements_are_worth_a_warning_that_names_the_satellite() {
    let warnings = |start: &str| followed(NEAR_EARTH, Some(start), 60, Unusable::Refuse).unwrap().1;
    // The epoch is 25 June, 19:46:44.
    assert_eq!(warnings("2006-07-02T19:46:00"), []);
    let late = warnings("2006-07-02T19:47:00");
    assert_eq!(
        late[0].to_string(),
        "the elements of `06251` (file.txt:1) are of 2006-06-25T19:46:43.980096, 7.0 days before the start; beyond 7 \
         days positions may be wrong by tens of kilometres: fetch newer ones"
    );
    assert!(warnings("2006-06-01T00:00:00")[0].to_string().contains("24.8 days after the start"));
    let newest = followed(NEAR_EARTH, None, 60, Unusable::Refuse).unwrap();
    assert_eq!(newest.1, [], "without a start the run starts at the epoch");
}

#[test]
fn a_decayed_satellite_is_an_error_with_its_name() {
    let at_epoch = followed(SUBORBITAL, None, 60, Unusable::Refuse);
    assert!(at_epoch.is_ok(), "at its epoch it still flies: {at_epoch:?}");
    let error = followed(SUBORBITAL, None, 3600, Unusable::Refuse).unwrap_err();
    let expected = "file.txt:2: satellite `FALLEN`: 0.030 days after its epoch, 2005-11-29T00:28:58.939104, its height would be 94 km";
    assert!(error.to_string().starts_with(expected), "{error}");
    assert!(error.help().contains("take it out of the file"));
    let decayed = JSON.replace("\"DECAY_DATE\": null", "\"DECAY_DATE\": \"2007-01-01\"");
    assert!(read(&decayed).unwrap_err().to_string().ends_with("it has decayed on 2007-01-01"));
}

/// The drag of it is a hundred times that of a satellite that comes down within days: SGP4 places it far below the ground two
/// days after its epoch, and 10 to 300 thousand km away from the fourth day on, without an error.
const PLUNGE: &str = "PLUNGE\n\
    1 90002U 26001A   26058.12407234  .09435527  24934+0  44853-1 0  9995\n\
    2 90002  98.5849 110.9278 0014449 269.2407  90.7207 15.92146194266883\n";

#[test]
fn elements_that_sgp4_makes_nonsense_of_are_refused_wherever_the_run_begins() {
    // The epoch is 27 February, 02:58:40. Before, within and after the time at which it is in the ground.
    for start in ["2026-02-26T00:00:00", "2026-02-27T03:00:00", "2026-03-01T03:00:00", "2026-03-04T03:00:00"] {
        let hours = if start < "2026-02-28" { 96 } else { 6 };
        let error = followed(PLUNGE, Some(start), hours * 3600, Unusable::Refuse).unwrap_err().to_string();
        assert!(error.starts_with("file.txt:2: satellite `PLUNGE`: "), "{start}: {error}");
        assert!(error.contains(" its height would be ") || error.contains(" below the ground"), "{start}: {error}");
    }
    let (constellation, warnings) = followed(PLUNGE, None, 600, Unusable::Refuse).unwrap();
    assert_eq!((names(&constellation), warnings), (vec!["PLUNGE"], vec![]), "near its epoch it flies");
}

#[test]
fn elements_that_are_far_from_their_orbit_for_the_whole_run_or_only_before_it_are_refused() {
    // With the other sign drag lifts it: always above 100 km and below a million, and not where its elements keep it.
    let (first, second) = ("-44853-1 0  999", "15.9214619426688");
    let lifted = PLUNGE.replace(" 44853-1 0  9995", first).replace("15.92146194266883", second);
    let error = followed(&lifted, None, 10 * 86_400, Unusable::Refuse).unwrap_err().to_string();
    assert!(error.contains("and its elements keep it between 184 and 403 km"), "{error}");
    // On its way from the centre of the Earth to far away it passes the heights of its elements: a run of a second, then.
    let set = read(PLUNGE).unwrap().remove(0);
    let plunge = only(PLUNGE, None, 600);
    let height = |seconds: f64| plunge.teme(seconds / 60.0).unwrap().norm() - Earth::WGS84.radius_km;
    let late = (2 * 86_400..5 * 86_400).map(f64::from).find(|&seconds| (250.0..350.0).contains(&height(seconds)));
    let start = Epoch(set.epoch().0 + sgp4::chrono::TimeDelta::milliseconds((late.unwrap() * 1e3) as i64));
    let file = ElementFile::read("file.txt", PLUNGE).unwrap();
    let found = file.propagated(&Earth::WGS84, Some(start), Span::ZERO, Span::from_secs(1), Unusable::Refuse);
    assert!(found.unwrap_err().to_string().contains("satellite `PLUNGE`"));
}

#[test]
fn positions_are_nowhere_but_where_a_satellite_can_be() {
    // A run that was looked through at its begin only, asked for later instants.
    let plunge = only(PLUNGE, None, 600);
    let far = (0..40).map(|step| plunge.position(f64::from(step) * 0.25 * SECONDS_PER_DAY));
    let wrong =
        far.filter(|position| position.as_ref().is_ok_and(|place| !(6378.0..=1_006_379.0).contains(&place.norm())));
    assert_eq!(wrong.count(), 0);
}

#[test]
fn satellites_of_every_sort_of_orbit_stay_where_their_elements_keep_them() {
    // Seventy days; the deep-space cases of [VCHK06] are the most perturbed ones.
    for text in [NEAR_EARTH_SLOW, DEEP_SPACE, GEOSTATIONARY, VERY_ECCENTRIC] {
        let followed = followed(text, None, 70 * 86_400, Unusable::Refuse);
        assert!(followed.is_ok(), "{:?}", followed.unwrap_err());
    }
}

/// Element sets of [VCHK06]: a satellite at 780 km, one above the equator, one that comes from 20 000 to 190 000 km.
const NEAR_EARTH_SLOW: &str = "1 28057U 03049A   06177.78615833  .00000060  00000-0  35940-4 0  1836\n\
                               2 28057  98.4283 247.6961 0000884  88.1964 271.9322 14.35478080140550\n";
const GEOSTATIONARY: &str = "1 28626U 05008A   06176.46683397 -.00000205  00000-0  10000-3 0  2190\n\
                             2 28626   0.0019 286.9433 0000335  13.7918  55.6504  1.00270176  4891\n";
const VERY_ECCENTRIC: &str = "1 20413U 83020D   05363.79166667  .00000000  00000-0  00000+0 0  7041\n\
                              2 20413  12.3514 187.4253 7864447 196.3027 356.5478  0.24690082  7978\n";

#[test]
fn all_sets_that_cannot_be_used_are_named_at_once_or_left_out() {
    let other_sum = NEAR_EARTH.replacen("3985", "3984", 1);
    let text = format!("SUM\n{other_sum}{SUBORBITAL}GOOD\n{DEEP_SPACE}{PLUNGE}");
    let start = Some("2006-06-25T08:00:00");
    let error = followed(&text, start, 3600, Unusable::Refuse).unwrap_err();
    let said = error.to_string();
    assert!(said.starts_with("3 of 4 element sets cannot be used: file.txt:2: satellite `SUM`: "), "{said}");
    assert!(
        said.contains("; file.txt:5: satellite `FALLEN`: ") && said.contains("; file.txt:11: satellite `PLUNGE`: ")
    );
    assert!(!said.contains("GOOD") && error.sets() == 3, "{said}");
    let (constellation, warnings) = followed(&text, start, 3600, Unusable::LeaveOut).unwrap();
    assert_eq!(names(&constellation), ["GOOD"]);
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].to_string(), format!("left out: {said}"));
    // If none is left there is no constellation.
    let error = followed(&format!("SUM\n{other_sum}{SUBORBITAL}"), start, 3600, Unusable::LeaveOut).unwrap_err();
    assert!(error.to_string().starts_with("2 of 2 element sets cannot be used"), "{error}");
    let error = followed(&format!("SUM\n{other_sum}"), None, 3600, Unusable::LeaveOut).unwrap_err();
    assert!(error.to_string().starts_with("file.txt:2: satellite `SUM`: the checksum of line 1 is 4"), "{error}");
    // Of very many the last are named without the reason.
    let many: String = (1..=12).map(|n| format!("S{n}\n{other_sum}")).collect();
    let said = followed(&many, start, 60, Unusable::Refuse).unwrap_err().to_string();
    assert!(
        said.ends_with("; also `S9` (file.txt:26), `S10` (file.txt:29), `S11` (file.txt:32), `S12` (file.txt:35)"),
        "{said}"
    );
    // A file in which satellites may be missing is refused all the same.
    let cut: String =
        format!("NAME\n{NEAR_EARTH}CUT\n{NEAR_EARTH}").lines().take(5).map(|l| format!("{l}\n")).collect();
    assert!(followed(&cut, start, 60, Unusable::LeaveOut).unwrap_err().to_string().ends_with("its line 2 is missing"));
}

#[test]
fn old_elements_of_many_satellites_are_one_warning_with_number_oldest_and_newest() {
    // Epochs of 2006: 25 June, 19:46:44 and 07:58:18.
    let text = format!("A\n{NEAR_EARTH}B\n{DEEP_SPACE}");
    let (_, warnings) = followed(&text, Some("2006-07-12T20:00:00"), 60, Unusable::Refuse).unwrap();
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert_eq!(
        warning.to_string(),
        "the elements of 2 of 2 satellites are more than 7 days from the start; the oldest, those of `B` (file.txt:5) \
         are of 2006-06-25T07:58:18.143616, 17.5 days before the start; the newest, those of `A` (file.txt:2) are of \
         2006-06-25T19:46:43.980096, 17.0 days before the start; beyond 7 days positions may be wrong by tens of \
         kilometres: fetch newer ones"
    );
}

#[test]
fn a_run_whose_positions_are_those_of_later_is_looked_through_then() {
    // In the first ten minutes it flies; those of two days later are in the ground.
    let followed = |advance| {
        let file = ElementFile::read("file.txt", PLUNGE).unwrap();
        file.propagated(&Earth::WGS84, None, Span::from_secs(advance), Span::from_secs(600), Unusable::Refuse)
    };
    assert!(followed(0).is_ok());
    assert!(followed(2 * 86_400).unwrap_err().to_string().contains("satellite `PLUNGE`"));
}

#[test]
fn of_several_sets_of_one_satellite_that_nearest_to_the_start_is_taken_and_said() {
    let set = |name: &str, day: u32| {
        let first = format!("1 06251U 62025E   06{day}.82412014  .00008885  00000-0  12808-3 0  398");
        let sum =
            first.bytes().map(|c| if c == b'-' { 1 } else { u32::from(c).wrapping_sub(48) % 208 }).filter(|d| *d < 10);
        let second = "2 06251  58.0579  54.0425 0030035 139.1568 221.1854 15.56387291  6774";
        format!("{name}\n{first}{}\n{second}\n", sum.sum::<u32>() % 10)
    };
    // The name of a satellite may change; its number does not.
    let text = format!("OLD NAME\n{}OTHER\n{DEEP_SPACE}{}", &set("", 175)[1..], set("NEW NAME", 177));
    for (start, name, line) in [("2006-06-24T20:00:00", "OLD NAME", 2), ("2006-06-26T19:00:00", "NEW NAME", 8)] {
        let (constellation, warnings) = followed(&text, Some(start), 60, Unusable::Refuse).unwrap();
        assert_eq!(names(&constellation), [name, "OTHER"]);
        assert_eq!(
            warnings[0].to_string(),
            format!(
                "one satellite has several element sets, and those whose epoch is nearest to the start are used: \
                 `{name}` (file.txt:2, file.txt:8): that of file.txt:{line} is taken"
            )
        );
    }
    // Equally near: the last, as in a list to which newer ones are added.
    let twice = format!("{}{}", set("A", 176), set("B", 176));
    assert_eq!(names(&followed(&twice, None, 60, Unusable::Refuse).unwrap().0), ["B"]);
}

#[test]
fn dates_need_a_time() {
    assert!(Epoch::parse("2026-11-21T12:00:00Z").is_ok());
    assert!(Epoch::parse("2026-11-21T12:00:00.25").is_ok());
    assert!(Epoch::parse("2026-11-21").is_err());
    assert!(Epoch::parse("2026-13-21T12:00:00").unwrap_err().help().contains("UTC"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever is done to a file: satellites or a message, never a panic.
    #[test]
    fn damaged_files_are_refused_or_read(
        which in 0..4usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of("[ -~é\\n]{1,3}")), 1..4),
    ) {
        let mut text: Vec<char> = [NEAR_EARTH, JSON, CSV, XML][which].chars().collect();
        for (place, insertion) in changes {
            let at = place.index(text.len());
            match insertion {
                Some(letters) => {
                    text.splice(at..=at, letters.chars());
                }
                None => text.truncate(at.max(1)),
            }
        }
        let text: String = text.into_iter().collect();
        for unusable in [Unusable::Refuse, Unusable::LeaveOut] {
            let _ = followed(&text, None, 60, unusable);
        }
    }
}

/// The calendar of the library ends in the year 262142; to round the last moment of it panicked.
#[test]
fn years_without_satellites_are_refused_with_a_message() {
    for epoch in
        ["+262142-12-31T23:59:59.999999999", "-262143-01-01T00:00:00", "1956-12-31T23:59:59", "2200-01-01T00:00:00"]
    {
        let error = Epoch::parse(epoch).unwrap_err();
        assert_eq!(error.to_string(), format!("`{epoch}` is not in the years 1957 to 2199"));
        let text = JSON.replace("2006-06-25T19:46:43.980096", epoch);
        let found = read(&text).unwrap_err().to_string();
        assert!(found.contains(&format!("its EPOCH: `{epoch}` is not in the years")), "{found}");
    }
    for epoch in ["1957-01-01T00:00:00", "2199-12-31T23:59:59.999999999"] {
        // To write it rounds it.
        assert!(!Epoch::parse(epoch).unwrap().to_string().is_empty());
    }
}
