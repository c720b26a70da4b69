//! `ackclock live` and `ackclock doctor`: scenarios on the TCP of this machine's kernel, and what it lacks for that.

#[cfg(all(target_os = "linux", feature = "live"))]
mod doctor;
#[cfg(all(target_os = "linux", feature = "live"))]
mod kernel;
#[cfg(all(target_os = "linux", feature = "live"))]
mod runs;

#[cfg(all(target_os = "linux", feature = "live"))]
pub use {doctor::doctor, kernel::kernel, runs::live};

#[cfg(not(all(target_os = "linux", feature = "live")))]
mod elsewhere {
    use std::sync::atomic::AtomicBool;

    use ackclock::scenario::Scenario;
    use ackclock_study::{Kernel, KernelError, LiveRun};

    use crate::args::{DoctorArgs, LiveArgs};
    use crate::failure::{Exit, Failure};

    /// There are no live runs here.
    pub fn live(_args: &LiveArgs, _command: Vec<String>) -> Result<Exit, Failure> {
        Err(nowhere())
    }

    /// Nothing can be looked at here.
    pub fn doctor(_args: &DoctorArgs) -> Result<Exit, Failure> {
        Err(nowhere())
    }

    /// No kernel for the live part of studies.
    pub fn kernel() -> Result<NoKernel, Failure> {
        Err(nowhere())
    }

    /// What there is none of.
    pub enum NoKernel {}

    impl Kernel for NoKernel {
        fn differences(&self, _scenario: &Scenario) -> Result<Vec<String>, KernelError> {
            match *self {}
        }

        fn run(
            &self,
            _scenario: &Scenario,
            _seed: u64,
            _stop: &AtomicBool,
            _watch: &mut dyn FnMut(f64),
        ) -> Result<Option<LiveRun>, KernelError> {
            match *self {}
        }
    }

    fn nowhere() -> Failure {
        let help = "install the program of a release, or build it with `cargo install --path crates/ackclock-cli`; simulations go everywhere";
        match cfg!(target_os = "linux") {
            true => Failure::outside("this program was built without live runs", help),
            false => Failure::outside(
                "live runs need the kernel of Linux",
                "use a machine with Linux; simulations go everywhere",
            ),
        }
    }
}
#[cfg(not(all(target_os = "linux", feature = "live")))]
pub use elsewhere::{doctor, kernel, live};
