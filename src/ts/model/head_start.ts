/**
 * The time that v3's document has before v2's are requested too. A server nearby answers within it.
 * The engine waits as long (`src/hierarchy/open.rs`): a test holds the two equal.
 */
export const HEAD_START_MS = 60;
