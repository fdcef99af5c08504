//! Reads metadata documents from a store, within the limit of their size.

use std::ops::Range;
use std::rc::Rc;

use crate::error::Result;
use crate::format::path::StoreKey;
use crate::limits;
use crate::store::{ByteRange, RequestContext, Store, Subject, Value};

/// The bytes of a document, where the store has them. `None` where it does not exist.
///
/// # Errors
/// Errors of the store, with the key.
pub async fn value(store: &Rc<dyn Store>, key: &StoreKey, context: &RequestContext) -> Result<Option<Value>> {
    let context = RequestContext { subject: Subject::Metadata, ..context.clone() };
    let fetched = store.get(key, ByteRange::Whole, &context).await;
    Ok(fetched.map_err(|error| error.at_key(key.as_str()))?.map(|fetched| fetched.value))
}

/// A document. `None` where it does not exist.
///
/// # Errors
/// As [`value`] and [`copied`].
pub async fn text(
    store: &Rc<dyn Store>,
    key: &StoreKey,
    context: &RequestContext,
) -> Result<Option<Vec<u8>>> {
    let value = value(store, key, context).await?;
    value.map(|value| copied(key, &value)).transpose()
}

/// Copies a document.
///
/// # Errors
/// `Limit` above [`limits::METADATA_BYTES`], with the key.
pub fn copied(key: &StoreKey, value: &Value) -> Result<Vec<u8>> {
    let text = value.to_vec(limits::METADATA_BYTES, "metadata document");
    text.map_err(|error| error.at_key(key.as_str()))
}

/// Copies a part of a document. `None` for a range beyond it, and for bytes that are not UTF-8.
pub fn part(document: &Value, part: &Range<usize>) -> Option<String> {
    let part = document.slice(part.start as u64..part.end as u64).ok()?;
    String::from_utf8(part.to_vec(limits::METADATA_BYTES, "metadata document").ok()?).ok()
}
