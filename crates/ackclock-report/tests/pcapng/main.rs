//! Capture files: their structure by a reader of our own, their meaning by Wireshark's tshark and by tcptrace.

mod format;
mod programs;
mod reader;
mod tools;
mod wire;
