//! A receiver whose application reads at a rate, or pauses: what is not read takes room, and the window says how much is left.
//! Sources: RFC 9293 §3.8.6, §3.8.6.2.2 (no small windows); RFC 7323 §2.3; a window update is sent once two segments more have room, or
//! half of the buffer: 4.4BSD.   Units: bytes, picoseconds.

use crate::tcp::{ReadingParams, TcpParams};
use crate::units::{Rate, Span, Time};

/// What an application has read, and what room its receiver has advertised.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    params: ReadingParams,
    /// The room for what is not read, the size of a segment, and what the window is counted in.
    buffer: u64,
    mss: u64,
    unit: u64,
    /// It has read everything before this byte, and this part of it, in units of 10⁻¹² bit.
    read: u64,
    part: u128,
    at: Time,
    /// The first byte that the window does not allow, which never goes back.
    edge: u64,
    /// When a window update is sent.
    update_at: Time,
}

impl Reading {
    /// Of a connection with a reader, at its beginning.
    pub(super) fn new(params: &TcpParams) -> Option<Reading> {
        let buffer = params.advertised_window();
        Some(Reading {
            params: params.reading.clone()?,
            buffer,
            mss: u64::from(params.mss),
            unit: 1 << params.window_scale,
            read: params.empty_bytes(),
            part: 0,
            at: Time::ZERO,
            edge: buffer,
            update_at: Time::NEVER,
        })
    }

    /// Everything before `nxt` is there: what of it is read by now.
    pub(super) fn pass(&mut self, now: Time, nxt: u64) {
        while self.at < now {
            let (rate, until) = self.params.at(self.at);
            let until = until.min(now);
            let bits = bits(rate, until.since(self.at)) + self.part;
            let left = nxt.saturating_sub(self.read);
            if bits / BYTE >= u128::from(left) {
                (self.read, self.part) = (self.read + left, 0);
            } else {
                (self.read, self.part) = (self.read + (bits / BYTE) as u64, bits % BYTE);
            }
            self.at = until;
        }
    }

    /// The window that an acknowledgement of everything before `nxt` advertises, after [`Reading::pass`].
    pub(super) fn advertise(&mut self, nxt: u64) -> u32 {
        let room = (self.read + self.buffer).saturating_sub(nxt).min(self.buffer);
        let offered = nxt + room - room % self.unit;
        // RFC 9293 §3.8.6.2.2: not by less than this, unless that is all that there is.
        let is_all = self.read >= nxt && offered > self.edge;
        if is_all || offered >= self.edge + self.mss.min(self.buffer / 2).max(1) {
            self.edge = offered;
        }
        // In whole units, rounded up: what was advertised is taken back by less than a unit (RFC 7323 §2.4).
        let window = self.edge.saturating_sub(nxt).div_ceil(self.unit) * self.unit;
        self.plan(nxt);
        window as u32
    }

    /// When a window update is sent, if nothing more arrives, is planned anew.
    pub(super) fn plan(&mut self, nxt: u64) {
        let more = (2 * self.mss).min(self.buffer / 2).max(1) + (self.unit - 1);
        let target = (self.edge + more).saturating_sub(self.buffer);
        // A window of less than a segment, of which a sender of full ones makes nothing, has an update once all is read.
        let is_short = self.edge < nxt + self.mss && nxt + self.buffer >= self.edge + self.unit;
        self.update_at = match target <= nxt {
            true => self.reads_up_to(target),
            false if is_short => self.reads_up_to(nxt),
            false => Time::NEVER,
        };
    }

    /// When everything before this byte is read, of which nothing is missing.
    fn reads_up_to(&self, target: u64) -> Time {
        let mut missing = (u128::from(target.saturating_sub(self.read)) * BYTE).saturating_sub(self.part);
        let mut at = self.at;
        while missing > 0 {
            let (rate, until) = self.params.at(at);
            let in_time = bits(rate, until.since(at));
            if missing <= in_time {
                let ps = missing.div_ceil(u128::from(rate.map_or(1, Rate::as_bps)));
                return at.saturating_add(Span::from_ps(u64::try_from(ps).unwrap_or(u64::MAX)));
            }
            if until == Time::NEVER {
                return Time::NEVER;
            }
            (missing, at) = (missing - in_time, until);
        }
        at
    }

    /// When [`Reading::update_is_due`] is to be asked.
    pub(super) fn deadline(&self) -> Time {
        self.update_at
    }

    /// The sender has closed the connection: nobody wants to know of windows any more.
    pub(super) fn close(&mut self) {
        self.update_at = Time::NEVER;
    }

