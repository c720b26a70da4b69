//! What a mistyped name was probably meant to be.

/// The known name nearest to `wanted`, if it is near enough to be meant: at most a third of its letters differ, or
/// it is `wanted` with an ending.
pub fn nearest<'a>(wanted: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let distance = |name: &&str| strsim::osa_distance(&wanted.to_lowercase(), &name.to_lowercase());
    let close = |name: &&str| distance(name) * 3 <= wanted.chars().count().max(3);
    let extends = |name: &&str| !wanted.is_empty() && name.strip_prefix(wanted).is_some_and(|end| end.starts_with('.'));
    known.clone().find(extends).or_else(|| known.filter(close).min_by_key(distance))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_near_name_is_suggested() {
        let known = ["wan.toml", "lan.toml", "geo-5-sources.toml"];
        let suggest = |wanted| nearest(wanted, known.iter().copied());
        assert_eq!(suggest("wann.toml"), Some("wan.toml"));
        assert_eq!(suggest("lan"), Some("lan.toml"));
        assert_eq!(suggest("geo-5-source.tml"), Some("geo-5-sources.toml"));
        assert_eq!(suggest("reference.toml"), None);
    }
}
