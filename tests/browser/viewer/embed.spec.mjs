/**
 * Drives `<zarr-view>` (`zarr-view.js`) in pages of others: one with a strict policy, a sandboxed
 * frame as notebooks have, and one whose script webpack made of `zarr-wasm/view`. Values are
 * NumPy's (`examples_expected.json`).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "../../../scripts/serve.mjs";
import { unpackFixtures } from "../../support/fixture_archives.mjs";
import { test as base, expect } from "../fixtures.mjs";
import { VIEW_ENTRY, VIEWER } from "../places.mjs";
import { accessibilityFindings } from "./axe.mjs";

const { picked, colours } = JSON.parse(
  readFileSync(join(import.meta.dirname, "examples_expected.json"), "utf8"),
);

const FIXTURES = unpackFixtures();
const factsOf = (name) => JSON.parse(readFileSync(join(FIXTURES, name, "expected.json"), "utf8"));
/** What xarray reads under marks, and the values of a volume and of differences by NumPy. */
const { climate } = factsOf("viewer-marks");
const { volume, climate: differences } = factsOf("viewer-linked");

const CLIMATE = 'src="/viewer/samples/climate.zarr" variable="air_temperature" at="time:6"';
const CELLS = 'src="/viewer/samples/cells.ome.zarr"';

/** No inlined scripts, no other servers. The engine needs the words about wasm and workers. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src blob:",
  "connect-src 'self'",
].join("; ");

/** The page's own style, which must reach nothing of the element. */
const STYLE = "button, .map, canvas { display: none } zarr-view { height: 320px }";

const pageWith = (attributes, script = "/viewer/zarr-view.js") => `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>A page</title><link rel="stylesheet" href="/embed/page.css"></head>
  <body>
    <main><h1>A page</h1><zarr-view ${attributes}></zarr-view></main>
    <script src="${script}"></script>
  </body>
</html>`;

/** A frame as a notebook makes it: its origin is opaque, and its address is about:srcdoc. */
const notebookWith = (attributes, root) => {
  const inside = `<base href="${root}/"><script src="${root}/viewer/zarr-view.js"></script>
    <script>addEventListener("zarr-pick", ({ detail }) => parent.postMessage(detail.values[0].value, "*"))</script>
    <zarr-view ${attributes}></zarr-view>`;
  return `<!doctype html><html lang="en"><title>A notebook</title>
    <script>addEventListener("message", ({ data, origin }) => (window.told = { data, origin }))</script>
    <iframe title="An output" sandbox="allow-scripts" width="800" height="420"
      srcdoc="${inside.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe></html>`;
};

/** Runs in the page before its scripts: keeps the events of elements. */
function keepEvents() {
  window.events = [];
  for (const type of ["zarr-load", "zarr-view", "zarr-pick", "zarr-error"])
    addEventListener(type, ({ detail }) => window.events.push({ type, detail: structuredClone(detail) }));
}

/** The page that the server has now. */
let served = { html: "", headers: {} };

/** A STAC item with two data sets. */
const ITEM = JSON.stringify({
  type: "Feature",
  stac_version: "1.0.0",
  id: "two",
  geometry: null,
  properties: { datetime: "2021-01-01T00:00:00Z" },
  links: [],
  assets: Object.fromEntries(
    ["a", "b"].map((name) => [name, { href: `./${name}.zarr`, type: "application/vnd+zarr" }]),
  ),
});

/** The server of pages of others, which also has `zarr-view.js`. */
function answerPage({ url }, response) {
  if (!url.startsWith("/embed/")) return false;
  if (url === "/embed/item.json") {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(ITEM);
    return true;
  }
  const isStyle = url.endsWith(".css");
  const type = isStyle ? "text/css" : "text/html; charset=utf-8";
  response.writeHead(200, { "Content-Type": type, ...(!isStyle && served.headers) });
  response.end(isStyle ? STYLE : served.html);
  return true;
}

class EmbeddingPage {
  complaints = [];

