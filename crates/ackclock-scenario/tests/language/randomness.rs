//! Whether the seed makes a difference: what `sim::has_randomness` says against two runs, for every word and every
//! switch of the JSON Schema, so that none can be forgotten here.

use ackclock::keys::Default;
use ackclock::link::errors;
use ackclock::sim;
use ackclock::units::Time;
use ackclock_scenario::{Loaded, Memory, json_schema, load};
use serde_json::Value;

/// Networks in which nothing is random. A retransmission is lost, so that timers expire; queues of packets stand, so that every
/// policy drops.
const BASES: [&str; 7] = [
    r#"
duration = "3 s"
network = { topology = "n-source", sources = 2, rate = "2 Mbps", access_delay = "1 ms", trunk_delay = "5 ms" }
queue = { buffer = "200 cells", policy = "epd", service_order = "fixed" }
[flow]
f1 = { drops = [20, { segment = 20, transmission = 2 }] }
[udp]
u = { from = "s1", to = "d1", rate = "100 kbps" }
"#,
    r#"
duration = "3 s"
tcp.dialect = "osu"
[network]
technology = "packet"
topology = "dumbbell"
sources = 2
access_rate = "20 Mbps"
access_delay = "1 ms"
bottleneck_rate = "2 Mbps"
bottleneck_delay = "5 ms"
[queue]
buffer = "100 packets"
[flow]
f1 = { drops = [20, { segment = 20, transmission = 2 }] }
[udp]
u = { from = "s1", to = "d1", rate = "100 kbps" }
"#,
    r#"
duration = "3 s"
tcp.dialect = "osu"
network = { technology = "packet", topology = "graph" }
queue = { buffer = "100 packets" }
bottleneck = "sw1->sw2"
[node]
s1.kind = "host"
d1.kind = "host"
sw1.kind = "switch"
sw2.kind = "switch"
[link]
a = { ends = ["s1", "sw1"], rate = "20 Mbps", delay = "1 ms" }
[link.b]
ends = ["sw1", "sw2"]
rate = "2 Mbps"
delay = ["5 ms", { at = "1 s", delay = "7 ms" }]
outages = [{ from = "1200 ms", until = "1250 ms" }]
[link.c]
ends = ["sw2", "d1"]
rate = "20 Mbps"
delay = "1 ms"
[flow]
f1 = { from = "s1", to = "d1", drops = [20, { segment = 20, transmission = 2 }] }
"#,
    r#"
duration = "3 s"
satellites = { elements = "station.tle" }
[place.marrakesh]
at = "31.6 N, 8.0 W"
[place.casablanca]
at = "33.6 N, 7.6 W"
[flow]
f1 = { from = "marrakesh", to = "casablanca" }
"#,
    r#"
duration = "500 ms"
[network]
topology = "gfc-1"
rate = "1.5 Mbps"
access_rate = "2 Mbps"
access_delay = "1 ms"
trunk_delay = "1 ms"
[queue]
buffer = "100 cells"
service_order = "fixed"
"#,
    r#"
duration = "1 s"
network = { topology = "n-by-n", rate = "4 Mbps", access_delay = "10 us", trunk_delay = "1 ms" }
queue = { buffer = "100 cells", service_order = "fixed" }
"#,
    r#"
duration = "1 s"
network = { topology = "star", sources = 3, rate = "4 Mbps", access_delay = "1 ms" }
queue = { buffer = "100 cells", service_order = "fixed" }
"#,
];

/// More of them, of satellites.
const OF_SATELLITES: [&str; 3] = [
    r#"satellites = { constellation = "iridium" }"#,
    r#"satellites = { constellation = "53:72/6/2", altitude = "780 km" }"#,
    r#"satellites = { geostationary = "10 E" }"#,
];

fn bases() -> impl Iterator<Item = String> {
    let places = r#"
[place.berlin]
at = "52.5 N, 13.4 E"
[place.oslo]
at = "59.9 N, 10.8 E"
[flow]
f1 = { from = "berlin", to = "oslo" }
"#;
    let of_satellites = OF_SATELLITES.map(|satellites| format!("duration = \"3 s\"\n{satellites}{places}"));
    BASES.map(str::to_owned).into_iter().chain(of_satellites)
}

