//! Fill values: what elements of missing chunks are.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#fill-value>, v2 "Fill value encoding".
//!
//! In memory a fill value is what an element is: packed little-endian bytes. Each family's file knows its JSON forms.

use super::typestr::Endian;
use super::{DataType, Run, boolean, complex, fixed_bytes, optional, structure, time, utf32, variable};
use crate::error::{Error, Result};
use crate::format::metadata::json::Json;
use crate::format::tolerated::Form;

/// One element, packed little-endian; of types of variable length its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FillValue(pub Vec<u8>);

impl FillValue {
    /// The element of zero bytes; of types of variable length the empty one.
    pub fn zero(data_type: &DataType) -> Self {
        match data_type {
            DataType::Json => Self(b"null".to_vec()),
            DataType::Optional(inner) => optional::none(inner),
            _ => Self(vec![0; data_type.size().unwrap_or(0)]),
        }
    }

    /// From v3 metadata; `null` is the caller's business, where it is not a value of the type.
    ///
    /// # Errors
    /// `Format` for values that the type does not have.
    pub fn parse_v3(data_type: &DataType, json: Json<'_>) -> Result<Self> {
        match data_type {
            DataType::Bool => boolean::parse_fill(json),
            DataType::Integer(integer) => integer.parse_fill(json),
            DataType::Float(float) => float.parse_fill(json),
            DataType::Complex(part) => complex::parse_fill(*part, json),
            DataType::Raw(len) => fixed_bytes::parse_raw_fill(*len, json),
            DataType::NullTerminatedBytes(len) => fixed_bytes::parse_padded_fill(*len, json),
            DataType::Utf32(len) => utf32::parse_fill(*len, json),
            DataType::Time(_) => time::parse_fill(json),
            DataType::Struct(structure) => structure::parse_fill(structure, json),
            DataType::Optional(inner) => optional::parse_fill(inner, json),
            DataType::String => variable::parse_string_fill(json),
            DataType::Bytes => variable::parse_bytes_fill(json),
            DataType::VariableArray(_) | DataType::Json => {
                Err(Error::unsupported(format!("Zarr v3 has no data type {:?}", data_type.name())))
            }
        }
    }

