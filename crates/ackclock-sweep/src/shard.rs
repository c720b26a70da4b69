//! A part of a sweep, for one of several machines.

use std::fmt;
use std::str::FromStr;

/// The part `index` of `of`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part.
    pub index: usize,
    /// Of how many.
    pub of: usize,
}

impl Shard {
    /// Everything.
    pub const WHOLE: Shard = Shard { index: 1, of: 1 };

    /// Whether the n-th run, the most expensive first, belongs to it: runs are dealt out in turn, so that all parts take about
    /// equally long.
    pub fn has(self, n: usize) -> bool {
        n % self.of == self.index - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Shard, &'static str> {
        let parts = text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((index, of)) if (1..=of).contains(&index) => Ok(Shard { index, of }),
            _ => Err("expected I/N, the part I of N parts, as in 1/8"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_belongs_to_one_part() {
        for n in 0..20 {
            assert_eq!((1..=7).filter(|index| Shard { index: *index, of: 7 }.has(n)).count(), 1);
            assert!(Shard::WHOLE.has(n));
        }
        assert_eq!("3/8".parse(), Ok(Shard { index: 3, of: 8 }));
        for wrong in ["0/8", "9/8", "3", "a/b", "3/", "-1/2", "1/0"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
