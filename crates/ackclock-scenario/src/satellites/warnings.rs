//! Warnings of paths that do not exist or have too many links.

use ackclock::units::Span;
use ackclock_sat::plan::{Gap, Plan};

use super::Satellites;
use crate::text::diagnostic::Report;

impl Satellites {
    /// Warns of pairs of places between which a path is missing at times or always, and of detours.
    pub(super) fn warn_of_paths(&self, plan: &Plan, pairs: &[(usize, usize)], report: &mut Report) {
        for &(a, b) in pairs {
            let of = |place: usize| plan.named(&self.places[place].name).expect("places are terminals of the plan");
            // Both directions have the same paths.
            let (from, to) = (of(a), of(b));
            let gaps = plan.gaps(from, to);
            let too_long = gaps.iter().filter(|gap| gap.2 == Gap::TooManyHops);
            let lost = too_long.fold(Span::ZERO, |sum, gap| sum + gap.1.since(gap.0));
            let at = self.places[a].at;
            if let Some(never) = plan.never(from, to) {
                let help = match lost > Span::ZERO {
                    true => TTL_HELP,
                    false => "lower `mask`, choose another start or other satellites, or link the satellites (`isl`)",
                };
                report.warning(at, never).label("no data will arrive").help(help);
            } else if lost > Span::ZERO {
                let (names, seconds) = (self.names(a, b), lost.as_secs_f64());
                report
                    .warning(at, format!("for {seconds} s every path {names} has more than {} links", plan.ttl))
                    .label("packets are lost then: `ttl`")
                    .help(TTL_HELP);
            }
            if let Some(setup) = &self.setup {
                self.warn_of_detour(setup, plan, (a, b), (from, to), report);
            }
        }
    }

    pub(super) fn names(&self, a: usize, b: usize) -> String {
        format!("from {} to {}", self.places[a].name, self.places[b].name)
    }
}

const TTL_HELP: &str =
    "raise `ttl` in [satellites], or choose shorter paths: handover = \"least-delay\", isl = \"grid-nearest\"";
