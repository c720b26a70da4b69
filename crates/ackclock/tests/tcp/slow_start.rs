//! What ends slow start before a loss, and how much an acknowledgement adds, over a whole path and on both engines. 20 Mb/s, 100 ms and a
//! queue of eight products of these: a window of more than nine of them loses many segments.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{flow, scenario};
use ackclock::record::{Columns, Metric, Records};
use ackclock::tcp::cc;

const MSS: f64 = 1448.0;
/// Segments in a round trip of the path.
const PRODUCT: f64 = 20e6 * 0.1 / 8.0 / 1500.0;

fn run(name: &str, tcp: &str, buffer: &str) -> Records {
    let text = format!(
        "duration = \"6 s\"\nrecord = [\"cwnd\", \"ssthresh\"]\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 1\n\
         access_rate = \"1 Gbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"20 Mbps\"\nbottleneck_delay = \"48 ms\"\n\
         [queue]\nbuffer = \"{buffer}\"\n[tcp]\ndialect = \"standard\"\nreceive_window = \"8388608 B\"\ninitial_ssthresh = \"infinite\"\n{tcp}\n"
    );
    assert_engines_agree(name, &scenario(&text, &[]), 1)
}

/// ssthresh after slow start, in segments, and when it was set.
fn exit(records: &Records) -> (f64, f64) {
    let series = records.series.iter().find(|series| series.metric == Metric::Ssthresh).expect("it is recorded");
    let Columns::Points { time, value } = &series.columns else { panic!("it has points") };
    let place = value.iter().position(|value| value.is_finite()).expect("slow start ends");
    (time[place].as_secs_f64(), value[place] / MSS)
}

fn retransmissions(records: &Records) -> u64 {
    flow(records, "f1").counts.retransmissions
}

/// With each congestion control that has no start of its own, HyStart++ and HyStart end slow start before the queue overflows, which
/// without them loses many segments; the window is then more than half of the path's. HyStart++ needs a queue of five products: in
/// its five rounds at a quarter of the pace the window becomes three times as large.
#[test]
fn slow_start_ends_before_anything_is_lost() {
    let usual = cc::ALL.iter().filter(|algorithm| {
        !algorithm.needs.delivery_rates
            && !algorithm.has_fine_timeouts
            && algorithm.sets_window
            && algorithm.name != "hybla"
            && algorithm.name != "vegas-linux"
    });
    let mut tried = 0;
    for algorithm in usual {
        let of = |rule: &str| {
            let tcp = format!("congestion_control = \"{}\"\nslow_start_exit = \"{rule}\"", algorithm.name);
            run(&format!("{} with {rule}", algorithm.name), &tcp, "8 bdp")
        };
        let (without, lost) = {
            let records = of("loss");
            (exit(&records), retransmissions(&records))
        };
        assert!(lost > 50, "{}: {lost}", algorithm.name);
        for rule in ["hystart", "hystart++"] {
            let records = of(rule);
            let ((at, segments), again) = (exit(&records), retransmissions(&records));
            let name = format!("{} with {rule}: {segments} segments at {at} s, {again} of {lost} lost", algorithm.name);
            assert!(again == 0 && segments > PRODUCT / 2.0 && segments < without.1 * 2.0, "{name}");
        }
        tried += 1;
    }
    assert!(tried >= 3, "{tried} congestion controls");
}

/// A round trip of slow start with delayed acknowledgements: half a segment more for each acknowledged with a limit of one segment,
/// which the acknowledgement of two adds; all of it with a limit of two or more.
#[test]
fn the_limit_says_how_much_an_acknowledgement_adds() {
    let after = |limit: &str| {
        let records =
            run(limit, &format!("congestion_control = \"cubic\"\nslow_start_limit = \"{limit}\""), "infinite");
        let series = records.series.iter().find(|series| series.metric == Metric::Cwnd).expect("it is recorded");
        let Columns::Points { time, value } = &series.columns else { panic!("it has points") };
        // A handshake, then three round trips and a bit.
        let place = time.iter().rposition(|time| time.as_secs_f64() < 0.45).expect("it begins");
        value[place] / MSS
    };
    let [own, one, two, unlimited] = ["own", "1 segment", "2 segments", "unlimited"].map(after);
    assert_eq!(own, one);
    assert_eq!(two, unlimited);
    assert!((33.75 - own).abs() <= 3.0, "{own}");
    assert!((80.0 - two).abs() <= 2.0, "{two}");
}
