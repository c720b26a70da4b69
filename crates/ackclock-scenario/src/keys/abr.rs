//! Keys of ABR connections, as the simulator describes them.

use std::sync::LazyLock;

use ackclock::atm::AbrParams;

use super::key::{Key, Section};
use super::mechanisms::described_key;

/// The keys of [abr] and [flow.NAME.abr]; of other sections none.
pub(super) fn keys(section: Section) -> &'static [Key] {
    static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| AbrParams::KEYS.iter().map(described_key).collect());
    if matches!(section, Section::Abr | Section::FlowAbr) { &KEYS } else { &[] }
}
