//! Choices that bytes make.

/// Choices taken from bytes, one after the other. When there are no more bytes, it is the first of each.
#[derive(Clone)]
pub struct Choices<'a>(std::slice::Iter<'a, u8>);

impl<'a> Choices<'a> {
    pub fn new(bytes: &'a [u8]) -> Choices<'a> {
        Choices(bytes.iter())
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        let mut number = 0_u64;
        let mut range = 1_u128;
        while range < u128::from(bound) {
            number = number << 8 | u64::from(self.0.next().copied().unwrap_or(0));
            range <<= 8;
        }
        number % bound.max(1)
    }

    pub fn index(&mut self, bound: usize) -> usize {
        self.below(bound as u64) as usize
    }

    pub fn one_of<T: Clone>(&mut self, words: &[T]) -> T {
        words[self.index(words.len())].clone()
    }

    /// Whether something happens that happens once in so many times, and never if no bytes are left.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == times - 1
    }
}
