//! Scenarios on the TCP of this machine's kernel. Every host of a scenario is a network namespace with a TUN device; what the devices
//! send passes the simulator's own ports and links, driven by the clock.
//!
//! Linux only: on other systems the crate is empty.
//!
//! A namespace has no name and no file: it is there as long as a descriptor of this process, and so are its device and its sockets.
//! However the process ends, nothing of a run is left.

#![cfg(target_os = "linux")]

mod addresses;
mod clock;
pub mod doctor;
pub mod emulator;
mod ends;
mod error;
pub mod exact;
mod hosts;
pub mod machine;
mod merge;
pub mod names;
mod namespace;
pub mod session;
pub mod settings;
pub mod sys;
mod tun;

pub use addresses::{Addresses, FIRST_HOST, FIRST_PORT, FIRST_SENDER_PORT, Passage, UdpId};
pub use clock::Clock;
pub use ends::{Ends, EndsRecord, FlowEnds, SenderCounts};
pub use error::{ErrorKind, LiveError};
pub use hosts::{Host, set_up};
pub use namespace::Namespace;
pub use tun::{DEVICE, Tun};
