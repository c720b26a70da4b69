// Loaded before the C library (LD_PRELOAD): counts the calls by which a program changes files, and makes one of them fail.
//
// FAULT_AT   the number of the call, from 1 on; 0 or none: all succeed
// FAULT      what becomes of it: "kill" the process is killed before it, "torn" of a write half is written first,
//            "full" from then on there is no space, "broken" an input/output error, once
// FAULT_COUNT  a file that gets the number of calls at the end
//
// The process runs on one core, so that it has one thread of runs and the same calls each time. What is written is in the cache of the
// system, which outlives a process that is killed: nothing waits until it is on the disk, which would take most of the time.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;
static long fault_at;
static enum { NONE, KILL, TORN, FULL, BROKEN } fault;

__attribute__((constructor)) static void begin(void) {
    // The core on which it happens to be: several tests at a time have all of them.
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    const char *at = getenv("FAULT_AT"), *what = getenv("FAULT");
    fault_at = at ? atol(at) : 0;
    if (!fault_at || !what) return;
    fault = !strcmp(what, "kill") ? KILL : !strcmp(what, "torn") ? TORN : !strcmp(what, "full") ? FULL : BROKEN;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAULT_COUNT");
    if (!path) return;
    char text[32];
    int length = snprintf(text, sizeof text, "%ld", atomic_load(&calls));
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    syscall(SYS_write, file, text, length);
    syscall(SYS_close, file);
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

// Counts a call. Whether it fails, with errno set; `space` says whether it takes room on the disk.
static int fails(int space, long *number) {
    *number = atomic_fetch_add(&calls, 1) + 1;
    if (fault == FULL && *number >= fault_at && space) return errno = ENOSPC, 1;
    if (fault == BROKEN && *number == fault_at) return errno = EIO, 1;
    if ((fault == KILL || fault == TORN) && *number == fault_at) die();
    return 0;
}

static int fails_now(int space) {
    long number;
    return fails(space, &number);
}

static int is_file(int fd) {
    struct stat of;
    return fstat(fd, &of) == 0 && S_ISREG(of.st_mode);
}

static int open_at(int dir, const char *path, int flags, mode_t mode) {
    int writes = (flags & O_ACCMODE) != O_RDONLY;
    if (writes && fails_now(flags & O_CREAT)) return -1;
    return (int)syscall(SYS_openat, dir, path, flags, mode);
}

#define MODE(last) ({ va_list more; va_start(more, last); mode_t mode = va_arg(more, mode_t); va_end(more); mode; })
int open64(const char *path, int flags, ...) { return open_at(AT_FDCWD, path, flags | O_LARGEFILE, MODE(flags)); }
int open(const char *path, int flags, ...) { return open_at(AT_FDCWD, path, flags, MODE(flags)); }
int openat64(int dir, const char *path, int flags, ...) { return open_at(dir, path, flags | O_LARGEFILE, MODE(flags)); }
int openat(int dir, const char *path, int flags, ...) { return open_at(dir, path, flags, MODE(flags)); }

ssize_t write(int fd, const void *octets, size_t length) {
    if (!is_file(fd)) return syscall(SYS_write, fd, octets, length);
    long number = atomic_load(&calls) + 1;
    // A disk that gets full, and a process that is killed, take a part of what is written.
    if ((fault == TORN || fault == FULL) && number == fault_at && length > 1) {
        atomic_fetch_add(&calls, 1);
        ssize_t written = syscall(SYS_write, fd, octets, length / 2);
        if (fault == TORN) die();
        return written;
    }
    if (fails(1, &number)) return -1;
    return syscall(SYS_write, fd, octets, length);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    if (is_file(fd) && fails_now(1)) return -1;
    return syscall(SYS_writev, fd, parts, count);
}

int fsync(int fd) { return (void)fd, fails_now(1) ? -1 : 0; }
int fdatasync(int fd) { return (void)fd, fails_now(1) ? -1 : 0; }
int ftruncate64(int fd, off64_t length) { return fails_now(0) ? -1 : (int)syscall(SYS_ftruncate, fd, length); }
int rename(const char *from, const char *to) {
    return fails_now(0) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int unlink(const char *path) { return fails_now(0) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0); }
int unlinkat(int dir, const char *path, int flags) {
    return fails_now(0) ? -1 : (int)syscall(SYS_unlinkat, dir, path, flags);
}
int mkdir(const char *path, mode_t mode) { return fails_now(1) ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode); }
int rmdir(const char *path) { return fails_now(0) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR); }
