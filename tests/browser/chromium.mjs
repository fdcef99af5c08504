/** Starts headless Chromium for the browser lane and for the benchmarks. */
import { chromium } from "playwright-core";

const ARGS = [
  "--no-sandbox", // root cannot use the sandbox, and all pages are ours
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const launchChromium = (executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium") =>
  chromium.launch({ executablePath, args: ARGS });
