//! The device of a host: what the kernel sends is read from it, what is written to it the kernel receives.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, Output, Stdio};

use rustix::fs::OFlags;

use crate::addresses::{PREFIX, SENDER_PORTS};
use crate::{LiveError, Namespace, sys};

/// What the device is called in each namespace.
pub const DEVICE: &str = "link0";

/// The device of one host. It goes when this is dropped.
#[derive(Debug)]
pub struct Tun {
    file: File,
}

impl Tun {
    /// Makes the device in a namespace and brings it up, for packets of at most `mtu` octets. Reads and writes do not block.
    pub fn new(namespace: &Namespace, address: Ipv4Addr, mtu: u32) -> Result<Tun, LiveError> {
        let failed = |error: io::Error| {
            LiveError::machine(
                format_args!("cannot make a TUN device: {error}"),
                match error.kind() {
                    io::ErrorKind::NotFound => "load the kernel module `tun` (modprobe tun); `/dev/net/tun` is missing",
                    _ => "run it as root, or give the program CAP_NET_ADMIN and access to `/dev/net/tun`",
                },
            )
        };
        let made = namespace.enter(|| {
            // Nothing but TCP and UDP of the scenario crosses the links: no router solicitations.
            let _ = std::fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
            std::fs::write("/proc/sys/net/ipv4/ip_local_port_range", SENDER_PORTS)?;
            let nonblocking = OFlags::NONBLOCK.bits() as i32;
            let file = OpenOptions::new().read(true).write(true).custom_flags(nonblocking).open("/dev/net/tun")?;
            sys::attach_tun(&file, DEVICE)?;
            Ok(file)
        });
        let file = made.and_then(|made| made).map_err(failed)?;
        // One segment, one packet: TCP gives the device no larger ones to be cut.
        let set_up = format!(
            "link set {DEVICE} mtu {mtu} txqueuelen {QUEUE_PACKETS} gso_max_segs 1 up\naddress add {address}/{PREFIX} dev {DEVICE}\n"
        );
        ip(namespace, &set_up)?;
        Ok(Tun { file })
    }

    /// The device, for a thread that moves packets.
    pub fn file(&self) -> &File {
        &self.file
    }
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

/// How many packets wait in the device while the thread that reads them does not run. The 500 of the kernel are too few for the pause of a
/// scheduler at 100 Mbit/s.
const QUEUE_PACKETS: u32 = 10_000;
