//! Diagnostics as text, plainly, for snapshots.

use std::fmt::Write as _;

use ackclock_scenario::{Diagnostic, LoadError, Memory, Severity, load};

/// Everything that is said about a file (`test.toml`) with `--set` arguments.
pub fn said_about(file: &str, sets: &[&str]) -> String {
    said_about_files(&Memory::new().with("test.toml", file), sets)
}

/// Everything that is said about `test.toml` among other files.
pub fn said_about_files(files: &Memory, sets: &[&str]) -> String {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    match load(files, "test.toml", &sets) {
        Ok(loaded) => render(&loaded.warnings),
        Err(LoadError::Invalid(diagnostics)) => render(&diagnostics),
        Err(LoadError::Unreadable { path, error }) => format!("unreadable: {path}: {error}\n"),
    }
}

pub fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

pub fn render(diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let severity = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
        let _ = writeln!(text, "{severity}: {}", diagnostic.message);
        if let Some(place) = &diagnostic.place {
            let (line, column) = place.line_column();
            let _ = writeln!(text, "  --> {}:{line}:{column}", place.file);
            let shown = place.text.lines().nth(line - 1).unwrap_or("");
            let carets = place.text[place.span.clone()].lines().next().unwrap_or("").chars().count().max(1);
            let _ = writeln!(text, "   | {shown}");
            let marked = format!("   | {}{} {}", " ".repeat(column - 1), "^".repeat(carets), diagnostic.label);
            let _ = writeln!(text, "{}", marked.trim_end());
        } else {
            let _ = writeln!(text, "  --> {}", diagnostic.file);
            if !diagnostic.label.is_empty() {
                let _ = writeln!(text, "   = {}", diagnostic.label);
            }
        }
        if let Some(help) = &diagnostic.help {
            let _ = writeln!(text, "   = help: {help}");
        }
    }
    if text.is_empty() { "nothing\n".to_owned() } else { text }
}
