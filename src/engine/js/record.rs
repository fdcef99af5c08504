//! Builds plain objects for JavaScript member by member. serde would add kilobytes of code that
//! every reader downloads.

use js_sys::{Array, BigInt, Float64Array, Object, Reflect, Uint8Array};
use wasm_bindgen::JsValue;

/// A plain object.
pub struct Record(Object);

impl Record {
    /// An object without members.
    pub fn new() -> Self {
        Self(Object::new())
    }

    /// Adds a member.
    #[must_use]
    pub fn with(self, name: &str, value: &JsValue) -> Self {
        // Setting a member of a plain object does not fail.
        let _ = Reflect::set(&self.0, &name.into(), value);
        self
    }

    /// Adds a text.
    #[must_use]
    pub fn with_text(self, name: &str, text: &str) -> Self {
        self.with(name, &text.into())
    }

    /// Adds a text if there is one.
    #[must_use]
    pub fn with_text_of(self, name: &str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.with_text(name, text),
            None => self,
        }
    }

    /// Adds a number.
    #[must_use]
    pub fn with_number(self, name: &str, number: f64) -> Self {
        self.with(name, &number.into())
    }

    /// Adds bytes as a `Uint8Array`.
    #[must_use]
    pub fn with_bytes(self, name: &str, bytes: &[u8]) -> Self {
        self.with(name, &Uint8Array::from(bytes))
    }

    /// The object.
    pub fn finish(self) -> JsValue {
        self.0.into()
    }
}

/// A list of values.
pub fn list(values: &[JsValue]) -> JsValue {
    let list = Array::new();
    for value in values {
        list.push(value);
    }
    list.into()
}

/// A list of numbers.
pub fn numbers(values: &[f64]) -> JsValue {
    Array::from(&Float64Array::from(values)).into()
}

/// A list of dimensions.
pub fn dimensions(order: &[usize]) -> JsValue {
    let list = Array::new();
    for dimension in order {
        // There are few.
        #[allow(clippy::cast_precision_loss)]
        list.push(&(*dimension as f64).into());
    }
    list.into()
}

/// A list of texts.
pub fn texts(texts: &[String]) -> JsValue {
    let list = Array::new();
    for text in texts {
        list.push(&JsValue::from_str(text));
    }
    list.into()
}

/// A list of bigints.
pub fn bigints(values: &[u64]) -> JsValue {
    let list = Array::new();
    for value in values {
        list.push(&BigInt::from(*value));
    }
    list.into()
}
