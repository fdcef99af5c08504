/**
 * How long the page waits for an engine, in ms. These are properties of an object, not constants,
 * so that tests can shorten them. They are not options of `init`.
 */
export const TIMEOUTS = {
  /** A worker that has not answered by then counts as not started. */
  startMs: 10_000,
  /** Time between two pings to an engine that has calls in flight. */
  pingMs: 5_000,
  /** Without a message for this long, an engine counts as lost. */
  silentMs: 30_000,
};