    /// From v2 metadata, where `null` means "undefined" and reads as zero; so do the odd values of some writers, with a
    /// warning. `endian` is the stored byte order of what is written packed; `None` where a struct knows its own.
    ///
    /// # Errors
    /// `Format` for values that the type does not have.
    pub fn parse_v2(
        data_type: &DataType,
        endian: Option<Endian>,
        json: Json<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<Self> {
        if json.is_null() {
            return Ok(Self::zero(data_type));
        }
        match data_type {
            // xarray writes "NaN" beside integer types when the fill value came from a float attribute.
            DataType::Integer(_) if json.str().is_ok_and(|text| text == "NaN") => {
                warnings.push(Form::V2FillNan.warning(format!("fill_value of {}", data_type.name())));
                Ok(Self::zero(data_type))
            }
            DataType::Integer(integer) => integer.parse_v2_fill(json),
            // NumPy's own booleans cross some writers' JSON as numbers.
            DataType::Bool if matches!(json.text(), "0" | "1" | "0.0" | "1.0") => {
                Ok(Self(vec![u8::from(json.text().starts_with('1'))]))
            }
            DataType::Float(float) => float.parse_v2_fill(json),
            DataType::Complex(part) => complex::parse_v2_fill(*part, json),
            DataType::Time(_) => time::parse_v2_fill(json),
            // zarr-python 2 wrote 0 where nobody had chosen.
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

    /// From v3 metadata of a legacy `structured` array: base64 of the packed struct in the byte order of its `bytes` codec.
    ///
    /// # Errors
    /// `Format` for anything else.
    pub fn parse_packed(data_type: &DataType, endian: Endian, json: Json<'_>) -> Result<Self> {
        match data_type {
            DataType::Struct(structure) => {
                structure::parse_packed_fill(structure, &stored_big_endian(data_type, Some(endian)), json)
            }
            _ => Self::parse_v3(data_type, json),
        }
    }

    /// The JSON text that v3 metadata has for it; exact.
    ///
    /// # Errors
    /// `Argument` when it is not an element of the type, `Unsupported` for types that v3 does not have.
    pub fn to_json_v3(&self, data_type: &DataType) -> Result<String> {
        if data_type.size().is_some_and(|size| size != self.0.len()) {
            let error = Error::argument(format!("the fill value is not one element of {}", data_type.name()));
            return Err(error.actual(format!("{} bytes", self.0.len())));
        }
        match data_type {
            DataType::Bool => Ok(boolean::fill_to_json(&self.0)),
            DataType::Integer(integer) => Ok(integer.fill_to_json(&self.0)),
            DataType::Float(float) => float.fill_to_json(&self.0),
            DataType::Complex(part) => complex::fill_to_json(*part, &self.0),
            DataType::Raw(_) => Ok(fixed_bytes::raw_fill_to_json(&self.0)),
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

/// What is stored with the highest byte first.
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

    use super::super::{Float, Integer, Time, TimeKind, TimeUnit};
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::data_type::{name, typestr};
    use crate::format::metadata::extension::Extension;
    use crate::format::metadata::json::Document;
    use crate::limits;

    fn v3(data_type: &DataType, text: &str) -> Result<Vec<u8>> {
        let document = Document::parse(text.as_bytes())?;
        FillValue::parse_v3(data_type, document.root()).map(|fill| fill.0)
    }

    fn v2(data_type: &DataType, text: &str) -> Result<Vec<u8>> {
        let document = Document::parse(text.as_bytes())?;
        FillValue::parse_v2(data_type, Some(Endian::Little), document.root(), &mut Vec::new())
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
    fn what_an_integer_is_not() {
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
        // Halfway between 2^24 and 2^24 + 2; the last one passes the middle by less than a double shows.
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
    fn what_v2_writers_write() {
        let int32 = DataType::Integer(Integer::Int32);
        assert_eq!(v2(&int32, "0.0").unwrap(), [0; 4]);
        assert_eq!(v2(&int32, "-5e1").unwrap(), (-50_i32).to_le_bytes());
        assert_eq!(v2(&int32, "null").unwrap(), [0; 4]);
        assert_eq!(v2(&FLOAT32, "7").unwrap(), 7_f32.to_le_bytes());
        assert_eq!(v2(&UINT64, "18446744073709551615").unwrap(), [0xff; 8]);
        assert_eq!(v2(&DataType::Bool, "1").unwrap(), [1]);
        assert_eq!(v2(&DataType::Bool, "0.0").unwrap(), [0]);
        for text in ["0.5", "1e300", "\"zero\"", "2147483648.0"] {
            assert_eq!(v2(&int32, text).unwrap_err().kind(), ErrorKind::Format, "{text}");
        }
        let (document, mut warnings) = (Document::parse(b"\"NaN\"").unwrap(), Vec::new());
        let fill = FillValue::parse_v2(&int32, Some(Endian::Little), document.root(), &mut warnings).unwrap();
        assert_eq!(fill, FillValue::zero(&int32));
        assert_eq!(warnings.len(), 1);
    }

    #[test]
    fn what_is_written() {
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
        let others = [DataType::Raw(3), DataType::NullTerminatedBytes(5), DataType::Time(unit)];
        proptest::sample::select([integers.as_slice(), &floats, &complex, &others].concat())
    }

    proptest! {
        #[test]
        fn every_element_survives_writing_and_reading(data_type in any_type(), bytes in any::<[u8; 16]>()) {
            let mut fill = FillValue(bytes[..data_type.size().unwrap()].to_vec());
            data_type.narrow_runs().iter().for_each(|run| run.extend(&mut fill.0));
            let written = fill.to_json_v3(&data_type).unwrap();
            prop_assert_eq!(v3(&data_type, &written).unwrap(), fill.0.clone(), "{}", written);
            prop_assert_eq!(v2(&data_type, &written).unwrap(), fill.0, "{}", written);
        }

        #[test]
        fn no_text_of_a_type_does_harm(text in r#"[<>|a-zA-Z0-9_\[\]"{}:, ]{0,24}"#) {
            // Whatever is read has a bounded size.
            if let Ok((data_type, _)) = typestr::parse(&text) {
                prop_assert!(data_type.size().is_some_and(|size| size as u64 <= limits::ELEMENT_BYTES));
            }
            if let Ok(document) = Document::parse(format!("{text:?}").as_bytes())
                && let Ok(data_type) = Extension::parse(document.root()).and_then(|name| name::parse(&name))
            {
                prop_assert!(data_type.to_json_v3().is_ok());
            }
        }

        #[test]
        fn float32_text_is_rounded_once(bits in any::<u32>()) {
            let value = f32::from_bits(bits);
            prop_assume!(value.is_finite());
            // Through a double, as JavaScript reads it, and straight.
            let written = FillValue(value.to_le_bytes().to_vec()).to_json_v3(&FLOAT32).unwrap();
            prop_assert_eq!((written.parse::<f64>().unwrap() as f32).to_bits(), bits);
            prop_assert_eq!(written.parse::<f32>().unwrap().to_bits(), bits);
        }
    }
}
