//! Byte ranges over HTTP, without I/O. [`merge`] decides which ranges become one request. An
//! [`Exchange`] says what to request, takes the answer, and says what to request next. It sends
//! nothing, never waits, and reads no clock. The program does these, blocking or not.
//!
//! ```text
//! start ──► Asked(kind) ◄──┐  Step::Send: the same kind again, after a pause,
//!             │   │  └─────┘  or another kind, if the answer was of no use
//!             │   │
//!             │   └─ no answer, and no retries left ──► Probing
//!             │                                            │ Step::Send: is the server there?
//!             ▼                                            ▼
//!   Step::Done(Ok or Err)                          Step::Done(Err)
//! ```
//!
//! The kinds of requests are the whole object, a window of it, its last bytes by a suffix or by a
//! range of likely length, HEAD, the first byte, and the beginning.
//!
//! The state is the request that was sent. The exchange also remembers what its answers have shown.
//! Facts about the server ([`ServerKnowledge`], [`OriginKnowledge`]) outlive the exchange, so the
//! next one begins with the kind of request that worked.
//!
//! ```
//! use zarr_wasm_http::{
//!     Exchange, ExchangeContext, Goal, Headers, HttpOptions, HttpResponse, OriginKnowledge,
//!     Outcome, ServerKnowledge, Step, Subject, Value, merge,
//! };
//! # use zarr_wasm_http::ByteRange;
//!
//! // Two of three ranges are near each other, so they become one.
//! let merged = merge(&[0..4, 9_000..9_010, 6..9], 16, 1 << 20);
//! assert_eq!(merged[0].span, 0..9);
//! assert_eq!(merged[0].members, [0, 2]);
//!
//! let options = HttpOptions::default();
//! let origin = OriginKnowledge::default();
//! let knowledge = ServerKnowledge::default();
//! let context = ExchangeContext {
//!     url: "http://host/file",
//!     is_anonymous: true,
//!     may_probe: false,
//!     subject: Subject::Chunk,
//!     likely_size: None,
//!     body_limit: 1 << 20,
//!     options: &options,
//!     origin: &origin,
//!     knowledge: &knowledge,
//! };
//! let goal = Goal::Read(ByteRange::At { offset: 0, len: 9 });
//! let (mut exchange, step) = Exchange::start(goal, context);
//! let Step::Send(request) = step else { panic!("it begins with a request") };
//! assert_eq!(request.range.as_deref(), Some("bytes=0-8"));
//!
//! // The program sends it, and this server ignores ranges: it sends all of the object.
//! let answer = HttpResponse {
//!     status: 200,
//!     url: context.url.to_owned(),
//!     redirected: false,
//!     headers: Headers::default(),
//!     body: Value::from(b"twenty bytes of text".to_vec()),
//! };
//! let Step::Done(Ok(Outcome::Whole(object))) = exchange.answer(Ok(answer), 0.5) else {
//!     panic!("it has the object")
//! };
//! assert_eq!(object.part(ByteRange::At { offset: 0, len: 9 }).unwrap().value.len(), 9);
//! assert!(knowledge.ranges_ignored.get());
//! ```
//!
//! Errors, byte ranges and limits are those of `zarr-wasm`. Concurrency, caches and writing are up
//! to the caller. In this package the caller is the engine (`src/engine/rust/store/http`).

#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::string_slice))]

mod answer;
mod exchange;
mod fault;
mod fetched;
pub mod landing;
mod learned;
pub mod merged_ranges;
mod options;
mod policy;
mod request_kind;
mod response;
mod retry;
mod server;
mod subject;
pub mod url;
mod value;
mod web_page;

pub use answer::{CutBody, Headers, HttpResponse, Method, READ_HEADERS, TransportError, TransportResult};
pub use exchange::{ExchangeContext, Goal, NextRequest, Outcome, Step};
pub use fault::{Lost, RequestLabel, Seen};
pub use fetched::{FetchResult, Fetched, Measured};
pub use merged_ranges::{MergedRange, merge};
pub use options::{HttpOptions, WarningSink};
pub use policy::Exchange;
pub use retry::Retries;
pub use server::{OriginKnowledge, ServerKnowledge, SuffixRanges};
pub use subject::{LikelySize, Subject};
pub use value::{HostBytes, Value};
pub use web_page::{BEGINNING_BYTES, KnownObject, WebPage, WebPages};
pub use zarr_wasm::format::byte_range::ByteRange;
use zarr_wasm::{error, format, limits, sorted};
