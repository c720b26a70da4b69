//! The keys of [tcp] and [flow.NAME.tcp] as parameters of a connection.

use ackclock::scenario::Technology;
use ackclock::tcp::cc::{
    AbCoupling, AbStep, Bbr1Params, Bbr3Params, CongestionAvoidance, CubicParams, Increase, PlusReturn, RerouteParams,
    VegasAParams, VegasLinuxParams, VegasParams, VegasPlusParams,
};
use ackclock::tcp::offset_sack::{Alternative, Form, Preference};
use ackclock::tcp::recovery::{FallFloydParams, NewRenoParams, PartialAckTimer, PartialAckWindow, Rfc6675Params};
use ackclock::tcp::{
    AckPolicy, CongestionControlParams, FirstSegment, HostQueue, InitialWindowFrom, OffsetSackParams, OutOfOrder,
    RecoveryParams, SackParams, TcpParams, TickPhase, TimerKind, TimerParams,
};
use ackclock::units::Span;

use crate::diagnostic::Report;
use crate::dialects;
use crate::framing;
use crate::keys::Section;
use crate::quantity::{Dimension, Quantity};
use crate::settings::{Given, Settings};
use crate::values::Value;

/// What holds in [tcp] or [flow.NAME.tcp]: `layers` first, then the defaults, for a path that carries datagrams of so many
/// octets if that is said.
pub(crate) fn settings(section: Section, layers: &[&Given], path_mtu: Option<u32>) -> Settings {
    let mut settings = Settings::resolve(section, layers);
    dialects::apply(&mut settings, path_mtu);
    match settings.word("recovery") {
        Some("new-reno") => settings.set_default("guard_after_timeout", Value::Flag(true), "RFC 2582 §5"),
        Some("fall-floyd") => settings.set_default("guard_after_timeout", Value::Flag(false), "[SACK-UBR] §3"),
        _ => {}
    }
    settings
}

/// The parameters, or `None` where a value is wrong; everything wrong is reported.
pub(crate) fn params(settings: &Settings, technology: Option<Technology>, report: &mut Report) -> Option<TcpParams> {
    let mss = mss(settings, technology, report);
    let (receive_window, window_scale) = window(settings, report);
    let timer = timer(settings, report);
    let recovery = recovery(settings, report);
    let growth = growth(settings, report);
    opening(settings, report);
    let initial_ssthresh = match settings.word("initial_ssthresh") {
        Some("window") => Some(receive_window?),
        Some("infinite") => None,
        _ => Some(settings.amount("initial_ssthresh")?),
    };
    let ack = match settings.flag("delayed_ack")? {
        true => AckPolicy::Delayed { timeout: settings.span("delayed_ack_timeout")? },
        false => AckPolicy::EverySegment,
    };
    let out_of_order = match settings.word("out_of_order")? {
        "buffer" => OutOfOrder::Buffer,
        _ => OutOfOrder::Discard,
    };
    let (recovery, receiver_sack) = (recovery?, settings.flag("receiver_sack")?);
    // Of other connections the keys have no meaning, whatever they say.
    let sack = if receiver_sack && recovery.needs().sack { sack(settings)? } else { SackParams::default() };
    Some(TcpParams {
        mss: mss?,
        recovery,
        congestion_control: growth?,
        initial_window_segments: u32::try_from(settings.amount("initial_window")?).ok()?,
        initial_window_from: match settings.word("initial_window_from")? {
            "start" => InitialWindowFrom::Start,
            "first-ack" => InitialWindowFrom::FirstAck,
            _ => InitialWindowFrom::SecondAck,
        },
        initial_ssthresh,
        receive_window: receive_window?,
        window_scale: window_scale?,
        timer: timer?,
        ack,
        out_of_order,
        header_bytes: u16::try_from(settings.amount("header")?).ok()?,
        first_segment: match settings.word("first_segment")? {
            "data" => FirstSegment::Data,
            _ => FirstSegment::Empty,
        },
        handshake: settings.flag("handshake")?,
        fin: settings.flag("fin")?,
        timestamp_clock: match settings.flag("timestamps")? {
            true => Some(settings.span("timestamp_clock")?),
            false => None,
        },
        host_queue: match settings.word("host_queue_at_timeout")? {
            "discard" => HostQueue::Discard,
            _ => HostQueue::Keep,
        },
        receiver_sack,
        sack,
    })
}

