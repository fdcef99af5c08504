/**
 * How long the page waits for an engine, in ms. One object in place of constants, so that tests
 * need not wait as long; it is no option of `init`.
 */
export const PATIENCE = {
  /** A script that has not answered by then is taken for one that does not start. */
  startMs: 10_000,
  /** An engine with calls under way is asked for a sign so often. */
  pingMs: 5_000,
  /** After so long without a sign it counts as gone. */
  silentMs: 30_000,
};
