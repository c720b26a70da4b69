//! The load ratio Y_i·N_a/X of Selective Drop and FBA, and the arithmetic in which it is computed.
//! Source: \[SACK-UBR\] §5.2 for the ratio. Integer arithmetic is inferred: \[SD-PLUS\] §5 changed the source of a simulator
//! that counts cells in whole numbers; docs/models/selective-drop.md.

use crate::ids::VcId;
use crate::keys::{Default, Key, Kind, Value, Values};
use crate::queue::Buffer;

/// How the load ratio is computed.
#[derive(Clone, Copy, Debug, std::default::Default, PartialEq, Eq)]
pub enum LoadRatioArithmetic {
    /// Exactly, as a fraction.
    #[default]
    Real,
    /// Truncated to a whole number, as a division of integers does. It exceeds a limit from 0 to below 1 exactly if
    /// Y_i·N_a ≥ X.
    Integer,
}

impl LoadRatioArithmetic {
    /// The key that chooses it.
    pub(super) const KEY: Key = Key::new(
        "load_ratio_arithmetic",
        Kind::Word(&["real", "integer"]),
        Default::Is(Value::Word("real")),
        "[SACK-UBR] §5.2; integer: inferred from [SD-PLUS] §5",
        "Whether the load ratio of a connection is a fraction, or truncated to a whole number.",
    );

    /// The arithmetic that the key `load_ratio_arithmetic` has in `values`.
    pub(super) fn read(values: &Values) -> LoadRatioArithmetic {
        let choices = [("real", LoadRatioArithmetic::Real), ("integer", LoadRatioArithmetic::Integer)];
        values.choice(Self::KEY.name, &choices)
    }

    /// The load ratio times X, cells. Multiplied out, so that no division of floating-point numbers rounds. At least one
    /// cell must wait.
    pub(super) fn load_times_queue(self, vc: VcId, buffer: &Buffer) -> f64 {
        let [y, n, x] = [buffer.queued_of(vc), buffer.active(), buffer.queued()].map(u64::from);
        match self {
            LoadRatioArithmetic::Real => (y * n) as f64,
            LoadRatioArithmetic::Integer => (y * n / x * x) as f64,
        }
    }
}

/// The key of Z.
pub(super) const fn load_ratio_key(source: &'static str) -> Key {
    Key::new(
        "load_ratio",
        Kind::Number(1e6),
        Default::Is(Value::Number(0.8)),
        source,
        "Z: the share of the buffer beyond which a connection is refused new frames, in fair shares.",
    )
}
