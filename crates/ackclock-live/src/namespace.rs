//! A network namespace of a host.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::thread;

use rustix::thread::LinkNameSpaceType;

use crate::{LiveError, machine, sys};

/// A network namespace. It ends when this is dropped, and all sockets and devices in it are closed.
#[derive(Debug)]
pub struct Namespace {
    file: File,
    inode: u64,
}

impl Namespace {
    /// A new namespace without any device but `lo`, which is down.
    pub fn new() -> Result<Namespace, LiveError> {
        let made = on_own_thread(|| {
            sys::enter_new_network_namespace()?;
            File::open("/proc/thread-self/ns/net")
        });
        let opened = made.and_then(|file| Ok(Namespace { inode: file.metadata()?.ino(), file }));
        opened.map_err(|error| {
            let or = match machine::unprivileged() {
                Ok(path) => format!("or without privileges, {path}"),
                Err(gap) => gap,
            };
            LiveError::machine(
                format_args!("cannot make a network namespace: {error}"),
                format_args!("run it as root, or give the program CAP_SYS_ADMIN and CAP_NET_ADMIN; {or}"),
            )
        })
    }

    /// Does something inside, on a thread of its own: sockets that it opens, devices that it makes and programs that it starts belong to
    /// the namespace. An error is one of the machine: a thread that cannot be started or cannot enter.
    pub fn enter<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        on_own_thread(|| {
            rustix::thread::move_into_link_name_space(self.file.as_fd(), Some(LinkNameSpaceType::Network))?;
            Ok(work())
        })
    }

    /// Its number in the kernel, by which traces know it.
    pub fn inode(&self) -> u64 {
        self.inode
    }

    /// A further descriptor of it, for threads that enter later.
    pub fn descriptor(&self) -> io::Result<OwnedFd> {
        Ok(self.file.try_clone()?.into())
    }
}

fn on_own_thread<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("namespace".into()).spawn_scoped(scope, work)?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
