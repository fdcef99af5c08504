/**
 * The test functions for browsers: `test` registers a test; `equal`, `ok` and `rejects` assert. The
 * page runs the tests one after the other and reports each to tests/browser/run.mjs.
 */
import { attempt, textOf } from "./attempts.mjs";

const tests = [];
/** Tests that open the viewer in a frame. They have two attempts (`attempts.mjs`). */
const OF_VIEWER = /^(viewer|plots|pixels): /;
const TIMEOUT_MS = 30_000;
/** That of tests that open the viewer, which other lanes beside this one make slow. */
const VIEWER_TIMEOUT_MS = 60_000;

/** Registers a test. `options.timeout` is in milliseconds. */
export function test(name, body, options = {}) {
  const usual = OF_VIEWER.test(name) ? VIEWER_TIMEOUT_MS : TIMEOUT_MS;
  tests.push({ name, body, timeout: options.timeout ?? usual });
}

/** The URL of a file or folder of the unpacked tests/fixtures. */
export const fixture = (path) => new URL(`/fixtures/${path}`, location.href).href;

export function ok(value, message = `expected a truthy value, got ${show(value)}`) {
  if (!value) throw new Error(message);
}

/** Values as JSON in which bigints and typed arrays differ from numbers and arrays. */
function show(value) {
  const plain = (_key, part) => {
    if (typeof part === "bigint") return `${part}n`;
    if (typeof part === "number" && !Number.isFinite(part)) return String(part);
    if (part === undefined) return "undefined";
    if (ArrayBuffer.isView(part) && !(part instanceof DataView)) {
      return [part.constructor.name, Array.from(part, (item) => plain("", item))];
    }
    return part;
  };
  return JSON.stringify(value, plain);
}

/** Deep equality of plain data, typed arrays and bigints. */
export function equal(actual, expected, what = "value") {
  if (show(actual) !== show(expected))
    throw new Error(`${what}: expected ${show(expected)}, got ${show(actual)}`);
}

/** Waits for a rejection, checks it with `matches`, and returns the error. */
export async function rejects(promise, matches = () => true) {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error) => ({ error }),
  );
  if (!("error" in outcome)) throw new Error(`expected a rejection, got ${show(outcome.value)}`);
  if (!matches(outcome.error)) throw new Error(`rejected with something else: ${outcome.error}`);
  return outcome.error;
}

function withTimeout({ body, timeout }) {
  let timer;
  const deadline = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${timeout} ms`)), timeout);
  });
  return Promise.race([Promise.resolve().then(body), deadline]).finally(() => clearTimeout(timer));
}

/**
 * Runs the tests with matching names. `report` gets `{name, error, earlier, ms}`: the texts of
 * errors, and how long the test took. `options.from` is the number of tests to leave out, and
 * `options.begins` gets `{begins, at, within}` before each test: its name, its number, and the time
 * in ms after which it has reported unless the page is dead.
 */
export async function runAll(report, pattern, { from = 0, begins } = {}) {
  if (tests.length === 0) throw new Error("the page has no tests");
  const chosen = tests.filter(({ name }) => pattern.test(name));
  for (const [at, registered] of [...chosen.entries()].slice(from)) {
    const { name, timeout } = registered;
    await begins?.({ begins: name, at, within: OF_VIEWER.test(name) ? 2 * timeout : timeout });
    const begun = performance.now();
    const run = () => withTimeout(registered);
    const outcome = OF_VIEWER.test(name)
      ? await attempt(run)
      : { error: await run().then(() => undefined, textOf) };
    await report({ name, ...outcome, ms: Math.round(performance.now() - begun) });
  }
}
