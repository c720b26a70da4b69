//! `ackclock quick`: which TCP over this path? A comparison without a file.

use std::path::{Path, PathBuf};

use ackclock::queue::packet;
use ackclock::record::stats;
use ackclock::record::{Columns, Metric, Records, Series};
use ackclock::scenario::{Buffer, Scenario};
use ackclock::sim::Engine;
use ackclock::tcp::{cc, recovery};
use ackclock::units::{Rate, Span, Time};
use ackclock_report as page;
use ackclock_report::compare::Entry;
use ackclock_report::terminal::{self, Letters, Line};
use ackclock_run::Wanted;
use ackclock_scenario::{Argument, LoadError, Loaded, Memory, NOT_MODELLED_PAGE};
use ackclock_store::comparison::Comparison;
use ackclock_store::document::interval::Interval;
use ackclock_store::document::{Document, Run, ScenarioPart};

use crate::args::QuickArgs;
use crate::diagnostics::plural;
use crate::failure::{Exit, Failure};
use crate::table::{align, half_width};
use crate::{console, diagnostics, interrupt, list, report, seeds, spelling};

/// Runs every TCP over the path and compares them.
pub fn quick(args: &QuickArgs, command: Vec<String>) -> Result<Exit, Failure> {
    let variants = variants(args)?;
    let out = args.out.clone().unwrap_or_else(|| default_path(&variants));
    let mut shown = Vec::new();
    for variant in variants {
        let path = out.join(variant.name);
        match variant.run(&path, &command, args.seeds)? {
            Some(result) => shown.push(result),
            None => {
                console::note(format_args!("interrupted: finished runs are kept in {}", out.display()));
                return Ok(Exit::Interrupted);
            }
        }
    }
    let page = match &shown[..] {
        [one] => page::run::run(&one.document, one.document.runs[0].seed, &one.series),
        several => {
            let seconds = several[0].document.scenario.duration_s;
            let buffer = QuickPath::of(args).map_or("", |path| path.buffer(args));
            let path = format!("{}, RTT {}, buffer {buffer}, {seconds} s", args.rate, args.rtt);
            page::compare::compare_over(&entries(several), &DRAWN, &path)
        }
    };
    let path = out.join("report.html");
    // Whatever becomes of the file: the numbers have been computed and are shown.
    let written = report::write(&path, &page);
    console::print(&match args.json {
        true => Comparison::of(&results(&shown)).to_json(),
        false => format!("{}\n{}", table(args, &shown), chart(&shown)),
    })?;
    written?;
    console::note(format_args!("report in {}", path.display()));
    Ok(Exit::Fine)
}

/// One TCP over the path.
struct Variant {
    /// What it was called on the command line.
    name: &'static str,
    loaded: Loaded,
}

/// What came out for one TCP.
struct Shown {
    name: &'static str,
    document: Document,
    /// Mean round trip over all runs, seconds.
    rtt: Option<f64>,
    /// What the first seed recorded.
    series: Vec<Series>,
}

/// A TCP that can be compared.
struct Tcp {
    /// Its name on the command line.
    name: &'static str,
    /// What scenario files call its recovery; `None`: that of the dialect or of congestion control, which have SACK, or
    /// RFC 6675.
    recovery: Option<&'static str>,
    /// What they call its congestion control.
    congestion_control: &'static str,
}

/// What a recovery is called here, where that is shorter.
const SHORT_NAMES: [(&str, &str); 2] = [("new-reno", "newreno"), ("rfc6675", "sack")];
/// The congestion control of those that are called after their recovery.
const RENO: &str = "reno";

