//! The circumstances of a request: settings of the caller that a store may use.

use std::rc::Rc;

use zarr_wasm_http::{LikelySize, Subject};

use super::bulk::Bulk;
use super::priority::Priority;
use super::reader::Reader;
use crate::error::Opaque;
use crate::limits;

/// The circumstances of a request: settings of the caller that a store may use.
#[derive(Clone, Default)]
pub struct RequestContext {
    /// The caller's `AbortSignal`, which only user stores receive. Other stores are aborted by
    /// dropping the future.
    pub signal: Option<Opaque>,
    /// What the key holds. It decides what HTTP status 403 may mean.
    pub subject: Subject,
    /// Whether to bypass HTTP caches and ask the server again.
    pub reload: bool,
    /// Whether the HTTP cache may answer a reload after the server has confirmed its answer (304).
    pub revalidates: bool,
    /// The priority among waiting requests.
    pub priority: Priority,
    /// The likely size of the value, for requests for its end.
    pub likely_size: Option<LikelySize>,
    /// The most bytes that the value can have, if that is known. A store reads no more.
    pub most_bytes: Option<u64>,
    /// The read that this request is a part of.
    pub reader: Option<Rc<Reader>>,
    /// How ranges are asked for in bulk, if they are: see [`bulk`](super::bulk).
    pub bulk: Option<Rc<Bulk>>,
}

impl RequestContext {
    /// The most bytes of a value that are read.
    pub fn body_limit(&self) -> u64 {
        match self.subject {
            Subject::Metadata => limits::METADATA_BYTES,
            Subject::Chunk | Subject::Update => self.most_bytes.unwrap_or(limits::RESULT_BYTES),
        }
    }
}
