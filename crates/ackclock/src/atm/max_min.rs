//! Max-min shares of a network, by progressive filling: all rates rise together until a link is full; the connections that cross
//! it keep that rate, and the others go on.
//! Source: \[BG92\] §6.5.2. Minimum cell rates are 0.
//!
//! Computed with fractions: of two links that become full at the same rate neither is first.

use std::cmp::Ordering;
use std::fmt;

/// A fraction of whole numbers without common divisor; the denominator is not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fraction {
    numerator: u128,
    denominator: u128,
}

/// Why there are no shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoShares {
    /// This connection crosses no link: nothing limits it.
    Unlimited(usize),
    /// The fractions are beyond 128 bits.
    Overflow,
}

/// A round of the filling: what becomes full at which rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// The rate of the connections that stop rising here.
    pub rate: Fraction,
    /// The links that are full.
    pub links: Vec<usize>,
    /// The connections that cross one of them, of those that still rose.
    pub connections: Vec<usize>,
}

/// The rounds of the filling, by rising rate. `capacities` are those of the links, in any unit; `connections` name the links that
/// each connection crosses. What limits a single connection, as its peak cell rate, is one more link, which only it crosses.
///
/// # Errors
/// If a connection crosses no link, or if numbers become too large: this takes more than 20 links that become full one after
/// the other, each because of the one before.
///
/// # Panics
/// If a connection names a link that there is not.
pub fn rounds(capacities: &[u64], connections: &[Vec<usize>]) -> Result<Vec<Round>, NoShares> {
    if let Some(unlimited) = connections.iter().position(Vec::is_empty) {
        return Err(NoShares::Unlimited(unlimited));
    }
    // A connection that names a link twice crosses it once.
    let crossing = |link: usize| move |connection: &usize| connections[*connection].contains(&link);
    let mut left: Vec<Fraction> = capacities.iter().map(|&capacity| Fraction::whole(capacity)).collect();
    let mut rising: Vec<usize> = (0..connections.len()).collect();
    let mut rounds = Vec::new();
    while !rising.is_empty() {
        let mut shares = Vec::new();
        for (link, left) in left.iter().enumerate() {
            let count = rising.iter().copied().filter(crossing(link)).count();
            if count > 0 {
                shares.push((link, left.divided_by(count as u128).ok_or(NoShares::Overflow)?));
            }
        }
        let rate = shares.iter().map(|(_, share)| *share).min().expect("each connection crosses a link");
        let links: Vec<usize> = shares.iter().filter(|(_, share)| *share == rate).map(|(link, _)| *link).collect();
        let is_full = |connection: &usize| connections[*connection].iter().any(|link| links.contains(link));
        let (stopped, others): (Vec<usize>, Vec<usize>) = rising.iter().copied().partition(is_full);
        for (link, left) in left.iter_mut().enumerate() {
            let count = stopped.iter().copied().filter(crossing(link)).count() as u128;
            *left = rate.times(count).and_then(|taken| left.minus(taken)).ok_or(NoShares::Overflow)?;
        }
        rounds.push(Round { rate, links, connections: stopped });
        rising = others;
    }
    Ok(rounds)
}

/// The share of each connection, in the unit of the capacities: see [`rounds`].
///
/// # Errors
/// As of [`rounds`].
///
/// # Panics
/// As [`rounds`].
pub fn shares(capacities: &[u64], connections: &[Vec<usize>]) -> Result<Vec<Fraction>, NoShares> {
    let mut shares = vec![Fraction::whole(0); connections.len()];
    for round in rounds(capacities, connections)? {
        round.connections.iter().for_each(|&connection| shares[connection] = round.rate);
    }
    Ok(shares)
}

impl Fraction {
    /// A whole number.
    pub fn whole(number: u64) -> Fraction {
        Fraction { numerator: u128::from(number), denominator: 1 }
    }

