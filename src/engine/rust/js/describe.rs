//! Describes nodes, arrays and codecs: summaries of the core, and documents that cross as bytes.

use zarr_wasm_contract::{ArraySummary, CodecText, LargeDocument, NodeSummary, UserArray};

use super::call::Call;
use super::{bytes, user_codecs};
use crate::access::binding::Binding;
use crate::describe;
use crate::error::Result;
use crate::format::codec::standalone::StandaloneCodec;
use crate::format::metadata::document::NodeDocument;
use crate::hierarchy::open::{self as hierarchy, LeftAttributes, OpenedNode};

/// The summary of an open node.
///
/// # Errors
/// None that an open node can cause.
pub fn summary(node: &OpenedNode, call: &Call) -> Result<NodeSummary> {
    let path = format!("/{}", node.path);
    let summary = describe::node(&path, &node.metadata, &node.document)?;
    let large = node.large.as_ref().map(|large| large_document(large, call)).transpose()?;
    Ok(NodeSummary { large, ..summary })
}

/// A document that crosses as bytes, because its text is rarely needed.
fn large_document(large: &hierarchy::LargeDocument, call: &Call) -> Result<LargeDocument> {
    let bytes = call.hold_bytes(&bytes::to_js_whole(&large.bytes)?);
    let suffix = large.suffix.to_owned();
    let Some(LeftAttributes { range, marks }) = &large.attributes else {
        return Ok(LargeDocument { suffix, bytes, attributes: None, marks: None });
    };
    // A document has less than 2^32 bytes.
    #[allow(clippy::cast_possible_truncation)]
    let bound = |at: usize| at as u32;
    let mut bounds = vec![bound(range.start)];
    for token in &marks.tokens {
        bounds.extend([bound(range.start + token.start), bound(range.start + token.end)]);
    }
    bounds.push(bound(range.end));
    Ok(LargeDocument { suffix, bytes, attributes: Some(bounds), marks: Some(marks.json.clone()) })
}

/// See `describe_array` of the contract.
pub async fn describe_array(array: UserArray, _: Call) -> Result<ArraySummary> {
    let document = NodeDocument::from_json(&array.document)?;
    let binding = Binding::with_users(&document, user_codecs::users_of(&array.codecs)?)?;
    describe::array(&binding, &document)
}

/// See `describe_codec` of the contract.
pub async fn describe_codec(CodecText { text }: CodecText, _: Call) -> Result<String> {
    Ok(StandaloneCodec::from_json(&text)?.to_json())
}