  constructor(page, url) {
    [this.page, this.url] = [page, url];
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("console", (message) => {
      const isAbsent = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isAbsent) this.complaints.push(message.text());
    });
  }

  /** Opens a page with this text and these headers. */
  async open(html, headers = {}) {
    served = { html, headers };
    await this.page.addInitScript(keepEvents);
    await this.page.goto(`${this.url}/embed/`);
  }

  /** Waits for an event that was not heard before, and resolves to its detail. */
  async hears(type, frame = this.page) {
    const found = await frame.waitForFunction((wanted) => {
      const at = window.events.findIndex((event) => event.type === wanted);
      return at < 0 ? null : window.events.splice(at, 1)[0];
    }, type);
    return (await found.jsonValue()).detail;
  }

  set(attributes) {
    return this.page.evaluate((all) => {
      const view = document.querySelector("zarr-view");
      for (const [name, value] of Object.entries(all)) view.setAttribute(name, value);
    }, attributes);
  }

  state() {
    return this.page.evaluate(() => document.querySelector("zarr-view").state);
  }
}

const test = base.extend({
  /** The address of a server of pages of others, one for each worker. */
  root: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures here
    async ({}, use) => {
      const { url, close } = await serve(
        { "/viewer/": VIEWER, "/fixtures/": FIXTURES, "/bundled/": VIEW_ENTRY },
        { data: ["/"], intercept: answerPage },
      );
      await use(url);
      await close();
    },
    { scope: "worker" },
  ],

  shown: async ({ page, root }, use) => {
    await use(new EmbeddingPage(page, root));
  },
});

test.use({ viewport: { width: 1000, height: 700 }, actionTimeout: 30_000 });

/** Checks the elements in view against NumPy's colours. The page is as high as `showCells` says. */
async function checkColours(shown) {
  const { x, y, width, height } = await shown.page.locator("zarr-view .map").boundingBox();
  const visible = colours.places.flatMap(([row, column], at) => {
    const [across, down] = [2 * (column - MIDDLE), 2 * (row - MIDDLE)];
    const isInside = Math.abs(across) < width / 2 - 100 && Math.abs(down) < height / 2 - 40;
    return isInside ? [{ at, place: [x + width / 2 + across, y + height / 2 + down].map(Math.floor) }] : [];
  });
  expect(visible.length, `${visible.length} places are visible`).toBeGreaterThanOrEqual(9);
  const png = (await shown.page.screenshot()).toString("base64");
  const found = await shown.page.evaluate(coloursOf, [png, visible.map(({ place }) => place)]);
  for (const [own, { at }] of visible.entries()) {
    const off = found[own].map((part, channel) => Math.abs(part - colours.first[at][channel]));
    expect(Math.max(...off), `place ${at} is ${found[own]}, not ${colours.first[at]}`).toBeLessThanOrEqual(4);
  }
}

/** Two pixels are an element. The elements' centres are at multiples of 0.16. */
const MIDDLE = 288;

/** Shows elements of which NumPy's colours are known. */
async function showCells(shown, script) {
  const view = [MIDDLE * 0.16, MIDDLE * -0.16, 0.08].join(",");
  await shown.page.setViewportSize({ width: 1000, height: 900 });
  await shown.open(pageWith(`${CELLS} view="${view}" level="0" style="height: 800px"`, script));
  await shown.hears("zarr-load");
}

const numberOf = (text) => Number(text.replace(/[\s\u202f]/g, "").replace("−", "-"));

/** The numbers of the plot's table, once there are as many as wanted. */
async function plottedIn({ page }, count) {
  await page.locator("zarr-view .plots-table summary").click();
  const cells = page.locator("zarr-view .plots-table tbody td");
  await cells.nth(count - 1).waitFor();
  return (await cells.allTextContents()).map(numberOf);
}

