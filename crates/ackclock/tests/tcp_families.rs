//! Every congestion control on both engines, on packets and on cells; and one from outside.

mod lab;

use ackclock::record::Records;
use ackclock::scenario::Scenario;
use ackclock::tcp::cc::{self, Ack, CongestionControl, CustomCongestionControl, Loss, Needs, Window};
use ackclock::tcp::{CongestionControlParams, TcpParams};
use lab::agree::assert_engines_agree;

/// Three connections through one queue that is too short for them.
const NETWORKS: [(&str, &str); 2] = [
    (
        "packets",
        "duration = \"4 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 3\n\
         access_rate = \"100 Mbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"3 Mbps\"\nbottleneck_delay = \"9 ms\"\n\
         [queue]\nbuffer = \"6 packets\"\n[tcp]\ndialect = \"standard\"\nmin_rto = \"200 ms\"\n",
    ),
    (
        "cells",
        "duration = \"1 s\"\n[network]\ntopology = \"n-source\"\nsources = 3\nrate = \"25 Mbps\"\naccess_delay = \"5 us\"\n\
         trunk_delay = \"2 ms\"\n[queue]\nbuffer = \"150 cells\"\npolicy = \"epd\"\n[tcp]\nrecovery = \"rack\"\n\
         initial_rto = \"300 ms\"\n",
    ),
];

/// Runs the network with these parameters at every flow, on both engines.
fn agree(name: &str, text: &str, change: impl Fn(&mut TcpParams)) -> (Scenario, Records) {
    let mut scenario = lab::scenario(text, &[]);
    for flow in scenario.flows.iter_mut() {
        change(&mut flow.tcp);
    }
    let records = assert_engines_agree(name, &scenario, 7);
    let lost: u64 = records.ports.iter().map(|port| port.drops.total()).sum();
    let sent_again: u64 = records.flows.iter().map(|flow| flow.retransmissions).sum();
    assert!(records.flows.iter().all(|flow| flow.bytes_delivered > 20_000), "{name}: {records:#?}");
    assert!(lost > 0 && sent_again > 0, "{name}: nothing is lost");
    (scenario, records)
}

#[test]
fn every_congestion_control_on_both_engines() {
    for (network, text) in NETWORKS {
        for algorithm in cc::ALL {
            let name = format!("{} on {network}", algorithm.name);
            agree(&name, text, |tcp| {
                tcp.congestion_control = algorithm.with_defaults();
                // Enough to lose something by slow start, which Vegas does not by itself.
                tcp.initial_window_segments = 10;
            });
        }
    }
}

/// A window that grows by half a segment per acknowledgement, and starts over at every loss.
struct Halves;

impl CongestionControl for Halves {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        window.cwnd = (window.cwnd + ack.mss / 2.0).min(ack.limit);
    }

    fn on_congestion(&mut self, loss: &Loss, window: &mut Window) {
        window.ssthresh = 2.0 * loss.mss;
    }

    fn on_rto(&mut self, loss: &Loss, window: &mut Window) {
        (window.ssthresh, window.cwnd) = (2.0 * loss.mss, loss.mss);
    }
}

#[test]
fn a_congestion_control_from_outside_on_both_engines() {
    let custom = || CongestionControlParams::Custom(CustomCongestionControl::new(Needs::NOTHING, |_| Box::new(Halves)));
    for (network, text) in NETWORKS {
        let (_, halves) = agree(&format!("custom on {network}"), text, |tcp| tcp.congestion_control = custom());
        let (scenario, reno) = agree(&format!("reno on {network}"), text, |_| {});
        assert_ne!(halves.fingerprint, reno.fingerprint, "{network}: it makes no difference");
        assert_eq!(scenario.flows.iter().next().unwrap().tcp.congestion_control.name(), "reno");
    }
    assert_eq!(custom().name(), cc::CUSTOM);
    assert!(custom().is_random(), "what is not known counts as random");
}
