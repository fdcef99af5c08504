/**
 * Runs the tests that are written as code of a page (`*.test.mjs`, `isolated/`, `adapters/`): a
 * Playwright test for each. `setup.mjs` bundles the pages and writes the names of their tests.
 */
import { readFileSync } from "node:fs";
import { test } from "./fixtures.mjs";
import { NAMES, OPENS_VIEWER } from "./places.mjs";

/** What opening the page may add to the time of a test. */
const OPENING_MS = 30_000;

for (const { path, tests } of JSON.parse(readFileSync(NAMES, "utf8"))) {
  test.describe(path, () => {
    for (const { name, timeout, opensViewer } of tests)
      test(name, { tag: opensViewer ? OPENS_VIEWER : [] }, async ({ runInPage }) => {
        test.setTimeout(timeout + OPENING_MS);
        await runInPage(path, name);
      });
  });
}
