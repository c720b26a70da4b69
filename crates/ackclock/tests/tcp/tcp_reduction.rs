//! Proportional rate reduction (RFC 9937) in whole connections: what leaves during a recovery, and what is in flight at its end.

use std::cell::Cell;

use proptest::prelude::*;

use crate::pair::*;
use ackclock::tcp::recovery::{RackParams, WindowReduction};
use ackclock::units::{Span, Time};

const ONE_WAY: Span = Span::from_ms(250);
const RTT: Span = Span::from_ms(500);

fn proportional() -> [RecoveryParams; 2] {
    let window_reduction = WindowReduction::Proportional;
    [
        RecoveryParams::Rfc6675(Rfc6675Params { window_reduction, ..Rfc6675Params::default() }),
        RecoveryParams::Rack(RackParams { window_reduction, ..RackParams::default() }),
    ]
}

/// A window of 20 segments, of which the first is lost: half as much is sent as arrives, one segment for every two acknowledgements,
/// until ten are in flight. At once, eleven acknowledgements would let nothing leave.
#[test]
fn a_segment_leaves_for_every_two_that_arrive() {
    for recovery in proportional() {
        let name = recovery.name().to_owned();
        let mut tcp = params(recovery, 20);
        tcp.receive_window = 1000 * MSS;
        let mut pair = Pair::new(&tcp, GREEDY, ONE_WAY, |number, transmission| number == 0 && transmission == 1);
        pair.run(Time::ZERO + RTT + Span::from_ps(1));
        let sent: Vec<u64> = pair.sent.iter().skip(20).map(|sent| sent.number).collect();
        // Nineteen duplicates have come. The first two let new segments leave where limited transmit is (RFC 6675 §5 (3)); with the third
        // the loss is known: of 20 segments that were in flight then, and of those that arrive, half leave.
        assert!(sent.contains(&0), "{name}: {sent:?}");
        assert!((9..=11).contains(&sent.len()), "{name}: {sent:?}");
        assert!(pair.sender.in_recovery(), "{name}");
        pair.run(Time::ZERO + RTT * 2 + Span::from_ps(1));
        assert_eq!(pair.sender.timeouts(), [], "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever is lost of a window, less than half: when everything sent before is acknowledged, as much is in flight as ssthresh says,
    /// within a segment, and the window is ssthresh.
    #[test]
    fn a_recovery_ends_with_ssthresh_in_flight(
        window in 8_u64..60,
        lost in prop::collection::btree_set(0_u64..60, 1..12),
        which in 0_usize..2,
    ) {
        let lost: Vec<u64> = lost.into_iter().filter(|number| *number < window).collect();
        prop_assume!(!lost.is_empty() && 3 * lost.len() as u64 + 4 <= window && lost.iter().all(|number| number + 4 <= window));
        let mut tcp = params(proportional()[which].clone(), window as u32);
        tcp.receive_window = 1000 * MSS;
        let lost_once = lost.clone();
        let mut pair = Pair::new(&tcp, GREEDY, ONE_WAY, move |number, transmission| {
            transmission == 1 && lost_once.contains(&number)
        });
        let end = Time::ZERO + Span::from_secs(60);
        pair.run_while(end, |pair| !pair.sender.in_recovery());
        prop_assert!(pair.now < end, "the loss is found");
        // Event by event, so that what the end itself lets leave is not counted.
        let mut max = pair.sender.flight().max;
        while pair.sender.in_recovery() && pair.now < end {
            max = pair.sender.flight().max;
            let steps = Cell::new(0);
            pair.run_while(end, |_| steps.replace(steps.get() + 1) == 0);
        }
        let in_flight = (max - pair.sender.flight().una) as f64 / MSS as f64;
        let ssthresh = pair.sender.window().ssthresh / MSS as f64;
        prop_assert!(pair.sender.timeouts().is_empty());
        prop_assert!((in_flight - ssthresh).abs() <= 1.0 + 1e-9, "{in_flight} in flight, ssthresh {ssthresh}, lost {lost:?}");
    }
}
