//! Networks with ABR connections: ports and hosts take runs of cells, each with a spacing of its own, because the spacing of a source
//! changes with its rate. What a backward RM cell says, and where it is on its way, are two things: the cell waits and departs like
//! any other, and each port that its connection's data leave by reads and writes what it says as a visit.

pub(super) mod admission;
pub(super) mod fifo;
pub(super) mod port;
pub(super) mod run;
pub(super) mod under_way;
