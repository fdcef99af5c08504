//! Objects of a server that ignores byte ranges and sends each whole. They are kept, so that every
//! other part of an object costs no request. The least recently used object goes first.

use std::collections::VecDeque;

use crate::store::Fetched;

/// All kept objects together have at most this many bytes. A larger object is not kept.
const KEPT_BYTES: u64 = 64 << 20;

/// Kept objects by URL, the most recently used last.
#[derive(Default)]
pub(super) struct WholeObjects {
    by_use: VecDeque<(String, Fetched)>,
    bytes: u64,
}

impl WholeObjects {
    pub fn get(&mut self, url: &str) -> Option<Fetched> {
        let (url, object) = self.take(url)?;
        self.keep(url, object.clone());
        Some(object)
    }

    #[allow(clippy::arithmetic_side_effects, reason = "objects that are in memory")]
    pub fn keep(&mut self, url: String, object: Fetched) {
        let bytes = object.value.len();
        if bytes > KEPT_BYTES {
            return;
        }
        self.take(&url);
        self.by_use.push_back((url, object));
        self.bytes += bytes;
        while self.bytes > KEPT_BYTES
            && let Some((_, gone)) = self.by_use.pop_front()
        {
            self.bytes -= gone.value.len();
        }
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    #[allow(clippy::arithmetic_side_effects, reason = "`bytes` is the sum of the objects that are kept")]
    fn take(&mut self, url: &str) -> Option<(String, Fetched)> {
        let at = self.by_use.iter().position(|(known, _)| known == url)?;
        let taken = self.by_use.remove(at)?;
        self.bytes -= taken.1.value.len();
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::store::Value;

    fn object(len: usize) -> Fetched {
        Fetched { value: Value::from(vec![0; len]), size: Some(len as u64), version: None, modified: None }
    }

    #[test]
    fn the_least_recently_used_object_goes_first() {
        let third = usize::try_from(KEPT_BYTES / 3).unwrap();
        let mut objects = WholeObjects::default();
        for url in ["a", "b", "c"] {
            objects.keep(url.to_owned(), object(third));
        }
        assert!(objects.get("a").is_some());
        objects.keep("d".to_owned(), object(third));
        assert!(objects.get("b").is_none());
        assert!(["a", "c", "d"].iter().all(|url| objects.get(url).is_some()));
        objects.clear();
        assert!(objects.get("a").is_none() && objects.bytes == 0);
    }

    #[test]
    fn an_object_replaces_the_one_before_and_a_too_large_one_is_not_kept() {
        let mut objects = WholeObjects::default();
        for len in [10, 4] {
            objects.keep("a".to_owned(), object(len));
        }
        assert_eq!((objects.get("a").unwrap().value.len(), objects.bytes), (4, 4));
        objects.keep("b".to_owned(), object(usize::try_from(KEPT_BYTES).unwrap() + 1));
        assert!(objects.get("b").is_none());
    }
}
