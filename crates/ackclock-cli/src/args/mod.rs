//! The arguments of every command, and their help.

mod choices;
mod figure;
mod live;
mod packetdrill;
mod sweep;

pub use choices::{Engine, Format, Technology};
pub use figure::FigureArgs;
pub use live::{DoctorArgs, LiveArgs};
pub use packetdrill::PacketdrillArgs;
pub use sweep::{DEFAULT_MAX_RUNS, MergeArgs, Shown, SweepArgs};

use std::ffi::OsString;
use std::path::PathBuf;

use ackclock::record::{GROUPS, Metric};
use ackclock::sim::RESULT_VERSION;
use ackclock_report::figures;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueHint};
use clap_complete::Shell;

use crate::commands::explain;
use crate::commands::quick::tcps;
use crate::failure::{Exit, Failure};
use crate::suggested::Suggested;
use crate::{console, output, words};

/// Cell-accurate laboratory for TCP over ATM and packet networks.
#[derive(Debug, Parser)]
#[command(
    name = "ackclock",
    version = version(),
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "First steps:\n  ackclock init            write a scenario, scenario.toml\n  \
                  ackclock run scenario.toml\n\n\
                  Exit codes: 0 success, 1 a file, disk, memory or live run failed, or damage, 2 wrong usage, 3 scenario invalid or script not runnable,\n            \
                  4 a reproduction, a repetition or a script differs, 130 interrupted"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Quick(QuickArgs),
    Run(RunArgs),
    Live(LiveArgs),
    Doctor(DoctorArgs),
    Sweep(SweepArgs),
    Merge(MergeArgs),
    Check(CheckArgs),
    Contacts(ContactsArgs),
    Reproduce(ReproduceArgs),
    Rerun(RerunArgs),
    Verify(VerifyArgs),
    Export(ExportArgs),
    Plot(PlotArgs),
    Report(ReportArgs),
    Compare(CompareArgs),
    Packetdrill(PacketdrillArgs),
    /// Say what a word means: a metric, a column, a key, an exit code, a word of scenario files
    #[command(after_help = "Example:\n  ackclock explain cwnd")]
    Explain {
        /// The word, as in `cwnd`, `queue_mean_cells`, `mean_active`, `4`, `selective-drop`
        #[arg(value_parser = Suggested(explain::words), hide_possible_values = true)]
        word: String,
    },
    /// List the names that scenarios can use (policies, recoveries, topologies, ...), and the studies
    #[command(after_help = "Example:\n  ackclock list")]
    List {
        /// Only the values of this key, or `studies`
        #[arg(value_parser = Suggested(words::names), hide_possible_values = true)]
        what: Option<String>,
    },
    /// Write a commented scenario to start from
    #[command(after_help = "Example:\n  ackclock init scenario.toml")]
    Init {
        /// The new file; `-` is standard output
        #[arg(default_value = "scenario.toml", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// A packet network, not an ATM network
        #[arg(long)]
        packet: bool,
    },
    /// Print the JSON Schema of scenario files, for editors
    #[command(after_help = "Example:\n  ackclock schema > ackclock.schema.json\n\n\
                      Scenarios that the program writes begin with a line that names this file for editors with a TOML\n\
                      language server (Taplo, Tombi).")]
    Schema,
    /// Print completions for a shell
    #[command(after_help = "Example:\n  ackclock completions bash > ackclock.bash\n\n\
                            For this session: source <(ackclock completions bash)")]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, or write those of all commands to a folder
    #[command(after_help = "Example:\n  ackclock man man1")]
    Man {
        /// The folder; without one the page of the program is printed
        #[arg(value_hint = ValueHint::DirPath)]
        dir: Option<PathBuf>,
    },
}

