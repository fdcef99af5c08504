//! Chunks and codecs for the tests of codecs.

use std::rc::Rc;

use super::{ArrayToArray, ArrayToBytes, BytesToBytes, ChunkRepresentation, Codec, registry};
use crate::error::Result;
use crate::format::data_type::{DataType, FillValue};
use crate::format::metadata::CodecMetadata;

/// A chunk whose fill value is zero.
pub fn chunk(shape: &[u64], data_type: DataType) -> ChunkRepresentation {
    let fill_value = FillValue::zero(&data_type);
    ChunkRepresentation { shape: shape.to_vec(), data_type, fill_value }
}

/// A codec of v3 with this configuration, the first of its chain.
pub fn metadata(name: &str, configuration: &str) -> CodecMetadata {
    CodecMetadata { configuration: Some(configuration.to_owned()), ..CodecMetadata::v3(name).at("codecs[0]") }
}

/// Binds an array → array codec.
pub fn array_to_array(codec: &CodecMetadata, chunk: &ChunkRepresentation) -> Result<Rc<dyn ArrayToArray>> {
    match registry::bind(codec, chunk)? {
        Codec::ArrayToArray(codec) => Ok(codec),
        other => panic!("{other:?}"),
    }
}

/// Binds an array → bytes codec.
pub fn array_to_bytes(codec: &CodecMetadata, chunk: &ChunkRepresentation) -> Result<Rc<dyn ArrayToBytes>> {
    match registry::bind(codec, chunk)? {
        Codec::ArrayToBytes(codec) => Ok(codec),
        other => panic!("{other:?}"),
    }
}

/// Binds a bytes → bytes codec.
pub fn bytes_to_bytes(codec: &CodecMetadata, chunk: &ChunkRepresentation) -> Result<Rc<dyn BytesToBytes>> {
    match registry::bind(codec, chunk)? {
        Codec::BytesToBytes(codec) => Ok(codec),
        other => panic!("{other:?}"),
    }
}
