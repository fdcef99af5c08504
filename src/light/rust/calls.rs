//! The calls of the module. In wasm it imports nothing; a panic is a trap, after which the instance
//! is thrown away.

use std::cell::RefCell;
use std::collections::BTreeMap;

use zarr_wasm::format::path::NodePath;
use zarr_wasm::format::tolerated::Form;
use zarr_wasm::metadata::{NodeDocument, ZARR_JSON, ZARRAY, ZATTRS, ZGROUP, ZarrFormat, parse};
use zarr_wasm::{Array, Error, Result, describe};

use crate::contract::calls::LightCall;
use crate::contract::wasm_module::Answer;
use crate::contract::{NodeSummary, ReadRequest, Record, ValueRequests};
use crate::small_read::Reading;

thread_local! {
    static READS: RefCell<BTreeMap<u32, Reading>> = const { RefCell::new(BTreeMap::new()) };
}

#[cfg(target_arch = "wasm32")]
crate::contract::wasm_module!("light_call", LightCall, answer);

/// Answers a call.
///
/// # Errors
/// Those of the core, and `Unsupported` for what only the engine does.
pub fn answer(call: LightCall<'_>) -> Result<Answer> {
    Ok(bytes_of_answer(call)?.into())
}

fn bytes_of_answer(call: LightCall<'_>) -> Result<Vec<u8>> {
    match call {
        LightCall::DescribeV3 { path, document } => described(path, ZarrFormat::V3, &[(ZARR_JSON, document)]),
        LightCall::DescribeV2 { is_array, has_attributes, path, document, attributes } => {
            let own = if is_array == 1 { ZARRAY } else { ZGROUP };
            let documents = [(own, document), (ZATTRS, attributes)];
            let count = if has_attributes == 1 { 2 } else { 1 };
            described(path, ZarrFormat::V2, documents.get(..count).unwrap_or_default())
        }
        LightCall::Begin { read, document, request } => begin(read, document, request),
        LightCall::Supply { read, request, is_absent, size, bytes } => with_read(read, |reading| {
            let bytes = (is_absent == 0).then_some(bytes);
            reading.supply(request as usize, bytes, size_of_value(size))?;
            Ok(ValueRequests { requests: reading.requests()? }.to_bytes())
        }),
        LightCall::Finish { read } => {
            let reading = READS.with_borrow_mut(|reads| reads.remove(&read));
            let elements = reading.ok_or_else(no_read)?.finish()?;
            // Warnings about chunks are for the array, which the engine knows.
            let is_noted = !Form::take_noted().is_empty();
            if is_noted { Err(Error::unsupported("only the engine warns")) } else { Ok(elements) }
        }
        LightCall::Cancel { read } => {
            READS.with_borrow_mut(|reads| reads.remove(&read));
            Ok(Vec::new())
        }
    }
}

/// The summary of a node.
fn described(path: &[u8], format: ZarrFormat, documents: &[(&str, &[u8])]) -> Result<Vec<u8>> {
    let document = NodeDocument::read(format, documents)?;
    let path = text(path)?.trim_matches('/');
    let path = match format {
        ZarrFormat::V2 => NodePath::parse_v2(path)?,
        _ => NodePath::parse_v3(path)?,
    };
    let summary: NodeSummary = describe::node(&format!("/{path}"), &parse(&document)?, &document)?;
    Ok(summary.to_bytes())
}

fn begin(read: u32, document: &[u8], request: &[u8]) -> Result<Vec<u8>> {
    let array = Array::new(&NodeDocument::from_json(text(document)?)?)?;
    let request = ReadRequest::from_bytes(request);
    let request = request.ok_or_else(|| Error::argument("the record of a read cannot be read"))?;
    let mut reading = Reading::begin(&array, request)?;
    let record = reading.record()?.to_bytes();
    READS.with_borrow_mut(|reads| reads.insert(read, reading));
    Ok(record)
}

fn with_read<T>(read: u32, run: impl FnOnce(&mut Reading) -> Result<T>) -> Result<T> {
    READS.with_borrow_mut(|reads| run(reads.get_mut(&read).ok_or_else(no_read)?))
}

/// The size of a value; `None` if it is unknown.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size, as JavaScript has it")]
fn size_of_value(size: &[u8]) -> Option<u64> {
    let size = f64::from_bytes(size)?;
    (size >= 0.0).then_some(size as u64)
}

fn no_read() -> Error {
    Error::argument("there is no such read")
}

fn text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| Error::format("a text is not UTF-8").actual(error.to_string()))
}
