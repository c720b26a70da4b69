//! The arithmetic of the program for the kernel against the models of the simulator.
//!
//! The program compares fractions exactly, and its window has 32 bits after the point; the simulator has floating point. So the two
//! may decide differently where the two sides of a comparison are equal, or differ by less than a floating-point number of this
//! size can tell: there the program is right, and the table of the study has such cases (`the_decision_table_of_the_thesis`).
//! Everywhere else thresholds, ssthresh, and the window up to 10^-4 of a packet must be equal after every step. Of a connection that
//! came to a point of the first kind the steps up to it count, and what was equal there is checked by whole numbers of 128 bits.

use std::collections::BTreeMap;

use ackclock::rng::Stream;
use ackclock::tcp::cc::{Ack, CongestionControl, Increase, Loss, Measured, Vegas, VegasA, VegasAParams, Window};
use ackclock::units::{Span, Time};
use ackclock_bpf::{Kind, Parameters};

use super::runners::{After, Native, RawStep, Run, Runner, State};
use super::sequences::{DRAWS, Sequence, Step, What, random, recorded};

/// One packet, in the unit of the window.
const ONE: f64 = 4_294_967_296.0;
const NO_SSTHRESH: u32 = 0x7fff_ffff;

/// The simulator's.
enum Model {
    Vegas(Vegas),
    VegasA(VegasA),
}

/// A case: what is simulated, and what the kernel is given.
struct Case {
    kind: Kind,
    params: VegasAParams,
}

impl Case {
    fn ties(&self) -> Stream {
        Stream::new(5, "equality", "vegas-a-ties")
    }

    fn parameters(&self) -> Parameters {
        let th_tolerance = self.params.th_tolerance;
        Parameters { th_tolerance, ..Parameters::of_vegas_a(&self.params).unwrap() }
    }

    fn model(&self) -> Model {
        match self.kind {
            Kind::Vegas => Model::Vegas(Vegas::new(&self.params.vegas)),
            Kind::VegasA => Model::VegasA(VegasA::new(&self.params, self.ties())),
        }
    }
}

/// A connection of the simulator's model.
struct Simulated {
    model: Model,
    window: Window,
    mss: f64,
    start: u64,
}

/// What there is after a step, packets.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    cwnd: f64,
    ssthresh: f64,
    thresholds: Option<(f64, f64)>,
}

impl Simulated {
    fn new(case: &Case, start: u64, mss: u32, initial_window: u32) -> Simulated {
        let mss = f64::from(mss);
        let window = Window { cwnd: f64::from(initial_window) * mss, ssthresh: f64::from(NO_SSTHRESH) * mss };
        Simulated { model: case.model(), window, mss, start }
    }

    fn step(&mut self, step: &Step) -> Seen {
        let Simulated { model, window, mss, start } = self;
        let limit = f64::from(step.limit) * *mss;
        let congestion_control: &mut dyn CongestionControl = match model {
            Model::Vegas(vegas) => vegas,
            Model::VegasA(vegas) => vegas,
        };
        match step.what {
            What::Ack => {
                if let Some(packets) = step.cwnd {
                    window.cwnd = f64::from(packets) * *mss;
                }
                let at = |us: u64| Time::ZERO + Span::from_us(us);
                let rtt = (step.rtt > 0).then(|| Span::from_us(step.rtt));
                let measured = Measured {
                    now: at(step.now),
                    start: at(*start),
                    una: step.una,
                    nxt: step.nxt,
                    rtt,
                    window_limited: true,
                };
                congestion_control
                    .on_ack(&Ack { mss: *mss, limit, acked: *mss, measured: Some(measured), delivery: None }, window);
            }
            What::Loss => congestion_control.on_congestion(&Loss::of(*mss, limit), window),
            What::Timeout => congestion_control.on_rto(&Loss::of(*mss, limit), window),
        }
        let thresholds = match model {
            Model::Vegas(_) => None,
            Model::VegasA(vegas) => Some(vegas.thresholds()),
        };
        Seen { cwnd: window.cwnd / *mss, ssthresh: window.ssthresh / *mss, thresholds }
    }
}

/// Random numbers of octets begin anywhere; the simulator's are from 0.
const FIRST_OCTET: u32 = u32::MAX - 1_000_000;

