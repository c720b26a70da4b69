//! What is counted in a run: one table of each kind of counters. Records, the time after the warm-up, documents, summaries
//! over seeds, and `explain` follow from these tables, so a new counter is one line here and the line that counts it.

use std::ops::{AddAssign, Sub};

/// One counter of a table of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Its key in documents.
    pub name: &'static str,
    /// The unit; empty where the meaning says what is counted. `units` are cells or packets, as ports count them.
    pub unit: &'static str,
    /// What it means, in one sentence.
    pub about: &'static str,
}

/// A table of counters with one value each.
pub trait Counters: Sized {
    /// A number of one run, or what several runs say about it.
    type Value;
    /// What is counted, in the order of documents.
    const ALL: &'static [Counter];
    /// The keys of all of them.
    const NAMES: &'static [&'static str];

    /// The values in the order of the table.
    fn values<'a>(&'a self) -> impl Iterator<Item = &'a Self::Value>
    where
        Self::Value: 'a;

    /// Asks for the value of each counter, in the order of the table; `None` if one has none.
    fn try_each(value: impl FnMut(usize) -> Option<Self::Value>) -> Option<Self>;
}

/// A struct of counters, each with its key where that is not its name, its unit and its meaning.
macro_rules! counters {
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
    ($(
        $(#[$meta:meta])*
        pub struct $Name:ident {
            $($field:ident $(as $key:literal)?: $unit:literal, $about:literal;)*
        }
    )*) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $Name<T = u64> {
            $(#[doc = $about] pub $field: T,)*
        }

        impl<T> Counters for $Name<T> {
            type Value = T;
            const ALL: &'static [Counter] =
                &[$(Counter { name: counters!(@key $field $($key)?), unit: $unit, about: $about },)*];
            const NAMES: &'static [&'static str] = &[$(counters!(@key $field $($key)?),)*];

            fn values<'a>(&'a self) -> impl Iterator<Item = &'a T>
            where
                T: 'a,
            {
                [$(&self.$field,)*].into_iter()
            }

            fn try_each(mut value: impl FnMut(usize) -> Option<T>) -> Option<$Name<T>> {
                let mut numbers = 0..;
                Some($Name { $($field: value(numbers.next()?)?,)* })
            }
        }

        impl AddAssign for $Name {
            fn add_assign(&mut self, other: $Name) {
                $(self.$field += other.$field;)*
            }
        }

        /// What was counted since an earlier instant of the same run.
        impl Sub for $Name {
            type Output = $Name;

            fn sub(self, earlier: $Name) -> $Name {
                $Name { $($field: self.$field - earlier.$field,)* }
            }
        }
    )* };
}

