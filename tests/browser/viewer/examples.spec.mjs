/**
 * Drives each example page (www/examples) with clicks and keys, and compares its numbers and pixels
 * with what zarr-python and NumPy have (`examples_expected.json`, by `make/examples.py`). axe-core
 * must find nothing.
 * `WRITE_EXAMPLE_PICTURES=1` also makes the pictures of the index anew.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unpackFixtures } from "../../support/fixture_archives.mjs";
import { test as base, expect } from "../fixtures.mjs";
import { ROOT } from "../places.mjs";
import { accessibilityFindings } from "./axe.mjs";
import { ExamplePage } from "./example_page.mjs";

const test = base.extend({
  example: async ({ page, url }, use) => {
    await use(new ExamplePage(page, `${url}/viewer/examples`));
  },
});

test.use({ viewport: { width: 1000, height: 800 }, actionTimeout: 30_000 });

const EXAMPLES = join(ROOT, "www/examples");
const MAX_LINES = 60;

const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const EXPECTED = read(join(import.meta.dirname, "examples_expected.json"));
/** Colours of matplotlib's colormaps. */
const { viridis } = read(join(unpackFixtures(), "viewer/expected.json")).colormaps;

/** Tolerance of a colour: rounding, and interpolation between elements of a smooth field. */
const CLOSE = 3;
const SMOOTH = 12;

function colourOf(value, [low, high]) {
  const share = Math.min(Math.max((value - low) / (high - low), 0), 1);
  return viridis[Math.round(share * (viridis.length - 1))];
}

function sameColours(actual, wanted, tolerance) {
  const isOff = (color, at) => color.some((part, own) => Math.abs(part - actual[at][own]) > tolerance);
  const wrong = wanted.flatMap((color, at) =>
    isOff(color, at) ? [`${at}: ${actual[at]}, not ${color}`] : [],
  );
  expect(wrong).toEqual([]);
}

