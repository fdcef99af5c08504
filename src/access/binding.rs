//! What the planner and the decoders both know of an array: its metadata, and the bound codec chain of each level of chunks.
//!
//! A level is a size of chunk: level 0 is what the chunk grid stores under a key; where the planner can see into shards, level 1
//! is their inner chunks, and so on. The last level is the *leaf*: what is decoded at a time, and what users call a chunk.
//! Made from the node's raw documents, so that a worker and the caller make the same one.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use crate::access::rows::Rows;
use crate::error::{Error, Result};
use crate::format::chunk_grid::GridDimension;
use crate::format::codec::ChunkRepresentation;
use crate::format::codec::pipeline::Pipeline;
use crate::format::codec::registry::WasmModule;
use crate::format::codec::sharding::transformer;
use crate::format::codec::user::{OptionalUserCodecs, arrange_v2};
use crate::format::metadata::document::{self, NodeDocument};
use crate::format::metadata::{ArrayMetadata, NodeMetadata, ZarrFormat};
use crate::limits;
use crate::sorted::Map;

/// An array's metadata with its codecs bound.
pub struct Binding {
    metadata: ArrayMetadata,
    /// What the documents say, where chunks are found by other words: the shards of a draft's storage transformer.
    declared: Option<Box<ArrayMetadata>>,
    element_size: usize,
    first: OnceCell<Rc<Chain>>,
    /// By the shape of the stored chunk: a grid whose chunks differ has a chain for each shape.
    chains: RefCell<Map<Vec<u64>, Rc<Chain>>>,
    users: OptionalUserCodecs,
}

/// The levels of one shape of stored chunk, outermost first.
pub struct Chain {
    levels: Vec<Level>,
    /// How some rows of a leaf chunk are decoded, where its bytes are its elements and are many: behind the levels.
    rows: Option<Rows>,
}

/// One level of chunks.
pub struct Level {
    /// `axes[i]` is the array's dimension that stands at dimension `i` of this level (outer transpositions permute them).
    pub axes: Vec<usize>,
    /// Shape of this level's chunks, in the array's order of dimensions.
    pub shape: Vec<u64>,
    /// How one chunk is decoded.
    pub pipeline: Rc<Pipeline>,
}

impl Chain {
    /// Level `i`, if there is one; behind the last, that of rows.
    pub fn level(&self, i: usize) -> Option<&Level> {
        self.levels.get(i).or_else(|| self.rows().filter(|_| i == self.levels.len()).map(Rows::level))
    }

    /// How leaf chunks are read by rows, where they can be.
    pub fn rows(&self) -> Option<&Rows> {
        self.rows.as_ref()
    }

    /// How many levels there are; at least 1.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// The last level: what is decoded at a time.
    ///
    /// # Errors
    /// Never for a chain made by [`Binding`].
    pub fn leaf(&self) -> Result<&Level> {
        self.levels.last().ok_or_else(|| Error::format("a codec chain has no level"))
    }

    /// That the codecs of every level can encode.
    ///
    /// # Errors
    /// As [`Pipeline::check_encodes`].
    pub fn check_encodes(&self) -> Result<()> {
        self.levels.iter().try_for_each(|level| level.pipeline.check_encodes())
    }

    fn new(outer: Pipeline) -> Self {
        let rank = outer.decoded().shape.len();
        let mut levels: Vec<Level> = Vec::new();
        let mut next = Some((Rc::new(outer), (0..rank).collect::<Vec<_>>()));
        while let Some((pipeline, axes)) = next {
            next = pipeline.plannable_sharding().map(|sharding| {
                let inner = pipeline.axes().iter().filter_map(|axis| axes.get(*axis).copied()).collect();
                (sharding.inner().clone(), inner)
            });
            let shape = in_array_order(&pipeline.decoded().shape, &axes);
            levels.push(Level { axes, shape, pipeline });
        }
        let rows = levels.last().and_then(Rows::of);
        Self { levels, rows }
    }
}

/// A level's shape, or position, in the array's order of dimensions.
fn in_array_order(values: &[u64], axes: &[usize]) -> Vec<u64> {
    let mut ordered = vec![0; values.len()];
    for (axis, value) in axes.iter().zip(values) {
        if let Some(place) = ordered.get_mut(*axis) {
            *place = *value;
        }
    }
    ordered
}

impl Binding {
    /// Parses the documents of an array. Codecs are looked up when the first chunk is needed, so that an array with a codec that
    /// nobody knows can still be described.
    ///
    /// # Errors
    /// `Format` and `Unsupported` as the metadata; `Argument` when the documents are those of a group.
    pub fn new(document: &NodeDocument) -> Result<Self> {
        Self::with_users(document, None)
    }