    /// A fraction, reduced.
    ///
    /// # Panics
    /// If the denominator is 0.
    pub fn new(numerator: u128, denominator: u128) -> Fraction {
        assert_ne!(denominator, 0);
        let divisor = common_divisor(numerator, denominator);
        Fraction { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    /// The nearest number that a float has, or nearly so.
    pub fn as_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    fn divided_by(self, divisor: u128) -> Option<Fraction> {
        let common = common_divisor(self.numerator, divisor);
        let denominator = self.denominator.checked_mul(divisor / common)?;
        Some(Fraction { numerator: self.numerator / common, denominator })
    }

    fn times(self, factor: u128) -> Option<Fraction> {
        let common = common_divisor(self.denominator, factor);
        let numerator = self.numerator.checked_mul(factor / common)?;
        Some(Fraction { numerator, denominator: self.denominator / common })
    }

    fn minus(self, other: Fraction) -> Option<Fraction> {
        let common = common_divisor(self.denominator, other.denominator);
        let denominator = (self.denominator / common).checked_mul(other.denominator)?;
        let ours = self.numerator.checked_mul(other.denominator / common)?;
        let theirs = other.numerator.checked_mul(self.denominator / common)?;
        Some(Fraction::new(ours.checked_sub(theirs)?, denominator))
    }
}

impl Ord for Fraction {
    /// By continued fractions: products of numerators and denominators may be beyond 128 bits.
    fn cmp(&self, other: &Fraction) -> Ordering {
        let (mut a, mut b) = (*self, *other);
        let mut turned = false;
        loop {
            let (whole, other_whole) = (a.numerator / a.denominator, b.numerator / b.denominator);
            let (rest, other_rest) = (a.numerator % a.denominator, b.numerator % b.denominator);
            let order = match whole.cmp(&other_whole) {
                Ordering::Equal if rest == 0 || other_rest == 0 => (rest > 0).cmp(&(other_rest > 0)),
                Ordering::Equal => {
                    // The larger rest has the smaller reciprocal.
                    (a, b) = (a.reciprocal_of(rest), b.reciprocal_of(other_rest));
                    turned = !turned;
                    continue;
                }
                order => order,
            };
            return if turned { order.reverse() } else { order };
        }
    }
}

impl Fraction {
    /// denominator / rest.
    fn reciprocal_of(self, rest: u128) -> Fraction {
        Fraction { numerator: self.denominator, denominator: rest }
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

fn common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a.max(1) } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The rate of each round, its links, and how many connections stop there.
    fn filled(capacities: &[u64], connections: &[Vec<usize>]) -> Vec<(String, Vec<usize>, usize)> {
        let rounds = rounds(capacities, connections).unwrap();
        rounds.into_iter().map(|round| (round.rate.to_string(), round.links, round.connections.len())).collect()
    }

    /// So many connections from one switch of a chain to another, both numbered from 1.
    fn chain(groups: &[(usize, usize, usize)]) -> Vec<Vec<usize>> {
        groups.iter().flat_map(|&(count, from, to)| vec![(from - 1..to - 1).collect(); count]).collect()
    }

    fn round(rate: &str, links: &[usize], count: usize) -> (String, Vec<usize>, usize) {
        (rate.into(), links.iter().map(|link| link - 1).collect(), count)
    }

    #[test]
    fn gfc_2_has_the_published_shares() {
        // A1 to A3, B1 to B3, C, D, E, F, G, H.
        let groups = [
            (1, 1, 6),
            (1, 2, 6),
            (1, 3, 6),
            (1, 1, 7),
            (1, 2, 7),
            (1, 4, 7),
            (3, 5, 6),
            (1, 1, 2),
            (2, 2, 3),
            (1, 3, 4),
            (7, 6, 7),
            (2, 4, 5),
        ];
        let (capacities, connections) = ([50, 100, 50, 150, 150, 50], chain(&groups));
        assert_eq!(connections.len(), 22);
        let expected =
            [round("5", &[6], 10), round("10", &[3], 4), round("35", &[1, 2, 5], 6), round("105/2", &[4], 2)];
        assert_eq!(filled(&capacities, &connections), expected);
        assert_eq!(unused(&capacities, &connections), [Fraction::whole(0); 6]);
    }

    #[test]
    fn gfc_1_has_the_published_shares() {
        let connections = chain(&[(3, 1, 4), (3, 2, 5), (3, 3, 4), (6, 1, 2), (6, 4, 5), (2, 2, 3)]);
        let capacities = [50, 150, 150, 100];
        let expected = [round("50/9", &[1], 9), round("100/9", &[4], 9), round("100/3", &[3], 3), round("50", &[2], 2)];
        assert_eq!(filled(&capacities, &connections), expected);
        assert_eq!(unused(&capacities, &connections), [Fraction::whole(0); 4]);
    }

    #[test]
    fn a_parking_lot_has_the_published_shares() {
        let connections = [vec![0, 1, 2], vec![0], vec![1], vec![2], vec![1, 2]];
        let capacities = [10, 6, 12];
        assert_eq!(filled(&capacities, &connections), [round("2", &[2], 3), round("8", &[1, 3], 2)]);
        let shares = shares(&capacities, &connections).unwrap();
        assert_eq!(shares.iter().map(ToString::to_string).collect::<Vec<_>>(), ["2", "8", "2", "8", "2"]);
    }

    #[test]
    fn equal_connections_have_equal_shares_and_a_peak_rate_is_a_link() {
        let all = vec![vec![0]; 15];
        assert_eq!(shares(&[155_520_000], &all).unwrap(), [Fraction::whole(10_368_000); 15]);
        let limited = [vec![0, 1], vec![0], vec![0]];
        let shares = shares(&[90, 10], &limited).unwrap();
        assert_eq!(shares, [10, 40, 40].map(Fraction::whole));
    }

    #[test]
    fn what_has_no_answer_says_why() {
        assert_eq!(shares(&[1], &[vec![0], vec![]]), Err(NoShares::Unlimited(1)));
        assert_eq!(shares(&[], &[]), Ok(vec![]));
        // A chain: each link has a prime number of connections, one of which goes on to the next link.
        let is_prime = |number: &usize| (2..*number).all(|divisor| !number.is_multiple_of(divisor));
        let of_primes = |links: usize| {
            let (mut capacities, mut connections) = (Vec::new(), Vec::new());
            for (link, count) in (2..).filter(is_prime).take(links).enumerate() {
                capacities.push(1000 * (count * (link + 1)) as u64);
                connections.extend(vec![vec![link]; count - 1]);
                connections.push(if link + 1 < links { vec![link, link + 1] } else { vec![link] });
            }
            shares(&capacities, &connections).map(|shares| shares.len())
        };
        assert_eq!(of_primes(10), Ok(129));
        assert_eq!(of_primes(40), Err(NoShares::Overflow));
    }

    #[test]
    fn fractions_are_ordered_beyond_the_width_of_their_products() {
        let (large, larger) = (u128::MAX / 3, u128::MAX / 3 + 1);
        let (a, b) = (Fraction::new(large, larger), Fraction::new(large - 1, large));
        assert_eq!([a.cmp(&b), b.cmp(&a), a.cmp(&a)], [Ordering::Greater, Ordering::Less, Ordering::Equal]);
        assert!(Fraction::new(7, 2) > Fraction::whole(3) && Fraction::new(7, 2) < Fraction::whole(4));
        assert!(Fraction::new(2, 3) > Fraction::new(3, 5));
        assert_eq!((Fraction::new(6, 4).to_string(), Fraction::new(6, 4).as_f64()), ("3/2".into(), 1.5));
    }

    /// What the shares leave of each link.
    fn unused(capacities: &[u64], connections: &[Vec<usize>]) -> Vec<Fraction> {
        let shares = shares(capacities, connections).unwrap();
        let mut left: Vec<Fraction> = capacities.iter().map(|&capacity| Fraction::whole(capacity)).collect();
        for (links, share) in connections.iter().zip(shares) {
            links.iter().for_each(|&link| left[link] = left[link].minus(share).unwrap());
        }
        left
    }

    /// Links of at most this capacity, and connections, each of which crosses some of them.
    fn networks(largest: u64) -> impl Strategy<Value = (Vec<u64>, Vec<Vec<usize>>)> {
        (1..7_usize).prop_flat_map(move |links| {
            let connection = proptest::collection::btree_set(0..links, 1..=links);
            let connections = proptest::collection::vec(connection.prop_map(|set| set.into_iter().collect()), 1..12);
            (proptest::collection::vec(1..=largest, links), connections)
        })
    }

    /// A second method: all rates rise in small equal steps; a connection stops before the step that would overfill one of its links.
    fn by_steps(capacities: &[u64], connections: &[Vec<usize>]) -> Vec<f64> {
        let mut used = vec![0_u64; capacities.len()];
        let (mut steps, mut rises) = (vec![0_u64; connections.len()], vec![true; connections.len()]);
        while rises.iter().any(|&rises| rises) {
            for connection in 0..connections.len() {
                let is_full = |&link: &usize| {
                    let crossing = |other: &usize| rises[*other] && connections[*other].contains(&link);
                    let asked = (0..connections.len()).filter(crossing).count() as u64;
                    used[link] + asked > capacities[link] * STEPS
                };
                if rises[connection] && connections[connection].iter().any(is_full) {
                    rises[connection] = false;
                }
            }
            for connection in (0..connections.len()).filter(|&connection| rises[connection]) {
                steps[connection] += 1;
                connections[connection].iter().for_each(|&link| used[link] += 1);
            }
        }
        steps.into_iter().map(|steps| steps as f64 / STEPS as f64).collect()
    }

    /// Steps in a unit of capacity.
    const STEPS: u64 = 1000;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

        /// The certificate of max-min: no link is overfilled, and each connection has a link that is full and on which no other
        /// has more.
        #[test]
        fn each_connection_is_held_back_by_a_full_link_on_which_nobody_has_more((capacities, connections) in networks(200)) {
            let shares = shares(&capacities, &connections).unwrap();
            let unused = unused(&capacities, &connections);
            for (links, share) in connections.iter().zip(&shares) {
                let has_more = |link: usize| connections.iter().zip(&shares).any(|(other, more)| other.contains(&link) && more > share);
                prop_assert!(links.iter().any(|&link| unused[link] == Fraction::whole(0) && !has_more(link)));
            }
        }

        #[test]
        fn shares_are_those_of_rates_that_rise_in_small_steps((capacities, connections) in networks(20)) {
            let shares = shares(&capacities, &connections).unwrap();
            let stepped = by_steps(&capacities, &connections);
            for (share, stepped) in shares.iter().zip(stepped) {
                // A connection that stops a step too early leaves others a step more each time: some thousandths.
                prop_assert!((share.as_f64() - stepped).abs() <= 0.02, "{share} and {stepped}");
            }
        }
    }
}
