//! `ackclock merge`: the parts of a sweep put together.

use ackclock_sweep::{Merged, Shard, merge as put_together, plan_of};

use super::finish;
use super::shown::Shown;
use crate::args::MergeArgs;
use crate::failure::{Exit, Failure};
use crate::{console, interrupt, seeds};

/// Puts folders of `sweep --shard` together.
pub fn merge(args: &MergeArgs) -> Result<Exit, Failure> {
    interrupt::say_at_end("what was read until then is kept; run the same command again".into());
    let plan = plan_of(&args.dirs)?;
    let shown = Shown::of(&args.shown, &plan, &args.out)?;
    let merged = put_together(plan, &args.dirs, &args.out, |owner| seeds::say_that_it_waits(&args.out, owner))?;
    let Merged { mut store, damage } = merged;
    for damage in damage {
        console::note(format_args!("warning: {damage}"));
    }
    finish(&mut store, &shown, Shard::WHOLE)
}
