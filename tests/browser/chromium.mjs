/**
 * The Chromium of the machine, headless: `scripts/setup.mjs` finds it, and nothing is downloaded.
 * For the browser lane, the benchmarks, and other lanes that need a page.
 */
import { chromium } from "@playwright/test";

export const ARGS = [
  "--no-sandbox", // root cannot use the sandbox, and all pages are ours
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const EXECUTABLE = process.env.CHROMIUM ?? "/usr/bin/chromium";

export const launchChromium = (executablePath = EXECUTABLE) =>
  chromium.launch({ executablePath, args: ARGS });
