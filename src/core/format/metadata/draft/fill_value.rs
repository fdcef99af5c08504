//! Parses and writes fill values of the drafts. See "fill_value" of the array metadata in both
//! drafts.
//!
//! Numbers are those of v3, with `"+Infinity"`. Every number of a fixed size may also be given by
//! all its bits, in hexadecimal or binary. Complex numbers, strings and structs are those of v2:
//! the drafts leave them to extensions, and zarr-python wrote them. Bits are those of the number,
//! highest first. Raw bytes are not a number: their first byte comes first.

use crate::error::{Error, Result};
use crate::format::data_type::{DataType, Endian, FillValue, Float, Integer};
use crate::format::json::{Document, Json};
use crate::format::metadata::Draft;
use crate::format::tolerated::Form;
use crate::quoted::quoted;

/// Parses fill values of one data type.
pub(super) struct FillValueParser<'a> {
    pub draft: Draft,
    pub data_type: &'a DataType,
    /// The byte order of packed values.
    pub endian: Option<Endian>,
    /// Whether the type is the fallback of an unknown type, whose fill values may have another
    /// form.
    pub is_fallback: bool,
}

impl FillValueParser<'_> {
    /// Parses a fill value.
    ///
    /// # Errors
    /// `Format` for values that are not of the type.
    pub fn parse(&self, json: Json<'_>, warnings: &mut Vec<String>) -> Result<FillValue> {
        let parsed = if json.is_null() { Ok(self.null(warnings)) } else { self.value(json, warnings) };
        match parsed {
            Err(_) if self.is_fallback => {
                let name = self.data_type.name();
                warnings.push(Form::DraftFallbackFill.warning(format!("fill_value of {name}")));
                Ok(FillValue::zero(self.data_type))
            }
            parsed => parsed,
        }
    }

    /// Handles `null`. October 2020: "the fill value is undefined". May 2022 does not allow it, but
    /// has it in an example.
    fn null(&self, warnings: &mut Vec<String>) -> FillValue {
        if self.draft == Draft::May2022 {
            warnings.push(Form::DraftFillNull.warning("fill_value"));
        }
        FillValue::of_null(self.data_type)
    }

    fn value(&self, json: Json<'_>, warnings: &mut Vec<String>) -> Result<FillValue> {
        match self.data_type {
            DataType::Integer(_) | DataType::Time(_) => match bits(json, self.size()) {
                Some(bits) => bits,
                None => FillValue::parse_v3(self.data_type, json),
            },
            DataType::Float(float) => parse_float(*float, json),
            DataType::Complex(part) if json.kind_name() == "an array" => {
                let parts = json.list(|json| parse_float(*part, json))?;
                match parts.as_slice() {
                    [re, im] => Ok(FillValue([re.0.as_slice(), &im.0].concat())),
                    _ => Err(json.unexpected("[re, im]")),
                }
            }
            DataType::Raw(_) => match bits(json, self.size()) {
                Some(bits) => bits.map(|mut fill| {
                    fill.0.reverse();
                    fill
                }),
                None => FillValue::parse_v2(self.data_type, self.endian, json, warnings),
            },
            DataType::Bool => FillValue::parse_v3(self.data_type, json),
            _ => FillValue::parse_v2(self.data_type, self.endian, json, warnings),
        }
    }

    fn size(&self) -> usize {
        self.data_type.size().unwrap_or(0)
    }
}

fn parse_float(float: Float, json: Json<'_>) -> Result<FillValue> {
    if let Some(bits) = bits(json, float.size()) {
        return bits;
    }
    let data_type = DataType::Float(float);
    match json.text() {
        "\"+Infinity\"" => FillValue::parse_v3(&data_type, Document::parse(b"\"Infinity\"")?.root()),
        _ => FillValue::parse_v3(&data_type, json),
    }
}

/// Parses `"0x…"` or `"0b…"` to bytes, lowest first. `None` for other values.
fn bits(json: Json<'_>, size: usize) -> Option<Result<FillValue>> {
    let text = json.str().ok()?;
    let (digits, radix, digits_of_byte) = match (text.strip_prefix("0x"), text.strip_prefix("0b")) {
        (Some(digits), _) => (digits, 16, 2),
        (_, Some(digits)) => (digits, 2, 8),
        _ => return None,
    };
    let count = size.saturating_mul(digits_of_byte);
    if digits.len() != count || !digits.chars().all(|digit| digit.is_digit(radix)) {
        let base = if radix == 16 { "hexadecimal" } else { "binary" };
        return Some(Err(json.unexpected(&format!("{count} {base} digits"))));
    }
    let bytes = digits.as_bytes().rchunks(digits_of_byte).map(|byte| {
        let byte = std::str::from_utf8(byte).unwrap_or_default();
        u8::from_str_radix(byte, radix).unwrap_or_default()
    });
    Some(Ok(FillValue(bytes.collect())))
}

