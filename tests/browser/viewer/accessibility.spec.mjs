/**
 * Tests that everyone can use the viewer: axe-core finds nothing in any of its states, in both
 * colour schemes; everything can be reached and done by the keyboard; who wants less motion gets
 * none.
 */

import { expect, test } from "../fixtures.mjs";
import { accessibilityFindings } from "./axe.mjs";

const CELLS = "./samples/cells.ome.zarr";
const CLIMATE = "./samples/climate.zarr";
const ARCTIC = "./samples/arctic.zarr";
const TISSUE = "./samples/tissue.ome.zarr";
const PLATE = "/fixtures/viewer-plates/plate";

const PHONE = { width: 390, height: 844 };
const LANDSCAPE = { width: 844, height: 390 };

const MAX_STOPS = 200;

/** A STAC item of two data sets. */
const ITEM = {
  type: "Feature",
  stac_version: "1.1.0",
  id: "item",
  assets: Object.fromEntries(
    ["climate", "arctic"].map((name) => [
      name,
      { href: `/viewer/samples/${name}.zarr`, type: "application/vnd.zarr; version=3", roles: ["data"] },
    ]),
  ),
};

/** References to another server. */
const REFERENCES = { version: 1, refs: { ".zgroup": '{"zarr_format":2}', "a/0": ["https://far.example/a"] } };

const drawn = (parameters) => async (viewer) => {
  await viewer.goto(parameters);
  await viewer.drawn();
};

const dialog = (entry) => async (viewer) => {
  await drawn({ source: CLIMATE })(viewer);
  await viewer.page.click("#share-switch");
  await viewer.page.click(`#share-menu >> text="${entry}"`);
  await viewer.page.waitForSelector("dialog[open]");
};

const onPhone = (size, panel) => async (viewer) => {
  await viewer.page.setViewportSize(size);
  await drawn({ source: CLIMATE })(viewer);
  if (panel) await viewer.page.click(`#switch-${panel}`);
};

/** A plot of marks, with its table. */
const plotted = (marks, plot) => async (viewer) => {
  await drawn({ source: CLIMATE, variable: "air_temperature", marks, plot })(viewer);
  await viewer.page.locator(".plots-chart:not([hidden]) canvas").waitFor();
  await viewer.page.locator(".plots-table summary").click();
};

/** Another time beside the picture. */
const compared = (compare) => async (viewer) => {
  const parameters = { source: CLIMATE, variable: "air_temperature", compare, with: "at=time:6" };
  await drawn(parameters)(viewer);
  await viewer.page.locator(".compared .map[aria-busy=false] canvas").first().waitFor();
};

