//! The folder `studies/`, embedded by `build.rs`.

use std::io;

use ackclock_scenario::Source;

/// Name below `studies/`, with `/`, and content of every TOML file, sorted by name.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/studies.rs"));

pub(crate) fn file(name: &str) -> Option<&'static str> {
    FILES.binary_search_by_key(&name, |(known, _)| known).ok().map(|i| FILES[i].1)
}

pub(crate) fn file_names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// The scenario files among them; `extends` is relative to the file that says it.
pub(crate) struct Embedded;

impl Source for Embedded {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let text = file(path).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        Ok(text.as_bytes().to_vec())
    }

    fn join(&self, from: &str, reference: &str) -> String {
        let mut parts: Vec<&str> = from.split('/').collect();
        parts.pop();
        for part in reference.split('/') {
            match part {
                "." => {}
                ".." => {
                    parts.pop();
                }
                name => parts.push(name),
            }
        }
        parts.join("/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_relative_to_the_file_that_makes_them() {
        assert_eq!(Embedded.join("a/scenarios/wan.toml", "lan.toml"), "a/scenarios/lan.toml");
        assert_eq!(Embedded.join("a/scenarios/wan.toml", "../../b/./lan.toml"), "b/lan.toml");
    }

    #[test]
    fn every_embedded_file_is_found_by_its_name() {
        assert!(file_names().count() > 0);
        assert!(file_names().all(|name| file(name).is_some()));
        assert_eq!(file("sack-ubr/none.toml"), None);
    }
}
