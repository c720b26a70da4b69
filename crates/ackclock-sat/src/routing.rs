//! Least total delay: from every node the next one on the path to a destination.
//!
//! Source: Dijkstra's algorithm with global knowledge, as in the satellite extensions of ns-2. Delays are whole
//! picoseconds, so equal paths are equal; of those the one through the lowest next node is taken.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// When routes are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routing {
    /// When a link comes up or goes down; the old routes hold for a time after it.
    AtChange {
        /// That time.
        after: ackclock::units::Span,
    },
    /// At equal intervals, whatever happens between.
    Every(ackclock::units::Span),
}

/// The next node on the path from each node to `destination`, none where there is no path.
///
/// `links` calls its second argument with each neighbour of a node and the delay to it in picoseconds; links go both
/// paths. A node for which `ends` is true passes nothing on.
pub(crate) fn next_hops<E>(
    nodes: usize,
    destination: usize,
    ends: impl Fn(usize) -> bool,
    mut links: impl FnMut(usize, &mut dyn FnMut(usize, u64)) -> Result<(), E>,
) -> Result<Vec<Option<usize>>, E> {
    let mut distance = vec![u64::MAX; nodes];
    let mut next = vec![None; nodes];
    let mut waiting = BinaryHeap::from([Reverse((0, destination))]);
    distance[destination] = 0;
    while let Some(Reverse((so_far, node))) = waiting.pop() {
        if so_far > distance[node] || (node != destination && ends(node)) {
            continue;
        }
        links(node, &mut |neighbour, delay| {
            let total = so_far + delay;
            let better = total < distance[neighbour];
            if better || (total == distance[neighbour] && next[neighbour].is_some_and(|other| node < other)) {
                distance[neighbour] = total;
                next[neighbour] = Some(node);
                if better {
                    waiting.push(Reverse((total, neighbour)));
                }
            }
        })?;
    }
    Ok(next)
}

/// The least delay from each node to any of some `ends`, picoseconds, where the path goes on for as long as is said of each
/// end; `u64::MAX` where there is no path. `links` as in [`next_hops`].
pub(crate) fn least_delays<E>(
    nodes: usize,
    ends: impl IntoIterator<Item = (usize, u64)>,
    mut links: impl FnMut(usize, &mut dyn FnMut(usize, u64)) -> Result<(), E>,
) -> Result<Vec<u64>, E> {
    let mut least = vec![u64::MAX; nodes];
    let mut waiting = BinaryHeap::new();
    for (end, beyond) in ends {
        if beyond < least[end] {
            least[end] = beyond;
            waiting.push(Reverse((beyond, end)));
        }
    }
    while let Some(Reverse((so_far, node))) = waiting.pop() {
        if so_far > least[node] {
            continue;
        }
        links(node, &mut |neighbour, delay| {
            let total = so_far + delay;
            if total < least[neighbour] {
                least[neighbour] = total;
                waiting.push(Reverse((total, neighbour)));
            }
        })?;
    }
    Ok(least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn routes(nodes: usize, destination: usize, ends: &[usize], edges: &[(usize, usize, u64)]) -> Vec<Option<usize>> {
        let links = |node: usize, found: &mut dyn FnMut(usize, u64)| {
            for &(a, b, delay) in edges {
                if a == node {
                    found(b, delay);
                }
                if b == node {
                    found(a, delay);
                }
            }
            Ok::<(), Infallible>(())
        };
        next_hops(nodes, destination, |node| ends.contains(&node), links).unwrap()
    }

    #[test]
    fn of_several_ends_the_nearest_counts_with_what_lies_beyond_it() {
        // 0 – 1 – 2 – 3 in a line, 4 apart; beyond 0 it is 10 more, beyond 3 only 1.
        let links = |node: usize, found: &mut dyn FnMut(usize, u64)| {
            for other in [node.wrapping_sub(1), node + 1].into_iter().filter(|&other| other < 4 && node < 4) {
                found(other, 5);
            }
            Ok::<(), Infallible>(())
        };
        assert_eq!(least_delays(5, [(0, 10), (3, 1)], links), Ok(vec![10, 11, 6, 1, u64::MAX]));
    }

    #[test]
    fn the_path_of_least_delay_is_taken() {
        // 0 – 1 – 3 costs 5 + 5, 0 – 2 – 3 costs 4 + 5.
        let edges = [(0, 1, 5), (1, 3, 5), (0, 2, 4), (2, 3, 5)];
        assert_eq!(routes(5, 3, &[], &edges), [Some(2), Some(3), Some(3), None, None]);
    }

    #[test]
    fn of_equal_paths_that_through_the_lowest_next_node() {
        let edges = [(0, 2, 5), (2, 3, 5), (0, 1, 6), (1, 3, 4)];
        assert_eq!(routes(4, 3, &[], &edges)[0], Some(1));
        let reversed: Vec<_> = edges.into_iter().rev().collect();
        assert_eq!(routes(4, 3, &[], &reversed)[0], Some(1));
    }

    #[test]
    fn terminals_pass_nothing_on() {
        let edges = [(0, 1, 1), (1, 3, 1), (0, 2, 9), (2, 3, 9)];
        assert_eq!(routes(4, 3, &[1], &edges)[0], Some(2));
        assert_eq!(routes(4, 3, &[1, 3], &edges)[1], Some(3), "but they send and receive");
    }
}
