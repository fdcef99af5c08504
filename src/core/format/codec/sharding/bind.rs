//! Binds `sharding_indexed` to a shard. Its configuration: `chunk_shape`, `codecs`, `index_codecs`,
//! `index_location`.

use std::rc::Rc;

use super::Sharding;
use super::index::{IndexLocation, ShardIndexFormat};
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::pipeline::Pipeline;
use crate::format::codec::user::BindResult;
use crate::format::codec::{ChunkRepresentation, Codec};
use crate::format::data_type::{DataType, FillValue, Integer};
use crate::format::metadata::CodecMetadata;
use crate::format::metadata::codec;
use crate::limits;

/// Binds the codec.
///
/// # Errors
/// `Format` for a wrong configuration and for inner chunks that do not divide the shard, `Limit`
/// for an index that is too large and for shards that nest too deep. `UnknownKind` as
/// [`Pipeline::bind_with`].
pub fn bind(configuration: &Configuration<'_>, shard: &ChunkRepresentation) -> BindResult<Codec> {
    let chunk_shape = configuration.sizes("chunk_shape")?;
    let chunk_shape = configuration.required("chunk_shape", chunk_shape)?;
    let codecs = codec_list(configuration, "codecs")?;
    let index_codecs = codec_list(configuration, "index_codecs")?;
    let locations = [("start", IndexLocation::Start), ("end", IndexLocation::End)];
    let location = configuration.choice("index_location", &locations)?.unwrap_or(IndexLocation::End);
    let grid = grid(&shard.shape, &chunk_shape)?;
    let inner = ChunkRepresentation { shape: chunk_shape, ..shard.clone() };
    let inner = Pipeline::bind_with(&codecs, inner, configuration.users())?;
    let index = index(location, &index_codecs, &grid)?;
    let sharding = Sharding { shard: shard.clone(), inner: Rc::new(inner), grid, index: Rc::new(index) };
    if sharding.depth() > limits::SHARD_DEPTH {
        let (depth, most) = (sharding.depth() as u64, limits::SHARD_DEPTH as u64);
        return Err(limits::exceeded("nesting of shards", depth, most).into());
    }
    Ok(Codec::array_to_bytes(sharding))
}

/// Reads a chain of codecs from a configuration.
///
/// # Errors
/// `Format` that names the field.
pub fn codec_list(configuration: &Configuration<'_>, field: &'static str) -> Result<Vec<CodecMetadata>> {
    let list = configuration.required(field, configuration.json(field))?;
    let codecs = codec::parse_list(list, field, configuration.codec().format);
    codecs.map_err(|error| error.within_field(field))
}

/// The number of inner chunks along each dimension of the shard.
fn grid(shard: &[u64], chunk_shape: &[u64]) -> Result<Vec<u64>> {
    let mut grid = Vec::with_capacity(shard.len());
    for (shard, inner) in shard.iter().zip(chunk_shape) {
        if shard.checked_rem(*inner) == Some(0) {
            grid.extend(shard.checked_div(*inner));
        }
    }
    if grid.len() == shard.len() && grid.len() == chunk_shape.len() {
        return Ok(grid);
    }
    Err(Error::format("the inner chunks do not divide the shard")
        .in_field("chunk_shape")
        .expected(format!("divisors of {shard:?}"))
        .actual(format!("{chunk_shape:?}")))
}

/// The format of the index of a shard with this grid.
pub(super) fn index(
    location: IndexLocation,
    codecs: &[CodecMetadata],
    grid: &[u64],
) -> Result<ShardIndexFormat> {
    let index = ChunkRepresentation {
        shape: [grid, &[2]].concat(),
        data_type: DataType::Integer(Integer::Uint64),
        fill_value: FillValue(u64::MAX.to_le_bytes().to_vec()),
    };
    limits::within(index.byte_len()?.unwrap_or(u64::MAX), limits::SHARD_INDEX_BYTES, "shard index")?;
    // Planning reads the index and cannot wait for user codecs, so that the index has none.
    ShardIndexFormat::new(location, Pipeline::bind(codecs, index)?)
}
