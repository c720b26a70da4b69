//! Whether a live run shows the scenario, or the machine on which it ran.
//!
//! The emulator writes packets later than they arrive in the scenario: it is woken late, or not at all for a while. What such a stall does
//! to a run depends on what a packet waits for anyway: the one-way delay of its path, and the buffers, which fill while nothing moves. The
//! lateness of 99.9 % of the packets is compared with the smaller of the two. So is that of hosts, which are programs too. A single
//! pause can change all that follows though few packets were late, so it counts by how long it is felt. And no packet may be lost
//! where the scenario has nothing that loses it.

use ackclock::record::Histogram;
use ackclock::units::Span;

use crate::exact::{INVALID_ABOVE_PERCENT, Limits, Lost, Share};

use super::wait::Scheduling;

/// What to think of a live run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It shows the scenario.
    Valid,
    /// It shows the scenario with an error that is not small.
    Degraded,
    /// It shows the machine.
    Invalid,
}

impl Verdict {
    /// In a word, for documents.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Valid => "valid",
            Verdict::Degraded => "degraded",
            Verdict::Invalid => "invalid",
        }
    }
}

/// Of the reference in per cent: above this the run is degraded.
pub const DEGRADED_ABOVE_PERCENT: u64 = 10;
/// Of the time of the flow that felt most of pauses, in per cent: above this the run is degraded. While they are felt a window is smaller by
/// a half at first, and by nothing at last: a fourth of this is what goodput can be wrong by.
pub const DEGRADED_ABOVE_FELT_PERCENT: f64 = 4.0;
/// The same of the time of all flows together: above this the run is invalid.
pub const INVALID_ABOVE_FELT_PERCENT: f64 = 20.0;
/// Of the time of a flow in per cent in which its program had not written what there was room for, above which a run is degraded, and
/// invalid: all of its goodput may be missing.
pub const STARVED_PERCENT: [f64; 2] = [1.0, 5.0];

/// What was counted that nothing of the scenario explains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// Packets lost in devices: their queues were full while the emulator did not run.
    pub device_drops: u64,
    /// Packets lost in hosts, between their devices and their sockets.
    pub in_hosts: Vec<Lost>,
    /// Packets that the kernel did not take.
    pub write_errors: u64,
    /// Datagrams that the kernel refused to send: they never came to a device.
    pub refused: u64,
    /// Packets that belong to no flow, and went no further.
    pub unknown: u64,
}

impl Outside {
    /// Packets lost outside the scenario: each of them makes a run invalid.
    pub fn drops(&self) -> u64 {
        let in_hosts: u64 = self.in_hosts.iter().map(|lost| lost.packets).sum();
        self.device_drops + in_hosts + self.write_errors + self.refused
    }
}

/// What was measured of a run, by which it is judged.
pub(super) struct Evidence<'a> {
    pub(super) limits: &'a Limits,
    /// By how much the emulator wrote packets later than they were due.
    pub(super) lateness: &'a Histogram,
    /// By how much hosts acknowledged, opened and sent later than they had to.
    pub(super) host_lateness: &'a Histogram,
    pub(super) felt: Share,
    /// Of each flow the part of its time in which its program was late with data; of those where it was.
    pub(super) starved: &'a [(String, f64)],
    pub(super) outside: &'a Outside,
    pub(super) scheduling: &'a Scheduling,
}

/// The verdict, with the reasons for anything but a valid run; a run without packets is valid.
pub(super) fn judge(evidence: &Evidence<'_>) -> (Verdict, Vec<String>) {
    let mut judged = Judged { verdict: Verdict::Valid, reasons: Vec::new() };
    let why = match evidence.scheduling {
        Scheduling::RealTime => "other work of this machine delays it".to_owned(),
        Scheduling::Ordinary { reason } => format!("it has no real-time priority ({reason}), and other work delays it"),
    };
    judged.late(evidence.lateness, evidence.limits, "one packet in a thousand was", &why);
    let of_hosts = "other work of this machine delays hosts";
    judged.late(evidence.host_lateness, evidence.limits, "one of a thousand answers and writes of hosts was", of_hosts);
    judged.felt(evidence);
    for (flow, share) in evidence.starved {
        let [degraded, invalid] = STARVED_PERCENT;
        judged.above(100.0 * share, [degraded, invalid], |percent, limit| {
            format!(
                "for {percent:.1} % of its time the program of flow {flow} had not written what its socket had room for; the limit is \
                 {limit} %: {of_hosts}"
            )
        });
    }
    judged.outside(evidence.outside);
    (judged.verdict, judged.reasons)
}

