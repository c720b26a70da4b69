//! What must hold for every sweep file and every argument `--vary`. Shared by the tests and the fuzz target.

use ackclock_scenario::Memory;
use ackclock_scenario::sweep::{Request, Sweep};

use crate::roundtrip::{BASE, check_refusal};

/// Reads bytes as a sweep file of the scenario `base.toml`; what follows a NUL byte is a list of arguments `--vary`, one a line.
pub fn check_bytes(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == 0);
    let file = parts.next().unwrap_or_default();
    let vary = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let vary: Vec<String> = vary.lines().map(str::to_owned).collect();
    let memory = Memory::new().with("sweep.toml", file).with("base.toml", BASE);
    let file = if file.is_empty() { "base.toml" } else { "sweep.toml" };
    let request = Request { file, vary: &vary, ..Request::default() };
    let sweep = match Sweep::read(&memory, &request) {
        Ok(sweep) => sweep,
        Err(error) => return check_refusal(&error),
    };
    let points = sweep.points();
    assert!(points > 0 && points == sweep.dimensions().iter().map(|of| of.len() as u128).product::<u128>());
    let Ok(points) = usize::try_from(points) else { return };
    for point in [0, points / 2, points - 1] {
        if let Err(error) = sweep.load(point) {
            check_refusal(&error);
        }
    }
}
