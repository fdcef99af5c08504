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
use crate::format::codec::{
    ArrayBytes, ArrayToArray, ArrayToArraySpec, ChunkRepresentation, Spec, wrong_decoded_len,
};
use crate::format::data_type::{DataType, FillValue, name};
use crate::format::metadata::extension::Extension;
use crate::format::metadata::json::{Document, Json};
use crate::kernel::cast::{NumberType, cast};
use crate::limits;

/// How to treat numbers out of the range of the new type. Without this rule they are errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutOfRange {
    Clamp,
    Wrap,
}

/// Pairs of JSON texts. Their data types are known only when the codec is bound.
type Pairs = Vec<(String, String)>;

/// The configuration: `data_type`, `rounding`, `out_of_range`, `scalar_map`.
#[derive(Debug)]
struct CastValueSpec {
    data_type: DataType,
    rounding: Rounding,
    out_of_range: Option<OutOfRange>,
    encode_map: Pairs,
    decode_map: Pairs,
}

/// Parses the configuration.
///
/// # Errors
/// `Format` for a value that the specification does not allow, `Unsupported` for data types that
/// this build does not have.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    let data_type = configuration.read("data_type", |json| name::parse(&Extension::parse(json)?))?;
    let roundings = [
        ("nearest-even", Rounding::NearestEven),
        ("towards-zero", Rounding::TowardsZero),
        ("towards-positive", Rounding::TowardsPositive),
        ("towards-negative", Rounding::TowardsNegative),
        ("nearest-away", Rounding::NearestAway),
    ];
    let out_of_range = [("clamp", OutOfRange::Clamp), ("wrap", OutOfRange::Wrap)];
    let (encode_map, decode_map) = configuration.read("scalar_map", scalar_map)?.unwrap_or_default();
    Ok(Spec::ArrayToArray(Box::new(CastValueSpec {
        data_type: configuration.required("data_type", data_type)?,
        rounding: configuration.choice("rounding", &roundings)?.unwrap_or(Rounding::NearestEven),
        out_of_range: configuration.choice("out_of_range", &out_of_range)?,
        encode_map,
        decode_map,
    })))
}

fn scalar_map(json: Json<'_>) -> Result<(Pairs, Pairs)> {
    let maps = json.object()?;
    if let Some((key, _)) = maps.iter().find(|(key, _)| !["encode", "decode"].contains(&key.as_ref())) {
        return Err(Error::format("the scalar map has an unknown field").in_field(key.as_ref()));
    }
    let pairs = |json: Json<'_>| json.list(pair);
    let read = |key| Ok(maps.read(key, pairs)?.unwrap_or_default());
    Ok((read("encode")?, read("decode")?))
}

fn pair(json: Json<'_>) -> Result<(String, String)> {
    match json.array()?.as_slice() {
        [from, to] => Ok((from.text().to_owned(), to.text().to_owned())),
        _ => Err(json.unexpected("a list of an input and an output")),
    }
}

impl ArrayToArraySpec for CastValueSpec {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn ArrayToArray>> {
        let (inner, outer) = (number(&decoded.data_type)?, number(&self.data_type)?);
        if self.out_of_range == Some(OutOfRange::Wrap) && !outer.is_integer() {
            return Err(wrong_value(
                "configuration.out_of_range",
                "clamp, because the type is a float",
                "wrap",
            ));
        }
        let map = |pairs: &Pairs, from: &DataType, to: &DataType, direction: &str| {
            let map = bind_map(pairs, from, to);
            map.map_err(|error| error.within_field(&format!("configuration.scalar_map.{direction}")))
        };
        let (here, there) = (&decoded.data_type, &self.data_type);
        let (rounding, out_of_range) = (self.rounding, self.out_of_range);
        let encode = DirectedCast {
            from: inner,
            to: outer,
            rounding,
            out_of_range,
            map: map(&self.encode_map, here, there, "encode")?,
            // The kernel converts without rules when every number fits.
            plain: plain(here, there).filter(|_| self.encode_map.is_empty()),
        };
        let decode = DirectedCast {
            from: outer,
            to: inner,
            rounding,
            // A float can clamp to infinity but cannot wrap.
            out_of_range: out_of_range.filter(|rule| inner.is_integer() || *rule == OutOfRange::Clamp),
            map: map(&self.decode_map, there, here, "decode")?,
            plain: plain(there, here).filter(|_| self.decode_map.is_empty()),
        };
        let fill_value = encode.convert(&decoded.fill_value.0).map_err(|failure| {
            let error = Error::format(format!("the fill value {}", failure.message()));
            error.in_field("configuration.data_type")
        })?;
        let representation = ChunkRepresentation {
            shape: decoded.shape.clone(),
            data_type: there.clone(),
            fill_value: FillValue(fill_value),
        };
        let count = decoded.element_count()?;
        Ok(Box::new(CastValue { count, encode, decode, representation }))
    }
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

fn bind_map(pairs: &Pairs, from: &DataType, to: &DataType) -> Result<HashMap<u64, u64>> {
    let (from_number, to_number) = (number(from)?, number(to)?);
    let mut map = HashMap::new();
    for (idx, (input, output)) in pairs.iter().enumerate() {
        let scalar = |text: &str, data_type: &DataType| {
            // The specification's example writes a sign that fill values do not have.
            let text = if text == "\"+Infinity\"" { "\"Infinity\"" } else { text };
            let document = Document::parse(text.as_bytes())?;
            FillValue::parse_v3(data_type, document.root())
                .map_err(|error| error.within_field(&format!("[{idx}]")))
        };
        let (input, output) = (scalar(input, from)?, scalar(output, to)?);
        let input = canonical(from_number, from_number.load(&input.0));
        // The first of equal inputs counts.
        map.entry(input).or_insert_with(|| to_number.load(&output.0));
    }
    Ok(map)
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
    /// The scalar map, by canonical bits of the input.
    map: HashMap<u64, u64>,
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
        if bytes.len() as u64 != expected {
            return Err(wrong_decoded_len(expected, bytes.len() as u64));
        }
        let len = limits::product([count, self.to.size() as u64], "chunk")?;
        limits::zeroed(len, limits::CHUNK_BYTES, "chunk")
    }
}

struct CastValue {
    count: u64,
    encode: DirectedCast,
    decode: DirectedCast,
    representation: ChunkRepresentation,
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
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::codec::registry;
    use crate::format::metadata::{CodecMetadata, ZarrFormat};

    /// Binds the codec to a chunk of these numbers.
    fn bind(from: &str, configuration: &str, fill: &str, count: u64) -> Result<Box<dyn ArrayToArray>> {
        let codec = CodecMetadata {
            name: "cast_value".into(),
            configuration: Some(configuration.into()),
            format: ZarrFormat::V3,
            field: "codecs[0]".into(),
        };
        let Spec::ArrayToArray(spec) = registry::parse(&codec)? else { panic!("not a codec of arrays") };
        let document = format!("\"{from}\"");
        let document = Document::parse(document.as_bytes())?;
        let data_type = name::parse(&Extension::parse(document.root())?)?;
        let fill_value = FillValue::parse_v3(&data_type, Document::parse(fill.as_bytes())?.root())?;
        spec.bind(&ChunkRepresentation { shape: vec![count], data_type, fill_value })
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
