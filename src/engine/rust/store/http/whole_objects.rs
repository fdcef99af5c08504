//! Objects of a server that ignores byte ranges and sends each whole. They are kept, so that every
//! other part of an object costs no request.
//!
//! All stores of one origin share the bounds. An object is *wanted* while a read that used it is in
//! flight. All objects together have at most [`WANTED_BYTES`], those that are not wanted
//! [`KEPT_BYTES`]. The last object that was used does not count, unless it alone has more than
//! [`WANTED_BYTES`] and is not wanted. `init({ memoryLimit })` lowers both bounds. The least
//! recently used object goes first. An object whose response demands revalidation serves only reads
//! that began before it arrived, and goes with the last of them.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use crate::store::reader::{Reader, Tick, tick};
use crate::store::{Fetched, RequestContext};

/// Most bytes of the kept objects that no read in flight wants, without the last one.
const KEPT_BYTES: u64 = 64 << 20;

/// Most bytes of all kept objects, without the last one.
const WANTED_BYTES: u64 = 512 << 20;

thread_local! {
    static LIMIT: Cell<u64> = const { Cell::new(WANTED_BYTES) };
}

/// Bounds the kept objects of an origin to fewer bytes than by default.
pub fn set_limit(bytes: u64) {
    LIMIT.set(bytes.min(WANTED_BYTES));
}

/// The name of a kept object: the number of its store, and its URL. Stores of one origin may have
/// different credentials.
#[derive(PartialEq, Eq)]
pub(super) struct ObjectName {
    pub store: u64,
    pub url: String,
}

/// How an object came.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrival {
    /// Its response does not demand that the server is asked again.
    pub is_cacheable: bool,
    /// The request passed the caches in front of the server.
    pub is_reloaded: bool,
}

struct Kept {
    name: ObjectName,
    object: Fetched,
    arrival: Arrival,
    arrived: Tick,
    wanted_by: Vec<Weak<Reader>>,
}

impl Kept {
    fn len(&self) -> u64 {
        self.object.value.len()
    }

    fn is_wanted(&self) -> bool {
        self.wanted_by.iter().any(|reader| reader.strong_count() > 0)
    }

    /// Whether a read may take it instead of a new answer.
    fn may_serve(&self, context: &RequestContext) -> bool {
        let began_before = context.reader.as_ref().is_some_and(|reader| reader.began() < self.arrived);
        match (context.reload, self.arrival) {
            (true, Arrival { is_reloaded, .. }) => is_reloaded && began_before,
            (false, Arrival { is_cacheable, .. }) => is_cacheable || began_before,
        }
    }

    /// Notes that a read uses it. Returns whether the read is new.
    fn want(&mut self, reader: &Rc<Reader>) -> bool {
        self.wanted_by.retain(|other| other.strong_count() > 0);
        let is_new = !self.wanted_by.iter().any(|other| std::ptr::eq(other.as_ptr(), Rc::as_ptr(reader)));
        if is_new {
            self.wanted_by.push(Rc::downgrade(reader));
        }
        is_new
    }
}

/// Kept objects, the most recently used last.
#[derive(Default)]
pub(super) struct WholeObjects {
    by_use: Vec<Kept>,
    stores: u64,
}

impl WholeObjects {
    /// The number of a new store.
    pub fn new_store(&mut self) -> u64 {
        self.stores = self.stores.wrapping_add(1);
        self.stores
    }

    /// An object, if a request of these circumstances may have it. It stays while its read lasts.
    pub fn get(this: &Rc<RefCell<Self>>, store: u64, url: &str, context: &RequestContext) -> Option<Fetched> {
        let mut objects = this.borrow_mut();
        let is_named = |name: &ObjectName| name.store == store && name.url == url;
        let at = objects.by_use.iter().position(|kept| is_named(&kept.name) && kept.may_serve(context))?;
        let kept = objects.by_use.remove(at);
        let object = kept.object.clone();
        objects.put(this, kept, context);
        Some(object)
    }

