//! For which part of its time a flow has felt pauses of the machine.
//!
//! A quantile of packets does not see a single pause: in slow start, when it changes most, hardly any packets are under way. So what
//! was later than its limit is counted by how long it is felt: from then on until the flow is as it was before.

use ackclock::units::{Span, Time};

use super::FlowLimit;

/// What the pauses of a run were to its flows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disturbed {
    flows: Vec<OfFlow>,
}

#[derive(Clone, Debug)]
struct OfFlow {
    longest: Span,
    felt: Span,
    /// When pauses were felt: from, until.
    intervals: Vec<(Time, Time)>,
    most: Span,
}

/// For which part of its time the flow that felt most of pauses did so, and all flows together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// The flow, by its place in the scenario; `None` if none has felt any.
    pub flow: Option<usize>,
    /// Of the time of that flow.
    pub worst: f64,
    /// Of the times of all flows together.
    pub all: f64,
    /// The longest pause of that flow.
    pub most: Span,
}

impl Disturbed {
    /// Nothing was late so far, of flows with these limits.
    pub(crate) fn new(limits: &[FlowLimit]) -> Disturbed {
        let of_flow = |limit: &FlowLimit| OfFlow {
            longest: limit.longest(),
            felt: limit.felt,
            intervals: vec![],
            most: Span::ZERO,
        };
        Disturbed { flows: limits.iter().map(of_flow).collect() }
    }

    /// Something of this flow happened so much later than it was due.
    pub(crate) fn late(&mut self, flow: usize, due: Time, late: Span) {
        let flow = &mut self.flows[flow];
        if late <= flow.longest {
            return;
        }
        flow.most = flow.most.max(late);
        let until = due.saturating_add(flow.felt);
        match flow.intervals.last_mut() {
            Some((from, end)) if due <= *end && due >= *from => *end = until.max(*end),
            _ => flow.intervals.push((due, until)),
        }
    }

    /// Adds what another has noted.
    pub(crate) fn merge(&mut self, other: &Disturbed) {
        for (flow, other) in self.flows.iter_mut().zip(&other.flows) {
            flow.most = flow.most.max(other.most);
            flow.intervals.extend(&other.intervals);
        }
    }

    /// The share of the times of flows, each from when it began until when it ended.
    pub(crate) fn share(&self, times: &[(Time, Time)]) -> Share {
        let seconds = |from: Time, until: Time| until.max(from).since(from).as_secs_f64();
        let (mut share, mut disturbed, mut lived) = (Share::default(), 0.0, 0.0);
        for (number, (flow, &(begun, ended))) in self.flows.iter().zip(times).enumerate() {
            let mut intervals = flow.intervals.clone();
            intervals.sort();
            let (mut of_flow, mut counted) = (0.0, begun);
            for (from, until) in intervals {
                let from = from.max(counted);
                of_flow += seconds(from, until.min(ended));
                counted = counted.max(until);
            }
            let life = seconds(begun, ended);
            (disturbed, lived) = (disturbed + of_flow, lived + life);
            if of_flow > share.worst * life {
                share = Share { flow: Some(number), worst: of_flow / life, most: flow.most, all: 0.0 };
            }
        }
        share.all = if lived > 0.0 { disturbed / lived } else { 0.0 };
        share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    /// Pauses longer than 100 ms are felt for two seconds.
    fn disturbed(flows: usize) -> Disturbed {
        let limit = FlowLimit { reference: Span::from_ms(200), of: String::new(), felt: Span::from_secs(2) };
        Disturbed::new(&vec![limit; flows])
    }

    #[test]
    fn a_single_packet_counts_for_as_long_as_it_is_felt() {
        let mut all = disturbed(1);
        all.late(0, ms(1000), Span::from_ms(100));
        assert_eq!(all.share(&[(ms(0), ms(10_000))]), Share::default(), "as late as it may be");
        all.late(0, ms(1000), Span::from_ms(101));
        let share = all.share(&[(ms(0), ms(10_000))]);
        assert_eq!((share.flow, share.most), (Some(0), Span::from_ms(101)));
        assert!((share.worst - 0.2).abs() < 1e-9 && (share.all - 0.2).abs() < 1e-9, "{share:?}");
        // Of a flow that is over after 1.5 s half a second of that, of one that begins at 2.5 s as much.
        assert!((all.share(&[(ms(0), ms(1500))]).worst - 0.5 / 1.5).abs() < 1e-9);
        assert!((all.share(&[(ms(2500), ms(4500))]).worst - 0.25).abs() < 1e-9);
        assert_eq!(all.share(&[(ms(4000), ms(5000))]).worst, 0.0);
    }

    #[test]
    fn pauses_of_which_one_is_felt_when_the_next_comes_are_counted_once() {
        let (mut all, mut other) = (disturbed(2), disturbed(2));
        // 1 to 4.5 s, in whatever order and by whom it was seen; and 8 to 10 s.
        all.late(1, ms(2500), Span::from_ms(150));
        all.late(1, ms(8000), Span::from_ms(150));
        other.late(1, ms(1000), Span::from_ms(300));
        other.late(1, ms(1500), Span::from_ms(120));
        all.merge(&other);
        let share = all.share(&[(ms(0), ms(11_000)); 2]);
        assert_eq!((share.flow, share.most), (Some(1), Span::from_ms(300)));
        assert!((share.worst - 0.5).abs() < 1e-9, "{share:?}");
        assert!((share.all - 0.25).abs() < 1e-9, "the other flow has felt nothing: {share:?}");
    }
}
