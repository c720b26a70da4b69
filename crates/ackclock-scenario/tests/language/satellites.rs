//! Satellites in scenario files: what is built of them, and what is said about wrong ones.

use crate::good::{link, loaded};
use crate::render::{indented, said_about, said_about_files};
use ackclock::link::Place;
use ackclock::scenario::{Buffer, EventKind, NodeKind, Route, Scenario};
use ackclock::units::{Rate, Span, Time};
use ackclock_scenario::{Loaded, Memory, load};

const GEO: &str = r#"
duration = "10 s"
[satellites]
geostationary = "95 W"
earth = "ns2"
[place]
new-york = "40.9 N 73.9 W"
san-francisco = "37.8 N 122.4 W"
[flow.f]
from = "new-york"
to = "san-francisco"
"#;

const LEO: &str = r#"
duration = "600 s"
[satellites]
constellation = "iridium"
earth = "ns2"
[place]
berkeley = "37.9 N 122.3 W"
boston = "42.3 N 71.1 W"
[flow.f]
from = "berkeley"
to = "boston"
"#;

/// Elements of 2006 that come down soon.
const FALLING: &str = "FALLING\n\
    1 06251U 62025E   06176.82412014  .00008885  00000-0  12808-3 0  3985\n\
    2 06251  58.0579  54.0425 0030035 139.1568 221.1854 15.56387291  6774\n";

fn microseconds(delay: Span) -> u64 {
    (delay.as_ps() + 500_000) / 1_000_000
}

fn links(scenario: &Scenario) -> Vec<&str> {
    scenario.links.iter().map(|link| link.name.as_str()).collect()
}

#[test]
fn a_bent_pipe_is_one_hop_of_the_delay_of_both_links() {
    let errors = "san-francisco = { at = \"37.8 N 122.4 W\", errors = { model = \"uniform\", rate = 0.05 } }";
    let scenario = loaded(&GEO.replace("san-francisco = \"37.8 N 122.4 W\"", errors), &[]).scenario;
    let up = link(&scenario, "new-york->san-francisco");
    // satellites.md: 253.174 ms.
    assert_eq!(microseconds(up.delay), 253_174);
    assert_eq!(up.rate, Rate::from_bps(1_500_000).unwrap());
    assert_eq!(up.params.errors.len(), 1);
    assert_eq!(up.params.errors[0].place, Place::Receiver, "errors of a place are what it receives");
    let down = link(&scenario, "san-francisco->new-york");
    assert_eq!((down.delay, down.params.errors.len()), (up.delay, 0));
    assert_eq!(scenario.nodes.len(), 4, "two terminals and their hosts");
    assert!(scenario.events.iter().all(|event| event.kind == EventKind::Acquired && event.time == Time::ZERO));
}

#[test]
fn a_regenerative_satellite_is_a_node_with_queues() {
    let scenario = loaded(GEO, &["satellites.payload=regenerative", "satellites.down_rate=3 Mbps"]).scenario;
    assert!(scenario.nodes.iter().any(|node| node.name == "sky" && node.kind == NodeKind::Switch));
    let down = link(&scenario, "sky->san-francisco");
    let up = link(&scenario, "new-york->sky");
    assert_eq!(down.rate, Rate::from_bps(3_000_000).unwrap());
    assert_eq!(microseconds(up.delay + down.delay), 253_174);
}

/// A hub that sends 40 Mb/s, and a terminal whose return channel has 2 Mb/s.
#[test]
fn a_return_channel_has_the_rate_of_its_place() {
    let hub = "new-york = { at = \"40.9 N 73.9 W\", rate = \"40 Mbps\", down_rate = \"9 Mbps\" }";
    let file = GEO.replace("new-york = \"40.9 N 73.9 W\"", hub);
    let mbps = |scenario: &Scenario, name: &str| link(scenario, name).rate.as_bps() / 1_000_000;
    let pipe = loaded(&file, &["satellites.rate=2 Mbps"]);
    assert_eq!(pipe.warnings.len(), 1, "a mirror has no rate down");
    assert_eq!(mbps(&pipe.scenario, "new-york->san-francisco"), 40);
    assert_eq!(mbps(&pipe.scenario, "san-francisco->new-york"), 2);
    let node = loaded(&file, &["satellites.payload=regenerative", "satellites.rate=2 Mbps"]).scenario;
    let names = ["new-york->sky", "san-francisco->sky", "sky->new-york", "sky->san-francisco"];
    assert_eq!(names.map(|name| mbps(&node, name)), [40, 2, 9, 2]);
    let leo = LEO.replace("boston = \"42.3 N 71.1 W\"", "boston = { at = \"42.3 N 71.1 W\", rate = \"7 Mbps\" }");
    let leo = loaded(&leo, &[]).scenario;
    assert_eq!([mbps(&leo, "boston->sky"), mbps(&leo, "berkeley->sky"), mbps(&leo, "5.4->boston")], [7, 1, 1]);
}

