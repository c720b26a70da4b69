//! When a rare thing happened, in ticks of the coarse timer.

/// Numbers of ticks in ascending order. Each is kept as the distance from the one before, seven bits to an octet, the
/// last one marked: of a hundred thousand flows on a crowded link each has a timeout every few seconds.
#[derive(Clone, Debug, Default)]
pub(super) struct TickLog {
    last: u64,
    octets: Vec<u8>,
}

/// In an octet that is the last of its number.
const END: u8 = 0x80;

impl TickLog {
    /// Adds tick number `n`.
    pub(super) fn push(&mut self, n: u64) {
        let mut distance = n - self.last;
        self.last = n;
        while distance >= u64::from(END) {
            self.octets.push(distance as u8 & !END);
            distance >>= 7;
        }
        self.octets.push(distance as u8 | END);
    }

    /// The numbers of the ticks.
    pub(super) fn iter(&self) -> impl Iterator<Item = u64> {
        let distance = |octets: &[u8]| octets.iter().rfold(0, |sum, octet| sum << 7 | u64::from(octet & !END));
        let numbers = self.octets.chunk_by(|octet, _| octet & END == 0);
        numbers.map(distance).scan(0, |sum, distance| {
            *sum += distance;
            Some(*sum)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_logged_can_be_read() {
        let ticks = [1, 1, 128, 255, 256, 383, 20_000, 1 << 40, u64::MAX];
        let mut log = TickLog::default();
        ticks.iter().for_each(|&n| log.push(n));
        assert_eq!(log.iter().collect::<Vec<_>>(), ticks);
        assert_eq!(TickLog::default().iter().count(), 0);
    }
}
