//! Warnings of paths that do not exist, have too many links, or are far longer than necessary.

use ackclock::units::Span;
use ackclock_sat::isl::IslPattern;
use ackclock_sat::plan::{Gap, Plan, Setup};

use super::Satellites;
use super::defaults::LARGE_SHELL;
use crate::keys::words::{self, Handover};
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

    /// In large shells a path can go most of the way around the Earth although a short one is there.
    fn warn_of_detour(
        &self,
        setup: &Setup,
        plan: &Plan,
        (a, b): (usize, usize),
        (from, to): (usize, usize),
        report: &mut Report,
    ) {
        if setup.constellation.satellites().len() < LARGE_SHELL as usize {
            return;
        }
        let Some(longest) = plan.largest_delay(from, to) else { return };
        let direct = setup.direct_delay_s(a, b);
        if longest.as_secs_f64() <= 2.0 * direct {
            return;
        }
        let mut better = Vec::new();
        if self.settings.choice("handover", &words::HANDOVERS) != Some(Handover::LeastDelay) {
            better.push("handover = \"least-delay\"");
        }
        if self.settings.choice("isl", &words::ISLS) == Some(IslPattern::Grid) {
            better.push("isl = \"grid-nearest\"");
        }
        let help = match better.is_empty() {
            true => {
                "few satellites are seen, or links between them are down: lower `mask`, or take another constellation"
                    .into()
            }
            false => format!("write {}", better.join(" and ")),
        };
        let (longest, direct) = (longest.as_secs_f64() * 1e3, direct * 1e3);
        report
            .warning(
                self.places[a].at,
                format!(
                    "the path {} takes up to {longest:.1} ms, more than twice the {direct:.1} ms of the great circle with \
                     the height of the satellites at both ends",
                    self.names(a, b)
                ),
            )
            .label("a detour")
            .help(help);
    }

    fn names(&self, a: usize, b: usize) -> String {
        format!("from {} to {}", self.places[a].name, self.places[b].name)
    }
}

const TTL_HELP: &str =
    "raise `ttl` in [satellites], or choose shorter paths: handover = \"least-delay\", isl = \"grid-nearest\"";