/// What selective acknowledgements say.
fn sack(settings: &Settings) -> Option<SackParams> {
    let preference = match settings.word("sack_option")? {
        "offset-1" => Some(Preference::Always(Alternative::FirstEdge)),
        "offset-2" => Some(Preference::Always(Alternative::EdgeBefore)),
        "offset-auto" => Some(Preference::Shorter),
        _ => None,
    };
    let form = match settings.word("offset_sack_kind")? {
        "private" => Form::Private { kind: PRIVATE_KIND },
        _ => Form::Experimental,
    };
    let receiver_knows = settings.flag("receiver_offset_sack")?;
    let offset = preference.map(|preference| OffsetSackParams { preference, form, receiver_knows });
    Some(SackParams {
        standard_blocks: u8::try_from(settings.integer("sack_blocks")?).ok()?,
        offset,
        duplicates: settings.flag("dsack")?,
    })
}

/// The kind of the offset option where nothing else identifies it: one of two for experiments (RFC 3692).
const PRIVATE_KIND: u8 = 253;

/// ns-2's empty segment stands for a handshake: both make no sense together.
fn opening(settings: &Settings, report: &mut Report) {
    if settings.flag("handshake") == Some(true) && settings.word("first_segment") == Some("empty") {
        let place = settings.at("handshake").or(settings.at("first_segment"));
        report
            .error(place, "`handshake` does not go with `first_segment` \"empty\"")
            .label("the empty segment is what ns-2 has in the place of a SYN")
            .help("write first_segment = \"data\", or handshake = false");
    }
}

fn mss(settings: &Settings, technology: Option<Technology>, report: &mut Report) -> Option<u32> {
    let mss = u32::try_from(settings.amount("mss")?).ok()?;
    let largest = framing::largest_mss(technology?);
    if mss > largest {
        report
            .error(settings.at("mss"), format!("`mss` is {mss} B, more than one frame can carry"))
            .label(format!("at most {largest} B"))
            .help("a frame or datagram has at most 65535 octets, headers included");
        return None;
    }
    match settings.amount("receive_window") {
        Some(window) if window < u64::from(mss) => {
            let place = settings.at("receive_window").or(settings.at("mss"));
            report
                .error(place, format!("`receive_window` is {window} B, less than one segment of {mss} B"))
                .label("nothing could ever be sent");
            None
        }
        _ => Some(mss),
    }
}

/// Receive window and window scale.
fn window(settings: &Settings, report: &mut Report) -> (Option<u64>, Option<u8>) {
    let Some(window) = settings.amount("receive_window") else { return (None, None) };
    let Some(explicit) = settings.integer("window_scale").and_then(|scale| u8::try_from(scale).ok()) else {
        let automatic = settings.word("window_scale") == Some("auto");
        return (Some(window), automatic.then(|| TcpParams::scale_for(window)));
    };
    let advertised = (window >> explicit).min(65_535) << explicit;
    let mss = settings.amount("mss").unwrap_or(0);
    let best = TcpParams::scale_for(window);
    let place = settings.at("window_scale");
    if advertised < mss && window >= mss {
        report
            .error(place, format!("with this `window_scale` a window of {window} B is advertised as {advertised} B"))
            .label("less than one segment")
            .help(format!("write {best} or \"auto\""));
        return (Some(window), None);
    }
    if advertised != window {
        report
            .warning(place, format!("`window_scale` {explicit} cannot express a window of {window} B"))
            .label(format!("{advertised} B will be advertised"))
            .help(format!("write {best} or \"auto\""));
    }
    (Some(window), Some(explicit))
}

