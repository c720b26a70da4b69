//! What a program says that has no memory left. Rust ends such a program with a signal, and says how many octets were asked for and nothing
//! else; the standard library has no stable way to say more, but an allocator of one's own can. This one asks that of the system.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process;

/// The allocator of the system. A request that it refuses ends the program with a message on standard error: no caller gets the null pointer,
/// and those that would go on without the memory (`try_reserve`) do not.
///
/// ```
/// #[global_allocator]
/// static MEMORY: ackclock_memory::Reporting = ackclock_memory::Reporting::new("do less at a time", 1);
/// ```
#[derive(Debug)]
pub struct Reporting {
    help: &'static str,
    exit: i32,
}

impl Reporting {
    /// With this remedy in the message, and this exit code.
    pub const fn new(help: &'static str, exit: i32) -> Reporting {
        Reporting { help, exit }
    }

    /// The same pointer, unless it is null.
    #[inline(always)]
    fn there(&self, pointer: *mut u8, size: usize) -> *mut u8 {
        if pointer.is_null() {
            self.end(size);
        }
        pointer
    }

    /// Nothing here allocates: the message is put together on the stack, standard error has no buffer.
    #[cold]
    #[inline(never)]
    fn end(&self, size: usize) -> ! {
        let mut text = Message { octets: [0; 1024], length: 0 };
        // What does not fit is left out.
        let _ = write!(text, "error: there is no memory for {size} more bytes\nhelp: {}\n", self.help);
        let _ = std::io::stderr().write_all(&text.octets[..text.length]);
        process::exit(self.exit)
    }
}

// SAFETY: each method gives its arguments to the method of `System` of the same name, under the same conditions, and returns what that returns,
// or does not return. `end`, which it calls then, neither allocates nor unwinds.
#[expect(unsafe_code, reason = "an allocator is an unsafe trait")]
unsafe impl GlobalAlloc for Reporting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's conditions are those of the system's allocator.
        self.there(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        self.there(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above; what this allocator gave is of the system's.
        self.there(unsafe { System.realloc(pointer, layout, size) }, size)
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above; what this allocator gave is of the system's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// A text on the stack.
struct Message {
    octets: [u8; 1024],
    length: usize,
}

impl std::fmt::Write for Message {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let room = &mut self.octets[self.length..];
        let fits = text.len().min(room.len());
        room[..fits].copy_from_slice(&text.as_bytes()[..fits]);
        self.length += fits;
        Ok(())
    }
}
