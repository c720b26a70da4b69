//! Sequences of acknowledgements and losses: random ones, and those of connections that were simulated.

use std::sync::{Arc, Mutex};

use ackclock::rng::Stream;
use ackclock::sim;
use ackclock::tcp::CongestionControlParams;
use ackclock::tcp::cc::{Ack, CongestionControl, CustomCongestionControl, Loss, Needs, VegasA, VegasAParams, Window};
use ackclock::units::Time;
use ackclock_scenario::{Memory, load};

/// Segments up to here have a random number of their own for ties.
pub const DRAWS: usize = 4096;

/// One step, in whole microseconds, octets and packets. Numbers of octets are from 0, as those of the simulator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    pub what: What,
    pub now: u64,
    pub una: u64,
    pub nxt: u64,
    /// The round trip, microseconds; zero where there is no sample.
    pub rtt: u64,
    /// The receiver's window, packets.
    pub limit: u32,
    /// What recovery has set the window to, packets.
    pub cwnd: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum What {
    #[default]
    Ack,
    Loss,
    Timeout,
}

/// A connection.
#[derive(Clone, Debug)]
pub struct Sequence {
    pub name: String,
    /// When it sent its first segment, microseconds.
    pub start: u64,
    pub mss: u32,
    pub initial_window: u32,
    pub steps: Vec<Step>,
}

/// Random numbers, one after the other.
pub struct Random {
    stream: Stream,
    drawn: u64,
}

impl Random {
    pub fn new(seed: u64, name: &str) -> Random {
        Random { stream: Stream::new(seed, name, "vegas-in-the-kernel"), drawn: 0 }
    }

    /// From 0 to below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.drawn += 1;
        self.stream.below(bound, self.drawn)
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }
}

/// A connection over a path that it is made up for: a shortest round trip that changes, a queue, noise, losses, timeouts, pauses of the
/// application. The window that `window` says after each step decides what is sent next.
pub fn random(seed: u64, steps: usize, mut window: impl FnMut(&Sequence, &Step) -> f64) -> Sequence {
    let mut random = Random::new(seed, "path");
    let mut sequence = Sequence {
        name: format!("random {seed}"),
        start: random.below(1 << 31),
        mss: random.one_of(&[1, 536, 1000, 1448, 8948]),
        initial_window: random.one_of(&[1, 2, 10]),
        steps: Vec::new(),
    };
    let mss = u64::from(sequence.mss);
    let mut base = random.one_of(&[20, 700, 10_000, 65_000, 250_000, 1_000_000]) + random.below(1000);
    // The time of a packet at the bottleneck, and what the queue holds.
    let service = 1 + base / (1 + random.below(200));
    let buffer = 1 + random.below(100);
    let noise = random.one_of(&[0, 1, 3, base / 50 + 1, base]);
    let (loss, timeout) = (random.one_of(&[30, 300, 3000]), random.one_of(&[500, 5000]));
    let limit = random.one_of(&[8, 64, 1000]);
    let whole_packets = !random.one_in(4);
    let (mut now, mut una) = (sequence.start + base + 1, 0);
    let mut nxt = u64::from(sequence.initial_window) * mss;
    let mut cwnd = None;
    let mut sent = sequence.start;
    while sequence.steps.len() < steps {
        if random.one_in(400) {
            base = (base * (1 + random.below(400)) / 100).clamp(20, 10_000_000);
        }
        if nxt == una {
            nxt += mss;
        }
        // Mostly one packet; with partial segments what comes.
        let acked = if whole_packets { mss } else { 1 + random.below(2 * mss) };
        una = (una + acked).min(nxt);
        let flight = (nxt - una) / mss + 1;
        let queue = (flight * service).saturating_sub(base) / service;
        now += 1 + if random.one_in(20) { random.below(base) } else { random.below(service + 1) };
        // Segments are acknowledged in the order in which they were sent.
        sent = sent.max(now.saturating_sub(base + queue * service + random.below(noise + 1)));
        let rtt = (now - sent).max(1);
        let step = Step {
            what: What::Ack,
            now,
            una,
            nxt,
            rtt: if random.one_in(15) { 0 } else { rtt },
            limit,
            cwnd: cwnd.take(),
        };
        let mut allowed = window(&sequence, &step);
        sequence.steps.push(step);
        let lost = queue > buffer || random.one_in(loss);
        if lost || random.one_in(timeout) {
            let what = if lost { What::Loss } else { What::Timeout };
            let step = Step { what, now, una, nxt, limit, ..Step::default() };
            allowed = window(&sequence, &step);
            sequence.steps.push(step);
            // Recovery sets the window, and later acknowledgements come after it.
            if lost {
                cwnd = Some(2 + random.below(limit.into()) as u32);
                una = nxt;
                now += base;
            }
        }
        // The application may have nothing to send.
        if !random.one_in(10) {
            let packets = allowed.floor() as u64;
            nxt = nxt.max(una + packets.max(1) * mss - if whole_packets { 0 } else { random.below(mss) });
        }
    }
    sequence
}

