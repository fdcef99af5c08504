//! `gribberish` and `grib` (kerchunk's): a chunk is a GRIB2 message. They can decode but
//! not encode. <https://github.com/mpiannucci/gribberish>,
//! <https://library.wmo.int/records/item/35625-manual-on-codes-volume-i-2>
//!
//! `zarr-wasm-grib` decodes the messages; here are the configurations of the codecs, and numbers
//! become elements. The first field of the message is read. `var` matters only as `latitude` and
//! `longitude`, which stand for the coordinates of the grid. Missing values are NaN.

use zarr_wasm_grib::{self as grib, Adjustments, Axis, Convention, Message};

use crate::error::{Error, ErrorKind, Result};
use crate::format::codec::build::codec_is_read_only;
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::{ArrayBytes, ArrayToBytes, ChunkRepresentation, Codec};
use crate::kernel::number::NumberType;
use crate::limits;

/// What a chunk holds.
#[derive(Clone, Copy)]
enum Variable {
    Values,
    Coordinate(Axis),
}

struct Grib {
    variable: Variable,
    convention: Convention,
    adjustments: Adjustments,
    /// The number of elements of the chunk.
    count: usize,
    /// Whether the elements have 32 bits, not 64.
    is_single: bool,
}

/// Binds `gribberish`. It takes `var`, `adjust_longitude_range` and `north_up`.
///
/// # Errors
/// `Format` for fields of another type, `Unsupported` for elements other than `float32` and
/// `float64`.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let variable = configuration.text("var")?;
    let wraps_longitude = configuration.boolean("adjust_longitude_range")?.unwrap_or(false);
    let is_north_up = configuration.boolean("north_up")?.unwrap_or(false);
    let adjustments = Adjustments { wraps_longitude, is_north_up };
    codec(variable.as_deref(), (Convention::Gribberish, adjustments), decoded)
}

/// Binds `grib`. It takes `var` and `dtype`.
///
/// # Errors
/// As [`bind()`], and `Unsupported` for a `dtype` that is not the array's.
pub fn bind_kerchunk(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let variable = configuration.text("var")?;
    let is_coordinate = matches!(variable.as_deref(), Some("latitude" | "longitude"));
    let default = if is_coordinate { "float64" } else { "float32" };
    let dtype = configuration.text("dtype")?.unwrap_or(default.into());
    let expected = if is_single(decoded)? { ["float32", "<f4"] } else { ["float64", "<f8"] };
    if !expected.contains(&&*dtype) {
        return Err(wrong_value("dtype", expected.join(" or "), dtype));
    }
    codec(variable.as_deref(), (Convention::Eccodes, Adjustments::default()), decoded)
}

fn codec(
    variable: Option<&str>,
    (convention, adjustments): (Convention, Adjustments),
    decoded: &ChunkRepresentation,
) -> Result<Codec> {
    let variable = match variable {
        Some("latitude") => Variable::Coordinate(Axis::Latitude),
        Some("longitude") => Variable::Coordinate(Axis::Longitude),
        _ => Variable::Values,
    };
    let bytes = decoded.element_count()?.saturating_mul(size_of::<f64>() as u64);
    let count = limits::within(bytes, limits::CHUNK_BYTES, "GRIB chunk")?.div_ceil(size_of::<f64>());
    Ok(Codec::array_to_bytes(Grib {
        variable,
        convention,
        adjustments,
        count,
        is_single: is_single(decoded)?,
    }))
}

/// Whether the elements are `float32`.
fn is_single(decoded: &ChunkRepresentation) -> Result<bool> {
    match decoded.data_type.number_type() {
        Some(NumberType::F32) => Ok(true),
        Some(NumberType::F64) => Ok(false),
        _ => Err(Error::unsupported(format!(
            "GRIB messages decode to float32 or float64, not {}",
            decoded.data_type.name()
        ))),
    }
}

impl ArrayToBytes for Grib {
    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        let numbers = self.numbers(encoded).map_err(of_grib)?;
        self.packed(&numbers).map(ArrayBytes::Fixed)
    }

    fn encode(&self, _: &ArrayBytes) -> Result<Vec<u8>> {
        Err(codec_is_read_only())
    }
}

impl Grib {
    fn numbers(&self, encoded: &[u8]) -> grib::Result<Vec<f64>> {
        let message = Message::parse(encoded)?;
        match self.variable {
            Variable::Values => self.values(&message),
            Variable::Coordinate(axis) => {
                message.grid(self.convention)?.coordinates(axis, self.adjustments, self.count)
            }
        }
    }

    fn values(&self, message: &Message<'_>) -> grib::Result<Vec<f64>> {
        let mut values = message.values(self.count)?;
        if self.adjustments == Adjustments::default() {
            return Ok(values);
        }
        message.grid(self.convention)?.adjust(&mut values, self.adjustments);
        Ok(values)
    }

    /// The numbers as little-endian elements.
    fn packed(&self, numbers: &[f64]) -> Result<Vec<u8>> {
        let size = if self.is_single { size_of::<f32>() } else { size_of::<f64>() };
        let mut packed = Vec::new();
        limits::reserve(&mut packed, numbers.len().saturating_mul(size), "chunk")?;
        for &number in numbers {
            #[allow(clippy::cast_possible_truncation, reason = "to the nearest, as NumPy's astype")]
            match self.is_single {
                true => packed.extend_from_slice(&(number as f32).to_le_bytes()),
                false => packed.extend_from_slice(&number.to_le_bytes()),
            }
        }
        Ok(packed)
    }
}

fn of_grib(error: grib::Error) -> Error {
    let kind = match error.kind() {
        grib::ErrorKind::Format => ErrorKind::Format,
        grib::ErrorKind::Unsupported => ErrorKind::Unsupported,
        grib::ErrorKind::Limit => ErrorKind::Limit,
    };
    let parts = error.into_parts();
    Error::new(kind, parts.message).of_decoder(parts.expected, parts.actual)
}