/// The elements of a base: at its epoch the space station is above Morocco.
const STATION: &str = "1 25544U 98067A   26325.50000000  .00014206  00000+0  25493-3 0  9991\n\
    2 25544  51.6413  81.8570 0005396  18.1967 120.0030 15.50160974398246\n";

/// What goes with words that mean nothing by themselves; the first with which a word loads is taken.
const COMPANIONS: [&[&str]; 27] = [
    // Of Vegas-A only: throughputs count as equal, and what follows from that is drawn.
    &["tcp.vegas-a.th_tolerance=1", "tcp.vegas-a.tie_up_probability=0.5"],
    &[],
    &["tcp.recovery=vegas", "tcp.congestion_control=vegas-a", "tcp.vegas-a.tie_up_probability=0"],
    &[
        "tcp.recovery=vegas",
        "tcp.congestion_control=vegas-a",
        "tcp.vegas-a.tie_up_probability=0",
        "tcp.vegas-a.coupling=independent",
    ],
    &["tcp.recovery=vegas", "tcp.congestion_control=vegas-plus"],
    &["tcp.recovery=vegas-1995", "tcp.congestion_control=vegas-1995"],
    &["tcp.congestion_control=vegas"],
    &["tcp.congestion_control=cubic"],
    &["tcp.recovery=fall-floyd"],
    &["tcp.recovery=rfc6675"],
    &["tcp.recovery=rfc6675", "tcp.sack_option=offset-1"],
    &["tcp.timestamps=true"],
    &["tcp.timer=rfc6298"],
    &["tcp.timer_per=segment"],
    &["queue.policy=red"],
    &["tcp.ecn=classic"],
    &["tcp.restart_after_idle=true"],
    &["queue.policy=red", "queue.red.ecn=true"],
    &["queue.policy=red", "queue.red.ecn=true", "tcp.ecn=classic"],
    &["traffic.write=2 segments"],
    &["traffic.application=on-off"],
    &["arrivals.web={ from = \"s1\", to = \"d1\", interval = \"1 s\", size = \"3 kB\" }"],
    &["network.switches=3"],
    &["network.cross_sources=1"],
    &["atm.service=abr"],
    &["atm.service=abr", "queue.rate_algorithm=efci"],
    &["queue.rate_algorithm=max-min", "port.sw1->sw2.tcp_feedback=window"],
];

/// What is no word of the schema's, and random: amounts above zero.
const AMOUNTS: [(&str, bool); 14] = [
    ("traffic.start_jitter=1 ms", true),
    ("traffic.start_jitter=0 s", false),
    ("link.sw1->sw2.jitter=1 ms", true),
    ("link.b.jitter=1 ms", true),
    ("link.sw1->sw2.jitter={ law = \"normal\", mean = \"1 ms\", deviation = \"200 us\" }", true),
    ("link.sw1->sw2.jitter={ law = \"listed\", values = [\"1 ms\", \"2 ms\"] }", false),
    ("link.sw1->sw2.reorder={ probability = 0.2, delay = \"3 ms\" }", true),
    ("udp.u={ from = \"s1\", to = \"d1\", rate = \"1 Mbps\", burst = 3 }", false),
    (
        "udp.u={ from = \"s1\", to = \"d1\", rate = \"1 Mbps\", on = { law = \"exponential\", mean = \"9 ms\" }, off = \"3 ms\" }",
        true,
    ),
    ("link.sw1->sw2.duplicate=0.2", true),
    ("link.sw1->sw2.duplicate=1", false),
    ("link.sw1->sw2.reorder={ probability = 1, delay = \"3 ms\" }", false),
    ("traffic.on-off.on={ law = \"uniform\", least = \"100 ms\", most = \"900 ms\" }", true),
    ("tcp.tick_phase=3 ms", false),
];

