//! Routes that change and far ends that do, in whole runs on both engines, with times by hand.

use std::sync::Arc;

use crate::lab::agree::assert_engines_agree;
use crate::lab::{port, scenario};
use ackclock::ids::{LinkId, NodeId};
use ackclock::link::{
    Delays, FarEnds, InService, LinkSchedule, NoReceiver, NodeRoutes, Outages, Queued, RoutingTable, Shape, UnderWay,
};
use ackclock::record::{Columns, LinkLosses, Metric, Records, Series, VcRecord};
use ackclock::scenario::{Event, EventKind, Route, Scenario};
use ackclock::sim::{Engine, build_with};
use ackclock::units::{Span, Time};

/// Two paths from a to b: by s2, and by s3, which takes longer. 1000 bytes take 1 ms on each link, and a datagram of so
/// many leaves a every 10 ms. Acknowledgements of a flow between the same hosts go by s2 only.
const TWO_WAYS: &str = r#"
duration = "1 s"
network = { technology = "packet", topology = "graph" }
node = { a.kind = "host", s1.kind = "switch", s2.kind = "switch", s3.kind = "switch", s4.kind = "switch", b.kind = "host" }
[link]
up = { ends = ["a", "s1"], rate = "8 Mbps", delay = "1 ms" }
short = { ends = ["s1", "s2"], rate = "8 Mbps", delay = "5 ms" }
long = { ends = ["s1", "s3"], rate = "8 Mbps", delay = "40 ms" }
from_short = { ends = ["s2", "s4"], rate = "8 Mbps", delay = "5 ms" }
from_long = { ends = ["s3", "s4"], rate = "8 Mbps", delay = "5 ms" }
down = { ends = ["s4", "b"], rate = "8 Mbps", delay = "1 ms" }
[queue]
buffer = "50 packets"
[tcp]
dialect = "osu"
mss = "960 B"
recovery = "new-reno"
[flow]
f = { from = "a", to = "b", start = "900 ms" }
[udp]
u = { from = "a", to = "b", payload = "972 B", rate = "777.6 kbps", stop = "500 ms" }
"#;

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

fn link(scenario: &Scenario, name: &str) -> LinkId {
    scenario.links.iter_ids().find(|(_, link)| link.name == name).expect("the link exists").0
}

fn node(scenario: &Scenario, name: &str) -> NodeId {
    scenario.nodes.iter_ids().find(|(_, node)| node.name == name).expect("the node exists").0
}

/// The scenario with these routes to b: at each node, from when on, by which link. The flow has them too.
fn routed(ttl: u8, routes: &[(&str, &[(u64, &str)])]) -> Scenario {
    let mut scenario = scenario(TWO_WAYS, &[]);
    let of_node = |&(name, routes): &(&str, &[(u64, &str)])| -> NodeRoutes {
        let by = |&(from, by): &(u64, &str)| (ms(from), (by != "none").then(|| link(&scenario, by)));
        (node(&scenario, name), routes.iter().map(by).collect())
    };
    let mut nodes: Vec<NodeRoutes> = routes.iter().map(of_node).collect();
    nodes.sort_by_key(|&(node, _)| node);
    let table = Arc::new(RoutingTable::new(node(&scenario, "b"), ttl, nodes));
    let route = Route::Dynamic { first: link(&scenario, "a->s1"), table };
    scenario.udp[0].route = route.clone();
    scenario.flows.iter_mut().for_each(|flow| flow.forward = route.clone());
    scenario
}

const BY_BOTH: [(&str, &[(u64, &str)]); 3] =
    [("s2", &[(0, "s2->s4")]), ("s3", &[(0, "s3->s4")]), ("s4", &[(0, "s4->b")])];

/// Routes by s3 at first, and from so many milliseconds on by s2.
fn shorter_from(from: u64) -> Scenario {
    let at_s1 = [(0, "s1->s3"), (from, "s1->s2")];
    routed(32, &[&[("s1", &at_s1[..])], &BY_BOTH[..]].concat())
}

fn schedule<'a>(scenario: &'a mut Scenario, name: &str) -> &'a mut LinkSchedule {
    let id = link(scenario, name);
    let link = &mut scenario.links[id];
    link.params.schedule.get_or_insert_with(|| Box::new(LinkSchedule::constant(link.rate, link.delay)))
}

/// The records at the end, on which both engines agree.
fn run(name: &str, scenario: &Scenario) -> Records {
    assert_engines_agree(name, scenario, 1)
}

