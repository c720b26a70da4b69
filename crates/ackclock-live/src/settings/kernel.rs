//! Which congestion control of the kernel is the one of a flow.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::io;

use ackclock::scenario::Flow;
use ackclock::tcp::CongestionControlParams;
use ackclock::tcp::cc::ALL;
use ackclock_bpf::{Kind, Parameters};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketType, sockopt};

use crate::LiveError;

/// A congestion control that the kernel has, or gets for the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Algorithm {
    /// What scenario files call it.
    pub name: String,
    /// What the kernel calls it; if it gets it for the run, under a name of that, what it is.
    pub kernel: &'static str,
    /// What the kernel gets for the run.
    pub program: Option<Program>,
    /// Its parameters in the scenario.
    pub params: CongestionControlParams,
}

/// A congestion control that is loaded into the kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The algorithm that the program is.
    pub kind: Kind,
    /// Its parameters.
    pub parameters: Parameters,
}

impl Display for Algorithm {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(self.kernel)
    }
}

/// Congestion controls of scenario files, and what Linux calls the same algorithm. Of BBR the kernel has one version under one name.
pub const KERNEL_NAMES: &[(&str, &str)] = &[
    ("reno", "reno"),
    ("cubic", "cubic"),
    ("bbr1", "bbr"),
    ("bbr3", "bbr"),
    ("hybla", "hybla"),
    ("illinois", "illinois"),
    ("vegas-linux", "vegas"),
];

/// The congestion control of a flow.
///
/// # Errors
/// If Linux has nothing like it.
pub fn of(flow: &Flow) -> Result<Algorithm, LiveError> {
    let params = flow.tcp.congestion_control.clone();
    let name = params.name().to_owned();
    let program = match &params {
        CongestionControlParams::Vegas(params) => Some((Kind::Vegas, "vegas (BPF)", Parameters::of_vegas(params))),
        CongestionControlParams::VegasA(params) => {
            Some((Kind::VegasA, "vegas-a (BPF)", Parameters::of_vegas_a(params)))
        }
        _ => None,
    };
    if let Some((kind, kernel, parameters)) = program {
        let parameters = parameters.and_then(|parameters| parameters.octets(kind).map(|_| parameters));
        let parameters = parameters.map_err(|error| {
            let text = error.to_string();
            let (text, help) =
                text.split_once("\nhelp: ").unwrap_or((&text, "simulate the scenario with `ackclock run`"));
            LiveError::scenario(format_args!("flow {}: {text}", flow.name), help)
        })?;
        return Ok(Algorithm { name, kernel, program: Some(Program { kind, parameters }), params });
    }
    match KERNEL_NAMES.iter().find(|(ours, _)| *ours == name) {
        Some((_, kernel)) => Ok(Algorithm { name, kernel, program: None, params }),
        None => {
            let others: Vec<&str> = KERNEL_NAMES.iter().map(|(ours, _)| *ours).chain(["vegas", "vegas-a"]).collect();
            Err(LiveError::scenario(
                format_args!("flow {}: Linux has no congestion control like `{name}`", flow.name),
                format_args!("choose one of {}, or simulate the scenario with `ackclock run`", others.join(", ")),
            ))
        }
    }
}

impl Algorithm {
    /// Whether the scenario leaves all parameters of the algorithm as they are.
    pub fn has_defaults(&self) -> bool {
        let described = ALL.iter().find(|described| described.name == self.name);
        described.is_some_and(|described| described.with_defaults() == self.params)
    }

    /// Makes sure that the kernel has it: asks for it at a socket, for which the kernel loads a module if there is one. What the run loads
    /// is there.
    pub fn check(&self) -> Result<(), LiveError> {
        if self.program.is_some() {
            return Ok(());
        }
        let Err(error) = is_available(self.kernel) else { return Ok(()) };
        let (kernel, available) = (self.kernel, available().join(", "));
        Err(match Errno::from_io_error(&error) {
            Some(Errno::NOENT) => LiveError::machine(
                format_args!("this kernel has no congestion control `{kernel}`; it has {available}"),
                format_args!(
                    "choose one of these, or load the module (modprobe tcp_{kernel}) if your distribution has it"
                ),
            ),
            Some(Errno::PERM) => LiveError::machine(
                format_args!("this process may not use the congestion control `{kernel}`"),
                "run it as root, or add it to net.ipv4.tcp_allowed_congestion_control",
            ),
            _ => LiveError::machine(
                format_args!("cannot use the congestion control `{kernel}`: {error}"),
                "see `ackclock doctor`",
            ),
        })
    }
}

/// Asks a socket of this thread's namespace for a congestion control.
fn is_available(kernel: &str) -> io::Result<()> {
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None)?;
    Ok(sockopt::set_tcp_congestion(&socket, kernel)?)
}

/// The congestion controls that are in the kernel now.
pub fn available() -> Vec<String> {
    let listed = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap_or_default();
    listed.split_whitespace().map(str::to_owned).collect()
}