/** The states of the page, and how to get there. */
const STATES = {
  "an image": drawn({ source: CELLS }),
  "a field": drawn({ source: CLIMATE }),
  "a projected map with lines": drawn({ source: ARCTIC, layers: "coast,graticule" }),
  "labels above an image": drawn({ source: TISSUE, labels: "labels/cells:0.5" }),
  async "all details open, with values under the pointer"(viewer) {
    await drawn({ source: CELLS })(viewer);
    await viewer.page.click("#switch-data");
    for (const summary of await viewer.page.locator("summary:visible").all()) await summary.click();
    await viewer.reading();
  },
  async "the menu of colours"(viewer) {
    await drawn({ source: CLIMATE })(viewer);
    for (const summary of await viewer.page.locator("#field-style summary").all()) await summary.click();
  },
  async "the menu for opening, with a recent data set"(viewer) {
    await drawn({ source: CELLS })(viewer);
    await viewer.type("./samples/tissue.ome.zarr");
    await viewer.drawn("tissue");
    await viewer.page.click("#open-switch");
  },
  async "the menu for sharing"(viewer) {
    await drawn({ source: CLIMATE })(viewer);
    await viewer.page.click("#share-switch");
  },
  "the dialog of code": dialog("Copy as code…"),
  "the dialog of a picture": dialog("Save picture…"),
  "the dialog of a film": dialog("Save film…"),
  "a plot of two points": plotted("point:0:10:30,point:1:-100:45", "series,time"),
  "a profile of a line": plotted("line:0:-60:0:60:40", "profile"),
  "a histogram of a box": plotted("box:0:-10:35:30:60", "histogram"),
  async "three planes of a volume"(viewer) {
    await drawn({ source: CELLS, planes: "" })(viewer);
    await viewer.page.locator(".cross-reading .value").first().waitFor();
  },
  "two pictures beside each other": compared("beside"),
  "two pictures with a divider": compared("swipe"),
  "a difference": compared("difference"),
  async "the dialog of comparisons"(viewer) {
    await drawn({ source: CLIMATE, variable: "air_temperature" })(viewer);
    await viewer.page.click('#linked >> text="Compare with…"');
    await viewer.page.waitForSelector("dialog[open]");
  },
  async "a phone with a divider"(viewer) {
    await viewer.page.setViewportSize(PHONE);
    await compared("swipe")(viewer);
  },
  async "the panel of insight, with the grid of chunks"(viewer) {
    await drawn({ source: ARCTIC, structure: "size", panels: "insight,display" })(viewer);
    await viewer.page.locator("#chunks-in-view").waitFor();
  },
  async "a plate"(viewer, { url }) {
    await viewer.goto({ source: url + PLATE });
    await viewer.page.waitForFunction(() => document.querySelectorAll("#plate canvas").length === 5);
  },
  async "a list of values with a curve"(viewer) {
    await viewer.goto({ source: CLIMATE, path: "time" });
    await viewer.page.locator("#values li").first().waitFor();
  },
  async "a group without a picture"(viewer, { url }) {
    await viewer.goto({ source: `${url}/fixtures/zarrita-0.7/create-v3/store` });
    await viewer.page.locator("#choices:not([hidden])").waitFor();
  },
  async "an error"(viewer) {
    await viewer.goto({ source: "./samples/nothing.zarr" });
    await viewer.page.locator('[role="alert"]').waitFor();
  },
  async "a question about servers"(viewer, { url }) {
    await viewer.page.route("**/far.json", (route) => route.fulfill({ json: REFERENCES }));
    await viewer.goto({ source: `${url}/far.json` });
    await viewer.page.waitForSelector("dialog[open]");
  },
  async "a question about data sets"(viewer, { url }) {
    await viewer.page.route("**/items/item", (route) => route.fulfill({ json: ITEM }));
    await viewer.goto({ source: `${url}/items/item` });
    await viewer.page.waitForSelector("dialog[open]");
  },
  "a phone": onPhone(PHONE),
  "a phone with data": onPhone(PHONE, "data"),
  "a phone with display": onPhone(PHONE, "display"),
  "a phone with insight": onPhone(PHONE, "insight"),
  "a phone in landscape": onPhone(LANDSCAPE),
  async "text of twice the size"(viewer) {
    await drawn({ source: CELLS })(viewer);
    await viewer.page.evaluate(() => {
      document.documentElement.style.fontSize = "32px";
    });
    await viewer.drawn();
  },
};

/** Runs in the page: the name of the focused element. */
function focusedName() {
  const { activeElement: element } = document;
  const label = element.labels?.[0]?.textContent;
  return (element.ariaLabel ?? label ?? element.textContent).trim().replace(/\s+/g, " ");
}

/** The names of all stops of the Tab key, from the address to the end of the page. */
async function tabStops({ page }) {
  await page.focus("#address");
  const stops = [];
  while (stops.length < MAX_STOPS && (await page.evaluate(() => document.activeElement !== document.body))) {
    stops.push(await page.evaluate(focusedName));
    await page.keyboard.press("Tab");
  }
  return stops;
}

/** Runs in the page: the names of visible controls that Tab does not reach, by what they are. */
function unreachable(reached) {
  const controls = document.querySelectorAll("button, input, select, summary, a[href], [tabindex='0']");
  const named = (element) =>
    (element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent)
      .trim()
      .replace(/\s+/g, " ");
  const isOfGroup = ({ type, name }) => type === "radio" && name; // arrows move in a group
  return [...controls]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled)
    .filter((element) => !isOfGroup(element) && !reached.includes(named(element)))
    .map((element) => `${element.localName} ${named(element)}`);
}

