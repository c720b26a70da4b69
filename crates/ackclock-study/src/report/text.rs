//! Reports as plain text: one line per number, the verdict in words.

mod arranged;

use std::fmt::Write;

use super::headline::power::strength;
use super::{
    AlternativeReport, AssumptionReport, CardReport, CellReport, ClaimReport, FindingReport, GroupReport, Number,
    PowerReport, Report, TableReport, Tally, Verdict, headline,
};

/// No line is longer, as long as labels are of reasonable length.
const WIDTH: usize = 120;

impl Report {
    /// Plain text, at most 120 columns.
    pub fn text(&self) -> String {
        render(self)
    }
}

fn render(report: &Report) -> String {
    let mut out = String::new();
    line(&mut out, &report.title);
    wrapped(&mut out, "", &report.citation);
    let part = if report.quick { ", quick subset" } else { "" };
    let seeds = report.seeds;
    let half = "± is half a 95 % confidence interval; if that exceeds the range of a quantity, its ends are given";
    wrapped(&mut out, "", &format!("Means over seeds 1 to {seeds}{part}; {half}."));
    if let Some(live) = &report.live {
        wrapped(&mut out, "", &live.words());
        for (heading, list) in live.lists().into_iter().filter(|(_, list)| !list.is_empty()) {
            line(&mut out, &format!("{heading}:"));
            list.iter().for_each(|text| wrapped(&mut out, "  - ", text));
        }
    }
    for card in &report.cards {
        card_text(&mut out, card, report);
    }
    if !report.findings.is_empty() {
        heading(&mut out, findings_heading(&report.findings));
        for finding in &report.findings {
            finding_text(&mut out, finding);
        }
    }
    if !report.remarks.is_empty() {
        heading(&mut out, "Remarks on the publication");
        for remark in &report.remarks {
            wrapped(&mut out, "  - ", remark);
        }
    }
    heading(&mut out, "Verdict");
    tally_text(&mut out, &report.tally);
    for sentence in &report.headline.reproduces {
        wrapped(&mut out, "", sentence);
    }
    if !report.chosen.is_empty() {
        line(&mut out, AFTER_RESULTS);
        report.chosen.iter().for_each(|chosen| wrapped(&mut out, "  - ", &chosen.words()));
    }
    out.push('\n');
    wrapped(&mut out, "", &report.headline.consistent);
    headline::prose(&report.findings).iter().for_each(|words| wrapped(&mut out, "", words));
    out
}

fn card_text(out: &mut String, card: &CardReport, report: &Report) {
    heading(out, &format!("{}: {}", card.id, card.title));
    if card.seeds != report.seeds {
        let seeds = if card.seeds == 1 { "Seed 1 only.".into() } else { format!("Seeds 1 to {}.", card.seeds) };
        line(out, &seeds);
    }
    for again in &card.judged_again {
        wrapped(out, "", &format!("{}.", again.words()));
        for changed in &again.changed {
            wrapped(out, "  - ", &changed.words());
        }
    }
    if let Some(table) = &card.table {
        table_text(out, table);
    }
    for plot in &card.plots {
        line(out, &format!("\n{}: not judged", plot.title));
        wrapped(out, "  ", &plot.shows);
        for quantity in &plot.quantities {
            group_text(out, quantity, label_width(&plot.quantities), "");
        }
    }
    for comparison in &card.comparisons {
        line(out, &format!("\n{}: not judged", comparison.id));
        wrapped(out, "  ", &comparison.text);
        let choices = std::slice::from_ref(&comparison.choices);
        group_text(out, &comparison.choices, label_width(choices), "");
    }
    if !card.claims.is_empty() {
        line(out, "\nClaims");
        let mut previous = "";
        for claim in &card.claims {
            // The instances of a claim share its text.
            if claim.text != previous {
                wrapped(out, "  ", &claim.text);
            }
            previous = &claim.text;
            claim_text(out, claim);
        }
    }
    if !card.assumptions.is_empty() {
        line(out, "\nAssumptions, and what the alternatives would change (not judged)");
        for assumption in &card.assumptions {
            assumption_text(out, assumption);
        }
    }
}

