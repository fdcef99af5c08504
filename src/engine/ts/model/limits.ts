/**
 * Limits and times that Rust has too, under the same names: in `src/core/limits.rs`, and in
 * `open.rs` and `large_document.rs` of `src/engine/rust/hierarchy`. A test compares them.
 */

/** The longest metadata document, in bytes. */
export const METADATA_BYTES = 2 ** 28;

/** From this size in bytes on, the engine leaves large attributes out of a document's text. */
export const LARGE_BYTES = 2 ** 19;

/** The largest result of one read, in bytes. */
export const RESULT_BYTES = 2 ** 31 - 2 ** 16;

/** The most keys of a listing, which may not end. */
export const LISTED_KEYS = 2 ** 21;

/** Time in ms after which v2's documents are requested too. A near server answers sooner. */
export const HEAD_START_MS = 60;
