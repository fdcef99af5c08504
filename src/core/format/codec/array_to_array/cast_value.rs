//! `cast_value`: converts every number to another type, or fails.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/cast_value>
//!
//! The scalar map comes first, then rounding. A number out of range is then clamped, wrapped or
//! refused. The fill value must be castable. The specification also requires that casting back
//! restores it. That is not checked, because zarr-python writes arrays that break this rule and
//! whose elements are valid. Floats of 8 bits and fewer are not supported.

use super::filter::filter;
use crate::error::{Error, Result};
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::{ChunkRepresentation, Codec, not_of_this_type};
use crate::format::data_type::{DataType, FillValue, name};
use crate::format::json::{Document, Json};
use crate::kernel::exact::{CastFailure, ExactCast, OutOfRange, Rounding};
use crate::kernel::number::Number;
use crate::limits;

/// Binds the codec. Its configuration: `data_type`, `rounding`, `out_of_range`, `scalar_map`.
///
/// # Errors
/// `Format` for a value that the specification does not allow and for a fill value that cannot be
/// cast, `Unsupported` for data types that this codec or build does not have.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let data_type = configuration.read("data_type", name::parse_json)?;
    let data_type = configuration.required("data_type", data_type)?;
    let (encode, decode) = both_directions(configuration, &decoded.data_type, &data_type)?;
    let mut fill_value = FillValue::zero(&data_type);
    encode.cast(&decoded.fill_value.0, &mut fill_value.0).map_err(|failure| {
        Error::format(format!("the fill value {}", message(failure))).in_field("data_type")
    })?;
    let encoded = ChunkRepresentation { shape: decoded.shape.clone(), data_type, fill_value };
    filter(
        decoded,
        encoded,
        move |bytes| {
            cast(&decode, &bytes, |failure| Error::format(format!("a stored number {}", message(failure))))
        },
        move |bytes| {
            cast(&encode, &bytes, |failure| Error::argument(format!("a number {}", message(failure))))
        },
    )
}

const ROUNDINGS: [(&str, Rounding); 5] = [
    ("nearest-even", Rounding::NearestEven),
    ("towards-zero", Rounding::TowardsZero),
    ("towards-positive", Rounding::TowardsPositive),
    ("towards-negative", Rounding::TowardsNegative),
    ("nearest-away", Rounding::NearestAway),
];

const OUT_OF_RANGE: [(&str, OutOfRange); 2] = [("clamp", OutOfRange::Clamp), ("wrap", OutOfRange::Wrap)];

/// The conversions to encode and to decode.
fn both_directions(
    configuration: &Configuration<'_>,
    here: &DataType,
    there: &DataType,
) -> Result<(ExactCast, ExactCast)> {
    let [inner, outer] = [number(here)?, number(there)?];
    let rounding = configuration.choice("rounding", &ROUNDINGS)?.unwrap_or(Rounding::NearestEven);
    let out_of_range = configuration.choice("out_of_range", &OUT_OF_RANGE)?;
    if out_of_range == Some(OutOfRange::Wrap) && !outer.is_integer() {
        return Err(wrong_value("out_of_range", "clamp, because the type is a float", "wrap"));
    }
    let maps = configuration.read("scalar_map", |json| scalar_maps(json, here, there))?;
    let (encode_map, decode_map) = maps.unwrap_or_default();
    Ok((
        ExactCast::new([inner, outer], rounding, out_of_range, encode_map),
        ExactCast::new([outer, inner], rounding, out_of_range, decode_map),
    ))
}

/// One direction of the scalar map: the bits of inputs and outputs.
type ScalarMap = Vec<(u64, u64)>;

fn scalar_maps(json: Json<'_>, here: &DataType, there: &DataType) -> Result<(ScalarMap, ScalarMap)> {
    let maps = json.object()?;
    if let Some((key, _)) = maps.iter().find(|(key, _)| !["encode", "decode"].contains(&key.as_ref())) {
        return Err(Error::format("the scalar map has an unknown field").in_field(key.as_ref()));
    }
    let read = |key, from: &DataType, to: &DataType| {
        let pair = |json: Json<'_>| match json.array()?.as_slice() {
            [input, output] => Ok((scalar(*input, from)?, scalar(*output, to)?)),
            _ => Err(json.unexpected("a list of an input and an output")),
        };
        Ok(maps.read(key, |json| json.list(pair))?.unwrap_or_default())
    };
    Ok((read("encode", here, there)?, read("decode", there, here)?))
}

