//! The store of tests that is not as it should be: a store in memory whose calls a test watches. It
//! may count them, hold them up, or let them fail. Whole folders are listed and erased call by
//! call.

use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use zarr_wasm::error::{Error, Result};
use zarr_wasm::format::path::{NodePath, StoreKey};
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm_engine::internals::store::{
    ByteRange, Changeable, GetFuture, Listable, Listing, LocalFuture, RequestContext, Store, Value, Writable,
};

/// A call of the store.
#[derive(Clone, Copy)]
pub enum Call<'a> {
    Get(&'a StoreKey, ByteRange),
    Set(&'a StoreKey, &'a Value),
    Erase(&'a StoreKey),
    ListDir(&'a NodePath),
}

/// What a test does with the calls. The memory answers at once, so nothing comes between what is
/// done before and after a call but the call.
pub trait Watch {
    /// Whether the store says that it can list.
    fn lists(&self) -> bool {
        true
    }

    /// Whether the store says that it can write.
    fn writes(&self) -> bool {
        true
    }

    /// Whether chunks may be cached, as those of a store over HTTP.
    fn is_cacheable(&self) -> bool {
        false
    }

    /// Before a call acts. An error is the answer to it.
    fn before<'a>(&'a self, call: Call<'a>) -> LocalFuture<'a, Result<()>> {
        let _ = call;
        Box::pin(async { Ok(()) })
    }

    /// After a call has acted, and before it is answered. An error is the answer to it.
    fn after<'a>(&'a self, call: Call<'a>) -> LocalFuture<'a, Result<()>> {
        let _ = call;
        Box::pin(async { Ok(()) })
    }
}

/// A store in memory that is watched.
#[derive(Default)]
pub struct Watched<W> {
    pub memory: Rc<MemoryStore>,
    pub watch: W,
}

impl<W: Watch> Watched<W> {
    /// An empty store.
    pub fn new(watch: W) -> Rc<Self> {
        Self::over(Rc::default(), watch)
    }

    /// A store of what is in memory.
    pub fn over(memory: Rc<MemoryStore>, watch: W) -> Rc<Self> {
        Rc::new(Self { memory, watch })
    }

    async fn call<T>(&self, call: Call<'_>, act: LocalFuture<'_, Result<T>>) -> Result<T> {
        self.watch.before(call).await?;
        let answer = act.await;
        self.watch.after(call).await?;
        answer
    }
}

impl<W: Watch> Store for Watched<W> {
    fn describe(&self) -> String {
        "a watched memory".to_owned()
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        Box::pin(self.call(Call::Get(key, range), self.memory.get(key, range, context)))
    }

    fn reads_parts(&self) -> bool {
        true
    }

    fn as_listable(&self) -> Option<&dyn Listable> {
        self.watch.lists().then_some(self)
    }

    fn as_writable(&self) -> Option<&dyn Writable> {
        self.watch.writes().then_some(self)
    }

    fn as_changeable(&self) -> Option<&dyn Changeable> {
        Some(self)
    }
}

impl<W: Watch> Changeable for Watched<W> {
    fn is_cacheable(&self) -> bool {
        self.watch.is_cacheable()
    }
}

impl<W: Watch> Writable for Watched<W> {
    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move { self.call(Call::Set(key, &value), self.memory.set(key, value.clone())).await })
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        Box::pin(self.call(Call::Erase(key), self.memory.erase(key)))
    }
}

impl<W: Watch> Listable for Watched<W> {
    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        Box::pin(self.call(Call::ListDir(prefix), self.memory.list_dir(prefix)))
    }
}

/// The error of a store that cannot do something.
pub fn lacks(verb: &str) -> Error {
    Error::unsupported(format!("this store cannot {verb}"))
}

/// Ready after some turns, in which others go first.
pub async fn others_first(mut turns: u64) {
    poll_fn(|context| {
        if turns == 0 {
            return Poll::Ready(());
        }
        turns -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
