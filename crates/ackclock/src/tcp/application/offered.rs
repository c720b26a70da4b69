//! What an application has offered so far, as a sender keeps it.

use super::{Application, Offer};
use crate::units::Time;

/// An application that may have more to offer.
#[derive(Debug)]
pub(in crate::tcp) struct Offered {
    application: Box<dyn Application>,
    /// Up to which byte of the stream.
    until: u64,
}

/// Up to where the data of an application is known.
pub(in crate::tcp) struct Known {
    /// Up to this byte of the stream.
    pub(in crate::tcp) until: u64,
    /// When there will be more; never if this is the end.
    pub(in crate::tcp) next: Time,
}

impl Offered {
    /// An application before its first offer, at a stream that begins with so many bytes that are none of its data.
    pub(in crate::tcp) fn new(application: Box<dyn Application>, empty_bytes: u64) -> Offered {
        Offered { application, until: empty_bytes }
    }

    /// The application offers data now, of a stream that ends at `size` at the latest.
    ///
    /// # Panics
    /// If it names an instant for more that is not later.
    pub(in crate::tcp) fn ask(&mut self, now: Time, size: u64) -> Known {
        let Offer { bytes, next } = self.application.offer(now);
        assert!(next > now, "{now}: an application offers more at {next}, which is not later");
        self.until = self.until.saturating_add(bytes).min(size);
        Known { until: self.until, next: if self.until == size { Time::NEVER } else { next } }
    }
}