/// Compare TCPs or drop policies, without a file: a table, a chart and a report
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  ackclock quick --rate 2Mbps --rtt 550ms --buffer 1bdp --tcp vanilla,reno-1990,newreno,sack\n\n\
                  A mixture of TCPs, and drop policies of cells:\n  \
                  ackclock quick --rate 20Mbps --rtt 40ms --flows reno:2,cubic:2\n  \
                  ackclock quick --technology atm --policy epd,selective-drop,fba --sources 10 --rate 20Mbps --rtt 30ms\n\n\
                  The receive window is twice the rate times the RTT plus the buffer, so that it does not limit the window."
)]
pub struct QuickArgs {
    /// A packet network with fast access links, or an ATM network whose links all have the rate
    #[arg(long, value_enum, default_value_t)]
    pub technology: Technology,
    /// Rate of the slow link, as in 2Mbps
    #[arg(long, value_name = "RATE")]
    pub rate: String,
    /// Round-trip time without queues, as in 550ms
    #[arg(long, value_name = "TIME")]
    pub rtt: String,
    /// Buffer before the slow link: packets, bytes or cells, or multiples of rate times RTT [default: 1bdp, at least 10
    /// packets or 1000 cells]
    #[arg(long, value_name = "SIZE")]
    pub buffer: Option<String>,
    #[arg(long, visible_alias = "queue", value_name = "POLICY,...", value_delimiter = ',', default_value = "tail-drop",
          value_parser = Suggested(tcps::policy_names), hide_possible_values = true, help = tcps::policy_help())]
    pub policy: Vec<String>,
    /// Share of the data packets that the slow link corrupts at random, as in 0.1%
    #[arg(long, value_name = "SHARE")]
    pub loss: Option<String>,
    /// Random delay of data packets on the slow link, below this, in order, as in 5ms
    #[arg(long, value_name = "TIME")]
    pub jitter: Option<String>,
    #[arg(long, value_name = "TCP,...", value_delimiter = ',',
          value_parser = Suggested(tcps::tcp_names), hide_possible_values = true, help = tcps::tcp_help())]
    pub tcp: Vec<String>,
    /// Defaults of all other parameters of TCP: standard (the RFCs of today), linux (its hosts of today), ns2-2001, linux-2.2-sat, osu (the studies of TCP over ATM)
    /// [default: standard; on ATM networks osu]
    #[arg(long, value_name = "DIALECT", value_parser = Suggested(tcps::dialect_names), hide_possible_values = true)]
    pub dialect: Option<String>,
    /// Number of simultaneous flows with the same TCP, or a mixture as in reno:2,cubic:2; several flows begin at random
    /// within one RTT [default: 1; on ATM networks 5]
    #[arg(long, visible_alias = "sources", value_name = "N|TCP:N,...")]
    pub flows: Option<String>,
    /// Simulated time [default: 200 round trips, at least 30 s, at most 10 min]
    #[arg(long, value_name = "TIME")]
    pub duration: Option<String>,
    /// Run with N seeds, and give confidence intervals
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub seeds: u32,
    /// Replace another value of the scenario; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Print one JSON document instead of table and chart
    #[arg(long)]
    pub json: bool,
    /// The folder for the results [default: results/quick-HASH]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
}

/// Simulate a scenario: print a table, and write all results to a folder
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ackclock run scenario.toml --seeds 5 --set queue.policy=fba")]
pub struct RunArgs {
    /// The scenario file
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: String,
    /// Run with N seeds, beginning with that of the scenario, and give confidence intervals
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub seeds: u32,
    #[command(flatten)]
    pub asked: AskedArgs,
    /// The result folder [default: results/NAME-HASH, the same for the same scenario]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// The batched engine, or the slower reference engine with one event at a time; their results are equal to the bit
    #[arg(long, value_enum, default_value_t)]
    pub engine: Engine,
}

// What is replaced in a scenario, recorded, measured and printed, of `run` and `live` alike. No documentation comment: clap would show it in
// place of that of the command.
#[derive(Args, Debug)]
pub struct AskedArgs {
    /// Replace a value of the scenario; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Metrics to record over time, or `tcp`, `ports`, `delays`; replaces `record` of the scenario
    #[arg(long, value_name = "METRIC,...", value_delimiter = ',', hide_possible_values = true,
          value_parser = PossibleValuesParser::new(metrics_and_groups()))]
    pub record: Vec<String>,
    /// Length of the intervals over which queues, utilisation and throughput are recorded
    #[arg(long, value_name = "TIME")]
    pub record_interval: Option<String>,
    /// Hosts at which every datagram is captured; replaces `capture` of the scenario
    #[arg(long, value_name = "HOST,...", value_delimiter = ',')]
    pub capture: Vec<String>,
    /// Percentiles of one-way delays, round trips, jitter of UDP, and waiting times at ports
    #[arg(long)]
    pub delays: bool,
    /// Keep a measure of each run, as in 'share(goodput: new)' or 'cwnd(f1, 2 to 5 s)'; may be repeated
    #[arg(long, value_name = "MEASURE")]
    pub measure: Vec<String>,
    /// Print one JSON document instead of the table
    #[arg(long)]
    pub json: bool,
}

