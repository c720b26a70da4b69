//! What the numbers of a result say, in sentences; and what a reader should be warned of.

use ackclock::record::stats::mser5;
use ackclock::record::{Columns, LinkLosses, Metric, Series};
use ackclock::sim::RESULT_VERSION;

use crate::page::number::{count, fixed, percent, plural, quantity};
use ackclock_store::comparison::{port, queueing_delay};
use ackclock_store::document::Document;
use ackclock_store::document::interval::Interval;
use ackclock_store::document::summary::{FlowSummary, LinkSummary, PortSummary, UdpSummary};

/// What the numbers say.
pub fn findings(document: &Document, series: &[Series]) -> Vec<String> {
    let from_s = document.scenario.duration_s - document.measured_s();
    let limited = document.limited_by_windows();
    let limiting = port(document);
    let document = &*document.after_warmup();
    let flows = &document.summary.flows;
    let mut findings = Vec::new();
    findings.extend(limited);
    findings.extend(capacity(document, series, from_s));
    findings.extend(shares(flows, document.summary.fairness.as_ref()));
    findings.extend(limiting.and_then(|limiting| queue(document, limiting)));
    findings.extend(losses(document));
    findings.extend(losses_on_links(document));
    findings.extend(udp(document));
    findings.extend(repetitions(document));
    findings.extend(timeouts(flows));
    findings.extend(seeds(document));
    findings.extend(settling(series, from_s));
    findings
}

/// What makes the numbers say less than they seem to.
pub fn warnings(document: &Document) -> Vec<String> {
    let mut warnings = document.scenario.warnings.clone();
    let (finished, wanted) = (document.runs.len(), document.seeds.len());
    if finished < wanted {
        warnings.push(format!(
            "Only {finished} of {} finished: the command was interrupted. The same command resumes where it stopped.",
            plural(wanted, "run")
        ));
    }
    if document.result_version != RESULT_VERSION {
        warnings.push(format!(
            "Computed with result version {}; this program has result version {RESULT_VERSION} and could give other \
             numbers.",
            document.result_version
        ));
    }
    let short = document.runs.iter().filter(|run| run.simulated_s < document.scenario.duration_s * 0.999_999).count();
    if short > 0 {
        warnings.push(format!("{} ended before the duration of the scenario.", plural(short, "run")));
    }
    if document.scenario.warmup_s > 0.0 && !document.leaves_out_warmup() {
        warnings.push("The numbers include the warm-up: these runs have no numbers without it.".into());
    }
    let document = &*document.after_warmup();
    let idle: Vec<&str> = flows_where(document, |flow| flow.goodput_bps.max == 0.0);
    if !idle.is_empty() {
        warnings.push(format!("{} delivered nothing: {}.", plural(idle.len(), "flow"), some(&idle)));
    }
    let wide = flows_where(document, |flow| relative(&flow.goodput_bps).is_some_and(|relative| relative > 0.5));
    if !wide.is_empty() {
        warnings.push(format!(
            "The confidence interval of the goodput is wider than half its mean either way for {}: more seeds would say \
             more.",
            some(&wide)
        ));
    }
    warnings
}

/// What the numbers leave out, though each of them can be trusted.
pub fn remarks(document: &Document) -> Vec<String> {
    let mut remarks = Vec::new();
    if document.runs.len() == 1 {
        remarks.push("One seed: no confidence intervals (--seeds 5 or more).".into());
    }
    if document.summary.efficiency.is_none() {
        remarks.push("No bottleneck is named, so there is no efficiency.".into());
    }
    remarks
}

fn capacity(document: &Document, series: &[Series], from_s: f64) -> Option<String> {
    let bottleneck = document.scenario.bottleneck.as_ref()?;
    let efficiency = document.summary.efficiency?;
    let unused = (1.0 - efficiency.mean).max(0.0);
    let mut text = format!(
        "{} of the {} of payload that {} can carry was not used for new data.",
        percent(unused),
        quantity(bottleneck.capacity_bps, "bit/s"),
        bottleneck.link
    );
    if let Some(busy) = busy_share(series, &bottleneck.link, from_s) {
        text += &format!(" It was idle for {} of the time.", percent((1.0 - busy).max(0.0)));
    }
    Some(text)
}

