//! Tail drop: a packet is refused when it does not fit.
//! Source: RFC 7567 §2.

use super::{BatchHints, Fifo, Mechanism, PacketArrival, PacketPolicy, QueuePort, unless_full};
use crate::keys::{Key, Misfit, Values};
use crate::queue::{Port, Verdict};
use crate::rng::Stream;

/// Tail drop has no state.
#[derive(Clone, Copy, Debug)]
pub struct TailDrop;

impl Mechanism for TailDrop {
    const NAME: &'static str = "tail-drop";
    const ABOUT: &'static str = "Packets that do not fit into the buffer are refused.";
    const KEYS: &'static [Key] = &[];
    type Params = ();
    type State = Fifo<TailDrop>;

    fn params(_: &Values, _: &Port) -> Result<(), Misfit> {
        Ok(())
    }

    fn start((): &(), port: &QueuePort<'_>, _draws: Stream) -> Fifo<TailDrop> {
        Fifo::new(port, TailDrop)
    }
}

impl PacketPolicy for TailDrop {
    fn on_enqueue(&mut self, arrival: &PacketArrival) -> Verdict {
        unless_full(arrival)
    }
}

impl BatchHints for TailDrop {
    fn accepts_at_once(&self) -> bool {
        true
    }

    fn is_for_room_alone(&self) -> bool {
        true
    }
}
