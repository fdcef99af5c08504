//! Values whose bytes are in JavaScript memory.

use std::any::Any;
use std::rc::Rc;

use js_sys::{ArrayBuffer, Reflect, Symbol, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

use crate::error::{Error, Result};
use crate::limits;
use crate::store::{HostBytes, Value};

/// Bytes in a JavaScript buffer.
struct JsBytes {
    bytes: Uint8Array,
    /// Whether only the engine knows the buffer, so that it may be transferred with its last use.
    ours: bool,
}

impl HostBytes for JsBytes {
    fn len(&self) -> u64 {
        u64::from(self.bytes.length())
    }

    // The caller stays within `len`, which is a `u32`.
    #[allow(clippy::cast_possible_truncation)]
    fn copy_to(&self, offset: u64, output: &mut [u8]) {
        let start = offset as u32;
        self.bytes.subarray(start, start + output.len() as u32).copy_to(output);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A value of bytes that only the engine knows.
pub fn our_value(bytes: Uint8Array) -> Value {
    Value::from_host(Rc::new(JsBytes { bytes, ours: true }))
}

/// A value of bytes from a user's store. They are read, never transferred or changed, unless they
/// are `ours`: a copy that only the engine knows.
///
/// # Errors
/// `Store` if the value is neither a view nor an `ArrayBuffer`.
pub fn stored_value(value: &JsValue, ours: bool) -> Result<Value> {
    let bytes = as_bytes(value).ok_or_else(|| {
        Error::store("the store returned a value that is not bytes, or whose buffer is gone")
            .expected("a Uint8Array, an ArrayBuffer or undefined")
            .actual(value.js_typeof().as_string().unwrap_or_default())
    })?;
    Ok(Value::from_host(Rc::new(JsBytes { bytes, ours })))
}

#[wasm_bindgen]
extern "C" {
    /// A plain view. Node's `Buffer` is a `Uint8Array` whose `slice` does not copy.
    #[wasm_bindgen(js_name = Uint8Array)]
    type PlainBytes;

    /// Fails where the buffer was transferred.
    #[wasm_bindgen(catch, constructor, js_class = "Uint8Array")]
    fn of(buffer: &JsValue, offset: u32, len: u32) -> std::result::Result<PlainBytes, JsValue>;

    /// A view or a buffer that the user's store returned. Its getters may throw.
    type UserBytes;

    #[wasm_bindgen(catch, method, getter)]
    fn buffer(this: &UserBytes) -> std::result::Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, method, getter, js_name = byteOffset)]
    fn offset(this: &UserBytes) -> std::result::Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, method, getter, js_name = byteLength)]
    fn len(this: &UserBytes) -> std::result::Result<JsValue, JsValue>;
}

/// Whether a value is an `ArrayBuffer` of any realm. `instanceof` knows one realm alone.
pub fn is_buffer(value: &JsValue) -> bool {
    let tag = || Reflect::get(value, &Symbol::to_string_tag()).ok()?.as_string();
    value.is_instance_of::<ArrayBuffer>() || tag().as_deref() == Some("ArrayBuffer")
}

/// The bytes that a thread or a request of ours handed over, which may be of another realm.
pub fn handed_over(value: &JsValue) -> Option<Uint8Array> {
    ArrayBuffer::is_view(value).then(|| as_bytes(value)).flatten()
}

/// Accepts views of any type and realm, and buffers. Nothing that a value does when it is asked is
/// trusted: its getters may throw, and its buffer may be gone.
fn as_bytes(value: &JsValue) -> Option<Uint8Array> {
    let is_view = ArrayBuffer::is_view(value);
    if !is_view && !is_buffer(value) {
        return None;
    }
    let user: &UserBytes = value.unchecked_ref();
    let buffer = if is_view { user.buffer().ok()? } else { value.clone() };
    let offset = if is_view { user.offset().ok()?.as_f64()? } else { 0.0 };
    // Both are lengths of a buffer.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let (offset, len) = (offset as u32, user.len().ok()?.as_f64()? as u32);
    PlainBytes::of(&buffer, offset, len).ok().map(JsCast::unchecked_into)
}

/// The bytes of a value for JavaScript.
pub struct JsView {
    /// A view of the buffer if JavaScript holds it; else a copy.
    pub bytes: Uint8Array,
    /// Whether the buffer may be transferred.
    pub ours: bool,
}

/// The bytes of a value for JavaScript. `uses` is the number of values in this call that refer to
/// the same buffer.
///
/// # Errors
/// `Limit` if JavaScript cannot hold the bytes.
pub fn to_js(value: &Value, uses: usize) -> Result<JsView> {
    if let Some((host, range)) = value.as_host()
        && let Some(held) = host.as_any().downcast_ref::<JsBytes>()
    {
        let (start, end) = (to_u32(range.start)?, to_u32(range.end)?);
        let ours = held.ours && Rc::strong_count(host) <= uses;
        return Ok(JsView { bytes: held.bytes.subarray(start, end), ours });
    }
    let bytes = match value.as_slice() {
        Some(bytes) => Uint8Array::from(bytes),
        None => Uint8Array::from(value.to_vec(limits::CHUNK_BYTES, "value")?.as_slice()),
    };
    Ok(JsView { bytes, ours: true })
}

/// The bytes of a value in a buffer of their own, which the receiver may keep, change or transfer.
///
/// # Errors
/// `Limit` if JavaScript cannot hold the bytes.
pub fn to_js_whole(value: &Value) -> Result<Uint8Array> {
    let view = to_js(value, 1)?;
    let is_whole = view.bytes.length() == view.bytes.buffer().byte_length();
    Ok(if view.ours && is_whole { view.bytes } else { view.bytes.slice(0, view.bytes.length()) })
}

fn to_u32(value: u64) -> Result<u32> {
    u32::try_from(value).map_err(|_| limits::exceeded("a buffer", value, u64::from(u32::MAX)))
}