#[test]
fn the_seed_makes_a_difference_where_it_is_said_to() {
    let (mut random, mut refused, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for set in words().into_iter().chain(AMOUNTS.map(|(set, _)| set.to_owned())) {
        let mut loads = 0;
        for base in bases().filter(|base| is_tried(base, &set)) {
            let Some((loaded, sets)) = COMPANIONS.iter().find_map(|companions| loaded(&base, companions, &set)) else {
                continue;
            };
            loads += 1;
            let said = sim::has_randomness(&loaded.scenario);
            // With two queues two connections share one under every second seed.
            let seeds = if set.contains("flows = 2") { 2..=9 } else { 2..=2 };
            let first = fingerprint(&loaded, 1);
            let differ = seeds.into_iter().any(|seed| fingerprint(&loaded, seed) != first);
            if said != differ {
                wrong.push(format!(
                    "said to depend on the seed: {said}; two seeds differ: {differ}; {sets:?} of {base}"
                ));
            }
            if said && !random.contains(&set) {
                random.push(set.clone());
            }
        }
        if loads == 0 {
            refused.push(set);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused.is_empty(), "say in BASES or COMPANIONS with what these load: {refused:#?}");
    for (set, is_random) in AMOUNTS {
        assert_eq!(random.iter().any(|random| random == set), is_random, "{set}");
    }
}

/// Satellites take long to load: only their own words are tried with them.
fn is_tried(base: &str, set: &str) -> bool {
    !base.contains("[place") || set.starts_with("satellites.") || set.starts_with("place.")
}

/// A base with companions and a setting, if nothing is wrong or without effect then.
fn loaded(base: &str, companions: &[&str], set: &str) -> Option<(Loaded, Vec<String>)> {
    let files = Memory::new().with("base.toml", base).with("station.tle", STATION);
    let sets: Vec<String> = companions.iter().chain([&set]).map(|set| (*set).to_owned()).collect();
    let loaded = load(&files, "base.toml", &sets).ok()?;
    loaded.warnings.is_empty().then_some((loaded, sets))
}

fn fingerprint(loaded: &Loaded, seed: u64) -> u64 {
    let mut simulation = sim::build(&loaded.scenario, seed);
    simulation.step(Time::NEVER);
    simulation.finish().fingerprint
}

/// Every word and switch of the schema as a setting of one of the bases.
fn words() -> Vec<String> {
    let schema = json_schema();
    let mut sets = Vec::new();
    for (section, table) in schema["properties"].as_object().unwrap() {
        let named = &table["additionalProperties"];
        let keys = [&table["properties"], &named["properties"], &named["anyOf"][1]["properties"]];
        let Some(keys) = keys.into_iter().find_map(Value::as_object) else {
            sets.extend(literals(table).into_iter().map(|literal| format!("{section}={literal}")));
            continue;
        };
        let prefixes: &[&str] = match section.as_str() {
            "link" => &["link.sw1->sw2", "link.b"],
            "port" => &["port.sw1->sw2"],
            "flow" => &["flow.f1"],
            "udp" => &["udp.u"],
            "arrivals" => &["arrivals.web"],
            "node" => &["node.sw1", "node.d1"],
            "place" => &["place.berlin"],
            other => &[other],
        };
        for (key, property) in keys {
            let prefixes = prefixes.iter();
            if key == "errors" {
                let all = prefixes.flat_map(|prefix| error_models(property).into_iter().map(move |set| (prefix, set)));
                sets.extend(all.map(|(prefix, errors)| format!("{prefix}.errors={errors}")));
            } else if key == "reorder" {
                // No mechanism, but amounts: see AMOUNTS.
            } else if let Some(parameters) = property["properties"].as_object().filter(|_| section != "flow") {
                // The table of a mechanism, which matters with that one.
                let is_chosen_by = |chooses: &&str| {
                    keys.get(*chooses).is_some_and(|words| literals(words).contains(&format!("{key:?}")))
                };
                let chooses = ["congestion_control", "recovery", "host", "policy", "rate_algorithm", "application"]
                    .into_iter()
                    .find(is_chosen_by);
                let chooses = chooses.expect("some key chooses each mechanism");
                let words = parameters.iter().flat_map(|(name, property)| {
                    literals(property).into_iter().map(move |word| format!("{key} = {{ {name} = {word} }}"))
                });
                let all = words.flat_map(|table| prefixes.clone().map(move |prefix| (prefix, table.clone())));
                sets.extend(all.map(|(prefix, table)| format!("{prefix}={{ {chooses} = {key:?}, {table} }}")));
            } else {
                let all = prefixes.flat_map(|prefix| literals(property).into_iter().map(move |word| (prefix, word)));
                sets.extend(all.map(|(prefix, word)| format!("{prefix}.{key}={word}")));
            }
        }
    }
    // Of many queues two connections hardly ever share one.
    for set in &mut sets {
        for name in ["fq-codel", "drr"] {
            if let Some(section) = set.strip_suffix(&format!(".policy={name:?}")) {
                *set = format!("{section}={{ policy = {name:?}, {name} = {{ flows = 2 }} }}");
            } else {
                *set = set.replace(&format!("{name} = {{ "), &format!("{name} = {{ flows = 2, "));
            }
        }
    }
    // Where everything is refused matters to a queue that marks.
    for set in sets.iter_mut().filter(|set| set.contains("ecn_above_max")) {
        *set = set.replace("red = { ", "red = { ecn = true, ");
    }
    // BLUE draws once packets have had no room.
    for set in sets.iter_mut().filter(|set| set.contains("blue")) {
        *set = match set.strip_suffix(".policy=\"blue\"") {
            Some(section) => format!("{section}={{ policy = \"blue\", buffer = \"3 packets\" }}"),
            None => set.replace("policy = \"blue\"", "policy = \"blue\", buffer = \"3 packets\""),
        };
    }
    // Times on and off are much shorter than the runs, which show their differences then.
    for set in sets.iter_mut().filter(|set| set.contains("on-off")) {
        let short = "rate = \"1 Mbps\", on = \"20 ms\", off = \"20 ms\"";
        *set = match set.strip_suffix(".application=\"on-off\"") {
            Some(section) => format!("{section}={{ application = \"on-off\", on-off = {{ {short} }} }}"),
            None => set.replace("on-off = { ", &format!("on-off = {{ {short}, ")),
        };
    }
    // A host in the middle, or a switch at the end, is another network.
    sets.retain(|set| !["node.sw1.kind=\"host\"", "node.d1.kind=\"switch\""].contains(&set.as_str()));
    assert!(sets.len() > 150, "{}", sets.len());
    sets
}

/// The words of a key, and both positions of a switch, in TOML.
fn literals(property: &Value) -> Vec<String> {
    let spelled = |words: &Value| words.as_array().into_iter().flatten().map(Value::to_string).collect::<Vec<String>>();
    let mut found = spelled(&property["enum"]);
    for alternative in property["anyOf"].as_array().into_iter().flatten() {
        found.extend(spelled(&alternative["enum"]));
    }
    if property["type"] == "boolean" {
        found.extend(["true".to_owned(), "false".to_owned()]);
    }
    found.extend(spelled(&property["items"]["enum"]).into_iter().map(|word| format!("[{word}]")));
    found
}

/// The words of an error model, each among what its model needs.
fn error_models(property: &Value) -> Vec<String> {
    let all = property["anyOf"][0]["properties"].as_object().expect("an error model is a table");
    let mut found = Vec::new();
    for model in errors::ALL {
        let needs = |but: &str| {
            let keys = model.keys.iter().filter_map(|key| match key.default {
                Default::Required(example) if key.name != but => Some(format!(", {} = {example}", key.name)),
                _ => None,
            });
            format!("model = {:?}{}", model.name, keys.collect::<String>())
        };
        found.push(format!("{{ {} }}", needs("")));
        let own = |key: &&String| model.keys.iter().any(|of| of.name == **key);
        for key in all.keys().filter(own) {
            let words = literals(&all[key]).into_iter();
            found.extend(words.map(|word| {
                // One wrong bit in a hundred would let no packet arrive under any seed.
                let needs = if word == "\"bit\"" { needs(key).replace("0.01", "1e-4") } else { needs(key) };
                format!("{{ {needs}, {key} = {word} }}")
            }));
        }
    }
    // What every model has is shown at one of them.
    let is_of_a_model = |name: &str| errors::ALL.iter().any(|model| model.keys.iter().any(|key| key.name == name));
    for (key, property) in all.iter().filter(|(key, _)| *key != "model" && !is_of_a_model(key)) {
        let words = literals(property).into_iter().filter(|word| !word.contains("both"));
        found.extend(words.map(|word| format!("{{ model = \"periodic\", every = 30, {key} = {word} }}")));
    }
    found
}
