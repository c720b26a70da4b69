//! What was probably meant.

use ackclock::keys::Kind;
use ackclock::queue::packet::POLICIES;

use crate::check::not_modelled;
use crate::check::version;
use crate::keys::{Section, words_of};

/// The word nearest to a misspelt one, if any is near enough to be meant.
pub(crate) fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    if length > LONGEST {
        return None;
    }
    let word = word.to_lowercase();
    words
        .into_iter()
        .take(MOST_WORDS)
        .filter(|candidate| candidate.len().abs_diff(length) <= 3)
        .map(|candidate| (strsim::damerau_levenshtein(&word, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + length.min(candidate.len()) / 4 && *distance < length)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// What the word means in this language, where it is a common name for something that exists under another or for another
/// key, or for something that is not modelled.
pub(crate) fn explained(key: &str, word: &str) -> Option<String> {
    let plain: String = word.to_lowercase().chars().filter(|c| c.is_alphanumeric() || *c == '+').collect();
    let synonym = SYNONYMS.iter().find(|(of, known, _)| *of == key && *known == plain);
    let synonym = synonym.map(|(_, _, help)| (*help).to_owned());
    synonym.or_else(|| of_another_key(key, word)).or_else(|| not_modelled::help(word))
}

/// The key that has this word, in a section that has the other key too.
fn of_another_key(key: &str, word: &str) -> Option<String> {
    let sections = Section::everywhere().filter(|section| section.key_named(key).is_some());
    // What stands in the place of a number says nothing by itself: `none` and `never`.
    let known = |kind: &Kind| matches!(kind, Kind::Word(_) | Kind::Mechanism(_)) && words_of(kind).contains(&word);
    let other = sections.flat_map(|section| section.keys()).find(|other| other.name != key && known(&other.kind));
    other.map(|other| format!("write {} = {word:?}", other.name))
}

/// For a key that does not exist in `section`: the key of this section that was probably meant, and help.
pub(crate) fn for_key(word: &str, section: Section, names: &[&'static str]) -> (Option<&'static str>, Option<String>) {
    if let Some((_, meant)) = KEY_SYNONYMS.iter().find(|(known, meant)| *known == word && names.contains(meant)) {
        return (Some(meant), Some(format!("write `{meant}`")));
    }
    let is_of_queue = ["[queue", "[port"].iter().any(|of| section.header().starts_with(of));
    if word == "ecn" && is_of_queue {
        return (None, Some(marking()));
    }
    if let Some(help) = not_modelled::help(word) {
        return (None, Some(help));
    }
    if let Some(new) = version::renamed(section, word) {
        return (None, Some(format!("`{word}` is called `{}` now", new.join("` or `"))));
    }
    let elsewhere: Vec<&str> = Section::everywhere()
        .filter(|other| *other != section && other.key_named(word).is_some())
        .map(|other| other.header())
        .collect();
    if !elsewhere.is_empty() {
        return (None, Some(format!("`{word}` belongs to {}", elsewhere.join(" or "))));
    }
    if let Some(near) = nearest(word, names.iter().copied()) {
        return (Some(near), Some(format!("did you mean `{near}`?")));
    }
    if let Some(whole) = only_beginning(word, names) {
        return (Some(whole), Some(format!("did you mean `{whole}`?")));
    }
    let everywhere = Section::everywhere().flat_map(|section| section.keys().map(|key| key.name));
    let near = nearest(word, everywhere);
    let home = near.and_then(|near| Section::everywhere().find(|section| section.key_named(near).is_some()));
    let help = near.zip(home).map(|(near, home)| format!("did you mean `{near}`? It belongs to {}", home.header()));
    (None, help)
}

/// How packets come to be marked: the policies that can mark, as the family has them.
pub(crate) fn marking() -> String {
    let names =
        POLICIES.iter().filter(|policy| policy.keys.iter().any(|key| key.name == "ecn")).map(|policy| policy.name);
    format!(
        "packets are marked by {}: write ecn = true in the table of one of them, as in red.ecn = true (fq-codel marks by default), and \
         ecn = \"classic\" in [tcp]",
        names.collect::<Vec<_>>().join(", ")
    )
}

/// The only name of which a word is the beginning.
fn only_beginning(word: &str, names: &[&'static str]) -> Option<&'static str> {
    let mut all = names.iter().filter(|name| word.len() >= SHORTEST_BEGINNING && name.starts_with(word));
    all.next().filter(|_| all.next().is_none()).copied()
}

/// Shorter ones may mean anything.
const SHORTEST_BEGINNING: usize = 3;
/// Longer words are not compared.
const LONGEST: usize = 80;
/// More candidates than this are not compared.
const MOST_WORDS: usize = 2_000;

/// Key, word (lower case, letters, digits and `+` only), help.
const SYNONYMS: &[(&str, &str, &str)] = &[
    (
        "recovery",
        "prr",
        "PRR is how the window comes down in a recovery; write window_reduction = \"proportional\" in [tcp.rack] or [tcp.rfc6675]",
    ),
    ("recovery", "sack", "there are two kinds of SACK: \"fall-floyd\" (PIPE, [SACK-UBR] §3) and \"rfc6675\""),
    ("recovery", "tahoe", "\"vanilla\" is Tahoe without fast retransmit"),
    ("recovery", "none", "\"vanilla\" repairs losses by timeout only"),
    ("recovery", "fack", "there are two kinds of SACK: \"fall-floyd\" (PIPE, [SACK-UBR] §3) and \"rfc6675\""),
    ("policy", "droptail", "write \"tail-drop\""),
    ("policy", "fifo", "write \"tail-drop\""),
    ("policy", "none", "write \"tail-drop\""),
    ("policy", "shaper", "write \"tbf\", the token bucket filter"),
    ("policy", "tokenbucket", "write \"tbf\", the token bucket filter"),
    ("policy", "sd", "write \"selective-drop\""),
    (
        "policy",
        "sd+",
        "SD+ is Selective Drop with a forgiveness bit: policy = \"selective-drop\", selective-drop.forgiveness = \"toggle\"",
    ),
    (
        "policy",
        "sdplus",
        "SD+ is Selective Drop with a forgiveness bit: policy = \"selective-drop\", selective-drop.forgiveness = \"toggle\"",
    ),
    ("policy", "epd+", "EPD+ is EPD with a forgiveness bit: policy = \"epd\", epd.forgiveness = \"toggle\""),
    ("policy", "epdplus", "EPD+ is EPD with a forgiveness bit: policy = \"epd\", epd.forgiveness = \"toggle\""),
    ("policy", "fba+", "FBA+ is FBA with a forgiveness bit: policy = \"fba\", fba.forgiveness = \"toggle\""),
    ("policy", "fbaplus", "FBA+ is FBA with a forgiveness bit: policy = \"fba\", fba.forgiveness = \"toggle\""),
    ("policy", "epd+fba", "FBA already contains EPD; write policy = \"fba\""),
    ("policy", "epdfba", "FBA already contains EPD; write policy = \"fba\""),
    ("topology", "nsource", "write \"n-source\""),
    ("topology", "parkinglot", "write \"parking-lot\""),
    ("topology", "gfc1", "write \"gfc-1\""),
    ("topology", "gfc2", "write \"gfc-2\""),
    ("technology", "ip", "write \"packet\""),
    ("technology", "ethernet", "write \"packet\", and the octets of its header as link_header in [packet]"),
    ("technology", "cell", "write \"atm\""),
    ("technology", "cells", "write \"atm\""),
    ("service_order", "roundrobin", "write \"rotating\""),
    ("congestion_control", "newreno", "New Reno is a recovery; write recovery = \"new-reno\""),
    ("congestion_control", "vegasa", "write \"vegas-a\""),
    ("congestion_control", "sack", "SACK is a recovery; write recovery = \"rfc6675\" or \"rack\""),
    ("model", "gilbert", "the model of two states is \"markov\""),
    ("model", "gilbertelliott", "the model of two states is \"markov\""),
    ("model", "bernoulli", "write \"uniform\""),
    ("model", "random", "write \"uniform\""),
    ("kind", "router", "write \"switch\""),
    ("kind", "server", "write \"host\""),
    ("kind", "client", "write \"host\""),
];

/// Words that are used for keys elsewhere, and the key that they mean here.
const KEY_SYNONYMS: &[(&str, &str)] = &[
    ("bandwidth", "rate"),
    ("speed", "rate"),
    ("latency", "delay"),
    ("n", "sources"),
    ("count", "sources"),
    ("flows", "sources"),
    ("time", "duration"),
    ("length", "duration"),
    ("title", "name"),
    ("include", "extends"),
    ("base", "extends"),
    ("src", "from"),
    ("source", "from"),
    ("dst", "to"),
    ("destination", "to"),
    ("path", "route"),
    ("nodes", "ends"),
    ("z", "load_ratio"),
    ("Z", "load_ratio"),
    ("r", "threshold"),
    ("R", "threshold"),
    ("size", "buffer"),
    ("limit", "buffer"),
    ("rwnd", "receive_window"),
    ("window", "receive_window"),
    ("ssthresh", "initial_ssthresh"),
    ("granularity", "tick"),
    ("cc", "congestion_control"),
    ("bw", "rate"),
    ("loss", "errors"),
    ("loss_rate", "errors"),
    ("aqm", "policy"),
    ("qdisc", "policy"),
    ("discipline", "policy"),
    ("packet_size", "payload"),
    ("packet_size", "mss"),
    ("drop", "drops"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let words = ["buffer", "policy", "threshold"];
        assert_eq!(nearest("bufer", words), Some("buffer"));
        assert_eq!(nearest("Buffer", words), Some("buffer"));
        assert_eq!(nearest("treshhold", words), Some("threshold"));
        assert_eq!(nearest("colour", words), None);
        assert_eq!(nearest("", words), None);
        assert_eq!(nearest("newreno", ["reno", "new-reno"]), Some("new-reno"));
    }
}
