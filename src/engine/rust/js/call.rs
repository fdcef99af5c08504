//! The circumstances of a call of an operation: its signal, and the values that cross beside its
//! records.

use js_sys::{Array as JsArray, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use zarr_wasm_contract::Held;
use zarr_wasm_contract::encoding::HeldBytes;

use std::rc::Rc;

use crate::store::{RequestContext, Subject};

/// The values beside the record of a call. The first one is the caller's signal.
#[derive(Clone)]
pub struct Call(JsArray);

impl Call {
    /// The call with these values.
    pub fn new(values: JsArray) -> Self {
        Self(values)
    }

    /// The caller's abort signal, or undefined.
    pub fn signal(&self) -> JsValue {
        self.0.get(0)
    }

    /// The circumstances of the call's requests.
    pub fn context(&self) -> RequestContext {
        context(self.signal())
    }

    /// A value beside the record of the arguments.
    pub fn held<T: JsCast>(&self, value: Held) -> T {
        self.0.get(value.0).unchecked_into()
    }

    /// Bytes beside the record of the arguments.
    pub fn held_bytes(&self, value: HeldBytes) -> Uint8Array {
        self.held(Held(value.0))
    }

    /// Puts a value beside the record of the answer.
    pub fn hold(&self, value: &JsValue) -> Held {
        Held(self.0.push(value) - 1)
    }

    /// Puts bytes beside the record of the answer.
    pub fn hold_bytes(&self, bytes: &Uint8Array) -> HeldBytes {
        HeldBytes(self.hold(bytes).0)
    }
}

/// The circumstances of a request: the caller's signal, which user stores receive.
pub fn context(signal: JsValue) -> RequestContext {
    RequestContext { signal: Some(Rc::new(signal)), subject: Subject::Metadata, ..RequestContext::default() }
}
