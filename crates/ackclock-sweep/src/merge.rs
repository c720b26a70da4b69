//! Folders of shards put together.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ackclock_store::{Damage, Ledger, Owner};

use crate::error::Error;
use crate::plan::Plan;
use crate::results::row::Row;
use crate::results::{Results, Status};
use crate::store::files::LEDGER;
use crate::store::{Store, check_other, read_plan};

/// What became of several folders.
#[derive(Debug)]
pub struct Merged {
    /// The folder with all runs.
    pub store: Store,
    /// What of the ledgers cannot be used.
    pub damage: Vec<Damage>,
}

/// The plan that folders of parts have in common. Where their commands differ, as where they were started in different folders, the
/// first of these in the order of the alphabet is taken, so that the order of the folders makes no difference.
///
/// # Errors
/// If a folder holds no sweep, or not the same one, or cannot be read.
pub fn plan_of(parts: &[PathBuf]) -> Result<Plan, Error> {
    let mut plans = Vec::new();
    for folder in parts {
        let found = read_plan(folder).map_err(|error| match error {
            Error::Plan { file, reason } => Error::PartPlan { file, reason },
            error => error,
        })?;
        let found = found.ok_or_else(|| Error::NoSweep(folder.clone()))?;
        let first = plans.first().unwrap_or(&found);
        check_part(folder, &found, first)?;
        plans.push(found);
    }
    let plan = plans.into_iter().min_by(|a, b| (&a.command, &a.run).cmp(&(&b.command, &b.run)));
    let plan = plan.ok_or_else(|| Error::NoSweep(PathBuf::new()))?;
    Ok(Plan { ackclock: env!("CARGO_PKG_VERSION").into(), ..plan })
}

/// Refuses a part that is of another sweep than the first, or of another version.
fn check_part(folder: &Path, part: &Plan, first: &Plan) -> Result<(), Error> {
    let because = match check_other(folder, part, first) {
        Err(Error::Other { because, .. }) => because,
        Err(error) => return Err(error),
        Ok(()) if part.is_same_sweep(first) => return Ok(()),
        Ok(()) if part.metrics != first.metrics => "with other measures than the first folder".to_owned(),
        Ok(()) => "over other values or seeds than the first folder".to_owned(),
    };
    Err(Error::OtherPart { folder: folder.to_path_buf(), because })
}

/// Makes sure that no run is finished in two ways: by parts that programs of different kinds computed, or that were changed.
fn refuse_disagreement(plan: &Plan, parts: &[&Path]) -> Result<(), Error> {
    let results = Results::new(plan.clone());
    let by_key = results.by_key();
    let mut finished: HashMap<usize, (u128, usize)> = HashMap::new();
    let mut differ: Vec<(usize, [usize; 2])> = Vec::new();
    for (part, folder) in parts.iter().enumerate() {
        Ledger::read_each(&folder.join(LEDGER), |key, row: Row| {
            let Some(run) = by_key.get(&key).filter(|_| row.failed.is_none()) else { return };
            let (numbers, first) = *finished.entry(*run).or_insert_with(|| (row.hash_of_numbers(), part));
            if numbers != row.hash_of_numbers() {
                differ.push((*run, [first, part]));
            }
        })?;
    }
    let Some((run, [one, other])) = differ.iter().min_by_key(|(run, _)| *run) else { return Ok(()) };
    let (point, seed) = plan.point_and_seed(*run);
    let label = plan.label(point);
    let run = if label.is_empty() { format!("seed {seed}") } else { format!("{label}, seed {seed}") };
    let mut folders = [parts[*one].to_path_buf(), parts[*other].to_path_buf()];
    folders.sort();
    Err(Error::Disagree { run, more: differ.len() - 1, folders })
}

/// Puts the runs of folders of a plan into another folder, which may hold some of them already. The order of the folders makes no
/// difference. Of a run that failed in one folder and was finished in another, the numbers are kept.
///
/// # Errors
/// If a folder cannot be read or written, if the other folder holds another sweep, or if a run has different numbers in two of them.
pub fn merge(plan: Plan, from: &[PathBuf], to: &Path, waits: impl FnMut(&Owner)) -> Result<Merged, Error> {
    let there = Some(to).filter(|to| to.join(LEDGER).exists());
    let parts: Vec<&Path> = from.iter().map(PathBuf::as_path).chain(there).collect();
    refuse_disagreement(&plan, &parts)?;
    let (opened, damage) = Store::open(to, plan, waits)?;
    let store = opened.begin()?;
    let mut damage = vec![damage];
    let by_key = store.with_results(|results| results.by_key());
    for folder in from {
        let mut kept = Ok(());
        let read = Ledger::read_each(&folder.join(LEDGER), |key, row: Row| {
            let Some(run) = by_key.get(&key) else { return };
            let is_wanted = match store.with_results(|results| results.status(*run)) {
                Status::Missing => true,
                Status::Failed => row.failed.is_none(),
                Status::Finished => false,
            };
            if is_wanted && kept.is_ok() {
                kept = store.keep(*run, row);
            }
        })?;
        kept?;
        damage.push(read);
    }
    store.sync()?;
    damage.retain(|damage| !damage.is_none());
    Ok(Merged { store, damage })
}
