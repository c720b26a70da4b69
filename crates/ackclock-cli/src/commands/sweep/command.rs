//! The command that a sweep is repeated by: what says which runs there are, in one order, and nothing of where and how they are done.

use crate::args::{DEFAULT_MAX_RUNS, SweepArgs};

/// The words of the command for so many runs. Without the folder, threads, parts and files of one call, so that the plan and the page of a sweep are the
/// same wherever its runs were done.
pub fn of(args: &SweepArgs, runs: u128) -> Vec<String> {
    let mut words: Vec<String> = ["ackclock", "sweep", &args.file].map(str::to_owned).into();
    let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
    args.vary.iter().for_each(|vary| option("--vary", vary.clone()));
    args.set.iter().for_each(|set| option("--set", set.clone()));
    args.latin_hypercube.iter().for_each(|points| option("--latin-hypercube", points.to_string()));
    args.seeds.iter().for_each(|seeds| option("--seeds", seeds.to_string()));
    args.measure.iter().for_each(|measure| option("--measure", measure.clone()));
    args.until_ci.iter().for_each(|width| option("--until-ci", width.clone()));
    args.max_seeds.iter().for_each(|seeds| option("--max-seeds", seeds.to_string()));
    if runs > u128::from(DEFAULT_MAX_RUNS) {
        option("--max-runs", runs.to_string());
    }
    if args.skip_refused {
        words.push("--skip-refused".into());
    }
    words
}