counters! {
    /// What the source of one ABR connection did.
    pub struct AbrCounts {
        forward_rm_cells: "cells", "Forward RM cells that the source sent in rate.";
        out_of_rate_rm_cells: "cells", "Forward RM cells that the source sent out of rate, while ACR was below TCR.";
        backward_rm_cells: "cells", "Backward RM cells that came back to the source.";
        replaced_rm_cells: "cells", "RM cells whose place a newer one took at the destination.";
        refused_rm_cells: "cells", "RM cells that a port refused, on the way there or back.";
        efci_cells: "cells", "Data cells that arrived with EFCI.";
    }

    /// What one flow did.
    pub struct FlowCounts {
        bytes_delivered: "bytes", "Payload delivered in order, each byte counted once.";
        bytes_sent: "bytes", "Payload sent, retransmissions included.";
        segments_sent: "", "Segments sent that take sequence numbers, retransmissions included: data, a FIN of its own, the empty first segment of ns-2; not SYNs and acknowledgements.";
        segments_discarded_in_host: "", "Segments that TCP sent, but that a timeout discarded before the host began to transmit them.";
        retransmissions: "", "Segments that TCP retransmitted.";
        unnecessary_retransmissions: "", "Segments that arrived although the receiver held all their bytes.";
        fast_retransmits: "", "Losses found by duplicate or selective acknowledgements.";
        timeouts: "", "Expiries of the retransmission timer.";
        damaged_frames: "", "Damaged data frames that AAL5 discarded at the receiver; two merged frames count once.";
        damaged_ack_frames: "", "Damaged frames of acknowledgements that AAL5 discarded: those of a flow at its sender, those of a port with feedback at its edge device.";
        forced_drops: "", "Segments that `drops` of the flow lost.";
        marked_segments: "", "Segments of new data that arrived with a mark (CE).";
        ecn_reductions: "", "Reductions of the window because of marks.";
        undone_reductions: "", "Reductions of the window that were spurious, and undone.";
    }

    /// What one source of datagrams sent, and what of it arrived.
    pub struct UdpCounts {
        bytes_delivered: "bytes", "Payload that arrived; of datagrams that are sent back, once and back.";
        sent as "datagrams_sent": "", "Datagrams sent.";
        delivered as "datagrams_delivered": "", "Datagrams that arrived; of those that are sent back, that came back.";
        lost as "datagrams_lost": "", "Datagrams refused by ports, on ATM networks any cell of them, or lost on links, there or on the way back.";
    }

    /// Units that a port refused, by reason.
    pub struct Drops {
        overflow: "units", "Units refused because the buffer was full.";
        partial_frame: "units", "Units refused because an earlier cell of their frame met a full buffer.";
        policy: "units", "Units refused by the policy.";
        outage: "packets", "Units lost when the link went down, waiting or on it, or when their route was lost.";
    }

    /// Packets lost on a link or at its far end, by reason.
    pub struct LinkLosses {
        corrupted: "packets", "Packets that arrived damaged over a link.";
        outage: "packets", "Units lost when the link went down, waiting or on it, or when their route was lost.";
        no_route: "packets", "Packets that arrived over this link at a node without a route to their destination.";
        no_receiver: "packets", "Packets that were transmitted while the link had no far end.";
        ttl: "packets", "Packets that arrived over this link at a node after as many links as the time to live allows.";
    }
}

/// What ports count beside arrivals, departures and drops, a line each: key, name as a measure, unit, meaning. Records, the time after the
/// warm-up, documents, summaries, measures, columns of sweeps, `explain` and tables follow.
macro_rules! port_counters {
    ($then:ident) => {
        $then! {
            dropped_after_waiting "dropped-after-waiting": "units", "Units that were dropped after they had waited: when their turn came, for others, or as the link went down.";
            marked_packets "marked-packets": "packets", "Packets that the queue marked (ECN): they left with CE and had come without it.";
        }
    };
}
pub(crate) use port_counters;

macro_rules! as_struct {
    ($($field:ident $name:literal: $unit:literal, $about:literal;)*) => {
        counters! {
            /// What a port counts beside arrivals, departures and drops.
            pub struct PortTallies {
                $($field: $unit, $about;)*
            }
        }
    };
}

port_counters!(as_struct);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keys_and_meanings_have_one_order() {
        let counts = UdpCounts { bytes_delivered: 1, sent: 2, delivered: 3, lost: 4 };
        assert_eq!(counts.values().copied().collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(UdpCounts::<u64>::NAMES[1], "datagrams_sent");
        assert_eq!(UdpCounts::try_each(|number| Some(number as u64 + 1)), Some(counts));
        assert_eq!(UdpCounts::try_each(|number| (number < 3).then_some(0)), None);
        for counter in FlowCounts::<u64>::ALL {
            assert!(counter.about.ends_with('.'), "{}", counter.name);
        }
    }

    #[test]
    fn later_counts_less_earlier_ones_are_those_between() {
        let mut counts = Drops { overflow: 2, policy: 1, ..Drops::default() };
        counts += Drops { overflow: 3, outage: 1, ..Drops::default() };
        assert_eq!(
            counts - Drops { overflow: 1, ..Drops::default() },
            Drops { overflow: 4, policy: 1, outage: 1, partial_frame: 0 }
        );
    }
}
