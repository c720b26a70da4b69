//! Ackclock, the simulator: TCP over ATM and packet networks, exact to the single cell, repeatable to the bit.
//!
//! No input or output, no clock, no threads, no global state. A [`scenario::Scenario`] goes in, [`record::Records`]
//! come out, and the same scenario and seed give the same bits on every machine.
//!
//! The map, from the ground up:
//!
//! - [`units`], [`ids`], [`rng`], [`keys`]: whole picoseconds, typed indices, randomness as a function of names, how a mechanism
//!   describes its parameters.
//! - [`packet`]: what travels: segments, AAL5 frames, cells. [`record`]: what is written down.
//! - [`tcp`], [`queue`], [`link`] and [`traffic`]: pure state machines: the two ends of a connection; who may enter a buffer;
//!   what a link loses, and how it changes; sources that are not TCP. [`atm`]: rate-based flow control of ABR.
//! - [`scenario`]: the experiment as meant, complete and valid.
//! - [`engine`]: what an engine is made of. [`net`]: hosts, ports and links, and the engine that drives them.
//! - [`sim`]: the arrow through all of it. [`measure`]: what is measured of a run.
//!
//! ```
//! use ackclock::{ids::IdVec, link::LinkParams, scenario::*, sim, tcp::*, units::*};
//!
//! // Two hosts and a switch between them; a file of 100 kB.
//! let mut nodes = IdVec::new();
//! let [a, s, b] = [("a", NodeKind::Host), ("s", NodeKind::Switch), ("b", NodeKind::Host)]
//!     .map(|(name, kind)| nodes.push(Node { name: name.into(), kind }));
//! let rate = Rate::from_bps(155_520_000).unwrap();
//! let mut links = IdVec::new();
//! let [to_s, to_b, back_to_s, back_to_a] = [("a->s", a, s), ("s->b", s, b), ("b->s", b, s), ("s->a", s, a)]
//!     .map(|(name, from, to)| {
//!         let (delay, params, queue) = (Span::from_ms(5), LinkParams::plain(), Queue::unlimited().into());
//!         links.push(Link { name: name.into(), from, to, rate, delay, medium: None, params, queue })
//!     });
//! let flow = Flow {
//!     name: "f".into(),
//!     group: None,
//!     forward: vec![to_s, to_b].into(),
//!     backward: vec![back_to_s, back_to_a].into(),
//!     start: Time::ZERO,
//!     start_jitter: Span::ZERO,
//!     stop: None,
//!     size: Some(100_000),
//!     application: ApplicationParams::Bulk(()).into(),
//!     service: ServiceCategory::UBR,
//!     tcp: TcpParams::default().into(),
//!     forced_drops: vec![],
//!     back_of: None,
//! };
//! let scenario = Scenario {
//!     name: "two hosts".into(),
//!     duration: Span::from_secs(1),
//!     warmup: Span::ZERO,
//!     technology: Technology::Atm { llc: true },
//!     nodes,
//!     links,
//!     flows: [flow].into_iter().collect(),
//!     udp: vec![],
//!     bottleneck: None,
//!     recording: Recording::none(),
//!     events: Vec::new(),
//! };
//!
//! let mut run = sim::build(&scenario, 1);
//! while !run.step(run.progress().now + Span::from_ms(100)).finished() {}
//! assert_eq!(run.records().flows[0].counts.bytes_delivered, 100_000);
//! ```
//!
//! A run can be paused, its flows observed and steered, and it goes on:
//!
//! ```
//! # use ackclock::{ids::*, record::Stage, scenario::Scenario, sim::{self, SteeringError}, units::*};
//! /// Halves the window of the first flow whenever its smoothed round trip exceeds a limit.
//! fn steered(scenario: &Scenario, limit_s: f64) -> Result<f64, SteeringError> {
//!     let (mut run, flow) = (sim::build(scenario, 1), FlowId::from_index(0));
//!     while !run.step(run.progress().now + Span::from_ms(100)).finished() {
//!         let seen = run.observe(flow)?;
//!         let is_late = seen.smoothed_round_trip_s.is_some_and(|seconds| seconds > limit_s);
//!         if seen.stage == Stage::Open && is_late {
//!             run.hold_window(flow, Some((seen.window / 2.0).max(1500.0) as u64))?;
//!         }
//!     }
//!     Ok(run.finish().flows[0].goodput_bps)
//! }
//! ```

#[macro_use]
mod names;

pub mod atm;
mod batch;
pub mod engine;
mod exact;
mod factory;
pub mod feedback;
pub mod ids;
pub mod keys;
pub mod law;
pub mod link;
pub mod measure;
pub mod net;
pub mod packet;
pub mod queue;
pub mod record;
pub mod rng;
pub mod scenario;
pub mod shared;
pub mod sim;
pub mod tcp;
pub mod traffic;
pub mod units;
