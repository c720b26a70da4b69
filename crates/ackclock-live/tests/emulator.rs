//! The emulator between namespaces of this machine. Where they cannot be made these tests say so, and pass.

#![cfg(target_os = "linux")]

use ackclock::units::Span;
use ackclock_live::emulator::self_test::{SelfTest, measure, self_test};
use ackclock_live::{ErrorKind, LiveError};

/// What came out; nothing, said loudly, if this machine does not let it run.
fn permitted<T>(test: &str, outcome: Result<T, LiveError>) -> Option<T> {
    match outcome {
        Ok(done) => Some(done),
        Err(error) if error.kind() == ErrorKind::Machine => {
            eprintln!("SKIPPED: {test}: {error}; {}", error.help());
            None
        }
        Err(error) => panic!("{error}; {}", error.help()),
    }
}

/// Limits that hold on a machine that has other work to do.
#[test]
fn rates_and_delays_of_links_are_about_those_of_the_scenario() {
    let measured = measure(&[10_000_000], Span::from_secs(1), &[5], Span::from_secs(1));
    let Some(SelfTest { rates, delays, .. }) = permitted("rates and delays", measured) else { return };
    assert!(rates[0].error().abs() < 0.02, "{rates:?}");
    assert!(delays[0].lost == 0 && delays[0].added.count() == 1000, "{delays:?}");
    let median = delays[0].added.quantile(500).unwrap();
    assert!(median > Span::ZERO && median < Span::from_ms(3), "{median}");
}

/// `cargo test -p ackclock-live --test emulator -- --ignored --nocapture` shows how exact this machine is.
#[test]
#[ignore = "takes a minute, and its limits are those of a machine without other work"]
fn self_test_of_this_machine() {
    let Some(test) = permitted("self-test", self_test()) else { return };
    eprint!("{test}");
    assert!(test.passes());
}
