//! What is read of files of elements, to the column and the tag, and what is said of bad ones.

use super::*;

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
    assert_eq!(
        problem(&wrong_sum),
        "file.txt:1: satellite `06251`: the checksum of line 1 is 4, its characters make 5"
    );
    for short in [NEAR_EARTH.replacen("3985", "39", 1), NEAR_EARTH.replacen("3985", "39851", 1)] {
        assert!(problem(&short).contains("line 1 has not the 69 characters of elements, or 68 without a checksum"));
    }
    let no_digit = NEAR_EARTH.replacen("3985", "398x", 1);
    assert!(problem(&no_digit).contains("the checksum of line 1 is x"), "{}", problem(&no_digit));
    let unsummed = |from: &str, to: &str| {
        let text = NEAR_EARTH.replacen("3985", "398", 1).replacen("  6774", "  677", 1);
        assert!(text.contains(from), "{from}");
        problem(&text.replacen(from, to, 1))
    };
    assert!(
        unsummed("58.0579", "5x.0579")
            .ends_with("its inclination (line 2, columns 9 to 16) is ` 5x.0579`, which is none")
    );
    assert!(unsummed("06176.8", "06376.8").contains("its epoch (line 1, columns 19 to 32) is `06376.82412014`"));
    assert!(unsummed("2 06251", "2 06252").ends_with("line 1 is of satellite 6251, line 2 of satellite 6252"));
    assert!(unsummed("  58.05", " 358.05").contains("its inclination is 358.0579; it can be 0 to 180 degrees"));
    assert!(unsummed("0030035", "00x0035").contains("its eccentricity (line 2, columns 27 to 33) is `00x0035`"));
    assert!(
        unsummed("58.0579  54", "58.05790 54").contains("line 2 has a character in column 17, which is to be blank")
    );
    assert!(unsummed("12808-3", "12808x3").contains("its drag term (line 1, columns 54 to 61)"));
    // What is a number elsewhere is none in a column.
    assert!(unsummed("0030035", "00300e1").contains("its eccentricity (line 2, columns 27 to 33) is `00300e1`"));
    assert!(unsummed("139.1568", "     inf").contains("its argument of perigee (line 2, columns 35 to 42)"));
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
    assert!(
        problem(&CSV.replace(",.12808E-3,", ",")).starts_with("file.txt:2: it has 16 fields, the first line has 17")
    );
    assert!(problem("[]").contains("there are no elements"));
}

#[test]
fn theory_centre_frame_and_time_are_compared_whole() {
    let problem = |text: &str| read(text).unwrap_err().to_string();
    for (from, to, expected) in [
        (">TEME<", ">EME2000<", "its REF_FRAME is EME2000, not TEME"),
        (">TEME<", ">TEMEOFEPOCH<", "its REF_FRAME is TEMEOFEPOCH, not TEME"),
        (">UTC<", ">UTC(USNO)<", "its TIME_SYSTEM is UTC(USNO), not UTC"),
        (">EARTH<", ">MARS<", "its CENTER_NAME is MARS, not EARTH"),
        (">EARTH<", ">EARTH BARYCENTER<", "its CENTER_NAME is EARTH BARYCENTER, not EARTH"),
        (">SGP4<", ">SGP4-XP<", "its MEAN_ELEMENT_THEORY is SGP4-XP, not SGP4"),
        (">SGP4<", ">DSST<", "its MEAN_ELEMENT_THEORY is DSST, not SGP4"),
    ] {
        assert!(XML.contains(from), "{from}");
        assert!(problem(&XML.replace(from, to)).ends_with(expected), "{}", problem(&XML.replace(from, to)));
    }
    for (from, to) in [(">SGP4<", ">SGP/SGP4<"), (">EARTH<", "> Earth <"), (">TEME<", "><")] {
        assert!(read(&XML.replace(from, to)).is_ok(), "{to}");
    }
    // The type of two-line elements and of all messages.
    let typed = |kind: char| {
        let lines = NEAR_EARTH.replacen("3985", "398", 1).replacen("  6774", "  677", 1);
        lines.replacen("12808-3 0", &format!("12808-3 {kind}"), 1)
    };
    let said = "its ephemeris type is 4, that of SGP4-XP; elements of SGP4 have 0";
    assert!(problem(&typed('4')).ends_with(said), "{}", problem(&typed('4')));
    assert!(problem(&typed('5')).ends_with("its ephemeris type is 5; elements of SGP4 have 0"));
    assert!([' ', '0', '2', '3'].into_iter().all(|kind| read(&typed(kind)).is_ok()));
    assert!(problem(&CSV.replace(",0,U,", ",4,U,")).ends_with(said));
    assert!(problem(&JSON.replace("\"DECAY_DATE\": null", "\"EPHEMERIS_TYPE\": 4")).ends_with(said));
    assert!(read(&JSON.replace("\"DECAY_DATE\": null", "\"EPHEMERIS_TYPE\": \"0\"")).is_ok());
}