/// How many datagrams have arrived before each of these instants, in ms, and up to it: at which of them one arrives.
fn arrivals(scenario: &Scenario, times: &[u64]) -> Vec<(u64, u64)> {
    let delivered = |until: Time| {
        let [one, other] = [Engine::Reference, Engine::Batched].map(|engine| {
            let mut simulation = build_with(scenario, 1, engine);
            simulation.step(until);
            simulation.records().udp[0].counts.delivered
        });
        assert_eq!(one, other);
        one
    };
    times.iter().map(|&time| (delivered(ms(time)), delivered(ms(time) + Span::from_ps(1)))).collect()
}

/// What the datagrams did at a port.
fn of_udp<'a>(records: &'a Records, name: &str) -> &'a VcRecord {
    port(records, name).vcs.iter().find(|vc| &*vc.name == "u").expect("they may cross the port")
}

fn lost(records: &Records, name: &str) -> LinkLosses {
    records.links.iter().find(|link| link.name == name).expect("the link has a record").lost
}

#[test]
fn a_shorter_route_is_taken_by_what_arrives_from_its_instant_on_and_overtakes() {
    // The n-th datagram leaves at 10 n ms and is at s1 2 ms later; by s3 it is at b after 2 + 41 + 6 + 2 = 51 ms, by s2
    // after 2 + 6 + 6 + 2 = 16. From 42 ms on it is s2: the fifth, which arrives at s1 at that instant, is the first.
    let scenario = shorter_from(42);
    // Those of 40 and 50 ms arrive at 56 and 66, that of 0 at 51, that of 10 at 61.
    assert_eq!(arrivals(&scenario, &[51, 56, 61, 66]), [(0, 1), (1, 2), (2, 3), (3, 4)]);
    // One millisecond later, and it has gone by s3: then the next is the first, at 66 ms.
    assert_eq!(arrivals(&shorter_from(43), &[51, 56, 61, 66]), [(0, 1), (1, 1), (1, 2), (2, 3)]);
    let records = run("shorter", &scenario);
    let udp = &records.udp[0];
    assert_eq!((udp.counts.sent, udp.counts.delivered, udp.counts.lost), (50, 50, 0));
    assert_eq!(["s1->s3", "s1->s2"].map(|name| of_udp(&records, name).arrivals), [4, 46]);
    assert!(records.flows[0].counts.bytes_delivered > 0, "the flow has the same routes");
}

#[test]
fn what_arrives_where_there_is_no_path_is_lost_and_so_is_what_has_crossed_too_many_links() {
    // At s1 there is no path from 42 to 62 ms: datagrams of 40 and 50 ms.
    let gap = [(0, "s1->s3"), (42, "none"), (62, "s1->s2")];
    let records = run("no path", &routed(32, &[&[("s1", &gap[..])], &BY_BOTH[..]].concat()));
    assert_eq!(lost(&records, "a->s1").no_route, 2, "counted where they came from");
    assert_eq!((records.udp[0].counts.delivered, records.udp[0].counts.lost), (48, 2));
    // Four links lead to b. One less than that, and each packet is lost at s4.
    let of_ttl = |ttl| routed(ttl, &[&[("s1", &[(0, "s1->s2")][..])], &BY_BOTH[..]].concat());
    let records = run("enough", &of_ttl(4));
    assert_eq!((records.udp[0].counts.delivered, lost(&records, "s2->s4").ttl), (50, 0));
    let records = run("too far", &of_ttl(3));
    assert_eq!(records.udp[0].counts.lost, 50);
    assert!(lost(&records, "s2->s4").ttl > 50, "and segments of the flow");
    assert_eq!(records.flows[0].counts.bytes_delivered, 0);
    // A loop: s1 and s2 send to each other, up to the 32nd link.
    let loops = routed(32, &[("s1", &[(0, "s1->s2")]), ("s2", &[(0, "s2->s1")])]);
    let records = run("loop", &loops);
    // The first link, and then 31, of which the odd ones are s1->s2: 16 and 15.
    assert_eq!(["s1->s2", "s2->s1"].map(|name| of_udp(&records, name).arrivals), [50 * 16, 50 * 15]);
    assert_eq!(
        (lost(&records, "s1->s2").ttl, records.udp[0].counts.lost),
        (records.udp[0].counts.lost + lost_of_flow(&records), 50)
    );
}

