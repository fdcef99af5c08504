//! Fill values: the elements of missing chunks.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#fill-value>, v2 "Fill value
//! encoding".
//!
//! In memory a fill value is one element: packed little-endian bytes. The file of each family of
//! data types knows its JSON forms.

use std::borrow::Cow;

use super::{
    DataType, Endian, Integer, Run, base64, boolean, complex, fixed_bytes, optional, structure, time, utf32,
    variable,
};
use crate::error::{Error, Result};
use crate::format::json::{Document, Json};
use crate::format::tolerated::Form;
use crate::quoted::quoted;

/// The packed little-endian bytes of one element. For types of variable length, the bytes of the
/// element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FillValue(pub Vec<u8>);

impl FillValue {
    /// The element whose bytes are all zero. For types of variable length, the empty element.
    pub fn zero(data_type: &DataType) -> Self {
        match data_type {
            DataType::Json => Self(b"null".to_vec()),
            DataType::Optional(inner) => optional::none(inner),
            _ => Self(vec![0; data_type.size().unwrap_or(0)]),
        }
    }

    /// The element of missing chunks where the metadata have `null` for a fill value: zero, or NaT
    /// for times, also in structs. A date that no writer chose must not look like one.
    pub fn of_null(data_type: &DataType) -> Self {
        match data_type {
            DataType::Time(_) => time::not_a_time(),
            DataType::Struct(structure) => structure::fill_of_null(structure),
            _ => Self::zero(data_type),
        }
    }

    /// Parses a fill value of v3 metadata. The caller handles `null`, except for types that have
    /// it.
    ///
    /// # Errors
    /// `Format` for values that are not of the type.
    pub fn parse_v3(data_type: &DataType, json: Json<'_>) -> Result<Self> {
        match data_type {
            DataType::Bool => boolean::parse_fill(json),
            DataType::Integer(integer) => integer.parse_fill(json),
            DataType::Float(float) => float.parse_fill(json),
            DataType::Complex(part) => complex::parse_fill(*part, json),
            DataType::Raw(raw) => fixed_bytes::parse_raw_fill(raw.len, json),
            DataType::NullTerminatedBytes(len) => fixed_bytes::parse_padded_fill(*len, json),
            DataType::Utf32(len) => utf32::parse_fill(*len, json),
            DataType::Time(_) => time::parse_fill(json),
            DataType::Struct(structure) => structure::parse_fill(structure, json),
            DataType::Optional(inner) => optional::parse_fill(inner, json),
            DataType::String => variable::parse_string_fill(json),
            DataType::Bytes => base64::parse_fill(json),
            DataType::VariableArray(_) | DataType::Json => {
                Err(Error::unsupported(format!("Zarr v3 has no data type {}", quoted(&data_type.name()))))
            }
        }
    }

    /// Parses a fill value of v3 metadata as writers write it. It also accepts, with a warning,
    /// numbers for booleans and booleans for numbers, numbers in strings, and integers with a
    /// fraction of zero.
    ///
    /// # Errors
    /// `Format` for values that are not of the type.
    pub fn read_v3(data_type: &DataType, json: Json<'_>, warnings: &mut Vec<String>) -> Result<Self> {
        match data_type {
            DataType::Bool => boolean_or_number(json, warnings),
            DataType::Integer(integer) => number_or_other(data_type, json, warnings, &|json, warnings| {
                integer_or_fraction(*integer, json, warnings)
            }),
            DataType::Float(float) => {
                number_or_other(data_type, json, warnings, &|json, _| float.parse_fill(json))
            }
            _ => Self::parse_v3(data_type, json),
        }
    }

