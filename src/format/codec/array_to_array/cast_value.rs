//! `cast_value`: converts every number to another type, or fails.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/cast_value>
//!
//! The scalar map comes first, then rounding. A number out of range is then clamped, wrapped or
//! refused. The fill value must be castable. The specification also requires that casting back
//! restores it. That is not checked, because zarr-python writes arrays that break this rule and
//! whose elements are valid. Floats of 8 bits and fewer are not supported.

use std::collections::HashMap;

use super::exact::{ExactValue, Number, Rounded, Rounding};
use super::numpy::number_type;
use crate::error::{Error, Result};
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::registry::require_encoders;
use crate::format::codec::{ArrayBytes, ArrayToArray, ChunkRepresentation, Codec, check_decoded_len};
use crate::format::data_type::{DataType, FillValue, name};
use crate::format::metadata::extension::Extension;
use crate::format::metadata::json::{Document, Json};
use crate::kernel::cast::{NumberType, cast};
use crate::limits;

struct CastValue {
    count: u64,
    encode: DirectedCast,
    decode: DirectedCast,
    representation: ChunkRepresentation,
}

/// Binds the codec. Its configuration: `data_type`, `rounding`, `out_of_range`, `scalar_map`.
///
/// # Errors
/// `Format` for a value that the specification does not allow and for a fill value that cannot be
/// cast, `Unsupported` for data types that this codec or build does not have.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let data_type = configuration.read("data_type", |json| name::parse(&Extension::parse(json)?))?;
    let data_type = configuration.required("data_type", data_type)?;
    let (encode, decode) = both_directions(configuration, &decoded.data_type, &data_type)?;
    let fill_value = encode.convert(&decoded.fill_value.0).map_err(|failure| {
        Error::format(format!("the fill value {}", failure.message())).in_field("data_type")
    })?;
    let fill_value = FillValue(fill_value);
    let representation = ChunkRepresentation { shape: decoded.shape.clone(), data_type, fill_value };
    let count = decoded.element_count()?;
    Ok(Codec::array_to_array(CastValue { count, encode, decode, representation }))
}

const ROUNDINGS: [(&str, Rounding); 5] = [
    ("nearest-even", Rounding::NearestEven),
    ("towards-zero", Rounding::TowardsZero),
    ("towards-positive", Rounding::TowardsPositive),
    ("towards-negative", Rounding::TowardsNegative),
    ("nearest-away", Rounding::NearestAway),
];

const OUT_OF_RANGE: [(&str, OutOfRange); 2] = [("clamp", OutOfRange::Clamp), ("wrap", OutOfRange::Wrap)];

/// How to treat numbers out of the range of the new type. Without this rule they are errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutOfRange {
    Clamp,
    Wrap,
}

/// The conversions to encode and to decode.
fn both_directions(
    configuration: &Configuration<'_>,
    here: &DataType,
    there: &DataType,
) -> Result<(DirectedCast, DirectedCast)> {
    let (inner, outer) = (number(here)?, number(there)?);
    let rounding = configuration.choice("rounding", &ROUNDINGS)?.unwrap_or(Rounding::NearestEven);
    let out_of_range = configuration.choice("out_of_range", &OUT_OF_RANGE)?;
    if out_of_range == Some(OutOfRange::Wrap) && !outer.is_integer() {
        return Err(wrong_value("out_of_range", "clamp, because the type is a float", "wrap"));
    }
    let maps = configuration.read("scalar_map", |json| scalar_maps(json, here, there))?;
    let (encode_map, decode_map) = maps.unwrap_or_default();
    let encode = DirectedCast {
        from: inner,
        to: outer,
        rounding,
        out_of_range,
        // The kernel converts without rules when every number fits.
        plain: plain(here, there).filter(|_| encode_map.is_empty()),
        map: encode_map,
    };
    let decode = DirectedCast {
        from: outer,
        to: inner,
        rounding,
        // A float can clamp to infinity but cannot wrap.
        out_of_range: out_of_range.filter(|rule| inner.is_integer() || *rule == OutOfRange::Clamp),
        plain: plain(there, here).filter(|_| decode_map.is_empty()),
        map: decode_map,
    };
    Ok((encode, decode))
}

