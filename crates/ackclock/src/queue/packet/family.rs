//! The queue disciplines of ports of packets: drop policies of a FIFO, and those of several queues.

use std::sync::Arc;

use super::{Mechanism, QueueDiscipline, QueuePort};
use crate::factory::Factory;
use crate::queue::Policy;
use crate::rng::Stream;

/// The family, a line each. From the list come the parameters, how each begins, and [`POLICIES`].
macro_rules! packet_policies {
    ($($file:ident::$Name:ident,)*) => {
        $(use super::$file::$Name;)*

        /// A queue discipline and its parameters.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum PacketPolicyParams {
            $($Name(<$Name as Mechanism>::Params),)*
            /// A discipline from outside.
            Custom(CustomDiscipline),
        }

        /// All of the family.
        pub const POLICIES: &[Policy<PacketPolicyParams>] = &[$(Policy {
            name: $Name::NAME,
            about: $Name::ABOUT,
            keys: $Name::KEYS,
            needs_limit: $Name::NEEDS_LIMIT,
            doubt: $Name::DOUBT,
            params: |values, port| $Name::params(values, port).map(PacketPolicyParams::$Name),
        },)*];

        impl PacketPolicyParams {
            /// What scenario files call it.
            pub fn name(&self) -> &str {
                match self {
                    $(PacketPolicyParams::$Name(_) => $Name::NAME,)*
                    PacketPolicyParams::Custom(custom) => custom.name(),
                }
            }

            /// The discipline before the first packet, at this port, whose name is `name`, under this seed.
            pub fn start(&self, port: &QueuePort<'_>, name: &str, seed: u64) -> Box<dyn QueueDiscipline> {
                let draws = Stream::new(seed, name, self.name());
                match self {
                    $(PacketPolicyParams::$Name(params) => Box::new($Name::start(params, port, draws)),)*
                    PacketPolicyParams::Custom(custom) => (custom.start)(port, draws),
                }
            }

            /// Whether it marks what can be marked; one from outside may.
            pub fn marks(&self) -> bool {
                match self {
                    $(PacketPolicyParams::$Name(params) => $Name::marks(params),)*
                    PacketPolicyParams::Custom(_) => true,
                }
            }

            /// Whether the seed makes a difference at a port that so many connections cross; of one from outside this is not known, and
            /// said to be so.
            pub fn is_random(&self, connections: usize) -> bool {
                match self {
                    $(PacketPolicyParams::$Name(params) => $Name::is_random(params, connections),)*
                    PacketPolicyParams::Custom(_) => true,
                }
            }
        }
    };
}

packet_policies! {
    tail_drop::TailDrop,
    red::Red,
    codel::CoDel,
    pie::Pie,
    fq_codel::FqCoDel,
    drr::Drr,
    blue::Blue,
    tbf::Tbf,
}

/// A discipline that is none of the family: how it begins at a port, with random numbers of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomDiscipline {
    start: Factory<Start>,
}

type Start = dyn Fn(&QueuePort<'_>, Stream) -> Box<dyn QueueDiscipline> + Send + Sync;

impl CustomDiscipline {
    /// A discipline of this name that `start` begins, at each port anew. That of a drop policy is a [`Fifo`](super::Fifo) with it.
    pub fn new(
        name: impl Into<Arc<str>>,
        start: impl Fn(&QueuePort<'_>, Stream) -> Box<dyn QueueDiscipline> + Send + Sync + 'static,
    ) -> CustomDiscipline {
        CustomDiscipline { start: Factory::new(name, Arc::new(start)) }
    }

    /// What it is called, in scenario files and in what seeds its random numbers.
    pub fn name(&self) -> &str {
        self.start.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Kind, Value, Values};
    use crate::packet::Ecn;
    use crate::queue::Port;
    use crate::queue::packet::{Dropped, LinkUse, QueuedPacket};
    use crate::units::{Rate, Span, Time};

    /// The ends of what a parameter may be.
    fn limits(kind: &Kind) -> Vec<Value> {
        match *kind {
            Kind::Integer(min, max) => vec![Value::Integer(min), Value::Integer(max)],
            Kind::Quantity(limit) => {
                [limit.min, limit.max].map(|amount| Value::quantity(limit.dimension, amount)).to_vec()
            }
            Kind::Share => vec![Value::Number(0.0), Value::Number(1.0)],
            Kind::Number(max) => vec![Value::Number(max)],
            Kind::Flag => vec![Value::Flag(false), Value::Flag(true)],
            Kind::Word(words) => words.iter().map(|word| Value::Word(word)).collect(),
            _ => Vec::new(),
        }
    }

    /// Random draws of parameters hardly ever meet a limit.
    #[test]
    fn every_discipline_works_at_the_limits_of_each_parameter() {
        let rate = Rate::from_bps(10_000_000).unwrap();
        for policy in POLICIES {
            for (key, value) in
                policy.keys.iter().flat_map(|key| limits(&key.kind).into_iter().map(move |of| (key, of)))
            {
                let what = format!("{} with {} = {value:?}", policy.name, key.name);
                let values = Values::of(policy.keys, |other| (other.name == key.name).then_some(value));
                let Ok(params) = (policy.params)(&values, &Port { capacity_cells: None, rate }) else { continue };
                let port = QueuePort { rate, max_packets: 20, max_bytes: u64::MAX, flows: &[1, 2, 3] };
                let mut queue = params.start(&port, "port", 1);
                let (mut dropped, mut lost, mut left) = (Dropped::default(), 0, 0);
                // Three packets come while two are sent: it fills, and stays full.
                for handle in 0..900 {
                    let arrived = Time::ZERO + Span::from_ms(1 + u64::from(handle));
                    let packet = QueuedPacket { arrived, handle, bytes: 1000, flow: handle % 3, ecn: Ecn::NOT_ECT };
                    queue.enqueue(packet, LinkUse { idle: None, is_free: false }, &mut dropped);
                    lost += dropped.drain().count() as u32;
                    let waiting = handle + 1 - left - lost;
                    assert!(waiting <= 20, "{what}: {waiting} wait");
                    if handle % 3 > 0 {
                        left += u32::from(queue.dequeue(arrived, &mut dropped).is_some());
                    }
                    lost += dropped.drain().count() as u32;
                }
                let waiting = std::iter::from_fn(|| queue.flush()).count() as u32;
                assert_eq!(left + lost + waiting, 900, "{what}: {left} left, {lost} lost, {waiting} waited");
            }
        }
    }
}
