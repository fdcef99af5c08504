//! Warnings of metadata that bends the rules and is read: the form, its writers, and what is read.
//!
//! One function a form. Deliberately without the tests for these forms: those are the parsers'.

use crate::format::data_type::DataType;

/// v2 `"fill_value": "255"`.
pub(in crate::format) fn number_as_text(data_type: &DataType, text: &str) -> String {
    let found = format!("fill_value of {} is the text {text:?}", data_type.name());
    format!("{found} (n5-zarr wrote numbers as text); it is read as the number")
}

/// `"fill_value": 7.0` of integers.
pub(in crate::format) fn integer_with_fraction(data_type: &DataType, text: &str) -> String {
    let found = format!("fill_value of {} is written as {text}", data_type.name());
    format!("{found} (pandas and netCDF tools wrote that); it is read as the integer")
}

/// `"fill_value": 0` of booleans.
pub(in crate::format) fn number_for_boolean(text: &str) -> String {
    format!(
        "fill_value of bool is the number {text} (NumPy's booleans became numbers); it is read as a boolean"
    )
}

/// A v3 array without `codecs`.
pub(super) fn no_codecs() -> String {
    format!("there are no codecs (GDAL 3.8 to 3.10 wrote that); {LITTLE_ENDIAN}")
}

/// A v3 chain without a codec that makes bytes of elements.
pub(super) fn no_array_to_bytes() -> String {
    let found = "no codec makes bytes of elements";
    format!("{found} (GDAL 3.8 to 3.10 and zarrita's create wrote such chains); {LITTLE_ENDIAN}")
}

const LITTLE_ENDIAN: &str = "elements are read as little-endian `bytes`";
