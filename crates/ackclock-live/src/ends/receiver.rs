//! The receiver of a flow: a socket whose data are read and forgotten.

use std::io::{self, ErrorKind, Read};
use std::net::{Shutdown, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::net::sockopt;

use crate::settings::FlowSettings;
use crate::sys;

/// The receiving end of a flow: it listens, accepts one connection, and reads.
pub struct Receiver {
    listener: Option<TcpListener>,
    stream: Option<TcpStream>,
    /// The most that it advertises, bytes.
    window: i32,
    received: u64,
    /// Whether the sender has closed the connection, and this end too.
    is_closed: bool,
}

impl Receiver {
    /// The receiver of a flow, whose socket is in the namespace of the calling thread.
    pub fn open(at: SocketAddrV4, settings: &FlowSettings) -> io::Result<Receiver> {
        let listener = TcpListener::bind(at)?;
        listener.set_nonblocking(true)?;
        sys::set_option(&listener, libc::IPPROTO_TCP, libc::TCP_MAXSEG, settings.mss_option as i32)?;
        let window = settings.window.min(1 << 30) as i32;
        hold_window(&listener, window)?;
        sockopt::set_socket_linger(&listener, Some(Duration::ZERO))?;
        Ok(Receiver { listener: Some(listener), stream: None, window, received: 0, is_closed: false })
    }

    /// Bytes that the application has got.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// A connection waits: from now on its socket is that of the receiver. Returns whether it is there; it may have gone again.
    pub fn accept(&mut self) -> io::Result<bool> {
        let Some(listener) = &self.listener else { return Ok(false) };
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(true)?;
                (self.stream, self.listener) = (Some(stream), None);
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Reads and forgets what has arrived.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        // To close what is closed is an event, again and again.
        let Some(stream) = self.stream.as_mut().filter(|_| !self.is_closed) else { return Ok(()) };
        // Whenever segments take more or less memory than before, the kernel puts what the buffer has room for in its place.
        hold_window(&*stream, self.window)?;
        loop {
            match stream.read(buffer) {
                Ok(0) => {
                    self.is_closed = true;
                    let _ = stream.shutdown(Shutdown::Write);
                    return Ok(());
                }
                Ok(length) => self.received += length as u64,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// The socket advertises no more than this. Without effect, and cheap, if it does so already.
fn hold_window(socket: impl AsFd, window: i32) -> io::Result<()> {
    sys::set_option(socket, libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, window)
}

impl AsFd for Receiver {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match (&self.stream, &self.listener) {
            (Some(stream), _) => stream.as_fd(),
            (None, Some(listener)) => listener.as_fd(),
            (None, None) => unreachable!("a listener goes as a connection comes"),
        }
    }
}
