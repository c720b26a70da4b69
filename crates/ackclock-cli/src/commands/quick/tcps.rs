//! The TCPs and dialects that can be compared, by their names on the command line.

use ackclock::queue::{cell, packet};
use ackclock::tcp::{cc, recovery};

use crate::words;

/// A TCP that can be compared.
#[derive(Clone)]
pub struct Tcp {
    /// Its name on the command line.
    pub name: &'static str,
    /// What scenario files call its recovery; `None`: that of the dialect or of congestion control, which have SACK, or
    /// RFC 6675.
    pub recovery: Option<&'static str>,
    pub congestion_control: &'static str,
}

/// What a recovery is called here. `reno` alone is the congestion control, with the recovery of hosts of today.
const OTHER_NAMES: [(&str, &str); 3] = [("new-reno", "newreno"), ("rfc6675", "sack"), ("reno", "reno-1990")];
/// The congestion control of those that are called after their recovery.
const RENO: &str = "reno";

/// The recoveries, with the windows of Reno; then the congestion controls, with the recovery that is part of them, or SACK.
fn tcps() -> Vec<Tcp> {
    let recoveries = recovery::ALL.iter().filter(|algorithm| !algorithm.needs.fine_timeouts);
    let of_recovery = |algorithm: &recovery::Algorithm| {
        let other = OTHER_NAMES.iter().find(|(name, _)| *name == algorithm.name);
        let name = other.map_or(algorithm.name, |(_, other)| other);
        Tcp { name, recovery: Some(algorithm.name), congestion_control: RENO }
    };
    let of_congestion_control = |algorithm: &cc::Algorithm| {
        let own = algorithm.usual_recovery.filter(|usual| usual.instead_of_sack.is_none());
        let recovery = own.map(|usual| usual.name);
        Tcp { name: algorithm.name, recovery, congestion_control: algorithm.name }
    };
    let controls = cc::ALL.iter().filter(|algorithm| algorithm.sets_window);
    recoveries.map(of_recovery).chain(controls.map(of_congestion_control)).collect()
}

impl Tcp {
    /// By its name, by what scenario files call its recovery, or by an alias.
    pub fn named(wanted: &str) -> Option<Tcp> {
        let wanted = ackclock_scenario::alias(wanted).unwrap_or(wanted);
        let by_recovery = |tcp: &Tcp| tcp.congestion_control == RENO && tcp.recovery == Some(wanted);
        tcps().into_iter().find(|tcp| tcp.name == wanted).or_else(|| tcps().into_iter().find(by_recovery))
    }

    /// The lines of a scenario that say its congestion control, and its recovery where neither its dialect nor its
    /// congestion control does.
    pub fn lines(&self, dialect: &str) -> String {
        let has_usual = cc::Algorithm::named(self.congestion_control).is_some_and(|own| own.usual_recovery.is_some());
        let otherwise = if dialect == STANDARD || has_usual { None } else { Some("rfc6675") };
        let recovery = self.recovery.or(otherwise);
        let recovery = recovery.map_or(String::new(), |recovery| format!("recovery = \"{recovery}\"\n"));
        format!("{recovery}congestion_control = \"{}\"\n", self.congestion_control)
    }
}

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
        "The TCPs to compare: {} (recoveries, with the congestion control of Reno); {} (congestion controls, with SACK); {} (both); \
         bbr is the newest BBR [default: {}; of several policies sack]",
        names(&|tcp| tcp.congestion_control == RENO && tcp.recovery.is_some()),
        names(&|tcp| tcp.recovery.is_none()),
        names(&|tcp| tcp.congestion_control != RENO && tcp.recovery.is_some()),
        RECOVERIES.join(","),
    )
}

/// Each once, in the order in which they come.
pub fn once(words: &[String]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in words {
        if !all.contains(word) {
            all.push(word.clone());
        }
    }
    all
}

/// The policies of packets and of cells, for completions.
pub fn policy_names() -> Vec<String> {
    let of_packets = packet::POLICIES.iter().map(|policy| policy.name);
    let of_cells = cell::POLICIES.iter().map(|policy| policy.name);
    once(&of_packets.chain(of_cells).map(String::from).collect::<Vec<_>>())
}

/// What the help says of them.
pub fn policy_help() -> String {
    let packets: Vec<&str> = packet::POLICIES.iter().map(|policy| policy.name).collect();
    let cells: Vec<&str> = cell::POLICIES.iter().map(|policy| policy.name).collect();
    format!(
        "The drop policies of that buffer: of packets {}; of cells {}; several are compared",
        packets.join(", "),
        cells.join(", ")
    )
}

/// What is compared if nothing is said: the recoveries, from the oldest on.
pub const RECOVERIES: [&str; 4] = ["vanilla", "reno-1990", "newreno", SACK];
/// The recovery by RFC 6675.
pub const SACK: &str = "sack";

pub fn dialect_names() -> Vec<String> {
    words::of("dialect")
}

/// The dialect of TCP as it is today.
pub const STANDARD: &str = "standard";
/// The dialect of the studies of TCP over ATM.
pub const ATM_DIALECT: &str = "osu";

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    use crate::args::Cli;

    #[test]
    fn every_recovery_and_every_congestion_control_of_scenario_files_can_be_compared() {
        for word in words::of("recovery") {
            assert!(tcps().iter().any(|tcp| tcp.recovery == Some(&word)), "recovery {word}");
        }
        let sets_window = |word: &str| cc::Algorithm::named(word).is_none_or(|algorithm| algorithm.sets_window);
        for word in words::of("congestion_control").into_iter().filter(|word| sets_window(word)) {
            assert!(
                Tcp::named(&word).is_some_and(|tcp| tcp.name == word || tcp.name == "bbr3"),
                "congestion control {word}"
            );
        }
    }

    #[test]
    fn a_tcp_has_its_own_name_or_that_of_its_recovery() {
        let name = |wanted| Tcp::named(wanted).map(|tcp| (tcp.name, tcp.recovery, tcp.congestion_control));
        assert_eq!(name("new-reno"), Some(("newreno", Some("new-reno"), "reno")));
        assert_eq!(name("rfc6675"), Some(("sack", Some("rfc6675"), "reno")));
        assert_eq!(name("vegas"), Some(("vegas", Some("vegas"), "vegas")));
        // Reno of today: the congestion control, with the recovery of the dialect. The recovery of 1990 is another TCP.
        assert_eq!(name("reno"), Some(("reno", None, "reno")));
        assert_eq!(name("reno-1990"), Some(("reno-1990", Some("reno"), "reno")));
        assert_eq!(name("bbr"), name("bbr3"));
        assert_eq!(name("tahoe"), None);
    }

    #[test]
    fn the_help_names_every_tcp() {
        let mut cli = Cli::command();
        let help = cli.find_subcommand_mut("quick").unwrap().render_long_help().to_string();
        let tcps = tcp_names().into_iter();
        for name in tcps.chain(policy_names()).chain(dialect_names()) {
            assert!(help.split([' ', ',', '\n']).any(|word| word.trim_end_matches(';') == name), "{name}: {help}");
        }
    }
}
