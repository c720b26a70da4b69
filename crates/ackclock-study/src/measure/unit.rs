//! The units of metrics, for numbers in words.

use super::measurement::Measurement;
use super::metric::Metric;
use super::name::MetricName;

impl MetricName {
    /// The unit of its values in a run, as [`Scale::fitting`](ackclock_report::page::number::Scale::fitting) knows it; empty of
    /// shares, quotients and the like.
    pub fn unit<'a>(&self, run: &'a Measurement) -> &'a str {
        match self.counts() {
            "rate" => "bit/s",
            "time" | "delay" | "round trip" => "s",
            "window" | "bytes" => "bytes",
            "cwnd" | "retransmitted" => "segments",
            "queue" | "arrivals" | "drops" => &run.queue_unit,
            "lost" => "packets",
            "acknowledgements" => "acknowledgements",
            "cells" => "cells",
            _ => "",
        }
    }
}

impl Metric {
    /// The unit of its values in a run.
    pub fn unit<'a>(&self, run: &'a Measurement) -> &'a str {
        match self {
            Metric::Efficiency { .. } => "",
            Metric::Other(name) => name.unit(run),
        }
    }
}
