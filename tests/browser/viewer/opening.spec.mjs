/**
 * Tests of opening data sets that need a driver: URLs of buckets, archives and references, dialogs,
 * dropped folders and files, samples, recent data sets, and listings of web servers. Each test
 * opens with clicks and keys, and compares a displayed value with one from another library.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpackFixtures } from "../../support/fixture_archives.mjs";
import { expect, test } from "../fixtures.mjs";
import { ROOT } from "../places.mjs";
import { startPython } from "../web_hosts.mjs";

const STORES = join(ROOT, "tests/fixtures/containers");
/** Made by `viewer_plates.py`: two images of one value each. */
const PLATES = join(unpackFixtures(), "viewer-plates");
const SEVERAL = join(PLATES, "several");
const VALUES = { first: 100, second: 101 };
/** The values that zarr-python, h5py and netCDF4 read. */
const EXPECTED = JSON.parse(readFileSync(join(STORES, "expected.json"), "utf8"));

const SAMPLES = {
  Cells: "cells.ome.zarr",
  Climate: "climate.zarr",
  Arctic: "arctic.zarr",
  Tissue: "tissue.ome.zarr",
};
const CLIMATE = "./samples/climate.zarr";
/** Maximum number of requests of a sample before its first chunk. */
const MAX_REQUESTS = 8;

/** Compares the value at the centre of the picture with that of the other library. */
async function checkMiddle(viewer, expected) {
  const { index, value } = await viewer.reading();
  const [row, column] = Object.values(index);
  expect(value, `at ${JSON.stringify(index)}`).toBe(expected[row][column]);
}

async function checkValue(viewer, expected) {
  expect((await viewer.reading()).value).toBe(expected);
}

/** Answers requests to a host with files of the test server. */
function routeHost(viewer, host, root) {
  return viewer.page.route(`${host}/**`, async (route) => {
    const path = route.request().url().slice(host.length);
    const response = await fetch(`${root}${path}`, { headers: await route.request().allHeaders() });
    const body = Buffer.from(await response.arrayBuffer());
    await route.fulfill({ status: response.status, headers: Object.fromEntries(response.headers), body });
  });
}

/** Air temperature at points of the map, by xarray. Stored values are these less 260, times 20. */
const { picked } = JSON.parse(readFileSync(join(import.meta.dirname, "examples_expected.json"), "utf8"));