    /// Keeps an object that has arrived, instead of an older one.
    pub fn keep(
        this: &Rc<RefCell<Self>>,
        name: ObjectName,
        object: Fetched,
        arrival: Arrival,
        context: &RequestContext,
    ) {
        let mut objects = this.borrow_mut();
        objects.forget(&name);
        let kept = Kept { name, object, arrival, arrived: tick(), wanted_by: Vec::new() };
        objects.put(this, kept, context);
    }

    fn forget(&mut self, name: &ObjectName) {
        self.by_use.retain(|kept| kept.name != *name);
    }

    /// Forgets the objects of a store.
    pub fn forget_all(&mut self, store: u64) {
        self.by_use.retain(|kept| kept.name.store != store);
    }

    fn put(&mut self, this: &Rc<RefCell<Self>>, mut kept: Kept, context: &RequestContext) {
        if let Some(reader) = &context.reader
            && kept.want(reader)
        {
            let this = Rc::downgrade(this);
            reader.at_end(move || {
                if let Some(objects) = this.upgrade() {
                    objects.borrow_mut().trim();
                }
            });
        }
        self.by_use.push(kept);
        self.trim();
    }

    fn trim(&mut self) {
        let most = LIMIT.get();
        self.by_use.retain(|kept| kept.arrival.is_cacheable || kept.is_wanted());
        self.drop_oldest(most.min(KEPT_BYTES), |kept| !kept.is_wanted());
        self.drop_oldest(most, |_| true);
        self.by_use.retain(|kept| kept.len() <= most || kept.is_wanted());
    }