fn raw(sequence: &Sequence, step: &Step, window: u32) -> RawStep {
    let number = |octet: u64| FIRST_OCTET.wrapping_add(octet as u32);
    // What recovery has written is seen by the kernel if it is another number of packets.
    let cwnd = step.cwnd.filter(|&cwnd| cwnd != window).unwrap_or(0);
    RawStep {
        what: step.what as u32,
        now: step.now as u32,
        una: number(step.una),
        nxt: number(step.nxt),
        flight: (step.nxt - step.una) as u32 + sequence.mss,
        acked: 1,
        mss: sequence.mss,
        limit: step.limit,
        rtt: step.rtt as u32,
        cwnd,
    }
}

/// What was compared.
#[derive(Debug, Default)]
struct Tally {
    steps: usize,
    rounds: usize,
    trends: [usize; 4],
    connections: usize,
    /// Connections that came to a point that floating point cannot tell.
    undecidable: BTreeMap<&'static str, usize>,
}

impl Tally {
    /// Runs a connection in both, and compares them after each step.
    fn compare(&mut self, case: &Case, sequence: &Sequence, runner: &mut dyn Runner) {
        let mut simulated = Simulated::new(case, sequence.start, sequence.mss, sequence.initial_window);
        let mut window = sequence.initial_window;
        let mut steps = vec![RawStep { what: 3, now: sequence.start as u32, una: FIRST_OCTET, ..RawStep::default() }];
        let mut seen = Vec::new();
        for step in &sequence.steps {
            let mut step = *step;
            // A window that is set to the packets that it has keeps its part of a packet in the kernel: leave it.
            step.cwnd = step.cwnd.filter(|&cwnd| cwnd != window);
            let now = simulated.step(&step);
            window = now.cwnd as u32;
            steps.push(raw(sequence, &step, 0));
            seen.push(now);
        }
        let draws = (0..DRAWS).map(|at| (case.ties().at(at as u64) >> 32) as u32).collect();
        let parameters = case.parameters().octets(case.kind).unwrap();
        let state = State::default();
        let run = Run { parameters, state, cwnd: sequence.initial_window, ssthresh: NO_SSTHRESH, draws, steps };
        let after = runner.run(&run);
        assert_eq!(after.len(), run.steps.len());
        self.connections += 1;
        for (at, seen) in seen.iter().enumerate() {
            let (before, step, after) = (&after[at], &run.steps[at + 1], &after[at + 1]);
            if let Err(different) = equal(seen, after, step.limit, case.kind) {
                let what =
                    format!("{}, step {at}: {different}\n{seen:?}\n{before:?}\n{step:?}\n{after:?}", sequence.name);
                let why = undecidable(before, step, case).unwrap_or_else(|| panic!("{what}"));
                *self.undecidable.entry(why).or_default() += 1;
                return;
            }
            self.steps += 1;
            self.rounds += usize::from(before.state.end != after.state.end);
            self.trends[after.trend as usize] += 1;
        }
    }
}

fn equal(seen: &Seen, after: &After, limit: u32, kind: Kind) -> Result<(), &'static str> {
    // After a timeout the kernel has one packet under way, the simulator a window of two.
    if after.cwnd == 1 {
        return if seen.cwnd <= 2.0 { Ok(()) } else { Err("windows after a timeout") };
    }
    let packets = (after.state.cwnd as f64 / ONE).min(limit.into());
    let windows = (seen.cwnd - packets).abs() < 1e-4;
    // Within the tolerance a whole number may be on either side.
    let whole = seen.cwnd.floor() == f64::from(after.cwnd) || (seen.cwnd - seen.cwnd.round()).abs() < 1e-4;
    if !windows || !whole {
        return Err("windows");
    }
    if seen.ssthresh != f64::from(after.ssthresh) {
        return Err("ssthresh");
    }
    let thresholds = (f64::from(after.state.alpha) / 1000.0, f64::from(after.state.beta) / 1000.0);
    if kind == Kind::VegasA && seen.thresholds != Some(thresholds) {
        return Err("alpha and beta");
    }
    Ok(())
}

