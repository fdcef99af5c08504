/**
 * Drives `<zarr-view>` (`zarr-view.js`) in pages of others: one with a strict policy, a sandboxed
 * frame as notebooks have, and one whose script webpack made of `zarr-wasm/view`. Values are
 * NumPy's (`examples/expected.json`).
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import webpack from "webpack";
import { serve } from "../../scripts/serve.mjs";
import { unpackFixtures } from "../fixture_archives.mjs";
import { attempt } from "./attempts.mjs";
import { accessibilityFindings } from "./axe.mjs";
import { ROOT, VIEWER } from "./served.mjs";

const { picked, colours } = JSON.parse(
  readFileSync(join(ROOT, "tests/browser/examples/expected.json"), "utf8"),
);

const FIXTURES = unpackFixtures();
const factsOf = (name) => JSON.parse(readFileSync(join(FIXTURES, name, "expected.json"), "utf8"));
/** What xarray reads under marks, and the values of a volume and of differences by NumPy. */
const { climate } = factsOf("viewer-marks");
const { volume, climate: differences } = factsOf("viewer-linked");

const PATIENCE_MS = 30_000;
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
    page.setDefaultTimeout(PATIENCE_MS);
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

/** Bundles a page's script that imports the entry of the package, without a loader or a plugin. */
async function bundleOfEntry() {
  const folder = join(ROOT, "target/view-entry");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "page.js"), 'import "zarr-wasm/view";\n');
  const output = { path: folder, filename: "bundle.js", publicPath: "/bundled/" };
  const entry = join(folder, "page.js");
  const compiler = webpack({ mode: "development", devtool: false, context: ROOT, entry, output });
  const stats = await new Promise((resolve, reject) => {
    compiler.run((error, done) => (error ? reject(error) : resolve(done)));
  });
  assert.equal(stats.toString({ all: false, errors: true, warnings: true }), "");
}

