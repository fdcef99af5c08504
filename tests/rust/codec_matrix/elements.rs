//! The data types of the matrix, and elements of each: those at the edges (all bits, none, the sign
//! alone, infinities and NaN with them) or small whole numbers, for codecs that count.

use zarr_wasm::format::codec::ArrayBytes;
use zarr_wasm::format::codec::array_bytes::VariableBytes;
use zarr_wasm::format::data_type::{DataType, Float, Integer, name};
use zarr_wasm::format::json::Document;
use zarr_wasm::format::metadata::extension::Extension;

/// Which elements a codec is tried with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// Every bit pattern that is hard.
    Edges,
    /// Whole numbers from 0 to 7; for floats of few bits, those that they have.
    Small,
    /// Sevenths, for floats; else as `Small`.
    Sevenths,
}

/// With the names that the matrix has for them.
pub fn data_types() -> Vec<(String, DataType)> {
    let mut types: Vec<DataType> = vec![DataType::Bool];
    types.extend(Integer::ALL.map(DataType::Integer));
    types.extend(Float::ALL.map(DataType::Float));
    types.extend(Float::ALL.map(DataType::Complex));
    types.extend([DataType::raw(1), DataType::raw(3)]);
    let texts = [
        r#"{"name":"null_terminated_bytes","configuration":{"length_bytes":5}}"#,
        r#"{"name":"fixed_length_utf32","configuration":{"length_bytes":12}}"#,
        r#"{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}"#,
        r#"{"name":"numpy.timedelta64","configuration":{"unit":"ms","scale_factor":25}}"#,
        r#"{"name":"struct","configuration":{"fields":[{"name":"x","data_type":"float32"},{"name":"flag","data_type":"uint8"}]}}"#,
        r#"{"name":"zarrs.optional","configuration":{"name":"int16","configuration":{}}}"#,
        r#""string""#,
        r#""bytes""#,
    ];
    types.extend(texts.map(|text| {
        let document = Document::parse(text.as_bytes()).unwrap();
        name::parse(&Extension::parse(document.root()).unwrap()).unwrap()
    }));
    types.extend([DataType::VariableArray(Box::new(DataType::Integer(Integer::Int32))), DataType::Json]);
    types.into_iter().map(|data_type| (label(&data_type), data_type)).collect()
}

fn label(data_type: &DataType) -> String {
    match data_type {
        DataType::Struct(_) => "struct(float32, uint8)".to_owned(),
        DataType::Optional(inner) => format!("optional({})", inner.name()),
        DataType::VariableArray(inner) => format!("array of {} (v2)", inner.name()),
        DataType::Json => "JSON (v2)".to_owned(),
        _ => data_type.name().into_owned(),
    }
}

/// So many elements.
pub fn sample(data_type: &DataType, sample: Sample, count: usize) -> ArrayBytes {
    let elements = (0..count).map(|at| element(data_type, sample, at));
    if data_type.size().is_some() {
        return ArrayBytes::Fixed(elements.flatten().collect());
    }
    let mut variable = VariableBytes::new();
    elements.for_each(|element| variable.push(&element).unwrap());
    ArrayBytes::Variable(variable)
}

