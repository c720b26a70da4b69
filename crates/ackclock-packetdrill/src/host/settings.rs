//! What a script sets, as the keys of a scenario say it, and what of it has no meaning here.

use ackclock::tcp::TcpParams;
use ackclock_scenario::{LoadError, Memory, load};

use crate::script::Trouble;

/// Something in a script that has no meaning here, so that it is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The line of the script, from 1.
    pub line: usize,
    /// The command or assertion that has no meaning here.
    pub what: String,
}

/// The settings of the host.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    dialect: String,
    /// In the form of `--set`.
    sets: Vec<String>,
    pub(crate) sack: bool,
    pub(crate) timestamps: bool,
    pub(crate) scaling: bool,
    /// `tcp_ecn`: 0 off, 1 asks for it, 2 agrees to it.
    pub(crate) ecn: u8,
    /// Octets that a datagram may have.
    pub(crate) mtu: u32,
    /// What bounds the segment size beside (`TCP_MAXSEG`).
    pub(crate) max_segment: Option<u32>,
    pub(crate) no_delay: bool,
    pub(crate) left_out: Vec<LeftOut>,
}

/// The window scale that the host offers.
pub(crate) const OWN_SCALE: u8 = 8;
/// Octets of the headers of a datagram.
const HEADERS: u32 = 40;
/// What a peer says that wants less is not believed.
const LEAST_SEGMENT: u32 = 48;
/// Those of the timestamps option.
const TIMESTAMPS: u32 = 12;

/// What was agreed in the handshake.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agreed {
    pub(crate) mss: u32,
    pub(crate) sack: bool,
    pub(crate) timestamps: bool,
    pub(crate) ecn: bool,
}

impl Settings {
    pub(crate) fn new(dialect: &str) -> Settings {
        Settings {
            dialect: dialect.to_string(),
            sets: Vec::new(),
            sack: true,
            timestamps: true,
            scaling: true,
            ecn: 2,
            mtu: 1500,
            max_segment: None,
            no_delay: false,
            left_out: Vec::new(),
        }
    }

    pub(crate) fn leave_out(&mut self, line: usize, what: impl Into<String>) {
        self.left_out.push(LeftOut { line, what: what.into() });
    }

    /// A key of [tcp] gets this value.
    pub(crate) fn set(&mut self, key: &str, value: impl std::fmt::Display) {
        self.sets.push(format!("tcp.{key}={value}"));
    }

    /// The congestion control that Linux calls so.
    pub(crate) fn set_congestion_control(&mut self, line: usize, name: &str) -> Result<(), Trouble> {
        let name = match name {
            "vegas" => "vegas-linux",
            "reno" | "cubic" | "bbr" | "bbr1" | "hybla" | "illinois" => name,
            _ => {
                let remedy = "cubic, reno, vegas, bbr, hybla and illinois are simulated";
                return Err(Trouble::new(line, format!("the congestion control {name} is not modelled"), remedy));
            }
        };
        self.set("congestion_control", name);
        Ok(())
    }

    /// The segment size that the host says in its SYN.
    pub(crate) fn own_mss(&self) -> u32 {
        let own = self.mtu - HEADERS;
        self.max_segment.map_or(own, |segment| segment.min(own))
    }

    /// The payload of a segment to a peer that says this.
    pub(crate) fn segment(&self, peer: Option<u32>, timestamps: bool) -> u32 {
        let options = if timestamps { TIMESTAMPS } else { 0 };
        peer.unwrap_or(536).min(self.own_mss()).saturating_sub(options).max(LEAST_SEGMENT)
    }

    /// The parameters of a connection.
    pub(crate) fn params(&self, agreed: &Agreed, line: usize) -> Result<TcpParams, Trouble> {
        let text = format!(
            "duration = \"1 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 1\n\
             access_rate = \"1 Gbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"1 Gbps\"\nbottleneck_delay = \"1 ms\"\n\
             [queue]\nbuffer = \"1000 packets\"\n[tcp]\ndialect = \"{}\"\nreceive_window = \"512 MB\"\n\
             initial_window = \"10 segments\"\n",
            self.dialect
        );
        let loaded = load(&Memory::new().with("script", text), "script", &self.sets).map_err(|error| {
            let reason = match error {
                LoadError::Invalid(errors) => errors.first().map(|error| error.message.clone()).unwrap_or_default(),
                _ => "the settings cannot be read".to_string(),
            };
            Trouble::new(line, format!("these settings do not fit together: {reason}"), "change what the script sets")
        })?;
        let flow = loaded.scenario.flows.iter().next().expect("the network has a flow");
        let mut params = TcpParams::clone(&flow.tcp);
        params.mss = agreed.mss;
        params.receiver_sack = agreed.sack;
        params.fin = false;
        if !agreed.timestamps {
            params.timestamp_clock = None;
        }
        params.ecn.mode = if agreed.ecn { ackclock::tcp::EcnMode::Classic } else { ackclock::tcp::EcnMode::Off };
        Ok(params)
    }
}
