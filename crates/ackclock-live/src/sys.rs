//! System calls that no safe interface has. All unsafe code of the crate is here.

#![allow(unsafe_code)]

use std::ffi::{c_int, c_short};
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsFd, AsRawFd};

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

/// The state of a TCP connection. What an older kernel does not know is zero.
pub fn tcp_info(socket: impl AsFd) -> io::Result<libc::tcp_info> {
    let mut info = MaybeUninit::<libc::tcp_info>::zeroed();
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    let at = info.as_mut_ptr().cast();
    // SAFETY: the call writes at most `length` octets, which `info` has.
    checked(unsafe {
        libc::getsockopt(socket.as_fd().as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_INFO, at, &mut length)
    })?;
    // SAFETY: all octets are set, by the call or as zeros, and every value of them is a valid structure of integers.
    Ok(unsafe { info.assume_init() })
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
