//! A panic that is an error: of a run, whose simulator broke an invariant, or of the reader of a file that was forged. It does not end
//! the program.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};

/// What `run` returns, or the message of its panic.
///
/// # Errors
/// If it panics.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    let before = PLACE.replace(Some(String::new()));
    let outcome = panic::catch_unwind(AssertUnwindSafe(run));
    let place = PLACE.replace(before).unwrap_or_default();
    outcome.map_err(|payload| text_of(&*payload) + &place)
}

/// For the panic hook of a program: whether the panic becomes an error. If so, the error has its message and its place, and the
/// hook has nothing more to do.
pub fn is_caught(info: &PanicHookInfo<'_>) -> bool {
    PLACE.with_borrow_mut(|place| {
        let is_caught = place.is_some();
        if let (Some(place), Some(location)) = (place, info.location()) {
            *place = format!(" ({location})");
        }
        is_caught
    })
}

fn text_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_else(|| "panic".into())
}

thread_local! {
    /// There while panics of this thread are caught: where it panicked.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_tells_panics_that_are_caught_from_others_and_their_place_is_known() {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !is_caught(info) {
                others(info);
            }
        }));
        let message = caught(|| panic!("a defect")).unwrap_err();
        assert!(message.starts_with("a defect (") && message.contains("panics.rs:"), "{message}");
        assert_eq!(caught(|| 5), Ok(5));
        assert!(PLACE.with_borrow(Option::is_none), "this thread catches no panics any more");
    }
}