/** Checks the series at a mark under a policy, and that a click moves the mark. */
async function checkPlots(shown, script, headers) {
  const mark = `point:0:${climate.points[0].join(":")}`;
  const attributes = `${CLIMATE} layers="" marks="${mark}" plot="series"`;
  await shown.open(pageWith(attributes, script), headers);
  await shown.hears("zarr-load");
  const [wanted] = climate.series;
  const found = await plottedIn(shown, wanted.length);
  expect(found.length).toBe(wanted.length);
  for (const [at, own] of found.entries())
    expect(Math.abs(own - wanted[at]), `${own} instead of ${wanted[at]} at ${at}`).toBeLessThan(1e-4);
  const before = await shown.state();
  expect(before.plot).toBe("series");
  const { width, height } = await shown.page.locator("zarr-view .map").boundingBox();
  await shown.page.locator("zarr-view .map").click({ position: { x: width / 2 - 20, y: height / 2 } });
  await shown.page.waitForFunction((old) => {
    const { marks } = document.querySelector("zarr-view").state;
    return marks?.startsWith("point:0:") && marks !== old;
  }, before.marks);
  // The page's own style sheet is one that the policy refuses.
  expect(shown.complaints.filter((text) => !text.includes("/embed/page.css"))).toEqual([]);
  expect(await accessibilityFindings(shown.page)).toEqual([]);
  await shown.page.locator("zarr-view .plots [aria-label='Close the plots']").click();
  expect((await shown.state()).marks).toBe(undefined);
}

/** Waits until the values at the crosshair begin with this one. */
const crosses = ({ page }, value) =>
  page.waitForFunction((wanted) => {
    const [found] = document
      .querySelector("zarr-view")
      .shadowRoot.querySelectorAll(".cross-reading .value b");
    return found?.textContent.replace(/[\u2009\u202f]/g, "") === wanted;
  }, String(value));

/** Reads the middle of the second picture until it has this value. */
async function secondTells({ page }, value) {
  const second = page.locator("zarr-view .compared");
  await expect(async () => {
    await second.locator(".map").press("Enter");
    const text = await second.locator(".readout .value b").first().textContent();
    const found = numberOf(text.replace(/[^\d.−]/g, ""));
    expect(Math.abs(found - value), `${found} in place of ${value}`).toBeLessThan(0.01);
  }).toPass();
}

const viewAt = ([east, north]) => `${east},${north},0.5`;

