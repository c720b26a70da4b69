//! The points of a page, divided among the series that are drawn.

use std::collections::BTreeSet;

use ackclock::record::{Columns, Metric, Series};

use crate::decimate;

/// How many points there is room for of each series; 0: it is left out. Those shown first are shown well, the others
/// share what is left; the more there are, the fewer of their metrics are shown, and then the fewer of them.
pub fn rooms(series: &[&Series], owners: &[usize], chosen: &[usize], budget: usize) -> Vec<usize> {
    let mut rooms = vec![0; series.len()];
    let (first, mut rest): (Vec<usize>, Vec<usize>) = (0..series.len()).partition(|&n| chosen.contains(&owners[n]));
    let share = |some: &[usize], budget| {
        let wanted: Vec<usize> = some.iter().map(|&n| wanted(series[n])).collect();
        let share = decimate::fair_share(&wanted, budget);
        (share, wanted.into_iter().map(|want| want.min(share)).sum::<usize>())
    };
    let (room, used) = share(&first, budget * 6 / 10);
    first.iter().for_each(|&n| rooms[n] = room);

    let left = budget - used;
    // If everything is shown, the share is small because no more is needed.
    let enough = |rest: &[usize]| {
        let (room, used) = share(rest, left);
        room >= LEAST_ROOM || used == rest.iter().map(|&n| wanted(series[n])).sum::<usize>()
    };
    if !enough(&rest) {
        rest.retain(|&n| TELLING.contains(&series[n].metric));
    }
    if !enough(&rest) {
        let metrics: BTreeSet<Metric> = rest.iter().map(|&n| series[n].metric).collect();
        let members: BTreeSet<usize> = rest.iter().map(|&n| owners[n]).collect();
        let kept = spread(members, left / (LEAST_ROOM * metrics.len()));
        rest.retain(|&n| kept.contains(&owners[n]));
    }
    let (room, _) = share(&rest, left);
    rest.iter().for_each(|&n| rooms[n] = room);
    rooms
}

/// Some of the members, evenly spread over all of them.
fn spread(members: BTreeSet<usize>, places: usize) -> BTreeSet<usize> {
    let all: Vec<usize> = members.into_iter().collect();
    let places = places.min(all.len());
    (0..places).map(|n| all[n * all.len() / places]).collect()
}

/// How many points show all that a plot can show.
fn wanted(series: &Series) -> usize {
    match series.columns {
        Columns::Drops { .. } => DROP_BINS * 3,
        _ => series.columns.len().min(MOST_ROOM),
    }
}

/// Five points for each of the 1600 columns of a wide screen.
const MOST_ROOM: usize = 8000;
/// Less than this shows nothing.
const LEAST_ROOM: usize = 60;
/// What is shown even of many.
const TELLING: [Metric; 5] = [Metric::Cwnd, Metric::Throughput, Metric::OneWayDelay, Metric::Queue, Metric::VcQueue];
/// As many columns of drops as can be distinguished.
pub const DROP_BINS: usize = 400;