/// The recoveries, with the windows of Reno; then the congestion controls, with the recovery that is part of them, or SACK.
fn tcps() -> Vec<Tcp> {
    let recoveries = recovery::ALL.iter().filter(|algorithm| !algorithm.needs.fine_timeouts);
    let of_recovery = |algorithm: &recovery::Algorithm| {
        let short = SHORT_NAMES.iter().find(|(name, _)| *name == algorithm.name);
        let name = short.map_or(algorithm.name, |(_, short)| short);
        Tcp { name, recovery: Some(algorithm.name), congestion_control: RENO }
    };
    let congestion_controls = cc::ALL.iter().filter(|algorithm| algorithm.name != RENO);
    let of_congestion_control = |algorithm: &cc::Algorithm| {
        let own = algorithm.usual_recovery.filter(|usual| usual.instead_of_sack.is_none());
        let recovery = own.map(|usual| usual.name);
        Tcp { name: algorithm.name, recovery, congestion_control: algorithm.name }
    };
    recoveries.map(of_recovery).chain(congestion_controls.map(of_congestion_control)).collect()
}

impl Tcp {
    /// By its name, or by what scenario files call its recovery.
    fn named(wanted: &str) -> Option<Tcp> {
        let by_recovery = |tcp: &Tcp| tcp.congestion_control == RENO && tcp.recovery == Some(wanted);
        tcps().into_iter().find(|tcp| tcp.name == wanted).or_else(|| tcps().into_iter().find(by_recovery))
    }

    /// The line that says its recovery, where neither its dialect nor its congestion control does.
    fn recovery_line(&self, dialect: &str) -> String {
        let has_usual = cc::Algorithm::named(self.congestion_control).is_some_and(|own| own.usual_recovery.is_some());
        let otherwise = if dialect == STANDARD || has_usual { None } else { Some("rfc6675") };
        self.recovery.or(otherwise).map_or(String::new(), |recovery| format!("recovery = \"{recovery}\"\n"))
    }
}

/// The names for completions.
pub fn tcp_names() -> Vec<String> {
    tcps().iter().map(|tcp| tcp.name.to_owned()).collect()
}

/// What the help says of the TCPs that can be compared.
pub fn tcp_help() -> String {
    let names = |is_wanted: &dyn Fn(&Tcp) -> bool| {
        let tcps = tcps();
        let wanted: Vec<&str> = tcps.iter().filter(|tcp| is_wanted(tcp)).map(|tcp| tcp.name).collect();
        wanted.join(", ")
    };
    format!(
        "The TCPs to compare: {} (recoveries, with the congestion control of Reno); {} (congestion controls, with SACK); {} (both)",
        names(&|tcp| tcp.congestion_control == RENO),
        names(&|tcp| tcp.congestion_control != RENO && tcp.recovery.is_none()),
        names(&|tcp| tcp.congestion_control != RENO && tcp.recovery.is_some()),
    )
}

/// The policies of packets, for completions.
pub fn queue_names() -> Vec<String> {
    packet::POLICIES.iter().map(|policy| policy.name.to_owned()).collect()
}

/// What the help says of them.
pub fn queue_help() -> String {
    format!("The drop policy of that buffer: {}", queue_names().join(", "))
}

/// The dialects, for completions.
pub fn dialect_names() -> Vec<String> {
    list::words_of("dialect")
}

fn variants(args: &QuickArgs) -> Result<Vec<Variant>, Failure> {
    let path = QuickPath::of(args)?;
    let mut variants: Vec<Variant> = Vec::new();
    for wanted in &args.tcp {
        let tcp = Tcp::named(wanted).ok_or_else(|| unknown_tcp(wanted))?;
        if variants.iter().all(|variant| variant.name != tcp.name) {
            variants.push(Variant { name: tcp.name, loaded: load(args, &path, &tcp)? });
        }
    }
    // What is wrong with the path is wrong for every TCP.
    let mut warnings = Vec::new();
    for warning in variants.iter().flat_map(|variant| &variant.loaded.warnings) {
        if !warnings.contains(warning) {
            warnings.push(warning.clone());
        }
    }
    diagnostics::print(&warnings);
    Ok(variants)
}

