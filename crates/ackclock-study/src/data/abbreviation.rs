//! Short words of tables and claims, and what they mean.

use serde::{Deserialize, Serialize};

/// A short word and what it means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Abbreviation {
    /// As it is written: `SD+`.
    pub word: String,
    /// In words.
    pub means: String,
}

impl Abbreviation {
    /// Whether it stands in a text as a word of its own.
    pub(crate) fn stands_in(&self, text: &str) -> bool {
        words(text).any(|word| word == self.word)
    }
}

/// The words of a text: letters, digits and plus signs. A hyphen joins words to a name: `Vegas-A` holds no `A`.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let within = |c: char| c.is_alphanumeric() || c == '+' || c == '-';
    text.split(move |c| !within(c)).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_by_itself_only() {
        let stands = |word: &str, text: &str| Abbreviation { word: word.into(), means: String::new() }.stands_in(text);
        assert!(stands("SD", "LAN, SD: 3") && stands("K", "N=5 K=1000") && stands("SD+", "SD+"));
        assert!(!stands("SD", "SD+") && !stands("A", "Vegas-A") && !stands("N", "LAN"));
    }
}
