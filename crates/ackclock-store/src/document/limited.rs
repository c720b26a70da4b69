//! What kept senders from sending more, as shares of the time in which they had a connection and data.

#![allow(missing_docs)] // The names of the fields are the keys of the document, and say what they are.

use ackclock::record::LimitedTimes;
use serde::{Deserialize, Serialize};

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
