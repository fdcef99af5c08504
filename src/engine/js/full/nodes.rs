//! Creates, finds, erases and changes nodes. Called by `create.ts`, `nodes.ts` and the classes.

use js_sys::{Function, Uint8Array};
use wasm_bindgen::prelude::*;

use crate::error::{Error, Result};
use crate::format::data_type::FillValue;
use crate::format::metadata::draft::uri::is_sharding;
use crate::format::metadata::write::edit::AttributeUpdate;
use crate::format::metadata::write::options::{ArrayOptions, data_type_of};
use crate::format::metadata::{ArrayMetadata, ZarrFormat};
use crate::format::path::NodePath;
use crate::hierarchy::attributes::{update_attributes as update, whole_metadata};
use crate::hierarchy::consolidate::consolidate as consolidate_group;
use crate::hierarchy::create::{NewNode, create};
use crate::hierarchy::draft::{NewHierarchy, create_hierarchy as make_hierarchy};
use crate::hierarchy::erase::{EraseOptions, erase as erase_node};
use crate::hierarchy::exists::exists as kind_at;
use crate::js::describe::{describe_type, type_description};
use crate::js::error::Exported;
use crate::js::user_codecs::users_of;
use crate::js::{describe, registry, store, task};
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

/// The place of a user's codec whose kind must be known before the array can be created, in the
/// form of `codecQuestion`. Creating the array reports invalid options.
#[wasm_bindgen(js_name = newCodecQuestion)]
pub fn new_codec_question(options: &str, like: Option<u32>, users: &str) -> Exported<Option<String>> {
    let Ok(like) = like.map(registry::array).transpose() else { return Ok(None) };
    let like = like.as_ref().map(|array| array.binding().declared());
    let Ok(options) = array_options(options, None, like, users) else { return Ok(None) };
    let question = NewNode::Array(Box::new(options)).codec_question();
    Ok(question.map(|site| site.to_json()))
}

/// Creates an array. Returns its summary.
///
/// `options` is JSON (`ArrayOptions::from_json`). `fill` is one packed element, which replaces the
/// fill value of the options. `like` is an array whose metadata provides all missing options.
/// `users` are the user's codecs of the array.
#[wasm_bindgen(js_name = createArray)]
#[allow(clippy::too_many_arguments, reason = "called by TypeScript alone, and flat for it")]
pub fn create_array(
    store: u32,
    path: String,
    options: String,
    fill: Option<Uint8Array>,
    like: Option<u32>,
    users: String,
    overwrite: bool,
    signal: JsValue,
    settle: Function,
) -> u32 {
    let fill = fill.map(|fill| FillValue(fill.to_vec()));
    task::start(settle, async move {
        let like = match like.map(registry::array).transpose()? {
            Some(array) => Some(whole_metadata(&array, &store::context(signal.clone())).await?),
            None => None,
        };
        let options = array_options(&options, fill, like.as_ref(), &users)?;
        made(store, &path, &NewNode::Array(Box::new(options)), overwrite, signal).await
    })
}

/// Creates a draft's hierarchy at the root of a store, unless there is one. `suffix` ends the names
/// of its documents. `extensions` is JSON of a list.
#[wasm_bindgen(js_name = createHierarchy)]
pub fn create_hierarchy(
    store: u32,
    format: String,
    suffix: Option<String>,
    extensions: Option<String>,
    signal: JsValue,
    settle: Function,
) -> u32 {
    let new = NewHierarchy { metadata_key_suffix: suffix, extensions };
    task::start(settle, async move {
        let store = registry::store(store)?;
        match format_of(&format)? {
            ZarrFormat::Draft(draft) => make_hierarchy(&store, draft, &new, &store::context(signal)).await?,
            ZarrFormat::V2 | ZarrFormat::V3 => {
                return Err(Error::argument(
                    "only the drafts have an entry point with a suffix and extensions",
                ));
            }
        };
        Ok(JsValue::UNDEFINED)
    })
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

/// Creates a group. Returns its summary.
#[wasm_bindgen(js_name = createGroup)]
pub fn create_group(
    store: u32,
    path: String,
    format: String,
    attributes: String,
    overwrite: bool,
    signal: JsValue,
    settle: Function,
) -> u32 {
    task::start(settle, async move {
        let format = format_of(&format)?;
        made(store, &path, &NewNode::Group { format, attributes }, overwrite, signal).await
    })
}

async fn made(store: u32, path: &str, node: &NewNode, overwrite: bool, signal: JsValue) -> Result<JsValue> {
    let store = registry::store(store)?;
    let path = path.trim_matches('/');
    let created = create(&store, path, node, overwrite, &store::context(signal)).await?;
    describe::summary(&created)
}

/// Whether there is a built-in storage transformer of this URI.
#[wasm_bindgen(js_name = isStorageTransformer)]
pub fn is_storage_transformer(extension: &str) -> bool {
    is_sharding(extension)
}

/// The description of a data type as JSON text. `data_type` is JSON of its name; if it is empty,
/// the data type is that of the array `like`.
#[wasm_bindgen(js_name = describeTypeName)]
pub fn describe_type_name(data_type: &str, like: Option<u32>) -> Exported<String> {
    match like.filter(|_| data_type.is_empty()) {
        Some(like) => describe_type(like),
        None => Ok(type_description(&data_type_of(data_type)?)),
    }
}

/// The kind of the node at a path: `"array"`, `"group"`, `"implicit-group"` or undefined.
#[wasm_bindgen]
pub fn exists(store: u32, path: String, signal: JsValue, settle: Function) -> u32 {
    task::start(settle, async move {
        let store = registry::store(store)?;
        let kind = kind_at(&store, path.trim_matches('/'), &store::context(signal)).await?;
        Ok(kind.map_or(JsValue::UNDEFINED, |kind| kind.name().into()))
    })
}

/// Erases a node and everything below it. Returns whether there was anything. With `reify`, a
/// draft's parent group that would vanish gets a document.
#[wasm_bindgen]
pub fn erase(store: u32, path: String, reify: bool, signal: JsValue, settle: Function) -> u32 {
    task::start(settle, async move {
        let store = registry::store(store)?;
        let options = EraseOptions { reify };
        let erased = erase_node(&store, path.trim_matches('/'), options, &store::context(signal)).await?;
        Ok(erased.into())
    })
}

/// Consolidates the metadata of a group. Returns the number of nodes below it.
#[wasm_bindgen]
pub fn consolidate(store: u32, path: String, signal: JsValue, settle: Function) -> u32 {
    task::start(settle, async move {
        let store = registry::store(store)?;
        let path = NodePath::parse_any(&path)?;
        let nodes = consolidate_group(&store, &path, &store::context(signal)).await?;
        Ok(JsValue::from(u32::try_from(nodes).unwrap_or(u32::MAX)))
    })
}

/// Merges attributes (JSON of an object) into those of a node, or replaces them. Returns its
/// summary.
#[wasm_bindgen(js_name = updateAttributes)]
pub fn update_attributes(
    store: u32,
    path: String,
    attributes: String,
    replace: bool,
    signal: JsValue,
    settle: Function,
) -> u32 {
    let how = if replace { AttributeUpdate::Replace } else { AttributeUpdate::Merge };
    task::start(settle, async move {
        let store = registry::store(store)?;
        let path = NodePath::parse_any(&path)?;
        let updated = update(&store, &path, &attributes, how, &store::context(signal)).await?;
        describe::summary(&updated)
    })
}

/// The summary of an array that has changed.
pub fn summary_of(array: &Array) -> Result<JsValue> {
    describe::summary(&array.into())
}
