//! Whatever a file of elements says, it is read, or refused in one message. The fuzz target checks the same with inputs of its own.

use ackclock::units::Span;
use ackclock_sat::earth::Earth;
use ackclock_sat::elements::{ElementSet, propagated};

/// Reads bytes as a file of elements; the first satellites are followed for a minute.
pub fn check_bytes(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let sets = match ElementSet::read_all("elements", &text) {
        Ok(sets) => sets,
        Err(error) => return check_message(&error.to_string()),
    };
    assert!(!sets.is_empty());
    let few = sets.into_iter().take(4).collect();
    let earth = Earth::named("wgs84").expect("it is known");
    match propagated(&earth, few, None, Span::from_secs(60)) {
        Ok((constellation, _)) => assert!(!constellation.satellites().is_empty()),
        Err(error) => check_message(&error.to_string()),
    }
}

fn check_message(message: &str) {
    assert!(!message.is_empty() && !message.contains('\n'), "{message:?}");
}
