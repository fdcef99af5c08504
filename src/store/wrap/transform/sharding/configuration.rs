//! The configuration of a sharding transformer: the binary format, and `chunks_per_shard`.

use std::rc::Rc;

use super::{ShardingTransformer, UNUSED_BYTES};
use crate::error::Result;
use crate::format::codec::sharding::transformer;
use crate::store::Store;
use crate::store::wrap::transform::{ArrayPlace, NamedTransformer, Transformer};

/// A parsed configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardingConfiguration {
    chunks_per_shard: Vec<u64>,
    field: String,
}

impl ShardingConfiguration {
    /// Parses `type` and `configuration`.
    ///
    /// # Errors
    /// `Unsupported` for a binary format other than `indexed`; `Format` for an invalid field.
    pub fn parse(named: &NamedTransformer<'_>) -> Result<Self> {
        let chunks_per_shard = transformer::chunks_per_shard(named.kind, named.configuration)?;
        Ok(Self { chunks_per_shard, field: named.field.to_owned() })
    }
}

impl Transformer for ShardingConfiguration {
    fn place_below(&self, place: &ArrayPlace) -> Result<ArrayPlace> {
        let grid = place.grid_shape.iter().zip(&self.chunks_per_shard);
        // `around` rejects values that do not fit.
        let grid_shape = grid.map(|(extent, per_shard)| extent.div_ceil((*per_shard).max(1))).collect();
        Ok(ArrayPlace { grid_shape, ..place.clone() })
    }

    fn around(&self, below: Rc<dyn Store>, place: &ArrayPlace) -> Result<Rc<dyn Store>> {
        let per_shard = self.chunks_per_shard.clone();
        let made = ShardingTransformer::new(below, place.clone(), per_shard, UNUSED_BYTES);
        Ok(Rc::new(made.map_err(|error| error.within_field(&self.field))?))
    }
}
