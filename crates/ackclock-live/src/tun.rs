//! The device of a host: what the kernel sends is read from it, what is written to it the kernel receives.

use std::fs::{File, OpenOptions};
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::process::Command;

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
        let (mtu, queue) = (mtu.to_string(), QUEUE_PACKETS.to_string());
        // One segment, one packet: TCP gives the device no larger ones to be cut.
        ip(namespace, &["link", "set", DEVICE, "mtu", &mtu, "txqueuelen", &queue, "gso_max_segs", "1", "up"])?;
        let prefix = format!("{address}/{PREFIX}");
        ip(namespace, &["address", "add", &prefix, "dev", DEVICE])?;
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

/// Runs `ip` of iproute2 in a namespace.
pub fn ip(namespace: &Namespace, words: &[&str]) -> Result<String, LiveError> {
    let output = namespace.enter(|| Command::new("ip").args(words).output()).and_then(|output| output);
    let output = output.map_err(|error| {
        LiveError::machine(
            format_args!("cannot run `ip`: {error}"),
            "install iproute2, which sets up addresses and routes",
        )
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(LiveError::machine(
            format_args!("`ip {}` failed: {}", words.join(" "), said.trim()),
            "run it as root, or give the program CAP_NET_ADMIN; iproute2 from version 5 on is needed",
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// How many packets wait in the device while the thread that reads them does not run. The 500 of the kernel are too few for the pause of a
/// scheduler at 100 Mbit/s.
const QUEUE_PACKETS: u32 = 10_000;
