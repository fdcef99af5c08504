//! What metadata says of a sharding transformer: the binary format, and `chunks_per_shard`.

use std::rc::Rc;

use super::{ShardingTransformer, WriteStrategy};
use crate::error::{Error, Result};
use crate::format::metadata::json::{Document, Json};
use crate::store::Store;
use crate::store::transform::{ArrayPlace, Named, Transformer};

/// A parsed configuration, and the way of writing, which is none of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardingConfiguration {
    chunks_per_shard: Vec<u64>,
    strategy: WriteStrategy,
    field: String,
}

impl ShardingConfiguration {
    /// Reads `type` and `configuration`.
    ///
    /// # Errors
    /// `Unsupported` for a binary format other than `indexed`, `Format` naming the field.
    pub fn parse(named: &Named<'_>, strategy: WriteStrategy) -> Result<Self> {
        let kind = Document::parse(named.kind.as_bytes())?;
        match kind.root().str() {
            Ok(name) if name == "indexed" => {}
            _ => {
                let message = format!("unknown binary format of shards {}", named.kind);
                return Err(Error::unsupported(message).in_field("type").expected("\"indexed\""));
            }
        }
        let configuration = Document::parse(named.configuration.unwrap_or("{}").as_bytes())?;
        let read = || {
            let members = configuration.root().object()?;
            let chunks_per_shard = members.require("chunks_per_shard", Json::u64_list)?;
            match members.iter().find(|(name, _)| name != "chunks_per_shard") {
                None => Ok(chunks_per_shard),
                Some((name, _)) => {
                    Err(Error::unsupported("unknown configuration of shards").in_field(&**name))
                }
            }
        };
        let chunks_per_shard = read().map_err(|error: Error| error.within_field("configuration"))?;
        Ok(Self { chunks_per_shard, strategy, field: named.field.to_owned() })
    }

    /// Chunks along each dimension of a shard.
    pub fn chunks_per_shard(&self) -> &[u64] {
        &self.chunks_per_shard
    }
}

impl Transformer for ShardingConfiguration {
    fn place_below(&self, place: &ArrayPlace) -> Result<ArrayPlace> {
        let grid = place.grid_shape.iter().zip(&self.chunks_per_shard);
        // What does not fit is refused when the store is made.
        let grid_shape = grid.map(|(extent, per_shard)| extent.div_ceil((*per_shard).max(1))).collect();
        Ok(ArrayPlace { grid_shape, ..place.clone() })
    }

    fn around(&self, below: Rc<dyn Store>, place: &ArrayPlace) -> Result<Rc<dyn Store>> {
        let per_shard = self.chunks_per_shard.clone();
        let made = ShardingTransformer::new(below, place.clone(), per_shard, self.strategy);
        Ok(Rc::new(made.map_err(|error| error.within_field(&self.field))?))
    }
}
