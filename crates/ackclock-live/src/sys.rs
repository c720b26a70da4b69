//! System calls that no safe interface has. All unsafe code of the crate is here.

#![allow(unsafe_code)]

use std::ffi::{CString, c_int, c_short};
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::time::Duration;

use rustix::net::{AddressFamily, SocketType};

/// Puts the calling thread into a new network namespace.
pub fn enter_new_network_namespace() -> io::Result<()> {
    // SAFETY: the call has no pointers. It changes the network namespace of this thread only; open sockets keep theirs.
    checked(unsafe { libc::unshare(libc::CLONE_NEWNET) })
}

/// Makes the open `/dev/net/tun` the device called `name`, of whole IP packets without a header, in the network namespace of the calling
/// thread. `name` has at most 15 bytes.
pub fn attach_tun(tun: impl AsFd, name: &str) -> io::Result<()> {
    #[repr(C)]
    struct Request {
        name: [u8; libc::IFNAMSIZ],
        flags: c_short,
        // The kernel reads and writes the whole of its structure, whose largest part is a map of 24 octets.
        rest: [u8; 22],
    }
    const { assert!(size_of::<Request>() == size_of::<libc::ifreq>()) };
    if name.len() >= libc::IFNAMSIZ {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut request =
        Request { name: [0; libc::IFNAMSIZ], flags: (libc::IFF_TUN | libc::IFF_NO_PI) as c_short, rest: [0; 22] };
    request.name[..name.len()].copy_from_slice(name.as_bytes());
    // SAFETY: TUNSETIFF reads and writes one `ifreq`, and `request` is as large.
    checked(unsafe { libc::ioctl(tun.as_fd().as_raw_fd(), libc::TUNSETIFF, &mut request) })
}

/// Where packets are sent on a link layer: a device and the address of who receives them.
pub struct LinkAddress(libc::sockaddr_ll);

/// A socket of IP packets, without headers of the link layer, at a device of the network namespace of the calling thread. It gets what comes in there, and
/// not what it sends itself to the address. Reads and writes do not block.
pub fn open_link(device: &str, to: [u8; 6]) -> io::Result<(OwnedFd, LinkAddress)> {
    let name = CString::new(device)?;
    // SAFETY: `name` is a string that ends with a zero, which the call only reads.
    let index = unsafe { libc::if_nametoindex(name.as_ptr()) };
    if index == 0 {
        return Err(io::Error::last_os_error());
    }
    let protocol = (libc::ETH_P_IP as u16).to_be();
    let kind = libc::SOCK_DGRAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: the call has no pointers.
    let socket = unsafe { libc::socket(libc::AF_PACKET, kind, c_int::from(protocol)) };
    checked(socket)?;
    // SAFETY: it was opened just now, and nobody else has it.
    let socket = unsafe { OwnedFd::from_raw_fd(socket) };
    // SAFETY: it is a structure of integers, and all of them may be zero.
    let mut address: libc::sockaddr_ll = unsafe { zeroed() };
    (address.sll_family, address.sll_protocol, address.sll_ifindex) =
        (libc::AF_PACKET as u16, protocol, index as c_int);
    let length = size_of_val(&address) as libc::socklen_t;
    // SAFETY: the address is as long as is said, and the call only reads it.
    checked(unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) })?;
    set_option(&socket, libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, 1)?;
    address.sll_halen = to.len() as u8;
    address.sll_addr[..to.len()].copy_from_slice(&to);
    Ok((socket, LinkAddress(address)))
}

/// Sends an IP packet on a link layer.
pub fn send_on_link(socket: impl AsFd, packet: &[u8], to: &LinkAddress) -> io::Result<()> {
    let length = size_of_val(&to.0) as libc::socklen_t;
    // SAFETY: `packet` and the address have the lengths that are said, and the call only reads them.
    let sent = unsafe {
        let at = (&raw const to.0).cast();
        libc::sendto(socket.as_fd().as_raw_fd(), packet.as_ptr().cast(), packet.len(), 0, at, length)
    };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// How many packets had no room in the socket of [`open_link`] since the last call.
pub fn lost_on_link(socket: impl AsFd) -> io::Result<u64> {
    // Packets, and those of them that were lost: `struct tpacket_stats`.
    let mut counts = [0_u32; 2];
    let mut length = size_of_val(&counts) as libc::socklen_t;
    let (at, of) = ((&raw mut counts).cast(), socket.as_fd().as_raw_fd());
    // SAFETY: the call writes at most `length` octets, which `counts` has.
    checked(unsafe { libc::getsockopt(of, libc::SOL_PACKET, libc::PACKET_STATISTICS, at, &mut length) })?;
    Ok(u64::from(counts[1]))
}

/// Makes a device of the network namespace of the calling thread send packets as they are on the wire: each with its checksum, none of several
/// segments.
pub fn without_offloads(device: &str) -> io::Result<()> {
    /// `struct ifreq` with a pointer in it.
    #[repr(C)]
    struct Request {
        name: [u8; libc::IFNAMSIZ],
        value: *mut [u32; 2],
        rest: [u8; 16],
    }
    const { assert!(size_of::<Request>() >= size_of::<libc::ifreq>()) };
    if device.len() >= libc::IFNAMSIZ {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    for command in [ETHTOOL_STXCSUM, ETHTOOL_STSO, ETHTOOL_SGSO] {
        let mut value = [command, 0];
        let mut request = Request { name: [0; libc::IFNAMSIZ], value: &raw mut value, rest: [0; 16] };
        request.name[..device.len()].copy_from_slice(device.as_bytes());
        // SAFETY: SIOCETHTOOL reads one `ifreq`, as large as `request`, and these commands read the two words at its pointer, which live
        // until the end of this block.
        checked(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL as _, &raw mut request) })?;
    }
    Ok(())
}

