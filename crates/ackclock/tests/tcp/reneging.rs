//! Receivers that discard what they have acknowledged selectively, over a whole path and on both engines.
//! Sources: RFC 2018 §8; docs/models/reading.md.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{flow, scenario};
use ackclock::record::{Captured, Records};

/// 10 Mb/s and a round trip of 100 ms and 0.93 ms, a window of 20 segments of 1000 B.
fn run(name: &str, sets: &[&str]) -> Records {
    let text = "duration = \"20 s\"\ncapture = [\"d1\"]\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 1\n\
         access_rate = \"10 Gbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"10 Mbps\"\nbottleneck_delay = \"48 ms\"\n\
         [queue]\nbuffer = \"100 packets\"\n[tcp]\ndialect = \"standard\"\nmss = \"1000 B\"\nreceive_window = \"20 kB\"\n\
         delayed_ack = false\n";
    assert_engines_agree(name, &scenario(text, sets), 1)
}

/// When copies of the segment of this number come to the receiver, seconds.
fn arrivals(records: &Records, number: u64) -> Vec<f64> {
    let is_of =
        |packet: &&Captured| !packet.sent && packet.segment.payload() > 0 && packet.segment.seq / 1000 == number;
    records.captures[0].packets.iter().filter(is_of).map(|packet| packet.time.as_secs_f64()).collect()
}

/// A segment is lost, and others behind it are held. 20 ms before its copy comes, these are discarded; others come after them. The acknowledgement
/// says that the next is missing, which was acknowledged. It is sent again after the timeout: one second (RFC 6298), or on Linux half of the
/// smoothed round trip, which is between 100 and 118 ms. Then everything that was discarded is sent again, once; RACK sends nothing else.
#[test]
fn what_was_discarded_is_sent_again_after_a_timeout() {
    let standard = (1.1, 1.1025);
    let linux = (0.15, 0.162);
    for (recovery, dialect, (least, most)) in [
        ("rack", "standard", standard),
        ("rfc6675", "standard", standard),
        ("fall-floyd", "standard", standard),
        ("rack", "linux", linux),
        ("rfc6675", "linux", linux),
    ] {
        let name = format!("{recovery}, {dialect}");
        let sets = ["flow.f1.drops=[100]", &format!("tcp.recovery={recovery}"), &format!("tcp.dialect={dialect}")];
        let before = arrivals(&run(&name, &sets), 100)[0];
        let discarded = before - 0.02;
        let discards = format!("flow.f1.reneges_at=[\"{:.0} us\"]", discarded * 1e6);
        let records = run(&name, &[sets[0], sets[1], sets[2], &discards]);
        let [filled, next] = [100, 101].map(|number| arrivals(&records, number));
        assert_eq!((filled.len(), next.len()), (1, 2), "{name}");
        let gap = next[1] - filled[0];
        assert!((least..most).contains(&gap), "{name}: {gap}");
        let counts = flow(&records, "f1").counts;
        let held = (101..120).filter(|&number| arrivals(&records, number)[0] < discarded).count() as u64;
        assert!((5..19).contains(&held), "{name}: {held}");
        assert_eq!(counts.timeouts, 1, "{name}");
        let again = counts.retransmissions;
        assert!(again == 1 + held || recovery != "rack" && again > held, "{name}: {again} for {held}");
    }
}

/// Losses, and a receiver that discards every 100 ms what it holds: a file arrives whole, whatever the recovery and the congestion control.
#[test]
fn nobody_waits_for_ever_for_what_was_discarded() {
    let instants: Vec<String> = (1..1200).map(|n| format!("\"{} ms\"", 100 * n)).collect();
    let discards = format!("flow.f1.reneges_at=[{}]", instants.join(", "));
    let errors = "link.\"sw1->sw2\".errors={ model = \"uniform\", rate = 0.03 }";
    for (recovery, control, dialect) in [
        ("rack", "cubic", "linux"),
        ("rack", "bbr", "standard"),
        ("rack", "reno", "standard"),
        ("rfc6675", "cubic", "standard"),
        ("fall-floyd", "reno", "standard"),
        ("new-reno", "reno", "standard"),
        ("reno", "reno", "standard"),
        ("vegas", "vegas", "standard"),
    ] {
        let name = format!("{recovery}, {control}, {dialect}");
        let sets = [
            &discards,
            errors,
            "flow.f1.size=200 kB",
            &format!("tcp.recovery={recovery}"),
            &format!("tcp.congestion_control={control}"),
            &format!("tcp.dialect={dialect}"),
            "duration=120 s",
        ];
        let records = run(&name, &sets);
        assert_eq!(flow(&records, "f1").counts.bytes_delivered, 200_000, "{name}");
        assert!(flow(&records, "f1").completed.is_some(), "{name}");
    }
}
