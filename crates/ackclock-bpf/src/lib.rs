//! Vegas and Vegas-A as congestion controls of this machine's Linux, and what its TCP does at each acknowledgement: programs
//! that run in the kernel (BPF), loaded for as long as a value lives.
//!
//! The programs are in `bpf/`, compiled: whoever loads them needs no compiler, but a kernel with type information (BTF) and two
//! capabilities, see [`missing`]. Without the feature `bpf`, and on other systems, only [`Parameters`] are there.
//!
//! ```no_run
//! # #[cfg(all(target_os = "linux", feature = "bpf"))]
//! # fn main() -> Result<(), ackclock_bpf::Error> {
//! use ackclock_bpf::{CongestionControl, Kind, Parameters};
//! let loaded = CongestionControl::load(Kind::VegasA, "vegas_a", &Parameters::default())?;
//! // Now `ip netns exec sender sysctl net.ipv4.tcp_congestion_control=vegas_a`, or the socket option TCP_CONGESTION.
//! drop(loaded); // Connections that have it keep it until they end; new ones cannot choose it.
//! # Ok(())
//! # }
//! # #[cfg(not(all(target_os = "linux", feature = "bpf")))]
//! # fn main() {}
//! ```

mod error;
mod parameters;

pub use error::{Error, Missing};
pub use parameters::{Kind, Parameters};

#[cfg(all(target_os = "linux", feature = "bpf"))]
mod congestion_control;
#[cfg(all(target_os = "linux", feature = "bpf"))]
mod kernel;
#[cfg(all(target_os = "linux", feature = "bpf"))]
mod probe;
#[cfg(target_os = "linux")]
mod requirements;

#[cfg(all(target_os = "linux", feature = "bpf"))]
pub use congestion_control::{CongestionControl, Trends};
#[cfg(all(target_os = "linux", feature = "bpf"))]
pub use probe::{Event, Probe};
#[cfg(target_os = "linux")]
pub use requirements::missing;

#[cfg(all(feature = "bpf", target_endian = "big"))]
compile_error!("the programs for the kernel are compiled for little-endian machines: build without the feature `bpf`");