/// What a congestion control of the simulator is asked.
#[derive(Clone, Copy)]
enum Heard {
    /// With the window before and after it.
    Ack(Ack<'static>, Window, f64),
    Loss(Loss),
    Timeout(Loss),
}

struct Recorder {
    vegas: VegasA,
    heard: Arc<Mutex<Vec<Vec<Heard>>>>,
    connection: usize,
}

impl CongestionControl for Recorder {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        let before = *window;
        self.vegas.on_ack(ack, window);
        self.heard.lock().unwrap()[self.connection].push(Heard::Ack(
            Ack { delivery: None, ..*ack },
            before,
            window.cwnd,
        ));
    }

    fn on_congestion(&mut self, loss: &Loss, window: &mut Window) {
        self.heard.lock().unwrap()[self.connection].push(Heard::Loss(*loss));
        self.vegas.on_congestion(loss, window);
    }

    fn on_rto(&mut self, loss: &Loss, window: &mut Window) {
        self.heard.lock().unwrap()[self.connection].push(Heard::Timeout(*loss));
        self.vegas.on_rto(loss, window);
    }
}

/// The connections of this scenario with Vegas-A, one sequence each, at most `most` steps long. Times are rounded to microseconds.
pub fn recorded(name: &str, scenario: &str, most: usize) -> Vec<Sequence> {
    let loaded = load(&Memory::new().with("test.toml", scenario), "test.toml", &[]);
    let mut scenario = loaded.unwrap_or_else(|error| panic!("{error:?}")).scenario;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&heard);
    let custom = CustomCongestionControl::new("recorder", Needs::ROUND_TRIPS, move |draws| {
        let mut all = into.lock().unwrap();
        all.push(Vec::new());
        let vegas = VegasA::new(&VegasAParams::default(), draws);
        Box::new(Recorder { vegas, heard: Arc::clone(&into), connection: all.len() - 1 })
    });
    for flow in scenario.flows.iter_mut() {
        flow.tcp.congestion_control = CongestionControlParams::Custom(custom.clone());
    }
    let mut simulation = sim::build(&scenario, 7);
    simulation.step(Time::NEVER);
    let all = heard.lock().unwrap();
    let used = all.iter().filter(|heard| !heard.is_empty()).enumerate();
    let sequences: Vec<Sequence> = used.map(|(at, heard)| sequence(format!("{name} {at}"), heard, most)).collect();
    assert_eq!(sequences.len(), scenario.flows.iter().count());
    sequences
}

fn sequence(name: String, heard: &[Heard], most: usize) -> Sequence {
    let microseconds = |ps: u64| ps / 1_000_000;
    // Losses before anything was acknowledged are left out.
    let first = heard.iter().position(|heard| matches!(heard, Heard::Ack(..))).expect("something is acknowledged");
    let heard = &heard[first..];
    let Heard::Ack(first, window, _) = heard[0] else { unreachable!() };
    let (mss, start) = (first.mss, microseconds(first.measured().start.as_ps()));
    let mut steps: Vec<Step> = Vec::new();
    let mut written = window.cwnd;
    for heard in heard.iter().take(most) {
        steps.push(match *heard {
            Heard::Ack(ack, before, after) => {
                let measured = ack.measured();
                let set = before.cwnd != written;
                written = after;
                Step {
                    what: What::Ack,
                    now: microseconds(measured.now.as_ps()),
                    una: measured.una,
                    nxt: measured.nxt,
                    rtt: measured.rtt.map_or(0, |rtt| microseconds(rtt.as_ps()).max(1)),
                    limit: (ack.limit / mss) as u32,
                    cwnd: set.then_some((before.cwnd / mss) as u32),
                }
            }
            Heard::Loss(loss) => Step { what: What::Loss, limit: (loss.limit / mss) as u32, ..Step::default() },
            Heard::Timeout(loss) => Step { what: What::Timeout, limit: (loss.limit / mss) as u32, ..Step::default() },
        });
    }
    Sequence { name, start, mss: mss as u32, initial_window: (window.cwnd / mss) as u32, steps }
}
