//! What the network saw of a run and what its ends know, as one record.

use ackclock::record::{FlowCounts, LimitedTimes, Metric, Records, Series};

use crate::ends::{EndsRecord, SenderCounts};

/// Adds to the records of the network what only the ends of its connections know: windows and timers over time, timeouts, recoveries, and
/// what limited senders.
pub fn add_ends(records: &mut Records, ends: EndsRecord) {
    let mut series: Vec<Series> = Vec::new();
    for (number, (flow, ends)) in records.flows.iter_mut().zip(ends.flows).enumerate() {
        let SenderCounts { timeout_times, counts, limited } = ends.counts;
        with_counts(&mut flow.counts, &counts);
        (flow.timeout_times, flow.limited) = (timeout_times, limited);
        if let Some(rest) = &mut records.after_warmup {
            let before = ends.at_warmup.unwrap_or_default();
            with_counts(&mut rest.flows[number], &(counts - before.counts));
            rest.limited[number] = since(limited, before.limited);
        }
        series.extend(ends.series);
    }
    records.series.extend(series);
    let place = |metric: Metric| Metric::ALL.iter().position(|other| *other == metric);
    // Of each metric the flows in their order, which a stable order keeps.
    records.series.sort_by_key(|series| place(series.metric));
}

fn with_counts(all: &mut FlowCounts, of_sender: &FlowCounts) {
    all.timeouts = of_sender.timeouts;
    all.fast_retransmits = of_sender.fast_retransmits;
}

/// What came after an earlier instant. Readings of one instant are not exact to each other: nothing becomes less than nothing.
fn since(limited: LimitedTimes, before: LimitedTimes) -> LimitedTimes {
    LimitedTimes {
        receive_window: limited.receive_window - before.receive_window.min(limited.receive_window),
        congestion_window: limited.congestion_window - before.congestion_window.min(limited.congestion_window),
        application: limited.application - before.application.min(limited.application),
        host: limited.host - before.host.min(limited.host),
    }
}