/// The share of the time from `from_s` on in which a port transmits, where that was recorded.
fn busy_share(series: &[Series], port: &str, from_s: f64) -> Option<f64> {
    let recorded = series.iter().find(|series| series.metric == Metric::Utilisation && series.of == port)?;
    let Columns::Intervals { interval, end, mean, .. } = &recorded.columns else { return None };
    let (length, end) = (interval.as_secs_f64(), end.as_secs_f64());
    if mean.is_empty() || end <= from_s {
        return None;
    }
    // The last interval may be shorter; of that in which the time begins, a part counts.
    let busy = mean.iter().enumerate().map(|(n, share)| {
        let (begins, ends) = (n as f64 * length, (n + 1) as f64 * length);
        share * (ends.min(end) - begins.max(from_s)).max(0.0)
    });
    Some(busy.sum::<f64>() / (end - from_s))
}

/// When the sum of the throughputs settles, in seconds (MSER-5), where they were recorded over intervals: 0 if that is at once; `None` if
/// that cannot be told.
pub fn settles_s(series: &[Series]) -> Option<f64> {
    let mut sum: Vec<f64> = Vec::new();
    let mut length_s = 0.0;
    for series in series.iter().filter(|series| series.metric == Metric::Throughput) {
        let Columns::Intervals { interval, mean, .. } = &series.columns else { return None };
        length_s = interval.as_secs_f64();
        sum.resize(sum.len().max(mean.len()), 0.0);
        sum.iter_mut().zip(mean.iter()).for_each(|(sum, mean)| *sum += mean);
    }
    Some(mser5(&sum)? as f64 * length_s)
}

/// What is said of a start that is no part of the rest, where no warm-up is left out.
fn settling(series: &[Series], from_s: f64) -> Option<String> {
    let settles_s = settles_s(series).filter(|settles_s| *settles_s > 0.0 && from_s == 0.0)?;
    Some(format!(
        "The sum of the throughputs settles after about {} (MSER-5, in the run of the plots): `warmup` of that length \
         would leave the start out of all numbers.",
        quantity(settles_s, "s")
    ))
}

fn shares(flows: &[FlowSummary], fairness: Option<&Interval>) -> Option<String> {
    let total: f64 = flows.iter().map(|flow| flow.goodput_bps.mean).sum();
    if flows.len() < 2 || total <= 0.0 {
        return None;
    }
    let by_goodput = |a: &&FlowSummary, b: &&FlowSummary| a.goodput_bps.mean.total_cmp(&b.goodput_bps.mean);
    let (most, least) = (flows.iter().max_by(by_goodput)?, flows.iter().min_by(by_goodput)?);
    let of = |flow: &FlowSummary| {
        let goodput = flow.goodput_bps.mean;
        format!("{} ({} of all)", quantity(goodput, "bit/s"), percent(goodput / total))
    };
    if most.goodput_bps.mean == least.goodput_bps.mean {
        return Some(format!("All {} have the same goodput: {} each.", flows.len(), of(most)));
    }
    let fairness = fairness.map(|f| format!(" Jain's fairness index is {}.", fixed(f.mean, 4))).unwrap_or_default();
    Some(format!(
        "{} has the largest goodput, {}; {} the smallest, {}.{fairness}",
        most.name,
        of(most),
        least.name,
        of(least)
    ))
}

/// What waited at the port that limits.
fn queue(document: &Document, name: &str) -> Option<String> {
    let summary = document.summary.ports.iter().find(|port| port.name == name)?;
    if summary.max_queue.max == 0.0 {
        return Some(format!("No unit waited at {name}."));
    }
    let ports = document.runs.iter().filter_map(|run| Some((run, run.ports.iter().find(|port| port.name == name)?)));
    let delays: Vec<f64> = ports.filter_map(|(run, port)| queueing_delay(port, run.simulated_s)).collect();
    let unit = &document.scenario.unit;
    let mut text = format!(
        "The queue at {name} had {} {unit} on average and {} at most{}",
        fixed(summary.mean_queue.mean, 1),
        fixed(summary.max_queue.max, 0),
        if document.scenario.warmup_s > 0.0 { " (warm-up included)" } else { "" }
    );
    if !delays.is_empty() {
        let delay = delays.iter().sum::<f64>() / delays.len() as f64;
        text += &format!("; the mean waiting time was {}", quantity(delay, "s"));
    }
    Some(text + ".")
}

/// How much was dropped where it was most, and why.
fn losses(document: &Document) -> Option<String> {
    let ports = &document.summary.ports;
    let total: f64 = ports.iter().map(|port| port.drops.total.mean).sum();
    if ports.is_empty() {
        return None;
    }
    if total == 0.0 {
        return Some("No port dropped a unit.".into());
    }
    let worst = ports.iter().max_by(|a, b| a.drops.total.mean.total_cmp(&b.drops.total.mean))?;
    let share = if worst.arrivals.mean > 0.0 { worst.drops.total.mean / worst.arrivals.mean } else { 0.0 };
    let elsewhere = total - worst.drops.total.mean;
    let elsewhere = if elsewhere > 0.0 { format!(" Other ports dropped {}.", count(elsewhere)) } else { String::new() };
    Some(format!(
        "{} dropped {} of {} {} ({}): {}.{elsewhere}",
        worst.name,
        count(worst.drops.total.mean),
        count(worst.arrivals.mean),
        document.scenario.unit,
        percent(share),
        reasons(worst, document.counts_cells())
    ))
}