/// What this step compares and floating point cannot tell, if there is something: in whole numbers.
fn undecidable(before: &After, step: &RawStep, case: &Case) -> Option<&'static str> {
    let state = &before.state;
    // Beyond the last of 52 bits, with room for three operations.
    let near = |a: i128, b: i128| (a - b).abs() * 1_000_000_000_000_000 <= a.abs().max(b.abs());
    if step.what == 0 && (step.una.wrapping_sub(state.end) as i32) > 0 {
        let since = i128::from(step.now.wrapping_sub(state.begun).max(1));
        let (sum, count) = if state.count == 0 { (since, 1) } else { (state.sum.into(), i128::from(state.count)) };
        let (mut base, mut base_count) = (i128::from(state.base), i128::from(state.base_count));
        if base == 0 {
            (base, base_count) = (i128::from(step.now.wrapping_sub(state.start).max(1)), 1);
        }
        let sent = i128::from(step.nxt.wrapping_sub(state.end));
        if sent <= i128::from(step.mss) || sum * base_count < base * count {
            (base, base_count) = (sum, count);
        }
        // flight · rtt · 1000 against sent · base · 1000 + thousandths · mss · rtt, in the unit of all denominators.
        let at = |thousandths: i128| {
            let left = i128::from(step.flight) * 1000 * sum * base_count;
            near(left, sent * 1000 * base * count + thousandths * i128::from(step.mss) * sum * base_count)
        };
        let rounded_at = |bound: u32| {
            let whole = i128::from(bound / 1000) * 1000;
            at(whole - 500) || at(whole + 500) || at(-1500)
        };
        let gamma = (case.params.vegas.gamma * 1000.0) as u32;
        if state.cwnd < u64::from(before.ssthresh) << 32 {
            if rounded_at(gamma) {
                return Some("gamma");
            }
        } else if case.kind == Kind::Vegas && (rounded_at(state.alpha) || rounded_at(state.beta)) {
            return Some("alpha or beta, rounded");
        } else if case.kind == Kind::VegasA && (at(state.alpha.into()) || at(state.beta.into())) {
            return Some("alpha or beta");
        }
    }
    // After 1/cwnd has been added some times the window is a whole number, or nearly: against ssthresh, what is under way, what a
    // loss leaves.
    let packets = state.cwnd as f64 / ONE;
    let close = |to: f64| packets != to && (packets - to).abs() < 1e-6;
    if close(packets.round()) || close(f64::from(step.flight) / f64::from(step.mss.max(1)) + 2.0) {
        return Some("a sum of 1/cwnd");
    }
    None
}

/// What choices are compared: every branch of the program has one.
fn cases() -> Vec<(&'static str, Case)> {
    let defaults = VegasAParams { tie_up_probability: 0.0, th_tolerance: 1e-12, ..VegasAParams::default() };
    let with = |change: fn(&mut VegasAParams)| {
        let mut params = defaults.clone();
        change(&mut params);
        Case { kind: Kind::VegasA, params }
    };
    vec![
        ("Vegas-A", with(|_| ())),
        ("Vegas", Case { kind: Kind::Vegas, params: defaults.clone() }),
        ("Vegas-A, spread", with(|params| params.increase = Increase::Spread)),
        ("Vegas-A, spread at the floor", with(|params| params.increase = Increase::SpreadAtFloor)),
        (
            "Vegas-A, ties, tolerance, ceiling, no resets",
            with(|params| {
                (params.tie_up_probability, params.tie_down_probability) = (0.25, 0.125);
                (params.alpha_max, params.reset_th_on_loss) = (Some(6.0), false);
                params.th_tolerance = 0.0625;
                (params.vegas.alpha, params.vegas.beta, params.vegas.gamma) = (1.25, 2.75, 2.0);
            }),
        ),
        ("Vegas-A, thresholds reset", with(|params| params.reset_ab_on_rto = true)),
    ]
}

/// Runs each case over random paths and recorded connections, at least so many steps in all.
fn all_cases(runner: &mut dyn Runner, steps: usize) {
    let recorded: Vec<Sequence> = [
        recorded("drop tail", &three_flows("20 packets", ""), 3000),
        recorded("large buffer", &three_flows("300 packets", ""), 3000),
        recorded("errors", &three_flows("100 packets", "errors = { model = \"uniform\", rate = 0.005 }"), 3000),
    ]
    .concat();
    let cases = cases();
    let each = steps / cases.len() + 1;
    let mut total = 0;
    for (name, case) in &cases {
        let mut tally = Tally::default();
        for sequence in &recorded {
            tally.compare(case, sequence, runner);
        }
        let of_recorded = tally.steps;
        let mut seed = 0;
        while tally.steps < each {
            seed += 1;
            let mut simulated: Option<Simulated> = None;
            let sequence = random(seed, 2000, |sequence, step| {
                let model = simulated
                    .get_or_insert_with(|| Simulated::new(case, sequence.start, sequence.mss, sequence.initial_window));
                model.step(step).cwnd
            });
            tally.compare(case, &sequence, runner);
        }
        println!("{name}: {of_recorded} recorded, {tally:?}");
        total += tally.steps;
        assert!(tally.undecidable.values().sum::<usize>() * 5 < tally.connections, "{tally:?}");
        assert!(tally.rounds > tally.steps / 100 && tally.trends[3] > 0 || *name == "Vegas", "{tally:?}");
        assert!(*name == "Vegas" || tally.trends[1] > 100 && tally.trends[2] > 100, "{tally:?}");
    }
    assert!(total >= steps, "{total}");
}