    /// Whether a window update is to be sent now. It is said once: until it is sent, a host may take time.
    pub(super) fn update_is_due(&mut self, now: Time) -> bool {
        let is_due = now >= self.update_at;
        if is_due {
            self.update_at = Time::NEVER;
        }
        is_due
    }
}

/// What is read at a rate, in units of 10⁻¹² bit.
fn bits(rate: Option<Rate>, time: Span) -> u128 {
    u128::from(rate.map_or(0, Rate::as_bps)) * u128::from(time.as_ps())
}

/// Units of 10⁻¹² bit in a byte.
const BYTE: u128 = 8_000_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    /// 1 Mb/s is a segment in 8 ms. A pause from 20 to 50 ms.
    fn reading(window: u64) -> Reading {
        let rate = Rate::from_bps(1_000_000);
        let pause =
            [(Time::ZERO, rate), (Time::ZERO + Span::from_ms(20), None), (Time::ZERO + Span::from_ms(50), rate)];
        let reading = Some(ReadingParams { rates: pause.to_vec() });
        let window_scale = TcpParams::scale_for(window);
        let params =
            TcpParams { mss: MSS as u32, receive_window: window, window_scale, reading, ..TcpParams::default() };
        Reading::new(&params).unwrap()
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    #[test]
    fn what_is_not_read_takes_room() {
        let mut reading = reading(4 * MSS);
        // Four segments at once: nothing is left, and nothing is read.
        reading.pass(ms(0), 0);
        assert_eq!((reading.advertise(4 * MSS), reading.deadline()), (0, ms(16)));
        // A segment has room after 8 ms: an acknowledgement advertises it, and not half of one.
        reading.pass(ms(4), 4 * MSS);
        assert_eq!(reading.advertise(4 * MSS), 0);
        reading.pass(ms(8), 4 * MSS);
        // Two more have room 16 ms later, 4 of which are after the pause.
        assert_eq!((reading.advertise(4 * MSS), reading.deadline()), (MSS as u32, ms(54)));
        reading.pass(ms(40), 4 * MSS);
        assert_eq!([40, 54, 54].map(|time| reading.update_is_due(ms(time))), [false, true, false]);
        assert_eq!(reading.read, 2500);
        assert_eq!(reading.advertise(4 * MSS), 2500);
    }

    #[test]
    fn what_is_read_when_nothing_is_there_counts_for_nothing() {
        let mut reading = reading(10 * MSS);
        reading.pass(ms(8), 0);
        reading.pass(ms(10), MSS);
        assert_eq!((reading.read, reading.part), (250, 0));
        reading.pass(ms(18), MSS);
        assert_eq!(reading.read, MSS);
        assert_eq!((reading.advertise(MSS), reading.deadline()), (10 * MSS as u32, Time::NEVER), "all of it is free");
    }

    /// With a scale of 3 windows are multiples of 8: what was advertised is taken back by less than that.
    #[test]
    fn a_window_is_taken_back_by_less_than_its_unit() {
        let mut reading = reading(400_000);
        assert_eq!(reading.unit, 8);
        let mut edge = 0;
        for step in 0..400 {
            let (now, nxt) = (Time::ZERO + Span::from_us(123 * step), 777 * step);
            reading.pass(now, nxt);
            let window = u64::from(reading.advertise(nxt));
            assert!(window % 8 == 0 && nxt + window + 8 > edge && nxt + window <= reading.read + 400_000 + 8, "{step}");
            edge = nxt + window;
        }
    }

    /// A buffer of less than two segments: half of it is enough.
    #[test]
    fn of_a_small_buffer_half_is_advertised() {
        let mut reading = reading(1500);
        reading.pass(ms(0), 0);
        assert_eq!((reading.advertise(1000), reading.deadline()), (500, ms(6)));
        reading.pass(ms(6), 1000);
        assert_eq!(reading.advertise(1000), 1250);
        // And in the end all of it: with less than a segment a sender of full ones would wait for ever.
        for buffer in MSS..=2 * MSS {
            let mut reading = self::reading(buffer);
            let (mut nxt, mut now) = (0, ms(60));
            for _ in 0..20 {
                nxt += MSS;
                reading.pass(now, nxt);
                let mut window = reading.advertise(nxt);
                while u64::from(window) < MSS {
                    now = reading.deadline();
                    assert!(now < Time::NEVER, "{buffer}: {window} at {nxt}");
                    reading.pass(now, nxt);
                    window = reading.advertise(nxt);
                }
            }
        }
    }
}
