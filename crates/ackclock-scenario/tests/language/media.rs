//! Media that links share: which links are on one, what they are then, and what is said about wrong ones.

use crate::good::{link, loaded};
use crate::render::{indented, said_about};
use crate::roundtrip;
use ackclock::units::Span;

/// A host behind each of three switches, of which two share links to the third by a medium.
const CHANNEL: &str = r#"
duration = "10 s"
[network]
technology = "packet"
topology = "graph"
[node]
base.kind = "switch"
st1.kind = "switch"
st2.kind = "switch"
a.kind = "host"
b.kind = "host"
c.kind = "host"
[link]
wa = { ends = ["a", "base"], rate = "100 Mbps", delay = "1 ms" }
wb = { ends = ["b", "st1"], rate = "100 Mbps", delay = "1 ms" }
wc = { ends = ["c", "st2"], rate = "100 Mbps", delay = "1 ms" }
[flow]
f = { from = "a", to = "b" }
g = { from = "c", to = "a" }
"#;
const ON_MEDIUM: &str = r#"
[medium.channel]
rate = "6 Mbps"
overhead = "100 us"
[link.air1]
ends = ["base", "st1"]
medium = "channel"
delay = "1 us"
[link.air2]
ends = ["base", "st2"]
medium = "channel"
delay = "2 us"
"#;

/// Both are two links that share a medium.
fn channel(more: &str) -> String {
    format!("{CHANNEL}{ON_MEDIUM}{more}")
}

#[test]
fn links_on_a_medium_have_its_rate_and_a_delay_of_their_own() {
    let loaded = loaded(&channel(""), &[]);
    assert_eq!(loaded.warnings, []);
    for (name, us) in [("base->st1", 1), ("st1->base", 1), ("base->st2", 2), ("st2->base", 2)] {
        let link = link(&loaded.scenario, name);
        let medium = link.medium.as_ref().expect("it is on the medium");
        assert_eq!((&*medium.name, medium.overhead), ("channel", Span::from_us(100)));
        assert_eq!((link.rate, link.delay), (medium.rate, Span::from_us(us)));
        assert_eq!(link.rate.as_bps(), 6_000_000);
    }
    assert_eq!(loaded.scenario.links.iter().filter(|link| link.medium.is_some()).count(), 4);
    roundtrip::check_loaded(&loaded);
}

#[test]
fn the_most_special_table_with_a_medium_or_a_rate_decides() {
    let of = |more: &str, name: &str| {
        let loaded = loaded(&channel(more), &[]);
        assert_eq!(loaded.warnings, [], "{more}");
        let link = link(&loaded.scenario, name);
        (link.medium.as_ref().map(|medium| medium.name.clone()), link.rate.as_bps() / 1_000_000)
    };
    let own = "[link.\"st1->base\"]\nrate = \"2 Mbps\"\n";
    assert_eq!(of(own, "st1->base"), (None, 2));
    assert_eq!(of(own, "base->st1"), (Some("channel".to_owned()), 6));
    let pattern = "[link.\"st*->base\"]\nrate = \"2 Mbps\"\n[link.\"st1->base\"]\nmedium = \"channel\"\n";
    assert_eq!((of(pattern, "st1->base").1, of(pattern, "st2->base").1), (6, 2));
    let delays = "[link.\"st1->base\"]\ndelay = \"9 ms\"\n";
    assert_eq!(of(delays, "st1->base"), (Some("channel".to_owned()), 6));
    // A link of a host whose host has a rate of its own.
    let of_host = channel("[link.\"b->st1\"]\nrate = \"100 Mbps\"\n").replace(
        "wb = { ends = [\"b\", \"st1\"], rate = \"100 Mbps\"",
        "wb = { ends = [\"b\", \"st1\"], medium = \"channel\"",
    );
    assert_eq!(loaded_link(&of_host, "b->st1"), (false, 100_000_000));
    assert_eq!(loaded_link(&of_host, "st1->b"), (true, 6_000_000));
    // Of a link with wires one direction; and of a topology.
    let other = "[medium.other]\nrate = \"3 Mbps\"\n[link.\"base->st1\"]\nmedium = \"other\"\n";
    assert_eq!(of(other, "base->st1"), (Some("other".to_owned()), 3));
    let dumbbell = "duration = \"1 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 2\n\
                    access_rate = \"100 Mbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"10 Mbps\"\n\
                    bottleneck_delay = \"20 ms\"\n[medium.half]\nrate = \"5 Mbps\"\n\
                    [link.trunk]\nends = [\"sw1\", \"sw2\"]\nmedium = \"half\"\n";
    let trunk = loaded_link(dumbbell, "sw2->sw1");
    assert_eq!(trunk, (true, 5_000_000));
}

fn loaded_link(file: &str, name: &str) -> (bool, u64) {
    let loaded = loaded(file, &[]);
    let link = link(&loaded.scenario, name);
    (link.medium.is_some(), link.rate.as_bps())
}

#[test]
fn media_that_cannot_be() {
    let mut said = String::new();
    for more in [
        "[medium.other]\nrate = \"1 Mbps\"",
        "[medium.other]\noverhead = \"2 s\"",
        "[link.\"st1->base\"]\nmedium = \"chanel\"",
        "[link.\"st1->base\"]\nmedium = \"something else\"",
        "[link.\"st1->base\"]\nmedium = \"channel\"\nrate = \"1 Mbps\"",
        "[link.\"st1->base\"]\nmedium = 3",
        "[link.\"b->st1\"]\nmedium = \"channel\"",
        "[link.\"st1->b\"]\nmedium = \"channel\"",
        "[link.\"*->st1\"]\nmedium = \"channel\"",
        "[link.\"st1->base\"]\noutages = [{ from = \"1 s\", until = \"2 s\" }]",
        "[queue]\nrate_algorithm = \"simplified-erica-plus\"\ntcp_feedback = \"window\"",
        "[flow.h]\nfrom = \"c\"\nto = \"a\"\nroute_changes = [{ at = \"5 s\", route = [\"c\", \"st2\", \"base\", \"a\"] }]",
    ] {
        said.push_str(&format!("{more}\n{}", indented(&said_about(&channel(more), &[]))));
    }
    let sources = "duration = \"1 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"n-source\"\nsources = 2\n\
                   rate = \"10 Mbps\"\naccess_delay = \"5 ms\"\ntrunk_delay = \"5 ms\"\n[medium.m]\nrate = \"6 Mbps\"\n";
    for (what, file) in [
        ("a pattern that fits a switch first", format!("{sources}[link.\"*->sw1\"]\nmedium = \"m\"\n")),
        ("neither a rate nor a medium", channel("").replacen("medium = \"channel\"\n", "", 1)),
        (
            "a host",
            channel("").replace(
                "wb = { ends = [\"b\", \"st1\"], rate = \"100 Mbps\"",
                "wb = { ends = [\"b\", \"st1\"], medium = \"channel\"",
            ),
        ),
        ("cells", channel("").replace("\"packet\"", "\"atm\"")),
        ("no medium", channel("").replace("[medium.channel]\nrate = \"6 Mbps\"\noverhead = \"100 us\"\n", "")),
    ] {
        said.push_str(&format!("{what}\n{}", indented(&said_about(&file, &[]))));
    }
    insta::assert_snapshot!(said);
}
