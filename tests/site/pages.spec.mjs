/**
 * The pages of the site: they work in a subfolder, under a strict policy, offline, without
 * JavaScript, on phones and in the dark; search and menus lead to pages; axe-core finds nothing.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { descriptionOf } from "../../site/descriptions.mjs";
import { ROOT } from "../browser/places.mjs";
import { accessibilityFindings } from "../browser/viewer/axe.mjs";
import { PAGES, readPage } from "../support/docs/snippets.mjs";
import { expect, test } from "./fixtures.mjs";

const SITE = join(ROOT, "dist-site");

/** One of each kind. */
const KINDS = [
  "",
  "guide.html",
  "tutorial/3-map-with-a-slider.html",
  "recipes/",
  "concepts/chunks-and-shards.html",
  "gallery.html",
  "readers.html",
  "reference/",
  "changelog.html",
];

for (const path of KINDS)
  test(`axe-core finds nothing on /${path}, and nothing goes wrong`, async ({ page, site, faults }) => {
    await page.goto(site + path);
    await expect(page.locator("h1").first()).toBeVisible();
    for (const theme of ["light", "dark"]) {
      await page.evaluate((name) => localStorage.setItem("vitepress-theme-appearance", name), theme);
      await page.reload();
      await expect(page.locator("h1").first()).toBeVisible();
      expect(await accessibilityFindings(page), theme).toEqual([]);
    }
    expect(faults).toEqual([]);
  });

for (const path of KINDS)
  test(`/${path} fits a phone`, async ({ page, site }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(site + path);
    await expect(page.locator("h1").first()).toBeVisible();
    const { inner, scroll } = await page.evaluate(() => ({
      inner: innerWidth,
      scroll: document.documentElement.scrollWidth,
    }));
    expect(scroll).toBeLessThanOrEqual(inner);
  });

test("pages are complete without JavaScript", async ({ browser, site }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  for (const path of ["", "guide.html", "reference/", "tutorial/1-open.html"]) {
    await page.goto(site + path);
    await expect(page.locator("h1").first()).toBeVisible();
    const links = page.locator("main a[href], .home a[href]");
    expect(await links.count(), path).toBeGreaterThan(3);
  }
  await page.goto(`${site}guide.html`);
  await expect(page.locator("main")).toContainText('root.attrs.Conventions; // "CF-1.10"');
  await page.locator(".VPSidebar a", { hasText: "Stores" }).first().click();
  await expect(page.locator("h1")).toContainText("Stores");
  await context.close();
});

test("the search finds a page, and leads to it", async ({ page, site, faults }) => {
  await page.goto(`${site}guide.html`);
  await page.getByRole("button", { name: "Search" }).first().click();
  await page.getByRole("searchbox").fill("missingOn403");
  const first = page.locator(".VPLocalSearchBox .result").first();
  await expect(first).toBeVisible();
  await first.click();
  await expect(page).toHaveURL(/\/some\/folder\/.+\.html/);
  await expect(page.locator("main")).toContainText("missingOn403");
  expect(faults).toEqual([]);
});

test("menus lead to pages, the viewer and back, and dark stays dark", async ({ page, site, faults }) => {
  await page.goto(site);
  await page.getByRole("switch").first().click();
  await expect(page.locator("html")).toHaveClass(/dark/);
  await page.getByRole("navigation").getByRole("link", { name: "Guide" }).click();
  await expect(page).toHaveURL(`${site}guide.html`);
  await page.reload();
  await expect(page.locator("html")).toHaveClass(/dark/);
  await page.getByRole("link", { name: "Viewer" }).first().click();
  await expect(page).toHaveURL(/\/view\//);
  await page.locator("canvas").first().waitFor();
  expect(faults.filter((fault) => !fault.includes("worker"))).toEqual([]);
});

test("on a phone the menu opens", async ({ page, site }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${site}guide.html`);
  await page.getByRole("button", { name: "Menu" }).first().click();
  await page.locator(".VPSidebar a", { hasText: "Stores" }).first().click();
  await expect(page).toHaveURL(`${site}stores.html`);
});

/** Examples that show something by themselves. The others wait for a file or a long time. */
const EXAMPLES = readdirSync(join(ROOT, "www/examples")).filter(
  (name) => name.endsWith(".html") && !["index.html", "folder.html"].includes(name),
);

for (const name of EXAMPLES)
  test(`the example ${name} works under the policy, and shows its own code`, async ({
    page,
    site,
    faults,
  }) => {
    await page.goto(`${site}examples/${name}`);
    await page.locator("main canvas, main table, main zarr-view, main svg, main img").first().waitFor();
    await expect(page.locator("main pre").first()).toContainText('<script type="module">');
    // The policy refuses workers from blobs. The engine then runs on the page's thread.
    expect(faults.filter((fault) => !fault.includes("blob:"))).toEqual([]);
  });

test("every page has a description of its own", () => {
  const pages = PAGES.filter((page) => page.startsWith("docs/"));
  const texts = pages.map((page) => descriptionOf(readPage(page)));
  expect(pages.filter((_, at) => !texts[at])).toEqual([]);
  expect(new Set(texts).size).toBe(texts.length);
});

test("machines find the manual, and each page as Markdown", () => {
  const list = readFileSync(join(SITE, "llms.txt"), "utf8");
  const named = [...list.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, path]) => path);
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((path) => !existsSync(join(SITE, path)))).toEqual([]);
  const manual = readFileSync(join(SITE, "llms-full.txt"), "utf8");
  expect(manual).toContain("missingOn403");
  expect(manual).toContain("# Guide");
  expect(manual).not.toContain("<!-- snippet");
});

/** The most that a first page may weigh before its picture, in bytes as hosts compress them. */
const FIRST_PAGE_BYTES = 150_000;

test("the first page is light", async ({ page, site }) => {
  const files = new Set();
  page.on("response", (response) => files.add(response.url()));
  await page.goto(site, { waitUntil: "networkidle" });
  const weights = [...files]
    .filter((url) => url.startsWith(site) && !/\.(jpg|svg)$/.test(url))
    .map((url) => {
      const path = url.slice(site.length).split(/[?#]/)[0];
      return [path, gzipSync(readFileSync(join(SITE, path || "index.html"))).length];
    });
  const total = weights.reduce((sum, [, bytes]) => sum + bytes, 0);
  expect(total, JSON.stringify(weights)).toBeLessThanOrEqual(FIRST_PAGE_BYTES);
});

test("nothing of the site is a surprise: no source map, no font, no file above 12 MB", () => {
  const files = readdirSync(SITE, { recursive: true }).map(String);
  expect(files.filter((name) => /\.(map|woff2?)$/.test(name) && !name.startsWith("rust/"))).toEqual([]);
  expect(files.filter((name) => statSync(join(SITE, name)).size > 12_000_000)).toEqual([]);
});
