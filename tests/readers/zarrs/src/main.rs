//! The crate zarrs reads arrays of folders: `zarrs-reader <list>`. It takes and prints what the other drivers do, see
//! ../../driver.py. It has all features of zarrs that read one of the fixtures' codecs.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use zarrs::array::{Array, ArrayBytes};
use zarrs::filesystem::FilesystemStore;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let list = std::env::args().nth(1).ok_or("which list?")?;
    let arrays: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(list)?)?;
    std::panic::set_hook(Box::new(|_| ()));
    for array in &arrays {
        let read = catch_unwind(AssertUnwindSafe(|| read(array)));
        let mut line = match read {
            Ok(Ok(line)) => line,
            Ok(Err(error)) => json!({ "error": error.to_string() }),
            Err(_) => json!({ "error": "panicked" }),
        };
        line["id"] = array["id"].clone();
        println!("{line}");
    }
    Ok(())
}

fn text<'a>(array: &'a Value, name: &str) -> &'a str {
    array[name].as_str().unwrap_or_default()
}

fn read(array: &Value) -> Result<Value> {
    if text(array, "kind") != "folder" {
        return Err("is read by zarrista".into());
    }
    let storage = Arc::new(FilesystemStore::new(Path::new(text(array, "store")))?);
    let opened = Array::open(storage, &format!("/{}", text(array, "path")))?;
    let found: ArrayBytes = opened.retrieve_array_subset(&opened.subset_all())?;
    let count = usize::try_from(opened.shape().iter().product::<u64>())?;
    Ok(if array["variable"] == true {
        json!({ "shape": opened.shape(), "json": variable(&array["type"], &found)? })
    } else {
        let bytes = extended(&array["type"], packed(&found, count)?);
        json!({ "shape": opened.shape(), "values": STANDARD.encode(bytes) })
    })
}

/// zarrs gives narrow integers as they are stored. The bits above them are the writer's, and the fixtures have the sign there.
fn extended(kind: &Value, bytes: Vec<u8>) -> Vec<u8> {
    let above = match kind.as_str() {
        Some("int2") => 6,
        Some("int4") => 4,
        _ => return bytes,
    };
    bytes.into_iter().map(|byte| (((byte << above) as i8) >> above) as u8).collect()
}

/// Elements of fixed size. Of an optional one there is a byte that says whether it is there, and zeros if it is not.
fn packed(found: &ArrayBytes, count: usize) -> Result<Vec<u8>> {
    match found {
        ArrayBytes::Fixed(bytes) => Ok(bytes.to_vec()),
        ArrayBytes::Variable(_) => Err("elements of variable length in a type of fixed size".into()),
        ArrayBytes::Optional(optional) => {
            let inner = packed(optional.data(), count)?;
            let width = inner.len().checked_div(count).unwrap_or(0);
            let element = |(at, is): (usize, &u8)| match *is {
                0 => vec![0; width + 1],
                _ => [&[1][..], &inner[at * width..(at + 1) * width]].concat(),
            };
            Ok(optional.mask().iter().enumerate().flat_map(element).collect())
        }
    }
}

/// Elements as `values_json` has them: texts, base64 of bytes, and null or a list of one for optional values.
fn variable(kind: &Value, found: &ArrayBytes) -> Result<Vec<Value>> {
    match found {
        ArrayBytes::Fixed(_) => Err("elements of fixed size in a type of variable length".into()),
        ArrayBytes::Variable(variable) => {
            let offsets = variable.offsets();
            let parts =
                (0..offsets.len() - 1).map(|index| &variable.bytes()[offsets[index]..offsets[index + 1]]);
            Ok(parts.map(|part| variable_element(kind, part)).collect())
        }
        ArrayBytes::Optional(optional) => {
            let values = variable(&kind["configuration"]["name"], optional.data())?;
            let one = |(value, is): (Value, &u8)| if *is == 0 { Value::Null } else { json!([value]) };
            Ok(values.into_iter().zip(optional.mask().iter()).map(one).collect())
        }
    }
}

fn variable_element(kind: &Value, part: &[u8]) -> Value {
    let name = kind["name"].as_str().or(kind.as_str()).unwrap_or_default();
    if name == "string" { json!(String::from_utf8_lossy(part)) } else { json!(STANDARD.encode(part)) }
}
