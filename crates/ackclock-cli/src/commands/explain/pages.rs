//! The pages about models that `explain` names.

/// The page of a key of scenario files, by its table as in `tcp.cubic`, and its name.
pub fn of_key(table: &str, key: &str) -> Option<&'static str> {
    let within = table.rsplit('.').next().unwrap_or(table);
    // A table of a mechanism: all that is in it is on the page of that.
    let of_table = [format!("congestion-control-{within}"), format!("application-{within}"), within.to_owned()];
    let mechanism = of_table.iter().filter(|_| within != table).find_map(|name| named(name));
    let known = |wanted: &str| OF_KEYS.iter().find(|(of, _)| *of == wanted).and_then(|(_, page)| named(page));
    mechanism.or_else(|| known(key)).or_else(|| known(&format!("[{within}]")))
}

/// The page of a word that a key may be.
pub fn of_word(key: &str, word: &str) -> Option<&'static str> {
    match key {
        "congestion_control" => {
            named(&format!("congestion-control-{}", ackclock_scenario::alias(word).unwrap_or(word)))
        }
        "application" => named(&format!("application-{word}")),
        "recovery" | "policy" | "rate_algorithm" => named(word),
        "host" => (word == "served").then(|| named("served-hosts")).flatten(),
        "dialect" => named("dialects"),
        "model" => named("paths"),
        "law" => named("laws"),
        _ => None,
    }
}

fn named(name: &str) -> Option<&'static str> {
    PAGES.split(' ').find(|page| *page == name)
}

/// The pages in docs/models.
const PAGES: &str = "aal5 abr application-bulk application-exchanges application-on-off application-writes blue capc cell-port codel \
    congestion-control-bbr1 congestion-control-bbr3 congestion-control-cubic congestion-control-hybla \
    congestion-control-external congestion-control-illinois congestion-control-reno congestion-control-vegas congestion-control-vegas-1995 \
    congestion-control-vegas-a congestion-control-vegas-linux congestion-control-vegas-plus connection delayed-ack \
    dialects drr dynamic-threshold ecn efci epd erica erica-plus fall-floyd fba forgiveness fq-codel hosts laws linux max-min medium new-reno \
    offset-sack packet-port paths pie ppd rack reading red red-epd reno reroute-detect retransmission-timer rfc6675 routes \
    satellites selective-drop served-hosts simplified-erica-plus slow-start spurious tail-drop tbf tcp-rate-control udp vanilla vegas \
    vegas-1995";

/// Keys, or `[tables]` for all other keys in them, and the page that says most about them.
const OF_KEYS: [(&str, &str); 47] = [
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
        let mut pages: Vec<&str> = PAGES.split(' ').collect();
        pages.sort_unstable();
        assert_eq!(files, pages);
        for (key, page) in OF_KEYS {
            assert!(named(page).is_some(), "{key}");
        }
        assert_eq!(of_key("tcp.cubic", "beta"), Some("congestion-control-cubic"));
        assert_eq!(of_key("traffic.on-off", "rate"), Some("application-on-off"));
        assert_eq!(of_key("tcp.new-reno", "recovery_burst"), Some("new-reno"));
        assert_eq!(of_key("flow.NAME.tcp", "min_rto"), Some("retransmission-timer"));
        assert_eq!(of_key("tcp", "mss"), Some("dialects"));
        assert_eq!(of_key("network", "sources"), None);
        assert_eq!(of_word("congestion_control", "bbr"), Some("congestion-control-bbr3"));
    }
}
