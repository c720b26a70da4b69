//! Runs scripts of packetdrill against the simulated TCP: what comes in is given to a sender and a receiver of [`ackclock::tcp`] that are one
//! host, what they send is compared with what the script expects, in virtual time.
//!
//! One arrow, in steps: `script` reads the text; `host` is the end that is tested, with sockets, settings and what `TCP_INFO` says; `run`
//! goes through the events and compares. docs/packetdrill.md says what is understood.
//!
//! ```
//! use ackclock_packetdrill::{Verdict, check};
//!
//! let script = "
//!     0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
//!    +0 bind(3, ..., ...) = 0
//!    +0 listen(3, 1) = 0
//!   +.1 < S 0:0(0) win 60000 <mss 1000>
//!    +0 > S. 0:0(0) ack 1 <mss 1460>
//!   +.1 < . 1:1(0) ack 1 win 60000
//!    +0 accept(3, ..., ...) = 4
//!    +0 write(4, ..., 12000) = 12000
//!    +0 > . 1:10001(10000) ack 1
//! ";
//! assert!(matches!(check(script, "linux"), Verdict::Passed { .. }));
//! ```

mod host;
mod run;
mod script;

pub use host::LeftOut;
pub use run::{Difference, Verdict, check};
pub use script::{
    Action, Argument, Call, EcnBits, Event, Flags, Named, Packet, Place, Script, Shell, TcpOption, Trouble, When, parse,
};
