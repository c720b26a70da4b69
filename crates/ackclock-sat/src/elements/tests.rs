//! Published positions, the three forms of OMM against the TLE of the same elements, and every sort of bad file.

use proptest::prelude::*;

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

fn read(text: &str) -> Result<Vec<ElementSet>, SatError> {
    ElementSet::read_all("file.txt", text)
}

fn only(text: &str, start: Option<&str>, seconds: u64) -> Propagated {
    let set = read(text).unwrap().remove(0);
    let start = start.map_or(set.epoch(), |text| Epoch::parse(text).unwrap());
    Propagated::new(&Earth::WGS84, &set, start, Span::from_secs(seconds)).unwrap()
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
    let sets = read(&format!("SAME\n{NEAR_EARTH}SAME\n{DEEP_SPACE}")).unwrap();
    let (constellation, _) = propagated(&Earth::WGS84, sets, None, Span::from_secs(60)).unwrap();
    let names: Vec<&str> = constellation.satellites().iter().map(|satellite| satellite.name.as_str()).collect();
    assert_eq!(names, ["SAME", "SAME [8195]"]);
}

#[test]
fn old_elements_are_worth_a_warning_that_names_the_satellite() {
    let warnings = |start: &str| {
        let start = Some(Epoch::parse(start).unwrap());
        propagated(&Earth::WGS84, read(NEAR_EARTH).unwrap(), start, Span::from_secs(60)).unwrap().1
    };
    // The epoch is 25 June, 19:46:44.
    assert_eq!(warnings("2006-07-02T19:46:00"), []);
    let late = warnings("2006-07-02T19:47:00");
    assert_eq!(
        late[0].to_string(),
        "the elements of `06251` (file.txt:1) are of 2006-06-25T19:46:43.980096, 7.0 days before the start; beyond 7 \
         days positions may be wrong by tens of kilometres: fetch newer ones"
    );
    assert!(warnings("2006-06-01T00:00:00")[0].to_string().contains("24.8 days after the start"));
    let newest = propagated(&Earth::WGS84, read(NEAR_EARTH).unwrap(), None, Span::from_secs(60)).unwrap();
    assert_eq!(newest.1, [], "without a start the run starts at the epoch");
}

#[test]
fn a_decayed_satellite_is_an_error_with_its_name() {
    let sets = || read(SUBORBITAL).unwrap();
    let at_epoch = propagated(&Earth::WGS84, sets(), None, Span::from_secs(60));
    assert!(at_epoch.is_ok(), "at its epoch it still flies");
    let error = propagated(&Earth::WGS84, sets(), None, Span::from_secs(3600)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "satellite `FALLEN` has decayed 3600 s after the start: it would be 40 km below the ground (file.txt:2, epoch \
         2005-11-29T00:28:58.939104)"
    );
    assert!(error.help().contains("take `FALLEN` out of the file"));
    let decayed = JSON.replace("\"DECAY_DATE\": null", "\"DECAY_DATE\": \"2007-01-01\"");
    assert!(read(&decayed).unwrap_err().to_string().ends_with("it has decayed on 2007-01-01"));
}

#[test]
fn elements_that_sgp4_gives_up_are_errors_with_the_name() {
    // Its eccentricity leads to a negative semi-latus rectum after 25 minutes [VCHK06].
    let text = "HIGH\n\
                1 33333U 05037B   05333.02012661  .25992681  00000-0  24476-3 0  1532\n\
                2 33333  96.4736 157.9986 9950000 244.0492 110.6523  4.00004038 10700\n";
    let error = propagated(&Earth::WGS84, read(text).unwrap(), None, Span::from_secs(3600)).unwrap_err();
    assert!(error.to_string().starts_with("satellite `HIGH` has decayed"), "{error}");
}

#[test]
fn bad_files_name_the_place_the_satellite_and_the_remedy() {
    let problem = |text: &str| {
        let error = read(text).unwrap_err();
        assert!(!error.help().is_empty());
        error.to_string()
    };
    assert_eq!(problem(""), "file.txt: there are no elements in it");
    assert_eq!(problem("hello\nworld\n"), "file.txt:1: this is neither a line 1 of elements nor a name above one");
    let cut: String = format!("NAME\n{NEAR_EARTH}").lines().take(2).map(|line| format!("{line}\n")).collect();
    assert_eq!(problem(&cut), "file.txt:2: satellite `NAME`: its line 2 is missing");
    let wrong_sum = NEAR_EARTH.replacen("3985", "3984", 1);
    assert!(problem(&wrong_sum).starts_with("file.txt:1: satellite `06251`: TLE parse error: Bad line checksum"));
    let short = NEAR_EARTH.replacen("3985", "398", 1);
    assert!(problem(&short).contains("line 1 has not the 69 characters"));
    let no_digit = NEAR_EARTH.replacen("3985", "398 ", 1).replace("398 \n", "398x\n");
    assert!(problem(&no_digit).contains("line 1 has not the 69 characters"), "no checksum");
    assert_eq!(
        problem(&JSON.replace("\"BSTAR\"", "\"B\"")),
        "file.txt, message 1: satellite `A, \"B\" & C`: it has no BSTAR"
    );
    assert!(problem(&JSON.replace("58.0579", "\"x\"")).ends_with("its INCLINATION is `x`, which is no number"));
    assert!(problem(&JSON.replace("58.0579", "190")).contains("its inclination is 190; it can be 0 to 180 degrees"));
    assert!(problem(&JSON.replace("15.56387291", "0")).contains("its mean motion is 0;"));
    assert!(problem(&JSON.replace("\".0030035\"", "\"NaN\"")).contains("its eccentricity is NaN"));
    assert!(problem(&JSON.replace("2006-06-25T19:46:43.980096", "tomorrow")).contains("EPOCH: `tomorrow` is no date"));
    assert!(problem(&JSON[..300]).starts_with("file.txt:3: this is no JSON"));
    assert_eq!(problem("[3]"), "file.txt, message 1: it is no object with keys and values");
    assert!(problem(&XML.replace(">TEME<", ">EME2000<")).ends_with("its REF_FRAME is EME2000, not TEME"));
    assert!(
        problem(&XML[..XML.len() / 2]).contains("there are no elements")
            || problem(&XML[..XML.len() / 2]).contains("XML")
    );
    assert!(
        problem(&CSV.replace(",.12808E-3,", ",")).starts_with("file.txt:2: it has 16 fields, the first line has 17")
    );
    assert!(problem("[]").contains("there are no elements"));
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
        if let Ok(sets) = read(&text) {
            let _ = propagated(&Earth::WGS84, sets, None, Span::from_secs(60));
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
        let found = ElementSet::read_all("file.txt", &text).unwrap_err().to_string();
        assert!(found.contains(&format!("its EPOCH: `{epoch}` is not in the years")), "{found}");
    }
    for epoch in ["1957-01-01T00:00:00", "2199-12-31T23:59:59.999999999"] {
        // To write it rounds it.
        assert!(!Epoch::parse(epoch).unwrap().to_string().is_empty());
    }
}
