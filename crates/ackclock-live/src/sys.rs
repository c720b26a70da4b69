//! System calls that no safe interface has. All unsafe code of the crate is here.

#![allow(unsafe_code)]

use std::ffi::{c_int, c_short};
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

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
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: the call reads one `sched_param`; 0 is the calling thread.
    checked(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) })
}

fn checked(outcome: c_int) -> io::Result<()> {
    if outcome < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