/// Three senders over 3 Mb/s and 40 ms, there and back.
fn three_flows(buffer: &str, errors: &str) -> String {
    let mut text =
        String::from("duration = \"60 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"graph\"\n[node]\n");
    for (name, kind) in
        [("s1", "host"), ("s2", "host"), ("s3", "host"), ("d", "host"), ("sw1", "switch"), ("sw2", "switch")]
    {
        text += &format!("{name}.kind = \"{kind}\"\n");
    }
    for (name, ends, rate, delay) in [
        ("a", ["s1", "sw1"], 100, 1),
        ("b", ["s2", "sw1"], 100, 1),
        ("c", ["s3", "sw1"], 100, 3),
        ("d", ["sw2", "d"], 100, 1),
        ("middle", ["sw1", "sw2"], 3, 17),
    ] {
        text += &format!("[link.{name}]\nends = {ends:?}\nrate = \"{rate} Mbps\"\ndelay = \"{delay} ms\"\n");
    }
    text += &format!("{errors}\n[queue]\nbuffer = \"{buffer}\"\n[tcp]\nreceive_window = \"1000 kB\"\n");
    for at in 1..=3 {
        text += &format!("[flow.f{at}]\nfrom = \"s{at}\"\nto = \"d\"\n");
    }
    text
}

#[test]
fn a_million_steps_are_those_of_the_simulator() {
    if let Some(mut native) = Native::new() {
        all_cases(&mut native, 1_200_000);
    }
}

/// The object that is shipped, as the kernel executes it.
#[cfg(all(target_os = "linux", feature = "bpf"))]
#[test]
fn a_million_steps_in_the_kernel_are_those_of_the_simulator() {
    if let Some(mut kernel) = super::runners::Kernel::new() {
        all_cases(&mut kernel, 1_200_000);
    }
}

/// Both ways to execute the header give equal states, to the bit.
#[cfg(all(target_os = "linux", feature = "bpf"))]
#[test]
fn the_kernel_and_an_ordinary_program_have_equal_states() {
    let (Some(mut native), Some(mut kernel)) = (Native::new(), super::runners::Kernel::new()) else { return };
    for (name, case) in cases() {
        let mut draw = super::sequences::Random::new(3, name);
        let mut steps = vec![RawStep { what: 3, now: 5, una: 7, ..RawStep::default() }];
        // Whatever: states that no connection comes to as well.
        for _ in 0..5000 {
            let what = [1, 2, 0, 0, 0, 0, 0, 0][draw.below(8) as usize];
            let mut word = |most_bits: u64| {
                let bits = draw.below(most_bits + 1);
                draw.below(1 << bits) as u32
            };
            steps.push(RawStep {
                what,
                now: word(32),
                una: word(32),
                nxt: word(32),
                flight: word(32),
                acked: word(6),
                mss: word(16) + 1,
                limit: word(24) + 2,
                rtt: word(28),
                cwnd: word(8),
            });
        }
        let draws = (0..DRAWS).map(|_| draw.below(1 << 32) as u32).collect();
        let parameters = case.parameters().octets(case.kind).unwrap();
        let run = Run { parameters, state: State::default(), cwnd: 10, ssthresh: NO_SSTHRESH, draws, steps };
        let [one, other] = [native.run(&run), kernel.run(&run)];
        for (at, (one, other)) in one.iter().zip(&other).enumerate() {
            assert_eq!(one, other, "{name}, step {at}: {:?}", run.steps[at]);
        }
    }
}

