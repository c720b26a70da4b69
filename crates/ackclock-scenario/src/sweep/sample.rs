//! Latin hypercube samples: M. D. McKay, R. J. Beckman, W. J. Conover, Technometrics 21 (1979). Each key has one value in each
//! of N parts of its range, of equal width in its spacing; the parts of different keys are combined at random.

use ackclock::rng::Stream;

use super::dimension::Dimension;
use super::vary::Sampled;
use crate::text::tree::Item;

/// A dimension of so many points. It is a function of the ranges, the names of the keys and the number of points.
pub(super) fn latin_hypercube(sampled: &[Sampled], points: usize) -> Dimension {
    let columns: Vec<Vec<Item>> = sampled.iter().map(|sampled| column(sampled, points)).collect();
    let row = |point: usize| columns.iter().map(|column| column[point].clone()).collect();
    Dimension {
        paths: sampled.iter().map(|sampled| sampled.path.clone()).collect(),
        rows: (0..points).map(row).collect(),
    }
}

fn column(sampled: &Sampled, points: usize) -> Vec<Item> {
    let name = super::dimension::spelled(&sampled.path.names);
    let (order, within) = (Stream::new(0, &name, "order"), Stream::new(0, &name, "within"));
    let mut parts: Vec<usize> = (0..points).collect();
    for last in (1..points).rev() {
        parts.swap(last, order.below(last as u64 + 1, last as u64) as usize);
    }
    let value = |(point, part): (usize, usize)| {
        let inside = (within.at(point as u64) >> 11) as f64 / (1_u64 << 53) as f64;
        Item { at: sampled.range.at, node: sampled.range.value((part as f64 + inside) / points as f64) }
    };
    parts.into_iter().enumerate().map(value).collect()
}
