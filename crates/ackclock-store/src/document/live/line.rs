//! How the runs of a document were made: simulated, or on the TCP of a kernel.

use super::{LiveRun, Validity};
use crate::document::Document;

impl Document {
    /// How they were made, in a word of a title: `simulated` or `live`.
    pub fn made(&self) -> &'static str {
        if self.live.is_some() { "live" } else { "simulated" }
    }

    /// The worst verdict of its live runs; `None` of simulated ones.
    pub fn validity(&self) -> Option<Validity> {
        let rank = |validity: &Validity| *validity as u8;
        self.runs.iter().filter_map(|run| Some(run.live.as_ref()?.verdict)).max_by_key(rank)
    }

    /// What has to be known of live runs, in a line; `None` of simulated ones.
    pub fn live_line(&self) -> Option<String> {
        let live = self.live.as_ref()?;
        let runs = || self.runs.iter().filter_map(|run| run.live.as_ref());
        let worst = |of: fn(&LiveRun) -> Option<f64>| runs().filter_map(of).max_by(f64::total_cmp);
        let late = |name: &str, of| worst(of).map(|seconds| format!("{name} {}", duration(seconds)));
        let lateness = [
            late("p50", |run| run.lateness.p50_s),
            late("p99", |run| run.lateness.p99_s),
            late("p99.9", |run| run.lateness.p999_s),
            late("at most", |run| run.lateness.max_s),
        ];
        let lateness: Vec<String> = lateness.into_iter().flatten().collect();
        let lost: u64 = runs().map(|run| run.drops_outside).sum();
        let verdict = self.validity().map_or("no run", Validity::name);
        let late = if lateness.is_empty() { String::new() } else { format!(", late by {}", lateness.join(", ")) };
        let lost = match lost {
            0 => String::new(),
            lost => format!(", {lost} packets lost outside the scenario"),
        };
        Some(format!("live on {}: {verdict}{late}{lost}", live.kernel))
    }
}

/// A time in the unit that fits it.
fn duration(seconds: f64) -> String {
    match seconds {
        _ if seconds < 1e-3 => format!("{:.0} us", seconds * 1e6),
        _ if seconds < 1.0 => format!("{:.1} ms", seconds * 1e3),
        _ => format!("{seconds:.1} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::example::{example, live};

    #[test]
    fn the_worst_of_all_runs_is_said_in_a_line() {
        assert_eq!((example(1, 1, 2).live_line(), example(1, 1, 2).made()), (None, "simulated"));
        let mut document = live(example(1, 1, 3));
        let line = "live on Linux 6.18.44: valid, late by p50 5 us, p99 80 us, p99.9 1.2 ms, at most 2.5 ms";
        assert_eq!(document.live_line().as_deref(), Some(line));
        let second = document.runs[1].live.as_mut().unwrap();
        (second.verdict, second.drops_outside, second.lateness.max_s) = (Validity::Invalid, 7, Some(1.25));
        let line = "live on Linux 6.18.44: invalid, late by p50 5 us, p99 80 us, p99.9 1.2 ms, at most 1.2 s, 7 packets lost \
                    outside the scenario";
        assert_eq!(document.live_line().as_deref(), Some(line));
    }

    #[test]
    fn a_live_document_survives_being_written_and_read() {
        let document = live(example(2, 1, 2));
        assert_eq!(Document::from_json(&document.to_json()), Some(document.clone()));
        assert!(document.to_json().replace(' ', "").contains("\"verdict\":\"valid\""));
        assert!(!example(2, 1, 2).to_json().contains("\"live\""), "of simulated runs nothing is said");
        assert!(document.after_warmup().live.is_some());
    }
}
