//! F-RTO: after a timeout the first missing segment is sent again, and then new data. If the next acknowledgements say that segments have
//! arrived that were not sent again, nothing was lost.
//! Source: RFC 5682 §2.1 (the basic algorithm), §3.1 (with SACK), whose steps the comments name.

/// F-RTO of a sender.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct FRto {
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// No timeout is in question.
    #[default]
    Off,
    /// Step 1: the first missing segment is sent again. Everything up to `recover` was sent before.
    Again { recover: u64 },
    /// Step 2b: so many new segments may be sent; `resume`: the byte from which data would be sent again.
    New { recover: u64, left: u8, resume: u64 },
}

/// An acknowledgement after a timeout.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Answer {
    /// What was acknowledged before, and what is now.
    pub(in crate::tcp) una: u64,
    pub(in crate::tcp) ack: u64,
    /// Of the segments sent once that it says have arrived: the first byte of the first, beyond all if there are none; `None` if it is not known.
    pub(in crate::tcp) first_original: Option<u64>,
    /// Whether there is new data that the receiver has room for, and the byte from which data would be sent again.
    pub(in crate::tcp) has_new: bool,
    pub(in crate::tcp) resume: u64,
}

/// What it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) enum Verdict {
    /// Nothing, or not yet.
    None,
    /// The timeout was spurious.
    Spurious,
    /// It was not: data is sent again from this byte on.
    Resume(u64),
}

/// New segments of step 2b.
const NEW_SEGMENTS: u8 = 2;

impl FRto {
    /// Step 1: the timer expired while everything up to `recover` was outstanding. Not in the middle of repairs.
    pub(in crate::tcp) fn on_timeout(&mut self, recover: u64, repairs: bool) {
        self.state = if repairs { State::Off } else { State::Again { recover } };
    }

    /// An acknowledgement.
    pub(in crate::tcp) fn on_ack(&mut self, answer: &Answer) -> Verdict {
        let is_new = answer.ack > answer.una;
        let is_known = answer.first_original.is_some();
        match self.state {
            State::Off => Verdict::None,
            State::Again { recover } | State::New { recover, .. }
                if answer.first_original.is_some_and(|seq| seq < recover) =>
            {
                self.state = State::Off;
                Verdict::Spurious // §3.1, step 3b
            }
            State::Again { recover } => {
                // Step 2b; 2a is a duplicate, with SACK a reason to wait, or that everything is acknowledged.
                self.state = if is_new && answer.ack < recover && answer.has_new {
                    State::New { recover, left: NEW_SEGMENTS, resume: answer.resume.max(answer.ack) }
                } else if is_new || !is_known {
                    State::Off
                } else {
                    self.state
                };
                Verdict::None
            }
            State::New { resume, .. } => {
                self.state = State::Off;
                // §2.1, step 3b; 3a is a duplicate, with SACK whatever shows no such segment.
                if is_new && !is_known { Verdict::Spurious } else { Verdict::Resume(resume.max(answer.ack)) }
            }
        }
    }

    /// Whether acknowledgements say nothing to it.
    pub(in crate::tcp) fn is_off(&self) -> bool {
        self.state == State::Off
    }

    /// Whether new data, and nothing else, may be sent: how many segments.
    pub(in crate::tcp) fn new_segments(&self) -> Option<u8> {
        match self.state {
            State::New { left, .. } => Some(left),
            State::Off | State::Again { .. } => None,
        }
    }

    /// One of them is sent.
    pub(in crate::tcp) fn on_new_sent(&mut self) {
        if let State::New { left, .. } = &mut self.state {
            *left -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With ten segments of 100 bytes outstanding.
    fn timed_out() -> FRto {
        let mut f_rto = FRto::default();
        f_rto.on_timeout(1000, false);
        f_rto
    }

    fn answer(una: u64, ack: u64, first_original: Option<u64>) -> Answer {
        Answer { una, ack, first_original, has_new: true, resume: una }
    }

    const NOTHING: Option<u64> = Some(u64::MAX);

    #[test]
    fn two_new_segments_follow_the_first_acknowledgement() {
        let mut f_rto = timed_out();
        assert_eq!(f_rto.new_segments(), None);
        assert_eq!(f_rto.on_ack(&answer(0, 100, NOTHING)), Verdict::None);
        for left in [2, 1] {
            assert_eq!(f_rto.new_segments(), Some(left));
            f_rto.on_new_sent();
        }
        assert_eq!(f_rto.new_segments(), Some(0), "and nothing else");
    }

    /// §3.1: what was sent before the timeout, and not again, has arrived; new data that has arrived says nothing of it.
    #[test]
    fn with_sack_a_segment_sent_once_shows_that_the_timeout_was_spurious() {
        for (original, verdict) in [(Some(999), Verdict::Spurious), (Some(1000), Verdict::Resume(100))] {
            let mut f_rto = timed_out();
            f_rto.on_ack(&answer(0, 100, NOTHING));
            assert_eq!(f_rto.on_ack(&answer(100, 100, original)), verdict);
            assert_eq!(f_rto.new_segments(), None);
        }
        // The first acknowledgement may show it already.
        assert_eq!(timed_out().on_ack(&answer(0, 300, Some(100))), Verdict::Spurious);
        let mut f_rto = timed_out();
        assert_eq!(f_rto.on_ack(&answer(0, 0, NOTHING)), Verdict::None, "a duplicate says nothing yet");
        assert_eq!(f_rto.on_ack(&answer(0, 0, Some(500))), Verdict::Spurious);
    }

    /// §2.1: two acknowledgements of new data in a row.
    #[test]
    fn without_sack_a_second_acknowledgement_of_new_data_shows_it() {
        for (second, verdict) in [(200, Verdict::Spurious), (100, Verdict::Resume(100))] {
            let mut f_rto = timed_out();
            assert_eq!(f_rto.on_ack(&answer(0, 100, None)), Verdict::None);
            assert_eq!(f_rto.on_ack(&answer(100, second, None)), verdict);
        }
        let mut f_rto = timed_out();
        f_rto.on_ack(&answer(0, 0, None));
        f_rto.on_ack(&answer(0, 100, None));
        assert_eq!(f_rto.new_segments(), None, "a duplicate was the first");
    }

    #[test]
    fn there_is_nothing_to_find_out_where_everything_is_acknowledged_or_nothing_new_is_there() {
        for (ack, has_new, expected) in [(999, true, Some(2)), (1000, true, None), (999, false, None)] {
            let mut f_rto = timed_out();
            f_rto.on_ack(&Answer { has_new, ..answer(0, ack, NOTHING) });
            assert_eq!(f_rto.new_segments(), expected, "{ack}");
        }
    }

    #[test]
    fn not_in_the_middle_of_repairs() {
        let mut f_rto = FRto::default();
        f_rto.on_timeout(1000, true);
        assert_eq!(f_rto.on_ack(&answer(0, 300, Some(100))), Verdict::None);
        assert_eq!(f_rto.new_segments(), None);
    }
}
