/**
 * The URL of the engine's wasm in bundles of webpack, which copies the file. Other bundlers do not
 * run this module, so Vite is told not to copy the file.
 */
export default new URL(/* @vite-ignore */ "../../../engine.wasm", import.meta.url);
