//! The line at the top of scenario files by which editors find their schema.

use std::path::{Component, Path};

/// The name of the schema in the folder from which the program is started: `ackclock schema > ackclock.schema.json`.
pub const SCHEMA: &str = "ackclock.schema.json";

/// The line of a scenario that lies beside the schema.
pub fn line() -> String {
    format!("#:schema ./{SCHEMA}\n")
}

/// The line of a scenario in a folder, for a schema in the folder from which the program was started.
pub fn line_below(folder: &Path) -> String {
    let mut up = String::new();
    for part in folder.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(_) => up.push_str("../"),
            // Where that is seen from there is not known.
            _ => return line(),
        }
    }
    if up.is_empty() { line() } else { format!("#:schema {up}{SCHEMA}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_where_the_program_was_started() {
        let line = |folder| line_below(Path::new(folder));
        assert_eq!(line("results/lan-1234"), "#:schema ../../ackclock.schema.json\n");
        assert_eq!(line("./q/reno/"), "#:schema ../../ackclock.schema.json\n");
        for other in ["", ".", "/srv/results", "../results"] {
            assert_eq!(line(other), super::line(), "{other}");
        }
    }
}