impl AskedArgs {
    /// What replaces values of the scenario, in the form of `--set`; the options of their own come last and win.
    pub fn sets(&self) -> Vec<String> {
        let list = |key: &str, words: &[String]| {
            let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
            (!words.is_empty()).then(|| format!("{key}=[{}]", words.join(", ")))
        };
        let interval = self.record_interval.as_ref().map(|interval| format!("record_interval={interval}"));
        let delays = self.delays.then(|| "delays=true".to_string());
        let own = [list("record", &self.record), interval, list("capture", &self.capture), delays];
        self.set.iter().cloned().chain(own.into_iter().flatten()).collect()
    }
}

/// Check a scenario without running it
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ackclock check scenario.toml --print")]
pub struct CheckArgs {
    /// The scenario file
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: String,
    /// Replace a value of the scenario; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Print the whole scenario, with every default and the source of each value
    #[arg(long)]
    pub print: bool,
}

/// Show the contact plan of a scenario with satellites: paths and delays over time; or write it for runs to read
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ackclock contacts space.toml --write plan\n\n\
                        A scenario with `plan = \"plan\"` in [satellites] reads the plan and gives the same run.")]
pub struct ContactsArgs {
    /// The scenario file
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: String,
    /// Replace a value of the scenario; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Write the plan as Parquet tables to this folder, or the delay of one path over time to a file that ends in .csv
    #[arg(long, value_name = "DIR|FILE.csv", value_hint = ValueHint::AnyPath)]
    pub write: Option<PathBuf>,
    /// The path in the CSV file, as in berkeley->boston [default: the only one]
    #[arg(long = "path", alias = "way", value_name = "A->B")]
    pub path: Option<String>,
    /// The time between lines of the CSV file; every event has an additional line
    #[arg(long, value_name = "TIME", default_value = "1s")]
    pub step: String,
}

/// Reproduce a published study and compare every number
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ackclock reproduce sack-ubr --quick\n\nStudies and cards: ackclock list studies")]
pub struct ReproduceArgs {
    /// The study, or one card of it [default: all studies]
    #[arg(value_name = "STUDY[/CARD]", value_parser = Suggested(words::studies_and_cards), hide_possible_values = true)]
    pub study: Option<String>,
    /// Only a part of the numbers, with fewer seeds
    #[arg(long)]
    pub quick: bool,
    /// The part of the study that runs live, on the TCP of this machine's kernel, beside simulations of the same cases
    #[arg(long, requires = "study")]
    pub live: bool,
    /// Make N live runs at a time: for links that are slow for this machine; each run measures whether it was on time
    #[arg(long, value_name = "N", requires = "live", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub at_once: u8,
    /// Run every point with the seeds 1 to N [default: those of the study]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub seeds: Option<u64>,
    /// Print one JSON document instead of the tables
    #[arg(long)]
    pub json: bool,
    /// Where finished runs and reports are kept
    #[arg(long, value_name = "DIR", default_value = "results/reproduce", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// The batched engine, or the slower reference engine; finished runs of both are kept together, because they are equal
    #[arg(long, value_enum, default_value_t)]
    pub engine: Engine,
}

/// Repeat the runs of a result folder and compare them to the bit
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ackclock rerun results/lan\n\nExit code 0: all equal; 4: some differ.")]
pub struct RerunArgs {
    /// The result folder
    #[arg(value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// The batched engine, or the slower reference engine with one event at a time; results must be equal with both
    #[arg(long, value_enum, default_value_t)]
    pub engine: Engine,
}

