/**
 * Tests a plate under a driver: thumbnails of wells, the keyboard, and the order of reads. The
 * plate is from ome-zarr-py (`viewer_plates.py`) and has five wells of one value each.
 */
import { expect, test } from "../fixtures.mjs";

const PLATE = "/fixtures/viewer-plates/plate";
/** The value of the first field of each well. */
const WELLS = { A1: 10, A2: 20, B1: 30, B2: 40, B3: 50 };
const PATHS = ["A/1", "A/2", "B/1", "B/2", "B/3"];
const ROWS = 60;
/** Number of wells that are read concurrently, and of those that give the common limits. */
const AT_ONCE = 4;
const SAMPLED = 3;
/** The time in ms in which a well would be asked for that must not be. */
const UNASKED_MS = 500;

test.describe("plates", () => {
  test("wells show their first field in the same limits, and missing ones are told", async ({
    viewer,
    url,
  }) => {
    const { page } = viewer;
    await viewer.goto({ source: url + PLATE });
    await page.waitForFunction(() => document.querySelectorAll("#plate canvas").length === 5);
    const shades = {};
    for (const name of Object.keys(WELLS)) {
      const [red, green, blue, opacity] = await page.$eval(`[aria-label="Well ${name}"] canvas`, (canvas) => [
        ...canvas.getContext("2d").getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data,
      ]);
      expect([green, blue, opacity], name).toEqual([red, red, 255]);
      shades[name] = red;
    }
    // Equal differences of values are equal differences of brightness.
    const steps = Object.values(shades).map((shade, at, all) => shade - (all[at - 1] ?? shade));
    for (const step of steps.slice(1))
      expect(step > 20 && Math.abs(step - steps[1]) <= 2, `${steps}`).toBeTruthy();
    await expect(page.locator('[aria-label="No well A3"]')).toBeVisible();
    expect(viewer.complaints).toEqual([]);
  });

  test("arrows walk the wells, and Enter opens a field", async ({ viewer, url }) => {
    const { page } = viewer;
    await viewer.goto({ source: url + PLATE });
    await page.locator('[aria-label="Well A1"]').focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    expect(await page.evaluate(() => document.activeElement.ariaLabel)).toBe("Well B2");
    await page.keyboard.press("Enter");
    await viewer.drawn("well B2");
    expect((await viewer.reading()).value).toBe(WELLS.B2);
    await page.goBack();
    await page.locator('[aria-label="Well B3"] canvas').waitFor();
    await page.click('[aria-label="Well B3"]');
    await viewer.drawn("well B3");
    expect((await viewer.reading()).value).toBe(WELLS.B3);
  });

  test("wells are read as they come into view", async ({ viewer, url }) => {
    const { page } = viewer;
    const asked = await routeLargePlate(viewer, url, () => false);
    await viewer.goto({ source: `${url}/large` });
    await page.locator('[aria-label="Well R1C2"] canvas').waitFor();
    await page.waitForTimeout(UNASKED_MS);
    const last = `R${ROWS - 2}C1`;
    await expect(page.locator(`[aria-label="Well ${last}"] canvas`)).toHaveCount(0);
    expect(asked.size, `${asked.size} of ${2 * ROWS} wells were read`).toBeLessThan(ROWS);
    await page.locator(`[aria-label="Well ${last}"]`).scrollIntoViewIfNeeded();
    await page.locator(`[aria-label="Well ${last}"] canvas`).waitFor();
  });

  test("few wells are read at once, and none after the plate is left", async ({ viewer, url }) => {
    const asked = await routeLargePlate(viewer, url, (path) => path !== "");
    await viewer.goto({ source: `${url}/large` });
    await viewer.page.locator('[aria-label="Well R1C1"]').waitFor();
    await expect.poll(() => asked.size).toBeGreaterThanOrEqual(AT_ONCE);
    await viewer.page.waitForTimeout(UNASKED_MS);
    const begun = asked.size;
    expect(begun, "wells at once").toBeLessThanOrEqual(AT_ONCE + SAMPLED);
    await viewer.choose("Tissue");
    await viewer.drawn();
    asked.release();
    await viewer.page.waitForTimeout(UNASKED_MS);
    expect(asked.size, "wells that were begun").toBe(begun);
  });

  test("plates of 96, 384 and 1536 wells are shown whole", async ({ viewer, url }) => {
    for (const [rows, columns] of [
      [8, 12],
      [16, 24],
      [32, 48],
    ]) {
      await routePlate(viewer, `${url}/plate${rows}`, { rows, columns, isFull: true });
      await viewer.goto({ source: `${url}/plate${rows}` });
      await viewer.page.locator(`[aria-label^="Well R${rows}C${columns}"]`).waitFor();
      await expect(viewer.page.locator("#plate button")).toHaveCount(rows * columns);
      await viewer.says(
        "#plate caption",
        `${(rows * columns).toLocaleString("en").replace(",", "\u202f")} wells`,
      );
      expect(await viewer.page.textContent("#plate caption")).not.toMatch(/first/);
    }
  });

  test("of a plate with a million positions a part is shown, and the page says so", async ({
    viewer,
    url,
  }) => {
    await routePlate(viewer, `${url}/huge`, { rows: 1000, columns: 1000, isFull: false });
    await viewer.goto({ source: `${url}/huge` });
    await viewer.says(
      "#plate caption",
      "on 1\u202f000 × 1\u202f000 positions. The first 100 × 100 positions are shown",
    );
    await expect(viewer.page.locator("#plate tbody td")).toHaveCount(10_000);
    await viewer.page.locator('[aria-label^="Well R1C1"]').waitFor();
    const { x, width } = await viewer.page.locator("#plate caption span").boundingBox();
    expect(x >= 0 && x + width <= 1440, `the sentence is in view: ${x}, ${width}`).toBeTruthy();
  });

  test("a long plate of one row is shown to its end", async ({ viewer, url }) => {
    await routePlate(viewer, `${url}/long`, { rows: 1, columns: 5000, isFull: false });
    await viewer.goto({ source: `${url}/long` });
    await viewer.page.locator('[aria-label^="Well R1C1"]').waitFor();
    await expect(viewer.page.locator("#plate tbody td")).toHaveCount(5000);
  });

  test("of a hundred thousand channels a part is listed, and the page says so", async ({ viewer, url }) => {
    await routeChannels(viewer, `${url}/channels`, 100_000);
    await viewer.goto({ source: `${url}/channels` });
    await viewer.says("#channels .note", "100\u202f000 channels. The first 1\u202f000 are shown.");
    await expect(viewer.page.locator("#channels .channel")).toHaveCount(200);
    await viewer.page.click("#channels .more");
    await expect(viewer.page.locator("#channels .channel")).toHaveCount(400);
    await viewer.page.getByRole("button", { name: "Hide all" }).click();
    await viewer.page.locator("#channels .channel.off").nth(399).waitFor();
  });

  test("of ten thousand labels a part is listed, and the page says so", async ({ viewer, url }) => {
    await routeChannels(viewer, `${url}/labelled`, 2, 10_000);
    await viewer.goto({ source: `${url}/labelled` });
    await viewer.says("#layers .more", "9\u202f800 more");
    await expect(viewer.page.locator("#layers .layer")).toHaveCount(200);
    expect(await viewer.page.locator('#tree [role="treeitem"]').count()).toBeLessThan(1000);
  });

  test("a well without data is told from one with a picture", async ({ viewer, url }) => {
    await viewer.page.route(`${url}${PLATE}/A/2/**`, (route) => route.fulfill({ status: 404 }));
    await viewer.goto({ source: url + PLATE });
    await viewer.page.locator('[aria-label="Well A2: no picture"]').waitFor();
    await viewer.page.locator('[aria-label="Well B3"] canvas').waitFor();
    await expect(viewer.page.locator('[role="alert"]')).toHaveCount(0);
  });
});

