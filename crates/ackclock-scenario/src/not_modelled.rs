//! What is often looked for and is not modelled: words, so that a message can say so and name the page.

/// The page of the documentation that says what is not modelled.
pub const NOT_MODELLED_PAGE: &str = "docs/not-modelled.md";

/// What a word is called, if it stands for something that is not modelled; letter case and punctuation do not matter.
pub(crate) fn named(word: &str) -> Option<&'static str> {
    let plain: String = word.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    WORDS.iter().find(|(words, _)| words.contains(&plain.as_str())).map(|(_, name)| *name)
}

/// What to say about such a word.
pub(crate) fn help(word: &str) -> Option<String> {
    named(word).map(|name| format!("not modelled: {name}; {NOT_MODELLED_PAGE} says what is left out"))
}

/// Words in lower case without punctuation, and the name that stands on the page.
const WORDS: &[(&[&str], &str)] = &[
    // Queues.
    (&["pie"], "PIE"),
    (&["dualpi2", "pi2"], "DualPI2"),
    (&["fqcodel"], "FQ-CoDel"),
    (&["fqpie"], "FQ-PIE"),
    (&["cake", "cobalt"], "CAKE"),
    (&["fq", "sfq", "wfq", "fairqueueing", "fairqueuing"], "fair queueing"),
    (&["drr", "wrr"], "DRR"),
    (&["prio", "priority", "strictpriority"], "priority queueing"),
    (&["ared", "adaptivered"], "Adaptive RED"),
    (&["wred", "gred", "rio"], "WRED"),
    (&["blue", "sfb"], "BLUE"),
    (&["choke"], "CHOKe"),
    (&["avq"], "AVQ"),
    (&["rem"], "REM"),
    (&["tbf", "tokenbucket", "policer", "policing", "shaper"], "token buckets"),
    // ECN.
    (&["ecn", "ect", "ece", "marking", "mark", "accecn"], "ECN"),
    (&["l4s", "prague"], "L4S"),
    (&["dctcp"], "DCTCP"),
    // Congestion control and loss recovery.
    (&["bic"], "BIC"),
    (&["hybla"], "Hybla"),
    (&["westwood", "westwoodplus"], "Westwood"),
    (&["illinois"], "Illinois"),
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
    (&["hystart"], "HyStart"),
    (&["prr"], "PRR"),
    (&["frto"], "F-RTO"),
    (&["eifel"], "Eifel"),
    (&["quic"], "QUIC"),
    (&["sctp"], "SCTP"),
    (&["mptcp"], "MPTCP"),
    (&["tfrc", "dccp"], "TFRC"),
    // Traffic.
    (&["web", "http", "webtraffic", "browsing"], "web traffic"),
    (&["onoff", "pareto", "poisson", "exponential"], "on-off and Poisson sources"),
    (&["voip", "video", "rtp"], "voice and video"),
    // Cells.
    (&["abr", "erica", "ericaplus"], "ABR"),
    (&["vbr"], "VBR"),
    (&["clp"], "CLP"),
    // Networks.
    (&["wifi", "wlan", "lte", "5g", "csma"], "shared media"),
    (&["fragmentation", "fragment"], "fragmentation"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_does_not_matter() {
        for word in ["fq_codel", "FQ-CoDel", "fqcodel", "Fq CoDel"] {
            assert_eq!(named(word), Some("FQ-CoDel"), "{word}");
        }
        assert_eq!(named("codel"), None);
        assert_eq!(named(""), None);
    }

    #[test]
    fn each_is_named_on_the_page_and_is_no_word_of_scenario_files() {
        let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(NOT_MODELLED_PAGE);
        let page = std::fs::read_to_string(page).unwrap();
        let schema = crate::json_schema().to_string();
        for (words, name) in WORDS {
            assert!(page.contains(name), "{NOT_MODELLED_PAGE} does not name {name}");
            for word in *words {
                assert!(!schema.contains(&format!("\"{word}\"")), "{word} is modelled");
            }
        }
    }
}
