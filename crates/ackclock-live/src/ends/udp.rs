//! Sources of datagrams on sockets.

use std::io::{self, ErrorKind};
use std::net::{SocketAddrV4, UdpSocket};

use ackclock::rng::Stream;
use ackclock::scenario::UdpFlow;
use ackclock::traffic::Cbr;
use ackclock::units::Time;
use rustix::net::sockopt;

/// A source of datagrams at a constant rate.
pub struct Source {
    socket: UdpSocket,
    source: Cbr,
    /// How many the kernel refused.
    refused: u64,
    payload: Vec<u8>,
}

impl Source {
    /// The source of a scenario, whose socket is in the namespace of the calling thread and has this port.
    pub fn open(source: &UdpFlow, seed: u64, port: u16, to: SocketAddrV4) -> io::Result<Source> {
        let socket = UdpSocket::bind(("0.0.0.0", port))?;
        socket.connect(to)?;
        socket.set_nonblocking(true)?;
        let payload = vec![0; source.source.payload_bytes as usize];
        let source = Cbr::new(source.source.clone(), Stream::new(seed, &source.name, "dither"));
        Ok(Source { socket, source, refused: 0, payload })
    }

    /// When the next datagram is sent.
    pub fn due(&self) -> Time {
        self.source.next()
    }

    /// Sends what is due: all of it, if the thread did not run for a while. `was_due` gets the instants at which it was.
    pub fn advance(&mut self, now: Time, mut was_due: impl FnMut(Time)) -> io::Result<()> {
        while self.source.next() <= now {
            was_due(self.source.next());
            self.source.send();
            match self.socket.send(&self.payload) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock || is_full(&error) => self.refused += 1,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// How many datagrams the kernel refused: they are lost outside the scenario.
    pub fn refused(&self) -> u64 {
        self.refused
    }
}

/// Where datagrams end: a socket that nobody reads, so that the kernel does not answer that there is none.
pub fn sink(at: SocketAddrV4) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(at)?;
    sockopt::set_socket_recv_buffer_size(&socket, 0)?;
    Ok(socket)
}

fn is_full(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ENOBUFS)
}
