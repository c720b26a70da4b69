//! Folders of shards put together.

use std::path::{Path, PathBuf};

use ackclock_store::{Damage, Ledger, Owner};

use crate::error::Error;
use crate::plan::Plan;
use crate::results::{Row, Status};
use crate::store::{LEDGER, Store, check_other, read_plan};

/// What became of several folders.
#[derive(Debug)]
pub struct Merged {
    /// The folder with all runs.
    pub store: Store,
    /// What of the ledgers cannot be used.
    pub damage: Vec<Damage>,
}

/// Puts the runs of folders of one sweep into another folder, which may hold some of them already. The order of the folders
/// makes no difference. Of a run that failed in one folder and was finished in another, the numbers are kept.
///
/// # Errors
/// If a folder holds no sweep, or not the same one, or cannot be read or written.
pub fn merge(from: &[PathBuf], to: &Path, waits: impl FnMut(&Owner)) -> Result<Merged, Error> {
    let mut plan: Option<Plan> = None;
    for folder in from {
        let found = read_plan(folder)?.ok_or_else(|| Error::NoSweep(folder.clone()))?;
        let first = plan.get_or_insert_with(|| found.clone());
        check_other(folder, &found, first)?;
        if !found.is_same_sweep(first) {
            let because = "over other values or seeds than the first folder".to_owned();
            return Err(Error::Other { folder: folder.clone(), because });
        }
    }
    let plan = plan.ok_or_else(|| Error::NoSweep(to.to_path_buf()))?;
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
