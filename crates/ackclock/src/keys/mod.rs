//! How whatever takes parameters describes them, so that no other place has to repeat them: mechanisms, TCP, links, sources of
//! traffic. The checker of scenario files, the JSON Schema, `explain` and the tests of every mechanism of a family read these
//! descriptors.

mod key;
mod quantity;
mod sample;
mod values;

pub(crate) use key::words;
pub use key::{
    ATM_ONLY, Condition, DAY, DELAY, Default, Family, HOUR, INSTANT, Key, Kind, LATER, Limit, MOST_ORDINAL,
    PACKET_ONLY, RATE, Value, words_of,
};
pub use quantity::{Dimension, Quantity, QuantityError, bytes_per_second, split};
pub use values::{Misfit, Setting, Values, joined};
