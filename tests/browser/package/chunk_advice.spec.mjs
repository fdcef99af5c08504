/**
 * What the error for a chunk that cannot be loaded says, in the places that forbid to load one: a
 * service worker, and a page that is opened from a file.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { OUTPUT, ROOT } from "./served.mjs";

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

async function toldByServiceWorker({ browser, url }, script) {
  const page = await browser.newPage();
  try {
    await page.goto(`${url}/frame?script=/frames/made.mjs`);
    return await page.evaluate(askServiceWorker, script);
  } finally {
    await page.close();
  }
}

/** The page's program: the module `made.mjs` as a classic script. */
const MADE = () => readFileSync(join(ROOT, "tests/browser/frames/made.mjs"), "utf8").replace("export ", "");

/** Opens a page from a file, with the script of the package beside it. */
async function toldByFile({ browser }) {
  const path = join(OUTPUT, "file_script.html");
  const script = pathToFileURL(join(ROOT, "dist/script.js")).href;
  const program = `${MADE()}\nwindow.told = made(zarr).catch(({ code, message }) => ({ code, message }));`;
  writeFileSync(path, `<!doctype html><script src="${script}"></script><script>${program}</script>`);
  const page = await browser.newPage();
  try {
    await page.goto(pathToFileURL(path).href);
    return await page.evaluate(() => window.told);
  } finally {
    await page.close();
  }
}

const TESTS = {
  async "in a service worker the error names the inline entry"(session) {
    const { code, message } = await toldByServiceWorker(session, "service_worker.mjs");
    assert.equal(code, "Store");
    assert.match(message, /service workers cannot import.*import zarr-wasm\/inline in place of this/);
    assert.doesNotMatch(message, /reload/);
  },

  async "in a service worker the inline entry reads"(session) {
    const { value } = await toldByServiceWorker(session, "service_worker_inline.mjs");
    assert.equal(value, 2);
  },

  async "on a page of a file the error of the script says that browsers forbid it"(session) {
    const { code, message } = await toldByFile(session);
    assert.equal(code, "Store");
    assert.match(message, /browsers forbid it on file:.*serve the folder/);
    assert.doesNotMatch(message, /reload/);
  },
};

/** Runs the tests with matching names. */
export async function runChunkAdvice(session) {
  for (const [title, body] of Object.entries(TESTS)) {
    const name = `chunks: ${title}`;
    if (!session.pattern.test(name)) continue;
    const error = await body(session).then(
      () => undefined,
      (failure) => String(failure.stack),
    );
    session.report({ name, error });
  }
}