/** Checks the elements in view against NumPy's colours. The page is as high as `showCells` says. */
async function checkColours(shown) {
  const { x, y, width, height } = await shown.page.locator("zarr-view .map").boundingBox();
  const visible = colours.places.flatMap(([row, column], at) => {
    const [across, down] = [2 * (column - MIDDLE), 2 * (row - MIDDLE)];
    const isInside = Math.abs(across) < width / 2 - 100 && Math.abs(down) < height / 2 - 40;
    return isInside ? [{ at, place: [x + width / 2 + across, y + height / 2 + down].map(Math.floor) }] : [];
  });
  assert.ok(visible.length >= 9, `${visible.length} places are visible`);
  const png = (await shown.page.screenshot()).toString("base64");
  const found = await shown.page.evaluate(coloursOf, [png, visible.map(({ place }) => place)]);
  for (const [own, { at }] of visible.entries()) {
    const off = found[own].map((part, channel) => Math.abs(part - colours.first[at][channel]));
    assert.ok(Math.max(...off) <= 4, `place ${at} is ${found[own]}, not ${colours.first[at]}`);
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
  assert.equal(found.length, wanted.length);
  for (const [at, own] of found.entries())
    assert.ok(Math.abs(own - wanted[at]) < 1e-4, `${own} instead of ${wanted[at]} at ${at}`);
  const before = await shown.state();
  assert.equal(before.plot, "series");
  const { width, height } = await shown.page.locator("zarr-view .map").boundingBox();
  await shown.page.locator("zarr-view .map").click({ position: { x: width / 2 - 20, y: height / 2 } });
  await shown.page.waitForFunction((old) => {
    const { marks } = document.querySelector("zarr-view").state;
    return marks?.startsWith("point:0:") && marks !== old;
  }, before.marks);
  // The page's own style sheet is one that the policy refuses.
  assert.deepEqual(
    shown.complaints.filter((text) => !text.includes("/embed/page.css")),
    [],
  );
  assert.deepEqual(await accessibilityFindings(shown.page), []);
  await shown.page.locator("zarr-view .plots [aria-label='Close the plots']").click();
  assert.equal((await shown.state()).marks, undefined);
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
  const deadline = Date.now() + PATIENCE_MS;
  for (let found; !(Math.abs(numberOf(found ?? "") - value) < 0.01); ) {
    assert.ok(Date.now() < deadline, `${found} in place of ${value}`);
    await second.locator(".map").press("Enter");
    found = (await second.locator(".readout .value b").first().textContent()).replace(/[^\d.−]/g, "");
  }
}

const viewAt = ([east, north]) => `${east},${north},0.5`;

const TESTS = {
  async "under a strict policy the middle has NumPy's values, by the keyboard"(shown) {
    await shown.open(pageWith(`${CLIMATE} view="${viewAt(picked.places[0])}"`), {
      "Content-Security-Policy": `${POLICY}; style-src 'self'`,
    });
    assert.deepEqual(await shown.hears("zarr-load"), { kind: "scene", title: "2 metre temperature" });
    for (const [at, place] of picked.places.entries()) {
      await shown.set({ view: viewAt(place) });
      await shown.page.locator("zarr-view .map").press("Enter");
      const { values, index } = await shown.hears("zarr-pick");
      assert.equal(Number(values[0].value.toFixed(3)), picked.values[at], `the value at ${place}`);
      const [row, column] = picked.cells[at];
      assert.deepEqual(
        index.map((one) => one.index),
        [6, row, column],
      );
    }
    assert.deepEqual(shown.complaints, []);
  },

  async "marks are drawn, go with their attribute, and are in the state"(shown) {
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
    assert.deepEqual(await middle(), [0x00, 0x72, 0xb2, 255]);
    assert.match((await shown.state()).marks, /^point:0:/);
    await shown.set({ marks: "" });
    assert.notDeepEqual(await middle(), [0x00, 0x72, 0xb2, 255]);
    assert.equal((await shown.state()).marks, undefined);
  },

  async "it changes no style of the page, and the page changes none of it"(shown) {
    await shown.open(pageWith(CLIMATE));
    await shown.hears("zarr-load");
    const { sheets, adopted, height, zoom } = await shown.page.evaluate(() => ({
      sheets: document.styleSheets.length,
      adopted: document.adoptedStyleSheets.length,
      height: document.querySelector("zarr-view").offsetHeight,
      zoom: document.querySelector("zarr-view").shadowRoot.querySelector(".zoom button").offsetHeight,
    }));
    assert.deepEqual([sheets, adopted, height], [1, 0, 320]);
    assert.ok(zoom > 20, `the buttons are ${zoom} pixels high`);
    assert.equal(
      await shown.page.evaluate(() => Object.keys(window).filter((name) => /zarr/i.test(name)).length),
      0,
    );
  },

  async "a sandboxed frame of a notebook shows data, and tells the page what was picked"(shown, root) {
    const attributes = `${CLIMATE} view="${viewAt(picked.places[0])}"`;
    await shown.open(notebookWith(attributes.replace('src="', `src="${root}`), root));
    const view = shown.page.frameLocator("iframe").locator("zarr-view");
    await view.locator('.map[aria-busy="false"] canvas').first().waitFor();
    await view.locator(".map").press("Enter");
    const told = await (await shown.page.waitForFunction(() => window.told)).jsonValue();
    assert.deepEqual(
      { ...told, data: Number(told.data.toFixed(3)) },
      { data: picked.values[0], origin: "null" },
    );
    assert.deepEqual(shown.complaints, []);
  },

  async "attributes say all that the viewer's address says, and the state gives them back"(shown) {
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
    assert.deepEqual(await shown.state(), { src: "/viewer/samples/cells.ome.zarr", ...wanted });
    await shown.set({ plane: "x,z" });
    await shown.hears("zarr-load");
    assert.equal((await shown.state()).plane, "x,z");
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
    await shown.page.waitForTimeout(500);
    const state = await shown.state();
    for (const [name, value] of Object.entries(field)) assert.equal(state[name], value, name);
    assert.equal(state.at, "time:6");
    assert.deepEqual(shown.complaints, []);
  },

  async "the pixels are NumPy's colours, and a slider tells of its change"(shown) {
    await showCells(shown);
    await checkColours(shown);
    await shown.page.locator("zarr-view .dimension").first().locator("input[type=range]").press("ArrowRight");
    await shown.page.waitForFunction(() => window.events.some(({ detail }) => detail?.at?.startsWith("t:1")));
  },

  async "as an entry of the package that webpack bundles, it has NumPy's colours"(shown) {
    await bundleOfEntry();
    await showCells(shown, "/bundled/bundle.js");
    await checkColours(shown);
    await shown.page.locator("zarr-view .map").press("Enter");
    assert.ok((await shown.hears("zarr-pick")).values.length > 0);
    assert.deepEqual(shown.complaints, []);
  },

  "plots: the series at a mark is xarray's under a strict policy, and a click moves the mark": (shown) =>
    checkPlots(shown, undefined, { "Content-Security-Policy": POLICY }),

  async "plots: as an entry of the package, they are a script that loads with the first mark"(shown) {
    await bundleOfEntry();
    const scripts = [];
    shown.page.on("request", (request) => {
      if (request.resourceType() === "script") scripts.push(request.url());
    });
    await shown.open(pageWith(CLIMATE, "/bundled/bundle.js"));
    await shown.hears("zarr-load");
    const before = scripts.length;
    await checkPlots(shown, "/bundled/bundle.js");
    assert.ok(scripts.length > before + 1, `${scripts}`);
  },

  async "three planes: the crosshair has NumPy's values, and keys and attributes move it"(shown) {
    const [first, second] = volume.places;
    const crosshair = ({ x, y }) => `x:${x},y:${y}`;
    const attributes = `at="t:${first.at.t},z:${first.at.z}" planes="${crosshair(first.at)}"`;
    await shown.open(pageWith(`src="/fixtures/viewer-linked/volume" ${attributes} style="height: 600px"`));
    await shown.hears("zarr-load");
    await crosses(shown, first.value);
    assert.equal(await shown.page.locator("zarr-view .map").count(), 3);
    await shown.set({ at: `t:${second.at.t},z:${second.at.z}`, planes: crosshair(second.at) });
    await crosses(shown, second.value);
    await shown.page.locator("zarr-view .plane.below .map").press("ArrowLeft");
    const left = crosshair({ ...second.at, x: second.at.x - 1 });
    await shown.page.waitForFunction(
      (wanted) => document.querySelector("zarr-view").state.planes === wanted,
      left,
    );
    assert.deepEqual(await accessibilityFindings(shown.page), []);
    await shown.page.evaluate(() => document.querySelector("zarr-view").removeAttribute("planes"));
    await shown.page.locator("zarr-view .plane").first().waitFor({ state: "detached" });
    assert.equal(await shown.page.locator("zarr-view .map").count(), 1);
    assert.deepEqual(shown.complaints, []);
  },

  async "comparisons: the difference is NumPy's, a swipe has a divider, and its button ends it"(shown) {
    const [{ place, of_times: ofTimes, of_variables: ofVariables }] = differences;
    const attributes = `src="/viewer/samples/climate.zarr" variable="air_temperature" at="time:0" layers=""`;
    const compared = `compare="difference" with="at=time:6" view="${viewAt(place)}"`;
    await shown.open(pageWith(`${attributes} ${compared}`), { "Content-Security-Policy": POLICY });
    await shown.hears("zarr-load");
    await secondTells(shown, ofTimes);
    await shown.set({ with: "variable=sea_surface_temperature" });
    await secondTells(shown, ofVariables);
    assert.deepEqual(await accessibilityFindings(shown.page), []);
    await shown.set({ compare: "swipe" });
    await shown.page.locator("zarr-view .divider").press("Home");
    await shown.page.waitForFunction(() => document.querySelector("zarr-view").state.compare === "swipe,0");
    assert.equal((await shown.state()).with, "variable=sea_surface_temperature");
    await shown.set({ compare: "beside" });
    await shown.page.locator("zarr-view [aria-label='Close the comparison']").click();
    await shown.page.locator("zarr-view .compared").waitFor({ state: "detached" });
    assert.equal((await shown.state()).compare, undefined);
  },

  async "comparisons: a STAC document of several data sets is refused, and the picture stays"(shown) {
    await shown.open(pageWith(`${CLIMATE} compare="beside" with="source=/embed/item.json"`));
    await shown.hears("zarr-load");
    const told = await shown.page.locator("zarr-view .compared [role=alert]").innerText();
    assert.match(told, /it is a list of data sets/);
    await shown.page.locator("zarr-view .map").first().press("Enter");
    assert.equal((await shown.hears("zarr-pick")).values[0].text.slice(-1), "K");
  },

  async "a store of the page in the place of an address, and an error that says what is wrong"(shown) {
    await shown.open(pageWith('src="/viewer/samples/nothing.zarr"'));
    await shown.hears("zarr-error");
    assert.match(await shown.page.locator("zarr-view [role=alert]").innerText(), /No Zarr data here/);
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
    assert.equal((await shown.hears("zarr-load")).kind, "scene");
    await shown.page.locator("zarr-view .map").press("Enter");
    assert.equal((await shown.hears("zarr-pick")).values[0].value, 7);
  },

  async "two of them live side by side, and one that is taken away and put back shows the same"(shown) {
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
    assert.deepEqual(await shown.hears("zarr-load"), { kind: "scene", title: "2 metre temperature" });
    await shown.page.locator("zarr-view:last-of-type .map").press("Enter");
    assert.equal((await shown.hears("zarr-pick")).values[0].text.slice(-1), "K");
    assert.deepEqual(shown.complaints, []);
  },

  async "a server that lets no cache keep anything sends each object once for a picture"(shown) {
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
    assert.ok(sent.length > 0, "nothing was asked for");
    assert.deepEqual(
      sent.filter((url, at) => sent.indexOf(url) < at),
      [],
    );
  },

  async "axe-core finds nothing in it"(shown) {
    for (const attributes of [CLIMATE, CELLS, 'src="/viewer/samples/climate.zarr" path="time"']) {
      await shown.open(pageWith(attributes));
      await shown.hears("zarr-load");
      assert.deepEqual(await accessibilityFindings(shown.page), [], attributes);
    }
  },
};

/** Runs in the page: the colours of points in a picture. */
async function coloursOf([png, places]) {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  return places.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data.subarray(0, 3)]);
}

export async function runEmbed({ browser, report, pattern }) {
  const { url, close } = await serve(
    { "/viewer/": VIEWER, "/fixtures/": FIXTURES, "/bundled/": join(ROOT, "target/view-entry") },
    { data: ["/"], intercept: answerPage },
  );
  for (const [words, run] of Object.entries(TESTS)) {
    const name = `embed: ${words}`;
    if (!pattern.test(name)) continue;
    const outcome = await attempt(async () => {
      const page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
      try {
        await run(new EmbeddingPage(page, url), url);
      } finally {
        await page.close();
      }
    });
    report({ name, ...outcome });
  }
  await close();
}