fn timer(settings: &Settings, report: &mut Report) -> Option<TimerParams> {
    let tick = settings.span("tick");
    let phase = match settings.word("tick_phase") {
        Some("random") => Some(TickPhase::Random),
        _ => settings.span("tick_phase").map(TickPhase::Common),
    };
    if let (Some(TickPhase::Common(offset)), Some(tick)) = (phase, tick)
        && offset >= tick
    {
        report
            .error(
                settings.at("tick_phase").or(settings.at("tick")),
                format!("`tick_phase` is {}, not less than the tick of {}", spelled(offset), spelled(tick)),
            )
            .label("must be less than one tick");
        return None;
    }
    let (initial, max) = (settings.span("initial_rto"), settings.span("max_rto"));
    let min_rto_ticks = min_rto_ticks(settings, tick, report);
    if let (Some(ticks), Some(tick), Some(max)) = (min_rto_ticks, tick, max) {
        let min = u128::from(ticks) * u128::from(tick.as_ps());
        if min > u128::from(max.as_ps()) {
            let place = settings.at("max_rto").or(settings.at("min_rto")).or(settings.at("tick"));
            let label = format!("`min_rto` is {ticks} ticks of {}", spelled(tick));
            report.error(place, format!("`max_rto` is {}, less than `min_rto`", spelled(max))).label(label);
            return None;
        }
    }
    if let (Some(initial), Some(max)) = (initial, max)
        && initial > max
    {
        report
            .error(
                settings.at("max_rto").or(settings.at("initial_rto")),
                format!("`max_rto` is {}, less than `initial_rto`", spelled(max)),
            )
            .label(format!("`initial_rto` is {}", spelled(initial)));
        return None;
    }
    let kind = match settings.word("timer")? {
        "bsd" => TimerKind::Bsd,
        "rfc6298" => TimerKind::Rfc6298,
        _ => TimerKind::Ns2,
    };
    Some(TimerParams {
        kind,
        granularity: tick?,
        phase: phase?,
        min_rto_ticks: min_rto_ticks?,
        max_rto: max?,
        initial_rto: initial?,
    })
}

/// The lower bound of the timeout in ticks; a time is rounded up.
fn min_rto_ticks(settings: &Settings, tick: Option<Span>, report: &mut Report) -> Option<u32> {
    let min = settings.quantity("min_rto")?;
    let ticks = match min.dimension {
        Dimension::Ticks => min.amount,
        _ => min.amount.div_ceil(tick?.as_ps()),
    };
    if ticks > u64::from(u32::MAX) {
        report
            .error(settings.at("min_rto").or(settings.at("tick")), "`min_rto` has too many ticks")
            .label(format!("{ticks} ticks; at most {}", u32::MAX));
    }
    u32::try_from(ticks).ok()
}

fn growth(settings: &Settings, report: &mut Report) -> Option<CongestionControlParams> {
    Some(match settings.word("growth")? {
        "reno" => CongestionControlParams::Reno(arithmetic(settings)?),
        "bbr1" => CongestionControlParams::Bbr1(bbr1(settings, report)?),
        "bbr3" => CongestionControlParams::Bbr3(bbr3(settings, report)?),
        "cubic" => CongestionControlParams::Cubic(CubicParams {
            c: settings.number("cubic_c")?,
            beta: settings.number("cubic_beta")?,
            fast_convergence: settings.flag("fast_convergence")?,
        }),
        "vegas" => CongestionControlParams::Vegas(vegas(settings, report)?),
        "vegas-1995" => CongestionControlParams::Vegas1995(vegas(settings, report)?),
        "vegas-linux" => CongestionControlParams::VegasLinux(vegas_linux(settings, report)?),
        "vegas-plus" => CongestionControlParams::VegasPlus(VegasPlusParams {
            vegas: vegas(settings, report)?,
            count_max: u32::try_from(settings.integer("count_max")?).ok()?,
            back: match settings.word("plus_return")? {
                "any-loss" => PlusReturn::AnyLoss,
                _ => PlusReturn::CountIsZero,
            },
        }),
        "vegas-a" => CongestionControlParams::VegasA(vegas_a(settings, report)?),
        other => unreachable!("growth {other} is in the table of keys, but has no parameters"),
    })
}

fn bbr1(settings: &Settings, report: &mut Report) -> Option<Bbr1Params> {
    needs_sack(settings, report)?;
    Some(Bbr1Params { rtprop_window: settings.span("rtprop_window")?, probe_rtt: settings.span("probe_rtt")? })
}

fn bbr3(settings: &Settings, report: &mut Report) -> Option<Bbr3Params> {
    needs_sack(settings, report)?;
    Some(Bbr3Params {
        min_rtt_window: settings.span("rtprop_window")?,
        probe_rtt_interval: settings.span("probe_rtt_interval")?,
        probe_rtt: settings.span("probe_rtt")?,
        loss_threshold: settings.number("bbr_loss_threshold")?,
        beta: settings.number("bbr_beta")?,
        headroom: settings.number("bbr_headroom")?,
    })
}

