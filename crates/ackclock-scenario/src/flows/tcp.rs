//! The keys of [tcp] and [flow.NAME.tcp] as parameters of a connection.

use ackclock::keys::{Dimension, Quantity, Value};
use ackclock::rng::Stream;
use ackclock::scenario::Technology;
use ackclock::tcp::recovery::Recovery as _;
use ackclock::tcp::{
    CongestionControlParams, EcnMode, EcnResponse, FirstSegment, HostModel, RecoveryParams, TcpParams, TimerParams,
    UNSCALED_WINDOW, cc, host, recovery,
};
use ackclock::units::Span;

use crate::flows::dialects;
use crate::flows::framing;
use crate::keys::dialects::of_technology;
use crate::keys::outside::Outside;
use crate::keys::words::TechnologyWord;
use crate::keys::{Section, tcp_algorithms};
use crate::mechanisms::{self, GivenTables, Tables};
use crate::settings::{Given, Settings};
use crate::text::diagnostic::Report;

/// What holds in [tcp] or [flow.NAME.tcp]: `layers` first, then the defaults, for a path that carries datagrams of so many
/// octets if that is said. On networks of one technology the dialect is another than on those of the other.
pub(crate) fn settings(
    section: Section,
    layers: &[&GivenTables],
    technology: Option<TechnologyWord>,
    path_mtu: Option<u32>,
) -> Tables {
    let of_algorithm = if section == Section::Tcp { Section::TcpAlgorithm } else { Section::FlowTcpAlgorithm };
    let own: Vec<&Given> = layers.iter().map(|layer| &layer.own).collect();
    let mechanisms: Vec<&[Given]> = layers.iter().map(|layer| &layer.mechanisms[..]).collect();
    let mut own = Settings::resolve(section, &own);
    let (dialect, source) = of_technology(technology);
    own.set_default("dialect", Value::Word(dialect), source);
    let mut tables = Tables::resolve(own, tcp_algorithms(), of_algorithm, &mechanisms);
    dialects::apply(&mut tables, path_mtu);
    tables.with_derived()
}

/// The parameters, or `None` where a value is wrong; everything wrong is reported.
pub(crate) fn params(
    tables: &Tables,
    technology: Option<Technology>,
    outside: &Outside,
    report: &mut Report,
) -> Option<TcpParams> {
    let settings = &tables.own;
    let mss = mss(settings, technology, report);
    let window = window(settings, report);
    let timer = timer(settings, report);
    let recovery = recovery(tables, outside, report);
    let congestion_control = congestion_control(tables, outside, report);
    let host = host(tables, report);
    opening(settings, report);
    let congestion_control = congestion_control.filter(|chosen| fits_ecn(chosen, settings, report));
    let values = mechanisms::values(TcpParams::KEYS, Some(settings))?;
    mss.and(window).and(timer)?;
    Some(TcpParams::read(&values, recovery?, congestion_control?, host?))
}

/// A smaller answer to marks than to losses is defined for some congestion controls only.
fn fits_ecn(chosen: &CongestionControlParams, settings: &Settings, report: &mut Report) -> bool {
    let is_abe = settings.choice("ecn", EcnMode::WORDS) == Some(EcnMode::Classic)
        && settings.choice("ecn_response", EcnResponse::WORDS) == Some(EcnResponse::Abe);
    if !is_abe || chosen.abe().is_some() {
        return true;
    }
    let defined = cc::ALL.iter().filter(|algorithm| algorithm.abe.is_some());
    let defined: Vec<String> = defined.map(|algorithm| format!("{:?}", algorithm.name)).collect();
    report
        .error(
            settings.at("ecn_response").or(settings.at("congestion_control")),
            format!("`ecn_response` \"abe\" is not defined for `congestion_control` {:?}", chosen.name()),
        )
        .label(format!("RFC 8511 defines it for {}", defined.join(" and ")))
        .help("write ecn_response = \"loss\", or one of these congestion controls");
    false
}

/// ns-2's empty segment stands for a handshake: both make no sense together.
fn opening(settings: &Settings, report: &mut Report) {
    if settings.flag("handshake") == Some(true)
        && settings.choice("first_segment", FirstSegment::WORDS) == Some(FirstSegment::Empty)
    {
        let place = settings.at("handshake").or(settings.at("first_segment"));
        report
            .error(place, "`handshake` does not work with `first_segment` \"empty\"")
            .label("the empty segment is ns-2's substitute for a SYN")
            .help("write first_segment = \"data\", or handshake = false");
    }
}

fn mss(settings: &Settings, technology: Option<Technology>, report: &mut Report) -> Option<()> {
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
                .label("no segment could be sent");
            None
        }
        _ => Some(()),
    }
}

/// The word of `receive_window` for the one that follows the path.
pub(crate) const AUTO: &str = "auto";

/// Whether the window scale can express the receive window. A window that follows the path is set when its queues are known
/// (`flows/receive_window.rs`).
fn window(settings: &Settings, report: &mut Report) -> Option<()> {
    if settings.word("receive_window") == Some(AUTO) {
        return Some(());
    }
    let window = settings.amount("receive_window")?;
    let Some(explicit) = settings.integer("window_scale") else { return Some(()) };
    let advertised = (window >> explicit).min(UNSCALED_WINDOW) << explicit;
    let mss = settings.amount("mss").unwrap_or(0);
    let best = TcpParams::scale_for(window);
    let place = settings.at("window_scale");
    if advertised < mss && window >= mss {
        report
            .error(place, format!("with this `window_scale` a window of {window} B is advertised as {advertised} B"))
            .label("less than one segment")
            .help(format!("write {best} or \"auto\""));
        return None;
    }
    if advertised != window {
        report
            .warning(place, format!("`window_scale` {explicit} cannot express a window of {window} B"))
            .label(format!("{advertised} B will be advertised"))
            .help(format!("write {best} or \"auto\""));
    }
    Some(())
}

