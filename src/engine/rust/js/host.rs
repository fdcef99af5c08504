//! Calls from the engine to TypeScript (`host/engine.ts`), except those to stores and jobs:
//! polling tasks, reporting panics, locks, timers and counters.

use std::cell::RefCell;

use futures_channel::oneshot::{self, Sender};
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::*;

use super::objects::Registry;

#[wasm_bindgen]
extern "C" {
    /// The object that `start` receives.
    #[derive(Clone)]
    pub type Host;

    /// Requests a poll of a task, soon but not now.
    #[wasm_bindgen(method)]
    fn wake(this: &Host, task: u32);

    /// Reports that this instance is about to trap.
    #[wasm_bindgen(method)]
    fn panicked(this: &Host, message: &str);

    /// Calls [`promise_settled`] with this id and what the promise settles with.
    #[wasm_bindgen(method)]
    fn follow(this: &Host, promise: &Promise, id: u32);

    /// Requests a lock by name.
    #[wasm_bindgen(method)]
    fn lock(this: &Host, name: &str) -> Lock;

    /// An object that the user or the platform made. Its getters may throw.
    type Foreign;

    #[wasm_bindgen(catch, method, getter)]
    fn then(this: &Foreign) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, method, getter)]
    fn aborted(this: &Foreign) -> Result<JsValue, JsValue>;

    /// A requested lock.
    pub type Lock;

    /// Resolves when the lock is held.
    #[wasm_bindgen(method, getter)]
    pub fn held(this: &Lock) -> Promise;

    /// Releases the lock, or stops waiting for it.
    #[wasm_bindgen(method)]
    pub fn release(this: &Lock);

    /// Adds to the HTTP counters of `info()`.
    #[wasm_bindgen(method, js_name = countWire)]
    fn count_wire(this: &Host, requests: u32, bytes: f64, failed: u32, aborted: u32);

    /// Resolves after `ms` milliseconds.
    #[wasm_bindgen(method)]
    fn sleep(this: &Host, ms: u32) -> Promise;

    /// Resolves after other tasks had their turn, if this task has run long enough.
    #[wasm_bindgen(method, js_name = pauseIfDue)]
    fn pause_if_due(this: &Host) -> Promise;

    /// Resolves in a new task.
    #[wasm_bindgen(method, js_name = nextTask)]
    fn next_task(this: &Host) -> Promise;
}

/// What a promise settled with: its value, or what it was rejected with.
type Settled = Result<JsValue, JsValue>;

thread_local! {
    /// Those who wait for promises. `wasm_bindgen_futures` makes two closures a promise, which the
    /// collector of garbage must watch: archives in files are read with it.
    static FOLLOWED: RefCell<Registry<Sender<Settled>>> = const { RefCell::new(Registry::new()) };
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
}

pub fn set(host: Host) {
    HOST.with_borrow_mut(|slot| *slot = Some(host));
}

fn host() -> Option<Host> {
    HOST.with_borrow(Clone::clone)
}

pub fn wake(task: u32) {
    if let Some(host) = host() {
        host.wake(task);
    }
}

pub fn panicked(message: &str) {
    if let Some(host) = host() {
        host.panicked(message);
    }
}

/// Passes on what a promise settled with. A task that waited for it may be gone.
#[wasm_bindgen(js_name = promiseSettled)]
pub fn promise_settled(id: u32, is_fulfilled: bool, value: JsValue) {
    let waiting = FOLLOWED.with_borrow_mut(|followed| followed.remove(id));
    if let Some(waiting) = waiting {
        let _ = waiting.send(if is_fulfilled { Ok(value) } else { Err(value) });
    }
}

/// Waits for a promise. Returns any other value at once.
pub async fn settled(value: JsValue) -> Settled {
    if !is_thenable(&value) {
        return Ok(value);
    }
    promised(&Promise::resolve(&value)).await
}

/// Waits for a promise.
pub async fn promised(promise: &Promise) -> Settled {
    let (sender, receiver) = oneshot::channel();
    if let Some(host) = host() {
        host.follow(promise, FOLLOWED.with_borrow_mut(|followed| followed.insert(sender)));
    }
    // Without a host, or with an instance that is gone, the promise is not followed.
    receiver.await.unwrap_or(Err(JsValue::UNDEFINED))
}

/// Requests a lock of the host.
pub fn lock(name: &str) -> Option<Lock> {
    host().map(|host| host.lock(name))
}

/// Adds to the HTTP counters of `info()`.
pub fn count_wire(requests: u32, bytes: f64, failed: u32, aborted: u32) {
    if let Some(host) = host() {
        host.count_wire(requests, bytes, failed, aborted);
    }
}

/// Waits `ms` milliseconds.
pub async fn sleep(ms: u32) {
    if let Some(host) = host() {
        // The promise never rejects.
        let _ = settled(host.sleep(ms).into()).await;
    }
}

/// Lets other tasks run if this task has run long enough.
pub async fn pause_if_due() {
    if let Some(host) = host() {
        // The promise never rejects.
        let _ = settled(host.pause_if_due().into()).await;
    }
}

/// Waits for the next task of the host.
pub async fn next_task() {
    if let Some(host) = host() {
        // The promise never rejects.
        let _ = settled(host.next_task().into()).await;
    }
}

fn is_thenable(value: &JsValue) -> bool {
    value.is_object() && value.unchecked_ref::<Foreign>().then().is_ok_and(|then| then.is_function())
}

/// Whether an abort signal has fired. `undefined` never does.
pub fn is_aborted(signal: &JsValue) -> bool {
    signal.unchecked_ref::<Foreign>().aborted().is_ok_and(|aborted| aborted.is_truthy())
}

/// A member of an object, if it is a function.
pub fn method(object: &JsValue, name: &str) -> Option<Function> {
    Reflect::get(object, &name.into()).ok()?.dyn_into().ok()
}
