/**
 * Functions that the pages of the adapters share: pictures of other libraries with their values
 * (`fixtures/viewer`, `make/viewer.py`), and the colours that the browser shows. Colours are taken
 * from a screenshot, so that it does not matter how a library draws.
 */
import * as zarr from "zarr-wasm";
import { fixture, ok } from "../harness.mjs";

/** Tolerance of each colour: rounding, and colour maps of two libraries. */
export const CLOSE = 4;

let known;
/** Resolves to the values that other libraries read from a picture. */
export async function expected(name) {
  known ??= await (await fetch(fixture("viewer/expected.json"))).json();
  return known[name];
}

export const urlOf = (name) => fixture(`viewer/${name}`);
export const openPyramid = async (name) => zarr.pyramid(await zarr.open(urlOf(name), { kind: "group" }));
export const openArray = (name, path) => zarr.open(urlOf(name), { path, kind: "array" });

/** Whether a key is one of metadata. */
export const isDocument = (key) => /\/(\.z\w+|zarr\.json)$/.test(key);

/** Returns a store whose chunks cannot be read. */
export function brokenStore(name, message) {
  const files = new zarr.FetchStore(urlOf(name));
  return {
    get: async (key) => {
      if (isDocument(key)) return files.get(key);
      throw new Error(message);
    },
  };
}

/** Returns a store whose chunks never arrive, and the signals with which they are requested. */
export function endlessStore(name) {
  const files = new zarr.FetchStore(urlOf(name));
  const signals = [];
  const get = (key, { signal } = {}) => {
    if (isDocument(key)) return files.get(key);
    signals.push(signal);
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  };
  return { store: { get }, signals };
}

/** Waits for a request, lets the library leave its tile, and waits for the abort of all. */
export async function abortsWhen(leave, signals) {
  await until(() => signals.length > 0, "a request");
  ok(!signals.some((signal) => signal?.aborted), "nothing is aborted before");
  leave();
  await until(() => signals.every((signal) => signal?.aborted), "all requests aborted");
}

/** Returns an empty element of the page at its top left corner. */
export function emptyElement(width, height) {
  document.body.style.margin = "0";
  const element = document.createElement("div");
  Object.assign(element.style, {
    position: "fixed",
    inset: "0 auto auto 0",
    width: `${width}px`,
    height: `${height}px`,
    background: "#fff",
  });
  document.body.replaceChildren(element);
  return element;
}

/** Resolves to a function from points of the page to the colours that the browser shows now. */
async function shownColours() {
  const png = Uint8Array.from(atob(await window.screenshot()), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([png], { type: "image/png" }));
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { data, width } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  return ([x, y]) => {
    const at = 4 * (Math.floor(y) * width + Math.floor(x));
    return [...data.subarray(at, at + 3)];
  };
}

const isClose = (one, other) => one.every((part, at) => Math.abs(part - other[at]) <= CLOSE);

const PATIENCE_MS = 15_000;

/** Waits until the page has these colours. `places` are `{ name, place, color }`. */
export async function showsColours(places) {
  ok(places.length > 0, "there is no place to look at");
  const deadline = performance.now() + PATIENCE_MS;
  let wrong;
  do {
    const colourAt = await shownColours();
    wrong = places.flatMap(({ name, place, color }) => {
      const shown = colourAt(place);
      return isClose(shown, color) ? [] : [`${name} is ${shown}, not ${color}`];
    });
    if (wrong.length === 0) return;
  } while (performance.now() < deadline);
  throw new Error(`${wrong.length} of ${places.length} colours are wrong: ${wrong.slice(0, 4).join("; ")}`);
}

/** Returns the middles of the blocks of an image with their colours. `toPage` maps an element. */
export const blockColours = ({ block, composite }, toPage) =>
  composite.flatMap((line, row) =>
    line.map((color, column) => ({
      name: `row ${row}, column ${column}`,
      place: toPage((column + 0.5) * block, (row + 0.5) * block),
      color,
    })),
  );

/**
 * Returns the colours of a field at the middles of its elements on a map; white where there is
 * none.
 */
export function fieldColours({ latitude, longitude, values }, colormap, window, step, toPage) {
  const [low, high] = window;
  const colourOf = (value) => {
    if (value === null) return [255, 255, 255];
    const share = Math.min(Math.max((value - low) / (high - low), 0), 1);
    return colormap[Math.round(share * (colormap.length - 1))];
  };
  return values[step].flatMap((line, row) =>
    line.flatMap((value, column) => {
      const place = toPage(longitude[column], latitude[row]);
      const name = `${latitude[row]} N, ${longitude[column]} E`;
      return place ? [{ name, place, color: colourOf(value) }] : [];
    }),
  );
}

/** Waits until `ready` returns something. */
export async function until(ready, what) {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const found = await ready();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  throw new Error(`waited in vain: ${what}`);
}

/** Returns the function from longitude and latitude to points of a web map of the world. */
export const webMapPlace = (side) => (longitude, latitude) => {
  // Elements at the poles are cut by the map's edge.
  if (Math.abs(latitude) > 80) return null;
  const up = Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360)) / Math.PI;
  const east = ((longitude + 540) % 360) - 180;
  return [((east + 180) / 360) * side, ((1 - up) / 2) * side];
};
