//! The URLs of a reference document, each stored once. A document may have millions.

use std::num::NonZeroU32;

use crate::error::Result;
use crate::limits;

/// The number of a URL; `None` if the document leaves the file to the reader. Numbers begin at 1,
/// so that `None` needs no further byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Url(Option<NonZeroU32>);

impl Url {
    /// The file that the reader chooses.
    pub const OF_READER: Self = Self(None);
}

/// Sizes of pages in bytes: each is twice as large as the one before. A longer URL has a page of
/// its own.
const PAGES: [usize; 2] = [1 << 12, 1 << 20];

/// A list of URLs. Their text is stored in pages, which are never copied: one text that grows takes
/// several times its length while it is copied.
#[derive(Debug, Default)]
pub struct Urls {
    pages: Vec<Page>,
    /// The end of each URL in its page.
    ends: Vec<u32>,
}

/// URLs, concatenated.
#[derive(Debug)]
struct Page {
    text: String,
    /// How many URLs are in the pages before it.
    first: usize,
}

impl Urls {
    /// Adds a URL.
    ///
    /// # Errors
    /// `Limit` for a URL of 4 GiB.
    pub fn push(&mut self, url: &str) -> Result<Url> {
        let has_room = self
            .pages
            .last()
            .is_some_and(|page| page.text.capacity().saturating_sub(page.text.len()) >= url.len());
        if !has_room {
            let twice = self.pages.last().map_or(0, |page| page.text.capacity().saturating_mul(2));
            let text = String::with_capacity(twice.clamp(PAGES[0], PAGES[1]).max(url.len()));
            self.pages.push(Page { text, first: self.ends.len() });
        }
        if let Some(Page { text, .. }) = self.pages.last_mut() {
            text.push_str(url);
            let end = text.len() as u64;
            let too_long = |_| limits::exceeded("a URL of references", end, u64::from(u32::MAX));
            self.ends.push(u32::try_from(end).map_err(too_long)?);
        }
        Ok(self.last())
    }

    /// The URL of a number.
    pub fn get(&self, Url(number): Url) -> Option<&str> {
        let at = (number?.get() as usize).checked_sub(1)?;
        let pages = self.pages.partition_point(|page| page.first <= at);
        let page = self.pages.get(pages.checked_sub(1)?)?;
        let start = match at.checked_sub(1) {
            Some(before) if at > page.first => *self.ends.get(before)?,
            _ => 0,
        };
        page.text.get(start as usize..*self.ends.get(at)? as usize)
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

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_found_in_their_pages() {
        let [small, large] = PAGES;
        let lengths = [0, 5, small, 0, 7, 2 * small - 7, 1, large, 3 * large, 0, 2, small];
        let urls = lengths.map(|len| "x".repeat(len));
        let mut list = Urls::default();
        assert_eq!((list.last(), list.get(list.last())), (Url::OF_READER, None));
        let numbers: Vec<Url> = urls.iter().map(|url| list.push(url).unwrap()).collect();
        for (number, url) in numbers.iter().zip(&urls) {
            assert_eq!(list.get(*number), Some(url.as_str()));
        }
        assert_eq!(numbers.last(), Some(&list.last()));
    }
}
