//! Drop policies and a rate algorithm from outside, on both engines. Congestion controls and recoveries from outside are in
//! `tcp_families.rs`, error models in `paths.rs`.

use std::sync::Arc;

use crate::lab::agree::assert_engines_agree;
use crate::lab::port;
use ackclock::atm::rate::{CustomRateAlgorithm, RateAlgorithm, RateAllocator};
use ackclock::atm::{AbrParams, cells_per_second};
use ackclock::ids::Id;
use ackclock::packet::RmCell;
use ackclock::queue::cell::{
    self, CellArrival, CellPolicy, CellPolicyParams, CustomCellPolicy, FrameDiscard, FrameRule,
};
use ackclock::queue::packet::{self, CustomDiscipline, Fifo, PacketArrival, PacketPolicy, PacketPolicyParams};
use ackclock::queue::{Buffer, DropReason, PolicyParams, Verdict};
use ackclock::record::{PortRecord, Records};
use ackclock::scenario::{Scenario, ServiceCategory};
use ackclock::units::{Span, Time};

/// Three sources through one port, which has room for everything that they send.
const CELLS: &str = "duration = \"1 s\"\n[network]\ntopology = \"n-source\"\nsources = 3\nrate = \"25 Mbps\"\n\
    access_delay = \"5 us\"\ntrunk_delay = \"2 ms\"\n[queue]\nbuffer = \"100000 cells\"\npolicy = \"tail-drop\"\n\
    [tcp]\nrecovery = \"rack\"\ninitial_rto = \"300 ms\"\n";
const PACKETS: &str = "duration = \"4 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 3\n\
    access_rate = \"100 Mbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"3 Mbps\"\nbottleneck_delay = \"9 ms\"\n\
    [queue]\nbuffer = \"100000 packets\"\n[tcp]\ndialect = \"standard\"\nmin_rto = \"200 ms\"\n";
const BOTTLENECK: &str = "sw1->sw2";

fn with_policy(text: &str, policy: &PolicyParams) -> Scenario {
    let mut scenario = crate::lab::scenario(text, &[]);
    let bottleneck = scenario.links.iter_mut().find(|link| link.name == BOTTLENECK).unwrap();
    Arc::make_mut(&mut bottleneck.queue).policy = policy.clone();
    scenario
}

/// The records of both engines, which agree, with tail drop and with this policy.
fn with_and_without(text: &str, policy: &PolicyParams) -> [Records; 2] {
    [&PolicyParams::TailDrop, policy].map(|policy| assert_engines_agree("from outside", &with_policy(text, policy), 7))
}

fn bottleneck(records: &Records) -> &PortRecord {
    port(records, BOTTLENECK)
}

/// Refuses every hundredth frame, all of its cells, whatever the queue.
#[derive(Clone, Default)]
struct HundredthFrame {
    frames: u64,
    within: Vec<bool>,
}

impl cell::BatchHints for HundredthFrame {}

impl CellPolicy for HundredthFrame {
    fn admit(&mut self, arrival: CellArrival, buffer: &Buffer) -> Verdict {
        let within = &mut self.within[arrival.vc.index()];
        self.frames += u64::from(!*within);
        *within = !arrival.eom;
        match self.frames.is_multiple_of(100) || buffer.is_full() {
            true => Verdict::Drop(DropReason::Policy),
            false => Verdict::Accept,
        }
    }
}

#[test]
fn a_drop_policy_of_cells_from_outside_on_both_engines() {
    let start = |vcs, _| Box::new(HundredthFrame { frames: 0, within: vec![false; vcs] }) as Box<dyn CellPolicy>;
    let custom = CellPolicyParams::Custom(CustomCellPolicy::new("hundredth-frame", start));
    assert_eq!(custom.name(), "hundredth-frame");
    let [without, with] = with_and_without(CELLS, &PolicyParams::Cells(custom));
    assert_eq!(bottleneck(&without).drops.total(), 0, "the buffer is large");
    let dropped = bottleneck(&with).drops;
    assert!(dropped.policy > 10 && dropped.overflow == 0, "{dropped:?}");
    // A frame of 512 octets and its headers is twelve cells; frames of two connections interleave.
    let share = dropped.total() as f64 / bottleneck(&with).arrivals as f64;
    assert!((0.005..0.02).contains(&share), "{share}");
    let sent_again: u64 = with.flows.iter().map(|flow| flow.counts.retransmissions).sum();
    assert!(sent_again > 0, "what is refused is sent again");
}

/// Refuses new frames in the first 5 ms of each 70 ms: the timers of those refused do not expire in such a time again.
struct ByTheClock;

impl FrameRule for ByTheClock {
    fn accept_frame(&mut self, first: CellArrival, _buffer: &Buffer) -> bool {
        first.now.as_ps() % Span::from_ms(70).as_ps() >= Span::from_ms(5).as_ps()
    }

