//! Options that are one word of a few.

use ackclock::sim;
use ackclock_sweep::summary::Method;
use clap::ValueEnum;

/// The formats of `export` by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    #[default]
    Csv,
    Json,
}

/// The kinds of confidence intervals by name: Student's t, percentiles of the bootstrap, its interval BCa.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Interval {
    #[default]
    Student,
    Percentile,
    Bca,
}

impl From<Interval> for Method {
    fn from(interval: Interval) -> Method {
        match interval {
            Interval::Student => Method::Student,
            Interval::Percentile => Method::Percentile,
            Interval::Bca => Method::Bca,
        }
    }
}

/// What travels on the links of `quick`, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Technology {
    #[default]
    Packet,
    Atm,
}

/// The engines by name. (Comments at the variants would become help, a line for each option and each engine.)
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Engine {
    #[default]
    Batched,
    Reference,
}

impl From<Engine> for sim::Engine {
    fn from(engine: Engine) -> sim::Engine {
        match engine {
            Engine::Batched => sim::Engine::Batched,
            Engine::Reference => sim::Engine::Reference,
        }
    }
}
