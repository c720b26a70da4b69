//! What a script says, as plain values.

use super::call::Call;
use super::packet::Packet;

/// A script, read and not yet run: what comes before the first event, and the events in the order of their lines.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Its options, as `--mss=1000`, without the dashes.
    pub options: Vec<Named>,
    /// Commands for a shell before the first event.
    pub init: Vec<Shell>,
    /// Packets, calls and assertions, in the order of their lines.
    pub events: Vec<Event>,
}

/// An option of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The line of the file, from 1.
    pub line: usize,
    /// What stands before the equals sign.
    pub name: String,
    /// What stands behind the equals sign.
    pub value: String,
}

/// Commands for a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    /// The line on which they begin.
    pub line: usize,
    /// The commands, as they are written.
    pub text: String,
}

/// Something that happens, or that is expected to.
#[derive(Clone, Debug)]
pub struct Event {
    /// The line of the file on which it begins, from 1.
    pub line: usize,
    /// Its first line, as it is written.
    pub text: String,
    /// When it happens, or is expected to.
    pub time: When,
    /// What happens, or is expected to.
    pub action: Action,
}

/// The time of an event, microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Since the beginning of the script.
    Absolute(i64),
    /// Between two such times.
    AbsoluteRange(i64, i64),
    /// Since the event before.
    Relative(i64),
    /// Between two such times.
    RelativeRange(i64, i64),
    /// At any time from the event before on (`*`).
    Any,
}

/// What an event is.
#[derive(Clone, Debug)]
pub enum Action {
    /// A packet comes to the host.
    In(Packet),
    /// The host is expected to send it.
    Out(Packet),
    /// The application calls the socket.
    Call(Call),
    /// Assertions on what `TCP_INFO` says.
    Code(String),
    /// Commands for a shell.
    Shell(String),
}
