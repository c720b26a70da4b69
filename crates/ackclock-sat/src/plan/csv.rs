//! The delay of a path over time as lines of text, for other emulators and for plots.

use std::io::{self, Write};

use ackclock::units::{Span, Time};

use super::{NodeId, Plan, RoutePath};

impl Plan {
    /// Writes `t_s,owd_ms,path,event`, a line at each multiple of `step` and at each event on the path: when it changes,
    /// and when one of the two terminals changes its satellite. The one-way delay is propagation alone, of a packet that
    /// would leave everywhere at that instant. Without a path it is empty, and the event says why.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    ///
    /// # Panics
    /// If the step is zero.
    pub fn write_csv(&self, from: NodeId, to: NodeId, step: Span, out: &mut impl Write) -> io::Result<()> {
        assert!(step > Span::ZERO, "lines need a distance");
        writeln!(out, "t_s,owd_ms,path,event")?;
        for time in self.csv_times(from, to, step) {
            let delay = self.delay(from, to, time).map(milliseconds).unwrap_or_default();
            let path = self.path(from, to, time);
            let nodes = match path {
                Some(RoutePath::Through(nodes)) => self.path_text(nodes),
                _ => String::new(),
            };
            let mut happened = self.happened(from, to, time);
            if let Some(RoutePath::None(gap)) = path {
                happened.push(self.reason(*gap));
            }
            let event = happened.join("; ");
            writeln!(out, "{},{delay},{},{}", seconds(time), quoted(&nodes), quoted(&event))?;
        }
        Ok(())
    }

    fn csv_times(&self, from: NodeId, to: NodeId, step: Span) -> Vec<Time> {
        let mut times: Vec<Time> =
            (0..=self.end.as_ps() / step.as_ps()).map(|n| Time::from_ps(n * step.as_ps())).collect();
        let routes = self.routes.iter().filter(|route| (route.from, route.to) == (from, to));
        times.extend(routes.map(|route| route.time));
        times.extend(self.events.iter().filter(|event| event.node == from || event.node == to).map(|event| event.time));
        times.sort_unstable();
        times.dedup();
        times
    }

    /// What happened at an instant to the two terminals and to the path between them.
    fn happened(&self, from: NodeId, to: NodeId, time: Time) -> Vec<String> {
        let first = self.events.partition_point(|event| event.time < time);
        let now = self.events[first..].iter().take_while(|event| event.time == time);
        let of_ends = now.filter(|event| event.node == from || event.node == to);
        let mut texts: Vec<String> = of_ends.map(|event| self.told(event)).collect();
        let changed = self.routes.iter().any(|r| (r.from, r.to, r.time) == (from, to, time));
        if texts.is_empty() && changed && time > Time::ZERO {
            texts.push("rerouted".into());
        }
        texts
    }
}

/// Exact, without the zeros at the end.
fn seconds(time: Time) -> String {
    let ps = time.as_ps();
    let text = format!("{}.{:012}", ps / 1_000_000_000_000, ps % 1_000_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn milliseconds(delay: Span) -> String {
    let ps = delay.as_ps();
    format!("{}.{:06}", ps / 1_000_000_000, ps % 1_000_000_000 / 1000)
}

/// RFC 4180: in quotes where it has to be.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
