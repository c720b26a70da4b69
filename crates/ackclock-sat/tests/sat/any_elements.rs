//! Whatever a file of elements says, it is read, or refused in one message. The fuzz target checks the same with inputs of its own.

use ackclock::units::Span;
use ackclock_sat::earth::Earth;
use ackclock_sat::elements::{ElementFile, Unusable};

/// Reads bytes as a file of elements; the first satellites are followed for a minute.
pub fn check_bytes(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut file = match ElementFile::read("elements", &text) {
        Ok(file) => file,
        Err(error) => return check_message(&error.to_string()),
    };
    assert!(file.count() > 0);
    file.truncate(4);
    let earth = Earth::named("wgs84").expect("it is known");
    for unusable in [Unusable::Refuse, Unusable::LeaveOut] {
        match file.clone().propagated(&earth, None, Span::ZERO, Span::from_secs(60), unusable) {
            Ok((constellation, _)) => assert!(!constellation.satellites().is_empty()),
            Err(error) => check_message(&error.to_string()),
        }
    }
}

fn check_message(message: &str) {
    assert!(!message.is_empty() && !message.contains('\n'), "{message:?}");
}
