//! `ackclock live` as a user meets it, on this kernel. Where no namespaces are allowed, each test says loudly that it was skipped.

#![cfg(all(target_os = "linux", feature = "live"))]

#[path = "../cli/support.rs"]
#[allow(dead_code)] // the other tests of the program use the rest
mod support;

mod ends_of_runs;
mod refusals;
mod results;
mod studies;

use std::sync::{Mutex, MutexGuard, PoisonError};

use ackclock_live::Namespace;

/// A file of 300 kB over 2 Mb/s and 20 ms, and what is left of two seconds.
const FILE: &str = r#"
name = "file"
duration = "2 s"
record = ["cwnd", "queue", "throughput"]

[network]
technology = "packet"
topology = "graph"

[node]
client.kind = "host"
router.kind = "switch"
server.kind = "host"

[link.access]
ends = ["client", "router"]
rate = "100 Mbps"
delay = "0 s"

[link.slow]
ends = ["router", "server"]
rate = "2 Mbps"
delay = "10 ms"

[queue]
buffer = "20 packets"

[tcp]
dialect = "standard"

[flow.f]
from = "client"
to = "server"
size = "300 kB"
"#;

/// Runs wait for each other, so that they do not measure each other; `None`, with a message past the capture of tests, where there can be
/// no live run.
fn alone(test: &str) -> Option<MutexGuard<'static, ()>> {
    static ALONE: Mutex<()> = Mutex::new(());
    if let Err(error) = Namespace::new() {
        let _ = std::fs::write("/dev/stderr", format!("SKIPPED: {test}: {error}: {}\n", error.help()));
        return None;
    }
    Some(ALONE.lock().unwrap_or_else(PoisonError::into_inner))
}