    /// Drops the least recently used objects of a kind, until the others of this kind have at most
    /// `most` bytes. The last object of all stays.
    fn drop_oldest(&mut self, most: u64, is_of_kind: impl Fn(&Kept) -> bool) {
        let mut bytes = 0_u64;
        let mut index = self.by_use.len();
        let mut is_kept = Vec::with_capacity(index);
        for kept in self.by_use.iter().rev() {
            let is_last = index == self.by_use.len();
            index = index.saturating_sub(1);
            let counts = !is_last && is_of_kind(kept);
            bytes = bytes.saturating_add(if counts { kept.len() } else { 0 });
            is_kept.push(!counts || bytes <= most);
        }
        self.by_use.retain(|_| is_kept.pop().unwrap_or(true));
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::store::{HostBytes, Value};

    const CACHEABLE: Arrival = Arrival { is_cacheable: true, is_reloaded: false };
    const NO_CACHE: Arrival = Arrival { is_cacheable: false, is_reloaded: false };

    /// Bytes that need no memory.
    struct Claimed(u64);

    impl HostBytes for Claimed {
        fn len(&self) -> u64 {
            self.0
        }

        fn copy_to(&self, _offset: u64, _output: &mut [u8]) {}

        fn as_any(&self) -> &dyn std::any::Any {
            self
        }
    }

    #[derive(Default)]
    struct Scene(Rc<RefCell<WholeObjects>>);

    impl Scene {
        fn keep(&self, url: &str, len: u64, arrival: Arrival, context: &RequestContext) {
            let value = Value::from_host(Rc::new(Claimed(len)));
            let object = Fetched { value, size: Some(len), version: None, modified: None };
            WholeObjects::keep(&self.0, name(url), object, arrival, context);
        }

        fn len(&self, url: &str, context: &RequestContext) -> Option<u64> {
            Some(WholeObjects::get(&self.0, 1, url, context)?.value.len())
        }

        fn has(&self, url: &str) -> bool {
            self.0.borrow().by_use.iter().any(|kept| kept.name == name(url))
        }
    }

    fn name(url: &str) -> ObjectName {
        ObjectName { store: 1, url: url.to_owned() }
    }

    fn no_read() -> RequestContext {
        RequestContext::default()
    }

    fn read() -> RequestContext {
        RequestContext { reader: Some(Rc::new(Reader::begin())), ..RequestContext::default() }
    }

    #[test]
    fn the_least_recently_used_object_goes_first() {
        let scene = Scene::default();
        for url in ["a", "b", "c"] {
            scene.keep(url, KEPT_BYTES / 2, CACHEABLE, &no_read());
        }
        assert!(scene.len("a", &no_read()).is_some());
        scene.keep("d", KEPT_BYTES / 2, CACHEABLE, &no_read());
        assert!(!scene.has("b") && scene.has("a") && scene.has("c") && scene.has("d"));
        scene.0.borrow_mut().forget_all(1);
        assert!(scene.0.borrow().by_use.is_empty());
    }

    #[test]
    fn an_object_replaces_the_one_before_and_belongs_to_one_store() {
        let scene = Scene::default();
        for len in [10, 4] {
            scene.keep("a", len, CACHEABLE, &no_read());
        }
        assert_eq!(scene.len("a", &no_read()), Some(4));
        assert!(WholeObjects::get(&scene.0, 2, "a", &no_read()).is_none());
        scene.0.borrow_mut().forget(&name("a"));
        assert!(!scene.has("a"));
    }

    #[test]
    fn the_last_object_stays_up_to_its_bound_and_a_larger_one_until_its_read_ends() {
        let scene = Scene::default();
        scene.keep("a", KEPT_BYTES + 1, CACHEABLE, &no_read());
        assert!(scene.has("a"));
        scene.keep("b", 1, CACHEABLE, &no_read());
        assert!(!scene.has("a"));
        scene.keep("c", WANTED_BYTES + 1, CACHEABLE, &no_read());
        assert!(!scene.has("c"));
        let reading = read();
        scene.keep("c", WANTED_BYTES + 1, CACHEABLE, &reading);
        assert_eq!(scene.len("c", &reading), Some(WANTED_BYTES + 1));
        drop(reading);
        assert!(!scene.has("c"));
    }

    #[test]
    fn wanted_objects_share_a_bound_and_are_trimmed_when_their_reads_end() {
        let scene = Scene::default();
        let reading = [read(), read()];
        for (url, context) in [("a", &reading[0]), ("b", &reading[1]), ("c", &reading[1])] {
            scene.keep(url, WANTED_BYTES / 2, CACHEABLE, context);
        }
        assert!(scene.has("a") && scene.has("b") && scene.has("c"));
        scene.keep("d", WANTED_BYTES / 2, CACHEABLE, &reading[0]);
        assert!(!scene.has("a") && scene.has("b") && scene.has("c") && scene.has("d"));
        drop(reading);
        assert!(!scene.has("b") && !scene.has("c") && scene.has("d"));
    }

    #[test]
    fn a_limit_of_the_user_lowers_the_bounds() {
        let scene = Scene::default();
        set_limit(10);
        scene.keep("a", 11, CACHEABLE, &no_read());
        assert!(!scene.has("a"));
        let reading = read();
        for url in ["a", "b", "c"] {
            scene.keep(url, 10, CACHEABLE, &reading);
        }
        assert!(!scene.has("a") && scene.has("b") && scene.has("c"));
        set_limit(u64::MAX);
        assert_eq!(LIMIT.get(), WANTED_BYTES);
    }

    #[test]
    fn what_must_be_asked_for_again_serves_the_reads_that_began_before_it_arrived() {
        let scene = Scene::default();
        let (first, second) = (read(), read());
        scene.keep("a", 5, NO_CACHE, &first);
        let later = read();
        assert_eq!(scene.len("a", &first), Some(5));
        assert_eq!(scene.len("a", &second), Some(5));
        assert_eq!((scene.len("a", &later), scene.len("a", &no_read())), (None, None));
        drop(first);
        assert_eq!(scene.len("a", &second), Some(5));
        drop(second);
        assert!(!scene.has("a"));
    }

    #[test]
    fn a_reload_takes_only_what_was_reloaded_for_it() {
        let scene = Scene::default();
        let reload = RequestContext { reload: true, ..read() };
        scene.keep("a", 5, CACHEABLE, &no_read());
        assert_eq!(scene.len("a", &reload), None);
        scene.keep("a", 6, Arrival { is_reloaded: true, ..CACHEABLE }, &reload);
        assert_eq!((scene.len("a", &reload), scene.len("a", &no_read())), (Some(6), Some(6)));
        assert_eq!(scene.len("a", &RequestContext { reload: true, ..read() }), None);
    }
}
