/**
 * The package in pages of other kinds than the test pages: one that is opened from a file, one that
 * Vite built, and one that loses its network.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, test } from "../fixtures.mjs";
import { OUTPUT, ROOT } from "../places.mjs";

const toldBy = (page) => page.evaluate(() => window.told);

test("a page of the file system reads", async ({ page }) => {
  // The inline entry is one classic script, because browsers load no modules from files.
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, "tests/browser/frames/file.mjs")],
    bundle: true,
    format: "iife",
    write: false,
    logLevel: "error",
  });
  const path = join(OUTPUT, "file.html");
  const script = outputFiles[0].text.replaceAll("</script", "<\\/script");
  writeFileSync(path, `<!doctype html><meta charset="utf-8"><title>file</title><script>${script}</script>`);
  await page.goto(pathToFileURL(path).href);
  const { value, engine } = await toldBy(page);
  expect(value).toBe(2);
  expect(["blob", "caller"]).toContain(engine);
});

test("a page that Vite built reads, with the engine in a worker", async ({ page, url }) => {
  await page.goto(`${url}/vite/vite.html`);
  expect(await toldBy(page)).toMatchObject({ value: 2, engine: "blob" });
});

/** An array of 5 × 7 elements. It is read without caches. */
const ARRAY = "/fixtures/zarrita-0.7/create-v3/store/uint32";

for (const engine of ["worker", "caller"])
  test(`offline, with the engine in the ${engine}: an error that says so, and no harm`, async ({
    page,
    url,
  }) => {
    await page.goto(`${url}/frame?script=/frames/offline.mjs`);
    await page.evaluate(([place, address]) => window.begin(place, address), [engine, `${url}${ARRAY}`]);
    const read = () => page.evaluate(() => window.read());
    await page.context().setOffline(true);
    expect(await read()).toMatchObject({ code: "Store", cause: "TypeError" });
    await page.context().setOffline(false);
    expect(await read()).toEqual({ length: 35 });
  });
