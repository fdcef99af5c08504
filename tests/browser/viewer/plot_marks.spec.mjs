/**
 * Tests the viewer's plots under a driver: they grow while shards arrive, what is not needed is not
 * requested, marks are dragged with the mouse, and points are tapped on a phone. Values are those
 * of `fixtures/viewer-marks`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unpackFixtures } from "../../support/fixture_archives.mjs";
import { expect, test } from "../fixtures.mjs";

const CLIMATE = "./samples/climate.zarr";
const GAPS = "/fixtures/viewer-marks/gaps";
const FACTS = JSON.parse(readFileSync(join(unpackFixtures(), "viewer-marks/expected.json"), "utf8"));

const isScript = (request) => /\/\w+\.[\da-f]{8}\.js$/.test(request);

/**
 * The values of the first series in the table of the plot, as texts. The table is filled by an
 * event that follows the click, so this waits for its first row.
 */
async function tabled({ page }) {
  const details = page.locator(".plots-table details");
  if ((await details.getAttribute("open")) === null) await details.locator("summary").click();
  const values = page.locator(".plots-table tbody td:first-of-type");
  await values.first().waitFor();
  return values.allTextContents();
}

/** Waits until each row of the table has a number. */
async function completelyTabled(viewer) {
  await tabled(viewer);
  await viewer.page.waitForFunction(() =>
    [...document.querySelectorAll(".plots-table tbody td:first-of-type")].every(
      ({ textContent }) => textContent.trim() !== "" && Number.isFinite(Number(textContent)),
    ),
  );
  return tabled(viewer);
}

/** Whether the points of a mark in the address are these, to two pixels. */
function isNear(address, at, wanted) {
  const [, , ...places] = (address.searchParams.get("marks") ?? "").split(",")[at].split(":").map(Number);
  return wanted.every((number, place) => Math.abs(number - places[place]) < 1);
}

test.describe("plots", () => {
  test("a series grows while its shards arrive, and its gaps stay gaps", async ({ viewer, url }) => {
    const { page } = viewer;
    let release;
    const held = new Promise((resolve) => {
      release = resolve;
    });
    await page.route("**/gaps/heat/c/2/0/0", async (route) => {
      await held;
      await route.continue();
    });
    const [row, column] = FACTS.gaps.element;
    await viewer.goto({ source: url + GAPS, variable: "heat", marks: `point:0:${2 * column}:${2 * row}` });
    // Three of four shards of ten days.
    await viewer.says(".plots-side .note", "75 %");
    const texts = FACTS.gaps.series.map((value) => (value === null ? "–" : String(value)));
    expect(await tabled(viewer)).toEqual(texts.map((text, at) => (at >= 20 && at < 30 ? "–" : text)));
    release();
    await page.locator(".plots-side .note").waitFor({ state: "detached" });
    expect(await tabled(viewer)).toEqual(texts);
  });

  test("the code for plots loads with the first mark, and a picture without plots has none", async ({
    viewer,
  }) => {
    const { page } = viewer;
    await viewer.goto({ source: CLIMATE, variable: "air_temperature" });
    await viewer.drawn();
    await viewer.quiet();
    const before = new Set(viewer.requests.filter(isScript));
    const { x, y, width, height } = await page.locator("#map").boundingBox();
    await page.mouse.click(x + width / 2, y + height / 2);
    await page.locator(".plots-chart canvas").waitFor();
    const later = viewer.requests.filter((request) => isScript(request) && !before.has(request));
    expect(later.length, "no script was loaded late").toBeGreaterThan(0);
  });

  test("a pin and the corner of a box are dragged, and their plots follow", async ({ viewer }) => {
    const { page } = viewer;
    const marks = "point:0:0:0,box:1:-40:-20:40:20";
    await viewer.goto({ source: CLIMATE, variable: "air_temperature", marks, view: "0,0,0.5" });
    await page.locator(".plots-chart canvas").waitFor();
    await viewer.drawn();
    const { x, y, width, height } = await page.locator("#map").boundingBox();
    const at = ([longitude, latitude]) => [x + width / 2 + longitude / 0.5, y + height / 2 - latitude / 0.5];
    const drag = async (from, to) => {
      await page.mouse.move(...at(from));
      await page.mouse.down();
      await page.mouse.move(...at(to), { steps: 5 });
      await page.mouse.up();
    };
    const before = await completelyTabled(viewer);
    await drag([0, 0], [20, 10]);
    await page.waitForURL((address) => isNear(address, 0, [20, 10]));
    await page.waitForFunction(
      (old) =>
        [...document.querySelectorAll(".plots-table tbody td:first-of-type")].some(
          ({ textContent }, row) => textContent !== old[row],
        ),
      before,
    );
    await drag([40, 20], [60, 30]);
    await page.waitForURL((address) => isNear(address, 1, [-40, -20, 60, 30]));
  });

  test("Back to an entry without marks removes them, and Forward has them again", async ({ viewer }) => {
    const { page } = viewer;
    await viewer.goto({ source: CLIMATE, variable: "air_temperature" });
    await viewer.drawn();
    const air = await page.locator("#variable").inputValue();
    await page.selectOption("#variable", "precipitation");
    await page.waitForURL((address) => address.searchParams.get("variable") === "precipitation");
    await viewer.drawn();
    const { x, y, width, height } = await page.locator("#map").boundingBox();
    await page.mouse.click(x + width / 2, y + height / 2);
    const rows = page.locator(".plots-side li");
    await rows.first().waitFor();
    await page.waitForURL((address) => address.searchParams.has("marks"));
    await page.goBack();
    await rows.first().waitFor({ state: "detached" });
    expect(air).toBe(await page.locator("#variable").inputValue());
    await page.waitForTimeout(600); // longer than the address waits
    expect(new URL(page.url()).searchParams.has("marks")).toBe(false);
    await page.goForward();
    await rows.first().waitFor();
    await page.waitForURL((address) => address.searchParams.has("marks"));
  });

  test("on a phone a tap plots a series", async ({ viewer }) => {
    const { page } = viewer;
    await page.setViewportSize({ width: 390, height: 844 });
    await viewer.goto({ source: CLIMATE, variable: "air_temperature" });
    await viewer.drawn();
    const { x, y, width, height } = await page.locator("#map").boundingBox();
    await page.mouse.click(x + width / 2, y + height / 2);
    await page.locator(".plots-chart canvas").waitFor();
    const values = await completelyTabled(viewer);
    expect(values.length).toBe(24);
    expect(
      values.every((value) => Number(value) > 200 && Number(value) < 330),
      `${values}`,
    ).toBeTruthy();
  });
});
