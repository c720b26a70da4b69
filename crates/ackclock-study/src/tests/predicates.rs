//! Every kind of predicate, and statistics over runs.

use super::{TABLE, report_of, study_of, study_with};
use crate::Selection;

/// Claims, each behind whether it holds for the measurements of [`measure`]. `(reno 1000)` is a quantity, at these values of the axes;
/// what else it has stands behind a comma.
const CLAIMS: &str = r#"
holds order = { metric = "efficiency", is = "<", of = [(reno 1000), (sack 1000)] }
fails order = { metric = "efficiency", is = ">=", of = [(reno 1000), (sack 1000)] }
# Equal quantities: at least, but not more.
holds order = { metric = "timeouts", is = ">=", of = [(reno 1000), (sack 1000)] }
fails order = { metric = "timeouts", is = ">", of = [(reno 1000), (sack 1000)] }
# With a resolution, what is closer is equal: .515 and .97 are .455 apart.
fails order = { metric = "efficiency", is = "<", resolution = 0.46, of = [(reno 1000), (sack 1000)] }
holds order = { metric = "efficiency", is = ">=", resolution = 0.46, of = [(reno 1000), (sack 1000)] }
fails order = { metric = "efficiency", is = ">=", resolution = 0.45, of = [(reno 1000), (sack 1000)] }
# Spread over TCP: K=1000 .97 - .515, K=3000 .72 - .515
holds order = { metric = "efficiency", is = ">", of = [(reno+sack 1000, spread_over = "tcp"), (reno+sack 3000, spread_over = "tcp")] }
holds bound = { metric = "efficiency", of = (reno+sack 3000, spread_over = "tcp"), is = "<", value = 0.21 }
fails bound = { metric = "efficiency", of = (reno+sack 3000, spread_over = "tcp"), is = "<", value = 0.2 }
# The mean of .97 and .72 is above .8, but not every point is.
holds bound = { metric = "efficiency", of = (sack 1000+3000), is = ">=", value = 0.8 }
fails bound = { metric = "efficiency", over = "every-point", of = (sack 1000+3000), is = ">=", value = 0.8 }
# SACK less Reno: .455 with 1000 cells, .205 with 3000; one of two points is half, and not more.
holds points = { metric = "efficiency", of = [(sack 1000+3000, apart_from = { tcp = "reno" })], is = ">", value = 0.2, share = 1.0 }
holds points = { metric = "efficiency", of = [(sack 1000, apart_from = { tcp = "reno" }), (sack 3000, apart_from = { tcp = "reno" })], is = ">", value = 0.21, share = 0.5 }
fails points = { metric = "efficiency", of = [(sack 1000+3000, apart_from = { tcp = "reno" })], is = ">", value = 0.21, share = 0.6 }
# The sign counts: Reno less SACK.
fails points = { metric = "efficiency", of = [(reno 1000+3000, apart_from = { tcp = "sack" })], is = ">", value = 0.0, share = 0.5 }
# Seeds 1 to 4 of Reno give .50 to .53: a mean above .51, but not every run.
holds bound = { metric = "efficiency", over = "every-point", of = (reno 1000), is = ">", value = 0.51 }
fails bound = { metric = "efficiency", over = "every-run", of = (reno 1000), is = ">", value = 0.51 }
holds bound = { metric = "timeouts", over = "every-run", of = (reno 1000), is = "==", value = 2 }
fails bound = { metric = "timeouts", over = "every-run", of = (reno 1000), is = "==", value = 1 }
# Both grow alike with the seed, so that the difference of .455 has no variance at all.
holds difference = { metric = "efficiency", of = (sack 1000), minus = (reno 1000), is = ">=", value = 0.454, confident = true }
# Mean .205 above .2; the interval of K=3000 begins below it.
holds difference = { metric = "efficiency", of = (sack 3000), minus = (reno 3000), is = ">", value = 0.2 }
fails difference = { metric = "efficiency", of = (sack 3000), minus = (reno 3000), is = ">", value = 0.2, confident = true }
# Reno's seeds are .50 to .53, SACK's with 3000 cells .70, .74, .70, .74: medians .515 and .72.
holds within = { metric = "efficiency", of = (reno 1000), from = 0.5, to = 0.52 }
fails within = { metric = "efficiency", of = (reno 1000), from = 0.52, to = 0.6 }
holds within = { metric = "efficiency", of = (sack 3000, statistic = "median"), from = 0.7199, to = 0.7201 }
# Of the seeds .50 to .53 the deviation is .0129, the least .50, the largest .53.
holds order = { metric = "efficiency", is = "<", of = [(reno 1000, statistic = "deviation"), (sack 3000, statistic = "deviation")] }
holds within = { metric = "efficiency", of = (reno 1000, statistic = "deviation"), from = 0.0129, to = 0.013 }
holds bound = { metric = "efficiency", of = (reno 1000, statistic = "least"), is = "<=", value = 0.5 }
fails bound = { metric = "efficiency", of = (reno 1000, statistic = "largest"), is = "<", value = 0.53 }
# .515 ± .02054, three standard errors of .00645 and a little: up to .53554.
holds within = { metric = "efficiency", of = (reno 1000), from = 0.535, to = 0.6, confident = true }
fails within = { metric = "efficiency", of = (reno 1000), from = 0.536, to = 0.6, confident = true }
# 3 % below .53 is .5141, 2.8 % is .51516; 3 % above .5 is .515.
holds within = { metric = "efficiency", of = (reno 1000), from = 0.53, to = 0.6, widened = 0.03 }
fails within = { metric = "efficiency", of = (reno 1000), from = 0.53, to = 0.6, widened = 0.028 }
fails within = { metric = "efficiency", of = (reno 1000), from = 0.4, to = 0.5, widened = 0.029 }
# From .97 to .72 is a fall of 25.77 %; from 124 to 104 one of 16.13 %, and a third of that is 5.38 %; from 100 to 80 one of 20 %,
# and a third of that is 6.67 %. A rise of 20 % is no fall.
fails change = { metric = "efficiency", from = (sack 1000), to = (sack 3000), published = [124, 104], within = 0.3333 }
holds change = { metric = "efficiency", from = (sack 1000), to = (sack 3000), published = [100, 80], within = 0.3333 }
fails change = { metric = "efficiency", from = (sack 1000), to = (sack 3000), published = [100, 120], within = 0.9 }
# Reno does not fall at all.
fails change = { metric = "efficiency", from = (reno 1000), to = (reno 3000), published = [100, 99], within = 0.99 }
# .97 over .515 is 1.883.
holds quotient = { metric = "efficiency", of = (sack 1000), by = (reno 1000), at_least = 1.88, at_most = 1.89 }
fails quotient = { metric = "efficiency", of = (sack 1000), by = (reno 1000), at_least = 1.89 }
fails quotient = { metric = "efficiency", of = (sack 1000), by = (reno 1000), at_most = 1.88 }
# .20, .23, .18 and .21: three of four.
holds pairs = { metric = "efficiency", of = (sack 3000), minus = (reno 3000), is = ">", value = 0.19, share = 0.75 }
fails pairs = { metric = "efficiency", of = (sack 3000), minus = (reno 3000), is = ">", value = 0.19, share = 0.76 }
# From 1000 to 3000 cells: .72 over .97 is a loss of .2577, and nothing for Reno.
holds within = { metric = "efficiency", of = (sack 1000+3000, gain_over = "k"), from = -0.258, to = -0.257 }
fails bound = { metric = "efficiency", of = (reno 1000+3000, gain_over = "k"), is = "<", value = 0 }
# .97 - .72 = .25, either way round; .97 over .515 is more than .72 over it.
holds within = { metric = "efficiency", of = (sack 3000, apart_from = { k = "1000" }), from = 0.249, to = 0.251 }
holds order = { metric = "efficiency", is = ">", of = [(sack 1000, over = { tcp = "reno" }), (sack 3000, over = { tcp = "reno" })] }
fails bound = { metric = "efficiency", of = (sack 3000, over = { tcp = "reno" }), is = ">", value = 1.4 }
# SACK is best with 1000 cells. Reno is as good with both, and the first of equal ones counts.
holds best-differs = { metric = "efficiency", along = "k", of = [(sack 1000+3000), (reno 3000+1000)] }
fails best-differs = { metric = "efficiency", along = "k", of = [(sack 1000+3000), (reno 1000+3000)] }
# Flow 2 has no timeouts: the metric has no meaning anywhere.
fails difference = { metric = "synchrony", of = (sack 1000), minus = (reno 1000), is = "<=", value = 1 }
fails bound = { metric = "synchrony", of = (reno 1000), is = "<=", value = 1 }
"#;

