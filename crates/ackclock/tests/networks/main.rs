//! Whole networks.

mod abr;
mod abr_scenarios;
mod applications;
mod disciplines_outside;
mod drawing_outside;
mod exchanges;
mod flow_queues;
mod from_outside;
#[path = "../lab/mod.rs"]
mod lab;
mod load_ratio;
mod measures;
mod medium;
mod named_outside;
mod network;
mod paths;
mod random_networks;
mod rate_control;
mod rate_control_atm;
mod recording;
mod routes;
mod satellites;
mod shapers;
mod tables;
mod told;
mod udp;
mod udp_atm;
