//! Which satellite a terminal uses.
//!
//! Source: `sticky` is what the satellite extensions of ns-2 do; the others are usual \[literature\].

use crate::plan::Reason;

/// How a terminal chooses among the satellites that it sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HandoverPolicy {
    /// Keeps its satellite as long as it sees it; then the next of the same plane that comes over the horizon, or if
    /// that is not there yet, the highest.
    Sticky,
    /// The highest, if it stands higher than the present one by more than a hysteresis.
    MaxElevation {
        /// Degrees.
        hysteresis_deg: f64,
    },
    /// The one that will be seen longest, if it will be seen longer than the present one by more than a hysteresis.
    MaxRemainingTime {
        /// Seconds.
        hysteresis_s: f64,
    },
    /// The one over which the whole path to the other terminals is shortest, if the present path is longer by more than a
    /// hysteresis. Where there are several others: the mean of the paths.
    LeastDelay {
        /// Seconds.
        hysteresis_s: f64,
    },
}

/// What a terminal, or a group of terminals that use the same satellite, can see at one instant.
pub(crate) trait View {
    /// What can go wrong when one looks.
    type Error;
    /// The elevation of a satellite in degrees, if it stands above the mask. Of a group: the least.
    fn elevation(&mut self, satellite: usize) -> Result<Option<f64>, Self::Error>;
    /// For how many seconds a satellite above the mask will stay there.
    fn remaining(&mut self, satellite: usize) -> Result<f64, Self::Error>;
    /// The delay of the path over a satellite above the mask, seconds, if the terminal at its other end used the satellite that
    /// suits this path best.
    fn best_delay(&mut self, satellite: usize) -> Result<f64, Self::Error>;
    /// The delay of the path over the satellites that both ends use now.
    fn present_delay(&mut self, satellite: usize) -> Result<f64, Self::Error>;
    /// The next satellite of the same plane.
    fn follower(&self, satellite: usize) -> Option<usize>;
    /// How many satellites there are.
    fn count(&self) -> usize;
}

impl HandoverPolicy {
    /// The satellite to use from now on, and why if it is another than before.
    pub(crate) fn choose<V: View>(
        &self,
        current: Option<usize>,
        view: &mut V,
    ) -> Result<(Option<usize>, Reason), V::Error> {
        let held = match current {
            Some(satellite) => view.elevation(satellite)?.map(|elevation| (satellite, elevation)),
            None => None,
        };
        let lost = if current.is_some() { Reason::BelowMask } else { Reason::Rises };
        match (*self, held) {
            (HandoverPolicy::Sticky, Some((satellite, _))) => Ok((Some(satellite), lost)),
            (HandoverPolicy::Sticky, None) => {
                if let Some(follower) = current.and_then(|satellite| view.follower(satellite))
                    && view.elevation(follower)?.is_some()
                {
                    return Ok((Some(follower), lost));
                }
                Ok((best(view, |_, _, elevation| Ok(elevation))?.map(|(satellite, _)| satellite), lost))
            }
            (HandoverPolicy::MaxElevation { hysteresis_deg }, held) => {
                let best = best(view, |_, _, elevation| Ok(elevation))?;
                Ok(with_hysteresis(held, best, hysteresis_deg, lost, Reason::HigherElevation))
            }
            (HandoverPolicy::MaxRemainingTime { hysteresis_s }, held) => {
                let best = best(view, |view, satellite, _| view.remaining(satellite))?;
                let held = match held {
                    Some((satellite, _)) => Some((satellite, view.remaining(satellite)?)),
                    None => None,
                };
                Ok(with_hysteresis(held, best, hysteresis_s, lost, Reason::LongerInView))
            }
            (HandoverPolicy::LeastDelay { hysteresis_s }, held) => {
                let best = best(view, |view, satellite, _| Ok(-view.best_delay(satellite)?))?;
                // The present path is compared as it is. If each end compared its satellite in the best of company, both
                // could keep satellites that are good for others and far from each other.
                let held = match held {
                    Some((satellite, _)) => Some((satellite, -view.present_delay(satellite)?)),
                    None => None,
                };
                Ok(with_hysteresis(held, best, hysteresis_s, lost, Reason::ShorterPath))
            }
        }
    }
}

/// The visible satellite with the greatest merit; of equals the one with the lowest number.
fn best<V: View>(
    view: &mut V,
    merit: impl Fn(&mut V, usize, f64) -> Result<f64, V::Error>,
) -> Result<Option<(usize, f64)>, V::Error> {
    let mut best: Option<(usize, f64)> = None;
    for satellite in 0..view.count() {
        if let Some(elevation) = view.elevation(satellite)? {
            let merit = merit(view, satellite, elevation)?;
            if best.is_none_or(|(_, least)| merit > least) {
                best = Some((satellite, merit));
            }
        }
    }
    Ok(best)
}

