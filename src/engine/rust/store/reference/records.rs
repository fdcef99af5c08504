//! The files of references that were read last. Each is requested once, also by concurrent readers.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use zarr_wasm_http::Subject;

use super::record::Record;
use crate::error::{ErrorKind, Result};
use crate::format::path::StoreKey;
use crate::limits;
use crate::sorted::Map;
use crate::store::in_flight::{Begun, InFlight};
use crate::store::{ByteRange, LocalFuture, RequestContext, Store, writers};

/// The most memory of cached files (bytes): some 20 files of 100 000 references.
const CAPACITY: usize = 64 << 20;

/// Approximate memory of an entry of the cache, without its file.
const ENTRY_BYTES: usize = 128;

/// A file; `None` if it is absent.
pub type OptionalRecord = Option<Rc<Record>>;

/// The cache, and the requests in flight. See the module.
#[derive(Default)]
pub struct Records {
    found: RefCell<Map<String, Cached>>,
    pending: InFlight<String, Result<OptionalRecord>>,
    bytes: Cell<usize>,
    clock: Cell<u64>,
}

struct Cached {
    /// The clock of the last use.
    used: u64,
    record: OptionalRecord,
}

impl Cached {
    fn bytes(&self) -> usize {
        self.record.as_ref().map_or(0, |record| record.bytes()).saturating_add(ENTRY_BYTES)
    }
}

impl Records {
    /// The file under a key of a store.
    ///
    /// # Errors
    /// Errors of the store, and those of [`Record::parse`], with the key.
    pub async fn get(
        &self,
        store: &Rc<dyn Store>,
        key: &StoreKey,
        context: &RequestContext,
    ) -> Result<OptionalRecord> {
        loop {
            if let Some(known) = self.known(key.as_str()) {
                return Ok(known);
            }
            let name = key.as_str().to_owned();
            let joined = self.pending.join(&name, |_, ()| true);
            let is_joined = joined.is_some();
            let pending = match joined {
                Some((pending, ())) => pending,
                None => {
                    let begun = Begun { moment: writers::now(), priority: context.priority.clone() };
                    self.pending.begin(name, begun, (), load(store.clone(), key.clone(), context.clone()))
                }
            };
            match pending.await {
                // A user's store received the signal of the caller that started the request.
                Err(error) if error.kind() == ErrorKind::Aborted && is_joined => {}
                Err(error) => return Err(error),
                Ok(record) => {
                    self.keep(key, record.clone());
                    return Ok(record);
                }
            }
        }
    }

    fn tick(&self) -> u64 {
        let now = self.clock.get().saturating_add(1);
        self.clock.set(now);
        now
    }

    fn known(&self, key: &str) -> Option<OptionalRecord> {
        let mut found = self.found.borrow_mut();
        let cached = found.get_mut(key)?;
        cached.used = self.tick();
        Some(cached.record.clone())
    }

    fn keep(&self, key: &StoreKey, record: OptionalRecord) {
        let cached = Cached { used: self.tick(), record };
        self.bytes.set(self.bytes.get().saturating_add(cached.bytes()));
        let before = self.found.borrow_mut().insert(key.as_str().to_owned(), cached);
        if let Some(before) = before {
            self.bytes.set(self.bytes.get().saturating_sub(before.bytes()));
        }
        while self.bytes.get() > CAPACITY && self.drop_oldest() {}
    }

    /// Drops the file that was used least recently. The last one stays.
    fn drop_oldest(&self) -> bool {
        let mut found = self.found.borrow_mut();
        let oldest = found.iter().min_by_key(|(_, cached)| cached.used).map(|(key, _)| key.clone());
        let (Some(oldest), true) = (oldest, found.len() > 1) else { return false };
        if let Some(cached) = found.remove(&oldest) {
            self.bytes.set(self.bytes.get().saturating_sub(cached.bytes()));
        }
        true
    }
}

/// Requests and reads a file. Servers answer for an absent one as they do for an absent chunk.
fn load(
    store: Rc<dyn Store>,
    key: StoreKey,
    context: RequestContext,
) -> LocalFuture<'static, Result<OptionalRecord>> {
    Box::pin(async move {
        let most_bytes = Some(limits::METADATA_BYTES);
        let context = RequestContext { subject: Subject::Chunk, most_bytes, likely_size: None, ..context };
        let load = async {
            let Some(fetched) = store.get(&key, ByteRange::Whole, &context).await? else { return Ok(None) };
            let file = fetched.value.to_vec(limits::METADATA_BYTES, "a file of references")?;
            Record::parse(&file).map(|record| Some(Rc::new(record)))
        };
        load.await.map_err(|error| error.at_key(key.as_str()))
    })
}
