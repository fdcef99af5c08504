//! Writes v2's `dtype` and `fill_value`: NumPy's type strings and lists of fields, and fill values
//! as zarr-python 2 writes them.

use crate::error::{Error, Result};
use crate::format::data_type::{DataType, Endian, FillValue, Float, Integer, Run, TimeKind, TimeUnit, run};
use crate::format::json::text::{list, string};
use crate::quoted::quoted;

/// Writes a data type. The byte order is `None` for a struct whose fields have different ones.
///
/// # Errors
/// `Unsupported` for types that v2 does not have.
pub(in crate::format::metadata) fn dtype(data_type: &DataType, endian: Option<Endian>) -> Result<String> {
    match data_type {
        DataType::Struct(structure) => {
            let mixed = structure.mixed_byte_order().unwrap_or_default();
            let fields = structure.fields().iter().map(|field| {
                let of_field = match endian {
                    Some(endian) => endian,
                    None if mixed.iter().any(|run| run.offset == field.offset) => Endian::Big,
                    None => Endian::Little,
                };
                let mut parts = vec![string(&field.name), dtype(&field.data_type, Some(of_field))?];
                parts.extend((!field.shape.is_empty()).then(|| list(&field.shape)));
                Ok(list(parts))
            });
            Ok(list(fields.collect::<Result<Vec<_>>>()?))
        }
        _ => typestr(data_type, endian.unwrap_or(Endian::Little)).map(|text| string(&text)),
    }
}

fn typestr(data_type: &DataType, endian: Endian) -> Result<String> {
    let Some(size) = data_type.size() else { return Ok("|O".to_owned()) };
    let code = match data_type {
        DataType::Bool => "b1".to_owned(),
        // Types that NumPy does not have are written by their v3 names, as TensorStore does.
        DataType::Integer(integer) if !integer.is_in_numpy() => return Ok(data_type.name().into_owned()),
        DataType::Integer(integer) if integer.is_signed() => format!("i{size}"),
        DataType::Integer(_) => format!("u{size}"),
        DataType::Float(float) if float.is_in_numpy() => format!("f{size}"),
        DataType::Float(_) => return Ok(data_type.name().into_owned()),
        DataType::Complex(Float::Float32 | Float::Float64) => format!("c{size}"),
        DataType::Raw(raw) => format!("V{}", raw.len),
        DataType::NullTerminatedBytes(len) => format!("S{len}"),
        DataType::Utf32(len) => format!("U{len}"),
        DataType::Time(time) => {
            let code = if time.kind == TimeKind::Moment { "M8" } else { "m8" };
            match (time.unit, time.scale_factor) {
                (TimeUnit::Generic, _) => code.to_owned(),
                (unit, 1) => format!("{code}[{}]", unit.name()),
                (unit, factor) => format!("{code}[{factor}{}]", unit.name()),
            }
        }
        _ => return Err(Error::unsupported(format!("v2 has no data type {}", quoted(&data_type.name())))),
    };
    let order = match endian {
        _ if data_type.swap_runs().is_empty() => '|',
        Endian::Little => '<',
        Endian::Big => '>',
    };
    Ok(format!("{order}{code}"))
}

/// Writes a fill value. v2 has no bit patterns, so it cannot express a NaN with a payload.
///
/// # Errors
/// `Argument` for such a NaN.
pub(in crate::format::metadata) fn fill_value(
    fill: &FillValue,
    data_type: &DataType,
    endian: Option<Endian>,
) -> Result<String> {
    let base64 = |bytes: &[u8]| FillValue(bytes.to_vec()).to_json_v3(&DataType::Bytes);
    match data_type {
        DataType::Json => Ok(String::from_utf8_lossy(&fill.0).into_owned()),
        DataType::VariableArray(_) => Ok("0".to_owned()),
        DataType::Raw(_) | DataType::NullTerminatedBytes(_) => base64(&fill.0),
        // NaT is written as a number.
        DataType::Time(_) => fill.to_json_v3(&DataType::Integer(Integer::Int64)),
        DataType::Struct(structure) => {
            let mut stored = fill.0.clone();
            let runs: Vec<Run> = match endian {
                Some(Endian::Little) => Vec::new(),
                Some(Endian::Big) => data_type.swap_runs(),
                None => structure.mixed_byte_order().unwrap_or_default().to_vec(),
            };
            run::swap_all(&mut stored, structure.size(), &runs);
            base64(&stored)
        }
        DataType::Float(_) | DataType::Complex(_) => {
            let text = fill.to_json_v3(data_type)?;
            if text.contains("\"0x") {
                let error = Error::argument("v2 metadata cannot express a NaN with a payload");
                return Err(error.in_field("fill_value").actual(text));
            }
            Ok(text)
        }
        _ => fill.to_json_v3(data_type),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::format::data_type::structure;
    use crate::format::data_type::typestr::parse;
    use crate::format::json::{self, Json};

    fn read(data_type: &DataType, endian: Option<Endian>, text: &str) -> FillValue {
        let read = |json: Json<'_>| FillValue::parse_v2(data_type, endian, json, &mut Vec::new());
        json::read(text, read).unwrap()
    }

    #[test]
    fn type_strings_round_trip() {
        for text in [
            "|b1",
            "|i1",
            ">u2",
            "<i8",
            "<f2",
            ">f8",
            "<c8",
            ">c16",
            "|V6",
            "|S12",
            "<U5",
            ">U1",
            "<M8[ns]",
            ">m8[25s]",
            "<M8",
            "bfloat16",
            "int4",
            "float8_e4m3fn",
        ] {
            let Ok((data_type, endian)) = parse(text) else { panic!("{text}") };
            assert_eq!(dtype(&data_type, Some(endian)).unwrap(), string(text));
        }
    }

    #[test]
    fn structs_round_trip_with_the_byte_order_of_each_field() {
        for text in [
            r#"[["a",">i2"],["b","|u1"],["c","<f4",[2,3]]]"#,
            r#"[["a",">i2"],["b",[["c",">f8"],["d","|S3"]]]]"#,
            r#"[["a","<i2"]]"#,
        ] {
            let (data_type, endian) = json::read(text, structure::parse_v2).unwrap();
            assert_eq!(dtype(&data_type, endian).unwrap(), text);
            // The first field is 0x0001, and the others are zero.
            let mut fill = FillValue::zero(&data_type);
            fill.0[0] = 1;
            let json = fill_value(&fill, &data_type, endian).unwrap();
            assert_eq!(read(&data_type, endian, &json), fill, "{text}: {json}");
        }
    }

    #[test]
    fn fill_values_round_trip() {
        for (text, bytes, json) in [
            ("|S4", &b"ab\0\0"[..], "\"YWIAAA==\""),
            ("<U2", &[0xf6, 0, 0, 0, 0, 0, 0, 0], "\"ö\""),
            ("<M8[s]", &i64::MIN.to_le_bytes(), "-9223372036854775808"),
            ("|V2", &[1, 2], "\"AQI=\""),
            ("<f4", &f32::NAN.to_le_bytes(), "\"NaN\""),
        ] {
            let (data_type, endian) = parse(text).unwrap();
            let fill = FillValue(bytes.to_vec());
            assert_eq!(fill_value(&fill, &data_type, Some(endian)).unwrap(), json, "{text}");
            assert_eq!(read(&data_type, Some(endian), json), fill, "{text}");
        }
        let (float, endian) = parse("<f4").unwrap();
        let payload = FillValue(0x7fc0_0001_u32.to_le_bytes().to_vec());
        assert!(fill_value(&payload, &float, Some(endian)).is_err());
    }
}
