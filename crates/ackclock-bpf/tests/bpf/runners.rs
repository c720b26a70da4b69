//! What executes `vegas.h`: an ordinary program, and the kernel.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

/// As `struct vegas` of the header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub cwnd: u64,
    pub increment: u64,
    pub sum: u64,
    pub base: u64,
    pub th_sent: u64,
    pub th_time: u64,
    pub base_count: u32,
    pub count: u32,
    pub end: u32,
    pub begun: u32,
    pub start: u32,
    pub alpha: u32,
    pub beta: u32,
    pub written: u32,
    pub rtt: u32,
    pub last: u32,
    pub grows: u8,
    pub sampling: u8,
    pub started: u8,
    pub timed_out: u8,
}

impl State {
    pub const OCTETS: usize = 96;

    pub fn octets(&self) -> [u8; State::OCTETS] {
        let longs = [self.cwnd, self.increment, self.sum, self.base, self.th_sent, self.th_time];
        let words = [
            self.base_count,
            self.count,
            self.end,
            self.begun,
            self.start,
            self.alpha,
            self.beta,
            self.written,
            self.rtt,
            self.last,
        ];
        let mut octets = [0; State::OCTETS];
        for (place, long) in octets.chunks_exact_mut(8).zip(longs) {
            place.copy_from_slice(&long.to_le_bytes());
        }
        for (place, word) in octets[48..].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        octets[88..92].copy_from_slice(&[self.grows, self.sampling, self.started, self.timed_out]);
        octets
    }

    pub fn of(octets: &[u8]) -> State {
        let long = |at: usize| u64::from_le_bytes(octets[8 * at..8 * at + 8].try_into().unwrap());
        let word = |at: usize| u32::from_le_bytes(octets[48 + 4 * at..52 + 4 * at].try_into().unwrap());
        State {
            cwnd: long(0),
            increment: long(1),
            sum: long(2),
            base: long(3),
            th_sent: long(4),
            th_time: long(5),
            base_count: word(0),
            count: word(1),
            end: word(2),
            begun: word(3),
            start: word(4),
            alpha: word(5),
            beta: word(6),
            written: word(7),
            rtt: word(8),
            last: word(9),
            grows: octets[88],
            sampling: octets[89],
            started: octets[90],
            timed_out: octets[91],
        }
    }
}

/// As `struct step` of the driver.
#[derive(Clone, Copy, Debug, Default)]
pub struct RawStep {
    pub what: u32,
    pub now: u32,
    pub una: u32,
    pub nxt: u32,
    pub flight: u32,
    pub acked: u32,
    pub mss: u32,
    pub limit: u32,
    pub rtt: u32,
    pub cwnd: u32,
}

/// What is run.
#[derive(Clone, Debug)]
pub struct Run {
    pub parameters: [u8; 64],
    pub state: State,
    pub cwnd: u32,
    pub ssthresh: u32,
    pub draws: Vec<u32>,
    pub steps: Vec<RawStep>,
}

/// What is there after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct After {
    pub state: State,
    pub cwnd: u32,
    pub ssthresh: u32,
    /// 1 up, 2 down, 3 a tie, 0 not compared.
    pub trend: u32,
}

pub trait Runner {
    fn run(&mut self, run: &Run) -> Vec<After>;
}

/// `vegas.h`, compiled for this machine.
pub struct Native {
    program: PathBuf,
    _folder: tempfile::TempDir,
}

impl Native {
    /// `None` where there is no C compiler, which is said.
    pub fn new() -> Option<Native> {
        let here = concat!(env!("CARGO_MANIFEST_DIR"), "/");
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("driver");
        let compiled = Command::new("cc")
            .args(["-O2", "-Wall", "-Wno-unknown-pragmas", "-I"])
            .args([format!("{here}bpf"), "-o".into(), program.display().to_string()])
            .arg(format!("{here}tests/bpf/driver.c"))
            .output();
        match compiled {
            Err(error) => {
                super::skipped(
                    "the arithmetic of Vegas in the kernel",
                    &format!("there is no C compiler (cc): {error}"),
                );
                None
            }
            Ok(output) => {
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                Some(Native { program, _folder: folder })
            }
        }
    }
}

