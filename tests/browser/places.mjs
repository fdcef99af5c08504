/** The folders of the browser tests. It imports nothing heavy: each Playwright worker loads it. */
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");
/** The bundled test pages, and what tests write for a page to load. */
export const OUTPUT = join(ROOT, "target/browser-tests");
/** The names of the tests that run inside pages (`in_page.spec.mjs`). */
export const NAMES = join(OUTPUT, "names.json");
/** The tag of those that open the viewer. */
export const OPENS_VIEWER = "@viewer";
export const VIEWER = join(ROOT, "target/browser-viewer");
export const VITE = join(ROOT, "target/browser-vite");
/** A script that webpack made of `zarr-wasm/view`. */
export const VIEW_ENTRY = join(ROOT, "target/view-entry");