fn table_text(out: &mut String, table: &TableReport) {
    wrapped(out, "", &table.quantity);
    let arranged = table.arranged();
    arranged.iter().for_each(|text| line(out, text));
    if !arranged.is_empty() {
        out.push('\n');
    }
    let row_width = width(table.cells.iter().map(|cell| cell.row.as_str()));
    let column_width = width(table.cells.iter().map(|cell| cell.column.as_str()));
    let ours_width = width(
        table
            .cells
            .iter()
            .map(|cell| mean(cell.comparable(), cell.decimals))
            .collect::<Vec<_>>()
            .iter()
            .map(String::as_str),
    )
    .max(11);
    let mut header = format!(
        "{:row_width$}  {:column_width$}  {:>9}  {:>ours_width$}  {:>12}  {:>9}  {:>5}",
        "", "", "published", "ours", "range", "tolerance", "share"
    );
    for label in &table.beside {
        let _ = write!(header, "  {label}");
    }
    for nth in 1..=table.readings.len() {
        let _ = write!(header, "  {:>10}", format!("[{nth}]"));
    }
    header.push_str("  verdict");
    line(out, &header);
    let mut previous = "";
    for (nth, cell) in table.cells.iter().enumerate() {
        let CellReport { row, column, published, decimals, .. } = cell;
        let ours = cell.comparable();
        let row_label = if previous == row { "" } else { row };
        previous = row;
        let mut text = format!(
            "{}  {}  {published:>9.decimals$}  {:>ours_width$}  {:>12}  {:>9}  {:>5}",
            pad(row_label, row_width),
            pad(column, column_width),
            mean(ours, *decimals),
            format!("{:.decimals$}..{:.decimals$}", ours.min, ours.max),
            tolerance(cell),
            relative_tolerance(cell),
        );
        for (label, value) in table.beside.iter().zip(&cell.beside) {
            let _ = write!(text, "  {value:>width$.decimals$}", width = label.chars().count());
        }
        for reading in &table.readings {
            let agrees = if reading.agree[nth] { "yes" } else { "no" };
            let _ = write!(text, "  {:>10}", format!("{:.decimals$} {agrees:>3}", reading.numbers[nth].mean));
        }
        let _ = write!(text, "  {}{}", cell_verdict(&cell.verdict), remarks(cell));
        line(out, &text);
    }
    for (nth, reading) in table.readings.iter().enumerate() {
        let power = reading.power.as_ref().map_or(String::new(), |power| format!("; {}", headline::skill(power)));
        wrapped(
            out,
            &format!("  [{}] ", nth + 1),
            &format!("with \"{}\", and whether it agrees{power}", reading.label),
        );
    }
    for words in table.power.iter().flat_map(power_words) {
        wrapped(out, "  ", &words);
    }
    if table.cells.iter().any(|cell| cell.verdict.agrees() && !cell.depends_on.is_empty()) {
        wrapped(out, "  ", BY_CHOICE);
    }
    if table.cells.iter().any(|cell| cell.wide) {
        wrapped(out, "  ", WIDE);
    }
    for (tolerances, reason) in tolerance_reasons(table) {
        wrapped(out, &format!("  {tolerances}: "), reason);
    }
}

/// What else is to be said of a cell, behind its verdict.
pub(crate) fn remarks(cell: &CellReport) -> String {
    let agrees = cell.verdict.agrees();
    let all = [(cell.own, "own"), (agrees && cell.wide, "wide"), (agrees && !cell.depends_on.is_empty(), "by choice")];
    all.into_iter().filter(|(is, _)| *is).map(|(_, word)| format!(", {word}")).collect()
}

/// What the agreement of a table tells: a sentence, and the errors of each quantity.
pub(crate) fn power_words(power: &PowerReport) -> Vec<String> {
    let PowerReport { numbers, agree, agree_with_mean, agree_with_best, .. } = power;
    let mut words = vec![format!(
        "Of {numbers} published numbers {agree} agree; with one constant for all, {agree_with_mean} (their mean) to {agree_with_best} \
         (the best choice); {}: {}.",
        headline::skill(power),
        strength(power)
    )];
    words.extend(power.kinds.iter().map(|kind| {
        let decimals = kind.decimals + 1;
        let skill = match (power.kinds.len(), kind.skill) {
            (1, _) | (_, None) => String::new(),
            (_, Some(skill)) => format!(", skill {skill:.2}"),
        };
        format!(
            "Mean error of {}: {:.decimals$}, with the mean of the published numbers {:.decimals$}{skill}.",
            kind.what, kind.error, kind.error_of_mean
        )
    }));
    words
}

/// What it means that a number agrees by choice.
pub(crate) const BY_CHOICE: &str = "by choice: it agrees only with what was chosen when the results were known.";

/// The heading of the findings: those that cover nothing are readings.
pub(crate) fn findings_heading(findings: &[FindingReport]) -> &'static str {
    match findings.iter().any(|finding| finding.covers.is_empty()) {
        true => "Findings: recorded differences, and how the text is read",
        false => "Findings: recorded differences",
    }
}

