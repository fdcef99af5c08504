/**
 * Tests of STAC documents in the viewer, under a driver: the list of data sets, and opening one.
 * The documents are served here; the stores are the samples of the viewer.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runDriven } from "./driven_page.mjs";

const ZARR = "application/vnd.zarr; version=3";

/** What icechunk reads of the repository that the server of the tests has. */
const repository = () =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../icechunk/v2.expected.json"), "utf8"));

/** An item of two nodes of a sample, twins of one, and a file that is no data set. */
const itemOf = (samples) => ({
  type: "Feature",
  stac_version: "1.1.0",
  id: "item",
  assets: {
    air: {
      href: `${samples}/climate.zarr/air_temperature`,
      type: ZARR,
      title: "Air temperature, 2 m",
      roles: ["data", "dataset"],
    },
    rain: { href: `${samples}/climate.zarr/precipitation`, type: ZARR, roles: ["data"] },
    "rain-twin": {
      href: `${samples.replace("127.0.0.1", "localhost")}/climate.zarr/precipitation`,
      type: ZARR,
      title: "Precipitation at another server",
      roles: ["data"],
    },
    references: { href: "./far.json", type: "application/json", title: "References", roles: ["references"] },
    thumbnail: { href: "./preview.png", type: "image/png", roles: ["thumbnail"] },
  },
  links: [{ rel: "store", href: `${samples}/climate.zarr`, type: ZARR, title: "The whole climate" }],
});

async function route(viewer, address, document) {
  await viewer.page.route(address, (route) => route.fulfill({ json: document }));
}

