/**
 * `zarr-wasm/inline`: everything without `import()`, for bundles of one file. The texts of the wasm
 * are imported from the files of the package. Built with `#source` = `source/whole.ts`.
 */
export * from "./names.ts";
