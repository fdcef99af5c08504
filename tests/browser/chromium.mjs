/** Headless Chromium, started the same way by the browser lane and by the benchmark. */
import { chromium } from "playwright-core";

const ARGS = [
  "--no-sandbox", // there is none for root, and the pages are ours
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const launchChromium = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ARGS });