    fn reads_per_vc(&self, _queued: u32) -> bool {
        false
    }
}

/// Both engines ask at the same instants, of networks with TCP over UBR and with ABR connections; and what is refused then is what
/// came then.
#[test]
fn a_drop_policy_of_cells_knows_the_time_on_both_engines() {
    let start = |vcs, _| Box::new(FrameDiscard::new(ByTheClock, &cell::FrameParams::PLAIN, vcs)) as Box<dyn CellPolicy>;
    let custom = CellPolicyParams::Custom(CustomCellPolicy::new("by-the-clock", start));
    let [ubr, abr] = [false, true].map(|is_abr| {
        let mut scenario = with_policy(CELLS, &PolicyParams::Cells(custom.clone()));
        if is_abr {
            with_abr(&mut scenario);
        }
        assert_engines_agree("by the clock", &scenario, 7)
    });
    for records in [&ubr, &abr] {
        let port = bottleneck(records);
        assert!(port.drops.policy > 12 && port.drops.total() == port.drops.policy, "{:?}", port.drops);
        // A fourteenth of the time, less as the senders wait for their timers after it.
        let share = port.drops.policy as f64 / port.arrivals as f64;
        assert!((0.0005..0.1).contains(&share), "{share}");
    }
}

/// Refuses every fiftieth packet as it comes, and every fiftieth when its turn has come.
#[derive(Clone, Default)]
struct Fiftieth {
    came: u64,
    had_turn: u64,
}

impl packet::BatchHints for Fiftieth {}

impl PacketPolicy for Fiftieth {
    fn on_enqueue(&mut self, arrival: &PacketArrival) -> Verdict {
        self.came += 1;
        match self.came.is_multiple_of(50) || arrival.is_full {
            true => Verdict::Drop(DropReason::Policy),
            false => Verdict::Accept,
        }
    }

    fn on_dequeue(&mut self, _now: Time, _waited: Span, _left_bytes: u64) -> Verdict {
        self.had_turn += 1;
        if self.had_turn.is_multiple_of(50) { Verdict::Drop(DropReason::Policy) } else { Verdict::Accept }
    }
}

#[test]
fn a_drop_policy_of_packets_from_outside_on_both_engines() {
    let custom = PacketPolicyParams::Custom(CustomDiscipline::new("fiftieth", |port, _| {
        Box::new(Fifo::new(port, Fiftieth::default()))
    }));
    assert_eq!(custom.name(), "fiftieth");
    assert!(custom.is_random(1), "what is not known counts as random");
    let [without, with] = with_and_without(PACKETS, &PolicyParams::Packets(custom));
    assert_eq!(bottleneck(&without).drops.total(), 0, "the buffer is large");
    let (came, dropped) = (bottleneck(&with).arrivals, bottleneck(&with).drops);
    // Not all wait: fewer have a turn than come.
    assert!((came / 50..=came / 25).contains(&dropped.policy) && dropped.overflow == 0, "{dropped:?} of {came}");
}

/// All connections are ABR connections.
fn with_abr(scenario: &mut Scenario) {
    for flow in scenario.flows.iter_mut() {
        let pcr = cells_per_second(scenario.links[flow.forward.first()].rate);
        flow.service = ServiceCategory::Abr(Box::new(AbrParams { rif: 1.0, ..AbrParams::new(pcr, Span::from_ms(5)) }));
    }
}

/// Gives every connection the same rate, from the first cell on.
#[derive(Clone)]
struct Fixed(f64);

impl RateAllocator for Fixed {
    fn on_cells(&mut self, _now: Option<Time>, _connection: usize, _cells: u64) {}

    fn on_other_cells(&mut self, _now: Option<Time>, _cells: u64) {}

    fn on_interval_end(&mut self, _now: Time, _queued: u64) {}

    fn on_backward_rm(&mut self, _now: Time, _connection: usize, _queued: u64, cell: &mut RmCell) {
        cell.er = cell.er.min(self.0);
    }
}

/// Three connections that are given a tenth of the link each.
#[test]
fn a_rate_algorithm_from_outside_on_both_engines() {
    let custom = RateAlgorithm::Custom(CustomRateAlgorithm::new("own-rate", None, |port, _| {
        Box::new(Fixed(cells_per_second(port.rate) / 10.0))
    }));
    assert_eq!((custom.name(), custom.interval()), ("own-rate", None));
    let mut scenario = crate::lab::scenario(CELLS, &["warmup=500 ms", "tcp.receive_window=64 kB"]);
    with_abr(&mut scenario);
    for link in scenario.links.iter_mut() {
        Arc::make_mut(&mut link.queue).rates = Some(custom.clone());
    }
    let records = assert_engines_agree("a rate algorithm from outside", &scenario, 7);
    for flow in &records.flows {
        let share = flow.abr.unwrap().mean_acr / (25e6 / 424.0);
        assert!((share - 0.1).abs() < 0.002, "{share} of the link");
    }
}
