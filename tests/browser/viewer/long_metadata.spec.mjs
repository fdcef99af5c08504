/**
 * Tests the viewer with metadata of a few kilobytes that ask for more than a page can lay out or
 * draw: deep paths, long texts, many wells at one point, a thousand channels that are visible, and
 * large elements. The documents are made here, because no library writes such. Chunks are absent.
 * `plates.mjs` has the long lists.
 */
import { expect, test } from "../fixtures.mjs";

/** The limits of the page: `www/src/model/scene/scene.ts`, `www/src/widgets/page/element.ts`. */
const MIXED = 64;
const LABELS = 16;
const CHARACTERS = 2000;

const LONG = "W".repeat(200_000);
const TOLD_LENGTH = "(200\u202f000 characters. The first 2\u202f000 are shown.)";

test.describe("long metadata", () => {
  test("a path of three thousand parts has one row below the others, and can be opened", async ({
    viewer,
    url,
  }) => {
    const path = Array(3000).fill("a").join("/");
    const short = "b/c/d";
    const metadata = { [path]: plane(), b: group(), "b/c": group(), [short]: plane() };
    const consolidated = { kind: "inline", must_understand: false, metadata };
    await serveDocuments(viewer, `${url}/deep`, {
      "/zarr.json": { ...group(), consolidated_metadata: consolidated },
    });
    await viewer.goto({ source: `${url}/deep`, path });
    await viewer.drawn();
    await expect(viewer.page.locator('#tree [role="treeitem"][aria-selected="true"]')).toHaveCount(1);
    expect(await viewer.page.locator('#tree [role="treeitem"]').count()).toBeLessThan(100);
    await viewer.page.click(`#tree [data-path="${short}"] .name`);
    await viewer.waitForParameter("path", short);
    await viewer.page.locator(`#tree [data-path="${short}"][aria-selected="true"][aria-level="4"]`).waitFor();
  });

  test("wells that name one position share it", async ({ viewer, url }) => {
    const wells = Array.from({ length: 30_000 }, (_, at) => ({
      path: `A/${at}`,
      rowIndex: 0,
      columnIndex: 0,
    }));
    const plate = { version: "0.5", rows: [{ name: "A" }], columns: [{ name: "1" }], wells };
    await serveDocuments(viewer, `${url}/same`, { "/zarr.json": group({ ome: { version: "0.5", plate } }) });
    await viewer.page.addInitScript(() => {
      const { createElement } = Document.prototype;
      window.buttons = 0;
      Document.prototype.createElement = function (name, ...options) {
        window.buttons += name === "button" ? 1 : 0;
        return createElement.call(this, name, ...options);
      };
    });
    await viewer.goto({ source: `${url}/same` });
    await viewer.page.locator('#plate [aria-label^="Well A1"]').waitFor();
    await expect(viewer.page.locator("#plate button")).toHaveCount(1);
    expect(await viewer.page.evaluate(() => window.buttons)).toBeLessThan(1000);
  });

  test("of a thousand visible channels a part is drawn, and the page says so", async ({ viewer, url }) => {
    const asked = await serveImage(viewer, `${url}/visible`, { channels: visibleChannels(1000) });
    await viewer.goto({ source: `${url}/visible` });
    await viewer.drawn();
    await viewer.says("#channels .note", `At most ${MIXED} channels are drawn at a time.`);
    const box = (at) => viewer.page.getByRole("checkbox", { name: `Protein ${at}`, exact: true });
    expect(await box(MIXED).isChecked()).toBeTruthy();
    expect(await box(MIXED + 1).isChecked()).toBeFalsy();
    expect(channelsOf(asked).length).toEqual(MIXED);
    await box(MIXED + 1).click();
    expect(await box(MIXED + 1).isChecked()).toBeFalsy();
    await box(1).click();
    await box(MIXED + 1).click();
    expect(await box(MIXED + 1).isChecked()).toBeTruthy();
    await viewer.page.click('#channels button:text("Show all")');
    await expect(viewer.page.locator("#channels .channel:not(.off)")).toHaveCount(MIXED);
  });

  test("forty visible channels are all drawn", async ({ viewer, url }) => {
    const asked = await serveImage(viewer, `${url}/forty`, { channels: visibleChannels(40) });
    await viewer.goto({ source: `${url}/forty` });
    await viewer.drawn();
    await expect(viewer.page.locator("#channels .channel:not(.off)")).toHaveCount(40);
    await expect(viewer.page.locator("#channels .note")).toHaveCount(0);
    expect(channelsOf(asked).length).toEqual(40);
  });

  test("of more visible labels than are drawn at a time a part is drawn", async ({ viewer, url }) => {
    const names = Array.from({ length: LABELS + 4 }, (_, at) => `cells${at}`);
    const labels = Object.fromEntries(
      names.map((name) => [`/labels/${name}/zarr.json`, image({ count: 1 })]),
    );
    const levels = Object.fromEntries(names.map((name) => [`/labels/${name}/0/zarr.json`, level(1)]));
    const listed = group({ ome: { version: "0.5", labels: names } });
    await serveImage(viewer, `${url}/labelled`, {
      channels: visibleChannels(2),
      more: { "/labels/zarr.json": listed, ...labels, ...levels },
    });
    const wanted = names.map((name) => `/labels/${name}:0.5`).join(",");
    // Each label image is a layer, which a browser without a GPU draws slowly.
    await viewer.page.setViewportSize({ width: 1000, height: 500 });
    await viewer.goto({ source: `${url}/labelled`, labels: wanted });
    await viewer.drawn();
    await viewer.says("#layers .note", `At most ${LABELS} label images are drawn at a time.`);
    const ticked = viewer.page.locator("#layers input:checked");
    expect(await ticked.count()).toBe(LABELS);
    const last = viewer.page.getByRole("checkbox", { name: names.at(-1), exact: true });
    await last.click();
    expect(await last.isChecked()).toBeFalsy();
    await ticked.first().click();
    await last.click();
    expect(await last.isChecked()).toBeTruthy();
  });

  test("long texts are cut, and the page says how long they are", async ({ viewer, url }) => {
    const channels = [{ label: LONG }, { label: 24680 }];
    await serveImage(viewer, `${url}/texts`, { channels, name: LONG, other: LONG });
    await viewer.goto({ source: `${url}/texts` });
    await viewer.drawn();
    await viewer.says("#title h2", TOLD_LENGTH);
    await viewer.says("#channels .channel", TOLD_LENGTH);
    await viewer.says("#channels .channel", "24680");
    // The attributes have a limit of their own.
    expect(await viewer.page.locator("#details pre").textContent()).toMatch(
      /The first 200\u202f000 are shown\.\)$/,
    );
    for (const [part, most] of [
      ["#title", CHARACTERS],
      ["#channels", 2 * CHARACTERS],
      ["#legend", CHARACTERS],
      ["#dimensions", 500],
    ]) {
      const { length } = await viewer.page.locator(part).innerText();
      expect(length, `${part} has ${length} characters`).toBeLessThan(most + 500);
    }
    await viewer.page.getByRole("slider", { name: /^W+…$/ }).waitFor();
  });

  test("of elements of 16 MiB a few are read, and the start of each is shown", async ({ viewer, url }) => {
    await serveDocuments(viewer, `${url}/large`, {
      "/.zarray": { ...V2, shape: [400], chunks: [1], dtype: "|V16777216" },
    });
    await viewer.goto({ source: `${url}/large` });
    await viewer.says("#values h2", "The first 2 of 400 values");
    const { length } = await viewer.page.locator("#values").innerText();
    expect(length, `${length} characters`).toBeLessThan(10_000);
  });
});

