//! Mechanisms written in Python: congestion controls and drop policies of packets, through the traits that those of the simulator have. Each
//! question takes the interpreter, which is slow; the numbers are the same.

mod control;
mod events;
mod object;
mod policy;

use ackclock::queue::packet::{CustomDiscipline, Fifo};
use ackclock::tcp::cc::{CongestionControl, CustomCongestionControl, Needs};
use ackclock_scenario::Outside;
use pyo3::prelude::*;

use control::Control;
pub use events::{
    AckEvent, ArrivalEvent, DeliveryEvent, Draws, LossEvent, LostSegmentEvent, RateSample, RestartEvent, Window,
};
pub use object::Failed;
use object::Object;
use policy::Policy;

use crate::errors;

/// The mechanisms of a scenario that are written in Python, and the first error of one of them in runs that are not stepped through.
#[derive(Clone, Default)]
pub struct Mechanisms {
    pub outside: Outside,
    pub failed: Failed,
}

impl Mechanisms {
    /// Mechanisms of these classes, which are derived from `CongestionControl` and `PacketPolicy` of `ackclock.mechanisms`.
    pub fn of(py: Python<'_>, classes: &[Bound<'_, PyAny>]) -> PyResult<Mechanisms> {
        let mut mechanisms = Mechanisms::default();
        let bases = py.import("ackclock.mechanisms")?;
        let (control, policy) = (bases.getattr("CongestionControl")?, bases.getattr("PacketPolicy")?);
        for class in classes {
            let is_of = |base: &Bound<'_, PyAny>| {
                class.cast::<pyo3::types::PyType>().is_ok_and(|class| class.is_subclass(base).unwrap_or(false))
            };
            let (is_control, is_policy) = (is_of(&control), is_of(&policy));
            if !is_control && !is_policy {
                let help =
                    "derive a class from ackclock.CongestionControl or ackclock.PacketPolicy, and give the class";
                return Err(errors::usage(py, format_args!("{} is no mechanism", class.repr()?), help));
            }
            let name = text_of(class, "name")?;
            let version = text_of(class, "version")?;
            let (made, failed) = (class.clone().unbind(), mechanisms.failed.clone());
            let added = if is_control {
                let (needs, abe) = (needs_of(class, &name)?, abe_of(class, &name)?);
                let of = name.clone();
                let start = move |draws| -> Box<dyn CongestionControl> {
                    Box::new(Control(Object::new(&made, &of, draws, &failed)))
                };
                let control = CustomCongestionControl::new(name, needs, start);
                mechanisms.outside.add(&version, abe.into_iter().fold(control, CustomCongestionControl::with_abe))
            } else {
                let of = name.clone();
                let discipline = CustomDiscipline::new(name, move |port, draws| {
                    Box::new(Fifo::new(port, Policy(Object::new(&made, &of, draws, &failed))))
                });
                mechanisms.outside.add(&version, discipline)
            };
            added.map_err(|refused| errors::usage(py, refused.problem, refused.help))?;
        }
        Ok(mechanisms)
    }

    /// Whether there are any.
    pub fn has_any(&self) -> bool {
        self.outside.words().next().is_some()
    }
}

/// An attribute of a class that is a text.
fn text_of(class: &Bound<'_, PyAny>, attribute: &str) -> PyResult<String> {
    class.getattr(attribute).and_then(|text| text.extract()).map_err(|_| {
        let shown = class.repr().map_or_else(|_| "a class".to_owned(), |text| text.to_string());
        errors::usage(
            class.py(),
            format_args!("{shown} has no text {attribute}"),
            format_args!("write {attribute} = \"...\" in the class"),
        )
    })
}

/// What a class says it needs: a word, or several.
fn needs_of(class: &Bound<'_, PyAny>, name: &str) -> PyResult<Needs> {
    let said = class.getattr("needs")?;
    let words = said.extract::<String>().map(|word| vec![word]).or_else(|_| said.extract::<Vec<String>>());
    let mut needs = Needs::NOTHING;
    let mut known = words.is_ok();
    for word in words.unwrap_or_default() {
        match word.as_str() {
            "nothing" => {}
            "round-trips" => needs.round_trips = true,
            "delivery-rates" => needs.delivery_rates = true,
            "pacing" => needs.pacing = true,
            _ => known = false,
        }
    }
    if !known {
        let help = "write \"nothing\", \"round-trips\", \"delivery-rates\" or \"pacing\", or several in parentheses";
        return Err(errors::usage(class.py(), format_args!("{name}: needs = {}", said.repr()?), help));
    }
    let base = class.py().import("ackclock.mechanisms")?.getattr("CongestionControl")?;
    for (method, need, is_asked) in [
        ("pacing_rate", "pacing", needs.pacing),
        ("on_lost_segment", "delivery-rates", needs.delivery_rates),
        ("holds_back", "delivery-rates", needs.delivery_rates),
    ] {
        if !is_asked && !class.getattr(method)?.is(&base.getattr(method)?) {
            let problem = format_args!("{name}: {method} is never asked, as needs = {} has no {need}", said.repr()?);
            let example = if needs == Needs::NOTHING { "" } else { ", or add it to the others in parentheses" };
            return Err(errors::usage(
                class.py(),
                problem,
                format_args!("write needs = \"{need}\" in the class{example}"),
            ));
        }
    }
    Ok(needs)
}

/// What of the window a class says that a mark leaves with `ecn_response = "abe"`, if it says so.
fn abe_of(class: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<f64>> {
    let said = class.getattr("abe")?;
    match said.extract::<Option<f64>>() {
        Ok(abe) if abe.is_none_or(|kept| kept > 0.0 && kept < 1.0) => Ok(abe),
        _ => Err(errors::usage(
            class.py(),
            format_args!("{name}: abe = {}", said.repr()?),
            "write the part of the window that a mark leaves, more than 0 and less than 1, or None",
        )),
    }
}
