//! How far the runs are, on standard error: a bar on a terminal, plain lines elsewhere.

use std::env;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use ackclock_run::ALMOST;
use indicatif::{ProgressBar, ProgressStyle};

use crate::console;

/// Shows now and then how far the work is. Work that is done at once is not reported at all.
pub struct Reporter {
    started: Instant,
    last_line: Instant,
    display: Display,
}

enum Display {
    /// A terminal, no bar drawn yet.
    Terminal,
    Bar(ProgressBar),
    Lines,
}

impl Reporter {
    /// Chooses the display by what standard error is.
    pub fn new() -> Reporter {
        let dumb = env::var_os("TERM").is_none_or(|term| term == "dumb");
        let display = if io::stderr().is_terminal() && !dumb { Display::Terminal } else { Display::Lines };
        let now = Instant::now();
        Reporter { started: now, last_line: now, display }
    }

    /// Shows, if it is time to, what fraction of the work is done and what else there is to say.
    pub fn update(&mut self, fraction: f64, describe: impl FnOnce(Duration) -> String) {
        let elapsed = self.started.elapsed();
        if matches!(self.display, Display::Terminal) && elapsed > PATIENCE {
            self.display = Display::Bar(bar());
        }
        match &self.display {
            Display::Terminal => {}
            Display::Bar(bar) => {
                bar.set_message(line(fraction, &describe(elapsed), elapsed));
                bar.set_position((fraction.clamp(0.0, 1.0) * BAR_LENGTH as f64) as u64);
            }
            Display::Lines if self.last_line.elapsed() > LINE_EVERY => {
                self.last_line = Instant::now();
                console::note(format_args!("{}", line(fraction, &describe(elapsed), elapsed)));
            }
            Display::Lines => {}
        }
    }

    /// Takes the bar off the screen.
    pub fn clear(&mut self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }
}

/// What matters most comes first: a narrow terminal cuts the rest.
fn line(fraction: f64, text: &str, elapsed: Duration) -> String {
    let left = elapsed.as_secs_f64() * (1.0 - fraction) / fraction;
    // What the last hundredth takes is not known before it is over.
    let left = if left.is_finite() && fraction < ALMOST { format!(", about {left:.0} s left") } else { String::new() };
    format!("{:.0} %{left}: {text}", 100.0 * fraction)
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("[{bar:20}] {wide_msg}")
        .expect("the template is well-formed")
        .progress_chars("=> ");
    ProgressBar::new(BAR_LENGTH).with_style(style)
}

/// Runs shorter than this show no bar.
const PATIENCE: Duration = Duration::from_millis(300);
/// The pause between plain lines.
const LINE_EVERY: Duration = Duration::from_secs(5);
const BAR_LENGTH: u64 = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_how_far_and_how_long() {
        // A quarter took 5 s, so the other three take 15 s.
        assert_eq!(line(0.25, "1 of 4 runs", Duration::from_secs(5)), "25 %, about 15 s left: 1 of 4 runs");
    }

    #[test]
    fn nobody_knows_how_long_the_last_hundredth_takes() {
        assert_eq!(line(ALMOST, "1 being written", Duration::from_secs(300)), "99 %: 1 being written");
    }

    #[test]
    fn before_the_first_step_nobody_knows_how_long() {
        assert_eq!(line(0.0, "0 of 4 runs", Duration::from_secs(5)), "0 %: 0 of 4 runs");
    }
}