fn unknown_tcp(wanted: &str) -> Failure {
    let known = tcp_names();
    if let Some(name) = ackclock_scenario::not_modelled(wanted) {
        let help = format!("not modelled: {name}; {NOT_MODELLED_PAGE} lists what is not modelled");
        return Failure::usage(format_args!("unknown TCP `{wanted}`"), help);
    }
    let help = match spelling::nearest(wanted, known.iter().map(String::as_str)) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known: {}", known.join(", ")),
    };
    Failure::usage(format_args!("unknown TCP `{wanted}`"), help)
}

fn quantity<T>(option: &str, text: &str, read: fn(&str) -> Result<T, String>) -> Result<T, Failure> {
    read(text).map_err(|why| Failure::usage(format_args!("{option} {text}: {why}"), "as in --rate 2Mbps --rtt 550ms"))
}

/// The path that is asked for.
struct QuickPath {
    rate: Rate,
    rtt: Span,
    /// The share of data packets that are lost.
    loss: f64,
}

impl QuickPath {
    fn of(args: &QuickArgs) -> Result<QuickPath, Failure> {
        let rate = quantity("--rate", &args.rate, ackclock_scenario::rate)?;
        let rtt = quantity("--rtt", &args.rtt, ackclock_scenario::time)?;
        if rtt < SHORTEST {
            return Err(Failure::usage(format_args!("--rtt {} is too short", args.rtt), "give 10 us or more"));
        }
        if rtt > LONGEST {
            return Err(Failure::usage(format_args!("--rtt {} is too long", args.rtt), "give 1 h or less"));
        }
        if rate.as_bps() > FASTEST_BPS {
            return Err(Failure::usage(format_args!("--rate {} is too fast", args.rate), "give 1 Tbps or less"));
        }
        let loss = args.loss.as_deref().map_or(Ok(0.0), share);
        let loss = loss.map_err(|why| {
            let given = args.loss.as_deref().unwrap_or_default();
            Failure::usage(
                format_args!("--loss {given}: {why}"),
                "as in --loss 0.1%, or --loss 0.001, which is the same",
            )
        })?;
        Ok(QuickPath { rate, rtt, loss })
    }

    /// The buffer that is asked for, or one bandwidth-delay product with room for a few packets of a short or slow path.
    fn buffer<'a>(&self, args: &'a QuickArgs) -> &'a str {
        let bdp_bits = u128::from(self.rate.as_bps()) * u128::from(self.rtt.as_ps()) / 1_000_000_000_000;
        args.buffer.as_deref().unwrap_or(if bdp_bits < 8 * 15_120 { "10 packets" } else { "1bdp" })
    }

    /// As a scenario: fast links to two routers, and the slow, long one between them.
    fn scenario(&self, args: &QuickArgs, tcp: &Tcp, receive_window: Option<u64>) -> String {
        let QuickPath { rate, rtt, loss } = self;
        let access_ps = (rtt.as_ps() / 100).min(ONE_MS);
        let trunk_ps = rtt.as_ps() / 2 - 2 * access_ps;
        let access_bps = rate.as_bps().saturating_mul(10).clamp(100_000_000, 1_000_000_000_000).max(rate.as_bps());
        let interval_ps = (*rtt).max(SHORTEST_INTERVAL).as_ps();
        let window = receive_window.map_or(String::new(), |bytes| format!("receive_window = \"{bytes} B\"\n"));
        // The timer of the standard dialect has no ticks whose phase could matter.
        let phase = if args.dialect == STANDARD { "" } else { "tick_phase = \"random\"\n" };
        // Flows that begin at one instant stay in step: who loses would be the same under every seed.
        let jitter = format!("[traffic]\nstart_jitter = \"{} ps\"\n", rtt.as_ps());
        let errors = format!("[link.\"{BOTTLENECK}\"]\nerrors = {{ model = \"uniform\", rate = {loss:?} }}\n");
        format!(
            "name = \"quick-{}\"\nduration = \"{} s\"\nrecord = [\"tcp\", \"ports\"]\n\
             record_interval = \"{interval_ps} ps\"\n\
             [network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = {}\naccess_rate = \"{access_bps} bps\"\n\
             access_delay = \"{access_ps} ps\"\nbottleneck_rate = \"{} bps\"\nbottleneck_delay = \"{trunk_ps} ps\"\n\
             [tcp]\n{}congestion_control = \"{}\"\n{phase}{window}{}{}",
            tcp.name,
            default_duration_s(*rtt),
            args.flows,
            rate.as_bps(),
            tcp.recovery_line(&args.dialect),
            tcp.congestion_control,
            if args.flows > 1 { jitter.as_str() } else { "" },
            if *loss > 0.0 { errors.as_str() } else { "" },
        )
    }
}