/// Commands of Linux that `libc` has not: checksums, segmentation in the device, segmentation before it.
const ETHTOOL_STXCSUM: u32 = 0x17;
const ETHTOOL_STSO: u32 = 0x1f;
const ETHTOOL_SGSO: u32 = 0x24;

/// Sets an option of a socket that is an `int`.
pub fn set_option(socket: impl AsFd, level: c_int, option: c_int, value: c_int) -> io::Result<()> {
    let (at, length) = ((&raw const value).cast(), size_of::<c_int>() as libc::socklen_t);
    // SAFETY: `at` points to `length` octets, which the call only reads.
    checked(unsafe { libc::setsockopt(socket.as_fd().as_raw_fd(), level, option, at, length) })
}

/// Says with each datagram that is received by [`receive_with_time`] when the kernel got it.
pub fn stamp_arrivals(socket: impl AsFd) -> io::Result<()> {
    set_option(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)
}

/// Receives a datagram: its octets, and the time since 1970 at which the kernel got it, if it says so.
pub fn receive_with_time(socket: impl AsFd, octets: &mut [u8]) -> io::Result<(usize, Option<Duration>)> {
    let mut part = libc::iovec { iov_base: octets.as_mut_ptr().cast(), iov_len: octets.len() };
    // As aligned as the headers in it are.
    let mut control = [0_u64; 8];
    // SAFETY: it is a structure of integers and pointers, and all of them may be zero.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of_val(&control) as _;
    // SAFETY: `message` names two buffers with their lengths, which live until the end of this function.
    let length = unsafe { libc::recvmsg(socket.as_fd().as_raw_fd(), &raw mut message, 0) };
    let length = usize::try_from(length).map_err(|_| io::Error::last_os_error())?;
    // SAFETY: the kernel has written whole headers into `control` and said in `message` how long they are. A header of this kind is
    // followed by a `timespec`, which need not be aligned.
    let time = unsafe {
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        let is_time =
            |header: &libc::cmsghdr| header.cmsg_level == libc::SOL_SOCKET && header.cmsg_type == libc::SCM_TIMESTAMPNS;
        let header = header.as_ref().filter(|header| is_time(header));
        header.map(|header| libc::CMSG_DATA(header).cast::<libc::timespec>().read_unaligned())
    };
    Ok((length, time.map(|time| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))))
}

/// The state of a TCP connection as the kernel shows it in its option `TCP_INFO`, field by field. What an older kernel does not know is
/// zero.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)] // The names of the kernel.
pub struct TcpInfo {
    pub state: u8,
    pub ca_state: u8,
    pub retransmits: u8,
    pub probes: u8,
    pub backoff: u8,
    pub options: u8,
    pub window_scales: u8,
    pub flags: u8,
    /// Microseconds, as are all times.
    pub rto: u32,
    pub ato: u32,
    /// Bytes; of windows in segments the factor.
    pub snd_mss: u32,
    pub rcv_mss: u32,
    pub unacked: u32,
    pub sacked: u32,
    pub lost: u32,
    pub retrans: u32,
    pub fackets: u32,
    pub last_data_sent: u32,
    pub last_ack_sent: u32,
    pub last_data_recv: u32,
    pub last_ack_recv: u32,
    pub pmtu: u32,
    pub rcv_ssthresh: u32,
    pub rtt: u32,
    pub rttvar: u32,
    /// Segments.
    pub snd_ssthresh: u32,
    /// Segments.
    pub snd_cwnd: u32,
    pub advmss: u32,
    pub reordering: u32,
    pub rcv_rtt: u32,
    pub rcv_space: u32,
    pub total_retrans: u32,
    /// Bytes per second.
    pub pacing_rate: u64,
    pub max_pacing_rate: u64,
    pub bytes_acked: u64,
    pub bytes_received: u64,
    pub segs_out: u32,
    pub segs_in: u32,
    pub notsent_bytes: u32,
    pub min_rtt: u32,
    pub data_segs_in: u32,
    pub data_segs_out: u32,
    pub delivery_rate: u64,
    /// For how long there was something to send.
    pub busy_time: u64,
    pub rwnd_limited: u64,
    pub sndbuf_limited: u64,
    pub delivered: u32,
    pub delivered_ce: u32,
    pub bytes_sent: u64,
    pub bytes_retrans: u64,
    pub dsack_dups: u32,
    pub reord_seen: u32,
    pub rcv_ooopack: u32,
    /// Bytes.
    pub snd_wnd: u32,
    pub rcv_wnd: u32,
    pub rehash: u32,
    /// Since Linux 6.7.
    pub total_rto: u16,
    pub total_rto_recoveries: u16,
    pub total_rto_time: u32,
}

/// The state of a TCP connection.
pub fn tcp_info(socket: impl AsFd) -> io::Result<TcpInfo> {
    let mut info = TcpInfo::default();
    let mut length = size_of::<TcpInfo>() as libc::socklen_t;
    let at = (&raw mut info).cast();
    // SAFETY: the call writes at most `length` octets, which `info` has, and every value of them is a valid structure of integers.
    checked(unsafe {
        libc::getsockopt(socket.as_fd().as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_INFO, at, &mut length)
    })?;
    Ok(info)
}

/// Gives the calling thread the real-time scheduling of POSIX, first in, first out, at this priority, 1 to 99.
pub fn set_real_time(priority: c_int) -> io::Result<()> {
    // The call itself: its parameters are the priority alone, and the C library of static programs (musl) refuses.
    // SAFETY: the call reads one number; 0 is the calling thread.
    checked(unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, libc::SCHED_FIFO, &raw const priority) } as c_int)
}

fn checked(outcome: c_int) -> io::Result<()> {
    if outcome < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
