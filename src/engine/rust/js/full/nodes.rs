//! Creates, finds, erases and changes nodes. Called by `create.ts`, `nodes.ts` and the classes.

use zarr_wasm_contract::{
    AttributeUpdate, EraseArguments, ExtensionName, NewArray, NewCodecQuestion, NewGroup, NewHierarchy,
    NodeKind, NodeLocation, NodeSummary, TypeName,
};

use crate::describe::type_description;
use crate::error::{Error, Result};
use crate::format::data_type::FillValue;
use crate::format::metadata::draft::uri::is_sharding;
use crate::format::metadata::write::edit::AttributeUpdate as How;
use crate::format::metadata::write::options::{ArrayOptions, data_type_of};
use crate::format::metadata::{ArrayMetadata, ZarrFormat};
use crate::format::path::NodePath;
use crate::hierarchy::attributes::{update_attributes as update, whole_metadata};
use crate::hierarchy::consolidate::consolidate as consolidate_group;
use crate::hierarchy::create::{NewNode, create};
use crate::hierarchy::draft::{self, create_hierarchy as make_hierarchy};
use crate::hierarchy::erase::{EraseOptions, erase as erase_node};
use crate::hierarchy::exists::exists as kind_at;
use crate::js::call::Call;
use crate::js::user_codecs::users_of;
use crate::js::{describe, objects};
use crate::quoted::quoted;
use crate::read::array::Array;

fn array_options(
    options: &str,
    fill: Option<FillValue>,
    like: Option<&ArrayMetadata>,
    users: &str,
) -> Result<ArrayOptions> {
    let mut options = ArrayOptions::like(options, like)?;
    options.packed_fill = fill;
    options.users = users_of(users)?;
    Ok(options)
}

/// See `new_codec_question` of the contract. Creating the array reports invalid options.
pub async fn new_codec_question(question: NewCodecQuestion, _: Call) -> Result<Option<String>> {
    let Ok(like) = question.like.map(objects::array).transpose() else { return Ok(None) };
    let like = like.as_ref().map(|array| array.binding().declared());
    let Ok(options) = array_options(&question.options, None, like, &question.codecs) else { return Ok(None) };
    let question = NewNode::Array(Box::new(options)).codec_question();
    Ok(question.map(|site| site.to_json()))
}

/// See `create_array` of the contract.
pub async fn create_array(new: NewArray, call: Call) -> Result<NodeSummary> {
    let NewArray { store, path, text, fill, like, codecs, overwrite } = new;
    let like = match like.map(objects::array).transpose()? {
        Some(array) => Some(whole_metadata(&array, &call.context()).await?),
        None => None,
    };
    let options = array_options(&text, fill.map(|fill| FillValue(fill.0)), like.as_ref(), &codecs)?;
    let node = NewNode::Array(Box::new(options));
    created(&NodeLocation { store, path }, &node, overwrite, &call).await
}

/// See `create_hierarchy` of the contract.
pub async fn create_hierarchy(new: NewHierarchy, call: Call) -> Result<()> {
    let NewHierarchy { store, format, suffix, extensions } = new;
    let store = objects::store(store)?;
    let new = draft::NewHierarchy { metadata_key_suffix: suffix, extensions };
    let ZarrFormat::Draft(draft) = format_of(&format)? else {
        return Err(Error::argument("only the drafts have an entry point with a suffix and extensions"));
    };
    make_hierarchy(&store, draft, &new, &call.context()).await?;
    Ok(())
}

/// The format that a user names, or its number as text.
fn format_of(name: &str) -> Result<ZarrFormat> {
    let named = ZarrFormat::of_name(name).or(match name {
        "2" => Some(ZarrFormat::V2),
        "3" | "" => Some(ZarrFormat::V3),
        _ => None,
    });
    named.ok_or_else(|| {
        let error = Error::argument("unknown Zarr format").in_field("zarrFormat");
        error.expected("2, 3, \"v3-draft-2020-10\" or \"v3-draft-2022-05\"").actual(quoted(name))
    })
}

/// See `create_group` of the contract.
pub async fn create_group(new: NewGroup, call: Call) -> Result<NodeSummary> {
    let NewGroup { store, path, format, text, overwrite } = new;
    let node = NewNode::Group { format: format_of(&format)?, attributes: text };
    created(&NodeLocation { store, path }, &node, overwrite, &call).await
}

async fn created(at: &NodeLocation, node: &NewNode, overwrite: bool, call: &Call) -> Result<NodeSummary> {
    let store = objects::store(at.store)?;
    let created = create(&store, at.path.trim_matches('/'), node, overwrite, &call.context()).await?;
    describe::summary(&created, call)
}

/// See `is_storage_transformer` of the contract.
pub async fn is_storage_transformer(ExtensionName { extension }: ExtensionName, _: Call) -> Result<bool> {
    Ok(is_sharding(&extension))
}

/// See `describe_type_name` of the contract.
pub async fn describe_type_name(TypeName { text, like }: TypeName, _: Call) -> Result<String> {
    match like.filter(|_| text.is_empty()) {
        Some(like) => Ok(type_description(&objects::array(like)?.binding().metadata().data_type)),
        None => Ok(type_description(&data_type_of(&text)?)),
    }
}

/// See `exists` of the contract.
pub async fn exists(NodeLocation { store, path }: NodeLocation, call: Call) -> Result<Option<NodeKind>> {
    kind_at(&objects::store(store)?, path.trim_matches('/'), &call.context()).await
}

/// See `erase` of the contract.
pub async fn erase(EraseArguments { store, path, reify }: EraseArguments, call: Call) -> Result<bool> {
    let options = EraseOptions { reify };
    erase_node(&objects::store(store)?, path.trim_matches('/'), options, &call.context()).await
}

/// See `consolidate` of the contract.
pub async fn consolidate(NodeLocation { store, path }: NodeLocation, call: Call) -> Result<u32> {
    let path = NodePath::parse_any(&path)?;
    let nodes = consolidate_group(&objects::store(store)?, &path, &call.context()).await?;
    Ok(u32::try_from(nodes).unwrap_or(u32::MAX))
}

/// See `update_attributes` of the contract.
pub async fn update_attributes(new: AttributeUpdate, call: Call) -> Result<NodeSummary> {
    let AttributeUpdate { store, path, text, replace } = new;
    let how = if replace { How::Replace } else { How::Merge };
    let path = NodePath::parse_any(&path)?;
    let updated = update(&objects::store(store)?, &path, &text, how, &call.context()).await?;
    describe::summary(&updated, &call)
}

/// The summary of an array that has changed.
pub fn summary_of(array: &Array, call: &Call) -> Result<NodeSummary> {
    describe::summary(&array.into(), call)
}
