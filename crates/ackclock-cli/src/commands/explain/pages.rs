//! The pages about models that `explain` names.

use ackclock::atm::rate;
use ackclock::queue::{cell, packet};
use ackclock::tcp::{application, cc, recovery};

/// The page of a key of scenario files, by its table as in `tcp.cubic`, and its name.
pub fn of_key(table: &str, key: &str) -> Option<String> {
    let within = table.rsplit('.').next().unwrap_or(table);
    // A table of a mechanism: all that is in it is on the page of that.
    let mechanism = || of_control(within).or_else(|| of_application(within)).or_else(|| of_mechanism(within));
    let of_table = if within == table { None } else { mechanism().or_else(|| other(within)) };
    let known = |wanted: &str| OF_KEYS.iter().find(|(of, _)| *of == wanted).map(|(_, page)| (*page).to_owned());
    of_table.or_else(|| known(key)).or_else(|| known(&format!("[{within}]")))
}

/// The page of a word that a key may be.
pub fn of_word(key: &str, word: &str) -> Option<String> {
    match key {
        "congestion_control" => of_control(ackclock_scenario::alias(word).unwrap_or(word)),
        "application" => of_application(word),
        "recovery" | "policy" | "rate_algorithm" => of_mechanism(word),
        "host" => other("served-hosts").filter(|_| word == "served"),
        "dialect" => other("dialects"),
        "model" => other("paths"),
        "law" => other("laws"),
        _ => None,
    }
}

fn of_control(name: &str) -> Option<String> {
    cc::ALL.iter().any(|control| control.name == name).then(|| format!("congestion-control-{name}"))
}

fn of_application(name: &str) -> Option<String> {
    application::ALL.iter().any(|application| application.name == name).then(|| format!("application-{name}"))
}

/// The page of a mechanism of another family, which is called like it.
fn of_mechanism(name: &str) -> Option<String> {
    let is_known = cell::POLICIES.iter().any(|policy| policy.name == name)
        || packet::POLICIES.iter().any(|policy| policy.name == name)
        || recovery::ALL.iter().any(|recovery| recovery.name == name)
        || rate::ALGORITHMS.iter().any(|algorithm| algorithm.name == name);
    is_known.then(|| name.to_owned())
}

fn other(name: &str) -> Option<String> {
    OTHERS.split(' ').find(|page| *page == name).map(str::to_owned)
}

/// The pages in docs/models that are not about one mechanism of a family.
const OTHERS: &str = "aal5 abr cell-port connection delayed-ack dialects ecn forgiveness hosts laws linux medium offset-sack packet-port paths \
    reading reroute-detect retransmission-timer routes satellites served-hosts slow-start spurious tcp-rate-control udp";

/// Keys, or `[tables]` for all other keys in them, and the page that says most about them.
const OF_KEYS: [(&str, &str); 48] = [
    ("timer", "retransmission-timer"),
    ("tick", "retransmission-timer"),
    ("tick_phase", "retransmission-timer"),
    ("min_rto", "retransmission-timer"),
    ("initial_rto", "retransmission-timer"),
    ("max_rto", "retransmission-timer"),
    ("timer_per", "retransmission-timer"),
    ("handshake", "connection"),
    ("fin", "connection"),
    ("timestamps", "connection"),
    ("timestamp_clock", "connection"),
    ("delayed_ack", "delayed-ack"),
    ("delayed_ack_timeout", "delayed-ack"),
    ("slow_start_exit", "slow-start"),
    ("slow_start_limit", "slow-start"),
    ("window_growth", "slow-start"),
    ("undo", "spurious"),
    ("undo_response", "spurious"),
    ("f_rto", "spurious"),
    ("reads", "reading"),
    ("reneges_at", "reading"),
    ("sack_option", "offset-sack"),
    ("offset_sack_kind", "offset-sack"),
    ("receiver_offset_sack", "offset-sack"),
    ("ecn", "ecn"),
    ("ecn_response", "ecn"),
    ("ecn_reduction", "ecn"),
    ("restart_after_idle", "congestion-control-reno"),
    ("idle_reduction", "congestion-control-reno"),
    ("host", "served-hosts"),
    ("host_queue_at_timeout", "hosts"),
    ("route_changes", "routes"),
    ("back_route_changes", "routes"),
    ("encrypted_headers", "tcp-rate-control"),
    ("feedback", "tcp-rate-control"),
    ("service", "abr"),
    ("rate_algorithm", "abr"),
    ("service_order", "cell-port"),
    ("counting", "packet-port"),
    ("llc", "aal5"),
    ("[tcp]", "dialects"),
    ("[abr]", "abr"),
    ("medium", "medium"),
    ("[link]", "paths"),
    ("[medium]", "medium"),
    ("[udp]", "udp"),
    ("[satellites]", "satellites"),
    ("[place]", "satellites"),
];

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_pages_are_those_of_the_folder_and_each_key_names_one_of_them() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/models");
        let mut files: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".md").map(String::from))
            .collect();
        files.sort();
        let missing: Vec<&str> = OTHERS.split(' ').filter(|page| !files.iter().any(|file| file == page)).collect();
        assert_eq!(missing, Vec::<&str>::new());
        let is_known = |file: &str| {
            let control = file.strip_prefix("congestion-control-").and_then(of_control);
            let application = file.strip_prefix("application-").and_then(of_application);
            control.or(application).or_else(|| of_mechanism(file)).or_else(|| other(file)).is_some()
        };
        let unknown: Vec<&String> = files.iter().filter(|file| !is_known(file)).collect();
        assert_eq!(unknown, Vec::<&String>::new());
        for (key, page) in OF_KEYS {
            assert!(files.iter().any(|file| file == page), "{key}");
        }
        assert_eq!(of_key("tcp.cubic", "beta").as_deref(), Some("congestion-control-cubic"));
        assert_eq!(of_key("traffic.on-off", "rate").as_deref(), Some("application-on-off"));
        assert_eq!(of_key("tcp.new-reno", "recovery_burst").as_deref(), Some("new-reno"));
        assert_eq!(of_key("flow.NAME.tcp", "min_rto").as_deref(), Some("retransmission-timer"));
        assert_eq!(of_key("tcp", "mss").as_deref(), Some("dialects"));
        assert_eq!(of_key("network", "sources").as_deref(), None);
        assert_eq!(of_word("recovery", "reno").as_deref(), Some("reno"));
        assert_eq!(of_word("congestion_control", "bbr").as_deref(), Some("congestion-control-bbr3"));
    }
}
