//! Which port limits: one rule for everything that speaks of one port.

use super::{PortCounts, PortRecord, VcRecord};

/// The port that limits, as an index: that of the named bottleneck; without one, of the ports that data pass, the one with the
/// longest mean queue, the first of equals. `measured` are the ports after the warm-up, if there is one. `None` where no data
/// pass any port.
pub fn limiting_port(ports: &[PortRecord], measured: Option<&[PortCounts]>, bottleneck: Option<&str>) -> Option<usize> {
    let queue = |place: usize| measured.map_or(ports[place].mean_queue, |measured| measured[place].mean_queue);
    let named = ports.iter().position(|port| Some(port.name.as_str()) == bottleneck);
    let passed = |place: &usize| ports[*place].vcs.iter().any(VcRecord::is_data_that_passed);
    let longest = || (0..ports.len()).filter(passed).reduce(|a, b| if queue(b) > queue(a) { b } else { a });
    named.or_else(longest)
}

impl VcRecord {
    /// Whether it is a path of data, and something came to the port.
    fn is_data_that_passed(&self) -> bool {
        self.arrivals > 0 && is_of_data(&self.name)
    }
}

/// Whether a path of this name is one of data: those of acknowledgements end with `/ack`.
pub fn is_of_data(vc: &str) -> bool {
    !vc.ends_with("/ack")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Drops;

    fn port(name: &str, mean_queue: f64, vcs: &[(&str, u64)]) -> PortRecord {
        let vc = |&(name, arrivals): &(&str, u64)| VcRecord {
            name: name.into(),
            arrivals,
            departures: arrivals,
            drops: 0,
            mean_queue: 0.0,
            max_queue: 0,
            final_queue: 0,
        };
        PortRecord {
            name: name.to_owned(),
            arrivals: 1,
            departures: 1,
            drops: Drops::default(),
            mean_queue,
            max_queue: 1,
            final_queue: 0,
            tallies: Default::default(),
            mean_active: 0.0,
            congestion_episodes: None,
            fingerprint: 0,
            rates: None,
            feedback: None,
            sojourn: None,
            vcs: vcs.iter().map(vc).collect(),
        }
    }

    #[test]
    fn it_is_the_named_one_or_the_longest_queue_of_data() {
        let ports = [
            port("idle", 9.0, &[("f1", 0)]),
            port("acks", 8.0, &[("f1/ack", 5)]),
            port("first", 2.0, &[("f1", 5)]),
            port("longest", 3.0, &[("f1", 5), ("f1/ack", 0)]),
            port("equal", 3.0, &[("f1", 5)]),
        ];
        assert_eq!(limiting_port(&ports, None, None), Some(3));
        assert_eq!(limiting_port(&ports, None, Some("first")), Some(2));
        assert_eq!(limiting_port(&ports, None, Some("gone")), Some(3));
        assert_eq!(limiting_port(&ports[..2], None, None), None);
        // After the warm-up the first has the longer queue.
        let counts = |mean_queue| PortCounts {
            arrivals: 1,
            departures: 1,
            drops: Drops::default(),
            tallies: Default::default(),
            mean_queue,
            marked_cells: None,
        };
        let measured = [9.0, 8.0, 4.0, 3.0, 3.0].map(counts);
        assert_eq!(limiting_port(&ports, Some(&measured), None), Some(2));
    }
}
