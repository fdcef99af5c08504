/** *Run* and *Edit* of a block, as a reader uses them. */
import { expect, test } from "./fixtures.mjs";

/** The block with this text in its code. */
const blockWith = (page, text) => page.locator(".run-block", { hasText: text }).first();
const result = (block) => block.locator('.run-result[aria-busy="false"]');

/** Opens the editor of a block and replaces its text. */
async function replace(page, block, text) {
  await block.getByRole("button", { name: "Edit" }).click();
  await block.locator(".cm-content").click();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(text);
}

test("a block shows its values, and the requests with bytes and time", async ({ page, site, faults }) => {
  await page.goto(`${site}guide.html`);
  const block = blockWith(page, "root.attrs.Conventions");
  await block.getByRole("button", { name: "Run" }).click();
  await expect(result(block)).toContainText("CF-1.10");
  await expect(result(block)).toContainText("[24, 180, 360]");
  const summary = block.locator(".run-requests summary");
  await expect(summary).toContainText(/^[1-9]\d* requests? · [\d.]+ (bytes|kB) · \d+ ms$/);
  await summary.click();
  await expect(block.locator(".run-requests tbody tr").first()).toContainText("climate.zarr");
  await block.getByRole("button", { name: "Close" }).click();
  await expect(block.locator(".run-outcome")).toHaveCount(0);
  expect(faults).toEqual([]);
});

test("a later block uses what an earlier one made", async ({ page, site }) => {
  await page.goto(`${site}guide.html`);
  const block = blockWith(page, "air.gridShape");
  await block.getByRole("button", { name: "Run" }).click();
  await expect(result(block)).toContainText("[24, 1, 1]");
  await expect(result(block)).not.toContainText("CF-1.10");
});

test("two-dimensional numbers are shown as a picture", async ({ page, site }) => {
  await page.goto(`${site}guide.html`);
  const block = blockWith(page, "air.gridShape");
  await block.getByRole("button", { name: "Run" }).click();
  const canvas = block.getByRole("img", { name: "The numbers as colours" });
  await expect(canvas).toBeVisible();
  const colours = await canvas.evaluate((element) => {
    const { data } = element.getContext("2d").getImageData(0, 0, element.width, element.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  expect(colours).toBeGreaterThan(50);
});

test("a block can be edited, and edits hold for later blocks", async ({ page, site, faults }) => {
  await page.goto(`${site}guide.html`);
  const first = blockWith(page, "root.attrs.Conventions");
  await replace(
    page,
    first,
    `import * as zarr from "zarr-wasm";
const samples = "https://zarr-wasm.github.io/zarr-wasm/samples";
const air: zarr.Array = await zarr.open(\`\${samples}/climate.zarr\`, { path: "precipitation" });
6 * 7;`,
  );
  await first.getByRole("button", { name: "Run" }).click();
  await expect(result(first)).toContainText("42");
  const second = blockWith(page, "air.gridShape");
  await second.getByRole("button", { name: "Run" }).click();
  await expect(second.locator(".run-result")).toContainText(/chunk|shape|Error/i);
  await first.getByRole("button", { name: "Reset" }).click();
  await expect(first.locator(".cm-editor")).toHaveCount(0);
  await first.getByRole("button", { name: "Run" }).click();
  await expect(result(first)).toContainText("CF-1.10");
  expect(faults).toEqual([]);
});

test("an error of edited code is shown, and one that does not parse", async ({ page, site }) => {
  await page.goto(`${site}guide.html`);
  const block = blockWith(page, "root.attrs.Conventions");
  await replace(page, block, 'throw new RangeError("on purpose");');
  await block.getByRole("button", { name: "Run" }).click();
  await expect(block.getByRole("alert")).toContainText("on purpose");
  await block.locator(".cm-content").click();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText("const = 3;");
  await page.keyboard.press("Control+Enter");
  await expect(block.getByRole("alert")).toContainText(/SyntaxError|Unexpected/);
});

test("an error that the page announces is shown as a result", async ({ page, site }) => {
  await page.goto(`${site}guide.html`);
  const block = blockWith(page, "throws NotFoundError");
  await block.getByRole("button", { name: "Run" }).click();
  await expect(result(block)).toContainText("NotFoundError: Not found");
  await expect(block.getByRole("alert")).toHaveCount(0);
});
