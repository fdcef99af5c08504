//! Paths that attributes have: of levels, images, wells, labels and variables. They are relative to
//! a group. People also write them as `./0` and `../other/0`, with backslashes, and as numbers.

use crate::quoted::quoted;
use crate::value::{Number, Value};

/// The maximum length of a path in bytes. Metadata may repeat a long one in every entry.
const LONGEST: usize = 4096;

/// The text of a path: a string, or a number that the writer has put instead.
///
/// # Errors
/// What the value is instead of a path.
pub fn text_of(value: Option<&Value>) -> Result<String, String> {
    match value {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Number(Number::Natural(number))) => Ok(number.to_string()),
        Some(other) => Err(format!("expected a path, found {}", other.kind())),
        None => Err("it is missing".to_owned()),
    }
}

/// The absolute path that `text` means in the group at `base`. A slash at its beginning is that of
/// `base`, as in the libraries that write such paths.
///
/// # Errors
/// Why it means none.
pub fn below(base: &str, text: &str) -> Result<String, String> {
    if text.len() > LONGEST {
        return Err(format!("it has {} bytes, and a path has at most {LONGEST}", text.len()));
    }
    let mut names: Vec<&str> = base.split('/').filter(|name| !name.is_empty()).collect();
    for name in text.split(['/', '\\']) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop().ok_or_else(|| format!("{} leads above the root", quoted(text)))?;
            }
            name => names.push(name),
        }
    }
    Ok(format!("/{}", names.join("/")))
}

/// As [`below`], for a value in attributes.
///
/// # Errors
/// Why it is not a path.
pub fn of_value(base: &str, value: Option<&Value>) -> Result<String, String> {
    below(base, &text_of(value)?)
}

/// The absolute path that a reference to a variable means in the group at `base`: as [`below`], but
/// a slash at its beginning is that of the hierarchy (CF 1.8, 2.7).
///
/// # Errors
/// Why it means none.
pub fn of_reference(base: &str, text: &str) -> Result<String, String> {
    below(if text.starts_with('/') { "/" } else { base }, text)
}

/// The path of the group that contains a node.
pub fn parent(path: &str) -> String {
    let end = path.trim_end_matches('/').rfind('/').unwrap_or(0);
    if end == 0 { "/".to_owned() } else { path.get(..end).unwrap_or("/").to_owned() }
}

/// The path of a node with this name in the group at `base`. The name is taken literally.
pub fn join(base: &str, name: &str) -> String {
    match (base.trim_end_matches('/'), name.trim_matches('/')) {
        ("", "") => "/".to_owned(),
        (base, "") => base.to_owned(),
        (base, name) => format!("{base}/{name}"),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_group() {
        let same = [
            ("0", "/g/0"),
            ("./0", "/g/0"),
            ("/0/", "/g/0"),
            ("a//b", "/g/a/b"),
            ("a\\b", "/g/a/b"),
            ("../h/0", "/h/0"),
            ("..\\..0", "/..0"),
            (".", "/g"),
            ("", "/g"),
            ("..", "/"),
            ("a/../b", "/g/b"),
        ];
        for (text, path) in same {
            assert_eq!(below("/g", text).as_deref(), Ok(path), "{text}");
        }
        for text in ["../..", "a/../../../b"] {
            assert!(below("/g", text).is_err(), "{text}");
        }
        assert!(below("/", &"a".repeat(5000)).is_err());
        assert_eq!(of_reference("/g", "/lat").as_deref(), Ok("/lat"));
        assert_eq!(of_reference("/g", "../lat").as_deref(), Ok("/lat"));
    }

    #[test]
    fn numbers_are_names_and_other_values_are_none() {
        assert_eq!(text_of(Some(&Value::Number(Number::Natural(7)))).as_deref(), Ok("7"));
        for value in [Value::Null, Value::Number(Number::Float(1.5)), Value::Array(Vec::new())] {
            assert!(text_of(Some(&value)).is_err());
        }
        assert_eq!(text_of(None).as_deref(), Err(&"it is missing".to_owned()));
    }
}
