//! What is left of a list of numbers while it is read, front to back: the tables of instructions
//! and conversions that go to decode workers, and the questions of a host. What the numbers mean is
//! known to who reads them.

use crate::error::{Error, Result};

/// The numbers that are not read yet.
#[derive(Debug)]
pub struct Words<'a, T> {
    rest: &'a [T],
    /// The error for a list that ends too early.
    malformed: fn() -> Error,
}

impl<'a, T> Words<'a, T> {
    /// All of a list; `malformed` is the error for one that ends too early.
    pub fn new(list: &'a [T], malformed: fn() -> Error) -> Self {
        Self { rest: list, malformed }
    }

    /// The next ones.
    ///
    /// # Errors
    /// When there are fewer.
    pub fn take(&mut self, count: usize) -> Result<&'a [T]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(self.malformed)?;
        self.rest = rest;
        Ok(taken)
    }

    /// As many as are wanted.
    ///
    /// # Errors
    /// When there are fewer.
    pub fn fixed<const N: usize>(&mut self) -> Result<&'a [T; N]> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or_else(self.malformed)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Those that are left.
    pub fn rest(&self) -> &'a [T] {
        self.rest
    }
}

impl Words<'_, u32> {
    /// One.
    ///
    /// # Errors
    /// When there is none.
    pub fn word(&mut self) -> Result<u32> {
        let [word] = self.fixed()?;
        Ok(*word)
    }

    /// A number of 64 bits: the low half, then the high one.
    ///
    /// # Errors
    /// When there are fewer than two.
    pub fn long(&mut self) -> Result<u64> {
        let [low, high] = self.fixed()?;
        Ok(u64::from(*low) | u64::from(*high) << 32)
    }
}
