//! The path that is asked for, as a scenario for each TCP.

use ackclock::scenario::{Buffer, Scenario};
use ackclock::units::{Rate, Span};
use ackclock_scenario::{Argument, LoadError, Loaded, Memory};

use super::tcps::{STANDARD, Tcp};
use crate::args::QuickArgs;
use crate::failure::Failure;

fn quantity<T>(option: &str, text: &str, read: fn(&str) -> Result<T, String>) -> Result<T, Failure> {
    read(text).map_err(|why| Failure::usage(format_args!("{option} {text}: {why}"), "as in --rate 2Mbps --rtt 550ms"))
}

/// The path that is asked for.
pub struct QuickPath {
    rate: Rate,
    rtt: Span,
    /// The share of data packets that are lost.
    loss: f64,
}

impl QuickPath {
    /// What the command line says of it.
    pub fn of(args: &QuickArgs) -> Result<QuickPath, Failure> {
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
    pub fn buffer<'a>(&self, args: &'a QuickArgs) -> &'a str {
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
        // Flows that begin at one instant stay synchronized: the same flow would lose under every seed.
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
pub fn load(args: &QuickArgs, path: &QuickPath, tcp: &Tcp) -> Result<Loaded, Failure> {
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

/// The largest window that TCP can express (RFC 7323 §2.3), and the largest without scaling.
pub const LARGEST_WINDOW: u64 = 65_535 << 14;
const SMALLEST_WINDOW: u64 = 65_535;
/// What the file of the scenario would be called.
const FILE: &str = "quick.toml";
/// The name of the port that limits.
pub const BOTTLENECK: &str = "sw1->sw2";
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
}
