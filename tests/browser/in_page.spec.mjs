/**
 * Runs the tests that are written as code of a page (`*.test.mjs`, `isolated/`, `adapters/`): a
 * Playwright test for each. `setup.mjs` bundles the pages and writes the names of their tests.
 */
import { readFileSync } from "node:fs";
import { test } from "./fixtures.mjs";
import { NAMES } from "./places.mjs";

/** What opening the page may add to the time of a test. */
const OPENING_MS = 30_000;

for (const { path, tests } of JSON.parse(readFileSync(NAMES, "utf8"))) {
  const registered = (opens) => {
    for (const { name, timeout } of tests.filter(({ opensViewer }) => opensViewer === opens))
      test(name, async ({ runInPage }) => {
        test.setTimeout(timeout + OPENING_MS);
        await runInPage(path, name);
      });
  };
  test.describe(path, () => {
    registered(false);
    // These depend on the speed of the machine, as those of the project "viewer" do.
    test.describe(() => {
      test.describe.configure({ retries: 1 });
      registered(true);
    });
  });
}
