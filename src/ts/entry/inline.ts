/**
 * `zarr-wasm/inline`: everything in one file without `import()`, for script tags and for bundles
 * that cannot be split. Built with `#source` = `source/whole.ts`.
 */
export * from "./names.ts";
