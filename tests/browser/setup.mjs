/**
 * Runs once before Playwright collects the tests: bundles the pages, and asks each for the names of
 * its tests, because only a browser can load the modules that register them.
 */
import { existsSync, writeFileSync } from "node:fs";
import { bundle, bundledPages } from "./bundles.mjs";
import { launchChromium } from "./chromium.mjs";
import { NAMES } from "./places.mjs";
import { serveTests } from "./server.mjs";

async function testsOf(page, url) {
  await page.goto(url);
  await page.waitForFunction(() => window.pageTests);
  const tests = await page.evaluate(() => window.pageTests.tests);
  if (tests.length === 0) throw new Error(`${url} has no tests`);
  return tests;
}

async function writeNames() {
  const [server, browser] = [await serveTests(), await launchChromium()];
  try {
    const page = await browser.newPage();
    const pages = [];
    for (const path of bundledPages()) pages.push({ path, tests: await testsOf(page, server.url + path) });
    writeFileSync(NAMES, JSON.stringify(pages));
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Bundling removes the names. */
export default async function setUp() {
  await bundle();
  if (!existsSync(NAMES)) await writeNames();
}
