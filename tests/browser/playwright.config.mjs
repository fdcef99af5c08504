/**
 * How Playwright runs the lanes `browser` and `viewer`. Each has a project of tests that run inside
 * their page, and one of tests that control it from outside. A failed test leaves a screenshot in
 * `target/browser-failures`, and a trace if it was repeated.
 */
import { join } from "node:path";
import { defineConfig } from "@playwright/test";
import { ARGS, EXECUTABLE } from "./chromium.mjs";
import { OPENS_VIEWER, ROOT } from "./places.mjs";

/** The longest test reads a film of its own making. Most take a second. */
const TEST_MS = 240_000;
/** Longer than a busy machine takes for one step of a test. */
const PATIENCE_MS = 40_000;
/** The same for a page with megabytes of scripts. */
const LOADING_MS = 120_000;

const IN_PAGE = "in_page.spec.mjs";
/** What drives the viewer depends on the speed of a machine that other programs share. */
const RETRIES = 1;

export default defineConfig({
  testDir: import.meta.dirname,
  outputDir: join(ROOT, "target/browser-failures"),
  globalSetup: join(import.meta.dirname, "setup.mjs"),
  // Built code, which Playwright need not transpile.
  build: { external: ["**/dist/**", "**/target/**"] },
  forbidOnly: Boolean(process.env.CI),
  fullyParallel: true,
  workers: 2,
  timeout: TEST_MS,
  expect: { timeout: PATIENCE_MS, toPass: { timeout: PATIENCE_MS } },
  reporter: [["list"], ["json", { outputFile: join(ROOT, "target/browser-report.json") }]],
  use: {
    browserName: "chromium",
    launchOptions: { executablePath: EXECUTABLE, args: ARGS },
    actionTimeout: PATIENCE_MS,
    navigationTimeout: LOADING_MS,
    screenshot: "only-on-failure",
    // A trace of each first attempt would take an eighth of the time. `--trace on` makes one.
    trace: { mode: "on-first-retry", screenshots: false },
  },
  projects: [
    { name: "in page", testMatch: IN_PAGE, grepInvert: new RegExp(OPENS_VIEWER) },
    { name: "package", testDir: join(import.meta.dirname, "package") },
    { name: "viewer in page", testMatch: IN_PAGE, grep: new RegExp(OPENS_VIEWER), retries: RETRIES },
    {
      name: "viewer",
      testDir: join(import.meta.dirname, "viewer"),
      retries: RETRIES,
      use: { viewport: { width: 1440, height: 900 } },
    },
  ],
});
