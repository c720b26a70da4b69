//! What a sweep found, in two sentences.

use ackclock_report::page::number::{fixed, plural};

use super::figures::{Drawn, drawn};
use super::layout::accepted;
use crate::results::Results;
use crate::summary::{Mean, Method, mean};

/// Where the first two numbers are largest and least, as far as the intervals tell; none of a single point.
pub(super) fn says(results: &Results, method: Method) -> Vec<String> {
    drawn(results).iter().take(2).filter_map(|(place, drawn)| of(results, method, *place, drawn)).collect()
}

fn of(results: &Results, method: Method, place: usize, drawn: &Drawn) -> Option<String> {
    let plan = results.plan();
    let mut points: Vec<(usize, Mean)> =
        accepted(plan).filter_map(|point| Some((point, mean(results, point, place, method)?))).collect();
    points.sort_by(|(_, a), (_, b)| b.mean.total_cmp(&a.mean));
    let [(best, most), others @ .., (worst, least)] = &points[..] else { return None };
    let shown = |mean: &Mean| {
        let unit = if drawn.shown.is_empty() { String::new() } else { format!(" {}", drawn.shown) };
        format!("{}{unit}", fixed(mean.mean * drawn.scale, drawn.decimals))
    };
    if most.mean == least.mean {
        return Some(format!("{} is the same at all points: {}.", drawn.name, shown(most)));
    }
    // Intervals that touch do not tell two means apart.
    let low = |mean: &Mean| mean.interval.as_ref().map_or(mean.mean, |bounds| bounds.low);
    let high = |mean: &Mean| mean.interval.as_ref().map_or(mean.mean, |bounds| bounds.high);
    let alike = others.iter().filter(|(_, other)| high(other) >= low(most)).count();
    let alike = match alike {
        0 => String::new(),
        alike => format!(" ({} within its interval)", plural(alike, "other point")),
    };
    Some(format!(
        "{} is largest at {}: {}{alike}; least at {}: {}.",
        drawn.name,
        plan.label(*best),
        shown(most),
        plan.label(*worst),
        shown(least)
    ))
}
