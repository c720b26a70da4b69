//! What routers leave behind that tell TCP senders the rates of a port.

/// What a router did to the acknowledgements of the flows whose data leave by one of its ports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EdgeRecord {
    /// Acknowledgements that it passed on.
    pub acks: u64,
    /// Those in which it lowered the window.
    pub windows_lowered: u64,
    /// Acknowledgements that wait in its buckets at the end.
    pub acks_waiting: u64,
    /// The most that ever waited in its buckets together.
    pub most_acks_waiting: u64,
    /// Acknowledgements that came with a cell missing and were discarded: at an ATM edge, which reassembles their frames.
    pub damaged_ack_frames: u64,
    /// The rate that the port offered at the end to a flow that it limits, in bits per second on the wire; `None` for an
    /// algorithm that has no such rate, and before the first averaging interval has ended.
    pub allocation: Option<f64>,
    /// Hash over the flows in their order, of each over the changes of the window that it is told and over its acknowledgements that had to
    /// wait, with their times; 0 where nothing was changed.
    pub fingerprint: u64,
}
