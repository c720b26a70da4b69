//! What the kernel does in another way than a scenario says, whatever it is set to.

use std::collections::BTreeMap;

use ackclock::scenario::{Flow, Scenario};
use ackclock::tcp::cc::CongestionAvoidance;
use ackclock::tcp::recovery::WindowReduction;
use ackclock::tcp::{
    AckPolicy, CongestionControlParams, FirstSegment, IdleReduction, OutOfOrder, RecoveryParams, SlowStartExit,
    SsthreshFrom, TcpParams, TimerKind, Undo, UndoResponse, WindowGrowth, WindowRules,
};
use ackclock::units::Span;

use super::kernel;

/// The differences in sentences, each once, with the flows that it is about.
pub fn of(scenario: &Scenario) -> Vec<String> {
    let mut all: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for flow in scenario.flows.iter() {
        for difference in of_flow(flow) {
            all.entry(difference).or_default().push(&flow.name);
        }
    }
    let count = scenario.flows.len();
    all.into_iter().map(|(difference, flows)| format!("{}: {difference}", named(&flows, count))).collect()
}

/// Flows in a sentence: all of them, or a few by their names.
fn named(flows: &[&str], count: usize) -> String {
    match flows {
        _ if flows.len() == count && count > 1 => "all flows".into(),
        [first, second, _, ..] => format!("flows {first}, {second} and {} more", flows.len() - 2),
        [first, second] => format!("flows {first} and {second}"),
        _ => format!("flow {}", flows.concat()),
    }
}

fn of_flow(flow: &Flow) -> Vec<String> {
    let mut all = of_recovery(&flow.tcp);
    all.extend(of_timers(&flow.tcp));
    all.extend(of_windows(&flow.tcp));
    all.extend(of_congestion_control(flow));
    let mut add = |differs: bool, text: &str| all.extend(differs.then(|| text.to_owned()));
    add(!flow.tcp.handshake, "`handshake = false`: Linux opens each connection with one");
    add(flow.tcp.header_bytes != 40, "`header`: the headers of Linux have 40 B and their options");
    add(flow.tcp.first_segment == FirstSegment::Empty, "`first_segment`: there is no empty first segment");
    add(flow.tcp.out_of_order == OutOfOrder::Discard, "`out_of_order`: Linux keeps segments that arrive out of order");
    add(flow.tcp.reading.is_some(), "`reads`: the receivers of live runs read at once");
    add(!flow.tcp.reneges_at.is_empty(), "`reneges_at`: the receivers of live runs keep what they have acknowledged");
    add(flow.tcp.sack.offset.is_some(), "`sack_option`: Linux has the SACK option of RFC 2018 only");
    add(
        flow.tcp.uses_sack() && flow.tcp.sack.standard_blocks != most_blocks(&flow.tcp),
        "`sack_blocks`: Linux reports as many blocks as fit, 3 beside timestamps and 4 without",
    );
    all
}

/// SACK blocks that have room in the header beside the other options.
fn most_blocks(tcp: &TcpParams) -> u8 {
    if tcp.timestamp_clock.is_some() { 3 } else { 4 }
}

fn of_recovery(tcp: &TcpParams) -> Vec<String> {
    let mut all = Vec::new();
    let name = tcp.recovery.name();
    match &tcp.recovery {
        RecoveryParams::Rack(_) => {}
        RecoveryParams::Rfc6675(_) => {
            all.push("`recovery = \"rfc6675\"`: SACK without RACK and tail loss probes".into())
        }
        RecoveryParams::NewReno(_) => {
            all.push("`recovery = \"new-reno\"`: SACK is off; Linux has limited transmit and PRR all the same".into());
        }
        _ if tcp.uses_sack() => all.push(format!("`recovery = \"{name}\"`: Linux repairs by SACK in its own way")),
        _ => all.push(format!("`recovery = \"{name}\"`: SACK is off; Linux does New Reno with PRR")),
    }
    let reduction = match &tcp.recovery {
        RecoveryParams::Rack(params) => params.window_reduction,
        RecoveryParams::Rfc6675(params) => params.window_reduction,
        _ => WindowReduction::AtOnce,
    };
    if reduction != WindowReduction::Proportional {
        all.push("while losses are repaired, proportional rate reduction (PRR, RFC 6937) says what is sent".into());
    }
    all
}

