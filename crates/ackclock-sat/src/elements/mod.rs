//! Element sets of real satellites, propagated by SGP4.
//!
//! Files: two-line elements (`tle.rs`) and Orbit Mean-Elements Messages as JSON, CSV or XML (`omm.rs`, `xml.rs`). SGP4 is that of
//! the crate `sgp4`, \[STR3\] as revised by \[VCHK06\], with WGS-72 constants and the sidereal time of its
//! reference code, as the elements are made with them. Its positions are in TEME (true equator, mean equinox); they are
//! turned by Greenwich mean sidereal time to the Earth, and with the Earth to the frame of `vector::Vector`.
//!
//! Deviation: polar motion and UT1 − UTC are left out, less than half a kilometre on the ground; elements themselves are
//! good to a kilometre or so at their epoch and worse by a few each day.

mod epoch;
mod omm;
mod propagated;
mod same;
mod set;
mod tle;
mod warning;
mod xml;

pub use epoch::Epoch;
pub use propagated::Propagated;
pub use set::ElementSet;
pub use warning::Warning;

use ackclock::units::Span;

use self::propagated::Window;
use self::set::{FORMATS, ReadSets, wrong};
use crate::constellation::{Closing, Constellation, Motion, Satellite};
use crate::earth::Earth;
use crate::error::SatError;

/// What becomes of element sets that cannot be used: because something is wrong with them, because they are of another theory, or
/// because SGP4 makes no orbit of them within the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Unusable {
    /// They are an error that names all of them.
    #[default]
    Refuse,
    /// The satellites are left out, and a warning names all of them.
    LeaveOut,
}

/// The element sets of a file, each or what is wrong with it.
#[derive(Clone, Debug)]
pub struct ElementFile {
    sets: ReadSets,
}

impl ElementFile {
    /// The element sets of a file; what it is, is seen from its text. `file` is its name, for messages.
    ///
    /// # Errors
    /// If it holds none, or if it is damaged so that satellites may be missing: the place in the file, and a remedy.
    pub fn read(file: &str, text: &str) -> Result<ElementFile, SatError> {
        let text = text.trim_start_matches('\u{feff}');
        let start = text.trim_start();
        let sets = match start.chars().next() {
            Some('[' | '{') => omm::json(file, text)?,
            Some('<') => xml::read(file, text)?,
            _ if omm::is_csv(start) => omm::csv(file, text)?,
            _ => tle::read(file, text)?,
        };
        match sets.is_empty() {
            true => Err(wrong(file, None, "there are no elements in it", FORMATS)),
            false => Ok(ElementFile { sets }),
        }
    }

    /// How many sets there are, with those that cannot be used.
    pub fn count(&self) -> usize {
        self.sets.len()
    }

    /// Leaves only the first sets.
    pub fn truncate(&mut self, count: usize) {
        self.sets.truncate(count);
    }

    /// The satellites, for a run that starts at a moment of the calendar, whose positions are those of `advance` later, and that
    /// lasts `length`; where no moment is given, at the epoch of the newest elements. Of several sets of one satellite that
    /// nearest to the start is taken. What is left out, what is there several times, and old elements give a warning each.
    ///
    /// # Errors
    /// If sets cannot be used and are not to be left out, or if no satellite is left.
    pub fn propagated(
        self,
        earth: &Earth,
        start: Option<Epoch>,
        advance: Span,
        length: Span,
        unusable: Unusable,
    ) -> Result<(Constellation, Vec<Warning>), SatError> {
        let count = self.count();
        let (sets, mut wrong): (Vec<_>, Vec<_>) = self.sets.into_iter().partition(Result::is_ok);
        let sets: Vec<ElementSet> = sets.into_iter().flatten().collect();
        let mut problems: Vec<SatError> = wrong.drain(..).filter_map(Result::err).collect();
        let start = start.or_else(|| sets.iter().map(ElementSet::epoch).max());
        let Some(window) = start.map(|start| Window { start, advance, length }) else {
            return Err(SatError::unusable(problems, count));
        };
        let (sets, several) = same::one_of_each(sets, &window);
        let mut satellites = Vec::with_capacity(sets.len());
        let mut used = Vec::with_capacity(sets.len());
        for set in sets {
            match Propagated::new(earth, &set, &window) {
                Ok(motion) => {
                    satellites.push(Satellite { name: set.name.clone(), motion: Motion::Propagated(Box::new(motion)) });
                    used.push(set);
                }
                Err(problem) => problems.push(problem),
            }
        }
        let mut warnings = Vec::new();
        if !problems.is_empty() {
            if unusable == Unusable::Refuse || satellites.is_empty() {
                return Err(SatError::unusable(problems, count));
            }
            let text = format!("left out: {}", SatError::unusable(problems, count));
            warnings.push(Warning::new(text, "satellites are missing"));
        }
        warnings.extend(several);
        warnings.extend(warning::of_age(&used, &window));
        let about = format!("{} satellites by SGP4 from {}", satellites.len(), window.start);
        Ok((Constellation::new(about, satellites, Vec::new(), Closing::Seam)?, warnings))
    }
}

#[cfg(test)]
mod tests;
