//! A transformer that remembers what was read, up to so many bytes; what was used longest ago goes first. It changes nothing that
//! is stored, so it is put around a store at run time and named in no metadata.
//!
//! It learns of the writes of this process, and of no others: it is for stores that nobody else writes. A range is answered from the whole value where that is remembered. Absence is remembered too.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use crate::error::Result;
use crate::format::path::{NodePath, StoreKey};
use crate::store::writers::{self, Moment};
use crate::store::{
    ByteRange, Capabilities, Fetched, KeyRange, KeyStartValue, Listing, LocalFuture, RequestContext, Store,
    Value,
};

/// What remembering an answer costs beside its bytes, about.
const ENTRY_BYTES: u64 = 128;

/// An answer, when it was asked for, and when it was last used.
struct Entry {
    answer: Option<Fetched>,
    asked: Moment,
    used: u64,
    bytes: u64,
}

#[derive(Default)]
struct Answers {
    by_key: HashMap<StoreKey, BTreeMap<ByteRange, Entry>>,
    by_use: BTreeMap<u64, (StoreKey, ByteRange)>,
    bytes: u64,
    clock: u64,
}

impl Answers {
    fn get(
        &mut self,
        key: &StoreKey,
        range: ByteRange,
        is_unchanged: impl Fn(Moment) -> bool,
    ) -> Option<Result<Option<Fetched>>> {
        let of_key = self.by_key.get(key)?;
        let found = if of_key.contains_key(&range) { range } else { ByteRange::Whole };
        let entry = self.by_key.get_mut(key)?.get_mut(&found)?;
        if !is_unchanged(entry.asked) {
            self.remove(key, found);
            return None;
        }
        self.clock += 1;
        self.by_use.remove(&entry.used);
        entry.used = self.clock;
        self.by_use.insert(entry.used, (key.clone(), found));
        match &entry.answer {
            Some(whole) if found != range => Some(part(whole, range).map(Some)),
            answer => Some(Ok(answer.clone())),
        }
    }

    fn insert(
        &mut self,
        key: &StoreKey,
        range: ByteRange,
        (asked, answer): (Moment, Option<Fetched>),
        room: u64,
    ) {
        let bytes = ENTRY_BYTES
            + key.as_str().len() as u64
            + answer.as_ref().map_or(0, |fetched| fetched.value.len());
        if bytes > room {
            return;
        }
        self.remove(key, range);
        self.clock += 1;
        let entry = Entry { answer, asked, used: self.clock, bytes };
        self.by_use.insert(self.clock, (key.clone(), range));
        self.by_key.entry(key.clone()).or_default().insert(range, entry);
        self.bytes += bytes;
        while self.bytes > room
            && let Some((_, (key, range))) = self.by_use.pop_first()
        {
            self.remove(&key, range);
        }
    }

    fn remove(&mut self, key: &StoreKey, range: ByteRange) {
        let Some(of_key) = self.by_key.get_mut(key) else { return };
        if let Some(entry) = of_key.remove(&range) {
            self.bytes -= entry.bytes;
            self.by_use.remove(&entry.used);
        }
        if of_key.is_empty() {
            self.by_key.remove(key);
        }
    }

    fn forget(&mut self, is_forgotten: impl Fn(&StoreKey) -> bool) {
        let keys: Vec<StoreKey> = self.by_key.keys().filter(|key| is_forgotten(key)).cloned().collect();
        for key in keys {
            for (_, entry) in self.by_key.remove(&key).into_iter().flatten() {
                self.bytes -= entry.bytes;
                self.by_use.remove(&entry.used);
            }
        }
    }
}

fn part(whole: &Fetched, range: ByteRange) -> Result<Fetched> {
    let part = Fetched::part_of(&whole.value, range.check()?)?;
    Ok(Fetched { version: whole.version.clone(), ..part })
}

/// Whether erasing a key erases another: a file system erases what is below, too.
fn is_or_is_below(key: &StoreKey, erased: &StoreKey) -> bool {
    let below = key.as_str().strip_prefix(erased.as_str());
    below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
}

