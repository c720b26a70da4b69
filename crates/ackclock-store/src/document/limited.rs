//! What kept senders from sending more, as shares of the time in which they had a connection and data.

#![allow(missing_docs)] // The names of the fields are the keys of the document, and say what they are.

use ackclock::record::LimitedTimes;
use serde::{Deserialize, Serialize};

use super::Document;
use super::interval::{Interval, over};
use super::run::Flow;
use super::summary::FlowSummary;

/// Shares of the time in which a flow was open and its data had not ended; their sum is 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limited<T = f64> {
    pub by_receive_window: T,
    pub by_congestion_window: T,
    pub by_application: T,
    pub by_host: T,
}

impl Limited {
    /// `None` if the flow was not open at all.
    pub(crate) fn of(times: &LimitedTimes) -> Option<Limited> {
        let LimitedTimes { receive_window, congestion_window, application, host } = times;
        let all = (*receive_window + *congestion_window + *application + *host).as_secs_f64();
        (all > 0.0).then(|| Limited {
            by_receive_window: receive_window.as_secs_f64() / all,
            by_congestion_window: congestion_window.as_secs_f64() / all,
            by_application: application.as_secs_f64() / all,
            by_host: host.as_secs_f64() / all,
        })
    }
}

impl Limited<Interval> {
    pub(crate) fn over(flows: &[&Flow]) -> Option<Limited<Interval>> {
        let part = |of: fn(&Limited) -> f64| over(flows, |flow| flow.limited.as_ref().map(of));
        Some(Limited {
            by_receive_window: part(|limited| limited.by_receive_window)?,
            by_congestion_window: part(|limited| limited.by_congestion_window)?,
            by_application: part(|limited| limited.by_application)?,
            by_host: part(|limited| limited.by_host)?,
        })
    }
}

impl Document {
    /// A sentence about receive windows that limit flows for a part of their time that matters; `None` where they do not. The
    /// shares are means over the flows that it names.
    pub fn limited_by_windows(&self) -> Option<String> {
        let measured = self.after_warmup();
        let of = |flow: &FlowSummary| flow.limited.filter(|limited| limited.by_receive_window.mean >= LEAST_SHARE);
        let limited: Vec<_> = measured.summary.flows.iter().filter_map(|flow| Some((&flow.name, of(flow)?))).collect();
        let (first, _) = limited.first()?;
        let whose = match (limited.len(), measured.summary.flows.len()) {
            (1, _) => format!("flow {first}"),
            (some, all) if some == all => format!("all {all} flows"),
            (some, all) => format!("{some} of {all} flows, {first} among them,"),
        };
        let mean = |part: fn(&Limited<Interval>) -> f64| {
            100.0 * limited.iter().map(|(_, limited)| part(limited)).sum::<f64>() / limited.len() as f64
        };
        let others = [
            ("the congestion window", mean(|limited| limited.by_congestion_window.mean)),
            ("the application", mean(|limited| limited.by_application.mean)),
            ("the host", mean(|limited| limited.by_host.mean)),
        ];
        let others: Vec<String> = others
            .iter()
            .filter(|(_, share)| *share >= 0.05)
            .map(|(what, share)| format!("{what} {share:.1} %"))
            .collect();
        let rest = if others.is_empty() { String::new() } else { format!("; {}", others.join(", ")) };
        Some(format!(
            "The receive window limits {whose} for {:.1} % of the time{rest}.",
            mean(|limited| limited.by_receive_window.mean)
        ))
    }
}

/// Less is not worth a sentence.
const LEAST_SHARE: f64 = 0.01;

#[cfg(test)]
mod tests {
    use crate::document::example::example;
    use crate::document::summary::SummaryPart;

    #[test]
    fn windows_that_limit_are_said_with_the_shares_of_all_that_limits() {
        let mut document = example(2, 1, 2);
        assert_eq!(document.limited_by_windows(), None, "half a per cent is not worth a sentence");
        for run in &mut document.runs {
            let limited = run.flows[1].limited.as_mut().unwrap();
            (limited.by_receive_window, limited.by_congestion_window) = (0.75, 0.2);
        }
        document.summary = SummaryPart::of(&document.runs);
        assert_eq!(
            document.limited_by_windows().unwrap(),
            "The receive window limits flow f2 for 75.0 % of the time; the congestion window 20.0 %, the application 4.5 %."
        );
        for run in &mut document.runs {
            run.flows[0].limited = run.flows[1].limited;
        }
        document.summary = SummaryPart::of(&document.runs);
        assert!(document.limited_by_windows().unwrap().starts_with("The receive window limits all 2 flows for 75.0 %"));
    }
}
