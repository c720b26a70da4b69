//! What the application writes as segments: on the wire they are as long as they are, the simulated TCP numbers segments that are all full.
//!
//! A kernel on Linux counts segments, so that one that is short counts as much as a full one. So a short segment, or a FIN alone, takes the
//! numbers of a full one in the model, and stands for its own on the wire: which counts and when segments leave is the same.

use std::ops::Range;

/// A segment of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// First number on the wire, 0 for the first byte of payload; payload bytes; whether a FIN follows.
    pub(super) start: u64,
    pub(super) len: u64,
    pub(super) fin: bool,
}

impl Piece {
    fn end(&self) -> u64 {
        self.start + self.len + u64::from(self.fin)
    }
}

/// What the application has written and the sender was given of it.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    mss: u64,
    pieces: Vec<Piece>,
    /// Bytes at the end that fill no segment, and wait for more.
    waiting: u64,
    /// Whether what fills no segment never waits, or always.
    pub(super) no_delay: bool,
    pub(super) corked: bool,
    /// Whether the application has said with its last write that more follows.
    pub(super) more_follows: bool,
    /// Whether nothing more will be written.
    closed: bool,
}

impl Stream {
    pub(super) fn new(mss: u32) -> Stream {
        let (no_delay, corked, more_follows, closed) = (false, false, false, false);
        Stream { mss: u64::from(mss), pieces: Vec::new(), waiting: 0, no_delay, corked, more_follows, closed }
    }

    /// Segments of another size, of a stream of which nothing is sent.
    pub(super) fn resize(&mut self, mss: u32) {
        let (written, fin) = (self.end() + self.waiting, self.pieces.last().is_some_and(|piece| piece.fin));
        (self.mss, self.waiting, self.closed) = (u64::from(mss), 0, false);
        self.pieces.clear();
        self.write(written - u64::from(fin), 0);
        if fin {
            self.close(0);
        }
    }

    /// So many bytes are written, while so many segments were sent.
    pub(super) fn write(&mut self, bytes: u64, sent: u64) {
        let mut left = bytes + std::mem::take(&mut self.waiting);
        // What waits in a queue to be sent is filled up first.
        if let Some(last) = self.pieces.get_mut(sent as usize..).and_then(|unsent| unsent.last_mut()) {
            let room = self.mss.saturating_sub(last.len).min(left);
            (last.len, left) = (last.len + room, left - room);
        }
        while left >= self.mss {
            self.push(self.mss);
            left -= self.mss;
        }
        self.waiting = left;
    }

    /// Nothing more is written: a FIN goes with the last bytes, or alone if those were sent.
    pub(super) fn close(&mut self, sent: u64) {
        if std::mem::replace(&mut self.closed, true) {
            return;
        }
        let waiting = std::mem::take(&mut self.waiting);
        if waiting > 0 || self.pieces.len() as u64 <= sent {
            self.push(waiting);
        }
        if let Some(last) = self.pieces.last_mut() {
            last.fin = true;
        }
    }

    /// Whether what fills no segment may go now (RFC 896, in the form of Minshall: it waits while a short segment is not acknowledged), while
    /// everything before this segment is acknowledged.
    pub(super) fn release(&mut self, acknowledged: u64) {
        let outstanding = self.pieces.get(acknowledged as usize..).unwrap_or_default();
        let is_short = |piece: &Piece| piece.len < self.mss;
        let held = self.corked || self.more_follows;
        if !held && (self.no_delay || !outstanding.iter().any(is_short)) {
            self.push_waiting();
        }
    }

    /// What fills no segment goes now.
    pub(super) fn push_waiting(&mut self) {
        let len = std::mem::take(&mut self.waiting);
        if len > 0 {
            self.push(len);
        }
    }

    fn push(&mut self, len: u64) {
        self.pieces.push(Piece { start: self.end(), len, fin: false });
    }

    /// The number after the last segment.
    pub(super) fn end(&self) -> u64 {
        self.pieces.last().map_or(0, Piece::end)
    }

    /// Whether nothing more will be written.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// How many segments there are.
    pub(super) fn segments(&self) -> u64 {
        self.pieces.len() as u64
    }

    /// The segment at this number of the model.
    pub(super) fn piece(&self, seq: u64) -> Piece {
        self.pieces[(seq / self.mss) as usize]
    }