/// BBR has no meaning without selective acknowledgements.
fn needs_sack(settings: &Settings, report: &mut Report) -> Option<()> {
    let (growth, recovery) = (settings.word("growth")?, settings.word("recovery")?);
    if !matches!(recovery, "rfc6675" | "rack") || settings.flag("receiver_sack") == Some(false) {
        report
            .error(settings.at("recovery").or(settings.at("growth")), format!("`growth` {growth:?} needs SACK"))
            .label("it measures what is delivered by selective acknowledgements")
            .help("write recovery = \"rack\", and leave receiver_sack as it is");
        return None;
    }
    if recovery != "rack" {
        report
            .warning(settings.at("recovery"), format!("`growth` {growth:?} goes with `recovery` \"rack\""))
            .label(format!("with {recovery:?} a retransmission that is lost again is found by a timeout only"))
            .help("write recovery = \"rack\", which is the default with BBR");
    }
    Some(())
}

fn vegas(settings: &Settings, report: &mut Report) -> Option<VegasParams> {
    let (alpha, beta) = (settings.number("alpha")?, settings.number("beta")?);
    if alpha > beta {
        report
            .error(
                settings.at("alpha").or(settings.at("beta")),
                format!("`alpha` is {alpha}, more than `beta`, {beta}"),
            )
            .label("the window could never rest")
            .help("raise `beta`, or lower `alpha`");
        return None;
    }
    let reroute = match settings.flag("reroute_detect")? {
        true => Some(reroute(settings, alpha)?),
        false => None,
    };
    Some(VegasParams { alpha, beta, gamma: settings.number("gamma")?, reroute })
}

fn vegas_linux(settings: &Settings, report: &mut Report) -> Option<VegasLinuxParams> {
    let integer = |name: &str| settings.integer(name).and_then(|number| u32::try_from(number).ok());
    let (alpha, beta) = (integer("linux_alpha")?, integer("linux_beta")?);
    if alpha > beta {
        let place = settings.at("linux_alpha").or(settings.at("linux_beta"));
        let message = format!("`linux_alpha` is {alpha}, more than `linux_beta`, {beta}");
        let help = "raise `linux_beta`, or lower `linux_alpha`";
        report.error(place, message).label("the window could never rest").help(help);
        return None;
    }
    Some(VegasLinuxParams { alpha, beta, gamma: integer("linux_gamma")? })
}

fn reroute(settings: &Settings, alpha: f64) -> Option<RerouteParams> {
    let integer = |name: &str| settings.integer(name).and_then(|number| u32::try_from(number).ok());
    Some(RerouteParams {
        first_packets: integer("reroute_first_packets")?,
        block_packets: integer("reroute_block_packets")?,
        blocks: integer("reroute_blocks")?,
        delta: settings.number("reroute_delta")?,
        queued_packets: alpha,
    })
}

fn vegas_a(settings: &Settings, report: &mut Report) -> Option<VegasAParams> {
    let vegas = vegas(settings, report)?;
    let (up, down) = (settings.number("tie_up_probability")?, settings.number("tie_down_probability")?);
    if up + down > 1.0 {
        let place = settings.at("tie_down_probability").or(settings.at("tie_up_probability"));
        let message = format!("`tie_up_probability` {up} and `tie_down_probability` {down} are more than 1 together");
        report.error(place, message).label("equal throughputs cannot count as both");
        return None;
    }
    let alpha_max = settings.number("alpha_max");
    if alpha_max.is_some_and(|max| max < vegas.alpha) {
        let message = format!("`alpha_max` is less than `alpha`, {}", vegas.alpha);
        report.error(settings.at("alpha_max"), message).label("alpha begins above its ceiling");
        return None;
    }
    Some(VegasAParams {
        vegas,
        increase: match settings.word("increase")? {
            "spread" => Increase::Spread,
            "spread-at-floor" => Increase::SpreadAtFloor,
            _ => Increase::AtOnce,
        },
        th_tolerance: settings.number("th_tolerance")?,
        tie_up_probability: up,
        tie_down_probability: down,
        reset_th_on_loss: settings.flag("reset_th_on_loss")?,
        reset_ab_on_rto: settings.flag("reset_ab_on_rto")?,
        alpha_max,
        step: match settings.word("ab_step")? {
            "throughput" => AbStep::Throughput,
            "rtt" => AbStep::Rtt,
            _ => AbStep::Unit,
        },
        coupling: match settings.word("ab_coupling")? {
            "independent" => AbCoupling::Independent {
                raise_alpha: settings.number("s_alpha")?,
                raise_beta: settings.number("s_beta")?,
                lower_alpha: settings.number("d_alpha")?,
                lower_beta: settings.number("d_beta")?,
            },
            _ => AbCoupling::Locked,
        },
    })
}

