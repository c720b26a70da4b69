//! One script: event after event, in virtual time, up to the first difference.

mod clock;
mod code;
mod compare;

use ackclock::units::{Span, Time};

use crate::host::{Host, LeftOut};
use crate::script::{Action, Call, Event, Packet, Script, Shell, Trouble, parse};
use clock::Clock;
use code::{Outcome, Variables};
use compare::Comparison;

/// What came of a script.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Everything was as expected, but for what has no meaning here.
    Passed {
        /// Assertions and commands that have no meaning here, with their lines.
        left_out: Vec<LeftOut>,
    },
    /// The first thing that differs.
    Failed {
        /// The first difference; nothing after it was run.
        difference: Difference,
        /// What had no meaning so far.
        left_out: Vec<LeftOut>,
    },
    /// It cannot be run here.
    NotRunnable(Trouble),
}

/// An event that did not come as the script expects it.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The line of the event.
    pub line: usize,
    /// The event as it is written.
    pub event: String,
    /// When, seconds since the beginning of the script.
    pub at: f64,
    /// In one sentence, what came, or what did not.
    pub reason: String,
    /// What the script expects, and what was instead; of packets.
    pub packets: Option<(String, String)>,
}

/// Runs a script on a host of this dialect.
pub fn check(text: &str, dialect: &str) -> Verdict {
    let script = match parse(text) {
        Ok(script) => script,
        Err(trouble) => return Verdict::NotRunnable(trouble),
    };
    let mut run = Run::new(dialect);
    match run.all(&script) {
        Err(trouble) => Verdict::NotRunnable(trouble),
        Ok(difference) => {
            let mut left_out = [run.host.left_out(), &run.left_out].concat();
            left_out.sort_by_key(|left_out| left_out.line);
            match difference {
                None => Verdict::Passed { left_out },
                Some(difference) => Verdict::Failed { difference, left_out },
            }
        }
    }
}

/// A call that waits, and is looked at when it returns.
struct Waiting<'a> {
    at: i64,
    call: &'a Call,
    event: &'a Event,
}

struct Run<'a> {
    host: Host,
    clock: Clock,
    comparison: Comparison,
    variables: Variables,
    waiting: Vec<Waiting<'a>>,
    left_out: Vec<LeftOut>,
}

/// An event went as expected, or this differs.
type Went = Result<Option<Difference>, Trouble>;

/// How long a packet is waited for beyond its time, so that it can be said when it came.
const PATIENCE: Span = Span::from_secs(2);
/// So many deadlines at one instant: something does not end.
const MOST_AT_ONCE: u32 = 100_000;