const namesOf = (letter, count) => Array.from({ length: count }, (_, at) => ({ name: `${letter}${at + 1}` }));

/** Serves a plate with a well at each position, or only at the first. The wells are not there. */
async function routePlate(viewer, address, { rows, columns, isFull }) {
  const plate = { version: "0.5", rows: namesOf("R", rows), columns: namesOf("C", columns), wells: [] };
  for (let row = 0; row < (isFull ? rows : 1); row += 1)
    for (let column = 0; column < (isFull ? columns : 1); column += 1)
      plate.wells.push({ path: `R${row + 1}/C${column + 1}`, rowIndex: row, columnIndex: column });
  const json = { zarr_format: 3, node_type: "group", attributes: { ome: { version: "0.5", plate } } };
  await viewer.page.route(`${address}/**`, (route) =>
    route.request().url() === `${address}/zarr.json`
      ? route.fulfill({ json })
      : route.fulfill({ status: 404 }),
  );
}

/** Serves an image of 8 × 8 zeros with many channels, and with names of absent labels. */
async function routeChannels(viewer, address, count, labels = 0) {
  const axes = [{ name: "c", type: "channel" }, ...["y", "x"].map((name) => ({ name, type: "space" }))];
  const datasets = [{ path: "0", coordinateTransformations: [{ type: "scale", scale: [1, 1, 1] }] }];
  const ome = { version: "0.5", multiscales: [{ axes, datasets }] };
  const group = (attributes) => ({ zarr_format: 3, node_type: "group", attributes });
  const documents = {
    "/zarr.json": group({ ome }),
    "/0/zarr.json": {
      zarr_format: 3,
      node_type: "array",
      shape: [count, 8, 8],
      data_type: "uint16",
      chunk_grid: { name: "regular", configuration: { chunk_shape: [1, 8, 8] } },
      chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
      fill_value: 0,
      codecs: [{ name: "bytes", configuration: { endian: "little" } }],
      dimension_names: ["c", "y", "x"],
      attributes: {},
    },
    ...(labels > 0 && {
      "/labels/zarr.json": group({
        ome: { version: "0.5", labels: namesOf("label", labels).map(({ name }) => name) },
      }),
    }),
  };
  await viewer.page.route(`${address}/**`, (route) => {
    const json = documents[route.request().url().slice(address.length)];
    return json ? route.fulfill({ json }) : route.fulfill({ status: 404 });
  });
}

