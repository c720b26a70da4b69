//! TCP: senders and receivers alone, in pairs, and in networks.

mod cubic_tables;
mod ecn;
#[path = "../lab/mod.rs"]
mod lab;
mod linux_host;
mod linux_preset;
mod ns2_cwnd;
mod ns2_dialect;
#[path = "../pair/mod.rs"]
mod pair;
mod reading;
mod reneging;
mod served_hosts;
mod slow_start;
mod spurious;
mod standard_rules;
mod tcp_bbr;
mod tcp_families;
mod tcp_properties;
mod tcp_rack;
mod tcp_recovery;
mod tcp_reduction;
mod tcp_regressions;
mod tcp_rules;
mod tcp_sack_options;
mod tcp_standard;
mod window_validation;
mod writes;
