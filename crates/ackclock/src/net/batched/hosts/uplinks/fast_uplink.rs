//! The uplink for plain segments of one end of a connection, one after the other: what is the same for all of them is
//! looked up once.

use super::{HostUplink, HostUplinks};
use crate::net::batched::io::{Arrival, Cells, Destination, InputRef};
use crate::net::batched::mailbox::Mailbox;
use crate::net::batched::packets::serializer::{LastTime, Serializers};
use crate::net::nic::Nic;
use crate::units::Time;

/// A host's plain link to a port, on which nothing waits.
pub(in crate::net::batched) struct FastUplink<'a> {
    uplink: &'a HostUplink,
    input_ref: &'a InputRef,
    nic: &'a mut Nic,
    mailbox: &'a mut Mailbox<Arrival>,
    last_time: &'a mut LastTime,
    serializers: &'a mut Serializers,
    link_header_bytes: u32,
}

impl HostUplinks {
    /// The fast uplink of the end with this number, if plain segments go as packets to a port, nothing else is done with them, and
    /// none waits.
    #[inline(always)]
    pub(in crate::net::batched) fn fast_uplink<'a>(
        &'a mut self,
        number: usize,
        mailboxes: &'a mut [Mailbox<Arrival>],
    ) -> Option<FastUplink<'a>> {
        let uplink = &self.uplinks[number];
        let nic = &mut self.nics[uplink.nic as usize];
        if !uplink.direct {
            return None;
        }
        let Destination::Port { mailbox, input_ref } = &uplink.next_hop.to else { return None };
        if nic.next_start() < Time::NEVER {
            return None;
        }
        let (last_time, serializers) = self.times.last_of(uplink.serializer);
        let (mailbox, link_header_bytes) = (&mut mailboxes[*mailbox as usize], self.link_header_bytes);
        Some(FastUplink { uplink, input_ref, nic, mailbox, last_time, serializers, link_header_bytes })
    }
}

impl FastUplink<'_> {
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
        let complete = start + self.last_time.of(self.uplink.serializer, size, self.serializers);
        self.nic.occupy(complete);
        // Field by field: there are not enough registers for all at once.
        let arrival = self.mailbox.place();
        arrival.time = complete + self.uplink.next_hop.lag;
        arrival.input_ref = *self.input_ref;
        (arrival.seq_or_ack, arrival.frame, arrival.size, arrival.cells) = (seq, 0, size, Cells::default());
    }
}