const numbersIn = (text) => (text.match(/-?\d+(\.\d+)?/g) ?? []).map(Number);

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** How each page is driven. */
const DRIVEN = {
  async slice(example) {
    const { values, latitude, longitude } = EXPECTED.slice;
    const rows = () => example.rows("#table");
    const table = (month) => [
      ["", ...longitude.map((east) => `${east}° E`)],
      ...latitude.map((north, row) => [
        `${north}° N`,
        ...values[month][row].map((kelvin) => kelvin.toFixed(2)),
      ]),
    ];
    await example.says("#date", "2021-07");
    expect(await rows()).toEqual(table(6));
    await example.slide("#month", 0);
    await example.says("#date", "2021-01");
    expect(await rows()).toEqual(table(0));
  },

  async map(example) {
    const { places, levels } = EXPECTED.map;
    const { x, y, width, height } = await example.box("#map");
    // The whole pyramid fits into the height between the borders.
    const resolution = 7_680_000 / (height - 2);
    for (const [at, [east, north]] of places.entries()) {
      await example.until(async () => {
        await example.page.mouse.move(x, y);
        await example.page.mouse.move(x + width / 2 + east / resolution, y + height / 2 - north / resolution);
        const [metres, level] = numbersIn(await example.text("#reading"));
        expect(metres, `the height at ${east}, ${north} in level ${level}`).toBe(levels[level]?.[at]);
      });
    }
  },

  async series(example) {
    const { first, other } = EXPECTED.series;
    await example.says("#mean", `mean ${mean(first).toFixed(2)} K`);
    await example.page.fill("#north", "-33.5");
    await example.page.fill("#east", "151.5");
    await example.page.keyboard.press("Enter");
    await example.says("#mean", `mean ${mean(other).toFixed(2)} K`);
    const { x, y, width, height } = await example.box("#plot .u-over");
    await example.page.mouse.move(x + width - 1, y + height / 2);
    const [value] = numbersIn(await example.text(".u-legend .u-series:last-child .u-value"));
    expect(value, "the plot's last value").toBe(other.at(-1));
    const map = await example.box("#map");
    await example.page.mouse.click(map.x + map.width / 2, map.y + map.height / 4);
    await example.says("#mean", /mean \d/);
    expect([await example.value("#north"), await example.value("#east")]).toEqual(["45", "180"]);
  },

  async microscopy(example) {
    const { places, first, deeper, nuclei } = EXPECTED.colours;
    const shows = async (wanted) =>
      example.until(async () => sameColours(await example.canvasColours("#picture", places), wanted, CLOSE));
    await shows(first);
    await example.slide("#t", 2);
    await example.slide("#z", 5);
    await shows(deeper);
    for (const name of ["Microtubules", "Endosomes"]) await example.page.getByLabel(name).press("Space");
    await shows(nuclei);
  },

  async maplibre(example) {
    const { places, values } = EXPECTED.globe;
    for (const [month, kelvins] of [
      [0, values[0]],
      [6, values[1]],
    ]) {
      await example.slide("#month", month);
      for (const [at, [east, north]] of places.entries()) {
        await example.page.evaluate((hash) => (location.hash = hash), `3/${north}/${east}`);
        const wanted = [colourOf(kelvins[at], [230, 310])];
        await example.until(async () => sameColours(await example.middle("#map"), wanted, SMOOTH));
      }
    }
  },

  async deckgl(example) {
    const { places, values } = EXPECTED.sea;
    const { width, height } = await example.box("#map");
    const side = 512 * 2 ** 0.6;
    const mercator = (north) => Math.log(Math.tan(Math.PI / 4 + (north * Math.PI) / 360)) / (2 * Math.PI);
    const pixels = places.map(([east, north]) => [
      width / 2 + (east / 360) * side,
      height / 2 - (mercator(north) - mercator(20)) * side,
    ]);
    for (const [at, month] of [0, 6].entries()) {
      await example.slide("#month", month);
      const colours = values[at].map((kelvin) =>
        kelvin === null ? [0, 0, 0] : colourOf(kelvin, [270, 305]),
      );
      await example.until(async () => sameColours(await example.colours("#map", pixels), colours, SMOOTH));
    }
  },

  async viv(example) {
    const { places, first, bright } = EXPECTED.colours;
    const { width, height } = await example.box("#image");
    const visible = places.flatMap(([row, column], at) => {
      const [x, y] = [width / 2 + column - 288 + 0.5, height / 2 + row - 288 + 0.5];
      return y > 0 && y < height ? [{ at, pixel: [x, y] }] : [];
    });
    const pixels = visible.map(({ pixel }) => pixel);
    const shows = (all) => {
      const wanted = visible.map(({ at }) => all[at]);
      return example.until(async () => sameColours(await example.colours("#image", pixels), wanted, CLOSE));
    };
    await shows(first);
    await example.slide("#gain", 3);
    await shows(bright);
  },

  async volume(example) {
    const { shapes, greatest } = EXPECTED.volume;
    const finest = (channel) => `level 0: ${shapes[0].join(" × ")}, up to ${greatest[0][channel]}`;
    await example.says("#level", finest(0));
    await example.page.selectOption("#channel", "1");
    await example.says("#level", finest(1));
    expect(
      await example.countColours("#volume"),
      "sections and a projection have many colours",
    ).toBeGreaterThan(100);
  },

  async dashboard(example) {
    const { means, counts } = EXPECTED.dashboard;
    await example.says("#text", /^[3-9] of/);
    await example.slide("#step", 2);
    await example.says("#text", /^2 of/);
    const [step, , value] = numbersIn(await example.text("#text"));
    expect(Math.abs(value - means[step]), `mean of step ${step}: ${value}, not ${means[step]}`).toBeLessThan(
      1e-3,
    );
    // It goes on, and leaves the chosen step alone.
    await example.says("#text", /^2 of ([6-9]|1\d)/);
    expect(await example.histogram()).toEqual(counts[2]);
  },

  async opfs(example) {
    const { counts, row, half } = EXPECTED.written;
    await example.page.click("#write");
    await example.says("#levels", "768 × 1024, 384 × 512");
    const arriving = example.page.waitForEvent("download");
    await example.page.click("#download");
    const found = await example.elementsOf(await (await arriving).path());
    const seen = new Array(256).fill(0);
    for (const value of found.finest) seen[value] += 1;
    expect(seen, "the number of elements of each value").toEqual(counts);
    expect([...found.finest.subarray(300 * 1024, 301 * 1024)]).toEqual(row);
    expect([...found.half.subarray(150 * 512, 151 * 512)]).toEqual(half);
  },

  async folder(example) {
    await example.page.setInputFiles("#folder", join(ROOT, "www/samples/climate.zarr"));
    await example.says("#name", "group of 6 arrays");
    const found = Object.fromEntries(
      (await example.rows("#arrays")).map(([path, ...cells]) => [path, cells]),
    );
    for (const [path, numbers] of Object.entries(EXPECTED.folder)) {
      const shown = found[path].slice(2).map(Number);
      for (const [at, value] of numbers.entries())
        expect(Math.abs(shown[at] - value), `${path}: ${shown}, not ${numbers}`).toBeLessThanOrEqual(6e-4);
    }
  },

  async view(example) {
    const { cells, values } = EXPECTED.picked;
    await example.page.locator('zarr-view .map[aria-busy="false"]').waitFor();
    // The pixel of an element, of a picture whose middle is 0° N, 0° E.
    const shown = await example.page.evaluate(() => document.querySelector("zarr-view").state.view);
    const [, , degrees] = shown.split(",").map(Number);
    const { x, y, width, height } = await example.box("zarr-view .map");
    for (const [at, [row, column]] of cells.entries()) {
      const [east, north] = [column < 180 ? column + 0.5 : column - 359.5, 89.5 - row];
      await example.page.mouse.click(x + width / 2 + east / degrees, y + height / 2 - north / degrees);
      await example.says("#picked", `${values[at]} K at 2021-07-01`);
      await example.page.waitForTimeout(300); // two quick clicks zoom
    }
    await example.page.click("#winter");
    await example.page.locator("zarr-view .map").press("Enter");
    await example.says("#picked", /K at 2021-01-01/);
  },

  async worker(example) {
    const { means, places, values } = EXPECTED.worker;
    for (const [at, month] of [0, 6].entries()) {
      await example.slide("#month", month);
      await example.says("#mean", `global mean ${means[at].toFixed(2)} K`);
      const wanted = values[at].map((kelvin) => colourOf(kelvin, [230, 310]));
      await example.until(async () =>
        sameColours(await example.canvasColours("#map", places), wanted, CLOSE),
      );
    }
  },
};