impl<'a> Run<'a> {
    fn new(dialect: &str) -> Run<'a> {
        Run {
            host: Host::new(dialect),
            clock: Clock::default(),
            comparison: Comparison::default(),
            variables: Variables::new(),
            waiting: Vec::new(),
            left_out: Vec::new(),
        }
    }

    fn all(&mut self, script: &'a Script) -> Went {
        for option in &script.options {
            let is_known = self.clock.take_option(option)
                || self.comparison.take_option(option)
                || self.host.take_option(option)?;
            if !is_known {
                self.leave_out(option.line, format!("option --{}", option.name));
            }
        }
        for shell in &script.init {
            self.host.shell(shell)?;
        }
        for event in &script.events {
            if let Some(difference) = self.event(event)? {
                return Ok(Some(difference));
            }
        }
        self.return_calls(Some(i64::MAX))
    }

    fn event(&mut self, event: &'a Event) -> Went {
        let (start, end) = self.clock.expect(event.time);
        // What waits has returned by then.
        if let Some(difference) = self.return_calls(start)? {
            return Ok(Some(difference));
        }
        if let Action::Out(packet) = &event.action {
            return self.outgoing(event, packet, start, end);
        }
        self.advance(self.clock.instant(start), event.line)?;
        let now = self.clock.reach(start);
        match &event.action {
            Action::In(packet) => {
                let packet = self.comparison.to_live(packet);
                self.host.on_packet(now, &packet, event.line)?;
            }
            Action::Call(call) => return self.call(event, call, now),
            Action::Code(code) => return self.code(event, code),
            Action::Shell(text) => self.host.shell(&Shell { line: event.line, text: text.clone() })?,
            Action::Out(_) => {}
        }
        Ok(None)
    }

    /// Everything that is due up to this instant.
    fn advance(&mut self, to: Time, line: usize) -> Result<(), Trouble> {
        let mut at_once = 0;
        while self.host.deadline() <= to {
            let now = self.host.deadline().max(self.clock.now());
            at_once = if now == self.clock.now() { at_once + 1 } else { 0 };
            if at_once > MOST_AT_ONCE {
                return Err(Trouble::new(
                    line,
                    "the simulated host does not come to an end",
                    "please report this script",
                ));
            }
            self.clock.set(now);
            self.host.on_deadline(now);
        }
        Ok(())
    }

    fn outgoing(&mut self, event: &Event, packet: &Packet, start: Option<i64>, end: Option<i64>) -> Went {
        let (first, last) = self.clock.bounds(start, end);
        let deadline = last.map_or(Time::NEVER, |last| last.saturating_add(PATIENCE));
        while self.host.sent().is_none() {
            let next = self.host.deadline();
            if next == Time::NEVER || next > deadline || next > self.clock.now().saturating_add(LONGEST) {
                break;
            }
            self.advance(next, event.line)?;
        }
        let Some(sent) = self.comparison.take(packet, &mut self.host) else {
            let reason = "the packet is not sent".to_string();
            let packets = Some((compare::expected(packet), "none".to_string()));
            return Ok(Some(self.difference(event, reason, packets)));
        };
        let at = sent.at;
        self.clock.expect_done(start, at);
        let shown = || Some((compare::expected(packet), compare::actual(&sent)));
        if let Some(reason) = self.comparison.differs(packet, &sent, self.clock.tolerance_us()) {
            return Ok(Some(self.difference(event, reason, shown())));
        }
        let seconds = |time: Time| format!("{:.6}", time.as_secs_f64());
        if first.is_some_and(|first| at < first) || last.is_some_and(|last| at > last) {
            let when = match (start, end) {
                (Some(start), Some(end)) if end > start => {
                    format!("between {} and {} s", clock::seconds(start), clock::seconds(end))
                }
                (Some(start), _) => format!("at {} s", clock::seconds(start)),
                _ => String::new(),
            };
            let reason = format!("it is sent at {} s, expected {when}", seconds(at));
            return Ok(Some(self.difference(event, reason, shown())));
        }
        Ok(None)
    }

    fn call(&mut self, event: &'a Event, call: &'a Call, now: Time) -> Went {
        let waits = call.end.is_some() && matches!(call.name.as_str(), "accept" | "read" | "recv" | "recvfrom");
        if waits {
            let at = self.clock.end_of_call(event.time, call.end.unwrap_or(0));
            self.waiting.push(Waiting { at, call, event });
            return Ok(None);
        }
        self.make(event, call, now)
    }

    fn make(&mut self, event: &Event, call: &Call, now: Time) -> Went {
        let Some(returned) = self.host.call(now, call, event.line)? else { return Ok(None) };
        let Some(expected) = call.result else { return Ok(None) };
        let is_error = call.error.as_deref() == returned.error;
        if returned.result == expected && is_error {
            return Ok(None);
        }
        let named =
            |result: i64, error: Option<&str>| error.map_or(result.to_string(), |error| format!("{result} {error}"));
        let (expected, actual) = (named(expected, call.error.as_deref()), named(returned.result, returned.error));
        Ok(Some(self.difference(event, format!("{} returns {actual}, expected {expected}", call.name), None)))
    }

    /// Calls that wait and have returned by then.
    fn return_calls(&mut self, until: Option<i64>) -> Went {
        let Some(until) = until else { return Ok(None) };
        while let Some(index) = self.waiting.iter().position(|waiting| waiting.at < until) {
            let Waiting { at, call, event } = self.waiting.remove(index);
            self.advance(self.clock.instant(Some(at)), event.line)?;
            let now = self.clock.reach(Some(at));
            if let Some(difference) = self.make(event, call, now)? {
                return Ok(Some(difference));
            }
        }
        Ok(None)
    }

    fn code(&mut self, event: &Event, code: &str) -> Went {
        let host = &self.host;
        let now = self.clock.now();
        let of = |name: &str| host.info(now, name).or_else(|| compare::constant(name));
        for outcome in code::run(code, &mut self.variables, &of) {
            match outcome {
                Outcome::Holds => {}
                Outcome::Fails(reason) => return Ok(Some(self.difference(event, reason, None))),
                Outcome::Unknown(name) => {
                    self.left_out.push(LeftOut { line: event.line, what: format!("assertion on {name}") });
                }
                Outcome::NotUnderstood(what) => {
                    let remedy = "assertions compare numbers and names of TCP_INFO, docs/packetdrill.md";
                    return Err(Trouble::new(event.line, format!("{what} is not understood"), remedy));
                }
            }
        }
        Ok(None)
    }

    fn difference(&self, event: &Event, reason: String, packets: Option<(String, String)>) -> Difference {
        let at = self.clock.now().as_secs_f64();
        Difference { line: event.line, event: event.text.clone(), at, reason, packets }
    }

    fn leave_out(&mut self, line: usize, what: String) {
        self.left_out.push(LeftOut { line, what });
    }
}

/// A packet whose time is not given is waited for so long.
const LONGEST: Span = Span::from_secs(1_000);
