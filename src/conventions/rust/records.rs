//! The questions to this module and its answers, as the contract's table of them has them
//! (`src/contract/conventions.rs`): their Rust types, how they are read from JSON, and how they are
//! written. A member that is missing is as one that is `null`.

use crate::error::{Error, Result};
use crate::format::json::decimal;
use crate::format::json::text::string;
use crate::value::{Map, Named, Number, Value};

/// What may be missing from a question, if it is empty or false.
type List<T> = Vec<T>;
type Dictionary<T> = Named<T>;
type Flag = bool;

/// The name of a type of numbers, and the id of a convention of the registry.
type NumberName = &'static str;
type ConventionId = &'static str;

/// What a question has.
pub trait Asked: Sized {
    /// The thing of a value, which is the member `key`.
    ///
    /// # Errors
    /// `Argument` for anything else.
    fn of(value: Value, key: &str) -> Result<Self>;
}

/// What an answer has.
pub trait Answered {
    /// Appends its JSON.
    fn write(&self, text: &mut String);

    /// Whether an answer does not have the member.
    fn is_missing(&self) -> bool {
        false
    }
}

/// Which image of a group.
#[derive(Clone, Debug)]
pub enum Choice {
    /// Its index in the list.
    Index(usize),
    /// Its path, which may be relative to the group.
    Path(String),
}

/// The channels of an image. There can be many, so they stay where they are.
#[derive(Clone, Debug)]
pub struct Channels<'a> {
    /// Channels, as they are written.
    pub written: &'a [Value],
    /// What readers need of one.
    pub read: fn(&Value) -> Map,
    /// The JSON of further ones, without brackets.
    pub others: String,
}

#[cold]
fn wrong(key: &str, expected: &str, value: &Value) -> Error {
    Error::argument("the request has an invalid value").in_field(key).expected(expected).actual(value.kind())
}

fn members_of(value: Value, key: &str) -> Result<Map> {
    match value {
        Value::Object(members) => Ok(members),
        other => Err(wrong(key, "an object", &other)),
    }
}

/// A thing of a question, which is its member `key`.
///
/// # Errors
/// `Argument` for anything else.
pub fn read<T: Asked>(value: Value, key: &str) -> Result<T> {
    T::of(value, key)
}

fn take<T: Asked>(members: &mut Map, key: &str) -> Result<T> {
    T::of(members.get_mut(key).map(std::mem::take).unwrap_or_default(), key)
}

impl Asked for Value {
    fn of(value: Value, _: &str) -> Result<Self> {
        Ok(value)
    }
}

impl Asked for String {
    fn of(value: Value, key: &str) -> Result<Self> {
        match value {
            Value::String(text) => Ok(text),
            other => Err(wrong(key, "a string", &other)),
        }
    }
}

impl Asked for Flag {
    fn of(value: Value, key: &str) -> Result<Self> {
        match value {
            Value::Null => Ok(false),
            Value::Bool(flag) => Ok(flag),
            other => Err(wrong(key, "a boolean", &other)),
        }
    }
}

impl Asked for f64 {
    fn of(value: Value, key: &str) -> Result<Self> {
        value.as_f64().ok_or_else(|| wrong(key, "a number", &value))
    }
}

impl Asked for i64 {
    fn of(value: Value, key: &str) -> Result<Self> {
        let whole = value.as_number().and_then(Number::whole);
        whole.and_then(|whole| Self::try_from(whole).ok()).ok_or_else(|| wrong(key, "an integer", &value))
    }
}

impl Asked for Choice {
    fn of(value: Value, key: &str) -> Result<Self> {
        match value {
            Value::String(path) => Ok(Self::Path(path)),
            Value::Number(Number::Natural(index)) => {
                Ok(Self::Index(usize::try_from(index).unwrap_or(usize::MAX)))
            }
            other => Err(wrong(key, "an index or a path", &other)),
        }
    }
}

impl<T: Asked> Asked for Option<T> {
    fn of(value: Value, key: &str) -> Result<Self> {
        if value.is_null() { Ok(None) } else { T::of(value, key).map(Some) }
    }
}

impl<T: Asked> Asked for Vec<T> {
    fn of(value: Value, key: &str) -> Result<Self> {
        let items = match value {
            Value::Null => Vec::new(),
            Value::Array(items) => items,
            other => return Err(wrong(key, "an array", &other)),
        };
        let mut found = Self::new();
        for item in items {
            found.push(T::of(item, key)?);
        }
        Ok(found)
    }
}

impl<T: Asked> Asked for Named<T> {
    fn of(value: Value, key: &str) -> Result<Self> {
        let mut things = Vec::new();
        if !value.is_null() {
            for (name, value) in members_of(value, key)?.into_entries() {
                things.push((name, T::of(value, key)?));
            }
        }
        Ok(Self::of(things))
    }
}

/// Appends a member, unless it is missing.
fn member(text: &mut String, key: &str, value: &dyn Answered) {
    if value.is_missing() {
        return;
    }
    text.push_str(if text.ends_with('{') { "\"" } else { ",\"" });
    text.push_str(key);
    text.push_str("\":");
    value.write(text);
}

