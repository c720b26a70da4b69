//! What a flow has, in a whole run or in a part of it; counts are added up over flows, all else is averaged.

use super::measurement::Measurement;
use super::part::{Part, mean};

/// What a flow has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlowMetric {
    /// Bits per second sent since its start, retransmissions included.
    Sent,
    /// Bits per second sent since its start, retransmissions excluded: what [VEGAS-A] calls goodput.
    SentOnce,
    /// Packets lost in the network.
    Lost,
    /// Retransmitted segments, as a share of all that were sent.
    ShareSentAgain,
    /// Bits per second delivered, over the whole run.
    Goodput,
    /// Bits per second delivered after the warm-up.
    GoodputAfterWarmup,
    /// Retransmitted segments.
    Retransmissions,
    /// Those of which the receiver held all bytes.
    Needless,
    /// The share of needless retransmissions in all retransmissions.
    ShareNeedless,
    /// 95th percentile of the one-way delays of segments, seconds.
    OneWayP95,
    /// The mean rate that the network allowed a flow of ABR after the warm-up, bits per second with cell headers.
    MeanAcr,
    /// The mean of the round trips after the warm-up, seconds, where the scenario records delays.
    MeanRoundTrip,
    /// The longest round trip, seconds, where the scenario records delays.
    LongestRoundTrip,
    /// The 95th percentile of the round trips less the 5th, seconds, where the scenario records delays.
    RoundTripSpread,
    /// The standard deviation of the round trips, seconds, where the scenario records delays.
    RoundTripDeviation,
    /// Blocks in the last SACK option captured.
    SackBlocks,
    /// Octets of that option.
    SackOctets,
    /// Fast retransmits.
    FastRetransmits,
    /// Expiries of the retransmission timer.
    Timeouts,
    /// When the last byte of a file was acknowledged, seconds.
    Completed,
    /// Bits per second of a file, from the start of the flow until its last byte is delivered, or the run ends.
    TransferRate,
    /// The mean of ACR after the warm-up, as a part of the connection's max-min share of whole links.
    RateOfShare,
    /// The delays of all links of the path, there and back, seconds.
    PropagationRoundTrip,
    /// The max-min share of a flow of TCP, bits per second on the wire.
    MaxMinShare,
    /// Goodput after the warm-up as a part of that at the max-min share.
    PartOfMaxMinShare,
    /// The least quotient of two successive windows at which growth rests.
    LeastPlateauQuotient,
    /// The largest of these.
    LargestPlateauQuotient,
    /// The least quotient of two successive times from one such window to the next.
    LeastGapQuotient,
    /// The largest of these.
    LargestGapQuotient,
    /// How often a window that a sender is told changes.
    WindowChanges,
    /// How often it changes again within an averaging interval of the router.
    ChangesInInterval,
    /// The largest factor by which the rate behind it must have risen from one interval to the next.
    LargestRise,
    /// The least factor by which it must have fallen.
    LargestFall,
}

/// What a flow has in a part of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recordable {
    /// Bits per second delivered in order.
    Throughput,
    /// The congestion window, segments.
    Cwnd,
    /// What the sender may have outstanding, bytes.
    SendWindow,
    /// The part of the time in which the window that the sender is told is less than its congestion window.
    Told,
    /// The most bytes sent for the first time in an interval of the record.
    LargestStep,
    /// Expiries of the retransmission timer.
    Timeouts,
}

impl Recordable {
    /// Names in study data.
    pub const NAMES: [(&'static str, Recordable); 6] = [
        ("throughput", Recordable::Throughput),
        ("cwnd", Recordable::Cwnd),
        ("send-window", Recordable::SendWindow),
        ("told", Recordable::Told),
        ("largest-step", Recordable::LargestStep),
        ("timeouts", Recordable::Timeouts),
    ];

    /// Of some flows: of counts the sum, of steps the largest, of everything else the mean. `None` where it was not recorded.
    pub fn over(self, run: &Measurement, flows: &Flows, part: Part) -> Option<f64> {
        let of_flow = |flow: usize| {
            let history = || run.history.get(flow);
            let recorded = |values| part.of(values, history()?.interval);
            match self {
                Recordable::Throughput => recorded(&history()?.throughput_bps).map(mean),
                Recordable::Cwnd => recorded(&history()?.cwnd).map(mean),
                Recordable::SendWindow => recorded(&history()?.send_window).map(mean),
                Recordable::Told => recorded(&history()?.told).map(mean),
                Recordable::LargestStep => recorded(&history()?.sent)?.iter().copied().reduce(f64::max),
                Recordable::Timeouts => {
                    Some(run.timeouts_ms[flow].iter().filter(|ms| part.contains(**ms)).count() as f64)
                }
            }
        };
        let values: Option<Vec<f64>> = flows.among(run).map(of_flow).collect();
        let values = values.filter(|values| !values.is_empty())?;
        match self {
            Recordable::Timeouts => Some(values.iter().sum()),
            Recordable::LargestStep => values.into_iter().reduce(f64::max),
            Recordable::Throughput | Recordable::Cwnd | Recordable::SendWindow | Recordable::Told => {
                Some(mean(&values))
            }
        }
    }
}

/// Which flows; counts are added up, everything else is averaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Flows {
    All,
    Named(Vec<String>),
}