/// One direction of the scalar map, by canonical bits of the input.
type ScalarMap = HashMap<u64, u64>;

fn scalar_maps(json: Json<'_>, here: &DataType, there: &DataType) -> Result<(ScalarMap, ScalarMap)> {
    let maps = json.object()?;
    if let Some((key, _)) = maps.iter().find(|(key, _)| !["encode", "decode"].contains(&key.as_ref())) {
        return Err(Error::format("the scalar map has an unknown field").in_field(key.as_ref()));
    }
    let read = |key, from: &DataType, to: &DataType| {
        Ok(maps.read(key, |json| scalar_map(json, from, to))?.unwrap_or_default())
    };
    Ok((read("encode", here, there)?, read("decode", there, here)?))
}

fn scalar_map(json: Json<'_>, from: &DataType, to: &DataType) -> Result<ScalarMap> {
    let (from_number, to_number) = (number(from)?, number(to)?);
    let pairs = json.list(|json| match json.array()?.as_slice() {
        [input, output] => Ok((scalar(*input, from)?, scalar(*output, to)?)),
        _ => Err(json.unexpected("a list of an input and an output")),
    })?;
    let mut map = HashMap::new();
    for (input, output) in pairs {
        let input = canonical(from_number, from_number.load(&input.0));
        // The first of equal inputs counts.
        map.entry(input).or_insert_with(|| to_number.load(&output.0));
    }
    Ok(map)
}

fn scalar(json: Json<'_>, data_type: &DataType) -> Result<FillValue> {
    // The specification's example writes a sign that fill values do not have.
    if json.text() == "\"+Infinity\"" {
        return FillValue::parse_v3(data_type, Document::parse(b"\"Infinity\"")?.root());
    }
    FillValue::parse_v3(data_type, json)
}

fn number(data_type: &DataType) -> Result<Number> {
    Number::of(data_type).ok_or_else(|| {
        Error::unsupported(format!("cast_value does not support the data type {}", data_type.name()))
    })
}

/// The key of a value in the scalar map. All NaNs have one key, and so have both zeros.
fn key(number: Number, pattern: u64) -> ExactValue {
    match number.value(pattern) {
        ExactValue::Finite { magnitude: 0, .. } => {
            ExactValue::Finite { negative: false, magnitude: 0, exponent: 0 }
        }
        value => value,
    }
}

/// The bits that represent all values equal to this one.
fn canonical(number: Number, pattern: u64) -> u64 {
    match number.round(key(number, pattern), Rounding::NearestEven) {
        Rounded::Bits(bits) => bits,
        _ => pattern,
    }
}

/// The kernel's number types, when every number of one type is exact in the other; else `None`.
fn plain(from: &DataType, to: &DataType) -> Option<(NumberType, NumberType)> {
    let fits = match (Number::of(from)?, Number::of(to)?) {
        (Number::Integer { bits, signed }, Number::Integer { bits: room, signed: to_signed }) => {
            (signed == to_signed && bits <= room) || (!signed && bits < room)
        }
        (Number::Integer { bits, .. }, Number::Float { fraction_bits, exponent_bits }) => {
            bits.saturating_sub(1) <= fraction_bits && exponent_bits > 5
        }
        (
            Number::Float { exponent_bits, fraction_bits },
            Number::Float { exponent_bits: exponent_room, fraction_bits: fraction_room },
        ) => exponent_bits <= exponent_room && fraction_bits <= fraction_room,
        (Number::Float { .. }, Number::Integer { .. }) => false,
    };
    if !fits {
        return None;
    }
    Some((number_type(from).ok()?, number_type(to).ok()?))
}

/// Why a number cannot be converted.
#[derive(Clone, Copy)]
enum CastFailure {
    OutOfRange,
    Unlike,
}

impl CastFailure {
    fn message(self) -> &'static str {
        match self {
            Self::OutOfRange => "is out of the range of the new type",
            Self::Unlike => "is infinite or NaN, which the new type cannot hold",
        }
    }
}

/// The conversion of one direction: encode or decode.
struct DirectedCast {
    from: Number,
    to: Number,
    rounding: Rounding,
    out_of_range: Option<OutOfRange>,
    map: ScalarMap,
    plain: Option<(NumberType, NumberType)>,
}

