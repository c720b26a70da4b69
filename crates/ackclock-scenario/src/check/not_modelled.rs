//! What is often looked for and is not modelled: words, so that a message can say so and name the page.
//!
//! A name that scenario files know as a mechanism leaves the lists by itself, here and on the page.

use crate::keys::{Section, words_of};

/// The page of the documentation that says what is not modelled.
pub const NOT_MODELLED_PAGE: &str = "docs/not-modelled.md";

/// What a word is called, if it stands for something that is not modelled; letter case and punctuation do not matter.
pub(crate) fn named(word: &str) -> Option<&'static str> {
    let plain = plain(word);
    let all = TOPICS.iter().flat_map(|(_, names)| *names);
    all.filter(|(words, _)| words.contains(&plain.as_str()) && !is_modelled(words)).map(|(_, name)| *name).next()
}

/// Each topic, and the names of it that are not modelled.
pub(crate) fn topics() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let names_of = |names: &'static [(&'static [&'static str], &'static str)]| {
        names.iter().filter(|(words, _)| !is_modelled(words)).map(|(_, name)| *name).collect()
    };
    TOPICS.iter().map(move |(topic, names)| (*topic, names_of(names)))
}

/// What to say about such a word.
pub(crate) fn help(word: &str) -> Option<String> {
    named(word).map(|name| format!("not modelled: {name}; {NOT_MODELLED_PAGE} lists what is not modelled"))
}

/// Without punctuation, in lower case.
fn plain(word: &str) -> String {
    word.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// Whether scenario files may name one of `words` as the value of a key.
fn is_modelled(words: &[&str]) -> bool {
    let knows = |known: &[&str]| known.iter().any(|known| words.contains(&plain(known).as_str()));
    Section::everywhere().flat_map(Section::keys).any(|key| knows(words_of(&key.kind)))
}

/// Topics of the page, and of each: words in lower case without punctuation, and the name that they stand for.
type Topic = (&'static str, &'static [(&'static [&'static str], &'static str)]);

const TOPICS: &[Topic] = &[
    (
        "Queues",
        &[
            (&["pie"], "PIE"),
            (&["dualpi2", "pi2"], "DualPI2"),
            (&["fqpie"], "FQ-PIE"),
            (&["cake", "cobalt"], "CAKE"),
            (&["fq", "sfq", "wfq", "fairqueueing", "fairqueuing"], "fair queueing"),
            (&["wrr"], "WRR"),
            (&["prio", "priority", "strictpriority"], "priority queueing"),
            (&["ared", "adaptivered"], "Adaptive RED"),
            (&["wred", "gred", "rio"], "WRED"),
            (&["sfb"], "SFB"),
            (&["choke"], "CHOKe"),
            (&["avq"], "AVQ"),
            (&["rem"], "REM"),
            (&["policer", "policing"], "policers"),
        ],
    ),
    (
        "Explicit congestion notification",
        &[(&["accecn", "accurateecn"], "Accurate ECN"), (&["l4s", "prague"], "L4S"), (&["dctcp"], "DCTCP")],
    ),
    (
        "Congestion control and loss recovery",
        &[
            (&["bic"], "BIC"),
            (&["hybla"], "Hybla"),
            (&["westwood", "westwoodplus"], "Westwood"),
            (&["veno"], "Veno"),
            (&["yeah"], "YeAH"),
            (&["htcp"], "H-TCP"),
            (&["highspeed", "hstcp"], "HighSpeed TCP"),
            (&["scalable", "stcp"], "Scalable TCP"),
            (&["lp", "tcplp"], "TCP-LP"),
            (&["ledbat"], "LEDBAT"),
            (&["compound", "ctcp"], "Compound TCP"),
            (&["fasttcp"], "FAST TCP"),
            (&["bbr2", "bbrv2"], "BBR version 2"),
            (&["copa"], "Copa"),
            (&["cdg"], "CDG"),
            (&["quic"], "QUIC"),
            (&["sctp"], "SCTP"),
            (&["mptcp"], "MPTCP"),
            (&["tfrc", "dccp"], "TFRC"),
        ],
    ),
    ("Traffic", &[(&["voip", "video", "rtp"], "voice and video")]),
    ("Cells", &[(&["abr", "erica", "ericaplus"], "ABR"), (&["vbr"], "VBR"), (&["clp"], "CLP")]),
    (
        "Networks",
        &[
            (&["wifi", "wlan", "80211", "lte", "5g", "csma"], "contention for a medium"),
            (&["fragmentation", "fragment"], "fragmentation"),
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_does_not_matter() {
        for word in ["fq_pie", "FQ-PIE", "fqpie", "Fq Pie"] {
            assert_eq!(named(word), Some("FQ-PIE"), "{word}");
        }
        assert_eq!(named("codel"), None);
        assert_eq!(named(""), None);
    }

    #[test]
    fn what_is_modelled_is_not_named() {
        assert!(is_modelled(&["wrr", "codel"]) && !is_modelled(&["wrr"]));
        assert!(topics().all(|(_, names)| !names.is_empty()));
        assert!(topics().flat_map(|(_, names)| names).any(|name| name == "WRR"));
    }
}