/// The unit vectors of the study's algorithm: base 100 ms; alpha, window, round trip in ms, the throughput before, and what comes out.
/// Equality is exact here, also where floating point would have to round, and where products have more than 64 bits.
#[test]
fn the_decision_table_of_the_thesis() {
    use Before::{Less, More, Same, Undefined};
    with_each_runner(|runner| {
        for samples in [3, 7919, 65_521, 123_457, 999_983] {
            let mut decided = |alpha: u32, window: u32, rtt: u32, before: Before| {
                let round = Round { window, rtt, samples, before };
                let after = decided(runner, Kind::VegasA, [alpha * 1000, (alpha + 2) * 1000], &round);
                (after.cwnd, after.state.alpha / 1000, after.state.beta / 1000)
            };
            for before in [Less, More, Same, Undefined] {
                assert_eq!(decided(1, 10, 100, before), (11, 1, 3), "1: below alpha at its floor");
                assert_eq!(decided(1, 20, 125, before), (19, 1, 3), "5: above beta, alpha at its floor");
                assert_eq!(decided(4, 20, 125, before), (20, 4, 6), "9: at alpha");
                assert_eq!(decided(2, 20, 125, before), (20, 2, 4), "10: at beta");
                assert_eq!(decided(3, 40, 125, before), (39, 2, 4), "11: above beta");
                assert_eq!(decided(1, 2, 100, before), (3, 1, 3), "13: below alpha at its floor");
                // No power of two: 7 · (1 − 100/140) = 2, 21 · (1 − 100/150) = 7.
                assert_eq!(decided(2, 7, 140, before), (7, 2, 4), "at alpha");
                assert_eq!(decided(5, 21, 150, before), (21, 5, 7), "at beta");
                assert_eq!(decided(1, 300_003, 100_001, before), (300_002, 1, 3), "above beta by far");
            }
            assert_eq!(decided(1, 10, 125, Less), (11, 2, 4), "2: between, up");
            assert_eq!(decided(1, 10, 125, More), (10, 1, 3), "3: between, down");
            assert_eq!(decided(1, 10, 125, Same), (10, 1, 3), "4: between, a tie");
            assert_eq!(decided(5, 20, 125, Less), (21, 5, 7), "6: below alpha, up");
            assert_eq!(decided(5, 20, 125, More), (19, 4, 6), "7: below alpha, down");
            assert_eq!(decided(5, 20, 125, Same), (20, 5, 7), "8: below alpha, a tie");
            assert_eq!(decided(1, 2, 400, Undefined), (2, 1, 3), "12: 1.5 is between");
            assert_eq!(decided(1, 2, 100_000, Less), (3, 2, 4), "nearly 2 is between");
        }
    });
}

/// Vegas rounds as ns-2 does: half a packet up, and towards zero. W · (1 − 100/rtt).
#[test]
fn vegas_compares_packets_that_are_rounded() {
    with_each_runner(|runner| {
        for samples in [3, 7919, 65_521, 123_457, 999_983] {
            let mut decided = |alpha: u32, beta: u32, window: u32, rtt: u32| {
                let round = Round { window, rtt, samples, before: Before::Same };
                let after = decided(runner, Kind::Vegas, [alpha, beta], &round);
                // Growth is 1/cwnd per packet acknowledged.
                if after.state.increment > 0 { i64::from(window) + 1 } else { after.cwnd.into() }
            };
            // Beta 3: 3.5 is 4, a little less is 3.
            assert_eq!([decided(1000, 3000, 7, 200), decided(1000, 3000, 7, 199)], [6, 7]);
            // Alpha 1: 0.5 is 1, which is not less.
            assert_eq!([decided(1000, 3000, 3, 120), decided(1000, 3000, 3, 119)], [3, 4]);
            // What is not whole: 2 is more than 1.9, 1 is less than 1.1.
            assert_eq!([decided(1000, 1900, 3, 200), decided(1000, 1900, 5, 142)], [2, 5], "1.5 is 2, 1.48 is 1");
            assert_eq!([decided(1100, 3000, 5, 142), decided(1100, 3000, 3, 200)], [6, 3], "1.48 is 1, 1.5 is 2");
            assert_eq!(decided(0, 3000, 10, 100), 10, "nothing is less than nothing");
        }
        // Fewer are under way than were sent in the round: −1.5 is −1, −1.499 is 0.
        for (flight, growth) in [(8500, true), (8501, false)] {
            let round = Round { window: 10, rtt: 100, samples: 3, before: Before::Same };
            let after = decided_with(runner, Kind::Vegas, [0, 3000], &round, flight);
            assert_eq!(after.state.increment > 0, growth);
        }
    });
}

