//! Explicit congestion notification in headers: the field of IP and the flags of TCP.
//! Source: RFC 3168 §5, §6.1.

/// The ECN field of the IP header and the flags ECE and CWR of the TCP header, as one word; all of it is zero without ECN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ecn(u8);

impl Ecn {
    /// Without ECN: queues can only drop it.
    pub const NOT_ECT: Ecn = Ecn(0);
    /// ECT(0): queues may mark it.
    pub const ECT_0: Ecn = Ecn(0b10);
    /// CE: a queue has marked it.
    pub const CE: Ecn = Ecn(0b11);
    /// The flag ECE: the receiver echoes a mark; of a SYN, that the connection can.
    pub const ECE: Ecn = Ecn(0b100);
    /// The flag CWR: the sender has reduced its window; of a SYN, that the connection can.
    pub const CWR: Ecn = Ecn(0b1000);

    const FIELD: u8 = 0b11;

    /// All bits of both.
    #[inline]
    #[must_use]
    pub const fn with(self, other: Ecn) -> Ecn {
        Ecn(self.0 | other.0)
    }

    /// The field of the IP header.
    #[inline]
    pub const fn field(self) -> u8 {
        self.0 & Ecn::FIELD
    }

    /// The field of the IP header alone.
    #[inline]
    #[must_use]
    pub const fn of_ip(self) -> Ecn {
        Ecn(self.field())
    }

    /// Whether queues may mark it, or have.
    #[inline]
    pub const fn is_ect(self) -> bool {
        self.field() != 0
    }

    /// Whether a queue has marked it.
    #[inline]
    pub const fn is_ce(self) -> bool {
        self.field() == Ecn::FIELD
    }

    /// Whether the flag ECE is set.
    #[inline]
    pub const fn ece(self) -> bool {
        self.0 & Ecn::ECE.0 != 0
    }

    /// Whether the flag CWR is set.
    #[inline]
    pub const fn cwr(self) -> bool {
        self.0 & Ecn::CWR.0 != 0
    }

    /// After a mark: CE is never taken back (RFC 3168 §5); without ECT nothing is marked.
    #[inline]
    #[must_use]
    pub const fn marked(self) -> Ecn {
        if self.is_ect() { Ecn(self.0 | Ecn::FIELD) } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_marked_is_and_flags_stay() {
        assert_eq!(Ecn::NOT_ECT.with(Ecn::CWR).marked(), Ecn::CWR);
        let data = Ecn::ECT_0.with(Ecn::CWR);
        assert_eq!((data.is_ect(), data.is_ce(), data.cwr(), data.ece()), (true, false, true, false));
        assert_eq!(data.marked(), Ecn::CE.with(Ecn::CWR));
        assert_eq!((data.marked().marked(), data.field(), data.marked().field()), (data.marked(), 2, 3));
    }
}
