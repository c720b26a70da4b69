//! The process that uses a folder of results, as the file of the lock says.

use std::fs;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

/// The file of the lock.
pub const LOCK: &str = ".ackclock.lock";

/// The holder of a lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The name of the machine.
    pub machine: String,
    /// What the machine is called from this start to the next; empty where it has no such name.
    pub(crate) boot: String,
    /// The number of the process.
    pub process: u32,
    /// The locks that this process took before.
    pub(crate) turn: u64,
}

impl Owner {
    /// This process; each call is another turn.
    pub(crate) fn this_process() -> Owner {
        static TURN: AtomicU64 = AtomicU64::new(0);
        let system = |name: &str| fs::read_to_string(name).map(|text| text.trim().to_owned()).ok();
        let machine = system("/proc/sys/kernel/hostname")
            .or_else(|| std::env::var("HOSTNAME").ok())
            .or_else(|| std::env::var("COMPUTERNAME").ok());
        Owner {
            machine: machine.unwrap_or_else(|| "a machine without a name".into()),
            boot: system("/proc/sys/kernel/random/boot_id").unwrap_or_default(),
            process: process::id(),
            turn: TURN.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Whether both are of one machine that has not been started anew in between.
    pub(crate) fn is_of_same_start(&self, other: &Owner) -> bool {
        self.machine == other.machine && self.boot == other.boot && !self.boot.is_empty()
    }
}
