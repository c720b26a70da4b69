//! The host that a script tests: its sockets, its connection, and what it is asked.

mod calls;
mod connection;
mod info;
mod settings;
mod stream;
mod sysctl;
mod wire;

use std::collections::BTreeMap;

use ackclock::units::Time;

use crate::script::{Named, Packet, Shell, Trouble};
use connection::{Connection, Stage};
pub(crate) use info::NAMES;
pub use settings::LeftOut;
use settings::Settings;
pub(crate) use wire::Sent;

/// What a file descriptor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Socket {
    New,
    Listening,
    Connected,
    /// Anything that is no socket of TCP, as an epoll.
    Other,
}

/// The host under test: its sockets, and what is set of it.
pub(crate) struct Host {
    settings: Settings,
    sockets: BTreeMap<i64, Socket>,
    connection: Option<Connection>,
    /// Sockets that do not wait.
    at_once: Vec<i64>,
}

impl Host {
    pub(crate) fn new(dialect: &str) -> Host {
        Host { settings: Settings::new(dialect), sockets: BTreeMap::new(), connection: None, at_once: Vec::new() }
    }

    /// An option of the script that says something about the host; whether it is one.
    pub(crate) fn take_option(&mut self, option: &Named) -> Result<bool, Trouble> {
        if option.name != "mtu" {
            return Ok(false);
        }
        let wrong = || Trouble::new(option.line, format!("no MTU: {}", option.value), "write a number of octets");
        self.settings.mtu = option.value.parse().ok().filter(|mtu| *mtu > 100).ok_or_else(wrong)?;
        Ok(true)
    }

    /// Commands of a shell.
    pub(crate) fn shell(&mut self, shell: &Shell) -> Result<(), Trouble> {
        let before = self.settings.left_out.len();
        let was_open = self.connection.is_some();
        let settings = self.settings.clone();
        sysctl::apply(shell, &mut self.settings)?;
        if was_open {
            // A connection keeps what held when it was opened.
            let left_out = self.settings.left_out.split_off(before);
            self.settings = settings;
            self.settings.left_out.extend(left_out);
        }
        Ok(())
    }

    /// What had no meaning so far.
    pub(crate) fn left_out(&self) -> &[LeftOut] {
        &self.settings.left_out
    }

    /// When something is due.
    pub(crate) fn deadline(&self) -> Time {
        self.connection.as_ref().map_or(Time::NEVER, Connection::deadline)
    }

    /// That instant has come.
    pub(crate) fn on_deadline(&mut self, now: Time) {
        if let Some(connection) = &mut self.connection {
            connection.on_deadline(now);
        }
    }

    /// A packet of the script comes to the host.
    pub(crate) fn on_packet(&mut self, now: Time, packet: &Packet, line: usize) -> Result<(), Trouble> {
        let Host { settings, sockets, connection, .. } = self;
        let is_listening = sockets.values().any(|socket| *socket == Socket::Listening);
        match connection {
            Some(connection) if connection.stage != Stage::Reset => connection.on_packet(now, packet, settings, line),
            None if packet.flags.syn && !packet.flags.ack && is_listening => {
                if packet.len > 0 {
                    return Err(Trouble::new(
                        line,
                        "a SYN with payload: TCP Fast Open is not modelled",
                        "leave it out",
                    ));
                }
                *connection = Some(Connection::answer(now, packet, settings, line)?);
                Ok(())
            }
            Some(_) if packet.flags.syn => {
                Err(Trouble::new(line, "a second connection", "a script can have one connection here"))
            }
            // Whatever comes to no connection.
            _ => Err(Trouble::new(
                line,
                "a packet that belongs to no connection",
                "a host here does not answer such packets by a RST",
            )),
        }
    }

    /// The next packet that was sent.
    pub(crate) fn sent(&self) -> Option<&Sent> {
        self.connection.as_ref()?.out.front()
    }

    pub(crate) fn take_sent(&mut self) -> Option<Sent> {
        self.connection.as_mut()?.out.pop_front()
    }
}