impl DirectedCast {
    fn convert(&self, src: &[u8]) -> std::result::Result<Vec<u8>, CastFailure> {
        let count = src.len().checked_div(self.from.size()).unwrap_or(0);
        let mut dst = vec![0; count.saturating_mul(self.to.size())];
        self.convert_into(src, &mut dst).map(|()| dst)
    }

    fn convert_into(&self, src: &[u8], dst: &mut [u8]) -> std::result::Result<(), CastFailure> {
        if let Some((from, to)) = self.plain {
            cast(src, from, dst, to);
            return Ok(());
        }
        let (from_size, to_size) = (self.from.size(), self.to.size());
        for (src, dst) in src.chunks_exact(from_size).zip(dst.chunks_exact_mut(to_size)) {
            let bits = self.convert_one(self.from.load(src))?.to_le_bytes();
            dst.copy_from_slice(bits.get(..to_size).unwrap_or_default());
        }
        Ok(())
    }

    fn convert_one(&self, pattern: u64) -> std::result::Result<u64, CastFailure> {
        if !self.map.is_empty()
            && let Some(mapped) = self.map.get(&canonical(self.from, pattern))
        {
            return Ok(*mapped);
        }
        let value = self.from.value(pattern);
        match (self.to.round(value, self.rounding), self.out_of_range) {
            (Rounded::Bits(bits), _) => Ok(bits),
            (Rounded::Unlike, _) => Err(CastFailure::Unlike),
            (Rounded::OutOfRange { .. }, None) => Err(CastFailure::OutOfRange),
            (Rounded::OutOfRange { low_bits }, Some(OutOfRange::Wrap)) => Ok(low_bits),
            (Rounded::OutOfRange { .. }, Some(OutOfRange::Clamp)) => {
                Ok(self.to.end(matches!(value, ExactValue::Finite { negative: true, .. })))
            }
        }
    }

    fn checked(&self, bytes: &[u8], count: u64) -> Result<Vec<u8>> {
        let expected = limits::product([count, self.from.size() as u64], "chunk")?;
        check_decoded_len(bytes, expected)?;
        let len = limits::product([count, self.to.size() as u64], "chunk")?;
        limits::zeroed(len, limits::CHUNK_BYTES, "chunk")
    }
}

impl ArrayToArray for CastValue {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.representation
    }

    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes> {
        let encoded = encoded.into_fixed()?;
        let mut decoded = self.decode.checked(&encoded, self.count)?;
        let converted = self.decode.convert_into(&encoded, &mut decoded);
        converted.map_err(|failure| Error::format(format!("a stored number {}", failure.message())))?;
        Ok(ArrayBytes::Fixed(decoded))
    }

    fn encode(&self, decoded: ArrayBytes) -> Result<ArrayBytes> {
        require_encoders()?;
        let decoded = decoded.into_fixed()?;
        let mut encoded = self.encode.checked(&decoded, self.count)?;
        let converted = self.encode.convert_into(&decoded, &mut encoded);
        converted.map_err(|failure| Error::argument(format!("a number {}", failure.message())))?;
        Ok(ArrayBytes::Fixed(encoded))
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::error::ErrorKind;
    use crate::format::codec::registry;
    use crate::format::metadata::{CodecMetadata, ZarrFormat};

    /// Binds the codec to a chunk of these numbers.
    fn bind(from: &str, configuration: &str, fill: &str, count: u64) -> Result<Rc<dyn ArrayToArray>> {
        let codec = CodecMetadata {
            name: "cast_value".into(),
            configuration: Some(configuration.into()),
            format: ZarrFormat::V3,
            field: "codecs[0]".into(),
        };
        let document = format!("\"{from}\"");
        let document = Document::parse(document.as_bytes())?;
        let data_type = name::parse(&Extension::parse(document.root())?)?;
        let fill_value = FillValue::parse_v3(&data_type, Document::parse(fill.as_bytes())?.root())?;
        match registry::bind(&codec, &ChunkRepresentation { shape: vec![count], data_type, fill_value })? {
            Codec::ArrayToArray(codec) => Ok(codec),
            other => panic!("{other:?}"),
        }
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