test.describe("accessible", () => {
  for (const [state, reach] of Object.entries(STATES))
    test(`axe-core finds nothing in ${state}`, async ({ viewer, url }) => {
      await reach(viewer, { url });
      expect(await accessibilityFindings(viewer.page)).toEqual([]);
    });

  test("Tab reaches every control, and nothing holds it", async ({ viewer }) => {
    for (const source of [CELLS, CLIMATE]) {
      await viewer.goto({ source });
      await viewer.drawn();
      const data = viewer.page.locator("#switch-data");
      if ((await data.getAttribute("aria-expanded")) === "false") await data.click();
      const stops = await tabStops(viewer);
      expect(stops.length > 20 && stops.length < MAX_STOPS, `${stops.length} stops`).toBeTruthy();
      expect(await viewer.page.evaluate(unreachable, stops)).toEqual([]);
    }
  });

  test("a data set is opened, a variable and a month are chosen, and a value is read", async ({ viewer }) => {
    const { page } = viewer;
    await viewer.goto({ source: CELLS });
    await viewer.drawn();
    await page.locator("#open-switch").press("Enter");
    await page.locator("#open-menu button", { hasText: "Climate" }).press("Enter");
    await viewer.drawn("temperature");
    await page.locator('#tree [tabindex="0"]').press("End");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await viewer.waitForParameter("path", "air_temperature");
    await page.locator('[aria-label="time"]').press("End");
    await viewer.waitForParameter("at", "time:23");
    await page.locator("#map").press("Enter");
    await page.locator("#readout .value b").waitFor();
    expect(await page.locator("#readout").innerText()).toMatch(/K[\s\S]*2022-12-01/);
    expect(await page.locator("#readout").getAttribute("aria-live")).toBe("polite");
  });

  test("Escape closes menus and dialogs, and the focus goes back", async ({ viewer }) => {
    const { page } = viewer;
    await viewer.goto({ source: CLIMATE });
    await viewer.drawn();
    const focused = () => page.evaluate(() => document.activeElement.id);
    for (const name of ["open", "share"]) {
      await page.locator(`#${name}-switch`).press("Enter");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Escape");
      await expect(page.locator(`#${name}-menu`), `the menu ${name} is closed`).toBeHidden();
      expect(await focused()).toBe(`${name}-switch`);
    }
    await page.locator("#share-switch").press("Enter");
    await page.locator("#share-menu button", { hasText: "Save picture" }).press("Enter");
    await page.waitForSelector("dialog[open]");
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !document.querySelector("dialog[open]"));
    expect(await focused()).toBe("share-switch");
  });

  test("who wants less motion sees none", async ({ viewer }) => {
    const { page } = viewer;
    await page.emulateMedia({ reducedMotion: "reduce" });
    await viewer.goto({ source: CLIMATE });
    await viewer.drawn();
    const resolution = () =>
      page.evaluate(() => new URLSearchParams(location.search).get("view")?.split(",")[2]);
    await page.waitForFunction(() => location.search.includes("view="));
    const before = Number(await resolution());
    // The address follows within half a second. An animation would have several frames before.
    const frames = await page.evaluate(async () => {
      const { prototype } = WebGLRenderingContext;
      const { clear } = prototype;
      let count = 0;
      prototype.clear = function (...args) {
        count += 1;
        return clear.apply(this, args);
      };
      document.querySelector('[aria-label="Zoom in"]').click();
      await new Promise((resolve) => setTimeout(resolve, 120));
      prototype.clear = clear;
      return count;
    });
    await page.waitForFunction((old) => !location.search.includes(`,${old}`), String(before));
    expect(frames, `${frames} frames in the first 120 ms`).toBeLessThanOrEqual(4);
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll("*")]
        .filter((element) => {
          const { transitionDuration, animationName } = getComputedStyle(element);
          return animationName !== "none" || transitionDuration.split(", ").some((time) => time !== "0s");
        })
        .map((element) => element.outerHTML.slice(0, 80)),
    );
    expect(moving).toEqual([]);
  });
});
