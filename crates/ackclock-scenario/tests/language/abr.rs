//! Flows of the service ABR, and ports that compute rates: what is said about wrong ones, and what the right ones become.

use crate::good::loaded;
use crate::render::{indented, said_about};
use ackclock::atm::{AbrParams, RmRates};
use ackclock::scenario::{Flow, ServiceCategory};
use ackclock::units::Span;

/// Two ABR flows over 150 Mb/s and 6 ms there and back.
const ABR: &str = r#"
duration = "1 s"
[network]
topology = "n-source"
sources = 2
rate = "150 Mbps"
access_delay = "1 ms"
trunk_delay = "1 ms"
[queue]
rate_algorithm = "erica"
[atm]
service = "abr"
"#;

/// What is said about each `--set` argument, or several at once separated by `;`.
fn sets(sets: &[&str]) -> String {
    let said = |set: &&str| {
        let given: Vec<&str> = set.split("; ").collect();
        format!("--set {set}\n{}", indented(&said_about(ABR, &given)))
    };
    sets.iter().map(said).collect::<Vec<_>>().join("\n")
}

fn params(flow: &Flow) -> AbrParams {
    match &flow.service {
        ServiceCategory::Abr(params) => **params,
        ServiceCategory::Ubr { .. } => panic!("{} is not ABR", flow.name),
    }
}

#[test]
fn parameters_outside_tm4() {
    insta::assert_snapshot!(sets(&[
        "abr.rif=0.3",
        "abr.rif=1/3",
        "abr.rif=1/65536",
        "abr.rif=2",
        "abr.rif=-1",
        "abr.rif=1/0",
        "abr.rdf=3/2",
        "abr.rdf=0",
        "abr.nrm=33 cells",
        "abr.nrm=512 cells",
        "abr.nrm=32",
        "abr.trm=200 ms",
        "abr.adtf=15 ms",
        "abr.cdf=1/128",
        "abr.tbe=16777216 cells",
        "abr.frtt=17 s",
        "network.trunk_delay=9 s",
        "abr.icr=151 Mbps",
        "abr.mcr=10 Mbps; abr.icr=9 Mbps",
        "abr.mcr=151 Mbps",
        "atm.pcr=25 Mbps; abr.mcr=30 Mbps",
        "flow.f2.abr.mcr=200 Mbps",
        "abr.mcr=80 Mbps",
        "flow.f1.abr.mcr=100 Mbps; flow.f2.abr.mcr=51 Mbps",
        "atm.pcr=151 Mbps",
    ]));
}

#[test]
fn ports_that_cannot_compute_rates() {
    insta::assert_snapshot!(sets(&[
        "queue.erica.averaging_interval=2 us",
        "queue.rate_algorithm=capc; queue.capc.averaging_interval=1 us",
        "queue.rate_algorithm=erika",
        "queue.rate_algorithm=capc; queue.capc.eru=0.5",
        "queue.efci.threshold=100 cells",
        "queue.rate_algorithm=efci; queue.efci.threshold=0.5",
        "port.sw1->sw2.rate_algorithm=none; port.sw1->sw2.capc.rup=0.5",
        "queue.rate_algorithm=none",
        "atm.service=ubr",
        "atm.service=ubr; queue.rate_algorithm=none; abr.rif=1",
        "flow.f1.service=ubr; flow.f1.abr.rif=1",
        "queue.erica.beta=1",
        "abr.pcr=1 Mbps",
        "abr.rifs=1",
        "atm.service=cbr",
        "flow.abr.rif=1",
    ]));
}

/// ABR belongs to ATM networks, and its RM cells return through the ports that they came through.
#[test]
fn networks_that_carry_no_rm_cells() {
    let packet = r#"
duration = "1 s"
[network]
technology = "packet"
topology = "n-source"
sources = 2
rate = "150 Mbps"
access_delay = "1 ms"
trunk_delay = "1 ms"
"#;
    let ring = r#"
duration = "1 s"
network = { topology = "graph" }
queue = { rate_algorithm = "erica" }
atm = { service = "abr" }
node = { s = { kind = "host" }, d = { kind = "host" }, a = { kind = "switch" }, b = { kind = "switch" }, c = { kind = "switch" } }
[link]
sa = { ends = ["s", "a"], rate = "150 Mbps", delay = "1 ms" }
ab = { ends = ["a", "b"], rate = "150 Mbps", delay = "1 ms" }
ac = { ends = ["a", "c"], rate = "150 Mbps", delay = "1 ms" }
cb = { ends = ["c", "b"], rate = "150 Mbps", delay = "1 ms" }
bd = { ends = ["b", "d"], rate = "150 Mbps", delay = "1 ms" }
[flow.f]
from = "s"
to = "d"
"#;
    let back = "\nback_route = [\"d\", \"b\", \"c\", \"a\", \"s\"]\n";
    let through_c = "\nroute = [\"s\", \"a\", \"c\", \"b\", \"d\"]\n";
    let said = [
        said_about(&format!("{packet}[atm]\nservice = \"abr\"\n"), &[]),
        said_about(&format!("{packet}[abr]\nrif = 1\n[flow.f1]\nservice = \"abr\"\nabr = {{ rif = 1 }}\n"), &[]),
        said_about(&format!("{packet}[queue]\nrate_algorithm = \"erica\"\n"), &[]),
        said_about(&format!("{ring}{back}"), &[]),
        // Reversed without a word, although there is a shorter way back.
        said_about(&format!("{ring}{through_c}"), &[]),
        said_about(&format!("{ring}{through_c}{back}"), &[]),
    ];
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn keys_become_parameters_in_cells_per_second() {
    let text = format!(
        "{ABR}[abr]\nmcr = \"424 kbps\"\nicr = \"848 kbps\"\nrif = \"1/512\"\ntbe = \"512 cells\"\n\
         [flow.f2]\npcr = \"25 Mbps\"\nabr = {{ nrm = \"64 cells\", frtt = \"1 ms\", rm_rates = \"tm4\" }}\n"
    );
    let loaded = loaded(&text, &[]);
    let flows: Vec<&Flow> = loaded.scenario.flows.iter().collect();
    let first = AbrParams {
        mcr: 1000.0,
        icr: 2000.0,
        rif: 1.0 / 512.0,
        tbe: 512,
        ..AbrParams::new(150e6 / 424.0, Span::from_ms(6))
    };
    assert_eq!(params(flows[0]), first);
    let pcr = 25e6 / 424.0;
    let frtt = Span::from_ms(1);
    assert_eq!(params(flows[1]), AbrParams { pcr, nrm: 64, frtt, rm_rates: RmRates::Tm4, ..first });
    for table in ["[abr]\nmcr = \"424 kbps\"", "[flow.f2.abr]\nnrm = \"64 cells\"", "rif = 0.001953125"] {
        assert!(loaded.resolved.contains(table), "{table}:\n{}", loaded.resolved);
    }
    crate::roundtrip::check_loaded(&loaded);
}

/// A flow of UBR has no table of ABR, and its file none either.
#[test]
fn a_file_without_abr_shows_no_parameters_of_it() {
    let loaded = loaded(crate::roundtrip::BASE, &[]);
    assert!(loaded.resolved.contains("service = \"ubr\"") && loaded.resolved.contains("rate_algorithm = \"none\""));
    assert!(!loaded.resolved.contains("[abr]") && !loaded.resolved.contains("[queue.e"), "{}", loaded.resolved);
}
