/**
 * Tests of the viewer's panel "Insight". Each sentence about a slow view has a store or a server
 * with that fault. The sizes of chunks are compared with those of the files on disk.
 */
import { mkdtempSync, readdirSync, rmSync, statSync, unlinkSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";
import { serve } from "../../../scripts/serve.mjs";
import { expect, test } from "../fixtures.mjs";
import { ROOT } from "../places.mjs";

const CLIMATE = "./samples/climate.zarr";
const CELLS = "./samples/cells.ome.zarr";
const folder = mkdtempSync(join(tmpdir(), "zarr-insight-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Noise that compresses to about three quarters. */
const value = (at) => (Math.imul(at ^ (at >>> 9), 2654435761) >>> 26) & 63;

/** Writes an array of bytes. Resolves to its folder. */
async function written(name, { shape, ...options }) {
  const store = new FileSystemStore(join(folder, name));
  const array = await zarr.create(store, { shape, dtype: "uint8", ...options });
  const data = Uint8Array.from({ length: shape.reduce((product, length) => product * length, 1) }, (_, at) =>
    value(at),
  );
  await array.set(null, { data, shape });
  return join(folder, name);
}

const GZIP = [{ name: "gzip", configuration: { level: 1 } }];

/** The stores with faults, by the id of the sentence. They are written once. */
const STORES = {
  "large-chunks": { shape: [64, 512, 512], chunkShape: [64, 512, 512] },
  "tiny-chunks": { shape: [1024, 1024], chunkShape: [64, 64] },
  "no-pyramid": { shape: [4096, 4096], chunkShape: [512, 512] },
  gzip: { shape: [16, 2048, 1024], chunkShape: [1, 2048, 1024], codecs: GZIP },
  shards: { shape: [2048, 2048], chunkShape: [128, 128], shardShape: [2048, 2048] },
};
/** A view of a few chunks of a shard. */
const VIEWS = { shards: { view: "1024,-1024,0.3" } };

/** A server of another origin for the stores. */
const serveStores = (intercept) => serve({ "/": folder }, { data: ["/"], intercept });

async function openInsight(viewer, parameters) {
  await viewer.goto({ ...parameters, panels: "insight" });
  await viewer.drawn();
  await viewer.page.waitForSelector("#counters");
}

/** Opens a store, and waits for the sentence about it. Resolves to its text. */
async function sentenceOf(viewer, id, store, server, before = async () => {}) {
  if (!readdirSync(folder).includes(store)) await written(store, STORES[store]);
  await openInsight(viewer, { source: `${server.url}/${store}`, ...VIEWS[store] });
  await before();
  const cause = viewer.page.locator(`.cause[data-cause="${id}"]`);
  await cause.waitFor();
  return cause.textContent();
}

/** Tests a fault of a store or of its server. */
const fault =
  (id, store, words, { intercept, before } = {}) =>
  async ({ viewer }) => {
    const server = await serveStores(intercept);
    try {
      const text = await sentenceOf(viewer, id, store, server, () => before?.(viewer));
      for (const word of words) expect(text.includes(word), `“${word}” is in: ${text}`).toBeTruthy();
    } finally {
      await server.close();
    }
  };

function withoutRanges(request) {
  delete request.headers.range;
  return false;
}

function withHiddenHeaders(_request, response) {
  const { writeHead } = response;
  response.writeHead = (status, headers) => {
    const { "Access-Control-Expose-Headers": _exposed, ...shown } = headers;
    return writeHead.call(response, status, shown);
  };
  return false;
}

/** Shows each step along the first dimension. */
async function playThrough(viewer) {
  for (let step = 0; step < 16; step += 1) {
    await viewer.page.locator('.dimension input[type="number"]').first().fill(String(step));
    await viewer.drawn();
  }
}

/** The sizes of the files of an array's chunks. */
const fileSizes = (store) =>
  readdirSync(join(folder, store, "c"), { recursive: true })
    .map((name) => statSync(join(folder, store, "c", String(name))))
    .filter((stat) => stat.isFile())
    .map(({ size }) => size);

const bytesText = (bytes) =>
  bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(bytes < 102_400 ? 1 : 0)} KiB`;

const inView = (viewer) => viewer.page.textContent("#chunks-in-view");

test.describe("insight", () => {
  test("a store without faults has no sentence", async ({ viewer }) => {
    await openInsight(viewer, { source: CLIMATE });
    await viewer.says("#panel-insight", "Nothing stands out");
  });

  test(
    "chunks that are too large for the view are named",
    fault("large-chunks", "large-chunks", ["64 × 512 × 512", "16.0 MiB", "1 of 64", "1 × 512 × 512"]),
  );

  test(
    "tiny chunks without shards are named",
    fault("tiny-chunks", "tiny-chunks", ["256 requests", "4.0 KiB", "shards"]),
  );

  test(
    "a large array without coarser levels is named",
    fault("no-pyramid", "no-pyramid", ["no coarser levels", "elements for each pixel", "pyramid"]),
  );

  test("slow codecs are named", fault("gzip", "gzip", ["gzip took", "zstd"], { before: playThrough }));

  test(
    "a server that ignores ranges is named",
    fault("ranges", "shards", ["127.0.0.1", "whole files", "206"], {
      intercept: withoutRanges,
    }),
  );

  test(
    "a server that hides its headers is named",
    fault("headers", "shards", ["does not show Content-Range and ETag", "Access-Control-Expose-Headers"], {
      intercept: withHiddenHeaders,
    }),
  );

  test("the plots have the requests and bytes of the page", async ({ viewer }) => {
    let [requests, bytes] = [0, 0];
    viewer.page.on("response", (response) => {
      if (!response.url().includes("/samples/cells.ome.zarr/")) return;
      requests += 1;
      if (response.ok()) bytes += Number(response.headers()["content-length"]);
    });
    await openInsight(viewer, { source: CELLS });
    // The page updates its counters once a second.
    await expect(async () => {
      const told = await viewer.page.locator("#counters dd").allTextContents();
      expect(Number(told[0]), "requests").toBe(requests);
      expect(told[1], "bytes").toBe(bytesText(bytes));
    }).toPass();
    const captions = await viewer.page.locator(".speed figcaption b").allTextContents();
    expect(captions).toEqual([
      "Requests",
      "Received",
      "Caches",
      "Decoding",
      "Workers",
      "Memory of the caches",
      "Stalls",
    ]);
    await viewer.says(".speed .now", /bytes, blosc \d+ ms/);
    await expect(viewer.page.locator(".speed-plot canvas")).toHaveCount(captions.length);
  });

  test("the grid has the sizes of the files, and tells which are missing", async ({ viewer }) => {
    await written("grid", { shape: [400, 300], chunkShape: [100, 100], fillValue: 0 });
    unlinkSync(join(folder, "grid/c/1/2"));
    const sizes = fileSizes("grid");
    const server = await serveStores();
    try {
      await openInsight(viewer, { source: `${server.url}/grid` });
      await viewer.page.selectOption("#chunk-grid", "size");
      await viewer.says("#chunks-in-view", "11 of 12 chunks");
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const text = await inView(viewer);
      expect(text.includes(`${bytesText(total)} of ${bytesText(11 * 10_000)} decoded`), text).toBeTruthy();
      const key = await viewer.page.locator(".grid-key span").allTextContents();
      expect(key).toEqual([Math.min(...sizes), Math.max(...sizes)].map(bytesText));
      await viewer.waitForParameter("structure", "size");
      await expect(viewer.page.locator("canvas.grid-layer"), "the grid is on the picture").toHaveCount(1);
      await viewer.page.selectOption("#chunk-grid", "");
      await viewer.page.locator("canvas.grid-layer").waitFor({ state: "detached" });
    } finally {
      await server.close();
    }
  });

  test("the grid has the ages of the files", async ({ viewer }) => {
    await written("ages", { shape: [200, 100], chunkShape: [100, 100] });
    const times = ["2020-02-03T04:05:00Z", "2024-06-07T08:09:00Z"];
    for (const [row, time] of times.entries())
      utimesSync(join(folder, `ages/c/${row}/0`), new Date(time), new Date(time));
    const server = await serveStores();
    try {
      await openInsight(viewer, { source: `${server.url}/ages`, structure: "age" });
      await viewer.says("#chunks-in-view", "2 of 2 chunks");
      const key = await viewer.page.locator(".grid-key span").allTextContents();
      expect(key).toEqual(["2020-02-03 04:05", "2024-06-07 08:09"]);
    } finally {
      await server.close();
    }
  });

  test("the chunks of a shard have the sizes in its index", async ({ viewer }) => {
    await openInsight(viewer, {
      source: "./samples/arctic.zarr",
      variable: "colour",
      level: "0",
      structure: "size",
    });
    await viewer.says("#chunks-in-view", "16 of 16 chunks");
    // The file has its 16 chunks, then 16 entries of 16 bytes and a checksum of 4.
    const { size } = statSync(join(ROOT, "www/samples/arctic.zarr/0/colour/c/0/0/0"));
    const chunks = size - 16 * 16 - 4;
    const text = await inView(viewer);
    expect(text.includes(`${(chunks / 2 ** 20).toFixed(1)} MiB of 3.0 MiB decoded`), text).toBeTruthy();
    await viewer.says(".codec-words", "each shard is split into chunks of 256 × 256 × 3");
    await viewer.says(".codec-words", "compressed by Blosc (zstd, level 9, bytes shuffled)");
  });

  test("the grid follows the level, the step and the picture", async ({ viewer }) => {
    await viewer.goto({ source: CELLS, structure: "presence", panels: "insight,display" });
    await viewer.drawn();
    await viewer.says(".structure-facts", "/scale0/cells");
    await viewer.page.selectOption("#level", "2");
    await viewer.says(".structure-facts", "/scale2/cells");
    await viewer.type(CLIMATE);
    await viewer.says(".structure-facts", "/air_temperature");
    await viewer.says("#chunks-in-view", "1 of 1 chunks");
    await expect(viewer.page.locator("canvas.grid-layer")).toHaveCount(1);
  });

  test("conventions have links to their texts", async ({ viewer }) => {
    await viewer.goto({ source: CELLS, panels: "data" });
    await viewer.drawn();
    const link = viewer.page.locator(".conventions a");
    await link.waitFor();
    expect(await link.getAttribute("href")).toBe("https://ngff.openmicroscopy.org/0.5/");
  });

  test("the address restores the panels, the grid and how it plays", async ({ viewer }) => {
    await viewer.goto({ source: CELLS });
    await viewer.drawn();
    await viewer.page.selectOption("#play-speed", "10");
    await viewer.page.click('.playing >> text="Loop"');
    await viewer.waitForParameter("play", "10,once");
    await viewer.page.click("#switch-insight");
    await viewer.waitForParameter("panels", "insight,display");
    await viewer.page.click("#switch-display");
    await viewer.page.selectOption("#chunk-grid", "presence");
    await viewer.waitForParameter("structure", "presence");
    await viewer.page.reload();
    await viewer.drawn();
    await viewer.says("#chunks-in-view", "chunks in");
    expect(await viewer.page.inputValue("#chunk-grid")).toBe("presence");
    expect(await viewer.page.inputValue("#play-speed")).toBe("10");
    expect(await viewer.page.isChecked('.playing input[type="checkbox"]')).toBe(false);
    const open = await viewer.page
      .locator(".panel:not([hidden])")
      .evaluateAll((all) => all.map(({ id }) => id));
    expect(open).toEqual(["panel-insight"]);
  });

  test("the panel is loaded when it opens, and works by keyboard", async ({ viewer }) => {
    await viewer.goto({ source: CELLS });
    await viewer.drawn();
    const scripts = () => viewer.requests.filter((url) => url.endsWith(".js")).length;
    const before = scripts();
    await viewer.page.focus("#switch-insight");
    await viewer.page.keyboard.press("Enter");
    await viewer.page.waitForSelector("#chunk-grid");
    expect(scripts(), "its script").toBeGreaterThan(before);
    await viewer.page.focus("#chunk-grid");
    await viewer.page.keyboard.press("ArrowDown");
    await viewer.says("#chunks-in-view", "4 of 4 chunks");
  });
});