fn arithmetic(settings: &Settings) -> Option<CongestionAvoidance> {
    Some(match settings.word("congestion_avoidance")? {
        "integer" => CongestionAvoidance::Integer,
        "ack-counting" => CongestionAvoidance::AckCounting,
        "float" => CongestionAvoidance::Float,
        "bytes" => CongestionAvoidance::ByteCounting,
        other => unreachable!("arithmetic {other} is in the table of keys, but not here"),
    })
}

fn recovery(settings: &Settings, report: &mut Report) -> Option<RecoveryParams> {
    let restart_timer_on_partial_ack = settings.flag("restart_timer_on_partial_ack");
    let word = settings.word("recovery")?;
    if settings.word("restart_timer_on_partial_ack") == Some("first") && matches!(word, "fall-floyd" | "rfc6675") {
        report
            .error(
                settings.at("restart_timer_on_partial_ack"),
                format!("`restart_timer_on_partial_ack` \"first\" does not go with `recovery` {word:?}"),
            )
            .label("it is the rule of RFC 6582 for New Reno")
            .help("write true or false, or recovery = \"new-reno\"");
        return None;
    }
    Some(match word {
        "vanilla" => RecoveryParams::Vanilla(()),
        "reno" => RecoveryParams::Reno(()),
        "new-reno" => RecoveryParams::NewReno(NewRenoParams {
            guard_after_timeout: settings.flag("guard_after_timeout")?,
            restart_timer_on_partial_ack: match settings.word("restart_timer_on_partial_ack")? {
                "true" => PartialAckTimer::Each,
                "first" => PartialAckTimer::First,
                _ => PartialAckTimer::Never,
            },
            restart_timer_on_fast_retransmit: settings.flag("restart_timer_on_fast_retransmit")?,
            partial_ack_window: match settings.word("partial_ack_window")? {
                "deflate" => PartialAckWindow::Deflate,
                _ => PartialAckWindow::Reset,
            },
            recovery_burst_segments: match settings.word("recovery_burst") {
                Some("unlimited") => None,
                _ => Some(u32::try_from(settings.amount("recovery_burst")?).ok()?),
            },
            growth_at_recovery_end: settings.flag("growth_at_recovery_end")?,
        }),
        "fall-floyd" => RecoveryParams::FallFloyd(FallFloydParams {
            partial_ack_pipe_segments: u32::try_from(settings.amount("partial_ack_pipe")?).ok()?,
            restart_timer_on_partial_ack: restart_timer_on_partial_ack?,
            only_below_highest_sack: settings.flag("only_below_highest_sack")?,
            guard_after_timeout: settings.flag("guard_after_timeout")?,
        }),
        "rfc6675" => RecoveryParams::Rfc6675(Rfc6675Params {
            restart_timer_on_partial_ack: restart_timer_on_partial_ack?,
            limited_transmit: settings.flag("limited_transmit")?,
        }),
        "rack" => RecoveryParams::Rack(()),
        word @ ("vegas" | "vegas-1995") => {
            let growth = settings.word("growth")?;
            if !dialects::VEGAS_FAMILY.contains(&growth) {
                let place = settings.at("recovery").or(settings.at("growth"));
                report
                    .error(place, format!("`recovery` {word:?} does not go with `growth` {growth:?}"))
                    .label("it leaves the size of the window to Vegas")
                    .help(format!(
                        "write growth = {}, or another recovery",
                        dialects::VEGAS_FAMILY.map(|word| format!("{word:?}")).join(" or ")
                    ));
                return None;
            }
            if word == "vegas" { RecoveryParams::Vegas(()) } else { RecoveryParams::Vegas1995(()) }
        }
        other => unreachable!("recovery {other} is in the table of keys, but has no parameters"),
    })
}

fn spelled(span: Span) -> String {
    Quantity { dimension: Dimension::Time, amount: span.as_ps() }.canonical()
}
