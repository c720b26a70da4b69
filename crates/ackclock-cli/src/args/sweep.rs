//! The arguments of `sweep` and `merge`.

use std::path::PathBuf;

use ackclock_sweep::Shard;
use clap::{Args, ValueHint};

use super::choices::{Engine, Interval};
use super::figure::FigureArgs;

/// Run a scenario under many values and seeds: one table with a row for each run
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ackclock sweep scenario.toml --vary queue.policy=epd,selective-drop --seeds 3\n\n\
                  Values: a,b,c; LOW..HIGH:log:N and LOW..HIGH:lin:N, as in queue.buffer=0.1..4bdp:log:10. Keys with `;`\n\
                  between them change together. A killed sweep resumes with the same command.")]
pub struct SweepArgs {
    /// The scenario file, or a sweep file that names one
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: String,
    /// A key and its values; may be repeated: all combinations are run
    #[arg(long, value_name = "KEY=VALUES")]
    pub vary: Vec<String>,
    /// Run each point with N seeds, the same for all points, beginning with that of the scenario [default: 1; 5 with --until-ci]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub seeds: Option<u32>,
    /// Keep a measure of each run and draw it first, as in 'share(goodput: new)' or 'p95(one-way-delay: ping)'; may be repeated
    #[arg(long, value_name = "MEASURE")]
    pub measure: Vec<String>,
    /// Run each point with more seeds until half the width of its 95 % interval is at most this share of the mean, as in 2%: of the
    /// goodput, or of another number or measure, as in loss=10% or 'jain(sent)=1%'; may be repeated
    #[arg(long, value_name = "[NUMBER=]SHARE")]
    pub until_ci: Vec<String>,
    /// With --until-ci, the most seeds of a point [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub max_seeds: Option<u32>,
    /// Replace a value of the scenario at every point; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Sample N points of the ranges that have no number of values, as in queue.buffer=0.1..4bdp:log
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub latin_hypercube: Option<u32>,
    /// Run the other points if the scenario refuses some
    #[arg(long)]
    pub skip_refused: bool,
    /// Give up runs that take longer, as in 60s; they are recorded as failed, and the others go on
    #[arg(long, value_name = "TIME")]
    pub time_limit: Option<String>,
    /// Run again what failed or took too long before
    #[arg(long)]
    pub retry: bool,
    /// Only the part I of N parts, for N machines; `ackclock merge` puts the parts together
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Have the runs done by a cluster of Dask, as in dask://scheduler:8786; the Python package has what it takes [default: local, this machine]
    #[arg(long, value_name = "ADDRESS")]
    pub on: Option<String>,
    #[command(flatten)]
    pub shown: Shown,
    /// How many runs at a time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
    /// Refuse sweeps of more runs
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_RUNS)]
    pub max_runs: u64,
    /// Say how many runs there are, how long they take and how much disk, and run nothing
    #[arg(long)]
    pub dry_run: bool,
    /// The folder of the sweep [default: results/NAME-sweep-HASH, the same for the same points]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// The batched engine, or the slower reference engine with one event at a time; their results are equal to the bit
    #[arg(long, value_enum, default_value_t)]
    pub engine: Engine,
}

/// Put the parts of a sweep together that were run with `sweep --shard`
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  ackclock merge part-1 part-2 --out whole\n\nThe order of the folders makes no difference."
)]
pub struct MergeArgs {
    /// The folders of the parts
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    pub dirs: Vec<PathBuf>,
    /// The folder of the whole sweep
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    #[command(flatten)]
    pub shown: Shown,
}

/// What is made of the runs of a sweep
#[derive(Args, Debug)]
pub struct Shown {
    /// How confidence intervals of means are found
    #[arg(long, value_enum, default_value_t)]
    pub interval: Interval,
    /// Also show differences from the points where a varied key has this value, seed by seed
    #[arg(long, value_name = "KEY=VALUE")]
    pub baseline: Option<String>,
    #[command(flatten)]
    pub figure: FigureArgs,
    /// With --plot, draw only this number, as in goodput_bps; may be repeated [default: all that the page draws]
    #[arg(long, value_name = "NUMBER", requires = "plot")]
    pub metric: Vec<String>,
    /// Also write the page to this file
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,
}

/// Sweeps of more runs are refused unless it is confirmed.
pub const DEFAULT_MAX_RUNS: u64 = 1_000_000;

impl SweepArgs {
    /// The address of the cluster that does the runs; `None`: this machine does, which is also called "local", as in Python.
    pub fn cluster(&self) -> Option<&str> {
        self.on.as_deref().filter(|&on| on != "local")
    }
}