struct Judged {
    verdict: Verdict,
    reasons: Vec<String>,
}

impl Judged {
    fn say(&mut self, at_least: Verdict, reason: String) {
        self.verdict = self.verdict.max(at_least);
        self.reasons.push(reason);
    }

    /// Compares something in per cent with the two limits above which a run is degraded and invalid. `text` gets both.
    fn above(&mut self, percent: f64, [degraded, invalid]: [f64; 2], text: impl Fn(f64, f64) -> String) {
        if percent > invalid {
            self.say(Verdict::Invalid, text(percent, invalid));
        } else if percent > degraded {
            self.say(Verdict::Degraded, text(percent, degraded));
        }
    }

    /// How late 99.9 % of something was.
    fn late(&mut self, lateness: &Histogram, limits: &Limits, what: &str, why: &str) {
        let (Some(late), Some(reference)) = (lateness.quantile(999), limits.reference) else { return };
        // Percent of a reference of no length are not.
        let percent = (late.as_ps().saturating_mul(100)).checked_div(reference.as_ps()).unwrap_or(u64::MAX);
        let of = match percent {
            u64::MAX => "longer than".to_owned(),
            percent => format!("{percent} % of"),
        };
        let text = |at: u64| {
            let (late, reference) = (milliseconds(late), milliseconds(reference));
            let what = format!("{what} more than {late} late, {of} {} ({reference})", limits.of);
            format!("{what}; the limit is {at} %: {why}")
        };
        if percent > INVALID_ABOVE_PERCENT {
            self.say(Verdict::Invalid, text(INVALID_ABOVE_PERCENT));
        } else if percent > DEGRADED_ABOVE_PERCENT {
            self.say(Verdict::Degraded, text(DEGRADED_ABOVE_PERCENT));
        }
    }

    /// For how long single pauses were felt.
    fn felt(&mut self, evidence: &Evidence<'_>) {
        let Share { flow: Some(flow), worst, all, most } = evidence.felt else { return };
        let limit = &evidence.limits.flows[flow];
        let text = |percent: f64, at: f64, of: &str| {
            format!(
                "pauses of this machine of up to {}, more than half of {} ({}), are felt for {percent:.1} % of the time of {of}: \
                 until a window that was halved for them is there again; the limit is {at} %",
                milliseconds(most),
                limit.of,
                milliseconds(limit.reference)
            )
        };
        let (degraded, invalid) = (DEGRADED_ABOVE_FELT_PERCENT, INVALID_ABOVE_FELT_PERCENT);
        if 100.0 * all > invalid {
            self.say(Verdict::Invalid, text(100.0 * all, invalid, "all flows"));
        } else if 100.0 * worst > degraded {
            self.say(Verdict::Degraded, text(100.0 * worst, degraded, "one flow"));
        }
    }

    fn outside(&mut self, outside: &Outside) {
        let Outside { device_drops, in_hosts, write_errors, refused, unknown } = outside;
        for (count, what) in [
            (device_drops, "packets were lost in the devices of hosts"),
            (write_errors, "packets were not taken by the kernel"),
            (refused, "datagrams were refused by the kernel"),
        ] {
            if *count > 0 {
                self.say(Verdict::Invalid, format!("{count} {what}, outside the scenario"));
            }
        }
        for Lost { host, place, packets } in in_hosts {
            let text = format!("{packets} packets were lost in host {host} {place}, outside the scenario");
            self.say(Verdict::Invalid, text);
        }
        if *unknown > 0 {
            let text = format!("{unknown} packets belonged to no flow of the scenario, and were not passed on");
            self.say(Verdict::Degraded, text);
        }
    }
}

