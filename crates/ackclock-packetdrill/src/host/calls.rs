//! Calls of sockets.

use ackclock::units::Time;

use super::connection::{Connection, Stage};
use super::{Host, Socket};
use crate::script::{Call, Trouble};

/// What a call returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Returned {
    pub(crate) result: i64,
    pub(crate) error: Option<&'static str>,
}

impl Returned {
    fn ok(result: i64) -> Result<Returned, Trouble> {
        Ok(Returned { result, error: None })
    }

    fn error(name: &'static str) -> Result<Returned, Trouble> {
        Ok(Returned { result: -1, error: Some(name) })
    }
}

/// Options of sockets that change nothing that is simulated.
const HARMLESS: &[&str] = &[
    "SO_REUSEADDR",
    "SO_SNDBUF",
    "SO_RCVBUF",
    "SO_LINGER",
    "SO_MARK",
    "SO_PRIORITY",
    "SO_KEEPALIVE",
    "IP_MTU_DISCOVER",
    "IP_TOS",
    "IP_FREEBIND",
    "IPV6_V6ONLY",
    "TCP_NOTSENT_LOWAT",
    "TCP_QUICKACK",
    "TCP_DEFER_ACCEPT",
];

/// Bytes that a script can write at once.
const MOST: i64 = 1 << 30;

impl Host {
    /// A call now; `None`: it has no meaning here, and its result is not compared.
    pub(crate) fn call(&mut self, now: Time, call: &Call, line: usize) -> Result<Option<Returned>, Trouble> {
        let fd = call.number(0).unwrap_or(-1);
        if call.error.as_deref() == Some("EFAULT") {
            return Err(Trouble::new(line, "a call with an address that is wrong", "calls here have no memory"));
        }
        let returned = match call.name.as_str() {
            "socket" => self.socket(call, line)?,
            "bind" => Returned::ok(0)?,
            "listen" => {
                self.sockets.insert(fd, Socket::Listening);
                Returned::ok(0)?
            }
            "accept" | "accept4" => self.accept(call)?,
            "connect" => self.connect(now, call, fd, line)?,
            "setsockopt" => return self.set_option(now, call, fd, line).map(Some),
            "fcntl" => {
                if call.text(1) == "F_SETFL" && format!("{:?}", call.arguments).contains("O_NONBLOCK") {
                    self.at_once.push(fd);
                }
                return Ok(None);
            }
            "write" | "send" | "sendto" => self.write(now, call, line)?,
            "read" | "recv" | "recvfrom" => self.read(call, fd)?,
            "close" => self.close(now, fd)?,
            "shutdown" => self.shutdown(now, call)?,
            "getsockopt" | "poll" | "epoll_create" | "epoll_create1" | "epoll_ctl" | "epoll_wait" => {
                if call.name.starts_with("epoll_create") {
                    self.sockets.insert(call.result.unwrap_or(-1), Socket::Other);
                }
                self.settings.leave_out(line, format!("call `{}`", call.name));
                return Ok(None);
            }
            name => {
                let remedy = "write, send, read, recv, close and shutdown are simulated, docs/packetdrill.md lists all";
                return Err(Trouble::new(line, format!("the call `{name}` is not simulated"), remedy));
            }
        };
        Ok(Some(returned))
    }

    fn socket(&mut self, call: &Call, line: usize) -> Result<Returned, Trouble> {
        let kind = call.text(1);
        if !kind.contains("SOCK_STREAM") {
            return Err(Trouble::new(
                line,
                format!("a socket of the type {kind}"),
                "only sockets of TCP are simulated",
            ));
        }
        let fd = call.result.unwrap_or(3);
        if kind.contains("SOCK_NONBLOCK") {
            self.at_once.push(fd);
        }
        self.sockets.insert(fd, Socket::New);
        Returned::ok(fd)
    }

    fn accept(&mut self, call: &Call) -> Result<Returned, Trouble> {
        let is_open = self.connection.as_ref().is_some_and(|connection| connection.stage == Stage::Open);
        if !is_open || self.sockets.values().any(|socket| *socket == Socket::Connected) {
            return Returned::error("EAGAIN");
        }
        let fd = call.result.filter(|fd| *fd >= 0).unwrap_or(4);
        self.sockets.insert(fd, Socket::Connected);
        Returned::ok(fd)
    }

    fn connect(&mut self, now: Time, call: &Call, fd: i64, line: usize) -> Result<Returned, Trouble> {
        if let Some(connection) = &self.connection {
            return match connection.stage {
                Stage::Open if self.sockets.get(&fd) == Some(&Socket::Connected) => Returned::ok(0),
                _ => Err(Trouble::new(line, "a second connection", "a script can have one connection here")),
            };
        }
        self.connection = Some(Connection::open(now, &self.settings, line)?);
        self.sockets.insert(fd, Socket::Connected);
        // One that waits returns when the connection is open, which the script sees by its segments.
        let waits = !self.at_once.contains(&fd) && call.error.is_none();
        if waits { Returned::ok(0) } else { Returned::error("EINPROGRESS") }
    }

