/** How Playwright runs the lane `site`: tests of `dist-site/` in Chromium, from outside the page. */
import { join } from "node:path";
import { defineConfig } from "@playwright/test";
import { ARGS, EXECUTABLE } from "../browser/chromium.mjs";
import { ROOT } from "../browser/places.mjs";

/** Longer than a busy machine takes for one step of a test. */
const PATIENCE_MS = 40_000;

export default defineConfig({
  testDir: import.meta.dirname,
  outputDir: join(ROOT, "target/site-failures"),
  build: { external: ["**/dist/**", "**/target/**", "**/site/**"] },
  forbidOnly: Boolean(process.env.CI),
  fullyParallel: true,
  workers: 2,
  retries: 1,
  timeout: 240_000,
  expect: { timeout: PATIENCE_MS, toPass: { timeout: PATIENCE_MS } },
  reporter: [["list"], ["json", { outputFile: join(ROOT, "target/site-report.json") }]],
  use: {
    browserName: "chromium",
    launchOptions: { executablePath: EXECUTABLE, args: ARGS },
    viewport: { width: 1440, height: 900 },
    actionTimeout: PATIENCE_MS,
    navigationTimeout: PATIENCE_MS,
    screenshot: "only-on-failure",
    trace: { mode: "on-first-retry", screenshots: false },
  },
});
