//! What the planner and the decoders share about an array: its metadata, and the bound codecs of
//! each level of chunks.
//!
//! A level is a size of chunk. Level 0 is what the chunk grid stores under a key. Where the planner
//! can read the index of a shard, level 1 is its inner chunks, and so on. The last level is the
//! *leaf*: it is decoded as one, and users call it a chunk.
//!
//! A binding is made from the node's metadata documents, so that a worker and the engine make equal
//! ones.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use crate::access::level::Level;
use crate::access::rows::Rows;
use crate::builds::{Build, Builds};
use crate::error::{Error, HAS_USER_CODECS, Result};
use crate::format::chunk_grid::GridDimension;
use crate::format::codec::ChunkRepresentation;
use crate::format::codec::pipeline::Pipeline;
use crate::format::codec::sharding::transformer;
use crate::format::codec::user::{BindResult, CodecSite, OptionalUserCodecs, Unbound, arrange_v2};
use crate::format::dimension_order::in_array_order;
use crate::format::metadata::document::{self, NodeDocument};
use crate::format::metadata::{ArrayMetadata, NodeMetadata, ZarrFormat};
use crate::limits;
use crate::sorted::Map;

/// An array's metadata with its codecs bound.
pub struct Binding {
    metadata: ArrayMetadata,
    /// The metadata as in the documents, where it differs from `metadata`: a draft has its shards
    /// in a storage transformer.
    declared: Option<Box<ArrayMetadata>>,
    element_size: usize,
    /// The chain of the grid's first chunk.
    first: OnceCell<Rc<Chain>>,
    /// Chains by the shape of the stored chunk. A grid with different chunks has one for each
    /// shape.
    chains: RefCell<Map<Vec<u64>, Rc<Chain>>>,
    users: OptionalUserCodecs,
}

/// The levels of stored chunks of one shape, outermost first.
pub struct Chain {
    levels: Vec<Level>,
    /// How leaf chunks are read by rows. Set where they are large and their bytes are their
    /// elements.
    rows: Option<Rows>,
}

impl Chain {
    /// Level `i`. The number after the leaf's is that of rows, where leaf chunks are read by rows.
    pub fn level(&self, i: usize) -> Option<&Level> {
        self.levels.get(i).or_else(|| self.rows().filter(|_| i == self.levels.len()).map(Rows::level))
    }

    /// The rows of leaf chunks, where they are read by rows.
    pub fn rows(&self) -> Option<&Rows> {
        self.rows.as_ref()
    }

    /// The number of levels, at least 1, without that of rows.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// The last level, whose chunks are decoded as one.
    ///
    /// # Errors
    /// Never for a chain made by [`Binding`].
    pub fn leaf(&self) -> Result<&Level> {
        self.levels.last().ok_or_else(|| Error::format("the codec chain has no level"))
    }

    /// Checks that the codecs of every level can encode.
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

impl Binding {
    /// Parses the metadata documents of an array.
    ///
    /// Codecs are looked up when the first chunk is read, so that an array with an unknown codec
    /// can still be described.
    ///
    /// # Errors
    /// `Format` and `Unsupported` as the metadata; `Argument` when the documents are those of a
    /// group.
    pub fn new(document: &NodeDocument) -> Result<Self> {
        Self::with_users(document, None)
    }

    /// As [`new`](Self::new), with the user's codecs.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_users(document: &NodeDocument, users: OptionalUserCodecs) -> Result<Self> {
        match document::parse(document)? {
            NodeMetadata::Array(metadata) => Self::of_with(*metadata, users),
            NodeMetadata::Group(_) => Err(Error::argument("this node is a group, not an array")),
        }
    }

    /// Makes a binding from parsed metadata.
    ///
    /// # Errors
    /// `Unsupported` and `Format` for a sharding storage transformer that cannot be read.
    pub fn of(metadata: ArrayMetadata) -> Result<Self> {
        Self::of_with(metadata, None)
    }