/// The bits of a scalar.
fn scalar(json: Json<'_>, data_type: &DataType) -> Result<u64> {
    // The specification's example writes a sign that fill values do not have.
    let infinity = Document::parse(b"\"Infinity\"")?;
    let json = if json.text() == "\"+Infinity\"" { infinity.root() } else { json };
    let scalar = FillValue::parse_v3(data_type, json)?;
    Ok(number(data_type)?.load(&scalar.0))
}

fn number(data_type: &DataType) -> Result<Number> {
    data_type.layout().ok_or_else(|| not_of_this_type("cast_value", data_type))
}

fn message(failure: CastFailure) -> &'static str {
    match failure {
        CastFailure::OutOfRange => "is out of the range of the new type",
        CastFailure::Unlike => "is infinite or NaN, which the new type cannot hold",
    }
}

fn cast(cast: &ExactCast, from: &[u8], fail: impl Fn(CastFailure) -> Error) -> Result<Vec<u8>> {
    let [size, to_size] = cast.numbers().map(Number::size);
    let count = from.len().checked_div(size).unwrap_or(0);
    let len = limits::product([count as u64, to_size as u64], "chunk")?;
    let mut to = limits::zeroed(len, limits::CHUNK_BYTES, "chunk")?;
    cast.cast(from, &mut to).map_err(fail)?;
    Ok(to)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::error::ErrorKind;
    use crate::format::codec::{ArrayBytes, ArrayToArray, testing};
    use crate::format::json;

    /// Binds the codec to a chunk of these numbers.
    fn bind(from: &str, configuration: &str, fill: &str, count: u64) -> Result<Rc<dyn ArrayToArray>> {
        let data_type = json::read(&format!("\"{from}\""), name::parse_json)?;
        let fill_value = json::read(fill, |json| FillValue::parse_v3(&data_type, json))?;
        let chunk = ChunkRepresentation { shape: vec![count], data_type, fill_value };
        testing::array_to_array(&testing::metadata("cast_value", configuration), &chunk)
    }

    fn encode<const N: usize>(values: [f64; N], configuration: &str) -> Result<Vec<u8>> {
        let codec = bind("float64", configuration, "0", N as u64)?;
        codec.encode(ArrayBytes::Fixed(values.map(f64::to_le_bytes).as_flattened().to_vec()))?.into_fixed()
    }

    #[test]
    fn numbers_are_rounded_and_clamped_or_wrapped() {
        // Expected values: cast-value-rs 0.5.1.
        let int8 = |values: [f64; 4], rules: &str| {
            let configuration = format!("{{\"data_type\":\"int8\"{rules}}}");
            encode(values, &configuration)
                .map(|bytes| bytes.iter().map(|byte| byte.cast_signed()).collect::<Vec<_>>())
        };
        let values = [2.5, -2.5, 2.4, -2.6];
        for (rounding, expected) in [
            ("nearest-even", [2, -2, 2, -3]),
            ("towards-zero", [2, -2, 2, -2]),
            ("towards-positive", [3, -2, 3, -2]),
            ("towards-negative", [2, -3, 2, -3]),
            ("nearest-away", [3, -3, 2, -3]),
        ] {
            assert_eq!(
                int8(values, &format!(",\"rounding\":\"{rounding}\"")).unwrap(),
                expected,
                "{rounding}"
            );
        }
        let values = [128.4, 1e20, 300.7, -129.0];
        assert_eq!(int8(values, ",\"out_of_range\":\"wrap\"").unwrap(), [-128, 0, 45, 127]);
        assert_eq!(int8(values, ",\"out_of_range\":\"clamp\"").unwrap(), [127, 127, 127, -128]);
        assert_eq!(int8(values, "").unwrap_err().kind(), ErrorKind::Argument);
        assert_eq!(int8([127.4; 4], "").unwrap(), [127; 4]);
        assert_eq!(int8([127.5; 4], "").unwrap_err().kind(), ErrorKind::Argument);
        let clamped = encode([1e300, -1e300], r#"{"data_type":"float32","out_of_range":"clamp"}"#).unwrap();
        assert_eq!(clamped, [f32::INFINITY, f32::NEG_INFINITY].map(f32::to_le_bytes).as_flattened());
    }

    #[test]
    fn infinity_and_nan_need_the_scalar_map() {
        let clamp = r#"{"data_type":"int8","out_of_range":"clamp"}"#;
        for value in [f64::INFINITY, f64::NAN] {
            assert_eq!(encode([value], clamp).unwrap_err().kind(), ErrorKind::Argument);
        }
        let mapped = r#"{"data_type":"int8","scalar_map":{"encode":[["NaN",3],["+Infinity",4],[0,5],[0,6],[1e30,-7]]}}"#;
        let nan = f64::from_bits(0xfff8_0000_0000_0001);
        assert_eq!(encode([nan, f64::INFINITY, -0.0, 1e30, 9.0], mapped).unwrap(), [3, 4, 5, 249, 9]);
    }

    #[test]
    fn fill_values_are_cast_like_elements() {
        let configuration =
            r#"{"data_type":"uint8","scalar_map":{"encode":[["NaN",0]],"decode":[[0,"NaN"]]}}"#;
        let codec = bind("float64", configuration, "\"NaN\"", 2).unwrap();
        assert_eq!(codec.encoded().fill_value.0, [0]);
        assert_eq!(codec.encoded().data_type.name(), "uint8");
        let decoded = codec.decode(ArrayBytes::Fixed(vec![0, 7])).unwrap().into_fixed().unwrap();
        assert!(f64::from_le_bytes(*decoded.first_chunk().unwrap()).is_nan());
        assert_eq!(decoded[8..], 7f64.to_le_bytes());
        for (configuration, fill) in
            [(r#"{"data_type":"uint8"}"#, "\"NaN\""), (r#"{"data_type":"uint8"}"#, "-1")]
        {
            assert_eq!(
                bind("float64", configuration, fill, 2).err().unwrap().kind(),
                ErrorKind::Format,
                "{fill}"
            );
        }
    }

    #[test]
    fn stored_numbers_out_of_range_are_errors() {
        let codec = bind("int8", r#"{"data_type":"int16"}"#, "0", 2).unwrap();
        let decode =
            |numbers: [i16; 2]| codec.decode(ArrayBytes::Fixed(numbers.map(i16::to_le_bytes).concat()));
        assert_eq!(decode([-128, 127]).unwrap(), ArrayBytes::Fixed(vec![128, 127]));
        assert_eq!(decode([0, 128]).unwrap_err().kind(), ErrorKind::Format);
        assert_eq!(codec.decode(ArrayBytes::Fixed(vec![0; 3])).unwrap_err().kind(), ErrorKind::Format);
    }

    #[test]
    fn configurations_that_do_not_fit_are_refused() {
        for (configuration, kind, field) in [
            ("{}", ErrorKind::Format, "data_type"),
            (r#"{"data_type":"float32","out_of_range":"wrap"}"#, ErrorKind::Format, "out_of_range"),
            (r#"{"data_type":"int8","rounding":"up"}"#, ErrorKind::Format, "rounding"),
            (r#"{"data_type":"int8","scalar_map":{"both":[]}}"#, ErrorKind::Format, "scalar_map.both"),
            (
                r#"{"data_type":"int8","scalar_map":{"encode":[[1]]}}"#,
                ErrorKind::Format,
                "scalar_map.encode[0]",
            ),
            (
                r#"{"data_type":"int8","scalar_map":{"encode":[[1,1],["x",1]]}}"#,
                ErrorKind::Format,
                "scalar_map.encode[1]",
            ),
            (
                r#"{"data_type":"int8","scalar_map":{"encode":[[1,200]]}}"#,
                ErrorKind::Format,
                "scalar_map.encode[0]",
            ),
            (r#"{"data_type":"int8","more":1}"#, ErrorKind::Format, "more"),
        ] {
            let error = bind("float64", configuration, "0", 1).err().unwrap();
            assert_eq!(error.kind(), kind, "{configuration}");
            let found = error.context().field.clone().unwrap_or_default();
            assert!(found.ends_with(field), "{configuration}: {found}");
        }
        assert_eq!(
            bind("bool", r#"{"data_type":"int8"}"#, "true", 1).err().unwrap().kind(),
            ErrorKind::Unsupported
        );
    }
}
