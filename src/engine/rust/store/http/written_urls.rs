//! The URLs that a store has written, or that another program is known to have. A cache between the
//! store and the server may still hold the old object: a browser removes its cache entry only when
//! a write succeeds. So reads of these URLs bypass the caches, even after a failed write.

use crate::sorted::Map;

/// Number of URLs above which all URLs count as written.
const MAX_URLS: usize = 1 << 16;

/// See the module.
pub(super) struct WrittenUrls {
    urls: Map<String, ()>,
    are_all: bool,
}

impl WrittenUrls {
    /// No URL, or all.
    pub fn new(are_all: bool) -> Self {
        Self { urls: Map::new(), are_all }
    }

    /// Adds a URL. It is added before the request is sent.
    pub fn add(&mut self, url: &str) {
        if self.are_all {
            return;
        }
        self.urls.insert(url.to_owned(), ());
        if self.urls.len() > MAX_URLS {
            *self = Self::new(true);
        }
    }

    pub fn contains(&self, url: &str) -> bool {
        self.are_all || self.urls.contains_key(&url.to_owned())
    }
}