fn of_timers(tcp: &TcpParams) -> Vec<String> {
    let mut all = Vec::new();
    let timer = &tcp.timer;
    let ms = |span: Span| span.as_secs_f64() * 1e3;
    let is_fine = matches!(timer.kind, TimerKind::Rfc6298 | TimerKind::Linux);
    if !is_fine || timer.granularity > Span::from_ms(10) {
        let tick = ms(timer.granularity);
        all.push(format!("`timer`, `tick`: the timer of Linux is not coarse; ticks of {tick} ms are not there"));
    }
    if timer.kind != TimerKind::Linux {
        all.push(
            "`min_rto`: Linux adds it to the round trip: the timeout is srtt and the larger of four deviations and `min_rto`".into(),
        );
    }
    if timer.initial_rto != Span::from_secs(1) {
        all.push(format!("`initial_rto`: it is 1 s in Linux, and not {} ms", ms(timer.initial_rto)));
    }
    if tcp.timestamp_clock.is_some_and(|clock| clock != Span::from_ms(1)) {
        all.push("`timestamp_clock`: that of Linux ticks every millisecond".into());
    }
    match tcp.ack {
        AckPolicy::Delayed { timeout } => all.push(format!(
            "`delayed_ack_timeout`: Linux chooses between 40 and 200 ms by itself, and not {} ms; at the start of a connection it acknowledges each \
             segment",
            ms(timeout)
        )),
        AckPolicy::EverySegment | AckPolicy::Linux => {}
    }
    all
}

fn of_windows(tcp: &TcpParams) -> Vec<String> {
    let mut all = Vec::new();
    let window = tcp.advertised_window();
    if tcp.initial_ssthresh.is_some_and(|ssthresh| ssthresh < window) {
        all.push("`initial_ssthresh`: slow start ends with the first loss, or as the congestion control says".into());
    }
    if window > 65_535 {
        all.push(
            "`receive_window`: Linux advertises 64 KiB at first, and raises it by two segments for each that arrives"
                .into(),
        );
    }
    all.extend(of_window_rules(&tcp.window_rules));
    all
}

/// Rules of the window that Linux has, whatever the scenario says.
fn of_window_rules(rules: &WindowRules) -> Vec<String> {
    let differences = [
        (
            rules.restart_after_idle && rules.idle_reduction != IdleReduction::Halving,
            "`idle_reduction`: Linux halves the window for each timeout that a pause lasted",
        ),
        (rules.window_validation, "`window_validation`: Linux does not keep windows that are not used"),
        (rules.undo != Undo::Both, "`undo`: Linux undoes reductions by D-SACK and timestamps, where they are on"),
        (rules.undo_response != UndoResponse::Restore, "`undo_response`: Linux restores the window as it was"),
        (rules.growth != WindowGrowth::Linux, "`window_growth`: windows of Linux grow by what is delivered"),
        (rules.slow_start_limit != Some(u32::MAX), "`slow_start_limit`: Linux adds all that is acknowledged"),
        (rules.grow_unused, "`grow_unused_window`: the window of Linux does not grow unused"),
        (!rules.hold_ssthresh, "`hold_ssthresh`: Linux leaves ssthresh when the same segment times out again"),
        (rules.ssthresh_from == SsthreshFrom::Flight, "`ssthresh_from`: Linux takes a part of the congestion window"),
        (!rules.limited_transmit, "`limited_transmit`: Linux has it always"),
    ];
    differences.into_iter().filter(|(differs, _)| *differs).map(|(_, text)| text.to_owned()).collect()
}

fn of_congestion_control(flow: &Flow) -> Vec<String> {
    let Ok(algorithm) = kernel::of(flow) else { return Vec::new() };
    let mut all = Vec::new();
    match &algorithm.params {
        CongestionControlParams::Reno(CongestionAvoidance::ByteCounting) => {}
        CongestionControlParams::Vegas(_) | CongestionControlParams::VegasA(_) => {
            let name = &algorithm.name;
            all.push(format!("`{name}`: Linux finds and repairs losses without fine timeouts; docs/live-vegas-a.md"));
            if algorithm.program.as_ref().is_some_and(|program| program.parameters.th_tolerance == 0.1) {
                all.push(format!("`{name}`: throughputs that differ by less than a tenth are equal (`th_tolerance`)"));
            }
        }
        CongestionControlParams::Reno(_) => {
            all.push("`reno.congestion_avoidance`: Linux counts acknowledged segments".into());
        }
        _ if !algorithm.has_defaults() => {
            let name = &algorithm.name;
            all.push(format!("[tcp.{name}]: the kernel has its own parameters, those of the scenario have no effect"));
        }
        CongestionControlParams::Cubic(_) if flow.tcp.window_rules.slow_start_exit == SlowStartExit::Hystart => {}
        CongestionControlParams::Cubic(_) => {
            all.push("`cubic`: that of the kernel leaves slow start early if delays rise (HyStart)".into());
        }
        CongestionControlParams::Bbr3(_) => {
            all.push("`bbr3`: `bbr` of an unchanged Linux is version 1".into());
        }
        _ => {}
    }
    all
}