impl Answered for bool {
    fn write(&self, text: &mut String) {
        text.push_str(if *self { "true" } else { "false" });
    }
}

/// `null` for a number that JSON does not have.
impl Answered for f64 {
    fn write(&self, text: &mut String) {
        if self.is_finite() {
            text.push_str(&decimal::text(*self));
        } else {
            text.push_str("null");
        }
    }
}

impl Answered for i64 {
    fn write(&self, text: &mut String) {
        text.push_str(&self.to_string());
    }
}

impl Answered for u32 {
    fn write(&self, text: &mut String) {
        i64::from(*self).write(text);
    }
}

impl Answered for usize {
    fn write(&self, text: &mut String) {
        i64::try_from(*self).unwrap_or(i64::MAX).write(text);
    }
}

impl Answered for &str {
    fn write(&self, text: &mut String) {
        text.push_str(&string(self));
    }
}

impl Answered for String {
    fn write(&self, text: &mut String) {
        self.as_str().write(text);
    }
}

impl Answered for Value {
    fn write(&self, text: &mut String) {
        Self::write(self, text);
    }
}

impl<T: Answered> Answered for Option<T> {
    fn write(&self, text: &mut String) {
        match self {
            Some(value) => value.write(text),
            None => text.push_str("null"),
        }
    }

    fn is_missing(&self) -> bool {
        self.is_none()
    }
}

impl<T: Answered> Answered for [T] {
    fn write(&self, text: &mut String) {
        text.push('[');
        for (at, item) in self.iter().enumerate() {
            text.push_str(if at == 0 { "" } else { "," });
            item.write(text);
        }
        text.push(']');
    }
}

impl Answered for Channels<'_> {
    fn write(&self, text: &mut String) {
        text.push('[');
        for (at, written) in self.written.iter().enumerate() {
            text.push_str(if at == 0 { "" } else { "," });
            (self.read)(written).write(text);
        }
        text.push_str(&self.others);
        text.push(']');
    }
}

impl<T: Answered> Answered for Vec<T> {
    fn write(&self, text: &mut String) {
        self.as_slice().write(text);
    }
}

impl<T: Answered, const LENGTH: usize> Answered for [T; LENGTH] {
    fn write(&self, text: &mut String) {
        self.as_slice().write(text);
    }
}

macro_rules! records {
    ($(
        $(#[doc = $doc:literal])* $form:ident $name:ident $([$life:lifetime])? { $($body:tt)* }
    )*) => {
        $(records!(@$form [$($doc),*] $name [$($life)?] $($body)*);)*
    };
    (@ask [$($doc:literal),*] $name:ident [] $(
        $(#[doc = $about:literal])* $field:ident $key:literal: $ty:ty,
    )*) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug)]
        pub struct $name { $($(#[doc = $about])* pub $field: $ty,)* }

        impl Asked for $name {
            fn of(value: Value, key: &str) -> Result<Self> {
                let mut members = members_of(value, key)?;
                Ok(Self { $($field: take(&mut members, $key)?,)* })
            }
        }
    };
    (@answer [$($doc:literal),*] $name:ident [$($life:lifetime)?] $(
        $(#[doc = $about:literal])* $field:ident $key:literal: $ty:ty,
    )*) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug)]
        pub struct $name<$($life)?> { $($(#[doc = $about])* pub $field: $ty,)* }

        impl<$($life)?> Answered for $name<$($life)?> {
            fn write(&self, text: &mut String) {
                text.push('{');
                $(member(text, $key, &self.$field);)*
                text.push('}');
            }
        }
    };
    (@choice [$($doc:literal),*] $name:ident [] $(
        $(#[doc = $about:literal])* $variant:ident = $key:literal,
    )*) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[doc = $about])* $variant,)* }

        impl Asked for $name {
            fn of(value: Value, key: &str) -> Result<Self> {
                match value.as_str() {
                    $(Some($key) => Ok(Self::$variant),)*
                    _ => Err(wrong(key, concat!("one of" $(, " ", $key)*), &value)),
                }
            }
        }

        impl Answered for $name {
            fn write(&self, text: &mut String) {
                let name: &str = match self { $(Self::$variant => $key,)* };
                name.write(text);
            }
        }
    };
}

crate::contract::with_convention_records!(records);

macro_rules! questions {
    ($(
        $(#[doc = $doc:literal])* $variant:ident $name:literal ($takes:ty) -> $($gives:ty)|+;
    )*) => {
        /// A question to this module.
        #[derive(Debug)]
        pub enum Question { $($(#[doc = $doc])* $variant($takes),)* }

        impl Question {
            /// The question of a request, whose member `operation` names it.
            ///
            /// # Errors
            /// `Argument` for anything else.
            pub fn of(request: Value) -> Result<Self> {
                match request.text_of("operation") {
                    $(Some($name) => Asked::of(request, "request").map(Self::$variant),)*
                    _ => Err(Error::argument(concat!("an operation is one of" $(, " ", $name)*))),
                }
            }
        }
    };
}

crate::contract::with_convention_questions!(questions);
