//! Describes a node to create, and checks that it can be created.

use crate::access::binding::Binding;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::format::chunk_grid::ChunkGrid;
use crate::format::codec::user::{CodecSite, OptionalUserCodecs};
use crate::format::metadata::document::{self, NodeDocument};
use crate::format::metadata::write::options::ArrayOptions;
use crate::format::metadata::write::{self, edit};
use crate::format::metadata::{ArrayMetadata, GroupMetadata, NodeMetadata, ZarrFormat};
use crate::format::path::NodePath;
use crate::quoted::quoted;

/// A node to create.
#[derive(Clone, Debug)]
pub enum NewNode {
    /// An array.
    Array(Box<ArrayOptions>),
    /// A group.
    Group {
        /// The Zarr format.
        format: ZarrFormat,
        /// The attributes: text of a JSON object.
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

    /// The user's codec whose kind must be known before the array can be created. `None` if there
    /// is none, and if the array cannot be created.
    pub fn codec_question(&self) -> Option<CodecSite> {
        match self.document().ok()? {
            (_, NodeMetadata::Array(array)) => {
                Binding::of_with(*array, self.users().clone()).ok()?.codec_question()
            }
            (_, NodeMetadata::Group(_)) => None,
        }
    }

    /// The user's codecs that the node may use.
    pub(super) fn users(&self) -> &OptionalUserCodecs {
        match self {
            Self::Array(options) => &options.users,
            Self::Group { .. } => &None,
        }
    }

    /// The documents to write. They are checked: our own reader parses them.
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

/// Erases the `occupant` of the path of a new node, when `overwrite` is set. Returns whether there
/// was one.
///
/// # Errors
/// `Argument` for an occupant that may not be erased, and those of `erase`.
pub(super) async fn make_room(
    occupant: Option<&str>,
    overwrite: bool,
    erase: impl Future<Output = Result<()>>,
) -> Result<bool> {
    match occupant {
        None => Ok(false),
        Some(_) if overwrite => erase.await.map(|()| true),
        Some(kind) => {
            let error =
                Error::argument("there is already something at this path; set `overwrite` to erase it first");
            let article = if kind.starts_with(['a', 'i', 'u']) { "an" } else { "a" };
            Err(error.actual(format!("{article} {kind}")))
        }
    }
}

/// The error for a node below an array.
pub(super) fn below_array(array: &NodePath) -> Error {
    Error::argument("an array cannot contain nodes").actual(named(array))
}

/// A path in a message.
pub(super) fn named(path: &NodePath) -> String {
    if path.is_root() { "the root".to_owned() } else { quoted(path.as_str()) }
}

/// The warning for a grid that other readers refuse.
fn warning_of(grid: &ChunkGrid) -> Option<String> {
    let refused =
        "zarr-python refuses rectilinear chunk grids by default (its option array.rectilinear_chunks)";
    let group = "with this array in its consolidated metadata a whole group fails to open there";
    (!grid.is_uniform()).then(|| format!("{refused}; {group}"))
}

/// Checks that the codecs of a new array can encode its chunks.
pub(super) fn check_bound(array: ArrayMetadata, users: &OptionalUserCodecs) -> Result<()> {
    let binding = Binding::of_with(array, users.clone())?;
    let checked = binding.first_chain().and_then(|chain| chain.check_encodes());
    check_codecs(checked.err())
}

/// Turns the result of binding into that of the check. A codec that only another build has is no
/// error.
fn check_codecs(error: Option<Error>) -> Result<()> {
    match error {
        Some(error) if error.kind() == ErrorKind::Format => Err(error.into_argument()),
        Some(error)
            if error.kind() != ErrorKind::Unsupported || error.context().stage == Some(Stage::CodecName) =>
        {
            Err(error)
        }
        _ => Ok(()),
    }
}