/// Whether each claim holds, and its test in TOML.
fn tests() -> impl Iterator<Item = (bool, String)> {
    let lines = CLAIMS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let (holds, test) = line.split_once(' ').unwrap();
        let mut parts = test.split('(');
        let mut text = parts.next().unwrap().to_owned();
        for part in parts {
            let (quantity, rest) = part.split_once(')').unwrap();
            let (of, more) = quantity.split_at(quantity.find(',').unwrap_or(quantity.len()));
            let values = |names: &str| match names.split('+').collect::<Vec<_>>()[..] {
                [one] => format!("{one:?}"),
                ref several => format!("{several:?}"),
            };
            let (tcp, k) = of.split_once(' ').unwrap();
            let at = format!("{{ net = \"lan\", k = {}, tcp = {} }}", values(k), values(tcp));
            text += &format!("{{ label = \"{of}\", at = {at}{more} }}{rest}");
        }
        (holds == "holds", text)
    })
}

fn claims() -> String {
    let claim = |(i, (holds, test)): (usize, (bool, String))| {
        format!(
            "[[claim]]\nid = \"c{i}\"\ncard = \"t1\"\ntext = \"Claim {i}, which is {holds}.\"\n[claim.test]\n{test}\n"
        )
    };
    tests().enumerate().map(claim).collect()
}

