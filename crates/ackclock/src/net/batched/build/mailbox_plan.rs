//! Which mailboxes each process reads: `net/batched/mailbox_set.rs`.

use crate::net::batched::mailbox::{Mailbox, MailboxItem};
use crate::net::batched::mailbox_set::{MOST_MAILBOXES, MailboxSet};
use crate::units::Span;

/// The mailboxes of all readers. The first one of each reader has its number; the numbers of others follow.
#[derive(Default)]
pub(super) struct MailboxPlan {
    /// By reader.
    readers: Vec<Vec<Planned>>,
    mailboxes: usize,
}

/// What comes from one process with one lag, and perhaps more.
struct Planned {
    from: usize,
    lag: Span,
    mailbox: usize,
}

impl MailboxPlan {
    pub(super) fn new(readers: usize) -> MailboxPlan {
        MailboxPlan { readers: (0..readers).map(|_| Vec::new()).collect(), mailboxes: readers }
    }

    /// The mailbox of `reader` for what leaves process `from` and arrives so long after.
    pub(super) fn mailbox(&mut self, reader: usize, from: usize, lag: Span) -> u32 {
        let planned = &mut self.readers[reader];
        let nearest = planned.iter().min_by_key(|known| (known.from != from, known.lag.max(lag) - known.lag.min(lag)));
        let mailbox = match nearest {
            None => reader,
            Some(known) if known.from == from && known.lag == lag || planned.len() == MOST_MAILBOXES => {
                return known.mailbox as u32;
            }
            Some(_) => {
                self.mailboxes += 1;
                self.mailboxes - 1
            }
        };
        planned.push(Planned { from, lag, mailbox });
        mailbox as u32
    }

    pub(super) fn read_by<T: MailboxItem>(&self, reader: usize) -> MailboxSet<T> {
        MailboxSet::new(reader, self.readers[reader].iter().skip(1).map(|planned| planned.mailbox).collect())
    }

    pub(super) fn mailboxes<T: MailboxItem>(&self) -> Vec<Mailbox<T>> {
        (0..self.mailboxes).map(|_| Mailbox::default()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_delay_has_a_mailbox_until_there_are_too_many() {
        let mut plan = MailboxPlan::new(2);
        let mut mailbox = |from, us| plan.mailbox(1, from, Span::from_us(us));
        assert_eq!([mailbox(0, 10), mailbox(0, 20), mailbox(1, 10), mailbox(0, 10)], [1, 2, 3, 1]);
        let others: Vec<u32> = (3..8).map(|lag| mailbox(0, 10 * lag)).collect();
        assert_eq!(others, [4, 5, 6, 7, 8]);
        assert_eq!((mailbox(0, 1000), mailbox(0, 23), mailbox(1, 1000)), (8, 2, 3), "the nearest of the same process");
        assert_eq!(plan.mailbox(0, 0, Span::ZERO), 0);
        assert_eq!(plan.mailboxes::<crate::net::batched::io::Arrival>().len(), 9);
    }
}
