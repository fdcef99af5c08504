/** The two pictures that answer: which requests a selection needs, and one read on a time axis. */
import { expect, test } from "./fixtures.mjs";

test("a dragged box tells its chunks, requests and bytes, in chunks and in shards", async ({
  page,
  site,
  faults,
}) => {
  await page.goto(`${site}run/chunks.html`);
  const answer = page.locator("#answer");
  await expect(answer).toContainText("They lie in 6 chunks");
  const { x, y, width } = await page.locator("#array").boundingBox();
  const at = (element) => (element / 1024) * width;
  await page.mouse.move(x + at(10), y + at(10));
  await page.mouse.down();
  await page.mouse.move(x + at(100), y + at(100));
  await page.mouse.up();
  await expect(answer).toContainText("They lie in 1 chunk. 1 request ");
  await page.getByLabel("4 shards of 16 chunks").check();
  await expect(answer).toContainText("They lie in 1 chunk of 1 shard. 2 requests");
  await expect(page.locator("#requests tr").nth(1)).toContainText("the last");
  await page.locator("#board").focus();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowRight");
  await expect(answer).toContainText("They lie in 2 chunks of 1 shard");
  expect(faults).toEqual([]);
});

test("one read is drawn on a time axis, in four lanes", async ({ page, site, faults }) => {
  await page.goto(`${site}run/life.html`);
  await expect(page.locator("#answer")).toContainText(/\d+ requests, \d+ ms from the call/);
  for (const lane of ["page", "engine", "decoder", "line"])
    await expect(page.locator("#steps tr", { hasText: lane }).first()).toBeVisible();
  const bars = await page.locator("#trace rect").count();
  expect(bars).toBeGreaterThan(8);
  await page.getByRole("button", { name: "Read again" }).click();
  await expect.poll(() => page.locator("#trace rect").count()).toBeGreaterThan(8);
  expect(faults).toEqual([]);
});