#[test]
fn every_kind_of_predicate_holds_and_fails() {
    let study = study_of(&claims(), "").unwrap();
    let report = report_of(&study, &Selection::default());
    assert_eq!(report.cards[0].claims.len(), 53);
    for (claim, (holds, test)) in report.cards[0].claims.iter().zip(tests()) {
        assert_eq!(claim.holds, holds, "{test}\n{}", claim.evidence);
    }
}

/// Reno gives .50 to .53 with 1000 cells, and with 3000: mean .515, standard deviation sqrt(10 . 1e-4 / 7) = .01195. SACK
/// .955 to .985 and .70 or .74: mean .845 of both, standard deviation sqrt((8 . .125^2 + .0026) / 7) = .1350. The means of
/// both buffers, seed by seed, would lie within .007 of each other.
#[test]
fn a_tolerance_in_deviations_counts_the_runs_of_every_point() {
    let table = TABLE.replace("value = 0.05,", "value = 3, is = \"deviations\",");
    let study = study_with(&table, &claims(), "").unwrap();
    let report = report_of(&study, &Selection::default());
    let cells = &report.cards[0].table.as_ref().unwrap().cells;
    let of_row: Vec<(usize, f64)> =
        cells.iter().filter(|cell| cell.row == "mean").map(|cell| (cell.ours.n, cell.tolerance)).collect();
    let [(8, reno), (8, sack)] = of_row[..] else { panic!("four seeds at two points: {of_row:?}") };
    assert!((reno / 3.0 - 0.01195).abs() < 1e-5 && (sack / 3.0 - 0.1350).abs() < 5e-4, "{reno} {sack}");
}

/// Numbers in words: in units that fit, with as many digits as tell them apart, a quotient with what it is of.
#[test]
fn evidence_has_units() {
    let claim = |test: &str| {
        let claims = format!("[[claim]]\nid = \"c\"\ncard = \"t1\"\ntext = \"\"\n[claim.test]\n{test}\n");
        report_of(&study_of(&claims, "").unwrap(), &Selection::default()).cards[0].claims[0].evidence.clone()
    };
    // Goodput of the first flow: 60 Mb/s times .515, .97 and .72.
    assert_eq!(
        claim(
            r#"order = { metric = "goodput(s1)", is = "<", of = [{ label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, { label = "K = 1000", at = { net = "lan", k = "1000", tcp = "sack" } }] }"#
        ),
        "Reno: 30.90 Mb/s, K = 1000: 58.20 Mb/s; wanted: each < the next"
    );
    assert_eq!(
        claim(
            r#"quotient = { metric = "goodput(s1)", of = { label = "SACK", at = { net = "lan", k = "3000", tcp = "sack" } }, by = { label = "Reno", at = { net = "lan", k = "3000", tcp = "reno" } }, at_least = 1.2 }"#
        ),
        "SACK: 43.20 Mb/s, Reno: 30.90 Mb/s, a quotient of 1.398; wanted: ≥ 1.2"
    );
    assert_eq!(
        claim(
            r#"bound = { metric = "sum(drops)", over = "every-run", of = { label = "lost", at = { net = "lan" } }, is = "<", value = 8 }"#
        ),
        "lost: 7 cells; wanted: < 8 cells in all runs, so in 4 of 4"
    );
    assert_eq!(
        claim(
            r#"bound = { metric = "goodput(s1)", of = { label = "SACK", at = { net = "lan", k = "3000", tcp = "sack" }, over = { tcp = "reno" } }, is = ">", value = 1.4 }"#
        ),
        "SACK: 1.398; wanted: > 1.4"
    );
}