/// Writes a fill value in the form that the drafts prefer.
///
/// # Errors
/// `Argument` for bytes that are not an element of the type, `Unsupported` for types that the
/// drafts do not have.
pub(super) fn to_json(fill: &FillValue, data_type: &DataType, endian: Option<Endian>) -> Result<String> {
    match data_type {
        DataType::Float(float) => float_to_json(*float, &fill.0),
        DataType::Complex(part) => {
            let (re, im) = fill.0.split_at(fill.0.len() / 2);
            Ok(format!("[{},{}]", float_to_json(*part, re)?, float_to_json(*part, im)?))
        }
        DataType::Raw(_) => {
            let digits: Vec<String> = fill.0.iter().map(|byte| format!("{byte:02x}")).collect();
            Ok(format!("\"0x{}\"", digits.concat()))
        }
        DataType::Time(_) => fill.to_json_v3(&DataType::Integer(Integer::Int64)),
        DataType::NullTerminatedBytes(_) | DataType::Struct(_) => {
            crate::format::metadata::write::v2_data_type::fill_value(fill, data_type, endian)
        }
        DataType::Bool | DataType::Integer(_) | DataType::Utf32(_) => fill.to_json_v3(data_type),
        _ => Err(Error::unsupported(format!("the drafts have no data type {}", quoted(&data_type.name())))),
    }
}

