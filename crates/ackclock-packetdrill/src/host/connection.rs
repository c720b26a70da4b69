//! One connection of the host: the sender and the receiver of the simulator as one end of it. Numbers of scripts count the SYN as 0, those
//! of the simulator begin with the first byte of payload.

use std::collections::VecDeque;

use ackclock::packet::{Ecn, SackBlock, Segment, SegmentKind, Timestamps};
use ackclock::tcp::application::{Application, Offer};
use ackclock::tcp::{ReadingParams, Receiver, Sender, TcpParams, TickClock, Transfer, sack_option};
use ackclock::units::{Span, Time};

use super::settings::{Agreed, OWN_SCALE, Settings};
use super::stream::Stream;
use super::wire::{Sent, ecn_of};
use crate::script::{Flags, Packet, Trouble};

/// The application of a sender that is told from outside when to write.
struct Outside;

/// Later than any script.
const LATER: Time = Time::from_ps(u64::MAX / 2);

impl Application for Outside {
    fn offer(&mut self, _now: Time) -> Offer {
        Offer { bytes: 0, next: LATER }
    }
}

/// How far a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// A SYN or its answer was sent.
    Opening,
    Open,
    /// Reset, by either end.
    Reset,
}

pub(crate) struct Connection {
    /// Whether the host has opened it.
    active: bool,
    pub(crate) agreed: Agreed,
    own_mss: u32,
    scales: bool,
    peer_scale: u8,
    pub(crate) stage: Stage,
    pub(crate) sender: Sender,
    receiver: Receiver,
    params: TcpParams,
    pub(crate) stream: Stream,
    /// Segments that the sender was given.
    given: u64,
    /// When SYNs were sent, or came; when the handshake was over.
    syns: Vec<Time>,
    opened: Time,
    peer_timestamps: [Option<Timestamps>; 2],
    /// The first number on the wire that the peer's window does not allow; the window of its last segment.
    edge: u64,
    window: u64,
    /// Whether the peer has sent payload; and the number after its FIN.
    has_data: bool,
    pub(crate) peer_fin: Option<u64>,
    pub(crate) read: u64,
    pub(crate) out: VecDeque<Sent>,
}

impl Connection {
    /// The host opens a connection.
    pub(crate) fn open(now: Time, settings: &Settings, line: usize) -> Result<Connection, Trouble> {
        let agreed = Agreed {
            mss: settings.segment(Some(u32::MAX), settings.timestamps),
            sack: settings.sack,
            timestamps: settings.timestamps,
            ecn: settings.ecn == 1,
        };
        let mut connection = Connection::new(true, now, agreed, settings, line)?;
        connection.syns.push(now);
        connection.sender.on_timer(now);
        connection.poll(now);
        Ok(connection)
    }

    /// A SYN comes to the host.
    pub(crate) fn answer(now: Time, syn: &Packet, settings: &Settings, line: usize) -> Result<Connection, Trouble> {
        let timestamps = settings.timestamps && syn.timestamps().is_some();
        let agreed = Agreed {
            mss: settings.segment(syn.mss(), timestamps),
            sack: settings.sack && syn.permits_sack(),
            timestamps,
            ecn: settings.ecn > 0 && syn.flags.ece && syn.flags.cwr,
        };
        let mut connection = Connection::new(false, now, agreed, settings, line)?;
        connection.scales = settings.scaling && syn.scale().is_some();
        connection.peer_scale = syn.scale().filter(|_| connection.scales).unwrap_or(0);
        connection.peer_timestamps[0] = timestamps_of(syn);
        connection.syns.push(now);
        connection.take_window(now, 0, u64::from(syn.window.unwrap_or(0)));
        connection.sender.on_timer(now);
        connection.begin_receiver(connection.params.mss);
        connection.poll(now);
        Ok(connection)
    }

