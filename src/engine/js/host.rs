//! Calls from the engine to TypeScript (`engine/engine.ts`), except those to stores and jobs:
//! polling tasks, reporting panics, locks, timers and counters.

use std::cell::RefCell;

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

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

    /// A promise that never settles after this instance has been replaced.
    #[wasm_bindgen(method)]
    fn guard(this: &Host, promise: &Promise) -> Promise;

    /// Requests a lock by name.
    #[wasm_bindgen(method)]
    fn lock(this: &Host, name: &str) -> Lock;

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

thread_local! {
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

/// Waits for a promise. Returns any other value at once.
pub async fn settled(value: JsValue) -> Result<JsValue, JsValue> {
    if !is_thenable(&value) {
        return Ok(value);
    }
    promised(&Promise::resolve(&value)).await
}

/// Waits for a promise.
pub async fn promised(promise: &Promise) -> Result<JsValue, JsValue> {
    match host() {
        Some(host) => JsFuture::from(host.guard(promise)).await,
        None => JsFuture::from(promise.clone()).await,
    }
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
    value.is_object() && Reflect::get(value, &"then".into()).is_ok_and(|then| then.is_function())
}

/// Whether an abort signal has fired. `undefined` never does.
pub fn is_aborted(signal: &JsValue) -> bool {
    Reflect::get(signal, &"aborted".into()).is_ok_and(|aborted| aborted.is_truthy())
}

/// A member of an object, if it is a function.
pub fn method(object: &JsValue, name: &str) -> Option<Function> {
    Reflect::get(object, &name.into()).ok()?.dyn_into().ok()
}
