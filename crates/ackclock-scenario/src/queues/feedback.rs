//! How routers tell TCP senders the rates of their ports: window feedback and acknowledgement buckets.

use ackclock::feedback::{Feedback, RoundTrip, Units, WindowFeedback};
use ackclock::scenario::Technology;

use crate::keys::words::{self, TcpFeedback};
use crate::settings::Settings;

/// What the keys of a port say; the outer `None`: wrong, and reported.
pub(super) fn read(queue: &Settings, technology: Technology) -> Option<Option<Feedback>> {
    let (window, bucket) = match queue.choice("tcp_feedback", &words::TCP_FEEDBACKS)? {
        TcpFeedback::None => return Some(None),
        TcpFeedback::Window => (true, false),
        TcpFeedback::Bucket => (false, true),
        TcpFeedback::Both => (true, true),
    };
    let window = match window {
        false => None,
        true => Some(WindowFeedback {
            round_trip: queue.choice_or("feedback_round_trip", &[("individual", RoundTrip::Individual)], || {
                queue.span("feedback_round_trip").map(RoundTrip::Fixed)
            })?,
            units: queue.choice("feedback_units", Units::WORDS)?,
        }),
    };
    let group = match technology {
        Technology::Packet { .. } => u32::try_from(queue.integer("feedback_group")?).ok()?,
        Technology::Atm { .. } => 1,
    };
    Some(Some(Feedback { window, bucket, group }))
}
