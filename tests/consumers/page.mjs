/**
 * Opens pages in Chromium. A page sets `window.told` to a promise of its result. Errors and
 * warnings in the console are failures.
 */
import { launchChromium } from "../browser/chromium.mjs";
import { expectRead } from "./reading.mjs";

const PATIENCE_MS = 30_000;

/** What a browser says of its graphics, and Lit in development: neither is about the package. */
const ELSEWHERE = /GL Driver Message|Lit is in dev mode/;
/** Documents of Zarr v2, which `open` asks for where that of v3 takes long. They are absent. */
const OF_V2 = /\/\.z(array|attrs|group)$/;

let browser;

export async function closeBrowser() {
  await browser?.close();
}

/** The head of every page: without an icon of its own, a browser asks the server for one. */
export const HEAD = `<!doctype html><meta charset="utf-8"><title>zarr-wasm</title><link rel="icon" href="data:,">`;

/** Runs in the page. Resolves to a text if there is no result in time. */
function resultOf(patience) {
  const late = new Promise((resolve) => setTimeout(resolve, patience, "no result"));
  return Promise.race([window.told, late]).catch((error) => String(error.stack));
}

/**
 * Resolves to the result of a page. A server of a bundler may reload the page when it has found a
 * package.
 */
async function resultFrom(page, reloads = 2) {
  try {
    await page.waitForFunction(() => window.told !== undefined, undefined, { timeout: PATIENCE_MS });
    return await page.evaluate(resultOf, PATIENCE_MS);
  } catch (error) {
    if (reloads === 0 || !/context was destroyed/.test(error.message)) throw error;
    return resultFrom(page, reloads - 1);
  }
}

/** Opens a page for `use`. What its console complains of is a failure. */
export async function inPage(url, use) {
  browser ??= await launchChromium();
  const page = await browser.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error.stack)));
  page.on("console", (message) => {
    const isElsewhere = ELSEWHERE.test(message.text()) || OF_V2.test(message.location().url);
    if (["error", "warning"].includes(message.type()) && !isElsewhere) complaints.push(message.text());
  });
  try {
    await page.goto(url);
    const told = await use(page);
    if (complaints.length > 0) throw new Error(`the console complains\n${JSON.stringify(told)}`);
    return told;
  } catch (error) {
    throw new Error(`${error.message}\n${complaints.join("\n")}`);
  } finally {
    await page.close();
  }
}

/** Opens a page, and checks its result and its console. */
export async function expectPage(url, places) {
  expectRead(await inPage(url, resultFrom), places);
}

/** In a page, the engine and the decoders run in workers that are made from blobs. */
export const IN_BLOBS = { engine: "blob", decoder: "blob" };
/** In a worker of the user, the engine runs on the caller's thread. */
export const IN_A_WORKER = { engine: "caller", decoder: "blob" };