fn with_each_runner(mut check: impl FnMut(&mut dyn Runner)) {
    if let Some(mut native) = Native::new() {
        check(&mut native);
    }
    #[cfg(all(target_os = "linux", feature = "bpf"))]
    if let Some(mut kernel) = super::runners::Kernel::new() {
        check(&mut kernel);
    }
}

/// Ties are ties.
fn exact() -> Parameters {
    Parameters { th_tolerance: 0.0, tie_up_probability: 0.0, ..Parameters::default() }
}

/// The throughput of the round before, against that of this one.
#[derive(Clone, Copy)]
enum Before {
    Less,
    More,
    Same,
    Undefined,
}

/// A round of `window` packets that took `rtt` ms, of which 100 are the path's, measured so often.
struct Round {
    window: u32,
    rtt: u32,
    samples: u32,
    before: Before,
}

/// What there is after the round, with these thresholds, thousandths of packets.
fn decided(runner: &mut dyn Runner, kind: Kind, thresholds: [u32; 2], round: &Round) -> After {
    decided_with(runner, kind, thresholds, round, round.window * MSS)
}

const MSS: u32 = 1000;

/// With so many octets under way at its end.
fn decided_with(runner: &mut dyn Runner, kind: Kind, [alpha, beta]: [u32; 2], round: &Round, flight: u32) -> After {
    let Round { window, rtt, samples, before } = *round;
    let sent = u64::from(window * MSS) * u64::from(samples);
    let time = u64::from(rtt) * 1000 * u64::from(samples);
    let (th_sent, th_time) = match before {
        Before::Less => (sent, time + 1),
        Before::More => (sent, time - 1),
        Before::Same => (sent * 3, time * 3),
        Before::Undefined => (0, 0),
    };
    let state = State {
        cwnd: u64::from(window) << 32,
        written: window,
        base: 100_000 * 7,
        base_count: 7,
        sum: time,
        count: samples,
        th_sent,
        th_time,
        alpha,
        beta,
        sampling: 1,
        ..State::default()
    };
    // The first octet of the next round is acknowledged.
    let step = RawStep {
        now: 1_000_000,
        una: MSS,
        nxt: window * MSS,
        flight,
        acked: 1,
        mss: MSS,
        limit: 1_000_000,
        ..RawStep::default()
    };
    let parameters = Parameters { alpha: f64::from(alpha) / 1000.0, beta: f64::from(beta) / 1000.0, ..exact() };
    // Vegas-A has its thresholds in its state.
    let parameters = if kind == Kind::VegasA { exact() } else { parameters };
    let parameters = parameters.octets(kind).unwrap();
    let run = Run { parameters, state, cwnd: window, ssthresh: 2, draws: vec![0; DRAWS], steps: vec![step] };
    runner.run(&run)[0]
}

/// Hosts put acknowledgements together: in slow start the window grows by as many packets as one of them acknowledges, up to ssthresh.
#[test]
fn slow_start_counts_packets_and_ends_at_ssthresh() {
    let Some(mut native) = Native::new() else { return };
    let state = State { cwnd: 10 << 32, written: 10, base: 100_000, base_count: 1, end: 1 << 20, ..State::default() };
    let state = State { increment: 1 << 32, sampling: 1, alpha: 1000, beta: 3000, ..state };
    let step = RawStep {
        now: 1,
        una: 4000,
        nxt: 10_000,
        flight: 10_000,
        acked: 4,
        mss: 1000,
        limit: 100,
        ..RawStep::default()
    };
    let parameters = exact().octets(Kind::VegasA).unwrap();
    let mut windows = |ssthresh: u32, flight: u32| {
        let step = RawStep { flight, ..step };
        let run = Run { parameters, state, cwnd: 10, ssthresh, draws: vec![0; DRAWS], steps: vec![step] };
        native.run(&run)[0].cwnd
    };
    assert_eq!(windows(NO_SSTHRESH, 10_000), 14);
    assert_eq!(windows(12, 10_000), 12);
    assert_eq!(windows(NO_SSTHRESH, 8000), 14, "two packets are not used");
    assert_eq!(windows(NO_SSTHRESH, 7999), 10, "a little more are not used: no growth");
}
