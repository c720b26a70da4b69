//! The verdict in sentences: what of the publication reproduces and how strong the evidence is, and, apart from that, whether the tree
//! is consistent with its records.

use super::{FindingReport, Report};
use ackclock_report::page::number::fixed;

pub(crate) mod chosen;
pub(crate) mod power;
pub(crate) mod tally;
pub(crate) mod types;

use power::strength;
use types::{Headline, Outcome, PowerReport, ReadingReport, Tally};

impl Headline {
    /// The verdict on a report that has everything else.
    pub(crate) fn of(report: &Report) -> Headline {
        let outcome = Outcome::of(&report.tally, report.power.as_ref());
        let mut reproduces = vec![lead(report, outcome)];
        reproduces.extend(report.power.as_ref().map(evidence));
        reproduces.extend(without_choices(&report.tally));
        reproduces.extend(weak(&report.tally));
        reproduces.extend(report.readings.iter().map(reading));
        reproduces.extend(own(&report.tally));
        Headline { outcome, reproduces, consistent: consistent(report) }
    }
}

/// The sentences after the first: those without which it would say too much, and the others.
pub(crate) fn told_first(report: &Report) -> (Vec<String>, Vec<String>) {
    let power = report.power.as_ref();
    let mut told: Vec<String> =
        power.map(|power| format!("{}: {}.", sentence(&skill(power)), strength(power))).into_iter().collect();
    told.extend(without_choices(&report.tally));
    told.extend(weak(&report.tally));
    told.extend(report.readings.iter().map(reading));
    let others = power.map(evidence).into_iter().chain(own(&report.tally)).collect();
    (told, others)
}

/// With a capital letter.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

impl Outcome {
    fn of(tally: &Tally, power: Option<&PowerReport>) -> Outcome {
        let Tally { numbers, claims, .. } = tally;
        let (agree, examined) = (numbers.agree + claims.agree, numbers.examined + claims.examined);
        let is_no_better = power.and_then(|power| power.skill).is_some_and(|skill| skill <= 0.0);
        let most_fail = 2 * claims.agree < claims.examined;
        match examined {
            0 => Outcome::Nothing,
            _ if 2 * agree < examined => Outcome::Hardly,
            _ if 10 * agree < 9 * examined || is_no_better || most_fail => Outcome::InPart,
            _ => Outcome::Reproduces,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Outcome::Nothing => "Nothing that the publication prints was examined",
            Outcome::Reproduces => "The publication reproduces",
            Outcome::InPart => "The publication reproduces in part",
            Outcome::Hardly => "The publication hardly reproduces",
        }
    }
}

fn lead(report: &Report, outcome: Outcome) -> String {
    let Tally { numbers, claims, .. } = report.tally;
    let mut counts = Vec::new();
    if numbers.examined > 0 {
        counts
            .push(format!("{} of {} published numbers agree within their tolerances", numbers.agree, numbers.examined));
    }
    if claims.examined > 0 {
        counts.push(format!("{} of {} published claims hold", claims.agree, claims.examined));
    }
    let quick = if report.quick { "Quick subset: " } else { "" };
    let reading = if report.readings.is_empty() { "" } else { " under the reading that stands first" };
    match counts.is_empty() {
        true => format!("{quick}{}.", outcome.words()),
        false => format!("{quick}{}{reading}: {}.", outcome.words(), counts.join(", ")),
    }
}

/// What the agreement of the numbers tells.
fn evidence(power: &PowerReport) -> String {
    let PowerReport { numbers, agree, agree_with_mean, agree_with_best, .. } = power;
    format!(
        "One constant for each table and quantity would agree with {agree_with_mean} (the mean of the published numbers) to \
         {agree_with_best} (the best choice) of {numbers}, with which ours agree in {agree}; {}: {}.",
        skill(power),
        strength(power)
    )
}

/// Skill and rank correlation in words.
pub(crate) fn skill(power: &PowerReport) -> String {
    let number = |number: Option<f64>| number.map_or("undefined".into(), |number| fixed(number, 2));
    format!("skill {}, rank correlation {}", number(power.skill), number(power.rank_correlation))
}

fn without_choices(tally: &Tally) -> Option<String> {
    let Tally { numbers, claims, .. } = tally;
    let remain = [(numbers, "numbers"), (claims, "claims")].into_iter().filter(|(count, _)| count.examined > 0);
    let remain: Vec<String> =
        remain.map(|(count, what)| format!("{} of the {what}", count.agree_without_choice())).collect();
    (numbers.agree_by_choice + claims.agree_by_choice > 0)
        .then(|| format!("Without what was chosen when the results were known, {} remain.", remain.join(" and ")))
}

fn weak(tally: &Tally) -> Option<String> {
    match tally.claims_weak {
        0 => None,
        1 => Some("One of the claims that hold would hold without its effect, too.".into()),
        weak => Some(format!("{weak} of the claims that hold would hold without their effect, too.")),
    }
}

fn reading(reading: &ReadingReport) -> String {
    let ReadingReport { id, label, cards, numbers, numbers_agree, claims, claims_hold, power, .. } = reading;
    let mut counts = Vec::new();
    if *numbers > 0 {
        let by_default = reading.numbers_agree_by_default;
        counts.push(format!("{numbers_agree} of {numbers} numbers agree ({by_default} with the first)"));
    }
    if *claims > 0 {
        let by_default = reading.claims_hold_by_default;
        counts.push(format!("{claims_hold} of {claims} claims hold ({by_default})"));
    }
    let skill = power.as_ref().map_or(String::new(), |power| format!("; {}", skill(power)));
    format!("With \"{label}\" ({id}), on {}: {}{skill}.", cards.join(", "), counts.join(", "))
}

fn own(tally: &Tally) -> Option<String> {
    let own = tally.own;
    (own.examined > 0).then(|| {
        format!("{} of {} checks of our own hold; they tell nothing about the publication.", own.agree, own.examined)
    })
}

/// Whether what differs is recorded, and what is recorded differs.
fn consistent(report: &Report) -> String {
    let Tally { numbers, claims, own, failures, vanished, refuted, misplaced, .. } = report.tally;
    if report.passed() {
        let differ = numbers.differ + claims.differ + own.differ;
        let differences = match differ {
            0 => "nothing differs".into(),
            1 => "the one difference has a finding".into(),
            _ => format!("each of the {differ} differences has a finding"),
        };
        return format!("The tree is consistent with its records: {differences}, and every finding applies.");
    }
    let mut wrong = Vec::new();
    let mut add = |count: usize, one: &str, many: &str| match count {
        0 => {}
        1 => wrong.push(format!("1 {one}")),
        _ => wrong.push(format!("{count} {many}")),
    };
    add(failures, "difference has no finding", "differences have no finding");
    add(vanished, "difference that a finding records has vanished", "differences that findings record have vanished");
    add(refuted, "experiment does not show what its finding says", "experiments do not show what their findings say");
    let about = "a sentence that stands against us, which they do not cover";
    add(misplaced, &format!("finding is about {about}"), &format!("findings are about {about}"));
    format!("The tree is NOT consistent with its records: {}.", wrong.join(", "))
}

/// What rests on prose, which no run repeats.
pub(crate) fn prose(findings: &[FindingReport]) -> Option<String> {
    let prose: Vec<&str> =
        findings.iter().filter(|finding| finding.is_prose()).map(|finding| finding.id.as_str()).collect();
    match prose.len() {
        0 => None,
        _ => Some(format!("The numbers of {} come from prose, not from runs of the study.", prose.join(", "))),
    }
}
