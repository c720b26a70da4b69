//! The commands, one file each.

pub mod check;
pub mod compare;
pub mod contacts;
pub mod explain;
pub mod export;
pub mod init;
pub mod list;
pub mod live;
mod own_page;
pub mod packetdrill;
pub mod plot;
pub mod quick;
pub mod report;
pub mod reproduce;
pub mod rerun;
pub mod run;
pub mod shell;
pub mod sweep;
pub mod verify;
