//! The uplink for plain segments of one end of a connection, one after the other: what is the same for all of them is
//! looked up once. The same where routes change, for as long as it is certain that nothing does.

use super::HostUplinks;
use super::uplink::{ChangingUplink, HostUplink};
use crate::link::LinkState;
use crate::net::batched::io::{Arrival, Cells, Destination, InputRef};
use crate::net::batched::mailbox::Mailbox;
use crate::net::batched::packets::serializer::{LastTime, Serializers};
use crate::net::nic::Nic;
use crate::units::Time;

/// A host's link to a port, on which nothing waits: a plain one, or, if `ROUTED`, one of a route that changes.
pub(in crate::net::batched) struct FastUplink<'a, const ROUTED: bool> {
    uplink: &'a HostUplink,
    input_ref: &'a InputRef,
    nic: &'a mut Nic,
    mailbox: &'a mut Mailbox<Arrival>,
    last_time: &'a mut LastTime,
    serializers: &'a mut Serializers,
    link_header_bytes: u32,
    /// Of a route that changes.
    link: Option<&'a mut LinkState>,
}

impl HostUplinks {
    /// The fast uplink of the end with this number, if plain segments go as packets to a port, nothing else is done with them, and
    /// none waits. Where routes change, it is for what goes from `now` on and before `until`, and there is none if it is not certain
    /// that the link stays as it is, and leads to the same port.
    #[inline(always)]
    pub(in crate::net::batched) fn fast_uplink<'a, const ROUTED: bool>(
        &'a mut self,
        number: usize,
        (now, until): (Time, Time),
        mailboxes: &'a mut [Mailbox<Arrival>],
    ) -> Option<FastUplink<'a, ROUTED>> {
        let uplink = &self.uplinks[number];
        let nic = &mut self.nics[uplink.nic as usize];
        let (to, link) = match ROUTED {
            false if !uplink.direct => return None,
            false => (&uplink.next_hop.to, None),
            true => {
                let ChangingUplink { link, routed, .. } = uplink.plain_on_path()?;
                let (times, to) = routed.as_ref()?.known.as_ref()?;
                let link = &mut self.links[*link as usize].state;
                if !link.surely_carries(now, until, times.end) {
                    return None;
                }
                (to, Some(link))
            }
        };
        let Destination::Port { mailbox, input_ref } = to else { return None };
        if nic.next_start() < Time::NEVER {
            return None;
        }
        let (last_time, serializers) = self.times.last_of(uplink.serializer);
        let (mailbox, link_header_bytes) = (&mut mailboxes[*mailbox as usize], self.link_header_bytes);
        Some(FastUplink { uplink, input_ref, nic, mailbox, last_time, serializers, link_header_bytes, link })
    }
}

impl<const ROUTED: bool> FastUplink<'_, ROUTED> {
    /// Whether a segment that is handed down now would go at once.
    #[inline(always)]
    pub(in crate::net::batched) fn is_free(&self, now: Time) -> bool {
        self.nic.is_free(now)
    }

    /// When a segment that is handed down now goes.
    #[inline(always)]
    pub(in crate::net::batched) fn start(&self, now: Time) -> Time {
        self.nic.start(now)
    }

    /// The segment goes out at `start` that begins with byte `seq`, or acknowledges those before it, and has so many octets. The fast
    /// uplink must be free then.
    #[inline(always)]
    pub(in crate::net::batched) fn send(&mut self, start: Time, seq: u64, bytes: u32) {
        let size = bytes + self.link_header_bytes;
        let (complete, known) = if ROUTED {
            let known = self.link.as_mut().and_then(|link| link.transmit_stable(start, start, size));
            known.expect("it has been asked whether the link surely carries it")
        } else {
            (start + self.last_time.of(self.uplink.serializer, size, self.serializers), start)
        };
        self.nic.occupy(complete);
        // Field by field: there are not enough registers for all at once.
        let arrival = self.mailbox.place();
        arrival.time = if ROUTED { known } else { complete + self.uplink.next_hop.lag };
        arrival.input_ref = *self.input_ref;
        let cells = if ROUTED { Cells::crossed(1) } else { Cells::default() };
        (arrival.seq_or_ack, arrival.frame, arrival.size, arrival.cells) = (seq, 0, size, cells);
    }
}
