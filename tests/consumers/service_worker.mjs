/**
 * The recipe for tiles from a service worker: Leaflet shows them, and their colours are those of what
 * zarr-python reads.
 */
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/run_command.mjs";
import { filesOf } from "../support/docs/snippets.mjs";
import { colourOf } from "./months.mjs";
import { inPage } from "./page.mjs";

/** Places as longitude and latitude, and the temperatures of their elements in July. */
const EXPECTED = join(ROOT, "tests/browser/viewer/examples_expected.json");
const { places, values } = JSON.parse(readFileSync(EXPECTED, "utf8")).picked;

/** A zoom at which a pixel is much smaller than an element. */
const ZOOM = 5;
const SIDE = 256;
/** Tolerance of a colour for rounding. */
const CLOSE = 3;

/** The recipe's colour of a temperature, on a line between two of five colours of viridis. */
function mixedColourOf(kelvin) {
  const first = Math.floor((kelvin - 230) / 20);
  const [from, to] = [colourOf(230 + 20 * first), colourOf(250 + 20 * first)];
  const share = (kelvin - 230) / 20 - first;
  return [...from.map((part, band) => part + share * (to[band] - part)), 255];
}

/** The pixel of a place on the map of a zoom. */
function pixelOf([east, north]) {
  const up = Math.log(Math.tan(Math.PI / 4 + (north * Math.PI) / 360)) / (2 * Math.PI);
  return [(east + 180) / 360, 0.5 - up].map((share) => Math.floor(share * SIDE * 2 ** ZOOM));
}

/** Runs in the page: the colour of a pixel of the map that Leaflet shows. */
async function colourAt({ zoom, side, pixel: [x, y] }) {
  const query = document.querySelector(".leaflet-tile-loaded").src.split("?")[1];
  const address = `./tiles/${zoom}/${Math.floor(x / side)}/${Math.floor(y / side)}.png?${query}`;
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  const context = new OffscreenCanvas(side, side).getContext("2d");
  context.drawImage(await createImageBitmap(await answer.blob()), 0, 0);
  return [...context.getImageData(x % side, y % side, 1, 1).data];
}

async function expectTiles(page) {
  await page.locator(".leaflet-tile-loaded").first().waitFor();
  for (const [at, place] of places.entries()) {
    const found = await page.evaluate(colourAt, { zoom: ZOOM, side: SIDE, pixel: pixelOf(place) });
    const wanted = mixedColourOf(values[at]);
    if (wanted.some((part, band) => Math.abs(part - found[band]) > CLOSE))
      throw new Error(`at ${place}: ${found}, not ${wanted}`);
  }
}

export const serviceWorker = (esbuild, leaflet, proj4) => ({
  name: "the recipe for a service worker",
  folder: "recipe-service-worker",
  packages: { esbuild, leaflet, proj4 },
  files: ({ samples }) => filesOf("docs/recipes/service-worker-tiles.md", samples),
  checks: {
    tiles: async (project) => {
      const shown = join(project.folder, "public");
      const bundle = [
        "src/tiles.js",
        "--bundle",
        "--minify",
        "--outfile=public/tiles.js",
        "--log-level=warning",
      ];
      await project.quietly(project.bin("esbuild"), bundle);
      await project.quietly(process.execPath, [
        "node_modules/zarr-wasm/dist/modules/package/entry/write_files.js",
        "public/zarr",
      ]);
      cpSync(join(project.folder, "node_modules/leaflet/dist"), join(shown, "leaflet"), { recursive: true });
      await project.at.servingFolder(shown, (url) => inPage(url, expectTiles));
    },
  },
});
