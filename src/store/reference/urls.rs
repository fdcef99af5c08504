//! The URLs of a reference document, each stored once. A document may have millions.

use std::num::NonZeroU32;

use crate::error::Result;
use crate::limits;
use crate::store::key_table::append;

/// The number of a URL; `None` if the document leaves the file to the reader. Numbers begin at 1,
/// so that `None` needs no further byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Url(Option<NonZeroU32>);

impl Url {
    /// The file that the reader chooses.
    pub const OF_READER: Self = Self(None);
}

/// A list of URLs.
#[derive(Debug, Default)]
pub struct Urls {
    /// All URLs, concatenated.
    text: String,
    /// The end of each.
    ends: Vec<u32>,
}

impl Urls {
    /// Adds a URL.
    ///
    /// # Errors
    /// `Limit` if all URLs together exceed 4 GiB.
    pub fn push(&mut self, url: &str) -> Result<Url> {
        append(&mut self.text, url);
        let end = self.text.len() as u64;
        let too_large = |_| limits::exceeded("URLs of references", end, u64::from(u32::MAX));
        self.ends.push(u32::try_from(end).map_err(too_large)?);
        Ok(self.last())
    }

    /// The URL of a number.
    pub fn get(&self, Url(number): Url) -> Option<&str> {
        let at = number?.get() as usize;
        let start = at.checked_sub(2).and_then(|before| self.ends.get(before)).map_or(0, |end| *end as usize);
        self.text.get(start..*self.ends.get(at.checked_sub(1)?)? as usize)
    }

    /// The URL that was added last; [`Url::OF_READER`] if there is none.
    pub fn last(&self) -> Url {
        Url(u32::try_from(self.ends.len()).ok().and_then(NonZeroU32::new))
    }

    /// The number of URLs.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.ends.len()
    }
}
