//! What a new node shall be, and whether it can be.

use crate::access::binding::Binding;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::format::chunk_grid::ChunkGrid;
use crate::format::codec::user::OptionalUserCodecs;
use crate::format::metadata::document::{self, NodeDocument};
use crate::format::metadata::write::options::ArrayOptions;
use crate::format::metadata::write::{self, edit};
use crate::format::metadata::{ArrayMetadata, GroupMetadata, NodeMetadata, ZarrFormat};

/// What a new node shall be.
#[derive(Clone, Debug)]
pub enum NewNode {
    /// An array.
    Array(Box<ArrayOptions>),
    /// A group.
    Group {
        /// Which dialect.
        format: ZarrFormat,
        /// JSON of an object.
        attributes: String,
    },
}

impl NewNode {
    pub(super) fn format(&self) -> ZarrFormat {
        match self {
            Self::Array(options) => options.format,
            Self::Group { format, .. } => *format,
        }
    }

    /// Whether it can be created, as far as no store is needed to tell.
    ///
    /// # Errors
    /// As [`create`](super::create::create); of `Stage::UserCodec` while it is not known what a codec of the user's is.
    pub fn check(&self) -> Result<()> {
        self.document().map(|_| ())
    }

    /// The codecs of the user's that it may name.
    pub(super) fn users(&self) -> &OptionalUserCodecs {
        match self {
            Self::Array(options) => &options.users,
            Self::Group { .. } => &None,
        }
    }

    /// The documents, checked by reading them.
    pub(super) fn document(&self) -> Result<(NodeDocument, NodeMetadata)> {
        let document = match self {
            Self::Array(options) => write::array(&options.metadata()?, &options.users)?,
            Self::Group { format, attributes } => {
                let attributes = edit::checked_attributes(attributes)?.compact();
                write::group(&GroupMetadata { format: *format, attributes, warnings: Vec::new() })
            }
        };
        let mut metadata = document::parse(&document)?;
        if let NodeMetadata::Array(array) = &mut metadata {
            check_bound((**array).clone(), self.users())?;
            array.warnings.extend(warning_of(&array.chunk_grid));
        }
        Ok((document, metadata))
    }
}

/// What other readers make of a new array with this grid.
fn warning_of(grid: &ChunkGrid) -> Option<String> {
    let refused =
        "zarr-python refuses rectilinear chunk grids by default (its option array.rectilinear_chunks)";
    let group = "with this array in its consolidated metadata a whole group fails to open there";
    (!grid.is_uniform()).then(|| format!("{refused}; {group}"))
}

/// Checks the codecs of a new array.
pub(super) fn check_bound(array: ArrayMetadata, users: &OptionalUserCodecs) -> Result<()> {
    let binding = Binding::of_with(array, users.clone())?;
    let checked = binding.first_chain().and_then(|chain| chain.check_encodes());
    check_codecs(checked.err())
}

/// Codecs that another module of the package has are not this one's to judge.
fn check_codecs(error: Option<Error>) -> Result<()> {
    match error {
        Some(error) if error.kind() == ErrorKind::Format => {
            Err(Error::argument(error.message()).with_context(error.context().clone()))
        }
        Some(error)
            if error.kind() != ErrorKind::Unsupported || error.context().stage == Some(Stage::CodecName) =>
        {
            Err(error)
        }
        _ => Ok(()),
    }
}
