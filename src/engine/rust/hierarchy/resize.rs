//! Changes the shape of an array, and appends to an array.
//!
//! Growing never shows old data: what is stored beyond the old end is cleared first (`beyond`). So
//! whatever a failed call leaves there stays hidden for good.
//!
//! The order of the steps, each done before the next:
//!
//! | call | steps |
//! |---|---|
//! | grow | clear beyond the old end; write the document |
//! | shrink, in a store that lists | write the document; erase what lies outside |
//! | shrink, in a store that cannot list | erase what lies outside; write the document |
//! | append | clear the rest of the last chunks; write the new chunks; write the document |
//!
//! A shrink that was cut off thus leaves the old array or the new one where a later growth can
//! find what is left. In a store that cannot list, growth finds only what lies near (see
//! [`ChunksBeyond::erase_before_growth`]). So nothing may be left there: the shrink erases first,
//! and one that was cut off leaves the old shape with fill value for some of the elements that it
//! had to remove.

use std::rc::Rc;

use crate::access::selection::{DimensionSelection, Selection, SliceSelection};
use crate::error::{Error, Result, at_node};
use crate::format::metadata::document::NodeDocument;
use crate::format::metadata::write::edit;
use crate::hierarchy::beyond::{ChunksBeyond, Clearing, clip_edges};
use crate::hierarchy::documents::{self, ChangedNodes, Documents};
use crate::limits;
use crate::read::array::Array;
use crate::store::RequestContext;
use crate::store::writers::KeyLock;
use crate::write::encoder::Encoder;
use crate::write::{NewElements, WriteProgress, WriteRequest, WriteRun};

/// Changes an array's shape. Returns the array with its new shape.
///
/// # Errors
/// `Argument` for another rank or a shape that the chunk grid cannot cover, `Limit` for too many
/// chunks to erase in a store that cannot list, and as codecs and store.
pub async fn resize(
    array: &Rc<Array>,
    shape: &[u64],
    encoder: &dyn Encoder,
    context: &RequestContext,
) -> Result<Rc<Array>> {
    at_node(array.path().as_str(), async {
        let held = documents_of(array, context).lock(array.path()).await?;
        let old = current(array, context).await?;
        let old_shape = old.binding().metadata().shape.clone();
        let new = with_shape(&old, shape)?;
        let clearing = Clearing { encoder, context };
        let grown: Vec<usize> = (0..shape.len()).filter(|d| shape[*d] > old_shape[*d]).collect();
        clip_edges(&old, &grown, clearing).await?;
        ChunksBeyond::new(&old, &new).erase_before_growth(&new, clearing).await?;
        let shrunk: Vec<usize> = (0..shape.len()).filter(|d| shape[*d] < old_shape[*d]).collect();
        if shrunk.is_empty() || old.chunks().can_list().await? {
            save(&new, context, &held).await?;
            remove_outside(&old, &new, &shrunk, clearing).await?;
        } else {
            remove_outside(&old, &new, &shrunk, clearing).await?;
            save(&new, context, &held).await?;
        }
        Ok(new)
    })
    .await
}

/// Removes the chunks and the elements that the old array has and the new one has not. `shrunk` are
/// the dimensions that become shorter.
async fn remove_outside(
    old: &Rc<Array>,
    new: &Rc<Array>,
    shrunk: &[usize],
    clearing: Clearing<'_>,
) -> Result<()> {
    ChunksBeyond::new(new, old).erase(new, clearing).await?;
    clip_edges(new, shrunk, clearing).await
}

/// What to append to an array.
#[derive(Clone, Debug)]
pub struct Appended {
    /// The dimension to append along.
    pub axis: usize,
    /// The number of indices to add along that dimension.
    pub len: u64,
    /// The elements to append, for the shape of the array with `len` along the axis.
    pub elements: NewElements,
}