    /// Parses a fill value of v2 metadata. `null` means "undefined" and is read as zero. Odd values
    /// of some writers are accepted with a warning.
    ///
    /// `endian` is the stored byte order of packed values. `None` where the fields of a struct have
    /// different ones.
    ///
    /// # Errors
    /// `Format` for values that are not of the type.
    pub fn parse_v2(
        data_type: &DataType,
        endian: Option<Endian>,
        json: Json<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<Self> {
        if json.is_null() {
            return Ok(Self::of_null(data_type));
        }
        match data_type {
            // xarray writes "NaN" beside integer types when the fill value came from a float
            // attribute.
            DataType::Integer(_) if json.str().is_ok_and(|text| text == "NaN") => {
                warnings.push(Form::V2FillNan.warning(found(data_type, json.text())));
                Ok(Self::zero(data_type))
            }
            DataType::Integer(integer) => number_or_other(data_type, json, warnings, &|json, warnings| {
                integer_or_fraction(*integer, json, warnings)
            }),
            DataType::Float(float) => {
                number_or_other(data_type, json, warnings, &|json, _| float.parse_v2_fill(json))
            }
            DataType::Bool => boolean_or_number(json, warnings),
            DataType::Complex(part) => complex::parse_v2_fill(*part, json),
            DataType::Time(_) => time::parse_v2_fill(json),
            // zarr-python 2 wrote 0 where the user had not chosen a fill value.
            DataType::Raw(_)
            | DataType::NullTerminatedBytes(_)
            | DataType::Utf32(_)
            | DataType::Struct(_)
                if matches!(json.text(), "0" | "\"\"") =>
            {
                Ok(Self::zero(data_type))
            }
            DataType::Struct(structure) => {
                structure::parse_packed_fill(structure, &stored_big_endian(data_type, endian), json)
            }
            DataType::String | DataType::Bytes | DataType::VariableArray(_) | DataType::Json => {
                variable::parse_v2_fill(data_type, json)
            }
            _ => Self::parse_v3(data_type, json),
        }
    }

    /// Parses a fill value of v2 metadata as writers write it. It also accepts, with a warning, a
    /// number in a list of one, and numbers that a type of integers does not have, which become the
    /// nearest ones, as GDAL reads them. NumPy before 2 kept their lowest bits; since NumPy 2 it
    /// refuses them, and zarr-python with it.
    ///
    /// # Errors
    /// `Format` for values that are not of the type.
    pub fn read_v2(
        data_type: &DataType,
        endian: Option<Endian>,
        json: Json<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<Self> {
        let is_number = matches!(data_type, DataType::Bool | DataType::Integer(_) | DataType::Float(_));
        if is_number && let Ok([number]) = json.array().as_deref() {
            warnings.push(Form::V2FillList.warning(found(data_type, json.text())));
            return Self::read_v2(data_type, endian, *number, warnings);
        }
        Self::parse_v2(data_type, endian, json, warnings).or_else(|error| {
            let DataType::Integer(integer) = data_type else { return Err(error) };
            let fill = integer.nearest_fill(json).ok_or(error)?;
            warnings.push(Form::V2FillNearest.warning(found(data_type, json.text())));
            Ok(fill)
        })
    }

    /// Parses a fill value of v3's legacy `structured` type: base64 of the packed struct, in the
    /// byte order of the `bytes` codec.
    ///
    /// # Errors
    /// `Format` for any other value.
    pub fn parse_packed(data_type: &DataType, endian: Endian, json: Json<'_>) -> Result<Self> {
        match data_type {
            DataType::Struct(structure) => {
                structure::parse_packed_fill(structure, &stored_big_endian(data_type, Some(endian)), json)
            }
            _ => Self::parse_v3(data_type, json),
        }
    }

    /// Writes the fill value as v3 metadata has it. The text is exact.
    ///
    /// # Errors
    /// `Argument` when the bytes are not one element of the type, `Unsupported` for types that v3
    /// does not have.
    pub fn to_json_v3(&self, data_type: &DataType) -> Result<String> {
        if data_type.size().is_some_and(|size| size != self.0.len()) {
            let error = Error::argument(format!("the fill value is not one element of {}", data_type.name()));
            return Err(error.actual(format!("{} bytes", self.0.len())));
        }
        match data_type {
            DataType::Bool => Ok(boolean::fill_to_json(&self.0)),
            DataType::Integer(integer) => Ok(integer.fill_to_json(&self.0)),
            DataType::Float(float) => Ok(float.fill_to_json(&self.0)),
            DataType::Complex(part) => Ok(complex::fill_to_json(*part, &self.0)),
            DataType::Raw(raw) => Ok(fixed_bytes::raw_fill_to_json(*raw, &self.0)),
            DataType::NullTerminatedBytes(_) => Ok(fixed_bytes::padded_fill_to_json(&self.0)),
            DataType::Utf32(_) => utf32::fill_to_json(&self.0),
            DataType::Time(_) => Ok(time::fill_to_json(&self.0)),
            DataType::Struct(structure) => structure::fill_to_json(structure, &self.0),
            DataType::Optional(inner) => optional::fill_to_json(inner, &self.0),
            DataType::String | DataType::Bytes | DataType::VariableArray(_) | DataType::Json => {
                variable::fill_to_json(data_type, &self.0)
            }
        }
    }
}

/// Names the value and the type in a warning.
fn found(data_type: &DataType, text: &str) -> String {
    format!("fill_value {text} of {}", data_type.name())
}

/// Parses a boolean. Some writers turn NumPy's booleans into numbers, which are accepted with a
/// warning. Strings are errors: NumPy, and so zarr-python, reads every string as true.
fn boolean_or_number(json: Json<'_>, warnings: &mut Vec<String>) -> Result<FillValue> {
    let text = json.text();
    if !matches!(text, "0" | "1" | "0.0" | "1.0") {
        return boolean::parse_fill(json);
    }
    warnings.push(Form::FillBoolNumber.warning(found(&DataType::Bool, text)));
    Ok(FillValue(vec![u8::from(text.starts_with('1'))]))
}

fn integer_or_fraction(integer: Integer, json: Json<'_>, warnings: &mut Vec<String>) -> Result<FillValue> {
    integer.parse_fill(json).or_else(|error| {
        let fill = integer.parse_fraction_fill(json).ok_or(error)?;
        warnings.push(Form::FillFraction.warning(found(&DataType::Integer(integer), json.text())));
        Ok(fill)
    })
}

/// Parses a number with `parse`, or else the number in a string or for a boolean, with a warning.
fn number_or_other(
    data_type: &DataType,
    json: Json<'_>,
    warnings: &mut Vec<String>,
    parse: &dyn Fn(Json<'_>, &mut Vec<String>) -> Result<FillValue>,
) -> Result<FillValue> {
    parse(json, warnings).or_else(|error| {
        let Some((form, number)) = number_within(json) else { return Err(error) };
        let Ok(document) = Document::parse(number.as_bytes()) else { return Err(error) };
        if document.root().kind_name() != "a number" {
            return Err(error);
        }
        // The warning about the string is enough, even where the number in it has a fraction.
        let fill = parse(document.root(), &mut Vec::new()).map_err(|_| error)?;
        warnings.push(form.warning(found(data_type, json.text())));
        Ok(fill)
    })
}

/// The number that a string or a boolean instead of a number means, and the form for the warning.
fn number_within(json: Json<'_>) -> Option<(Form, Cow<'_, str>)> {
    let of_bool = |value| (Form::FillNumberBool, Cow::Borrowed(if value { "1" } else { "0" }));
    json.bool().map(of_bool).or_else(|_| json.str().map(|text| (Form::FillText, text))).ok()
}

/// The numbers in one element that are stored big-endian.
fn stored_big_endian(data_type: &DataType, endian: Option<Endian>) -> Vec<Run> {
    match endian {
        Some(Endian::Little) => Vec::new(),
        Some(Endian::Big) => data_type.swap_runs(),
        None => data_type.own_big_endian_runs().unwrap_or_default(),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, clippy::cast_possible_truncation)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Float, Time, TimeKind, TimeUnit};
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::data_type::{name, typestr};
    use crate::format::json::{self, Document};
    use crate::limits;

    fn v3(data_type: &DataType, text: &str) -> Result<Vec<u8>> {
        json::read(text, |json| FillValue::parse_v3(data_type, json)).map(|fill| fill.0)
    }

    fn v2(data_type: &DataType, text: &str) -> Result<Vec<u8>> {
        let little = Some(Endian::Little);
        json::read(text, |json| FillValue::parse_v2(data_type, little, json, &mut Vec::new()))
            .map(|fill| fill.0)
    }

    const INT64: DataType = DataType::Integer(Integer::Int64);
    const UINT64: DataType = DataType::Integer(Integer::Uint64);
    const FLOAT16: DataType = DataType::Float(Float::Float16);
    const FLOAT32: DataType = DataType::Float(Float::Float32);
    const FLOAT64: DataType = DataType::Float(Float::Float64);

    #[test]
    fn integers_are_exact_to_64_bits() {
        assert_eq!(v3(&UINT64, "18446744073709551615").unwrap(), [0xff; 8]);
        assert_eq!(v3(&INT64, "-9223372036854775808").unwrap(), [0, 0, 0, 0, 0, 0, 0, 0x80]);
        assert_eq!(v3(&INT64, "9007199254740993").unwrap(), 9_007_199_254_740_993_i64.to_le_bytes());
        assert_eq!(v3(&DataType::Integer(Integer::Int16), "-2").unwrap(), [0xfe, 0xff]);
    }

    #[test]
    fn values_that_are_not_integers_are_refused() {
        let uint8 = DataType::Integer(Integer::Uint8);
        for text in ["256", "-1", "1.5", "1.0", "1e1", "\"1\"", "true", "null", "[1]", "{}"] {
            assert_eq!(v3(&uint8, text).unwrap_err().kind(), ErrorKind::Format, "{text}");
        }
        assert!(v3(&UINT64, "18446744073709551616").is_err());
        assert!(v3(&INT64, "9223372036854775808").is_err());
        let error = v3(&uint8, "256").unwrap_err();
        assert_eq!(error.context().expected.as_deref(), Some("an integer from 0 to 255"));
        assert_eq!(error.context().actual.as_deref(), Some("a number: 256"));
    }

    #[test]
    fn booleans() {
        assert_eq!(v3(&DataType::Bool, "true").unwrap(), [1]);
        assert_eq!(v3(&DataType::Bool, "false").unwrap(), [0]);
        for text in ["0", "1", "\"true\"", "null"] {
            assert!(v3(&DataType::Bool, text).is_err(), "{text}");
        }
    }

    #[test]
    fn floats_round_half_to_even() {
        assert_eq!(v3(&FLOAT32, "0.1").unwrap(), [0xcd, 0xcc, 0xcc, 0x3d]);
        // These lie halfway between two numbers. The third is above the middle by less than a
        // double can show.
        assert_eq!(v3(&FLOAT32, "16777217").unwrap(), 16_777_216_f32.to_le_bytes());
        assert_eq!(v3(&FLOAT32, "16777219").unwrap(), 16_777_220_f32.to_le_bytes());
        assert_eq!(v3(&FLOAT32, "16777217.000000000000001").unwrap(), 16_777_218_f32.to_le_bytes());
        assert_eq!(v3(&FLOAT16, "2049").unwrap(), 0x6800_u16.to_le_bytes());
        assert_eq!(v3(&FLOAT16, "2051").unwrap(), 0x6802_u16.to_le_bytes());
        assert_eq!(v3(&FLOAT64, "-0.0").unwrap(), [0, 0, 0, 0, 0, 0, 0, 0x80]);
        assert_eq!(v3(&FLOAT64, "1").unwrap(), 1_f64.to_le_bytes());
    }

    #[test]
    fn floats_by_name_and_bit_pattern() {
        assert_eq!(v3(&FLOAT16, "\"NaN\"").unwrap(), [0, 0x7e]);
        assert_eq!(v3(&FLOAT32, "\"NaN\"").unwrap(), [0, 0, 0xc0, 0x7f]);
        assert_eq!(v3(&FLOAT64, "NaN").unwrap(), [0, 0, 0, 0, 0, 0, 0xf8, 0x7f]);
        assert_eq!(v3(&FLOAT32, "\"Infinity\"").unwrap(), [0, 0, 0x80, 0x7f]);
        assert_eq!(v3(&FLOAT64, "-Infinity").unwrap(), [0, 0, 0, 0, 0, 0, 0xf0, 0xff]);
        assert_eq!(v3(&FLOAT32, "\"0x7fc0dead\"").unwrap(), [0xad, 0xde, 0xc0, 0x7f]);
        assert_eq!(v3(&FLOAT16, "\"0xFE01\"").unwrap(), [0x01, 0xfe]);
        for text in ["\"0x7fc0\"", "\"0x7fc000000\"", "\"0x+fc00000\"", "\"nan\"", "\"1\"", "true", "null"] {
            assert_eq!(v3(&FLOAT32, text).unwrap_err().kind(), ErrorKind::Format, "{text}");
        }
    }

    #[test]
    fn forms_of_v2_writers_are_read() {
        let int32 = DataType::Integer(Integer::Int32);
        assert_eq!(v2(&int32, "0.0").unwrap(), [0; 4]);
        assert_eq!(v2(&int32, "-5e1").unwrap(), (-50_i32).to_le_bytes());
        assert_eq!(v2(&int32, "null").unwrap(), [0; 4]);
        assert_eq!(v2(&FLOAT32, "7").unwrap(), 7_f32.to_le_bytes());
        assert_eq!(v2(&UINT64, "18446744073709551615").unwrap(), [0xff; 8]);
        assert_eq!(v2(&DataType::Bool, "1").unwrap(), [1]);
        assert_eq!(v2(&DataType::Bool, "0.0").unwrap(), [0]);
        for text in ["0.5", "1e300", "\"zero\"", "2147483648.0", "[1]", "[1, 2]", "[]", "{}"] {
            assert_eq!(v2(&int32, text).unwrap_err().kind(), ErrorKind::Format, "{text}");
        }
        let (fill, warnings) = warned_of(&int32, "\"NaN\"", 2).unwrap();
        assert_eq!((fill, warnings.len()), (vec![0; 4], 1));
    }

    /// The fill value in metadata of this format, and the warnings.
    fn warned_of(data_type: &DataType, text: &str, format: u8) -> Result<(Vec<u8>, Vec<String>)> {
        let (document, mut warnings) = (Document::parse(text.as_bytes())?, Vec::new());
        let (json, endian) = (document.root(), Some(Endian::Big));
        let fill = match format {
            2 => FillValue::read_v2(data_type, endian, json, &mut warnings),
            _ => FillValue::read_v3(data_type, json, &mut warnings),
        };
        fill.map(|fill| (fill.0, warnings))
    }

    #[test]
    fn numbers_as_text_are_read_with_a_warning() {
        let int16 = DataType::Integer(Integer::Int16);
        for (data_type, text, expected) in [
            (&int16, "-7", (-7_i16).to_le_bytes().to_vec()),
            (&int16, "0.0", vec![0; 2]),
            (&UINT64, "18446744073709551615", vec![0xff; 8]),
            (&FLOAT32, "0", vec![0; 4]),
            (&FLOAT64, "1.5e3", 1500_f64.to_le_bytes().to_vec()),
        ] {
            let json = format!("{text:?}");
            let expected = (expected, vec![Form::FillText.warning(found(data_type, &json))]);
            for format in [2, 3] {
                assert_eq!(warned_of(data_type, &json, format).unwrap(), expected, "{text} in v{format}");
            }
        }
        assert!(warned_of(&FLOAT32, "\"NaN\"", 2).unwrap().1.is_empty(), "that is v2's own form");
        for text in ["\"\"", "\" \"", "\"1_0\"", "\"0x1F\"", "\"true\"", "\"[1]\"", "\"40000\"", "\"1.5\""] {
            for format in [2, 3] {
                assert_eq!(warned_of(&int16, text, format).unwrap_err().kind(), ErrorKind::Format, "{text}");
            }
        }
        // NumPy, and so zarr-python, reads every string as true.
        assert!(warned_of(&DataType::Bool, "\"0\"", 2).is_err());
    }

    /// The numbers are those that GDAL 3.12 reads for missing chunks.
    #[test]
    fn numbers_beyond_a_type_of_v2_are_the_nearest_ones_with_a_warning() {
        let bytes = |number: i64, size: usize| number.to_le_bytes()[..size].to_vec();
        for (integer, text, expected) in [
            (Integer::Uint8, "-1", bytes(0, 1)),
            (Integer::Uint8, "-999999999", bytes(0, 1)),
            (Integer::Uint8, "256", bytes(255, 1)),
            (Integer::Uint8, "300.7", bytes(255, 1)),
            (Integer::Int8, "255", bytes(127, 1)),
            (Integer::Int8, "-129", bytes(-128, 1)),
            (Integer::Int16, "-32769", bytes(-32768, 2)),
            (Integer::Int16, "65535", bytes(32767, 2)),
            (Integer::Uint16, "1.5", bytes(2, 2)),
            (Integer::Int16, "4e4", bytes(32767, 2)),
            (Integer::Int32, "4294967295", bytes(2_147_483_647, 4)),
            (Integer::Int32, "1e20", bytes(2_147_483_647, 4)),
            (Integer::Uint32, "-1", bytes(0, 4)),
            (Integer::Int64, "18446744073709551615", bytes(i64::MAX, 8)),
            (Integer::Uint64, "-1", bytes(0, 8)),
        ] {
            let data_type = DataType::Integer(integer);
            let warnings = vec![Form::V2FillNearest.warning(found(&data_type, text))];
            assert_eq!(warned_of(&data_type, text, 2).unwrap(), (expected, warnings), "{text}");
            // v3 says that a fill value is one of the type.
            assert_eq!(warned_of(&data_type, text, 3).unwrap_err().kind(), ErrorKind::Format, "{text}");
        }
    }

    #[test]
    fn a_number_in_a_list_is_read_with_a_warning_in_v2() {
        let int16 = DataType::Integer(Integer::Int16);
        for (data_type, text, expected) in [
            (&int16, "[-32767]", (-32767_i16).to_le_bytes().to_vec()),
            (&FLOAT32, "[5.0]", 5_f32.to_le_bytes().to_vec()),
            (&DataType::Bool, "[true]", vec![1]),
        ] {
            let warnings = vec![Form::V2FillList.warning(found(data_type, text))];
            assert_eq!(warned_of(data_type, text, 2).unwrap(), (expected, warnings), "{text}");
            assert!(warned_of(data_type, text, 3).is_err(), "{text}");
        }
    }

    #[test]
    fn booleans_instead_of_numbers_are_read_with_a_warning() {
        let uint64_one = 1_u64.to_le_bytes().to_vec();
        for format in [2, 3] {
            for (data_type, text, expected) in [
                (&UINT64, "true", uint64_one.clone()),
                (&FLOAT32, "true", 1_f32.to_le_bytes().to_vec()),
                (&FLOAT32, "false", vec![0; 4]),
            ] {
                let warnings = vec![Form::FillNumberBool.warning(found(data_type, text))];
                assert_eq!(warned_of(data_type, text, format).unwrap(), (expected, warnings), "{text}");
            }
        }
    }

    #[test]
    fn booleans_as_numbers_and_integers_with_a_fraction_are_read_with_a_warning() {
        let int16 = DataType::Integer(Integer::Int16);
        for format in [2, 3] {
            for (text, expected) in [("0", 0), ("1", 1), ("0.0", 0), ("1.0", 1)] {
                let warnings = vec![Form::FillBoolNumber.warning(found(&DataType::Bool, text))];
                assert_eq!(warned_of(&DataType::Bool, text, format).unwrap(), (vec![expected], warnings));
            }
            for (text, expected) in [("0.0", 0_i16), ("-3e2", -300)] {
                let warnings = vec![Form::FillFraction.warning(found(&int16, text))];
                let expected = expected.to_le_bytes().to_vec();
                assert_eq!(warned_of(&int16, text, format).unwrap(), (expected, warnings));
            }
            assert_eq!(warned_of(&DataType::Bool, "2", format).unwrap_err().kind(), ErrorKind::Format);
            assert!(warned_of(&int16, "7", format).unwrap().1.is_empty());
        }
    }

    #[test]
    fn fill_values_are_written_exactly() {
        let written =
            |data_type: &DataType, bytes: &[u8]| FillValue(bytes.to_vec()).to_json_v3(data_type).unwrap();
        assert_eq!(written(&DataType::Bool, &[1]), "true");
        assert_eq!(written(&UINT64, &[0xff; 8]), "18446744073709551615");
        assert_eq!(written(&INT64, &[0xff; 8]), "-1");
        assert_eq!(written(&FLOAT64, &0.1_f64.to_le_bytes()), "0.1");
        assert_eq!(written(&FLOAT32, &0.1_f32.to_le_bytes()), "0.10000000149011612");
        assert_eq!(written(&FLOAT64, &(-0.0_f64).to_le_bytes()), "-0.0");
        assert_eq!(written(&FLOAT16, &[0, 0x7e]), "\"NaN\"");
        assert_eq!(written(&FLOAT16, &[1, 0x7e]), "\"0x7e01\"");
        assert_eq!(written(&FLOAT64, &f64::NEG_INFINITY.to_le_bytes()), "\"-Infinity\"");
        let error = FillValue(vec![0]).to_json_v3(&FLOAT32).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
    }

    fn any_type() -> impl Strategy<Value = DataType> {
        let integers = Integer::ALL.map(DataType::Integer);
        let floats = Float::ALL.map(DataType::Float);
        let complex = Float::ALL.map(DataType::Complex);
        let unit = Time { kind: TimeKind::Moment, unit: TimeUnit::Second, scale_factor: 25 };
        let others = [DataType::raw(3), DataType::NullTerminatedBytes(5), DataType::Time(unit)];
        proptest::sample::select([integers.as_slice(), &floats, &complex, &others].concat())
    }

    proptest! {
        #[test]
        fn every_element_round_trips(data_type in any_type(), bytes in any::<[u8; 16]>()) {
            let mut fill = FillValue(bytes[..data_type.size().unwrap()].to_vec());
            data_type.narrow_runs().iter().for_each(|run| run.extend(&mut fill.0));
            let written = fill.to_json_v3(&data_type).unwrap();
            prop_assert_eq!(v3(&data_type, &written).unwrap(), fill.0.clone(), "{}", written);
            prop_assert_eq!(v2(&data_type, &written).unwrap(), fill.0, "{}", written);
        }

        #[test]
        fn any_text_of_a_type_is_safe(text in r#"[<>|a-zA-Z0-9_\[\]"{}:, ]{0,24}"#) {
            // Every type that is parsed has a bounded size.
            if let Ok((data_type, _)) = typestr::parse(&text) {
                prop_assert!(data_type.size().is_some_and(|size| size as u64 <= limits::ELEMENT_BYTES));
            }
            if let Ok(data_type) = json::read(&format!("{text:?}"), name::parse_json) {
                prop_assert!(data_type.to_json_v3().is_ok());
            }
        }

        #[test]
        fn float32_text_is_rounded_once(bits in any::<u32>()) {
            let value = f32::from_bits(bits);
            prop_assume!(value.is_finite());
            // Parsed as a double, as hosts do, and parsed as float32.
            let written = FillValue(value.to_le_bytes().to_vec()).to_json_v3(&FLOAT32).unwrap();
            prop_assert_eq!((written.parse::<f64>().unwrap() as f32).to_bits(), bits);
            prop_assert_eq!(written.parse::<f32>().unwrap().to_bits(), bits);
        }
    }
}
