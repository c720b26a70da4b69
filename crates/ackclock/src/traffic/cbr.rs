//! Datagrams at a constant rate, or by a pattern, whatever becomes of them: UDP without any control.
//! Source: \[VEGAS-A\] §3.2.3, background traffic of iperf.

use super::echoes::Echoes;
use super::pattern::{Pattern, PatternParams};
use crate::rng::Stream;
use crate::units::{Rate, Span, Time};

/// A source of datagrams.
#[derive(Clone, Debug, PartialEq)]
pub struct CbrParams {
    /// Octets of payload of each datagram.
    pub payload_bytes: u32,
    /// Payload per second.
    pub rate: Rate,
    /// From one datagram to the next, of a constant rate; `None`: as long as the payload takes at `rate`.
    pub interval: Option<Span>,
    /// When the first one is sent.
    pub start: Time,
    /// When no more are sent.
    pub stop: Option<Time>,
    /// Whether they are sent exactly one interval apart; of a constant rate.
    pub dither: Dither,
    /// How the rate changes; `None`: not at all.
    pub pattern: Option<Box<PatternParams>>,
}

impl CbrParams {
    /// The largest rate that it ever has, while it is on.
    pub fn largest_rate(&self) -> Rate {
        self.pattern.as_ref().map_or(self.rate, |pattern| pattern.largest())
    }
}

/// When datagrams are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dither {
    /// One interval after the other.
    Off,
    /// Each anywhere in its interval: against locking to other sources of the same period.
    Uniform,
}

/// The state of a source.
#[derive(Clone, Debug)]
pub struct Cbr {
    params: CbrParams,
    pattern: Option<Box<Pattern>>,
    interval: Span,
    draws: Stream,
    sent: u64,
    /// What of them came back, if the other end sends them back.
    echoes: Option<Box<Echoes>>,
}

impl Cbr {
    /// A source before its first datagram, with random numbers for its dither or its pattern.
    pub fn new(params: CbrParams, draws: Stream) -> Cbr {
        let of_rate = || params.rate.serialization(8 * u64::from(params.payload_bytes));
        let interval = params.interval.unwrap_or_else(of_rate);
        let of_pattern = |pattern: &PatternParams| Pattern::new(pattern, params.payload_bytes, params.start, draws);
        let pattern = params.pattern.as_deref().map(|pattern| Box::new(of_pattern(pattern)));
        Cbr { params, pattern, interval, draws, sent: 0, echoes: None }
    }

    /// The other end sends each datagram back; round trips count that end from `since` on.
    pub fn with_echoes(self, since: Time) -> Cbr {
        Cbr { echoes: Some(Box::new(Echoes::new(since))), ..self }
    }

    /// When the next datagram is sent; `Time::NEVER` after the last one.
    pub fn next(&self) -> Time {
        let time = self.pattern.as_ref().map_or_else(|| self.regular(), |pattern| pattern.due());
        if self.params.stop.is_some_and(|stop| time >= stop) { Time::NEVER } else { time }
    }

    /// When the next one of a constant rate is due.
    fn regular(&self) -> Time {
        let ps = self.interval.as_ps();
        let within = match self.params.dither {
            Dither::Off => 0,
            Dither::Uniform => self.draws.below(ps, self.sent),
        };
        self.params.start + self.interval * self.sent + Span::from_ps(within)
    }

    /// The next datagram is sent; returns its number, from 0.
    pub fn send(&mut self) -> u64 {
        if self.echoes.is_some() {
            let now = self.next();
            self.echoes.iter_mut().for_each(|echoes| echoes.send(now));
        }
        if let Some(pattern) = &mut self.pattern {
            pattern.send();
        }
        self.sent += 1;
        self.sent - 1
    }

    /// The echo of the datagram with this number arrives.
    pub fn returns(&mut self, now: Time, number: u64) {
        self.echoes.iter_mut().for_each(|echoes| echoes.returns(now, number));
    }

    /// What came back, if the other end sends datagrams back.
    pub fn echoes(&self) -> Option<&Echoes> {
        self.echoes.as_deref()
    }

    /// Datagrams sent so far.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Octets of payload of each.
    pub fn payload_bytes(&self) -> u32 {
        self.params.payload_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: CbrParams = CbrParams {
        payload_bytes: 1000,
        rate: Rate::from_bps(1_000_000).unwrap(),
        interval: None,
        start: Time::from_ps(500),
        stop: None,
        dither: Dither::Off,
        pattern: None,
    };

    fn times(params: CbrParams, count: usize) -> Vec<u64> {
        let mut source = Cbr::new(params, Stream::new(1, "u", "dither"));
        let next = |source: &mut Cbr| {
            let time = source.next().as_ps();
            source.send();
            time
        };
        (0..count).map(|_| next(&mut source)).collect()
    }

    #[test]
    fn datagrams_are_an_interval_apart() {
        // 8000 bits at 1 Mb/s: 8 ms.
        assert_eq!(times(PARAMS, 3), [500, 8_000_000_500, 16_000_000_500]);
    }

    #[test]
    fn nothing_is_sent_at_the_end_or_after_it() {
        let stop = Some(Time::from_ps(16_000_000_500));
        assert_eq!(times(CbrParams { stop, ..PARAMS }, 3)[2], u64::MAX);
        let stop = Some(Time::from_ps(16_000_000_501));
        assert_eq!(times(CbrParams { stop, ..PARAMS }, 3)[2], 16_000_000_500);
    }

    #[test]
    fn dithered_datagrams_keep_their_order_and_their_rate() {
        let times = times(CbrParams { dither: Dither::Uniform, ..PARAMS }, 10_000);
        let within: Vec<u64> = times.iter().zip(0..).map(|(time, n)| time - 500 - n * 8_000_000_000).collect();
        assert!(within.iter().all(|&ps| ps < 8_000_000_000));
        let mean = within.iter().sum::<u64>() as f64 / 10_000.0;
        // Uniform on an interval: mean one half, standard deviation 0.289/√10⁴ of it.
        assert!((mean / 8e9 - 0.5).abs() < 4.0 * 0.002_89, "{mean}");
    }
}
