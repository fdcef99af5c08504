//! Reads requests that are binary, because they have too many numbers for JSON.
//! `src/conventions/ts/` writes them.

use crate::error::{Error, Result};
use crate::format::words::Words;
use crate::limits;

/// The error for a malformed request.
pub(super) fn malformed() -> Error {
    Error::argument("the numbers of a question do not fit")
}

/// The bytes of numbers, one after the other.
pub(super) struct Numbers<'a>(pub(super) Words<'a, u8>);

impl<'a> Numbers<'a> {
    pub(super) fn new(request: &'a [u8]) -> Self {
        Self(Words::new(request, malformed))
    }

    pub(super) fn number(&mut self) -> Result<f64> {
        Ok(f64::from_le_bytes(*self.0.fixed()?))
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked before the cast
    pub(super) fn count(&mut self) -> Result<u64> {
        let number = self.number()?;
        let is_count = (0.0..=9_007_199_254_740_992.0).contains(&number) && number.fract() == 0.0;
        if is_count { Ok(number as u64) } else { Err(malformed()) }
    }

    pub(super) fn size(&mut self) -> Result<usize> {
        limits::to_usize(self.count()?, "number of elements")
    }

    pub(super) fn flag(&mut self) -> Result<bool> {
        Ok(self.count()? != 0)
    }

    pub(super) fn list(&mut self, count: usize) -> Result<Vec<f64>> {
        let bytes = self.0.take(count.checked_mul(8).ok_or_else(malformed)?)?;
        Ok(bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
    }

    pub(super) fn fixed<const N: usize>(&mut self) -> Result<[f64; N]> {
        self.list(N)?.try_into().map_err(|_| malformed())
    }

    pub(super) fn pair(&mut self) -> Result<[usize; 2]> {
        Ok([self.size()?, self.size()?])
    }
}
