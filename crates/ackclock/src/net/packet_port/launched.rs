//! Packets at a port that wait although their transmission is known.

use std::collections::VecDeque;

use crate::ids::VcId;
use crate::net::queue_monitor::QueueMonitor;
use crate::units::Time;

/// Nothing can be lost of what waits at a port whose discipline refuses for lack of room alone, before a link that stays as it is for so
/// long. The discipline has not been told of these packets, and what is measured follows when they have begun.
#[derive(Default)]
pub(super) struct Launched {
    /// In the order in which they begin.
    packets: VecDeque<LaunchedPacket>,
    bytes: u64,
}

struct LaunchedPacket {
    came: Time,
    begins: Time,
    vc: VcId,
    bytes: u32,
}

impl Launched {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.packets.len()
    }

    /// The octets of all of them together.
    #[inline]
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A packet of connection `vc` that has come begins later.
    #[inline]
    pub(super) fn push(&mut self, came: Time, begins: Time, vc: VcId, bytes: u32) {
        self.packets.push_back(LaunchedPacket { came, begins, vc, bytes });
        self.bytes += u64::from(bytes);
    }

    /// What has begun up to `now` does not wait any more.
    #[inline]
    pub(super) fn settle(&mut self, now: Time, monitor: &mut QueueMonitor) {
        while let Some(&LaunchedPacket { came, begins, vc, bytes }) = self.packets.front()
            && begins <= now
        {
            self.packets.pop_front();
            self.bytes -= u64::from(bytes);
            monitor.leave::<true>(begins, vc, came);
        }
    }

    /// What has begun before `now` leaves in what the monitor says, and stays here.
    pub(super) fn count_begun(&self, now: Time, monitor: &mut QueueMonitor) {
        for &LaunchedPacket { came, begins, vc, .. } in self.packets.iter().filter(|packet| packet.begins < now) {
            monitor.leave::<true>(begins, vc, came);
        }
    }
}