#[test]
fn a_terminal_has_one_link_up_and_each_satellite_that_serves_it_one_down() {
    let scenario = loaded(LEO, &[]).scenario;
    let names = links(&scenario);
    for name in ["berkeley->sky", "boston->sky", "5.4->boston", "5.3->boston", "3.4->berkeley", "3.3->berkeley"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    // Only what some path goes through is built.
    assert!(names.iter().all(|name| !name.starts_with("1.") && !name.contains("->6.")), "{names:?}");
    let Route::Dynamic { first, table } = &scenario.flows.iter().next().unwrap().forward else { panic!() };
    assert_eq!(scenario.links[*first].name, "berkeley.host->berkeley");
    let node = |name: &str| scenario.nodes.iter_ids().find(|(_, node)| node.name == name).unwrap().0;
    let next = |at: &str, seconds: u64| {
        let link = table.link(node(at), Time::ZERO + Span::from_secs(seconds))?;
        Some(scenario.links[link].name.as_str())
    };
    // satellites.md §5: 3.4 - 4.4 - 5.4, from 390 s 3.4 - 3.3 - 4.3 - 5.3, from 520 s 3.3 - 4.3 - 5.3.
    assert_eq!(next("berkeley", 0), Some("berkeley->sky"));
    assert_eq!((next("3.4", 389), next("3.4", 390)), (Some("3.4->4.4"), Some("3.4->3.3")));
    assert_eq!((next("5.4", 389), next("5.3", 390)), (Some("5.4->boston"), Some("5.3->boston")));
    let up = link(&scenario, "berkeley->sky");
    let schedule = up.params.schedule.as_ref().unwrap();
    let far_end = |seconds: u64| {
        let at = schedule.far_ends.as_ref().unwrap().at(Time::ZERO + Span::from_secs(seconds)).unwrap();
        scenario.nodes[at].name.as_str()
    };
    assert_eq!((far_end(0), far_end(519), far_end(520)), ("3.4", "3.4", "3.3"));
}

#[test]
fn delays_of_the_paths_are_those_of_the_plan() {
    let Loaded { scenario, contacts, .. } = loaded(LEO, &[]);
    let plan = contacts.unwrap();
    let (from, to) = (plan.named("berkeley").unwrap(), plan.named("boston").unwrap());
    let Route::Dynamic { table, .. } = &scenario.flows.iter().next().unwrap().forward else { panic!() };
    let host = table.destination();
    let terminal = scenario.nodes.iter_ids().find(|(_, node)| node.name == "berkeley").unwrap().0;
    for second in (0..600).step_by(7).chain([389, 390, 519, 520]) {
        let time = Time::ZERO + Span::from_secs(second);
        let (mut node, mut sum) = (terminal, Span::ZERO);
        while node != host {
            let link = &scenario.links[table.link(node, time).unwrap()];
            let schedule = link.params.schedule.as_ref();
            if let Some(schedule) = schedule {
                sum = sum + schedule.delays.at(time);
            }
            node =
                schedule.and_then(|schedule| schedule.far_ends.as_ref()).map_or(link.to, |ends| ends.at(time).unwrap());
        }
        assert_eq!(Some(sum), plan.delay(from, to, time), "{second} s");
    }
}

#[test]
fn handovers_and_lost_paths_are_events_of_the_scenario() {
    let scenario = loaded(LEO, &[]).scenario;
    let later = scenario.events.iter().filter(|event| event.time > Time::ZERO && event.kind == EventKind::Handover);
    let later: Vec<(f64, &str, Option<&str>)> =
        later.map(|event| (event.time.as_secs_f64(), event.node.as_str(), event.after.as_deref())).collect();
    assert_eq!(later, [(390.0, "boston", Some("5.3")), (520.0, "berkeley", Some("3.3"))]);
}

#[test]
fn ground_networks_and_satellites_combine() {
    let file = format!(
        "{LEO}\n[node]\ns.kind = \"host\"\nr.kind = \"switch\"\n[link.a]\nends = [\"s\", \"r\"]\nrate = \"10 Mbps\"\n\
         delay = \"1 ms\"\n[link.b]\nends = [\"r\", \"berkeley\"]\nrate = \"10 Mbps\"\ndelay = \"2 ms\"\n\
         [flow.g]\nfrom = \"s\"\nto = \"boston\"\n[queue]\nbuffer = \"1 bdp\"\n"
    );
    let scenario = loaded(&file, &[]).scenario;
    let flow = scenario.flows.iter().find(|flow| flow.name == "g").unwrap();
    let names: Vec<&str> = flow.forward.links().iter().map(|link| scenario.links[*link].name.as_str()).collect();
    for name in ["s->r", "r->berkeley", "berkeley->sky", "boston->boston.host"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
}

/// The longest path of 600 s takes about 50 ms (49.886 at 515 s), so that 1.5 Mb/s for there and back are 18.7 to 18.8 kB. At
/// first it takes 33.9 ms, and all links that it ever crosses together much more.
#[test]
fn a_bdp_through_satellites_is_that_of_the_longest_path() {
    let scenario = loaded(&format!("{LEO}[queue]\nbuffer = \"1 bdp\"\n"), &[]).scenario;
    let uplink = link(&scenario, "berkeley->sky");
    let Buffer::Bytes(bytes) = uplink.queue.buffer else { panic!("{:?}", uplink.queue.buffer) };
    assert!((18_700..18_900).contains(&bytes), "{bytes}");
}

#[test]
fn small_constellations_and_other_policies_load() {
    for set in [
        "satellites.handover=max-elevation",
        "satellites.handover=max-remaining-time",
        "satellites.isl=grid-across-seam",
        "satellites.routing=interval",
        "satellites.routing_delay=2 s",
        "satellites.check_jitter=half",
        "satellites.isl_queue=drop",
        "satellites.terminal_queue=drop",
        "satellites.terminal_queue=old-address",
        "satellites.old_downlink=reroute",
        "satellites.in_flight=drop",
        "satellites.reordering=prevent",
        "satellites.handover_gap=50 ms",
    ] {
        loaded(LEO, &[set]);
    }
    let walker = LEO.replace("\"iridium\"", "\"86.4:12/6/0\"\naltitude = \"780 km\"");
    for pattern in ["86.4:6/6/0", "86.4:12/6/0", "86.4:18/6/0", "star 86.4:66/6/2"] {
        loaded(&walker, &[&format!("satellites.constellation={pattern:?}")]);
    }
}

#[test]
fn a_path_that_is_never_there_is_said_and_nothing_is_refused() {
    let file = GEO.replace("95 W", "100 E");
    insta::assert_snapshot!(said_about(&file, &[]));
    let scenario = loaded(&file, &[]).scenario;
    assert!(scenario.events.iter().any(|event| event.kind == EventKind::RouteLost && event.time == Time::ZERO));
    let lonely = LEO.replace("\"iridium\"", "\"0:1/1/0\"\naltitude = \"780 km\"");
    insta::assert_snapshot!(said_about(&lonely, &[]));
    loaded(&lonely, &[]);
}

const SHELL: &str = r#"
duration = "60 s"
[satellites]
constellation = "53:1584/72/39"
altitude = "550 km"
[place]
berlin = "52.5 N 13.4 E"
cape-town = "33.9 S 18.4 E"
[flow.f]
from = "berlin"
to = "cape-town"
"#;

/// The line of a key in the resolved file.
fn written(file: &str, sets: &[&str], key: &str) -> String {
    let resolved = loaded(file, sets).resolved;
    let line = resolved.lines().find(|line| line.starts_with(&format!("{key} = ")));
    line.unwrap_or_else(|| panic!("no {key} in {resolved}")).to_owned()
}

#[test]
fn in_large_shells_paths_are_chosen_for_their_delay_and_small_ones_are_as_they_were() {
    let defaults = |file: &str, sets: &[&str]| ["isl", "handover", "ttl"].map(|key| written(file, sets, key));
    let large = ["isl = \"grid-nearest\"", "handover = \"least-delay\"", "ttl = 64"];
    let small = ["isl = \"grid\"", "handover = \"sticky\"", "ttl = 64"];
    assert_eq!(defaults(SHELL, &[]), large);
    assert_eq!(written(SHELL, &[], "hysteresis"), "hysteresis = \"1 ms\"");
    assert_eq!(defaults(SHELL, &["satellites.constellation=53:200/20/1"]), large);
    assert_eq!(defaults(SHELL, &["satellites.constellation=53:198/18/1", "satellites.mask=1 deg"]), small);
    assert_eq!(defaults(LEO, &[]), small);
    assert_eq!(written(LEO, &["tcp.dialect=ns2-2001"], "ttl"), "ttl = 32", "as many as in ns-2");
    // 10 planes of 130 satellites: half a plane and half around the ring, and 16.
    assert_eq!(written(SHELL, &["satellites.constellation=53:1300/10/1"], "ttl"), "ttl = 86");
    assert_eq!(
        written(SHELL, &["satellites.isl=none", "place.cape-town.at=48 N 11 E"], "handover"),
        "handover = \"sticky\""
    );
}

#[test]
fn a_detour_and_a_limit_of_links_that_is_too_low_are_said_with_the_key_that_helps() {
    assert_eq!(said_about(SHELL, &[]), "nothing\n", "nothing is wrong with the defaults");
    let old = ["satellites.isl=grid", "satellites.handover=sticky"];
    let said = said_about(SHELL, &old);
    assert!(said.contains("the path from berlin to cape-town takes up to 12"), "{said}");
    assert!(said.contains("more than twice the 35.8 ms of the great circle"), "{said}");
    assert!(said.contains("write handover = \"least-delay\" and isl = \"grid-nearest\""), "{said}");
    assert!(said.contains("its ends use satellites that are far apart in the grid of links"), "{said}");
    let turned = "satellites.constellation=53:1584/72/17";
    let said = said_about(SHELL, &[old[0], old[1], turned, "satellites.ttl=32"]);
    assert!(said.contains("there is never a route") && said.contains("every path has more than 32 links"), "{said}");
    assert!(said.contains("help: raise `ttl` in [satellites]"), "{said}");
    // Boston's second satellite is five links away.
    let said = said_about(LEO, &["satellites.ttl=4"]);
    assert!(said.contains("for 130 s every path from berkeley to boston has more than 4 links"), "{said}");
    assert!(said.contains("help: raise `ttl` in [satellites]"), "{said}");
}

/// Each with what makes the path of a large shell long, and what shortens it.
#[test]
fn the_warning_of_a_long_path_names_what_makes_it_long_and_its_remedy_helps() {
    // A shell over the poles; the seam between its first and its last plane is at 0° at the start.
    let star = "satellites.constellation=star 87:600/20/1";
    for (sets, cause, remedy, remedies) in [
        (
            &[star, "place.berlin.at=45 N 30 E", "place.cape-town.at=45 N 70 E", "satellites.polar_latitude=5 deg"][..],
            "links between planes are down beyond `polar_latitude`",
            "help: raise `polar_latitude`",
            &["satellites.polar_latitude=60 deg"][..],
        ),
        (
            &[star, "place.berlin.at=0 N 35 W", "place.cape-town.at=0 N 35 E"],
            "the path goes around the seam",
            "help: write isl = \"grid-across-seam\"",
            &["satellites.isl=grid-across-seam"],
        ),
        (
            &["satellites.grazing_margin=530 km", "place.cape-town.at=40 N 74 W"],
            "links between satellites are down because of `grazing_margin`",
            "help: lower `grazing_margin`",
            &["satellites.grazing_margin=150 km"],
        ),
        (
            &["satellites.mask=60 deg", "place.cape-town.at=48.1 N 11.6 E"],
            "few satellites are seen above the mask",
            "help: lower `mask`",
            &["satellites.mask=10 deg"],
        ),
        (
            &["satellites.check_interval=1500 s", "duration=1500 s"],
            "its ends are late to go over to a shorter path",
            "help: shorten `check_interval`, or lower `hysteresis`",
            &["satellites.check_interval=10 s"],
        ),
        (
            &["satellites.isl=none", "place.cape-town.at=48.1 N 11.6 E", "duration=600 s"],
            "the satellite of both ends is not that of the shortest path",
            "help: write handover = \"least-delay\"",
            &["satellites.handover=least-delay"],
        ),
        (
            &["satellites.handover=max-elevation", "satellites.isl=grid"],
            "its ends use satellites that are far apart in the grid of links",
            "help: write handover = \"least-delay\"",
            &["satellites.handover=least-delay", "satellites.isl=grid-nearest"],
        ),
        (
            &[
                "satellites.constellation=star 90:210/3/0",
                "satellites.altitude=350 km",
                "satellites.polar_latitude=90 deg",
                "place.berlin.at=0 N 0 E",
                "place.cape-town.at=0 N 60 E",
            ],
            "this constellation has no shorter path then",
            "help: take another constellation",
            &[],
        ),
    ] {
        let said = said_about(SHELL, sets);
        assert!(said.contains(cause) && said.contains(remedy), "{sets:?}: {said}");
        if !remedies.is_empty() {
            let sets: Vec<&str> = sets.iter().chain(remedies).copied().collect();
            assert!(!said_about(SHELL, &sets).contains("takes up to"), "{}", said_about(SHELL, &sets));
        }
    }
}

/// What is said about a scenario with something in the place of something else.
fn changed(file: &str, from: &str, to: &str) -> String {
    assert!(file.contains(from), "{from}");
    format!("{}\n{}", to.trim(), indented(&said_about(&file.replacen(from, to, 1), &[])))
}

#[test]
fn satellites_that_cannot_be() {
    let iridium = "constellation = \"iridium\"";
    insta::assert_snapshot!(
        [
            changed(LEO, "\"iridium\"", "\"iridum\""),
            changed(LEO, "\"iridium\"", "\"86.4:66/7/2\"\naltitude = \"780 km\""),
            changed(LEO, "\"iridium\"", "\"86.4:66/6/2\""),
            changed(LEO, "\"iridium\"", "\"86.4:66/6/2\"\naltitude = \"20 km\""),
            changed(LEO, iridium, "constellation = \"iridium\"\ngeostationary = \"95 W\""),
            changed(LEO, iridium, ""),
            changed(LEO, iridium, "constellation = \"iridium\"\naltitude = \"780 km\""),
            changed(GEO, "95 W", "95 N"),
            changed(GEO, "95 W", "400 E"),
            changed(LEO, iridium, "constellation = \"iridium\"\nhandover = \"max-elevation\"\nhysteresis = \"5 s\""),
            changed(LEO, iridium, "elements = \"missing.tle\""),
            changed(LEO, iridium, "plan = \"missing\""),
            changed(LEO, iridium, "constellation = \"iridium\"\nisl = \"none\"\n[place.x]\nat = \"0 N 0 E\""),
            changed(LEO, iridium, "constellation = \"iridium\"\ncheck_interval = \"1 ms\""),
        ]
        .join("\n")
    );
}

#[test]
fn places_that_cannot_be() {
    let berkeley = "berkeley = \"37.9 N 122.3 W\"";
    insta::assert_snapshot!(
        [
            changed(LEO, "37.9 N", "97.9 N"),
            changed(LEO, "122.3 W", "422.3 W"),
            changed(LEO, berkeley, "berkeley = \"California\""),
            changed(LEO, berkeley, "berkeley = { height = \"10 m\" }"),
            changed(LEO, berkeley, ""),
            changed(LEO, "from = \"berkeley\"", "from = \"berkley\""),
            changed(LEO, berkeley, "sky = \"37.9 N 122.3 W\""),
            changed(LEO, "[place]", "[node]\nboston.kind = \"switch\"\n[place]"),
            changed(LEO, "[place]", "[node]\n\"3.4\".kind = \"switch\"\n[place]"),
            changed(GEO, "[place]", "[place]\nthird = \"40 N 90 W\""),
            changed(
                LEO,
                berkeley,
                "berkeley = { at = \"37.9 N 122.3 W\", errors = { model = \"uniform\", rate = 0.1, direction = \"a->b\" } }"
            ),
            changed(LEO, "[satellites]\nconstellation = \"iridium\"\nearth = \"ns2\"", ""),
        ]
        .join("\n")
    );
}

#[test]
fn networks_that_satellites_do_not_go_with() {
    insta::assert_snapshot!(
        [
            changed(LEO, "[satellites]", "[network]\ntechnology = \"atm\"\n[satellites]"),
            changed(LEO, "[satellites]", "[network]\ntopology = \"dumbbell\"\n[satellites]"),
            changed(
                LEO,
                "to = \"boston\"\n",
                "to = \"boston\"\nroute_changes = [{ at = \"2 s\", route = [\"berkeley\", \"boston\"] }]\n"
            ),
        ]
        .join("\n")
    );
}

#[test]
fn elements_say_which_satellite_has_decayed() {
    let file = LEO.replace("constellation = \"iridium\"", "elements = \"a.tle\"\nepoch = \"2016-06-25T00:00:00\"");
    let files = Memory::new().with("test.toml", file.as_str()).with("a.tle", FALLING);
    insta::assert_snapshot!(said_about_files(&files, &[]));
    let file = file.replace("2016-06-25T00:00:00", "yesterday");
    insta::assert_snapshot!(said_about_files(&files.clone().with("test.toml", file.as_str()), &[]));
}

#[test]
fn another_file_than_the_one_that_was_meant_is_refused() {
    let file = LEO.replace("constellation = \"iridium\"", "elements = \"a.tle\"");
    let files = |elements: &str| Memory::new().with("test.toml", file.as_str()).with("a.tle", elements);
    let loaded = load(&files(FALLING), "test.toml", &[]).unwrap();
    let digest = loaded.resolved.lines().find(|line| line.starts_with("digest")).unwrap().to_owned();
    let with_digest = file.replace("[place]", &format!("{digest}\n[place]"));
    let said = |elements| said_about_files(&files(elements).with("test.toml", with_digest.as_str()), &[]);
    assert!(!said(FALLING).contains("error"), "{}", said(FALLING));
    assert!(said(&FALLING.replace("FALLING", "OTHER")).contains("error: the file has another digest"));
}

const PACIFIC: &str = r#"
duration = "300 s"
[satellites]
constellation = "53:1584/72/39"
altitude = "550 km"
mask = "25 deg"
[place]
sydney = "33.9 S 151.2 E"
tokyo = "35.7 N 139.7 E"
[flow.f]
from = "tokyo"
to = "sydney"
"#;

/// The shortest path over any two satellites takes 30.2 to 31.4 ms; a hysteresis of 1 ms and checks every 10 s are added.
#[test]
fn both_ends_choose_the_shortest_path_together_and_their_names_decide_nothing() {
    let delays = |file: &str, sydney: &str| {
        let plan = loaded(file, &[]).contacts.unwrap();
        let (from, to) = (plan.named("tokyo").unwrap(), plan.named(sydney).unwrap());
        (0..300).map(|second| plan.delay(from, to, Time::ZERO + Span::from_secs(second)).unwrap()).collect::<Vec<_>>()
    };
    let found = delays(PACIFIC, "sydney");
    let longest = found.iter().max().unwrap();
    assert!(*longest < Span::from_us(31_700), "{longest}");
    assert_eq!(delays(&PACIFIC.replace("sydney", "zsydney"), "zsydney"), found);
}

/// Satellites of a turn of 4.8 h: one is seen for more than an hour.
#[test]
fn the_satellite_that_is_seen_longest_is_so_beyond_an_hour() {
    let file = PACIFIC
        .replace("53:1584/72/39", "0:8/1/0")
        .replace("550 km", "8062 km\"\nhandover = \"max-remaining-time\"\nisl = \"in-plane")
        .replace("25 deg", "10 deg")
        .replace("300 s", "4 h")
        .replace("33.9 S 151.2 E", "0 N 0 E")
        .replace("35.7 N 139.7 E", "0 N 90 E");
    let plan = loaded(&file, &[]).contacts.unwrap();
    let place = plan.named("sydney").unwrap();
    let events: Vec<_> = plan.events.iter().filter(|event| event.node == place).collect();
    assert!(events.len() > 2, "{events:?}");
    for event in events {
        let seen = |contact: &&ackclock_sat::plan::Contact| {
            contact.b == place && contact.from <= event.time && event.time < contact.to
        };
        let last = plan.contacts.iter().filter(seen).max_by_key(|contact| contact.to).unwrap();
        assert_eq!(event.after, Some(last.a), "at {:?}", event.time);
    }
}
