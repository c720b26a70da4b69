//! Rate algorithms from outside that draw random numbers and know the time: on both engines alike, under two seeds not.

use std::sync::Arc;

use crate::lab::agree::assert_engines_agree;
use ackclock::atm::rate::{CustomRateAlgorithm, Port, RateAlgorithm, RateAllocator};
use ackclock::packet::RmCell;
use ackclock::record::Records;
use ackclock::rng::Stream;
use ackclock::scenario::Scenario;
use ackclock::sim;
use ackclock::units::{Span, Time};

/// Gives every connection a rate that is drawn for each interval, and half of it in the second half of each 20 ms.
#[derive(Clone)]
struct Drawn {
    draws: Stream,
    intervals: u64,
    link: f64,
    rate: f64,
    /// Whether counts may be told at the ends of intervals.
    is_told_late: bool,
    /// When the last interval ended: cells are told of the next one, which is as long, or a slot longer as it is a whole number of slots.
    last_end: Time,
}

impl Drawn {
    fn new(port: &Port<'_>, draws: Stream, is_told_late: bool) -> Drawn {
        let link = port.rate.as_bps() as f64 / port.unit.bits();
        Drawn { draws, intervals: 0, link, rate: link / 2.0, is_told_late, last_end: Time::ZERO }
    }

    fn is_counted(&self, now: Option<Time>) {
        assert_eq!(now.is_none(), self.is_told_late);
        assert!(now.is_none_or(|now| self.last_end <= now && now <= self.last_end + INTERVAL + SLOT), "{now:?}");
    }
}

impl RateAllocator for Drawn {
    fn on_cells(&mut self, now: Option<Time>, _connection: usize, _cells: u64) {
        self.is_counted(now);
    }

    fn on_other_cells(&mut self, now: Option<Time>, _cells: u64) {
        self.is_counted(now);
    }

    fn on_interval_end(&mut self, now: Time, _queued: u64) {
        assert!(now > self.last_end, "time goes on");
        self.last_end = now;
        self.rate = self.link * (1.0 + self.draws.below(8, self.intervals) as f64) / 40.0;
        self.intervals += 1;
    }

    fn on_backward_rm(&mut self, now: Time, _connection: usize, _queued: u64, cell: &mut RmCell) {
        let is_late = now.as_ps() % Span::from_ms(20).as_ps() >= Span::from_ms(10).as_ps();
        cell.er = cell.er.min(if is_late { self.rate / 2.0 } else { self.rate });
    }

    fn allocation(&self) -> Option<f64> {
        Some(self.rate)
    }

    fn efci_threshold(&self) -> Option<u64> {
        self.is_told_late.then_some(u64::MAX)
    }
}

const INTERVAL: Span = Span::from_ms(7);
/// More than a cell takes at the slowest of the links.
const SLOT: Span = Span::from_us(500);

/// ABR connections through two ports of an ATM network, one of UBR beside them.
const ABR: &str = "duration = \"400 ms\"\nrecord = [\"allocation\"]\n[network]\ntopology = \"n-source\"\nsources = 3\n\
    rate = \"25 Mbps\"\naccess_delay = \"5 us\"\ntrunk_delay = \"2 ms\"\n[queue]\nbuffer = \"2000 cells\"\nservice_order = \"fixed\"\n\
    rate_algorithm = \"erica\"\n[atm]\nservice = \"abr\"\n[flow.f3]\nservice = \"ubr\"\n[tcp]\nreceive_window = \"64 kB\"\n";
/// TCP over UBR, whose senders an edge device tells the rates of the port.
const EDGE: &str = "duration = \"1 s\"\nrecord = [\"allocation\"]\n[network]\ntopology = \"n-source\"\nsources = 3\n\
    rate = \"25 Mbps\"\naccess_delay = \"5 us\"\ntrunk_delay = \"2 ms\"\n[queue]\nbuffer = \"2000 cells\"\nservice_order = \"fixed\"\n\
    [port.\"sw1->sw2\"]\nrate_algorithm = \"erica\"\ntcp_feedback = \"window\"\n[tcp]\nreceive_window = \"64 kB\"\n";
/// TCP through a router that tells senders rates.
const ROUTER: &str = "duration = \"2 s\"\nrecord = [\"allocation\"]\n[network]\ntechnology = \"packet\"\n\
    topology = \"dumbbell\"\nsources = 3\naccess_rate = \"100 Mbps\"\naccess_delay = \"1 ms\"\n\
    bottleneck_rate = \"6 Mbps\"\nbottleneck_delay = \"40 ms\"\n[queue]\nbuffer = \"60 packets\"\n\
    [port.\"sw1->sw2\"]\nrate_algorithm = \"erica\"\ntcp_feedback = \"window\"\n";

/// The scenario with the algorithm from outside at all ports that have one, as it is told counts.
fn with_drawn(text: &str, is_told_late: bool) -> Scenario {
    let mut scenario = crate::lab::scenario(text, &[]);
    assert!(!sim::has_randomness(&scenario), "nothing else is drawn");
    let custom = CustomRateAlgorithm::new("drawn", Some(INTERVAL), move |port, draws| {
        Box::new(Drawn::new(port, draws, is_told_late))
    });
    for link in scenario.links.iter_mut() {
        if link.queue.rates.is_some() {
            Arc::make_mut(&mut link.queue).rates = Some(RateAlgorithm::Custom(custom.clone()));
        }
    }
    scenario
}

/// Both engines draw the same at the same instants, whether the algorithm is told of each cell by itself or at the ends of intervals; the
/// rates are others under another seed, and that is known.
#[test]
fn rate_algorithms_from_outside_draw_and_know_the_time() {
    for (name, text) in [("abr", ABR), ("edge", EDGE), ("router", ROUTER)] {
        let of = |is_told_late, seed| -> (Scenario, Records) {
            let scenario = with_drawn(text, is_told_late);
            let records = assert_engines_agree(name, &scenario, seed);
            (scenario, records)
        };
        let (scenario, one) = of(false, 1);
        assert!(sim::has_randomness(&scenario), "{name}");
        let (_, late) = of(true, 1);
        assert_eq!(one.fingerprint, late.fingerprint, "{name}: its rates do not depend on counts");
        let (_, other) = of(false, 2);
        assert_ne!(one.series, other.series, "{name}: what is offered under two seeds");
        assert_ne!(one.fingerprint, other.fingerprint, "{name}: two seeds");
    }
}
