//! The program as a user meets it: real command lines, real files, real signals.

mod bad_input;
mod commands;
mod interrupt;
mod json;
mod report;
mod reproduce;
mod run;
mod support;
