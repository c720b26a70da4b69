//! What the policies of cells and those of packets have in common.

use super::DropReason;
use crate::keys::{Key, Misfit, Values};
use crate::units::Rate;

/// The answer to an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It enters.
    Accept,
    /// A packet that can be marked is, and enters or leaves; one that cannot is lost by the policy. Cells cannot be marked: they enter.
    Mark,
    /// It is lost.
    Drop(DropReason),
}

/// What the parameters of a policy may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// K: the size of its buffer in cells; `None` if it is not counted in cells, or has no limit.
    pub capacity_cells: Option<u32>,
    /// The rate of its link.
    pub rate: Rate,
}

/// What a policy says of itself; `P` is the parameters of its family.
#[derive(Clone, Copy, Debug)]
pub struct Policy<P> {
    /// What scenario files call it.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// Its parameters.
    pub keys: &'static [Key],
    /// Why it cannot work in a buffer without a limit, if it cannot.
    pub needs_limit: Option<&'static str>,
    /// What of its parameters is probably not meant, though it can be run.
    pub doubt: fn(&Values) -> Option<Misfit>,
    /// Its parameters for a port.
    pub params: fn(&Values, &Port) -> Result<P, Misfit>,
}
