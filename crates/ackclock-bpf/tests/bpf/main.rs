//! The programs for the kernel: their arithmetic, what is shipped, and connections that use them. What this machine or this process may not
//! do is skipped, and that is said.

mod equality;
mod objects;
mod runners;
mod sequences;
#[cfg(all(target_os = "linux", feature = "bpf"))]
mod sockets;

/// Says that something is not tested here.
pub fn skipped(what: &str, why: &str) {
    // Past the capture of tests: whoever reads the log must see it.
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "*** {what}: NOT TESTED here: {why}");
}

/// Whether programs can be loaded; if not, that is said.
#[cfg(all(target_os = "linux", feature = "bpf"))]
pub fn may_load(what: &str) -> bool {
    let missing = ackclock_bpf::missing();
    if let Some(first) = missing.first() {
        skipped(what, &first.what);
    }
    missing.is_empty()
}

#[cfg(not(all(target_os = "linux", feature = "bpf")))]
#[test]
fn programs_are_not_loaded() {
    skipped(
        "the programs for the kernel",
        "built without the feature `bpf` (cargo test -p ackclock-bpf --features bpf)",
    );
}
