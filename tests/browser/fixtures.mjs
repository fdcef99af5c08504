/**
 * The fixtures of the browser tests: a server for each worker, the viewer's page, and the pages
 * whose tests run inside of them.
 */
import { test as base, expect } from "@playwright/test";
import { serveTests } from "./server.mjs";
import { ViewerPage } from "./viewer/viewer_page.mjs";
import { keepDrawings } from "./viewer_frame.mjs";

export { expect };

/** The size of the pages of adapters, whose tests look at the picture. */
const VIEWPORT = { width: 1000, height: 700 };

/**
 * A page whose tests run inside of it. A worker has one at a time, and keeps it for the tests of
 * the same path, so that they share the package's module and its caches.
 */
class TestPage {
  #browser;
  #root;
  #path;
  #page;
  /** What the page throws outside of its tests. */
  errors = [];

  constructor(browser, root) {
    this.#browser = browser;
    this.#root = root;
  }

  /** Shows the page of a path. */
  async at(path) {
    if (this.#path === path) return this.#page;
    await this.close();
    const page = await this.#browser.newPage({ viewport: VIEWPORT });
    page.on("pageerror", (error) => this.errors.push(String(error.stack)));
    await page.exposeFunction("screenshot", async () => (await page.screenshot()).toString("base64"));
    await page.goto(`${this.#root}${path}`);
    await page.waitForFunction(() => window.pageTests);
    [this.#page, this.#path] = [page, path];
    return page;
  }

  async close() {
    this.#path = undefined;
    await this.#page?.context().close();
  }
}

export const test = base.extend({
  /** The address of the test server. Each worker has a server: answers that record are its own. */
  url: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures here
    async ({}, use) => {
      const server = await serveTests();
      await use(server.url);
      await server.close();
    },
    { scope: "worker" },
  ],

  /** The viewer's page, under the driver. */
  viewer: async ({ page, url }, use) => {
    await page.addInitScript(keepDrawings);
    await use(new ViewerPage(page, `${url}/viewer/`));
  },

  testPage: [
    async ({ browser, url }, use) => {
      const page = new TestPage(browser, url);
      await use(page);
      await page.close();
    },
    { scope: "worker" },
  ],

  /** Runs a test inside the page of a path. Rejects with its error, or with one of the page. */
  runInPage: async ({ testPage }, use) => {
    testPage.errors.length = 0;
    await use(async (path, name) => {
      const page = await testPage.at(path);
      await page.evaluate((own) => window.pageTests.run(own), name);
    });
    expect(testPage.errors, "the page throws nothing outside its tests").toEqual([]);
  },
});
