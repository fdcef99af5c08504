/**
 * Whether a page shows a picture: many colours on a good part of the window. A white map with its
 * buttons is none.
 */
import { expect } from "@playwright/test";

/** Time in ms for a picture to appear, which ends a test that would never end. */
const PICTURE_MS = 40_000;
const BETWEEN_MS = 250;

/** What a picture has at least: colours, and pixels beside those of the three commonest colours. */
const MIN_COLOURS = 200;
const MIN_SHARE = 0.02;

/** Runs in the page: what a screenshot has of colours. */
async function coloursOf(png) {
  const answer = await fetch(`data:image/png;base64,${png}`);
  const bitmap = await createImageBitmap(await answer.blob());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  const counts = new Map();
  for (const pixel of new Uint32Array(data.buffer)) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const common = [...counts.values()].sort((a, b) => b - a).slice(0, 3);
  const others = common.reduce((left, count) => left - count, data.length / 4);
  return { colours: counts.size, share: others / (data.length / 4) };
}

/** Runs in the page: shows one of the elements that draw alone, or all. Returns their number. */
function showAlone(at) {
  const draws = (element) =>
    element.shadowRoot || element.matches("canvas") || element.querySelector("canvas, img, svg");
  const elements = [...document.body.children];
  const shown = elements.filter(draws);
  for (const element of elements)
    element.style.visibility = at === null || element === shown[at] ? "" : "hidden";
  shown[at]?.scrollIntoView();
  return shown.length;
}

/** Waits until the page shows a picture. */
const showsPicture = (page, what) =>
  expect(async () => {
    const found = await page.evaluate(coloursOf, (await page.screenshot()).toString("base64"));
    expect(found.colours, `${what}: colours`).toBeGreaterThanOrEqual(MIN_COLOURS);
    expect(found.share, `${what}: share of other colours`).toBeGreaterThanOrEqual(MIN_SHARE);
  }).toPass({ timeout: PICTURE_MS, intervals: [BETWEEN_MS] });

/** Rejects unless each element of the page that draws shows a picture. */
export async function expectPictures(page, place) {
  // A library may make its elements with its first frame.
  const drawing = () => page.evaluate(showAlone, null);
  await expect
    .poll(drawing, { message: `${place}: elements that draw`, timeout: PICTURE_MS })
    .toBeGreaterThan(0);
  const count = await drawing();
  const folder = process.env.SCREENSHOTS;
  for (let at = 0; at < count; at += 1) {
    await page.evaluate(showAlone, at);
    await showsPicture(page, `${place}: element ${at}`);
    if (folder) await page.screenshot({ path: `${folder}/${place.replace(/\W+/g, "-")}-${at}.png` });
  }
  await page.evaluate(showAlone, null);
}
