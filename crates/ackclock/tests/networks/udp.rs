//! UDP at a constant rate beside TCP, on both engines.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{flow, port, scenario};
use ackclock::record::{Records, UdpCounts, UdpRecord};

/// TCP and UDP from one host over a link of 10 Mb/s.
const SHARED: &str = r#"
duration = "10 s"
network = { technology = "packet", topology = "graph" }
node = { a.kind = "host", r.kind = "switch", b.kind = "host" }
[link]
first = { ends = ["a", "r"], rate = "100 Mbps", delay = "1 ms" }
last = { ends = ["r", "b"], rate = "10 Mbps", delay = "10 ms" }
[queue]
buffer = "50 packets"
[tcp]
dialect = "osu"
mss = "1460 B"
recovery = "rfc6675"
[flow]
f = { from = "a", to = "b" }
[udp]
u = { from = "a", to = "b", payload = "972 B", rate = "972 kbps" }
"#;

fn run(name: &str, sets: &[&str]) -> Records {
    assert_engines_agree(name, &scenario(SHARED, sets), 1)
}

fn udp(records: &Records) -> &UdpRecord {
    &records.udp[0]
}

#[test]
fn alone_every_datagram_arrives() {
    let records = run("alone", &["flow.f.start=9.9 s", "udp.u.stop=9 s"]);
    // 972 bytes at 972 kb/s: one in 8 ms from 0 on, 1125 before 9 s.
    let UdpCounts { sent, delivered, lost, bytes_delivered } = udp(&records).counts;
    assert_eq!((sent, delivered, lost, bytes_delivered), (1125, 1125, 0, 1125 * 972));
    assert_eq!(udp(&records).goodput_bps, 1125.0 * 972.0 * 8.0 / 10.0);
    assert_eq!(port(&records, "r->b").vcs[1].arrivals, 1125);
}

#[test]
fn tcp_gets_what_is_left_and_ever_less_of_it() {
    let goodput = |rate: &str| {
        let records = run(rate, &[&format!("udp.u.rate={rate}"), "udp.u.dither=true"]);
        let UdpCounts { sent, delivered, lost, .. } = udp(&records).counts;
        assert!(delivered + lost <= sent && delivered + lost + 100 >= sent, "{rate}: the others are on their way");
        flow(&records, "f").goodput_bps / 1e6
    };
    // 1000 bytes on the wire for 972: 2 Mb/s leave 7.9.
    let rates = ["2 Mbps", "6 Mbps", "9.7 Mbps"].map(goodput);
    assert!(rates[0] > 6.0 && rates[0] < 8.0, "{rates:?}");
    assert!(rates[1] > 1.5 && rates[1] < 4.0 && rates[2] < 0.7, "{rates:?}");
}

#[test]
fn errors_may_be_about_tcp_only() {
    let errors = |applies_to: &str| {
        let errors = format!(
            "link.last.errors={{ model = \"uniform\", rate = 0.05, direction = \"r->b\", applies_to = \"{applies_to}\" }}"
        );
        let records = run(&errors, &[&errors]);
        let link = records.links.iter().find(|link| link.name == "r->b").expect("it has a record");
        [link.vcs[0].lost.corrupted, link.vcs[1].lost.corrupted].map(|corrupted| corrupted > 0)
    };
    assert_eq!(errors("tcp"), [true, false]);
    assert_eq!(errors("data"), [true, true]);
}

/// 972 bytes are 8 ms at 972 kb/s and 4 ms at twice that: 500 in the first 4 s, 1000 in the next, and then one is in the middle.
#[test]
fn a_stepped_rate_is_followed_to_the_bit() {
    let steps = "udp.u.rate=[\"972 kbps\", { at = \"4 s\", rate = \"1944 kbps\" }]";
    let records = run("steps", &["flow.f.start=9.9 s", "udp.u.stop=8 s", steps]);
    let UdpCounts { sent, delivered, lost, .. } = udp(&records).counts;
    assert_eq!((sent, delivered, lost), (1500, 1500, 0));
}

/// On for 20 ms and off for 30 ms, 160 times before 8 s: 3200 ms on are 400 datagrams after the first, or 100 bursts of four.
#[test]
fn times_on_and_off_and_bursts_have_their_mean_rate() {
    let turns = ["udp.u.on=20 ms", "udp.u.off=30 ms"];
    let sets = [&["flow.f.start=9.9 s", "udp.u.stop=8 s"], &turns[..]].concat();
    assert_eq!(udp(&run("on-off", &sets)).counts.sent, 401);
    let bursts = [&sets[..], &["udp.u.burst=4", "delays=true"]].concat();
    let records = run("bursts", &bursts);
    assert_eq!(udp(&records).counts.sent, 404);
    // The second to fourth wait for the first: 0.08 ms each at 100 Mb/s, 0.8 ms at 10 Mb/s.
    let one_way = &udp(&records).delays.as_ref().unwrap().one_way;
    let [least, most] = [one_way.min(), one_way.max()].map(|delay| delay.unwrap().as_ps() / 1_000_000);
    assert!(most > least + 2390, "{least} us {most} us");
    let laws = [
        "udp.u.on={ law = \"exponential\", mean = \"20 ms\" }",
        "udp.u.off={ law = \"pareto\", mean = \"30 ms\", shape = 2.5 }",
    ];
    let random = run("laws", &[&["flow.f.start=9.9 s"], &laws[..]].concat()).udp[0].counts.sent;
    // Two fifths of 1250, with times on of 2.5 datagrams, of which there are two hundred.
    assert!((400..=600).contains(&random), "{random}");
}
