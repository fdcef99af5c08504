/**
 * Runs the suite in Chromium, in a page that the server itself serves, so that requests are of the
 * same origin. The browser accepts the certificate of the tests.
 */
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "../../scripts/run_command.mjs";
import { launchChromium } from "../browser/chromium.mjs";

const PAGE = "page.html";

let browser;
let script;

async function bundled() {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "page.mjs")],
    bundle: true,
    format: "iife",
    write: false,
    logLevel: "error",
    absWorkingDir: ROOT,
  });
  return outputFiles[0].text.replaceAll("</script", "<\\/script");
}

/** `server` is `{url, put, host, expected}`. `report(name, error)` hears of each check. */
export async function runInBrowser({ url, put, host, expected }, report) {
  browser ??= await launchChromium();
  script ??= await bundled();
  const html = `<!doctype html><meta charset="utf-8"><title>servers</title><script>${script}</script>`;
  await put(PAGE, new TextEncoder().encode(html));
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  try {
    const page = await context.newPage();
    await page.exposeFunction("reportCheck", report);
    await page.exposeFunction("putFile", (key, bytes) => put(key, Uint8Array.from(bytes)));
    await page.goto(`${url}/${PAGE}`);
    const { lists, hides, ranges, refuses } = host;
    const facts = { lists, hides, ranges, refuses };
    const protocol = await page.evaluate((kit) => window.runSuite(kit), { url, host: facts, expected });
    if (host.secure) report("requests use HTTP/2", protocol === "h2" ? undefined : `they use ${protocol}`);
  } finally {
    await context.close();
  }
}

export const closeBrowser = () => browser?.close();