    fn new(active: bool, now: Time, agreed: Agreed, settings: &Settings, line: usize) -> Result<Connection, Trouble> {
        let params = settings.params(&agreed, line)?;
        let mut stream = Stream::new(agreed.mss);
        stream.no_delay = settings.no_delay;
        Ok(Connection {
            active,
            agreed,
            own_mss: settings.own_mss(),
            scales: settings.scaling,
            peer_scale: 0,
            stage: Stage::Opening,
            sender: begin(&params, now),
            receiver: Receiver::new(&params),
            params,
            stream,
            given: 0,
            syns: Vec::new(),
            opened: now,
            peer_timestamps: [None; 2],
            edge: 0,
            window: 0,
            has_data: false,
            peer_fin: None,
            read: 0,
            out: VecDeque::new(),
        })
    }

    /// When something is due.
    pub(crate) fn deadline(&self) -> Time {
        match self.stage {
            Stage::Reset => Time::NEVER,
            Stage::Opening => self.sender.deadline(),
            Stage::Open => self.sender.deadline().min(self.receiver.deadline()),
        }
    }

    /// That instant has come.
    pub(crate) fn on_deadline(&mut self, now: Time) {
        if self.sender.deadline() <= now {
            self.sender.on_timer(now);
        }
        if self.stage == Stage::Open && self.receiver.deadline() <= now {
            self.receiver.on_timer(now);
        }
        self.poll(now);
    }

    /// The application writes; or, with `None`, has nothing more to write.
    pub(crate) fn write(&mut self, now: Time, bytes: Option<u64>) {
        let sent = self.sender.flight().max / self.mss();
        match bytes {
            Some(bytes) => self.stream.write(bytes, sent),
            None => self.stream.close(sent),
        }
        self.give(now);
        self.poll(now);
    }

    /// What may be sent is given to the sender.
    pub(crate) fn give(&mut self, now: Time) {
        self.stream.release(self.sender.flight().una / self.mss());
        let more = self.stream.segments() - self.given;
        if more > 0 && self.stage == Stage::Open {
            self.given += more;
            self.sender.write_more(now, more * self.mss());
            self.tell_window(now);
        }
    }

    /// Bytes that the application has not read.
    pub(crate) fn unread(&self) -> u64 {
        self.receiver.delivered().saturating_sub(self.read)
    }

    /// The host ends the connection with a RST.
    pub(crate) fn reset(&mut self, now: Time) {
        let ack = self.receiver.ride(now);
        let seq = self.stream.wire(self.sender.flight().max / self.mss()) + 1;
        let flags = Flags { rst: true, ack: true, ..Flags::default() };
        let timestamps = ack.timestamps.filter(|_| self.agreed.timestamps);
        let sent = Sent { at: now, flags, seq, ack: Some(ack.ack + 1), timestamps, ..Sent::default() };
        self.out.push_back(sent);
        self.stage = Stage::Reset;
    }

    /// A segment of the peer comes to the connection.
    pub(crate) fn on_packet(
        &mut self,
        now: Time,
        packet: &Packet,
        settings: &Settings,
        line: usize,
    ) -> Result<(), Trouble> {
        if packet.flags.rst {
            self.stage = Stage::Reset;
            return Ok(());
        }
        if packet.flags.syn {
            return self.on_syn(now, packet, settings, line);
        }
        // RFC 9293 §3.10.7.4: what acknowledges something that was never sent is dropped.
        let Some(ack) = packet.ack.map(|ack| u64::from(ack).saturating_sub(1)) else { return Ok(()) };
        if ack > self.stream.wire(self.sender.flight().max / self.mss()) {
            return Ok(());
        }
        if self.stage == Stage::Opening && !self.active {
            self.peer_timestamps[1] = timestamps_of(packet);
            self.on_open(now, packet);
        }
        self.receive(now, packet);
        self.acknowledge(now, packet, ack);
        self.give(now);
        self.poll(now);
        Ok(())
    }