/// One of the reasons for which links lose packets.
type OfLosses = fn(&LinkLosses<Interval>) -> &Interval;

/// How packets are lost on links.
const HOW_LOST: [(OfLosses, &str); 5] = [
    (|lost| &lost.corrupted, "corrupted"),
    (|lost| &lost.outage, "at outages"),
    (|lost| &lost.no_route, "for lack of a route"),
    (|lost| &lost.no_receiver, "on links without a far end"),
    (|lost| &lost.ttl, "by their time to live"),
];

/// What links lost of what their ports accepted.
fn losses_on_links(document: &Document) -> Option<String> {
    let lossy = LinkSummary::lossy(&document.summary.links);
    let worst = lossy.first()?;
    let total: f64 = lossy.iter().map(|link| link.lost()).sum();
    let sum = |of: OfLosses| lossy.iter().map(|link| of(&link.lost).mean).sum::<f64>();
    let reasons: Vec<(f64, &str)> = HOW_LOST.iter().map(|(of, how)| (sum(*of), *how)).collect();
    let reasons: Vec<&(f64, &str)> = reasons.iter().filter(|(lost, _)| *lost > 0.0).collect();
    let how = match reasons[..] {
        [(_, how)] => format!("all {how}"),
        _ => reasons.iter().map(|(lost, how)| format!("{} {how}", count(*lost))).collect::<Vec<_>>().join(", "),
    };
    let most = if lossy.len() > 1 { format!("; most by {}", worst.name) } else { format!(" by {}", worst.name) };
    Some(format!("{} packets were lost on links{most}: {how}.", count(total)))
}

/// How much of the datagrams arrived.
fn udp(document: &Document) -> Option<String> {
    let sources = &document.summary.udp;
    let sum = |number: fn(&UdpSummary) -> f64| sources.iter().map(number).sum::<f64>();
    let (sent, lost) = (sum(|source| source.counts.sent.mean), sum(|source| source.counts.lost.mean));
    if sent == 0.0 {
        return None;
    }
    Some(format!(
        "{} sent {} UDP datagrams, of which {} were lost ({}).",
        plural(sources.len(), "source"),
        count(sent),
        count(lost),
        percent(lost / sent)
    ))
}

fn reasons(port: &PortSummary, cells: bool) -> String {
    let reasons = [
        (port.drops.by_reason.overflow.mean, "because the buffer was full"),
        (port.drops.by_reason.partial_frame.mean, "because their frame had lost an earlier cell"),
        (
            port.drops.by_reason.policy.mean,
            if cells { "because the policy refused their frame" } else { "by the policy" },
        ),
        (port.drops.by_reason.outage.mean, "because their link went down"),
    ];
    // What is left may be nothing but rounding.
    let occurring: Vec<&(f64, &str)> = reasons.iter().filter(|(drops, _)| *drops > 1e-6).collect();
    match occurring[..] {
        [(_, reason)] => format!("all {reason}"),
        _ => {
            occurring.iter().map(|(drops, reason)| format!("{} {reason}", count(*drops))).collect::<Vec<_>>().join(", ")
        }
    }
}

fn repetitions(document: &Document) -> Option<String> {
    let runs = document.runs.len() as f64;
    let flows = || document.runs.iter().flat_map(|run| &run.flows);
    let sum = |number: fn(&ackclock_store::document::Flow) -> u64| flows().map(number).sum::<u64>() as f64 / runs;
    let (sent, again) = (sum(|flow| flow.counts.segments_sent), sum(|flow| flow.counts.retransmissions));
    if sent == 0.0 {
        return None;
    }
    if again == 0.0 {
        return Some("No segment was sent twice.".into());
    }
    let unnecessary = sum(|flow| flow.counts.unnecessary_retransmissions);
    let unnecessary = match unnecessary {
        0.0 => "all of them were necessary".into(),
        some => format!("the receiver had {} of them already", count(some)),
    };
    Some(format!(
        "{} of {} segments were retransmissions ({}); {unnecessary}.",
        count(again),
        count(sent),
        percent(again / sent)
    ))
}

