/**
 * How long the package waits, in ms. These are properties of an object, not constants, so that
 * tests can shorten them. They are not options of `init`.
 */
export const TIMEOUTS = {
  /** A worker that has not answered by then counts as not started. */
  startMs: 10_000,
  /** Time between two pings to an engine that has calls in flight. */
  pingMs: 5_000,
  /** Without a message for this long, an engine counts as lost. */
  silentMs: 30_000,
  /** Without an answer for this long, the browser's storage counts as failed. */
  storageMs: 5_000,
};
