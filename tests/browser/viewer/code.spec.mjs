/**
 * Runs the code that the viewer writes for what it shows (`snippets.mjs`). The browser lane runs
 * the JavaScript. With SNIPPETS_PYTHON, the path of an interpreter with xarray and zarr-python, it
 * runs the Python, too: so does the lane `conformance`.
 */
import { test } from "../fixtures.mjs";
import { COMPARISONS, checkComparison, checkView, VIEWS } from "./snippets.mjs";

const python = process.env.SNIPPETS_PYTHON;

test.describe("sharing", () => {
  for (const name of Object.keys(VIEWS))
    test(`code of ${name}`, ({ viewer }) => checkView(viewer, name, python));
  for (const name of Object.keys(COMPARISONS))
    test(`code of ${name}`, ({ viewer }) => checkComparison(viewer, name, python));
});