/// Name every damage in folders of results, sweeps and studies
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  ackclock verify results\n\nExit code 0: no damage; 1: something is damaged or missing."
)]
pub struct VerifyArgs {
    /// Folders of results, or folders with such folders in them
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    pub dirs: Vec<PathBuf>,
    /// Print one JSON document instead of lines
    #[arg(long)]
    pub json: bool,
}

/// Write the tables of a result folder as CSV or JSON lines
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ackclock export results/lan --metric queue > queue.csv\n\n\
                        The names of the columns contain the units; `ackclock explain COLUMN` says more.")]
pub struct ExportArgs {
    /// The result folder
    #[arg(value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// CSV, or JSON with an object on each line
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Only these metrics [default: all that were recorded]
    #[arg(long, value_name = "METRIC,...", value_delimiter = ',', hide_possible_values = true,
          value_parser = PossibleValuesParser::new(Metric::ALL.map(Metric::name)))]
    pub metric: Vec<String>,
    /// A folder for a file of each metric; `-` is standard output
    #[arg(long, value_name = "DIR", default_value = "-", value_hint = ValueHint::DirPath)]
    pub to: PathBuf,
}

/// Write the numbers of each figure as CSV, for pgfplots or gnuplot
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ackclock plot results/lan --figure queue --to figures\n\n\
                        One file for each flow or port: FIGURE-NAME.csv, time in seconds.")]
pub struct PlotArgs {
    /// The result folder
    #[arg(value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Only these figures [default: all figures of recorded metrics]
    #[arg(long, value_name = "FIGURE,...", value_delimiter = ',',
          value_parser = PossibleValuesParser::new(figures::names()))]
    pub figure: Vec<String>,
    /// The run of this seed [default: the first]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The folder for the files
    #[arg(long, value_name = "DIR", default_value = "figures", value_hint = ValueHint::DirPath)]
    pub to: PathBuf,
    #[command(flatten)]
    pub drawn: FigureArgs,
}

/// Write a result folder as one HTML file with tables and plots
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ackclock report results/lan")]
pub struct ReportArgs {
    /// The result folder; the folder of a sweep or study has a page already, which is shown
    #[arg(value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// The seed of the run that the plots show [default: the first]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The file [default: report.html in the result folder]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
}

/// Compare results with the first one: a table, and an HTML file with plots
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ackclock compare results/lan results/other --out both.html")]
pub struct CompareArgs {
    /// The result folders, two to twenty, or the folder of one sweep
    #[arg(value_name = "DIR", num_args = 1..=20, required = true, value_hint = ValueHint::DirPath)]
    pub dirs: Vec<PathBuf>,
    /// The metric to plot over time [default: cwnd, throughput, rtt, queue, if most results have recorded them]
    #[arg(long, value_name = "METRIC", hide_possible_values = true,
          value_parser = PossibleValuesParser::new(Metric::ALL.map(Metric::name)))]
    pub metric: Option<String>,
    /// Of the measures that the results were run with (`run --measure`) only this one; may be repeated [default: all]
    #[arg(long, value_name = "MEASURE")]
    pub measure: Vec<String>,
    /// Print one JSON document instead of the table
    #[arg(long)]
    pub json: bool,
    /// The HTML file [default: comparison.html in the current folder]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub figure: FigureArgs,
}

/// The command line as it is kept with the result; the program's path is left out.
pub fn command_line(words: &[OsString]) -> Vec<String> {
    let arguments = words.iter().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    ["ackclock".to_string()].into_iter().chain(arguments).collect()
}

/// Shows what clap has to say: help and version are results, the rest is an error of usage.
pub fn explain(error: &clap::Error) -> Result<Exit, Failure> {
    let text = error.render().ansi().to_string();
    if !error.use_stderr() {
        return output::print_styled(&text).map(|()| Exit::Fine);
    }
    console::stderr(format_args!("{text}"));
    Ok(Exit::Usage)
}

/// What may stand in `--record`.
fn metrics_and_groups() -> Vec<&'static str> {
    GROUPS.iter().map(|(name, _)| *name).chain(Metric::ALL.map(Metric::name)).collect()
}

fn version() -> String {
    format!("{} (result version {RESULT_VERSION})", env!("CARGO_PKG_VERSION"))
}