/// How many writes there were when a read was begun, and when that was.
type Begun = (u64, Moment);

/// A store that remembers.
pub struct CachingTransformer {
    inner: Rc<dyn Store>,
    room: u64,
    answers: RefCell<Answers>,
    /// Counts the beginnings and ends of writes: a read that one of them fell into is not remembered.
    writes: Cell<u64>,
}

impl CachingTransformer {
    /// Remembers up to `bytes` of what is read from `inner`.
    pub fn new(inner: Rc<dyn Store>, bytes: u64) -> Self {
        Self { inner, room: bytes, answers: RefCell::default(), writes: Cell::new(0) }
    }

    /// Bytes that are remembered.
    pub fn bytes(&self) -> u64 {
        self.answers.borrow().bytes
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.answers.take();
        self.writes.set(self.writes.get() + 1);
    }

    fn known(
        &self,
        key: &StoreKey,
        range: ByteRange,
        context: &RequestContext,
    ) -> Option<Result<Option<Fetched>>> {
        let is_unchanged = |asked| writers::unchanged_since(&self.inner, key, asked);
        let known = match context.reload {
            true => None,
            false => self.answers.borrow_mut().get(key, range, is_unchanged),
        };
        known.map(|answer| answer.map_err(|error| error.at_key(key.as_str())))
    }

    fn begin(&self) -> Begun {
        (self.writes.get(), writers::now())
    }

    fn remember(
        &self,
        (writes, asked): Begun,
        key: &StoreKey,
        range: ByteRange,
        answer: &Option<Fetched>,
    ) -> Result<()> {
        let is_doubtful = answer.is_none() && !self.inner.absence_may_be_kept();
        if self.writes.get() != writes || is_doubtful {
            return Ok(());
        }
        let answer = match answer {
            Some(fetched) if fetched.value.len() > self.room => return Ok(()),
            Some(fetched) => Some(Fetched { value: fetched.value.compact()?, ..fetched.clone() }),
            None => None,
        };
        self.answers.borrow_mut().insert(key, range, (asked, answer), self.room);
        Ok(())
    }

    /// Several answers: those that are known, and the others in one call.
    async fn read(&self, asked: &[KeyRange], context: &RequestContext) -> Result<Vec<Option<Fetched>>> {
        let begun = self.begin();
        let mut answers = vec![None; asked.len()];
        let (mut missing, mut places) = (Vec::new(), Vec::new());
        for (place, asked) in asked.iter().enumerate() {
            match self.known(&asked.key, asked.range, context) {
                Some(answer) => answers[place] = answer?,
                None => {
                    missing.push(asked.clone());
                    places.push(place);
                }
            }
        }
        if missing.is_empty() {
            return Ok(answers);
        }
        let fetched = self.inner.get_partial_values(&missing, context).await?;
        for ((place, asked), fetched) in places.into_iter().zip(&missing).zip(fetched) {
            self.remember(begun, &asked.key, asked.range, &fetched)?;
            answers[place] = fetched;
        }
        Ok(answers)
    }

    /// What is written is forgotten before and after: a reader in between may have seen either state.
    async fn writing<T>(
        &self,
        is_written: impl Fn(&StoreKey) -> bool,
        write: LocalFuture<'_, Result<T>>,
    ) -> Result<T> {
        self.writes.set(self.writes.get() + 1);
        self.answers.borrow_mut().forget(&is_written);
        let written = write.await;
        self.writes.set(self.writes.get() + 1);
        self.answers.borrow_mut().forget(&is_written);
        written
    }
}

impl Store for CachingTransformer {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn describe(&self) -> String {
        self.inner.describe()
    }

    fn may_be_kept(&self) -> bool {
        self.inner.may_be_kept()
    }

    fn absence_may_be_kept(&self) -> bool {
        self.inner.absence_may_be_kept()
    }

