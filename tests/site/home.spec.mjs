/** The home page: the picture, the address field, the code, and the three ways to install. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SAMPLES } from "../../site/run/samples.mjs";
import { ROOT } from "../browser/places.mjs";
import { expect, test } from "./fixtures.mjs";

const CDN = /^https:\/\/cdn\.jsdelivr\.net\/npm\/zarr-wasm@[\d.]+\//;

/** The number of different colours of an element, as a screenshot shows it. */
async function coloursOf(locator) {
  const png = (await locator.screenshot()).toString("base64");
  return locator.page().evaluate(async (text) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    return new Set(new Uint32Array(data.buffer)).size;
  }, png);
}

test("the picture begins when a visitor moves, and shows a pasted address", async ({
  page,
  site,
  faults,
}) => {
  await page.goto(site);
  await expect(page.locator(".home-stage img")).toBeVisible();
  await page.mouse.move(400, 300);
  const view = page.locator("zarr-view");
  await expect(view).toHaveAttribute("src", `${site}samples/cells.ome.zarr`);
  await expect.poll(() => coloursOf(view), { timeout: 60_000 }).toBeGreaterThan(500);
  await page.getByLabel("Address").fill(`${site}samples/arctic.zarr`);
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect(view).toHaveAttribute("src", `${site}samples/arctic.zarr`);
  await expect.poll(() => coloursOf(view), { timeout: 60_000 }).toBeGreaterThan(500);
  expect(faults).toEqual([]);
});

test("an address without a Zarr is said in words", async ({ page, site }) => {
  await page.goto(site);
  await page.getByLabel("Address").fill(`${site}samples/nothing.zarr`);
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page.locator(".home-actions [role=status]")).toContainText(/not found/i);
});

test("what is copied as code runs, and reads what is shown", async ({ page, site, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(site);
  await page.getByRole("button", { name: "Climate" }).click();
  const view = page.locator("zarr-view");
  await expect(view).toHaveAttribute("src", /climate/);
  await expect.poll(() => coloursOf(view), { timeout: 60_000 }).toBeGreaterThan(500);
  await page.getByRole("button", { name: "Copy as code" }).click();
  const code = await page.evaluate(() => navigator.clipboard.readText());
  expect(code).toContain(`${site}samples/climate.zarr`);
  await page.goto(`${site}guide.html`);
  const block = page.locator(".run-block").first();
  await block.getByRole("button", { name: "Edit" }).click();
  await block.locator(".cm-content").click();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(code);
  await block.getByRole("button", { name: "Run" }).click();
  await expect(block.locator(".run-logs")).toContainText("[180, 360]");
});

/** Serves the files of the package as a CDN does, and the samples as the published site does. */
async function routePublished(page, site) {
  await page.route(CDN, (route) => {
    const path = route.request().url().replace(CDN, "");
    const body = readFileSync(join(ROOT, path));
    const contentType = path.endsWith(".wasm") ? "application/wasm" : "text/javascript";
    return route.fulfill({ body, contentType, headers: { "Access-Control-Allow-Origin": "*" } });
  });
  await page.route(`${SAMPLES}/**`, async (route) => {
    const response = await route.fetch({ url: route.request().url().replace(SAMPLES, `${site}samples`) });
    await route.fulfill({ response });
  });
}

for (const title of ["A script tag", "A module from a CDN"])
  test(`installs as pasted: ${title}`, async ({ page, site }) => {
    await page.goto(site);
    const code = await page.locator(`.home-install pre[aria-label="${title}"]`).innerText();
    await routePublished(page, site);
    const shown = page.waitForEvent("console", (message) => message.text().includes("180"));
    await page.goto("about:blank");
    await page.setContent(`<!doctype html><title>pasted</title>${code}`);
    expect((await shown).text()).toMatch(/180.*360/);
  });
