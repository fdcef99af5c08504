//! Futures that TypeScript polls: `host.wake(task)` asks for it, `poll(task)` does it. Deliberately not
//! `wasm_bindgen_futures::spawn_local`, whose polls happen where nobody can catch a trap.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::error::report_to_js;
use super::host;
use super::registry::Registry;
use crate::error::Result;

type TaskFuture = Pin<Box<dyn Future<Output = ()>>>;

struct Task {
    /// Absent while it is polled.
    future: RefCell<Option<TaskFuture>>,
    cancelled: Cell<bool>,
    bell: Arc<Bell>,
}

/// Wakes a task, once until it is polled.
struct Bell {
    task: u32,
    rung: AtomicBool,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.rung.swap(true, Ordering::Relaxed) {
            host::wake(self.task);
        }
    }
}

thread_local! {
    static TASKS: RefCell<Registry<Option<Rc<Task>>>> = const { RefCell::new(Registry::new()) };
}

/// Starts a task that ends by calling `settle(report)` or `settle(undefined, value)`.
pub fn start(settle: Function, future: impl Future<Output = Result<JsValue>> + 'static) -> u32 {
    spawn(async move {
        let outcome = future.await;
        let (report, value) = match outcome {
            Ok(value) => (JsValue::UNDEFINED, value),
            Err(error) => (report_to_js(&error), JsValue::UNDEFINED),
        };
        // It resolves or rejects a promise, which does not throw.
        let _ = settle.call2(&JsValue::UNDEFINED, &report, &value);
    })
}

fn spawn(future: impl Future<Output = ()> + 'static) -> u32 {
    let id = TASKS.with_borrow_mut(|tasks| tasks.insert(None));
    let bell = Arc::new(Bell { task: id, rung: AtomicBool::new(false) });
    let task = Task {
        future: RefCell::new(Some(Box::pin(future))),
        cancelled: Cell::new(false),
        bell: bell.clone(),
    };
    TASKS.with_borrow_mut(|tasks| tasks.replace(id, Some(Rc::new(task))));
    bell.wake_by_ref();
    id
}

fn find(id: u32) -> Option<Rc<Task>> {
    TASKS.with_borrow(|tasks| tasks.get(id).cloned().flatten())
}

fn remove(id: u32) {
    drop(TASKS.with_borrow_mut(|tasks| tasks.remove(id)));
}

/// Polls a task that was woken.
#[wasm_bindgen]
pub fn poll(id: u32) {
    let Some(task) = find(id) else { return };
    task.bell.rung.store(false, Ordering::Relaxed);
    let Some(mut future) = task.future.take() else { return };
    let waker = Waker::from(task.bell.clone());
    match future.as_mut().poll(&mut Context::from_waker(&waker)) {
        Poll::Ready(()) => remove(id),
        Poll::Pending if task.cancelled.get() => drop(future),
        Poll::Pending => drop(task.future.replace(Some(future))),
    }
}

/// Drops a task, and with it everything that it waits for.
#[wasm_bindgen]
pub fn cancel(id: u32) {
    let Some(task) = find(id) else { return };
    remove(id);
    task.cancelled.set(true);
    drop(task.future.take());
}
