/**
 * The package for the pages of the concepts, with what it does on record. It is set up as in the
 * frames of blocks.
 */
// biome-ignore assist/source/organizeImports: the recorder replaces `fetch` before the package sees it
import { onRecord, type RequestRecord, type TraceRecord } from "./recorder.ts";
import * as zarr from "zarr-wasm";

const site = new URL("../../", import.meta.url);

/** The address of a sample of the site. */
export const sampleUrl = (path: string) => new URL(`samples/${path}`, site).href;

/** Lets the package start its workers from the file of the site, whose records this page gets. */
export function setUp(options: { light: boolean }): void {
  if (!location.hash) location.hash = `#${Math.random()}`;
  const workerUrl = new URL(`worker.js${location.hash}`, import.meta.url).href;
  zarr.init({ ...(options.light && { light: true }), workerUrl });
}

/** Tells the page around this one how high it is. */
new ResizeObserver(() => {
  parent.postMessage({ kind: "height", pixels: document.documentElement.offsetHeight }, location.origin);
}).observe(document.documentElement);

/** Requests of the samples. */
export const isOfSamples = (record: TraceRecord): record is RequestRecord =>
  record.kind === "request" && record.url.startsWith(sampleUrl(""));

export { onRecord, zarr };
