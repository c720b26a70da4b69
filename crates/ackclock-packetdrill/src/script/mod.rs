//! What a script says: options, commands, and events in the order of their times.
//! Source: the language of packetdrill, as its manual describes it; docs/packetdrill.md says which parts.

mod ast;
mod call;
mod cursor;
mod packet;
mod parse;

pub use ast::{Action, Event, Named, Script, Shell, When};
pub use call::{Argument, Call};
pub use cursor::{Place, Trouble};
pub use packet::{EcnBits, Flags, Packet, TcpOption};

use cursor::Cursor;

/// Reads a script.
///
/// # Errors
/// The first thing in it that is not understood, with its line.
pub fn parse(text: &str) -> Result<Script, Trouble> {
    parse::script(&mut Cursor::new(text))
}