/// Reads a share, as in "0.1%" or "0.001".
fn share(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let (number, whole) = match text.strip_suffix('%') {
        Some(number) => (number.trim_end(), 100.0),
        None => (text, 1.0),
    };
    let number: f64 = number.parse().map_err(|_| "expected a share".to_owned())?;
    match number / whole {
        share if (0.0..=1.0).contains(&share) => Ok(share),
        share if whole == 1.0 && (1.0..=100.0).contains(&share) => Err(format!("more than 100 %; write {number}%")),
        _ => Err("a share is between 0 and 100 %".to_owned()),
    }
}

/// The scenario of one TCP. Its receive window is two bandwidth-delay products and the buffer, which follow from all that
/// is said about the path.
fn load(args: &QuickArgs, path: &QuickPath, tcp: &Tcp) -> Result<Loaded, Failure> {
    let option = |option, key, value| Argument { option, key, value };
    let mut arguments = vec![
        option("--buffer", &["queue", "buffer"][..], path.buffer(args)),
        option("--queue", &["queue", "policy"], &args.queue),
        option("--dialect", &["tcp", "dialect"], &args.dialect),
    ];
    arguments.extend(args.jitter.as_deref().map(|value| option("--jitter", &["link", BOTTLENECK, "jitter"], value)));
    arguments.extend(args.duration.as_deref().map(|value| option("--duration", &["duration"], value)));
    let load = |receive_window| {
        let files = Memory::new().with(FILE, path.scenario(args, tcp, receive_window));
        ackclock_scenario::load_with(&files, FILE, &arguments, &args.set).map_err(|error| match error {
            LoadError::Invalid(diagnostics) => Failure::Scenario { diagnostics, consequence: Some("nothing was run") },
            LoadError::Unreadable { error, .. } => Failure::defect(error),
        })
    };
    load(Some(receive_window(&load(None)?.scenario)))
}

/// Two bandwidth-delay products and the buffer: what is under way at most, and as much again while a loss is repaired. At
/// least what needs no window scaling, at most what TCP can say.
fn receive_window(scenario: &Scenario) -> u64 {
    let (Some(flow), Some(link)) =
        (scenario.flows.iter().next(), scenario.links.iter().find(|link| link.name == BOTTLENECK))
    else {
        return SMALLEST_WINDOW;
    };
    let round_trip = [&flow.forward, &flow.backward].into_iter().flat_map(|route| route.links());
    let longest = |link: &ackclock::scenario::Link| u128::from((link.delay + link.params.jitter).as_ps());
    let round_trip_ps: u128 = round_trip.map(|link| longest(&scenario.links[link])).sum();
    let bdp = u128::from(link.rate.as_bps()) * round_trip_ps / (8 * 1_000_000_000_000);
    // Datagrams have at most so many bytes more than their payload.
    let buffer = match link.queue.buffer {
        Buffer::Bytes(bytes) => u128::from(bytes),
        Buffer::Packets(packets) => u128::from(packets) * u128::from(flow.tcp.mss + 80),
        Buffer::Infinite | Buffer::Cells(_) => u128::from(LARGEST_WINDOW),
    };
    let wanted = u64::try_from(2 * bdp + buffer).unwrap_or(u64::MAX);
    wanted.clamp(SMALLEST_WINDOW, LARGEST_WINDOW)
}

/// Two hundred round trips, but neither less than half a minute nor more than ten.
fn default_duration_s(rtt: Span) -> u64 {
    ((200.0 * rtt.as_secs_f64()).ceil() as u64).clamp(30, 600)
}

