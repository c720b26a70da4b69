//! Both engines give the same records.

mod emulation;
mod ended;
mod engines;
mod engines_abr;
mod engines_random;
mod fused;
#[path = "../lab/mod.rs"]
mod lab;
mod steering;
