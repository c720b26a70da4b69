//! Packets: `[ecn] flags start:end(length) ack N win N <options>`.

use super::cursor::{Cursor, PAGE, Trouble};

/// A TCP segment of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// The flags of its header.
    pub flags: Flags,
    /// The sequence number of the first octet, relative to the first SYN.
    pub seq: u32,
    /// Octets of payload.
    pub len: u32,
    /// The acknowledgement number, if the flag ACK is set.
    pub ack: Option<u32>,
    /// Its window, not scaled.
    pub window: Option<u32>,
    /// Its options; `None` of one that is expected: any.
    pub options: Option<Vec<TcpOption>>,
    /// The bits of ECN in its IP header, if they are given.
    pub ecn: Option<EcnBits>,
}

/// The flags of a segment. PSH is not among them: the model has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Flags {
    pub syn: bool,
    pub fin: bool,
    pub rst: bool,
    pub ack: bool,
    pub ece: bool,
    pub cwr: bool,
}

/// The bits of ECN in an IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum EcnBits {
    None,
    Ect0,
    Ect1,
    Ce,
    /// One of those that say that the sender has ECN.
    Ect01,
}

/// An option of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TcpOption {
    Mss(u32),
    Scale(u8),
    SackPermitted,
    /// Blocks, each by its first number and that after its last.
    Sack(Vec<(u32, u32)>),
    Timestamps {
        value: u32,
        echo: u32,
    },
    Nop,
    End,
}

impl Packet {
    /// Its segment size option.
    pub fn mss(&self) -> Option<u32> {
        self.find(|option| if let TcpOption::Mss(mss) = option { Some(*mss) } else { None })
    }

    /// Its window scale option.
    pub fn scale(&self) -> Option<u8> {
        self.find(|option| if let TcpOption::Scale(scale) = option { Some(*scale) } else { None })
    }

    /// Whether it allows SACK.
    pub fn permits_sack(&self) -> bool {
        self.find(|option| (*option == TcpOption::SackPermitted).then_some(())).is_some()
    }

    /// Its timestamps, value and echo.
    pub fn timestamps(&self) -> Option<(u32, u32)> {
        self.find(|option| match option {
            TcpOption::Timestamps { value, echo } => Some((*value, *echo)),
            _ => None,
        })
    }

    /// The blocks of its SACK option, first and last number; empty without one.
    pub fn blocks(&self) -> &[(u32, u32)] {
        let blocks = self.options.iter().flatten().find_map(|option| match option {
            TcpOption::Sack(blocks) => Some(blocks.as_slice()),
            _ => None,
        });
        blocks.unwrap_or_default()
    }

    fn find<T>(&self, wanted: impl Fn(&TcpOption) -> Option<T>) -> Option<T> {
        self.options.iter().flatten().find_map(wanted)
    }
}

pub(super) fn packet(cursor: &mut Cursor<'_>) -> Result<Packet, Trouble> {
    let mut packet = Packet::default();
    if cursor.accept("[") {
        packet.ecn = Some(ecn(cursor)?);
        cursor.expect("]")?;
    }
    cursor.skip_space();
    let line = cursor.line();
    for word in ["icmp", "udp", "ipv4", "ipv6", "gre", "mpls", "psp", "("] {
        if cursor.rest().starts_with(word) {
            let reason = format!("a packet that begins with `{word}` is no plain TCP segment");
            return Err(Trouble::new(line, reason, "only TCP segments without more headers are simulated"));
        }
    }
    let word = cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-');
    packet.flags = flags(word, line)?;
    let start = cursor.number("the first number of the segment")?;
    cursor.expect(":")?;
    let end = cursor.number("the number after its last")?;
    cursor.expect("(")?;
    let len = cursor.number("its length")?;
    cursor.expect(")")?;
    if len > i64::from(u16::MAX) * 1000 {
        return Err(Trouble::new(line, format!("a segment of {len} B"), "segments are shorter"));
    }
    if end.wrapping_sub(start) as u32 != len as u32 {
        let reason = format!("{start}:{end} has not {len} bytes");
        return Err(Trouble::new(line, reason, "correct the numbers of the segment"));
    }
    (packet.seq, packet.len) = (start as u32, len as u32);
    if cursor.accept("ack ") {
        packet.ack = Some(cursor.number("the acknowledgement number")? as u32);
    }
    if cursor.accept("win ") {
        packet.window = Some(cursor.number("the window")? as u32);
    }
    if cursor.accept("urg ") {
        return Err(Trouble::new(line, "urgent data is not modelled", "leave `urg` out"));
    }
    packet.options = options(cursor)?;
    Ok(packet)
}

