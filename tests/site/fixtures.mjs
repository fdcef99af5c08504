/** The fixtures of the tests of the site: its server, and a page whose faults are collected. */
import { test as base, expect } from "@playwright/test";
import { serveSite } from "./serve_site.mjs";

export { expect };

/** What WebGL says about its own speed, and WebGPU where there is no graphics card. */
const isNoise = (text) => /GL Driver Message|GPU stall|No available adapters/.test(text);
/** Chromium writes a line for each request that is answered with 404, also for an absent chunk. */
const isAbsence = (text) => text.includes("the server responded with a status of 404");

export const test = base.extend({
  /** The address of the home page. */
  site: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures here
    async ({}, use) => {
      const server = await serveSite();
      await use(server.url);
      await server.close();
    },
    { scope: "worker" },
  ],

  /** What went wrong in the page: errors, lines of the console, and requests to other hosts. */
  faults: [
    async ({ page, site }, use) => {
      const faults = [];
      page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
      page.on("console", (message) => {
        const text = message.text();
        const isFault = ["error", "warning"].includes(message.type());
        if (isFault && !isNoise(text) && !isAbsence(text)) faults.push(`console: ${text}`);
      });
      page.on("request", (request) => {
        const { protocol, origin } = new URL(request.url());
        if (/^http/.test(protocol) && origin !== new URL(site).origin)
          faults.push(`request: ${request.url()}`);
      });
      await use(faults);
    },
    { auto: true },
  ],
});