    /// As [`of`](Self::of), with the user's codecs.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn of_with(mut declared: ArrayMetadata, users: OptionalUserCodecs) -> Result<Self> {
        if let (true, Some(users), ZarrFormat::V2) = (HAS_USER_CODECS, &users, declared.format) {
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

    /// The array's metadata. Its chunk grid and codecs describe what is stored under each key.
    pub fn metadata(&self) -> &ArrayMetadata {
        &self.metadata
    }

    /// The array's metadata as in its documents. They differ where the shards of a draft are a
    /// storage transformer: [`metadata`](Self::metadata) has a sharding codec instead.
    pub fn declared(&self) -> &ArrayMetadata {
        self.declared.as_deref().unwrap_or(&self.metadata)
    }

    /// The user's codecs that the chains may have.
    pub fn users(&self) -> &OptionalUserCodecs {
        &self.users
    }

    /// The size of one decoded element in bytes; 0 for elements of variable length.
    pub fn element_size(&self) -> usize {
        self.element_size
    }

    /// The chain of the stored chunk at these indices of the chunk grid. It is bound once for each
    /// shape of chunks and then looked up: in constant time where all chunks have one shape.
    ///
    /// # Errors
    /// As [`Pipeline::bind`]; `Argument` for indices outside the grid.
    pub fn chain_of(&self, chunk: &[u64]) -> Result<Rc<Chain>> {
        let grid = &self.metadata.chunk_grid;
        if grid.is_uniform() {
            return self.first_chain();
        }
        let shape = grid
            .chunk_shape(chunk)
            .ok_or_else(|| Error::argument("the chunk indices are outside the chunk grid"))?;
        self.chain(shape).map_err(Unbound::into_error)
    }

    /// The most bytes that the stored chunk at these indices can have.
    ///
    /// # Errors
    /// As [`chain_of`](Self::chain_of).
    pub fn most_stored_len(&self, chunk: &[u64]) -> Result<u64> {
        let chain = self.chain_of(chunk)?;
        Ok(chain.level(0).map_or(limits::RESULT_BYTES, |level| level.pipeline.most_encoded_len()))
    }

    /// The chain of the grid's first chunk, which is that of every chunk where the grid is uniform.
    ///
    /// # Errors
    /// As [`Pipeline::bind`].
    pub fn first_chain(&self) -> Result<Rc<Chain>> {
        self.bind_first().map_err(Unbound::into_error)
    }

    /// The user codec whose kind must be known before the chunks' codecs can be bound. `None` if
    /// there is none, and if the codecs cannot be bound at all.
    pub fn codec_question(&self) -> Option<CodecSite> {
        match self.bind_first() {
            Err(Unbound::UnknownKind(site)) => Some(*site),
            Err(Unbound::Failed(_)) | Ok(_) => None,
        }
    }

    fn bind_first(&self) -> BindResult<Rc<Chain>> {
        if let Some(chain) = self.first.get() {
            return Ok(chain.clone());
        }
        let chain = self.chain(self.outer_shape())?;
        Ok(self.first.get_or_init(|| chain).clone())
    }

    /// The chain of stored chunks of this shape.
    fn chain(&self, shape: Vec<u64>) -> BindResult<Rc<Chain>> {
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
        // In a rectilinear grid every chunk may have another shape.
        if chains.len() >= limits::BOUND_CHAINS {
            chains.clear();
        }
        chains.insert(shape, chain.clone());
        Ok(chain)
    }

    /// The smallest build that can decode the chunks.
    ///
    /// # Errors
    /// As [`Pipeline::bind`].
    pub fn build(&self) -> Result<Build> {
        let builds = self.first_chain()?.level(0).map_or(Builds::ALL, |level| level.pipeline.builds());
        let is_left = matches!(self.metadata.format, ZarrFormat::Draft(_)) || self.users.is_some();
        Ok(if is_left && builds == Builds::ALL { Build::Full } else { builds.first() })
    }

    /// The shape of what is stored under one key: of a shard, where there are shards.
    pub fn outer_shape(&self) -> Vec<u64> {
        self.metadata.chunk_grid.first_chunk_shape()
    }

    /// The shape of the leaf chunks: of inner chunks, where the planner can read the shards'
    /// indexes.
    ///
    /// # Errors
    /// As [`Pipeline::bind`].
    pub fn chunk_shape(&self) -> Result<Vec<u64>> {
        Ok(self.first_chain()?.leaf()?.shape.clone())
    }

    /// The grid of leaf chunks, one entry for each dimension. A copy; that of a rectilinear grid
    /// has its runs.
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

    /// The order of the array's dimensions in the memory of a decoded chunk, slowest first. It is C
    /// order unless a codec transposes.
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
