//! Applications in whole networks, on both engines: when their data arrives, what limits, and what they may offer at all.
//! Pieces at equal intervals are in `tests/tcp/writes.rs`.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{LAN, SECOND_FLOW, flow, line, scenario, two_senders};
use ackclock::keys::Values;
use ackclock::record::{FlowRecord, LimitedTimes, Records};
use ackclock::rng::{Stream, mix};
use ackclock::scenario::Scenario;
use ackclock::sim::{self, Engine};
use ackclock::tcp::ApplicationParams;
use ackclock::tcp::application::{self, Application, CustomApplication, Offer};
use ackclock::units::{Span, Time};

/// 1 Mb/s, 1 ms each link; segments of 1000 bytes, 1040 on the wire: 8.32 ms a link. The window lets everything pass.
fn path(traffic: &str, sets: &[&str]) -> Scenario {
    let head = format!("duration = \"10 s\"\n[traffic]\n{traffic}");
    scenario(&line(&head, "1 ms", "mss = \"1000 B\"\ninitial_window = \"4 segments\""), sets)
}

/// On for 25 ms and off for 75 ms, from 30 ms on; a segment takes 10 ms of being on.
const ON_OFF: &str = "application = \"on-off\"\nstart = \"30 ms\"\n[traffic.on-off]\nrate = \"800 kbps\"\non = \"25 ms\"\n\
    off = \"75 ms\"\non_distribution = \"constant\"\noff_distribution = \"constant\"";

fn at_us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// What the receiver has before an instant and at it.
fn delivered_around(scenario: &Scenario, engine: Engine, us: u64) -> [u64; 2] {
    let mut simulation = sim::build_with(scenario, 1, engine);
    [at_us(us), at_us(us) + Span::from_ps(1)].map(|time| {
        simulation.step(time);
        flow(&simulation.records(), "f").counts.bytes_delivered
    })
}

/// Segments are complete 10 and 20 ms after 30 ms; half of the third is produced until 55 ms, and the other half 5 ms after 130 ms.
/// Then two more are complete, the last as it is off again. All of that comes again every 200 ms. Each is at the receiver two
/// transmissions of 8.32 ms and two delays of 1 ms later.
#[test]
fn segments_of_an_application_that_is_on_and_off_arrive_when_they_are_complete() {
    let scenario = path(ON_OFF, &[]);
    let complete_ms = (0..2).flat_map(|round| [40, 50, 135, 145, 155].map(|ms| ms + 200 * round));
    for (number, ms) in (0..).zip(complete_ms) {
        for engine in [Engine::Reference, Engine::Batched] {
            let found = delivered_around(&scenario, engine, 1000 * ms + 2 * 9_320);
            assert_eq!(found, [1000 * number, 1000 * number + 1000], "{engine:?}, {ms} ms");
        }
    }
    let records = assert_engines_agree("on-off", &scenario, 1);
    let record = flow(&records, "f");
    // Fifty rounds, of which the last begins at 9.83 s: 9840, 9850, 9935 ms and later; the segments of 9945 and 9955 ms arrive, too.
    assert_eq!(sent(record), [250, 250_000, 250_000]);
    // It waits for the application from its start on.
    let application = Span::from_ms(9_970);
    assert_eq!(record.limited, LimitedTimes { application, ..LimitedTimes::default() });
}

fn sent(record: &FlowRecord) -> [u64; 3] {
    [record.counts.segments_sent, record.counts.bytes_sent, record.counts.bytes_delivered]
}

#[test]
fn a_stop_and_a_size_end_what_is_offered() {
    let run = |name: &str, set: &str| -> Records { assert_engines_agree(name, &path(ON_OFF, &[set]), 1) };
    // At 145 ms a segment would be complete; at 135 ms the last was.
    assert_eq!(sent(flow(&run("stopped", "flow.f.stop=145 ms"), "f")), [3, 3000, 3000]);
    assert_eq!(sent(flow(&run("later", "flow.f.stop=145000001 ns"), "f")), [4, 4000, 4000]);
    let sized = run("sized", "flow.f.size=3500 B");
    assert_eq!(sent(flow(&sized, "f")), [4, 3500, 3500]);
    // The fourth segment is offered at 145 ms and acknowledged within 40 ms.
    let completed = flow(&sized, "f").completed.unwrap();
    assert!(completed > at_us(145_000) && completed < at_us(185_000), "{completed}");
}

/// 10 Mb/s are a segment of 512 B in 409.6 us, so 1 s of being on 2441 of them, over cells as over packets.
#[test]
fn an_application_that_is_on_and_off_sends_over_cells() {
    let on_off = ON_OFF.replace("800 kbps", "10 Mbps").replace("25 ms", "100 ms").replace("75 ms", "100 ms");
    let on_off = on_off.replace("start = \"30 ms\"\n", "");
    let records = assert_engines_agree("on-off in cells", &scenario(&format!("{LAN}[traffic]\n{on_off}"), &[]), 1);
    for record in &records.flows {
        assert_eq!(record.counts.bytes_delivered, 2441 * 512, "{}", record.name);
    }
}

