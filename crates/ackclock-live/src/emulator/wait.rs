//! Waiting for packets and for instants, as exactly as a process can: asleep, and busy for the last microseconds.

use std::io;
use std::num::NonZeroU64;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use ackclock::units::{Span, Time};
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};

use crate::clock::Clock;
use crate::sys;

/// Waits for several devices.
pub(super) struct Waiting {
    epoll: OwnedFd,
    events: Vec<Event>,
    spinning: Spinning,
    /// By how much the last sleep was longer than it should have been, at least.
    overslept: Duration,
}

impl Waiting {
    /// For these devices, which are known by their places.
    pub(super) fn new<D: AsFd>(devices: impl Iterator<Item = D>) -> io::Result<Waiting> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        for (device, place) in devices.zip(0..) {
            epoll::add(&epoll, device, EventData::new_u64(place), EventFlags::IN)?;
        }
        Ok(Waiting { epoll, events: Vec::with_capacity(BATCH), spinning: Spinning::new(), overslept: Duration::ZERO })
    }

    /// Waits until a device has a packet, until `time` or for [`LONGEST`]. The devices with packets, by their places: not all of them if
    /// they are many. Before them the instant at which the thread should have been awake: when it was, or when its sleep should have
    /// ended. A packet that comes early in the last of the sleep waits longer than that shows, by [`LONGEST`] at most.
    pub(super) fn until(&mut self, clock: Clock, time: Time) -> io::Result<(Time, impl Iterator<Item = usize>)> {
        loop {
            let left = clock.until(time);
            let sleeps = left.saturating_sub(self.spinning.allowed()).min(LONGEST);
            let spins_from = (sleeps.is_zero() && !left.is_zero()).then(Instant::now);
            let timeout = Timespec { tv_sec: 0, tv_nsec: sleeps.subsec_nanos().into() };
            self.events.clear();
            let begun = Instant::now();
            match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut self.events), Some(&timeout)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            self.overslept = begun.elapsed().saturating_sub(sleeps);
            if let Some(from) = spins_from {
                self.spinning.spend(from.elapsed());
            }
            if !self.events.is_empty() || left.is_zero() || sleeps == LONGEST {
                break;
            }
        }
        let overslept = Span::from_ps(1000 * self.overslept.as_nanos() as u64);
        let due = clock.now().saturating_sub(overslept);
        Ok((due, self.events.iter().map(|event| event.data.u64() as usize)))
    }
}

/// How long the thread may be busy with nothing. The kernel stops threads with real-time priority for 50 ms that take more than 95 % of a
/// second: where packets are close to each other, the thread sleeps, and is late by the time that it takes to wake it.
struct Spinning {
    left: Duration,
    at: Instant,
}

impl Spinning {
    fn new() -> Spinning {
        Spinning { left: MOST_SPINNING, at: Instant::now() }
    }

    /// Before the next instant.
    fn allowed(&mut self) -> Duration {
        let now = Instant::now();
        let earned = now.duration_since(self.at) / SPINNING_ONE_IN;
        (self.left, self.at) = ((self.left + earned).min(MOST_SPINNING), now);
        if self.left >= SPIN { SPIN } else { Duration::ZERO }
    }

    fn spend(&mut self, time: Duration) {
        self.left = self.left.saturating_sub(time);
    }
}

/// How a thread that has to be on time is scheduled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// Before all threads of ordinary priority.
    RealTime,
    /// As any other; why it is no better.
    Ordinary {
        /// What the kernel said.
        reason: String,
    },
}

impl Scheduling {
    /// The calling thread from now on: real time where that is permitted, and timers as exact as they can be.
    pub(super) fn of_this_thread(real_time: bool) -> Scheduling {
        // Timers of ordinary threads may be late by 50 µs, so that several go off together.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        match real_time.then(|| sys::set_real_time(PRIORITY)) {
            Some(Ok(())) => Scheduling::RealTime,
            Some(Err(error)) => Scheduling::Ordinary { reason: error.to_string() },
            None => Scheduling::Ordinary { reason: "not asked for".to_owned() },
        }
    }
}

/// How many devices are reported at a time, and how many packets are read from one of them at a time.
pub(super) const BATCH: usize = 64;
/// Before an instant the thread is busy for so long: a sleep ends some tens of microseconds late.
const SPIN: Duration = Duration::from_micros(50);
/// Of the time, so much at most.
const SPINNING_ONE_IN: u32 = 4;
/// So much at a time.
const MOST_SPINNING: Duration = Duration::from_millis(20);
/// The thread looks at what else it has to do this often.
const LONGEST: Duration = Duration::from_millis(5);
/// Of 1 to 99: above what has no priority, below what the machine needs.
const PRIORITY: i32 = 10;
