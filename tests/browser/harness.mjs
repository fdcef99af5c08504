/**
 * The test functions of code that runs in a page: `test` registers a test; `equal`, `ok` and
 * `rejects` assert. They are our own because the same tests run in Firefox and WebKitGTK, which
 * Playwright cannot drive as Debian packages them. This file runs no tests: Playwright runs each by
 * its name (`in_page.spec.mjs`); in the other engines the page does (`tests/engines/page.mjs`).
 */

const registered = new Map();
/** Names of tests that open the viewer in a frame. They depend on the speed of the machine. */
export const OF_VIEWER = /^(viewer|plots|pixels): /;
const TIMEOUT_MS = 90_000;
/** The same for tests that open the viewer. */
const VIEWER_TIMEOUT_MS = 120_000;

/** Registers a test. `options.timeout` is in milliseconds. */
export function test(name, body, options = {}) {
  if (registered.has(name)) throw new Error(`two tests have the name ${name}`);
  const opensViewer = OF_VIEWER.test(name);
  const usual = opensViewer ? VIEWER_TIMEOUT_MS : TIMEOUT_MS;
  registered.set(name, { name, body, opensViewer, timeout: options.timeout ?? usual });
}

/** The tests of the page: `{name, body, opensViewer, timeout}`. */
export const registeredTests = () => [...registered.values()];

/** Tells a driver that all tests are registered, which they are, and how to run one. */
export function offerTests() {
  window.pageTests = {
    tests: registeredTests().map(({ body: _, ...facts }) => facts),
    run: async (name) => {
      await registered.get(name).body();
    },
  };
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