/// Whether the times of the retransmission timer fit together.
fn timer(settings: &Settings, report: &mut Report) -> Option<()> {
    let tick = settings.span("tick");
    if let (Some(offset), Some(tick)) = (settings.span("tick_phase"), tick)
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
    min_rto_ticks.map(|_| ())
}

/// The lower bound of the timeout in ticks; a time is rounded up.
fn min_rto_ticks(settings: &Settings, tick: Option<Span>, report: &mut Report) -> Option<u32> {
    let ticks = TimerParams::ticks(settings.quantity("min_rto")?, tick?);
    if ticks > u64::from(u32::MAX) {
        report
            .error(settings.at("min_rto").or(settings.at("tick")), "`min_rto` has too many ticks")
            .label(format!("{ticks} ticks; at most {}", u32::MAX));
    }
    u32::try_from(ticks).ok()
}

/// The congestion control that is chosen, which may need more than the recovery beside it has.
fn congestion_control(tables: &Tables, outside: &Outside, report: &mut Report) -> Option<CongestionControlParams> {
    let own = &tables.own;
    let (name, with) = (own.word("congestion_control")?, own.word("recovery")?);
    let (algorithm, custom) = (cc::Algorithm::named(name), outside.congestion_control(name));
    let needs = custom.as_ref().map(CongestionControlParams::needs).or(algorithm.map(|algorithm| algorithm.needs))?;
    let usual = algorithm.and_then(|algorithm| algorithm.usual_recovery);
    let has_reports = knows_losses(with, outside)? && own.flag("receiver_sack") != Some(false);
    if needs.delivery_rates && !has_reports {
        let better = usual.map_or("rack", |usual| usual.name);
        report
            .error(
                own.at("recovery").or(own.at("congestion_control")),
                format!("`congestion_control` {name:?} needs SACK"),
            )
            .label("it measures the delivery rate with selective acknowledgements")
            .help(format!("write recovery = {better:?}, and leave receiver_sack as it is"));
        return None;
    }
    if let Some(usual) = usual.filter(|usual| usual.name != with)
        && let Some(reason) = usual.instead_of_sack
    {
        report
            .warning(
                own.at("recovery"),
                format!("`congestion_control` {name:?} is meant for `recovery` {:?}", usual.name),
            )
            .label(format!("with {with:?} {reason}"))
            .help(format!("write recovery = {:?}, which is the default with {name}", usual.name));
    }
    if custom.is_some() {
        return custom;
    }
    let (algorithm, table) = (algorithm?, tables.chosen("congestion_control"));
    let params = (algorithm.params)(&mechanisms::values(algorithm.keys, table)?);
    mechanisms::reported(params, tables, "congestion_control", report)
}

/// Whether the recovery of this name knows from selective acknowledgements what is lost. Of one from outside this is known when it has
/// begun.
fn knows_losses(recovery: &str, outside: &Outside) -> Option<bool> {
    match outside.recovery(recovery) {
        Some(custom) => {
            // It draws nothing to say so.
            let (mss, draws) = (TcpParams::default().mss, Stream::new(0, "", ""));
            Some(custom.start(true, mss.into(), draws).loss_detection().is_some())
        }
        None => recovery::Algorithm::named(recovery).map(|algorithm| algorithm.knows_losses),
    }
}

/// The recovery that is chosen. One with fine timeouts goes with a congestion control that leaves losses to it.
fn recovery(tables: &Tables, outside: &Outside, report: &mut Report) -> Option<RecoveryParams> {
    let own = &tables.own;
    let recovery = own.word("recovery")?;
    let (algorithm, custom) = (recovery::Algorithm::named(recovery), outside.recovery(recovery));
    if custom.as_ref().map(RecoveryParams::needs).or(algorithm.map(|algorithm| algorithm.needs))?.fine_timeouts {
        let name = own.word("congestion_control")?;
        if cc::Algorithm::named(name).is_none_or(|chosen| !chosen.has_fine_timeouts) {
            let others = cc::ALL.iter().filter(|other| other.has_fine_timeouts);
            let others: Vec<String> = others.map(|other| format!("{:?}", other.name)).collect();
            let place = own.at("recovery").or(own.at("congestion_control"));
            report
                .error(place, format!("`recovery` {recovery:?} does not work with `congestion_control` {name:?}"))
                .label("it needs a congestion control of Vegas")
                .help(format!("write congestion_control = {}, or another recovery", others.join(" or ")));
            return None;
        }
    }
    if custom.is_some() {
        return custom;
    }
    let algorithm = algorithm?;
    let params = (algorithm.params)(&mechanisms::values(algorithm.keys, tables.chosen("recovery"))?);
    mechanisms::reported(params, tables, "recovery", report)
}

/// The host model that is chosen.
fn host(tables: &Tables, report: &mut Report) -> Option<HostModel> {
    let name = tables.own.word("host")?;
    let model = host::MODELS.iter().find(|model| model.name == name)?;
    let params = (model.params)(&mechanisms::values(model.keys, tables.chosen("host"))?);
    mechanisms::reported(params, tables, "host", report)
}

fn spelled(span: Span) -> String {
    Quantity { dimension: Dimension::Time, amount: span.as_ps() }.canonical()
}
