//! `scale_offset`: `(x - offset) * scale` in the arithmetic of the array's data type.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/scale_offset>
//!
//! Integers neither wrap nor round: a result out of range and a division with a remainder are
//! errors. Floats round after each step. Floats of 8 bits and fewer are not supported.
//! This is not numcodecs' `fixedscaleoffset`.

use super::filter::filter;
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec, not_of_this_type};
use crate::format::data_type::FillValue;
use crate::format::json;
use crate::kernel::scale_offset::{self as kernel, ScaleFailure, Scaling};

/// Binds the codec. Its configuration: `offset` and `scale`, scalars of the array's data type.
///
/// # Errors
/// `Format` for scalars of another type and for a fill value that cannot be encoded, `Unsupported`
/// for other data types than integers and floats of 16 to 64 bits.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let data_type = &decoded.data_type;
    let number = data_type.layout().ok_or_else(|| not_of_this_type("scale_offset", data_type))?;
    let scalar = |field, default: &str| {
        let scalar = configuration.read(field, |json| FillValue::parse_v3(data_type, json))?;
        let default = || json::read(default, |json| FillValue::parse_v3(data_type, json));
        scalar.map_or_else(default, Ok)
    };
    let (offset, scale) = (scalar("offset", "0")?, scalar("scale", "1")?);
    let by = Scalars { offset, scale };
    let mut encoded = decoded.clone();
    kernel::scale(&mut encoded.fill_value.0, number, by.scaling())
        .map_err(|failure| Error::format(format!("the fill value {}", message(failure))))?;
    let same = by.clone();
    let decode = move |mut bytes: Vec<u8>| {
        let failed = |failure| Error::format(format!("a stored number {}", message(failure)));
        kernel::unscale(&mut bytes, number, same.scaling()).map_err(failed)?;
        Ok(bytes)
    };
    let encode = move |mut bytes: Vec<u8>| {
        let failed = |failure| Error::argument(format!("a number {}", message(failure)));
        kernel::scale(&mut bytes, number, by.scaling()).map_err(failed)?;
        Ok(bytes)
    };
    filter(decoded, encoded, decode, encode)
}

#[derive(Clone)]
struct Scalars {
    offset: FillValue,
    scale: FillValue,
}

impl Scalars {
    fn scaling(&self) -> Scaling<'_> {
        Scaling { offset: &self.offset.0, scale: &self.scale.0 }
    }
}

fn message(failure: ScaleFailure) -> &'static str {
    match failure {
        ScaleFailure::OutOfRange => "leaves the range of its data type when it is scaled",
        ScaleFailure::Remainder => "is not a multiple of the scale",
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::error::ErrorKind;
    use crate::format::codec::{ArrayBytes, ArrayToArray, testing};
    use crate::format::data_type::{DataType, Integer};

    const INT8: DataType = DataType::Integer(Integer::Int8);
    const UINT8: DataType = DataType::Integer(Integer::Uint8);

    fn bind(data_type: DataType, offset: &str, scale: &str, fill: Vec<u8>) -> Result<Rc<dyn ArrayToArray>> {
        let configuration = format!("{{\"offset\":{offset},\"scale\":{scale}}}");
        let chunk = ChunkRepresentation { shape: vec![1], data_type, fill_value: FillValue(fill) };
        testing::array_to_array(&testing::metadata("scale_offset", &configuration), &chunk)
    }

    #[test]
    fn integers_are_exact_or_errors() {
        let one =
            |codec: &dyn ArrayToArray, byte: u8| codec.encode(ArrayBytes::Fixed(vec![byte]))?.into_fixed();
        let back =
            |codec: &dyn ArrayToArray, byte: u8| codec.decode(ArrayBytes::Fixed(vec![byte]))?.into_fixed();
        let codec = bind(UINT8, "10", "3", vec![10]).unwrap();
        assert_eq!(codec.encoded().fill_value.0, [0]);
        assert_eq!([one(&*codec, 20).unwrap(), one(&*codec, 95).unwrap()], [[30], [255]]);
        assert_eq!([back(&*codec, 30).unwrap(), back(&*codec, 255).unwrap()], [[20], [95]]);
        // Below zero on the way, above the end, not divisible.
        for byte in [9, 96] {
            assert_eq!(one(&*codec, byte).unwrap_err().kind(), ErrorKind::Argument, "{byte}");
        }
        assert_eq!(back(&*codec, 31).unwrap_err().kind(), ErrorKind::Format);
        let codec = bind(INT8, "0", "-1", vec![0]).unwrap();
        assert_eq!(one(&*codec, 128).unwrap_err().kind(), ErrorKind::Argument);
        assert_eq!(one(&*codec, 127).unwrap(), [129]);
        assert!(back(&*bind(INT8, "0", "0", vec![0]).unwrap(), 0).is_err());
        assert_eq!(bind(UINT8, "1", "1", vec![0]).err().unwrap().kind(), ErrorKind::Format);
    }

    #[test]
    fn scalars_are_of_the_arrays_type() {
        for (offset, scale, field) in
            [("300", "1", "offset"), ("1.5", "1", "offset"), ("0", "\"x\"", "scale")]
        {
            let error = bind(UINT8, offset, scale, vec![0]).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Format);
            assert!(error.context().field.as_deref().unwrap().ends_with(field), "{error}");
        }
        assert_eq!(
            bind(DataType::Bool, "true", "true", vec![0]).err().unwrap().kind(),
            ErrorKind::Unsupported
        );
    }
}
