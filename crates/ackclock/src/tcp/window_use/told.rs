//! What a sender knows of the windows of a receiver whose application does not read at once.
//! Source: RFC 9293 §3.8.6.1.

use crate::packet::SackOption;
use crate::tcp::TcpParams;

/// What a sender knows of the windows of a receiver whose application does not read at once.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct ToldWindow {
    /// What the last acknowledgement said beside its number and its window.
    pub(in crate::tcp) sack: SackOption,
    /// Whether the window is shut, so that the timer is that of the next question.
    pub(in crate::tcp) is_shut: bool,
    /// Whether a question is due, and whether it was the last that was sent.
    pub(in crate::tcp) is_due: bool,
    pub(in crate::tcp) is_asked: bool,
    /// How many questions were asked since it was shut.
    pub(in crate::tcp) questions: u32,
}

impl ToldWindow {
    pub(in crate::tcp) fn new(params: &TcpParams) -> Option<ToldWindow> {
        params.reading.is_some().then(ToldWindow::default)
    }
}
