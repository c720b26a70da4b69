//! A panic of a run: a broken invariant of the simulator. It ends the run, not the program, and becomes an error.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};

/// What `run` returns, or the message of its panic.
pub(crate) fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    let before = PLACE.replace(Some(String::new()));
    let outcome = panic::catch_unwind(AssertUnwindSafe(run));
    let place = PLACE.replace(before).unwrap_or_default();
    outcome.map_err(|payload| text_of(&*payload) + &place)
}

/// For the panic hook of a program: whether the panic is of a run. If so, the error of the run has its message and its place, and the
/// hook has nothing more to do.
pub fn is_of_a_run(info: &PanicHookInfo<'_>) -> bool {
    PLACE.with_borrow_mut(|place| {
        let is_of_a_run = place.is_some();
        if let (Some(place), Some(location)) = (place, info.location()) {
            *place = format!(" ({location})");
        }
        is_of_a_run
    })
}

fn text_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_else(|| "panic".into())
}

thread_local! {
    /// There while this thread is in a run: where it panicked.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_tells_panics_of_runs_from_others_and_their_place_is_known() {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !is_of_a_run(info) {
                others(info);
            }
        }));
        let message = caught(|| panic!("a defect")).unwrap_err();
        assert!(message.starts_with("a defect (") && message.contains("panics.rs:"), "{message}");
        assert_eq!(caught(|| 5), Ok(5));
        assert!(PLACE.with_borrow(Option::is_none), "this thread is in no run any more");
    }
}