const TESTS = {
  async "a STAC item is a list of its data sets, and the chosen one opens"(viewer, { url }) {
    const { page } = viewer;
    const samples = new URL("samples", viewer.viewer).href;
    const address = `${url}/collections/c/items/item`;
    await route(viewer, address, itemOf(samples));
    await viewer.goto({ source: address });
    const list = page.locator("dialog[open]");
    await list.waitFor();
    assert.match(await list.textContent(), /“item” is a STAC document. It names 5 data sets/);
    const rows = await list.locator("li").allTextContents();
    assert.equal(rows.length, 5);
    for (const [row, words] of [
      [0, /Air temperature, 2 m\s+Zarr · data, dataset\s+air_temperature/],
      [1, /rain\s+Zarr · data\s+precipitation/],
      [2, /another server\s+Zarr · data\s+precipitation\s*http:..localhost/],
      [3, /References\s+kerchunk references · references/],
      [4, /The whole climate\s+Zarr · store\s+the whole store/],
    ])
      assert.match(rows[row], words);
    await screenshot(page, "stac-wide");
    await list.getByRole("button", { name: "rain Zarr" }).click();
    await viewer.drawn("Precipitation");
    await viewer.waitForParameter("path", "precipitation");
    await viewer.waitForParameter("source", `${samples}/climate.zarr`);
    assert.equal(await page.inputValue("#address"), `${samples}/climate.zarr`);
    assert.deepEqual(viewer.complaints, []);
  },

  async "a STAC item is compared with: its chosen data set is in the address, and is not asked twice"(
    viewer,
    { url },
  ) {
    const { page } = viewer;
    const samples = new URL("samples", viewer.viewer).href;
    await route(viewer, `${url}/item.json`, itemOf(samples));
    const other = `source=${url}/item.json`;
    await viewer.goto({ source: "./samples/climate.zarr", compare: "beside", with: other });
    const list = page.locator("dialog[open]");
    await list.getByRole("button", { name: "rain Zarr" }).click();
    await viewer.says(".compared .caption", "Precipitation");
    await page.waitForURL((address) => {
      const found = new URLSearchParams(address.searchParams.get("with") ?? "");
      return found.get("source") === `${samples}/climate.zarr` && found.get("path") === "precipitation";
    });
    await page.reload();
    await viewer.says(".compared .caption", "Precipitation");
    assert.equal(await list.count(), 0);
    await viewer.goto({ source: "./samples/climate.zarr", compare: "beside", with: other });
    await list.waitFor();
    await page.keyboard.press("Escape");
    await viewer.says('.compared [role="alert"]', "No data set was chosen");
    assert.ok(await page.locator("#map canvas").first().isVisible());
  },

  async "the list fits a phone; Escape chooses nothing, and the data set before stays"(viewer, { url }) {
    const { page } = viewer;
    const samples = new URL("samples", viewer.viewer).href;
    const many = itemOf(samples);
    for (let at = 0; at < 300; at += 1) many.assets[`more-${at}`] = many.assets.rain;
    await route(viewer, `${url}/item.json`, many);
    await page.setViewportSize({ width: 390, height: 844 });
    await viewer.goto({});
    await viewer.drawn();
    await viewer.type(`${url}/item.json`);
    const list = page.locator("dialog[open]");
    await list.waitFor();
    const { x, y, width, height } = await list.boundingBox();
    assert.ok(x >= 0 && x + width <= 390 && y >= 0 && y + height <= 844, `${x} ${y} ${width} ${height}`);
    assert.equal(await list.locator("li").count(), 200);
    assert.match(await list.locator(".more").textContent(), /105 more/);
    await screenshot(page, "stac-phone");
    await page.keyboard.press("Escape");
    await viewer.says('[role="alert"]', "No data set was chosen");
    assert.equal(await list.count(), 0);
    assert.ok(await page.locator("#map canvas").first().isVisible());
  },

  async "one data set opens at once, none says so, and a wrong asset is named"(viewer, { url }) {
    const samples = new URL("samples", viewer.viewer).href;
    const { assets, ...item } = itemOf(samples);
    await route(viewer, `${url}/one.json`, { ...item, links: [], assets: { air: assets.air } });
    await route(viewer, `${url}/none.json`, { ...item, links: [], assets: { thumbnail: assets.thumbnail } });
    await route(viewer, `${url}/wrong.json`, { ...item, links: [], assets: { air: { type: ZARR } } });
    await viewer.goto({ source: `${url}/one.json` });
    await viewer.drawn("2 m");
    await viewer.waitForParameter("path", "air_temperature");
    await viewer.type(`${url}/none.json`);
    await viewer.says('[role="alert"]', "No Zarr data here");
    await viewer.type(`${url}/wrong.json`);
    await viewer.says('[role="alert"]', "an asset has no address");
  },

  async "an Icechunk repository opens at the snapshot that its document names"(viewer, { url }) {
    const { tags, states } = repository();
    const asset = (id) => ({
      href: `${url}/icechunk/v2`,
      type: "application/vnd.zarr+icechunk",
      "icechunk:snapshot_id": id,
    });
    const document = (id) => ({ ...itemOf(""), links: [], assets: { repository: asset(id) } });
    await route(viewer, `${url}/tag.json`, document(tags.release));
    await route(viewer, `${url}/wrong.json`, document("ZZZZZZZZZZZZZZZZZZZ0"));
    const hasAdded = async () => (await viewer.page.locator("#tree").textContent()).includes("added");
    assert.ok("added" in states["branch main"] && !("added" in states["tag release"]));

    await viewer.goto({ source: `${url}/tag.json` });
    await viewer.says("#tree", "deep");
    assert.equal(await hasAdded(), false);
    await viewer.waitForParameter("source", `${url}/icechunk/v2#snapshot=${tags.release}`);
    await viewer.page.reload();
    await viewer.says("#tree", "deep");
    assert.equal(await hasAdded(), false);

    await viewer.type(`${url}/icechunk/v2#branch=main`);
    await viewer.says("#tree", "added");
    await viewer.type(`${url}/icechunk/v2#tag=release`);
    await viewer.page.locator("#tree", { hasText: "added" }).waitFor({ state: "detached" });
    await viewer.type(`${url}/wrong.json`);
    await viewer.says('[role="alert"]', "ZZZZZZZZZZZZZZZZZZZ0");
  },
};

/** Keeps a picture of the page if the environment names a folder for it. */
async function screenshot(page, name) {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}

export const runCatalogues = (session) => runDriven("STAC", TESTS, session);