fn timeouts(flows: &[FlowSummary]) -> Option<String> {
    let total: f64 = flows.iter().map(|flow| flow.counts.timeouts.mean).sum();
    if flows.is_empty() {
        return None;
    }
    if total == 0.0 {
        return Some("No retransmission timer expired.".into());
    }
    let most = flows.iter().max_by(|a, b| a.counts.timeouts.mean.total_cmp(&b.counts.timeouts.mean))?;
    let affected = flows.iter().filter(|flow| flow.counts.timeouts.mean > 0.0).count();
    Some(format!(
        "Retransmission timers expired {} times per run, in {affected} of {}; most often in {} ({} times).",
        count(total),
        plural(flows.len(), "flow"),
        most.name,
        count(most.counts.timeouts.mean)
    ))
}

fn seeds(document: &Document) -> Option<String> {
    let runs = &document.runs;
    if runs.len() < 2 {
        return None;
    }
    if runs.iter().all(|run| run.fingerprint == runs[0].fingerprint) {
        return Some("The seeds have no effect: all runs are equal to the bit.".into());
    }
    let total = document.summary.goodput_bps.as_ref().and_then(relative)?;
    let most = document.summary.flows.iter().filter_map(|flow| Some((relative(&flow.goodput_bps)?, &flow.name)));
    let most = most.max_by(|a, b| a.0.total_cmp(&b.0));
    let flow = most
        .filter(|_| document.summary.flows.len() > 1)
        .map(|(relative, name)| format!(", that of one flow up to ±{} ({name})", percent(relative)));
    Some(format!(
        "The seeds have an effect: the total goodput is known to ±{}{}.",
        percent(total),
        flow.unwrap_or_default()
    ))
}

/// Half the width of the interval, relative to the mean.
fn relative(interval: &Interval) -> Option<f64> {
    interval.ci95.filter(|_| interval.mean > 0.0).map(|half| half / interval.mean)
}

fn flows_where(document: &Document, wanted: impl Fn(&FlowSummary) -> bool) -> Vec<&str> {
    document.summary.flows.iter().filter(|flow| wanted(flow)).map(|flow| flow.name.as_str()).collect()
}

