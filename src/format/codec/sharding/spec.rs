//! The configuration of `sharding_indexed`: `chunk_shape`, `codecs`, `index_codecs`,
//! `index_location`.

use std::rc::Rc;

use super::Sharding;
use super::index::{IndexLocation, ShardIndexFormat};
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::pipeline::Pipeline;
use crate::format::codec::user::OptionalUserCodecs;
use crate::format::codec::{ArrayToBytes, ArrayToBytesSpec, ChunkRepresentation, Spec};
use crate::format::data_type::{DataType, FillValue, Integer};
use crate::format::metadata::CodecMetadata;
use crate::format::metadata::codec;
use crate::limits;

/// A parsed sharding codec.
#[derive(Debug)]
struct ShardingSpec {
    chunk_shape: Vec<u64>,
    codecs: Vec<CodecMetadata>,
    index_codecs: Vec<CodecMetadata>,
    index_location: IndexLocation,
    users: OptionalUserCodecs,
}

/// Parses the configuration.
///
/// # Errors
/// `Format` that names the field.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    let chunk_shape = configuration.sizes("chunk_shape")?;
    let chunk_shape = configuration.required("chunk_shape", chunk_shape)?;
    let locations = [("start", IndexLocation::Start), ("end", IndexLocation::End)];
    Ok(Spec::ArrayToBytes(Box::new(ShardingSpec {
        chunk_shape,
        codecs: codec_list(configuration, "codecs")?,
        index_codecs: codec_list(configuration, "index_codecs")?,
        index_location: configuration.choice("index_location", &locations)?.unwrap_or(IndexLocation::End),
        users: configuration.users().clone(),
    })))
}

/// Reads a chain of codecs from a configuration.
///
/// # Errors
/// `Format` that names the field.
pub fn codec_list(configuration: &Configuration<'_>, field: &'static str) -> Result<Vec<CodecMetadata>> {
    let list = configuration.required(field, configuration.json(field))?;
    let codec = |json| super::transformer::numcodecs(json).map_or_else(|| codec::parse(json), Ok);
    let mut codecs = list.list(codec).map_err(|error| error.within_field(field))?;
    codecs.iter_mut().enumerate().for_each(|(i, codec)| codec.field = format!("{field}[{i}]"));
    Ok(codecs)
}

impl ArrayToBytesSpec for ShardingSpec {
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "`check_division` has refused inner chunks without elements"
    )]
    fn bind(&self, shard: &ChunkRepresentation) -> Result<Box<dyn ArrayToBytes>> {
        self.check_division(shard)?;
        let inner = ChunkRepresentation { shape: self.chunk_shape.clone(), ..shard.clone() };
        let inner = Pipeline::bind_with(&self.codecs, inner, &self.users).map_err(within_configuration)?;
        let mut index_shape: Vec<u64> =
            shard.shape.iter().zip(&self.chunk_shape).map(|(shard, inner)| shard / inner).collect();
        index_shape.push(2);
        let index = ChunkRepresentation {
            shape: index_shape,
            data_type: DataType::Integer(Integer::Uint64),
            fill_value: FillValue(u64::MAX.to_le_bytes().to_vec()),
        };
        limits::within(index.byte_len()?.unwrap_or(u64::MAX), limits::SHARD_INDEX_BYTES, "shard index")?;
        // Planning reads the index and cannot wait for user codecs, so that the index has none.
        let index = Pipeline::bind(&self.index_codecs, index).map_err(within_configuration)?;
        let index = ShardIndexFormat::new(self.index_location, index).map_err(within_configuration)?;
        let sharding = Sharding::new(shard, Rc::new(inner), index);
        if sharding.depth() > limits::SHARD_DEPTH {
            return Err(limits::exceeded(
                "nesting of shards",
                sharding.depth() as u64,
                limits::SHARD_DEPTH as u64,
            ));
        }
        Ok(Box::new(sharding))
    }
}

impl ShardingSpec {
    fn check_division(&self, shard: &ChunkRepresentation) -> Result<()> {
        let divides = shard.shape.len() == self.chunk_shape.len()
            && shard
                .shape
                .iter()
                .zip(&self.chunk_shape)
                .all(|(shard, inner)| shard.checked_rem(*inner) == Some(0));
        if divides {
            return Ok(());
        }
        Err(Error::format("the inner chunks do not divide the shard")
            .in_field("configuration.chunk_shape")
            .expected(format!("divisors of {:?}", shard.shape))
            .actual(format!("{:?}", self.chunk_shape)))
    }
}

fn within_configuration(error: Error) -> Error {
    error.within_field("configuration")
}
