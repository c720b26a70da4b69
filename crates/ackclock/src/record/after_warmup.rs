//! What is counted after the warm-up: what is counted at the end, less what was counted when the warm-up ended.

use super::{
    AbrCounts, Drops, FlowCounts, FlowRecord, LimitedTimes, LinkLosses, LinkRecord, PortRecord, PortTallies, UdpCounts,
    UdpRecord,
};
use crate::units::Span;

/// One run without its warm-up. Lists have one entry for each entry of the list of the same name in [`super::Records`].
/// Largest queues are not among it: they are known of whole runs only.
#[derive(Clone, Debug, PartialEq)]
pub struct AfterWarmup {
    /// How long it was.
    pub time: Span,
    /// Jain's index over the goodput after the warm-up, of the flows that fairness is about and whose data had not ended; `None` where they
    /// have none.
    pub fairness: Option<f64>,
    /// What flows did.
    pub flows: Vec<FlowCounts>,
    /// What kept their senders from sending more, and for how long.
    pub limited: Vec<LimitedTimes>,
    /// What the sources of flows of the service ABR did.
    pub abr: Vec<Option<AbrCounts>>,
    /// What sources of datagrams did.
    pub udp: Vec<UdpCounts>,
    /// What happened at ports.
    pub ports: Vec<PortCounts>,
    /// What links lost.
    pub links: Vec<LinkLosses>,
}

/// What happened at one port in a part of a run; each number as in [`PortRecord`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct PortCounts {
    pub arrivals: u64,
    pub departures: u64,
    pub drops: Drops,
    pub tallies: PortTallies,
    pub mean_queue: f64,
    /// Of a port that gives rates to ABR connections.
    pub marked_cells: Option<u64>,
}

/// What was counted from the start of a run up to an instant.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    time: Span,
    flows: Vec<FlowCounts>,
    limited: Vec<LimitedTimes>,
    abr: Vec<Option<AbrCounts>>,
    udp: Vec<UdpCounts>,
    ports: Vec<PortCounts>,
    links: Vec<LinkLosses>,
}

impl Counted {
    /// From the records after `time`.
    pub(crate) fn of(
        time: Span,
        flows: &[FlowRecord],
        udp: &[UdpRecord],
        ports: &[PortRecord],
        links: &[LinkRecord],
    ) -> Counted {
        Counted {
            time,
            flows: flows.iter().map(|flow| flow.counts).collect(),
            limited: flows.iter().map(|flow| flow.limited).collect(),
            abr: flows.iter().map(|flow| flow.abr.map(|abr| abr.counts())).collect(),
            udp: udp.iter().map(|source| source.counts).collect(),
            ports: ports.iter().map(PortCounts::of).collect(),
            links: links.iter().map(|link| link.lost).collect(),
        }
    }

    /// Whether the data of the flow at this place had ended by then: it was open before, and nothing has limited it since.
    pub(crate) fn had_ended(&self, place: usize, later: &FlowRecord) -> bool {
        let then = self.limited[place];
        then == later.limited && then != LimitedTimes::default()
    }

    /// What was counted since then, at a later instant of the same run.
    pub(crate) fn after(&self, later: &Counted, fairness: Option<f64>) -> AfterWarmup {
        AfterWarmup {
            time: later.time - self.time,
            fairness,
            flows: later.flows.iter().zip(&self.flows).map(|(later, then)| *later - *then).collect(),
            limited: later.limited.iter().zip(&self.limited).map(|(later, then)| later.since(*then)).collect(),
            abr: later.abr.iter().zip(&self.abr).map(|(later, then)| Some((*later)? - (*then)?)).collect(),
            udp: later.udp.iter().zip(&self.udp).map(|(later, then)| udp_counts(*later, *then)).collect(),
            ports: later
                .ports
                .iter()
                .zip(&self.ports)
                .map(|(port, then)| port.less(later.time, then, self.time))
                .collect(),
            links: later.links.iter().zip(&self.links).map(|(later, then)| *later - *then).collect(),
        }
    }
}

/// What a source of datagrams counted since an earlier instant. Where a link duplicates, a copy that was lost then stood for a datagram
/// that was under way, and has arrived since: it is not lost any more.
fn udp_counts(later: UdpCounts, then: UdpCounts) -> UdpCounts {
    later - UdpCounts { lost: then.lost.min(later.lost), ..then }
}

impl PortCounts {
    /// What happened at a port in the whole run.
    pub fn of(port: &PortRecord) -> PortCounts {
        let PortRecord { arrivals, departures, drops, tallies, mean_queue, rates, .. } = *port;
        let marked_cells = rates.map(|rates| rates.marked_cells);
        PortCounts { arrivals, departures, drops, tallies, mean_queue, marked_cells }
    }

    /// Means over `time` and over its beginning, `time_then`, give that over the rest.
    fn less(&self, time: Span, then: &PortCounts, time_then: Span) -> PortCounts {
        let sum = |mean: f64, time: Span| mean * time.as_ps() as f64;
        let rest = sum(self.mean_queue, time) - sum(then.mean_queue, time_then);
        PortCounts {
            arrivals: self.arrivals - then.arrivals,
            departures: self.departures - then.departures,
            drops: self.drops - then.drops,
            tallies: self.tallies - then.tallies,
            // Where nothing waited in the rest, the two products may differ in their last digits.
            mean_queue: (rest / (time - time_then).as_ps() as f64).max(0.0),
            marked_cells: self.marked_cells.zip(then.marked_cells).map(|(marked, then)| marked - then),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_over_the_rest_follows_from_those_over_the_whole_and_its_beginning() {
        let counts = |arrivals, mean_queue| {
            let (drops, marked_cells) = (Drops::default(), Some(arrivals / 10));
            let tallies = PortTallies { dropped_after_waiting: arrivals / 10, ..PortTallies::default() };
            PortCounts { arrivals, departures: 0, drops, tallies, mean_queue, marked_cells }
        };
        // 5 on average over 10 s and 8 over the first 4 s: 50 less 32 over 6 s.
        let rest = counts(70, 5.0).less(Span::from_secs(10), &counts(30, 8.0), Span::from_secs(4));
        assert_eq!((rest.arrivals, rest.mean_queue, rest.marked_cells), (40, 3.0, Some(4)));
        assert_eq!(rest.tallies.dropped_after_waiting, 4);
        // 1 over the first 4 s and nothing later is 0.4 over all.
        let rest = counts(30, 0.4).less(Span::from_secs(10), &counts(30, 1.0), Span::from_secs(4));
        assert!((0.0..1e-12).contains(&rest.mean_queue), "{}", rest.mean_queue);
    }
}
