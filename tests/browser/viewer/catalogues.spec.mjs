/**
 * Tests of STAC documents in the viewer, under a driver: the list of data sets, and opening one.
 * The documents are served here; the stores are the samples of the viewer.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "../fixtures.mjs";

const ZARR = "application/vnd.zarr; version=3";

/** What icechunk reads of the repository that the server of the tests has. */
const repository = () =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../../fixtures/icechunk/v2.expected.json"), "utf8"));

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

test.describe("STAC", () => {
  test("a STAC item is a list of its data sets, and the chosen one opens", async ({ viewer, url }) => {
    const { page } = viewer;
    const samples = new URL("samples", viewer.viewer).href;
    const address = `${url}/collections/c/items/item`;
    await route(viewer, address, itemOf(samples));
    await viewer.goto({ source: address });
    const list = page.locator("dialog[open]");
    await list.waitFor();
    expect(await list.textContent()).toMatch(/“item” is a STAC document. It names 5 data sets/);
    const rows = await list.locator("li").allTextContents();
    expect(rows.length).toBe(5);
    for (const [row, words] of [
      [0, /Air temperature, 2 m\s+Zarr · data, dataset\s+air_temperature/],
      [1, /rain\s+Zarr · data\s+precipitation/],
      [2, /another server\s+Zarr · data\s+precipitation\s*http:..localhost/],
      [3, /References\s+kerchunk references · references/],
      [4, /The whole climate\s+Zarr · store\s+the whole store/],
    ])
      expect(rows[row]).toMatch(words);
    await screenshot(page, "stac-wide");
    await list.getByRole("button", { name: "rain Zarr" }).click();
    await viewer.drawn("Precipitation");
    await viewer.waitForParameter("path", "precipitation");
    await viewer.waitForParameter("source", `${samples}/climate.zarr`);
    expect(await page.inputValue("#address")).toBe(`${samples}/climate.zarr`);
    expect(viewer.complaints).toEqual([]);
  });

  test("a STAC item is compared with: its chosen data set is in the address, and is not asked twice", async ({
    viewer,
    url,
  }) => {
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
    await expect(list).toHaveCount(0);
    await viewer.goto({ source: "./samples/climate.zarr", compare: "beside", with: other });
    await list.waitFor();
    await page.keyboard.press("Escape");
    await viewer.says('.compared [role="alert"]', "No data set was chosen");
    await expect(page.locator("#map canvas").first()).toBeVisible();
  });

  test("the list fits a phone; Escape chooses nothing, and the data set before stays", async ({
    viewer,
    url,
  }) => {
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
    expect(
      x >= 0 && x + width <= 390 && y >= 0 && y + height <= 844,
      `${x} ${y} ${width} ${height}`,
    ).toBeTruthy();
    await expect(list.locator("li")).toHaveCount(200);
    expect(await list.locator(".more").textContent()).toMatch(/105 more/);
    await screenshot(page, "stac-phone");
    await page.keyboard.press("Escape");
    await viewer.says('[role="alert"]', "No data set was chosen");
    await expect(list).toHaveCount(0);
    await expect(page.locator("#map canvas").first()).toBeVisible();
  });

  test("one data set opens at once, none says so, and a wrong asset is named", async ({ viewer, url }) => {
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
  });

  test("an Icechunk repository opens at the snapshot that its document names", async ({ viewer, url }) => {
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
    expect("added" in states["branch main"] && !("added" in states["tag release"])).toBeTruthy();

    await viewer.goto({ source: `${url}/tag.json` });
    await viewer.says("#tree", "deep");
    expect(await hasAdded()).toBe(false);
    await viewer.waitForParameter("source", `${url}/icechunk/v2#snapshot=${tags.release}`);
    await viewer.page.reload();
    await viewer.says("#tree", "deep");
    expect(await hasAdded()).toBe(false);

    await viewer.type(`${url}/icechunk/v2#branch=main`);
    await viewer.says("#tree", "added");
    await viewer.type(`${url}/icechunk/v2#tag=release`);
    await viewer.page.locator("#tree", { hasText: "added" }).waitFor({ state: "detached" });
    await viewer.type(`${url}/wrong.json`);
    await viewer.says('[role="alert"]', "ZZZZZZZZZZZZZZZZZZZ0");
  });
});

/** Keeps a picture of the page if the environment names a folder for it. */
async function screenshot(page, name) {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}