    fn lock_name(&self) -> Option<String> {
        self.inner.lock_name()
    }

    fn wrapped(&self) -> Option<Rc<dyn Store>> {
        Some(self.inner.clone())
    }

    fn get<'a>(
        &'a self,
        key: &'a StoreKey,
        range: ByteRange,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<Fetched>>> {
        Box::pin(async move {
            let begun = self.begin();
            if let Some(known) = self.known(key, range, context) {
                return known;
            }
            let fetched = self.inner.get(key, range, context).await?;
            self.remember(begun, key, range, &fetched)?;
            Ok(fetched)
        })
    }

    fn get_ranges<'a>(
        &'a self,
        key: &'a StoreKey,
        ranges: &'a [ByteRange],
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Vec<Option<Fetched>>>> {
        Box::pin(async move {
            let asked: Vec<KeyRange> =
                ranges.iter().map(|range| KeyRange { key: key.clone(), range: *range }).collect();
            self.read(&asked, context).await
        })
    }

    fn get_partial_values<'a>(
        &'a self,
        key_ranges: &'a [KeyRange],
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Vec<Option<Fetched>>>> {
        Box::pin(self.read(key_ranges, context))
    }

    fn reads_rows(&self) -> bool {
        self.inner.reads_rows()
    }

    fn merges_ranges(&self) -> bool {
        self.inner.merges_ranges()
    }

