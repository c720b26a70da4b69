//! The program as a user meets it: real command lines, real files, real signals.

// Some tests need a shell, signals or limits of Unix; what only they use is not used elsewhere.
#![cfg_attr(not(unix), allow(unused_imports, dead_code))]

mod bad_input;
mod captures;
mod captures_read;
#[path = "../../../ackclock-report/tests/browser/mod.rs"]
#[allow(dead_code)] // the tests of reports use the rest
mod chromium;
mod commands;
mod contacts;
mod delays;
mod export;
mod faults;
mod figures;
mod interrupt;
mod json;
mod kept;
mod licences;
mod many_flows;
mod measures;
mod owned;
mod packetdrill;
mod pages;
mod printed;
#[path = "../../../ackclock-report/tests/pcapng/programs.rs"]
mod programs;
mod quick;
#[path = "../../../ackclock-report/tests/pcapng/reader.rs"]
#[allow(dead_code)] // the tests of the files themselves use the rest
mod reader;
mod readme;
mod report;
mod reproduce;
mod rerun;
mod run;
mod shared_runs;
mod store;
mod support;
mod sweep;
mod sweep_columns;
mod sweep_page;
mod sweep_refusals;
mod tables;
mod verify;
