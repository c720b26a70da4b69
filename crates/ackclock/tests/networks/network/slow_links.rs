//! Links so slow that more waits before them than time can tell.

use crate::lab::*;

/// 1000 octets take 1000 s at 8 bit/s, and 25 000 of them wait: longer than the 213 days that picoseconds can tell. Only what
/// happens in the run counts.
#[test]
fn more_may_wait_than_time_can_tell() {
    let text = r#"
        duration = "20 s"
        [tcp]
        dialect = "osu"

        [network]
        technology = "packet"
        topology = "dumbbell"
        sources = 1
        access_rate = "100 Mbps"
        access_delay = "1 ms"
        bottleneck_rate = "8 bps"
        bottleneck_delay = "1 ms"
        [queue]
        buffer = "infinite"
        [udp]
        u = { from = "s1", to = "d1", payload = "972 B", rate = "10 Mbps" }
    "#;
    let records = agree::assert_engines_agree("slow", &scenario(text, &[]), 1);
    let waiting = port(&records, "sw1->sw2").final_queue;
    assert!(waiting > 25_000, "{waiting}");
}

/// A cell takes 424 s at 1 bit/s, so the last of 43 507 that wait departs later than picoseconds can tell. Ten connections hear
/// nothing and repeat a segment of 12 cells every 64 s.
#[test]
fn more_cells_may_wait_than_time_can_tell() {
    let text = r#"
        duration = "40000 s"
        record = ["ports"]
        record_interval = "1000 s"
        [network]
        topology = "dumbbell"
        sources = 10
        access_rate = "10 Mbps"
        access_delay = "1 ms"
        bottleneck_rate = "1 bps"
        bottleneck_delay = "1 ms"
        [queue]
        buffer = "infinite"
        policy = "tail-drop"
    "#;
    let records = agree::assert_engines_agree("slow cells", &scenario(text, &[]), 1);
    let waiting = port(&records, "sw1->sw2").final_queue;
    assert!(waiting > 43_507, "{waiting}");
}
