//! RACK-TLP over whole paths, on both engines, beside RFC 6675.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{SECOND_FLOW, flow, scenario, two_senders};
use ackclock::record::{FlowRecord, Records};

/// One flow over 10 Mb/s and 50 ms: 62 kB, 41 segments.
fn path() -> String {
    two_senders("duration = \"60 s\"", "100 Mbps", "15 ms", "50 packets", "")
}

const RACK: &str = "tcp.recovery=rack";
const RFC6675: &str = "tcp.recovery=rfc6675";

fn run(name: &str, sets: &[&str]) -> Records {
    assert_engines_agree(name, &scenario(&path(), sets), 1)
}

fn total(records: &Records, of: impl Fn(&FlowRecord) -> u64) -> u64 {
    records.flows.iter().map(of).sum()
}

/// Two flows of BBR lose retransmissions, too: RFC 6675 waits for the timer again and again, and sends what had arrived.
#[test]
fn bbr_fills_a_shallow_buffer_without_timeouts() {
    for algorithm in ["tcp.congestion_control=bbr1", "tcp.congestion_control=bbr3"] {
        let with = |recovery| {
            let records =
                run("shallow", &[SECOND_FLOW[0], SECOND_FLOW[1], "queue.buffer=10 packets", algorithm, recovery]);
            let lost: u64 = records.ports.iter().map(|port| port.drops.overflow).sum();
            let goodput: f64 = records.flows.iter().map(|flow| flow.goodput_bps).sum();
            (
                goodput,
                total(&records, |flow| flow.counts.timeouts),
                total(&records, |flow| flow.counts.retransmissions).saturating_sub(lost),
            )
        };
        let (rack, rfc6675) = (with(RACK), with(RFC6675));
        // Of 9.65 Mb/s: measured 9.45 with BBR 1, 9.30 with BBR 3, and at most 8.9 without RACK.
        assert!(rack.0 > 9.2e6 && rfc6675.0 < 9.1e6, "{algorithm}: {} {}", rack.0, rfc6675.0);
        // In Startup f1 of BBR loses everything that it sends from 0.212 s on, 27 segments, its eight retransmissions among them. Nothing
        // that was sent later arrives, so RACK detects nothing (RFC 8985 §6.2), and in a recovery there is no probe (§7.2). What is left is
        // the timer: 1 s (RFC 6298 §2.4) after the last acknowledgement of new data at 0.273 s (§5.3).
        assert!(rack.1 <= 1 && rfc6675.1 > 10, "{algorithm}: {} {}", rack.1, rfc6675.1);
        assert!(rack.2 < 3 && rfc6675.2 > 100, "sent again for nothing, {algorithm}: {} {}", rack.2, rfc6675.2);
    }
}

#[test]
fn random_losses_never_need_the_timer() {
    let errors = "link.middle.errors={ model = \"uniform\", rate = 0.02, direction = \"sw1->sw2\" }";
    let timeouts = |recovery| flow(&run("errors", &[errors, recovery]), "f1").counts.timeouts;
    assert_eq!(timeouts(RACK), 0);
    assert!(timeouts(RFC6675) > 0);
}

/// Without competition no retransmission is lost, and nothing differs. The buffer holds an odd number of packets: with an even
/// one the pairs of a delayed acknowledgement fill it in such a phase that it refuses the retransmission, too.
#[test]
fn where_every_loss_is_found_by_three_segments_both_do_the_same() {
    let with = |recovery| {
        let records = run("plain", &["queue.buffer=55 packets", recovery]);
        let flow = flow(&records, "f1");
        assert_eq!(flow.counts.timeouts, 0);
        (flow.counts.bytes_delivered / 1_000_000, flow.counts.retransmissions, flow.counts.fast_retransmits)
    };
    assert_eq!(with(RACK), with(RFC6675));
}

/// The path becomes 5 ms shorter again and again, so that packets overtake others: who counts to three sends these again;
/// RACK does so once, and waits for a quarter of 40 ms from then on.
#[test]
fn a_path_that_reorders_is_learnt() {
    let step =
        |at: u64| format!("{{ at = \"{at} s\", delay = \"20 ms\" }}, {{ at = \"{}.5 s\", delay = \"15 ms\" }}", at);
    let steps: Vec<String> = (1..=20).map(|n| step(2 * n)).collect();
    let delay = format!("link.middle.delay=[\"15 ms\", {}]", steps.join(", "));
    let again = |recovery| {
        let sets = [delay.as_str(), "queue.buffer=infinite", "tcp.receive_window=60 kB", recovery];
        let records = run("steps", &sets);
        flow(&records, "f1").counts.retransmissions
    };
    let (rack, rfc6675) = (again(RACK), again(RFC6675));
    assert!(rack < 10 && rfc6675 > 5 * rack, "{rack} {rfc6675}");
}