fn default_path(variants: &[Variant]) -> PathBuf {
    let all: String = variants.iter().map(|variant| variant.loaded.resolved.as_str()).collect();
    Path::new("results").join(format!("quick-{}", &blake3::hash(all.as_bytes()).to_hex()[..8]))
}

impl Variant {
    /// Runs it under all seeds and keeps the result; `None` if it was interrupted.
    fn run(self, path: &Path, command: &[String], seeds: u32) -> Result<Option<Shown>, Failure> {
        let Loaded { scenario: network, seed: first, resolved, .. } = self.loaded;
        let scenario = ScenarioPart::of(&network, resolved);
        let mut folder = seeds::prepare(path, &scenario)?;
        let wanted = Wanted::of(&network, &scenario);
        let seeds: Vec<u64> = (first..first.saturating_add(u64::from(seeds))).collect();
        let keep = |records: Records| {
            let run = Run::from(&records);
            folder.keep_recorded(&wanted, &scenario, &run, &records)?;
            // Its numbers are nowhere else.
            interrupt::keep_finished();
            let rtt = mean_rtt(&records.series);
            let series = if records.seed == first { records.series } else { Vec::new() };
            Ok((run, rtt, series))
        };
        let (kept, failure) = seeds::run_all(network, seeds.iter().copied(), seeds.len(), Engine::default(), keep);
        if let Some(failure) = failure {
            return Err(failure);
        }
        let rtts: Vec<f64> = kept.iter().filter_map(|(_, rtt, _)| *rtt).collect();
        let (mut runs, mut series) = (Vec::new(), Vec::new());
        for (run, _, recorded) in kept {
            runs.push(run);
            series.extend(recorded);
        }
        let document = Document::new(command.to_vec(), scenario, seeds, runs);
        if !document.runs.is_empty() {
            seeds::write(&mut folder, &document)?;
            seeds::announce_captures(&wanted, &folder);
        }
        let rtt = stats::summarize(&rtts).map(|summary| summary.mean);
        Ok(document.complete.then_some(Shown { name: self.name, document, rtt, series }))
    }
}

/// The results as a comparison takes them.
fn entries(shown: &[Shown]) -> Vec<Entry> {
    let entry = |result: &Shown| Entry {
        label: result.name.to_owned(),
        document: result.document.clone(),
        series: result.series.clone(),
    };
    shown.iter().map(entry).collect()
}

fn results(shown: &[Shown]) -> Vec<(String, Document)> {
    shown.iter().map(|result| (result.name.to_owned(), result.document.clone())).collect()
}

fn columns(series: &[Series], metric: Metric) -> impl Iterator<Item = &Columns> {
    series.iter().filter(move |series| series.metric == metric).map(|series| &series.columns)
}

fn mean_rtt(series: &[Series]) -> Option<f64> {
    let values = columns(series, Metric::Rtt).flat_map(|columns| match columns {
        Columns::Points { value, .. } => value.as_slice(),
        _ => &[],
    });
    let values: Vec<f64> = values.copied().collect();
    stats::summarize(&values).map(|summary| summary.mean)
}

fn table(args: &QuickArgs, shown: &[Shown]) -> String {
    let first = &shown[0].document;
    let flows = if args.flows == 1 { "one flow".to_owned() } else { plural(args.flows as usize, "flow") };
    let title = format!(
        "{}, RTT {}, buffer {}: {flows} for {} s{}, {}\n{}\n",
        args.rate,
        args.rtt,
        QuickPath::of(args).map_or("", |path| path.buffer(args)),
        first.scenario.duration_s,
        first.warmup_words(),
        seeds(shown),
        assumptions(args, &first.scenario.resolved),
    );
    let header = ["TCP", "Mb/s", "+/- 95 %", "efficiency", "RTT ms", "rtx", "timeouts", "mean queue", "drops"];
    let mut rows = vec![header.map(String::from).to_vec()];
    if shown.iter().any(|result| result.document.summary.flows.len() > 1) {
        rows[0].push("fairness".into());
    }
    rows.extend(shown.iter().map(Shown::row));
    title + &align(rows)
}