fn float_to_json(float: Float, fill: &[u8]) -> Result<String> {
    let text = FillValue(fill.to_vec()).to_json_v3(&DataType::Float(float))?;
    Ok(if text == "\"Infinity\"" { "\"+Infinity\"".to_owned() } else { text })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::data_type::typestr;
    use crate::format::json;

    fn parse_in(draft: Draft, typestr: &str, text: &str, warnings: &mut Vec<String>) -> Result<Vec<u8>> {
        let (data_type, endian) = typestr::parse(typestr).unwrap();
        let elements =
            FillValueParser { draft, data_type: &data_type, endian: Some(endian), is_fallback: false };
        json::read(text, |json| elements.parse(json, warnings)).map(|fill| fill.0)
    }

    fn parse(typestr: &str, text: &str) -> Result<Vec<u8>> {
        let may = parse_in(Draft::May2022, typestr, text, &mut Vec::new());
        let october = parse_in(Draft::October2020, typestr, text, &mut Vec::new());
        assert_eq!(may.as_ref().ok(), october.as_ref().ok());
        may
    }

    #[test]
    fn bits_have_the_exact_width() {
        for (typestr, text, expected) in [
            ("<f4", "\"0x7fc00001\"", vec![1, 0, 0xc0, 0x7f]),
            (">f4", "\"0x7FC00001\"", vec![1, 0, 0xc0, 0x7f]),
            ("<f2", "\"0b0111111000000001\"", vec![1, 0x7e]),
            ("|i1", "\"0xff\"", vec![0xff]),
            ("<u2", "\"0b0000000100000010\"", vec![2, 1]),
            (">i8", "\"0x0102030405060708\"", vec![8, 7, 6, 5, 4, 3, 2, 1]),
            ("|V3", "\"0x010203\"", vec![1, 2, 3]),
            ("|V1", "\"0b10000001\"", vec![0x81]),
        ] {
            assert_eq!(parse(typestr, text).unwrap(), expected, "{typestr} {text}");
        }
        for (typestr, text) in [
            ("<f4", "\"0x7fc0001\""),
            ("<f4", "\"0x07fc00001\""),
            ("<f4", "\"0x\""),
            ("<f4", "\"0x+fc00001\""),
            ("<f4", "\"0b1\""),
            ("<u2", "\"0x1\""),
            ("|V3", "\"0x0102\""),
            ("|b1", "\"0x01\""),
        ] {
            assert_eq!(parse(typestr, text).unwrap_err().kind(), ErrorKind::Format, "{typestr} {text}");
        }
    }

    #[test]
    fn numbers_and_words() {
        for (typestr, text, expected) in [
            ("|b1", "true", vec![1]),
            ("<i2", "-2", vec![0xfe, 0xff]),
            ("<u8", "18446744073709551615", vec![0xff; 8]),
            ("<f4", "1", 1_f32.to_le_bytes().to_vec()),
            ("<f4", "\"NaN\"", f32::NAN.to_le_bytes().to_vec()),
            ("<f4", "\"+Infinity\"", f32::INFINITY.to_le_bytes().to_vec()),
            ("<f4", "\"Infinity\"", f32::INFINITY.to_le_bytes().to_vec()),
            ("<f4", "\"-Infinity\"", f32::NEG_INFINITY.to_le_bytes().to_vec()),
            ("<M8[s]", "-1", vec![0xff; 8]),
            ("<U2", "\"ö\"", vec![0xf6, 0, 0, 0, 0, 0, 0, 0]),
            ("|S3", "\"YWI=\"", vec![b'a', b'b', 0]),
        ] {
            assert_eq!(parse(typestr, text).unwrap(), expected, "{typestr} {text}");
        }
        let complex = parse("<c8", "[1.5, \"+Infinity\"]").unwrap();
        assert_eq!(complex, [1.5_f32.to_le_bytes(), f32::INFINITY.to_le_bytes()].concat());
    }

    #[test]
    fn integers_have_no_fraction_and_no_exponent() {
        for (typestr, text) in [
            ("<i4", "1.0"),
            ("<i4", "1e3"),
            ("|i1", "128"),
            ("<u2", "-1"),
            ("<i4", "\"1\""),
            ("|b1", "0"),
            ("|b1", "1"),
            ("<f8", "\"infinity\""),
            ("<f8", "true"),
            ("<c8", "[1]"),
            ("<U2", "\"abc\""),
        ] {
            assert_eq!(parse(typestr, text).unwrap_err().kind(), ErrorKind::Format, "{typestr} {text}");
        }
    }

    #[test]
    fn null_is_undefined_in_2020_and_a_warning_in_2022() {
        let mut warnings = Vec::new();
        assert_eq!(parse_in(Draft::October2020, "<f8", "null", &mut warnings).unwrap(), [0; 8]);
        assert!(warnings.is_empty());
        assert_eq!(parse_in(Draft::May2022, "<f8", "null", &mut warnings).unwrap(), [0; 8]);
        assert!(warnings[0].contains("null"));
    }

    #[test]
    fn fill_values_of_unknown_types_are_ignored_with_a_warning() {
        let data_type = DataType::raw(2);
        let elements = FillValueParser {
            draft: Draft::May2022,
            data_type: &data_type,
            endian: Some(Endian::Little),
            is_fallback: true,
        };
        let parse = |text: &str, warnings: &mut Vec<String>| {
            elements.parse(Document::parse(text.as_bytes()).unwrap().root(), warnings).unwrap().0
        };
        let mut warnings = Vec::new();
        assert_eq!(parse("\"0x0102\"", &mut warnings), [1, 2]);
        assert!(warnings.is_empty());
        assert_eq!(parse(r#"{"mantissa":1}"#, &mut warnings), [0, 0]);
        assert!(warnings[0].contains("r16"), "{warnings:?}");
    }

    #[test]
    fn fill_values_round_trip() {
        for (typestr, fill, expected) in [
            ("<f4", f32::INFINITY.to_le_bytes().to_vec(), "\"+Infinity\""),
            ("<f4", vec![1, 0, 0xc0, 0x7f], "\"0x7fc00001\""),
            ("<f8", 0.1_f64.to_le_bytes().to_vec(), "0.1"),
            ("|V3", vec![1, 2, 3], "\"0x010203\""),
            ("<M8[s]", i64::MIN.to_le_bytes().to_vec(), "-9223372036854775808"),
            ("|S3", vec![b'a', b'b', 0], "\"YWIA\""),
            ("<c8", [f32::NAN.to_le_bytes(), 1_f32.to_le_bytes()].concat(), "[\"NaN\",1.0]"),
        ] {
            let (data_type, endian) = typestr::parse(typestr).unwrap();
            let text = to_json(&FillValue(fill.clone()), &data_type, Some(endian)).unwrap();
            assert_eq!(text, expected);
            assert_eq!(parse(typestr, &text).unwrap(), fill);
        }
        assert!(to_json(&FillValue(Vec::new()), &DataType::String, None).is_err());
    }
}
