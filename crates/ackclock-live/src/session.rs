//! A live run from its beginning to its end: hosts are made, packets are moved, records are put together.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use ackclock::scenario::Scenario;
use ackclock::units::{Span, Time};

use crate::clock::Clock;
use crate::emulator::{self, Emulated, OfEnds};
use crate::ends::{Ends, EndsRecord, FlowEnds};
use crate::names::Names;
use crate::settings::Settings;
use crate::{Addresses, LiveError, hosts, machine, merge};

/// A scenario that can be run on this kernel.
#[derive(Debug)]
pub struct Live<'a> {
    scenario: &'a Scenario,
    addresses: Addresses,
    settings: Settings,
}

/// What came out of one run.
#[derive(Debug)]
pub struct Outcome {
    /// The records, as of a simulation, and how exact it was.
    pub emulated: Emulated,
    /// What went wrong with connections, in sentences.
    pub problems: Vec<String>,
    /// From one reading of `TCP_INFO` to the next.
    pub poll: Span,
    /// Whether each acknowledgement was looked at, not only what is read now and then.
    pub sees_acknowledgements: bool,
    /// Processes that ran or wanted to, on average over the last minute, at the end.
    pub load: Option<f64>,
    /// The part of one processor that the run took.
    pub processor: f64,
    /// Whether all files were delivered.
    pub are_delivered: bool,
}

/// What is chosen beside the scenario.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices {
    /// Whether namespaces have names while the run goes on.
    pub named: bool,
    /// Whether a run ends when all files are delivered, and does not wait for the end of the scenario.
    pub until_delivered: bool,
}

impl<'a> Live<'a> {
    /// Finds out whether Linux can do what the scenario says. The machine is not touched.
    ///
    /// # Errors
    /// The first thing that cannot be done.
    pub fn new(scenario: &'a Scenario) -> Result<Live<'a>, LiveError> {
        emulator::check(scenario)?;
        let addresses = Addresses::of(scenario)?;
        let settings = Settings::of(scenario, &addresses)?;
        Ok(Live { scenario, addresses, settings })
    }

    /// What hosts and sockets are set to.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Runs it under a seed, which decides what links lose. `watch` is told now and then how far it is; `stop` ends it early. Nothing of it
    /// is left when this returns, and nothing but names if the process is killed.
    ///
    /// # Errors
    /// If this machine lacks something, or does not let it go on.
    pub fn run(
        &self,
        seed: u64,
        choices: Choices,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(Time),
    ) -> Result<Outcome, LiveError> {
        let scenario = self.scenario;
        let hosts = &hosts::set_up(scenario, &self.addresses, &self.settings)?;
        let _names = if choices.named { Names::give(scenario, hosts)? } else { Names::default() };
        let (begun, processor) = (Instant::now(), machine::processor_time());
        // One that ends early ends the others.
        let halt = AtomicBool::new(false);
        let ((opened, is_open), (begins, beginning)) = (mpsc::channel(), mpsc::channel());
        let (emulated, ends) = thread::scope(|scope| {
            // On the thread on which it is opened it also runs: programs in the kernel are read there.
            let halted = &halt;
            let ends = scope.spawn(move || {
                let ends = Ends::open(scenario, seed, &self.addresses, &self.settings, hosts)?;
                let clock =
                    opened.send(()).ok().and_then(|()| beginning.recv().ok()).expect("who runs it waits for it");
                let record = ends.until_delivered(choices.until_delivered).run(clock, halted);
                let is_early = record.as_ref().map_or(true, |record| choices.until_delivered && record.are_delivered);
                if is_early {
                    halted.store(true, Ordering::Relaxed);
                }
                record
            });
            if is_open.recv().is_err() {
                return (None, joined(ends));
            }
            let clock = Clock::beginning(Instant::now() + LEAD);
            begins.send(clock).expect("it waits for it");
            let emulator = scope.spawn(move || {
                let emulated = emulator::run(scenario, seed, &self.addresses, hosts, clock, halted);
                halted.store(true, Ordering::Relaxed);
                emulated
            });
            while !emulator.is_finished() {
                thread::sleep(WATCH);
                watch(clock.now().min(Time::ZERO + scenario.duration));
                if stop.load(Ordering::Relaxed) {
                    halt.store(true, Ordering::Relaxed);
                }
            }
            (Some(joined(emulator)), joined(ends))
        });
        let ends = ends?;
        let mut emulated = emulated.expect("the ends were opened")?;
        let took = begun.elapsed().as_secs_f64();
        let processor = (machine::processor_time() - processor).as_secs_f64() / took;
        let (problems, poll, sees_acknowledgements) = (ends.problems.clone(), ends.poll, ends.sees_acknowledgements);
        emulated.add(&of_ends(scenario, &ends));
        let are_delivered = ends.are_delivered;
        merge::add_ends(&mut emulated.records, ends);
        let load = machine::load();
        Ok(Outcome { emulated, problems, poll, sees_acknowledgements, load, processor, are_delivered })
    }
}

/// What of the ends says how exact a run was.
fn of_ends(scenario: &Scenario, ends: &EndsRecord) -> OfEnds {
    let starved = |flow: &FlowEnds| {
        let limited = &flow.counts.limited;
        let busy = limited.host + limited.congestion_window + limited.receive_window;
        if busy > Span::ZERO { limited.host.as_secs_f64() / busy.as_secs_f64() } else { 0.0 }
    };
    let starved = scenario.flows.iter().zip(&ends.flows).map(|(flow, of)| (flow.name.clone(), starved(of)));
    OfEnds {
        refused: ends.udp_refused.iter().sum(),
        lateness: ends.lateness.clone(),
        disturbed: ends.disturbed.clone(),
        starved: starved.filter(|(_, share)| *share > 0.0).collect(),
    }
}

/// The outcome of a thread; a panic goes on.
fn joined<T>(thread: thread::ScopedJoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// From when everything is there until the scenario begins: all threads are waiting then.
const LEAD: Duration = Duration::from_millis(100);
const WATCH: Duration = Duration::from_millis(50);
