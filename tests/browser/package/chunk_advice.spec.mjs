/**
 * What the error for a chunk that cannot be loaded says, in the places that forbid to load one: a
 * service worker, and a page that is opened from a file.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "../fixtures.mjs";
import { OUTPUT, ROOT } from "../places.mjs";

/** Runs in the page: starts a service worker, and resolves to its answer to a message. */
async function askServiceWorker(script) {
  const options = { type: "module", scope: `/frames/${script}/` };
  const registration = await navigator.serviceWorker.register(`/frames/${script}`, options);
  const channel = new MessageChannel();
  const answer = new Promise((resolve) => {
    channel.port1.onmessage = ({ data }) => resolve(data);
  });
  (registration.installing ?? registration.active).postMessage("read", [channel.port2]);
  const told = await answer;
  await registration.unregister();
  return told;
}

async function toldByServiceWorker(page, url, script) {
  await page.goto(`${url}/frame?script=/frames/made.mjs`);
  return page.evaluate(askServiceWorker, script);
}

/** The page's program: the module `made.mjs` as a classic script. */
const MADE = () => readFileSync(join(ROOT, "tests/browser/frames/made.mjs"), "utf8").replace("export ", "");

/** Opens a page from a file, with the script of the package beside it. */
async function toldByFile(page) {
  const path = join(OUTPUT, "file_script.html");
  const script = pathToFileURL(join(ROOT, "dist/script.js")).href;
  const program = `${MADE()}\nwindow.told = made(zarr).catch(({ code, message }) => ({ code, message }));`;
  writeFileSync(path, `<!doctype html><script src="${script}"></script><script>${program}</script>`);
  await page.goto(pathToFileURL(path).href);
  return page.evaluate(() => window.told);
}

test.describe("chunks", () => {
  test("in a service worker the error names the inline entry", async ({ page, url }) => {
    const { code, message } = await toldByServiceWorker(page, url, "service_worker.mjs");
    expect(code).toBe("Store");
    expect(message).toMatch(/service workers cannot import.*import zarr-wasm\/inline in place of this/);
    expect(message).not.toMatch(/reload/);
  });

  test("in a service worker the inline entry reads", async ({ page, url }) => {
    const { value } = await toldByServiceWorker(page, url, "service_worker_inline.mjs");
    expect(value).toBe(2);
  });

  test("on a page of a file the error of the script says that browsers forbid it", async ({ page }) => {
    const { code, message } = await toldByFile(page);
    expect(code).toBe("Store");
    expect(message).toMatch(/browsers forbid it on file:.*serve the folder/);
    expect(message).not.toMatch(/reload/);
  });
});