fn milliseconds(span: Span) -> String {
    format!("{:.3} ms", 1e3 * span.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::FlowLimit;

    fn lateness(us: &[(u64, u64)]) -> Histogram {
        let mut histogram = Histogram::default();
        us.iter().for_each(|&(us, times)| histogram.add(Span::from_us(us), times));
        histogram
    }

    fn limits(us: u64) -> Limits {
        let flow =
            FlowLimit { reference: Span::from_us(us), of: "the one-way delay of f".to_owned(), felt: Span::ZERO };
        Limits { reference: Some(Span::from_us(us)), of: flow.of.clone(), flows: vec![flow] }
    }

    /// Of a run that is valid.
    struct Valid {
        limits: Limits,
        none: Histogram,
        outside: Outside,
    }

    impl Valid {
        fn new(us: u64) -> Valid {
            Valid { limits: limits(us), none: Histogram::default(), outside: Outside::default() }
        }

        fn evidence(&self) -> Evidence<'_> {
            Evidence {
                limits: &self.limits,
                lateness: &self.none,
                host_lateness: &self.none,
                felt: Share::default(),
                starved: &[],
                outside: &self.outside,
                scheduling: &Scheduling::RealTime,
            }
        }
    }

    #[test]
    fn a_run_is_as_good_as_its_latest_packet_in_a_thousand() {
        let valid = Valid::new(1000);
        let verdict = |us: &[(u64, u64)]| {
            let late = lateness(us);
            let (verdict, reasons) = judge(&Evidence { lateness: &late, ..valid.evidence() });
            let of_hosts = judge(&Evidence { host_lateness: &late, ..valid.evidence() });
            assert_eq!((verdict, reasons.len()), (of_hosts.0, of_hosts.1.len()), "hosts are programs as the emulator");
            (verdict, reasons)
        };
        assert_eq!(verdict(&[]), (Verdict::Valid, vec![]));
        assert_eq!(
            verdict(&[(1, 998), (99, 1), (5000, 1)]).0,
            Verdict::Valid,
            "the latest of a thousand does not count"
        );
        let (degraded, reasons) = verdict(&[(1, 997), (120, 3)]);
        assert_eq!((degraded, reasons.len()), (Verdict::Degraded, 1));
        assert!(reasons[0].contains("the one-way delay of f (1.000 ms)"), "{reasons:?}");
        assert_eq!(verdict(&[(1, 997), (520, 3)]).0, Verdict::Invalid);
        let (late, none) = (lateness(&[(1, 1)]), Valid::new(0));
        assert_eq!(judge(&Evidence { lateness: &late, ..none.evidence() }).0, Verdict::Invalid);
    }

    #[test]
    fn a_single_pause_counts_by_how_long_it_is_felt() {
        let valid = Valid::new(400_000);
        let share = |worst: f64, all: f64| {
            let felt = Share { flow: Some(0), worst, all, most: Span::from_ms(300) };
            judge(&Evidence { felt, ..valid.evidence() })
        };
        assert_eq!(share(0.04, 0.04), (Verdict::Valid, vec![]));
        let (verdict, reasons) = share(0.9, 0.2);
        assert_eq!(verdict, Verdict::Degraded);
        assert!(
            reasons[0].contains("up to 300.000 ms, more than half of the one-way delay of f (400.000 ms)"),
            "{reasons:?}"
        );
        assert!(reasons[0].contains("for 90.0 % of the time of one flow"), "{reasons:?}");
        let (verdict, reasons) = share(0.9, 0.21);
        assert_eq!((verdict, reasons.len()), (Verdict::Invalid, 1));
        assert!(reasons[0].contains("for 21.0 % of the time of all flows"), "{reasons:?}");
    }

    #[test]
    fn a_program_that_does_not_write_is_no_sender() {
        let valid = Valid::new(1000);
        let verdict = |share| {
            let starved = [("f".to_owned(), share)];
            judge(&Evidence { starved: &starved, ..valid.evidence() }).0
        };
        assert_eq!([0.01, 0.011, 0.051].map(verdict), [Verdict::Valid, Verdict::Degraded, Verdict::Invalid]);
    }

    #[test]
    fn any_loss_outside_the_scenario_is_invalid() {
        let valid = Valid::new(1000);
        let verdict = |outside: Outside| judge(&Evidence { outside: &outside, ..valid.evidence() });
        assert_eq!(verdict(Outside { device_drops: 1, ..Outside::default() }).0, Verdict::Invalid);
        assert_eq!(verdict(Outside { write_errors: 1, ..Outside::default() }).0, Verdict::Invalid);
        assert_eq!(verdict(Outside { refused: 1, ..Outside::default() }).0, Verdict::Invalid);
        let lost = |packets| Lost { host: "b".into(), place: "in TCP (TCPBacklogDrop)".into(), packets };
        let (invalid, reasons) = verdict(Outside { in_hosts: vec![lost(7)], ..Outside::default() });
        assert_eq!(invalid, Verdict::Invalid);
        assert_eq!(reasons, ["7 packets were lost in host b in TCP (TCPBacklogDrop), outside the scenario"]);
        let in_hosts = vec![lost(50_000), lost(600_000)];
        let all = Outside { device_drops: 1, write_errors: 20, refused: 300, unknown: 4000, in_hosts };
        assert_eq!(all.drops(), 650_321);
        let (degraded, reasons) = verdict(Outside { unknown: 3, ..Outside::default() });
        assert_eq!((degraded, reasons[0].starts_with("3 packets")), (Verdict::Degraded, true));
    }
}
