//! What a document says of runs on the TCP of a kernel.

#![allow(missing_docs)] // The names of the fields are the keys of the document, and say what they are.

mod line;

use serde::{Deserialize, Serialize};

/// Where the runs of a document were made, if not in a simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Live {
    /// Name and release, as `Linux 6.18.44`.
    pub kernel: String,
    pub congestion_controls: Vec<KernelAlgorithm>,
    /// Of each host what it was set to.
    pub settings: Vec<Setting>,
    /// What the kernel does in another way than the scenario says, in sentences.
    pub differences: Vec<String>,
}

/// A congestion control.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelAlgorithm {
    /// As scenario files call it.
    pub name: String,
    pub kernel_name: String,
}

/// Something that a host was set to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    pub host: String,
    /// A name below `net.ipv4`, the `mtu` of the device, or a route.
    pub setting: String,
    pub value: String,
}

/// How one live run went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiveRun {
    pub verdict: Validity,
    /// Why it is not valid, in sentences.
    pub reasons: Vec<String>,
    pub lateness: Lateness,
    /// How much later than at once hosts have acknowledged what they must, and their programs have sent what was due.
    #[serde(default)]
    pub host_lateness: Lateness,
    /// For which part of their time all flows together have felt single pauses of the machine.
    #[serde(default)]
    pub pauses_felt: f64,
    /// Packets that were lost outside the scenario: in devices and hosts, and datagrams that the kernel refused.
    pub drops_outside: u64,
    /// Processes that ran or wanted to, on average over the last minute, at the end.
    pub load: Option<f64>,
    /// The part of one processor that the run took.
    pub processor: f64,
    /// How windows were read: `tcp-probe` at each acknowledgement, or `tcp-info`.
    pub trace: String,
    /// From one reading of `TCP_INFO` to the next.
    pub poll_s: f64,
    /// What went wrong with connections, in sentences.
    pub problems: Vec<String>,
}

/// Whether a live run measures the scenario, or the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Validity {
    Valid,
    Degraded,
    Invalid,
}

/// How late something was: packets that left the emulator, or what hosts have sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lateness {
    pub packets: u64,
    pub p50_s: Option<f64>,
    pub p99_s: Option<f64>,
    pub p999_s: Option<f64>,
    pub max_s: Option<f64>,
}

impl Validity {
    /// Its word in documents and tables.
    pub fn name(self) -> &'static str {
        match self {
            Validity::Valid => "valid",
            Validity::Degraded => "degraded",
            Validity::Invalid => "invalid",
        }
    }
}