    fn on_syn(&mut self, now: Time, syn: &Packet, settings: &Settings, line: usize) -> Result<(), Trouble> {
        if !self.active || !syn.flags.ack {
            if !self.active && self.stage == Stage::Opening {
                self.syns.push(now);
                self.push_syn(now); // it is answered again
                return Ok(());
            }
            let remedy = "one end opens a connection, the other answers";
            return Err(Trouble::new(line, "a SYN to a connection that is open, or that both ends open", remedy));
        }
        if self.stage == Stage::Open {
            let flags = Flags { ack: true, ..Flags::default() };
            self.push(now, Sent { at: now, flags, seq: self.next(), ..Sent::default() });
            return Ok(());
        }
        let timestamps = self.agreed.timestamps && syn.timestamps().is_some();
        self.agreed = Agreed {
            mss: settings.segment(syn.mss(), timestamps),
            sack: self.agreed.sack && syn.permits_sack(),
            timestamps,
            ecn: self.agreed.ecn && syn.flags.ece && !syn.flags.cwr,
        };
        self.scales &= syn.scale().is_some();
        self.peer_scale = syn.scale().filter(|_| self.scales).unwrap_or(0);
        self.peer_timestamps = [timestamps_of(syn); 2];
        self.params = settings.params(&self.agreed, line)?;
        self.stream.resize(self.agreed.mss);
        // The sender begins again with what was agreed, as it did.
        let first = self.syns[0];
        self.sender = begin(&self.params, first);
        self.sender.on_timer(first);
        while self.sender.poll_segment(first).is_some() {}
        while self.sender.deadline() <= now {
            let at = self.sender.deadline();
            self.sender.on_timer(at);
            while self.sender.poll_segment(at).is_some() {}
        }
        self.begin_receiver(self.params.mss);
        self.on_open(now, syn);
        self.take_window(now, 0, u64::from(syn.window.unwrap_or(0)));
        self.give(now);
        self.poll(now);
        Ok(())
    }

    /// The handshake is over with this segment.
    fn on_open(&mut self, now: Time, packet: &Packet) {
        self.stage = Stage::Open;
        self.opened = now;
        let timestamps = self.echo_of(packet);
        self.sender.on_segment(now, Segment { kind: SegmentKind::SynAck, timestamps, ..Segment::default() });
        if self.active {
            let timestamps = self.peer_timestamps[1];
            self.receiver.on_segment(now, Segment { kind: SegmentKind::Ack, timestamps, ..Segment::default() });
        }
    }

    /// The receiver of segments of so many bytes sees the handshake.
    fn begin_receiver(&mut self, mss: u32) {
        let window = 65_535;
        let params = TcpParams { mss, receive_window: window, window_scale: 0, ..self.params.clone() };
        self.receiver = Receiver::new(&params);
        for &syn in &self.syns {
            let timestamps = self.peer_timestamps[0];
            self.receiver.on_segment(syn, Segment { kind: SegmentKind::Syn, timestamps, ..Segment::default() });
            self.receiver.ride(syn);
        }
    }

    /// What a segment brings, for the receiver.
    fn receive(&mut self, now: Time, packet: &Packet) {
        let len = packet.len + u32::from(packet.flags.fin);
        if packet.len > 0 && !std::mem::replace(&mut self.has_data, true) {
            // As large as those that come: a host learns it.
            let timestamps = self.peer_timestamps[1];
            self.begin_receiver(packet.len.clamp(536.min(self.agreed.mss), self.agreed.mss));
            let opened = Segment { kind: SegmentKind::Ack, timestamps, ..Segment::default() };
            self.receiver.on_segment(self.opened, opened);
        }
        let kind = match () {
            () if packet.flags.fin => SegmentKind::Fin,
            () if len > 0 => SegmentKind::Data,
            () => SegmentKind::Ack,
        };
        let seq = u64::from(packet.seq).saturating_sub(1);
        let timestamps = timestamps_of(packet).filter(|_| self.agreed.timestamps);
        let ecn = ecn_of(packet);
        self.receiver.on_segment(now, Segment { seq, len, kind, timestamps, ecn, ..Segment::default() });
        if packet.flags.fin {
            self.peer_fin = Some(seq + u64::from(len));
            // This host closes in its own time: the FIN of the simulated receiver is not sent, and answered at once.
            let answer = Segment { seq: seq + u64::from(len), kind: SegmentKind::Ack, ..Segment::default() };
            self.receiver.on_segment(now, answer);
        }
    }