/// The seeds in words, and whether they make any difference.
fn seeds(shown: &[Shown]) -> String {
    let seeds = plural(shown[0].document.seeds.len(), "seed");
    let alike = |result: &Shown| {
        let runs = &result.document.runs;
        runs.len() > 1 && runs.iter().all(|run| run.fingerprint == runs[0].fingerprint)
    };
    if shown.iter().all(alike) { format!("{seeds} without effect: nothing is random") } else { seeds }
}

/// What all of these TCPs are, and what else the path does.
fn assumptions(args: &QuickArgs, resolved: &str) -> String {
    let value = |key: &str| {
        let line = resolved.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
        line.unwrap_or_default().trim_matches('"').to_owned()
    };
    let limit = format!("{LARGEST_WINDOW} B");
    let window = match value("receive_window") {
        window if window == limit => format!("{window} (the maximum of TCP)"),
        window => window,
    };
    let mut parts = vec![format!("dialect {}", value("dialect")), format!("receive window {window}")];
    if args.flows > 1 {
        parts.push("flows begin at random within one round trip".to_owned());
    }
    let policy = value("policy");
    if policy != TAIL_DROP {
        parts.push(format!("queue {policy}"));
    }
    parts.extend(args.loss.as_ref().map(|loss| format!("loss of data {loss}")));
    parts.extend(args.jitter.as_ref().map(|jitter| format!("jitter of data up to {jitter}")));
    parts.join(", ")
}

impl Shown {
    fn row(&self) -> Vec<String> {
        let document = self.document.after_warmup();
        let summary = &document.summary;
        let number = |interval: &Option<Interval>, scale: f64, digits: usize| {
            interval.map_or("-".into(), |interval| format!("{:.digits$}", interval.mean * scale))
        };
        let sum =
            |of: fn(&ackclock_store::document::summary::FlowSummary) -> f64| summary.flows.iter().map(of).sum::<f64>();
        let port = summary.ports.iter().find(|port| port.name == BOTTLENECK);
        let mut row = vec![
            self.name.to_owned(),
            number(&summary.goodput_bps, 1e-6, 3),
            summary.goodput_bps.map_or("-".into(), |goodput| half_width(&goodput, 1e-6, 3)),
            number(&summary.efficiency, 1.0, 3),
            self.rtt.map_or("-".into(), |rtt| format!("{:.1}", rtt * 1e3)),
            format!("{:.1}", sum(|flow| flow.counts.retransmissions.mean)),
            format!("{:.1}", sum(|flow| flow.counts.timeouts.mean)),
            port.map_or("-".into(), |port| format!("{:.1}", port.mean_queue.mean)),
            port.map_or("-".into(), |port| format!("{:.1}", port.drops.total.mean)),
        ];
        if summary.flows.len() > 1 {
            row.push(number(&summary.fairness, 1.0, 3));
        }
        row
    }
}

/// The windows over time, all on one scale.
fn chart(shown: &[Shown]) -> String {
    let line = |result: &Shown| {
        let end = Time::ZERO + Span::from_ps((result.document.scenario.duration_s * 1e12) as u64);
        let cwnd = columns(&result.series, Metric::Cwnd).next();
        let values = cwnd.map_or(Vec::new(), |cwnd| terminal::averages(cwnd, end, CHART_WIDTH));
        Line { label: result.name.to_owned(), values }
    };
    let lines: Vec<Line> = shown.iter().map(line).collect();
    let title = format!("cwnd of f1 over {} s", shown[0].document.scenario.duration_s);
    terminal::chart(&title, &lines, letters(), |top| format!("{:.0} kB", top / 1000.0))
}

/// What the terminal can show, by what its language settings say.
fn letters() -> Letters {
    let setting =
        ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
    let unicode = setting.is_some_and(|value| value.to_lowercase().replace('-', "").contains("utf8"));
    if unicode { Letters::Blocks } else { Letters::Ascii }
}

