//! Published studies, reproduced: their runs, their tables, and a verdict for every number.
//!
//! A study is a folder of data below `studies/`, embedded in the program: what was published, the scenarios, the
//! claims as predicates, the tolerances, the assumptions with their alternatives, and the differences that are already
//! known (findings). A study is divided into *cards*, one per published table; a card can be reproduced alone.
//!
//! ```text
//! studies/ ──> Study ──> Plan ──> run (all cores, ledger)         ──> Report  ──> text, JSON, HTML
//! data/        load.rs   plan.rs  run.rs, measure/, stored_result.rs  report/judge.rs  report/text.rs, page/
//! ```
//!
//! [`Plan`] and everything that runs know points (scenario and settings), never a published number; published numbers
//! meet measurements only in `report/judge.rs`.
//!
//! ```no_run
//! use ackclock::sim::Engine;
//! use ackclock_study::{Outcome, Quiet, Selection, Study, reproduce};
//! use std::{path::Path, sync::atomic::AtomicBool};
//!
//! let study = Study::load("sack-ubr")?;
//! let plan = study.plan(&Selection { card: Some("t1".into()), quick: true, seeds: None })?;
//! let stop = AtomicBool::new(false); // to be set by Ctrl-C
//! let folder = Path::new("results/reproduce/sack-ubr");
//! match reproduce(&study, &plan, Engine::default(), folder, 2, &stop, &Quiet)? {
//!     Outcome::Finished(report) => println!("{}", report.text()), // report.passed() decides the exit code
//!     Outcome::Stopped { finished, total } => println!("{finished} of {total} runs are kept"),
//! }
//! # Ok::<(), ackclock_study::Error>(())
//! ```

mod data;
mod embedded;
mod error;
mod figure;
mod kernel;
mod live;
mod load;
mod measure;
mod plan;
mod progress;
mod report;
mod run;
mod stored_result;
mod study;
mod verify;

pub use data::Abbreviation;
pub use error::Error;
pub use figure::{DrawnFigure, DrawnFlow};
pub use kernel::{Exactness, Kernel, KernelError, LiveRun};
pub use load::{live_names, names};
pub use plan::{Plan, Selection};
pub use progress::{Progress, Quiet, Status};
pub use report::{
    AlternativeReport, AssumptionReport, AxisPlotReport, BesideReport, CardReport, CellReport, ChangedReport,
    ChosenReport, ClaimReport, ComparisonReport, Count, ExperimentReport, FindingReport, GroupReport, Headline,
    JudgedAgainReport, KindReport, LayoutReport, LayoutRowReport, LiveReport, Number, Outcome as ReproductionOutcome,
    PowerReport, ReadingColumnReport, ReadingReport, Report, ShownReport, TableReport, Tally, Verdict,
};
pub use run::{Outcome, reproduce, reproduce_live};
pub use study::{CardInfo, Study};
pub use verify::verify;

#[cfg(test)]
mod tests;
