//! What must hold for every input, whatever it is. Shared by the tests and the fuzz target.

use ackclock_scenario::{LoadError, Loaded, Memory, Severity, load, load_annotated};

/// Loads bytes as a file; what follows a NUL byte is a list of `--set` arguments, one a line.
pub fn check_bytes(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == 0);
    let file = parts.next().unwrap_or_default();
    let sets = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let sets: Vec<String> = sets.lines().map(str::to_owned).collect();
    // The file may extend itself, a good base, and a file that does not exist.
    let memory = Memory::new().with("main.toml", file).with("base.toml", BASE);
    match load_annotated(&memory, "main.toml", &sets) {
        Ok((loaded, annotated)) => {
            check_loaded(&loaded);
            check_text(&annotated, &loaded);
        }
        Err(error) => check_refusal(&error),
    }
}

/// The canonical text loads to the same scenario and the same text, without warnings of its own.
pub fn check_loaded(loaded: &Loaded) {
    check_text(&loaded.resolved, loaded);
}

/// A text that says all that holds in a scenario, with comments or without, loads to the same.
pub fn check_text(text: &str, loaded: &Loaded) {
    let mut memory = Memory::new().with("resolved.toml", text);
    // The traces that it names, where these are on the disk.
    for path in text.split("trace = \"").skip(1).filter_map(|rest| rest.split('"').next()) {
        if let Ok(trace) = std::fs::read(path) {
            memory = memory.with(path, trace);
        }
    }
    let again = match load(&memory, "resolved.toml", &[]) {
        Ok(again) => again,
        Err(error) => panic!("the resolved file is refused: {error:#?}\n{text}"),
    };
    assert_eq!(again.scenario, loaded.scenario, "{text}");
    assert_eq!(again.seed, loaded.seed);
    assert_eq!(again.resolved, loaded.resolved);
}

/// A refusal has a reason, and every place is a place.
pub fn check_refusal(error: &LoadError) {
    let LoadError::Invalid(diagnostics) = error else { panic!("{error:?}") };
    assert!(diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error));
    for diagnostic in diagnostics {
        assert!(!diagnostic.message.is_empty());
        if let Some(place) = &diagnostic.place {
            assert!(place.span.start <= place.span.end && place.span.end <= place.text.len(), "{diagnostic:?}");
            assert!(place.text.get(place.span.clone()).is_some(), "{diagnostic:?}");
            assert!(place.line_column() >= (1, 1));
        }
    }
}

/// A complete scenario to extend.
pub const BASE: &str = r#"
duration = "1 s"
[network]
topology = "n-source"
sources = 2
rate = "155.52 Mbps"
access_delay = "5 us"
trunk_delay = "5 us"
[queue]
buffer = "1000 cells"
policy = "selective-drop"
"#;