    fn set_option(&mut self, now: Time, call: &Call, fd: i64, line: usize) -> Result<Returned, Trouble> {
        let (name, value) = (call.text(2).to_string(), call.number(3).unwrap_or(1));
        match name.as_str() {
            "TCP_NODELAY" | "TCP_CORK" => {
                let is_on = value != 0;
                if name == "TCP_NODELAY" {
                    self.settings.no_delay = is_on;
                }
                if let Some(connection) = &mut self.connection {
                    match name.as_str() {
                        "TCP_NODELAY" => {
                            connection.stream.no_delay = is_on;
                            connection.stream.push_waiting();
                        }
                        _ => connection.stream.corked = is_on,
                    }
                    connection.write(now, Some(0));
                }
            }
            "TCP_CONGESTION" if self.connection.is_none() || self.sockets.get(&fd) != Some(&Socket::Connected) => {
                let control = call.text(3).trim_matches(['[', ']', '"']).to_string();
                self.settings.set_congestion_control(line, &control)?;
            }
            "TCP_CONGESTION" => {
                let remedy = "choose it before the connection is opened";
                return Err(Trouble::new(line, "another congestion control for a connection that is open", remedy));
            }
            "TCP_MAXSEG" => {
                self.settings.max_segment = u32::try_from(value).ok();
                if let Some(connection) = self.connection.as_ref().filter(|c| c.agreed.mss > value as u32) {
                    let reason =
                        format!("segments of {} B become smaller while a connection is open", connection.agreed.mss);
                    return Err(Trouble::new(line, reason, "choose their size before"));
                }
            }
            "SO_RCVLOWAT" | "TCP_INQ" | "SO_ZEROCOPY" | "SO_TIMESTAMPING" | "TCP_USER_TIMEOUT" | "TCP_SYNCNT"
            | "TCP_REPAIR" => {
                let remedy = "leave it out if the script does not depend on it";
                return Err(Trouble::new(line, format!("the option {name} is not modelled"), remedy));
            }
            name if name.starts_with("TCP_FASTOPEN") => {
                let remedy = "open the connection by a usual handshake";
                return Err(Trouble::new(line, "TCP Fast Open is not modelled", remedy));
            }
            name if HARMLESS.contains(&name) => {}
            name => self.settings.leave_out(line, format!("option {name} of a socket")),
        }
        Returned::ok(0)
    }

    fn write(&mut self, now: Time, call: &Call, line: usize) -> Result<Returned, Trouble> {
        let flags = call.text(3);
        for flag in ["MSG_FASTOPEN", "MSG_ZEROCOPY", "MSG_EOR", "MSG_OOB"] {
            if flags.contains(flag) {
                return Err(Trouble::new(line, format!("{flag} is not modelled"), "leave it out"));
            }
        }
        let Some(connection) = &mut self.connection else { return Returned::error("EPIPE") };
        if connection.stage == Stage::Reset || connection.stream.is_closed() {
            return Returned::error("EPIPE");
        }
        let bytes = call.number(2).unwrap_or(0).max(0);
        if bytes > MOST {
            return Err(Trouble::new(line, format!("a write of {bytes} B"), "write a gigabyte at most"));
        }
        // How much fits into the buffer is the kernel's.
        if call.result.is_some_and(|result| (0..bytes).contains(&result)) || call.error.as_deref() == Some("EAGAIN") {
            let remedy = "write less, or set a larger SO_SNDBUF";
            return Err(Trouble::new(line, "a write that fills the send buffer, which is not modelled", remedy));
        }
        connection.stream.more_follows = flags.contains("MSG_MORE");
        connection.write(now, Some(bytes as u64));
        Returned::ok(bytes)
    }

    fn read(&mut self, call: &Call, fd: i64) -> Result<Returned, Trouble> {
        let wanted = call.number(2).unwrap_or(0).max(0) as u64;
        let Some(connection) = &mut self.connection else { return Returned::error("ENOTCONN") };
        let bytes = connection.unread().min(wanted);
        connection.read += bytes;
        let is_over = connection.has_peer_ended();
        if bytes == 0 && !is_over && (self.at_once.contains(&fd) || call.error.is_some()) {
            return Returned::error("EAGAIN");
        }
        Returned::ok(bytes as i64)
    }

    fn close(&mut self, now: Time, fd: i64) -> Result<Returned, Trouble> {
        let socket = self.sockets.remove(&fd);
        if let (Some(Socket::Connected), Some(connection)) = (socket, &mut self.connection) {
            match connection.stage {
                // What is not read is lost: the peer is told so.
                Stage::Open if connection.unread() > 0 => connection.reset(now),
                Stage::Opening => connection.stage = Stage::Reset,
                Stage::Open => connection.write(now, None),
                Stage::Reset => {}
            }
        }
        Returned::ok(0)
    }

    fn shutdown(&mut self, now: Time, call: &Call) -> Result<Returned, Trouble> {
        if call.text(1) != "SHUT_RD"
            && let Some(connection) = self.connection.as_mut().filter(|connection| connection.stage == Stage::Open)
        {
            connection.write(now, None);
        }
        Returned::ok(0)
    }
}
