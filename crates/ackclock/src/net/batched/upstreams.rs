//! What can reach each logical process, and in what time.

use std::collections::BTreeMap;

use crate::units::Span;

/// What can reach a logical process.
pub(super) struct Upstream {
    pub(super) from: usize,
    pub(super) lookahead: Span,
}

/// By process, from the least time to one process (the first) from another (the second).
pub(super) fn upstreams(processes: usize, lookaheads: &BTreeMap<(usize, usize), Span>) -> Vec<Vec<Upstream>> {
    let mut upstreams: Vec<Vec<Upstream>> = (0..processes).map(|_| Vec::new()).collect();
    // Around every circle of processes some time passes; else none of them could ever begin.
    for (&(to, from), &lookahead) in lookaheads {
        assert!(lookahead > Span::ZERO || to != from, "process {to} can be reached from itself in no time");
        upstreams[to].push(Upstream { from, lookahead });
    }
    upstreams
}
