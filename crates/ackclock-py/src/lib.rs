//! The Python module `ackclock._core`: what of the package `ackclock` is not written in Python. The package is in `python/ackclock`, and its
//! `_core.pyi` says the types.

mod cluster;
mod errors;
mod gym;
mod mechanisms;
mod result;
mod scenario;
mod series;
mod simulation;
mod study;
mod sweep;
mod table;
mod waiting;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    use std::ffi::OsString;

    use pyo3::prelude::*;

    use crate::{cluster, errors};

    #[pymodule_export]
    use crate::cluster::work_on;
    #[pymodule_export]
    use crate::gym::{Episode, Episodes};
    #[pymodule_export]
    use crate::mechanisms::{
        AckEvent, ArrivalEvent, DeliveryEvent, Draws, LossEvent, LostSegmentEvent, RateSample, RestartEvent, Window,
    };
    #[pymodule_export]
    use crate::result::{Result, run};
    #[pymodule_export]
    use crate::scenario::Scenario;
    #[pymodule_export]
    use crate::simulation::{Observation, Simulation, start};
    #[pymodule_export]
    use crate::study::{reproduce, studies};
    #[pymodule_export]
    use crate::sweep::{SweepResult, sweep};
    #[pymodule_export]
    use crate::table::{Column, Table};

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Changes whenever any run could give other numbers.
    #[pymodule_export]
    const RESULT_VERSION: u32 = ackclock::sim::RESULT_VERSION;

    /// A time as scenario files spell it, in seconds. `what` is what an error calls it.
    #[pyfunction]
    fn seconds(py: Python<'_>, text: &str, what: &str) -> PyResult<f64> {
        let span = ackclock_scenario::time(text);
        let wrong = |wrong| errors::usage(py, format_args!("{what}: {text:?}: {wrong}"), "write it as \"100 ms\"");
        span.map(|span| span.as_secs_f64()).map_err(wrong)
    }

    /// A rate as scenario files spell it, in bits per second.
    #[pyfunction]
    fn bits_per_second(py: Python<'_>, text: &str, what: &str) -> PyResult<f64> {
        let rate = ackclock_scenario::rate(text);
        let wrong = |wrong| errors::usage(py, format_args!("{what}: {text:?}: {wrong}"), "write it as \"2 Mbps\"");
        rate.map(|rate| rate.as_bps() as f64).map_err(wrong)
    }

    /// Does what a command line of `ackclock` asks for, whose first word is the program, and returns the exit code. The process is that of the
    /// command line from then on.
    #[pyfunction]
    fn main(py: Python<'_>, words: Vec<OsString>) -> u8 {
        py.detach(|| ackclock_cli::main(&words, Some(&cluster::connect)))
    }
}