#[test]
fn a_quantity_made_of_several_means_is_refused_where_no_means_are_compared() {
    let refused = |test: &str| {
        let claims = format!("[[claim]]\nid = \"c\"\ncard = \"t1\"\ntext = \"\"\n[claim.test]\n{test}\n");
        study_of(&claims, "").unwrap_err().to_string()
    };
    let in_runs = refused(
        r#"bound = { metric = "sum(drops)", over = "every-run", of = { label = "lost", at = { net = "lan", k = "1000" }, over = { k = "3000" } }, is = "<", value = 8 }"#,
    );
    assert!(
        in_runs.ends_with("claim \"c\", lost: it is made of means in one way at most, where means are compared"),
        "{in_runs}"
    );
    let one_value = refused(
        r#"bound = { metric = "sum(drops)", of = { label = "lost", at = { net = "lan", k = "1000" }, gain_over = "k" }, is = "<", value = 8 }"#,
    );
    assert!(one_value.ends_with("claim \"c\", lost: it needs two values on the axis"), "{one_value}");
}

/// What would hold if there were no effect is told apart, and refused where the data say what there would be without one.
#[test]
fn a_claim_that_would_hold_without_its_effect_is_known() {
    let order = |is: &str, more: &str| {
        format!(
            r#"[[claim]]
id = "c"
card = "t1"
text = ""
{more}
[claim.test]
order = {{ metric = "efficiency", is = "{is}", of = [{{ label = "SACK", at = {{ net = "lan", k = "1000", tcp = "sack" }} }}, {{ label = "Reno", at = {{ net = "lan", k = "1000", tcp = "reno" }} }}] }}"#
        )
    };
    let without = |claims: &str| {
        let study =
            study_of(claims, "").map_err(|error| error.to_string().split("claim \"c\"").nth(1).unwrap().to_owned())?;
        Ok(study.claims[0].test.holds_without_effect(study.claims[0].absent))
    };
    assert_eq!(without(&order(">", "")), Ok(Some(false)));
    assert_eq!(without(&order(">=", "")), Ok(Some(true)));
    assert_eq!(without(&order(">=", "equality = true")), Ok(Some(true)));
    let strict: Result<_, String> = Err(": it says that there is no difference, and fails of none".into());
    assert_eq!(without(&order(">", "equality = true")), strict);

    let of = |test: &str, more: &str| {
        format!("[[claim]]\nid = \"c\"\ncard = \"t1\"\ntext = \"\"\n{more}\n[claim.test]\n{test}\n")
    };
    let (sack, reno) = (
        r#"{ label = "SACK", at = { net = "lan", k = "1000", tcp = "sack" } }"#,
        r#"{ label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }"#,
    );
    let difference = |value: &str| {
        of(
            &format!(
                "difference = {{ metric = \"efficiency\", of = {sack}, minus = {reno}, is = \">\", value = {value} }}"
            ),
            "",
        )
    };
    assert_eq!((without(&difference("0")), without(&difference("-0.01"))), (Ok(Some(false)), Ok(Some(true))));
    let quotient = |least: &str| {
        of(&format!("quotient = {{ metric = \"efficiency\", of = {sack}, by = {reno}, at_least = {least} }}"), "")
    };
    assert_eq!((without(&quotient("1.1")), without(&quotient("0.9"))), (Ok(Some(false)), Ok(Some(true))));
    // What a range is about, only its data know: 104 within 20 % is true of 123, too.
    let range = |to: &str, more: &str| {
        of(&format!("within = {{ metric = \"efficiency\", of = {reno}, from = 0.83, to = {to} }}"), more)
    };
    assert_eq!(without(&range("1.25", "")), Ok(None));
    let refused: Result<_, String> = Err(": it would hold without its effect, with 1.23".into());
    assert_eq!(without(&range("1.25", "absent = 1.23")), refused);
    assert_eq!(without(&range("1.14", "absent = 1.23")), Ok(Some(false)));
    let gain = |value: &str| {
        let of_both =
            r#"{ label = "SACK", at = { net = "lan", k = ["1000", "3000"], tcp = "sack" }, gain_over = "k" }"#;
        of(&format!("bound = {{ metric = \"efficiency\", of = {of_both}, is = \"<\", value = {value} }}"), "")
    };
    assert_eq!((without(&gain("0.05")), without(&gain("0"))), (Ok(Some(true)), Ok(Some(false))));
}

#[test]
fn one_seed_gives_no_confidence() {
    let study = study_of(&claims(), "").unwrap();
    let report = report_of(&study, &Selection { seeds: Some(1), ..Selection::default() });
    let confident = tests().position(|(_, test)| test.contains("confident = true")).unwrap();
    assert!(!report.cards[0].claims[confident].holds);
}