fn ecn(cursor: &mut Cursor<'_>) -> Result<EcnBits, Trouble> {
    cursor.skip_space();
    let line = cursor.line();
    match cursor.take_while(|c| c.is_ascii_alphanumeric()) {
        "noecn" => Ok(EcnBits::None),
        "ect0" => Ok(EcnBits::Ect0),
        "ect1" => Ok(EcnBits::Ect1),
        "ect01" => Ok(EcnBits::Ect01),
        "ce" => Ok(EcnBits::Ce),
        word => Err(Trouble::new(line, format!("`[{word}` is not understood"), "noecn, ect0, ect1, ect01 and ce are")),
    }
}

fn flags(word: &str, line: usize) -> Result<Flags, Trouble> {
    let mut flags = Flags::default();
    for letter in word.chars() {
        match letter {
            'S' => flags.syn = true,
            'F' => flags.fin = true,
            'R' => flags.rst = true,
            '.' => flags.ack = true,
            'E' => flags.ece = true,
            'W' => flags.cwr = true,
            'P' | '-' => {}
            other => {
                let reason = format!("the flag `{other}` of `{word}` is not modelled");
                return Err(Trouble::new(line, reason, "S, F, R, P, E, W and . are; accurate ECN is not modelled"));
            }
        }
    }
    if word.is_empty() {
        return Err(Trouble::new(line, "the segment has no flags", "write . for an acknowledgement"));
    }
    Ok(flags)
}

/// The options; without any there are none, and `<...>` is any.
fn options(cursor: &mut Cursor<'_>) -> Result<Option<Vec<TcpOption>>, Trouble> {
    let line = cursor.line();
    // A `<` on another line belongs to an event there, which begins with its time.
    if !cursor.rest_of_line().trim_start().starts_with('<') {
        return Ok(Some(Vec::new()));
    }
    cursor.expect("<")?;
    let text = cursor.take_until(">")?;
    if text.trim() == "..." {
        return Ok(None);
    }
    let all: Result<Vec<TcpOption>, Trouble> = text.split(',').map(|text| option(text.trim(), line)).collect();
    all.map(Some)
}

fn option(text: &str, line: usize) -> Result<TcpOption, Trouble> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let wrong = || Trouble::new(line, format!("the option `{text}` is not understood"), PAGE);
    let number = |index: usize| words.get(index).and_then(|word| word.parse::<u32>().ok()).ok_or_else(wrong);
    match words.first().copied().unwrap_or_default() {
        "mss" => number(1).map(TcpOption::Mss),
        "wscale" => number(1).map(|scale| TcpOption::Scale(scale.min(14) as u8)),
        "sackOK" => Ok(TcpOption::SackPermitted),
        "nop" => Ok(TcpOption::Nop),
        "eol" => Ok(TcpOption::End),
        "TS" if words.get(1) == Some(&"val") && words.get(3) == Some(&"ecr") => {
            Ok(TcpOption::Timestamps { value: number(2)?, echo: number(4)? })
        }
        "sack" => {
            let block = |word: &&str| {
                let (left, right) = word.split_once(':').ok_or_else(wrong)?;
                Ok((left.parse().map_err(|_| wrong())?, right.parse().map_err(|_| wrong())?))
            };
            words[1..].iter().map(block).collect::<Result<_, Trouble>>().map(TcpOption::Sack)
        }
        "FO" | "FOEXP" => {
            Err(Trouble::new(line, "TCP Fast Open is not modelled", "open the connection by a usual handshake"))
        }
        "md5" => Err(Trouble::new(line, "the MD5 option is not modelled", "leave it out")),
        _ => Err(wrong()),
    }
}