/** Each page has a test, a card on the index, and at most 60 lines. */
function checkPages() {
  const names = readdirSync(EXAMPLES).flatMap((file) => /^(?!index)(.+)\.html$/.exec(file)?.[1] ?? []);
  const index = readFileSync(join(EXAMPLES, "index.html"), "utf8");
  const listed = [...index.matchAll(/href="\.\/(\w+)\.html"/g)].map(([, name]) => name);
  expect(listed.toSorted(), "the pages of the index").toEqual(names.toSorted());
  expect(Object.keys(DRIVEN).toSorted(), "the tested pages").toEqual(names.toSorted());
  for (const name of names) {
    const lines = readFileSync(join(EXAMPLES, `${name}.html`), "utf8")
      .trimEnd()
      .split("\n");
    expect(lines.length, `${name}.html has ${lines.length} lines`).toBeLessThanOrEqual(MAX_LINES);
  }
}

/** Pages that show nothing before a user acts. The pictures of others show their first state. */
const EMPTY_FIRST = ["folder", "opfs"];

async function writePicture(example, page) {
  if (!EMPTY_FIRST.includes(page)) await example.page.goto(example.page.url().replace(/#.*$/, "?"));
  await example.writePicture(join(EXAMPLES, `pictures/${page}.jpg`));
}

/** Loads the pictures of a page, also those below its fold. Resolves to their widths in pixels. */
async function widthsOfPictures() {
  const pictures = [...document.images];
  for (const picture of pictures) picture.loading = "eager";
  await Promise.all(pictures.map((picture) => picture.decode()));
  return pictures.map((picture) => picture.naturalWidth);
}

test.describe("examples", () => {
  test("each page has a test, a card and at most 60 lines", async ({ example }) => {
    checkPages();
    await example.goto("");
    const pictures = await example.page.evaluate(widthsOfPictures);
    expect(Math.min(...pictures), "each card has its picture").toBeGreaterThan(0);
    expect(await accessibilityFindings(example.page)).toEqual([]);
    expect(example.complaints).toEqual([]);
  });

  for (const [page, drive] of Object.entries(DRIVEN))
    test(`${page} shows what zarr-python reads, and is accessible`, async ({ example }) => {
      await example.goto(`${page}.html`);
      await drive(example);
      expect(example.complaints).toEqual([]);
      expect(await accessibilityFindings(example.page), "what axe-core finds").toEqual([]);
      if (process.env.WRITE_EXAMPLE_PICTURES) await writePicture(example, page);
    });
});
