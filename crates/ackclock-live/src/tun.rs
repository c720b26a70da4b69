//! The device of a host: what the kernel sends is read from it, what is written to it the kernel receives.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, Output, Stdio};

use rustix::fs::OFlags;

use crate::addresses::{OTHER_PORTS, PREFIX};
use crate::sys::LinkAddress;
use crate::{LiveError, Namespace, sys};

/// What the device is called in each namespace.
pub const DEVICE: &str = "link0";

/// The device of one host. It goes when this is dropped.
pub struct Tun {
    file: File,
    /// Of a pair of devices where packets go that are written.
    to: Option<LinkAddress>,
}

impl Tun {
    /// Makes the device in a namespace and brings it up, for packets of at most `mtu` octets. Reads and writes do not block. Where `/dev/net/tun`
    /// may not be opened it is one of a pair, as [`Tun::of_pair`].
    ///
    /// # Errors
    /// If the machine does not let it be made.
    pub fn new(namespace: &Namespace, address: Ipv4Addr, mtu: u32) -> Result<Tun, LiveError> {
        let failed = |error: io::Error| {
            LiveError::machine(
                format_args!("cannot make a TUN device: {error}"),
                "run it as root, or give the program CAP_NET_ADMIN",
            )
        };
        prepare(namespace).map_err(failed)?;
        let open = || OpenOptions::new().read(true).write(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(NODE);
        // It belongs to the namespace in which it is opened.
        let file = namespace.enter(|| open().ok().map(|file| sys::attach_tun(&file, DEVICE).map(|()| file)));
        let Some(file) = file.map_err(failed)? else { return Tun::of_pair(namespace, address, mtu) };
        let file = file.map_err(failed)?;
        // One segment, one packet: TCP gives the device no larger ones to be cut.
        let set_up = format!(
            "link set {DEVICE} mtu {mtu} txqueuelen {QUEUE_PACKETS} gso_max_segs 1 up\naddress add {address}/{PREFIX} dev {DEVICE}\n"
        );
        ip(namespace, &set_up)?;
        Ok(Tun { file, to: None })
    }

    /// The same without `/dev/net/tun`: of two devices that are connected (veth) one is that of the host, at the other a socket takes and gives
    /// packets. Fewer of them have room while nobody reads, a hundred where the receive buffers of the machine are not larger.
    ///
    /// # Errors
    /// As of [`Tun::new`].
    pub fn of_pair(namespace: &Namespace, address: Ipv4Addr, mtu: u32) -> Result<Tun, LiveError> {
        let failed = |error: io::Error| {
            LiveError::machine(
                format_args!("cannot make a pair of devices: {error}"),
                "run it as root, or let everybody open `/dev/net/tun` (chmod 666 /dev/net/tun)",
            )
        };
        prepare(namespace).map_err(failed)?;
        let link = LINK.map(|octet| format!("{octet:02x}")).join(":");
        // Nobody asks for addresses: what the host sends goes to itself, so the other end takes none of it for its own.
        ip(
            namespace,
            &format!(
                "link add name {DEVICE} address {link} type veth peer name {OTHER_END}\nlink set {OTHER_END} mtu {mtu} arp off up\n\
                 link set {DEVICE} mtu {mtu} arp off gso_max_segs 1\n"
            ),
        )?;
        let made = namespace.enter(|| {
            sys::without_offloads(DEVICE)?;
            sys::open_link(OTHER_END, LINK)
        });
        let (socket, to) = made.and_then(|made| made).map_err(failed)?;
        let room = |option| sys::set_option(&socket, libc::SOL_SOCKET, option, PAIR_BYTES);
        room(libc::SO_RCVBUFFORCE).or_else(|_| room(libc::SO_RCVBUF)).map_err(failed)?;
        ip(namespace, &format!("link set {DEVICE} up\naddress add {address}/{PREFIX} dev {DEVICE}\n"))?;
        Ok(Tun { file: socket.into(), to: Some(to) })
    }

    /// The device, for a thread that reads packets.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Whether it is one of a pair.
    pub fn is_of_pair(&self) -> bool {
        self.to.is_some()
    }

    /// Gives the host a packet.
    ///
    /// # Errors
    /// If the kernel does not take it.
    pub fn write(&self, packet: &[u8]) -> io::Result<()> {
        match &self.to {
            None => rustix::io::write(&self.file, packet).map(drop).map_err(Into::into),
            Some(to) => sys::send_on_link(&self.file, packet, to),
        }
    }

    /// How many packets of the host had no room at the other end of the pair since the last call.
    pub fn lost(&self) -> u64 {
        if self.is_of_pair() { sys::lost_on_link(&self.file).unwrap_or(0) } else { 0 }
    }
}

impl fmt::Debug for Tun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tun").field("is_of_pair", &self.is_of_pair()).finish_non_exhaustive()
    }
}

/// What is the same for every device.
fn prepare(namespace: &Namespace) -> io::Result<()> {
    let written = namespace.enter(|| {
        // Nothing but TCP and UDP of the scenario crosses the links: no router solicitations.
        let _ = std::fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
        std::fs::write("/proc/sys/net/ipv4/ip_local_port_range", OTHER_PORTS)
    });
    written.and_then(|written| written)
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// Runs lines of commands of `ip` (iproute2) in a namespace.
pub fn ip(namespace: &Namespace, lines: &str) -> Result<(), LiveError> {
    command(Some(namespace), "ip", &["-batch", "-"], lines)
}

/// Runs a program, in a namespace or where this process is, with this standard input, and waits for its end.
pub fn command(namespace: Option<&Namespace>, program: &str, words: &[&str], input: &str) -> Result<(), LiveError> {
    let run = || -> io::Result<Output> {
        let mut command = Command::new(program);
        let mut child =
            command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        child.stdin.take().expect("it is a pipe").write_all(input.as_bytes())?;
        child.wait_with_output()
    };
    let output = match namespace {
        Some(namespace) => namespace.enter(run).and_then(|output| output),
        None => run(),
    };
    let output = output.map_err(|error| {
        LiveError::machine(
            format_args!("cannot run `{program}`: {error}"),
            "install iproute2, whose program `ip` sets up addresses and routes",
        )
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    Err(LiveError::machine(
        format_args!("`{program} {}` fails: {}", words.join(" "), said.join("; ")),
        "run it as root, or give the program CAP_NET_ADMIN; iproute2 from version 5 on is needed",
    ))
}

/// What TUN devices are made of.
pub const NODE: &str = "/dev/net/tun";
/// The other end of a pair.
const OTHER_END: &str = "wire0";
/// The address of the device of a host on the link layer of its pair: one that nobody administers.
const LINK: [u8; 6] = [2, 0, 0, 0, 0, 1];
/// The memory for packets that nobody has read at the other end of a pair, where so much is permitted.
const PAIR_BYTES: i32 = 32 << 20;
/// How many packets wait in the device while the thread that reads them does not run. The 500 of the kernel are too few for the pause of a
/// scheduler at 100 Mbit/s.
const QUEUE_PACKETS: u32 = 10_000;
