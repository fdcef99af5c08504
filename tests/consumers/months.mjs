/**
 * The page that recipes build in several frameworks: a map of a month on a canvas, and a slider over
 * the months. Its colours are compared with what zarr-python reads and matplotlib draws.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/run_command.mjs";
import { unpackFixtures } from "../support/fixture_archives.mjs";
import { inPage } from "./page.mjs";

const read = (path) => JSON.parse(readFileSync(path, "utf8"));

/** What zarr-python reads: `values` of two months at `places` (row and column), and their means. */
export const MONTHS = read(join(ROOT, "tests/browser/viewer/examples_expected.json")).worker;
const { viridis } = read(join(unpackFixtures(), "viewer/expected.json")).colormaps;

const [COLDEST, WARMEST] = [230, 310];
/** Tolerance of a colour for rounding. */
const CLOSE = 3;
const PATIENCE_MS = 20_000;

/** The colour of a temperature. */
export function colourOf(kelvin) {
  const share = Math.min(Math.max((kelvin - COLDEST) / (WARMEST - COLDEST), 0), 1);
  return viridis[Math.round(share * (viridis.length - 1))];
}

/** Runs in the page: waits until its canvas has these colours at these elements. */
async function showsColours({ places, colours, tolerance, patience }) {
  const isClose = (found, wanted) => wanted.every((part, at) => Math.abs(part - found[at]) <= tolerance);
  const context = new OffscreenCanvas(360, 180).getContext("2d", { willReadFrequently: true });
  for (const start = performance.now(); performance.now() < start + patience; ) {
    const canvas = document.querySelector("canvas");
    if (canvas) context.drawImage(canvas, 0, 0);
    const found = places.map(([row, column]) => [...context.getImageData(column, row, 1, 1).data]);
    if (colours.every((wanted, at) => isClose(found[at], wanted))) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the canvas does not show ${JSON.stringify(colours[0])} at its first place`);
}

/** Rejects unless the page shows a month, the first or the second of those that are expected. */
const expectMonth = (page, at) =>
  page.evaluate(showsColours, {
    places: MONTHS.places,
    colours: MONTHS.values[at].map(colourOf),
    tolerance: CLOSE,
    patience: PATIENCE_MS,
  });

/**
 * Rejects unless the page at `url` shows January, and July after a slider was dragged there. `then`
 * checks what else the page shows.
 */
export const expectMonths = (url, then = async () => {}) =>
  inPage(url, async (page) => {
    await expectMonth(page, 0);
    const slider = page.locator("input[type=range]");
    for (const month of [1, 2, 3, 4, 5, 11, 6]) await slider.fill(String(month));
    await expectMonth(page, 1);
    await then(page);
  });
