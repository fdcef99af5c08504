//! Writes the parts of answers as JSON.

use crate::format::json::decimal;
use crate::format::json::text::{ObjectText, string};

/// Writes a list of texts of JSON.
pub fn list(texts: &[String]) -> String {
    format!("[{}]", texts.join(","))
}

/// Writes a list of strings.
pub fn strings(strings: &[String]) -> String {
    let mut texts = Vec::new();
    for text in strings {
        texts.push(string(text));
    }
    list(&texts)
}

/// Writes a list of numbers.
pub fn numbers(numbers: &[f64]) -> String {
    let mut texts = Vec::new();
    for each in numbers {
        texts.push(number(*each));
    }
    list(&texts)
}

/// Writes a number; `null` for one that JSON does not have.
pub fn number(number: f64) -> String {
    if number.is_finite() { decimal::text(number) } else { "null".to_owned() }
}

/// Writes a boolean.
pub fn flag(flag: bool) -> String {
    flag.to_string()
}

/// Sets a member that is a string, if there is one.
pub fn set_string(object: &mut ObjectText, key: &str, text: Option<&str>) {
    if let Some(text) = text {
        object.set(key, string(text));
    }
}
