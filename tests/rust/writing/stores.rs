//! Stores that make it hard: slow, failing, unable.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use zarr_wasm::error::{Error, Result};
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm_engine::internals::store::{LocalFuture, Store};

use support::watched::{Call, Watch, Watched, lacks, others_first};

/// splitmix64: the numbers of a seed.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below.max(1)
    }
}

/// Answers after a while, others first.
struct Slow {
    state: Cell<u64>,
}

pub fn slow(seed: u64) -> Rc<dyn Store> {
    Watched::new(Slow { state: Cell::new(seed) })
}

impl Watch for Slow {
    fn before<'a>(&'a self, call: Call<'a>) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move {
            if !matches!(call, Call::ListDir(_)) {
                let turns = Numbers(self.state.get()).next(5);
                self.state.set(self.state.get() + 1);
                others_first(turns).await;
            }
            Ok(())
        })
    }
}

/// Fails to set some keys, may not be able to list or erase, and counts.
pub struct Picky {
    pub refused: RefCell<Vec<String>>,
    pub bare: bool,
    pub gets: Cell<usize>,
    pub sets: Cell<usize>,
}

pub fn picky(memory: Rc<MemoryStore>, refused: &[&str], bare: bool) -> Rc<Watched<Picky>> {
    let refused = RefCell::new(refused.iter().map(|key| (*key).to_owned()).collect());
    Watched::over(memory, Picky { refused, bare, gets: Cell::new(0), sets: Cell::new(0) })
}

impl Picky {
    fn take(&self, call: Call<'_>) -> Result<()> {
        match call {
            Call::Get(..) => self.gets.set(self.gets.get() + 1),
            Call::Set(key, _) => {
                self.sets.set(self.sets.get() + 1);
                if self.refused.borrow().iter().any(|refused| refused == key.as_str()) {
                    return Err(Error::store("the disk is full"));
                }
            }
            Call::Erase(_) if self.bare => return Err(lacks("erase")),
            Call::ListDir(_) if self.bare => return Err(lacks("list")),
            Call::Erase(_) | Call::ListDir(_) => {}
        }
        Ok(())
    }
}

impl Watch for Picky {
    fn lists(&self) -> bool {
        !self.bare
    }

    fn before<'a>(&'a self, call: Call<'a>) -> LocalFuture<'a, Result<()>> {
        Box::pin(std::future::ready(self.take(call)))
    }
}

/// Can do all but list.
pub struct Unlisted;

impl Watch for Unlisted {
    fn lists(&self) -> bool {
        false
    }

    fn before<'a>(&'a self, call: Call<'a>) -> LocalFuture<'a, Result<()>> {
        let is_listing = matches!(call, Call::ListDir(_));
        Box::pin(std::future::ready(if is_listing { Err(lacks("list")) } else { Ok(()) }))
    }
}