#[test]
fn blanks_and_what_is_not_written_are_read_as_the_reference_code_reads_them() {
    let same = |text: &str, what: &str| {
        let found = only(text, None, 60);
        for (minutes, expected) in NEAR_EARTH_POSITIONS {
            let distance = found.teme(minutes).unwrap().distance(expected);
            assert!(distance < 1e-6, "{what}: {minutes} min, {distance} km");
        }
    };
    let changed = |from: &str, to: &str| {
        assert!(NEAR_EARTH.contains(from) && from.len() == to.len(), "{from}");
        NEAR_EARTH.replacen(from, to, 1)
    };
    // Blanks and zeros add nothing to the checksum.
    same(&changed("0030035", "  30035"), "the eccentricity is .0030035");
    same(&changed("0030035", "  3  35"), "blanks in the middle, too");
    same(&changed(" 00000-0", "      -0"), "the second derivative, not used");
    same(&changed(" 06251U", "  6251U"), "a number with blanks before it");
    let unsummed = NEAR_EARTH.replacen("3985", "398", 1).replacen("  6774", "  677", 1);
    same(&unsummed, "lines of 68 characters");
    same(&unsummed.replacen(" 00000-0", "        ", 1), "no second derivative");
    same(&unsummed.replace('\n', "   \r\n"), "and blanks at their ends");
    same(&unsummed.replacen("  398", "     ", 1).replacen("  677", "     ", 1), "blank element number and turns");
    same(&unsummed.replacen("-3 0  398", "-3       ", 1).replacen("62025E", "      ", 1), "type and designator");
    let drag = |digits: &str| {
        assert_eq!(digits.len(), 8);
        read(&unsummed.replacen(" 12808-3", digits, 1)).unwrap()[0].elements.drag_term
    };
    for (digits, expected) in [
        (" 12808-3", 0.12808e-3),
        ("-12808-3", -0.12808e-3),
        ("+12808-3", 0.12808e-3),
        (" 128  -3", 0.128e-3),
        ("   808-3", 0.00808e-3),
        (" 12808+1", 1.2808),
        (" 12808 1", 1.2808),
        (" 12808- ", 0.12808),
        (" 12808  ", 0.12808),
        ("        ", 0.0),
    ] {
        assert!((drag(digits) - expected).abs() < 1e-18, "{digits:?}: {}", drag(digits));
    }
}

#[test]
fn the_eccentricity_with_blanks_is_small() {
    let text = "BLANK\n\
                1 25544U 98067A   26325.50000000  .00014206  00000+0  25493-3 0  9991\n\
                2 25544  51.6413  81.8570     339  18.1967 120.0030 15.50160974398248\n";
    assert_eq!(read(text).unwrap()[0].elements.eccentricity, 0.000_033_9);
}

#[test]
fn catalogue_numbers_beyond_five_digits_have_a_letter() {
    let number = |text: &str| {
        let lines = NEAR_EARTH.replacen("3985", "398", 1).replacen("  6774", "  677", 1).replace("06251", text);
        read(&lines).map(|sets| sets[0].elements.norad_id)
    };
    for (text, expected) in
        [("A0000", 100_000), ("H9999", 179_999), ("J0000", 180_000), ("P0001", 230_001), ("Z9999", 339_999)]
    {
        assert_eq!(number(text).unwrap(), expected);
    }
    for text in ["I0000", "O1234", "A000 ", "AB000", "a0000", "+1234"] {
        assert!(number(text).unwrap_err().to_string().contains("its catalogue number"), "{text}");
    }
}

#[test]
fn names_may_begin_as_lines_do_and_hypatia_counts_its_planes() {
    let text = format!("1 WORLD\n{NEAR_EARTH}2 FAST\n{DEEP_SPACE}");
    let names = |text: &str| read(text).map(|sets| sets.into_iter().map(|set| set.name).collect::<Vec<_>>());
    assert_eq!(names(&text).unwrap(), ["1 WORLD", "2 FAST"]);
    // One plane of two satellites, and two planes of one.
    for header in ["1 2", "2 1"] {
        assert_eq!(names(&format!("{header}\n{text}")).unwrap(), ["1 WORLD", "2 FAST"], "{header}");
    }
    assert_eq!(names(&format!("1 1\nA\n{NEAR_EARTH}")).unwrap(), ["A"]);
    assert_eq!(names(&format!("12 7\n{NEAR_EARTH}")).unwrap(), ["12 7"], "a name: a line 1 follows");
    let cut = read(&format!("72 22\n{text}")).unwrap_err().to_string();
    assert_eq!(cut, "file.txt:1: the header says 72 planes of 22 satellites, and the file has 2 element sets");
}