impl Flows {
    /// Their numbers in a run.
    fn among<'a>(&'a self, run: &'a Measurement) -> impl Iterator<Item = usize> + 'a {
        let wanted = |name: &String| match self {
            Flows::All => true,
            Flows::Named(names) => names.contains(name),
        };
        (0..run.flows.len()).filter(move |&flow| wanted(&run.flows[flow]))
    }
}

impl FlowMetric {
    /// Names in study data.
    pub const NAMES: [(&'static str, FlowMetric); 33] = [
        ("sent", FlowMetric::Sent),
        ("sent-once", FlowMetric::SentOnce),
        ("lost", FlowMetric::Lost),
        ("share-sent-again", FlowMetric::ShareSentAgain),
        ("goodput", FlowMetric::Goodput),
        ("goodput-after-warmup", FlowMetric::GoodputAfterWarmup),
        ("retransmissions", FlowMetric::Retransmissions),
        ("needless", FlowMetric::Needless),
        ("share-needless", FlowMetric::ShareNeedless),
        ("one-way-delay-p95", FlowMetric::OneWayP95),
        ("mean-acr", FlowMetric::MeanAcr),
        ("mean-round-trip", FlowMetric::MeanRoundTrip),
        ("longest-round-trip", FlowMetric::LongestRoundTrip),
        ("round-trip-spread", FlowMetric::RoundTripSpread),
        ("round-trip-deviation", FlowMetric::RoundTripDeviation),
        ("sack-blocks", FlowMetric::SackBlocks),
        ("sack-octets", FlowMetric::SackOctets),
        ("fast-retransmits", FlowMetric::FastRetransmits),
        ("timeouts", FlowMetric::Timeouts),
        ("completed", FlowMetric::Completed),
        ("transfer-rate", FlowMetric::TransferRate),
        ("rate-of-share", FlowMetric::RateOfShare),
        ("propagation-round-trip", FlowMetric::PropagationRoundTrip),
        ("max-min-share", FlowMetric::MaxMinShare),
        ("part-of-max-min-share", FlowMetric::PartOfMaxMinShare),
        ("least-plateau-quotient", FlowMetric::LeastPlateauQuotient),
        ("largest-plateau-quotient", FlowMetric::LargestPlateauQuotient),
        ("least-gap-quotient", FlowMetric::LeastGapQuotient),
        ("largest-gap-quotient", FlowMetric::LargestGapQuotient),
        ("window-changes", FlowMetric::WindowChanges),
        ("changes-in-interval", FlowMetric::ChangesInInterval),
        ("largest-rise", FlowMetric::LargestRise),
        ("largest-fall", FlowMetric::LargestFall),
    ];

    pub fn named(name: &str) -> Option<FlowMetric> {
        FlowMetric::NAMES.iter().find(|(known, _)| *known == name).map(|(_, metric)| *metric)
    }

    fn is_count(self) -> bool {
        matches!(
            self,
            FlowMetric::Lost
                | FlowMetric::Retransmissions
                | FlowMetric::Needless
                | FlowMetric::FastRetransmits
                | FlowMetric::Timeouts
                | FlowMetric::WindowChanges
                | FlowMetric::ChangesInInterval
        )
    }

    /// Of one flow; `None` where it has no meaning.
    pub fn value(self, run: &Measurement, flow: usize) -> Option<f64> {
        match self {
            FlowMetric::Sent => Some(run.sent_bps(flow)),
            FlowMetric::SentOnce => {
                let again = run.retransmissions[flow] * u64::from(run.mss[flow]);
                Some(run.rate(flow, run.bytes_sent[flow].saturating_sub(again)))
            }
            FlowMetric::Lost => Some(run.lost[flow] as f64),
            FlowMetric::ShareSentAgain => {
                Some(run.retransmissions[flow] as f64 / run.segments_sent[flow].max(1) as f64)
            }
            FlowMetric::Goodput => Some(run.goodput_bps[flow]),
            FlowMetric::GoodputAfterWarmup => run.goodput_after_warmup_bps.get(flow).copied(),
            FlowMetric::Retransmissions => Some(run.retransmissions[flow] as f64),
            FlowMetric::Needless => Some(run.unnecessary[flow] as f64),
            FlowMetric::ShareNeedless => Some(run.unnecessary[flow] as f64 / run.retransmissions[flow].max(1) as f64),
            FlowMetric::OneWayP95 => run.one_way_p95.get(flow).copied()?,
            FlowMetric::MeanAcr => run.mean_acr_bps.get(flow).copied()?,
            FlowMetric::MeanRoundTrip => run.round_trips.get(flow)?.mean,
            FlowMetric::LongestRoundTrip => run.round_trips.get(flow).map(|round_trips| round_trips.longest),
            FlowMetric::RoundTripSpread => run.round_trips.get(flow).map(|round_trips| round_trips.spread),
            FlowMetric::RoundTripDeviation => run.round_trips.get(flow).map(|round_trips| round_trips.deviation),
            FlowMetric::SackBlocks => run.last_sack[flow].as_ref().map(|sack| sack.blocks.len() as f64),
            FlowMetric::SackOctets => run.last_sack[flow].as_ref().map(|sack| f64::from(sack.octets)),
            FlowMetric::FastRetransmits => Some(run.fast_retransmits[flow] as f64),
            FlowMetric::Timeouts => Some(run.timeouts_ms[flow].len() as f64),
            FlowMetric::Completed => run.completed[flow],
            FlowMetric::TransferRate => run.transfer_bps.get(flow).copied()?,
            FlowMetric::RateOfShare => run.rate_of_share.get(flow).copied(),
            FlowMetric::PropagationRoundTrip => run.propagation_round_trip.get(flow).copied()?,
            FlowMetric::MaxMinShare => run.max_min_share_bps.get(flow).copied()?,
            FlowMetric::PartOfMaxMinShare => {
                let share = (*run.goodput_at_share_bps.get(flow)?)?;
                run.goodput_after_warmup_bps.get(flow).map(|goodput| goodput / share)
            }
            FlowMetric::LeastPlateauQuotient => run.plateaus.get(flow)?.as_ref().map(|of| of.least_quotient),
            FlowMetric::LargestPlateauQuotient => run.plateaus.get(flow)?.as_ref().map(|of| of.largest_quotient),
            FlowMetric::LeastGapQuotient => run.plateaus.get(flow)?.as_ref()?.gap_quotients.map(|(least, _)| least),
            FlowMetric::LargestGapQuotient => {
                run.plateaus.get(flow)?.as_ref()?.gap_quotients.map(|(_, largest)| largest)
            }
            FlowMetric::WindowChanges => run.told_windows.get(flow)?.as_ref().map(|told| told.changes as f64),
            FlowMetric::ChangesInInterval => {
                run.told_windows.get(flow)?.as_ref().map(|told| told.changes_in_interval as f64)
            }
            FlowMetric::LargestRise => run.told_windows.get(flow)?.as_ref().map(|told| told.largest_rise),
            FlowMetric::LargestFall => run.told_windows.get(flow)?.as_ref().map(|told| told.largest_fall),
        }
    }

    /// Of several flows.
    pub fn over(self, run: &Measurement, flows: &Flows) -> Option<f64> {
        let values: Option<Vec<f64>> = flows.among(run).map(|flow| self.value(run, flow)).collect();
        let values = values.filter(|values| !values.is_empty())?;
        let sum: f64 = values.iter().sum();
        Some(if self.is_count() { sum } else { sum / values.len() as f64 })
    }
}

impl FlowMetric {
    /// What it counts, in a word.
    pub fn counts(self) -> &'static str {
        match self {
            FlowMetric::Sent
            | FlowMetric::SentOnce
            | FlowMetric::Goodput
            | FlowMetric::GoodputAfterWarmup
            | FlowMetric::TransferRate
            | FlowMetric::MeanAcr
            | FlowMetric::MaxMinShare => "rate",
            FlowMetric::OneWayP95 => "delay",
            FlowMetric::Lost => "lost",
            FlowMetric::ShareSentAgain => "share retransmitted",
            FlowMetric::ShareNeedless => "share needless",
            FlowMetric::MeanRoundTrip
            | FlowMetric::LongestRoundTrip
            | FlowMetric::RoundTripSpread
            | FlowMetric::RoundTripDeviation
            | FlowMetric::PropagationRoundTrip => "round trip",
            FlowMetric::LeastPlateauQuotient
            | FlowMetric::LargestPlateauQuotient
            | FlowMetric::LeastGapQuotient
            | FlowMetric::LargestGapQuotient
            | FlowMetric::LargestRise
            | FlowMetric::LargestFall => "quotient",
            FlowMetric::PartOfMaxMinShare => "part of the share",
            FlowMetric::WindowChanges | FlowMetric::ChangesInInterval => "changes",
            FlowMetric::Retransmissions | FlowMetric::Needless => "retransmitted",
            FlowMetric::SackBlocks => "blocks",
            FlowMetric::SackOctets => "octets",
            FlowMetric::FastRetransmits => "fast retransmits",
            FlowMetric::Timeouts => "timeouts",
            FlowMetric::Completed => "time",
            FlowMetric::RateOfShare => "share",
        }
    }
}
