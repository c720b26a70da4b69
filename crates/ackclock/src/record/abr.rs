//! What ABR connections leave behind: of their sources, and of the ports that told these their rates.

use super::{AbrCounts, Fingerprint};

/// What the source of one ABR connection did. Rates are in cells per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AbrRecord {
    /// Forward RM cells that the source sent in rate.
    pub forward_rm_cells: u64,
    /// Forward RM cells that it sent out of rate.
    pub out_of_rate_rm_cells: u64,
    /// Backward RM cells that came back to it.
    pub backward_rm_cells: u64,
    /// RM cells whose place a newer one took at the destination.
    pub replaced_rm_cells: u64,
    /// RM cells that a port refused, there or back.
    pub refused_rm_cells: u64,
    /// Data cells that arrived with EFCI.
    pub efci_cells: u64,
    /// ACR at the end.
    pub acr: f64,
    /// The least ACR.
    pub least_acr: f64,
    /// The mean of ACR over the time after the warm-up.
    pub mean_acr: f64,
    /// The max-min share of the connection, where all ABR connections share what UDP leaves of the rate of every link, and each has at
    /// most its PCR.
    pub max_min_share: f64,
    /// Hash over each backward RM cell's time and the ACR after it.
    pub fingerprint: u64,
}

impl AbrRecord {
    /// What is counted.
    pub fn counts(&self) -> AbrCounts {
        let AbrRecord { forward_rm_cells, out_of_rate_rm_cells, backward_rm_cells, .. } = *self;
        let AbrRecord { replaced_rm_cells, refused_rm_cells, efci_cells, .. } = *self;
        AbrCounts {
            forward_rm_cells,
            out_of_rate_rm_cells,
            backward_rm_cells,
            replaced_rm_cells,
            refused_rm_cells,
            efci_cells,
        }
    }
}

/// What one port told the sources of ABR connections.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PortRatesRecord {
    /// Data cells of ABR connections that it marked with EFCI.
    pub marked_cells: u64,
    /// The rate that it offered at the end to a connection that it limits, in cells per second; `None` for an algorithm that
    /// computes no rates, and before the first averaging interval has ended.
    pub allocation: Option<f64>,
}

impl PortRatesRecord {
    /// Hash over both; 0 if nothing was marked and nothing computed.
    pub fn fingerprint(&self) -> u64 {
        if *self == PortRatesRecord::default() {
            return 0;
        }
        let mut fingerprint = Fingerprint::default();
        fingerprint.event(self.marked_cells, self.allocation.map_or(0, f64::to_bits));
        fingerprint.value()
    }
}