#[test]
fn xml_loses_no_satellite() {
    let names = |text: &str| read(text).map(|sets| sets.into_iter().map(|set| set.name).collect::<Vec<_>>());
    let begin = XML.find("<omm").unwrap();
    let end = XML.find("</ndm>").unwrap();
    let one = &XML[begin..end];
    let (front, back) = (&XML[..begin], &XML[end..]);
    let named = |name: &str| one.replace("A, &quot;B&quot; &amp; C", name);
    let bare = |name: &str| named(name).replace("<segment>", "").replace("</segment>", "");
    assert_eq!(names(&format!("{front}{}{}{back}", named("A"), named("B"))).unwrap(), ["A", "B"]);
    assert_eq!(names(&format!("{front}{}{}{back}", bare("A"), bare("B"))).unwrap(), ["A", "B"], "no segments");
    assert_eq!(names(&format!("{front}{}{}{back}", bare("A"), named("B"))).unwrap(), ["A", "B"]);
    let prefixed = named("A").replace("</", "</ndm:").replace("<s", "<ndm:s").replace("<o", "<ndm:o");
    assert_eq!(names(&format!("{front}{prefixed}{back}")).unwrap(), ["A"], "prefixes of namespaces");
    let prefixed = XML.replace("</segment>", "</ndm:segment >").replace("<segment>", "<ndm:segment a=\"x > y\">");
    assert_eq!(names(&prefixed).unwrap().len(), 1);
    let segments = named("A").replace(
        "</body>",
        &format!("{}</body>", {
            let two = named("B");
            two[two.find("<segment>").unwrap()..two.find("</body>").unwrap()].to_owned()
        }),
    );
    assert_eq!(names(&format!("{front}{segments}{back}")).unwrap(), ["A", "B"], "two segments of one message");
    // Characters by number, comments and raw text within text.
    let odd = named("&#65;<!-- <OBJECT_NAME> -->&#x42; <![CDATA[<C> & D]]>");
    assert_eq!(names(&format!("{front}{odd}{back}")).unwrap(), ["AB <C> & D"]);
    let decayed = named("A").replace(
        "</segment>",
        "<userDefinedParameters><USER_DEFINED parameter=\"DECAY_DATE\">2020-01-01</USER_DEFINED></userDefinedParameters></segment>",
    );
    assert!(
        names(&format!("{front}{decayed}{back}")).unwrap_err().to_string().ends_with("it has decayed on 2020-01-01")
    );
    // Two satellites in what should be one message, and a message that is none.
    let inner = |name: &str| {
        let text = bare(name);
        text[text.find("<body>").unwrap() + 6..text.find("</body>").unwrap()].to_owned()
    };
    let merged = format!("<omm><body>{}{}</body></omm>", inner("A"), inner("B"));
    assert!(names(&merged).unwrap_err().to_string().contains("two satellites stand in one message of this XML"));
    assert!(names(&format!("<x>{}{}</x>", inner("A"), inner("B"))).is_err());
    assert_eq!(names(&format!("<x>{}</x>", inner("A"))).unwrap(), ["A"], "only one, without a message around it");
    assert!(names("<ndm><omm><body></body></omm></ndm>").unwrap_err().to_string().contains("it has no"));
    // Wherever a file of two is cut off, it is refused.
    for text in
        [format!("{front}{}{}{back}", named("A"), named("B")), format!("{front}{}{}{back}", bare("A"), bare("B"))]
    {
        for at in (1..text.trim_end().len())
            .step_by(7)
            .chain([text.find("</ndm>").unwrap(), text.rfind("<segment>").unwrap_or(9)])
        {
            assert!(read(&text[..at]).is_err(), "cut after {at} bytes: {}", &text[at.saturating_sub(60)..at]);
        }
    }
}

#[test]
fn a_key_that_a_line_of_keys_has_twice_is_refused() {
    let text = CSV.replacen("OBJECT_ID,", "BSTAR,", 1);
    assert_eq!(read(&text).unwrap_err().to_string(), "file.txt: its first line has BSTAR twice");
}

#[test]
fn dates_have_a_month_or_the_day_of_the_year() {
    let parse = |text| Epoch::parse(text).map(|epoch| epoch.to_string());
    assert_eq!(parse("2026-325T12:00:00.5Z").unwrap(), "2026-11-21T12:00:00.500");
    assert_eq!(parse("2024-366T00:00:00").unwrap(), "2024-12-31T00:00:00");
    for wrong in [
        "2026-366T00:00:00",
        "2026-000T00:00:00",
        "2026-25T00:00:00",
        "2026-325",
        "26-325T12:00:00",
        "2026-325T25:00:00",
    ] {
        assert!(Epoch::parse(wrong).is_err(), "{wrong}");
    }
    let text = JSON.replace("2006-06-25T19:46:43.980096", "2006-176T19:46:43.980096");
    assert_eq!(read(&text).unwrap()[0].epoch().to_string(), "2006-06-25T19:46:43.980096");
}