/// Under one seed two flows are on and off at different times, and one flow under two seeds.
#[test]
fn random_times_depend_on_seed_and_flow() {
    let text = two_senders("duration = \"20 s\"", "10 Mbps", "5 ms", "100 packets", "");
    let sets = [&SECOND_FLOW[..], &["traffic.application=on-off", "traffic.on-off.rate=1 Mbps"]].concat();
    let scenario = scenario(&text, &sets);
    let sent = |seed| {
        let records = assert_engines_agree("at random", &scenario, seed);
        ["f1", "f2"].map(|name| flow(&records, name).counts.segments_sent)
    };
    let [first, second] = [sent(1), sent(2)];
    assert!(first[0] != first[1] && first != second, "{first:?} {second:?}");
    // 20 s at half of 1 Mb/s are 856 segments of 1460 B. The times off and on are 40 times 500 ms each on average, so the share on has a
    // deviation of about .5/√40 = .08 of 1.
    assert!([first, second].concat().iter().all(|&segments| (500..1300).contains(&segments)), "{first:?} {second:?}");
}

/// Offers of 2500 bytes at its start, of 700 after 100 ms, and nothing more after 200 ms.
#[derive(Default)]
struct Remainders {
    offers: usize,
}

impl Application for Remainders {
    fn offer(&mut self, now: Time) -> Offer {
        let (bytes, last) = [(2500, false), (700, false), (0, true)][self.offers];
        self.offers += 1;
        Offer { bytes, next: if last { Time::NEVER } else { now + Span::from_ms(100) } }
    }
}

/// Two segments and half of one, which waits for the rest; of the remainder the application says that it was the last.
#[test]
fn an_application_from_outside_on_both_engines() {
    let custom =
        CustomApplication::new("remainders", |_: Stream| Box::new(Remainders::default()) as Box<dyn Application>);
    let custom = ApplicationParams::Custom(custom);
    assert_eq!((custom.name(), custom.is_random()), ("remainders", true));
    let mut scenario = path("", &["tcp.fin=true"]);
    scenario.flows.iter_mut().for_each(|flow| flow.application = custom.clone().into());
    assert!(sim::has_randomness(&scenario), "what is not known counts as random");
    // The second segment waits for the first on the link of the host. 200 bytes and 40 of headers take 1.92 ms.
    for (us, before, after) in
        [(18_640, 0, 1000), (26_960, 1000, 2000), (118_640, 2000, 3000), (200_000 + 2 * 2_920, 3000, 3200)]
    {
        for engine in [Engine::Reference, Engine::Batched] {
            assert_eq!(delivered_around(&scenario, engine, us), [before, after], "{engine:?}, {us} us");
        }
    }
    let records = assert_engines_agree("from outside", &scenario, 1);
    let record = flow(&records, "f");
    assert_eq!(record.counts.retransmissions, 0);
    let completed = record.completed.unwrap();
    assert!(completed > at_us(200_000) && completed < at_us(240_000), "{completed}");
    // Nothing limits a sender that has nothing more to send; until then the application did.
    let waits = record.limited.application;
    assert!(waits > Span::from_ms(200) && waits < Span::from_ms(240), "{waits}");
}

/// The end comes when everything is acknowledged: the file is complete then.
#[test]
fn data_that_ends_after_its_last_byte_is_complete_at_the_end() {
    struct Late(bool);
    impl Application for Late {
        fn offer(&mut self, now: Time) -> Offer {
            let first = std::mem::replace(&mut self.0, true);
            Offer {
                bytes: if first { 0 } else { 1000 },
                next: if first { Time::NEVER } else { now + Span::from_secs(1) },
            }
        }
    }
    let mut scenario = path("", &[]);
    let custom = CustomApplication::new("late", |_| Box::new(Late(false)) as Box<dyn Application>);
    scenario.flows.iter_mut().for_each(|flow| flow.application = ApplicationParams::Custom(custom.clone()).into());
    let records = assert_engines_agree("late", &scenario, 1);
    assert_eq!(flow(&records, "f").completed, Some(at_us(1_000_000)));
}

/// Each of the family, whatever its parameters: offers come one after the other, and no more than it says.
#[test]
fn every_application_offers_later_and_no_more_than_it_says() {
    let mut state = 1_u64;
    let mut below = |bound: u64| {
        state = mix(state);
        state % bound
    };
    for member in application::ALL {
        let mut checked = 0;
        for _ in 0..200 {
            let Ok(params) = (member.params)(&Values::sample(member.keys, &mut below), 512) else { continue };
            checked += 1;
            let Some(mut application) = params.start(below(10), "f") else {
                assert_eq!(params.offered_in(Span::from_ps(1)), f64::INFINITY, "{params:?}");
                continue;
            };
            let start = Time::ZERO + Span::from_ms(below(1000));
            let (mut now, mut bytes) = (start, 0);
            for _ in 0..1000 {
                let offer = application.offer(now);
                bytes += offer.bytes;
                // The last instant is part of the time.
                let most = params.offered_in(now.since(start) + Span::from_ps(1));
                assert!(bytes as f64 <= most * (1.0 + 1e-9) + 1.0, "{bytes} of {most} after {now}: {params:?}");
                assert!(offer.next > now, "{now}, {}: {params:?}", offer.next);
                now = offer.next;
                if now == Time::NEVER {
                    break;
                }
            }
        }
        assert!(checked > 10, "{}: {checked}", member.name);
    }
}