fn lost_of_flow(records: &Records) -> u64 {
    let of_flow = records.links.iter().flat_map(|link| &link.vcs).filter(|vc| &*vc.name == "f");
    of_flow.map(|vc| vc.lost.total()).sum()
}

/// Routes by s2; s1's port towards it is an uplink that leads to s3 from 100 ms on.
fn handover() -> Scenario {
    let mut scenario = routed(32, &[&[("s1", &[(0, "s1->s2")][..])], &BY_BOTH[..]].concat());
    let [s2, s3] = ["s2", "s3"].map(|name| Some(node(&scenario, name)));
    let uplink = schedule(&mut scenario, "s1->s2");
    uplink.far_ends = Some(FarEnds::new(vec![(ms(0), s2), (ms(100), s3)], NoReceiver::Lose));
    // 5 ms, falling to 4; then 20.
    let points = vec![(ms(0), Span::from_ms(5)), (ms(100), Span::from_ms(4)), (ms(100), Span::from_ms(20))];
    uplink.delays = Delays::new(Shape::Linear, points);
    scenario
}

#[test]
fn a_terminal_sends_to_another_satellite_after_the_handover_and_keeps_its_queue() {
    let records = run("handover", &handover());
    // Datagrams of 0 to 90 ms begin at s1 before 100 ms.
    assert_eq!(["s2->s4", "s3->s4"].map(|name| of_udp(&records, name).arrivals), [10, 40]);
    assert_eq!((records.udp[0].counts.delivered, lost(&records, "s1->s2")), (50, LinkLosses::default()));
    // That of 100 ms begins at 102: at s3 after 1 + 20 ms, at s4 after 6, at b after 2: 131. That of 90 began at 92 under
    // 4.08 ms: 92 + 5.08 + 6 + 2 = 105.08.
    assert_eq!(arrivals(&handover(), &[105, 106, 131]), [(9, 9), (10, 10), (10, 11)]);
    // In between the link is down until 135 ms: three wait, and none is lost.
    let mut gap = handover();
    schedule(&mut gap, "s1->s2").outages = Outages::new(vec![(ms(100), ms(135))], InService::Finish, Queued::Keep);
    let records = run("gap", &gap);
    assert_eq!((records.udp[0].counts.delivered, of_udp(&records, "s1->s2").max_queue), (50, 4));
    // From 135 on they go, a millisecond each: 135 + 1 + 20 + 6 + 2 = 164.
    assert_eq!(arrivals(&gap, &[164, 165, 166, 167]), [(10, 11), (11, 12), (12, 13), (13, 14)]);
}

#[test]
fn what_overtakes_has_the_route_of_its_own_arrival() {
    // To s2 it takes 40 ms, from 45 ms on 5; there is a path on from 70 ms on. The datagrams of 30, 40 and 70 ms are there at
    // 73, 83 and 78; those of 0, 10, 20, 50 and 60 ms, of which the last two overtake, at 43, 53, 63, 58 and 68.
    let routes = [("s1", &[(0, "s1->s2")][..]), ("s2", &[(70, "s2->s4")]), ("s4", &[(0, "s4->b")])];
    let mut scenario = routed(32, &routes);
    schedule(&mut scenario, "s1->s2").delays =
        Delays::new(Shape::Steps, vec![(ms(0), Span::from_ms(40)), (ms(45), Span::from_ms(5))]);
    let records = run("overtaking", &scenario);
    assert_eq!((records.udp[0].counts.delivered, lost(&records, "s1->s2").no_route), (45, 5));
}

/// The recorded delay of the flow's path, looked at every ten milliseconds: milliseconds, seconds.
fn delays(name: &str, mut scenario: Scenario) -> Vec<(f64, f64)> {
    scenario.recording.metrics = [Metric::Delay].into_iter().collect();
    scenario.recording.interval = Span::from_ms(10);
    let records = run(name, &scenario);
    let [Series { metric: Metric::Delay, of, columns: Columns::Points { time, value }, .. }] = &records.series[..]
    else {
        panic!("one series")
    };
    assert_eq!(of, "f");
    time.iter().map(|time| time.as_secs_f64() * 1e3).zip(value.iter().copied()).collect()
}

