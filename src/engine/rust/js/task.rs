//! Tasks: futures that TypeScript polls. `host.wake(task)` requests a poll, and `poll(task)` does
//! it. TypeScript can therefore catch a trap in a poll.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::error::failure_to_js;
use super::host;
use super::objects::Registry;
use crate::error::Result;

/// What a task does.
pub type TaskFuture = Pin<Box<dyn Future<Output = Result<JsValue>>>>;

/// A future, and its state.
struct Task {
    /// `None` while the task is polled.
    future: RefCell<Option<TaskFuture>>,
    cancelled: Cell<bool>,
    waker: Arc<TaskWaker>,
    /// It is called with a failure, or with `undefined` and a value.
    settle: Function,
}

/// Wakes a task, at most once before its next poll.
struct TaskWaker {
    task: u32,
    is_woken: AtomicBool,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_woken.swap(true, Ordering::Relaxed) {
            host::wake(self.task);
        }
    }
}

thread_local! {
    static TASKS: RefCell<Registry<Option<Rc<Task>>>> = const { RefCell::new(Registry::new()) };
}

/// Starts a task. At its end, it calls `settle(failure)` or `settle(undefined, value)`. A failure
/// is as [`failure_to_js`] makes it.
pub fn start(settle: Function, future: TaskFuture) -> u32 {
    let id = TASKS.with_borrow_mut(|tasks| tasks.insert(None));
    let waker = Arc::new(TaskWaker { task: id, is_woken: AtomicBool::new(false) });
    let task = Task {
        future: RefCell::new(Some(future)),
        cancelled: Cell::new(false),
        waker: waker.clone(),
        settle,
    };
    TASKS.with_borrow_mut(|tasks| tasks.replace(id, Some(Rc::new(task))));
    waker.wake_by_ref();
    id
}

fn find(id: u32) -> Option<Rc<Task>> {
    TASKS.with_borrow(|tasks| tasks.get(id).cloned().flatten())
}

fn remove(id: u32) {
    drop(TASKS.with_borrow_mut(|tasks| tasks.remove(id)));
}

/// Polls a task.
#[wasm_bindgen]
pub fn poll(id: u32) {
    let Some(task) = find(id) else { return };
    task.waker.is_woken.store(false, Ordering::Relaxed);
    let Some(mut future) = task.future.take() else { return };
    let task_waker = Waker::from(task.waker.clone());
    match future.as_mut().poll(&mut Context::from_waker(&task_waker)) {
        Poll::Ready(outcome) => {
            drop(future);
            remove(id);
            settle(&task.settle, outcome);
        }
        Poll::Pending if task.cancelled.get() => drop(future),
        Poll::Pending => drop(task.future.replace(Some(future))),
    }
}

fn settle(settle: &Function, outcome: Result<JsValue>) {
    let (failure, value) = match outcome {
        Ok(value) => (JsValue::UNDEFINED, value),
        Err(error) => (failure_to_js(&error), JsValue::UNDEFINED),
    };
    // `settle` resolves or rejects a promise, so it does not throw.
    let _ = settle.call2(&JsValue::UNDEFINED, &failure, &value);
}

/// Drops a task and everything that it waits for.
#[wasm_bindgen]
pub fn cancel(id: u32) {
    let Some(task) = find(id) else { return };
    remove(id);
    task.cancelled.set(true);
    drop(task.future.take());
}
