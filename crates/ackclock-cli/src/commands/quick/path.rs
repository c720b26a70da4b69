//! The path that is asked for, as a scenario for each of the results that are compared.

use ackclock::units::{Rate, Span};
use ackclock_scenario::{Argument, LoadError, Loaded, Loader, Memory};

use super::compared::{Asked, Compared};
use super::tcps::STANDARD;
use crate::args::{QuickArgs, Technology};
use crate::failure::Failure;

fn quantity<T>(option: &str, text: &str, read: fn(&str) -> Result<T, String>) -> Result<T, Failure> {
    read(text).map_err(|why| Failure::usage(format_args!("{option} {text}: {why}"), "as in --rate 2Mbps --rtt 550ms"))
}

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
        if let (Technology::Atm, Some(loss)) = (args.technology, &args.loss) {
            return Err(Failure::usage(
                format_args!("--loss {loss}: links of ATM networks lose nothing"),
                "leave it out, or write --technology packet",
            ));
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

    /// The buffer that is asked for, or one bandwidth-delay product with room for some packets or frames of a short or slow
    /// path.
    pub fn buffer<'a>(&self, args: &'a QuickArgs) -> &'a str {
        let bdp_bits = u128::from(self.rate.as_bps()) * u128::from(self.rtt.as_ps()) / 1_000_000_000_000;
        let (least_bytes, least) = match args.technology {
            Technology::Packet => (10 * 1512, "10 packets"),
            Technology::Atm => (1000 * 53, "1000 cells"),
        };
        args.buffer.as_deref().unwrap_or(if bdp_bits < 8 * least_bytes { least } else { "1bdp" })
    }

    /// As a scenario: fast links to two routers, and the slow, long one between them. On an ATM network all links are as fast
    /// as each other, as in the studies of TCP over ATM: there the switch limits several sources.
    fn scenario(&self, args: &QuickArgs, asked: &Asked, compared: &Compared) -> String {
        let QuickPath { rate, rtt, loss } = self;
        let access_ps = (rtt.as_ps() / 100).min(ONE_MS);
        let trunk_ps = rtt.as_ps() / 2 - 2 * access_ps;
        let (rate_bps, flows) = (rate.as_bps(), asked.flows);
        let access_bps = rate_bps.saturating_mul(10).clamp(100_000_000, 1_000_000_000_000).max(rate_bps);
        let network = match args.technology {
            Technology::Packet => format!(
                "technology = \"packet\"\ntopology = \"dumbbell\"\nsources = {flows}\naccess_rate = \"{access_bps} bps\"\n\
                 access_delay = \"{access_ps} ps\"\nbottleneck_rate = \"{rate_bps} bps\"\nbottleneck_delay = \"{trunk_ps} ps\"\n"
            ),
            Technology::Atm => format!(
                "topology = \"n-source\"\nsources = {flows}\nrate = \"{rate_bps} bps\"\naccess_delay = \"{access_ps} ps\"\n\
                 trunk_delay = \"{trunk_ps} ps\"\n"
            ),
        };
        let duration = args.duration.as_deref().and_then(|duration| ackclock_scenario::time(duration).ok());
        let duration = duration.unwrap_or(Span::from_secs(default_duration_s(*rtt)));
        let interval_ps = (*rtt).min(duration).max(SHORTEST_INTERVAL).as_ps();
        // The timer of the standard dialect has no ticks whose phase could matter.
        let phase = if asked.dialect == STANDARD { "" } else { "tick_phase = \"random\"\n" };
        // Flows that begin at one instant stay synchronized: the same flow would lose under every seed.
        let jitter = format!("[traffic]\nstart_jitter = \"{} ps\"\n", rtt.as_ps());
        let errors = format!("[link.\"{BOTTLENECK}\"]\nerrors = {{ model = \"uniform\", rate = {loss:?} }}\n");
        let first = &compared.groups[0].tcp;
        let mut text = format!(
            "name = \"quick-{}\"\nduration = \"{} s\"\nrecord = [\"tcp\", \"ports\"]\n\
             record_interval = \"{interval_ps} ps\"\n[network]\n{network}[tcp]\n{}{phase}receive_window = \"auto\"\n{}{}",
            compared.name,
            default_duration_s(*rtt),
            first.lines(&asked.dialect),
            if flows > 1 { jitter.as_str() } else { "" },
            if *loss > 0.0 { errors.as_str() } else { "" },
        );
        for group in &compared.groups[1..] {
            let lines = group.tcp.lines(&asked.dialect);
            (group.first..group.first + group.flows)
                .for_each(|number| text += &format!("[flow.f{number}.tcp]\n{lines}"));
        }
        text
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

pub fn load(args: &QuickArgs, path: &QuickPath, asked: &Asked, compared: &Compared) -> Result<Loaded, Failure> {
    let option = |option, key, value| Argument { option, key, value };
    let technology = match args.technology {
        Technology::Packet => "packet",
        Technology::Atm => "atm",
    };
    let mut arguments = vec![
        option("--technology", &["network", "technology"][..], technology),
        option("--buffer", &["queue", "buffer"], path.buffer(args)),
        option("--policy", &["queue", "policy"], &compared.policy),
        option("--dialect", &["tcp", "dialect"], &asked.dialect),
    ];
    arguments.extend(args.jitter.as_deref().map(|value| option("--jitter", &["link", BOTTLENECK, "jitter"], value)));
    arguments.extend(args.duration.as_deref().map(|value| option("--duration", &["duration"], value)));
    let files = Memory::new().with(FILE, path.scenario(args, asked, compared));
    Loader::new(&files).arguments(&arguments).overrides(&args.set).load(FILE).map_err(|error| match error {
        LoadError::Invalid(diagnostics) => Failure::Scenario { diagnostics, consequence: Some("nothing was run") },
        LoadError::Unreadable { error, .. } => Failure::defect(error),
    })
}

/// Two hundred round trips, but neither less than half a minute nor more than ten.
fn default_duration_s(rtt: Span) -> u64 {
    ((200.0 * rtt.as_secs_f64()).ceil() as u64).clamp(30, 600)
}

/// The largest window that TCP can express (RFC 7323 §2.3).
pub const LARGEST_WINDOW: u64 = 65_535 << 14;
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
