/** Where the published site has its samples. The site reads its own, and the tests theirs. */
export const SAMPLES = "https://zarr-wasm.github.io/zarr-wasm/samples";