/// Makes an array longer and writes the new elements. Returns the longer array.
///
/// The new shape is written last: a reader never sees half of the new elements. When two calls
/// append at once, the second appends to the result of the first.
///
/// # Errors
/// `Argument` for an axis that the array has not and elements that do not fit the new part, and as
/// [`write`](crate::write::write).
pub async fn append(
    array: &Rc<Array>,
    appended: &Appended,
    encoder: &dyn Encoder,
    progress: &dyn Fn(&WriteProgress),
    context: &RequestContext,
) -> Result<Rc<Array>> {
    at_node(array.path().as_str(), async {
        let held = documents_of(array, context).lock(array.path()).await?;
        let old = current(array, context).await?;
        let mut shape = old.binding().metadata().shape.clone();
        let rank = shape.len();
        let Some(extent) = shape.get_mut(appended.axis) else {
            let error = Error::argument("the array does not have the dimension to append along");
            return Err(error.expected(format!("below {rank}")).actual(appended.axis.to_string()));
        };
        let too_long = || limits::exceeded("extent of an array", appended.len, i64::MAX.unsigned_abs());
        let start = i64::try_from(*extent).map_err(|_| too_long())?;
        *extent = extent.checked_add(appended.len).ok_or_else(too_long)?;
        let new = with_shape(&old, &shape)?;
        let clearing = Clearing { encoder, context };
        let mut entries = vec![DimensionSelection::All; rank];
        entries[appended.axis] =
            DimensionSelection::Slice(SliceSelection { start: Some(start), stop: None, step: None });
        let selection = Selection::Orthogonal(entries);
        let request = WriteRequest { selection, elements: appended.elements.clone() };
        let write = WriteRun::new(&new, &request)?;
        clip_edges(&old, &[appended.axis], clearing).await?;
        if let Err(error) = write.run(encoder, progress, context).await {
            // The chunks that were written lie past the end. They are erased as far as the store
            // allows. What is left is cleared before the array grows over it.
            let _ = remove_outside(&new, &old, &[appended.axis], clearing).await;
            return Err(error);
        }
        save(&new, context, &held).await?;
        Ok(new)
    })
    .await
}

/// The array as its documents in the store describe it, once no other call of this process changes
/// them. A caller whose change failed learns from it what is stored.
///
/// # Errors
/// `NotFound` where the array no longer exists, and as opening it.
pub async fn reread(array: &Rc<Array>, context: &RequestContext) -> Result<Rc<Array>> {
    at_node(array.path().as_str(), async {
        let _held = documents_of(array, context).lock(array.path()).await?;
        current(array, context).await
    })
    .await
}

fn documents_of<'a>(array: &'a Array, context: &'a RequestContext) -> Documents<'a> {
    Documents { store: array.store(), context }
}

/// The array as its documents in the store describe it now.
async fn current(array: &Rc<Array>, context: &RequestContext) -> Result<Rc<Array>> {
    let format = Some(array.document().format);
    let opened = documents_of(array, context).reopen(array.path(), format).await?;
    array.by(opened.document)
}

fn with_shape(array: &Rc<Array>, shape: &[u64]) -> Result<Rc<Array>> {
    let metadata = array.binding().metadata();
    if metadata.shape.len() != shape.len() {
        let error = Error::argument("the new shape has another number of dimensions");
        return Err(error
            .expected(format!("{} dimensions", metadata.shape.len()))
            .actual(format!("{shape:?}")));
    }
    let document: NodeDocument = edit::with_shape(array.document(), shape)?;
    // The array's own grid was valid, so an error is the new shape's.
    array.by(document).map_err(Error::into_argument)
}

async fn save(array: &Rc<Array>, context: &RequestContext, held: &KeyLock) -> Result<()> {
    let path = array.path();
    documents::save(array.store(), path, array.document()).await?;
    let changed = ChangedNodes::set(path, array.document());
    documents_of(array, context).record(path, array.document().format, &changed, held).await
}
