//! Groups of flows that are one unit for a port: each has one rate, of which every member that has been heard has an equal part.
//! Source: \[RATE-CONTROL\] §3, groups of flows as one unit.

/// The rates of groups and of their members, in units per second; infinite where there is none.
#[derive(Clone)]
pub(in crate::net) struct GroupRates {
    /// The number of the group of each session.
    of_sessions: Vec<usize>,
    /// Whether anything has ever come of each session.
    heard: Vec<bool>,
    /// Of each session, then of each group.
    rates: Vec<f64>,
}

impl GroupRates {
    /// Of sessions in groups with these numbers, which have these rates. Where rates are known before anything has come, every member
    /// counts from the start.
    pub(in crate::net) fn new(of_sessions: Vec<usize>, rates: &[f64], known_from_start: bool) -> GroupRates {
        let heard = vec![known_from_start; of_sessions.len()];
        let mut groups = GroupRates { rates: vec![f64::INFINITY; of_sessions.len() + rates.len()], of_sessions, heard };
        groups.update(rates);
        groups
    }

    /// Something comes of a session: its group.
    pub(in crate::net) fn on_arrival(&mut self, session: usize) -> usize {
        self.heard[session] = true;
        self.of_sessions[session]
    }

    /// There are new rates of the groups.
    pub(in crate::net) fn update(&mut self, rates: &[f64]) {
        let sessions = self.of_sessions.len();
        let mut members = vec![0_u32; rates.len()];
        for (group, _) in self.of_sessions.iter().zip(&self.heard).filter(|(_, heard)| **heard) {
            members[*group] += 1;
        }
        for (session, &group) in self.of_sessions.iter().enumerate() {
            let part = rates[group] / f64::from(members[group]);
            self.rates[session] = if self.heard[session] { part } else { f64::INFINITY };
        }
        self.rates[sessions..].copy_from_slice(rates);
    }

    /// The rates of all sessions, then of all groups.
    pub(in crate::net) fn rates(&self) -> &[f64] {
        &self.rates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: f64 = f64::INFINITY;

    #[test]
    fn members_that_have_been_heard_share_the_rate_of_their_group() {
        let mut groups = GroupRates::new(vec![0, 0, 0, 1], &[NONE, NONE], false);
        assert_eq!(groups.rates(), [NONE; 6]);
        assert_eq!((groups.on_arrival(1), groups.on_arrival(3)), (0, 1));
        groups.update(&[12.0, 5.0]);
        assert_eq!(groups.rates(), [NONE, 12.0, NONE, 5.0, 12.0, 5.0]);
        groups.on_arrival(0);
        groups.on_arrival(1);
        groups.update(&[12.0, 4.0]);
        assert_eq!(groups.rates(), [6.0, 6.0, NONE, 4.0, 12.0, 4.0]);
    }

    #[test]
    fn where_rates_are_known_from_the_start_all_members_count() {
        assert_eq!(GroupRates::new(vec![0, 0, 1], &[8.0, 3.0], true).rates(), [4.0, 4.0, 3.0, 8.0, 3.0]);
    }
}