#[test]
fn the_delay_of_a_path_is_that_of_its_links_at_each_instant() {
    // By s3 1 + 40 + 5 + 1 = 47 ms, by s2 1 + 5 + 5 + 1 = 12; the path that is taken at 42 ms is seen at 50, and at once
    // if something is known to happen then.
    let gap = [(0, "s1->s3"), (42, "none"), (62, "s1->s2")];
    let mut scenario = routed(32, &[&[("s1", &gap[..])], &BY_BOTH[..]].concat());
    assert_eq!(delays("gap", scenario.clone()), [(0.0, 0.047), (50.0, f64::INFINITY), (70.0, 0.012)]);
    let (node, after) = ("s1".into(), Some("s2".into()));
    scenario.events = vec![Event { time: ms(62), kind: EventKind::RouteFound, node, before: None, after }];
    assert_eq!(delays("event", scenario), [(0.0, 0.047), (50.0, f64::INFINITY), (62.0, 0.012)]);
    // The uplink falls from 5 ms to 4 in 100 ms: a tenth of a millisecond each time. Then it leads to s3, 20 ms away.
    let recorded = delays("handover", handover());
    let falling = (0..10).map(|number| (10.0 * f64::from(number), 0.012 - 1e-4 * f64::from(number)));
    assert_eq!(recorded.len(), 11);
    for ((time, delay), (of, expected)) in recorded.into_iter().zip(falling.chain([(100.0, 0.027)])) {
        assert!((time - of).abs() < 1e-9 && (delay - expected).abs() < 1e-12, "{time} ms: {delay}");
    }
    // While a link is down there is no path.
    let mut down = handover();
    schedule(&mut down, "s4->b").outages = Outages::new(vec![(ms(30), ms(40))], InService::Finish, Queued::Keep);
    let recorded = delays("down", down);
    assert_eq!((recorded[3], recorded.len()), ((30.0, f64::INFINITY), 11));
    // One that leads nowhere, or too far.
    let far = routed(3, &[&[("s1", &[(0, "s1->s2")][..])], &BY_BOTH[..]].concat());
    assert_eq!(delays("too far", far), [(0.0, f64::INFINITY)]);
    assert_eq!(delays("fixed", scenario_of_fixed_routes()), [(0.0, 0.012)]);
}

fn scenario_of_fixed_routes() -> Scenario {
    scenario(TWO_WAYS, &["flow.f.route=[\"a\", \"s1\", \"s2\", \"s4\", \"b\"]"])
}

#[test]
fn what_waits_at_a_terminal_is_lost_if_it_bears_the_address_of_the_old_satellite() {
    // 40 ms each at s1: of the ten datagrams that come at 2, 12, ... 92 ms, three begin before 100 ms, at 2, 42 and 82. The
    // other seven have their turns from 122 to 362, go to s3, and are not for it.
    let slow = |no_receiver| {
        let mut scenario = handover();
        let [s2, s3] = ["s2", "s3"].map(|name| Some(node(&scenario, name)));
        let uplink = schedule(&mut scenario, "s1->s2");
        uplink.far_ends = Some(FarEnds::new(vec![(ms(0), s2), (ms(100), s3)], no_receiver));
        uplink.rates = ackclock::link::Rates::constant(ackclock::units::Rate::from_bps(200_000).expect("not zero"));
        run("addressed", &scenario)
    };
    let [kept, lost_there] = [NoReceiver::Lose, NoReceiver::LoseAddressed].map(slow);
    assert_eq!((lost(&kept, "s1->s2").no_receiver, kept.udp[0].counts.lost), (0, 0));
    assert_eq!((lost(&lost_there, "s1->s2").no_receiver, lost_there.udp[0].counts.lost), (7, 7));
    let departures = [&kept, &lost_there].map(|records| of_udp(records, "s1->s2").departures);
    assert_eq!(departures[0], departures[1], "they take their time all the same");
}

#[test]
fn what_is_on_a_link_arrives_after_a_handover_or_is_lost() {
    // At 100 ms, the datagram of 90 ms is at s1 from 92 to 93, and under way until 97.08. With a handover at 96 ms:
    let at_96 = |under_way| {
        let mut scenario = handover();
        let [s2, s3] = ["s2", "s3"].map(|name| Some(node(&scenario, name)));
        let uplink = schedule(&mut scenario, "s1->s2");
        uplink.far_ends = Some(FarEnds::new(vec![(ms(0), s2), (ms(96), s3)], NoReceiver::Lose));
        uplink.under_way = under_way;
        run("in flight", &scenario)
    };
    let [keep, drop] = [UnderWay::Keep, UnderWay::Drop].map(at_96);
    assert_eq!((lost(&keep, "s1->s2").outage, keep.udp[0].counts.delivered), (0, 50));
    assert_eq!((lost(&drop, "s1->s2").outage, drop.udp[0].counts.delivered), (1, 49));
}

