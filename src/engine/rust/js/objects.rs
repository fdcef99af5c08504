//! The objects to which TypeScript refers. Stores and arrays have the ids that the page and the
//! engine's TypeScript gave them, the same in every instance. Whether an instance has one is known
//! here alone. No id is used twice, so an outdated id finds nothing.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::prelude::wasm_bindgen;

use super::error::Exported;
use crate::error::{Error, Result};
use crate::read::array::Array;
use crate::sorted::Map;
use crate::store::Store;

/// Objects by ids that it gives.
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

/// A store or an array. No two of them have the same id.
#[derive(Clone)]
enum Object {
    Store(Rc<dyn Store>),
    Array(Rc<Array>),
}

thread_local! {
    static OBJECTS: RefCell<Map<u32, Object>> = const { RefCell::new(Map::new()) };
}

fn find(id: u32) -> Option<Object> {
    OBJECTS.with_borrow(|objects| objects.get(&id).cloned())
}

fn keep(id: u32, object: Object) {
    drop(OBJECTS.with_borrow_mut(|objects| objects.insert(id, object)));
}

pub fn keep_store(id: u32, store: Rc<dyn Store>) {
    keep(id, Object::Store(store));
}

pub fn store(id: u32) -> Result<Rc<dyn Store>> {
    if let Some(Object::Store(store)) = find(id) { Ok(store) } else { Err(stale("store", id)) }
}

pub fn keep_array(id: u32, array: Rc<Array>) {
    keep(id, Object::Array(array));
}

pub fn array(id: u32) -> Result<Rc<Array>> {
    if let Some(Object::Array(array)) = find(id) { Ok(array) } else { Err(stale("array", id)) }
}

/// Whether this instance has a store or an array.
#[wasm_bindgen(js_name = isKept)]
pub fn is_kept(id: u32) -> bool {
    find(id).is_some()
}

/// Keeps a store under another id, too.
#[wasm_bindgen(js_name = keepAlso)]
pub fn keep_also(id: u32, other: u32) -> Exported<()> {
    keep_store(id, store(other)?);
    Ok(())
}

/// Drops a store or an array.
#[wasm_bindgen]
pub fn release(id: u32) {
    // It is dropped after the borrow has ended.
    drop(OBJECTS.with_borrow_mut(|objects| objects.remove(&id)));
}

fn stale(what: &str, id: u32) -> Error {
    Error::argument(format!("{what} {id} is unknown to this instance of the engine"))
}
