//! A value in the attributes and its JSON pointer. Its methods read what a convention requires, and
//! report a finding where the value does not fit.
//!
//! Rules that all conventions share have the same names: `type`, `required`, `length`, `range`,
//! `duplicate`.

use super::finding::Report;
use crate::quoted::quoted;
use crate::sorted;
use crate::value::{Map, Number, Value};

/// A value and its JSON pointer.
#[derive(Clone, Debug)]
pub struct Pointer<'a> {
    /// The value.
    pub value: &'a Value,
    /// Its JSON pointer.
    pub path: String,
}

/// Escapes a key for a JSON pointer.
pub fn pointer_token(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// An integer in the sense of JSON Schema, where `1.0` is one.
#[allow(clippy::cast_possible_truncation)] // integers of at most 53 bits
pub fn integer_of(value: &Value) -> Option<i64> {
    let whole = |number: f64| number.fract() == 0.0 && number.abs() < 9e15;
    match value.as_number()? {
        Number::Float(number) => whole(number).then_some(number as i64),
        Number::Negative(number) => Some(number),
        Number::Natural(number) => i64::try_from(number).ok(),
    }
}

impl<'a> Pointer<'a> {
    /// The attributes themselves.
    pub fn root(value: &'a Value) -> Self {
        Self { value, path: String::new() }
    }

    /// A member, if this is an object that has it.
    pub fn member(&self, key: &str) -> Option<Pointer<'a>> {
        let value = self.value.as_object()?.get(key)?;
        Some(Pointer { value, path: format!("{}/{}", self.path, pointer_token(key)) })
    }

    /// The elements, if this is an array.
    pub fn items(&self) -> Vec<Pointer<'a>> {
        self.each_item().collect()
    }

    fn each_item(&self) -> impl Iterator<Item = Pointer<'a>> {
        let items = self.value.items().iter().enumerate();
        items.map(|(idx, value)| Pointer { value, path: format!("{}/{idx}", self.path) })
    }

    /// A required member.
    pub fn require(&self, key: &str, report: &mut Report) -> Option<Pointer<'a>> {
        let member = self.member(key);
        if member.is_none() && self.value.as_object().is_some() {
            report.error("required", &self.path, format!("{} is missing", quoted(key)));
        }
        member
    }

    fn wrong<T>(&self, expected: &str, report: &mut Report) -> Option<T> {
        let message = format!("expected {expected}, found {}", self.value.kind());
        report.error("type", &self.path, message);
        None
    }

    /// An object.
    pub fn object(&self, report: &mut Report) -> Option<&'a Map> {
        self.value.as_object().or_else(|| self.wrong("an object", report))
    }

    /// A string.
    pub fn string(&self, report: &mut Report) -> Option<&'a str> {
        self.value.as_str().or_else(|| self.wrong("a string", report))
    }

    /// A number.
    pub fn number(&self, report: &mut Report) -> Option<f64> {
        self.value.as_f64().or_else(|| self.wrong("a number", report))
    }

    /// A boolean.
    pub fn boolean(&self, report: &mut Report) -> Option<bool> {
        self.value.as_bool().or_else(|| self.wrong("a boolean", report))
    }

    /// An integer that is not below `least`.
    pub fn integer(&self, least: i64, report: &mut Report) -> Option<i64> {
        let Some(integer) = integer_of(self.value) else { return self.wrong("an integer", report) };
        if integer < least {
            report.error("range", &self.path, format!("expected at least {least}, found {integer}"));
            return None;
        }
        Some(integer)
    }

    /// An array of at least `least` elements.
    pub fn array(&self, least: usize, report: &mut Report) -> Option<Vec<Pointer<'a>>> {
        if self.value.as_array().is_none() {
            return self.wrong("an array", report);
        }
        let items = self.items();
        if items.len() < least {
            let message = format!("expected at least {least} elements, found {}", items.len());
            report.error("length", &self.path, message);
        }
        Some(items)
    }

    /// The first elements of an array, at most `most`.
    pub fn first(&self, most: usize, report: &mut Report) -> Option<Vec<Pointer<'a>>> {
        if self.value.as_array().is_none() {
            return self.wrong("an array", report);
        }
        Some(self.each_item().take(most).collect())
    }

    /// As [`array`](Self::array), without duplicates.
    pub fn distinct(&self, least: usize, report: &mut Report) -> Option<Vec<Pointer<'a>>> {
        let items = self.array(least, report)?;
        let texts: Vec<String> = items.iter().map(|item| item.value.text()).collect();
        for idx in repeats(&texts) {
            let Some(item) = items.get(idx) else { continue };
            report.error("duplicate", &item.path, "the elements must differ: this one occurs twice");
        }
        Some(items)
    }

    /// An array of numbers, of length `len` if that is given.
    pub fn numbers(&self, len: Option<usize>, report: &mut Report) -> Option<Vec<f64>> {
        let items = self.array(0, report)?;
        if let Some(len) = len.filter(|len| *len != items.len()) {
            let message = format!("expected {len} numbers, found {}", items.len());
            report.error("length", &self.path, message);
            return None;
        }
        items.iter().map(|item| item.number(report)).collect()
    }
}

/// The index of the first string that occurs before in the list.
pub fn repeats(texts: &[String]) -> Vec<usize> {
    let mut order: Vec<(usize, &String)> = texts.iter().enumerate().collect();
    sorted::sort_by(&mut order, |(_, one), (_, other)| one.cmp(other));
    let pairs = order.iter().zip(order.iter().skip(1));
    pairs.filter(|((_, text), (_, next))| text == next).map(|(_, (idx, _))| *idx).collect()
}

/// Checks a path below a group: relative, without empty segments and without `..`.
pub fn is_relative_path(path: &str) -> bool {
    !path.is_empty()
        && !path.contains("..")
        && path.split('/').all(|segment| !segment.is_empty() && segment != ".")
}
