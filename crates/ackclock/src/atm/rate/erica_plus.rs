//! ERICA+: ERICA with a target of the queueing delay. The longer the queue, the smaller the part of the link's rate that is
//! allocated.
//! Source: \[KAL97\] page 180 (literature). The rest is [`super::erica`].

use super::erica::{SHARING_KEYS, Shares, Sharing, TargetRate, delta_key, sharing};
use super::{Default, Key, Kind, Mechanism, Misfit, Port, Value, Values, interval_key};
use crate::rng::Stream;
use crate::units::Span;

/// The parameters of ERICA+.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EricaPlusParams {
    /// What it has in common with ERICA.
    pub sharing: Sharing,
    /// How the target rate follows the queue.
    pub control: QueueControl,
}

/// How the part of the link's rate that is allocated follows the queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueControl {
    /// T0: the target of the queueing delay.
    pub target_delay: Span,
    /// a: how fast the target rate falls with a queue that is longer than that.
    pub a: f64,
    /// b: the part of the link's rate, 1 or more, that is allocated without a queue, and how fast it falls to 1.
    pub b: f64,
    /// QDLF, queue drain limit factor: the least part of the rate that is allocated.
    pub least: f64,
}

/// ERICA+ at a port.
pub type EricaPlus = Shares<EricaPlusParams>;

impl QueueControl {
    /// The keys, with defaults of T0 and b and their sources, and the source of the others.
    #[rustfmt::skip]
    pub(super) const fn keys(
        (target_delay, of_delay): (Span, &'static str),
        (b, of_b): (f64, &'static str),
        source: &'static str,
    ) -> [Key; 4] {
        [
            Key::new("target_delay", Kind::time(Span::from_us(1), Span::from_secs(10)), Default::Is(Value::time(target_delay)), of_delay,
                "T0: the queueing delay at which the target rate is the whole rate of the link."),
            Key::new("a", Kind::Number(100.0), Default::Is(Value::Number(1.15)), source,
                "a: how fast the target rate falls with a longer queue; at least 1."),
            Key::new("b", Kind::Number(100.0), Default::Is(Value::Number(b)), of_b,
                "b: the target rate without a queue, relative to the link's; at least 1."),
            Key::new("drain_limit", Kind::Share, Default::Is(Value::Number(0.5)), source,
                "QDLF, queue drain limit factor: the least target rate, relative to the link's."),
        ]
    }

    /// The values of these keys.
    ///
    /// # Errors
    /// If one of them would let the rate grow with the queue.
    pub(super) fn of(values: &Values) -> Result<QueueControl, Misfit> {
        for key in [&["a"], &["b"]] {
            let value = values.number(key[0]);
            if value < 1.0 {
                let problem = format!("{value} gives away more of the link's rate the longer the queue is");
                return Err(Misfit { keys: key, problem, expected: "1 or more" });
            }
        }
        Ok(QueueControl {
            target_delay: values.time("target_delay"),
            a: values.number("a"),
            b: values.number("b"),
            least: values.number("drain_limit"),
        })
    }

    /// f(q): the part of the rate that is allocated while the queue is `ratio` of its target.
    fn part(&self, ratio: f64) -> f64 {
        if ratio <= 1.0 {
            self.b / ((self.b - 1.0) * ratio + 1.0)
        } else {
            (self.a / ((self.a - 1.0) * ratio + 1.0)).max(self.least)
        }
    }

    /// The target rate while so much waits at a link of rate C (`capacity`), of which `others` have a part.
    pub(super) fn target(&self, capacity: f64, others: f64, queued: u64) -> f64 {
        let ratio = queued as f64 / (self.target_delay.as_secs_f64() * capacity);
        self.part(ratio) * (capacity - others).max(0.0)
    }
}

impl Mechanism for EricaPlus {
    const NAME: &'static str = "erica-plus";
    const ABOUT: &'static str = "ERICA+: ERICA with a target rate that falls as the queue grows.";
    const KEYS: &'static [Key] = &crate::keys::joined::<11>(&[
        &[interval_key(Span::from_ms(5), "inferred: 5 ms over wide areas, 1 ms over local ones")],
        &QueueControl::keys(
            (Span::from_us(500), "literature: 0.5 ms over wide areas, 0.1 ms over local ones"),
            (1.05, "literature"),
            "literature",
        ),
        &[delta_key(0.1, "literature")],
        &SHARING_KEYS,
    ]);
    type Params = EricaPlusParams;

    fn params(values: &Values) -> Result<EricaPlusParams, Misfit> {
        Ok(EricaPlusParams { control: QueueControl::of(values)?, sharing: sharing(values) })
    }

    fn interval(params: &EricaPlusParams) -> Option<Span> {
        Some(params.sharing.interval)
    }

    fn start(params: &EricaPlusParams, port: &Port<'_>, _draws: Stream) -> EricaPlus {
        Shares::new(*params, params.sharing, port)
    }
}

impl TargetRate for EricaPlusParams {
    fn target(&self, capacity: f64, others: f64, queued: u64) -> f64 {
        self.control.target(capacity, others, queued)
    }
}

#[cfg(test)]
mod tests {
    use super::super::RateAllocator;
    use super::super::tests::{backward, draws, port};
    use super::*;
    use crate::packet::RmCell;
    use crate::units::Time;

    #[test]
    fn the_queue_control_function_at_its_named_points() {
        let control = EricaPlus::default_params().control;
        let parts = |control: QueueControl| {
            [0.0, 0.5, 1.0, 2.0, 5.0, 10.0].map(|ratio| (control.part(ratio) * 1e6).round() / 1e6)
        };
        assert_eq!(parts(control), [1.05, 1.02439, 1.0, 0.884615, 0.657143, 0.5]);
        assert_eq!(parts(QueueControl { b: 1.0, ..control }), [1.0, 1.0, 1.0, 0.884615, 0.657143, 0.5]);
        // 0.5 is reached at 8.667 of the target.
        assert!(control.part(8.66) > 0.5 && control.part(8.67) == 0.5);
    }

    #[test]
    fn the_target_rate_is_what_others_leave_times_that_function() {
        // 500 slots; 0.5 ms are 50 cells.
        let mut erica = EricaPlus::start(&EricaPlus::default_params(), &port(42_400_000, 2), draws());
        let mut answer = |queued| {
            erica.on_cells(None, 0, 200);
            erica.on_cells(None, 1, 100);
            erica.on_other_cells(None, 100);
            erica.on_forward_rm(Time::ZERO, 0, queued, &mut RmCell { ccr: 40_000.0, ..backward(0.0) });
            erica.on_interval_end(Time::ZERO, queued);
            let mut cell = backward(1e9);
            erica.on_backward_rm(Time::ZERO, 0, queued, &mut cell);
            (erica.allocation().unwrap(), cell.er)
        };
        // 80,000 for two; at a load of 0.75 the first gets 40,000/0.75.
        assert_eq!(answer(50), (40_000.0, 40_000.0 / 0.75));
        // The target is 80,000/2, the load 1.5: 40,000/1.5 is more than half of it.
        assert_eq!(answer(1000), (20_000.0, 40_000.0 / 1.5));
    }
}