/// The largest window that TCP can express (RFC 7323 §2.3), and the largest without scaling.
const LARGEST_WINDOW: u64 = 65_535 << 14;
const SMALLEST_WINDOW: u64 = 65_535;
/// What the file of the scenario would be called.
const FILE: &str = "quick.toml";
const STANDARD: &str = "standard";
const TAIL_DROP: &str = "tail-drop";
/// What the report draws.
const DRAWN: [Metric; 9] = [
    Metric::Cwnd,
    Metric::Ssthresh,
    Metric::Throughput,
    Metric::Rtt,
    Metric::Rto,
    Metric::Acknowledged,
    Metric::Sent,
    Metric::Retransmissions,
    Metric::Queue,
];
const BOTTLENECK: &str = "sw1->sw2";
const CHART_WIDTH: usize = 72;
const ONE_MS: u64 = 1_000_000_000;
/// Throughput and queue are shown per round trip: within one, all TCPs send in bursts. Not finer than this, or a plot of
/// half a minute would be nothing but packets.
const SHORTEST_INTERVAL: Span = Span::from_ms(100);
/// Shorter round trips leave nothing for the links between hosts and routers.
const SHORTEST: Span = Span::from_us(10);
/// What a scenario file may say of the interval of recordings, which is one round trip.
const LONGEST: Span = Span::from_secs(3600);
/// The fastest link of a scenario file.
const FASTEST_BPS: u64 = 1_000_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    use crate::args::Cli;

    #[test]
    fn every_recovery_and_every_congestion_control_of_scenario_files_can_be_compared() {
        for word in list::words_of("recovery") {
            assert!(tcps().iter().any(|tcp| tcp.recovery == Some(&word)), "recovery {word}");
        }
        for word in list::words_of("congestion_control") {
            assert!(tcps().iter().any(|tcp| tcp.congestion_control == word), "congestion control {word}");
        }
    }

    #[test]
    fn a_tcp_has_its_own_name_or_that_of_its_recovery() {
        let name = |wanted| Tcp::named(wanted).map(|tcp| (tcp.name, tcp.recovery, tcp.congestion_control));
        assert_eq!(name("new-reno"), Some(("newreno", Some("new-reno"), "reno")));
        assert_eq!(name("rfc6675"), Some(("sack", Some("rfc6675"), "reno")));
        assert_eq!(name("vegas"), Some(("vegas", Some("vegas"), "vegas")));
        assert_eq!(name("tahoe"), None);
    }

    #[test]
    fn a_share_is_a_percentage_or_a_number() {
        for (text, expected) in
            [("0.1%", 0.001), ("0.1 %", 0.001), ("0.001", 0.001), ("0", 0.0), ("100%", 1.0), ("1", 1.0)]
        {
            assert_eq!(share(text), Ok(expected), "{text}");
        }
        assert_eq!(share("5"), Err("more than 100 %; write 5%".to_owned()));
        for text in ["", "%", "few", "-1%", "101%", "nan", "inf", "1000"] {
            assert!(share(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_policy_of_packets_is_suggested_and_no_other() {
        for word in list::words_of("policy") {
            let file = "duration = \"1 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 1\n\
                        access_rate = \"9 Mbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"1 Mbps\"\nbottleneck_delay = \"9 ms\"\n";
            let files = Memory::new().with("a.toml", file);
            let is_of_packets = ackclock_scenario::load(&files, "a.toml", &[format!("queue.policy={word}")]).is_ok();
            assert_eq!(queue_names().contains(&word), is_of_packets, "{word}");
        }
    }

    #[test]
    fn the_help_names_every_tcp() {
        let mut cli = Cli::command();
        let help = cli.find_subcommand_mut("quick").unwrap().render_long_help().to_string();
        let tcps = tcp_names().into_iter();
        for name in tcps.chain(queue_names()).chain(dialect_names()) {
            assert!(help.split([' ', ',', '\n']).any(|word| word == name), "{name}: {help}");
        }
    }
}