    fn size<'a>(
        &'a self,
        key: &'a StoreKey,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<u64>>> {
        Box::pin(async move {
            match self.known(key, ByteRange::Whole, context) {
                Some(known) => Ok(known?.map(|fetched| fetched.value.len())),
                None => self.inner.size(key, context).await,
            }
        })
    }

    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        Box::pin(self.writing(move |written| written == key, self.inner.set(key, value)))
    }

    fn set_partial_values<'a>(&'a self, values: &'a [KeyStartValue]) -> LocalFuture<'a, Result<()>> {
        let is_written = |key: &StoreKey| values.iter().any(|value| value.key == *key);
        Box::pin(self.writing(is_written, self.inner.set_partial_values(values)))
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        Box::pin(self.writing(move |written| is_or_is_below(written, key), self.inner.erase(key)))
    }

    fn erase_values<'a>(&'a self, keys: &'a [StoreKey]) -> LocalFuture<'a, Result<()>> {
        let is_written = |written: &StoreKey| keys.iter().any(|key| is_or_is_below(written, key));
        Box::pin(self.writing(is_written, self.inner.erase_values(keys)))
    }

    fn erase_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<()>> {
        Box::pin(self.writing(|key| key.below(prefix).is_some(), self.inner.erase_prefix(prefix)))
    }

    fn list(&self) -> LocalFuture<'_, Result<Vec<StoreKey>>> {
        self.inner.list()
    }

    fn can_list(&self) -> LocalFuture<'_, Result<bool>> {
        self.inner.can_list()
    }

    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        self.inner.list_dir(prefix)
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        self.inner.list_prefix(prefix)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::task::{Context, Waker};

    use futures_executor::block_on;

    use super::*;
    use crate::error::ErrorKind;
    use crate::store::memory::MemoryStore;
    use crate::store::wrap::Counting;

    fn key(text: &str) -> StoreKey {
        StoreKey::parse(text).unwrap()
    }

    fn store(room: u64) -> (Rc<Counting<Rc<MemoryStore>>>, CachingTransformer) {
        let memory = Rc::new(MemoryStore::new());
        for (name, len) in [("a", 1000), ("b", 1000), ("c", 1000)] {
            memory.insert(&key(name), (0..len).map(|i| (i % 251) as u8).collect::<Vec<_>>());
        }
        let counting = Rc::new(Counting::new(memory));
        (counting.clone(), CachingTransformer::new(counting, room))
    }

    fn read(store: &CachingTransformer, name: &str, range: ByteRange) -> Result<Option<Vec<u8>>> {
        let fetched = block_on(store.get(&key(name), range, &RequestContext::default()))?;
        Ok(fetched.map(|fetched| fetched.value.to_vec(9999, "test").unwrap()))
    }

    #[test]
    fn what_was_read_is_not_asked_for_again_and_answers_its_ranges() {
        let (counting, store) = store(1 << 20);
        let whole = read(&store, "a", ByteRange::Whole).unwrap().unwrap();
        for _ in 0..2 {
            assert_eq!(read(&store, "a", ByteRange::Whole).unwrap().unwrap(), whole);
            assert_eq!(read(&store, "a", ByteRange::Suffix(3)).unwrap().unwrap(), whole[997..]);
            let range = ByteRange::FromStart { offset: 10, len: 5 };
            assert_eq!(read(&store, "a", range).unwrap().unwrap(), whole[10..15]);
            assert_eq!(read(&store, "x", ByteRange::Whole).unwrap(), None);
        }
        assert_eq!(counting.counters().requests, 2, "a, and that x is absent");
        let past_end = read(&store, "a", ByteRange::FromStart { offset: 1000, len: 1 }).unwrap_err();
        assert_eq!((past_end.kind(), past_end.context().key.as_deref()), (ErrorKind::Format, Some("a")));
        let context = RequestContext { reload: true, ..RequestContext::default() };
        block_on(store.get(&key("a"), ByteRange::Whole, &context)).unwrap();
        assert_eq!(counting.counters().requests, 3);
    }

    #[test]
    fn bytes_are_bounded_and_what_was_used_longest_ago_goes() {
        let (counting, store) = store(2 * (1000 + ENTRY_BYTES + 1));
        for name in ["a", "b", "a", "c", "a"] {
            read(&store, name, ByteRange::Whole).unwrap();
        }
        assert_eq!(counting.counters().requests, 3, "a stayed");
        read(&store, "b", ByteRange::Whole).unwrap();
        assert_eq!(counting.counters().requests, 4, "b went");
        assert_eq!(store.bytes(), 2 * (1000 + ENTRY_BYTES + 1));
        store.clear();
        assert_eq!(store.bytes(), 0);
    }

    #[test]
    fn what_is_too_large_is_passed_on() {
        let (counting, store) = store(500);
        for _ in 0..2 {
            assert_eq!(read(&store, "a", ByteRange::Whole).unwrap().unwrap().len(), 1000);
        }
        assert_eq!((counting.counters().requests, store.bytes()), (2, 0));
    }

    /// A read that was begun before a write and answered after it saw the old value.
    #[test]
    fn a_read_that_a_write_fell_into_is_not_remembered() {
        struct Late(Rc<MemoryStore>, Cell<bool>);
        impl Store for Late {
            fn capabilities(&self) -> Capabilities {
                self.0.capabilities()
            }

            fn describe(&self) -> String {
                "late".to_owned()
            }

            fn get<'a>(
                &'a self,
                key: &'a StoreKey,
                range: ByteRange,
                context: &'a RequestContext,
            ) -> LocalFuture<'a, Result<Option<Fetched>>> {
                Box::pin(async move {
                    let old = self.0.get(key, range, context).await;
                    std::future::poll_fn(|_| {
                        if self.1.get() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
                    })
                    .await;
                    old
                })
            }

            fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
                self.0.set(key, value)
            }
        }
        let late = Rc::new(Late(Rc::new(MemoryStore::new()), Cell::new(false)));
        late.0.insert(&key("a"), b"old".to_vec());
        let store = CachingTransformer::new(late.clone(), 1 << 20);
        let (name, context) = (key("a"), RequestContext::default());
        let mut early = store.get(&name, ByteRange::Whole, &context);
        assert!(early.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        block_on(store.set(&name, b"new".to_vec().into())).unwrap();
        late.1.set(true);
        assert_eq!(block_on(early).unwrap().unwrap().value.as_slice().unwrap(), b"old");
        assert_eq!(read(&store, "a", ByteRange::Whole).unwrap().unwrap(), b"new");
    }
}