/// The first few names.
fn some(names: &[&str]) -> String {
    let shown = names[..names.len().min(5)].join(", ");
    if names.len() > 5 { format!("{shown} and {} more", names.len() - 5) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::record::PerInterval;
    use ackclock::units::{Span, Time};
    use ackclock_store::document::example::{example, example_with_warmup};
    use ackclock_store::document::summary::SummaryPart;

    fn text(document: &Document) -> String {
        findings(document, &[]).join("\n")
    }

    #[test]
    fn the_flows_with_most_and_least_are_named() {
        // Seeds 1 to 3: f1 gets 1.2, f2 2.2, f3 3.2 Mb/s in the mean, of 6.6.
        let text = text(&example(3, 2, 3));
        assert!(
            text.contains(
                "f3 has the largest goodput, 3.20 Mb/s (48.5 % of all); f1 the smallest, 1.20 Mb/s (18.2 % of all)"
            ),
            "{text}"
        );
    }

    #[test]
    fn what_the_link_did_not_use_is_said() {
        // Efficiencies 0.81, 0.82, 0.83.
        assert!(text(&example(1, 1, 3)).contains("18.0 % of the 100 Mb/s of payload that sw1->sw2 can carry"));
        let columns = Columns::Intervals {
            interval: Span::from_secs(4),
            end: Time::from_ps(10_000_000_000_000),
            min: vec![0.0; 3].into(),
            mean: vec![1.0, 0.5, 0.0].into(),
            max: vec![1.0; 3].into(),
        };
        let series = Series { metric: Metric::Utilisation, of: "sw1->sw2".into(), vc: None, columns };
        // 4 s · 1 + 4 s · 0.5 + 2 s · 0 of 10 s; without the first half second 5.5 s of 9.5 s.
        assert!(findings(&example(1, 1, 3), std::slice::from_ref(&series))[0].contains("idle for 40.0 % of the time"));
        assert!(findings(&example_with_warmup(1, 1, 3), &[series])[0].contains("idle for 42.1 % of the time"));
    }

    #[test]
    fn a_start_that_is_no_part_of_the_rest_is_said_unless_it_is_left_out() {
        // Two flows, of which one begins after 2 s: of 100 intervals of 0.1 s the sum of the first 20 is half of the others.
        let flow = |name: &str, quiet: usize| {
            let mean: PerInterval = (0..100).map(|n| if n < quiet { 0.0 } else { 1e6 }).collect();
            let (interval, end) = (Span::from_ms(100), Time::from_ps(10_000_000_000_000));
            let columns = Columns::Intervals { interval, end, min: mean.clone(), max: mean.clone(), mean };
            Series { metric: Metric::Throughput, of: name.into(), vc: None, columns }
        };
        let said = |document: &Document, quiet| {
            findings(document, &[flow("f1", 0), flow("f2", quiet)]).into_iter().find(|text| text.contains("MSER-5"))
        };
        assert!(said(&example(2, 1, 3), 20).unwrap().contains("settles after about 2.00 s"));
        assert_eq!((said(&example(2, 1, 3), 0), said(&example(2, 1, 3), 70)), (None, None));
        assert_eq!(said(&example_with_warmup(2, 1, 3), 20), None);
    }

    #[test]
    fn drops_are_told_by_reason() {
        // Port 1 refuses 4 + 3 + 3 of 1000 units.
        let text = text(&example(1, 2, 1));
        assert!(text.contains("sw1->sw2 dropped 10 of 1000 cells (1.0 %): 4 because the buffer was full, 3"), "{text}");
        assert!(self::text(&example(1, 1, 1)).contains("No port dropped a unit."));
    }

    /// 4 + 3 refused of 7; of packets the policy refuses no frames.
    #[test]
    fn frames_are_a_matter_of_cells() {
        let mut document = example(1, 2, 1);
        document.scenario.unit = "packets".into();
        for port in &mut document.runs[0].ports {
            port.drops.total -= port.drops.by_reason.partial_frame;
            port.drops.by_reason.partial_frame = 0;
        }
        let drops = &mut document.runs[0].ports[1].drops;
        drops.total += 2;
        drops.by_reason.outage += 2;
        document.summary = SummaryPart::of(&document.runs);
        let text = text(&document);
        let reasons = "4 because the buffer was full, 3 by the policy, 2 because their link went down";
        assert!(text.contains(&format!("sw1->sw2 dropped 9 of 1000 packets (0.90 %): {reasons}.")), "{text}");
    }

    #[test]
    fn equal_fingerprints_mean_that_seeds_do_not_matter() {
        let mut document = example(2, 1, 2);
        assert!(text(&document).contains("The seeds have no effect"));
        document.runs[1].fingerprint = "0000000000000001".into();
        assert!(text(&document).contains("The seeds have an effect"));
    }

    #[test]
    fn retransmissions_and_timeouts_are_counted_per_run() {
        // Two flows, seeds 1 to 3: 2, 4, 6 retransmissions of 8 segments each, 6 timeouts in each run.
        let text = text(&example(2, 1, 3));
        assert!(text.contains("4 of 8 segments were retransmissions (50.0 %); the receiver had 2"), "{text}");
        assert!(text.contains("expired 6 times per run, in 2 of 2 flows"), "{text}");
    }

    #[test]
    fn a_sound_result_has_no_warning() {
        assert_eq!(warnings(&example_with_warmup(2, 1, 9)), Vec::<String>::new());
    }

    #[test]
    fn weak_results_are_warned_of() {
        let warned = |change: fn(&mut Document)| {
            let mut document = example(2, 1, 2);
            change(&mut document);
            document.summary = SummaryPart::of(&document.runs);
            warnings(&document).join("\n")
        };
        assert!(warned(|d| d.runs.truncate(1)).contains("Only 1 of 2 runs finished"));
        assert!(warned(|d| d.result_version += 1).contains("could give other numbers"));
        assert!(warned(|d| d.runs[0].simulated_s = 3.0).contains("1 run ended before"));
        assert!(warned(|d| d.runs.iter_mut().for_each(|run| run.flows[1].goodput_bps = 0.0)).contains("f2"));
        assert!(warned(|d| d.runs[0].flows[0].goodput_bps = 9e6).contains("more seeds would say more"));
    }

    /// Their numbers can be trusted.
    #[test]
    fn one_seed_and_no_bottleneck_are_remarks() {
        let mut document = example_with_warmup(2, 1, 1);
        assert_eq!(remarks(&document), ["One seed: no confidence intervals (--seeds 5 or more)."]);
        document.runs[0].efficiency = None;
        document.summary = SummaryPart::of(&document.runs);
        assert_eq!((remarks(&document).len(), warnings(&document).len()), (2, 0));
    }

    #[test]
    fn an_empty_result_is_no_problem() {
        assert!(!warnings(&example(0, 0, 0)).is_empty());
        findings(&example(0, 0, 1), &[]);
        findings(&example(0, 0, 0), &[]);
    }
}
