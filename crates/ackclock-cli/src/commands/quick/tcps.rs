//! The TCPs, policies and dialects that can be compared, by their names on the command line.

use ackclock::queue::packet;
use ackclock::tcp::{cc, recovery};

use crate::words;

/// A TCP that can be compared.
pub struct Tcp {
    /// Its name on the command line.
    pub name: &'static str,
    /// What scenario files call its recovery; `None`: that of the dialect or of congestion control, which have SACK, or
    /// RFC 6675.
    pub recovery: Option<&'static str>,
    /// What they call its congestion control.
    pub congestion_control: &'static str,
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
    pub fn named(wanted: &str) -> Option<Tcp> {
        let by_recovery = |tcp: &Tcp| tcp.congestion_control == RENO && tcp.recovery == Some(wanted);
        tcps().into_iter().find(|tcp| tcp.name == wanted).or_else(|| tcps().into_iter().find(by_recovery))
    }

    /// The line that says its recovery, where neither its dialect nor its congestion control does.
    pub fn recovery_line(&self, dialect: &str) -> String {
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
    words::of("dialect")
}

/// The dialect of TCP as it is today.
pub const STANDARD: &str = "standard";

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    use crate::args::Cli;
    use ackclock_scenario::Memory;

    #[test]
    fn every_recovery_and_every_congestion_control_of_scenario_files_can_be_compared() {
        for word in words::of("recovery") {
            assert!(tcps().iter().any(|tcp| tcp.recovery == Some(&word)), "recovery {word}");
        }
        for word in words::of("congestion_control") {
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
    fn every_policy_of_packets_is_suggested_and_no_other() {
        for word in words::of("policy") {
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