test.describe("embed", () => {
  test("under a strict policy the middle has NumPy's values, by the keyboard", async ({ shown }) => {
    await shown.open(pageWith(`${CLIMATE} view="${viewAt(picked.places[0])}"`), {
      "Content-Security-Policy": `${POLICY}; style-src 'self'`,
    });
    expect(await shown.hears("zarr-load")).toEqual({ kind: "scene", title: "2 metre temperature" });
    for (const [at, place] of picked.places.entries()) {
      await shown.set({ view: viewAt(place) });
      await shown.page.locator("zarr-view .map").press("Enter");
      const { values, index } = await shown.hears("zarr-pick");
      expect(Number(values[0].value.toFixed(3)), `the value at ${place}`).toBe(picked.values[at]);
      const [row, column] = picked.cells[at];
      expect(index.map((one) => one.index)).toEqual([6, row, column]);
    }
    expect(shown.complaints).toEqual([]);
  });

  test("marks are drawn, go with their attribute, and are in the state", async ({ shown }) => {
    await shown.open(pageWith(`${CLIMATE} layers="" view="${viewAt(picked.places[0])}"`));
    await shown.hears("zarr-load");
    const middle = () =>
      shown.page.evaluate(async () => {
        const map = document.querySelector("zarr-view").shadowRoot.querySelector(".map");
        await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
        const canvas = new OffscreenCanvas(map.offsetWidth, map.offsetHeight);
        const context = canvas.getContext("2d");
        for (const own of map.querySelectorAll("canvas"))
          if (own.width > 0 && !own.getContext("webgl2"))
            context.drawImage(own, 0, 0, canvas.width, canvas.height);
        return [...context.getImageData(canvas.width >> 1, canvas.height >> 1, 1, 1).data];
      });
    await shown.set({ marks: `point:0:${picked.places[0].join(":")}` });
    expect(await middle()).toEqual([0x00, 0x72, 0xb2, 255]);
    expect((await shown.state()).marks).toMatch(/^point:0:/);
    await shown.set({ marks: "" });
    expect(await middle()).not.toEqual([0x00, 0x72, 0xb2, 255]);
    expect((await shown.state()).marks).toBe(undefined);
  });

  test("it changes no style of the page, and the page changes none of it", async ({ shown }) => {
    await shown.open(pageWith(CLIMATE));
    await shown.hears("zarr-load");
    const { sheets, adopted, height, zoom } = await shown.page.evaluate(() => ({
      sheets: document.styleSheets.length,
      adopted: document.adoptedStyleSheets.length,
      height: document.querySelector("zarr-view").offsetHeight,
      zoom: document.querySelector("zarr-view").shadowRoot.querySelector(".zoom button").offsetHeight,
    }));
    expect([sheets, adopted, height]).toEqual([1, 0, 320]);
    expect(zoom, `the buttons are ${zoom} pixels high`).toBeGreaterThan(20);
    expect(
      await shown.page.evaluate(() => Object.keys(window).filter((name) => /zarr/i.test(name)).length),
    ).toBe(0);
  });

  test("a sandboxed frame of a notebook shows data, and tells the page what was picked", async ({
    shown,
    root,
  }) => {
    const attributes = `${CLIMATE} view="${viewAt(picked.places[0])}"`;
    await shown.open(notebookWith(attributes.replace('src="', `src="${root}`), root));
    const view = shown.page.frameLocator("iframe").locator("zarr-view");
    await view.locator('.map[aria-busy="false"] canvas').first().waitFor();
    await view.locator(".map").press("Enter");
    const told = await (await shown.page.waitForFunction(() => window.told)).jsonValue();
    expect({ ...told, data: Number(told.data.toFixed(3)) }).toEqual({
      data: picked.values[0],
      origin: "null",
    });
    expect(shown.complaints).toEqual([]);
  });

  test("attributes say all that the viewer's address says, and the state gives them back", async ({
    shown,
  }) => {
    const channels = "0:ff0000:10:900:1:on,1:00ff00:0:3000:2:off,2:0000ff:0:100:1:on";
    const wanted = { at: "t:2,z:5", view: "40,-46,0.25", level: "1", channels };
    await shown.open(
      pageWith(
        `${CELLS} ${Object.entries(wanted)
          .map(([name, value]) => `${name}="${value}"`)
          .join(" ")}`,
      ),
    );
    await shown.hears("zarr-load");
    expect(await shown.state()).toEqual({ src: "/viewer/samples/cells.ome.zarr", ...wanted });
    await shown.set({ plane: "x,z" });
    await shown.hears("zarr-load");
    expect((await shown.state()).plane).toBe("x,z");
    await shown.set({
      src: "/viewer/samples/climate.zarr",
      path: "air_temperature",
      plane: "",
      at: "time:6",
    });
    await shown.hears("zarr-load");
    const field = {
      colours: "magma,reversed",
      limits: "240,300",
      layers: "graticule",
      view: "10,20,0.5",
      level: "0",
    };
    await shown.set(field);
    await expect.poll(() => shown.state()).toMatchObject({ ...field, at: "time:6" });
    expect(shown.complaints).toEqual([]);
  });

  test("the pixels are NumPy's colours, and a slider tells of its change", async ({ shown }) => {
    await showCells(shown);
    await checkColours(shown);
    await shown.page.locator("zarr-view .dimension").first().locator("input[type=range]").press("ArrowRight");
    await shown.page.waitForFunction(() => window.events.some(({ detail }) => detail?.at?.startsWith("t:1")));
  });

  test("as an entry of the package that webpack bundles, it has NumPy's colours", async ({ shown }) => {
    await showCells(shown, "/bundled/bundle.js");
    await checkColours(shown);
    await shown.page.locator("zarr-view .map").press("Enter");
    expect((await shown.hears("zarr-pick")).values.length).toBeGreaterThan(0);
    expect(shown.complaints).toEqual([]);
  });

  test("plots: the series at a mark is xarray's under a strict policy, and a click moves the mark", ({
    shown,
  }) => checkPlots(shown, undefined, { "Content-Security-Policy": POLICY }));

  test("plots: as an entry of the package, they are a script that loads with the first mark", async ({
    shown,
  }) => {
    const scripts = [];
    shown.page.on("request", (request) => {
      if (request.resourceType() === "script") scripts.push(request.url());
    });
    await shown.open(pageWith(CLIMATE, "/bundled/bundle.js"));
    await shown.hears("zarr-load");
    const before = scripts.length;
    await checkPlots(shown, "/bundled/bundle.js");
    expect(scripts.length, `${scripts}`).toBeGreaterThan(before + 1);
  });

  test("three planes: the crosshair has NumPy's values, and keys and attributes move it", async ({
    shown,
  }) => {
    const [first, second] = volume.places;
    const crosshair = ({ x, y }) => `x:${x},y:${y}`;
    const attributes = `at="t:${first.at.t},z:${first.at.z}" planes="${crosshair(first.at)}"`;
    await shown.open(pageWith(`src="/fixtures/viewer-linked/volume" ${attributes} style="height: 600px"`));
    await shown.hears("zarr-load");
    await crosses(shown, first.value);
    await expect(shown.page.locator("zarr-view .map")).toHaveCount(3);
    await shown.set({ at: `t:${second.at.t},z:${second.at.z}`, planes: crosshair(second.at) });
    await crosses(shown, second.value);
    await shown.page.locator("zarr-view .plane.below .map").press("ArrowLeft");
    const left = crosshair({ ...second.at, x: second.at.x - 1 });
    await shown.page.waitForFunction(
      (wanted) => document.querySelector("zarr-view").state.planes === wanted,
      left,
    );
    expect(await accessibilityFindings(shown.page)).toEqual([]);
    await shown.page.evaluate(() => document.querySelector("zarr-view").removeAttribute("planes"));
    await shown.page.locator("zarr-view .plane").first().waitFor({ state: "detached" });
    await expect(shown.page.locator("zarr-view .map")).toHaveCount(1);
    expect(shown.complaints).toEqual([]);
  });

  test("comparisons: the difference is NumPy's, a swipe has a divider, and its button ends it", async ({
    shown,
  }) => {
    const [{ place, of_times: ofTimes, of_variables: ofVariables }] = differences;
    const attributes = `src="/viewer/samples/climate.zarr" variable="air_temperature" at="time:0" layers=""`;
    const compared = `compare="difference" with="at=time:6" view="${viewAt(place)}"`;
    await shown.open(pageWith(`${attributes} ${compared}`), { "Content-Security-Policy": POLICY });
    await shown.hears("zarr-load");
    await secondTells(shown, ofTimes);
    await shown.set({ with: "variable=sea_surface_temperature" });
    await secondTells(shown, ofVariables);
    expect(await accessibilityFindings(shown.page)).toEqual([]);
    await shown.set({ compare: "swipe" });
    await shown.page.locator("zarr-view .divider").press("Home");
    await shown.page.waitForFunction(() => document.querySelector("zarr-view").state.compare === "swipe,0");
    expect((await shown.state()).with).toBe("variable=sea_surface_temperature");
    await shown.set({ compare: "beside" });
    await shown.page.locator("zarr-view [aria-label='Close the comparison']").click();
    await shown.page.locator("zarr-view .compared").waitFor({ state: "detached" });
    expect((await shown.state()).compare).toBe(undefined);
  });

  test("comparisons: a STAC document of several data sets is refused, and the picture stays", async ({
    shown,
  }) => {
    await shown.open(pageWith(`${CLIMATE} compare="beside" with="source=/embed/item.json"`));
    await shown.hears("zarr-load");
    const told = await shown.page.locator("zarr-view .compared [role=alert]").innerText();
    expect(told).toMatch(/it is a list of data sets/);
    await shown.page.locator("zarr-view .map").first().press("Enter");
    expect((await shown.hears("zarr-pick")).values[0].text.slice(-1)).toBe("K");
  });

  test("a store of the page in the place of an address, and an error that says what is wrong", async ({
    shown,
  }) => {
    await shown.open(pageWith('src="/viewer/samples/nothing.zarr"'));
    await shown.hears("zarr-error");
    expect(await shown.page.locator("zarr-view [role=alert]").innerText()).toMatch(/No Zarr data here/);
    await shown.page.evaluate(() => {
      const metadata = {
        zarr_format: 3,
        node_type: "array",
        shape: [2, 3],
        data_type: "uint8",
        chunk_grid: { name: "regular", configuration: { chunk_shape: [2, 3] } },
        chunk_key_encoding: { name: "default" },
        fill_value: 7,
        codecs: [{ name: "bytes" }],
      };
      const document_ = new TextEncoder().encode(JSON.stringify(metadata));
      document.querySelector("zarr-view").store = new Map([["/zarr.json", document_]]);
    });
    expect((await shown.hears("zarr-load")).kind).toBe("scene");
    await shown.page.locator("zarr-view .map").press("Enter");
    expect((await shown.hears("zarr-pick")).values[0].value).toBe(7);
  });

  test("two of them live side by side, and one that is taken away and put back shows the same", async ({
    shown,
  }) => {
    await shown.open(pageWith(CLIMATE));
    await shown.hears("zarr-load");
    await shown.page.evaluate((src) => {
      const second = Object.assign(document.createElement("zarr-view"), { id: "second" });
      second.setAttribute("src", src);
      document.querySelector("main").append(second);
    }, "/viewer/samples/tissue.ome.zarr");
    await shown.hears("zarr-load");
    await shown.page.evaluate(() => {
      window.taken = document.querySelector("zarr-view");
      window.taken.remove();
    });
    await shown.page.evaluate(() => document.querySelector("main").append(window.taken));
    expect(await shown.hears("zarr-load")).toEqual({ kind: "scene", title: "2 metre temperature" });
    await shown.page.locator("zarr-view:last-of-type .map").press("Enter");
    expect((await shown.hears("zarr-pick")).values[0].text.slice(-1)).toBe("K");
    expect(shown.complaints).toEqual([]);
  });

  test("a server that lets no cache keep anything sends each object once for a picture", async ({
    shown,
  }) => {
    const sent = [];
    await shown.page.route("**/climate.zarr/**/c/**", async (route) => {
      const headers = { ...route.request().headers() };
      delete headers.range;
      const response = await route.fetch({ headers });
      sent.push(route.request().url());
      await route.fulfill({ response, headers: { ...response.headers(), "Cache-Control": "no-store" } });
    });
    await shown.open(pageWith(CLIMATE));
    await shown.hears("zarr-load");
    await shown.page.locator('zarr-view .map[aria-busy="false"]').waitFor();
    expect(sent.length, "nothing was asked for").toBeGreaterThan(0);
    expect(sent.filter((url, at) => sent.indexOf(url) < at)).toEqual([]);
  });

  test("axe-core finds nothing in it", async ({ shown }) => {
    for (const attributes of [CLIMATE, CELLS, 'src="/viewer/samples/climate.zarr" path="time"']) {
      await shown.open(pageWith(attributes));
      await shown.hears("zarr-load");
      expect(await accessibilityFindings(shown.page), attributes).toEqual([]);
    }
  });
});

/** Runs in the page: the colours of points in a picture. */
async function coloursOf([png, places]) {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  return places.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data.subarray(0, 3)]);
}