const V2 = { zarr_format: 2, compressor: null, filters: null, fill_value: "", order: "C" };

const group = (attributes = {}) => ({ zarr_format: 3, node_type: "group", attributes });

/** An array of 8 × 8 elements for each of `count` channels. */
const level = (count, before = []) => ({
  zarr_format: 3,
  node_type: "array",
  shape: [...before, count, 8, 8],
  data_type: "uint16",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [...before.map(() => 1), 1, 8, 8] } },
  chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
  fill_value: 7,
  codecs: [{ name: "bytes", configuration: { endian: "little" } }],
  attributes: {},
});

const plane = () => ({
  ...level(1),
  shape: [8, 8],
  chunk_grid: { name: "regular", configuration: { chunk_shape: [8, 8] } },
  dimension_names: ["y", "x"],
});

const visibleChannels = (count) =>
  Array.from({ length: count }, (_, at) => ({
    label: `Protein ${at + 1}`,
    active: true,
    window: { start: 0, end: 10, min: 0, max: 10 },
  }));

/** The group of an image with one level. `other` is the name of a first axis of three steps. */
function image({ channels, name, other }) {
  const axes = [{ name: "c", type: "channel" }, ...["y", "x"].map((axis) => ({ name: axis, type: "space" }))];
  if (other) axes.unshift({ name: other, type: "time" });
  const scale = axes.map(() => 1);
  const datasets = [{ path: "0", coordinateTransformations: [{ type: "scale", scale }] }];
  const multiscales = [{ ...(name && { name }), axes, datasets }];
  return group({ ome: { version: "0.5", multiscales, ...(channels && { omero: { channels } }) } });
}

/** Serves an image with these channels, and `more` documents. Returns the set of keys asked for. */
function serveImage(viewer, address, { more = {}, ...metadata }) {
  const before = metadata.other ? [3] : [];
  return serveDocuments(viewer, address, {
    "/zarr.json": image(metadata),
    "/0/zarr.json": level(metadata.channels.length, before),
    ...more,
  });
}

/** Serves documents below an address; all else is absent. Returns the set of keys asked for. */
async function serveDocuments(viewer, address, documents) {
  const asked = new Set();
  await viewer.page.route(`${address}/**`, (route) => {
    const key = route.request().url().slice(address.length);
    asked.add(key);
    const json = documents[key];
    return json ? route.fulfill({ json }) : route.fulfill({ status: 404 });
  });
  return asked;
}

/** The channels of which chunks were asked for. */
const channelsOf = (asked) => [
  ...new Set([...asked].flatMap((key) => /^\/0\/c\/(\d+)\//.exec(key)?.[1] ?? [])),
];
