//! The load ratio of Selective Drop and FBA, as a fraction and truncated, in a whole network on both engines.

use crate::lab::agree::assert_engines_agree;
use crate::lab::scenario;

/// Frames of one cell (12 octets of payload, 28 of headers, 8 of the trailer), one in a millisecond of each of u and v,
/// to a port that sends a cell in a second: the slot from 1 to 2 s contains all cells of u and v. The two cells of w are
/// in the slot before; at 2 s the second of them leaves, so the queue is empty, and no cell of the slot leaves it.
const ONE_SLOT: &str = r#"
duration = "2.5 s"
network = { topology = "graph" }
node = { a.kind = "host", r.kind = "switch", b.kind = "host" }
[link]
first = { ends = ["a", "r"], rate = "42.4 Mbps", delay = "1 ms" }
last = { ends = ["r", "b"], rate = "424 bps", delay = "1 ms" }
[atm]
llc = false
[udp]
w = { from = "a", to = "b", payload = "12 B", rate = "96 kbps", stop = "1.5 ms" }
u = { from = "a", to = "b", payload = "12 B", rate = "96 kbps", start = "1 s", stop = "1.3 s" }
v = { from = "a", to = "b", payload = "12 B", rate = "96 kbps", start = "1.5 s", stop = "1.8 s" }
"#;

/// How many datagrams of u and of v enter the port's queue.
fn accepted(name: &str, sets: &[&str]) -> [u64; 2] {
    let records = assert_engines_agree(name, &scenario(ONE_SLOT, sets), 1);
    ["u", "v"].map(|source| {
        let record = records.udp.iter().find(|record| record.name == source).unwrap();
        record.counts.sent - record.counts.lost
    })
}

/// R = 100 cells, Z = 0.8. u alone has load ratio 1, and is accepted while X <= 100: 101 times. Then v, which has Y cells
/// of X = 101 + Y, two connections being active:
/// - real: 2·Y/(101 + Y) <= 0.8 while Y <= 67.3, so v enters at Y = 0 to 67;
/// - integer: the truncated ratio is 0 while 2·Y < 101 + Y, so v enters at Y = 0 to 100; at Y = 101 it is 202/202 = 1.
#[test]
fn selective_drop_allows_a_full_share_if_its_ratio_is_truncated() {
    let policy = ["queue.buffer=1000 cells", "queue.policy=selective-drop", "queue.selective-drop.threshold=100 cells"];
    assert_eq!(accepted("real", &policy), [101, 68]);
    let integer = [policy.as_slice(), &["queue.selective-drop.load_ratio_arithmetic=integer"]].concat();
    assert_eq!(accepted("integer", &integer), [101, 101]);
    // Z below 1 changes nothing then, and Z = 1 accepts a ratio from 1 to below 2.
    let lower = [integer.as_slice(), &["queue.selective-drop.load_ratio=0.1"]].concat();
    assert_eq!(accepted("integer, Z 0.1", &lower), [101, 101]);
    // v may hold all of X but u's: 2·Y/(101 + Y) < 2 always; u, alone at ratio 1, is never refused while it sends.
    let one = [integer.as_slice(), &["queue.selective-drop.load_ratio=1"]].concat();
    assert_eq!(accepted("integer, Z 1", &one), [300, 300]);
}

/// K = 150, R = 100, Z = 0.8: the limit is 40/(X − 100). 110 datagrams of u enter (at X = 109 the ratio is 1, the limit
/// 4.4), then 15 of v within half a millisecond. The next of u finds Y = 110, X = 125, two active: ratio 220/125 = 1.76,
/// limit 40/25 = 1.6.
/// - real: refused, and all later ones, as nothing leaves;
/// - integer: 1 <= 40/(X − 100) while X <= 140, so 16 more enter, at X = 125 to 140; at 141 the limit is 0.98.
#[test]
fn fba_compares_the_truncated_ratio_with_a_limit_that_is_not() {
    let policy = [
        "queue.buffer=150 cells",
        "queue.policy=fba",
        "queue.fba.threshold=100 cells",
        "udp.v.start=1.1092 s",
        "udp.v.stop=1.1095 s",
        "udp.v.rate=4.8 Mbps",
    ];
    assert_eq!(accepted("real", &policy), [110, 15]);
    let integer = [policy.as_slice(), &["queue.fba.load_ratio_arithmetic=integer"]].concat();
    assert_eq!(accepted("integer", &integer), [126, 15]);
}