/// A tolerance in few characters.
pub(crate) fn tolerance(cell: &CellReport) -> String {
    if cell.exact { "printed".into() } else { format!("±{:.*}", cell.decimals, cell.tolerance) }
}

/// A tolerance as a share of the distance that the table distinguishes.
pub(crate) fn relative_tolerance(cell: &CellReport) -> String {
    match cell.apart.filter(|_| !cell.exact) {
        Some(apart) => format!("{:.0} %", 100.0 * cell.tolerance / apart),
        None => "-".into(),
    }
}

/// What a share of 100 % and more means.
pub(crate) const WIDE: &str = "share: the tolerance as a share of the largest distance from the published number to another \
    of its row (of its column, where the row has no other). From 100 % on, wide, it does not tell the numbers of the row apart.";

/// What stands before the choices on which a verdict depends.
pub(crate) const AFTER_RESULTS: &str = "Chosen when the results were known:";

/// The reasons for a table's tolerances, each with the tolerances that it is for.
pub(crate) fn tolerance_reasons(table: &TableReport) -> Vec<(String, &str)> {
    let mut reasons: Vec<(Vec<String>, &str)> = Vec::new();
    for cell in &table.cells {
        let (tolerance, reason) = (tolerance(cell), cell.tolerance_reason.as_str());
        match reasons.iter_mut().find(|(_, known)| *known == reason) {
            None => reasons.push((vec![tolerance], reason)),
            Some((tolerances, _)) if tolerances.contains(&tolerance) => {}
            Some((tolerances, _)) => tolerances.push(tolerance),
        }
    }
    let shown = |tolerances: Vec<String>| match &tolerances[..] {
        [some @ .., last] if some.len() > 2 => format!("{} to {last}", some[0]),
        all => all.join(", "),
    };
    reasons.into_iter().map(|(tolerances, reason)| (shown(tolerances), reason)).collect()
}

fn cell_verdict(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Agrees => "agrees".into(),
        Verdict::Differs(finding) => format!("differs ({finding})"),
        Verdict::Fails => "FAILS: unrecorded".into(),
        Verdict::Vanished(finding) => format!("FAILS: {finding} vanished"),
    }
}

fn claim_text(out: &mut String, claim: &ClaimReport) {
    let mut verdict: String = match &claim.verdict {
        Verdict::Agrees => "holds".into(),
        Verdict::Differs(finding) => format!("does not hold ({finding})"),
        Verdict::Fails => "FAILS: does not hold, no finding".into(),
        Verdict::Vanished(finding) => format!("FAILS: holds, though {finding} says it does not"),
    };
    verdict += &claim_remarks(claim);
    let mark = claim.mark().map_or(String::new(), |mark| format!(" [{mark}]"));
    line(out, &format!("      {}{mark}: {verdict}", claim.id));
    wrapped(out, "          ", &claim.evidence);
    for beside in &claim.beside {
        wrapped(out, "          ", &beside.words());
    }
}

/// What else is to be said of a claim that holds.
pub(crate) fn claim_remarks(claim: &ClaimReport) -> String {
    let all = [(claim.weak, ", without its effect, too"), (!claim.depends_on.is_empty(), ", by choice")];
    all.into_iter().filter(|(is, _)| claim.holds && *is).map(|(_, words)| words).collect()
}

fn assumption_text(out: &mut String, assumption: &AssumptionReport) {
    wrapped(out, "  ", &format!("{} [{}]: {}", assumption.id, assumption.mark, assumption.statement));
    wrapped(out, "      ", &assumption.reason);
    if let Some(why) = &assumption.after_results {
        wrapped(out, "      ", &format!("Chosen when its results were known. {why}"));
    }
    let label_width = label_width(&assumption.groups);
    for group in &assumption.groups {
        group_text(out, group, label_width, "  default");
    }
}

/// How wide the labels of groups are that stand one below the other.
fn label_width(groups: &[GroupReport]) -> usize {
    width(groups.iter().flat_map(|group| {
        let alternatives = group.alternatives.iter().map(|alternative| alternative.label.as_str());
        alternatives.chain([group.label.as_str()])
    }))
}

