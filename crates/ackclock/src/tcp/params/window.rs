//! What a scenario may say about the window of a sender, whatever its congestion control.

use crate::keys::{Value, Values, words};

/// When windows rise and fall, and by how much: what RFCs of today ask for and BSD did not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowRules {
    /// What a loss takes the half of, or another part.
    pub ssthresh_from: SsthreshFrom,
    /// Whether another timeout of the same segment leaves ssthresh as it is (RFC 5681 §3.1).
    pub hold_ssthresh: bool,
    /// Whether a window grows that the sender does not use (RFC 9438 §5.8 forbids it to CUBIC, which never does that).
    pub grow_unused: bool,
    /// Whether a sender that has sent nothing for longer than the retransmission timeout, and has nothing outstanding, begins
    /// again with the restart window, which is the initial window or less (RFC 5681 §4.1).
    pub restart_after_idle: bool,
    /// How far.
    pub idle_reduction: IdleReduction,
    /// Whether a window that is not used is kept for minutes, without growing (RFC 7661).
    pub window_validation: bool,
    /// Whether, without SACK, the first two duplicate acknowledgements allow a new segment each beyond the window (RFC 3042).
    pub limited_transmit: bool,
    /// What ends slow start, beside ssthresh.
    pub slow_start_exit: SlowStartExit,
    /// How many segments an acknowledgement adds at most in slow start (L of RFC 3465); `None`: as the congestion control grows.
    pub slow_start_limit: Option<u32>,
    /// What shows that a reduction was spurious, so that it is undone.
    pub undo: Undo,
    /// What is done when a timeout was spurious.
    pub undo_response: UndoResponse,
    /// What of an acknowledgement makes a window grow, and when a window is used.
    pub growth: WindowGrowth,
    /// Whether timeouts are checked for being spurious (RFC 5682).
    pub f_rto: bool,
}

impl WindowRules {
    /// The rules that the keys of TCP describe.
    pub(super) fn read(values: &Values) -> WindowRules {
        WindowRules {
            ssthresh_from: values.choice("ssthresh_from", SsthreshFrom::WORDS),
            hold_ssthresh: values.flag("hold_ssthresh"),
            grow_unused: values.flag("grow_unused_window"),
            restart_after_idle: values.flag("restart_after_idle"),
            idle_reduction: values.choice("idle_reduction", IdleReduction::WORDS),
            window_validation: values.flag("window_validation"),
            limited_transmit: values.flag("limited_transmit"),
            slow_start_exit: values.choice("slow_start_exit", SlowStartExit::WORDS),
            slow_start_limit: match values.value("slow_start_limit") {
                Value::Word("unlimited") => Some(u32::MAX),
                Value::Word(_) => None,
                _ => Some(values.count("slow_start_limit")),
            },
            undo: values.choice("undo", Undo::WORDS),
            undo_response: values.choice("undo_response", UndoResponse::WORDS),
            growth: values.choice("window_growth", WindowGrowth::WORDS),
            f_rto: values.flag("f_rto"),
        }
    }
}

/// How far a pause lowers the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleReduction {
    /// To the restart window.
    RestartWindow,
    /// By half for each retransmission timeout that it lasted, not below the restart window; ssthresh is three quarters of the window before
    /// that, or more (RFC 2861).
    Halving,
}
words!(IdleReduction: "restart-window" = RestartWindow, "halving" = Halving);

/// What a loss takes the half of, or another part, for ssthresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SsthreshFrom {
    /// The smaller of the congestion window and the receiver's.
    Window,
    /// What of this is in flight: FlightSize of RFC 5681 §3.1, equation (4), without what limited transmit has sent.
    Flight,
}
words!(SsthreshFrom: "window" = Window, "flight" = Flight);

/// What ends slow start, beside ssthresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowStartExit {
    /// A loss.
    Loss,
    /// Round trips that become longer: HyStart++ (RFC 9406), in the first slow start.
    HystartPlusPlus,
    /// Round trips that become longer, or acknowledgements that come in one train for half a round trip: HyStart of Linux.
    Hystart,
}
words!(SlowStartExit: "loss" = Loss, "hystart++" = HystartPlusPlus, "hystart" = Hystart);

/// What of an acknowledgement makes a window grow, and when a window is used that does not grow unused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowGrowth {
    /// What una advances by. A window is used when it is full.
    Standard,
    /// What is delivered, in order or not, and was not known to be: what is held counts when it comes, not again when una passes it. In slow
    /// start a window is used when half of it was outstanding.
    Linux,
}
words!(WindowGrowth: "standard" = Standard, "linux" = Linux);

/// What shows that a reduction of the window was spurious, so that it is undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undo {
    /// Nothing: no reduction is undone.
    Off,
    /// D-SACKs: everything that was sent again arrived twice (RFC 3708).
    Dsack,
    /// Timestamps: an acknowledgement answers what was sent before the first retransmission (RFC 3522).
    Timestamps,
    /// Either of them.
    Both,
}
words!(Undo: "off" = Off, "dsack" = Dsack, "timestamps" = Timestamps, "both" = Both);

/// What is done when a timeout was spurious. Of recoveries the window before them is restored either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoResponse {
    /// The window and ssthresh are what they were before it.
    Restore,
    /// The Eifel response (RFC 4015 §3): the window is what is in flight and at most an initial window more, ssthresh is where the window was,
    /// and the timer expects round trips as long as the first one after it.
    Eifel,
}
words!(UndoResponse: "restore" = Restore, "eifel" = Eifel);