    /// How many segments end at this number of the wire or before; beyond the last, full ones count.
    pub(super) fn before(&self, wire: u64) -> u64 {
        let whole = self.pieces.partition_point(|piece| piece.end() <= wire) as u64;
        whole + wire.saturating_sub(self.end()) / self.mss
    }

    /// The number of the wire after so many segments.
    pub(super) fn wire(&self, segments: u64) -> u64 {
        match segments.checked_sub(1).and_then(|last| self.pieces.get(last as usize)) {
            Some(piece) => piece.end(),
            None => 0,
        }
    }

    /// The segments that this range of the wire covers: only whole ones, or `touched` ones too.
    pub(super) fn covered(&self, range: Range<u64>, touched: bool) -> Range<u64> {
        let at = |bound: u64| self.pieces.partition_point(|piece| piece.end() <= bound) as u64;
        let starts = |bound: u64| self.pieces.partition_point(|piece| piece.start < bound) as u64;
        if touched { at(range.start)..starts(range.end) } else { starts(range.start)..at(range.end) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lens(stream: &Stream) -> Vec<u64> {
        stream.pieces.iter().map(|piece| piece.len).collect()
    }

    /// 2500 B in segments of 1000 B: the 500 B go at once. What is written then fills no segment, and waits until they are acknowledged.
    #[test]
    fn a_short_segment_waits_for_the_acknowledgement_of_another() {
        let mut stream = Stream::new(1000);
        stream.write(2500, 0);
        stream.release(0);
        assert_eq!(lens(&stream), [1000, 1000, 500]);
        stream.write(400, 3);
        stream.release(2);
        assert_eq!((stream.segments(), stream.end()), (3, 2500));
        stream.release(3);
        assert_eq!(lens(&stream), [1000, 1000, 500, 400]);
        stream.write(300, 3);
        assert_eq!(lens(&stream), [1000, 1000, 500, 700], "what was not sent is filled up");
    }

    #[test]
    fn without_delay_nothing_waits_and_a_cork_holds_everything() {
        let mut stream = Stream { no_delay: true, ..Stream::new(1000) };
        for sent in 0..3 {
            stream.write(100, sent);
            stream.release(0);
        }
        assert_eq!(lens(&stream), [100, 100, 100]);
        let mut stream = Stream { corked: true, ..Stream::new(1000) };
        stream.write(999, 0);
        stream.release(0);
        assert_eq!(stream.segments(), 0);
        stream.write(1, 0);
        assert_eq!(lens(&stream), [1000]);
    }

    /// Segments of 1000, 500, 1000 B and a FIN: numbers of the wire and back.
    #[test]
    fn short_segments_keep_their_numbers_on_the_wire() {
        let mut stream = Stream { no_delay: true, ..Stream::new(1000) };
        stream.write(1500, 0);
        stream.release(0);
        stream.write(1000, 2);
        assert_eq!(
            [0, 999, 1000, 1499, 1500, 2500, 3499, 3500].map(|wire| stream.before(wire)),
            [0, 0, 1, 1, 2, 3, 3, 4]
        );
        stream.close(3);
        assert_eq!((stream.segments(), stream.end()), (4, 2501));
        assert_eq!(stream.piece(3000), Piece { start: 2500, len: 0, fin: true });
        assert_eq!([0, 1, 2, 3, 4].map(|segments| stream.wire(segments)), [0, 1000, 1500, 2500, 2501]);
        assert_eq!(stream.covered(999..2500, false), 1..3);
        assert_eq!(stream.covered(999..2000, false), 1..2);
        assert_eq!(stream.covered(999..2000, true), 0..3);
    }

    #[test]
    fn a_fin_goes_with_the_last_segment_if_that_was_not_sent() {
        let mut stream = Stream::new(1000);
        stream.write(1000, 0);
        stream.close(0);
        assert_eq!(stream.pieces, [Piece { start: 0, len: 1000, fin: true }]);
        let mut stream = Stream::new(1000);
        stream.write(1200, 0);
        stream.close(1);
        assert_eq!(stream.pieces[1], Piece { start: 1000, len: 200, fin: true });
        stream.close(2);
        assert_eq!(stream.segments(), 2, "once");
    }
}
