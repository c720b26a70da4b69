//! The way out for plain segments of one end of a connection, one after the other: what is the same for all of them is
//! looked up once.

use super::{Outlet, Outlets};
use crate::net::batched::io::{Cells, Destination, Entrance, Item};
use crate::net::batched::mailbox::Mailbox;
use crate::net::batched::serializer::{LastTime, Serializers};
use crate::net::nic::Nic;
use crate::units::Time;

/// A host's plain link to a port, on which nothing waits.
pub(in crate::net::batched) struct Lane<'a> {
    outlet: &'a Outlet,
    entrance: &'a Entrance,
    nic: &'a mut Nic,
    mailbox: &'a mut Mailbox<Item>,
    last_time: &'a mut LastTime,
    serializers: &'a mut Serializers,
    link_header_bytes: u32,
}

impl Outlets {
    /// The lane of the end with this number, if plain segments go as packets to a port, nothing else is done with them, and
    /// none waits.
    #[inline(always)]
    pub(in crate::net::batched) fn lane<'a>(
        &'a mut self,
        number: usize,
        mailboxes: &'a mut [Mailbox<Item>],
    ) -> Option<Lane<'a>> {
        let outlet = &self.outlets[number];
        let nic = &mut self.nics[outlet.nic as usize];
        if !outlet.direct {
            return None;
        }
        let Destination::Port { mailbox, entrance } = &outlet.leg.to else { return None };
        if nic.next_start() < Time::NEVER {
            return None;
        }
        let (last_time, serializers) = self.times.last_of(outlet.serializer);
        let (mailbox, link_header_bytes) = (&mut mailboxes[*mailbox as usize], self.link_header_bytes);
        Some(Lane { outlet, entrance, nic, mailbox, last_time, serializers, link_header_bytes })
    }
}

impl Lane<'_> {
    /// Whether a segment that is handed down now would go at once.
    #[inline(always)]
    pub(in crate::net::batched) fn is_free(&self, now: Time) -> bool {
        self.nic.is_free(now)
    }

    /// The segment goes out that begins with byte `seq`, or acknowledges those before it, and has so many octets. The lane
    /// must be free.
    #[inline(always)]
    pub(in crate::net::batched) fn send(&mut self, now: Time, seq: u64, bytes: u32) {
        let size = bytes + self.link_header_bytes;
        let complete = now + self.last_time.of(self.outlet.serializer, size, self.serializers);
        self.nic.occupy(complete);
        // Field by field: there are not enough registers for all at once.
        let item = self.mailbox.place();
        item.time = complete + self.outlet.leg.lag;
        item.entrance = *self.entrance;
        (item.carries, item.frame, item.size, item.cells) = (seq, 0, size, Cells::default());
    }
}
