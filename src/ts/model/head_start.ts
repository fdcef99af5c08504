/**
 * Time in ms after which v2's documents are requested too. A near server answers sooner. The engine
 * waits equally long (`src/hierarchy/open.rs`), which a test checks.
 */
export const HEAD_START_MS = 60;
