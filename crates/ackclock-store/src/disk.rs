//! What to do when a disk refuses what a run recorded.

use std::io::{Error, ErrorKind};

/// The remedy for an error of the operating system, in a line.
pub fn remedy(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::FileTooLarge => {
            "raise the limit of the length of files (`ulimit -f`), or record less (--record, --record-interval, --capture)"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "free space on the disk, record less (--record, --record-interval, --capture), or choose another disk with --out DIR"
        }
        ErrorKind::PermissionDenied => "allow access to it, or use a folder of your own",
        _ => "check the path and the disk",
    }
}
