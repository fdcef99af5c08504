//! The ids of objects to which TypeScript refers. No id is used twice, so an outdated id finds
//! nothing.

use std::cell::RefCell;
use std::rc::Rc;

use crate::error::{Error, Result};
use crate::read::array::Array;
use crate::sorted::Map;
use crate::store::Store;

/// Objects by id.
pub struct Registry<T> {
    next: u32,
    entries: Map<u32, T>,
}

impl<T> Registry<T> {
    pub const fn new() -> Self {
        Self { next: 1, entries: Map::new() }
    }

    pub fn insert(&mut self, entry: T) -> u32 {
        let id = self.next;
        self.next += 1;
        self.entries.insert(id, entry);
        id
    }

    pub fn get(&self, id: u32) -> Option<&T> {
        self.entries.get(&id)
    }

    pub fn replace(&mut self, id: u32, entry: T) {
        self.entries.insert(id, entry);
    }

    /// Removes an entry. The caller drops it after the borrow has ended.
    pub fn remove(&mut self, id: u32) -> Option<T> {
        self.entries.remove(&id)
    }
}

thread_local! {
    static STORES: RefCell<Registry<Rc<dyn Store>>> = const { RefCell::new(Registry::new()) };
    static ARRAYS: RefCell<Registry<Rc<Array>>> = const { RefCell::new(Registry::new()) };
}

pub fn add_store(store: Rc<dyn Store>) -> u32 {
    STORES.with_borrow_mut(|stores| stores.insert(store))
}

pub fn store(id: u32) -> Result<Rc<dyn Store>> {
    STORES.with_borrow(|stores| stores.get(id).cloned()).ok_or_else(|| stale("store", id))
}

pub fn remove_store(id: u32) {
    drop(STORES.with_borrow_mut(|stores| stores.remove(id)));
}

pub fn add_array(array: Rc<Array>) -> u32 {
    ARRAYS.with_borrow_mut(|arrays| arrays.insert(array))
}

pub fn array(id: u32) -> Result<Rc<Array>> {
    ARRAYS.with_borrow(|arrays| arrays.get(id).cloned()).ok_or_else(|| stale("array", id))
}

pub fn remove_array(id: u32) {
    drop(ARRAYS.with_borrow_mut(|arrays| arrays.remove(id)));
}

fn stale(what: &str, id: u32) -> Error {
    Error::argument(format!("{what} {id} is unknown to this instance of the engine"))
}