/// As many datagrams as s4->b takes, which is a downlink: from 100 ms on the link has no receiver, and the path to b is by s3's
/// link. That of s4 is slow, so that some wait.
fn old_downlink(no_receiver: NoReceiver) -> Scenario {
    let mut scenario = routed(
        32,
        &[
            ("s1", &[(0, "s1->s2")]),
            ("s2", &[(0, "s2->s4")]),
            ("s3", &[(0, "s3->s1")]),
            ("s4", &[(0, "s4->b"), (100, "s4->s3")]),
        ],
    );
    let b = Some(node(&scenario, "b"));
    let slow = ackclock::units::Rate::from_bps(200_000).expect("not zero");
    let down = schedule(&mut scenario, "s4->b");
    down.far_ends = Some(FarEnds::new(vec![(ms(0), b), (ms(100), None)], no_receiver));
    down.rates = ackclock::link::Rates::constant(slow);
    // s3 reaches b too: its link to s1 leads there from 100 ms on.
    let over = schedule(&mut scenario, "s3->s1");
    over.far_ends = Some(FarEnds::new(vec![(ms(0), None), (ms(100), b)], NoReceiver::Lose));
    scenario
}

#[test]
fn what_waits_at_the_old_satellite_is_lost_or_takes_the_route_of_now() {
    // 40 ms each: datagrams are at s4 at 14, 24, ... ms. Those of 14 (until 54), 24 (until 94) and 34 begin while the link has a receiver;
    // of those up to 94 six wait at 100 ms, and have their turn from 134 on.
    let records = run("lose", &old_downlink(NoReceiver::Lose));
    assert_eq!((lost(&records, "s4->b").no_receiver, records.udp[0].counts.lost), (6, 6));
    assert_eq!(of_udp(&records, "s4->b").departures, 9);
    assert_eq!(records.udp[0].counts.delivered, 44);
    // Or they go at once, all at 134 ms.
    let scenario = old_downlink(NoReceiver::Reroute);
    let records = run("reroute", &scenario);
    assert_eq!((lost(&records, "s4->b").no_receiver, records.udp[0].counts.delivered), (0, 50));
    assert_eq!((of_udp(&records, "s4->b").arrivals, of_udp(&records, "s4->s3").arrivals), (9, 41 + 6));
}

#[test]
fn a_link_that_goes_down_is_drained_or_loses_what_waits() {
    // The same slow link: at 100 ms six wait. Drained, they arrive, although the route is another.
    let slow = |queued: Option<Queued>| {
        let mut scenario = old_downlink(NoReceiver::Lose);
        let b = Some(node(&scenario, "b"));
        let down = schedule(&mut scenario, "s4->b");
        down.far_ends = Some(FarEnds::new(vec![(ms(0), b)], NoReceiver::Lose));
        if let Some(queued) = queued {
            down.outages = Outages::new(vec![(ms(100), Time::NEVER)], InService::Finish, queued);
        }
        run("down", &scenario)
    };
    assert_eq!(slow(None).udp[0].counts.delivered, 50);
    let dropped = slow(Some(Queued::Flush));
    assert_eq!((port(&dropped, "s4->b").drops.outage, dropped.udp[0].counts.delivered), (6, 44));
    let kept = slow(Some(Queued::Keep));
    assert_eq!((port(&kept, "s4->b").final_queue, kept.udp[0].counts.lost), (6, 0));
}

#[test]
fn connections_with_fixed_routes_share_ports_with_others() {
    let mut scenario = shorter_from(42);
    let fixed = ["a->s1", "s1->s2", "s2->s4", "s4->b"].map(|name| link(&scenario, name)).to_vec();
    for flow in scenario.flows.iter_mut() {
        flow.forward = fixed.clone().into();
        flow.start = ms(0);
    }
    let records = run("shared", &scenario);
    assert!(records.flows[0].counts.bytes_delivered > 100_000);
    let crossing = |name| port(&records, name).vcs.iter().map(|vc| &*vc.name).collect::<Vec<_>>();
    assert_eq!((crossing("s1->s2"), crossing("s1->s3")), (vec!["f", "u"], vec!["u"]));
}
