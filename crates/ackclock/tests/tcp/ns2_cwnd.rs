//! Every change of cwnd in short transfers of the dialect of ns-2, by hand.
//!
//! A packet of 1000 bytes takes 8 ms on each of two links of 1 Mb/s, an acknowledgement 0.32 ms, and each link has 20.84 ms
//! of delay: a packet that waits for nothing is acknowledged after 2 · 8 + 2 · 0.32 + 4 · 20.84 = 100 ms. Packets that are
//! sent together are acknowledged 8 ms apart. The empty first packet of New Reno, 40 octets, comes back after
//! 4 · 0.32 + 4 · 20.84 = 84.64 ms. No packet ever waits at the router.

use ackclock::record::{Columns, Metric};

/// The changes of a window: hundredths of milliseconds and thousandths of packets. (A window is in bytes, and a packet has
/// 1000 of them.)
fn changes(sets: &[&str], metric: Metric) -> Vec<(u64, u64)> {
    let head = "duration = \"10 s\"\nrecord = [\"cwnd\", \"ssthresh\"]";
    let path = crate::lab::line(head, "20.84 ms", "dialect = \"ns2-2001\"");
    let records = crate::lab::run(&crate::lab::scenario(&path, sets), 1);
    let series = records.series.iter().find(|series| series.metric == metric).expect("it is recorded");
    let Columns::Points { time, value } = &series.columns else { panic!("a window is recorded when it changes") };
    let hundredths = |ps: u64| {
        assert!(ps.is_multiple_of(10_000_000), "{ps} ps");
        ps / 10_000_000
    };
    time.iter().zip(value).map(|(time, value)| (hundredths(time.as_ps()), value.round() as u64)).collect()
}

/// From then on, packet by packet, every 8 ms: the window grows by one.
fn ramp(from: u64, windows: std::ops::RangeInclusive<u64>) -> Vec<(u64, u64)> {
    (0..).zip(windows).map(|(place, window)| (from + 800 * place, 1000 * window)).collect()
}

/// Packet 0 comes back at 84.64 and sets the window to 2; 1 and 2 leave then and are acknowledged 100 and 108 ms later; each
/// lets two go, and so on: 4 acknowledgements from 284.64 on, 8 from 384.64 on.
#[test]
fn new_reno_doubles_its_window_every_round_trip() {
    let expected =
        [vec![(0, 1000)], ramp(8464, 2..=2), ramp(18_464, 3..=4), ramp(28_464, 5..=8), ramp(38_464, 9..=16)].concat();
    assert_eq!(changes(&["flow.f.size=14 kB"], Metric::Cwnd), expected);
}

/// As above until 308.64: the window is 8, and 7 to 14 are under way, 7 lost. 8, 9 and 10 make duplicates at 392.64, 400.64
/// and 408.64; the third halves the window to 4 and counts three duplicates in it. 11 to 14 make four more; from the second
/// of them on (9: 7 + 9 = 16) one new packet goes for each: 15, 16, 17. 7 again leaves at 408.64, and at 508.64 everything
/// before 15 is acknowledged: the window is 4, and as it is not below ssthresh, grows by 1/4. Then 15, 16 and 17 are
/// acknowledged 100 ms after they left, each with 1/cwnd more.
#[test]
fn new_reno_halves_its_window_for_one_loss() {
    let sets = ["flow.f.drops=[7]", "flow.f.size=17 kB"];
    let expected = [
        vec![(0, 1000)],
        ramp(8464, 2..=2),
        ramp(18_464, 3..=4),
        ramp(28_464, 5..=8),
        ramp(40_864, 7..=11),
        // 4 + 1/4; 4.25 + 1/4.25; and so on.
        vec![(50_864, 4250), (52_464, 4485), (53_264, 4708), (54_064, 4921)],
    ]
    .concat();
    assert_eq!(changes(&sets, Metric::Cwnd), expected);
    assert_eq!(changes(&sets, Metric::Ssthresh)[1..], [(40_864, 4000)]);
}

/// 7 and 9 lost: the duplicates are of 8, 10 and 11, the third at 416.64; 12, 13, 14 make three more (8, 9, 10), and 15 and
/// 16 go. At 516.64 7 is there: everything before 9 is acknowledged, which sets the window back to 4 and sends 9. The
/// duplicates of 15 and 16, which left at 432.64 and 440.64, count on that: 5 and 6. At 616.64 all before 17 is acknowledged.
#[test]
fn a_partial_acknowledgement_takes_the_inflation_away() {
    let sets = ["flow.f.drops=[7, 9]", "flow.f.size=16 kB"];
    let expected = [
        vec![(0, 1000)],
        ramp(8464, 2..=2),
        ramp(18_464, 3..=4),
        ramp(28_464, 5..=8),
        ramp(41_664, 7..=10),
        ramp(51_664, 4..=4),
        ramp(53_264, 5..=6),
        vec![(61_664, 4250)],
    ]
    .concat();
    assert_eq!(changes(&sets, Metric::Cwnd), expected);
}

/// 5 and 6, the last, are lost: nothing tells of it. The acknowledgement of 4 at 292.64 started the timer; srtt is one tick
/// of 100 ms, so the timeout is the least one, 1 s. At 1292.64 the window of 6 goes to 1, ssthresh to 3; 5 comes back 100 ms
/// later, then 6.
#[test]
fn a_timeout_begins_again_with_one_packet() {
    let sets = ["flow.f.drops=[5, 6]", "flow.f.size=6 kB"];
    let expected = [
        vec![(0, 1000)],
        ramp(8464, 2..=2),
        ramp(18_464, 3..=4),
        ramp(28_464, 5..=6),
        vec![(129_264, 1000), (139_264, 2000), (149_264, 3000)],
    ]
    .concat();
    assert_eq!(changes(&sets, Metric::Cwnd), expected);
    assert_eq!(changes(&sets, Metric::Ssthresh)[1..], [(129_264, 3000)]);
}

/// Vegas sends a full packet first. 100: a round without growth, the first. 200: the second acknowledgement sets the window
/// to 2, and a round with growth begins, of which this is the first acknowledgement: 3. 300: three packets, a round without
/// growth. 400: rounds trips were 100, 108 and 116, so (3/0.1 − 3/0.108) · 0.1 = 0.22 packets wait; 4, 5, 6 at 400, 408, 416.
/// 500: without growth. 600: 100, 108, 108, 116, 116, 124, mean 112: (6/0.1 − 6/0.112) · 0.1 = 0.64, rounded 1, which is not
/// more than gamma: 7 to 12, one for each of six packets.
#[test]
fn vegas_doubles_its_window_every_other_round_trip() {
    let expected = [vec![(0, 1000)], ramp(20_000, 3..=3), ramp(40_000, 4..=6), ramp(60_000, 7..=12)].concat();
    assert_eq!(changes(&["tcp.congestion_control=vegas", "duration=650 ms"], Metric::Cwnd), expected);
}