    /// What a segment acknowledges, for the sender.
    fn acknowledge(&mut self, now: Time, packet: &Packet, ack: u64) {
        let (mss, una) = (self.mss(), self.sender.flight().una);
        let segments = self.stream.before(ack).min(self.sender.flight().max / mss);
        let before = (self.edge, self.window);
        self.take_window(now, ack, u64::from(packet.window.unwrap_or(0)));
        let blocks = self.blocks(packet, ack);
        let sack = sack_option::of_stream(&blocks);
        let is_same = segments * mss == una;
        // RFC 5681 §2: not a duplicate if it has payload, a FIN, another window, or acknowledges a part of a segment.
        let is_other =
            packet.len > 0 || packet.flags.fin || self.window != before.1 || ack > self.stream.wire(segments);
        if is_same && blocks.is_empty() && is_other && !packet.flags.ece {
            return;
        }
        let ecn = if packet.flags.ece && self.agreed.ecn { Ecn::ECE } else { Ecn::NOT_ECT };
        let timestamps = self.echo_of(packet);
        let segment = Segment { ack: segments * mss, sack, timestamps, ecn, ..Segment::default() };
        self.sender.on_segment(now, segment);
    }

    /// SACK blocks in numbers of the model: whole segments; of what arrived twice those that it touches.
    fn blocks(&self, packet: &Packet, ack: u64) -> Vec<SackBlock> {
        if !self.agreed.sack {
            return Vec::new();
        }
        let all = packet.blocks();
        let is_twice = |index: usize, left: u64, right: u64| {
            let second = all.get(1).is_some_and(|&(start, end)| u64::from(start) <= left && right <= u64::from(end));
            index == 0 && (right <= ack + 1 || second)
        };
        let mss = self.mss();
        let block = |(index, &(left, right)): (usize, &(u32, u32))| {
            let (left, right) = (u64::from(left), u64::from(right));
            let range = left.saturating_sub(1)..right.saturating_sub(1);
            let covered = self.stream.covered(range, is_twice(index, left, right));
            (!covered.is_empty()).then(|| SackBlock { start: covered.start * mss, end: covered.end * mss })
        };
        all.iter().enumerate().filter_map(block).collect()
    }

    /// The window that a segment says which acknowledges so much.
    fn take_window(&mut self, now: Time, ack: u64, window: u64) {
        // That of a SYN is not scaled (RFC 7323 §2.2).
        let scale = if self.stage == Stage::Open { self.peer_scale } else { 0 };
        if ack >= self.stream.wire(self.sender.flight().una / self.mss()) {
            self.window = window << scale;
            self.edge = ack + self.window;
            self.tell_window(now);
        }
    }

    fn tell_window(&mut self, now: Time) {
        let una = self.sender.flight().una;
        let window = (self.stream.before(self.edge) * self.mss()).saturating_sub(una);
        self.sender.on_window(now, una, window.min(1 << 30) as u32);
    }

