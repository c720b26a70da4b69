//! Sweeps: what arguments and files mean, and what is said about wrong ones.

use ackclock_scenario::sweep::{Request, Sweep, Width};
use ackclock_scenario::{LoadError, Memory};
use proptest::prelude::*;

fn files() -> Memory {
    Memory::new().with("base.toml", crate::roundtrip::BASE)
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// What each point says of the given keys of the resolved scenario.
fn points(sweep: &Sweep<'_>, keys: &[&str]) -> Vec<String> {
    let line = |resolved: &str, key: &str| {
        let line = resolved.lines().find(|line| line.starts_with(&format!("{key} = "))).unwrap_or("-");
        line.split_once(" = ").map_or("-", |(_, value)| value).to_owned()
    };
    let point = |point| {
        let loaded = sweep.load(point).unwrap();
        keys.iter().map(|key| line(&loaded.resolved, key)).collect::<Vec<_>>().join(" ")
    };
    (0..sweep.points() as usize).map(point).collect()
}

/// Everything that is said about a sweep file, or about arguments.
fn said(files: &Memory, file: &str, vary: &[&str], latin_hypercube: Option<usize>) -> String {
    let vary = texts(vary);
    let request = Request { file, vary: &vary, latin_hypercube, ..Request::default() };
    let outcome = Sweep::read(files, &request)
        .and_then(|sweep| (0..sweep.points() as usize).try_for_each(|point| sweep.load(point).map(drop)));
    match outcome {
        Ok(()) => "nothing\n".to_owned(),
        Err(LoadError::Invalid(diagnostics)) => crate::render::render(&diagnostics),
        Err(LoadError::Unreadable { path, error }) => format!("unreadable: {path}: {error}\n"),
    }
}

#[test]
fn arguments_are_combined_and_the_last_changes_fastest() {
    let (files, vary) = (files(), texts(&["queue.buffer=100 cells, 200 cells", "tcp.recovery=reno,vanilla", "seed=1"]));
    let request = Request { file: "base.toml", vary: &vary[..2], ..Request::default() };
    let sweep = Sweep::read(&files, &request).unwrap();
    assert_eq!(
        points(&sweep, &["buffer", "recovery", "delays"]),
        [
            r#""100 cells" "reno" true"#,
            r#""100 cells" "vanilla" true"#,
            r#""200 cells" "reno" true"#,
            r#""200 cells" "vanilla" true"#
        ]
    );
    let key = &sweep.dimensions()[0].keys()[0];
    assert_eq!(
        (key.path.as_str(), &key.numbers),
        ("queue.buffer", &vec![Some((100.0, "cells")), Some((200.0, "cells"))])
    );
    assert_eq!(sweep.dimensions()[1].keys()[0].numbers, [None, None]);
}

#[test]
fn keys_of_one_argument_change_together() {
    let (files, vary) = (files(), texts(&["queue.buffer=100..300cells:lin:3; network.rate=10Mbps,20Mbps,40Mbps"]));
    let sets = texts(&["delays=false"]);
    let request = Request { file: "base.toml", vary: &vary, sets: &sets, ..Request::default() };
    let sweep = Sweep::read(&files, &request).unwrap();
    let expected =
        [r#""100 cells" "10 Mbps" false"#, r#""200 cells" "20 Mbps" false"#, r#""300 cells" "40 Mbps" false"#];
    assert_eq!(points(&sweep, &["buffer", "rate", "delays"]), expected);
}

/// What stands in quotes, brackets and braces belongs together.
#[test]
fn commas_and_semicolons_within_values_separate_nothing() {
    let (files, vary) =
        (files(), texts(&[r#"flow.a.drops=[1, 2],[3],{ a = 1, b = "x;y" },"p,q;r" ; tcp.mss='1,2',b,c,1..2:lin:2"#]));
    // The second key has five values.
    let Err(LoadError::Invalid(said)) =
        Sweep::read(&files, &Request { file: "base.toml", vary: &vary, ..Request::default() })
    else {
        panic!("four and five values")
    };
    assert!(said.iter().any(|said| said.label == "5 here, 4 of the first key"), "{said:?}");
    let vary = texts(&[r#"flow.a.drops=[1, 2],[3],{ a = 1, b = "x;y" },"p,q;r""#]);
    let sweep = Sweep::read(&files, &Request { file: "base.toml", vary: &vary, ..Request::default() }).unwrap();
    assert_eq!(sweep.dimensions()[0].keys()[0].values, ["[1, 2]", "[3]", r#"{ a = 1, b = "x;y" }"#, "p,q;r"]);
}

/// What is read as something else without quotes has them where it is an argument of `--set`, and reads back as it was.
#[test]
fn values_and_keys_are_spelled_so_that_set_takes_them() {
    let vary =
        texts(&[r#"tcp.mss="5","true",5,"a b"," a","","[1]",'"x"',"1979-05-27",nan"#, r#"node."a\"b.c".x="1",2"#]);
    let files = files();
    let sweep = Sweep::read(&files, &Request { file: "base.toml", vary: &vary, ..Request::default() });
    // The second is refused as no such key, so each is looked at by itself.
    assert!(sweep.is_err());
    let sweep = Sweep::read(&files, &Request { file: "base.toml", vary: &vary[..1], ..Request::default() }).unwrap();
    let key = &sweep.dimensions()[0].keys()[0];
    let expected =
        [r#""5""#, r#""true""#, "5", "a b", r#"" a""#, r#""""#, r#""[1]""#, r#""\"x\"""#, "1979-05-27", "nan"];
    assert_eq!(key.arguments, expected);
    assert_eq!(key.values[..3], ["5", "true", "5"]);
    for (argument, value) in key.arguments.iter().zip(&key.values).filter(|(_, value)| *value != "nan" && *value != "5")
    {
        let loaded = ackclock_scenario::load(&files, "base.toml", &[format!("description={argument}")]).unwrap();
        let line = loaded.resolved.lines().find_map(|line| line.strip_prefix("description = ")).unwrap().to_owned();
        assert_eq!(line, format!("{:?}", value.as_str()), "{argument}");
    }
}

const FILE: &str = r#"
scenario = "base.toml"
seeds = 3

[set]
tcp.recovery = "reno"

[vary]
queue.policy = ["epd", "tail-drop"]
network.sources = "1..3:lin:3"

[[zip]]
queue.buffer = ["100 cells", "200 cells"]
network.rate = "10..20Mbps:lin:2"
"#;

#[test]
fn a_file_says_the_same_as_arguments() {
    let files = files().with("sweep.toml", FILE);
    let from_file = Sweep::read(&files, &Request { file: "sweep.toml", ..Request::default() }).unwrap();
    assert_eq!((from_file.seeds, from_file.points()), (Some(3), 12));
    let vary = texts(&[
        "queue.policy=epd,tail-drop",
        "network.sources=1..3:lin:3",
        "queue.buffer=100 cells,200 cells;network.rate=10..20Mbps:lin:2",
    ]);
    assert_eq!(from_file.arguments, ["base.toml", "--set", "delays=true", "--set", "tcp.recovery=reno"]);
    let sets = texts(&["tcp.recovery=reno"]);
    let from_arguments =
        Sweep::read(&files, &Request { file: "base.toml", vary: &vary, sets: &sets, ..Request::default() }).unwrap();
    for point in 0..12 {
        let [a, b] = [&from_file, &from_arguments].map(|sweep| sweep.load(point).unwrap().resolved);
        assert_eq!(a, b, "point {point}");
    }
}

#[test]
fn wrong_arguments() {
    let arguments: &[&[&str]] = &[
        &["queue.bufer=10 cells,20 cells"],
        &["queue.policy=epd,edp"],
        &["queue.buffer"],
        &["queue.buffer="],
        &["queue.buffer=10 cells,,20 cells"],
        &["queue.buffer=0.1..4bdp"],
        &["queue.buffer=0.1..4bdp:log"],
        &["queue.buffer=0.1..4bdp:lag:3"],
        &["queue.buffer=0.1..4bdp:log:1"],
        &["queue.buffer=0.1..4bdp:log:ten"],
        &["queue.buffer=0.1..4bdp:log:3:4"],
        &["queue.buffer=4..0.1bdp:log:3"],
        &["queue.buffer=1..1cells:lin:2"],
        &["queue.buffer=0..100cells:log:3"],
        &["queue.buffer=10 cells..200:log:3"],
        &["queue.buffer=10 cells..1 bdp:log:3"],
        &["queue.buffer=10..200 celsl:log:3"],
        &["queue.buffer=-1..200 cells:lin:3"],
        &["queue.buffer=10 cells,20 cells;network.rate=10Mbps,20Mbps,30Mbps"],
        &["queue.buffer=10 cells,0.1..1bdp:log"],
        &["queue.buffer=10 cells", "network.rate=1Mbps; queue.buffer=20 cells"],
        &["seed=1,2,3"],
        &["record=[\"cwnd\"]"],
    ];
    let files = files();
    let said = |vary: &&[&str]| format!("{}\n{}", vary.join(" | "), said(&files, "base.toml", vary, None));
    insta::assert_snapshot!(arguments.iter().map(said).collect::<Vec<_>>().join("\n"));
}

#[test]
fn wrong_files() {
    let texts = [
        "scenario = \"bass.toml\"\n",
        "scenario = 3\nseeds = 0\n",
        "scenario = \"base.toml\"\nsead = 3\n[vary]\nqueue.buffer = []\n",
        "scenario = \"base.toml\"\nlatin_hypercube = 10\n",
        "scenario = \"base.toml\"\n[vary]\nqueue.buffer = [\"10 cells\", \"0..2bdp:log:3\"]\nqueue.policy = [\"epd\", \"edp\"]\n",
        "scenario = \"base.toml\"\nzip = [3]\n[set]\nrecord = [\"cwnd\"]\n",
        "scenario = \"sweep.toml\"\n",
    ];
    let said = |text: &&str| {
        let files = files().with("sweep.toml", *text);
        format!("{text}\n{}", said(&files, "sweep.toml", &[], None))
    };
    insta::assert_snapshot!(texts.iter().map(said).collect::<Vec<_>>().join("\n"));
}

/// Each of N parts of equal width has one value, for each key by itself.
#[test]
fn a_latin_hypercube_has_one_value_in_each_part() {
    const POINTS: usize = 40;
    let (files, vary) = (
        files(),
        texts(&["network.rate=1..100Mbps:log", "queue.policy=epd,tail-drop", "network.trunk_delay=0..40ms:lin"]),
    );
    let request = Request { file: "base.toml", vary: &vary, latin_hypercube: Some(POINTS), ..Request::default() };
    let sweep = Sweep::read(&files, &request).unwrap();
    assert_eq!(sweep.points(), 2 * POINTS as u128);
    let [rate, delay] = &sweep.dimensions()[1].keys()[..] else { panic!("two keys are sampled") };
    let parts = |values: &[Option<(f64, &str)>], share: fn(f64) -> f64| {
        let value = |value: &Option<(f64, &str)>| (share(value.unwrap().0) * POINTS as f64) as usize;
        let mut parts: Vec<usize> = values.iter().map(value).collect();
        let order = parts.clone();
        parts.sort_unstable();
        assert_eq!(parts, (0..POINTS).collect::<Vec<_>>());
        order
    };
    let of_rate = parts(&rate.numbers, |bps| (bps / 1e6).log10() / 2.0);
    let of_delay = parts(&delay.numbers, |s| s / 0.04);
    assert!(of_rate != of_delay && !of_rate.is_sorted() && !of_delay.is_sorted());
    assert_eq!([rate, delay].map(|key| key.numbers[0].unwrap().1), ["bps", "s"]);
}

proptest! {
    /// No text makes it panic: either it is a sweep, or something is said about it.
    #[test]
    fn any_argument_is_read_or_refused(text in "(queue|tcp|[a-z\"\\.]{0,4})\\.?(buffer|rate)?[=;, ]{0,2}[0-9a-z.,:;\\[\\]{}\"' -]{0,24}") {
        let files = files();
        let vary = [text.clone()];
        let read = Sweep::read(&files, &Request { file: "base.toml", vary: &vary, ..Request::default() });
        if let Ok(sweep) = read {
            prop_assert!(sweep.points() >= 1);
            let _ = sweep.load(0);
        }
    }

    #[test]
    fn any_file_is_read_or_refused(text in "scenario = \"base.toml\"\n([a-z_]{0,5} = [0-9\\[\\]\"{}]{0,4}\n|\\[\\[?(zip|vary|set)\\]\\]?\n|queue.buffer = [0-9\"\\[\\].:a-z]{0,12}\n){0,5}") {
        let files = files().with("sweep.toml", text);
        if let Ok(sweep) = Sweep::read(&files, &Request { file: "sweep.toml", ..Request::default() }) {
            let _ = sweep.load(0);
        }
    }
}

#[test]
fn widths_of_intervals_stand_in_files_and_arguments() {
    let numbers = ["goodput_bps", "loss"];
    let read = |keys: &str, until_ci: &[&str]| {
        let files = files().with("sweep.toml", format!("scenario = \"base.toml\"\n{keys}\n"));
        let until_ci = texts(until_ci);
        let request = Request { file: "sweep.toml", until_ci: &until_ci, numbers: &numbers, ..Request::default() };
        match Sweep::read(&files, &request) {
            Ok(sweep) => {
                let width = |width: &Width| format!("{}={}", width.number, width.share);
                let widths: Vec<String> = sweep.widths.iter().map(width).collect();
                format!("{} {:?}", widths.join(","), sweep.max_seeds)
            }
            Err(LoadError::Invalid(diagnostics)) => crate::render::render(&diagnostics),
            Err(LoadError::Unreadable { path, error }) => format!("unreadable: {path}: {error}"),
        }
    };
    assert_eq!(read("until_ci = \"2%\"\nmax_seeds = 50", &[]), "goodput_bps=0.02 Some(50)");
    assert_eq!(read("until_ci = [\"loss = 10 %\", \"0.03\", \"loss=5%\"]", &[]), "loss=0.05,goodput_bps=0.03 None");
    assert_eq!(read("until_ci = \"2%\"", &["loss=1%"]), "loss=0.01 None", "arguments replace those of the file");
    let wrong = |keys: &str, said: [&str; 2]| {
        let text = read(keys, &[]);
        assert!(said.iter().all(|words| text.contains(words)), "{keys}: {text}");
    };
    wrong("until_ci = 2", ["`until_ci` is the integer 2", "expected a share of the mean as text"]);
    wrong("until_ci = [2]", ["`until_ci` holds the integer 2", "\"loss=10%\""]);
    wrong("until_ci = \"0%\"", ["\"0%\" is no share of a mean", "between 0 and 100 %"]);
    wrong("until_ci = \"los=2%\"", ["\"los\" is no number of a run", "did you mean `loss`?"]);
    wrong("max_seeds = 1", ["`max_seeds` is", "expected a whole number from 2 to 1000000"]);
}