/**
 * Serves a plate of many rows at `/large`, which repeats the wells of the fixture. Requests for
 * paths with `isHeld` wait for `release()`. Returns the set of requested wells.
 */
async function routeLargePlate(viewer, url, isHeld) {
  const document = await (await fetch(`${url}${PLATE}/zarr.json`)).json();
  const rows = Array.from({ length: ROWS }, (_, row) => ({ name: `R${row + 1}` }));
  const columns = [{ name: "C1" }, { name: "C2" }];
  const wells = rows.flatMap(({ name }, rowIndex) =>
    columns.map((column, columnIndex) => ({ path: `${name}/${column.name}`, rowIndex, columnIndex })),
  );
  Object.assign(document.attributes.ome.plate, { rows, columns, wells });
  const asked = new Set();
  const released = new Promise((resolve) => {
    asked.release = resolve;
  });
  await viewer.page.route(`${url}/large/**`, async (route) => {
    const [, row, column, rest] = /\/large\/R(\d+)\/C(\d)\/(.*)$/.exec(route.request().url()) ?? [];
    if (row === undefined) return route.fulfill({ json: document });
    asked.add(`${row}/${column}`);
    if (isHeld(rest)) await released;
    const own = PATHS[(Number(row) * 2 + Number(column)) % PATHS.length];
    const response = await fetch(`${url}${PLATE}/${own}/${rest}`);
    const body = Buffer.from(await response.arrayBuffer());
    await route.fulfill({ status: response.status, body }).catch(() => {}); // it may have been aborted
  });
  return asked;
}