test.describe("opening", () => {
  test("a packed field is shown as stored, and unpacked again at the same place", async ({ viewer }) => {
    const [[x, y], value] = [picked.places[0], picked.values[0]];
    await viewer.goto({ source: CLIMATE, at: "time:6", view: `${x},${y},0.1`, panels: "display" });
    await viewer.drawn("2 metre temperature");
    expect((await viewer.reading()).value).toBe(value);
    const stored = Math.round((value - 260) * 20);
    await viewer.page.getByLabel("As stored").check();
    await viewer.waitForParameter("values", "stored");
    await viewer.drawn();
    expect((await viewer.reading()).value).toBe(stored);
    await viewer.page.reload();
    await viewer.drawn();
    expect((await viewer.reading()).value, "the address has it").toBe(stored);
    await viewer.page.getByLabel("As stored").uncheck();
    await viewer.waitForParameter("values", null);
    await viewer.drawn();
    expect((await viewer.reading()).value).toBe(value);
  });

  test("s3 and gs addresses are read over HTTPS", async ({ viewer, url }) => {
    const buckets = [
      ["s3://images/several/first", "https://images.s3.amazonaws.com", 100],
      ["s3://of.a.lab/several/second/", "https://s3.amazonaws.com/of.a.lab", 101],
      ["gs://images/several/second", "https://storage.googleapis.com/images", 101],
    ];
    await viewer.goto({ source: CLIMATE });
    await viewer.drawn();
    for (const [address, host, expected] of buckets) {
      await routeHost(viewer, host, `${url}/fixtures/viewer-plates`);
      await viewer.type(address);
      await viewer.waitForParameter("source", address);
      await viewer.drawn(expected === 100 ? "first" : "second");
      await checkValue(viewer, expected);
      expect(
        viewer.requests.some((request) => request.startsWith(`${host}/several/`)),
        host,
      ).toBeTruthy();
    }
  });

  test("archives and kerchunk's references open by address", async ({ viewer, url }) => {
    await viewer.goto({ source: CLIMATE });
    await viewer.drawn();
    const names = {
      "deflated.zip": "a",
      "image.ozx": "a",
      "v2.zip": "a",
      "netcdf.json": "v",
      "combined.json": "v",
      "hdf5.json": "temperature",
    };
    for (const [name, variable] of Object.entries(names)) {
      const address = `${url}/stores/${name}`;
      await viewer.type(address);
      await viewer.waitForParameter("source", address);
      await viewer.drawn(variable);
      await checkMiddle(viewer, EXPECTED[name][variable]);
    }
  });

  test("a folder opens in the browser's own dialog for folders", async ({ viewer, url }) => {
    // A driver cannot use the native dialog, so it returns a folder of the browser's file system.
    await viewer.page.addInitScript(chooseStoredFolder, {
      root: `${url}/fixtures/viewer-plates/several/second`,
      names: ["zarr.json", "s0/zarr.json", "s0/c/0/0"],
    });
    await viewer.goto({ source: CLIMATE });
    await viewer.drawn();
    await viewer.choose("Open folder…");
    await viewer.waitForParameter("source", "local:second");
    await viewer.drawn("second");
    await checkValue(viewer, VALUES.second);
  });

  test("where a browser has no such dialog, a folder is chosen as files", async ({ viewer }) => {
    await viewer.page.addInitScript(() => {
      delete window.showDirectoryPicker;
    });
    await viewer.goto({ source: CLIMATE });
    await viewer.drawn();
    const chooser = viewer.page.waitForEvent("filechooser");
    await viewer.choose("Open folder…");
    await (await chooser).setFiles(join(SEVERAL, "first"));
    await viewer.waitForParameter("source", "local:first");
    await viewer.drawn("first");
    await checkValue(viewer, VALUES.first);
    // After Back and Forward the folder is still available.
    await viewer.page.goBack();
    await viewer.page.locator('[aria-label="time"]').waitFor();
    await viewer.page.goForward();
    await viewer.drawn("first");
    await checkValue(viewer, VALUES.first);
  });

  test("a file opens in the dialog for files", async ({ viewer }) => {
    await viewer.goto({ source: CLIMATE });
    await viewer.drawn();
    for (const name of ["stored.zip", "image.ozx"]) {
      const chooser = viewer.page.waitForEvent("filechooser");
      await viewer.choose("Open file…");
      await (await chooser).setFiles(join(STORES, name));
      await viewer.waitForParameter("source", `local:${name}`);
      await viewer.drawn("a");
      await checkMiddle(viewer, EXPECTED[name].a);
    }
  });

  test("a dialog that is closed changes nothing", async ({ viewer }) => {
    await viewer.page.addInitScript(() => {
      window.showDirectoryPicker = () => Promise.reject(new DOMException("closed", "AbortError"));
    });
    await viewer.goto({ source: CLIMATE });
    await viewer.drawn();
    await viewer.choose("Open folder…");
    await viewer.page.waitForTimeout(300);
    await expect(viewer.page.locator('[role="alert"]')).toHaveCount(0);
    await viewer.waitForParameter("source", CLIMATE);
  });

  test("a dropped folder opens, and its images are listed", async ({ viewer }) => {
    await viewer.goto({ source: CLIMATE });
    await viewer.drawn();
    await drop(viewer, SEVERAL);
    await viewer.waitForParameter("source", "local:several");
    await viewer.page.click('[data-path="second"].row');
    await viewer.waitForParameter("path", "second");
    await viewer.drawn();
    await checkValue(viewer, VALUES.second);
  });

  test("dropped archives open", async ({ viewer }) => {
    await viewer.goto({ source: CLIMATE });
    await viewer.drawn();
    for (const name of ["zip-store.zip", "image.ozx"]) {
      await drop(viewer, join(STORES, name));
      await viewer.waitForParameter("source", `local:${name}`);
      await viewer.drawn("a");
      await checkMiddle(viewer, EXPECTED[name].a);
    }
  });

  test("a dropped file that is no data set is told of, and the picture before stays", async ({ viewer }) => {
    await viewer.goto({ source: CLIMATE });
    await viewer.drawn();
    await drop(viewer, join(STORES, "make.py"));
    await viewer.page.locator('[role="alert"]').waitFor();
    await viewer.waitForParameter("source", CLIMATE);
    await expect(viewer.page.locator('[aria-label="time"]')).toBeVisible();
  });

  test("the page's head names what its first script loads, and nothing is loaded twice", async ({
    viewer,
  }) => {
    await viewer.goto();
    await viewer.drawn();
    // As served, because webpack removes the tags of scripts that have run.
    const html = await (await viewer.page.request.get(viewer.viewer)).text();
    const named = [
      ...html.matchAll(/<script async src=(\S+)|<link rel=preload as=fetch .*?href=([^ >]+)/g),
    ].map(([, script, file]) => new URL(script ?? file, viewer.viewer).href);
    expect(named.map((url) => url.split(".").at(-1)).sort()).toEqual(["js", "js", "wasm"]);
    // A request that a hint has answered has no entry of its own.
    const loaded = await viewer.page.evaluate(() =>
      performance.getEntriesByType("resource").map(({ name }) => name),
    );
    const files = loaded.filter((url) => /\.(js|wasm|json)$/.test(url));
    expect(files).toEqual([...new Set(files)]);
    expect(files).toEqual(expect.arrayContaining(named));
  });

  test("each sample of the menu is drawn, after few requests, of which none fails", async ({ viewer }) => {
    await viewer.goto({ source: `${CLIMATE}/nothing` });
    await viewer.page.locator('[role="alert"]').waitFor();
    for (const [name, folder] of Object.entries(SAMPLES)) {
      [viewer.requests.length, viewer.complaints.length] = [0, 0];
      await viewer.choose(name);
      await viewer.waitForParameter("source", `./samples/${folder}`);
      await viewer.drawn();
      const asked = viewer.requests.filter((request) => request.includes(`/samples/${folder}/`));
      const first = asked.findIndex((request) => request.includes("/c/"));
      expect(
        first > 0 && first <= MAX_REQUESTS,
        `${name}: ${first} requests before the first chunk`,
      ).toBeTruthy();
      // On a busy machine v3's answer may be so late that v2's documents are requested too.
      const isProbe = (complaint) => /\/\.z(array|group|attrs)$|Failed to load resource/.test(complaint);
      expect(
        viewer.complaints.filter((complaint) => !isProbe(complaint)),
        name,
      ).toEqual([]);
    }
  });

  test("recent addresses are in the menu, open again, and can be forgotten", async ({ viewer, url }) => {
    const address = `${url}/stores/deflated.zip`;
    await viewer.goto({ source: CLIMATE });
    await viewer.drawn();
    await viewer.type(address);
    await viewer.waitForParameter("source", address); // the title before has an "a", too
    await viewer.drawn("a");
    await viewer.choose("Tissue");
    await viewer.waitForParameter("source", "./samples/tissue.ome.zarr");
    await viewer.page.reload();
    await viewer.drawn();
    await viewer.choose(address);
    await viewer.drawn("a");
    await checkMiddle(viewer, EXPECTED["deflated.zip"].a);
    await viewer.choose("Clear list");
    await viewer.page.click("#open-switch");
    await viewer.page.click("#open-switch");
    await expect(viewer.page.locator('#open-menu [aria-label="Recent"]')).toHaveCount(0);
  });

  test("addresses with a user, a query or a fragment are not kept, and kept ones are dropped", async ({
    viewer,
    url,
  }) => {
    const { page } = viewer;
    const host = new URL(url).host;
    const archive = `${url}/stores/deflated.zip`;
    const old = [
      `http://u:p@${host}/a.zip`,
      `${archive}?X-Amz-Signature=s`,
      "u:p@data.example/a",
      `${archive}#s`,
    ];
    await page.addInitScript(
      (list) => {
        if (!sessionStorage.begun) localStorage.setItem("zarr-viewer.recent", JSON.stringify(list));
        sessionStorage.begun = "yes";
      },
      [...old, archive],
    );
    await viewer.goto({ source: CLIMATE });
    await viewer.drawn();
    const kept = () => page.evaluate(() => JSON.parse(localStorage.getItem("zarr-viewer.recent")));
    expect(await kept()).toEqual([archive]);
    await viewer.type(`${archive}?signature=secret`);
    await viewer.waitForParameter("source", `${archive}?signature=secret`);
    await viewer.drawn("a");
    expect(await kept()).toEqual([archive]);
    await viewer.choose("Tissue");
    await viewer.waitForParameter("source", "./samples/tissue.ome.zarr");
    expect(await kept()).toEqual(["./samples/tissue.ome.zarr", archive]);
  });

  test("a dropped document of references asks before it sends requests to other servers", async ({
    viewer,
    url,
  }) => {
    const { page } = viewer;
    const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-references-"));
    const path = join(folder, "far.json");
    const other = url.replace("127.0.0.1", "localhost");
    writeFileSync(path, JSON.stringify(referencesTo(`${other}/reach/data`)));
    const toOther = () => viewer.requests.filter((request) => request.startsWith(other));
    try {
      await viewer.goto({ source: CLIMATE });
      await viewer.drawn();
      await drop(viewer, path);
      const question = page.locator("dialog[open]");
      await question.waitFor();
      expect(await question.textContent()).toMatch(
        new RegExp(`“far.json” .* ${new URL(other).host}\\. If you allow`),
      );
      // Enter on the button in focus means no.
      await page.keyboard.press("Enter");
      await viewer.says('[role="alert"]', new URL(other).host);
      await viewer.waitForParameter("source", CLIMATE);
      expect(toOther()).toEqual([]);
      await drop(viewer, path);
      await question.waitFor();
      await page.keyboard.press("Escape");
      await question.waitFor({ state: "detached" });
      expect(toOther()).toEqual([]);
      await drop(viewer, path);
      await question.waitFor();
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await viewer.waitForParameter("source", "local:far.json");
      await viewer.drawn();
      expect((await viewer.reading()).value).toBe("5".charCodeAt(0));
      expect(toOther().length).toBeGreaterThan(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("a document of references on the page's own server asks, too, and fits a phone", async ({
    viewer,
    url,
  }) => {
    const { page } = viewer;
    const other = url.replace("127.0.0.1", "localhost");
    const templates = { u: `${other}/reach` };
    const document = { version: 1, templates, refs: referencesTo("{{u}}/data") };
    await page.route(`${url}/far.json`, (route) => route.fulfill({ json: document }));
    await page.setViewportSize({ width: 390, height: 844 });
    await viewer.goto({ source: `${url}/far.json` });
    const question = page.locator("dialog[open]");
    await question.waitFor();
    const { x, width } = await question.boundingBox();
    expect(x >= 0 && x + width <= 390, `${x} ${width}`).toBeTruthy();
    expect(viewer.requests.filter((request) => request.startsWith(other))).toEqual([]);
    await question.getByRole("button", { name: "Allow" }).click();
    await viewer.drawn();
    expect(viewer.requests.some((request) => request.startsWith(`${other}/reach/data`))).toBeTruthy();
  });

  test("a repository of Icechunk on the page's own server reaches no other server", async ({
    viewer,
    url,
  }) => {
    for (const version of ["", "#branch=main"]) {
      await viewer.goto({ source: `${url}/icechunk/virtual${version}`, path: "http" });
      const message = viewer.page.locator('[role="alert"]').first();
      await message.waitFor();
      expect(await message.textContent()).toMatch(/127\.0\.0\.1:28917/);
    }
    expect(viewer.requests.filter((request) => new URL(request).port === "28917")).toEqual([]);
  });

  test("Back returns to the data set and its state, after a failed one, too", async ({ viewer }) => {
    await viewer.goto({ source: CLIMATE });
    await viewer.drawn();
    await viewer.page.locator('[aria-label="Index of time"]').fill("5");
    await viewer.page.keyboard.press("Tab");
    await viewer.waitForParameter("at", "time:5");
    await viewer.type("./samples/nothing-here.zarr");
    await viewer.page.locator('[role="alert"]').waitFor();
    await viewer.waitForParameter("source", CLIMATE);
    await viewer.choose("Cells");
    await viewer.waitForParameter("source", "./samples/cells.ome.zarr");
    await viewer.page.goBack();
    await viewer.page.locator('[aria-label="Index of time"]').waitFor();
    expect(await viewer.page.locator('[aria-label="Index of time"]').inputValue()).toBe("5");
    await viewer.waitForParameter("source", CLIMATE);
    await expect(viewer.page.locator('[role="alert"]')).toHaveCount(0);
  });

  test("a text that is no address asks for nothing", async ({ viewer }) => {
    await viewer.goto({ source: CLIMATE });
    await viewer.drawn();
    viewer.requests.length = 0;
    await viewer.type("my cells");
    await viewer.says('[role="alert"]', "not an address");
    expect(viewer.requests.filter((request) => !request.startsWith("blob:"))).toEqual([]);
    await viewer.waitForParameter("source", CLIMATE);
  });

  test("where a web server lists folders, images are browsed without consolidated metadata", async ({
    viewer,
  }) => {
    const host = await startPython({ data: PLATES });
    try {
      viewer.viewer = `${host.url}/viewer/`;
      await viewer.goto({ source: "../data/several" });
      await viewer.page.click('[data-path="second"].row');
      await viewer.waitForParameter("path", "second");
      await viewer.drawn();
      await checkValue(viewer, VALUES.second);
    } finally {
      host.close();
    }
  });

  test("a server that ignores ranges sends each shard once, and the page says so", async ({ viewer }) => {
    const host = await startPython({});
    try {
      viewer.viewer = `${host.url}/viewer/`;
      await viewer.goto({ source: CLIMATE });
      await viewer.drawn();
      await viewer.says("#messages", "does not send parts of files");
      for (const step of ["3", "9", "14"]) {
        await viewer.page.locator('[aria-label="Index of time"]').fill(step);
        await viewer.page.keyboard.press("Tab");
        await viewer.waitForParameter("at", `time:${step}`);
        await viewer.drawn();
      }
      const shards = viewer.requests.filter((request) => request.includes("/air_temperature/c/"));
      expect(shards).toEqual([`${viewer.viewer}samples/climate.zarr/air_temperature/c/0/0/0`]);
    } finally {
      host.close();
    }
  });
});

/** References to an array of 3 × 3 bytes at an address. */
const referencesTo = (address) => ({
  ".zarray": JSON.stringify({
    zarr_format: 2,
    shape: [3, 3],
    chunks: [3, 3],
    dtype: "|u1",
    compressor: null,
    filters: null,
    fill_value: null,
    order: "C",
  }),
  "0.0": [address, 1, 9],
});

/** Drops a folder or file on the picture. */
async function drop(viewer, path) {
  const session = await viewer.page.context().newCDPSession(viewer.page);
  const { x, y, width, height } = await viewer.page.locator("#main-view").boundingBox();
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  const send = (type) =>
    session.send("Input.dispatchDragEvent", { type, x: x + width / 2, y: y + height / 2, data });
  await send("dragEnter");
  await send("dragOver");
  // The page must accept the dragged items.
  await viewer.page.locator("body.dropping").waitFor();
  await viewer.page.waitForTimeout(100);
  await send("drop");
  await session.detach();
}

/** Runs in the page: makes the dialog return a folder of the browser's file system. */
function chooseStoredFolder({ root, names }) {
  window.showDirectoryPicker = async () => {
    const top = await navigator.storage.getDirectory();
    const folder = await top.getDirectoryHandle(root.split("/").at(-1), { create: true });
    for (const name of names) {
      const parts = name.split("/");
      let at = folder;
      for (const part of parts.slice(0, -1)) at = await at.getDirectoryHandle(part, { create: true });
      const file = await at.getFileHandle(parts.at(-1), { create: true });
      const writer = await file.createWritable();
      await writer.write(await (await fetch(`${root}/${name}`)).blob());
      await writer.close();
    }
    return folder;
  };
}