fn element(data_type: &DataType, sample: Sample, at: usize) -> Vec<u8> {
    let cycle = |texts: &[&str]| texts[at % texts.len()].as_bytes().to_vec();
    match data_type {
        DataType::Bool => vec![u8::from(at.is_multiple_of(3))],
        DataType::Integer(integer) => {
            whole_number(*integer, sample, at).to_le_bytes()[..integer.size()].to_vec()
        }
        DataType::Float(float) => float_number(*float, sample, at),
        DataType::Complex(float) => {
            [float_number(*float, sample, at), float_number(*float, sample, at + 1)].concat()
        }
        DataType::NullTerminatedBytes(len) => {
            (0..*len).map(|byte| if byte < at % (len + 1) { 0xf0 | (at & 7) as u8 } else { 0 }).collect()
        }
        DataType::Utf32(len) => {
            let codes = [0x61, 0xe9, 0x4e2d, 0x10_ffff].map(u32::to_le_bytes);
            (0..*len)
                .flat_map(|char| if char < at % (len + 1) { codes[(at + char) % 4] } else { [0; 4] })
                .collect()
        }
        DataType::Struct(structure) => {
            structure.fields().iter().flat_map(|field| element(&field.data_type, sample, at)).collect()
        }
        DataType::Optional(inner) if at.is_multiple_of(3) => vec![0; 1 + inner.size().unwrap_or(0)],
        DataType::Optional(inner) => [vec![1], element(inner, sample, at)].concat(),
        DataType::String => cycle(&["", "a", "größe", "数组", "🦀🦀", "\0", "a longer one, of some words"]),
        DataType::Json => cycle(&["null", "1", "\"größe\"", "[1,{\"a\":2.5}]", "{}", "true", "-1e+300"]),
        DataType::Bytes => (0..at % 5).map(|byte| (at * 51 + byte) as u8).collect(),
        DataType::VariableArray(inner) => {
            (0..at % 4).flat_map(|item| element(inner, sample, at + item)).collect()
        }
        // Raw bytes and times: the same patterns as integers.
        _ => pattern(at).to_le_bytes().into_iter().cycle().take(data_type.size().unwrap_or(0)).collect(),
    }
}

/// 64 bits: none, all, the ends of the signed and the unsigned, and some between.
fn pattern(at: usize) -> u64 {
    let edges = [
        0,
        u64::MAX,
        i64::MIN.cast_unsigned(),
        i64::MAX.cast_unsigned(),
        1,
        0x8080_8080_8080_8080,
        0x0123_4567_89ab_cdef,
    ];
    edges[at % edges.len()]
}

fn whole_number(integer: Integer, sample: Sample, at: usize) -> u64 {
    let limit = if integer.bits() == 2 { 2 } else { 8 };
    let value = if sample == Sample::Edges { pattern(at) } else { at as u64 % limit };
    let unused = 64 - integer.bits();
    // Narrow ones take a byte, signed ones with the sign in its upper bits. An edge is an edge of
    // the type.
    let kept = if at % 7 == 3 && sample == Sample::Edges { u64::MAX >> (65 - integer.bits()) } else { value };
    match integer.is_signed() {
        true => ((kept << unused).cast_signed() >> unused).cast_unsigned(),
        false => kept << unused >> unused,
    }
}

fn float_number(float: Float, sample: Sample, at: usize) -> Vec<u8> {
    let bits = match (sample, float) {
        (Sample::Edges, _) => pattern(at) >> (64 - float.bits()),
        (_, Float::Float64) => number(sample, at).to_bits(),
        #[allow(clippy::cast_possible_truncation)]
        (_, Float::Float32) => u64::from((number(sample, at) as f32).to_bits()),
        _ => nearest(float, number(sample, at)),
    };
    bits.to_le_bytes()[..float.size()].to_vec()
}

fn number(sample: Sample, at: usize) -> f64 {
    let whole = f64::from(u32::try_from(at % 8).unwrap());
    if sample == Sample::Sevenths { whole / 7.0 } else { whole }
}

/// The bits of the type's number that is nearest.
fn nearest(float: Float, number: f64) -> u64 {
    let distance = |bits: &u64| (float.to_f64(*bits) - number).abs();
    let finite = (0..1_u64 << float.bits()).filter(|bits| float.to_f64(*bits).is_finite());
    finite.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap()
}

/// An element as a number.
pub fn to_f64(data_type: &DataType, element: &[u8]) -> Option<f64> {
    let bits = element.iter().rev().fold(0, |bits: u64, byte| bits << 8 | u64::from(*byte));
    match data_type {
        DataType::Float(float) => Some(float.to_f64(bits)),
        #[allow(clippy::cast_precision_loss)]
        DataType::Integer(integer) if integer.is_signed() => {
            let unused = 64 - 8 * integer.size() as u32;
            Some(((bits << unused).cast_signed() >> unused) as f64)
        }
        #[allow(clippy::cast_precision_loss)]
        DataType::Integer(_) => Some(bits as f64),
        _ => None,
    }
}
