/**
 * The URL of the engine's wasm for bundlers that place files by themselves. Only webpack runs this
 * module. Vite must not copy the file, because it would be there for nothing.
 */
export default new URL(/* @vite-ignore */ "../../engine.wasm", import.meta.url);
