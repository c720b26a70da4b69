//! The program as a user meets it: real command lines, real files, real signals.

mod bad_input;
mod commands;
mod export;
mod interrupt;
mod json;
mod kept;
mod quick;
mod report;
mod reproduce;
mod rerun;
mod run;
mod support;
mod tables;
