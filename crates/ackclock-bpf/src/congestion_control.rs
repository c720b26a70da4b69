//! Vegas or Vegas-A in the kernel, under a name.

use std::fmt;

use libbpf_rs::{Error as Libbpf, ErrorKind, Link, MapCore as _, Object};

use crate::error::Error;
use crate::kernel::{load, loading, variables};
use crate::parameters::{Kind, Parameters};

/// `bpf/vegas_a.bpf.c`, compiled.
const PROGRAM: &[u8] = include_bytes!("../bpf/vegas_a.bpf.o");

/// A congestion control of the kernel, for as long as this lives; when the process ends, however it ends, it goes as well.
/// Connections that have it then keep it until they end.
///
/// Every namespace of the machine may choose it by its name: in `net.ipv4.tcp_congestion_control`, with the socket option
/// TCP_CONGESTION, or in a route (`congctl`). A namespace whose default it is keeps it in the kernel.
pub struct CongestionControl {
    // First: the kernel lets go of it before its programs.
    _link: Link,
    object: Object,
    name: String,
}

/// How often the throughputs of two rounds were compared, and what was found: of all connections of one congestion control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trends {
    /// The later one was larger.
    pub up: u64,
    /// It was less.
    pub down: u64,
    /// They were equal, or there was no earlier one.
    pub ties: u64,
}

impl CongestionControl {
    /// Loads Vegas or Vegas-A under this name, 1 to 15 octets of letters, digits, `_` and `.`: the kernel takes no other.
    ///
    /// # Errors
    /// If the name or a parameter is none, if the kernel has a congestion control of this name, and if the machine or the kernel
    /// does not let programs be loaded: see [`missing`](crate::missing).
    pub fn load(kind: Kind, name: &str, parameters: &Parameters) -> Result<CongestionControl, Error> {
        let is_of_a_name = |octet: u8| octet.is_ascii_alphanumeric() || octet == b'_' || octet == b'.';
        if !(1..=15).contains(&name.len()) || !name.bytes().all(is_of_a_name) {
            return Err(Error::Name { name: name.to_owned() });
        }
        let parameters = parameters.octets(kind)?;
        let (object, link) = loading("load the congestion control", || {
            let mut object = load(PROGRAM, |open| {
                for mut map in open.maps_mut() {
                    let of = map.name().to_string_lossy().into_owned();
                    let value = map.initial_value_mut();
                    if of.ends_with(".rodata") {
                        value.ok_or_else(|| ours("no parameters"))?.copy_from_slice(&parameters);
                    } else if of == "vegas_ops" {
                        write_name(value.ok_or_else(|| ours("no name"))?, name)?;
                    }
                }
                // The tests load it, and nothing else.
                open.progs_mut().filter(|program| program.name() == "vegas_step").for_each(|mut program| {
                    program.set_autoload(false);
                });
                Ok(())
            })?;
            let operations = object.maps_mut().find(|map| map.name() == "vegas_ops");
            let link = operations.ok_or_else(|| ours("no operations"))?.attach_struct_ops()?;
            Ok((object, link))
        })
        .map_err(|(kind, error)| match kind {
            ErrorKind::AlreadyExists => Error::Taken { name: name.to_owned() },
            _ => error,
        })?;
        Ok(CongestionControl { _link: link, object, name: name.to_owned() })
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What its connections have found so far.
    pub fn trends(&self) -> Trends {
        let counts = variables(&self.object);
        let count = |at: usize| counts.get(at).copied().unwrap_or(0);
        Trends { up: count(0), down: count(1), ties: count(2) }
    }
}

impl fmt::Debug for CongestionControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CongestionControl").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The name that the program is compiled with, and nothing else of its operations: its place is that of the member of 16 octets.
const COMPILED_NAME: &[u8; 16] = b"vegas_a\0\0\0\0\0\0\0\0\0";

fn write_name(operations: &mut [u8], name: &str) -> Result<(), Libbpf> {
    let place = operations.windows(16).position(|octets| octets == COMPILED_NAME).ok_or_else(|| ours("no name"))?;
    operations[place..place + 16].fill(0);
    operations[place..place + name.len()].copy_from_slice(name.as_bytes());
    Ok(())
}

/// The object is not the one that this program was written for.
fn ours(lacks: &str) -> Libbpf {
    std::io::Error::other(format!("vegas_a.bpf.o has {lacks}: build it again with bpf/build")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_replaces_the_one_that_is_compiled_in() {
        let mut operations = [&[7; 9][..], &COMPILED_NAME[..], &[1; 5]].concat();
        write_name(&mut operations, "abc").unwrap();
        assert_eq!(operations, [&[7; 9][..], b"abc\0\0\0\0\0\0\0\0\0\0\0\0\0", &[1; 5]].concat());
        assert!(write_name(&mut operations, "abc").is_err());
    }
}