    /// Everything is sent that may be.
    fn poll(&mut self, now: Time) {
        let mut carried = false;
        while let Some(segment) = self.sender.poll_segment(now) {
            match segment.kind {
                SegmentKind::Syn => {
                    if self.syns.last() != Some(&now) && self.active {
                        self.syns.push(now);
                    }
                    self.push_syn(now);
                }
                SegmentKind::Ack if !self.active => {}
                // A question for the window has a number that is acknowledged.
                SegmentKind::Probe => {
                    let seq = self.stream.wire(self.sender.flight().una / self.mss());
                    let flags = Flags { ack: true, ..Flags::default() };
                    self.push(now, Sent { at: now, flags, seq, ..Sent::default() });
                }
                SegmentKind::Ack => {
                    let flags = Flags { ack: true, ..Flags::default() };
                    self.push(now, Sent { at: now, flags, seq: self.next(), ..Sent::default() });
                }
                _ => {
                    carried = true;
                    let piece = self.stream.piece(segment.seq);
                    let flags = Flags { ack: true, fin: piece.fin, cwr: segment.ecn.cwr(), ..Flags::default() };
                    let ect = segment.ecn.field() == Ecn::ECT_0.field();
                    let (seq, len) = (piece.start + 1, piece.len);
                    self.push(now, Sent { at: now, flags, seq, len, ect, ..Sent::default() });
                }
            }
        }
        if self.stage == Stage::Open && !carried && self.receiver.poll(now).is_some() {
            let flags = Flags { ack: true, ..Flags::default() };
            self.push(now, Sent { at: now, flags, seq: self.next(), ..Sent::default() });
        }
    }

    fn push_syn(&mut self, now: Time) {
        let ecn = self.agreed.ecn;
        let flags = Flags { syn: true, ack: !self.active, ece: ecn, cwr: ecn && self.active, ..Flags::default() };
        let mss = Some(self.own_mss);
        let scale = self.scales.then_some(OWN_SCALE);
        let sent = Sent { at: now, flags, mss, scale, sack: self.agreed.sack, ..Sent::default() };
        self.push(now, sent);
    }

    /// A segment goes out, with what the receiver has to say.
    fn push(&mut self, now: Time, mut sent: Sent) {
        let is_first = sent.flags.syn && self.active;
        if is_first {
            let value = self.agreed.timestamps.then(|| (now.as_ps() / Span::from_ms(1).as_ps()) as u32);
            sent.timestamps = value.map(|value| Timestamps { value, echo: 0 });
        } else {
            let report = self.receiver.ride(now);
            sent.ack = Some(report.ack + 1);
            sent.timestamps = report.timestamps;
            sent.flags.ece |= report.ecn.ece() && !sent.flags.syn;
            if !sent.flags.syn {
                let blocks = sack_option::to_stream(&report.sack, report.ack).unwrap_or_default();
                let wire = |block: &SackBlock| ((block.start + 1) as u32, (block.end + 1) as u32);
                sent.blocks = blocks.as_slice().iter().map(wire).collect();
            }
        }
        self.out.push_back(sent);
    }

    /// The number of what is sent next.
    fn next(&self) -> u64 {
        self.stream.wire(self.sender.flight().max / self.mss()) + 1
    }

    /// What a segment echoes, if it echoes anything.
    fn echo_of(&self, packet: &Packet) -> Option<Timestamps> {
        timestamps_of(packet).filter(|timestamps| self.agreed.timestamps && timestamps.echo != 0)
    }

    fn mss(&self) -> u64 {
        u64::from(self.agreed.mss)
    }

    /// Whether neither end has begun to close it.
    pub(crate) fn is_quiet(&self) -> bool {
        !self.stream.is_closed() && self.peer_fin.is_none()
    }

    /// Whether everything of the peer has come.
    pub(crate) fn has_peer_ended(&self) -> bool {
        self.peer_fin.is_some_and(|end| self.receiver.delivered() + 1 >= end)
    }

    /// Whether both ends scale their windows.
    pub(crate) fn scales(&self) -> bool {
        self.scales
    }
}

fn begin(params: &TcpParams, now: Time) -> Sender {
    let transfer = Transfer { start: now, stop: None, size: None, application: Some(Box::new(Outside)) };
    // Windows are those that the script says, so that one may be zero.
    let told = ReadingParams { rates: vec![(Time::ZERO, None)] };
    let params = &TcpParams { reading: Some(told), ..params.clone() };
    Sender::new(params, transfer, TickClock::new(params.timer.granularity, Span::ZERO))
}

fn timestamps_of(packet: &Packet) -> Option<Timestamps> {
    packet.timestamps().map(|(value, echo)| Timestamps { value, echo })
}
