//! The sender of a flow: an application on a socket.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use ackclock::scenario::Flow;
use ackclock::tcp::ApplicationParams;
use ackclock::tcp::application::Application;
use ackclock::units::Time;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SendFlags, Shutdown, SocketFlags, SocketType, sockopt};

use crate::settings::{FlowSettings, UNSENT_BYTES};
use crate::sys;

/// The sending end of a flow.
pub struct Sender {
    socket: OwnedFd,
    to: SocketAddrV4,
    stage: Stage,
    begins: Time,
    stops: Time,
    size: u64,
    application: Option<Box<dyn Application>>,
    /// How many bytes the application has offered, and how many of them the socket has taken.
    offered: u64,
    written: u64,
    /// When the application offers more.
    next_offer: Time,
    closes: bool,
    opened: Option<Time>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Waiting,
    Connecting,
    Open,
    /// Nothing more is written.
    Ended,
}

impl Sender {
    /// The sender of a flow, whose socket is in the namespace of the calling thread, with this port and the congestion control that the kernel calls so.
    pub fn open(
        flow: &Flow,
        seed: u64,
        (port, to): (u16, SocketAddrV4),
        settings: &FlowSettings,
        algorithm: &str,
    ) -> io::Result<Sender> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = rustix::net::socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
        rustix::net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, port))?;
        sockopt::set_tcp_congestion(&socket, algorithm)?;
        sys::set_option(&socket, libc::IPPROTO_TCP, libc::TCP_MAXSEG, settings.mss_option as i32)?;
        let unsent = if flow.stop.is_some() { UNSENT_BYTES_IF_STOPPED } else { UNSENT_BYTES };
        sys::set_option(&socket, libc::IPPROTO_TCP, TCP_NOTSENT_LOWAT, unsent)?;
        // Whatever is not sent when the socket is closed is forgotten: nothing is left in the kernel.
        sockopt::set_socket_linger(&socket, Some(Duration::ZERO))?;
        sockopt::set_tcp_nodelay(&socket, true)?;
        let is_bulk = matches!(*flow.application, ApplicationParams::Bulk(_));
        Ok(Sender {
            socket,
            to,
            stage: Stage::Waiting,
            begins: flow.begins(seed),
            stops: flow.stop.unwrap_or(Time::NEVER),
            size: flow.size.unwrap_or(u64::MAX),
            application: (!is_bulk).then(|| flow.application.start(seed, &flow.name)).flatten(),
            offered: 0,
            written: 0,
            next_offer: flow.begins(seed),
            closes: flow.tcp.fin,
            opened: None,
        })
    }

    /// When there is something to do without an event of the socket.
    pub fn due(&self) -> Time {
        match self.stage {
            Stage::Waiting => self.begins,
            Stage::Connecting | Stage::Open => self.next_offer.max(self.begins).min(self.stops),
            Stage::Ended => Time::NEVER,
        }
    }

    /// How many bytes the flow has, if not without end.
    pub fn size(&self) -> Option<u64> {
        (self.size < u64::MAX).then_some(self.size)
    }

    /// When it began to open the connection.
    pub fn opened(&self) -> Option<Time> {
        self.opened
    }

    /// Whether there is a connection, or there was one.
    pub fn has_begun(&self) -> bool {
        self.stage != Stage::Waiting
    }

    /// Does what is due, and what the socket allows. `was_due` gets the instants at which the connection was to be opened and its application
    /// was to offer more, if that is done now.
    ///
    /// # Errors
    /// If the connection is not opened, or ends.
    pub fn advance(&mut self, now: Time, mut was_due: impl FnMut(Time)) -> io::Result<()> {
        if self.stage == Stage::Waiting && now >= self.begins {
            was_due(self.begins);
            self.stage = Stage::Connecting;
            self.opened = Some(now);
            match rustix::net::connect(&self.socket, &self.to) {
                Ok(()) | Err(Errno::INPROGRESS) => {}
                Err(error) => return self.end_with(error.into()),
            }
        }
        let is_running = matches!(self.stage, Stage::Connecting | Stage::Open);
        if is_running && now >= self.stops {
            // What the socket has taken is still sent.
            (self.offered, self.next_offer) = (self.written, Time::NEVER);
            self.size = self.written;
        }
        while is_running && now >= self.next_offer {
            was_due(self.next_offer);
            self.offer();
        }
        if self.stage == Stage::Open { self.write() } else { Ok(()) }
    }

    /// The socket says that something has happened: it is connected, there is room, or an error. Returns whether the connection has been
    /// opened by that.
    ///
    /// # Errors
    /// That of the connection.
    pub fn on_event(&mut self) -> io::Result<bool> {
        if let Err(error) = sockopt::socket_error(&self.socket)? {
            return self.end_with(error.into()).map(|()| false);
        }
        let is_opened = self.stage == Stage::Connecting && rustix::net::getpeername(&self.socket).is_ok();
        if is_opened {
            self.stage = Stage::Open;
        }
        Ok(is_opened)
    }

    /// The application offers its first data or more of it, as of the instant at which it was due.
    fn offer(&mut self) {
        let now = self.next_offer;
        match &mut self.application {
            Some(application) => {
                let offer = application.offer(now);
                self.offered = self.offered.saturating_add(offer.bytes).min(self.size);
                self.next_offer = offer.next;
            }
            None => (self.offered, self.next_offer) = (self.size, Time::NEVER),
        }
        if self.offered == self.size {
            self.next_offer = Time::NEVER;
        }
    }

    /// Writes what is offered, as far as there is room.
    fn write(&mut self) -> io::Result<()> {
        while self.written < self.offered {
            let length = (self.offered - self.written).min(PIECE.len() as u64) as usize;
            match rustix::net::send(&self.socket, &PIECE[..length], SendFlags::NOSIGNAL) {
                Ok(sent) => self.written += sent as u64,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(error) => return self.end_with(error.into()),
            }
        }
        if self.written == self.size {
            self.stage = Stage::Ended;
            if self.closes {
                // The receiver may have gone.
                let _ = rustix::net::shutdown(&self.socket, Shutdown::Write);
            }
        }
        Ok(())
    }

    fn end_with(&mut self, error: io::Error) -> io::Result<()> {
        let before = std::mem::replace(&mut self.stage, Stage::Ended);
        if before == Stage::Ended && error.kind() == ErrorKind::ConnectionReset {
            return Ok(());
        }
        Err(error)
    }
}

impl AsFd for Sender {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// What is written: what it is makes no difference.
const PIECE: &[u8; 65_536] = &[0; 65_536];
/// How many bytes wait in the socket that were never sent, of a flow that is stopped: it still sends them.
const UNSENT_BYTES_IF_STOPPED: i32 = 64 << 10;
/// An option of Linux that `libc` has not.
const TCP_NOTSENT_LOWAT: i32 = 25;