impl Runner for Native {
    fn run(&mut self, run: &Run) -> Vec<After> {
        let mut input = [&run.parameters[..], &run.state.octets()].concat();
        let head = [run.cwnd, run.ssthresh, run.steps.len() as u32, 0];
        head.iter().chain(&run.draws).for_each(|word| input.extend(word.to_le_bytes()));
        for step in &run.steps {
            let RawStep { what, now, una, nxt, flight, acked, mss, limit, rtt, cwnd } = *step;
            let words = [what, now, una, nxt, flight, acked, mss, limit, rtt, cwnd];
            words.iter().for_each(|word| input.extend(word.to_le_bytes()));
        }
        let mut child =
            Command::new(&self.program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the driver runs");
        let (mut to, mut from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut output = Vec::new();
        thread::scope(|scope| {
            scope.spawn(move || to.write_all(&input).unwrap());
            from.read_to_end(&mut output).unwrap();
        });
        assert!(child.wait().unwrap().success());
        let after = |octets: &[u8]| {
            let word = |at: usize| u32::from_le_bytes(octets[State::OCTETS + 4 * at..][..4].try_into().unwrap());
            After { state: State::of(octets), cwnd: word(0), ssthresh: word(1), trend: word(2) }
        };
        output.chunks_exact(State::OCTETS + 16).map(after).collect()
    }
}

/// The object as it is shipped, in the kernel.
#[cfg(all(target_os = "linux", feature = "bpf"))]
pub struct Kernel {
    loaded: Option<([u8; 64], libbpf_rs::Object)>,
}

#[cfg(all(target_os = "linux", feature = "bpf"))]
impl Kernel {
    /// `None` where programs cannot be loaded, which is said.
    pub fn new() -> Option<Kernel> {
        super::may_load("Vegas as the kernel executes it").then_some(Kernel { loaded: None })
    }

    fn program(&mut self, parameters: &[u8; 64]) -> &libbpf_rs::Object {
        if self.loaded.as_ref().is_none_or(|(with, _)| with != parameters) {
            let mut open =
                libbpf_rs::ObjectBuilder::default().open_memory(include_bytes!("../../bpf/vegas_a.bpf.o")).unwrap();
            for mut map in open.maps_mut().filter(|map| map.name().to_string_lossy().ends_with(".rodata")) {
                map.initial_value_mut().unwrap().copy_from_slice(parameters);
            }
            self.loaded = Some((*parameters, open.load().unwrap()));
        }
        &self.loaded.as_ref().unwrap().1
    }
}

#[cfg(all(target_os = "linux", feature = "bpf"))]
impl Runner for Kernel {
    fn run(&mut self, run: &Run) -> Vec<After> {
        let object = self.program(&run.parameters);
        let program = object.progs_mut().find(|program| program.name() == "vegas_step").unwrap();
        let (mut state, mut cwnd, mut ssthresh, mut drawn) = (run.state, run.cwnd, run.ssthresh, 0);
        let mut all = Vec::new();
        for step in &run.steps {
            let mut trend = 0;
            let RawStep { what, now, una, nxt, flight, acked, mss, limit, rtt, cwnd: set } = *step;
            let window = if what == 0 && set != 0 { set } else { cwnd };
            let draw = run.draws[drawn % run.draws.len()];
            if what == 0 {
                state.rtt = rtt;
            }
            let mut octets = state.octets().to_vec();
            let sent = nxt.wrapping_sub(state.end);
            let words = [now, una, nxt, flight, sent, acked, mss, limit, window, ssthresh, draw, 0, 0, what, 0, 0];
            words.iter().for_each(|word| octets.extend(word.to_le_bytes()));
            let input = libbpf_rs::ProgramInput { context_in: Some(&mut octets), ..Default::default() };
            assert_eq!(program.test_run(input).unwrap().return_value, 0);
            let word = |at: usize| u32::from_le_bytes(octets[State::OCTETS + 4 * at..][..4].try_into().unwrap());
            state = State::of(&octets);
            match what {
                0 => {
                    (cwnd, ssthresh, trend) = (state.written, word(9), word(11));
                    drawn += word(12) as usize;
                }
                1 => ssthresh = word(14),
                2 => (cwnd, ssthresh) = (1, word(14)),
                _ => {}
            }
            all.push(After { state, cwnd, ssthresh, trend });
        }
        all
    }
}