fn with_hysteresis(
    held: Option<(usize, f64)>,
    best: Option<(usize, f64)>,
    hysteresis: f64,
    lost: Reason,
    better: Reason,
) -> (Option<usize>, Reason) {
    match (held, best) {
        (None, best) => (best.map(|(satellite, _)| satellite), lost),
        (Some((_, merit)), Some((satellite, more))) if more > merit + hysteresis => (Some(satellite), better),
        (Some((satellite, _)), _) => (Some(satellite), better),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// Elevation, if it is seen, and remaining time of each satellite; 1 follows 2.
    struct Satellites(Vec<(Option<f64>, f64)>);

    impl View for Satellites {
        type Error = Infallible;
        fn elevation(&mut self, satellite: usize) -> Result<Option<f64>, Infallible> {
            Ok(self.0[satellite].0)
        }
        fn remaining(&mut self, satellite: usize) -> Result<f64, Infallible> {
            Ok(self.0[satellite].1)
        }
        // The second number, and half a second more while the other end uses another satellite.
        fn best_delay(&mut self, satellite: usize) -> Result<f64, Infallible> {
            Ok(self.0[satellite].1)
        }
        fn present_delay(&mut self, satellite: usize) -> Result<f64, Infallible> {
            Ok(self.0[satellite].1 + 0.5)
        }
        fn follower(&self, satellite: usize) -> Option<usize> {
            (satellite == 2).then_some(1)
        }
        fn count(&self) -> usize {
            self.0.len()
        }
    }

    fn choose(
        policy: HandoverPolicy,
        current: Option<usize>,
        visible: &[(Option<f64>, f64)],
    ) -> (Option<usize>, Reason) {
        policy.choose(current, &mut Satellites(visible.to_vec())).unwrap()
    }

    #[test]
    fn sticky_keeps_what_it_sees() {
        let visible = [(Some(80.0), 9.0), (None, 0.0), (Some(8.3), 1.0)];
        assert_eq!(choose(HandoverPolicy::Sticky, Some(2), &visible).0, Some(2));
    }

    #[test]
    fn sticky_takes_the_follower_before_the_highest() {
        let seen = [(Some(80.0), 9.0), (Some(10.0), 9.0), (None, 0.0)];
        assert_eq!(choose(HandoverPolicy::Sticky, Some(2), &seen), (Some(1), Reason::BelowMask));
        let unseen = [(Some(80.0), 9.0), (None, 0.0), (None, 0.0)];
        assert_eq!(choose(HandoverPolicy::Sticky, Some(2), &unseen), (Some(0), Reason::BelowMask));
        assert_eq!(choose(HandoverPolicy::Sticky, None, &seen), (Some(0), Reason::Rises));
        assert_eq!(choose(HandoverPolicy::Sticky, Some(2), &[(None, 0.0); 3]).0, None);
    }

    #[test]
    fn the_highest_is_taken_beyond_the_hysteresis() {
        let policy = HandoverPolicy::MaxElevation { hysteresis_deg: 5.0 };
        let visible = |high| [(Some(30.0), 1.0), (Some(high), 1.0), (None, 0.0)];
        assert_eq!(choose(policy, Some(0), &visible(35.0)).0, Some(0));
        assert_eq!(choose(policy, Some(0), &visible(35.1)), (Some(1), Reason::HigherElevation));
        assert_eq!(choose(policy, Some(2), &visible(35.0)), (Some(1), Reason::BelowMask));
    }

    #[test]
    fn the_longest_in_view_is_taken_beyond_the_hysteresis() {
        let policy = HandoverPolicy::MaxRemainingTime { hysteresis_s: 60.0 };
        let visible = |long| [(Some(30.0), 100.0), (Some(9.0), long), (None, 1e9)];
        assert_eq!(choose(policy, Some(0), &visible(160.0)).0, Some(0));
        assert_eq!(choose(policy, Some(0), &visible(161.0)), (Some(1), Reason::LongerInView));
    }

    #[test]
    fn the_shortest_path_is_taken_if_the_present_one_is_longer_by_more_than_the_hysteresis() {
        let policy = HandoverPolicy::LeastDelay { hysteresis_s: 1.0 };
        let visible = |delay| [(Some(30.0), 3.0), (Some(9.0), delay), (None, 0.1)];
        // The present path takes 3.5 s.
        assert_eq!(choose(policy, Some(0), &visible(2.5)).0, Some(0));
        assert_eq!(choose(policy, Some(0), &visible(2.4)), (Some(1), Reason::ShorterPath));
        assert_eq!(choose(policy, Some(2), &visible(3.1)), (Some(0), Reason::BelowMask));
        assert_eq!(choose(policy, None, &visible(2.9)), (Some(1), Reason::Rises));
        assert_eq!(choose(policy, Some(2), &[(None, 0.0); 3]).0, None);
    }

    #[test]
    fn of_equals_the_lowest_number_is_taken() {
        let visible = [(None, 0.0), (Some(20.0), 5.0), (Some(20.0), 5.0)];
        assert_eq!(choose(HandoverPolicy::MaxElevation { hysteresis_deg: 0.0 }, None, &visible).0, Some(1));
    }
}
