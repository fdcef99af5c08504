//! Data types of variable length: `string`, `bytes`, and what v2 calls objects.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/string>, `…/bytes`.
//!
//! In memory an element is its bytes: UTF-8 text, the bytes themselves, packed little-endian
//! elements, or the text of a JSON value. The object codec of a v2 `|O` array tells which of them
//! its elements are. `pickle` is never read, because reading it runs code.

use super::{DataType, FillValue, base64, typestr};
use crate::error::{Error, Result};
use crate::format::json::text::string;
use crate::format::json::{Json, Object};
use crate::quoted::quoted;

/// The names of `bytes` in v3 metadata: the registered one, zarr-python's and that of old versions
/// of zarrs.
pub(super) const BYTES_NAMES: [&str; 3] = ["bytes", "variable_length_bytes", "binary"];

/// The data type of a v2 array of objects. Its first filter decides: an object codec, or one that
/// encodes strings as numbers.
///
/// # Errors
/// `Unsupported` for `pickle`, for unknown object codecs, and without a filter.
pub fn of_object_codec(filters: &[Json<'_>]) -> Result<DataType> {
    let Some(filter) = filters.first() else {
        return Err(Error::unsupported("unknown data type \"|O\": no filter tells what the objects are"));
    };
    let object = filter.object()?;
    match object.require("id", Json::str)?.as_ref() {
        "vlen-utf8" | "categorize" => Ok(DataType::String),
        "vlen-bytes" => Ok(DataType::Bytes),
        "vlen-array" => array_of(&object),
        "json2" | "json" | "msgpack2" | "msgpack" => Ok(DataType::Json),
        "pickle" => Err(Error::unsupported(
            "data type \"|O\" encoded by \"pickle\" is never read: decoding it runs code in the data",
        )),
        id => Err(Error::unsupported(format!("unknown data type \"|O\": objects encoded by {}", quoted(id)))),
    }
}

fn array_of(filter: &Object<'_>) -> Result<DataType> {
    let (inner, _) = filter.require("dtype", |json| typestr::parse(&json.str()?))?;
    Ok(DataType::VariableArray(Box::new(inner)))
}

/// Parses a string.
pub(super) fn parse_string_fill(json: Json<'_>) -> Result<FillValue> {
    Ok(FillValue(json.str()?.into_owned().into_bytes()))
}

/// Parses the forms of v2 writers. zarr-python 2 wrote 0 where the user had not chosen a fill
/// value: it is read as an empty element.
pub(super) fn parse_v2_fill(data_type: &DataType, json: Json<'_>) -> Result<FillValue> {
    match data_type {
        DataType::Json => Ok(FillValue(json.text().as_bytes().to_vec())),
        _ if matches!(json.text(), "0" | "0.0" | "\"\"") => Ok(FillValue(Vec::new())),
        DataType::String => parse_string_fill(json),
        DataType::Bytes => base64::parse_fill(json),
        _ => Err(json.unexpected("null, 0 or an empty string")),
    }
}

/// Writes a fill value as JSON.
///
/// # Errors
/// `Argument` for a string that is not UTF-8, `Unsupported` for types that v3 does not have.
pub(super) fn fill_to_json(data_type: &DataType, fill: &[u8]) -> Result<String> {
    match data_type {
        DataType::String => {
            let text = std::str::from_utf8(fill)
                .map_err(|error| Error::argument("the fill value is not UTF-8").actual(error.to_string()))?;
            Ok(string(text))
        }
        DataType::Bytes => Ok(base64::encode(fill)),
        _ => Err(Error::unsupported(format!("Zarr v3 has no data type {}", quoted(&data_type.name())))),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::data_type::Integer;
    use crate::format::json::Document;

    fn objects(filters: &str) -> Result<DataType> {
        of_object_codec(&Document::parse(filters.as_bytes())?.root().array()?)
    }

    #[test]
    fn object_codecs_tell_the_data_type() {
        let numbers = DataType::VariableArray(Box::new(DataType::Integer(Integer::Int16)));
        for (filters, expected) in [
            (r#"[{"id":"vlen-utf8"}]"#, DataType::String),
            (r#"[{"id":"categorize","labels":["a"],"dtype":"|O","astype":"|u1"}]"#, DataType::String),
            (r#"[{"id":"vlen-bytes"},{"id":"zstd","level":1}]"#, DataType::Bytes),
            (r#"[{"id":"vlen-array","dtype":">i2"}]"#, numbers),
            (r#"[{"id":"json2"}]"#, DataType::Json),
            (r#"[{"id":"msgpack2"}]"#, DataType::Json),
        ] {
            assert_eq!(objects(filters).unwrap(), expected, "{filters}");
        }
    }

    #[test]
    fn pickle_and_unknown_object_codecs_are_refused() {
        for (filters, word) in [
            (r#"[{"id":"pickle","protocol":5}]"#, "runs code"),
            (r#"[{"id":"zstd","level":1}]"#, "zstd"),
            ("[]", "no filter"),
        ] {
            let error = objects(filters).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            assert!(error.message().contains(word), "{error}");
        }
        let error = objects(r#"[{"id":"vlen-array"}]"#).unwrap_err();
        assert_eq!(error.context().field.as_deref(), Some("dtype"));
    }
}
