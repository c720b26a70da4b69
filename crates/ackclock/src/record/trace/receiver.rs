//! What is recorded of a receiver.

use super::amounts::Amounts;
use crate::record::{Columns, Metric, MetricSet};
use crate::units::{Span, Time};

/// Records what a receiver delivers.
#[derive(Clone, Debug)]
pub struct DeliveryTrace {
    bits: Amounts,
    delivered: u64,
}

impl DeliveryTrace {
    /// A recorder, if the throughput is asked for.
    pub fn new(metrics: MetricSet, interval: Span) -> Option<Box<DeliveryTrace>> {
        let wanted = metrics.contains(Metric::Throughput);
        wanted.then(|| Box::new(DeliveryTrace { bits: Amounts::new(interval, Span::from_secs(1)), delivered: 0 }))
    }

    /// So many bytes are delivered in all.
    pub fn delivered(&mut self, now: Time, bytes: u64) {
        if bytes > self.delivered {
            self.bits.add(now, 8 * (bytes - self.delivered));
            self.delivered = bytes;
        }
    }

    /// The throughput up to `end`, in bits per second.
    pub fn columns(&self, end: Time) -> Columns {
        self.bits.columns(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(metrics: &[Metric]) -> MetricSet {
        metrics.iter().copied().collect()
    }

    #[test]
    fn throughput_by_hand() {
        let mut trace = DeliveryTrace::new(set(&[Metric::Throughput]), Span::from_ms(10)).unwrap();
        let ms = |ms| Time::ZERO + Span::from_ms(ms);
        trace.delivered(ms(0), 1000);
        trace.delivered(ms(3), 1000);
        trace.delivered(ms(3), 3000);
        trace.delivered(ms(12), 4000);
        let Columns::Intervals { min, mean, max, .. } = trace.columns(ms(15)) else { panic!("no intervals") };
        // 24 kb in 10 ms; 16 of them in one tenth. 8 kb in 5 ms, all in one tenth.
        assert_eq!([min, mean, max].map(|column| column.to_vec()), [[0.0, 0.0], [2.4e6, 1.6e6], [16e6, 8e6]]);
    }
}