/// A row for each choice, `first` behind the first one.
fn group_text(out: &mut String, group: &GroupReport, label_width: usize, first: &str) {
    let label = pad(&group.label, label_width + 2);
    let number_of = |row: &AlternativeReport, column: usize| mean(&row.numbers[column], group.shown[column].decimals);
    let column_width = |column: usize| {
        let numbers = group.alternatives.iter().map(|row| number_of(row, column).chars().count());
        numbers.fold(group.shown[column].label.chars().count().max(11), usize::max)
    };
    let widths: Vec<usize> = (0..group.shown.len()).map(column_width).collect();
    let heads = group.shown.iter().zip(&widths).map(|(shown, width)| format!("  {:>width$}", shown.label));
    line(out, &format!("      {label}{}", heads.collect::<String>()));
    for (i, alternative) in group.alternatives.iter().enumerate() {
        let label = pad(&alternative.label, label_width);
        let numbers = widths.iter().enumerate();
        let numbers = numbers.map(|(column, width)| format!("  {:>width$}", number_of(alternative, column)));
        let note = if i == 0 { first } else { "" };
        line(out, &format!("        {label}{}{note}", numbers.collect::<String>()));
    }
}

fn finding_text(out: &mut String, finding: &FindingReport) {
    line(out, &format!("  {}  {}", finding.id, finding.title));
    wrapped(out, "      ", &finding.text);
    for evidence in &finding.evidence {
        wrapped(out, "      ", &format!("- {evidence}"));
    }
    for experiment in &finding.experiments {
        wrapped(out, "      ", &experiment.text);
        let choices = std::slice::from_ref(&experiment.choices);
        group_text(out, &experiment.choices, label_width(choices), "");
        if let Some(words) = experiment.words() {
            wrapped(out, "        ", &words);
        }
    }
    if let Some(words) = without_experiments(finding) {
        line(out, &format!("      {words}"));
    }
    if !finding.covers.is_empty() {
        wrapped(out, "      ", &format!("Concerns: {}", finding.covers.join(", ")));
    }
    if !finding.about.is_empty() {
        wrapped(out, "      ", &format!("About, all of which holds: {}", finding.about.join(", ")));
    }
}

/// What is said of a finding that shows no experiment.
pub(crate) fn without_experiments(finding: &FindingReport) -> Option<&'static str> {
    match finding.is_prose() {
        true => Some("Its numbers are prose: no run of the study repeats them."),
        false => finding.left_out.then_some("Its experiments are not part of the quick subset."),
    }
}

/// The three tallies: numbers and claims of the publication, and checks of our own.
fn tally_text(out: &mut String, tally: &Tally) {
    line(out, &format!("{:18}  {:>8}  {:>13}  {:>22}", "", "examined", "agree or hold", "differ, with a finding"));
    for (what, count) in tally.counts() {
        line(out, &format!("{what:18}  {:>8}  {:>13}  {:>22}", count.examined, count.agree, count.differ));
    }
    let Tally { numbers_wide, numbers_wide_agree, numbers_exact, numbers_exact_agree, .. } = tally;
    if *numbers_wide > 0 {
        let wide = "have a tolerance that does not distinguish the numbers of their row";
        line(out, &format!("Wide:   {numbers_wide} {wide}; {numbers_wide_agree} of them agree."));
    }
    if *numbers_exact > 0 {
        line(out, &format!("Exact:  {numbers_exact_agree} of {numbers_exact} equal every digit that was printed."));
    }
}

/// `0.97 ±0.01`, or `0.35 0.00..1.00` where the interval had to be cut
fn mean(number: &Number, decimals: usize) -> String {
    if number.n == 0 {
        return "-".into();
    }
    let mean = format!("{:.decimals$}", number.mean);
    if let Some([low, high]) = number.cut {
        return format!("{mean} {low:.decimals$}..{high:.decimals$}");
    }
    number.ci95.map_or(mean.clone(), |half| format!("{mean} ±{half:.decimals$}"))
}

fn heading(out: &mut String, text: &str) {
    line(out, &format!("\n{text}\n{}", "─".repeat(text.chars().count().min(WIDTH))));
}

fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}

/// Text broken between words, every line after the indentation; the first line begins with it as it is.
fn wrapped(out: &mut String, indent: &str, text: &str) {
    let mut current = String::from(indent);
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && current.chars().count() + 1 + word.chars().count() > WIDTH {
            line(out, &current);
            current = " ".repeat(indent.chars().count());
            empty = true;
        }
        if !empty {
            current.push(' ');
        }
        current.push_str(word);
        empty = false;
    }
    if !empty {
        line(out, &current);
    }
}

fn width<'a>(labels: impl Iterator<Item = &'a str>) -> usize {
    labels.map(|label| label.chars().count()).max().unwrap_or(0)
}

fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(missing))
}