    /// The same, with codecs of the user's.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_users(document: &NodeDocument, users: OptionalUserCodecs) -> Result<Self> {
        match document::parse(document)? {
            NodeMetadata::Array(metadata) => Self::of_with(*metadata, users),
            NodeMetadata::Group(_) => Err(Error::argument("this node is a group, not an array")),
        }
    }

    /// Binds metadata that is parsed already.
    ///
    /// # Errors
    /// `Unsupported` and `Format` for shards of a draft that cannot be.
    pub fn of(metadata: ArrayMetadata) -> Result<Self> {
        Self::of_with(metadata, None)
    }

    /// The same, with codecs of the user's.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn of_with(mut declared: ArrayMetadata, users: OptionalUserCodecs) -> Result<Self> {
        if let (Some(users), ZarrFormat::V2) = (&users, declared.format) {
            arrange_v2(&mut declared.codecs, users);
        }
        let (metadata, declared) = match transformer::as_sharded(&declared)? {
            Some(stored) => (stored, Some(Box::new(declared))),
            None => (declared, None),
        };
        let element_size = metadata.data_type.size().unwrap_or(0);
        let (first, chains) = (OnceCell::new(), RefCell::default());
        Ok(Self { metadata, declared, element_size, first, chains, users })
    }

    /// The array's metadata, with a grid and codecs of what is stored under its keys.
    pub fn metadata(&self) -> &ArrayMetadata {
        &self.metadata
    }

    /// The array's metadata as its documents have it: the shards of a draft are a storage transformer there, not a codec.
    pub fn declared(&self) -> &ArrayMetadata {
        self.declared.as_deref().unwrap_or(&self.metadata)
    }

    /// The user's codecs that its chains may hold.
    pub fn users(&self) -> &OptionalUserCodecs {
        &self.users
    }

    /// Bytes of one decoded element; 0 where elements have lengths of their own.
    pub fn element_size(&self) -> usize {
        self.element_size
    }

    /// The chain of the stored chunk at these indices of the grid.
    ///
    /// # Errors
    /// As [`Pipeline::bind`]; `Argument` for indices outside the grid.
    pub fn chain_of(&self, chunk: &[u64]) -> Result<Rc<Chain>> {
        let grid = &self.metadata.chunk_grid;
        if grid.is_uniform() {
            return self.first_chain();
        }
        let shape =
            grid.chunk_shape(chunk).ok_or_else(|| Error::argument("chunk indices lie outside the grid"))?;
        self.chain(shape)
    }

    /// The chain of the grid's first chunk: every chunk's, where the grid is uniform.
    ///
    /// # Errors
    /// As [`Pipeline::bind`].
    pub fn first_chain(&self) -> Result<Rc<Chain>> {
        if let Some(chain) = self.first.get() {
            return Ok(chain.clone());
        }
        let chain = self.chain(self.outer_shape())?;
        Ok(self.first.get_or_init(|| chain).clone())
    }

    /// The chain of stored chunks of this shape.
    fn chain(&self, shape: Vec<u64>) -> Result<Rc<Chain>> {
        if let Some(chain) = self.chains.borrow().get(&shape) {
            return Ok(chain.clone());
        }
        let decoded = ChunkRepresentation {
            shape: shape.clone(),
            data_type: self.metadata.data_type.clone(),
            fill_value: self.metadata.fill_value.clone(),
        };
        let pipeline = Pipeline::bind_with(&self.metadata.codecs, decoded, &self.users)?;
        let chain = Rc::new(Chain::new(pipeline));
        let mut chains = self.chains.borrow_mut();
        // A hostile grid could have as many shapes as chunks.
        if chains.len() >= limits::BOUND_CHAINS {
            chains.clear();
        }
        chains.insert(shape, chain.clone());
        Ok(chain)
    }

    /// Which module of the package can decode the chunks.
    ///
    /// # Errors
    /// As [`Pipeline::bind`].
    pub fn module(&self) -> Result<WasmModule> {
        let module = self.first_chain()?.level(0).map_or(WasmModule::Engine, |level| level.pipeline.module());
        let is_left = matches!(self.metadata.format, ZarrFormat::Draft(_)) || self.users.is_some();
        Ok(if is_left && module == WasmModule::Engine { WasmModule::Full } else { module })
    }

    /// Shape of what is stored under one key: of a shard, where there are shards.
    pub fn outer_shape(&self) -> Vec<u64> {
        self.metadata.chunk_grid.first_chunk_shape()
    }

    /// Shape of the leaf chunks: inner ones, where shards can be seen into.
    ///
    /// # Errors
    /// As [`Pipeline::bind`].
    pub fn chunk_shape(&self) -> Result<Vec<u64>> {
        Ok(self.first_chain()?.leaf()?.shape.clone())
    }

    /// The grid of leaf chunks, dimension by dimension.
    ///
    /// # Errors
    /// As [`Pipeline::bind`].
    pub fn leaf_grid(&self) -> Result<Vec<GridDimension>> {
        let chain = self.first_chain()?;
        if chain.depth() == 1 {
            return Ok(self.metadata.chunk_grid.dimensions.clone());
        }
        Ok(chain.leaf()?.shape.iter().map(|extent| GridDimension::Regular(*extent)).collect())
    }

    /// The order in which the array's dimensions stand in a stored chunk's memory, slowest first: C order unless transposed.
    ///
    /// # Errors
    /// As [`Pipeline::bind`].
    pub fn native_order(&self) -> Result<Vec<usize>> {
        let chain = self.first_chain()?;
        let leaf = chain.leaf()?;
        let inner = leaf.pipeline.axes();
        Ok(inner.iter().filter_map(|axis| leaf.axes.get(*axis).copied()).collect())
    }
}
